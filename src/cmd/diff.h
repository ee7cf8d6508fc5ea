/*
 * diff's parts: options (diff_options), pairs of files and directories
 * (diff.c, diff_tree), one pair (diff_pair), the hunks in every format
 * (diff_normal, diff_context, diff_side, diff_ifdef), lines (diff_out).
 */
#ifndef CMD_DIFF_H
#define CMD_DIFF_H

#include "cmd/diffutils.h"
#include "text/civil.h"
#include "text/diff.h"
#include "text/pattern.h"
#include "text/regex.h"

enum diff_style {
	DIFF_UNSPECIFIED, DIFF_NORMAL, DIFF_CONTEXT, DIFF_UNIFIED, DIFF_ED, DIFF_FORWARD_ED,
	DIFF_RCS, DIFF_IFDEF, DIFF_SIDE
};

/* What a hunk is, and the group formats by it. */
enum diff_kind { DIFF_SAME = 0, DIFF_OLD = 1, DIFF_NEW = 2, DIFF_CHANGED = 3 };

enum diff_color { DIFF_RESET, DIFF_HEADER, DIFF_ADD, DIFF_DELETE, DIFF_LINE_NUMBER, DIFF_COLORS };

struct diff_patterns {
	VEC(const char *) text;
	struct regex *re;		/* all of them; NULL: none */
};

/* One of the two files of a pair. */
enum diff_state { DIFF_UNOPENED, DIFF_NONEXISTENT, DIFF_FAILED, DIFF_STDIN, DIFF_OPEN };
struct diff_input {
	const char *name;
	enum diff_state state;
	int err, fd;
	struct tsb_stat st;
	char *text;
	size_t n, cap;
	bool eof;
};

/* A directory pair that is being walked; the pairs in it come one by one. */
struct diff_level {
	const char *name[2];
	char **entry[2];
	size_t n[2], at[2];
	struct tsb_stat st[2];
	bool exists[2];
	int status;
};

struct diff_cmd {
	struct tsb_proc *p;
	enum diff_style style;
	bool brief, identical, recursive, new_file, new_first, no_dereference, text, strip_cr;
	bool expand_tabs, initial_tab, blank_empty, paginate, left_column, no_common, assist;
	bool ignore_blank, icase_names, show_function, explicit_context, minimal, large, icase;
	bool binary;
	enum diff_space space;
	int64_t context, old_context, width, tabsize, horizon;
	const char *label[2], *start, *from, *to;
	struct diff_patterns function, ignore;
	VEC(struct pattern *) exclude;
	const char *group_format[4], *line_format[3];
	int color;			/* -1: as the terminal is */
	bool tty;			/* the output counts as a terminal */
	const char *palette;

	const char *options;		/* as given, for "diff -r a b" */
	const char *time_format;
	struct zone zone;
	const char *colors[DIFF_COLORS];
	size_t half, column2;		/* of -y */
	VEC(struct diff_level *) levels;
	struct str messages;		/* kept back by -l */

	struct diff_input in[2];	/* the pair in work */
	struct diff d;
	const char *shown[2];		/* its names in headers */
	bool begun;
	size_t next[2];			/* -y, --ifdef: lines not yet shown */
	size_t function_last, function_match;
	int child, child_fd;		/* pr */
	char *buf;
	size_t buf_n;
};

/* diff_options.c, diff_styles.c: 0 or the status. */
extern const struct tsb_opt diff_opts[];
int diff_prepare(struct diff_cmd *d);
tsb_opt_fn diff_set_style, diff_set_format, diff_set_ifdef;
bool diff_palette(struct diff_cmd *d);
/* Conflicting styles: the status. */
int diff_style_is(struct diff_cmd *d, enum diff_style style);

/* diff_tree.c: `name` in the directories of the top level, or two operands. */
int diff_run_pair(struct diff_cmd *d, const char *a, const char *b);
/* One pair: a status, or -1 when it is a pair of directories, now on top. */
int diff_names(struct diff_cmd *d, const char *a, const char *b);
int diff_enter(struct diff_cmd *d);

/* diff_pair.c */
int diff_two_files(struct diff_cmd *d);
void diff_fatal(struct diff_cmd *d, int err, const char *name) TSB_NORETURN;

/* diff_out.c */
void diff_put(struct diff_cmd *d, const void *data, size_t n);
void diff_puts(struct diff_cmd *d, const char *s);
void diff_putc(struct diff_cmd *d, int c);
void diff_putf(struct diff_cmd *d, const char *fmt, ...) TSB_PRINTF(2, 3);
void diff_flush(struct diff_cmd *d);
void diff_message(struct diff_cmd *d, const char *fmt, ...) TSB_PRINTF(2, 3);
void diff_begin(struct diff_cmd *d);		/* before the first hunk of a pair */
void diff_finish(struct diff_cmd *d);
void diff_color(struct diff_cmd *d, enum diff_color c);
/* The bytes of a line, tabs as blanks if so asked. again: what a carriage
 * return is followed by (the flag, once more), or NULL. */
void diff_put_text(struct diff_cmd *d, struct slice line, const char *again);
/* Line i of file f behind its flag, with its newline or what stands for it. */
void diff_put_line(struct diff_cmd *d, int f, size_t i, const char *flag, enum diff_color color);
/* The bytes of a line as every format but -e has them. */
struct slice diff_line_of(struct diff_cmd *d, int f, size_t i);

/* diff_hunk.c: a hunk is changes [from, to). */
struct diff_hunk {
	size_t from, to;
	enum diff_kind kind;
	size_t first[2], end[2];	/* lines [first, end) */
};
/* The next hunk behind h (zeroed: the first); false at the end. The changes in
 * it are near each other as the style wants; kind DIFF_SAME: to be ignored. */
bool diff_next_hunk(struct diff_cmd *d, struct diff_hunk *h);
enum diff_kind diff_kind_of(struct diff_cmd *d, struct diff_hunk *h);
void diff_mark_ignored(struct diff_cmd *d);
bool diff_matches(struct diff_patterns *re, struct slice line);

/* "3,5", or "3" */
void diff_range(struct diff_cmd *d, char sep, size_t first, size_t end);
void diff_show_normal(struct diff_cmd *d);
void diff_show_ed(struct diff_cmd *d);
void diff_show_forward_ed(struct diff_cmd *d);
void diff_show_rcs(struct diff_cmd *d);
void diff_context_header(struct diff_cmd *d);
void diff_show_context(struct diff_cmd *d);
void diff_show_unified(struct diff_cmd *d);
void diff_show_side(struct diff_cmd *d);
void diff_show_ifdef(struct diff_cmd *d);
int diff_format_spec(struct diff_cmd *d, const char **format, int64_t value, bool show);

#endif
