/*
 * sed, inside. A script becomes an array of commands (sed_parse.c and what it
 * calls), each with the function that does it; a cycle reads a line
 * (sed_input.c), walks along the commands (sed_run.c, sed_do*.c) and prints
 * (sed_output.c).
 *
 * The pattern space may be borrowed from the input's buffer: it is copied only
 * when a command changes it or before the buffer moves.
 */
#ifndef CMD_SED_H
#define CMD_SED_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "base/vec.h"
#include "cmd/lines.h"
#include "text/regex.h"

enum { SED_EXIT_USAGE = 1, SED_EXIT_INPUT = 2, SED_EXIT_PANIC = 4 };
enum { SED_REFS = 10, SED_NOT_GIVEN = -1 };

/* How much of GNU's own is allowed: all; all but what POSIX forbids
 * ($POSIXLY_CORRECT); nothing (--posix). */
enum sed_posix { SED_GNU, SED_CORRECT, SED_MINIMAL };

struct sed;
struct sed_cmd;

/* ---- The script ---- */

struct sed_regex {
	struct regex *re;	/* NULL: the empty one, which means the last used */
	size_t groups;
	unsigned flags;		/* REGEX_ICASE, REGEX_NEWLINE */
	char anchor;		/* '^' or '$': that is all it is */
	bool address;		/* of an address, not of an s */
	unsigned compiled;	/* all flags it was compiled with */
	struct slice text;	/* as the compiler got it */
};

enum sed_addr_kind {
	SED_ADDR_NONE, SED_ADDR_LINE, SED_ADDR_STEP, SED_ADDR_LAST, SED_ADDR_REGEX,
	SED_ADDR_PLUS, SED_ADDR_MULTIPLE	/* these two: second address only */
};

struct sed_addr {
	enum sed_addr_kind kind;
	uint64_t n, step;
	struct sed_regex *regex;
};

enum sed_range { SED_RANGE_IDLE, SED_RANGE_ACTIVE, SED_RANGE_CLOSED };

/* Letter case of a piece of a replacement: how all of it, and how the first
 * character becomes. */
enum {
	SED_CASE_KEEP = 0, SED_CASE_UPPER = 1, SED_CASE_LOWER = 2, SED_CASE_ALL = 3,
	SED_FIRST_UPPER = 4, SED_FIRST_LOWER = 8, SED_FIRST = 12
};

struct sed_piece {
	struct slice text;	/* then: */
	int ref;		/* group 0 .. 9, -1: none */
	unsigned how;
};

struct sed_subst {
	struct sed_regex *regex;
	VEC(struct sed_piece) pieces;
	int max_ref;		/* -1: none */
	bool global, eval, plain;	/* plain: no letter case is changed */
	unsigned print;		/* 1: before the evaluation, 2: behind it */
	uint64_t number;	/* 0: not given */
	struct sed_out *out;	/* of the w flag, or NULL */
};

struct sed_pair {		/* one character of y */
	struct slice from, to;
};

struct sed_trans {
	unsigned char byte[256];	/* the map, if everything is single bytes */
	bool single;
	VEC(struct sed_pair) pairs;
};

/* What happens behind a command. */
enum sed_flow {
	SED_NEXT,
	SED_JUMP,		/* to cmd->target */
	SED_END,		/* of the script: print, next cycle */
	SED_DELETE,		/* next cycle, nothing printed */
	SED_AGAIN,		/* likewise, but no new line is read */
	SED_QUIT,		/* print, and end with s->status */
	SED_QUIT_NOW
};

typedef enum sed_flow sed_do_fn(struct sed *s, struct sed_cmd *cmd);

struct sed_cmd {
	struct sed_addr a1, a2;
	bool negate;
	bool zero;		/* 0,/re/: active from the start; 0r: at once */
	char name;
	enum sed_range range;
	uint64_t range_end;
	sed_do_fn *run;
	size_t target;		/* of { b t T: where it goes on */
	size_t skip;		/* where it goes on if the address does not match */
	int64_t number;		/* argument of q Q l L, or SED_NOT_GIVEN */
	struct slice text;	/* text of a i c e, label, file name */
	struct sed_subst *subst;
	struct sed_trans *trans;
	struct sed_out *out;	/* w W */
	struct sed_source *source;	/* R */
};

struct sed_label {
	struct slice name;
	size_t at;
};

/* A place in a script: -e's are numbered, files have a name. */
struct sed_script {
	const char *base, *at, *end;
	const char *file;	/* NULL: -e */
	size_t line;
	unsigned expression;
	bool piped;		/* read from a pipe: #n means nothing there */
};

struct sed_block {
	size_t at;		/* of the { */
	struct sed_script place;
};

/* ---- Text in motion ---- */

struct sed_space {
	char *at;		/* the text */
	size_t n;
	char *buf;		/* memory of its own */
	size_t cap;
	bool borrowed;		/* at points into the input's buffer */
	bool no_newline;	/* the input's last line had none */
};

struct sed_out {
	struct sed_out *real;	/* /dev/stdout is standard output, but not its last line */
	const char *name;
	int fd;
	bool at_once;		/* no buffering: standard error, -u, a terminal */
	bool lacks_newline;
	char *buf;
	size_t n;
	struct sed_out *next;
};

struct sed_source {		/* a file that R reads line by line */
	const char *name;
	struct lines own, *lines;
	bool started, failed;
	struct sed_source *next;
};

struct sed_append {		/* what waits for the end of the cycle */
	enum { SED_APPEND_TEXT, SED_APPEND_FILE, SED_APPEND_LINE } kind;
	struct slice text;
};

struct sed_in_place {
	bool on;
	const char *suffix;	/* NULL or "": no backup */
	char *temp, *target;	/* temp: NULL when none is being written */
};

struct sed_input {
	char **files;
	size_t n_files, next_file;
	const char *name;	/* of the file that is open; "-" */
	bool open;
	struct lines own, standard, *lines;
	bool standard_started;
	uint64_t line;
	bool fresh;		/* -s, -i: the next file starts from nothing */
	bool bytewise;		/* -u, and what is read cannot be given back */
};

struct sed {
	struct tsb_proc *p;
	/* options */
	bool quiet, separate, unbuffered, debug, sandbox, follow, zero, extended, binary;
	enum sed_posix posix;
	bool utf8;
	int delim;
	int64_t wrap;
	struct sed_in_place in_place;
	/* the script */
	VEC(struct sed_cmd) cmds;
	VEC(struct sed_label) labels;
	VEC(struct sed_block) blocks;
	struct sed_script script;
	bool scripted;		/* a piece of it was read */
	unsigned expressions;	/* -e's so far */
	struct str pending;	/* text of a, i, c that goes on in the next -e */
	bool has_pending;
	bool pending_raw;	/* it ended with a backslash */
	size_t pending_cmd;
	/* at work */
	struct sed_input in;
	struct sed_space pattern, hold, scratch;
	struct sed_regex *last_regex;
	bool replaced;		/* for t */
	int status;		/* of q and Q */
	bool bad_input;
	size_t steps;
	struct sed_out standard, error, file, *to;
	struct sed_out *outs;
	struct sed_source *sources;
	VEC(struct sed_append) appends;
	size_t debug_depth;	/* blocks the last command was in */
	char debug_last;	/* the last command */
};

/* ---- sed.c ---- */
/* "sed: MESSAGE", exit status 4; the buffers are written. */
void sed_panic(struct sed *s, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
/* The message with its place in the script; exit status 1. */
void sed_bad(struct sed *s, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
void *sed_alloc(struct sed *s, size_t n);	/* zeroed */

/* ---- sed_parse.c: scripts; sed_script.c: characters of them ---- */
void sed_compile(struct sed *s, const char *text, size_t n, const char *file, bool piped);
void sed_compile_end(struct sed *s);		/* behind the last piece */
int sed_char(struct sed *s);			/* -1 at the end */
void sed_unchar(struct sed *s, int c);
int sed_nonblank(struct sed *s);		/* the next that is no blank */
bool sed_is_blank(int c);
bool sed_is_space(int c);
uint64_t sed_integer(struct sed *s, int c);	/* c: its first digit */
void sed_end_of_command(struct sed *s);
struct slice sed_label(struct sed *s);		/* up to a space, ; or } */
struct slice sed_filename(struct sed *s);	/* the rest of the line */
/* Up to the delimiter, which is taken: false when it is not there. */
bool sed_delimited(struct sed *s, int delim, bool regex, struct str *out);
struct slice sed_keep(struct str *text);	/* the bytes; text is empty then */

/* ---- sed_escape.c ---- */
enum sed_text { SED_TEXT_REGEX, SED_TEXT_REPLACEMENT, SED_TEXT_PLAIN };
/* \t, \xHH and the like become what they stand for. */
void sed_unescape(struct sed *s, struct str *text, enum sed_text kind);

/* ---- sed_regex.c ---- */
/* needed: the highest group that an s refers to; -1: it is an address. */
struct sed_regex *sed_regex_new(struct sed *s, struct str *pattern, unsigned flags, int needed);
void sed_regex_tick(void *p, size_t steps);
bool sed_match(struct sed *s, struct sed_regex *rx, const char *text, size_t n, size_t from,
	       struct regex_span *spans, size_t n_spans);

/* ---- sed_subst.c, sed_trans.c, sed_text.c ---- */
void sed_parse_subst(struct sed *s, struct sed_cmd *cmd);
void sed_parse_trans(struct sed *s, struct sed_cmd *cmd);
void sed_parse_text(struct sed *s, size_t cmd);
void sed_text_goes_on(struct sed *s);
void sed_text_end(struct sed *s);

/* ---- sed_run.c ---- */
int sed_run(struct sed *s);			/* the exit status */
sed_do_fn *sed_find_command(char name);		/* NULL: there is none */

/* ---- sed_do.c, sed_do_text.c, sed_eval.c: the commands ---- */
void sed_appends_dump(struct sed *s);
/* The pattern space is run by the shell, its output becomes the pattern space. */
void sed_eval_pattern(struct sed *s);
sed_do_fn sed_do_none, sed_do_branch, sed_do_if, sed_do_unless, sed_do_quit,
	sed_do_quit_now, sed_do_delete, sed_do_delete_first, sed_do_next, sed_do_next_append,
	sed_do_get, sed_do_get_append, sed_do_hold, sed_do_hold_append, sed_do_exchange,
	sed_do_print, sed_do_print_first, sed_do_zap, sed_do_append, sed_do_insert,
	sed_do_change, sed_do_line_number, sed_do_list, sed_do_file_name, sed_do_read,
	sed_do_read_line, sed_do_write, sed_do_write_first, sed_do_eval, sed_do_broken,
	sed_do_subst, sed_do_trans;

/* ---- sed_space.c ---- */
void sed_space_own(struct sed *s, struct sed_space *sp);	/* no longer borrowed */
void sed_space_add(struct sed *s, struct sed_space *sp, const char *p, size_t n);
void sed_space_addc(struct sed *s, struct sed_space *sp, int c);
void sed_space_clear(struct sed_space *sp);
void sed_space_copy(struct sed *s, const struct sed_space *from, struct sed_space *to);
void sed_space_swap(struct sed_space *a, struct sed_space *b);

/* ---- sed_input.c ---- */
bool sed_read(struct sed *s, bool append);	/* the next line into the pattern space */
bool sed_is_last(struct sed *s);		/* $ */
void sed_input_end(struct sed *s);		/* q: what is not read is given back */
struct lines *sed_standard_input(struct sed *s);

/* ---- sed_inplace.c ---- */
/* The file to edit: itself, or where its links lead. */
const char *sed_in_place_name(struct sed *s, const char *name);
void sed_in_place_begin(struct sed *s, int fd);
void sed_in_place_end(struct sed *s);

/* ---- sed_output.c ---- */
struct sed_out *sed_out_open(struct sed *s, struct slice name);
void sed_out_flush(struct sed *s, struct sed_out *o);
void sed_out_newline(struct sed *s, struct sed_out *o);	/* the one that is lacking */
void sed_out_space(struct sed *s, struct sed_out *o, const struct sed_space *sp);
void sed_out_line(struct sed *s, struct sed_out *o, const char *p, size_t n);	/* and its end */
void sed_out_text(struct sed *s, struct sed_out *o, const char *p, size_t n);
void sed_out_raw(struct sed *s, struct sed_out *o, const char *p, size_t n);
void sed_flush_files(struct sed *s);	/* those of w */
void sed_flush_all(struct sed *s);

/* ---- sed_fast.c ---- */
struct sed_fast;
/* What lets whole lines pass unseen, or NULL. */
struct sed_fast *sed_fast_new(struct sed *s);
void sed_fast_skip(struct sed *s, struct sed_fast *fast);

/* ---- sed_debug.c ---- */
void sed_debug_program(struct sed *s);
void sed_debug_input(struct sed *s, bool read);	/* read: a new line */
void sed_debug_command(struct sed *s, const struct sed_cmd *cmd);	/* before it */
void sed_debug_after(struct sed *s, const struct sed_cmd *cmd);
void sed_debug_end(struct sed *s, enum sed_flow flow);
void sed_debug_match(struct sed *s);

#endif
