/*
 * The functions awk has: numbers, text, input and output. Each evaluates its own
 * arguments, since some are arrays or regular expressions.
 */
#include "cmd/awk/awk.h"

#include <math.h>

#include "base/utf8.h"
#include "cmd/awk/lex.h"

static struct node *arg(struct node *n, int i)
{
	struct node *x = n->b;

	while (x && i--)
		x = x->next;
	return x;
}

/* ---- Numbers ---- */

static double logarithm(struct awk *a, double v)
{
	if (v < 0)
		awk_warn(a, "log: received negative argument %g", v);
	return log(v);
}

static double root(struct awk *a, double v)
{
	if (v < 0)
		awk_warn(a, "sqrt: received negative argument %g", v);
	return sqrt(v);
}

static double seed(struct awk *a, struct node *x)
{
	double old = a->seed;

	a->seed = x ? ak_lint_num(a, x, "srand: received non-numeric argument") : (double)tsb_clock(a->p, TSB_CLOCK_REAL).sec;
	ak_random_seed(a, (uint32_t)(int64_t)a->seed);
	return old;
}

static double exponential(struct awk *a, double v)
{
	double e = exp(v);

	if (isinf(e) && !isinf(v))
		awk_warn(a, "exp: argument %g is out of range", v);
	return e;
}

static double numeric(struct awk *a, struct node *n)
{
	const char *name = ak_builtin_row(n->sub)->name, *first = n->sub == B_ATAN2 ? "first " : "";
	double x = n->b ? ak_lint_num(a, n->b, a->lint ? tsb_format(a->p, "%s: received non-numeric "
								    "%sargument", name, first)
						       : NULL) : 0;

	switch ((enum builtin)n->sub) {
	case B_ATAN2: return atan2(x, ak_lint_num(a, arg(n, 1), "atan2: received non-numeric "
						      "second argument"));
	case B_COS: return cos(x);
	case B_EXP: return exponential(a, x);
	case B_INT: return trunc(x);
	case B_LOG: return logarithm(a, x);
	case B_SIN: return sin(x);
	default: return root(a, x);
	}
}

/* ---- Text ---- */

/* The byte where character `index` begins (at most the end). */
static size_t byte_of(struct awk *a, struct awk_str *s, double index)
{
	size_t at = 0;

	if (index >= (double)s->n)
		return s->n;
	if (ak_str_ascii(a, s))
		return (size_t)index;
	ak_str_look(a, s);
	for (double i = 0; i < index && at < s->n; i++) {
		int32_t c;

		at += utf8_decode(s->p + at, s->n - at, &c);
	}
	return at;
}

static double characters(struct awk *a, struct awk_str *s)
{
	ak_str_look(a, s);
	return ak_str_ascii(a, s) ? (double)s->n : (double)utf8_count(s->p, s->n);
}

static void substring(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *s = ak_lint_str(a, n->b, "substr: received non-string first argument");
	struct node *len = arg(n, 2);
	double from = ak_lint_num(a, arg(n, 1), "substr: received non-numeric second argument");
	double count = INFINITY;
	size_t start, end;

	if (len)
		count = ak_lint_num(a, len, "substr: received non-numeric third argument");
	if (a->lint)
		ak_lint_substr(a, from, count, characters(a, s), len != NULL);
	from = trunc(from);
	count = trunc(count);
	if (!(from >= 1))
		from = 1;
	if (!(count >= 1)) {
		str_drop(a, s);
		val_string(out, str_hold(a->empty));
		return;
	}
	start = byte_of(a, s, from - 1);
	end = isinf(count) ? s->n : byte_of(a, s, from - 1 + count);
	if (start == 0 && end == s->n) {
		val_string(out, s);
		return;
	}
	val_string(out, ak_str_make(a, s->p + start, end > start ? end - start : 0));
	if (s->ascii == ASCII_YES)
		out->str->ascii = ASCII_YES;
	str_drop(a, s);
}

static double length_of(struct awk *a, struct node *n)
{
	struct awk_str *s;
	struct awk_val v;
	double r;

	if (!n->b) {
		s = ak_record_str(a);
		if (s == a->unset && a->lint)
			ak_lint_field(a, 0);
		return characters(a, s);
	}
	if (n->b->op == N_SPECIAL && n->b->slot == VAR_SYMTAB)
		return (double)array_size(ak_symtab(a));
	ak_eval(a, n->b, &v);
	if (v.type == V_ARRAY) {
		r = (double)array_size(v.array);
		if (a->lint && !a->lint_no_extensions)
			ak_lint(a, "`length(array)' is a gawk extension");
	} else {
		if (a->lint && v.type == V_NUM)
			ak_lint(a, "length: received non-string argument");
		s = ak_val_to_str(a, &v);
		r = characters(a, s);
		str_drop(a, s);
	}
	val_drop(a, &v);
	return r;
}

static double index_of(struct awk *a, struct node *n)
{
	struct awk_str *s = ak_lint_str(a, n->b, "index: received non-string first argument");
	struct awk_str *t = ak_lint_str(a, arg(n, 1), "index: received non-string second argument");
	const char *at = NULL;
	double r = 0;

	ak_str_look(a, s);
	ak_str_look(a, t);
	if (!a->icase) {
		at = memmem(s->p, s->n, t->p, t->n);
	} else {
		for (size_t i = 0; i + t->n <= s->n && !at; i++)
			if (!ak_str_compare(a, s->p + i, t->n, t->p, t->n))
				at = s->p + i;
	}
	if (!t->n)
		at = s->p;
	if (at)
		r = ak_str_ascii(a, s) ? (double)(at - s->p) + 1 :
		    (double)utf8_count(s->p, (size_t)(at - s->p)) + 1;
	str_drop(a, s);
	str_drop(a, t);
	return r;
}

static void change_case(struct awk *a, struct node *n, struct awk_val *out)
{
	bool up = n->sub == B_TOUPPER;
	struct awk_str *s = ak_lint_str(a, n->b, up ? "toupper: received non-string argument"
						    : "tolower: received non-string argument");
	struct str made;
	char buf[8];

	ak_str_look(a, s);
	str_init(&made, a->heap, STR_MAX_DEFAULT);
	for (size_t i = 0, step = 1; i < s->n; i += step) {
		int32_t c = s->p[i];

		step = 1;
		if (c >= 0 || !a->utf8) {
			c = up && c >= 'a' && c <= 'z' ? c - 32 : !up && c >= 'A' && c <= 'Z' ? c + 32 : c;
			str_addc(&made, c);
			continue;
		}
		step = utf8_decode(s->p + i, s->n - i, &c);
		if (c < 0)
			str_adds(&made, "\xef\xbf\xbd");
		else
			str_addn(&made, buf, utf8_encode(buf, (uint32_t)(up ? utf8_upper(c) : utf8_lower(c))));
	}
	val_string(out, ak_str_make(a, made.p, made.n));
	str_end(&made);
	str_drop(a, s);
}

static void sprintf_to(struct awk *a, struct node *n, struct awk_val *out)
{
	struct str made;

	str_init(&made, a->heap, STR_MAX_DEFAULT);
	awk_sprintf(a, n->b, &made);
	val_string(out, ak_str_make(a, made.p, made.n));
	str_end(&made);
}

static double text_number(struct awk *a, struct node *n)
{
	struct awk_val v;
	double r;

	ak_eval(a, n->b, &v);
	r = v.type == V_INPUT && a->non_decimal ? ak_val_to_num(a, &v) :
	    v.type == V_STR || v.type == V_INPUT ? ak_number_strtonum(a, v.str->p, v.str->n) :
	    ak_val_to_num(a, &v);
	val_drop(a, &v);
	return r;
}

/* ---- Input and output ---- */

static double flush_all(struct awk *a)
{
	int err = ak_streams_flush(a);

	if (err) {
		tsb_out_forget(a->p);
		awk_fatal(a, "fflush: cannot flush standard output: %s", tsb_strerror(err));
	}
	return 0;
}

static double flush_one(struct awk *a, struct stream *s)
{
	int err = ak_stream_flush(a, s);

	if (err && ak_nonfatal(a, s->name)) {
		ak_var_errno(a, err);
		return -1;
	}
	if (err)
		awk_fatal(a, "fflush: cannot flush file `%s': %s", s->name->p, tsb_strerror(err));
	return 0;
}

static double flush(struct awk *a, struct node *n)
{
	struct awk_str *name;
	bool found = false;
	double r = -1;

	if (!n->b)
		return flush_all(a);
	name = ak_eval_str(a, n->b);
	if (!name->n || !strcmp(name->p, "/dev/stdout")) {
		r = flush_all(a);
		found = true;
	}
	for (struct stream *s = a->streams; s; s = s->next)
		if (s->out_fd >= 0 && s->name->n == name->n &&
		    !memcmp(s->name->p, name->p, name->n)) {
			r = flush_one(a, s);
			found = true;
		}
	if (!found)
		awk_warn(a, "fflush: `%s' is not an open file, pipe or co-process", name->p);
	str_drop(a, name);
	return r;
}

static double close_it(struct awk *a, struct node *n)
{
	struct awk_str *how = arg(n, 1) ? ak_eval_str(a, arg(n, 1)) : NULL;
	struct awk_val name;
	double r;

	if (how && strcasecmp(how->p, "to") && strcasecmp(how->p, "from"))
		awk_fatal(a, "close: second argument must be `to' or `from'");
	ak_eval(a, n->b, &name);
	r = ak_stream_close(a, &name, how ? how->p : NULL);
	val_drop(a, &name);
	if (how)
		str_drop(a, how);
	return r;
}

static double run_system(struct awk *a, struct node *n)
{
	struct awk_str *command = ak_eval_str(a, n->b);
	double r;

	flush_all(a);
	r = awk_system(a, command->p);

	str_drop(a, command);
	return r;
}

/* ---- Arrays ---- */

static double sort_array(struct awk *a, struct node *n)
{
	bool by_index = n->sub == B_ASORTI;
	struct node *to = arg(n, 1), *how = arg(n, 2);
	const char *first = by_index ? "asorti: first" : "asort: first";
	const char *second = by_index ? "asorti: second" : "asort: second";
	struct awk_array *x = ak_eval_array_of(a, n->b, first);
	struct awk_array *y = to ? ak_eval_array_of(a, to, second) : x;
	struct awk_str *order;

	order = how ? ak_eval_str(a, how) : ak_str_make(a, by_index ? "@ind_str_asc" : "@val_type_asc",
						  by_index ? 12 : 13);
	ak_array_asort(a, x, y, order, by_index);
	str_drop(a, order);
	return (double)array_size(y);
}

static void translated(struct awk *a, struct node *n, struct awk_val *out)
{
	if (n->sub == B_BINDTEXTDOMAIN)
		val_string(out, ak_eval_str(a, n->b));
	else if (n->sub == B_DCNGETTEXT && arg(n, 2) && ak_eval_num(a, arg(n, 2)) != 1)
		val_string(out, ak_eval_str(a, arg(n, 1)));
	else
		val_string(out, ak_eval_str(a, n->b));
}

static void eval_text_builtin(struct awk *a, struct node *n, struct awk_val *out)
{
	switch ((enum builtin)n->sub) {
	case B_SUB: case B_GSUB: ak_bi_substitute(a, n, out); return;
	case B_GENSUB: ak_bi_gensub(a, n, out); return;
	case B_MATCH: ak_bi_match(a, n, out); return;
	case B_SPLIT:
		if (n->slot == 4 && (a->posix || a->traditional))
			awk_fatal(a, "split: fourth argument is a gawk extension");
		ak_bi_split(a, n, out);
		return;
	case B_PATSPLIT: ak_bi_patsplit(a, n, out); return;
	case B_SUBSTR: substring(a, n, out); return;
	case B_INDEX: val_number(out, index_of(a, n)); return;
	case B_LENGTH: val_number(out, length_of(a, n)); return;
	case B_SPRINTF: sprintf_to(a, n, out); return;
	case B_TOLOWER: case B_TOUPPER: change_case(a, n, out); return;
	case B_STRTONUM: val_number(out, text_number(a, n)); return;
	default: translated(a, n, out);
	}
}

void ak_eval_builtin(struct awk *a, struct node *n, struct awk_val *out)
{
	switch ((enum builtin)n->sub) {
	case B_ATAN2: case B_COS: case B_EXP: case B_INT: case B_LOG: case B_SIN: case B_SQRT:
		val_number(out, numeric(a, n));
		return;
	case B_RAND: val_number(out, ak_random_next(a)); return;
	case B_SRAND: val_number(out, seed(a, n->b)); return;
	case B_AND: case B_OR: case B_XOR: case B_LSHIFT: case B_RSHIFT: case B_COMPL:
		ak_bi_bits(a, n, out);
		return;
	case B_ASORT: case B_ASORTI: val_number(out, sort_array(a, n)); return;
	case B_CLOSE: val_number(out, close_it(a, n)); return;
	case B_FFLUSH: val_number(out, flush(a, n)); return;
	case B_SYSTEM: val_number(out, run_system(a, n)); return;
	case B_ISARRAY: case B_TYPEOF: ak_bi_typeof(a, n, out); return;
	case B_MKBOOL:
		val_number(out, ak_eval_true(a, n->b));
		out->logical = true;
		return;
	case B_MKTIME: ak_bi_mktime(a, n, out); return;
	case B_STRFTIME: ak_bi_strftime(a, n, out); return;
	case B_SYSTIME:
		val_number(out, (double)tsb_clock(a->p, TSB_CLOCK_REAL).sec);
		return;
	default:
		eval_text_builtin(a, n, out);
	}
}
