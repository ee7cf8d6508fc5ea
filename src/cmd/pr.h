/*
 * pr: options, the columns of a page, and what its parts offer each other.
 *
 * Positions are columns of the paper. Spaces and separators are held back until
 * something follows them, so that lines have no blank ends.
 */
#ifndef CMD_PR_H
#define CMD_PR_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "cmd/lines.h"

enum pr_status {
	PR_OPEN,
	PR_FF_FOUND,		/* columns down: the page is the last before a form feed */
	PR_ON_HOLD,		/* a form feed: no more on this page */
	PR_CLOSED
};

struct pr_file {
	struct tsb_reader in;
	int fd, back;		/* back: a byte read too far, or -1 */
};

struct pr_column {
	struct pr_file *file;
	const char *name;
	enum pr_status status;
	bool stored;		/* its lines are read before they are printed */
	bool to_store;		/* what is read goes to the store */
	bool numbered, full_page;
	int64_t start, lines_stored, lines_to_print;
	size_t line;		/* of the store, printed next */
};

struct pr_line {
	size_t at;		/* in the store */
	int64_t end;		/* position behind it */
};

struct pr {
	/* options */
	bool across, caret, double_space, form_feed, join, merge, numbers, quiet, octal;
	bool expand, tabify, truncate, keep_ff, no_headers;
	bool old_s, old_w, old_options, separated, columns_given, skip_count_off, pages_given;
	const char *date_format, *header, *separator;
	struct str digits;		/* of -1 -2: 12 columns */
	bool digits_open;
	int64_t columns, page_length, page_width, margin, first_number;
	int64_t in_tab, out_tab, number_digits;
	int in_tab_byte, out_tab_byte, number_separator;
	uint64_t first_page, last_page;

	/* of one run over one file, or over all in parallel */
	struct tsb_proc *p;
	struct sink out;
	bool extremities, storing, failed;
	const char *sep;
	int64_t sep_length, body, header_lines, footer_lines, column_width, number_width;
	struct pr_column *column;
	int64_t total_files, ready;
	int64_t line_count, line_number;
	uint64_t page;
	const char *date_text, *file_text;
	int64_t header_room;

	/* the store of columns down */
	struct str store;
	struct pr_line *line;
	size_t n_lines, lines_cap;

	/* of a line and a page */
	int64_t in_at, out_at, spaces, separators, padding;
	bool header_due, ff_due, pad, align_empty, empty_line, ff_only, last_line;
	struct str clump;
};

static inline int64_t pr_tab_width(int64_t tab, int64_t at)
{
	return tab - at % tab;
}

/* ---- pr_read.c ---- */

/* A line of a column, printed or stored: false when it did not fit (the rest is
 * still to be read over). */
bool pr_read_line(struct pr *r, struct pr_column *c);
void pr_read_rest(struct pr *r, struct pr_column *c);
/* A line passed over on the way to the first page; first: of the first column. */
void pr_skip_line(struct pr *r, struct pr_column *c, bool first);
/* Fills the store with a page and gives each column its part. */
void pr_store_columns(struct pr *r);

/* ---- pr_print.c ---- */

void pr_print_header(struct pr *r);
/* Up to where a column's text begins: blanks, separators, its line number. */
void pr_align(struct pr *r, struct pr_column *c);
void pr_begin_column(struct pr *r);
void pr_add_number(struct pr *r, struct pr_column *c);
void pr_put(struct pr *r, struct pr_column *c, int byte);
bool pr_print_page(struct pr *r);

#endif
