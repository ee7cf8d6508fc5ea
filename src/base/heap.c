/*
 * The heap: blocks of one owner, given back in one call. Small blocks are cut
 * from chunks and reused through one free list a size class; a large block has
 * a chunk of its own, so that growing it is the machine's realloc (mremap for
 * huge ones) and not a copy. The heap itself lives in its first chunk: making
 * one is taking a warm chunk and clearing a page's tenth, ending it is handing
 * the chunks back. Each block has one word in front, its size; the word also
 * tells a freed block, so that a double free stops at once.
 */
#include "base/heap_chunk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* A block: its header word, then the payload, 16-aligned. Sizes are with the
 * header and multiples of 16: up to 256 in steps of 16, then four a doubling. */
#define BLOCK_HEAD sizeof(size_t)
#define BLOCK_FREED 1u
#define N_CLASSES 36
#ifdef ARENA_MALLOC
#define BLOCK_SMALL_MAX ((size_t)0)	/* every block on its own, for valgrind */
#define BLOCK_TINY_MAX ((size_t)0)
#else
#define BLOCK_SMALL_MAX ((size_t)8 << 10)
#define BLOCK_TINY_MAX (256 - BLOCK_HEAD)
#endif
#define CHUNK_GROWN_MAX ((size_t)256 << 10)

struct free_block {
	struct free_block *next;
};

struct tsb_heap {
	char *bump, *bump_end;		/* unused rest of the newest chunk */
	struct free_block *freed[N_CLASSES];
	size_t fail_in;			/* countdown of heap_fail_at(); 0: never */
	struct chunk *chunks;
	struct chunk *large;		/* doubly linked */
	size_t charged;
	size_t chunk_next;		/* size of the next chunk */
	struct heap_budget *budget;
	struct heap_pool *pool;
	heap_oom_fn *oom;
	void *ctx;
};

/* The class that total bytes (header included) belong to, and its size in *size:
 * above 256 there are four to a power of two, told apart by the two bits below
 * the highest one. */
static inline size_t block_fit(size_t total, size_t *size)
{
	size_t steps;
	unsigned e;

	if (total <= 256) {
		*size = (total + 15) & ~(size_t)15;
		return (total - 1) >> 4;
	}
	e = 63u ^ (unsigned)__builtin_clzl(total - 1);
	steps = (total - 1) >> (e - 2);		/* 4 to 7 */
	*size = (steps + 1) << (e - 2);
	return 4 * (e - 8) + 12 + steps;
}

static inline size_t block_class(size_t total)
{
	size_t size;

	return block_fit(total, &size);
}

static inline size_t block_round(size_t total)
{
	size_t size;

	block_fit(total, &size);
	return size;
}

static HEAP_RAW size_t block_head(const void *p)
{
	return ((const size_t *)p)[-1];
}

static HEAP_RAW void block_set_head(void *p, size_t head)
{
	((size_t *)p)[-1] = head;
}

static HEAP_RAW struct free_block *block_next(const struct free_block *b)
{
	return b->next;
}

static HEAP_RAW void block_set_next(void *p, struct free_block *next)
{
	((struct free_block *)p)->next = next;
}

static inline struct chunk *chunk_of_large(void *p)
{
	return (struct chunk *)p - 1;
}

/* ---- The budget ---- */

static bool share_take(struct heap_share *s, size_t bytes)
{
	size_t used = __atomic_load_n(&s->used, __ATOMIC_RELAXED);

	do {
		if (used > s->max || bytes > s->max - used)
			return false;
	} while (!__atomic_compare_exchange_n(&s->used, &used, used + bytes, true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

bool heap_budget_take(struct heap_budget *b, size_t bytes)
{
	if (b->used > b->max || bytes > b->max - b->used ||
	    (b->share && !share_take(b->share, bytes))) {
		b->refused = true;
		return false;
	}
	b->used += bytes;
	if (b->used > b->peak)
		b->peak = b->used;
	return true;
}

void heap_budget_give(struct heap_budget *b, size_t bytes)
{
	b->used -= bytes;
	if (b->share)
		__atomic_fetch_sub(&b->share->used, bytes, __ATOMIC_RELAXED);
}

static bool heap_charge(struct tsb_heap *h, struct heap_budget *b, size_t bytes)
{
	if (b && !heap_budget_take(b, bytes))
		return false;
	if (h)
		h->charged += bytes;
	return true;
}

static void heap_refund(struct tsb_heap *h, size_t bytes)
{
	if (h->budget)
		heap_budget_give(h->budget, bytes);
	h->charged -= bytes;
}

static struct chunk *heap_take_chunk(struct tsb_heap *h, size_t bytes, bool zero)
{
	struct chunk *c;

	if (!heap_charge(h, h->budget, bytes))
		return NULL;
	c = chunk_get(h->pool, bytes, zero);
	if (!c)
		heap_refund(h, bytes);
	return c;
}

void heap_oom(struct tsb_heap *h, size_t wanted)
{
	if (h->oom)
		h->oom(h->ctx, wanted);
}

bool heap_hold(struct tsb_heap *h, size_t n)
{
	if (heap_charge(h, h->budget, n))
		return true;
	heap_oom(h, n);
	return false;
}

size_t heap_used(const struct tsb_heap *h)
{
	return h->charged;
}

void heap_fail_at(struct tsb_heap *h, size_t n)
{
	h->fail_in = n;
}

static bool heap_must_fail(struct tsb_heap *h)
{
	return h->fail_in && --h->fail_in == 0;
}

/* ---- Beginning and end ---- */

struct tsb_heap *heap_new(struct heap_budget *budget, struct heap_pool *pool,
			  heap_oom_fn *oom, void *ctx)
{
	struct tsb_heap *h;
	struct chunk *c;

	if (!heap_charge(NULL, budget, CHUNK_MIN))
		return NULL;
	c = chunk_get(pool, CHUNK_MIN, false);
	if (!c) {
		if (budget)
			heap_budget_give(budget, CHUNK_MIN);
		return NULL;
	}
	h = (struct tsb_heap *)(void *)(c + 1);
	HEAP_UNPOISON(h, sizeof(*h));
	memset(h, 0, sizeof(*h));
	c->next = NULL;
	h->chunks = c;
	h->charged = h->chunk_next = CHUNK_MIN;
	h->budget = budget;
	h->pool = pool;
	h->oom = oom;
	h->ctx = ctx;
	/* The next payload is 16-aligned when the bump is one word before. */
	h->bump = (char *)c + ((sizeof(*c) + sizeof(*h) + 15) & ~(size_t)15) + 16 - BLOCK_HEAD;
	h->bump_end = (char *)c + CHUNK_MIN - BLOCK_HEAD;
	return h;
}

void heap_end(struct tsb_heap *h)
{
	struct heap_pool *pool;
	struct chunk *c, *next;

	if (!h)
		return;
	pool = h->pool;
	if (h->budget)
		heap_budget_give(h->budget, h->charged);
	for (c = h->large; c; c = next) {
		next = c->next;
		chunk_put(pool, c);
	}
	/* The heap is in the last of these, so it is not looked at again. */
	for (c = h->chunks; c; c = next) {
		next = c->next;
		chunk_put(pool, c);
	}
}

void heap_detach(struct tsb_heap *h)
{
	if (h->budget)
		heap_budget_give(h->budget, h->charged);
	h->budget = NULL;
	h->pool = NULL;
	h->oom = NULL;
	h->ctx = NULL;
}

/* ---- Large blocks ---- */

static void large_link(struct tsb_heap *h, struct chunk *c)
{
	c->prev = NULL;
	c->next = h->large;
	if (c->next)
		c->next->prev = c;
	h->large = c;
}

static void large_unlink(struct tsb_heap *h, struct chunk *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		h->large = c->next;
	if (c->next)
		c->next->prev = c->prev;
}

static bool large_size(size_t n, size_t *bytes)
{
	/* Half the address space is beyond any machine, and keeps sums safe. */
	if (n > SIZE_MAX / 2)
		return false;
	*bytes = chunk_round(n + sizeof(struct chunk));
	return true;
}

static __attribute__((noinline)) void *large_alloc(struct tsb_heap *h, size_t n, bool zero)
{
	struct chunk *c;
	size_t bytes;

	c = large_size(n, &bytes) ? heap_take_chunk(h, bytes, zero) : NULL;
	if (!c) {
		heap_oom(h, n);
		return NULL;
	}
	c->head = 0;
	large_link(h, c);
	HEAP_UNPOISON(c + 1, n);
	return c + 1;
}

static void large_free(struct tsb_heap *h, struct chunk *c)
{
	large_unlink(h, c);
	heap_refund(h, c->bytes);
	chunk_put(h->pool, c);
}

static void *large_resize(struct tsb_heap *h, struct chunk *c, size_t n)
{
	size_t bytes, was = c->bytes;
	struct chunk *moved;

	if (!large_size(n, &bytes) || (bytes > was && !heap_charge(h, h->budget, bytes - was))) {
		heap_oom(h, n);
		return NULL;
	}
	HEAP_UNPOISON(c + 1, was - sizeof(*c));
	if (bytes != was) {
		large_unlink(h, c);
		moved = realloc(c, bytes);
		large_link(h, moved ? moved : c);
		if (!moved) {
			if (bytes > was)
				heap_refund(h, bytes - was);
			heap_oom(h, n);
			return NULL;
		}
		c = moved;
		c->bytes = bytes;
		if (bytes < was)
			heap_refund(h, was - bytes);
	}
	HEAP_POISON((char *)(c + 1) + n, bytes - sizeof(*c) - n);
	return c + 1;
}

/* ---- Small blocks ---- */

/* What is left of the newest chunk becomes a free block. */
static void heap_keep_rest(struct tsb_heap *h)
{
	size_t left = (size_t)(h->bump_end - h->bump) & ~(size_t)15;
	size_t total = left;
	char *p = h->bump + BLOCK_HEAD;

	if (left < 32)
		return;
	if (block_round(left) > left) {		/* between classes: the class below */
		size_t step = (size_t)1 << (63u - (unsigned)__builtin_clzl(left - 1) - 2);

		total = left & ~(step - 1);
	}
	if (total > BLOCK_SMALL_MAX)
		return;
	block_set_head(p, total | BLOCK_FREED);
	block_set_next(p, h->freed[block_class(total)]);
	h->freed[block_class(total)] = (struct free_block *)(void *)p;
	h->bump += total;
}

static __attribute__((noinline)) bool heap_grow(struct tsb_heap *h)
{
	struct chunk *c = heap_take_chunk(h, h->chunk_next, false);

	/* Near the end of the budget a small chunk may still fit. */
	if (!c && h->chunk_next > CHUNK_MIN)
		c = heap_take_chunk(h, h->chunk_next = CHUNK_MIN, false);
	if (!c)
		return false;
	heap_keep_rest(h);
	/* Behind the newest: the first one must stay last, see heap_end(). */
	c->next = h->chunks;
	h->chunks = c;
	h->bump = (char *)&c->head;
	h->bump_end = (char *)c + c->bytes - BLOCK_HEAD;
	if (h->charged >= 2 * h->chunk_next && h->chunk_next < CHUNK_GROWN_MAX)
		h->chunk_next *= 2;
	return true;
}

static __attribute__((noinline)) void *heap_alloc_any(struct tsb_heap *h, size_t n)
{
	size_t total, k;
	char *p;

	if (__builtin_expect(h->fail_in != 0, 0) && heap_must_fail(h)) {
		heap_oom(h, n);
		return NULL;
	}
	if (n + BLOCK_HEAD > BLOCK_SMALL_MAX || n > BLOCK_SMALL_MAX)
		return large_alloc(h, n, false);
	k = block_fit(n + BLOCK_HEAD, &total);
	if (h->freed[k]) {
		p = (char *)h->freed[k];
		h->freed[k] = block_next(h->freed[k]);
	} else {
		if ((size_t)(h->bump_end - h->bump) < total && !heap_grow(h)) {
			heap_oom(h, n);
			return NULL;
		}
		p = h->bump + BLOCK_HEAD;
		h->bump += total;
	}
	block_set_head(p, total);
	HEAP_UNPOISON(p, n);
	return p;
}

/* Most blocks are small, and of memory that is there already. */
void *heap_alloc(struct tsb_heap *h, size_t n)
{
	size_t total = (n + BLOCK_HEAD + 15) & ~(size_t)15, k = (total >> 4) - 1;
	char *p;

	if (n > BLOCK_TINY_MAX || h->fail_in)
		return heap_alloc_any(h, n);
	p = (char *)h->freed[k];
	if (p) {
		h->freed[k] = block_next(h->freed[k]);
	} else {
		if ((size_t)(h->bump_end - h->bump) < total)
			return heap_alloc_any(h, n);
		p = h->bump + BLOCK_HEAD;
		h->bump += total;
	}
	block_set_head(p, total);
	HEAP_UNPOISON(p, n);
	return p;
}

void heap_free(struct tsb_heap *h, void *p)
{
	size_t head;

	if (!p)
		return;
	head = block_head(p);
	if (head == 0) {
		large_free(h, chunk_of_large(p));
		return;
	}
	if (head & BLOCK_FREED)
		abort();	/* freed twice: memory can no longer be trusted */
	block_set_head(p, head | BLOCK_FREED);
	block_set_next(p, h->freed[block_class(head)]);
	h->freed[block_class(head)] = p;
	HEAP_POISON(p, head - BLOCK_HEAD);
}

/* Grows the newest block where it stands, if it is that and there is room. */
static bool block_extend(struct tsb_heap *h, char *p, size_t head, size_t n)
{
	size_t total;

	if (p - BLOCK_HEAD + head != h->bump || n > BLOCK_SMALL_MAX - BLOCK_HEAD)
		return false;
	total = block_round(n + BLOCK_HEAD);
	if (total - head > (size_t)(h->bump_end - h->bump))
		return false;
	/* A free block of that size is taken instead: else blocks would only ever
	 * move from small classes to large ones, and small ones never come back. */
	if (h->freed[block_class(total)])
		return false;
	h->bump += total - head;
	block_set_head(p, total);
	HEAP_UNPOISON(p, n);
	return true;
}

void *heap_resize(struct tsb_heap *h, void *p, size_t n)
{
	size_t head, old;
	void *q;

	if (!p)
		return heap_alloc(h, n);
	head = block_head(p);
	if (head == 0) {
		if (__builtin_expect(h->fail_in != 0, 0) && heap_must_fail(h)) {
			heap_oom(h, n);
			return NULL;
		}
		return large_resize(h, chunk_of_large(p), n);
	}
	old = head - BLOCK_HEAD;
	HEAP_UNPOISON(p, old);
	if (n <= old && n >= old / 4) {
		HEAP_POISON((char *)p + n, old - n);
		return p;
	}
	if (n > old && block_extend(h, p, head, n))
		return p;
	q = heap_alloc(h, n);
	if (!q)
		return NULL;
	memcpy(q, p, n < old ? n : old);
	heap_free(h, p);
	return q;
}

/* ---- On top of these ---- */

void *heap_zalloc(struct tsb_heap *h, size_t n)
{
	void *p;

	if (n > BLOCK_SMALL_MAX && n > CHUNK_POOLED_MAX && !h->fail_in)
		return large_alloc(h, n, true);
	p = heap_alloc(h, n);
	if (p)
		memset(p, 0, n);
	return p;
}

void *heap_array(struct tsb_heap *h, size_t count, size_t size)
{
	size_t n;

	if (!num_mul(count, size, &n)) {
		heap_oom(h, SIZE_MAX);
		return NULL;
	}
	return heap_alloc(h, n);
}

char *heap_dup(struct tsb_heap *h, const void *p, size_t n)
{
	char *q;

	if (n == SIZE_MAX) {
		heap_oom(h, n);
		return NULL;
	}
	q = heap_alloc(h, n + 1);
	if (!q)
		return NULL;
	if (n)
		memcpy(q, p, n);
	q[n] = '\0';
	return q;
}

char *heap_strdup(struct tsb_heap *h, const char *s)
{
	return heap_dup(h, s, strlen(s));
}
