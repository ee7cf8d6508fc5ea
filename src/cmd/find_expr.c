/*
 * The expression: words become tokens, tokens a program without nesting. A
 * test leaves true or false; "and" and "or" are jumps over their right side.
 */
#include "cmd/find.h"

#include <string.h>

enum { PREC_NONE, PREC_COMMA, PREC_OR, PREC_AND, PREC_NOT, PREC_MAX };
enum { FIND_NESTING_MAX = 300 };

bool find_is_expression(const char *arg, bool leading)
{
	switch (arg[0]) {
	case '-': return arg[1] != '\0';
	case ')': case ',': return !arg[1] && !leading;
	case '(': case '!': return !arg[1];
	default: return false;
	}
}

/* ---- Tokens ---- */

static struct find_token *expr_token(struct find *f, enum find_kind kind, int prec, const char *name)
{
	struct find_token *t = vec_add(tsb_heap_of(f->p), &f->tokens);

	t->kind = kind;
	t->prec = prec;
	t->name = name;
	return t;
}

/* Where an operand comes behind another, "and" is meant. */
static void expr_operand(struct find *f)
{
	enum find_kind last = f->tokens.n ? vec_last(&f->tokens).kind : FIND_OPEN;

	if (last == FIND_PRIMARY || last == FIND_CLOSE)
		expr_token(f, FIND_BINARY, PREC_AND, "-a");
}

struct find_pred *find_add(struct find *f, find_eval *eval)
{
	struct find_pred *pred = tsb_alloc(f->p, sizeof(*pred));

	pred->name = f->predicate;
	pred->eval = eval;
	expr_operand(f);
	expr_token(f, FIND_PRIMARY, PREC_NONE, f->predicate)->pred = pred;
	return pred;
}

static void expr_operator(struct find *f, int letter)
{
	switch (letter) {
	case '(':
		expr_operand(f);
		expr_token(f, FIND_OPEN, PREC_NONE, "(");
		break;
	case ')':
		expr_token(f, FIND_CLOSE, PREC_NONE, ")");
		break;
	case '!':
		expr_operand(f);
		expr_token(f, FIND_NOT, PREC_NOT, f->predicate);
		break;
	case 'a':
		expr_token(f, FIND_BINARY, PREC_AND, f->predicate);
		break;
	case 'o':
		expr_token(f, FIND_BINARY, PREC_OR, f->predicate);
		break;
	default:
		expr_token(f, FIND_BINARY, PREC_COMMA, f->predicate);
	}
}

static void expr_check_order(struct find *f, const struct find_row *row)
{
	if (row->class == FIND_GLOBAL) {
		if (f->first_test && f->warn)
			tsb_warn(f->p, "warning: you have specified the global option %s after the "
				 "argument %s, but global options are not positional, i.e., %s "
				 "affects tests specified before it as well as those specified "
				 "after it.  Please specify global options before other arguments.",
				 f->predicate, f->first_test, f->predicate);
	} else if (row->class != FIND_POSITIONAL && !f->first_test) {
		f->first_test = f->predicate;
	}
}

/* Options stand in the expression as tests that are true. */
static void expr_option_is_true(struct find *f, const struct find_row *row)
{
	bool is_option = row->class == FIND_GLOBAL || row->class == FIND_POSITIONAL;

	/* These two are no expression, as the real parser has it. */
	if (!is_option)
		return;
	if (row->read != find_read_daystart && strcmp(row->name, "-files0-from"))
		find_add(f, find_true);
	else if (f->tokens.n)	/* its name is all they leave, in messages */
		vec_last(&f->tokens).name = f->predicate;
}

static void expr_word(struct find *f, const char *last)
{
	const char *word = f->argv[f->at];
	const struct find_row *row;
	struct tsb_stat st;

	if (!find_is_expression(word, false)) {
		tsb_warn(f->p, "paths must precede expression: `%s'", word);
		if (last && !tsb_stat(f->p, word, &st))
			tsb_warn(f->p, "possible unquoted pattern after predicate `%s'?", last);
		tsb_exit(f->p, 1);
	}
	row = find_row(word);
	if (!row)
		find_die(f, "unknown predicate `%s'", word);
	f->predicate = word;
	f->at++;
	expr_check_order(f, row);
	if (row->class == FIND_OPERATOR)
		expr_operator(f, row->value);
	else if (row->read(f, row->value))
		expr_option_is_true(f, row);
	else if (f->at >= f->argc)
		find_die(f, "missing argument to `%s'", word);
	else
		find_die(f, "invalid argument `%s' to `%s'", f->argv[f->at], word);
}

/* ---- Program ---- */

struct expr {
	struct find *f;
	size_t at;
	int depth;
};

static struct find_token *expr_peek(struct expr *x)
{
	return x->at < x->f->tokens.n ? &x->f->tokens.at[x->at] : NULL;
}

static size_t expr_emit(struct find *f, enum find_op op, struct find_pred *pred)
{
	struct find_code *c = vec_add(tsb_heap_of(f->p), &f->code);

	c->op = op;
	c->pred = pred;
	return f->code.n - 1;
}

static void expr_unexpected_close(struct expr *x, const struct find_token *t,
				  const struct find_token *before)
{
	if (t->artificial)
		find_die(x->f, "expected an expression after '%s'", before->name);
	if (before && (before->kind == FIND_NOT || before->kind == FIND_BINARY))
		find_die(x->f, "expected an expression between '%s' and ')'", before->name);
	find_die(x->f, "invalid expression; you have too many ')'");
}

static void expr_get(struct expr *x, int prec, struct find_token *before);

static void expr_group(struct expr *x, struct find_token *open)
{
	struct find_token *t = expr_peek(x);

	if (!t || t->artificial)
		find_die(x->f, "invalid expression; expected to find a ')' but didn't see one. "
			 "Perhaps you need an extra predicate after '%s'", open->name);
	if (t->kind == FIND_CLOSE)
		find_die(x->f, "invalid expression; empty parentheses are not allowed.");
	expr_get(x, PREC_NONE, open);
	t = expr_peek(x);
	if (t && t->kind == FIND_CLOSE && open->artificial && !t->artificial)
		find_die(x->f, "you have too many ')'");
	if (!t || t->kind != FIND_CLOSE || (t->artificial != open->artificial))
		find_die(x->f, "invalid expression; I was expecting to find a ')' somewhere but did "
			 "not see one.");
	x->at++;
}

static void expr_binary(struct expr *x)
{
	struct find_token *t = expr_peek(x);
	size_t jump = 0;

	x->at++;
	if (t->prec == PREC_AND)
		jump = expr_emit(x->f, FIND_IF_FALSE, NULL);
	else if (t->prec == PREC_OR)
		jump = expr_emit(x->f, FIND_IF_TRUE, NULL);
	expr_get(x, t->prec, t);
	if (t->prec != PREC_COMMA)
		x->f->code.at[jump].target = x->f->code.n;
}

static void expr_get(struct expr *x, int prec, struct find_token *before)
{
	struct find_token *t = expr_peek(x);

	if (!t)
		find_die(x->f, "invalid expression");
	if (++x->depth > FIND_NESTING_MAX)
		find_die(x->f, "invalid expression; it is nested too deeply");
	x->at++;
	switch (t->kind) {
	case FIND_BINARY:
		find_die(x->f, "invalid expression; you have used a binary operator '%s' with nothing "
			 "before it.", t->name);
	case FIND_CLOSE:
		expr_unexpected_close(x, t, before);
		break;
	case FIND_PRIMARY:
		expr_emit(x->f, FIND_RUN, t->pred);
		break;
	case FIND_NOT:
		expr_get(x, PREC_NOT, t);
		expr_emit(x->f, FIND_INVERT, NULL);
		break;
	case FIND_OPEN:
		expr_group(x, t);
		break;
	}
	while ((t = expr_peek(x)) && t->kind == FIND_BINARY && t->prec > prec)
		expr_binary(x);
	x->depth--;
}

/* Without an action, -print is meant: ( expression ) -print. */
static void expr_default_action(struct find *f)
{
	const struct find_row *print = find_row("-print");
	struct find_token *open;
	bool any = f->tokens.n > 0;

	if (f->prints)
		return;
	if (any) {
		open = expr_token(f, FIND_OPEN, PREC_NONE, "(");
		memmove(f->tokens.at + 1, f->tokens.at, (f->tokens.n - 1) * sizeof(*open));
		f->tokens.at[0] = (struct find_token){ .kind = FIND_OPEN, .name = "(",
						       .artificial = true };
		expr_token(f, FIND_CLOSE, PREC_NONE, ")")->artificial = true;
	}
	f->predicate = "-print";
	print->read(f, print->value);
}

void find_parse(struct find *f)
{
	const char *last = NULL;
	struct expr x = { .f = f };
	struct find_token *t;

	while (f->at < f->argc) {
		expr_word(f, last);
		last = f->predicate;
		tsb_tick(f->p, 1);
	}
	if (f->deletes && f->prunes && !f->depth_given)
		find_die(f, "The -delete action automatically turns on -depth, but -prune does "
			 "nothing when -depth is in effect.  If you want to carry on anyway, just "
			 "explicitly use the -depth option.");
	if (f->files0 && !strcmp(f->files0, "-") && f->asks)
		find_die(f, "option -files0-from reading from standard input cannot be combined "
			 "with -ok, -okdir\n");
	expr_default_action(f);
	expr_get(&x, PREC_NONE, NULL);
	t = expr_peek(&x);
	if (t && t->kind == FIND_CLOSE)
		find_die(f, "you have too many ')'");
	if (t)
		find_die(f, "unexpected extra predicate '%s'", t->name);
}

void find_evaluate(struct find *f)
{
	bool value = true;
	size_t i = 0;

	while (i < f->code.n && !f->quit) {
		const struct find_code *c = &f->code.at[i++];

		if (c->op == FIND_RUN)
			value = c->pred->eval(f, c->pred);
		else if (c->op == FIND_INVERT)
			value = !value;
		else if (value == (c->op == FIND_IF_TRUE))
			i = c->target;
	}
	tsb_tick(f->p, f->code.n);
}
