/*
 * What is in the prepared image stays: its blocks have a count of references
 * that is never changed, and the cycle collector does not look at them. So a run
 * writes to few of the image's pages, and its collections cost what its own
 * objects cost. What refers from the image to new objects counts as a root.
 * Included into quickjs.c: here the counting, guest_freeze.h the rest.
 */
enum {
	GUEST_IMMORTAL = 0x20000000,
	GUEST_VARIABLES = 400,		/* blocks of the arena of guest_variables.h: more than others have */
};

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

/*
 * Blocks below it are the image's: they are never let go, so that nothing new comes to lie among them. What a run makes first goes
 * into room kept free for it near the other pages that every run writes to: one page of page tables holds all of them, and the room
 * begins at a page, so that none of it is written for the sake of a corner.
 */
enum { GUEST_ROOM = 256 << 10, GUEST_SMALL_PAGE = 4096 };
static const void *guest_image_end;
static char *guest_room;

static inline bool guest_of_image(const void *block)
{
	return block < guest_image_end && (size_t)((const char *)block - guest_room) >= GUEST_ROOM;
}

/* Of Math.random(): in every run another one, so not beside what stays. */
static uint64_t guest_random_state;

/* Arenas of each size made since the freeze: the first are small, as most of them stay nearly empty. */
static uint8_t guest_arenas[JS_ARENA_BLOCK_SIZE_COUNT];

static int guest_arena_blocks(int size_index, int block_size)
{
	enum { FIRST = 256, LEAST = 2 };
	int size = FIRST << guest_arenas[size_index], n;

	if (!guest_image_end || size > JS_ARENA_SIZE)
		size = JS_ARENA_SIZE;
	else
		guest_arenas[size_index]++;
	n = (size - (int)sizeof(JSArena)) / block_size;
	return n < LEAST ? LEAST : n;
}
