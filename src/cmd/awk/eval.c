/*
 * Expressions. eval() gives a value, eval_num() and eval_true() take shorter
 * ways where only a number or a truth is wanted. In assignments the right side
 * comes first, as in gawk.
 */
#include "cmd/awk/awk.h"

#include <math.h>

#include "cmd/awk/lex.h"

double arith(struct awk *a, int op, double x, double y)
{
	switch (op) {
	case '+': return x + y;
	case '-': return x - y;
	case '*': return x * y;
	case '/':
		if (y == 0)
			awk_fatal(a, "division by zero attempted");
		return x / y;
	case '%':
		if (y == 0)
			awk_fatal(a, "division by zero attempted in `%%'");
		return fmod(x, y);
	}
	return pow(x, y);
}

/* ---- Places ---- */

static struct awk_val *local_val(struct awk *a, struct node *n)
{
	return &a->frame[n->slot];
}

static void not_scalar(struct awk *a, struct node *n)
{
	a->line = n->line;
	a->source = n->source;
	awk_fatal(a, "attempt to use array in a scalar context");
}

/* Subscripts: one is a key as it is, several are joined by SUBSEP. */
void eval_key(struct awk *a, struct node *subs, struct awk_val *out)
{
	struct awk_str *sep, *s;
	struct str key;

	if (!subs->next) {
		eval(a, subs, out);
		if (out->type == V_ARRAY)
			not_scalar(a, subs);
		return;
	}
	str_init(&key, a->heap, STR_MAX_DEFAULT);
	for (struct node *n = subs; n; n = n->next) {
		s = eval_str(a, n);
		str_addn(&key, s->p, s->n);
		str_drop(a, s);
		if (!n->next)
			break;
		sep = var_str(a, VAR_SUBSEP);
		str_addn(&key, sep->p, sep->n);
		str_drop(a, sep);
	}
	val_string(out, str_make(a, key.p, key.n));
	str_end(&key);
}

static struct awk_array *become_array(struct awk *a, struct awk_val *v)
{
	if (v->type == V_ARRAY)
		return v->array;
	if (v->type != V_UNDEF)
		awk_fatal(a, "attempt to use a scalar value as array");
	v->type = V_ARRAY;
	v->array = array_new(a);
	return v->array;
}

/* The array a name or an element is, made if it is nothing yet. */
struct awk_array *eval_array(struct awk *a, struct node *n)
{
	struct awk_array *x;
	struct awk_val key, *v;

	switch (n->op) {
	case N_GLOBAL: case N_SPECIAL:
		return become_array(a, &a->globals[n->slot]);
	case N_LOCAL:
		return become_array(a, local_val(a, n));
	case N_INDEX:
		eval_key(a, n->b, &key);
		x = eval_array(a, n->a);
		v = array_at(a, x, &key, true);
		val_drop(a, &key);
		return become_array(a, v);
	default:
		a->line = n->line;
		a->source = n->source;
		awk_fatal(a, "attempt to use a scalar value as array");
	}
}

static void store(struct awk *a, struct awk_val *place, struct awk_val *v)
{
	if (place->type == V_ARRAY)
		awk_fatal(a, "attempt to use array in a scalar context");
	val_drop(a, place);
	*place = *v;
}

void eval_store(struct awk *a, struct node *target, struct awk_val *v)
{
	struct awk_val key;
	struct awk_array *x;
	double index;

	if (v->type == V_ARRAY)
		not_scalar(a, target);
	switch (target->op) {
	case N_GLOBAL:
		store(a, &a->globals[target->slot], v);
		return;
	case N_SPECIAL:
		var_set(a, target->slot, v);
		return;
	case N_LOCAL:
		store(a, local_val(a, target), v);
		return;
	case N_INDEX:
		eval_key(a, target->b, &key);
		x = eval_array(a, target->a);
		store(a, array_at(a, x, &key, true), v);
		val_drop(a, &key);
		return;
	case N_FIELD:
		index = eval_num(a, target->a);
		field_put(a, index, v);
		return;
	default:
		awk_fatal(a, "attempt to assign to something that is no variable");
	}
}

/* ---- Kinds of nodes ---- */

static void eval_index(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_val key;
	struct awk_array *x;

	eval_key(a, n->b, &key);
	x = eval_array(a, n->a);
	val_copy(out, array_at(a, x, &key, true));
	val_drop(a, &key);
}

static void eval_assign(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_val v;

	eval(a, n->b, &v);
	if (v.type == V_ARRAY)
		not_scalar(a, n->b);
	val_copy(out, &v);
	eval_store(a, n->a, &v);
}

/* Both x += y and x++: the element is looked up once. */
static double change(struct awk *a, struct node *target, int op, double by, double *old)
{
	struct awk_val v, *place, key;
	double now, index;

	switch (target->op) {
	case N_GLOBAL: case N_LOCAL:
		place = target->op == N_LOCAL ? local_val(a, target) : &a->globals[target->slot];
		*old = val_to_num(a, place);
		now = arith(a, op, *old, by);
		val_drop(a, place);
		val_number(place, now);
		return now;
	case N_INDEX:
		eval_key(a, target->b, &key);
		place = array_at(a, eval_array(a, target->a), &key, true);
		val_drop(a, &key);
		*old = val_to_num(a, place);
		now = arith(a, op, *old, by);
		val_drop(a, place);
		val_number(place, now);
		return now;
	case N_FIELD:
		index = eval_num(a, target->a);
		field_get(a, index, &v);
		*old = val_to_num(a, &v);
		val_drop(a, &v);
		now = arith(a, op, *old, by);
		val_number(&v, now);
		field_put(a, index, &v);
		return now;
	default:
		*old = eval_num(a, target);
		now = arith(a, op, *old, by);
		val_number(&v, now);
		eval_store(a, target, &v);
		return now;
	}
}

static void eval_concat(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *parts[8], *s;
	struct str long_one;
	size_t count = 0, total = 0, at = 0;

	for (n = n->b; n && count < 8; n = n->next) {
		parts[count] = eval_str(a, n);
		total += parts[count++]->n;
	}
	s = str_blank(a, total);
	for (size_t i = 0; i < count; i++) {
		memcpy(s->p + at, parts[i]->p, parts[i]->n);
		at += parts[i]->n;
		str_drop(a, parts[i]);
	}
	val_string(out, s);
	if (!n)
		return;
	str_init(&long_one, a->heap, STR_MAX_DEFAULT);
	str_addn(&long_one, s->p, s->n);
	str_drop(a, s);
	for (; n; n = n->next) {
		s = eval_str(a, n);
		str_addn(&long_one, s->p, s->n);
		str_drop(a, s);
	}
	out->str = str_make(a, long_one.p, long_one.n);
	str_end(&long_one);
}

static bool eval_compare(struct awk *a, struct node *n)
{
	struct awk_val x, y;
	bool nan;
	int c;

	eval(a, n->a, &x);
	eval(a, n->b, &y);
	c = val_compare(a, &x, &y, &nan);
	val_drop(a, &x);
	val_drop(a, &y);
	switch (n->sub) {
	case '<': return !nan && c < 0;
	case T_LE: return !nan && c <= 0;
	case '>': return !nan && c > 0;
	case T_GE: return !nan && c >= 0;
	case T_EQ: return !nan && c == 0;
	}
	return nan || c != 0;
}

/* The regular expression a node is: a constant, or the text of its value. */
struct regex *eval_regex(struct awk *a, struct node *n)
{
	struct awk_str *s;
	struct regex *re;

	if (n->op == N_REGEX)
		return regex_of(a, &n->cache, n->v.str);
	s = eval_str(a, n);
	a->line = n->line;
	re = regex_of(a, &n->cache, s);
	str_drop(a, s);
	return re;
}

static bool eval_match(struct awk *a, struct node *n)
{
	struct awk_str *s = eval_str(a, n->a);
	struct regex *re = eval_regex(a, n->b);
	bool found = regex_run(a, re, s->p, s->n, 0, NULL, 0);

	str_drop(a, s);
	return found != (n->sub != 0);
}

static bool eval_in(struct awk *a, struct node *n)
{
	struct awk_val key;
	bool found;

	eval_key(a, n->b->op == N_GROUP ? n->b->b : n->b, &key);
	found = array_at(a, eval_array(a, n->a), &key, false) != NULL;
	val_drop(a, &key);
	return found;
}

static bool match_record(struct awk *a, struct node *n)
{
	struct awk_str *s = record_str(a);

	return regex_run(a, regex_of(a, &n->cache, n->v.str), s->p, s->n, 0, NULL, 0);
}

/* ---- The three ways in ---- */

bool eval_true(struct awk *a, struct node *n)
{
	struct awk_val v;
	bool yes;

	switch (n->op) {
	case N_REGEX:
		return match_record(a, n);
	case N_AND:
		return eval_true(a, n->a) && eval_true(a, n->b);
	case N_OR:
		return eval_true(a, n->a) || eval_true(a, n->b);
	case N_NOT:
		return !eval_true(a, n->a);
	case N_COMPARE:
		return eval_compare(a, n);
	case N_MATCH:
		return eval_match(a, n);
	case N_IN:
		return eval_in(a, n);
	default:
		awk_deep(a);
		eval(a, n, &v);
		yes = val_true(a, &v);
		val_drop(a, &v);
		return yes;
	}
}

static double eval_num_slow(struct awk *a, struct node *n)
{
	struct awk_val v;
	double num;

	eval(a, n, &v);
	num = val_to_num(a, &v);
	val_drop(a, &v);
	return num;
}

static double eval_arith(struct awk *a, struct node *n)
{
	double x = eval_num(a, n->a), y = eval_num(a, n->b);

	if (n->sub == '/' || n->sub == '%') {
		a->line = n->line;
		a->source = n->source;
	}
	return arith(a, n->sub, x, y);
}

double eval_num(struct awk *a, struct node *n)
{
	double old, by;

	switch (n->op) {
	case N_CONST:
		if (n->v.type == V_NUM)
			return n->v.num;
		break;
	case N_GLOBAL:
		return val_to_num(a, &a->globals[n->slot]);
	case N_LOCAL:
		return val_to_num(a, local_val(a, n));
	case N_BINARY:
		awk_deep(a);
		return eval_arith(a, n);
	case N_NEG:
		return -eval_num(a, n->a);
	case N_PLUS:
		return eval_num(a, n->a);
	case N_BEFORE:
		return change(a, n->a, n->sub, 1, &old);
	case N_AFTER:
		change(a, n->a, n->sub, 1, &old);
		return old;
	case N_CHANGE:
		by = eval_num(a, n->b);
		return change(a, n->a, n->sub, by, &old);
	case N_REGEX: case N_AND: case N_OR: case N_NOT: case N_COMPARE: case N_MATCH: case N_IN:
		return eval_true(a, n);
	default:
		break;
	}
	return eval_num_slow(a, n);
}

struct awk_str *eval_str(struct awk *a, struct node *n)
{
	struct awk_val v;
	struct awk_str *s;

	eval(a, n, &v);
	if (v.type == V_STR || v.type == V_INPUT)
		return v.str;
	s = val_to_str(a, &v);
	val_drop(a, &v);
	return s;
}

static void eval_group(struct awk *a, struct node *n, struct awk_val *out)
{
	eval_key(a, n->b, out);
}

void eval(struct awk *a, struct node *n, struct awk_val *out)
{
	awk_deep(a);
	switch (n->op) {
	case N_CONST:
		val_copy(out, &n->v);
		return;
	case N_GLOBAL:
		val_copy(out, &a->globals[n->slot]);
		return;
	case N_SPECIAL:
		var_read(a, n->slot, out);
		return;
	case N_LOCAL:
		val_copy(out, local_val(a, n));
		return;
	case N_INDEX:
		eval_index(a, n, out);
		return;
	case N_FIELD:
		field_get(a, eval_num(a, n->a), out);
		return;
	case N_ASSIGN:
		eval_assign(a, n, out);
		return;
	case N_COND:
		eval(a, eval_true(a, n->a) ? n->b : n->c, out);
		return;
	case N_CONCAT:
		eval_concat(a, n, out);
		return;
	case N_GROUP:
		eval_group(a, n, out);
		return;
	case N_CALL:
		eval_call(a, n->func, n->b, out);
		return;
	case N_INDIRECT:
		eval_indirect(a, n, out);
		return;
	case N_BUILTIN:
		eval_builtin(a, n, out);
		return;
	case N_GETLINE:
		eval_getline(a, n, out);
		return;
	case N_REGEX: case N_AND: case N_OR: case N_NOT: case N_COMPARE: case N_MATCH: case N_IN:
		val_number(out, eval_true(a, n));
		return;
	default:
		val_number(out, eval_num(a, n));
	}
}
