/*
 * Expressions, as gawk's grammar has them. Assignments are taken where their
 * target stands (a && b = c is a && (b = c)); a concatenation is one node with
 * a list, so that long ones do not nest.
 */
#include "cmd/awk/parse.h"

struct token *ak_peek_at(struct parser *ps, size_t ahead)
{
	size_t i = ps->at + ahead;

	return &ps->tokens.at[i < ps->tokens.n ? i : ps->tokens.n - 1];
}

bool ak_accept(struct parser *ps, int type)
{
	if (next_type(ps) != type)
		return false;
	if (type != T_EOF)
		ps->at++;
	return true;
}

void ak_parse_fail(struct parser *ps)
{
	const struct token *t = peek(ps);
	bool newline = t->type == T_EOF || (t->type == T_NEWLINE && t->text[t->at] != '#');

	ak_lex_error(ps->a, t, newline ? "unexpected newline or end of string" : "syntax error");
}

void ak_expect(struct parser *ps, int type)
{
	if (!ak_accept(ps, type))
		ak_parse_fail(ps);
}

void ak_skip_newlines(struct parser *ps)
{
	while (next_type(ps) == T_NEWLINE)
		ps->at++;
}

struct node *ak_node_new(struct parser *ps, enum node_op op)
{
	struct node *n = heap_zalloc(ps->a->heap, sizeof(*n));

	n->op = op;
	n->line = peek(ps)->line;
	n->source = peek(ps)->source;
	return n;
}

struct func *ak_func_named(struct awk *a, const char *name, size_t n)
{
	struct map_entry *e = map_put(&a->func_names, name, n);

	if (!e->value) {
		struct func *f = heap_zalloc(a->heap, sizeof(*f));

		f->name = heap_dup(a->heap, name, n);
		*vec_add(a->heap, &a->funcs) = f;
		e->value = f;
	}
	return e->value;
}

static bool is_parameter(struct parser *ps, const struct token *t)
{
	for (size_t i = 0; ps->func && i < ps->func->params.n; i++)
		if (!strcmp(ps->func->params.at[i], t->p))
			return true;
	return false;
}

struct node *ak_name_node(struct parser *ps, const struct token *t)
{
	struct node *n = ak_node_new(ps, N_GLOBAL);

	for (size_t i = 0; ps->func && i < ps->func->params.n; i++) {
		const char *param = ps->func->params.at[i];

		if (strlen(param) == t->n && !memcmp(param, t->p, t->n)) {
			n->op = N_LOCAL;
			n->slot = (uint32_t)i;
			return n;
		}
	}
	n->slot = ak_var_slot(ps->a, t->p, t->n);
	if (n->slot < VAR_SPECIAL_END) {
		n->op = N_SPECIAL;
		ps->a->uses[n->slot] = true;
	}
	return n;
}

static bool ak_is_target(const struct node *n)
{
	return !n->paren && (n->op == N_GLOBAL || n->op == N_SPECIAL || n->op == N_LOCAL ||
			     n->op == N_INDEX || n->op == N_FIELD);
}

static struct node *unary_node(struct parser *ps, enum node_op op, int sub, struct node *x)
{
	struct node *n = ak_node_new(ps, op);

	n->a = x;
	n->sub = sub;
	return n;
}

static struct node *binary_node(struct parser *ps, enum node_op op, int sub, struct node *x,
				struct node *y)
{
	struct node *n = unary_node(ps, op, sub, x);

	n->b = y;
	return n;
}

/* Expressions between commas, up to `end`, which is taken. */
static struct node *ak_parse_list(struct parser *ps, int end)
{
	bool greater = ps->no_greater, in = ps->no_in;
	struct node *first = NULL, **last = &first;

	ps->no_greater = ps->no_in = false;
	for (bool more = next_type(ps) != end; more; ) {
		*last = ak_parse_expr(ps);
		last = &(*last)->next;
		more = next_type(ps) != end;
		if (more) {
			ak_expect(ps, ',');
			ak_skip_newlines(ps);
		}
	}
	ps->at++;
	ps->no_greater = greater;
	ps->no_in = in;
	return first;
}

static struct node *parse_subscripts(struct parser *ps, struct node *array)
{
	while (next_type(ps) == '[') {
		struct node *n = ak_node_new(ps, N_INDEX);

		if (array->op == N_INDEX)
			ak_lint_multi(ps);
		ps->at++;
		n->a = array;
		n->b = ak_parse_list(ps, ']');
		if (!n->b) {
			ps->at--;
			ak_parse_fail(ps);
		}
		if (array->op == N_INDEX && (ps->a->posix || ps->a->traditional)) {
			ps->a->line = n->line;
			ps->a->source = n->source;
			awk_fatal(ps->a, "multidimensional arrays are a gawk extension");
		}
		array = n;
	}
	return array;
}

static struct node *parse_call(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_CALL);
	struct token *t = peek(ps);
	int i = 0;

	n->func = ak_func_named(ps->a, t->p, t->n);
	n->func->called = true;
	if (is_parameter(ps, t))
		awk_error(ps->a, t->source, t->line, tsb_format(ps->a->p,
			  "attempt to use non-function `%s' in function call", t->p));
	ps->at += 2;
	n->b = ak_parse_list(ps, ')');
	for (struct node *arg = n->b; arg; arg = arg->next) {
		i++;
		if (arg->op != N_REGEX)
			continue;
		ps->a->line = peek(ps)->line;
		ps->a->source = peek(ps)->source;
		awk_warn(ps->a, "regexp constant for parameter #%d yields boolean value", i);
	}
	return n;
}

static struct node *parse_indirect(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_INDIRECT);
	struct token *t;

	ps->at++;
	t = peek(ps);
	if (t->type != T_FUNC_NAME)
		ak_parse_fail(ps);
	n->a = ak_name_node(ps, t);
	ps->at += 2;
	n->b = ak_parse_list(ps, ')');
	return n;
}

/* An argument that other awks do not have. */
static void refuse_extra(struct parser *ps, int builtin, int count)
{
	if (builtin != B_MATCH || count != 3)
		return;
	ps->at--;
	ak_lex_error(ps->a, peek(ps), "match: third argument is a gawk extension");
}

static struct node *parse_builtin(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_BUILTIN), *arg;
	const struct ak_builtin_row *row = ak_builtin_row(peek(ps)->sub);
	struct token *t = peek(ps);
	struct str m;
	int count = 0;

	n->sub = t->sub;
	ps->at++;
	if (next_type(ps) != '(') {
		if (n->sub != B_LENGTH)
			ak_parse_fail(ps);
		ak_lint_builtin(ps, n, t, false);
		return n;
	}
	ps->at++;
	n->b = ak_parse_list(ps, ')');
	for (arg = n->b; arg; arg = arg->next)
		count++;
	n->slot = (uint32_t)count;
	if (n->sub == B_INDEX && count == 2 && n->b->next->op == N_REGEX) {
		ps->a->line = t->line;
		ps->a->source = t->source;
		awk_fatal(ps->a, "index: regexp constant as second argument is not allowed");
	}
	if (ps->a->posix || ps->a->traditional)
		refuse_extra(ps, n->sub, count);
	if (count >= row->min && count <= row->max) {
		ak_lint_builtin(ps, n, t, true);
		return n;
	}
	str_init(&m, ps->a->heap, STR_MAX_DEFAULT);
	str_addf(&m, "%d is invalid as number of arguments for %s", count, row->name);
	ps->at--;
	ak_lex_error(ps->a, peek(ps), m.p);
}

/* ( expr ), ( list ) in name, and the list of print (a, b). */
static struct node *parse_parens(struct parser *ps)
{
	struct node *n, *list;

	ps->at++;
	list = ak_parse_list(ps, ')');
	if (!list) {
		ps->at--;
		ak_parse_fail(ps);
	}
	if (!list->next) {
		list->paren = list->paren < UINT8_MAX ? (uint8_t)(list->paren + 1) : list->paren;
		return list;
	}
	if (next_type(ps) == T_IN && (ak_peek_at(ps, 1)->type == T_NAME)) {
		ps->at++;
		n = ak_node_new(ps, N_IN);
		n->b = list;
		n->a = ak_name_node(ps, peek(ps));
		ps->at++;
		n->a = parse_subscripts(ps, n->a);
		return n;
	}
	n = ak_node_new(ps, N_GROUP);
	n->b = list;
	return n;
}

/* step: of "$1++", which changes the field before it is read. */
static struct node *parse_optional_target(struct parser *ps, struct node **step)
{
	struct node *n;
	int type;

	if (next_type(ps) != T_NAME && next_type(ps) != '$')
		return NULL;
	n = ak_parse_atom(ps);
	if (!ak_is_target(n))
		ak_parse_fail(ps);
	type = next_type(ps);
	if (n->op == N_FIELD && (type == T_INCR || type == T_DECR)) {
		ps->at++;
		*step = unary_node(ps, N_AFTER, type == T_INCR ? '+' : '-', n);
	}
	return n;
}

static struct node *parse_getline(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_GETLINE);

	ps->at++;
	n->a = parse_optional_target(ps, &n->c);
	if (ak_accept(ps, '<')) {
		n->sub = '<';
		n->b = ak_parse_atom(ps);
	} else if (ps->where && strlen(ps->where) > 5) {
		awk_error(ps->a, n->source, n->line, tsb_format(ps->a->p, "non-redirected `getline' "
			  "invalid inside `%s' rule", ps->where));
	}
	return n;
}

/* A constant that is no regular expression is an error though it may never be used. */
static void check_regex(struct parser *ps, const struct token *t, const struct awk_str *text)
{
	const char *error = NULL;
	struct regex *re = ak_regex_compile(ps->a, text->p, text->n, &error);

	if (re)
		regex_free(re);
	else
		awk_error(ps->a, t->source, t->line, tsb_format(ps->a->p, "%s: /%s/", error, text->p));
}

static struct node *parse_constant(struct parser *ps)
{
	struct token *t = peek(ps);
	struct node *n = ak_node_new(ps, t->type == T_REGEX ? N_REGEX : N_CONST);

	ps->at++;
	if (t->type == T_NUMBER) {
		val_number(&n->v, t->num);
		n->at = t->at < UINT32_MAX ? (uint32_t)t->at + 1 : 0;
		return n;
	}
	val_string(&n->v, ak_str_make(ps->a, t->p, t->n));
	if (t->type == T_STRING)
		return n;
	n->v.type = V_REGEX;
	ps->a->line = t->line;
	ps->a->source = t->source;
	ak_regex_check(ps->a, n->v.str);
	check_regex(ps, t, n->v.str);
	return n;
}

static struct node *parse_unary(struct parser *ps);

static struct node *parse_step(struct parser *ps)
{
	int sub = next_type(ps) == T_INCR ? '+' : '-';
	struct node *n = ak_node_new(ps, N_BEFORE);

	ps->at++;
	n->sub = sub;
	if (next_type(ps) != T_NAME && next_type(ps) != '$')
		ak_parse_fail(ps);
	n->a = ak_parse_atom(ps);
	if (!ak_is_target(n->a))
		ak_parse_fail(ps);
	return n;
}

static struct node *parse_field(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_FIELD);
	int type;

	ps->at++;
	type = next_type(ps);
	n->a = type == '-' || type == '+' || type == '!' ? parse_unary(ps) : ak_parse_atom(ps);
	type = next_type(ps);
	if (n->a->op == N_FIELD && !n->a->paren && (type == T_INCR || type == T_DECR)) {
		ps->at++;	/* $$i++ changes the field $i */
		n->a = unary_node(ps, N_AFTER, type == T_INCR ? '+' : '-', n->a);
	}
	return n;
}

/* The smallest pieces, without what may stand behind them. */
struct node *ak_parse_atom(struct parser *ps)
{
	struct token *t = peek(ps);
	struct node *n;

	awk_deep(ps->a);
	switch (t->type) {
	case T_NUMBER: case T_STRING: case T_REGEX: case T_TYPED_REGEX:
		return parse_constant(ps);
	case T_NAME:
		n = ak_name_node(ps, t);
		ps->at++;
		return parse_subscripts(ps, n);
	case T_FUNC_NAME:
		return parse_call(ps);
	case T_BUILTIN:
		return parse_builtin(ps);
	case '$':
		return parse_field(ps);
	case '(':
		return parse_parens(ps);
	case '@':
		return parse_indirect(ps);
	case T_INCR: case T_DECR:
		return parse_step(ps);
	case T_GETLINE:
		return parse_getline(ps);
	case '-': case '+': case '!':
		return parse_unary(ps);
	}
	ak_parse_fail(ps);
}

static int assign_operator(int type)
{
	switch (type) {
	case T_ADD_EQ: return '+';
	case T_SUB_EQ: return '-';
	case T_MUL_EQ: return '*';
	case T_DIV_EQ: return '/';
	case T_MOD_EQ: return '%';
	case T_POW_EQ: return '^';
	}
	return 0;
}

static struct node *parse_postfix(struct parser *ps)
{
	bool first = ps->at == ps->expr_at;
	struct node *n = ak_parse_atom(ps);
	int type = next_type(ps), op = assign_operator(type);

	if (!ak_is_target(n))
		return n;
	if (type == T_INCR || type == T_DECR) {
		n = unary_node(ps, N_AFTER, type == T_INCR ? '+' : '-', n);
		ps->at++;
		return n;
	}
	if (first && (type == '=' || op)) {
		struct node *to = binary_node(ps, op ? N_CHANGE : N_ASSIGN, op, n, NULL);

		ak_lint_power(ps, peek(ps));
		ps->at++;
		to->b = ak_parse_expr(ps);
		ak_lint_assignment(ps, n, to->b);
		return to;
	}
	return n;
}

static struct node *parse_power_rest(struct parser *ps, struct node *n)
{
	struct node *right;

	if (!ak_accept(ps, T_POW))
		return n;
	ak_lint_power(ps, &ps->tokens.at[ps->at - 1]);
	if (next_type(ps) == '-' || next_type(ps) == '+' || next_type(ps) == '!')
		right = parse_unary(ps);
	else
		right = parse_power_rest(ps, parse_postfix(ps));
	return binary_node(ps, N_BINARY, '^', n, right);
}

static struct node *parse_unary(struct parser *ps)
{
	int type = next_type(ps), line = peek(ps)->line;
	struct node *x;

	if (type != '-' && type != '+' && type != '!')
		return parse_power_rest(ps, parse_postfix(ps));
	awk_deep(ps->a);
	ps->at++;
	x = parse_unary(ps);
	if (type == '-' && x->op == N_CONST && x->v.type == V_NUM && !x->paren) {
		x->v.num = -x->v.num;
		return x;
	}
	x = unary_node(ps, type == '!' ? N_NOT : type == '-' ? N_NEG : N_PLUS, type, x);
	x->line = line;
	return x;
}

/* gawk finds a division by the constant zero before it runs. */
static void check_division(struct parser *ps, struct node *n)
{
	if (n->sub == '*' || n->b->op != N_CONST || n->b->v.type != V_NUM || n->b->v.num != 0 ||
	    n->b->paren)
		return;
	awk_error(ps->a, n->source, n->line, n->sub == '/' ? "division by zero attempted" :
		  "division by zero attempted in `%'");
}

static struct node *parse_product_rest(struct parser *ps, struct node *n)
{
	for (;;) {
		int type = next_type(ps);

		if (type != '*' && type != '/' && type != '%')
			return n;
		ps->at++;
		n = binary_node(ps, N_BINARY, type, n, NULL);
		n->b = parse_unary(ps);
		check_division(ps, n);
	}
}

static struct node *parse_sum_rest(struct parser *ps, struct node *left)
{
	struct node *n = parse_product_rest(ps, left);

	for (;;) {
		int type = next_type(ps);

		if (type != '+' && type != '-')
			return n;
		ps->at++;
		n = binary_node(ps, N_BINARY, type, n, NULL);
		n->b = parse_product_rest(ps, parse_unary(ps));
	}
}

static bool starts_operand(struct parser *ps)
{
	switch (next_type(ps)) {
	case T_NAME: case T_FUNC_NAME: case T_NUMBER: case T_STRING: case T_BUILTIN: case '$':
	case '!': case '(': case T_INCR: case T_DECR: case '@': case T_REGEX: case T_TYPED_REGEX:
		return true;
	}
	return false;
}

/* What is joined to n by standing behind it. */
static struct node *parse_concat_rest(struct parser *ps, struct node *n)
{
	struct node *list, *last;

	if (!starts_operand(ps))
		return n;
	list = ak_node_new(ps, N_CONCAT);
	list->b = last = n;
	while (starts_operand(ps)) {
		last->next = parse_sum_rest(ps, parse_unary(ps));
		last = last->next;
	}
	return list;
}

struct node *ak_parse_concat(struct parser *ps)
{
	return parse_concat_rest(ps, parse_sum_rest(ps, parse_unary(ps)));
}

static bool is_comparison(struct parser *ps, int type)
{
	switch (type) {
	case '<': case T_LE: case T_EQ: case T_NE: case T_GE:
		return true;
	case '>':
		return !ps->no_greater;
	}
	return false;
}

static struct node *parse_comparison(struct parser *ps)
{
	struct node *n = ak_parse_concat(ps);

	for (;;) {
		int type = next_type(ps);

		if ((type == '|' || type == T_TWO_WAY) && ak_peek_at(ps, 1)->type == T_GETLINE) {
			struct node *get;

			ps->at++;
			get = ak_node_new(ps, N_GETLINE);
			ps->at++;
			get->sub = type;
			get->b = n;
			get->a = parse_optional_target(ps, &get->c);
			n = parse_concat_rest(ps, parse_sum_rest(ps, parse_power_rest(ps, get)));
		} else if (is_comparison(ps, type)) {
			ps->at++;
			n = binary_node(ps, N_COMPARE, type, n, NULL);
			ps->expr_at = ps->at;
			n->b = ak_parse_concat(ps);
			if (is_comparison(ps, next_type(ps)))
				ak_parse_fail(ps);	/* a < b < c is none */
		} else {
			return n;
		}
	}
}

static void left_regex(struct parser *ps)
{
	ps->a->line = peek(ps)->line;
	ps->a->source = peek(ps)->source;
	awk_warn(ps->a, "regular expression on left of `~' or `!~' operator");
}

static struct node *parse_match_rest(struct parser *ps, struct node *n)
{
	for (;;) {
		int type = next_type(ps);

		if (type != '~' && type != T_NO_MATCH)
			return n;
		if (n->op == N_REGEX)
			left_regex(ps);
		ps->at++;
		n = binary_node(ps, N_MATCH, type == T_NO_MATCH, n, NULL);
		ps->expr_at = ps->at;
		n->b = parse_comparison(ps);
	}
}

static struct node *parse_in(struct parser *ps)
{
	struct node *n = parse_match_rest(ps, parse_comparison(ps));

	while (!ps->no_in && next_type(ps) == T_IN) {
		struct node *in = ak_node_new(ps, N_IN);

		ps->at++;
		in->b = n;
		if (next_type(ps) != T_NAME)
			ak_parse_fail(ps);
		in->a = ak_name_node(ps, peek(ps));
		ps->at++;
		in->a = parse_subscripts(ps, in->a);
		n = parse_match_rest(ps, in);
	}
	return n;
}

static struct node *parse_and(struct parser *ps)
{
	struct node *n = parse_in(ps);

	while (ak_accept(ps, T_AND)) {
		ak_skip_newlines(ps);
		n = binary_node(ps, N_AND, 0, n, NULL);
		ps->expr_at = ps->at;
		n->b = parse_in(ps);
	}
	return n;
}

static struct node *parse_or(struct parser *ps)
{
	struct node *n = parse_and(ps);

	while (ak_accept(ps, T_OR)) {
		ak_skip_newlines(ps);
		n = binary_node(ps, N_OR, 0, n, NULL);
		ps->expr_at = ps->at;
		n->b = parse_and(ps);
	}
	return n;
}

struct node *ak_parse_expr(struct parser *ps)
{
	struct node *n, *test;

	awk_deep(ps->a);
	ps->expr_at = ps->at;
	test = parse_or(ps);
	if (next_type(ps) != '?')
		return test;
	ps->at++;
	ak_lint_condition(ps, test);
	n = binary_node(ps, N_COND, 0, test, NULL);
	ak_skip_newlines(ps);
	n->b = ak_parse_expr(ps);
	ak_skip_newlines(ps);
	ak_expect(ps, ':');
	ak_skip_newlines(ps);
	n->c = ak_parse_expr(ps);
	return n;
}
