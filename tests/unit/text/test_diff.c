/*
 * The difference of texts: changes turn the one into the other, with --minimal
 * there are as few as the longest common subsequence allows, and a heap that
 * ends gives -ENOMEM. What GNU diff chooses among them is in tests/cmd/diff.test.
 */
#include "text/diff.h"

#include <errno.h>
#include <stdlib.h>

#include "base/heap.h"
#include "unit/tap.h"

enum { LINES_MAX = 60, ROUNDS = 3000 };

static struct tsb_heap *h;
static unsigned state = 1;

static unsigned next(unsigned below)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % below;
}

struct text {
	char s[LINES_MAX * 3];
	size_t n;
};

static void make(struct text *t, unsigned letters)
{
	unsigned lines = next(LINES_MAX);

	t->n = 0;
	for (unsigned i = 0; i < lines; i++) {
		t->s[t->n++] = (char)('a' + next(letters));
		t->s[t->n++] = '\n';
	}
	if (t->n && !next(4))
		t->n--;
}

static struct diff compare(const struct text *a, const struct text *b, struct diff_how how, int *err)
{
	struct diff d = { .heap = h, .how = how };

	d.file[0].text = a->s;
	d.file[0].size = a->n;
	d.file[1].text = b->s;
	d.file[1].size = b->n;
	*err = diff_compare(&d);
	return d;
}

static int same_line(const struct diff *d, size_t i, size_t j)
{
	return slice_eq(diff_line(&d->file[0], i), diff_line(&d->file[1], j));
}

/* Lines outside of changes are equal, and the changes are in order. */
static int is_right(const struct diff *d)
{
	size_t i = 0, j = 0;

	for (size_t k = 0; k <= d->changes.n; k++) {
		const struct diff_change *c = k < d->changes.n ? &d->changes.at[k] : NULL;
		size_t to = c ? c->line[0] : d->file[0].n;

		for (; i < to; i++, j++)
			if (j >= d->file[1].n || !same_line(d, i, j))
				return 0;
		if (c && (c->line[1] != j || !(c->n[0] + c->n[1])))
			return 0;
		i += c ? c->n[0] : 0;
		j += c ? c->n[1] : 0;
	}
	return i == d->file[0].n && j == d->file[1].n;
}

static size_t cost(const struct diff *d)
{
	size_t n = 0;

	for (size_t k = 0; k < d->changes.n; k++)
		n += d->changes.at[k].n[0] + d->changes.at[k].n[1];
	return n;
}

/* By the table of all pairs. */
static size_t least_cost(const struct diff *d)
{
	static size_t row[LINES_MAX + 1][LINES_MAX + 1];
	size_t n = d->file[0].n, m = d->file[1].n;

	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			size_t up, left;

			row[i][j] = i + j;
			if (!i || !j)
				continue;
			up = row[i - 1][j] + 1;
			left = row[i][j - 1] + 1;
			row[i][j] = up < left ? up : left;
			if (same_line(d, i - 1, j - 1) && row[i - 1][j - 1] < row[i][j])
				row[i][j] = row[i - 1][j - 1];
		}
	return row[n][m];
}

static void test_random(void)
{
	int wrong = 0, longer = 0, failed = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct diff_how how = { .robust = true, .minimal = round % 2, .large = round % 3 == 0,
					.horizon = next(4) };
		struct text a, b;
		struct diff d;
		int err;

		make(&a, 1 + next(5));
		make(&b, 1 + next(5));
		d = compare(&a, &b, how, &err);
		failed += err != 0;
		wrong += !is_right(&d);
		longer += how.minimal && cost(&d) != least_cost(&d);
		diff_end(&d);
	}
	is_int(failed, 0, "no failure");
	is_int(wrong, 0, "changes lead from one to the other");
	is_int(longer, 0, "minimal is minimal");
}

static void test_equal(const char *a, const char *b, struct diff_how how, int equal, const char *name)
{
	struct text x = { .n = strlen(a) }, y = { .n = strlen(b) };
	struct diff d;
	int err;

	memcpy(x.s, a, x.n);
	memcpy(y.s, b, y.n);
	d = compare(&x, &y, how, &err);
	ok(!err && (d.changes.n == 0) == equal, name);
	diff_end(&d);
}

static void test_forms(void)
{
	test_equal("", "", (struct diff_how){ .robust = true }, 1, "two empty texts");
	test_equal("a\n", "a", (struct diff_how){ .robust = true }, 0, "a missing newline");
	test_equal("a\n", "a", (struct diff_how){ 0 }, 1, "a missing newline does not count");
	test_equal("A b\n", "a B\n", (struct diff_how){ .icase = true }, 1, "case");
	test_equal("a \t b \n", "a b\n", (struct diff_how){ .space = DIFF_SPACE_AMOUNT }, 1, "amount");
	test_equal("a b\n", "ab\n", (struct diff_how){ .space = DIFF_SPACE_AMOUNT }, 0, "none is less");
	test_equal("a b\n", " ab\n", (struct diff_how){ .space = DIFF_SPACE_ALL }, 1, "all");
	test_equal("a\tb\n", "a   b\n", (struct diff_how){ .space = DIFF_SPACE_TABS, .tabsize = 4 }, 1,
		   "tabs");
	test_equal("a\v\n", "a\n", (struct diff_how){ .space = DIFF_SPACE_TRAILING }, 1, "trailing");
}

/* Every allocation fails once. */
static void test_memory(void)
{
	int wrong = 0, err = -1;

	for (size_t at = 1; err; at++) {
		struct text a = { "a\nb\nc\nd\n", 8 }, b = { "b\nx\nd\na\n", 8 };
		struct tsb_heap *old = h;
		struct diff d;

		h = heap_new(NULL, NULL, NULL, NULL);
		heap_fail_at(h, at);
		d = compare(&a, &b, (struct diff_how){ .icase = true }, &err);
		wrong += err && err != -ENOMEM;
		wrong += !err && !d.changes.n;
		heap_end(h);
		h = old;
	}
	is_int(wrong, 0, "memory that ends");
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	test_random();
	test_forms();
	test_memory();
	heap_end(h);
	return done();
}
