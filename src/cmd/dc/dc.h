/*
 * What the files of dc share.
 *
 * A command is a byte, taken from the string that is being executed or else
 * from the file (source.c); eval.c runs them, commands.c and stack.c say what
 * each does.
 */
#ifndef CMD_DC_DC_H
#define CMD_DC_DC_H

#include <tinysandbox/command.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/decimal.h"

struct dc_string {
	size_t refs, n;
	char at[];
};

/* A value; neither: none. */
struct dc_value {
	struct decimal *number;
	struct dc_string *string;
};

/* One level of a register: each has an array of its own. */
struct dc_level {
	struct dc_value value;
	struct map array;	/* from an index of 4 bytes to a struct dc_value */
	bool has_array;
};

struct dc_register {
	VEC(struct dc_level) levels;
};

/* A string that is being executed. */
struct dc_frame {
	struct dc_string *string;
	size_t at;
	size_t tail;		/* levels it stands for: 1, and one for each it has replaced at
				 * their ends */
};

struct dc_file {
	int fd;
	int error;
	bool ended;
	int again;		/* a byte to give once more, and 1; 0: none */
	size_t at, n;
	char block[4096];
};

struct dc {
	struct tsb_proc *p;
	struct tsb_heap *heap;
	struct decimal_ctx numbers;
	VEC(struct dc_value) stack;
	struct dc_register registers[256];
	VEC(struct dc_frame) frames;
	struct dc_file *file;	/* being executed below the frames, or NULL */
	struct dc_file *input;	/* standard input */
	int ibase;
	uint32_t obase;
	size_t scale;
	size_t line_size;
	bool negate;		/* "!" stood before this comparison */
	bool asked;		/* "?" has read a line */
	size_t unwind;		/* levels to leave still */
	bool unwind_stays;	/* and the program goes on then */
	size_t steps;
	char name[16];		/* what dc_name_of() gave last */
};

enum dc_result { DC_GO_ON, DC_LEAVE, DC_ENDED };

/* ---- source.c ---- */
int dcs_peek(struct dc *d);		/* -1: at the end */
int dcs_next(struct dc *d);
struct dc_file *dcs_open(struct dc *d, int fd);
/* Up to a byte that is not taken into it: a line of standard input, of the source. */
int dcs_peek_file(struct dc *d, struct dc_file *f);
void dcs_line(struct dc *d, struct dc_file *f, struct str *out);
/* From behind "[" up to its "]". */
void dcs_string(struct dc *d, struct str *out);
struct decimal *dcs_number(struct dc *d, int first);

/* ---- eval.c ---- */
/* DC_LEAVE: there are more levels to leave. */
enum dc_result dc_eval_string(struct dc *d, const char *s, size_t n);
/* DC_LEAVE: "q"; DC_ENDED: the end came within a command. */
enum dc_result dc_eval_file(struct dc *d, struct dc_file *f);
void dc_execute(struct dc *d, struct dc_value v);

/* ---- commands.c, arith.c ---- */
enum dc_result dc_command(struct dc *d, int ch);
void dca_binary(struct dc *d, int op);
void dca_divide(struct dc *d);
void dca_raise_mod(struct dc *d);
void dca_root(struct dc *d);
int dca_compare(struct dc *d);
size_t dca_length(const struct decimal *a);
int dca_int(struct dc *d, const struct decimal *a);

/* ---- stack.c ---- */
void dc_push(struct dc *d, struct dc_value v);
void dc_push_number(struct dc *d, struct decimal *a);
void dc_push_string(struct dc *d, const char *s, size_t n);
bool dc_pop(struct dc *d, struct dc_value *v);	/* or "stack empty" */
bool dc_has(struct dc *d, size_t n);		/* or "stack empty" */
struct dc_value dc_keep(struct dc_value v);
void dc_drop(struct dc *d, struct dc_value v);
void dc_rotate(struct dc *d, int n);
bool dc_register_get(struct dc *d, int name, struct dc_value *v);
void dc_register_set(struct dc *d, int name, struct dc_value v);
void dc_register_push(struct dc *d, int name, struct dc_value v);
bool dc_register_pop(struct dc *d, int name, struct dc_value *v);
void dc_array_set(struct dc *d, int name, int index, struct dc_value v);
void dc_array_get(struct dc *d, int name, int index);

/* ---- out.c ---- */
void dc_say(struct dc *d, const char *fmt, ...) TSB_PRINTF(2, 3);
void dc_complain(struct dc *d, const char *text);	/* all of it */
/* "'x' (0170)", or the code alone. */
const char *dc_name_of(struct dc *d, int ch);
void dc_print(struct dc *d, struct dc_value v, bool newline);
void dc_print_bytes(struct dc *d, const struct decimal *a);
void dc_run_shell(struct dc *d, const char *text);

#endif
