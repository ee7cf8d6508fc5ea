/*
 * The formats without context: normal, ed's scripts (from the end, so that
 * line numbers stay right, or -f from the start) and RCS's.
 */
#include "cmd/diff.h"

#include <string.h>

static const char kind_letter[] = { 0, 'd', 'a', 'c' };

void diff_range(struct diff_cmd *d, char sep, size_t first, size_t end)
{
	if (end > first + 1)
		diff_putf(d, "%zu%c%zu", first + 1, sep, end);
	else
		diff_putf(d, "%zu", end);
}

static void show_lines(struct diff_cmd *d, const struct diff_hunk *h, int f)
{
	for (size_t i = h->first[f]; i < h->end[f]; i++) {
		diff_put_line(d, f, i, f ? ">" : "<", f ? DIFF_ADD : DIFF_DELETE);
		tsb_tick(d->p, 1);
	}
}

void diff_show_normal(struct diff_cmd *d)
{
	struct diff_hunk h = { 0 };

	while (diff_next_hunk(d, &h)) {
		if (h.kind == DIFF_SAME)
			continue;
		diff_begin(d);
		diff_color(d, DIFF_LINE_NUMBER);
		diff_range(d, ',', h.first[0], h.end[0]);
		diff_putc(d, kind_letter[h.kind]);
		diff_range(d, ',', h.first[1], h.end[1]);
		diff_color(d, DIFF_RESET);
		diff_putc(d, '\n');
		if (h.kind & DIFF_OLD)
			show_lines(d, &h, 0);
		if (h.kind == DIFF_CHANGED)
			diff_puts(d, "---\n");
		if (h.kind & DIFF_NEW)
			show_lines(d, &h, 1);
	}
}

/* A line of the second file; ed's formats end the last one themselves. */
static void show_bare(struct diff_cmd *d, size_t i, bool complete)
{
	struct slice line = diff_line_of(d, 1, i);

	diff_put_text(d, line, NULL);
	if (complete && line.p[line.n - 1] != '\n')
		diff_putc(d, '\n');
	tsb_tick(d->p, 1);
}

static bool line_is_dot(struct slice line)
{
	return line.p[0] == '.' && (line.n == 1 || line.p[1] == '\n');
}

/* A line that is a dot would end the input: it goes in as two, and one of them
 * is taken away. */
static void show_ed_lines(struct diff_cmd *d, const struct diff_hunk *h)
{
	bool input = true;

	for (size_t i = h->first[1]; i < h->end[1]; i++) {
		if (!input)
			diff_puts(d, "a\n");
		input = !line_is_dot(diff_line_of(d, 1, i));
		if (input)
			show_bare(d, i, true);
		else
			diff_puts(d, "..\n.\ns/.//\n");
	}
	if (input)
		diff_puts(d, ".\n");
}

void diff_show_ed(struct diff_cmd *d)
{
	for (size_t i = d->d.changes.n; i > 0; i--) {
		struct diff_hunk h = { .from = i - 1, .to = i };

		h.kind = diff_kind_of(d, &h);
		if (h.kind == DIFF_SAME)
			continue;
		diff_begin(d);
		diff_range(d, ',', h.first[0], h.end[0]);
		diff_putf(d, "%c\n", kind_letter[h.kind]);
		if (h.kind != DIFF_OLD)
			show_ed_lines(d, &h);
	}
}

void diff_show_forward_ed(struct diff_cmd *d)
{
	struct diff_hunk h = { 0 };

	while (diff_next_hunk(d, &h)) {
		if (h.kind == DIFF_SAME)
			continue;
		diff_begin(d);
		diff_putc(d, kind_letter[h.kind]);
		diff_range(d, ' ', h.first[0], h.end[0]);
		diff_putc(d, '\n');
		if (h.kind == DIFF_OLD)
			continue;
		for (size_t i = h.first[1]; i < h.end[1]; i++)
			show_bare(d, i, true);
		diff_puts(d, ".\n");
	}
}

void diff_show_rcs(struct diff_cmd *d)
{
	struct diff_hunk h = { 0 };

	while (diff_next_hunk(d, &h)) {
		if (h.kind == DIFF_SAME)
			continue;
		diff_begin(d);
		if (h.kind & DIFF_OLD)
			diff_putf(d, "d%zu %zu\n", h.first[0] + 1, h.end[0] - h.first[0]);
		if (!(h.kind & DIFF_NEW))
			continue;
		diff_putf(d, "a%zu %zu\n", h.end[0], h.end[1] - h.first[1]);
		for (size_t i = h.first[1]; i < h.end[1]; i++)
			show_bare(d, i, false);
	}
}
