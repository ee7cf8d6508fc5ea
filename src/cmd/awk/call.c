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

			if (n->op == N_GLOBAL || n->op == N_LOCAL)
				continue;	/* it stays untyped */
			ak_eval(a, n, &extra);
			val_drop(a, &extra);
			continue;
		}
		eval_argument(a, n, f->is_array.at[i], &frame[i]);
	}
	if (f->native) {
		for (size_t k = i; k < f->params.n; k++)
			frame[k].type = V_UNDEF;
		ak_native_call(a, f, frame, i, out);
		frame_drop(a, frame, f->params.n);
		return;
	}
	if (i > f->params.n)
		awk_warn(a, "function `%s' called with more arguments than declared", f->name);
	for (; i < f->params.n; i++)
		frame[i].type = V_UNDEF;
	call_frame(a, f, frame, out);
}

static const struct ak_builtin_row *builtin_named(const char *name)
{
	for (int id = 0; id <= B_DCNGETTEXT; id++) {
		const struct ak_builtin_row *row = ak_builtin_row(id);

		if (row && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

/* What the parser checks of a direct call; gawk's words for it differ. */
static void check_count(struct awk *a, const struct ak_builtin_row *row, int count)
{
	bool few = row->id == B_AND || row->id == B_OR || row->id == B_XOR;
	bool sub = row->id == B_SUB || row->id == B_GSUB;
	const char *range = row->id == B_MATCH ? "two or three" : row->id == B_GENSUB ?
			    "three or four" : "two to four";

	if (sub && count != 2)
		awk_fatal(a, "%s: can be called indirectly only with two arguments", row->name);
	if (count >= row->min && count <= row->max && (count || row->id != B_LENGTH))
		return;
	if (row->id == B_MATCH || row->id == B_GENSUB || row->id == B_SPLIT || row->id == B_PATSPLIT)
		awk_fatal(a, "indirect call to %s requires %s arguments", row->name, range);
	if (few)
		awk_fatal(a, "%s: called with less than two arguments", row->name);
	if (row->id == B_SPRINTF)
		awk_fatal(a, "sprintf: no arguments");
	if (!count && (row->id == B_ASORT || row->id == B_ASORTI))
		awk_fatal(a, "%s: first argument is not an array", row->name);
	awk_fatal(a, "%s: called with %d arguments", row->name, count);
}

void ak_eval_indirect(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *name = ak_eval_str(a, n->a);
	size_t skip = strncmp(name->p, "awk::", 5) ? 0 : 5;
	struct map_entry *e = map_find(&a->func_names, name->p + skip, name->n - skip);
	const struct ak_builtin_row *row = e ? NULL : builtin_named(name->p + skip);

	if (row) {
		struct node call = *n;

		call.op = N_BUILTIN;
		call.sub = (int)row->id;
		call.slot = 0;
		for (struct node *x = n->b; x; x = x->next)
			call.slot++;
		check_count(a, row, (int)call.slot);
		ak_eval_builtin(a, &call, out);
	} else if (!e) {
		awk_fatal(a, "`%s' is not a function, so it cannot be called indirectly", name->p);
	} else {
		ak_eval_call(a, e->value, n->b, out);
	}
	str_drop(a, name);
}

/* ---- getline ---- */

/* Where the record goes is settled before it is read: an element is there even at the end. */
struct getline_target {
	struct node *node, copy, index;
};

static void getline_settle(struct awk *a, struct node *n, struct getline_target *to)
{
	to->node = n->a;
	if (!n->a || (n->a->op != N_INDEX && n->a->op != N_FIELD))
		return;
	to->node = ak_fix_target(a, n->a, &to->copy, &to->index);
	if (to->copy.op == N_INDEX)
		ak_eval_peek(a, &to->copy);
}

static void getline_give(struct awk *a, struct getline_target *to, const char *p, size_t n)
{
	struct awk_val v;

	if (!to->node) {
		ak_record_set(a, p, n);
		return;
	}
	ak_val_input(a, &v, p, n);
	ak_eval_store(a, to->node, &v);
}

static void getline_target_end(struct awk *a, struct getline_target *to)
{
	if (to->node == &to->copy)
		val_drop(a, &to->index.v);
}

static double getline_from(struct awk *a, struct node *n, struct awk_str *name,
			   struct getline_target *to)
{
	struct stream *s;
	const char *p;
	size_t len;

	s = ak_stream_open(a, n->sub == '<' ? STREAM_IN : n->sub == '|' ? STREAM_IN_PIPE : STREAM_TWO,
			name);
	if (!s)
		return -1;
	if (s->in.fd < 0 && !s->mirror)
		awk_fatal(a, "getline: attempt to read from closed read end of two-way pipe");
	if (s->out_fd >= 0)
		ak_stream_flush(a, s);
	if (!ak_input_record(a, &s->in, &p, &len)) {
		if (s->in.error)
			ak_var_errno(a, s->in.error);
		return s->in.error ? -1 : 0;
	}
	getline_give(a, to, p, len);
	return 1;
}

static double getline_main(struct awk *a, struct getline_target *to)
{
	const char *p;
	size_t len;

	if (!ak_main_record(a, &p, &len))
		return a->in.error ? -1 : 0;
	getline_give(a, to, p, len);
	return 1;
}

NOINLINE void ak_eval_getline(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *name = n->b ? ak_eval_str(a, n->b) : NULL;
	struct getline_target to;

	if (!name && a->in_file_rule)
		awk_fatal(a, "non-redirected `getline' invalid inside `%s' rule",
			  a->in_end_file ? "ENDFILE" : "BEGINFILE");
	if (n->c)
		ak_eval_num(a, n->c);
	getline_settle(a, n, &to);
	val_number(out, name ? getline_from(a, n, name, &to) : getline_main(a, &to));
	getline_target_end(a, &to);
	if (name)
		str_drop(a, name);
}
