/*
 * Statements, and the rules around them: BEGIN, every record, END. next, exit
 * and the like inside functions come back by longjmp to the loop over records.
 */
#include "cmd/awk/awk.h"

#include "cmd/awk/lex.h"

/* ---- print ---- */

/* false: the file cannot be written, and the program wants to go on. */
static bool print_to(struct awk *a, struct node *n, struct stream **to)
{
	struct awk_str *name;
	struct stream *s;
	enum stream_kind kind = n->sub == '>' ? STREAM_OUT : n->sub == T_APPEND ? STREAM_APPEND :
				n->sub == '|' ? STREAM_OUT_PIPE : STREAM_TWO;

	*to = NULL;
	if (!n->sub)
		return true;
	name = ak_eval_str(a, n->a);
	if (!name->n)
		awk_fatal(a, "expression for `%s' redirection has null string value",
			  n->sub == '>' ? ">" : n->sub == T_APPEND ? ">>" : n->sub == '|' ? "|" : "|&");
	s = ak_stream_open(a, kind, name);
	str_drop(a, name);
	*to = s;
	return s != NULL;
}

static void print_str(struct awk *a, struct stream *s, struct awk_str *text)
{
	if (s)
		ak_stream_write(a, s, text->p, text->n);
	else
		tsb_put(a->p, text->p, text->n);
}

static void print_var(struct awk *a, struct stream *s, uint32_t slot)
{
	struct awk_val *v = &a->globals[slot];
	struct awk_str *text;

	if (v->type == V_STR) {
		print_str(a, s, v->str);
		return;
	}
	text = ak_var_str(a, slot);
	print_str(a, s, text);
	str_drop(a, text);
}

/* To one that is written at once the line goes as one piece. */
static void print_whole(struct awk *a, struct stream *s, struct awk_str **texts, size_t n)
{
	struct awk_str *ofs = ak_var_str(a, VAR_OFS), *ors = ak_var_str(a, VAR_ORS);
	struct str line;

	str_init(&line, a->heap, STR_MAX_DEFAULT);
	for (size_t i = 0; i < n; i++) {
		if (i)
			str_addn(&line, ofs->p, ofs->n);
		str_addn(&line, texts[i]->p, texts[i]->n);
	}
	str_addn(&line, ors->p, ors->n);
	ak_stream_write(a, s, line.p, line.n);
	str_end(&line);
	str_drop(a, ofs);
	str_drop(a, ors);
}

static NOINLINE void exec_print(struct awk *a, struct node *n)
{
	struct awk_str *few[8], **texts = few;
	size_t count = 0, i = 0;
	struct stream *s;
	bool open;

	for (struct node *x = n->b; x; x = x->next)
		count++;
	if (count > 8)
		texts = heap_array(a->heap, count, sizeof(*texts));
	for (struct node *x = n->b; x; x = x->next) {
		struct awk_val v;

		ak_eval(a, x, &v);
		ak_eval_scalar_check(a, x, &v);
		texts[i++] = ak_val_to_out(a, &v);
		val_drop(a, &v);
	}
	if (!count) {
		texts[count++] = str_hold(ak_record_str(a));
		if (a->lint)
			ak_lint_end(a);
		if (a->lint && texts[0] == a->unset)
			ak_lint_field(a, 0);
	}
	open = print_to(a, n, &s);
	if (!open) {
		;
	} else if (s && s->direct) {
		print_whole(a, s, texts, count);
	} else {
		for (i = 0; i < count; i++) {
			if (i)
				print_var(a, s, VAR_OFS);
			print_str(a, s, texts[i]);
		}
		print_var(a, s, VAR_ORS);
		if (!s)
			ak_out_check(a, "print", "standard output");
	}
	for (i = 0; i < count; i++)
		str_drop(a, texts[i]);
	if (texts != few)
		heap_free(a->heap, texts);
}

static NOINLINE void exec_printf(struct awk *a, struct node *n)
{
	struct stream *s;
	struct str out;

	str_init(&out, a->heap, STR_MAX_DEFAULT);
	awk_sprintf(a, n->b, &out);
	if (!print_to(a, n, &s))
		;
	else if (s)
		ak_stream_write(a, s, out.p, out.n);
	else
		tsb_put(a->p, out.p, out.n);
	str_end(&out);
	if (!s)
		ak_out_check(a, "printf", "standard output");
}

/* ---- Loops ---- */

static NOINLINE enum flow exec_while(struct awk *a, struct node *n)
{
	while (ak_eval_true(a, n->a)) {
		enum flow flow = ak_exec(a, n->b);

		awk_tick(a);
		if (flow == FLOW_BREAK)
			break;
		if (flow == FLOW_RETURN)
			return flow;
	}
	return FLOW_ON;
}

static NOINLINE enum flow exec_do(struct awk *a, struct node *n)
{
	do {
		enum flow flow = ak_exec(a, n->b);

		awk_tick(a);
		if (flow == FLOW_BREAK)
			break;
		if (flow == FLOW_RETURN)
			return flow;
	} while (ak_eval_true(a, n->a));
	return FLOW_ON;
}

static NOINLINE enum flow exec_for(struct awk *a, struct node *n)
{
	if (n->a)
		ak_exec(a, n->a);
	while (!n->b || ak_eval_true(a, n->b)) {
		enum flow flow = ak_exec(a, n->d);

		awk_tick(a);
		if (flow == FLOW_BREAK)
			break;
		if (flow == FLOW_RETURN)
			return flow;
		if (n->c)
			ak_exec(a, n->c);
	}
	return FLOW_ON;
}

static struct awk_str *sorted_in(struct awk *a)
{
	struct awk_val key, *v;

	if (!a->uses[VAR_PROCINFO])
		return str_hold(a->empty);
	val_string(&key, ak_str_make(a, "sorted_in", 9));
	v = ak_array_at(a, ak_var_array(a, VAR_PROCINFO), &key, false);
	val_drop(a, &key);
	return v ? ak_val_to_str(a, v) : str_hold(a->empty);
}

/* The keys as they are now: the loop may change the array. */
static struct awk_str **keys_of(struct awk *a, struct awk_array *x, size_t *n)
{
	struct awk_str **keys, *how = sorted_in(a);
	struct elem **list = ak_array_list(a, x, n);

	ak_array_sort(a, list, *n, how);
	str_drop(a, how);
	keys = heap_array(a->heap, *n + 1, sizeof(*keys));
	for (size_t i = 0; i < *n; i++)
		keys[i] = str_hold(ak_elem_key(a, list[i]));
	heap_free(a->heap, list);
	return keys;
}

static NOINLINE enum flow exec_for_in(struct awk *a, struct node *n)
{
	enum flow flow = FLOW_ON;
	struct awk_str **keys;
	size_t count, i;

	keys = keys_of(a, ak_eval_array(a, n->b), &count);
	for (i = 0; i < count && flow != FLOW_BREAK && flow != FLOW_RETURN; i++) {
		struct awk_val v;

		awk_tick(a);
		val_string(&v, keys[i]);
		ak_eval_store(a, n->a, &v);
		flow = ak_exec(a, n->c);
	}
	for (; i < count; i++)
		str_drop(a, keys[i]);
	heap_free(a->heap, keys);
	return flow == FLOW_RETURN ? flow : FLOW_ON;
}

static bool case_is(struct awk *a, struct node *c, const struct awk_val *v)
{
	struct awk_str *s;
	struct awk_val x;
	bool yes, nan;

	if (c->op == N_REGEX) {
		s = ak_val_to_str(a, v);
		yes = ak_regex_run(a, ak_eval_regex(a, c), s->p, s->n, 0, NULL, 0);
		str_drop(a, s);
		return yes;
	}
	ak_eval(a, c, &x);
	if (x.type == V_REGEX) {
		s = ak_val_to_str(a, v);
		yes = ak_regex_run(a, ak_regex_of(a, &c->cache, x.str), s->p, s->n, 0, NULL, 0);
		str_drop(a, s);
		val_drop(a, &x);
		return yes;
	}
	yes = !ak_val_compare(a, v, &x, &nan) && !nan;
	val_drop(a, &x);
	return yes;
}

static NOINLINE enum flow exec_list(struct awk *a, struct node *n);

static NOINLINE enum flow exec_switch(struct awk *a, struct node *n)
{
	struct node *c, *found = NULL;
	struct awk_val v;
	enum flow flow = FLOW_ON;

	ak_eval(a, n->a, &v);
	for (c = n->b; c && !found; c = c->next)
		if (!c->sub && case_is(a, c->a, &v))
			found = c;
	val_drop(a, &v);
	for (c = n->b; c && !found; c = c->next)
		if (c->sub)
			found = c;
	for (c = found; c && flow == FLOW_ON; c = c->next)
		flow = exec_list(a, c->b);
	return flow == FLOW_BREAK ? FLOW_ON : flow;
}

/* ---- Jumps ---- */

static NOINLINE void exec_next(struct awk *a, int how)
{
	const char *word = how == JUMP_NEXT ? "next" : "nextfile";

	if (a->in_file_rule && how == JUMP_NEXTFILE && a->file_jump)
		longjmp(*a->file_jump, how);
	if (!a->next_jump || a->in_file_rule)
		awk_fatal(a, "`%s' cannot be called from a `%s' rule", word,
			  a->in_end_file ? "ENDFILE" : a->in_file_rule ? "BEGINFILE" : a->in_end ? "END" : "BEGIN");
	longjmp(*a->next_jump, how);
}

static NOINLINE void exec_exit(struct awk *a, struct node *n)
{
	if (n->a)
		a->status = (int)((long long)ak_eval_num(a, n->a) & 255);
	a->exiting = true;
	longjmp(*a->exit_jump, 1);
}

static void lint_delete(struct awk *a, const struct node *array, const struct awk_val *key)
{
	struct awk_str *s = ak_val_to_str(a, key);

	while (array->op == N_INDEX)
		array = array->a;
	ak_lint(a, "delete: index `%s' not in array `%s'", s->p, array->op == N_LOCAL
		? a->running->params.at[array->slot] : a->global_list.at[array->slot]);
	str_drop(a, s);
}

static NOINLINE void exec_delete(struct awk *a, struct node *n)
{
	struct awk_array *x;
	struct awk_val key;

	ak_symbols_no_delete(a, n->a->op == N_INDEX ? n->a->a : n->a);
	if (n->a->op != N_INDEX) {
		ak_array_clear(a, ak_eval_array(a, n->a));
		return;
	}
	ak_eval_key(a, n->a->b, &key);
	x = ak_eval_array(a, n->a->a);
	if (a->lint && !ak_array_at(a, x, &key, false))
		lint_delete(a, n->a->a, &key);
	ak_array_delete(a, x, &key);
	val_drop(a, &key);
}

static NOINLINE void exec_expr(struct awk *a, struct node *n)
{
	struct awk_val v;

	switch (n->op) {
	case N_BEFORE: case N_AFTER: case N_CHANGE:
		ak_eval_num(a, n);
		return;
	case N_ASSIGN:
		ak_eval_assign(a, n, NULL);
		return;
	default:
		ak_eval(a, n, &v);
		val_drop(a, &v);
	}
}

static NOINLINE enum flow exec_list(struct awk *a, struct node *n)
{
	enum flow flow = FLOW_ON;

	for (; n && flow == FLOW_ON; n = n->next)
		flow = ak_exec(a, n);
	return flow;
}

static NOINLINE enum flow exec_return(struct awk *a, struct node *n)
{
	struct awk_val v = { .type = V_UNSET };

	if (n->a)
		ak_eval(a, n->a, &v);
	val_drop(a, &a->returned);
	a->returned = v;
	return FLOW_RETURN;
}

enum flow ak_exec(struct awk *a, struct node *n)
{
	awk_deep(a);
	a->line = n->line;
	a->source = n->source;
	switch (n->op) {
	case N_EXPR:
		exec_expr(a, n->a);
		break;
	case N_PRINT:
		exec_print(a, n);
		break;
	case N_PRINTF:
		exec_printf(a, n);
		break;
	case N_IF:
		if (ak_eval_true(a, n->a))
			return ak_exec(a, n->b);
		return n->c ? ak_exec(a, n->c) : FLOW_ON;
	case N_WHILE: return exec_while(a, n);
	case N_DO: return exec_do(a, n);
	case N_FOR: return exec_for(a, n);
	case N_FORIN: return exec_for_in(a, n);
	case N_BLOCK: return exec_list(a, n->b);
	case N_SWITCH: return exec_switch(a, n);
	case N_BREAK: return FLOW_BREAK;
	case N_CONTINUE: return FLOW_CONTINUE;
	case N_RETURN: return exec_return(a, n);
	case N_NEXT:
		exec_next(a, JUMP_NEXT);
		break;
	case N_NEXTFILE:
		exec_next(a, JUMP_NEXTFILE);
		break;
	case N_EXIT:
		exec_exit(a, n);
		break;
	case N_DELETE:
		exec_delete(a, n);
		break;
	default:
		break;
	}
	return FLOW_ON;
}
