/*
 * The pool: chunks that ended heaps left behind, kept warm for the next ones.
 * A page fault costs more than a small command, so the newest chunk is reused
 * first and nothing is touched while it waits. Sizes up to CHUNK_POOLED_MAX
 * come in 28 buckets, four to a doubling; a list for each is all there is.
 * Larger ones go back to the machine: keeping them would starve it.
 */
#include "base/heap_chunk.h"

#include <stdlib.h>
#include <string.h>

#define BUCKET_SHIFT 13		/* the first bucket is 10 KiB */
#define N_BUCKETS 28

struct heap_pool {
	size_t kept, kept_max;
	struct chunk *bucket[N_BUCKETS];
};

struct heap_pool *heap_pool_new(size_t bytes_kept_max)
{
	struct heap_pool *pool = calloc(1, sizeof(*pool));

	if (pool)
		pool->kept_max = bytes_kept_max;
	return pool;
}

void heap_pool_free(struct heap_pool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < N_BUCKETS; i++) {
		struct chunk *next;

		for (struct chunk *c = pool->bucket[i]; c; c = next) {
			next = c->next;
			HEAP_UNPOISON(c + 1, c->bytes - sizeof(*c));
			free(c);
		}
	}
	free(pool);
}

size_t heap_pool_kept(const struct heap_pool *pool)
{
	return pool->kept;
}

/* The power of two below bytes, as an exponent: bytes is in (1 << e, 2 << e]. */
static unsigned chunk_exponent(size_t bytes)
{
	return 63u ^ (unsigned)__builtin_clzl(bytes - 1);
}

static size_t chunk_bucket(size_t bytes)
{
	unsigned e = chunk_exponent(bytes);

	/* Four to a power of two, as the heap's classes: this shift gives 4 to 7. */
	return (e - BUCKET_SHIFT) * 4 + ((bytes - 1) >> (e - 2)) - 4;
}

size_t chunk_round(size_t bytes)
{
	size_t step;

	if (!CHUNK_POOLED_MAX)
		return bytes;
	if (bytes <= (size_t)10 << 10)
		return (size_t)10 << 10;
	if (bytes > CHUNK_POOLED_MAX)
		return (bytes + 4095) & ~(size_t)4095;
	step = (size_t)1 << (chunk_exponent(bytes) - 2);
	return (bytes + step - 1) & ~(step - 1);
}

/* The list that chunks of this size wait in; NULL: they are not kept. */
static struct chunk **pool_list(struct heap_pool *pool, size_t bytes)
{
	if (!pool || !CHUNK_POOLED_MAX || bytes > CHUNK_POOLED_MAX)
		return NULL;
	return &pool->bucket[chunk_bucket(bytes)];
}

struct chunk *chunk_get(struct heap_pool *pool, size_t bytes, bool zero)
{
	struct chunk **list = pool_list(pool, bytes), *c;

	if (list && *list) {
		c = *list;
		*list = c->next;
		pool->kept -= bytes;
		if (zero) {
			HEAP_UNPOISON(c + 1, bytes - sizeof(*c));
			memset(c + 1, 0, bytes - sizeof(*c));
		}
		return c;
	}
	c = zero ? calloc(1, bytes) : malloc(bytes);
	if (!c)
		return NULL;
	c->bytes = bytes;
	HEAP_POISON(c + 1, bytes - sizeof(*c));
	return c;
}

void chunk_put(struct heap_pool *pool, struct chunk *c)
{
	size_t bytes = c->bytes;
	struct chunk **list = pool_list(pool, bytes);

	if (list && bytes <= pool->kept_max - pool->kept) {
		HEAP_POISON(c + 1, bytes - sizeof(*c));
		c->next = *list;
		*list = c;
		pool->kept += bytes;
		return;
	}
	HEAP_UNPOISON(c + 1, bytes - sizeof(*c));
	free(c);
}
