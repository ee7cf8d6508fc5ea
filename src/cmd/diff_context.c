/*
 * The formats with context: copied (-c) and unified (-u), their headers with
 * names and times, and the function a change is in (-p, -F).
 */
#include "cmd/diff.h"

#include <string.h>

#include "text/datefmt.h"

#define FUNCTION_SHOWN 40

/* ---- Headers ---- */

static void show_label(struct diff_cmd *d, const char *mark, int f)
{
	const struct tsb_time t = d->in[f].st.mtime;
	struct date_moment m;
	struct str s;

	diff_color(d, DIFF_HEADER);
	if (d->label[f]) {
		diff_putf(d, "%s %s", mark, d->label[f]);
	} else {
		str_init(&s, tsb_heap_of(d->p), STR_MAX_DEFAULT);
		if (date_moment(&m, t.sec, t.nsec, &d->zone))
			date_format(&s, d->time_format, strlen(d->time_format), &m);
		else
			str_addf(&s, "%lld.%09d", (long long)t.sec, t.nsec);
		diff_putf(d, "%s %s\t%s", mark, d->shown[f], s.p);
		str_end(&s);
	}
	diff_color(d, DIFF_RESET);
	diff_putc(d, '\n');
}

void diff_context_header(struct diff_cmd *d)
{
	show_label(d, d->style == DIFF_UNIFIED ? "---" : "***", 0);
	show_label(d, d->style == DIFF_UNIFIED ? "+++" : "---", 1);
}

/* The nearest line before `first` that matches: n is 0 if there is none. */
static struct slice function_before(struct diff_cmd *d, size_t first)
{
	size_t last = d->function_last;

	d->function_last = first;
	while (first > last) {
		first--;
		tsb_tick(d->p, 1);
		if (diff_matches(&d->function, diff_line_of(d, 0, first))) {
			d->function_match = first;
			break;
		}
	}
	if (d->function_match == SIZE_MAX)
		return (struct slice){ NULL, 0 };
	return diff_line_of(d, 0, d->function_match);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void show_function(struct diff_cmd *d, size_t first)
{
	struct slice line = { NULL, 0 };
	size_t from = 0, to;

	if (d->function.re)
		line = function_before(d, first);
	if (!line.p)
		return;
	line.n -= line.n && line.p[line.n - 1] == '\n';
	while (from < line.n && is_space(line.p[from]))
		from++;
	to = line.n - from > FUNCTION_SHOWN ? from + FUNCTION_SHOWN : line.n;
	while (from < to && is_space(line.p[to - 1]))
		to--;
	diff_putc(d, ' ');
	diff_put(d, line.p + from, to - from);
}

/* ---- Hunks ---- */

/* Lines of the hunk with what is around it. */
static void add_context(struct diff_cmd *d, struct diff_hunk *h)
{
	size_t context = (size_t)d->context;

	for (int f = 0; f < 2; f++) {
		size_t left = d->d.file[f].n - h->end[f];

		h->first[f] -= h->first[f] < context ? h->first[f] : context;
		h->end[f] += left < context ? left : context;
	}
}

static void context_range(struct diff_cmd *d, const char *mark, const struct diff_hunk *h, int f)
{
	diff_color(d, DIFF_LINE_NUMBER);
	diff_puts(d, mark);
	diff_putc(d, ' ');
	diff_range(d, ',', h->first[f], h->end[f]);
	diff_puts(d, f ? " ----" : " ****");
	diff_color(d, DIFF_RESET);
	diff_putc(d, '\n');
}

/* One side of a hunk: each line with its mark. */
static void context_side(struct diff_cmd *d, const struct diff_hunk *h, int f)
{
	const struct diff_change *c = d->d.changes.at + h->from, *end = d->d.changes.at + h->to;

	for (size_t i = h->first[f]; i < h->end[f]; i++) {
		const char *flag = " ";

		while (c < end && c->line[f] + c->n[f] <= i)
			c++;
		if (c < end && c->line[f] <= i)
			flag = c->n[1 - f] ? "!" : f ? "+" : "-";
		diff_put_line(d, f, i, flag, f ? DIFF_ADD : DIFF_DELETE);
		tsb_tick(d->p, 1);
	}
}

void diff_show_context(struct diff_cmd *d)
{
	struct diff_hunk h = { 0 };

	while (diff_next_hunk(d, &h)) {
		if (h.kind == DIFF_SAME)
			continue;
		add_context(d, &h);
		diff_begin(d);
		diff_puts(d, "***************");
		show_function(d, h.first[0]);
		diff_putc(d, '\n');
		context_range(d, "***", &h, 0);
		if (h.kind & DIFF_OLD)
			context_side(d, &h, 0);
		context_range(d, "---", &h, 1);
		if (h.kind & DIFF_NEW)
			context_side(d, &h, 1);
	}
}

static void unified_range(struct diff_cmd *d, size_t first, size_t end)
{
	if (end == first + 1)
		diff_putf(d, "%zu", end);
	else if (end == first)
		diff_putf(d, "%zu,0", end);
	else
		diff_putf(d, "%zu,%zu", first + 1, end - first);
}

static void unified_head(struct diff_cmd *d, const struct diff_hunk *h)
{
	diff_color(d, DIFF_LINE_NUMBER);
	diff_puts(d, "@@ -");
	unified_range(d, h->first[0], h->end[0]);
	diff_puts(d, " +");
	unified_range(d, h->first[1], h->end[1]);
	diff_puts(d, " @@");
	diff_color(d, DIFF_RESET);
	show_function(d, h->first[0]);
	diff_putc(d, '\n');
}

static void unified_lines(struct diff_cmd *d, int f, size_t from, size_t to, const char *flag,
			  enum diff_color color)
{
	for (size_t i = from; i < to; i++) {
		diff_put_line(d, f, i, flag, color);
		tsb_tick(d->p, 1);
	}
}

void diff_show_unified(struct diff_cmd *d)
{
	struct diff_hunk h = { 0 };

	while (diff_next_hunk(d, &h)) {
		size_t at;

		if (h.kind == DIFF_SAME)
			continue;
		add_context(d, &h);
		diff_begin(d);
		unified_head(d, &h);
		at = h.first[0];
		for (size_t i = h.from; i < h.to; i++) {
			const struct diff_change *c = &d->d.changes.at[i];

			unified_lines(d, 0, at, c->line[0], " ", DIFF_RESET);
			unified_lines(d, 0, c->line[0], c->line[0] + c->n[0], "-", DIFF_DELETE);
			unified_lines(d, 1, c->line[1], c->line[1] + c->n[1], "+", DIFF_ADD);
			at = c->line[0] + c->n[0];
		}
		unified_lines(d, 0, at, h.end[0], " ", DIFF_RESET);
	}
}
