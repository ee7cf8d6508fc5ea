/*
 * find, between its files: the expression is a program of tests and jumps that
 * is run for every file of a walk.
 *
 *	find.c		leading options, starting points, the walk
 *	find_expr.c	words -> tokens -> program; running it
 *	find_table.c	the predicates by name
 *	find_args.c	reading the arguments of tests
 *	find_tests.c	the tests
 *	find_time.c	tests on times
 *	find_exec.c	-exec and its family
 *	find_out.c	-print, -ls, -delete, -quit and where output goes
 *	find_printf.c	-printf: compiling a format, printing by it
 *	find_regex.c	-regex in its dialects
 */
#ifndef CMD_FIND_H
#define CMD_FIND_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "base/vec.h"
#include "cmd/walk.h"
#include "text/civil.h"

struct find;
struct find_pred;
struct find_format;
struct find_exec;
struct pattern;
struct regex;
struct mode_change;

enum find_cmp { FIND_LESS, FIND_EQUAL, FIND_MORE };

struct find_num {
	enum find_cmp cmp;
	uint64_t n;
};

/* A file that -fprint and its like write to; fd -1: standard output. */
struct find_out {
	const char *name;
	int fd;
	int error;
	struct str buf;
};

typedef bool find_eval(struct find *f, struct find_pred *a);

/* A test or an action with its argument, read. */
struct find_pred {
	const char *name;
	find_eval *eval;
	union {
		struct find_num num;
		struct { struct find_num num; uint64_t unit; } size;
		struct { struct tsb_time at; enum find_cmp cmp; int which; double window; } time;
		struct { int kind; uint32_t bits[2]; } perm;
		struct { uint64_t dev, ino; } file;
		struct pattern *pattern;
		struct regex *regex;
		const char *text;
		unsigned types;
		int access;
		struct find_exec *exec;
		struct { struct find_out *out; struct find_format *format; int end; } print;
	} u;
};

enum find_kind { FIND_PRIMARY, FIND_NOT, FIND_BINARY, FIND_OPEN, FIND_CLOSE };

struct find_token {
	enum find_kind kind;
	int prec;
	const char *name;
	bool artificial;
	struct find_pred *pred;
};

enum find_op { FIND_RUN, FIND_INVERT, FIND_IF_FALSE, FIND_IF_TRUE };

struct find_code {
	enum find_op op;
	struct find_pred *pred;
	size_t target;
};

enum find_follow { FIND_NEVER, FIND_OPERANDS, FIND_ALWAYS };

struct find {
	struct tsb_proc *p;
	int argc, at;			/* the arguments, and the next to read */
	char **argv;
	const char *predicate;		/* whose argument is being read */
	const char *first_test;		/* before which global options belong */

	enum find_follow follow;
	bool stat_failed;		/* of this entry, and that has been said */
	bool depth_first, depth_given, one_fs, warn, daystart, prints, prunes, deletes, asks;
	bool checked_path;
	long max_depth, min_depth;	/* max -1: none */
	unsigned regex;			/* of find_regex.c */
	struct tsb_time now, day;	/* day: 24 hours ago, or the last midnight */
	struct zone zone;
	const char *files0;

	VEC(struct find_token) tokens;
	VEC(struct find_code) code;
	VEC(struct find_out *) outs;
	VEC(struct find_exec *) execs;
	int widths[6];			/* of -ls: they only grow */
	struct tsb_reader answers;
	bool asked;

	struct walk *walk;
	struct walk_entry *e;		/* the file in question */
	const char *start;		/* its starting point */
	int status;
	bool quit, prune;
};

/* ---- find.c ---- */
void find_die(struct find *f, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
/* "‘name’: Strerror", and the exit status is 1. */
void find_file_error(struct find *f, int err, const char *name);
/* Makes e->st whole; false after the message. */
bool find_stat(struct find *f);
/* stat or lstat, whichever -P, -H and -L ask for files named as arguments. */
int find_stat_named(struct find *f, const char *name, struct tsb_stat *st);
/* Are links followed for the current file? */
bool find_following(const struct find *f);
/* The last component without trailing slashes; "/" of a root. */
char *find_base(struct find *f, bool keep_slashes);

/* ---- find_expr.c ---- */
bool find_is_expression(const char *arg, bool leading);
void find_parse(struct find *f);	/* f->argv from f->at on */
struct find_pred *find_add(struct find *f, find_eval *eval);
void find_evaluate(struct find *f);

/* ---- find_table.c ---- */
/* Reads arguments from f->at on; false: they are missing or bad. */
typedef bool find_reader(struct find *f, int value);
enum find_class { FIND_TEST, FIND_GLOBAL, FIND_POSITIONAL, FIND_OPERATOR };
struct find_row {
	const char *name;	/* with its dash */
	enum find_class class;
	find_reader *read;
	int value;
};
const struct find_row *find_row(const char *word);
extern const struct tsb_opt find_words[];	/* the same for --help */
/* The next argument; NULL: missing. */
const char *find_arg(struct find *f);

/* ---- find_args.c ---- */
find_reader find_read_fstype, find_read_group, find_read_num, find_read_perm, find_read_samefile;
find_reader find_read_size, find_read_type, find_read_user, find_read_name, find_read_path;
find_reader find_read_lname;
/* "+5", "-5", "5" */
bool find_number(const char *s, struct find_num *num);
enum find_cmp find_sign(const char **s);

/* ---- find_tests.c ---- */
enum { FIND_UID, FIND_GID, FIND_LINKS, FIND_INUM };
find_eval find_true, find_false, find_is_num_uid, find_is_num_gid, find_is_num_links;
find_eval find_is_num_inum, find_is_size, find_is_empty, find_is_type, find_is_xtype;
find_eval find_is_perm, find_is_nouser, find_is_nogroup, find_is_samefile, find_is_access;
find_eval find_is_fstype, find_is_name, find_is_path, find_is_lname;
unsigned find_type_bit(uint32_t mode);

/* ---- find_time.c ---- */
find_reader find_read_days, find_read_minutes, find_read_newer, find_read_newer_xy, find_read_used;
find_reader find_read_daystart;

/* ---- find_exec.c ---- */
find_reader find_read_exec;
void find_exec_finish(struct find *f, bool only_dirs);

/* ---- find_out.c ---- */
find_reader find_read_print, find_read_fprint, find_read_ls, find_read_fls, find_read_delete;
struct find_out *find_out_open(struct find *f, const char *name);
void find_out_flush(struct find *f);
void find_out_end(struct find *f);
/* Hands what is in out->buf on when it is much. */
void find_out_wrote(struct find *f, struct find_out *out);

/* ---- find_printf.c ---- */
find_reader find_read_printf, find_read_fprintf;

/* ---- find_regex.c ---- */
enum { FIND_EMACS = 1u << 30, FIND_EMACS_DOT = 1u << 29 };
find_reader find_read_regex, find_read_regextype;

#endif
