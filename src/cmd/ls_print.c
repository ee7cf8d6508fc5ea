/*
 * The formats of a listing: one a line, down columns, across, with commas.
 *
 * How many columns fit is found by trying, from the most that could to one:
 * no table over all counts is kept, so a width of millions costs no memory.
 */
#include "cmd/ls.h"

#include <string.h>

#include "base/num.h"

enum { LS_MIN_COLUMN = 3 };

static void print_entry(struct ls *ls, struct ls_file *f, size_t column)
{
	bool commas = ls->format == LS_COMMAS;
	char buf[HUMAN_SIZE];
	int c;

	ls_color_normal(ls);
	if (ls->inode && f->st.ino)
		ls_putf(ls, "%*llu ", commas ? 0 : ls->w_inode, (unsigned long long)f->st.ino);
	else if (ls->inode)
		ls_putf(ls, "%*s ", commas ? 0 : ls->w_inode, "?");
	if (ls->blocks)
		ls_putf(ls, "%*s ", commas ? 0 : ls->w_blocks,
			f->stat_ok ? human_format(buf, f->st.blocks, 512, &ls->block) : "?");
	if (ls->context)
		ls_putf(ls, "%*s ", commas ? 0 : ls->w_context, "?");
	ls_put_name(ls, f, false, NULL, column);
	c = ls->indicator == LS_NO_INDICATOR ? 0
	  : ls_indicator(ls, f->stat_ok, f->st.mode, f->type);
	if (c)
		ls_put(ls, &(char){ (char)c }, 1);
}

/* Columns of print_entry(). */
static size_t print_width(struct ls *ls, struct ls_file *f)
{
	bool commas = ls->format == LS_COMMAS;
	char buf[HUMAN_SIZE];
	size_t n = ls_width(ls, f);

	if (ls->inode)
		n += 1 + (commas ? num_format_u64(buf, f->st.ino) : (size_t)ls->w_inode);
	if (ls->blocks)
		n += 1 + (!commas ? (size_t)ls->w_blocks : !f->stat_ok ? 1
			  : strlen(human_format(buf, f->st.blocks, 512, &ls->block)));
	if (ls->context)
		n += 1 + (commas ? 1 : (size_t)ls->w_context);
	if (ls->indicator != LS_NO_INDICATOR &&
	    ls_indicator(ls, f->stat_ok, f->st.mode, f->type))
		n++;
	return n;
}

struct print_grid {
	size_t cols, rows;
	size_t *width;		/* of each column, with the space between */
	size_t *name;		/* of each entry */
	bool down;
};

/* Fills g->width for g->cols columns: do they fit? */
static bool print_try(struct ls *ls, struct print_grid *g)
{
	size_t n = ls->n_files, total = g->cols * LS_MIN_COLUMN;
	size_t rows = n / g->cols + (n % g->cols != 0);

	for (size_t i = 0; i < g->cols; i++)
		g->width[i] = LS_MIN_COLUMN;
	for (size_t i = 0; i < n; i++) {
		size_t col = g->down ? i / rows : i % g->cols;
		size_t want = g->name[i] + (col + 1 == g->cols ? 0 : 2);

		if (want <= g->width[col])
			continue;
		total += want - g->width[col];
		g->width[col] = want;
		if (total >= (size_t)ls->width && g->cols > 1) {
			tsb_tick(ls->p, i + 1);
			return false;
		}
	}
	tsb_tick(ls->p, n);
	return true;
}

static void print_fit(struct ls *ls, struct print_grid *g)
{
	size_t n = ls->n_files, width = (size_t)ls->width;
	size_t most = width / LS_MIN_COLUMN + (width % LS_MIN_COLUMN != 0);

	g->cols = most && most < n ? most : n;
	g->width = tsb_alloc(ls->p, g->cols * sizeof(*g->width));
	g->name = tsb_alloc(ls->p, n * sizeof(*g->name));
	for (size_t i = 0; i < n; i++)
		g->name[i] = print_width(ls, ls->order[i]);
	while (!print_try(ls, g))
		g->cols--;
	g->rows = n / g->cols + (n % g->cols != 0);
}

/* From column `from` to column `to`, by tabs where they reach. */
static void print_indent(struct ls *ls, size_t from, size_t to)
{
	size_t tab = (size_t)ls->tab;

	while (from < to) {
		if (tab && to / tab > (from + 1) / tab) {
			ls_put(ls, "\t", 1);
			from += tab - from % tab;
		} else {
			ls_put(ls, " ", 1);
			from++;
		}
	}
}

static void print_eol(struct ls *ls)
{
	ls_put(ls, &(char){ (char)ls->eol }, 1);
}

static void print_down(struct ls *ls)
{
	struct print_grid g = { .down = true };

	print_fit(ls, &g);
	for (size_t row = 0; row < g.rows; row++) {
		size_t pos = 0, col = 0;

		for (size_t i = row;; col++) {
			print_entry(ls, ls->order[i], pos);
			if (i + g.rows >= ls->n_files)
				break;
			print_indent(ls, pos + g.name[i], pos + g.width[col]);
			pos += g.width[col];
			i += g.rows;
		}
		print_eol(ls);
	}
	tsb_free(ls->p, g.width);
	tsb_free(ls->p, g.name);
}

static void print_across(struct ls *ls)
{
	struct print_grid g = { .down = false };
	size_t pos = 0;

	print_fit(ls, &g);
	for (size_t i = 0; i < ls->n_files; i++) {
		size_t col = i % g.cols;

		if (i && !col) {
			print_eol(ls);
			pos = 0;
		} else if (i) {
			print_indent(ls, pos + g.name[i - 1], pos + g.width[col - 1]);
			pos += g.width[col - 1];
		}
		print_entry(ls, ls->order[i], pos);
	}
	print_eol(ls);
	tsb_free(ls->p, g.width);
	tsb_free(ls->p, g.name);
}

/* sep and a space behind each, or a new line where the next does not fit. */
static void print_separated(struct ls *ls, char sep)
{
	size_t pos = 0, width = (size_t)ls->width;

	for (size_t i = 0; i < ls->n_files; i++) {
		size_t n = width ? print_width(ls, ls->order[i]) : 0;
		bool fits = !width || pos + n + 2 < width;

		if (i) {
			ls_put(ls, &sep, 1);
			if (fits)
				ls_put(ls, " ", 1);
			else
				print_eol(ls);
			pos = fits ? pos + 2 : 0;
		}
		print_entry(ls, ls->order[i], pos);
		pos += n;
	}
	print_eol(ls);
}

void ls_print_files(struct ls *ls)
{
	switch (ls->format) {
	case LS_LONG:
		for (size_t i = 0; i < ls->n_files; i++) {
			ls_color_normal(ls);
			ls_print_long(ls, ls->order[i]);
			print_eol(ls);
		}
		break;
	case LS_COLUMNS:
	case LS_ACROSS:
		if (!ls->width)
			print_separated(ls, ' ');
		else if (ls->format == LS_COLUMNS)
			print_down(ls);
		else
			print_across(ls);
		break;
	case LS_COMMAS:
		print_separated(ls, ',');
		break;
	default:
		for (size_t i = 0; i < ls->n_files; i++) {
			print_entry(ls, ls->order[i], 0);
			print_eol(ls);
		}
	}
}
