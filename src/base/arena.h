/*
 * An arena: a bump allocator on a heap. Items are never freed one by one; a
 * mark remembers a place and a reset gives back everything taken since. A loop
 * turn marks and resets, so loops do not grow.
 *
 * Under ASan freed space is poisoned. With -DARENA_MALLOC every item is an
 * allocation of its own, so that valgrind sees single overruns.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct tsb_heap;
struct arena_block;

struct arena {
	struct tsb_heap *heap;
	struct arena_block *top;	/* newest block */
	size_t used;			/* bytes used of the newest block */
};

struct arena_mark {
	struct arena_block *top;
	size_t used;
};

/* Takes no memory yet. heap is borrowed. */
void arena_init(struct arena *a, struct tsb_heap *heap);
void arena_end(struct arena *a);
/* 16-aligned, not zeroed. NULL only if the heap returns NULL. */
void *arena_alloc(struct arena *a, size_t n);
void *arena_zalloc(struct arena *a, size_t n);
void *arena_array(struct arena *a, size_t count, size_t size);
char *arena_dup(struct arena *a, const void *p, size_t n);	/* NUL behind */
struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark m);

#define ARENA_NEW(a, type) ((type *)arena_zalloc((a), sizeof(type)))

#endif
