/*
 * bc's functions, built-in ones, and constants, which are converted when they are met: by the
 * input base, and in a function by the one at its call.
 */
#include <string.h>

#include "cmd/bc/bc.h"

static void bind_array(struct bc *b, const struct bc_arg *param)
{
	int from = (int)decimal_long(bcr_top(b, 0)), to = -param->name;
	struct bc_table *t = bcv_array(b, from)->table;

	bcv_hide(b, param->name);
	bcv_let_go(b, bcv_array(b, to)->table);
	if (param->by_variable) {
		t->refs++;
		bcv_array(b, to)->table = t;
	} else {
		bcv_array(b, to)->table = bcv_copy(b, t);
	}
}

/* GNU's names the variable made after the one it means. */
static void wrong_kind(struct bc *b, int name)
{
	size_t next = (size_t)name + 1;

	bc_run_error(b, "Parameter type mismatch, parameter %s.",
		     next < b->n_simple ? b->simple.at[next].name : "(null)");
}

/* One argument, from the top of the stack: false after an error. */
static bool bind(struct bc *b, const struct bc_arg *param, unsigned kind)
{
	if (!bcr_has(b, 1))
		return false;
	if (kind == '0' && param->name >= 0) {
		bcv_hide(b, param->name);
		decimal_set(&b->numbers, &bcv_variable(b, param->name)->value,
			    decimal_keep(bcr_top(b, 0)));
	} else if (kind == '1' && param->name < 0) {
		bind_array(b, param);
	} else if (param->name < 0) {
		bc_run_error(b, "Parameter type mismatch parameter %s.",
			     b->arrays.at[-param->name].name);
		return false;
	} else {
		wrong_kind(b, param->name);
		return false;
	}
	bcr_pop(b);
	return true;
}

static void show_all(struct bc *b, const struct bc_arg *list, const struct bc_arg *until)
{
	for (; list != until; list = list->next)
		bcv_show(b, list->name);
}

/* The kinds of the arguments stand in the code, up to a colon. */
static bool bind_all(struct bc *b, const struct bc_function *f)
{
	const struct bc_arg *param = f->params;
	unsigned kind;

	while ((kind = bcr_byte(b)) != ':') {
		if (!param) {
			bc_run_error(b, "Parameter number mismatch");
			break;
		}
		if (!b->failed && bind(b, param, kind))
			param = param->next;
	}
	if (param)
		bc_run_error(b, "Parameter number mismatch");
	if (b->failed)
		show_all(b, f->params, param);
	return !b->failed;
}

void bcr_call(struct bc *b)
{
	int name = bcr_number(b);
	const struct bc_function *f = &b->functions.at[name];

	if (!f->defined) {
		bc_run_error(b, "Function %s not defined.", f->name);
		return;
	}
	if (!bind_all(b, f))
		return;
	for (const struct bc_arg *a = f->autos; a; a = a->next)
		bcv_hide(b, a->name);
	*vec_add(b->heap, &b->frames) = (struct bc_frame){ b->pc, b->constant_base };
	if (!b->pc.function)
		b->constant_base = b->ibase;
	b->constant_base = b->ibase;
	b->pc = (struct bc_position){ name, 0 };
}

static void leave(struct bc *b)
{
	const struct bc_function *f = &b->functions.at[b->pc.function];
	struct bc_frame frame = vec_pop(&b->frames);

	show_all(b, f->autos, NULL);
	show_all(b, f->params, NULL);
	b->pc = frame.back;
	b->constant_base = frame.constant_base;
}

void bcr_return(struct bc *b)
{
	if (b->frames.n)
		leave(b);
	else
		bc_run_error(b, "Return from main program.");
}

void bcr_leave(struct bc *b)
{
	while (b->frames.n) {
		leave(b);
		if (++b->steps % 256 == 0)
			tsb_tick(b->p, 256);
	}
}

static struct decimal *length(struct bc *b, const struct decimal *a)
{
	size_t n = decimal_whole(a) + a->scale;

	return decimal_of(&b->numbers, (int64_t)(a->n == a->frac && a->scale ? n - 1 : n));
}

/* The C library's random() without a seed: an additive feedback of degree 31, separation 3. */
static int64_t random_number(struct bc *b)
{
	enum { DEGREE = 31, SEPARATION = 3, DISCARDED = 310 };
	uint32_t *state = b->random;

	if (!b->random_started) {
		state[0] = 1;
		for (size_t i = 1; i < DEGREE; i++)
			state[i] = (uint32_t)(16807ull * state[i - 1] % 2147483647);
		b->random_started = true;
		b->random_at = SEPARATION;
		for (size_t i = 0; i < DISCARDED; i++)
			random_number(b);
	}
	state[b->random_at] += state[(b->random_at + DEGREE - SEPARATION) % DEGREE];
	b->random_at = (b->random_at + 1) % DEGREE;
	return state[(b->random_at + DEGREE - 1) % DEGREE] >> 1;
}

static void square_root(struct bc *b)
{
	struct decimal *r = decimal_sqrt(&b->numbers, bcr_top(b, 0), b->scale);

	if (r)
		bcr_replace(b, r);
	else
		bc_run_error(b, "Square root of a negative number");
}

void bcr_builtin(struct bc *b)
{
	unsigned op = bcr_byte(b);

	if (op == 'I') {
		bcr_push(b, bcr_read_number(b));
	} else if (op == 'X') {
		bcr_push(b, decimal_of(&b->numbers, random_number(b)));
	} else if (!bcr_has(b, 1)) {
		return;
	} else if (op == 'L') {
		bcr_replace(b, length(b, bcr_top(b, 0)));
	} else if (op == 'S') {
		bcr_replace(b, decimal_of(&b->numbers, (int64_t)bcr_top(b, 0)->scale));
	} else {
		square_root(b);
	}
}
