/*
 * Statements, rules and functions. After a simple statement a ";", a newline
 * or the end of the block must stand.
 */
#include "cmd/awk/parse.h"

static void end_simple(struct parser *ps)
{
	int type = next_type(ps);

	if (type == ';' || type == T_NEWLINE)
		ps->at++;
	else if (type != '}' && type != T_EOF)
		ak_parse_fail(ps);
}

static bool ends_print(int type)
{
	return type == ';' || type == T_NEWLINE || type == '}' || type == '>' || type == T_APPEND ||
	       type == '|' || type == T_TWO_WAY || type == T_EOF;
}

static struct node *parse_print(struct parser *ps)
{
	struct node *n = ak_node_new(ps, next_type(ps) == T_PRINT ? N_PRINT : N_PRINTF), **last = &n->b;
	int type;

	ps->at++;
	ps->no_greater = true;
	for (bool more = !ends_print(next_type(ps)); more; ) {
		*last = ak_parse_expr(ps);
		last = &(*last)->next;
		more = ak_accept(ps, ',');
		if (more)
			ak_skip_newlines(ps);
	}
	if (n->b && n->b->op == N_GROUP && !n->b->next)
		n->b = n->b->b;
	type = next_type(ps);
	if (type == '>' || type == T_APPEND || type == '|' || type == T_TWO_WAY) {
		ps->at++;
		n->sub = type;
		n->a = ak_parse_concat(ps);
	}
	ps->no_greater = false;
	ak_lint_print(ps, n);
	return n;
}

static struct node *parse_delete(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_DELETE);
	bool paren;

	ps->at++;
	paren = ak_accept(ps, '(');
	if (next_type(ps) != T_NAME)
		ak_parse_fail(ps);
	n->a = ak_parse_atom(ps);
	if (paren)
		ak_expect(ps, ')');
	return n;
}

/* What is wrong with a statement that is well formed. */
static void parse_error(struct parser *ps, const char *text)
{
	awk_error(ps->a, peek(ps)->source, peek(ps)->line, text);
}

static struct node *parse_jump(struct parser *ps, enum node_op op, bool value)
{
	struct node *n = ak_node_new(ps, op);
	int type;

	/* gawk says these two twice. */
	for (int i = 0; i < 2; i++) {
		if (op == N_BREAK && !ps->loops && !ps->switches)
			parse_error(ps, "`break' is not allowed outside a loop or switch");
		if (op == N_CONTINUE && !ps->loops)
			parse_error(ps, "`continue' is not allowed outside a loop");
	}
	if (ps->where && op == N_NEXT)
		parse_error(ps, tsb_format(ps->a->p, "`next' used in %s action", ps->where));
	if (ps->where && op == N_NEXTFILE && strcmp(ps->where, "BEGINFILE"))
		parse_error(ps, tsb_format(ps->a->p, "`nextfile' used in %s action", ps->where));
	if (op == N_RETURN && !ps->func)
		ak_lex_error(ps->a, peek(ps), "`return' used outside function context");
	ps->at++;
	type = next_type(ps);
	if (value && type != ';' && type != T_NEWLINE && type != '}' && type != T_EOF)
		n->a = ak_parse_expr(ps);
	return n;
}

/* What may stand in the head of a for. */
static struct node *parse_simple(struct parser *ps)
{
	struct node *n;

	switch (next_type(ps)) {
	case T_PRINT: case T_PRINTF:
		return parse_print(ps);
	case T_DELETE:
		return parse_delete(ps);
	case T_BREAK: return parse_jump(ps, N_BREAK, false);
	case T_CONTINUE: return parse_jump(ps, N_CONTINUE, false);
	case T_NEXT: return parse_jump(ps, N_NEXT, false);
	case T_NEXTFILE: return parse_jump(ps, N_NEXTFILE, false);
	case T_EXIT: return parse_jump(ps, N_EXIT, true);
	case T_RETURN: return parse_jump(ps, N_RETURN, true);
	}
	n = ak_node_new(ps, N_EXPR);
	n->a = ak_parse_expr(ps);
	ak_lint_effect(ps, n->a);
	return n;
}

static struct node *parse_body(struct parser *ps)
{
	struct node *n;

	ak_skip_newlines(ps);
	if (next_type(ps) == ';') {
		n = ak_node_new(ps, N_BLOCK);
		ps->at++;
		return n;
	}
	n = ak_parse_statement(ps);
	return n ? n : ak_node_new(ps, N_BLOCK);
}

static struct node *parse_loop_body(struct parser *ps)
{
	struct node *n;

	ps->loops++;
	n = parse_body(ps);
	ps->loops--;
	return n;
}

static struct node *parse_if(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_IF);
	size_t back;

	ps->at++;
	ak_expect(ps, '(');
	n->a = ak_parse_expr(ps);
	ak_lint_condition(ps, n->a);
	ak_expect(ps, ')');
	n->b = parse_body(ps);
	back = ps->at;
	ak_skip_newlines(ps);
	if (ak_accept(ps, T_ELSE))
		n->c = parse_body(ps);
	else
		ps->at = back;
	return n;
}

static struct node *parse_while(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_WHILE);

	ps->at++;
	ak_expect(ps, '(');
	n->a = ak_parse_expr(ps);
	ak_lint_condition(ps, n->a);
	ak_expect(ps, ')');
	if (ak_accept(ps, ';'))
		n->b = ak_node_new(ps, N_BLOCK);
	else
		n->b = parse_loop_body(ps);
	return n;
}

static struct node *parse_do(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_DO);

	ps->at++;
	n->b = parse_loop_body(ps);
	ak_skip_newlines(ps);
	ak_expect(ps, T_WHILE);
	ak_expect(ps, '(');
	n->a = ak_parse_expr(ps);
	ak_lint_condition(ps, n->a);
	ak_expect(ps, ')');
	/* A ";" behind it is a statement of its own. */
	ak_skip_newlines(ps);
	return n;
}

static struct node *parse_for_in(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_FORIN);

	n->a = ak_name_node(ps, peek(ps));
	ps->at += 2;
	n->b = ak_parse_atom(ps);
	ak_expect(ps, ')');
	n->c = parse_loop_body(ps);
	return n;
}

static struct node *parse_for(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_FOR);

	ps->at++;
	ak_expect(ps, '(');
	if (next_type(ps) == T_NAME && ak_peek_at(ps, 1)->type == T_IN &&
	    ak_peek_at(ps, 2)->type == T_NAME &&
	    (ak_peek_at(ps, 3)->type == ')' || ak_peek_at(ps, 3)->type == '['))
		return parse_for_in(ps);
	if (next_type(ps) != ';')
		n->a = parse_simple(ps);
	ak_expect(ps, ';');
	ak_skip_newlines(ps);
	if (next_type(ps) != ';')
		n->b = ak_parse_expr(ps);
	if (n->b)
		ak_lint_condition(ps, n->b);
	ak_expect(ps, ';');
	ak_skip_newlines(ps);
	if (next_type(ps) != ')')
		n->c = parse_simple(ps);
	ak_expect(ps, ')');
	if (ak_accept(ps, ';'))
		n->d = ak_node_new(ps, N_BLOCK);
	else
		n->d = parse_loop_body(ps);
	return n;
}

static struct node *parse_case(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_CASE), **last = &n->b;

	ak_lint_extension(ps, peek(ps), next_type(ps) == T_CASE ? "case" : "default");

	if (ak_accept(ps, T_CASE)) {
		n->a = ak_parse_atom(ps);
	} else {
		ak_expect(ps, T_DEFAULT);
		n->sub = 1;
	}
	ak_expect(ps, ':');
	for (;;) {
		while (next_type(ps) == T_NEWLINE || next_type(ps) == ';')
			ps->at++;
		if (next_type(ps) == T_CASE || next_type(ps) == T_DEFAULT || next_type(ps) == '}')
			return n;
		*last = ak_parse_statement(ps);
		if (*last)
			last = &(*last)->next;
	}
}

static struct node *parse_switch(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_SWITCH), **last = &n->b;

	ak_lint_extension(ps, peek(ps), "switch");

	ps->at++;
	ak_expect(ps, '(');
	n->a = ak_parse_expr(ps);
	ak_expect(ps, ')');
	ak_skip_newlines(ps);
	ak_expect(ps, '{');
	ps->switches++;
	for (;;) {
		ak_skip_newlines(ps);
		if (ak_accept(ps, '}'))
			break;
		*last = parse_case(ps);
		last = &(*last)->next;
	}
	ps->switches--;
	return n;
}

static struct node *ak_parse_block(struct parser *ps)
{
	struct node *n = ak_node_new(ps, N_BLOCK), **last = &n->b;

	n->at = peek(ps)->at < UINT32_MAX ? (uint32_t)peek(ps)->at + 1 : 0;
	ak_expect(ps, '{');
	for (;;) {
		while (next_type(ps) == T_NEWLINE || next_type(ps) == ';')
			ps->at++;
		if (ak_accept(ps, '}'))
			return n;
		*last = ak_parse_statement(ps);
		if (*last)
			last = &(*last)->next;
	}
}

static struct node *parse_statement(struct parser *ps)
{
	struct node *n;

	awk_deep(ps->a);
	switch (next_type(ps)) {
	case '{':
		return ak_parse_block(ps);
	case T_IF:
		return parse_if(ps);
	case T_WHILE:
		return parse_while(ps);
	case T_DO:
		return parse_do(ps);
	case T_FOR:
		return parse_for(ps);
	case T_SWITCH:
		return parse_switch(ps);
	case ';':
		ps->at++;
		return NULL;
	}
	n = parse_simple(ps);
	end_simple(ps);
	return n;
}

struct node *ak_parse_statement(struct parser *ps)
{
	size_t at = peek(ps)->at;
	struct node *n = parse_statement(ps);

	if (n)
		n->at = at < UINT32_MAX ? (uint32_t)at + 1 : 0;
	return n;
}

/* ---- Rules and functions ---- */

/* A parameter may be called as one of gawk's own functions: in this function it is a name. */
static void shadow(struct parser *ps, const struct token *name)
{
	int depth = 0;

	for (size_t i = ps->at; i < ps->tokens.n; i++) {
		struct token *t = &ps->tokens.at[i];

		if (t->type == T_BUILTIN && t->sub == name->sub)
			t->type = t[1].type == '(' && t[1].at == t->end ? T_FUNC_NAME : T_NAME;
		depth += t->type == '{';
		depth -= t->type == '}';
		if (t->type == '}' && depth <= 0)
			break;
	}
}

static void parse_params(struct parser *ps, struct func *f)
{
	for (bool more = next_type(ps) != ')'; more; ) {
		struct token *t = peek(ps);

		if (t->type == T_BUILTIN && ak_lex_is_extension(t->p, t->n))
			shadow(ps, t);
		if (t->type != T_NAME)
			ak_parse_fail(ps);
		*vec_add(ps->a->heap, &f->params) = t->p;
		*vec_add(ps->a->heap, &f->is_array) = false;
		ps->at++;
		more = next_type(ps) != ')';
		if (more) {
			ak_expect(ps, ',');
			ak_skip_newlines(ps);
		}
	}
	ps->at++;
}

/* What parameters may not be called. */
static void check_params(struct parser *ps, struct func *f)
{
	struct awk *a = ps->a;

	for (size_t i = 0; i < f->params.n; i++) {
		const char *name = f->params.at[i], *wrong = NULL;

		if (!strcmp(name, f->name))
			wrong = "cannot use function name as parameter name";
		else if (ak_var_special(name))
			wrong = tsb_format(a->p, "cannot use special variable `%s' as a function parameter",
					   name);
		for (size_t j = 0; j < i && !wrong; j++)
			if (!strcmp(name, f->params.at[j]))
				wrong = tsb_format(a->p, "parameter #%zu, `%s', duplicates parameter #%zu",
						   i + 1, name, j + 1);
		if (wrong)	/* in the line of the ")" */
			awk_error(a, f->source, ps->tokens.at[ps->at - 1].line,
				  tsb_format(a->p, "function `%s': %s", f->name, wrong));
	}
}

static bool is_assigned(struct awk *a, const struct token *t)
{
	struct map_entry *e = map_find(&a->global_names, t->p, t->n);

	return e && (uintptr_t)e->value <= a->assigned_end;
}

static void parse_function(struct parser *ps)
{
	struct token *t;
	struct func *f;

	ps->at++;
	t = peek(ps);
	if (t->type == T_BUILTIN)
		ak_lex_error(ps->a, t, tsb_format(ps->a->p, "`%.*s' is a built-in function, it cannot "
						  "be redefined", (int)t->n, t->p));
	if (t->type != T_NAME && t->type != T_FUNC_NAME)
		ak_parse_fail(ps);
	f = ak_func_named(ps->a, t->p, t->n);
	if (f->defined || is_assigned(ps->a, t)) {
		parse_error(ps, tsb_format(ps->a->p, "function name `%s' previously defined",
					   f->name));
		f->params.n = f->is_array.n = 0;
	}
	f->defined = true;
	f->line = t->line;
	f->source = t->source;
	ps->at++;
	ak_expect(ps, '(');
	parse_params(ps, f);
	check_params(ps, f);
	ak_skip_newlines(ps);
	ps->func = f;
	f->body = ak_parse_block(ps);
	ps->func = NULL;
}

static TSB_NORETURN void no_action(struct parser *ps, const struct token *t, const char *where)
{
	const char *text = tsb_format(ps->a->p, "%s: %s:%d: %s blocks must have an action part\n",
				      tsb_name(ps->a->p), t->source ? t->source : "cmd. line",
				      t->line, where);

	tsb_write_all(ps->a->p, 2, text, strlen(text));
	tsb_exit(ps->a->p, 1);
}

static void parse_special_rule(struct parser *ps, rule_list *to, const char *where)
{
	struct rule *r;
	struct node *body;

	ak_lint_extension(ps, peek(ps), where);
	ps->at++;
	if (next_type(ps) == T_NEWLINE || next_type(ps) == ';' || next_type(ps) == T_EOF) {
		ak_skip_newlines(ps);
		no_action(ps, peek(ps), where);
	}
	ps->where = where;
	body = ak_parse_block(ps);
	ps->where = NULL;
	r = vec_add(ps->a->heap, to);
	r->body = body;
	r->has_body = true;
}

static void parse_rule(struct parser *ps)
{
	struct rule r = { 0 };

	if (next_type(ps) != '{') {
		r.pattern = ak_parse_expr(ps);
		ak_lint_condition(ps, r.pattern);
		if (ak_accept(ps, ',')) {
			ak_skip_newlines(ps);
			r.pattern_end = ak_parse_expr(ps);
		}
	}
	if (next_type(ps) == '{') {
		r.body = ak_parse_block(ps);
		r.has_body = true;
	}
	*vec_add(ps->a->heap, &ps->a->main) = r;
}

/* Notes where what has just been read stands. */
static void set_place(struct parser *ps, struct place *to, const struct token *first)
{
	const struct token *last = &ps->tokens.at[ps->at - 1];
	struct awk *a = ps->a;

	*to = (struct place){ first->text, a->last_text == first->text ? a->last_end : 0, first->at,
			      last->text == first->text ? last->end : first->end, first->line };
	a->last_text = first->text;
	a->last_end = to->end;
	a->last_line = last->line;
}

static void parse_item(struct parser *ps)
{
	struct awk *a = ps->a;
	struct token first = *peek(ps), name = *ak_peek_at(ps, 1);

	switch (first.type) {
	case T_FUNCTION:
		parse_function(ps);
		set_place(ps, &ak_func_named(a, name.p, name.n)->place, &first);
		break;
	case T_BEGIN:
		parse_special_rule(ps, &a->begin, "BEGIN");
		set_place(ps, &vec_last(&a->begin).place, &first);
		break;
	case T_END:
		parse_special_rule(ps, &a->end, "END");
		set_place(ps, &vec_last(&a->end).place, &first);
		break;
	case T_BEGINFILE:
		parse_special_rule(ps, &a->begin_file, "BEGINFILE");
		set_place(ps, &vec_last(&a->begin_file).place, &first);
		break;
	case T_ENDFILE:
		parse_special_rule(ps, &a->end_file, "ENDFILE");
		set_place(ps, &vec_last(&a->end_file).place, &first);
		break;
	default:
		parse_rule(ps);
		set_place(ps, &vec_last(&a->main).place, &first);
	}
}

/* A ";" where a rule should stand. */
static void no_rule(struct parser *ps)
{
	struct token *t = peek(ps);
	const char *text = tsb_format(ps->a->p, "%s: %s:%d: each rule must have a pattern or an action "
				      "part\n", tsb_name(ps->a->p), t->source ? t->source : "cmd. line",
				      t->line);

	tsb_write_all(ps->a->p, 2, text, strlen(text));
	ps->a->errors = true;
	ps->at++;
}

void ak_parse_program(struct awk *a, const char *text, size_t n, const char *source)
{
	struct parser ps = { .a = a };

	ak_lex_program(a, &ps.tokens, text, n, source, 0);
	if (a->lint_old)
		ak_lint_old(&ps);
	for (;;) {
		ak_skip_newlines(&ps);
		if (next_type(&ps) == T_EOF)
			return;
		awk_tick(a);
		if (next_type(&ps) == ';') {
			no_rule(&ps);
			continue;
		}
		parse_item(&ps);
		if (!ak_accept(&ps, ';') && next_type(&ps) != T_NEWLINE && next_type(&ps) != T_EOF &&
		    ps.tokens.at[ps.at - 1].type != '}')
			ak_parse_fail(&ps);
	}
}
