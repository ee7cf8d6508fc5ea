/*
 * Which row stands where: a table of places, one a row and one behind the last. Everything that moves changes
 * the table; less_paint() shows it.
 */
#include "cmd/less.h"

#include <string.h>

/* ---- The table ---- */

void less_clear(struct less *l)
{
	for (int i = 0; i <= l->rows; i++)
		l->at[i] = LESS_NONE;
}

void less_size(struct less *l)
{
	int64_t top = l->at ? l->at[0] : LESS_NONE;

	for (int i = 0; i < l->rows; i++)
		str_end(&l->shown[i]);
	tsb_free(l->p, l->shown);
	l->rows = l->term.rows - 1;
	l->columns = l->term.columns;
	l->at = tsb_realloc(l->p, l->at, ((size_t)l->rows + 1) * sizeof(*l->at));
	l->shown = tsb_alloc(l->p, (size_t)l->rows * sizeof(*l->shown));
	for (int i = 0; i < l->rows; i++)
		str_init(&l->shown[i], tsb_heap_of(l->p), STR_MAX_DEFAULT);
	less_clear(l);
	l->at[0] = top;
	l->trashed = true;
}

static bool less_empty(const struct less *l, int from, int to)
{
	for (int i = from; i <= to; i++)
		if (l->at[i] != LESS_NONE)
			return false;
	return true;
}

static void less_add_below(struct less *l, int64_t at)
{
	memmove(l->at, l->at + 1, (size_t)l->rows * sizeof(*l->at));
	l->at[l->rows] = at;
}

static void less_add_above(struct less *l, int64_t at)
{
	memmove(l->at + 1, l->at, (size_t)l->rows * sizeof(*l->at));
	l->at[0] = at;
}

bool less_at_end(struct less *l)
{
	int64_t last = l->at[l->rows];

	return last == LESS_NONE || (less_length(l) != LESS_NONE && last >= less_length(l));
}

bool less_whole(struct less *l)
{
	return less_at_end(l) && (l->at[0] <= 0 || (l->at[0] != LESS_NONE && less_row_before(l, l->at[0]) == LESS_NONE));
}

/* ---- Down and up ---- */

/* n rows more below, from `at` on; blank: so many empty ones before it. */
static void less_down(struct less *l, int64_t n, int64_t at, bool force, int64_t blank)
{
	int64_t done = 0;

	if (at != l->at[l->rows] || less_empty(l, 0, l->rows)) {
		less_clear(l);
		less_add_below(l, at);
		force = true;
	}
	for (; n > 0; n--, done++) {
		if (blank > 0) {
			blank--;
			less_add_below(l, blank ? LESS_NONE : at);
			continue;
		}
		at = at == LESS_NONE ? at : less_row(l, at, NULL);
		if (at == LESS_NONE) {
			if (!force && l->at[0] != LESS_NONE)
				break;
			if (!less_empty(l, 0, 0) && !less_empty(l, 1, 1) && less_empty(l, 2, l->rows))
				break;
		}
		less_add_below(l, at);
	}
	if (!done)
		less_bell(l);
}

static void less_up(struct less *l, int64_t n, int64_t at, bool force)
{
	int64_t done = 0;

	for (; n > 0; n--, done++) {
		at = at == LESS_NONE ? at : less_row_before(l, at);
		if (at == LESS_NONE && !force)
			break;
		less_add_above(l, at);
	}
	if (!done)
		less_bell(l);
}

void less_forward(struct less *l, int64_t n, bool force)
{
	int64_t at = l->at[l->rows];

	if (l->o.eof && less_at_end(l) && !l->file->help) {
		if (l->current + 1 < l->files.n)
			less_edit(l, l->current + 1);
		else
			l->quit = 0;
		return;
	}
	if (at == LESS_NONE && (!force || less_empty(l, 2, l->rows))) {
		less_bell(l);
		return;
	}
	l->squished = false;
	less_down(l, n, at, force, 0);
}

void less_backward(struct less *l, int64_t n, bool force)
{
	if (l->at[0] == LESS_NONE && (!force || less_empty(l, 0, l->rows - 1))) {
		less_bell(l);
		return;
	}
	l->squished = false;
	less_up(l, n, l->at[0], force);
}

/* ---- Jumps ---- */

int less_target(struct less *l)
{
	int64_t row = l->o.jump < 0 ? l->rows + 1 + l->o.jump : l->o.jump - 1;

	return (int)(row < 0 ? 0 : row >= l->rows ? l->rows - 1 : row);
}

static int less_row_of(const struct less *l, int64_t at)
{
	for (int i = 0; i < l->rows; i++)
		if (l->at[i] != LESS_NONE && at >= l->at[i] && l->at[i + 1] != LESS_NONE && at < l->at[i + 1])
			return i;
	return -1;
}

static void less_note_last(struct less *l)
{
	for (int i = 0; i < l->rows; i++)
		if (l->at[i] != LESS_NONE) {
			l->last_mark = (struct less_mark){ l->file, l->at[i], i };
			return;
		}
}

/* Behind what is shown, or with nothing shown: rows before it are looked for. */
static void less_jump_down(struct less *l, int64_t at, int row)
{
	int64_t before, bottom = l->at[l->rows];
	int n = 0;

	for (; n < row; n++) {
		if (bottom != LESS_NONE && at <= bottom) {
			less_down(l, l->rows - row + n, bottom, true, 0);
			return;
		}
		before = less_row_before(l, at);
		if (before == LESS_NONE)
			break;
		at = before;
	}
	less_note_last(l);
	less_clear(l);
	less_down(l, l->rows, at, true, row - n);
}

static void less_jump_up(struct less *l, int64_t at, int row)
{
	int64_t top = l->at[0];

	for (int n = row; n < l->rows; n++) {
		at = less_row(l, at, NULL);
		if (at == LESS_NONE)
			break;
		if (at >= top) {
			less_up(l, n + 1, top, true);
			return;
		}
	}
	less_note_last(l);
	less_clear(l);
	less_add_above(l, at);
	less_up(l, l->rows, at, true);
}

void less_jump(struct less *l, int64_t at, int row)
{
	int shown;

	at = less_shown_from(l, at);
	l->squished = false;
	shown = less_row_of(l, at);
	if (shown >= 0 && shown > row)
		less_down(l, shown - row, l->at[l->rows], true, 0);
	else if (shown >= 0 && shown < row)
		less_up(l, row - shown, l->at[0], true);
	else if (shown < 0 && (l->at[0] == LESS_NONE || at >= l->at[0]))
		less_jump_down(l, at, row);
	else if (shown < 0)
		less_jump_up(l, at, row);
}

void less_jump_end(struct less *l)
{
	int64_t end = less_length_all(l), last;

	l->squished = false;
	less_note_last(l);
	last = less_row_before(l, end);
	less_clear(l);
	less_jump(l, last == LESS_NONE ? 0 : last, l->rows - 1);
}

void less_paint_again(struct less *l)
{
	int64_t top = l->at[0];

	l->squished = false;
	less_clear(l);
	less_jump(l, top == LESS_NONE ? 0 : top, 0);
}
