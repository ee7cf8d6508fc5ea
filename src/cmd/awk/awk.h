/*
 * awk, inside: a program text becomes tokens (lex), then a tree whose names are
 * slots (parse, parse_stmt, resolve), and the tree is walked (exec, eval).
 *
 * Values are small structs, their strings are counted references; everything
 * lives in the process's heap. A val held by C code owns its reference: what
 * eval() gives must be dropped with val_drop() or moved on.
 */
#ifndef CMD_AWK_AWK_H
#define CMD_AWK_AWK_H

#include <tinysandbox/command.h>

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/heap.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/civil.h"
#include "text/regex.h"

struct awk;
struct node;

/* Keeps what a rare case needs off the stack of the common one: calls nest. */
#define NOINLINE __attribute__((noinline))

/* ---- Values ---- */

enum { ASCII_UNKNOWN, ASCII_YES, ASCII_NO };

struct awk_str {
	uint32_t refs;
	uint8_t ascii;
	size_t n;
	char p[];		/* n bytes and a NUL */
};

enum val_type {
	V_UNDEF,		/* untyped: may still become an array */
	V_UNSET,		/* was read as a scalar before anything was assigned */
	V_LINK,			/* a parameter that stands for an untyped variable of the caller */
	V_NUM,
	V_STR,
	V_INPUT,		/* from outside: a number too if it looks like one */
	V_REGEX,		/* @/.../ : str is its source */
	V_ARRAY
};

struct awk_val {
	enum val_type type;
	bool logical;		/* a number of mkbool() */
	double num;
	union {
		struct awk_str *str;
		struct awk_array *array;
		struct awk_val *link;
	};
};

struct awk_str *ak_str_make(struct awk *a, const char *p, size_t n);
struct awk_str *ak_str_blank(struct awk *a, size_t n);	/* room for n bytes, not set */
/* Of the only reference: the same with room for n bytes, at least as many. */
struct awk_str *ak_str_longer(struct awk *a, struct awk_str *s, size_t n);
void ak_str_drop_last(struct awk *a, struct awk_str *s);
bool ak_str_ascii(const struct awk *a, struct awk_str *s);	/* a byte is a character */
void ak_str_look(struct awk *a, struct awk_str *s);	/* warns, once, of what is no UTF-8 */

static inline struct awk_str *str_hold(struct awk_str *s)
{
	s->refs++;
	return s;
}
static inline void str_drop(struct awk *a, struct awk_str *s)
{
	if (!--s->refs)
		ak_str_drop_last(a, s);
}

void ak_val_drop_slow(struct awk *a, struct awk_val *v);
static inline void val_drop(struct awk *a, struct awk_val *v)
{
	if (v->type >= V_STR)
		ak_val_drop_slow(a, v);
}
void ak_val_copy(struct awk_val *to, const struct awk_val *from);	/* to was empty */
static inline void val_number(struct awk_val *v, double num)
{
	v->type = V_NUM;
	v->logical = false;
	v->num = num;
}
static inline void val_string(struct awk_val *v, struct awk_str *s)	/* takes the reference */
{
	v->type = V_STR;
	v->str = s;
}
void ak_val_input(struct awk *a, struct awk_val *v, const char *p, size_t n);
double ak_val_to_num(struct awk *a, const struct awk_val *v);
/* A reference that is yours. With ofmt: as print does it. */
struct awk_str *ak_val_to_str(struct awk *a, const struct awk_val *v);
struct awk_str *ak_val_to_out(struct awk *a, const struct awk_val *v);
bool ak_val_true(struct awk *a, const struct awk_val *v);
/* Is it a number: by type, or input that looks like one? */
bool ak_val_is_num(struct awk *a, const struct awk_val *v, double *num);
int ak_val_compare(struct awk *a, const struct awk_val *x, const struct awk_val *y, bool *nan);
int ak_str_compare(struct awk *a, const char *x, size_t nx, const char *y, size_t ny);

/* number.c: texts and numbers */
size_t ak_number_parse(struct awk *a, const char *p, size_t n, double *num);	/* bytes it took */
bool ak_number_looks(struct awk *a, const char *p, size_t n, double *num);
double ak_number_strtonum(struct awk *a, const char *p, size_t n);
/* Input under -n: 0x11 and -0x11 are numbers, 011 is octal. */
double ak_number_non_decimal(struct awk *a, const char *p, size_t n);
struct awk_str *ak_number_text(struct awk *a, double num, struct awk_str *format);
const char *ak_number_odd(double num);	/* "+inf", "-nan" ..., NULL for others */

/* ---- Arrays: gawk's three kinds, because for (k in a) shows them ---- */

struct elem {
	struct elem *next;
	struct awk_str *key;	/* NULL: only the number, until it is asked for */
	int64_t number;
	size_t code;
	struct awk_val v;
};

struct elem_table {
	struct elem **at;
	size_t size, n;
};

enum array_kind { ARRAY_EMPTY, ARRAY_STR, ARRAY_INT, ARRAY_COUNT };

struct awk_array {
	uint32_t refs;
	enum array_kind kind;
	struct elem_table strings, ints, counts;	/* counts: 1, 2, 3 ... */
};

struct awk_array *ak_array_new(struct awk *a);
void ak_array_drop(struct awk *a, struct awk_array *x);
void ak_array_clear(struct awk *a, struct awk_array *x);
static inline size_t array_size(const struct awk_array *x)
{
	return x->strings.n + x->ints.n + x->counts.n;
}
/* NULL: not there (put: made, undefined). */
struct awk_val *ak_array_at(struct awk *a, struct awk_array *x, const struct awk_val *key,
			    bool put);
struct awk_val *ak_array_at_str(struct awk *a, struct awk_array *x, const char *key, size_t n);
struct awk_val *ak_array_at_num(struct awk *a, struct awk_array *x, int64_t key);
void ak_array_delete(struct awk *a, struct awk_array *x, const struct awk_val *key);
struct elem **ak_array_list(struct awk *a, struct awk_array *x, size_t *n);
struct awk_str *ak_elem_key(struct awk *a, struct elem *e);
/* sort.c: the list in the order `how` names ("" or "unsorted": gawk's own). */
void ak_array_sort(struct awk *a, struct elem **list, size_t n, struct awk_str *how);
void ak_array_asort(struct awk *a, struct awk_array *from, struct awk_array *to,
		    struct awk_str *how,
		 bool by_index);

/* ---- The tree ---- */

enum node_op {
	N_CONST, N_REGEX, N_GLOBAL, N_SPECIAL, N_LOCAL, N_INDEX, N_FIELD, N_ASSIGN, N_CHANGE,
	N_BEFORE, N_AFTER, N_COND, N_AND, N_OR, N_NOT, N_NEG, N_PLUS, N_BINARY, N_COMPARE,
	N_CONCAT, N_MATCH, N_IN, N_GROUP, N_CALL, N_INDIRECT, N_BUILTIN, N_GETLINE,
	N_EXPR, N_PRINT, N_PRINTF, N_IF, N_WHILE, N_DO, N_FOR, N_FORIN, N_BLOCK, N_BREAK,
	N_CONTINUE, N_NEXT, N_NEXTFILE, N_EXIT, N_RETURN, N_DELETE, N_SWITCH, N_CASE
};

/* Regular expressions are compiled when first used, per pattern and case. */
struct awk_regex {
	struct regex *re;
	struct awk_str *source;
	bool icase;
	unsigned generation;
};

struct node {
	enum node_op op;
	int sub;		/* operator, builtin, kind of redirection */
	int line;
	uint32_t at;		/* a statement, a number: its place in the text, plus 1 */
	const char *source;	/* file, NULL: the command line */
	uint32_t slot;
	uint8_t paren;		/* in how many parentheses it stood */
	struct node *a, *b, *c, *d, *next;
	struct awk_val v;	/* constants, regex sources */
	struct awk_regex cache;
	struct func *func;
};

/* Where a rule or a function stands in its text; from: behind the one before it. */
struct place {
	const char *text;
	size_t from, at, end;
	int line;
};

struct awk_comment {
	const char *text;
	size_t at, n;
	int line;
	bool alone;		/* nothing stands before it in its line */
	bool done;		/* has been printed */
};

enum lint { LINT_OFF, LINT_ON, LINT_FATAL };

struct ak_native;

struct func {
	const char *name;
	const struct ak_native *native;		/* of an extension; NULL: of the program */
	bool called;		/* by its name */
	struct place place;
	struct node *body;
	VEC(const char *) params;
	VEC(bool) is_array;
	bool defined;
	int line;
	const char *source;
};

struct rule {
	struct node *pattern, *pattern_end, *body;
	struct place place;
	bool has_body, active;
};
typedef VEC(struct rule) rule_list;

/* ---- Variables ---- */

enum {
	VAR_NF, VAR_NR, VAR_FNR, VAR_FS, VAR_OFS, VAR_ORS, VAR_RS, VAR_SUBSEP, VAR_CONVFMT, VAR_OFMT,
	VAR_RSTART, VAR_RLENGTH, VAR_FILENAME, VAR_ENVIRON, VAR_IGNORECASE, VAR_RT, VAR_FPAT,
	VAR_FIELDWIDTHS, VAR_PROCINFO, VAR_ARGC, VAR_ARGV, VAR_ARGIND, VAR_ERRNO, VAR_BINMODE,
	VAR_LINT, VAR_TEXTDOMAIN, VAR_PREC, VAR_ROUNDMODE, VAR_SYMTAB, VAR_FUNCTAB, VAR_SPECIAL_END
};

/* ---- Input and output ---- */

struct input {
	int fd;
	char *buf;
	size_t at, n, cap;
	bool eof, begun;	/* begun: a record was taken */
	int error;
	const char *rt;		/* the terminator of the last record */
	size_t rt_n;
};
/* The next record, borrowed until the next call; false at the end. */
bool ak_input_record(struct awk *a, struct input *in, const char **p, size_t *n);
void ak_input_end(struct awk *a, struct input *in);

enum stream_kind {
	STREAM_IN, STREAM_IN_PIPE, STREAM_OUT, STREAM_APPEND, STREAM_OUT_PIPE, STREAM_TWO
};

struct stream {
	struct stream *next;
	struct awk_str *name;
	enum stream_kind kind;
	struct input in;
	int out_fd;		/* -1: none, 1: standard output */
	int pid;
	char *buf;
	size_t n;
	bool direct;		/* every print is written at once */
	bool reverse, mirror;	/* of revoutput, revtwoway */
	size_t used;		/* when it was written to last */
	bool parked;		/* closed for want of descriptors; goes on at its end */
	int status;
};

struct stream *ak_stream_open(struct awk *a, enum stream_kind kind, struct awk_str *name);
void ak_stream_write(struct awk *a, struct stream *s, const char *p, size_t n);
int ak_stream_flush(struct awk *a, struct stream *s);
int ak_streams_flush(struct awk *a);
void ak_out_check(struct awk *a, const char *what, const char *name);	/* fatal when standard output could not be written */
/* PROCINFO["NONFATAL"], PROCINFO[name, "NONFATAL"]: output errors only set ERRNO. */
bool ak_nonfatal(struct awk *a, const struct awk_str *name);
int ak_stream_close(struct awk *a, const struct awk_val *name, const char *how);
int ak_streams_end(struct awk *a);
int awk_system(struct awk *a, const char *command);
int awk_read_file(struct awk *a, const char *name, struct str *out);
/* A part of the program: NAME, or for a library NAME.awk, along AWKPATH. */
int awk_read_source(struct awk *a, const char *name, bool library, struct str *out);

/* ---- Splitting ---- */

struct piece {
	const char *p;
	size_t n;
};
typedef VEC(struct piece) piece_list;

enum split_mode { SPLIT_FS, SPLIT_FPAT, SPLIT_WIDTHS };

/* seps may be NULL: what stands between (and, at blanks, around) the pieces. */
void ak_split_fs(struct awk *a, const char *p, size_t n, const struct awk_val *fs,
		 struct awk_regex *re,
	      bool record, piece_list *out, piece_list *seps);
void ak_split_fpat(struct awk *a, const char *p, size_t n, struct regex *re, piece_list *out,
		piece_list *seps);
void ak_split_widths_check(struct awk *a);
void ak_split_widths(struct awk *a, const char *p, size_t n, piece_list *out);

struct field {
	const char *p;
	size_t n;
	bool made;		/* v holds it */
	struct awk_val v;
};

/* ---- The machine ---- */

enum { RANDOM_TABLE = 512 };

/* A call that runs: messages name an array by all its names. */
struct call {
	const struct call *outer;
	const struct func *func;
	const struct awk_val *frame;
};

struct awk {
	struct tsb_proc *p;
	struct tsb_heap *heap;
	size_t assigned_end;	/* variables that were made by -v stand before it */
	char **operands;	/* of the command line */
	int n_operands;
	char **arguments;	/* options and all */
	int n_arguments;
	bool posix, traditional, sandbox, non_decimal, utf8;
	bool no_assignments;	/* -E: operands are files */
	bool loaded, reversing, mirror;		/* extensions: any, revoutput, revtwoway */
	/* the program */
	rule_list begin, end, main, begin_file, end_file;
	struct map global_names, func_names;
	VEC(struct awk_val) globals_made;
	VEC(const char *) global_list;	/* their names */
	struct awk_val *globals;
	size_t n_globals;
	VEC(struct func *) funcs;
	bool uses[VAR_SPECIAL_END];
	const char *pretty, *dump;	/* the files of -o and -d */
	enum lint lint;
	bool lint_no_extensions, lint_old;
	struct map lint_words;	/* that have been warned of */
	VEC(struct awk_comment) comments;	/* for -o */
	const char *last_text;	/* what was read last, and where its last rule ends */
	size_t last_end;
	int last_line;
	/* where we are */
	int line;
	const char *source;
	struct awk_val *frame;
	const struct call *calls;	/* the innermost */
	uintptr_t stack_base;
	struct func *running;
	jmp_buf *next_jump, *exit_jump, *file_jump;
	struct awk_val returned;
	bool in_end, exiting, errors;
	int status;
	size_t steps;
	/* the record */
	struct awk_str *record;
	size_t record_cap;
	bool record_text;	/* it was assigned a string */
	bool record_stale;	/* $0 must be put together from the fields */
	bool split_done;
	struct field *fields;	/* from 1 */
	size_t nf, fields_cap;
	piece_list pieces;
	enum split_mode split_mode;
	struct awk_regex fs_re, rs_re, fpat_re;
	struct awk_val split_fs;	/* what the record is split by */
	double nr, fnr;
	/* main input */
	struct input in;
	bool in_open, in_stdin_used, in_file_rule, in_end_file, skip_file;
	double argind;
	/* the rest */
	struct inplace *inplace;
	struct stream *streams;
	size_t stream_uses;
	struct map regexes;
	unsigned regex_generation;
	bool icase, escape_warned[128], invalid_warned;
	uint32_t random_state[63], random_table[RANDOM_TABLE], random_last;
	int random_at;
	bool random_seeded;
	double seed;
	struct zone zone;
	bool zone_known;
	struct awk_str *empty, *unset;	/* unset: of a field that is not there */
};

/* message.c */
void awk_warn(struct awk *a, const char *fmt, ...) TSB_PRINTF(2, 3);
/* What the parser finds and can go on after: the program does not run, status 1. */
void awk_error(struct awk *a, const char *source, int line, const char *text);
void awk_fatal(struct awk *a, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
static inline void awk_tick(struct awk *a)
{
	if (++a->steps >= 1000) {
		tsb_tick(a->p, a->steps);
		a->steps = 0;
	}
}

/* Ends the process when the stack is used up: nesting comes from strangers. */
void awk_too_deep(struct awk *a) TSB_NORETURN;
enum { AWK_STACK_MAX = 3 << 20 };
static inline void awk_deep(struct awk *a)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (a->stack_base - here > AWK_STACK_MAX && a->stack_base > here)
		awk_too_deep(a);
}

/* regex.c */
struct regex *ak_regex_of(struct awk *a, struct awk_regex *cache, struct awk_str *source);
void ak_regex_check(struct awk *a, const struct awk_str *source);
/* As regex_compile(), in the program's dialect. */
struct regex *ak_regex_compile(struct awk *a, const char *p, size_t n, const char **error);
enum { MATCH_MAX = 100 };
bool ak_regex_run(struct awk *a, struct regex *re, const char *p, size_t n, size_t from,
	       struct regex_span *spans, size_t n_spans);
/* With REGEX_NOTBOL, say. */
bool ak_regex_run_in(struct awk *a, struct regex *re, const char *p, size_t n, size_t from,
		     unsigned flags, struct regex_span *spans, size_t n_spans);

/* vars.c */
void ak_vars_init(struct awk *a);
void ak_vars_fill(struct awk *a, int argc, char **argv);
bool ak_var_special(const char *name);
uint32_t ak_var_slot(struct awk *a, const char *name, size_t n);
void ak_var_read(struct awk *a, uint32_t slot, struct awk_val *out);
void ak_var_set(struct awk *a, uint32_t slot, struct awk_val *v);	/* takes v */
struct awk_str *ak_var_str(struct awk *a, uint32_t slot);		/* yours */
/* "name=value" of the command line: false if it is none. */
/* option: of -v, so that what is no name is fatal. */
bool ak_var_command_line(struct awk *a, const char *arg, bool option);
void ak_var_errno(struct awk *a, int err);
void ak_var_check_file(struct awk *a, const struct awk_val *v);
struct awk_array *ak_var_array(struct awk *a, uint32_t slot);

/* symbols.c: SYMTAB and FUNCTAB */
struct awk_array *ak_symtab(struct awk *a);
/* Takes v if the target is an element of SYMTAB or FUNCTAB. */
bool ak_symtab_store(struct awk *a, struct node *target, struct awk_val *v);
/* Fatal if SYMTAB or FUNCTAB has no such element. */
void ak_symbols_check(struct awk *a, uint32_t slot, struct awk_array *x, const struct awk_val *key);
void ak_symbols_no_delete(struct awk *a, const struct node *array);
void ak_functab_fill(struct awk *a);
void ak_identifiers_fill(struct awk *a, struct awk_array *x);

/* field.c */
void ak_record_set(struct awk *a, const char *p, size_t n);
void ak_record_assign(struct awk *a, struct awk_val *v);	/* takes v */
struct awk_str *ak_record_str(struct awk *a);		/* borrowed */
size_t ak_field_count(struct awk *a);
void ak_field_set_count(struct awk *a, double n);
void ak_field_get(struct awk *a, double index, struct awk_val *out);
void ak_field_put(struct awk *a, double index, struct awk_val *v);	/* takes v */
/* What sub() may assign to is there, whether it does or not: NF grows. */
void ak_field_reach(struct awk *a, double index);
void ak_fields_forget(struct awk *a);			/* before FS changes */

/* inplace.c: of -i inplace; nothing without it */
struct inplace {
	char *name, *temp;	/* name: NULL between files */
	int saved;		/* the real standard output */
};
void ak_inplace_begin(struct awk *a, const char *name);
void ak_inplace_end(struct awk *a);

/* input.c: the main input */
bool ak_main_record(struct awk *a, const char **p, size_t *n);
bool ak_main_next_file(struct awk *a);

/* exec.c, eval.c, call.c */
enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };
enum { JUMP_NEXT = 1, JUMP_NEXTFILE = 2 };
enum flow ak_exec(struct awk *a, struct node *n);
void ak_run_rules(struct awk *a, rule_list *rules);
void ak_run_program(struct awk *a);
void ak_eval(struct awk *a, struct node *n, struct awk_val *out);
/* An array where a scalar must be is fatal, with its name. */
void ak_eval_scalar_check(struct awk *a, struct node *n, const struct awk_val *v);
double ak_eval_num(struct awk *a, struct node *n);
struct awk_str *ak_eval_str(struct awk *a, struct node *n);
bool ak_eval_true(struct awk *a, struct node *n);
struct awk_array *ak_eval_array(struct awk *a, struct node *n);
/* Of a builtin's argument; which: "split: second". */
struct awk_array *ak_eval_array_of(struct awk *a, struct node *n, const char *which);
/* The value behind a name, for looking: it stays untyped. NULL: no plain name. */
struct awk_val *ak_eval_peek(struct awk *a, struct node *n);
void ak_eval_key(struct awk *a, struct node *subs, struct awk_val *out);
void ak_eval_assign(struct awk *a, struct node *n, struct awk_val *out);
void ak_eval_store(struct awk *a, struct node *target, struct awk_val *v);	/* takes v */
/* The target with what its index gives in the index's place: it is evaluated once, though the
 * target is read and written. A field is there from now on. */
struct node *ak_fix_target(struct awk *a, struct node *n, struct node *copy, struct node *index);
struct regex *ak_eval_regex(struct awk *a, struct node *n);
void ak_eval_call(struct awk *a, struct func *f, struct node *args, struct awk_val *out);
void ak_eval_indirect(struct awk *a, struct node *n, struct awk_val *out);
void ak_call_with(struct awk *a, struct func *f, struct awk_val *args, size_t n,
		  struct awk_val *out);
void ak_eval_getline(struct awk *a, struct node *n, struct awk_val *out);
void ak_eval_builtin(struct awk *a, struct node *n, struct awk_val *out);

/* builtins in further files */
void ak_bi_substitute(struct awk *a, struct node *n, struct awk_val *out);
void ak_bi_gensub(struct awk *a, struct node *n, struct awk_val *out);
void ak_bi_match(struct awk *a, struct node *n, struct awk_val *out);
void ak_bi_split(struct awk *a, struct node *n, struct awk_val *out);
void ak_bi_patsplit(struct awk *a, struct node *n, struct awk_val *out);
void ak_bi_bits(struct awk *a, struct node *n, struct awk_val *out);
void ak_bi_strftime(struct awk *a, struct node *n, struct awk_val *out);
void ak_bi_mktime(struct awk *a, struct node *n, struct awk_val *out);
void ak_bi_typeof(struct awk *a, struct node *n, struct awk_val *out);
double ak_random_next(struct awk *a);
void ak_random_seed(struct awk *a, uint32_t seed);
/* printf.c */
void awk_format(struct awk *a, struct str *out, struct awk_str *format, struct awk_val *args,
		size_t n);
void awk_sprintf(struct awk *a, struct node *args, struct str *out);

/* lex.c, parse.c */
void ak_parse_program(struct awk *a, const char *text, size_t n, const char *source);
void ak_parse_finish(struct awk *a);

enum builtin {
	B_ADUMP, B_AND, B_ASORT, B_ASORTI, B_ATAN2, B_CLOSE, B_COMPL, B_COS, B_EXP, B_FFLUSH, B_GENSUB,
	B_GSUB, B_INDEX, B_INT, B_ISARRAY, B_LENGTH, B_LOG, B_LSHIFT, B_MATCH, B_MKBOOL, B_MKTIME, B_OR,
	B_PATSPLIT, B_RAND, B_RSHIFT, B_SIN, B_SPLIT, B_SPRINTF, B_SQRT, B_SRAND, B_STRFTIME,
	B_STRTONUM, B_SUB, B_SUBSTR, B_SYSTEM, B_SYSTIME, B_TOLOWER, B_TOUPPER, B_TYPEOF, B_XOR,
	B_BINDTEXTDOMAIN, B_DCGETTEXT, B_DCNGETTEXT
};

/* lint.c: warnings of --lint, when the program runs */
void ak_lint(struct awk *a, const char *fmt, ...) TSB_PRINTF(2, 3);
void ak_lint_mode(struct awk *a, const char *value);
void ak_lint_assigned(struct awk *a);
void ak_lint_unset(struct awk *a, struct node *n, const struct awk_val *key);
void ak_lint_field(struct awk *a, double index);
void ak_lint_end(struct awk *a);	/* $0 or a field is asked for */
/* An argument; what: the text of the warning when its type is another. */
double ak_lint_num(struct awk *a, struct node *n, const char *what);
struct awk_str *ak_lint_str(struct awk *a, struct node *n, const char *what);
void ak_lint_substr(struct awk *a, double from, double length, double n, bool has_length);
void ak_lint_streams(struct awk *a);
void ak_lint_program(struct awk *a, int last_line);

/* pretty.c: the program as -o shows it, and the variables of -d */
void ak_pretty_program(struct awk *a, const char *file);
void ak_dump_variables(struct awk *a, const char *file);

/* extension.c: what -l and @load know. False: there is no such library. */
enum { NATIVE_ARGUMENTS = 4 };
bool ak_library_load(struct awk *a, const char *name);
void ak_native_call(struct awk *a, const struct func *f, struct awk_val *args, size_t n,
		    struct awk_val *out);
bool ak_reverses(struct awk *a);	/* revoutput, and REVOUT is true */

/* ---- options.c: for the documentation ---- */
extern const struct tsb_opt ak_options[];

#endif
