/*
 * Inside of the heap: chunks, the pieces of memory that heaps take from their
 * pool or the machine and give back whole. Nothing outside heap*.c includes it.
 */
#ifndef BASE_HEAP_CHUNK_H
#define BASE_HEAP_CHUNK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/heap.h"

#if defined(__SANITIZE_ADDRESS__)
#define HEAP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_ASAN 1
#endif
#endif

#ifdef HEAP_ASAN
#include <sanitizer/asan_interface.h>
#define HEAP_POISON(p, n) __asan_poison_memory_region((p), (n))
#define HEAP_UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
/* For the few functions that read the heap's own words in poisoned places. */
#define HEAP_RAW __attribute__((noinline, no_sanitize("address")))
#else
#define HEAP_POISON(p, n) ((void)(p), (void)(n))
#define HEAP_UNPOISON(p, n) ((void)(p), (void)(n))
#define HEAP_RAW
#endif

/*
 * The head is 32 bytes long and its last word is where the header of the first
 * block would be, so that a block that has a chunk of its own (a large one) and
 * a chunk full of blocks look the same from the payload.
 */
struct chunk {
	struct chunk *next, *prev;
	size_t bytes;		/* all of it, with this head */
	size_t head;		/* the first block's header; 0 marks a large block */
};

#define CHUNK_MIN ((size_t)16 << 10)
#ifdef ARENA_MALLOC		/* nothing is shared or rounded, for valgrind */
#define CHUNK_POOLED_MAX ((size_t)0)
#else
#define CHUNK_POOLED_MAX ((size_t)1 << 20)	/* larger ones are not kept warm */
#endif

/* What a chunk for `bytes` really takes: pooled sizes come in quarter steps of
 * powers of two, so that a pool finds one that fits. */
size_t chunk_round(size_t bytes);
/* bytes: from chunk_round(). Payload is poisoned. NULL: the machine has none.
 * zero: the payload is zeroed. */
struct chunk *chunk_get(struct heap_pool *pool, size_t bytes, bool zero);
void chunk_put(struct heap_pool *pool, struct chunk *c);

#endif
