/*
 * Statements, rules and functions for -o; and the variables for -d.
 */
#include "cmd/awk/pretty.h"

#include <fcntl.h>
#include <stdlib.h>

#include "cmd/awk/lex.h"

/* ---- Comments: they stand in the order of the program ---- */

static const struct awk_comment *next_comment(struct pretty *p, size_t before)
{
	struct awk *a = p->a;
	const struct awk_comment *c;

	while (p->comment < a->comments.n && a->comments.at[p->comment].done)
		p->comment++;
	if (p->comment >= a->comments.n)
		return NULL;
	c = &a->comments.at[p->comment];
	return c->text == p->text && c->at < before ? c : NULL;
}

static void put_comment(struct pretty *p)
{
	struct awk_comment *c = &p->a->comments.at[p->comment++];

	str_addn(&p->out, c->text + c->at, c->n);
	c->done = true;
}

/* Those before that place, a line each. */
static void put_comments(struct pretty *p, size_t before)
{
	const struct awk_comment *c, *last = NULL;

	while ((c = next_comment(p, before))) {
		for (int i = last ? last->line + 1 : c->line; i < c->line; i++)
			str_addc(&p->out, '\n');
		str_fill(&p->out, '\t', p->depth);
		put_comment(p);
		str_addc(&p->out, '\n');
		last = c;
	}
}

/* One behind code on that line, and before what comes next. */
static void put_behind(struct pretty *p, int line, const struct node *next)
{
	const struct awk_comment *c = next_comment(p, next && next->at ? next->at - 1 : p->end);

	if (c && !c->alone && c->line == line) {
		str_addc(&p->out, '\t');
		put_comment(p);
	}
	str_addc(&p->out, '\n');
}

/* The comments of this stretch of a text are the next ones. */
static void seek_comments(struct pretty *p, const char *text, size_t from, size_t end)
{
	struct awk *a = p->a;

	p->text = text;
	p->end = end;
	for (p->comment = 0; p->comment < a->comments.n; p->comment++)
		if (a->comments.at[p->comment].text == text && a->comments.at[p->comment].at >= from)
			return;
}

/* ---- Statements ---- */

static void put_statement(struct pretty *p, const struct node *n);

static void put_line(struct pretty *p, const char *text)
{
	str_fill(&p->out, '\t', p->depth);
	str_adds(&p->out, text);
}

/* What stands between braces; the head has been printed up to the brace. */
static void put_body(struct pretty *p, const struct node *n)
{
	str_addc(&p->out, '{');
	if (n && n->op == N_BLOCK && n->at)
		put_behind(p, n->line, n->b);
	else
		str_addc(&p->out, '\n');
	p->depth++;
	if (n)
		put_statement(p, n);
	p->depth--;
	put_line(p, "}");
}

static bool is_wrapped(const struct str *s, size_t from)
{
	return s->n > from && s->p[from] == '(' && s->p[s->n - 1] == ')';
}

static void put_print(struct pretty *p, const struct node *n)
{
	size_t from;

	str_adds(&p->out, n->op == N_PRINT ? "print" : "printf");
	from = p->out.n;
	ak_pretty_list(p, n->b);
	if (n->b && n->sub && !is_wrapped(&p->out, from)) {
		str_insert(&p->out, from, "(", 1);
		str_addc(&p->out, ')');
	} else if (n->b && !n->sub) {
		str_insert(&p->out, from, " ", 1);
	}
	if (!n->sub)
		return;
	str_adds(&p->out, n->sub == '>' ? " > " : n->sub == T_APPEND ? " >> "
		 : n->sub == '|' ? " | " : " |& ");
	ak_pretty_closed(p, n->a);
}

static void put_simple(struct pretty *p, const struct node *n)
{
	const char *word = n->op == N_BREAK ? "break" : n->op == N_CONTINUE ? "continue"
			   : n->op == N_NEXT ? "next" : n->op == N_NEXTFILE ? "nextfile"
			   : n->op == N_EXIT ? "exit" : n->op == N_RETURN ? "return"
			   : n->op == N_DELETE ? "delete" : "";

	if (n->op == N_PRINT || n->op == N_PRINTF) {
		put_print(p, n);
		return;
	}
	str_adds(&p->out, word);
	if (*word && n->a)
		str_addc(&p->out, ' ');
	if (n->a && (n->op == N_EXIT || n->op == N_RETURN))
		ak_pretty_closed(p, n->a);
	else if (n->a)
		ak_pretty_expr(p, n->a);
}

static void put_if(struct pretty *p, const struct node *n)
{
	put_line(p, "");
	for (;;) {
		str_adds(&p->out, "if (");
		ak_pretty_expr(p, n->a);
		str_adds(&p->out, ") ");
		put_body(p, n->b);
		if (!n->c)
			break;
		str_adds(&p->out, " else ");
		if (n->c->op != N_IF) {
			put_body(p, n->c);
			break;
		}
		n = n->c;
		awk_tick(p->a);
	}
	str_addc(&p->out, '\n');
}

static void put_loop(struct pretty *p, const struct node *n)
{
	put_line(p, n->op == N_WHILE ? "while (" : n->op == N_DO ? "do " : "for (");
	if (n->op == N_WHILE) {
		ak_pretty_expr(p, n->a);
	} else if (n->op == N_FORIN) {
		ak_pretty_expr(p, n->a);
		str_adds(&p->out, " in ");
		ak_pretty_expr(p, n->b);
	} else if (n->op == N_FOR) {
		if (n->a)
			put_simple(p, n->a);
		str_adds(&p->out, n->b ? "; " : ";");
		if (n->b)
			ak_pretty_expr(p, n->b);
		str_adds(&p->out, n->c ? "; " : ";");
		if (n->c)
			put_simple(p, n->c);
	}
	if (n->op != N_DO)
		str_adds(&p->out, ") ");
	put_body(p, n->op == N_FOR ? n->d : n->op == N_FORIN ? n->c : n->b);
	if (n->op == N_DO) {
		str_adds(&p->out, " while (");
		ak_pretty_expr(p, n->a);
		str_addc(&p->out, ')');
	}
	str_addc(&p->out, '\n');
}

static void put_list(struct pretty *p, const struct node *n)
{
	for (; n; n = n->next)
		put_statement(p, n);
}

static void put_switch(struct pretty *p, const struct node *n)
{
	put_line(p, "switch (");
	ak_pretty_expr(p, n->a);
	str_adds(&p->out, ") {\n");
	for (const struct node *c = n->b; c; c = c->next) {
		put_line(p, c->sub ? "default" : "case ");
		if (!c->sub)
			ak_pretty_expr(p, c->a);
		str_adds(&p->out, ":\n");
		p->depth++;
		put_list(p, c->b);
		p->depth--;
	}
	put_line(p, "}\n");
}

static void put_statement(struct pretty *p, const struct node *n)
{
	awk_deep(p->a);
	awk_tick(p->a);
	if (n->at && n->op != N_BLOCK)
		put_comments(p, n->at - 1);
	switch (n->op) {
	case N_BLOCK: put_list(p, n->b); break;
	case N_IF: put_if(p, n); break;
	case N_WHILE: case N_DO: case N_FOR: case N_FORIN: put_loop(p, n); break;
	case N_SWITCH: put_switch(p, n); break;
	default:
		put_line(p, "");
		put_simple(p, n);
		put_behind(p, n->line, n->next);
	}
}

/* ---- Rules and functions ---- */

static void put_rule(struct pretty *p, const struct rule *r, const char *word)
{
	const struct awk_comment *c;

	seek_comments(p, r->place.text, r->place.from, r->place.end);
	put_comments(p, r->place.at);
	c = r->has_body ? NULL : next_comment(p, SIZE_MAX);
	if (c && !c->alone && c->line == r->place.line)
		put_comments(p, c->at + 1);
	str_adds(&p->out, word);
	if (r->pattern)
		ak_pretty_expr(p, r->pattern);
	if (r->pattern_end) {
		str_adds(&p->out, ", ");
		ak_pretty_expr(p, r->pattern_end);
	}
	if (*word || r->pattern)
		str_addc(&p->out, ' ');
	str_addc(&p->out, '{');
	put_behind(p, r->place.line, r->has_body ? r->body->b : NULL);
	p->depth = 1;
	if (r->has_body)
		put_statement(p, r->body);
	else
		str_adds(&p->out, "\tprint\n");
	put_comments(p, r->place.end);
	p->depth = 0;
	str_adds(&p->out, "}\n\n");
}

static void put_rules(struct pretty *p, const rule_list *rules, const char *word)
{
	for (size_t i = 0; i < rules->n; i++)
		put_rule(p, &rules->at[i], word);
}

static int by_name(const void *x, const void *y)
{
	const struct func *const *a = x, *const *b = y;

	return strcmp((*a)->name, (*b)->name);
}

static void put_function(struct pretty *p, const struct func *f)
{
	str_addc(&p->out, '\n');
	seek_comments(p, f->place.text, f->place.from, f->place.end);
	put_comments(p, f->body->at ? f->body->at - 1 : f->place.at);
	str_addf(&p->out, "function %s(", f->name);
	for (size_t i = 0; i < f->params.n; i++)
		str_addf(&p->out, "%s%s", i ? ", " : "", f->params.at[i]);
	str_adds(&p->out, ")\n{\n");
	p->func = f;
	p->depth = 1;
	put_statement(p, f->body);
	put_comments(p, f->place.end);
	p->depth = 0;
	p->func = NULL;
	str_adds(&p->out, "}\n");
}

static void put_functions(struct pretty *p)
{
	struct awk *a = p->a;
	const struct func **list = tsb_alloc(a->p, (a->funcs.n + 1) * sizeof(struct func *));
	size_t n = 0;

	for (size_t i = 0; i < a->funcs.n; i++)
		if (a->funcs.at[i]->defined)
			list[n++] = a->funcs.at[i];
	qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; i < n; i++)
		put_function(p, list[i]);
}

/* Where a report goes: "-" and what cannot be opened: see gawk's messages. */
static int report_open(struct awk *a, const char *name, const char *what)
{
	int fd;

	if (!strcmp(name, "-"))
		return 1;
	fd = tsb_open(a->p, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd >= 0)
		return fd;
	tsb_warn(a->p, "warning: could not open `%s' for writing: %s", name, tsb_strerror(fd));
	tsb_warn(a->p, "warning: sending %s to standard error", what);
	return 2;
}

static void report_write(struct awk *a, int fd, const struct str *out)
{
	if (fd == 1)
		tsb_put(a->p, out->p, out->n);
	else
		tsb_write_all(a->p, fd, out->p, out->n);
	if (fd > 2)
		tsb_close(a->p, fd);
}

void ak_pretty_program(struct awk *a, const char *file)
{
	struct pretty p = { .a = a };

	str_init(&p.out, a->heap, STR_MAX_DEFAULT);
	put_rules(&p, &a->begin, "BEGIN");
	put_rules(&p, &a->begin_file, "BEGINFILE");
	put_rules(&p, &a->main, "");
	put_rules(&p, &a->end_file, "ENDFILE");
	put_rules(&p, &a->end, "END");
	seek_comments(&p, a->last_text, a->last_end, SIZE_MAX);
	if (a->last_text)
		put_comments(&p, SIZE_MAX);
	put_functions(&p);
	report_write(a, report_open(a, file, "profile"), &p.out);
}

/* ---- -d ---- */

static void dump_value(struct awk *a, struct str *out, const struct awk_val *v)
{
	struct awk_str *s;

	switch (v->type) {
	case V_ARRAY:
		str_addf(out, "array, %zu elements", array_size(v->array));
		return;
	case V_UNDEF: case V_LINK:
		str_adds(out, "untyped variable");
		return;
	case V_UNSET:
		str_adds(out, "uninitialized scalar");
		return;
	case V_NUM:
		str_addf(out, "%.17g", v->num);
		return;
	case V_STR: case V_INPUT: case V_REGEX:
		break;
	}
	s = ak_val_to_str(a, v);
	str_adds(out, v->type == V_REGEX ? "@/" : "\"");
	ak_pretty_string(out, s->p, s->n);
	str_addc(out, v->type == V_REGEX ? '/' : '"');
	str_drop(a, s);
}

static int by_text(const void *x, const void *y)
{
	const char *const *a = x, *const *b = y;

	return strcmp(*a, *b);
}

void ak_dump_variables(struct awk *a, const char *file)
{
	size_t n = a->global_list.n;
	const char **names = tsb_alloc(a->p, (n + 1) * sizeof(*names));
	struct str out;

	str_init(&out, a->heap, STR_MAX_DEFAULT);
	ak_symtab(a);
	for (size_t i = 0; i < n; i++)
		names[i] = a->global_list.at[i];
	qsort(names, n, sizeof(*names), by_text);
	for (size_t i = 0; i < n; i++) {
		struct map_entry *e = map_find(&a->global_names, names[i], strlen(names[i]));
		uint32_t slot = (uint32_t)((uintptr_t)e->value - 1);
		struct awk_val v = { .type = V_UNDEF };
		double num;

		if (slot < VAR_SPECIAL_END)
			ak_var_read(a, slot, &v);
		else
			ak_val_copy(&v, &a->globals[slot]);
		if (v.type == V_INPUT && slot < a->assigned_end && ak_val_is_num(a, &v, &num)) {
			val_drop(a, &v);
			val_number(&v, num);
		}
		str_addf(&out, "%s: ", names[i]);
		dump_value(a, &out, &v);
		str_addc(&out, '\n');
		val_drop(a, &v);
		awk_tick(a);
	}
	report_write(a, report_open(a, file, "variable list"), &out);
}
