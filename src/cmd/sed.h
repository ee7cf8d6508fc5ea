/*
 * sed's parts: options and files (sed.c), script text to commands
 * (sed_parse.c), escapes and texts (sed_text.c), s and y (sed_subst.c), running
 * (sed_exec.c), lines in and out (sed_io.c), --debug (sed_debug.c).
 */
#ifndef CMD_SED_H
#define CMD_SED_H

#include <stdint.h>

#include <tinysandbox/command.h>

#include "base/str.h"
#include "cmd/lines.h"
#include "text/regex.h"

enum { SED_BAD_USAGE = 1, SED_BAD_INPUT = 2, SED_PANIC = 4 };

/* ---- The program ---- */

struct sed_regex {
	struct regex *re;	/* NULL: the empty one, the last that was used */
	unsigned flags;
	size_t groups;
	const char *text;	/* for --debug */
};

enum sed_addr_kind { SED_LINE, SED_STEP, SED_LAST, SED_MATCH, SED_PLUS, SED_MULTIPLE };
struct sed_addr {
	enum sed_addr_kind kind;
	uint64_t n, step;
	struct sed_regex *re;
};

enum sed_range { SED_INACTIVE, SED_ACTIVE, SED_CLOSED };

/* A file that is written, by name: opened once for all commands. */
struct sed_out {
	int fd;
	const char *name;
	struct sink sink;	/* standard output: into tsb_put(); else to fd */
	bool is_stdout, missing_newline;
	struct sed_out *next;
};

/* A file read line by line (R). */
struct sed_in {
	const char *name;
	int fd;			/* -1: cannot be opened */
	struct lines lines;
	struct sed_in *next;
};

enum sed_case { SED_CASE_NONE, SED_CASE_UPPER, SED_CASE_LOWER };
/* A piece of a replacement: text, then perhaps a group. */
struct sed_piece {
	struct slice text;
	int group;		/* -1: none */
	bool case_set;		/* \U \L \E stands before it */
	enum sed_case lasting, next;	/* next: \u or \l for the first character */
};

struct sed_subst {
	struct sed_regex *re;
	struct sed_piece *pieces;
	size_t n_pieces;
	int max_group;
	bool global, eval;
	int print;		/* 1: after, 2: before the e flag */
	uint64_t number;
	struct sed_out *out;
	bool has_case;
	struct slice source;	/* the replacement, for --debug */
};

/* y: bytes, or characters as a list. */
struct sed_map {
	unsigned char bytes[256];
	bool wide;
	struct slice *from, *to;
	size_t n;
};

struct sed_cmd {
	struct sed_addr *a1, *a2;
	bool bang;
	enum sed_range range;
	uint64_t range_end;
	char cmd;
	int64_t number;		/* q Q l L: -1 none */
	size_t jump;		/* b t T { : index of the command */
	const char *label;	/* b t T : */
	struct slice text;	/* a i c e */
	const char *file;	/* r */
	struct sed_in *in;	/* R */
	struct sed_out *out;	/* w W */
	struct sed_subst *subst;
	struct sed_map *map;
};

/* ---- Running ---- */

struct sed_space {
	char *at;
	size_t n, cap;
	bool newline;		/* it had a line end */
};

struct sed_append {
	enum { SED_APPEND_TEXT, SED_APPEND_FILE } kind;
	struct slice text;
	const char *file;
};

struct sed_script {
	const char *file;	/* NULL: -e */
	const char *text;
	size_t n;
};

struct sed {
	struct tsb_proc *p;
	/* Options. */
	bool quiet, extended, separate, zero, unbuffered, posix, sandbox, debug, in_place, follow;
	bool strict;		/* --posix */
	const char *suffix;
	int64_t line_length;
	struct tsb_list operands_unused;
	struct sed_script *scripts;
	size_t n_scripts, cap_scripts;
	/* The program. */
	struct sed_cmd *cmds;
	size_t n_cmds, cap_cmds;
	struct sed_out *outs, out;	/* out: standard output or the edited file */
	struct sed_out std_out;
	struct sed_in *ins;
	/* The input. */
	char **files;
	size_t n_files, at_file;
	const char *name;	/* of the current file */
	struct lines in;
	bool open, quitting;
	uint64_t line;
	char end;		/* of a line */
	char *temp;		/* in place: the file that is being written */
	struct tsb_stat in_st;
	/* The state. */
	struct sed_space space, hold, scratch;
	struct sed_append *appends;
	size_t n_appends, cap_appends;
	bool replaced;		/* for t */
	struct sed_regex *last_regex;
	struct regex_span spans[10];
	int status;
	uint64_t steps;
};

/* ---- sed_parse.c ---- */
/* Compiles all scripts; ends the process with a message when one is wrong. */
void sed_compile(struct sed *s);
TSB_NORETURN void sed_panic(struct sed *s, int status, const char *fmt, ...) TSB_PRINTF(3, 4);

/* An open brace: its command, and where it stands. */
struct sed_block {
	size_t index;
	const struct sed_script *script;
	size_t line;
	unsigned expression;
};

/* The script that is being read. */
struct sed_parser {
	struct sed *s;
	const struct sed_script *script;
	size_t at, line;
	unsigned expression;	/* number of the -e */
	bool ended;		/* the end was read */
	struct str pending;	/* text of a, i, c that goes on in the next script */
	size_t pending_cmd;	/* index + 1 */
	struct sed_block *blocks;
	size_t n_blocks, cap_blocks;
};
int sed_get(struct sed_parser *q);		/* -1 at the end */
void sed_unget(struct sed_parser *q, int c);
int sed_get_nonblank(struct sed_parser *q);
TSB_NORETURN void sed_bad(struct sed_parser *q, const char *fmt, ...) TSB_PRINTF(2, 3);
uint64_t sed_get_number(struct sed_parser *q, int first);
struct sed_out *sed_get_out(struct sed_parser *q);	/* a file name: w */
const char *sed_get_file_name(struct sed_parser *q);

/* ---- sed_text.c ---- */
enum sed_text_kind { SED_TEXT_PLAIN, SED_TEXT_REGEX, SED_TEXT_REPLACEMENT };
/* \t \x41 \o101 \d065 \cA ... undone; other escapes are kept, or with PLAIN
 * lose their backslash. */
void sed_unescape(struct sed_parser *q, struct str *text, enum sed_text_kind kind);
/* Up to the delimiter: false when it is missing. */
bool sed_get_delimited(struct sed_parser *q, int delimiter, bool regex, struct str *out);
void sed_read_text(struct sed_parser *q, struct sed_cmd *cmd);	/* of a, i, c, e */
bool sed_continue_text(struct sed_parser *q);	/* in the next script */
void sed_end_text(struct sed_parser *q);

/* ---- sed_subst.c ---- */
struct sed_regex *sed_regex_new(struct sed_parser *q, struct str *text, unsigned flags);
void sed_parse_subst(struct sed_parser *q, struct sed_cmd *cmd);
void sed_parse_map(struct sed_parser *q, struct sed_cmd *cmd);
/* The regex that is meant now; NULL never. */
struct sed_regex *sed_regex_use(struct sed *s, struct sed_regex *re);
bool sed_match(struct sed *s, struct sed_regex *re, size_t from, size_t n_spans);
void sed_do_subst(struct sed *s, struct sed_subst *sub);
void sed_do_map(struct sed *s, const struct sed_map *map);

/* ---- sed_exec.c ---- */
int sed_run_program(struct sed *s);		/* the exit status */
/* Output of a shell command, in memory of the process. */
struct slice sed_shell(struct sed *s, struct slice command);

/* ---- sed_io.c ---- */
void space_set(struct sed *s, struct sed_space *sp, const char *at, size_t n);
void space_add(struct sed *s, struct sed_space *sp, const char *at, size_t n);
bool sed_read_line(struct sed *s);		/* false: no more input */
bool sed_is_last(struct sed *s);
void sed_put(struct sed *s, struct sed_out *o, const char *at, size_t n, bool newline);
void sed_put_raw(struct sed *s, struct sed_out *o, const char *at, size_t n);
void sed_end_line(struct sed *s, struct sed_out *o);	/* the newline that was missing */
void sed_flush_files(struct sed *s);
void sed_append_add(struct sed *s, struct sed_append a);
void sed_dump_appends(struct sed *s);
struct sed_in *sed_in_open(struct sed *s, const char *name);
/* The next line of it, with its end: a copy. false: none. */
bool sed_in_line(struct sed *s, struct sed_in *f, struct slice *line);
struct sed_out *sed_out_open(struct sed *s, const char *name);
void sed_finish(struct sed *s);			/* closes the current file */

/* ---- sed_debug.c ---- */
void sed_debug_program(struct sed *s);
void sed_debug_input(struct sed *s);
void sed_debug_step(struct sed *s, const struct sed_cmd *c);	/* before it */
void sed_debug_space(struct sed *s);
void sed_debug_spans(struct sed *s, const struct sed_regex *re);	/* of a match */

#endif
