/*
 * The arena: blocks from the heap, filled from the front. A block is as large
 * as the request needs, at least 4 KiB less the heap's word, and twice the last
 * one up to 64 KiB, so that a long parse takes few of them. A mark is the
 * newest block and its fill; reset frees the blocks above it. The newest block
 * keeps no record of its size elsewhere: it is in its head.
 */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/heap_chunk.h"
#include "base/num.h"

struct arena_block {
	struct arena_block *below;
	size_t size;		/* of the payload behind */
};

#define ARENA_FIRST ((size_t)1024 - 24)
#define ARENA_BLOCK_MAX ((size_t)64 << 10)

static char *arena_payload(struct arena_block *b)
{
	return (char *)(b + 1);
}

void arena_init(struct arena *a, struct tsb_heap *heap)
{
	a->heap = heap;
	a->top = NULL;
	a->used = 0;
}

void arena_end(struct arena *a)
{
	arena_reset(a, (struct arena_mark){ NULL, 0 });
}

static bool arena_grow(struct arena *a, size_t n)
{
	size_t size = ARENA_FIRST, bytes;
	struct arena_block *b;

	if (a->top)
		size = a->top->size < ARENA_BLOCK_MAX ? a->top->size * 2 : ARENA_BLOCK_MAX;
#ifdef ARENA_MALLOC
	size = 0;
#endif
	if (size < n)
		size = n;
	if (!num_add(size, sizeof(*b), &bytes)) {
		heap_oom(a->heap, n);
		return false;
	}
	b = heap_alloc(a->heap, bytes);
	if (!b)
		return false;
	b->below = a->top;
	b->size = size;
	HEAP_POISON(arena_payload(b), size);
	a->top = b;
	a->used = 0;
	return true;
}

/* An empty item takes a byte, so that it has an address of its own. */
static inline void *arena_give(struct arena *a, size_t at, size_t n)
{
	char *p = arena_payload(a->top) + at;

	a->used = at + n + !n;
	HEAP_UNPOISON(p, n);
	return p;
}

/* Apart, so that the usual case saves no registers. */
static __attribute__((noinline)) void *arena_alloc_above(struct arena *a, size_t n)
{
	return arena_grow(a, n ? n : 1) ? arena_give(a, 0, n) : NULL;
}

void *arena_alloc(struct arena *a, size_t n)
{
	size_t at = (a->used + 15) & ~(size_t)15;

#ifdef ARENA_MALLOC
	return arena_alloc_above(a, n);
#endif
	if (!a->top || at > a->top->size || n > a->top->size - at)
		return arena_alloc_above(a, n);
	return arena_give(a, at, n);
}

void *arena_zalloc(struct arena *a, size_t n)
{
	void *p = arena_alloc(a, n);

	return p ? memset(p, 0, n) : NULL;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	size_t n;

	if (!num_mul(count, size, &n)) {
		heap_oom(a->heap, SIZE_MAX);
		return NULL;
	}
	return arena_alloc(a, n);
}

char *arena_dup(struct arena *a, const void *p, size_t n)
{
	char *q;

	if (n == SIZE_MAX) {
		heap_oom(a->heap, n);
		return NULL;
	}
	q = arena_alloc(a, n + 1);
	if (!q)
		return NULL;
	if (n)
		memcpy(q, p, n);
	q[n] = '\0';
	return q;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){ a->top, a->used };
}

void arena_reset(struct arena *a, struct arena_mark m)
{
	while (a->top != m.top) {
		struct arena_block *below = a->top->below;

		heap_free(a->heap, a->top);
		a->top = below;
	}
	a->used = m.used;
	if (a->top && m.used < a->top->size)
		HEAP_POISON(arena_payload(a->top) + m.used, a->top->size - m.used);
}
