/*
 * Lines as numbers -> which are changed. Before the search, lines that have no
 * partner at all are left out (they are changed anyhow), and with them lines
 * so frequent that their partners mean little, if they stand among such lines;
 * after it, every run of changed lines is slid to the place GNU diff shows.
 */
#include <errno.h>
#include <string.h>

#include "base/heap.h"
#include "text/diff.h"

/* What becomes of a line: searched, left out, or left out if its neighbours are. */
enum fate { FATE_KEEP, FATE_DROP, FATE_MAYBE };

static size_t half_root(size_t n, size_t start)
{
	while ((n >>= 2) > 0)
		start *= 2;
	return start;
}

/* ---- Which lines are left out ---- */

static bool fate_guess(struct tsb_heap *heap, struct diff_side *side, const struct diff_side *other,
		       size_t n_classes, uint8_t *fate)
{
	size_t many = half_root((size_t)side->n / 64, 5);
	uint32_t *count = heap_zalloc(heap, n_classes * sizeof(*count));

	if (!count)
		return false;
	for (int32_t i = 0; i < other->n; i++)
		count[other->class[i]]++;
	for (int32_t i = 0; i < side->n; i++) {
		uint32_t partners = count[side->class[i]];

		fate[i] = !partners ? FATE_DROP : partners > many ? FATE_MAYBE : FATE_KEEP;
	}
	heap_free(heap, count);
	return true;
}

/* Keeps the doubtful lines of groups of `least` or more. */
static void fate_keep_groups(uint8_t *run, size_t n, size_t least)
{
	for (size_t i = 0, group; i < n; i += group + 1) {
		for (group = 0; i + group < n && run[i + group] == FATE_MAYBE; group++)
			;
		if (group >= least)
			memset(run + i, FATE_KEEP, group);
	}
}

/* From one end of a run inwards, keeps doubtful lines until three others stand
 * in a row, or one behind the eighth. */
static void fate_keep_end(uint8_t *end, size_t n, ptrdiff_t step)
{
	size_t sure = 0;

	for (size_t i = 0; i < n && sure < 3; i++) {
		uint8_t *at = end + (ptrdiff_t)i * step;

		if (i >= 8 && *at == FATE_DROP)
			return;
		sure = *at == FATE_DROP ? sure + 1 : 0;
		*at = *at == FATE_MAYBE ? FATE_KEEP : *at;
	}
}

/* A run that begins and ends with lines that are dropped. */
static void fate_settle(uint8_t *run, size_t n, size_t doubtful)
{
	if (doubtful * 4 > n) {
		fate_keep_groups(run, n, 1);
		return;
	}
	fate_keep_groups(run, n, half_root(n >> 2, 1) + 1);
	fate_keep_end(run, n, 1);
	fate_keep_end(run + n - 1, n, -1);
}

static void fate_decide(uint8_t *fate, size_t n)
{
	for (size_t i = 0, end; i < n; i = end > i ? end : i + 1) {
		size_t doubtful = 0;

		end = i;
		if (fate[i] == FATE_MAYBE)
			fate[i] = FATE_KEEP;
		if (fate[i] == FATE_KEEP)
			continue;
		for (; end < n && fate[end] != FATE_KEEP; end++)
			doubtful += fate[end] == FATE_MAYBE;
		for (; fate[end - 1] == FATE_MAYBE; doubtful--)
			fate[--end] = FATE_KEEP;
		fate_settle(fate + i, end - i, doubtful);
	}
}

/* ---- What is searched ---- */

struct kept {
	int32_t *class, *order;
	int32_t n;
};

static bool side_thin(struct tsb_heap *heap, struct diff_side *side, const struct diff_side *other,
		      size_t n_classes, bool all, struct kept *kept)
{
	size_t n = (size_t)side->n;
	uint8_t *fate = heap_alloc(heap, n + 1);

	kept->class = heap_array(heap, n + 1, sizeof(*kept->class));
	kept->order = heap_array(heap, n + 1, sizeof(*kept->order));
	kept->n = 0;
	if (!fate || !kept->class || !kept->order)
		return false;
	memset(fate, FATE_KEEP, n);
	if (!all) {
		if (!fate_guess(heap, side, other, n_classes, fate))
			return false;
		fate_decide(fate, n);
	}
	for (int32_t i = 0; i < side->n; i++) {
		if (fate[i] != FATE_KEEP) {
			side->changed[i] = 1;
			continue;
		}
		kept->class[kept->n] = side->class[i];
		kept->order[kept->n++] = i;
	}
	heap_free(heap, fate);
	return true;
}

/* ---- Sliding ---- */

/* A run of changed lines [start, end), and the place in the other text that
 * corresponds to its end. */
struct run {
	const int32_t *class;
	uint8_t *changed, *other;
	int32_t start, end, at, n;
};

static void run_back_one(struct run *r)
{
	r->changed[--r->start] = 1;
	r->changed[--r->end] = 0;
	while (r->other[--r->at])
		;
}

/* Upwards as far as it goes, swallowing the runs it meets. */
static void run_up(struct run *r)
{
	while (r->start > 0 && r->class[r->start - 1] == r->class[r->end - 1]) {
		run_back_one(r);
		while (r->changed[r->start - 1])
			r->start--;
	}
}

/* Likewise downwards; *pair is moved to where the other text has changes too. */
static void run_down(struct run *r, int32_t *pair)
{
	while (r->end < r->n && r->class[r->start] == r->class[r->end]) {
		r->changed[r->start++] = 0;
		r->changed[r->end++] = 1;
		while (r->changed[r->end])
			r->end++;
		while (r->other[++r->at])
			*pair = r->end;
	}
}

/* To the last place, or better the last that has changes opposite. */
static void run_slide(struct run *r)
{
	int32_t length, pair;

	do {
		length = r->end - r->start;
		run_up(r);
		pair = r->other[r->at - 1] ? r->end : r->n;
		run_down(r, &pair);
	} while (length != r->end - r->start);
	while (pair < r->end)
		run_back_one(r);
}

static void side_slide(struct diff_side *side, struct diff_side *other, const struct diff_how *how)
{
	struct run r = { side->class, side->changed, other->changed, 0, 0, 0, side->n };

	for (;;) {
		int32_t from = r.end;

		for (; r.end < r.n && !r.changed[r.end]; r.end++)
			while (r.other[r.at++])
				;
		if (r.end == r.n)
			return;
		r.start = r.end;
		while (r.changed[++r.end])
			;
		while (r.other[r.at])
			r.at++;
		run_slide(&r);
		if (how->tick)
			how->tick(how->ctx, (size_t)(r.end > from ? r.end - from : 1));
	}
}

int diff_mark(struct tsb_heap *heap, struct diff_side side[2], size_t n_classes,
	      const struct diff_how *how)
{
	struct diff_search s = { .how = how };
	struct kept kept[2];
	int err;

	for (int f = 0; f < 2; f++) {
		if (!side_thin(heap, &side[f], &side[1 - f], n_classes, how->minimal, &kept[f]))
			return -ENOMEM;
		s.class[f] = kept[f].class;
		s.order[f] = kept[f].order;
		s.n[f] = kept[f].n;
		s.marks[f] = side[f].changed;
	}
	err = diff_search(heap, &s);
	for (int f = 0; f < 2; f++) {
		heap_free(heap, kept[f].class);
		heap_free(heap, kept[f].order);
	}
	if (err)
		return err;
	side_slide(&side[0], &side[1], how);
	side_slide(&side[1], &side[0], how);
	return 0;
}
