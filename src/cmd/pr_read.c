/*
 * pr's input: lines up to the width of a column, form feeds, and the store of
 * columns that are printed downwards.
 */
#include "cmd/pr.h"

#include <string.h>

#include "cmd/quote.h"
#include "cmd/util.h"

/* ---- Bytes ---- */

static int pr_byte(struct pr_column *c)
{
	struct pr_file *f = c->file;
	int byte = f->back;

	f->back = -1;
	return byte >= 0 ? byte : tsb_getbyte(&f->in);
}

/* A newline right behind a form feed belongs to it. */
static void pr_after_form_feed(struct pr_column *c)
{
	int byte = pr_byte(c);

	if (byte != '\n')
		c->file->back = byte;
}

static void pr_close(struct pr *r, struct pr_column *c)
{
	if (c->status == PR_CLOSED)
		return;
	if (c->file->in.error) {
		sink_flush(&r->out);
		tsb_flush(r->p);
		tsb_warn_errno(r->p, c->file->in.error, "%s", quote_f(r->p, c->name));
		tsb_exit(r->p, 1);
	}
	input_close(r->p, c->file->fd);
	for (int64_t i = 0; !r->merge && i < r->columns; i++) {
		r->column[i].status = PR_CLOSED;
		if (!r->column[i].lines_stored)
			r->column[i].lines_to_print = 0;
	}
	if (r->merge) {
		c->status = PR_CLOSED;
		c->lines_to_print = 0;
	}
	r->ready--;
}

/* After a form feed: nothing more for this page. */
static void pr_hold(struct pr *r, struct pr_column *c)
{
	for (int64_t i = 0; !r->merge && i < r->columns; i++)
		r->column[i].status = r->storing ? PR_FF_FOUND : PR_ON_HOLD;
	if (r->merge)
		c->status = PR_ON_HOLD;
	c->lines_to_print = 0;
	r->ready--;
}

/* The first byte of a line. A form feed that comes as a page is full is dropped. */
static int pr_first_byte(struct pr_column *c)
{
	int byte = pr_byte(c);

	if (byte == '\f' && c->full_page) {
		byte = pr_byte(c);
		if (byte == '\n')
			byte = pr_byte(c);
	}
	c->full_page = false;
	return byte;
}

/* ---- What a byte looks like ---- */

static void pr_octal(struct pr *r, int byte)
{
	str_addf(&r->clump, "\\%03o", (unsigned)byte);
}

/* Puts it into r->clump and moves the input position. */
static void pr_clump(struct pr *r, int byte)
{
	int64_t width = 1, tab = byte == r->in_tab_byte ? r->in_tab : 8;

	str_reset(&r->clump);
	if (byte == r->in_tab_byte || byte == '\t') {
		width = pr_tab_width(tab, r->in_at);
		if (r->expand)
			str_fill(&r->clump, ' ', (size_t)width);
		else
			str_addc(&r->clump, byte);
	} else if (byte >= ' ' && byte <= '~') {
		str_addc(&r->clump, byte);
	} else if (r->octal || (r->caret && byte >= 128)) {
		pr_octal(r, byte);
		width = 4;
	} else if (r->caret) {
		str_addc(&r->clump, '^');
		str_addc(&r->clump, byte ^ 64);
		width = 2;
	} else {
		str_addc(&r->clump, byte);
		width = byte == '\b' ? -1 : 0;
	}
	if (width < 0 && !r->in_at)
		str_reset(&r->clump);
	else
		r->in_at += width;
}

static void pr_put_clump(struct pr *r, struct pr_column *c)
{
	for (size_t i = 0; i < r->clump.n; i++)
		pr_put(r, c, (unsigned char)r->clump.p[i]);
}

/* ---- Lines ---- */

static void pr_start_line(struct pr *r, struct pr_column *c)
{
	r->pad = true;
	if (r->header_due && !r->storing)
		pr_print_header(r);
	if (r->merge && r->align_empty) {
		/* Columns in front that have nothing. */
		int64_t n = r->separators;

		r->separators = 0;
		for (int64_t i = 0; i < n; i++) {
			pr_align(r, &r->column[i]);
			r->separators++;
		}
		r->padding = c->start;
		r->spaces = r->truncate ? r->column_width : 0;
		r->align_empty = false;
	}
	pr_begin_column(r);
}

static bool pr_form_feed_first(struct pr *r, struct pr_column *c)
{
	pr_after_form_feed(c);
	r->ff_only = true;
	if (r->header_due && !r->storing) {
		r->pad = true;
		pr_print_header(r);
	} else if (r->keep_ff) {
		r->ff_due = true;
	}
	pr_hold(r, c);
	return true;
}

/* The end of a line was read (or of the page, or the file)? */
static bool pr_is_end(struct pr *r, struct pr_column *c, int byte)
{
	if (byte == '\n')
		return true;
	if (byte == '\f') {
		pr_after_form_feed(c);
		if (r->keep_ff)
			r->ff_due = true;
		pr_hold(r, c);
		return true;
	}
	if (byte < 0)
		pr_close(r, c);
	return byte < 0;
}

static bool pr_too_wide(struct pr *r, int64_t before)
{
	if (!r->truncate || r->in_at <= r->column_width)
		return false;
	r->in_at = before;
	return true;
}

bool pr_read_line(struct pr *r, struct pr_column *c)
{
	int byte = pr_first_byte(c);
	int64_t before = r->in_at;

	tsb_tick(r->p, 1);
	if (byte == '\f')
		return pr_form_feed_first(r, c);
	if (byte < 0) {
		pr_close(r, c);
		return true;
	}
	if (byte != '\n')
		pr_clump(r, byte);
	if (pr_too_wide(r, before))
		return false;
	if (!c->to_store)
		pr_start_line(r, c);
	if (c->numbered)
		pr_add_number(r, c);
	r->empty_line = false;
	if (byte == '\n')
		return true;
	pr_put_clump(r, c);
	for (size_t n = 1; ; n++) {
		byte = pr_byte(c);
		if (pr_is_end(r, c, byte))
			return true;
		before = r->in_at;
		pr_clump(r, byte);
		if (pr_too_wide(r, before))
			return false;
		pr_put_clump(r, c);
		if (!(n & 4095))
			tsb_tick(r->p, 64);
	}
}

void pr_read_rest(struct pr *r, struct pr_column *c)
{
	size_t n = 0;

	while (!pr_is_end(r, c, pr_byte(c)))
		if (!(++n & 4095))
			tsb_tick(r->p, 64);
}

void pr_skip_line(struct pr *r, struct pr_column *c, bool first)
{
	int byte = pr_first_byte(c);
	bool alone = byte == '\f';

	tsb_tick(r->p, 1);
	if (r->last_line)
		c->full_page = true;
	for (size_t n = 1; byte != '\n'; n++) {
		if (byte == '\f') {
			for (int64_t i = 0; r->last_line && !r->merge && i < r->columns; i++)
				r->column[i].full_page = false;
			if (r->last_line)
				c->full_page = false;
			pr_after_form_feed(c);
			pr_hold(r, c);
			break;
		}
		if (byte < 0) {
			pr_close(r, c);
			break;
		}
		byte = pr_byte(c);
		if (!(n & 4095))
			tsb_tick(r->p, 64);
	}
	if (!r->skip_count_off && (!r->merge || first) && !alone)
		r->line_count++;
}

/* ---- The store ---- */

static void pr_add_stored(struct pr *r, size_t at, int64_t end)
{
	r->line = util_grow(r->p, r->line, r->n_lines, &r->lines_cap, sizeof(*r->line));
	r->line[r->n_lines++] = (struct pr_line){ at, end };
}

/* All columns get the same number of lines, the first ones one more. */
static void pr_balance(struct pr *r, int64_t total)
{
	int64_t first = 0, lines;

	for (int64_t i = 0; i < r->columns; i++) {
		lines = total / r->columns + (i < total % r->columns);
		r->column[i].lines_stored = lines;
		r->column[i].line = (size_t)first;
		first += lines;
	}
}

void pr_store_columns(struct pr *r)
{
	int64_t total;
	size_t start;

	str_reset(&r->store);
	r->n_lines = 0;
	for (int64_t i = 0; i < r->columns; i++)
		r->column[i].lines_stored = 0;
	for (int64_t i = 0; i < r->columns && r->ready; i++) {
		struct pr_column *c = &r->column[i];

		for (int64_t k = 0; k < r->body && r->ready; k++) {
			if (c->status != PR_OPEN)
				continue;
			r->in_at = 0;
			start = r->store.n;
			if (!pr_read_line(r, c))
				pr_read_rest(r, c);
			if (c->status == PR_OPEN || start != r->store.n) {
				c->lines_stored++;
				pr_add_stored(r, start, r->in_at);
			}
		}
	}
	total = (int64_t)r->n_lines;
	pr_add_stored(r, r->store.n, 0);
	pr_balance(r, total);
}
