/* The heap: alignment, reuse, budget, hooks, failure at every allocation. */
#include "base/heap.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "unit/tap.h"

/* With ARENA_MALLOC each block is the machine's own: nothing is reused. */
#ifdef ARENA_MALLOC
#define POOLED 0
#else
#define POOLED 1
#endif
#define KIB ((size_t)1024)
#define MIB (KIB * KIB)

struct hook {
	size_t calls, wanted;
	jmp_buf *out;
};

static void on_oom(void *ctx, size_t wanted)
{
	struct hook *hook = ctx;

	hook->calls++;
	hook->wanted = wanted;
	if (hook->out)
		longjmp(*hook->out, 1);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void test_basics(void)
{
	struct tsb_heap *h = heap_new(NULL, NULL, NULL, NULL);
	char *a, *b, *c;

	ok(h != NULL, "a heap without budget and pool");
	a = heap_alloc(h, 0);
	b = heap_alloc(h, 0);
	ok(a && b && a != b, "blocks of no bytes have addresses of their own");
	c = heap_zalloc(h, 100);
	ok(c && c[0] == 0 && c[99] == 0, "zalloc is zeroed");
	is_str(heap_strdup(h, "word"), "word", "strdup");
	is_str(heap_dup(h, "words", 4), "word", "dup cuts and terminates");
	is_str(heap_dup(h, NULL, 0), "", "dup of nothing");
	heap_free(h, NULL);
	heap_free(h, c);
	ok(!POOLED || heap_alloc(h, 100) == c, "a freed block is used again");
	c = heap_zalloc(h, 3 * MIB);
	ok(c && c[0] == 0 && c[3 * MIB - 1] == 0, "a large zalloc is zeroed");
	heap_end(h);
	heap_end(NULL);
}

static void test_alignment(void)
{
	struct tsb_heap *h = heap_new(NULL, NULL, NULL, NULL);
	bool aligned = true, whole = true;

	for (size_t n = 0; n < 40000; n += n < 600 ? 1 : 97) {
		char *p = heap_alloc(h, n);

		aligned &= (uintptr_t)p % 16 == 0;
		memset(p, (int)n, n);
		p = heap_resize(h, p, n + 7);
		aligned &= (uintptr_t)p % 16 == 0;
		for (size_t i = 0; i < n; i++)
			whole &= p[i] == (char)n;
	}
	ok(aligned, "every block is aligned to 16");
	ok(whole, "resize keeps the content");
	heap_end(h);
}

static void test_overflow(void)
{
	struct hook hook = { 0, 0, NULL };
	struct tsb_heap *h = heap_new(NULL, NULL, on_oom, &hook);
	char *p = heap_alloc(h, 10);
	char *big = heap_alloc(h, 1 * MIB);

	ok(!heap_array(h, SIZE_MAX / 2, 3), "count * size that wraps");
	is_int(hook.calls, 1, "calls the hook once");
	ok(!heap_alloc(h, SIZE_MAX), "SIZE_MAX bytes");
	ok(!heap_alloc(h, SIZE_MAX - 8), "nearly SIZE_MAX bytes");
	ok(!heap_zalloc(h, SIZE_MAX - 100), "zeroed");
	ok(!heap_dup(h, p, SIZE_MAX), "dup of SIZE_MAX");
	p[0] = 'x';
	ok(!heap_resize(h, p, SIZE_MAX - 3) && p[0] == 'x', "resize of a small block");
	big[0] = 'y';
	ok(!heap_resize(h, big, SIZE_MAX - 3) && big[0] == 'y', "resize of a large block");
	is_int(hook.calls, 7, "the hook each time");
	heap_end(h);
}

static void test_budget(void)
{
	struct heap_budget budget = { 0, 1 * MIB, 0 };
	struct heap_pool *pool = heap_pool_new(8 * MIB);
	struct hook hook = { 0, 0, NULL };
	struct tsb_heap *h = heap_new(&budget, pool, on_oom, &hook);
	size_t n = 0, before;
	char *p;

	is_int(heap_used(h), budget.used, "a new heap is charged");
	while (heap_alloc(h, 100))
		n++;
	ok(n * 100 > (POOLED ? 800 : 500) * KIB && n * 100 <= 1 * MIB, "small blocks fill most of the budget");
	ok(budget.used <= budget.max && budget.peak == budget.used, "and no more than it");
	is_int(hook.wanted, 100, "the hook hears what was wanted");
	ok(!heap_new(&budget, pool, NULL, NULL) || budget.used <= budget.max,
	   "no heap beyond the budget");
	heap_end(h);
	is_int(budget.used, 0, "all is given back");
	h = heap_new(&budget, pool, NULL, NULL);
	before = budget.used;
	p = heap_alloc(h, 500 * KIB);
	ok(p && budget.used >= before + 500 * KIB, "a large block is charged");
	ok(!heap_alloc(h, 600 * KIB), "a second one does not fit");
	p = heap_resize(h, p, 800 * KIB);
	ok(p != NULL, "but the first may grow");
	ok(!heap_resize(h, p, 1100 * KIB), "not beyond the budget");
	p = heap_resize(h, p, 100 * KIB);
	ok(p && budget.used < before + 140 * KIB, "shrinking refunds");
	heap_free(h, p);
	is_int(budget.used, before, "freeing refunds all");
	heap_end(h);
	budget.max = 1 * KIB;
	ok(!heap_new(&budget, pool, NULL, NULL) && budget.used == 0, "a budget too small for a heap");
	heap_pool_free(pool);
}

static void test_hook_leaves(void)
{
	struct heap_budget budget = { 0, 256 * KIB, 0 };
	struct heap_pool *pool = heap_pool_new(1 * MIB);
	jmp_buf out;
	struct hook hook = { 0, 0, &out };
	struct tsb_heap *h = heap_new(&budget, pool, on_oom, &hook);

	if (setjmp(out) == 0)
		for (;;)
			heap_alloc(h, 1000);
	is_int(hook.calls, 1, "a hook may leave the call");
	heap_end(h);
	is_int(budget.used, 0, "and the heap ends as ever");
	heap_pool_free(pool);
}

static void test_pool(void)
{
	struct heap_pool *pool = heap_pool_new(100 * KIB);
	struct tsb_heap *h = heap_new(NULL, pool, NULL, NULL);
	struct tsb_heap *again;

	heap_end(h);
	is_int(heap_pool_kept(pool), POOLED * 16 * KIB, "an ended heap leaves its chunk warm");
	again = heap_new(NULL, pool, NULL, NULL);
	ok((!POOLED || again == h) && heap_pool_kept(pool) == 0, "and the next one takes it");
	for (int i = 0; i < 100; i++)
		heap_alloc(again, 10000);
	heap_end(again);
	ok(heap_pool_kept(pool) <= 100 * KIB, "a pool keeps no more than it may");
	heap_pool_free(pool);
	heap_pool_free(NULL);
}

static void test_detach(void)
{
	struct heap_budget budget = { 0, 1 * MIB, 0 };
	struct heap_pool *pool = heap_pool_new(1 * MIB);
	struct tsb_heap *h = heap_new(&budget, pool, NULL, NULL);
	char *p = heap_strdup(h, "kept");

	heap_alloc(h, 100 * KIB);
	heap_detach(h);
	is_int(budget.used, 0, "a detached heap is not charged");
	heap_pool_free(pool);
	is_str(p, "kept", "and keeps its blocks");
	ok(heap_alloc(h, 2 * MIB) != NULL, "and takes more, uncounted");
	heap_end(h);
	is_int(budget.used, 0, "its end refunds nothing twice");
}

/* Fails the 1st, 2nd, 3rd ... allocation of a piece of work. */
static bool work(struct tsb_heap *h)
{
	char *a = heap_alloc(h, 100), *b, *c;

	if (!a)
		return false;
	memset(a, 'a', 100);
	b = heap_resize(h, a, 20000);
	if (!b)
		return a[99] != 'a';
	c = heap_resize(h, b, 2000000);
	if (!c)
		return b[99] != 'a';
	return heap_zalloc(h, 10) && heap_zalloc(h, 3000000) && heap_strdup(h, "x");
}

static void test_faults(void)
{
	size_t at = 1;

	for (; at < 100; at++) {
		struct tsb_heap *h = heap_new(NULL, NULL, NULL, NULL);
		bool finished;

		heap_fail_at(h, at);
		finished = work(h);
		heap_end(h);
		if (finished)
			break;
	}
	is_int(at, 7, "six allocations, and each may fail");
}

struct model_block {
	unsigned char *p;
	size_t n;
	unsigned char fill;
};

static bool model_holds(const struct model_block *b)
{
	for (size_t i = 0; i < b->n; i += b->n < 64 ? 1 : b->n / 32)
		if (b->p[i] != b->fill)
			return false;
	return b->n == 0 || b->p[b->n - 1] == b->fill;
}

/* Random blocks, each full of its own byte: none may touch another. */
static void test_model(void)
{
	static struct model_block blocks[512];
	struct heap_budget budget = { 0, 512 * MIB, 0 };
	struct heap_pool *pool = heap_pool_new(4 * MIB);
	struct tsb_heap *h = heap_new(&budget, pool, NULL, NULL);
	bool good = true;
	uint32_t seed = 1;

	for (int turn = 0; turn < 300000; turn++) {
		struct model_block *b = &blocks[next_random(&seed) % 512];
		size_t n = next_random(&seed) % (turn % 100 ? 700u : 200000u);

		if (b->p)
			good &= model_holds(b);
		if (b->p && next_random(&seed) % 2) {
			heap_free(h, b->p);
			b->p = NULL;
			continue;
		}
		if (b->p) {
			size_t kept = n < b->n ? n : b->n;

			b->p = heap_resize(h, b->p, n);
			b->n = kept;
			good &= model_holds(b);
		} else {
			b->p = heap_alloc(h, n);
		}
		b->n = n;
		b->fill = (unsigned char)turn;
		memset(b->p, b->fill, n);
	}
	ok(good, "300,000 random calls, no block touches another");
	heap_end(h);
	is_int(budget.used, 0, "the budget is even after them");
	heap_pool_free(pool);
}

int main(void)
{
	test_basics();
	test_alignment();
	test_overflow();
	test_budget();
	test_hook_leaves();
	test_pool();
	test_detach();
	test_faults();
	test_model();
	return done();
}
