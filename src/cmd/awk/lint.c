/*
 * --lint: warnings of what is doubtful in a program, when it is read and when it
 * runs. With -Lfatal the first one ends it.
 */
#include "cmd/awk/parse.h"

void ak_lint(struct awk *a, const char *fmt, ...)
{
	va_list ap;
	char *text;
	struct str s;

	str_init(&s, a->heap, STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	text = s.p;
	if (a->lint == LINT_FATAL)
		awk_fatal(a, "%s", text);
	awk_warn(a, "%s", text);
	str_end(&s);
}

void ak_lint_mode(struct awk *a, const char *value)
{
	a->lint_no_extensions = !strcmp(value, "no-ext") || !strcmp(value, "invalid");
	a->lint = !strcmp(value, "fatal") ? LINT_FATAL : LINT_ON;
}

/* LINT was assigned to. */
void ak_lint_assigned(struct awk *a)
{
	struct awk_val v;
	struct awk_str *s;
	bool on;

	ak_var_read(a, VAR_LINT, &v);
	on = ak_val_true(a, &v);
	s = ak_val_to_str(a, &v);
	if (!on && a->lint)
		ak_lint(a, "turning off `--lint' due to assignment to `LINT'");
	a->lint = LINT_OFF;
	if (on)
		ak_lint_mode(a, s->p);
	str_drop(a, s);
	val_drop(a, &v);
}

/* ---- When it is read ---- */

static void lint_at(struct parser *ps, const struct token *t)
{
	ps->a->line = t->line;
	ps->a->source = t->source;
}

/* Of some things it is said once. */
static bool lint_first(struct awk *a, const char *what)
{
	struct map_entry *e = map_put(&a->lint_words, what, strlen(what));
	bool first = !e->value;

	e->value = a;
	return first;
}

void ak_lint_extension(struct parser *ps, const struct token *t, const char *name)
{
	static const char words[] =
		" and asort asorti bindtextdomain compl dcgettext dcngettext gensub isarray lshift mkbool"
		" mktime or patsplit rshift strftime strtonum systime typeof xor BEGINFILE ENDFILE switch"
		" case default ";
	struct awk *a = ps->a;
	char *word = tsb_format(a->p, " %s ", name);
	const char *found = strstr(words, word);

	tsb_free(a->p, word);
	if (!a->lint || a->lint_no_extensions || !found)
		return;
	if (!lint_first(a, name))
		return;
	lint_at(ps, t);
	ak_lint(a, "`%s' is a gawk extension", name);
}

void ak_lint_condition(struct parser *ps, const struct node *n)
{
	struct awk *a = ps->a;

	if (!a->lint || n->paren || n->op != N_ASSIGN)
		return;
	a->line = n->line;
	a->source = n->source;
	ak_lint(a, "assignment used in conditional context");
}

/* A statement that is an expression. */
void ak_lint_effect(struct parser *ps, const struct node *n)
{
	struct awk *a = ps->a;

	if (!a->lint || n->paren || (n->op == N_INDEX && n->a->op == N_INDEX) ||
	    (n->op == N_CONST && n->v.type == V_REGEX))
		return;
	switch (n->op) {
	case N_CONST: case N_IN: case N_REGEX: case N_GLOBAL: case N_SPECIAL: case N_LOCAL: case N_INDEX:
	case N_FIELD: case N_NOT: case N_NEG: case N_PLUS: case N_BINARY:
	case N_COMPARE: case N_CONCAT: case N_MATCH: case N_AND: case N_OR:
		break;
	default:
		return;
	}
	a->line = n->line;
	a->source = n->source;
	ak_lint(a, "statement has no effect");
}

void ak_lint_print(struct parser *ps, const struct node *n)
{
	struct awk *a = ps->a;

	if (!a->lint || n->b || n->op != N_PRINT || !ps->where ||
	    (strcmp(ps->where, "BEGIN") && strcmp(ps->where, "END")))
		return;
	if (!lint_first(a, "print"))
		return;
	a->line = n->line;
	a->source = n->source;
	ak_lint(a, "plain `print' in BEGIN or END rule should probably be `print \"\"'");
}

void ak_lint_builtin(struct parser *ps, const struct node *n, const struct token *t, bool parens)
{
	const struct node *third = n->b && n->b->next ? n->b->next->next : NULL;
	struct awk *a = ps->a;

	if (!a->lint)
		return;
	ak_lint_extension(ps, t, ak_builtin_row(n->sub)->name);
	lint_at(ps, t);
	if (!parens)
		ak_lint(a, "call of `length' without parentheses is not portable");
	if (a->lint_no_extensions)
		return;
	if (n->sub == B_MATCH && third)
		ak_lint(a, "match: third argument is a gawk extension");
	if (n->sub == B_CLOSE && n->b && n->b->next)
		ak_lint(a, "close: second argument is a gawk extension");
	if (n->sub == B_SPLIT && third && third->op == N_CONST && third->v.type == V_STR &&
	    !third->v.str->n)
		ak_lint(a, "split: null string for third arg is a non-standard extension");
}

void ak_lint_multi(struct parser *ps)
{
	struct awk *a = ps->a;

	if (!a->lint || a->lint_no_extensions)
		return;
	lint_at(ps, peek(ps));
	ak_lint(a, "multidimensional arrays are a gawk extension");
}

/* "**" and "**=" are others' ways. */
void ak_lint_power(struct parser *ps, const struct token *t)
{
	bool assigns = t->type == T_POW_EQ;
	struct awk *a = ps->a;

	if (!a->lint || t->text[t->at] != '*' || !lint_first(a, assigns ? "**=" : "**"))
		return;
	lint_at(ps, t);
	ak_lint(a, "POSIX does not allow operator `%s'", assigns ? "**=" : "**");
}

void ak_lint_assignment(struct parser *ps, const struct node *to, struct node *n)
{
	struct awk *a = ps->a;

	/* x = x "more" only appends: nothing is said of x. */
	if (n->op == N_CONCAT && !n->paren && n->b->op == to->op && n->b->slot == to->slot &&
	    (to->op == N_GLOBAL || to->op == N_LOCAL))
		n->b->sub = LINT_QUIET;
	if (!a->lint || n->op != N_REGEX || n->paren)
		return;
	a->line = n->line;
	a->source = n->source;
	ak_lint(a, "regular expression on right of assignment");
}

static void lint_shadows(struct awk *a, const struct func *f)
{
	for (size_t i = 0; i < f->params.n; i++)
		if (map_find(&a->global_names, f->params.at[i], strlen(f->params.at[i])))
			ak_lint(a, "function `%s': parameter `%s' shadows global variable", f->name,
				f->params.at[i]);
}

void ak_lint_program(struct awk *a, int last_line)
{
	bool rules = a->begin.n || a->main.n || a->end.n || a->begin_file.n || a->end_file.n;

	if (!a->lint)
		return;
	a->line = 0;
	for (size_t i = 0; i < a->funcs.n; i++)
		if (a->funcs.at[i]->defined && !a->funcs.at[i]->called)
			ak_lint(a, "function `%s' defined but never called directly",
				a->funcs.at[i]->name);
	a->line = last_line;
	for (size_t i = 0; i < a->funcs.n; i++)
		if (a->funcs.at[i]->defined)
			lint_shadows(a, a->funcs.at[i]);
	if (!rules)
		ak_lint(a, "no program text at all!");
	a->line = 0;
}

/* ---- When it runs ---- */

void ak_lint_unset(struct awk *a, struct node *n, const struct awk_val *key)
{
	struct awk_str *s;

	if ((n->op == N_LOCAL || n->op == N_GLOBAL) && n->sub == LINT_QUIET)
		return;
	if (n->op == N_LOCAL) {
		ak_lint(a, "reference to uninitialized argument `%s'",
			a->running->params.at[n->slot]);
	} else if (n->op == N_INDEX) {
		const struct node *array = n->a;

		while (array->op == N_INDEX)
			array = array->a;
		s = ak_val_to_str(a, key);
		ak_lint(a, "reference to uninitialized element `%s[\"%s\"]'", array->op == N_LOCAL
			? a->running->params.at[array->slot] : a->global_list.at[array->slot], s->p);
		str_drop(a, s);
	} else {
		ak_lint(a, "reference to uninitialized variable `%s'", a->global_list.at[n->slot]);
	}
}

void ak_lint_end(struct awk *a)
{
	if (a->in_end && lint_first(a, "END"))
		ak_lint(a, "accessing fields from an END rule may not be portable");
}

void ak_lint_field(struct awk *a, double index)
{
	ak_lint(a, "reference to uninitialized field `$%.0f'", index);
}

double ak_lint_num(struct awk *a, struct node *n, const char *what)
{
	struct awk_val v;
	double num;

	if (!a->lint)
		return ak_eval_num(a, n);
	ak_eval(a, n, &v);
	if (v.type == V_ARRAY)
		ak_eval_scalar_check(a, n, &v);
	if (v.type > V_UNSET && !ak_val_is_num(a, &v, &num))
		ak_lint(a, "%s", what);
	num = ak_val_to_num(a, &v);
	val_drop(a, &v);
	return num;
}

struct awk_str *ak_lint_str(struct awk *a, struct node *n, const char *what)
{
	struct awk_str *s;
	struct awk_val v;

	if (!a->lint)
		return ak_eval_str(a, n);
	ak_eval(a, n, &v);
	if (v.type == V_ARRAY)
		ak_eval_scalar_check(a, n, &v);
	if (v.type == V_NUM)
		ak_lint(a, "%s", what);
	s = ak_val_to_str(a, &v);
	val_drop(a, &v);
	return s;
}

/* What substr() is asked for, of n characters. */
void ak_lint_substr(struct awk *a, double from, double length, double n, bool has_length)
{
	if (has_length && !(length >= 1)) {
		ak_lint(a, "substr: length %g is not >= 1", length);
		return;
	}
	if (has_length && length != (double)(int64_t)length)
		ak_lint(a, "substr: non-integer length %.16g will be truncated", length);
	if (from < 1)
		ak_lint(a, "substr: start index %g is invalid, using 1", from);
	else if (from < 9e15 && from != (double)(int64_t)from)
		ak_lint(a, "substr: non-integer start index %.16g will be truncated", from);
	from = from < 1 ? 1 : from;
	if (n == 0)
		ak_lint(a, "substr: source string is zero length");
	else if (from > n)
		ak_lint(a, "substr: start index %g is past end of string", from);
	else if (has_length && from - 1 + length > n)
		ak_lint(a, "substr: length %g at start index %g exceeds length of first argument (%.0f)",
			length, from, n);
}

void ak_lint_streams(struct awk *a)
{
	for (const struct stream *s = a->streams; s && a->lint; s = s->next)
		ak_lint(a, "no explicit close of %s `%s' provided",
			s->kind == STREAM_TWO ? "co-process" : s->kind == STREAM_IN_PIPE ||
			s->kind == STREAM_OUT_PIPE ? "pipe" : "file", s->name->p);
}
