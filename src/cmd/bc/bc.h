/*
 * What the files of bc share.
 *
 * lex.c makes tokens, parse.c drives the grammar (grammar.txt, tables.h), the
 * actions of parse_*.c give code as text ("K12:s5:p"), code.c loads it into
 * functions, and run*.c execute it. That is more than a calculator needs, but
 * errors tell the address of the failing instruction, and -c prints the text.
 */
#ifndef CMD_BC_BC_H
#define CMD_BC_BC_H

#include <tinysandbox/command.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/decimal.h"

enum {
	BC_DIM_MAX = 16777215,
	BC_NAMES_MAX = 32767,
	BC_IBASE = 0, BC_OBASE, BC_SCALE, BC_HISTORY, BC_LAST, BC_NAMED	/* variables */
};

/* Of expressions. */
enum { BC_REG = 1, BC_COMP = 2, BC_PAREN = 4, BC_IS_VOID = 8, BC_EMPTY = 16 };

struct bc_options {
	bool mathlib, interactive, quiet, standard, warn, code_only;
	const char *name;	/* of the program, in its usage */
};

/* Parameters, automatic variables and arguments; arrays have negative names. */
struct bc_arg {
	int name;
	bool by_variable;
	struct bc_arg *next;
};

struct bc_value {
	int number;
	const char *text;
	struct bc_arg *args;	/* the last comes first */
};

struct bc_function {
	const char *name;
	VEC(unsigned char) code;
	VEC(size_t) labels;
	struct bc_arg *params, *autos;	/* the last comes first, as arguments are taken */
	bool defined, is_void;
};

struct bc_variable {
	struct decimal *value;
	struct bc_variable *hidden;	/* what it was outside of the function */
};

struct bc_cell {
	uint32_t index;
	struct decimal *value;	/* NULL: free */
};

struct bc_table {
	size_t refs;
	size_t n, cap;		/* cap: a power of 2, or 0 */
	struct bc_cell *at;
};

struct bc_array {
	struct bc_table *table;
	struct bc_array *hidden;
};

struct bc_name {
	const char *name;
	struct bc_variable *variable;
	struct bc_array *array;
};

struct bc_position {
	int function;
	size_t at;
};

struct bc_frame {
	struct bc_position back;
	int constant_base;
};

struct bc {
	struct tsb_proc *p;
	struct tsb_heap *heap;
	struct decimal_ctx numbers;
	struct bc_options *o;

	/* input */
	char **files;
	const char *library;	/* text still to be read before the files */
	bool library_waits;	/* until a function is named */
	const char *file_name;
	int fd;			/* -1: no file */
	bool is_stdin, input_ended;
	int line;
	struct str text;	/* read and not yet scanned, from text_at on */
	size_t text_at;
	char read_block[4096];	/* of read(), which reads for itself */
	size_t read_at, read_n;

	/* compiling */
	struct bc_value value;	/* of the token, then of the action */
	VEC(void *) pieces;	/* texts of tokens and such, for this line's code only */
	struct map name_of[3];	/* simple, arrays, functions: number + 1 */
	VEC(struct bc_name) simple, arrays;	/* by number */
	size_t n_simple;	/* those that have names; the library's have none */
	VEC(struct bc_function) functions;
	int library_functions;	/* numbers up to this one */
	int next_label, break_label, continue_label, if_label;
	int current_function;	/* -1: none */
	bool had_error, generated, loading_library;
	bool error_over;	/* the parser may tell the next one */
	struct bc_position load, saved_load;
	bool in_string, in_constant;
	size_t code_column;

	/* running */
	struct bc_position pc;
	VEC(struct decimal *) stack;
	VEC(struct bc_frame) frames;
	bool failed;
	int constant_base;	/* of constants in functions */
	int ibase;
	uint32_t obase;
	size_t scale;
	int history;
	size_t column, line_size;
	struct str out;
	size_t steps;
	uint32_t random[31];	/* see run_call.c */
	bool random_started;
	size_t random_at;
};

/* ---- lex.c, input.c ---- */
int bcl_token(struct bc *b);			/* its value is in b->value */
/* The byte `ahead` of the scanner, or -1 at the end of this file. */
int bcl_peek(struct bc *b, size_t ahead);
void bcl_skip(struct bc *b, size_t n);
bool bcl_next_file(struct bc *b);		/* false: that was the last */
int bcl_read_byte(struct bc *b);		/* for read(); -1 at the end */

/* ---- parse.c ---- */
void bcp_parse(struct bc *b);


/* ---- message.c ---- */
void bc_error(struct bc *b, const char *fmt, ...) TSB_PRINTF(2, 3);
/* What POSIX does not know: a warning, an error, or nothing, by -w and -s. */
void bc_extension(struct bc *b, const char *fmt, ...) TSB_PRINTF(2, 3);
void bc_run_error(struct bc *b, const char *fmt, ...) TSB_PRINTF(2, 3);
void bc_run_warning(struct bc *b, const char *fmt, ...) TSB_PRINTF(2, 3);
void bc_banner(struct tsb_proc *p);	/* name and copyright */
void bc_welcome(struct bc *b);
void bc_terms(struct bc *b);		/* what "warranty" prints */
void bc_limits(struct bc *b);
void bc_put(struct bc *b, const char *s, size_t n);
void bc_exit(struct bc *b, int status) TSB_NORETURN;

/* ---- code.c ---- */
enum bc_kind { BC_SIMPLE, BC_ARRAY, BC_FUNCTION };
int bc_lookup(struct bc *b, const char *name, enum bc_kind kind);
int bc_lookup_definition(struct bc *b, const char *name);	/* of a function */
void bc_generate(struct bc *b, const char *fmt, ...) TSB_PRINTF(2, 3);
void bc_generate_text(struct bc *b, const char *text);
void bc_start_code(struct bc *b);
void bc_end_library(struct bc *b);
/* main.c: a compiler and machine with nothing in it but the options and files. */
void bc_start(struct bc *b, struct tsb_proc *p, struct bc_options *o, char **files);
void bc_run_code(struct bc *b);
/* Memory until the code of the line is run. */
void *bc_piece(struct bc *b, size_t n);

/* ---- run.c ---- */
void bcr_execute(struct bc *b);
unsigned bcr_byte(struct bc *b);
int bcr_number(struct bc *b);		/* a name in the code: one byte or two */
bool bcr_has(struct bc *b, size_t n);	/* or "Stack error." */
void bcr_push(struct bc *b, struct decimal *a);
void bcr_pop(struct bc *b);
void bcr_replace(struct bc *b, struct decimal *a);	/* the topmost */
struct decimal *bcr_top(struct bc *b, size_t below);

/* ---- run_call.c ---- */
void bcr_call(struct bc *b);
void bcr_return(struct bc *b);
void bcr_leave(struct bc *b);		/* all functions, after an error */
void bcr_builtin(struct bc *b);

/* ---- constant.c ---- */
void bcr_constant(struct bc *b);
struct decimal *bcr_read_number(struct bc *b);

/* ---- run_out.c ---- */
void bcr_put_char(struct bc *b, int ch);
void bcr_put_number(struct bc *b, const struct decimal *a);
void bcr_put_string(struct bc *b, bool escapes);

/* ---- vars.c ---- */
struct bc_variable *bcv_variable(struct bc *b, int name);
void bcv_load(struct bc *b, int name);
void bcv_store(struct bc *b, int name);
void bcv_step(struct bc *b, int name, int by);
void bcv_hide(struct bc *b, int name);		/* a new one takes its place */
void bcv_show(struct bc *b, int name);
void bcv_load_element(struct bc *b, int name);
void bcv_store_element(struct bc *b, int name);
void bcv_step_element(struct bc *b, int name, int by);
struct bc_array *bcv_array(struct bc *b, int name);
struct bc_table *bcv_copy(struct bc *b, struct bc_table *from);
void bcv_let_go(struct bc *b, struct bc_table *t);

/* The library of -l, in bc's own language. */
extern const char bc_library[];

#endif
