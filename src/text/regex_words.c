/*
 * Many plain strings (grep -F -f words) as one program: a tree of their common
 * beginnings, so that the automaton's states hold a few places and not one for
 * each string. The strings are sorted, and the tree is written from the sorted
 * list with a stack of what is still to be written, not by recursion: strings
 * may be long. The order of choices does not matter, since the longest match is
 * wanted and there are no groups.
 */
#include "text/regex_impl.h"

#include <string.h>

#include "base/heap.h"
#include "base/str.h"
#include "base/utf8.h"

struct word_task {
	size_t lo, hi;			/* strings that share their first `depth` bytes */
	size_t depth;
	uint32_t split;			/* whose second choice is this; UINT32_MAX: none */
	bool last;			/* no sibling follows */
};

struct words {
	struct regex *re;
	struct slice *at;
	size_t n;
	VEC(struct word_task) todo;
	uint32_t jumps;			/* chain of JMPs to the end, through their x */
	bool bad;
};

static bool is_plain(const char *p, size_t n, unsigned flags)
{
	const char *meta = flags & REGEX_EXTENDED ? "\\[.*^$(){}|+?" : "\\[.*^$";

	for (size_t i = 0; i < n; i++)
		if (!p[i] || strchr(meta, p[i]))
			return false;
	return true;
}

bool re_words_suit(const char *const *patterns, const size_t *lens, size_t count, unsigned flags)
{
	if (count < 8)
		return false;
	for (size_t i = 0; i < count && !(flags & REGEX_LITERAL); i++)
		if (!is_plain(patterns[i], lens[i], flags))
			return false;
	return true;
}

/* The string, in upper case where case does not count. */
static struct slice folded(struct regex *re, const char *p, size_t n)
{
	struct str s;
	char buf[4];

	if (!re->icase)
		return (struct slice){ p, n };
	str_init(&s, re->heap, STR_MAX_DEFAULT);
	for (size_t i = 0; i < n;) {
		int32_t unit;
		size_t len = re_unit(re, p + i, n - i, &unit);
		int32_t up = re_upper(re, unit);
		if (up == unit || !re->utf8)
			str_addn(&s, up == unit ? p + i : (char[]){ (char)up }, len);
		else
			str_addn(&s, buf, utf8_encode(buf, (uint32_t)up));
		i += len;
	}
	n = s.n;
	p = arena_dup(&re->arena, s.p, n);
	str_end(&s);
	return (struct slice){ p, p ? n : 0 };
}

/* Merge sort, with as much room again in tmp. */
static void sort(struct slice *a, struct slice *tmp, size_t n)
{
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * width) {
			size_t mid = lo + width < n ? lo + width : n;
			size_t hi = lo + 2 * width < n ? lo + 2 * width : n;
			size_t i = lo, j = mid;
			for (size_t k = lo; k < hi; k++)
				tmp[k] = i < mid && (j >= hi || slice_cmp(a[i], a[j]) <= 0) ?
					 a[i++] : a[j++];
		}
		memcpy(a, tmp, n * sizeof(*a));
	}
}

static uint32_t put(struct words *w, enum re_op op, uint32_t x, uint32_t y)
{
	uint32_t at = (uint32_t)w->re->code.n;
	struct re_inst *in = at < RE_WORDS_MAX ? vec_add(w->re->heap, &w->re->code) : NULL;

	if (!in) {
		w->bad = true;
		return 0;
	}
	*in = (struct re_inst){ (uint32_t)op, x, y };
	return at;
}

static void put_unit(struct words *w, int32_t unit)
{
	struct regex *re = w->re;

	if (unit >= RE_RAW)
		re->raw = true;
	if (!re->icase || unit >= RE_RAW) {
		put(w, RI_CHAR, (uint32_t)unit, 0);
		return;
	}
	put(w, RI_SET, re_set_of(re, unit), 0);
}

static void push(struct words *w, size_t lo, size_t hi, size_t depth, bool last)
{
	struct word_task *t = vec_add(w->re->heap, &w->todo);

	if (t)
		*t = (struct word_task){ lo, hi, depth, UINT32_MAX, last };
	else
		w->bad = true;
}

/* The length of the unit at depth in string i. */
static size_t unit_at(const struct words *w, size_t i, size_t depth, int32_t *unit)
{
	return re_unit(w->re, w->at[i].p + depth, w->at[i].n - depth, unit);
}

/* Pushes what may follow the first `depth` bytes of strings lo..hi: their next
 * units, and the end, if one ends here (it is sorted first; pushed as depth + 1
 * past its length). */
static void push_children(struct words *w, size_t lo, size_t hi, size_t depth)
{
	size_t ends = lo;
	bool last = true;

	while (ends < hi && w->at[ends].n == depth)
		ends++;
	for (size_t to = hi; to > ends && !w->bad; last = false) {
		size_t from = to - 1, len;
		int32_t unit, other;
		len = unit_at(w, from, depth, &unit);
		while (from > ends && unit_at(w, from - 1, depth, &other) == len && other == unit)
			from--;
		push(w, from, to, depth, last);
		to = from;
	}
	if (ends > lo)
		push(w, lo, ends, depth, last);
}

/* One task: the next unit of its strings, or their end. */
static void write_task(struct words *w)
{
	struct word_task t = vec_pop(&w->todo);
	int32_t unit;

	if (t.split != UINT32_MAX)
		w->re->code.at[t.split].y = (uint32_t)w->re->code.n;
	if (!t.last) {
		uint32_t split = put(w, RI_SPLIT, (uint32_t)w->re->code.n + 1, 0);
		vec_last(&w->todo).split = split;
	}
	if (t.depth >= w->at[t.lo].n) {
		w->jumps = put(w, RI_JMP, w->jumps, 0);
		return;
	}
	size_t len = unit_at(w, t.lo, t.depth, &unit);
	put_unit(w, unit);
	push_children(w, t.lo, t.hi, t.depth + len);
}

bool re_words_put(struct regex *re, const char *const *patterns, const size_t *lens, size_t count)
{
	struct words w = { .re = re, .n = count, .jumps = UINT32_MAX };
	struct slice *tmp = heap_array(re->heap, count, sizeof(*tmp));

	w.at = heap_array(re->heap, count, sizeof(*w.at));
	w.bad = !w.at || !tmp;
	for (size_t i = 0; !w.bad && i < count; i++)
		w.at[i] = folded(re, patterns[i], lens[i]);
	if (!w.bad) {
		sort(w.at, tmp, count);
		push_children(&w, 0, count, 0);
	}
	while (w.todo.n && !w.bad) {
		write_task(&w);
		re_tick(re, 4);
	}
	while (w.jumps != UINT32_MAX && !w.bad) {
		uint32_t next = re->code.at[w.jumps].x;
		re->code.at[w.jumps].x = (uint32_t)re->code.n;
		w.jumps = next;
	}
	vec_end(re->heap, &w.todo);
	heap_free(re->heap, w.at);
	heap_free(re->heap, tmp);
	return !w.bad;
}
