/*
 * pr's output: pages, their headers, and columns beside each other.
 */
#include "cmd/pr.h"

#include <string.h>

#include "base/utf8.h"

/* ---- Bytes and blanks ---- */

static void pr_newlines(struct pr *r, int64_t n)
{
	for (int64_t i = 1; i <= n; i++) {
		sink_putc(&r->out, '\n');
		if (!(i & 0xffff))
			tsb_tick(r->p, 0x10000);
	}
}

static void pr_put_spaces(struct pr *r)
{
	int64_t at = r->out_at, goal = at + r->spaces, next;
	size_t n = 0;

	while (goal - at > 1 && (next = at + pr_tab_width(r->out_tab, at)) <= goal) {
		sink_putc(&r->out, r->out_tab_byte);
		at = next;
		if (!(++n & 4095))
			tsb_tick(r->p, 4096);
	}
	for (; at < goal; at++) {
		sink_putc(&r->out, ' ');
		if (!(++n & 4095))
			tsb_tick(r->p, 4096);
	}
	r->out_at = goal;
	r->spaces = 0;
}

static void pr_blanks(struct pr *r, int64_t n)
{
	for (int64_t i = 1; i <= n; i++) {
		sink_putc(&r->out, ' ');
		if (!(i & 4095))
			tsb_tick(r->p, 64);
	}
}

static void pr_pad_to(struct pr *r, int64_t position)
{
	if (r->tabify) {
		r->spaces = position - r->out_at;
		return;
	}
	pr_blanks(r, position - r->out_at);
	r->out_at = position;
}

static void pr_print_byte(struct pr *r, int byte)
{
	if (r->tabify) {
		if (byte == ' ') {
			r->spaces++;
			return;
		}
		if (r->spaces > 0)
			pr_put_spaces(r);
		if (byte >= ' ' && byte <= '~')
			r->out_at++;
		else if (byte == '\b')
			r->out_at--;
	}
	sink_putc(&r->out, byte);
}

void pr_put(struct pr *r, struct pr_column *c, int byte)
{
	if (c->to_store)
		str_addc(&r->store, byte);
	else
		pr_print_byte(r, byte);
}

/* ---- Columns ---- */

static void pr_put_separators(struct pr *r)
{
	const char *s = r->sep, *end = s + r->sep_length;

	if (!r->separators && r->spaces > 0)
		pr_put_spaces(r);
	for (; r->separators > 0; r->separators--) {
		/* The text is used up by the first: further ones are empty. */
		for (; s < end; s++) {
			if (*s == ' ') {
				r->spaces++;
				continue;
			}
			if (r->spaces > 0)
				pr_put_spaces(r);
			sink_putc(&r->out, *s);
			r->out_at++;
		}
		if (r->spaces > 0)
			pr_put_spaces(r);
	}
}

void pr_begin_column(struct pr *r)
{
	if (r->sep_length < r->padding) {
		pr_pad_to(r, r->padding - r->sep_length);
		r->padding = 0;
	}
	if (r->separated)
		pr_put_separators(r);
}

void pr_align(struct pr *r, struct pr_column *c)
{
	r->padding = c->start;
	pr_begin_column(r);
	if (c->numbered)
		pr_add_number(r, c);
}

void pr_add_number(struct pr *r, struct pr_column *c)
{
	char *text = tsb_format(r->p, "%lld", (long long)r->line_number);
	int64_t n = (int64_t)strlen(text);

	/* Of a number that is too long the end is shown. */
	for (int64_t i = n; i < r->number_digits; i++)
		pr_put(r, c, ' ');
	for (int64_t i = n > r->number_digits ? n - r->number_digits : 0; i < n; i++)
		pr_put(r, c, text[i]);
	tsb_free(r->p, text);
	/* As an int of C: it begins again at the lowest. */
	r->line_number = r->line_number == INT32_MAX ? INT32_MIN : r->line_number + 1;
	if (r->columns > 1 && r->number_separator == '\t') {
		for (int64_t i = r->number_digits; i < r->number_width; i++)
			pr_put(r, c, ' ');
	} else {
		pr_put(r, c, r->number_separator);
		if (r->columns == 1 && r->number_separator == '\t')
			r->out_at += pr_tab_width(r->out_tab, r->out_at);
	}
	if (r->truncate && !r->merge)
		r->in_at += r->number_width;
}

/* A line out of the store. */
static void pr_print_stored(struct pr *r, struct pr_column *c)
{
	size_t line = c->line++;
	bool have = line + 1 < r->n_lines;
	size_t at = have ? r->line[line].at : 0, end = have ? r->line[line + 1].at : 0;

	r->pad = true;
	if (r->header_due)
		pr_print_header(r);
	if (c->status == PR_FF_FOUND) {
		for (int64_t i = 0; i < r->columns; i++)
			r->column[i].status = PR_ON_HOLD;
		if (r->column[0].lines_to_print <= 0) {
			if (!r->extremities)
				r->pad = false;
			return;
		}
	}
	pr_begin_column(r);
	for (; at < end; at++)
		pr_print_byte(r, (unsigned char)r->store.p[at]);
	if (!r->spaces) {
		r->out_at = c->start + (have ? r->line[line].end : 0);
		if (c->start - r->sep_length == r->margin)
			r->out_at -= r->sep_length;
	}
}

/* ---- Pages ---- */

void pr_print_header(struct pr *r)
{
	char *page = tsb_format(r->p, "Page %llu", (unsigned long long)r->page++);
	int64_t room = r->header_room - (int64_t)strlen(page), left;

	r->out_at = 0;
	pr_pad_to(r, r->margin);
	pr_put_spaces(r);
	sink_puts(&r->out, "\n\n");
	pr_blanks(r, r->margin);
	room = room > 0 ? room : 0;
	left = room / 2;
	sink_puts(&r->out, r->date_text);
	/* At least one blank on both sides. */
	pr_blanks(r, left ? left : 1);
	sink_puts(&r->out, r->file_text);
	pr_blanks(r, room - left ? room - left : 1);
	sink_puts(&r->out, page);
	sink_puts(&r->out, "\n\n\n");
	tsb_free(r->p, page);
	r->header_due = false;
	r->out_at = 0;
}

/* Columns that have something for this page. */
static int64_t pr_ready(const struct pr *r)
{
	int64_t n = 0;

	for (int64_t i = 0; i < r->columns; i++) {
		const struct pr_column *c = &r->column[i];

		n += c->status == PR_OPEN || c->status == PR_FF_FOUND ||
		     (r->storing && c->lines_stored > 0 && c->lines_to_print > 0);
	}
	return n;
}

static void pr_init_page(struct pr *r)
{
	if (r->storing)
		pr_store_columns(r);
	for (int64_t i = 0; i < r->columns; i++) {
		struct pr_column *c = &r->column[i];

		if (r->storing)
			c->lines_to_print = c->lines_stored;
		else
			c->lines_to_print = c->status == PR_OPEN ? r->body : 0;
	}
}

/* A column's part of a line: false when nothing is left for the page. */
static bool pr_print_column(struct pr *r, struct pr_column *c)
{
	bool idle = c->lines_to_print <= 0 && c->status != PR_FF_FOUND;

	r->in_at = 0;
	if (idle) {
		if (r->merge && r->empty_line)
			r->align_empty = true;
		else if (r->merge)
			pr_align(r, c);
		return true;
	}
	r->ff_only = false;
	r->padding = c->start;
	if (c->stored)
		pr_print_stored(r, c);
	else if (!pr_read_line(r, c))
		pr_read_rest(r, c);
	return true;
}

static bool pr_after_column(struct pr *r, struct pr_column *c)
{
	if (--c->lines_to_print <= 0 && !pr_ready(r))
		return false;
	if (r->merge && c->status != PR_OPEN) {
		if (r->empty_line)
			r->align_empty = true;
		else if (c->status == PR_CLOSED || (c->status == PR_ON_HOLD && r->ff_only))
			pr_align(r, c);
	}
	return true;
}

/* A line over all columns; was one of them printed? */
static bool pr_print_line(struct pr *r)
{
	bool any = false;

	r->out_at = r->spaces = r->separators = 0;
	r->pad = r->align_empty = false;
	r->empty_line = true;
	for (int64_t i = 0; i < r->columns; i++) {
		struct pr_column *c = &r->column[i];
		bool active = c->lines_to_print > 0 || c->status == PR_FF_FOUND;

		pr_print_column(r, c);
		any |= active && r->pad;
		if (active && !pr_after_column(r, c))
			break;
		if (r->separated)
			r->separators++;
	}
	tsb_tick(r->p, (size_t)r->columns);
	return any;
}

/* Forms that were on hold go on with the next page. */
static void pr_reset(struct pr *r)
{
	for (int64_t i = 0; i < r->columns; i++) {
		if (r->column[i].status == PR_ON_HOLD) {
			r->column[i].status = PR_OPEN;
			r->ready++;
		}
	}
	if (r->storing)
		r->ready = r->column[0].status != PR_CLOSED;
}

static void pr_end_page(struct pr *r, int64_t left, bool printed)
{
	if (!left)
		for (int64_t i = 0; i < r->columns; i++)
			r->column[i].full_page |= r->column[i].status == PR_OPEN;
	r->pad = printed;
	if (printed && r->extremities) {
		if (r->form_feed)
			sink_putc(&r->out, '\f');
		else
			pr_newlines(r, left + r->footer_lines);
	} else if (r->keep_ff && r->ff_due) {
		sink_putc(&r->out, '\f');
		r->ff_due = false;
	}
}

bool pr_print_page(struct pr *r)
{
	int64_t left = r->double_space ? r->body * 2 : r->body;
	bool printed = false;

	pr_init_page(r);
	if (!pr_ready(r))
		return false;
	if (r->extremities)
		r->header_due = true;
	r->pad = false;
	while (left > 0 && pr_ready(r)) {
		printed |= pr_print_line(r);
		if (r->pad) {
			sink_putc(&r->out, '\n');
			left--;
		}
		if (!pr_ready(r) && !r->extremities)
			break;
		if (r->double_space && printed) {
			sink_putc(&r->out, '\n');
			left--;
		}
	}
	pr_end_page(r, left, printed);
	if (r->last_page < r->page)
		return false;
	pr_reset(r);
	return true;
}
