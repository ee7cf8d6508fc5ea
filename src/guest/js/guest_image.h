/*
 * What is in the prepared image stays: its blocks have a count of references
 * that is never changed, and the cycle collector does not look at them. So a run
 * writes to few of the image's pages, and its collections cost what its own
 * objects cost. What refers from the image to new objects counts as a root.
 * Included into quickjs.c: here the counting, guest_freeze.h the rest.
 */
enum { GUEST_IMMORTAL = 0x20000000 };

static inline void guest_ref(void *p)
{
	int *count = &JS_REF_COUNT(p);

	if (likely(*count < GUEST_IMMORTAL))
		++*count;
}

static inline int guest_unref(void *p)
{
	int *count = &JS_REF_COUNT(p);

	return likely(*count < GUEST_IMMORTAL) ? --*count : GUEST_IMMORTAL;
}

/* Size classes that have not had an arena since the freeze: their first is a small one. */
static uint32_t guest_small_arenas;

static int guest_arena_size(int size_index)
{
	uint32_t bit = (uint32_t)1 << size_index;

	if (!(guest_small_arenas & bit))
		return JS_ARENA_SIZE;
	guest_small_arenas &= ~bit;
	return JS_ARENA_SIZE / 4;
}
