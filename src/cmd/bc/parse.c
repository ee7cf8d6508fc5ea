/*
 * bc's parser: the tables of grammar.txt, driven as yacc's parsers are, errors and all:
 * a wrong token first lets the default reductions happen, then what cannot take an error
 * is dropped, then tokens are skipped until one fits, and three tokens later an error is
 * told again.
 */
#include "cmd/bc/actions.h"
#include "cmd/bc/bc.h"
#include "cmd/bc/tables.h"

enum { DEPTH_MAX = 10000, ACCEPT = 32767, NONE = -2 };

struct item {
	int state;
	struct bc_value value;
};

struct parser {
	struct bc *b;
	VEC(struct item) stack;
	int token;		/* NONE: not read yet */
	struct bc_value token_value;
	int quiet;		/* tokens to shift until errors are told again */
	bool ended;
};

#define ACTION(name) bca_##name,
static bc_action *const actions[] = { BC_TOKEN_ACTIONS(ACTION) };
#undef ACTION

/* What the row says about the token; *found false: nothing. */
static int row_action(int state, int token, bool *found)
{
	for (size_t i = bc_row_start[state]; i < bc_row_start[state + 1]; i++)
		if (bc_row[2 * i] == token) {
			*found = true;
			return bc_row[2 * i + 1];
		}
	*found = false;
	return 0;
}

static void push(struct parser *ps, int state, struct bc_value value)
{
	struct bc *b = ps->b;

	if (ps->stack.n >= DEPTH_MAX) {
		bc_error(b, "memory exhausted");
		ps->ended = true;
		return;
	}
	*vec_add(b->heap, &ps->stack) = (struct item){ state, value };
}

static int goto_state(int state, int left)
{
	for (size_t i = bc_goto_start[state]; i < bc_goto_start[state + 1]; i++)
		if (bc_goto[2 * i] == left)
			return bc_goto[2 * i + 1];
	return 0;
}

static void reduce(struct parser *ps, int rule)
{
	struct bc *b = ps->b;
	size_t n = bc_length[rule];
	struct item *first = ps->stack.at + ps->stack.n - n;

	b->value = n ? first->value : (struct bc_value){ 0 };
	if (bc_does[rule]) {
		struct bc_value *v[BC_RULE_MAX];

		for (size_t i = 0; i < BC_RULE_MAX && i < ps->stack.n; i++)
			v[i] = &ps->stack.at[ps->stack.n - 1 - i].value;
		actions[bc_does[rule] - 1](b, v, n);
	}
	ps->stack.n -= n;
	push(ps, goto_state(vec_last(&ps->stack).state, bc_left[rule]), b->value);
}

/* The state takes an error: down to one that does. */
static void recover(struct parser *ps)
{
	ps->quiet = 3;
	for (;;) {
		bool found;
		int to = row_action(vec_last(&ps->stack).state, BC_TOKEN_ERROR, &found);

		if (found && to > 0) {
			push(ps, to, (struct bc_value){ 0 });
			return;
		}
		if (ps->stack.n == 1) {
			ps->ended = true;
			return;
		}
		ps->stack.n--;
	}
}

static void wrong_token(struct parser *ps)
{
	if (!ps->quiet) {
		bc_error(ps->b, "syntax error");
	} else if (ps->quiet == 3) {
		if (ps->token == BC_TOKEN_END) {
			ps->ended = true;
			return;
		}
		ps->token = NONE;
	}
	recover(ps);
}

static void read_token(struct parser *ps)
{
	ps->token = bcl_token(ps->b);
	ps->token_value = ps->b->value;
}

static void step(struct parser *ps)
{
	int state = vec_last(&ps->stack).state, to;
	bool found;

	if (bc_row_start[state] == bc_row_start[state + 1] && bc_default[state]) {
		reduce(ps, bc_default[state]);
		return;
	}
	if (ps->token == NONE)
		read_token(ps);
	to = row_action(state, ps->token, &found);
	if (found && to == ACCEPT) {
		ps->ended = true;
	} else if (found && to > 0) {
		push(ps, to, ps->token_value);
		ps->token = NONE;
		if (ps->quiet)
			ps->quiet--;
	} else if (found && to < 0) {
		reduce(ps, -to);
	} else if (!found && bc_default[state]) {
		reduce(ps, bc_default[state]);
	} else {
		wrong_token(ps);
	}
}

void bcp_parse(struct bc *b)
{
	struct parser ps = { .b = b, .token = NONE };

	push(&ps, 0, (struct bc_value){ 0 });
	while (!ps.ended) {
		step(&ps);
		if (b->error_over) {
			ps.quiet = 0;
			b->error_over = false;
		}
	}
}
