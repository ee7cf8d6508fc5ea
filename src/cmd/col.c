/*
 * col - text with reverse line feeds made to text without (util-linux). Lines are
 * counted in halves. A line is the list of what was put into it, each with its
 * column; it is sorted when it is written.
 */
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/util.h"
#include "cmd/wide.h"

enum { COL_MARGIN = 32, COL_DEFAULT = 32 };	/* -l, whatever the manual says */

struct col_cell {
	uint64_t column;
	int32_t c;
	int width;
	bool alternate;
};

struct col_line {
	struct col_line *prev, *next;
	struct col_cell *at;
	size_t n, cap;
	uint64_t max_column;
	bool unsorted;
};

struct col {
	/* options */
	bool no_backspaces, fine, pass, tabs, spaces;
	const char *lines_text;
	/* the run */
	struct tsb_proc *p;
	struct wide in;
	int64_t keep;			/* half lines that are kept */
	struct col_line *first, *line;	/* of those that are kept; the one that is written into */
	uint64_t column;
	int64_t row, max_row;		/* in half lines from the top */
	int64_t line_row;		/* the row of `line` */
	int64_t written;		/* rows that are out */
	int64_t extra;			/* rows above the first */
	int64_t blanks;			/* half lines due before the next text */
	int last_width;			/* of what was stored last, where anything was */
	bool adjusted, stored, alternate, out_alternate, warned;
};

static struct col_line *col_new_line(struct col *c)
{
	tsb_tick(c->p, 1);
	return tsb_alloc(c->p, sizeof(struct col_line));
}

/* ---- Output ---- */

/* A stable sort by columns, from the bottom up. */
static void col_sort(struct col *c, struct col_line *l)
{
	struct col_cell *from = l->at, *to = tsb_alloc(c->p, l->n * sizeof(*to));

	for (size_t run = 1; run < l->n; run *= 2) {
		struct col_cell *swap = from;

		for (size_t at = 0; at < l->n; at += 2 * run) {
			size_t a = at, mid = l->n - at < run ? l->n : at + run, b = mid;
			size_t end = l->n - mid < run ? l->n : mid + run;

			for (size_t i = at; i < end; i++)
				to[i] = a < mid && (b == end || from[a].column <= from[b].column) ?
					from[a++] : from[b++];
			tsb_tick(c->p, (end - at) / 64 + 1);
		}
		from = to;
		to = swap;
	}
	l->at = from;
	tsb_free(c->p, to);
}

static void col_blanks(struct col *c)
{
	bool half = c->fine && (c->blanks & 1);
	int64_t n = (c->blanks + (half ? 0 : 1)) / 2;

	for (int64_t i = 0; i < n; i++) {
		tsb_tick(c->p, 1);
		tsb_putc(c->p, '\n');
	}
	if (half) {
		tsb_puts(c->p, "\0339");
		if (!n)
			tsb_putc(c->p, '\r');
	}
	c->blanks = 0;
}

static void col_move(struct col *c, uint64_t from, uint64_t to)
{
	uint64_t n = to - from;

	while (!c->spaces && n > 1) {
		uint64_t stop = (from + 8) & ~(uint64_t)7;

		if (stop > to)
			break;
		tsb_putc(c->p, '\t');
		n -= stop - from;
		from = stop;
		tsb_tick(c->p, 1);
	}
	for (; n > 0; n--)
		tsb_putc(c->p, ' ');
}

static void col_put(struct col *c, const struct col_cell *cell)
{
	if (cell->alternate != c->out_alternate)
		tsb_putc(c->p, cell->alternate ? '\016' : '\017');
	c->out_alternate = cell->alternate;
	wide_put(c->p, cell->c);
}

/* With -b a wide character that another one overlaps costs the line its last one: the real
 * one looks at it again, and counts it twice. */
static void col_write_line(struct col *c, struct col_line *l)
{
	size_t left = l->n, end, i = 0;
	uint64_t column = 0;	/* may wrap: the width of a control is -1 */

	if (l->unsorted)
		col_sort(c, l);
	while (left) {
		const struct col_cell *cell = &l->at[i];

		end = i;
		do {
			end++;
		} while (--left && l->at[end].column == cell->column);
		tsb_tick(c->p, 1);
		if (c->no_backspaces) {
			i = end - 1;
			cell = &l->at[i];
			if (left && cell->column + (uint64_t)cell->width > l->at[end].column)
				continue;
		}
		i = end;
		/* Columns before the first, which steps back over a wide character lead to, wrap. */
		if (cell->column > column && cell->column < (uint64_t)INT64_MAX) {
			col_move(c, column, cell->column);
			column = cell->column;
		}
		for (; cell < l->at + end; cell++) {
			col_put(c, cell);
			for (int k = 0; cell + 1 < l->at + end && k < cell->width; k++)
				tsb_putc(c->p, '\b');
		}
		column += (uint64_t)cell[-1].width;
	}
}

/* The first n lines of those that are kept. */
static void col_write_lines(struct col *c, int64_t n)
{
	for (; n > 0 && c->first; n--) {
		struct col_line *l = c->first;

		c->first = l->next;
		if (l->n) {
			col_blanks(c);
			col_write_line(c, l);
		}
		c->blanks++;
		tsb_free(c->p, l->at);
		tsb_free(c->p, l);
	}
	if (c->first)
		c->first->prev = NULL;
}

/* ---- Input ---- */

static void col_down_to(struct col *c, int64_t row)
{
	c->row = row;
	if (c->row > c->max_row)
		c->max_row = c->row;
}

/* Back over the line that is written into, and perhaps over the top. */
static int64_t col_up(struct col *c, int64_t n)
{
	for (; n && c->line->prev; n--)
		c->line = c->line->prev;
	if (n && !c->written) {
		for (; n; n--) {
			struct col_line *l = col_new_line(c);

			c->first->prev = l;
			l->next = c->first;
			c->line = c->first = l;
			c->extra++;
		}
	} else if (n) {
		if (!c->warned)
			tsb_warn(c->p, "warning: can't back up %s.",
				 c->row < 0 ? "past first line" : "-- line already flushed");
		c->warned = true;
		c->row += n;
	}
	return n;
}

static void col_down(struct col *c, int64_t n)
{
	for (; n > 0; n--) {
		if (!c->line->next) {
			c->line->next = col_new_line(c);
			c->line->next->prev = c->line;
		}
		c->line = c->line->next;
	}
}

/* `line` becomes the one of `row`. */
static void col_find_line(struct col *c)
{
	int64_t rows;

	if (c->row == c->line_row - c->adjusted)
		return;
	c->adjusted = false;
	rows = c->row - c->line_row;
	if (!c->fine && (c->row & 1)) {
		c->adjusted = true;
		rows++;
	}
	tsb_tick(c->p, (size_t)(rows < 0 ? -rows : rows) / 16 + 1);
	if (rows < 0)
		col_up(c, -rows);
	else
		col_down(c, rows);
	c->line_row = c->row + c->adjusted;
	rows = c->line_row - c->written;
	if (rows >= c->keep + COL_MARGIN) {
		c->written += rows - c->keep;
		col_write_lines(c, rows - c->keep);
	}
}

static void col_store(struct col *c, int32_t ch)
{
	struct col_line *l;
	struct col_cell *cell;
	int width = wide_width(ch);

	col_find_line(c);
	l = c->line;
	l->at = util_grow(c->p, l->at, l->n, &l->cap, sizeof(*l->at));
	cell = &l->at[l->n++];
	*cell = (struct col_cell){ c->column, ch, width, c->alternate };
	c->last_width = width;
	c->stored = true;
	if (c->column < l->max_column)
		l->unsorted = true;
	else
		l->max_column = c->column;
	c->column += width > 0 ? (uint64_t)width : 0;
}

static void col_escape(struct col *c)
{
	switch (wide_get(&c->in)) {
	case '\007':
		c->row -= 2;
		break;
	case '\010':
		c->row--;
		break;
	case '\011':
		col_down_to(c, c->row + 1);
		break;
	}
}

/* true: nothing to be stored. */
static bool col_control(struct col *c, int32_t ch)
{
	switch (ch) {
	case '\b':
		if (c->column)	/* over what was stored last, wherever that is */
			c->column -= c->stored ? (uint64_t)c->last_width : 1;
		return true;
	case '\r':
		c->column = 0;
		return true;
	case '\033':
		col_escape(c);
		return true;
	case '\n':
		col_down_to(c, c->row + 2);
		c->column = 0;
		return true;
	case ' ':
		c->column++;
		return true;
	case '\017': case '\016':
		c->alternate = ch == '\016';
		return true;
	case '\t':
		c->column = (c->column | 7) + 1;
		return true;
	case '\v':
		c->row -= 2;
		return true;
	}
	if (utf8_is(ch, "space")) {
		c->column += wide_width(ch) > 0 ? (uint64_t)wide_width(ch) : 0;
		return true;
	}
	return !c->pass;
}

static void col_bad_byte(struct col *c)
{
	const char *text = tsb_format(c->p, "\\x%02x", c->in.byte);

	for (; *text; text++)
		col_store(c, *text);
}

static void col_finish(struct col *c)
{
	if (!c->max_row && !c->column)
		return;		/* no lines, it thinks */
	for (; c->line->next; c->line = c->line->next)
		c->line_row++;
	col_write_lines(c, c->line_row - c->written + c->extra + 1);
	if (c->out_alternate)
		tsb_putc(c->p, '\017');
	c->blanks = c->max_row - c->line_row;
	if (c->max_row & 1)
		c->blanks++;
	else if (!c->blanks)	/* the last line has no end */
		c->blanks = 2;
	col_blanks(c);
}

static int col_parse(struct col *c, int argc)
{
	uint64_t lines = COL_DEFAULT;
	const char *text = c->lines_text;
	enum num_result r;

	while (text && *text && strchr(" \t\n\v\f\r", *text))
		text++;
	r = text ? num_u64(text, &lines) : NUM_OK;
	if (c->tabs && c->spaces) {
		tsb_warn(c->p, "mutually exclusive arguments: --tabs --spaces");
		return 1;
	}
	if (r == NUM_OK && lines > UINT32_MAX)
		r = NUM_RANGE;
	if (r == NUM_INVALID && c->lines_text[0] == '-')
		r = NUM_RANGE;
	if (r != NUM_OK) {
		tsb_warn(c->p, "bad -l argument: '%s'%s", c->lines_text,
			 r == NUM_RANGE ? ": Numerical result out of range" : "");
		return 1;
	}
	if (argc)
		return tsb_usage(c->p, "bad usage");
	c->keep = (int64_t)lines * 2;
	return 0;
}

static int col_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct col *c = opts;
	int32_t ch;

	(void)argv;
	c->p = p;
	if (col_parse(c, argc))
		return 1;
	wide_open(&c->in, p, 0);
	c->first = c->line = col_new_line(c);
	while (!tsb_out_error(c->p) && (ch = wide_get(&c->in)) != WIDE_EOF) {
		tsb_tick(p, 1);
		if (ch == WIDE_BAD)
			col_bad_byte(c);
		else if (wide_graph(ch) || !col_control(c, ch))
			col_store(c, ch);
	}
	col_finish(c);
	return 0;
}

static int col_opt_show(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_col, opt->value);
}

static const struct tsb_opt col_opts[] = {
	TSB_OPT_FLAG(struct col, no_backspaces, 'b', "no-backspaces", "do not output backspaces"),
	TSB_OPT_FLAG(struct col, fine, 'f', "fine", "permit forward half line feeds"),
	TSB_OPT_FLAG(struct col, pass, 'p', "pass", "pass unknown control sequences"),
	TSB_OPT_FLAG(struct col, tabs, 'h', "tabs", "convert spaces to tabs"),
	TSB_OPT_FLAG(struct col, spaces, 'x', "spaces", "convert tabs to spaces"),
	TSB_OPT_STR(struct col, lines_text, 'l', "lines", "NUM", "buffer at least NUM lines"),
	{ TSB_OPTION_CALL, 'H', "help", NULL, "display this help", 0, 'h', TSB_ARG_NONE, col_opt_show },
	{ TSB_OPTION_CALL, 'V', "version", NULL, "display version", 0, 'V', TSB_ARG_NONE, col_opt_show },
	TSB_OPT_END
};

const struct tsb_command cmd_col = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "col", .synopsis = "[options]", .summary = "Filter out reverse line feeds from standard input.",
	.opts = col_opts, .opts_size = sizeof(struct col), .run = col_run, .flags = TSB_NO_HELP,
};
