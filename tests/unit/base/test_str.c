/* Byte strings and slices: growth, maximum, sticky failure, ownership. */
#include "base/str.h"

#include <limits.h>
#include <stdint.h>

#include "base/heap.h"
#include "unit/tap.h"

static struct tsb_heap *h;

static void test_content(void)
{
	struct str s;
	size_t n;
	char *p;

	str_init(&s, h, STR_MAX_DEFAULT);
	is_str(s.p, "", "empty from the beginning");
	str_cut(&s, 0);
	str_erase(&s, 0, 5);
	str_fill(&s, 'x', 0);
	str_addn(&s, NULL, 0);
	is_int(s.cap, 0, "nothing added takes no memory");
	str_adds(&s, "hello");
	str_addc(&s, ' ');
	str_addslice(&s, SLICE("world"));
	is_str(s.p, "hello world", "appending");
	str_addf(&s, "%s=%d", "n", 42);
	is_str(s.p, "hello worldn=42", "formatting");
	str_insert(&s, 11, ", ", 2);
	str_insert(&s, 0, ">", 1);
	str_insert(&s, 999, "<", 1);
	is_str(s.p, ">hello world, n=42<", "inserting");
	str_erase(&s, 6, 6);
	is_str(s.p, ">hello, n=42<", "erasing");
	str_erase(&s, 6, 999);
	is_str(s.p, ">hello", "erasing more than there is");
	str_cut(&s, 3);
	str_cut(&s, 10);
	is_str(s.p, ">he", "cutting");
	str_fill(&s, '-', 4);
	is_str(s.p, ">he----", "filling");
	str_reset(&s);
	ok(s.n == 0 && s.cap > 0 && !*s.p, "reset keeps the memory");
	str_addn(&s, "a\0b", 3);
	ok(s.n == 3 && s.p[1] == 0 && s.p[3] == 0, "a NUL inside");
	p = str_take(&s, &n);
	ok(n == 3 && p[2] == 'b' && s.n == 0 && s.cap == 0, "take gives the bytes away");
	heap_free(h, p);
	p = str_take(&s, NULL);
	is_str(p, "", "take of an empty one is yours too");
	heap_free(h, p);
	str_end(&s);
}

static void test_long_format(void)
{
	struct str s;

	str_init(&s, h, STR_MAX_DEFAULT);
	str_addf(&s, "%*s|", 100000, "x");
	ok(s.n == 100001 && s.p[99999] == 'x' && s.p[100000] == '|', "a long format");
	str_addf(&s, "%s", "");
	is_int(s.n, 100001, "an empty one");
	str_cut(&s, 3);
	str_addf(&s, "%0*d", 300000, 1);
	ok(s.n == 300003 && s.p[2] == ' ' && s.p[3] == '0' && s.p[300002] == '1', "one that grows");
	str_end(&s);
	str_init(&s, h, 10);
	str_addf(&s, "%s", "01234");
	str_addf(&s, "%s", "567890");
	ok(s.bad && !strcmp(s.p, "01234"), "a format beyond the maximum adds nothing");
	str_end(&s);
}

static void test_maximum(void)
{
	struct str s;

	str_init(&s, h, 10);
	str_adds(&s, "0123456789");
	ok(!s.bad && s.n == 10, "the maximum itself is fine");
	str_addc(&s, 'x');
	ok(s.bad && s.n == 10, "one more is not");
	is_str(s.p, "0123456789", "and the content stays");
	str_cut(&s, 2);
	str_addc(&s, 'x');
	str_adds(&s, "x");
	str_addf(&s, "x");
	str_insert(&s, 0, "x", 1);
	str_fill(&s, 'x', 1);
	is_str(s.p, "01", "failure is sticky");
	str_reset(&s);
	for (int i = 0; i < 20; i++)
		str_addc(&s, 'a' + i);
	is_str(s.p, "abcdefghij", "byte by byte up to the maximum");
	ok(s.bad, "then bad");
	str_reset(&s);
	str_adds(&s, "01234567890");
	ok(s.bad && s.n == 0, "an append that is too long adds nothing");
	str_end(&s);
	str_init(&s, h, SIZE_MAX);
	ok(!str_reserve(&s, SIZE_MAX) && s.bad, "sums do not wrap");
	str_end(&s);
	str_init(&s, h, 0);
	str_addc(&s, 'x');
	ok(s.bad && !*s.p, "a maximum of nothing");
	str_end(&s);
}

static void test_memory_ends(void)
{
	struct heap_budget budget = { 0, 200 * 1024, 0 };
	struct tsb_heap *small = heap_new(&budget, NULL, NULL, NULL);
	struct str s;

	str_init(&s, small, STR_MAX_DEFAULT);
	for (int i = 0; i < 1000000; i++)
		str_addc(&s, 'x');
	ok(s.bad && s.n > 50000 && s.n < 200000 && s.p[s.n] == '\0', "bad when memory ends");
	heap_end(small);
	str_init(&s, h, STR_MAX_DEFAULT);
	heap_fail_at(h, 1);
	str_adds(&s, "x");
	ok(s.bad && s.p[0] == '\0', "bad when the first allocation fails");
	heap_fail_at(h, 1);
	ok(!str_take(&s, NULL), "take is NULL then");
	heap_fail_at(h, 0);
}

static void test_slices(void)
{
	struct str s;

	str_init(&s, h, STR_MAX_DEFAULT);
	ok(slice_eq(str_slice(&s), (struct slice){ NULL, 0 }), "empty slices are equal");
	ok(slice_is(SLICE("abc"), "abc") && !slice_is(SLICE("abc"), "ab"), "slice_is");
	ok(!slice_is(SLICE("a\0b"), "a"), "a NUL inside counts");
	ok(slice_cmp(SLICE("a"), SLICE("b")) < 0 && slice_cmp(SLICE("b"), SLICE("a")) > 0, "order");
	ok(slice_cmp(SLICE("a"), SLICE("ab")) < 0 && slice_cmp(SLICE("ab"), SLICE("a")) > 0,
	   "the shorter first");
	ok(slice_cmp(SLICE("\xff"), SLICE("a")) > 0, "bytes are unsigned");
	is_int(slice_cmp(SLICE(""), SLICE("")), 0, "empty");
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	test_content();
	test_long_format();
	test_maximum();
	test_memory_ends();
	test_slices();
	heap_end(h);
	return done();
}
