/*
 * less on a terminal. Bytes (less_text.c) become rows of the screen (less_row.c), a table says which row
 * stands where (less_move.c), what changed is painted (less_show.c), prompts are made from their
 * language (less_prompt.c), patterns found (less_search.c), and keys ask for all of it (less_keys.c).
 * Places are offsets into the text; LESS_NONE: none.
 */
#ifndef CMD_LESS_H
#define CMD_LESS_H

#include "base/str.h"
#include "base/vec.h"
#include "cmd/vdu.h"
#include "text/regex.h"

#define LESS_NONE (-1)
#define LESS_BLOCK 65536
#define LESS_BLOCKS 64
#define LESS_LINE_MAX (1 << 20)		/* of a line that much is searched */

struct less_block {
	int64_t number;		/* -1: empty */
	size_t n;
	char *bytes;
};

struct less_file {
	const char *name;
	int fd;			/* < 0: not open */
	bool opened, seekable, ended, help;
	int pid;		/* of LESSOPEN's pipe, to wait for */
	int64_t size;		/* LESS_NONE: not known yet */
	struct str text;	/* of a pipe: all that came */
	int64_t top;		/* where it was left */
	int top_row;
};

/* Values of three: off, by the small letter, by the capital. */
enum { LESS_OFF, LESS_SMALL, LESS_CAPITAL };

struct less_options {
	/* as typed: off, small, capital; or off and on */
	int skip, buffers, clear, dumb, eof, force, one_screen, hilite, caseless, status, quit_on_intr, no_open, prompt,
		numbers, quiet, raw, squeeze, chop, underline, unread, no_init, tildes, incremental, file_size,
		follow_name, no_keypad, no_dups, colors, save_marks, mouse;
	int64_t buffer, back_limit, down_limit, window, shift, number_width, status_width, wheel;
	int64_t jump;		/* 1: the first row; < 0: from the last */
	VEC(int64_t) tabs;
	const char *rscroll, *prompts[5];	/* of -Ps, m, M, =, h; NULL: the usual ones */
	const char *pattern, *tag;
};

struct less_mark {
	struct less_file *file;
	int64_t at;
	int row;
};

struct less_span {
	int64_t from, to;
};

struct less_pattern {
	struct regex *re;
	bool caseless, inverse;
	char *text;
};

struct less {
	struct tsb_proc *p;
	const char *open;	/* $LESSOPEN, "" when it does not count */
	struct less_options o;
	struct vdu term;
	VEC(struct less_file *) files;
	size_t current;
	struct less_file *file, *before_help;
	struct less_block blocks[LESS_BLOCKS];
	VEC(const char *) plus;	/* +COMMAND */
	const char *every;	/* ++COMMAND */
	/* the screen: rows, then what follows them */
	int64_t *at;
	int rows, columns;	/* without the prompt's */
	struct str *shown;	/* what each row shows now */
	bool trashed, squished, first, asked_end, moved;
	int64_t shift;		/* columns that are left out at the left */
	int64_t unread;		/* the first line of what is new (-w) */
	int64_t half;		/* a window's, by d and u */
	bool new_file;		/* its name is to be told */
	/* patterns */
	struct less_pattern sought, filter;
	bool hilite_off, follow, upward;	/* the last search's direction */
	struct less_span *spans;
	size_t n_spans, cap_spans;
	int64_t spans_of;	/* the line they belong to */
	int64_t last_found;
	VEC(char *) history;
	struct less_mark marks[128], last_mark;
	struct str message;
	int64_t known_at, known_number;	/* a line's number that was asked for */
	unsigned steps;
	int quit;		/* < 0: not yet; else the status */
};

/* ---- less_text.c ---- */
bool less_take(struct less *l, struct less_file *f);	/* becomes the current one: false after a message */
int less_byte(struct less *l, int64_t at);		/* < 0: the end */
int64_t less_length(struct less *l);			/* LESS_NONE: not known */
int64_t less_length_all(struct less *l);		/* reads to the end */
int64_t less_line_begin(struct less *l, int64_t at);
int64_t less_line_next(struct less *l, int64_t at);	/* LESS_NONE: there is none */
int64_t less_line_before(struct less *l, int64_t at);	/* of a line's begin */
int64_t less_number(struct less *l, int64_t at);	/* of the line there, from 1 */
int64_t less_line_at(struct less *l, int64_t number);	/* LESS_NONE: not so many */
size_t less_sgr(const char *p, size_t n);		/* a sequence that only colours: how long; 0 */
void less_grown(struct less *l);			/* look again behind the end */
/* A line without what is not shown, and where each of its bytes stands (NULL: not wanted). */
void less_line(struct less *l, int64_t at, struct str *text, struct str *places);

/* ---- less_row.c ---- */
/* The row that begins there, into *out (NULL: not wanted); the next one's place, LESS_NONE: the end. */
int64_t less_row(struct less *l, int64_t at, struct str *out);
int64_t less_row_before(struct less *l, int64_t at);	/* LESS_NONE: none */
int64_t less_shown_from(struct less *l, int64_t at);	/* the line itself, or the next one that & leaves */

/* ---- less_move.c ---- */
void less_size(struct less *l);				/* the window's is new */
void less_clear(struct less *l);			/* nothing is on the screen */
void less_forward(struct less *l, int64_t n, bool force);
void less_backward(struct less *l, int64_t n, bool force);
void less_jump(struct less *l, int64_t at, int row);	/* the line to that row */
void less_jump_end(struct less *l);
int less_target(struct less *l);			/* the row of -j */
bool less_at_end(struct less *l);
bool less_whole(struct less *l);			/* all of it is on the screen */
void less_paint_again(struct less *l);

/* ---- less_show.c ---- */
void less_paint(struct less *l);
void less_begin_screen(struct less *l);
void less_bottom(struct less *l);			/* the cursor at an empty last row */
void less_tell(struct less *l, const char *fmt, ...) TSB_PRINTF(2, 3);	/* and waits for RETURN */
void less_bell(struct less *l);
/* A line of input behind the text; NULL: given up. */
char *less_ask(struct less *l, const char *text, const char *begun);

/* ---- less_prompt.c ---- */
const char *less_prompt(struct less *l, int which);	/* of the prompts; < 0: by -m and -M */

/* ---- less_search.c ---- */
bool less_compile(struct less *l, struct less_pattern *to, const char *text, bool plain);
void less_search(struct less *l, bool forward, bool again, int64_t count);
bool less_filtered(struct less *l, int64_t at);		/* this line is not shown */
void less_find_spans(struct less *l, int64_t line);	/* what is highlighted in it */
void less_sought_changed(struct less *l);

/* ---- less_keys.c, less_help.c ---- */
void less_commands(struct less *l);
void less_edit(struct less *l, size_t n);		/* the n-th file */
void less_help(struct less *l);
void less_bracket(struct less *l, int c);

/* ---- less_set.c: options ---- */
void less_defaults(struct less *l);
/* One set by its letter and name; value NULL for those without. reset: as it was at first. NULL, or what is wrong. */
const char *less_set(struct less *l, int letter, const char *name, const char *value, bool reset);
void less_option_key(struct less *l, bool only_tell);	/* "-" and "_" typed */

/* ---- less.c ---- */
int less_opened(struct less *l, const char *name, int *pid);	/* LESSOPEN's text: a descriptor, or < 0 */
const struct tsb_opt *less_by_letter(int c);
const struct tsb_opt *less_by_long_name(const char *name);	/* whole */

#endif
