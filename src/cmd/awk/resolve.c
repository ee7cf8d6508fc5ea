/*
 * After parsing: functions that are called must exist, and parameters that are
 * used as arrays, directly or by a function they are handed to, are marked, so
 * that a name nothing was assigned to can become an array in the call.
 */
#include "cmd/awk/awk.h"

#include "cmd/awk/parse.h"

struct resolving {
	struct awk *a;
	struct func *func;
	bool changed, check;
};

static void mark(struct resolving *r, const struct node *n)
{
	if (!n || n->op != N_LOCAL || !r->func || r->func->is_array.at[n->slot])
		return;
	r->func->is_array.at[n->slot] = true;
	r->changed = true;
}

static void mark_builtin(struct resolving *r, struct node *n)
{
	struct node *x = n->b;

	switch ((enum builtin)n->sub) {
	case B_SPLIT: case B_PATSPLIT:
		mark(r, x->next);
		if (x->next->next)
			mark(r, x->next->next->next);
		break;
	case B_ASORT: case B_ASORTI:
		mark(r, x);
		mark(r, x->next);
		break;
	case B_MATCH:
		mark(r, x->next->next);
		break;
	default:
		break;
	}
}

static void mark_call(struct resolving *r, struct node *n)
{
	struct awk *a = r->a;
	size_t i = 0;

	a->line = n->line;
	a->source = n->source;
	if (!n->func->defined)
		return;		/* it is wrong only where it is called */
	for (struct node *x = n->b; x; x = x->next, i++) {
		if (i >= n->func->params.n)
			break;		/* told when it is called */
		if (n->func->is_array.at[i])
			mark(r, x);
	}
}

/* A name is a function or a variable. */
static void check_name(struct awk *a, const struct node *n)
{
	const char *name = a->global_list.at[n->slot];
	struct map_entry *e = map_find(&a->func_names, name, strlen(name));
	struct func *f = e ? e->value : NULL;

	if (f && f->defined)
		awk_error(a, n->source, n->line, tsb_format(a->p,
			  "function `%s' called with space between name and `(',\n"
			  "or used as a variable or an array", name));
}

static void visit(struct resolving *r, struct node *n)
{
	awk_deep(r->a);
	for (; n; n = n->next) {
		if (n->op == N_GLOBAL && r->check)
			check_name(r->a, n);
		if (n->op == N_INDEX || n->op == N_IN || (n->op == N_DELETE && n->a->op != N_INDEX))
			mark(r, n->a);
		else if (n->op == N_FORIN)
			mark(r, n->b);
		else if (n->op == N_BUILTIN)
			mark_builtin(r, n);
		else if (n->op == N_CALL)
			mark_call(r, n);
		visit(r, n->a);
		visit(r, n->b);
		visit(r, n->c);
		visit(r, n->d);
	}
}

/* --posix: a parameter is no function. */
static void check_posix_params(struct awk *a, const struct func *f)
{
	for (size_t i = 0; i < f->params.n; i++) {
		const char *name = f->params.at[i];
		struct map_entry *e = map_find(&a->func_names, name, strlen(name));
		const struct func *other = e ? e->value : NULL;

		if (other && other->defined)
			awk_error(a, NULL, 0, tsb_format(a->p, "function `%s': cannot use function `%s' "
				  "as a parameter name", f->name, name));
	}
}

static void visit_rules(struct resolving *r, rule_list *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		visit(r, rules->at[i].pattern);
		visit(r, rules->at[i].pattern_end);
		visit(r, rules->at[i].body);
	}
}

void ak_parse_finish(struct awk *a)
{
	struct resolving r = { .a = a, .check = true };

	do {
		r.changed = false;
		for (size_t i = 0; i < a->funcs.n; i++) {
			r.func = a->funcs.at[i];
			visit(&r, r.func->body);
			awk_tick(a);
		}
		r.check = false;
	} while (r.changed);
	r.check = true;
	r.func = NULL;
	visit_rules(&r, &a->begin);
	visit_rules(&r, &a->main);
	visit_rules(&r, &a->end);
	visit_rules(&r, &a->begin_file);
	visit_rules(&r, &a->end_file);
	for (size_t i = 0; a->posix && i < a->funcs.n; i++)
		check_posix_params(a, a->funcs.at[i]);
	a->line = 0;
	if (a->errors)
		tsb_exit(a->p, 1);
}
