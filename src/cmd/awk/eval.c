/*
 * Expressions. eval() gives a value, eval_num() and eval_true() take shorter
 * ways where only a number or a truth is wanted. In assignments the right side
 * comes first, as in gawk.
 */
#include "cmd/awk/awk.h"

#include <math.h>

#include "cmd/awk/lex.h"

/* As gawk has it: a whole exponent by multiplication, whose last bits are not pow()'s. */
static double power(double x, double y)
{
	double made = 1;
	uint64_t n;

	if (y != trunc(y) || !(fabs(y) < 9223372036854775808.0))
		return pow(x, y);
	if (y == 0)
		return 1;
	for (n = (uint64_t)fabs(y); n > 1; n /= 2) {
		if (n % 2)
			made *= x;
		x *= x;
	}
	made *= x;
	return y > 0 ? made : 1 / made;
}

static double ak_arith(struct awk *a, int op, double x, double y)
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
	return power(x, y);
}

/* ---- Places ---- */

static struct awk_val *link_end(struct awk_val *v)
{
	while (v->type == V_LINK)
		v = v->link;
	return v;
}

/* All from v to the end of its links become what the end is: an array, or no value. */
static void link_settle(struct awk_val *v)
{
	struct awk_val *end = link_end(v), *next;

	for (; v->type == V_LINK; v = next) {
		next = v->link;
		if (end->type == V_ARRAY)
			ak_val_copy(v, end);
		else
			v->type = V_UNSET;
	}
}

static NOINLINE void scalar_slow(struct awk_val *v)
{
	struct awk_val *end = link_end(v);

	if (end->type == V_UNDEF)
		end->type = V_UNSET;
	link_settle(v);
}

/* A variable that is used as a scalar cannot become an array any more. */
static inline struct awk_val *as_scalar(struct awk_val *v)
{
	if (v->type == V_UNDEF || v->type == V_LINK)
		scalar_slow(v);
	return v;
}

static inline struct awk_val *local_val(struct awk *a, struct node *n)
{
	return as_scalar(&a->frame[n->slot]);
}

static inline struct awk_val *global_val(struct awk *a, struct node *n)
{
	return as_scalar(&a->globals[n->slot]);
}

struct awk_val *ak_eval_peek(struct awk *a, struct node *n)
{
	struct awk_val key, *v;

	switch (n->op) {
	case N_GLOBAL:
		return &a->globals[n->slot];
	case N_LOCAL:
		return link_end(&a->frame[n->slot]);
	case N_INDEX:
		ak_eval_key(a, n->b, &key);
		v = ak_array_at(a, ak_eval_array(a, n->a), &key, true);
		val_drop(a, &key);
		return v;
	default:
		return NULL;
	}
}

/* ---- Names in messages ---- */

/* " (from b, from a)": the names an array has in the calls around, and outside. */
static void add_origins(struct awk *a, struct str *s, const struct awk_array *x)
{
	const char *before = " (from ";

	for (const struct call *c = a->calls ? a->calls->outer : NULL; c; c = c->outer) {
		for (size_t i = 0; i < c->func->params.n; i++) {
			if (c->frame[i].type != V_ARRAY || c->frame[i].array != x)
				continue;
			str_addf(s, "%s%s", before, c->func->params.at[i]);
			before = ", from ";
			break;
		}
	}
	for (size_t i = 0; i < a->global_list.n; i++) {
		if (a->globals[i].type != V_ARRAY || a->globals[i].array != x)
			continue;
		str_addf(s, "%s%s", before, a->global_list.at[i]);
		before = ", from ";
		break;
	}
	if (before[0] == ',')
		str_addc(s, ')');
}

/* The name of an element as gawk writes it; of plain subscripts only: others may do things. */
static bool add_element(struct awk *a, struct str *s, struct node *n)
{
	struct awk_val key;
	struct awk_str *text;

	if (n->op == N_INDEX) {
		if (!add_element(a, s, n->a) || n->b->next || n->b->op > N_LOCAL)
			return false;
		ak_eval(a, n->b, &key);
		text = ak_val_to_str(a, &key);
		str_addf(s, "[\"%s\"]", text->p);
		str_drop(a, text);
		return true;
	}
	if (n->op == N_GLOBAL || n->op == N_SPECIAL)
		str_adds(s, a->global_list.at[n->slot]);
	else if (n->op == N_LOCAL && a->running)
		str_adds(s, a->running->params.at[n->slot]);
	else
		return false;
	return true;
}

/* " `name'" for messages, or nothing. */
static const char *node_name(struct awk *a, struct node *n, bool array)
{
	struct str s;

	str_init(&s, a->heap, STR_MAX_DEFAULT);
	str_adds(&s, n->op == N_LOCAL && !array ? " parameter `" : " `");
	if (!add_element(a, &s, n))
		return "";
	if (n->op == N_LOCAL && a->frame[n->slot].type == V_ARRAY)
		add_origins(a, &s, a->frame[n->slot].array);
	str_addc(&s, '\'');
	return s.p;
}

static TSB_NORETURN void not_scalar(struct awk *a, struct node *n)
{
	a->line = n->line;
	a->source = n->source;
	awk_fatal(a, "attempt to use array%s in a scalar context", node_name(a, n, true));
}

void ak_eval_scalar_check(struct awk *a, struct node *n, const struct awk_val *v)
{
	if (v->type == V_ARRAY)
		not_scalar(a, n);
}

/* Subscripts: one is a key as it is, several are joined by SUBSEP. */
void ak_eval_key(struct awk *a, struct node *subs, struct awk_val *out)
{
	struct awk_str *sep, *s;
	struct str key;

	if (!subs->next) {
		ak_eval(a, subs, out);
		if (out->type == V_ARRAY)
			not_scalar(a, subs);
		return;
	}
	str_init(&key, a->heap, STR_MAX_DEFAULT);
	for (struct node *n = subs; n; n = n->next) {
		s = ak_eval_str(a, n);
		str_addn(&key, s->p, s->n);
		str_drop(a, s);
		if (!n->next)
			break;
		sep = ak_var_str(a, VAR_SUBSEP);
		str_addn(&key, sep->p, sep->n);
		str_drop(a, sep);
	}
	val_string(out, ak_str_make(a, key.p, key.n));
	str_end(&key);
}

static struct awk_array *become_array(struct awk *a, struct awk_val *v, struct node *n)
{
	struct awk_val *end = link_end(v);

	if (end->type == V_UNDEF) {
		end->type = V_ARRAY;
		end->array = ak_array_new(a);
	}
	link_settle(v);
	if (v->type != V_ARRAY)
		awk_fatal(a, "attempt to use scalar%s as an array", node_name(a, n, false));
	return v->array;
}

/* The array a name or an element is, made if it is nothing yet. */
struct awk_array *ak_eval_array(struct awk *a, struct node *n)
{
	struct awk_array *x;
	struct awk_val key, *v;

	switch (n->op) {
	case N_SPECIAL:
		if (n->slot == VAR_SYMTAB)
			return ak_symtab(a);
		v = &a->globals[n->slot];
		if (v->type == V_UNDEF && n->slot != VAR_FUNCTAB)
			awk_fatal(a, "attempt to use scalar%s as an array", node_name(a, n, false));
		return become_array(a, v, n);
	case N_GLOBAL:
		return become_array(a, &a->globals[n->slot], n);
	case N_LOCAL:
		return become_array(a, &a->frame[n->slot], n);
	case N_INDEX:
		ak_eval_key(a, n->b, &key);
		x = ak_eval_array(a, n->a);
		if (n->a->op == N_SPECIAL && n->a->slot >= VAR_SYMTAB)
			ak_symbols_check(a, n->a->slot, x, &key);
		v = ak_array_at(a, x, &key, true);
		if (a->lint && v->type <= V_UNSET)
			ak_lint_unset(a, n, &key);
		val_drop(a, &key);
		return become_array(a, v, n);
	default:
		a->line = n->line;
		a->source = n->source;
		awk_fatal(a, "attempt to use a scalar value as array");
	}
}

struct awk_array *ak_eval_array_of(struct awk *a, struct node *n, const char *which)
{
	struct awk_val *v = n->op == N_INDEX ? NULL : ak_eval_peek(a, n);

	if (n->op == N_INDEX || n->op == N_SPECIAL || (v && v->type <= V_LINK && v->type != V_UNSET) ||
	    (v && v->type == V_ARRAY))
		return ak_eval_array(a, n);
	awk_fatal(a, "%s argument is not an array", which);
}

static void store(struct awk *a, struct awk_val *place, struct awk_val *v, struct node *n)
{
	if (place->type == V_ARRAY)
		not_scalar(a, n);
	val_drop(a, place);
	*place = *v;
}

void ak_eval_store(struct awk *a, struct node *target, struct awk_val *v)
{
	struct awk_val key;
	struct awk_array *x;
	double index;

	if (v->type == V_ARRAY)
		not_scalar(a, target);
	switch (target->op) {
	case N_GLOBAL:
		store(a, &a->globals[target->slot], v, target);
		return;
	case N_SPECIAL:
		ak_var_set(a, target->slot, v);
		return;
	case N_LOCAL:
		store(a, local_val(a, target), v, target);
		return;
	case N_INDEX:
		if (ak_symtab_store(a, target, v))
			return;
		if (a->sandbox && target->a->op == N_SPECIAL && target->a->slot == VAR_ARGV)
			ak_var_check_file(a, v);
		ak_eval_key(a, target->b, &key);
		x = ak_eval_array(a, target->a);
		store(a, ak_array_at(a, x, &key, true), v, target);
		val_drop(a, &key);
		return;
	case N_FIELD:
		index = ak_eval_num(a, target->a);
		ak_field_put(a, index, v);
		return;
	default:
		awk_fatal(a, "attempt to assign to something that is no variable");
	}
}

/* ---- Kinds of nodes ---- */

static NOINLINE void eval_index(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_val key;
	struct awk_array *x;

	ak_eval_key(a, n->b, &key);
	x = ak_eval_array(a, n->a);
	if (n->a->op == N_SPECIAL && n->a->slot >= VAR_SYMTAB)
		ak_symbols_check(a, n->a->slot, x, &key);
	ak_val_copy(out, ak_array_at(a, x, &key, true));
	if (a->lint && out->type <= V_UNSET)
		ak_lint_unset(a, n, &key);
	if (out->type == V_UNDEF)
		out->type = V_UNSET;
	val_drop(a, &key);
}

enum { APPEND_MAX = 8 };		/* parts, the variable included: more take the usual way */

static struct awk_val *append_place(struct awk *a, struct node *n)
{
	return n->op == N_LOCAL ? local_val(a, n) : global_val(a, n);
}

static bool is_append(struct awk *a, struct node *n)
{
	struct node *first = n->b->b;
	struct awk_val *place;
	size_t count = 0;

	if (a->lint || (n->a->op != N_GLOBAL && n->a->op != N_LOCAL) || first->op != n->a->op ||
	    first->slot != n->a->slot)
		return false;
	for (; first && count <= APPEND_MAX; first = first->next)
		count++;
	place = append_place(a, n->a);
	return count <= APPEND_MAX && (place->type == V_STR || place->type == V_INPUT);
}

/* x = x y z: the text of x grows where it stands, unless somebody else holds it too;
 * so a loop that collects a long text takes linear time. */
static NOINLINE void eval_append(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *parts[APPEND_MAX], *s = str_hold(append_place(a, n->a)->str);
	struct awk_val *place, v;
	size_t count = 0, at = s->n, total = at;

	for (struct node *part = n->b->b->next; part; part = part->next) {
		parts[count] = ak_eval_str(a, part);
		total += parts[count++]->n;
	}
	place = append_place(a, n->a);
	if (place->type >= V_STR && place->type != V_ARRAY && place->str == s && s->refs == 2) {
		str_drop(a, s);
		place->type = V_STR;
		s = place->str = ak_str_longer(a, s, total);
		if (out)
			ak_val_copy(out, place);
	} else {
		val_string(&v, ak_str_blank(a, total));
		memcpy(v.str->p, s->p, at);
		str_drop(a, s);
		s = v.str;
		if (out)
			ak_val_copy(out, &v);
		ak_eval_store(a, n->a, &v);
	}
	for (size_t i = 0; i < count; i++) {
		memcpy(s->p + at, parts[i]->p, parts[i]->n);
		at += parts[i]->n;
		str_drop(a, parts[i]);
	}
}

/* out: NULL if nobody wants the value. */
NOINLINE void ak_eval_assign(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_val v;

	if (n->b->op == N_CONCAT && is_append(a, n)) {
		eval_append(a, n, out);
		return;
	}
	ak_eval(a, n->b, &v);
	if (v.type == V_ARRAY)
		not_scalar(a, n->b);
	if (out)
		ak_val_copy(out, &v);
	ak_eval_store(a, n->a, &v);
}

static double change_by(struct awk *a, int op, double old, double by)
{
	if (by == 0 && (op == '/' || op == '%'))
		awk_fatal(a, "division by zero attempted in `%c='", op);
	return ak_arith(a, op, old, by);
}

/* Both x += y and x++: the element is looked up once. */
static NOINLINE double change(struct awk *a, struct node *target, int op, double by, double *old)
{
	struct awk_val v, *place, key;
	double now, index;

	switch (target->op) {
	case N_GLOBAL: case N_LOCAL:
		place = target->op == N_LOCAL ? local_val(a, target) : global_val(a, target);
		ak_eval_scalar_check(a, target, place);
		if (a->lint && place->type <= V_UNSET)
			ak_lint_unset(a, target, NULL);
		*old = ak_val_to_num(a, place);
		now = change_by(a, op, *old, by);
		val_drop(a, place);
		val_number(place, now);
		return now;
	case N_INDEX:
		if (target->a->op == N_SPECIAL && target->a->slot >= VAR_SYMTAB)
			goto slow;
		ak_eval_key(a, target->b, &key);
		place = ak_array_at(a, ak_eval_array(a, target->a), &key, true);
		if (a->lint && place->type <= V_UNSET)
			ak_lint_unset(a, target, &key);
		val_drop(a, &key);
		*old = ak_val_to_num(a, place);
		now = change_by(a, op, *old, by);
		val_drop(a, place);
		val_number(place, now);
		return now;
	case N_FIELD:
		index = ak_eval_num(a, target->a);
		ak_field_get(a, index, &v);
		*old = ak_val_to_num(a, &v);
		val_drop(a, &v);
		now = change_by(a, op, *old, by);
		val_number(&v, now);
		ak_field_put(a, index, &v);
		return now;
	default:
	slow:
		*old = ak_eval_num(a, target);
		now = change_by(a, op, *old, by);
		val_number(&v, now);
		ak_eval_store(a, target, &v);
		return now;
	}
}

static NOINLINE void eval_concat(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *parts[8], *s;
	struct str long_one;
	size_t count = 0, total = 0, at = 0;

	for (n = n->b; n && count < 8; n = n->next) {
		parts[count] = ak_eval_str(a, n);
		total += parts[count++]->n;
	}
	s = ak_str_blank(a, total);
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
		s = ak_eval_str(a, n);
		str_addn(&long_one, s->p, s->n);
		str_drop(a, s);
	}
	out->str = ak_str_make(a, long_one.p, long_one.n);
	str_end(&long_one);
}

static NOINLINE bool eval_compare(struct awk *a, struct node *n)
{
	struct awk_val x, y;
	bool nan;
	int c;

	ak_eval(a, n->a, &x);
	ak_eval(a, n->b, &y);
	ak_eval_scalar_check(a, n->a, &x);
	ak_eval_scalar_check(a, n->b, &y);
	c = ak_val_compare(a, &x, &y, &nan);
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
struct regex *ak_eval_regex(struct awk *a, struct node *n)
{
	struct awk_str *s;
	struct regex *re;

	if (n->op == N_REGEX)
		return ak_regex_of(a, &n->cache, n->v.str);
	s = ak_eval_str(a, n);
	a->line = n->line;
	re = ak_regex_of(a, &n->cache, s);
	str_drop(a, s);
	return re;
}

static NOINLINE bool eval_match(struct awk *a, struct node *n)
{
	struct awk_str *s = ak_eval_str(a, n->a);
	struct regex *re = ak_eval_regex(a, n->b);
	bool found = ak_regex_run(a, re, s->p, s->n, 0, NULL, 0);

	str_drop(a, s);
	return found != (n->sub != 0);
}

static NOINLINE bool eval_in(struct awk *a, struct node *n)
{
	struct awk_val key;
	bool found;

	ak_eval_key(a, n->b->op == N_GROUP ? n->b->b : n->b, &key);
	found = ak_array_at(a, ak_eval_array(a, n->a), &key, false) != NULL;
	val_drop(a, &key);
	return found;
}

static NOINLINE bool match_record(struct awk *a, struct node *n)
{
	struct awk_str *s = ak_record_str(a);

	return ak_regex_run(a, ak_regex_of(a, &n->cache, n->v.str), s->p, s->n, 0, NULL, 0);
}

/* ---- The three ways in ---- */

bool ak_eval_true(struct awk *a, struct node *n)
{
	struct awk_val v;
	bool yes;

	switch (n->op) {
	case N_REGEX:
		return match_record(a, n);
	case N_AND:
		return ak_eval_true(a, n->a) && ak_eval_true(a, n->b);
	case N_OR:
		return ak_eval_true(a, n->a) || ak_eval_true(a, n->b);
	case N_NOT:
		return !ak_eval_true(a, n->a);
	case N_COMPARE:
		return eval_compare(a, n);
	case N_MATCH:
		return eval_match(a, n);
	case N_IN:
		return eval_in(a, n);
	default:
		awk_deep(a);
		ak_eval(a, n, &v);
		ak_eval_scalar_check(a, n, &v);
		yes = ak_val_true(a, &v);
		val_drop(a, &v);
		return yes;
	}
}

static NOINLINE double eval_num_slow(struct awk *a, struct node *n)
{
	struct awk_val v;
	double num;

	ak_eval(a, n, &v);
	ak_eval_scalar_check(a, n, &v);
	num = ak_val_to_num(a, &v);
	val_drop(a, &v);
	return num;
}

static NOINLINE double eval_arith(struct awk *a, struct node *n)
{
	double x = ak_eval_num(a, n->a), y = ak_eval_num(a, n->b);

	if (n->sub == '/' || n->sub == '%') {
		a->line = n->line;
		a->source = n->source;
	}
	return ak_arith(a, n->sub, x, y);
}

double ak_eval_num(struct awk *a, struct node *n)
{
	const struct awk_val *v;
	double old, by;

	switch (n->op) {
	case N_CONST:
		if (n->v.type == V_NUM)
			return n->v.num;
		break;
	case N_GLOBAL: case N_LOCAL:
		v = n->op == N_GLOBAL ? global_val(a, n) : local_val(a, n);
		ak_eval_scalar_check(a, n, v);
		if (v->type <= V_UNSET && a->lint)
			ak_lint_unset(a, n, NULL);
		return ak_val_to_num(a, v);
	case N_BINARY:
		awk_deep(a);
		return eval_arith(a, n);
	case N_NEG:
		return -ak_eval_num(a, n->a);
	case N_PLUS:
		return ak_eval_num(a, n->a);
	case N_BEFORE:
		return change(a, n->a, n->sub, 1, &old);
	case N_AFTER:
		change(a, n->a, n->sub, 1, &old);
		return old;
	case N_CHANGE:
		by = ak_eval_num(a, n->b);
		return change(a, n->a, n->sub, by, &old);
	case N_REGEX: case N_AND: case N_OR: case N_NOT: case N_COMPARE: case N_MATCH: case N_IN:
		return ak_eval_true(a, n);
	default:
		break;
	}
	return eval_num_slow(a, n);
}

struct awk_str *ak_eval_str(struct awk *a, struct node *n)
{
	struct awk_val v;
	struct awk_str *s;

	ak_eval(a, n, &v);
	if (v.type == V_STR || v.type == V_INPUT)
		return v.str;
	ak_eval_scalar_check(a, n, &v);
	s = ak_val_to_str(a, &v);
	val_drop(a, &v);
	return s;
}

static NOINLINE void eval_group(struct awk *a, struct node *n, struct awk_val *out)
{
	ak_eval_key(a, n->b, out);
}

void ak_eval(struct awk *a, struct node *n, struct awk_val *out)
{
	awk_deep(a);
	switch (n->op) {
	case N_CONST:
		ak_val_copy(out, &n->v);
		return;
	case N_GLOBAL:
		ak_val_copy(out, global_val(a, n));
		if (out->type <= V_UNSET && a->lint)
			ak_lint_unset(a, n, NULL);
		return;
	case N_SPECIAL:
		ak_var_read(a, n->slot, out);
		return;
	case N_LOCAL:
		ak_val_copy(out, local_val(a, n));
		if (out->type <= V_UNSET && a->lint)
			ak_lint_unset(a, n, NULL);
		return;
	case N_INDEX:
		eval_index(a, n, out);
		return;
	case N_FIELD:
		ak_field_get(a, ak_eval_num(a, n->a), out);
		return;
	case N_ASSIGN:
		ak_eval_assign(a, n, out);
		return;
	case N_COND:
		ak_eval(a, ak_eval_true(a, n->a) ? n->b : n->c, out);
		return;
	case N_CONCAT:
		eval_concat(a, n, out);
		return;
	case N_GROUP:
		eval_group(a, n, out);
		return;
	case N_CALL:
		ak_eval_call(a, n->func, n->b, out);
		return;
	case N_INDIRECT:
		ak_eval_indirect(a, n, out);
		return;
	case N_BUILTIN:
		ak_eval_builtin(a, n, out);
		return;
	case N_GETLINE:
		ak_eval_getline(a, n, out);
		return;
	case N_REGEX: case N_AND: case N_OR: case N_NOT: case N_COMPARE: case N_MATCH: case N_IN:
		val_number(out, ak_eval_true(a, n));
		return;
	default:
		val_number(out, ak_eval_num(a, n));
	}
}
