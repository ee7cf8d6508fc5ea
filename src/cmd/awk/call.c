/*
 * Functions of the program: a frame of values for each call, and getline, which
 * is an expression with three sources.
 */
#include "cmd/awk/awk.h"

#include "cmd/awk/lex.h"

static void frame_drop(struct awk *a, struct awk_val *frame, size_t n)
{
	for (size_t i = 0; i < n; i++)
		val_drop(a, &frame[i]);
	heap_free(a->heap, frame);
}

static NOINLINE void call_frame(struct awk *a, struct func *f, struct awk_val *frame,
				struct awk_val *out)
{
	struct awk_val *outer = a->frame;
	const char *source = a->source;
	struct func *running = a->running;
	struct call call = { .outer = a->calls, .func = f, .frame = frame };
	int line = a->line;

	awk_tick(a);
	a->running = f;
	a->frame = frame;
	a->calls = &call;
	val_drop(a, &a->returned);
	a->returned.type = V_UNSET;
	ak_exec(a, f->body);
	a->frame = outer;
	a->calls = call.outer;
	a->running = running;
	a->line = line;
	a->source = source;
	*out = a->returned;
	a->returned.type = V_UNSET;
	frame_drop(a, frame, f->params.n);
}

void ak_call_with(struct awk *a, struct func *f, struct awk_val *args, size_t n,
		  struct awk_val *out)
{
	struct awk_val *frame = heap_array(a->heap, f->params.n + 1, sizeof(*frame));

	for (size_t i = 0; i < f->params.n; i++) {
		frame[i].type = V_UNDEF;
		if (i < n)
			frame[i] = args[i];
	}
	for (size_t i = f->params.n; i < n; i++)
		val_drop(a, &args[i]);
	call_frame(a, f, frame, out);
}

/* An argument. A name nothing was assigned to is handed over as itself, because the function
 * may make an array of it; an element only when the function is known to. */
static void eval_argument(struct awk *a, struct node *n, bool is_array, struct awk_val *out)
{
	struct awk_val *place;

	if (is_array && n->op == N_INDEX) {
		out->array = ak_eval_array(a, n);
		out->array->refs++;
		out->type = V_ARRAY;
		return;
	}
	place = ak_eval_peek(a, n);
	if (!place) {
		ak_eval(a, n, out);
	} else if (place->type == V_UNDEF && n->op != N_INDEX) {
		out->type = V_LINK;
		out->link = place;
	} else {
		ak_val_copy(out, place);
	}
}

void ak_eval_call(struct awk *a, struct func *f, struct node *args, struct awk_val *out)
{
	struct awk_val *frame;
	size_t i = 0;

	awk_deep(a);
	if (!f->defined)
		awk_fatal(a, "function `%s' not defined", f->name);
	frame = heap_array(a->heap, f->params.n + 1, sizeof(*frame));
	for (struct node *n = args; n; n = n->next, i++) {
		if (i >= f->params.n) {
			struct awk_val extra;

			ak_eval(a, n, &extra);
			val_drop(a, &extra);
			continue;
		}
		eval_argument(a, n, f->is_array.at[i], &frame[i]);
	}
	for (; i < f->params.n; i++)
		frame[i].type = V_UNDEF;
	call_frame(a, f, frame, out);
}

static const struct ak_builtin_row *builtin_named(const struct awk_str *name)
{
	for (int id = 0; id <= B_DCNGETTEXT; id++) {
		const struct ak_builtin_row *row = ak_builtin_row(id);

		if (row && !strcmp(row->name, name->p))
			return row;
	}
	return NULL;
}

void ak_eval_indirect(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *name = ak_eval_str(a, n->a);
	struct map_entry *e = map_find(&a->func_names, name->p, name->n);
	const struct ak_builtin_row *row = e ? NULL : builtin_named(name);

	if (row) {
		struct node call = *n;

		call.op = N_BUILTIN;
		call.sub = (int)row->id;
		call.slot = 0;
		for (struct node *x = n->b; x; x = x->next)
			call.slot++;
		ak_eval_builtin(a, &call, out);
	} else if (!e) {
		awk_fatal(a, "`%s' is not a function, so it cannot be called indirectly", name->p);
	} else {
		struct func *f = e->value;
		size_t given = 0;

		for (struct node *x = n->b; x; x = x->next)
			given++;
		if (given > f->params.n)
			awk_warn(a, "function `%s' called with more arguments than declared", f->name);
		ak_eval_call(a, f, n->b, out);
	}
	str_drop(a, name);
}

/* ---- getline ---- */

static void getline_give(struct awk *a, struct node *target, const char *p, size_t n)
{
	struct awk_val v;

	if (!target) {
		ak_record_set(a, p, n);
		return;
	}
	ak_val_input(a, &v, p, n);
	ak_eval_store(a, target, &v);
}

static double getline_from(struct awk *a, struct node *n)
{
	struct awk_str *name = ak_eval_str(a, n->b);
	struct stream *s;
	const char *p;
	size_t len;

	s = ak_stream_open(a, n->sub == '<' ? STREAM_IN : n->sub == '|' ? STREAM_IN_PIPE : STREAM_TWO,
			name);
	str_drop(a, name);
	if (!s || s->in.fd < 0)
		return -1;
	if (s->out_fd >= 0)
		ak_stream_flush(a, s);
	if (!ak_input_record(a, &s->in, &p, &len)) {
		if (s->in.error)
			ak_var_errno(a, s->in.error);
		return s->in.error ? -1 : 0;
	}
	getline_give(a, n->a, p, len);
	return 1;
}

void ak_eval_getline(struct awk *a, struct node *n, struct awk_val *out)
{
	const char *p;
	size_t len;

	if (n->b) {
		val_number(out, getline_from(a, n));
		return;
	}
	if (a->in_file_rule)
		awk_fatal(a, "non-redirected `getline' invalid inside `BEGINFILE' rule");
	if (!ak_main_record(a, &p, &len)) {
		val_number(out, a->in.error ? -1 : 0);
		return;
	}
	getline_give(a, n->a, p, len);
	val_number(out, 1);
}
