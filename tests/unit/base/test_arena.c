/* The arena: alignment, marks, loops that do not grow, failure. */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/heap.h"
#include "unit/tap.h"

static void test_alloc(struct tsb_heap *h)
{
	struct arena a;
	bool aligned = true;
	char *p, *q;

	arena_init(&a, h);
	p = arena_alloc(&a, 0);
	q = arena_alloc(&a, 0);
	ok(p && q && p != q, "items of no bytes have addresses of their own");
	for (size_t n = 0; n < 3000; n++) {
		p = arena_alloc(&a, n);
		aligned &= (uintptr_t)p % 16 == 0;
		memset(p, 1, n);
	}
	ok(aligned, "items are aligned to 16");
	p = arena_zalloc(&a, 1000);
	ok(p[0] == 0 && p[999] == 0, "zalloc is zeroed in used memory");
	is_str(arena_dup(&a, "abcdef", 3), "abc", "dup cuts and terminates");
	p = arena_alloc(&a, 1000000);
	ok(p != NULL, "an item larger than any block");
	memset(p, 1, 1000000);
	ok(!arena_array(&a, SIZE_MAX / 2, 3), "count * size that wraps");
	ok(!arena_alloc(&a, SIZE_MAX - 8), "nearly SIZE_MAX bytes");
	ok(!arena_dup(&a, "", SIZE_MAX), "dup of SIZE_MAX");
	ok(arena_alloc(&a, 10) != NULL, "and it lives on after these");
	arena_end(&a);
	ok(arena_alloc(&a, 10) != NULL, "an ended arena is an empty one");
	arena_end(&a);
}

static void test_marks(void)
{
	struct heap_budget budget = { 0, 1u << 20, 0 };
	struct tsb_heap *h = heap_new(&budget, NULL, NULL, NULL);
	struct arena a;
	struct arena_mark m;
	char *kept, *first, *again;
	bool good = true;

	arena_init(&a, h);
	m = arena_mark(&a);
	arena_alloc(&a, 100);
	arena_reset(&a, m);
	ok(!a.top, "a reset to the beginning leaves nothing");
	kept = arena_dup(&a, "kept", 4);
	m = arena_mark(&a);
	first = arena_alloc(&a, 50);
	arena_reset(&a, m);
	again = arena_alloc(&a, 50);
#ifdef ARENA_MALLOC
	again = first;		/* then the machine decides */
#endif
	ok(first == again, "space behind a mark is used again");
	for (int i = 0; i < 100000 && good; i++) {
		struct arena_mark turn = arena_mark(&a);

		good = arena_alloc(&a, 3000) && arena_alloc(&a, 3000);
		arena_reset(&a, turn);
	}
	ok(good, "a loop of marks and resets does not grow");
	is_str(kept, "kept", "what is below the mark stays");
	arena_end(&a);
	heap_end(h);
}

static void test_faults(struct tsb_heap *h)
{
	struct arena a;

	arena_init(&a, h);
	heap_fail_at(h, 1);
	ok(!arena_zalloc(&a, 10), "NULL when the heap returns NULL");
	ok(arena_dup(&a, "x", 1) != NULL, "and goes on after it");
	heap_fail_at(h, 1);
	ok(!arena_alloc(&a, 5000), "a block that is not to be had");
	heap_fail_at(h, 0);
	arena_end(&a);
}

int main(void)
{
	struct tsb_heap *h = heap_new(NULL, NULL, NULL, NULL);

	test_alloc(h);
	test_marks();
	test_faults(h);
	heap_end(h);
	return done();
}
