/*
 * rg's parts: options (main.c, options.c), file types (types.c), patterns
 * (pattern.c on syntax.h), which files (walk.c), searching one (search.c), what is
 * printed (print.c, json.c, color.c).
 */
#ifndef CMD_RG_RG_H
#define CMD_RG_RG_H

#include <stdint.h>
#include <string.h>

#include <tinysandbox/command.h>

#include "base/str.h"
#include "base/vec.h"
#include "cmd/lines.h"
#include "text/gitignore.h"
#include "text/regex.h"

enum { RG_TROUBLE = 2 };
enum rg_case { RG_SENSITIVE, RG_INSENSITIVE, RG_SMART };
enum rg_engine { RG_RUST, RG_PCRE2, RG_AUTO };
enum rg_binary { RG_QUIT, RG_BINARY, RG_TEXT };
enum rg_encoding { RG_ENC_AUTO, RG_ENC_NONE, RG_ENC_UTF8, RG_ENC_UTF16LE, RG_ENC_UTF16BE,
		   RG_ENC_LATIN1 };
enum rg_sort { RG_SORT_NONE, RG_SORT_PATH, RG_SORT_MODIFIED, RG_SORT_ACCESSED, RG_SORT_CREATED };
enum rg_list { RG_LINES, RG_COUNT, RG_COUNT_MATCHES, RG_WITH_MATCH, RG_WITHOUT_MATCH };
enum rg_what { RG_PATH, RG_LINE, RG_COLUMN, RG_MATCH };

struct rg_style {
	int fg, bg;		/* -1: none; 256..: 256 + rgb */
	bool bold, intense, underline;
};

struct rg_span {
	size_t from, to;
};

struct rg_stats {
	uint64_t matches, lines, with_match, searched, printed, bytes;
};

struct rg_type {
	const char *name;
	VEC(const char *) globs;
};

struct rg {
	struct tsb_proc *p;
	struct tsb_heap *heap;
	/* Patterns. */
	VEC(struct slice) patterns;
	bool any_pattern_file, fixed, word, line, invert, multiline, dotall, crlf, null_data;
	bool no_unicode, no_pcre_unicode, auto_hybrid;
	int case_mode, engine;
	/* What is printed. */
	int with_name, heading, numbers, color;	/* -1: as it fits */
	bool column, no_column, byte_offset, null, only_matching, passthru, trim, vimgrep, json,
	     quiet, count, count_matches, files_with, files_without, stats, include_zero, preview,
	     pretty, no_messages, no_ignore_messages, line_buffered;
	const char *replacement, *context_sep, *field_context_sep, *field_match_sep, *path_sep;
	bool no_context_sep;
	uint64_t before, after, max_columns, max_count;
	bool has_max_count;
	struct rg_style styles[4];
	/* Which files. */
	bool files, type_list, hidden, follow, one_fs, search_zip, glob_icase, ignore_icase,
	     require_git;
	bool no_ignore, no_dot, no_vcs, no_parent, no_exclude, no_global, no_ignore_files;
	int unrestricted, binary, encoding, sort;
	bool reverse;
	uint64_t max_depth, max_filesize;
	bool has_max_depth, has_max_filesize;
	VEC(const char *) ignore_files;
	VEC(struct { const char *glob; bool icase; }) globs;
	VEC(struct { const char *name; bool negated; }) selections;
	VEC(const char *) type_clears, type_adds;
	VEC(struct rg_type) types;
	uint64_t threads;
	const char *pre;
	int n_operands;			/* seen so far */
	VEC(const char *) pre_globs;
	bool show_pcre2;
	/* The search. */
	struct regex *fast;		/* finds lines; NULL: only perl does */
	bool fast_any;			/* on any text, not on ASCII only */
	struct regex *perl;		/* finds matches in them */
	bool matches_nothing;
	char eol;
	int list;			/* enum rg_list */
	bool show_name, show_heading, show_numbers, use_color, per_match;
	bool need_spans;
	bool trouble, matched, searched_any, default_path;
	bool stop;			/* -q has what it wants */
	bool bad_rules;			/* an ignore file had bad lines */
	bool printed_any;		/* something of an earlier file */
	uint64_t out_bytes;
	struct rg_stats total;
	struct sink sink;
	struct gitignore *overrides;	/* of -g */
	struct gitignore *pre_rules;
	VEC(struct gitignore *) named_rules;	/* of --ignore-file */
	struct gitignore *type_rules, *type_not_rules;
	bool has_type_selection, has_type_negation;
	struct tsb_time started;
};

/* One file that is searched. */
struct rg_file {
	struct rg *g;
	const char *path;	/* as shown; "<stdin>" */
	bool explicit;		/* named on the command line */
	int fd;
	/* The text: [start, n) of it is kept, [at, end) are whole lines to be searched. */
	char *buf;
	size_t n, cap, at, end, done;	/* done: behind the last line that was printed */
	uint64_t base;		/* bytes of the file before buf */
	uint64_t line;		/* number of the line at `counted` */
	size_t counted;
	bool eof, whole, ascii;
	int error;
	int64_t binary_at;	/* offset of the first NUL; -1 */
	bool stopped;
	uint64_t after_left;
	bool any_printed;	/* a line of this file */
	bool head_done, gap;
	size_t line_from;	/* of the match that is printed */
	uint64_t matched_lines, stat_lines, matches, bytes;
	struct rg_span *spans;	/* of the current line, in buf */
	size_t n_spans, cap_spans;
	struct str json_begin;	/* not printed until there is a match */
	uint64_t printed_before;
	struct rg_stats stats;
};

/* ---- options.c ---- */
#define RG_NO_PATTERN "The following required arguments were not provided:\n    <PATTERN>"
extern const struct tsb_opt rg_opts[];
extern const struct rg rg_defaults;
/* Reads the arguments; operands stay. false: the command ends with *status. */
bool rg_parse(struct rg *g, int *argc, char **argv, int *status);
int rg_usage(struct tsb_proc *p, const char *text);
/* "text\n" to standard error, after all output so far. */
void rg_say(struct rg *g, const char *fmt, ...) TSB_PRINTF(2, 3);
const char *rg_os_error(struct rg *g, int err);	/* "No such file ... (os error 2)" */

/* ---- types.c ---- */
/* The table, changed as --type-clear and --type-add say: NULL or what is wrong. */
const char *rg_types_init(struct rg *g);
void rg_types_print(struct rg *g);
/* -t and -T into rules: NULL or the name that is not known. */
const char *rg_types_select(struct rg *g);
bool rg_type_wants(struct rg *g, const char *path, size_t n);

/* ---- pattern.c ---- */
bool rg_compile(struct rg *g);
/* All matches of buf[from..to), a line without its end (or several of -U). */
void rg_find_spans(struct rg_file *f, size_t from, size_t to);

/* ---- walk.c ---- */
void rg_walk(struct rg *g, int argc, char **argv, void (*found)(struct rg *g, const char *path,
								  bool explicit));

/* ---- search.c ---- */
void rg_search(struct rg *g, const char *path, bool explicit);
uint64_t rg_line_number(struct rg_file *f, size_t at);

/* ---- color.c ---- */
const char *rg_color_spec(struct rg *g, const char *spec);
void rg_styled(struct rg *g, enum rg_what what, const void *text, size_t n);
void rg_style_begin(struct rg *g, enum rg_what what);
void rg_style_end(struct rg *g, enum rg_what what);

/* ---- print.c ---- */
void rg_put(struct rg *g, const void *text, size_t n);
void rg_puts(struct rg *g, const char *s);
/* A line (or several with -U) that matches; or one of its context. `to` is behind its end. */
void rg_print_match(struct rg_file *f, size_t from, size_t to);
void rg_print_context(struct rg_file *f, size_t from, size_t to);
void rg_print_gap(struct rg_file *f);		/* "--" */
void rg_print_path(struct rg *g, const char *path);
void rg_print_end(struct rg_file *f);		/* counts, names, the warning of binary files */
void rg_print_stats(struct rg *g);

/* ---- json.c ---- */
void rg_json_begin(struct rg_file *f);
void rg_json_lines(struct rg_file *f, size_t from, size_t to, bool match);
void rg_json_end(struct rg_file *f);
void rg_json_summary(struct rg *g);

#endif
