/*
 * grep's parts: options and operands (grep.c), the options' table
 * (grep_options.c), searching one file (grep_file.c), what is printed
 * (grep_print.c), --include and the like (grep_names.c).
 */
#ifndef CMD_GREP_H
#define CMD_GREP_H

#include <stdint.h>

#include <tinysandbox/command.h>

#include "cmd/lines.h"
#include "text/pattern.h"
#include "text/regex.h"

#define GREP_TROUBLE 2

enum grep_matcher { GREP_BASIC, GREP_EXTENDED, GREP_FIXED, GREP_PERL };	/* above: awk */
enum grep_binary { GREP_BINARY, GREP_TEXT, GREP_WITHOUT_MATCH };
enum grep_dirs { GREP_DIR_READ, GREP_DIR_RECURSE, GREP_DIR_SKIP };
enum grep_devices { GREP_DEV_COMMAND_LINE, GREP_DEV_READ, GREP_DEV_SKIP };

struct grep_glob {
	struct pattern *pattern;
	bool include;
};
/* For names found in directories [0] and names given on the command line [1]. */
struct grep_globs {
	struct grep_glob *at;
	size_t n, cap;
};

struct grep_colors {
	const char *selected_match, *context_match, *selected_line, *context_line;
	const char *file, *line, *byte, *separator;
	bool reverse, no_erase;
};

struct grep {
	struct tsb_proc *p;
	const char *prog;	/* NULL: the name it was called by */
	/* Options. */
	int matcher, binary, dirs, devices;
	bool utf8;			/* the locale: characters, not bytes */
	bool matcher_set, follow, icase, word, line, zero, quiet_errors, invert;
	bool byte_offset, line_number, line_buffered, null_name, only_matching, quiet;
	bool count, tabs, any_pattern, crlf_kept, unix_offsets;
	int with_name;		/* 1 -H, -1 -h, 0: when several */
	int list;		/* 'l', 'L' or 0 */
	int64_t max_count;	/* INT64_MAX: no limit */
	int64_t before, after, context;	/* -1: not given */
	const char *label, *separator;
	bool no_separator;
	bool show_help;			/* a bad --color: the help text, status 0 */
	int color;
	struct str *patterns;	/* one a line */
	struct grep_globs globs[2], dir_globs[2];
	struct grep_colors colors;
	/* The search. */
	struct regex *re;
	bool match_nothing;	/* no pattern at all */
	char eol;
	struct tsb_stat out;
	bool out_known;
	bool trouble;		/* an error was seen */
	bool show_name;		/* before each line */
	bool done_early;	/* one selected line is enough */
	bool omit_dot;		/* "./" is not shown */
	/* The file. */
	const char *name;
	struct lines in;
	struct sink sink;
	uint64_t base;		/* bytes of the file before in.buf */
	size_t last_out;	/* behind the last line printed, in in.buf */
	bool has_last_out;
	size_t start;		/* where context may begin, in in.buf */
	uint64_t lines_before;	/* newlines before counted_to */
	size_t counted_to;
	int64_t pending, out_left;
	bool used;		/* a line was printed */
	bool silent;		/* -q, -l, -c, or a binary file */
	bool bad_encoding;	/* a selected line was left out for it */
	int64_t after_last;	/* offset behind the last selected line; -1 */
	int width;		/* of numbers with -T */
	uint64_t steps;
};

/* ---- grep_options.c ---- */
extern const struct tsb_opt grep_opts[];
extern const struct grep grep_defaults;
/* "grep: text[: error]"; egrep and fgrep say "grep" too. */
void grep_say(struct tsb_proc *p, struct grep *g, int err, const char *fmt, ...) TSB_PRINTF(4, 5);
int grep_usage(struct tsb_proc *p, struct grep *g);	/* the exit status */

/* ---- grep_file.c ---- */
/* Searches an open file: how many lines were selected. */
int64_t grep_search(struct grep *g, int fd, const struct tsb_stat *st);
void grep_warn(struct grep *g, int err, const char *what);	/* after all output so far */

/* ---- grep_print.c ---- */
void grep_colors_init(struct grep *g);
/* One line of in.buf with its end. sep: ':' selected, '-' context. */
void grep_print_line(struct grep *g, size_t from, size_t to, int sep);
/* Selected lines that need nothing before them; false: they must be printed one by
 * one. */
bool grep_print_plain(struct grep *g, size_t from, size_t to);
void grep_print_separator(struct grep *g);
void grep_print_name(struct grep *g);
void grep_print_count(struct grep *g, int64_t n);

/* ---- grep_names.c ---- */
void grep_glob_add(struct grep *g, struct grep_globs lists[2], const char *pattern, bool include);
int grep_globs_read(struct grep *g, const char *file);	/* --exclude-from */
bool grep_skips(const struct grep *g, const char *name, bool command_line, bool is_dir);

#endif
