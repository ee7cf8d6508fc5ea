/*
 * gawk's further functions: bits, times, and the types of values.
 */
#include "cmd/awk/awk.h"

#include <math.h>
#include <stdlib.h>

#include "cmd/awk/lex.h"
#include "text/datefmt.h"

/* ---- Bits ---- */

static uint64_t bits_of(struct awk *a, struct node *x, const char *name, int number)
{
	double v = ak_eval_num(a, x);

	if (v < 0)
		awk_fatal(a, "%s: argument %d negative value %g is not allowed", name, number, v);
	return v < 18446744073709551616.0 ? (uint64_t)v : 0;
}

/* What a double cannot hold goes from the top: 53 bits from the lowest that is set. */
static double bits_result(uint64_t v)
{
	int low = v ? __builtin_ctzll(v) : 0;
	uint64_t mask = low < 11 ? (((uint64_t)1 << 53) - 1) << low : UINT64_MAX;

	return (double)(v & mask);
}

static double bits_shift(struct awk *a, struct node *n, const char *name)
{
	uint64_t v, by;

	v = bits_of(a, n->b, name, 1);
	by = bits_of(a, n->b->next, name, 2);
	by &= 63;	/* as the machine's shift does */
	return bits_result(n->sub == B_LSHIFT ? v << by : v >> by);
}

void ak_bi_bits(struct awk *a, struct node *n, struct awk_val *out)
{
	const char *name = ak_builtin_row(n->sub)->name;
	uint64_t v;
	int i = 1;

	if (n->sub == B_LSHIFT || n->sub == B_RSHIFT) {
		val_number(out, bits_shift(a, n, name));
		return;
	}
	v = bits_of(a, n->b, name, i);
	if (n->sub == B_COMPL)
		v = ~v;
	for (struct node *x = n->b->next; x; x = x->next) {
		uint64_t other = bits_of(a, x, name, ++i);

		v = n->sub == B_AND ? v & other : n->sub == B_OR ? v | other : v ^ other;
	}
	val_number(out, bits_result(v));
}

/* ---- Time ---- */

static const struct zone *zone_of(struct awk *a, bool utc, struct zone *room)
{
	zone_init(room, utc ? "GMT0" : tsb_getenv(a->p, "TZ"));
	return room;
}

static struct awk_str *time_format(struct awk *a)
{
	struct awk_val key, *v = NULL;

	if (a->uses[VAR_PROCINFO]) {
		val_string(&key, ak_str_make(a, "strftime", 8));
		v = ak_array_at(a, ak_var_array(a, VAR_PROCINFO), &key, false);
		val_drop(a, &key);
	}
	return v ? ak_val_to_str(a, v) : ak_str_make(a, "%a %b %e %H:%M:%S %Z %Y", 23);
}

void ak_bi_strftime(struct awk *a, struct node *n, struct awk_val *out)
{
	struct node *when = n->b ? n->b->next : NULL, *utc = when ? when->next : NULL;
	struct awk_str *format = n->b ? ak_eval_str(a, n->b) : time_format(a);
	double sec = when ? floor(ak_eval_num(a, when)) : (double)tsb_clock(a->p, TSB_CLOCK_REAL).sec;
	struct date_moment m;
	struct zone zone;
	struct str made;

	if (!(fabs(sec) < 6e16))
		awk_fatal(a, "strftime: second argument out of range for time_t");
	str_init(&made, a->heap, (size_t)1 << 24);
	if (date_moment(&m, (int64_t)sec, 0, zone_of(a, utc && ak_eval_true(a, utc), &zone)))
		date_format(&made, format->p, format->n, &m);
	val_string(out, ak_str_make(a, made.p, made.n));
	str_end(&made);
	str_drop(a, format);
}

/* "YYYY MM DD HH MM SS [DST]" */
void ak_bi_mktime(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *s = ak_eval_str(a, n->b);
	bool utc = n->b->next && ak_eval_true(a, n->b->next);
	int64_t part[7] = { 0 }, sec = -1;
	const char *p = s->p;
	struct zone zone;
	int count = 0;
	char *end;

	part[6] = -1;
	while (count < 7) {
		long long v = strtoll(p, &end, 10);

		if (end == p)
			break;
		part[count++] = v > 1000000000000 ? 1000000000000 : v < -1000000000000 ? -1000000000000 : v;
		p = end;
	}
	if (count < 6 || !civil_to(zone_of(a, utc, &zone), part[0], part[1], part[2], part[3], part[4],
				   part[5], part[6] > 0 ? 1 : (int)part[6], &sec))
		sec = -1;
	str_drop(a, s);
	val_number(out, (double)sec);
}

/* ---- Types ---- */

static const char *type_name(struct awk *a, const struct awk_val *v)
{
	double num;

	switch (v->type) {
	case V_ARRAY: return "array";
	case V_NUM: return v->logical ? "number|bool" : "number";
	case V_STR: return "string";
	case V_REGEX: return "regexp";
	case V_INPUT:
		if (v->str == a->unset)
			return "unassigned";
		return ak_number_looks(a, v->str->p, v->str->n, &num) ? "strnum" : "string";
	case V_UNSET: return "unassigned";
	case V_UNDEF: case V_LINK: break;
	}
	return "untyped";
}

/* typeof(x, info): what gawk says of an array's inside. */
static void put_array_type(struct awk *a, const struct awk_val *v, struct awk_array *info)
{
	static const char *const kinds[] = {
		[ARRAY_EMPTY] = "null", [ARRAY_STR] = "str", [ARRAY_INT] = "int", [ARRAY_COUNT] = "cint"
	};
	const char *kind;

	ak_array_clear(a, info);
	if (v->type != V_ARRAY)
		return;
	kind = kinds[array_size(v->array) ? v->array->kind : ARRAY_EMPTY];
	val_string(ak_array_at_str(a, info, "array_type", 10), ak_str_make(a, kind, strlen(kind)));
}

void ak_bi_typeof(struct awk *a, struct node *n, struct awk_val *out)
{
	struct node *x = n->b;
	struct awk_val v, *place = ak_eval_peek(a, x);
	const char *name;

	if (place)
		ak_val_copy(&v, place);
	else if (x->op == N_REGEX)
		v = (struct awk_val){ .type = V_NUM };
	else
		ak_eval(a, x, &v);
	if (n->sub == B_ISARRAY) {
		bool yes = v.type == V_ARRAY;

		val_drop(a, &v);
		val_number(out, yes);
		return;
	}
	if (x->next)
		put_array_type(a, &v, ak_eval_array(a, x->next));
	name = type_name(a, &v);
	val_string(out, ak_str_make(a, name, strlen(name)));
	val_drop(a, &v);
}
