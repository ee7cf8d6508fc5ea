/*
 * Two columns (-y). Each half of a line is cut at its width; tabs stay tabs as
 * long as they lead to the same column.
 */
#include "cmd/diff.h"

#include <string.h>

#include "base/utf8.h"
#include "cmd/locale.h"

/* Blanks and tabs from one column to another. */
static size_t side_move(struct diff_cmd *d, size_t from, size_t to)
{
	size_t tab = (size_t)d->tabsize;

	if (!d->expand_tabs)
		for (size_t stop = from + tab - from % tab; stop <= to && tab > 1; stop += tab) {
			diff_putc(d, '\t');
			from = stop;
		}
	for (; from < to; from++)
		diff_putc(d, ' ');
	return to;
}

struct half {
	size_t indent, bound;
	size_t in, out;		/* columns: of the text, of what was put */
};

static void half_tab(struct diff_cmd *d, struct half *h)
{
	size_t tab = (size_t)d->tabsize, blanks = tab - h->in % tab;

	if (h->in == h->out) {
		size_t stop = h->out + blanks;

		if (d->expand_tabs) {
			for (; h->out < stop && h->out < h->bound; h->out++)
				diff_putc(d, ' ');
		} else if (stop < h->bound) {
			h->out = stop;
			diff_putc(d, '\t');
		}
	}
	h->in += blanks;
}

static void half_back(struct diff_cmd *d, struct half *h)
{
	if (!h->in || --h->in >= h->bound)
		return;
	if (h->out > h->in) {
		h->out = h->in;
		diff_putc(d, '\b');
	}
	for (; h->out < h->in; h->out++)
		diff_putc(d, ' ');
}

/* Text of a width; what would pass the bound is left out. */
static void half_text(struct diff_cmd *d, struct half *h, const char *s, size_t n, size_t width)
{
	h->in += width;
	if (h->in > h->bound)
		return;
	h->out = h->in;
	diff_put(d, s, n);
}

/* A character that is not plain ASCII: its length. What is no character, or has
 * no width, takes no room; the former needs room all the same. */
static size_t half_character(struct diff_cmd *d, struct half *h, const char *s, size_t n)
{
	int32_t c = 0;
	size_t len = 1;
	int width = 0;

	if (locale_utf8(d->p))
		len = utf8_decode(s, n, &c);
	if (c < 0 && h->in >= h->bound)
		return len;
	if (c >= 0)
		width = utf8_width(c);
	half_text(d, h, s, len, width > 0 ? (size_t)width : 0);
	return len;
}

static size_t side_half(struct diff_cmd *d, struct slice line, size_t indent, size_t bound)
{
	struct half h = { .indent = indent, .bound = bound };

	for (size_t i = 0; i < line.n;) {
		char c = line.p[i];

		if (c == '\n')
			break;
		if (c == '\t') {
			half_tab(d, &h);
			i++;
		} else if (c == '\r') {
			diff_putc(d, c);
			side_move(d, 0, indent);
			h.in = h.out = 0;
			i++;
		} else if (c == '\b') {
			half_back(d, &h);
			i++;
		} else if (c >= ' ' && c < 127) {
			half_text(d, &h, &c, 1, 1);
			i++;
		} else {
			i += half_character(d, &h, line.p + i, line.n - i);
		}
		if (i % 4096 == 0)
			tsb_tick(d->p, 1);
	}
	return h.out;
}

static bool ends_line(struct slice line)
{
	return line.n && line.p[line.n - 1] == '\n';
}

/* One row; an empty slice is no line on that side. */
static void side_row(struct diff_cmd *d, struct slice left, char sep, struct slice right)
{
	bool newline = ends_line(left), colored = sep == '<' || sep == '>';
	size_t column = 0;

	if (colored)
		diff_color(d, sep == '<' ? DIFF_DELETE : DIFF_ADD);
	if (left.n)
		column = side_half(d, left, 0, d->half);
	if (sep != ' ') {
		column = side_move(d, column, (d->half + d->column2 - 1) / 2) + 1;
		if (sep == '|' && newline != ends_line(right))
			sep = newline ? '/' : '\\';
		diff_putc(d, sep);
	}
	if (right.n) {
		newline |= ends_line(right);
		if (right.p[0] != '\n') {
			column = side_move(d, column, d->column2);
			side_half(d, right, column, d->half);
		}
	}
	if (newline)
		diff_putc(d, '\n');
	if (colored)
		diff_color(d, DIFF_RESET);
	tsb_tick(d->p, 1);
}

static const struct slice no_line;

/* What is equal up to these lines. */
static void side_common(struct diff_cmd *d, size_t to0, size_t to1)
{
	size_t *next = d->next;

	if (!d->no_common && (next[0] != to0 || next[1] != to1)) {
		if (d->assist)
			diff_putf(d, "i%zu,%zu\n", to0 - next[0], to1 - next[1]);
		if (!d->left_column) {
			for (; next[0] != to0 && next[1] != to1; next[0]++, next[1]++)
				side_row(d, diff_line_of(d, 0, next[0]), ' ',
					 diff_line_of(d, 1, next[1]));
			for (; next[1] != to1; next[1]++)
				side_row(d, no_line, ')', diff_line_of(d, 1, next[1]));
		}
		for (; next[0] != to0; next[0]++)
			side_row(d, diff_line_of(d, 0, next[0]), '(', no_line);
	}
	next[0] = to0;
	next[1] = to1;
}

static void side_hunk(struct diff_cmd *d, const struct diff_hunk *h)
{
	size_t i = h->first[0], j = h->first[1];

	side_common(d, i, j);
	if (d->assist)
		diff_putf(d, "c%zu,%zu\n", h->end[0] - i, h->end[1] - j);
	for (; i < h->end[0] && j < h->end[1]; i++, j++)
		side_row(d, diff_line_of(d, 0, i), '|', diff_line_of(d, 1, j));
	for (; j < h->end[1]; j++)
		side_row(d, no_line, '>', diff_line_of(d, 1, j));
	for (; i < h->end[0]; i++)
		side_row(d, diff_line_of(d, 0, i), '<', no_line);
	d->next[0] = i;
	d->next[1] = j;
}

void diff_show_side(struct diff_cmd *d)
{
	struct diff_hunk h = { 0 };

	diff_begin(d);
	d->next[0] = d->next[1] = 0;
	while (diff_next_hunk(d, &h))
		if (h.kind != DIFF_SAME)
			side_hunk(d, &h);
	side_common(d, d->d.file[0].n, d->d.file[1].n);
}
