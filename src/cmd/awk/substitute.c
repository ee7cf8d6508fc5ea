/*
 * sub, gsub and gensub; match, split and patsplit: what works with regular
 * expressions.
 */
#include "cmd/awk/awk.h"

#include <math.h>

#include "base/num.h"
#include "base/utf8.h"

/* ---- sub and gsub ---- */

/* The replacement of sub: & is the match, \& an ampersand, \\& a backslash and
 * the match, \\\& a backslash and an ampersand. */
static void put_replacement(struct awk *a, struct str *out, struct awk_str *r, const char *m,
			    size_t n)
{
	const char *p = r->p, *end = p + r->n;

	for (; p < end; p++) {
		if (a->posix && *p == '\\' && (p[1] == '\\' || p[1] == '&'))
			str_addc(out, *++p);	/* POSIX of 2008: two are one */
		else if (*p == '&') {
			str_addn(out, m, n);
		} else if (*p != '\\') {
			str_addc(out, *p);
		} else if (!strncmp(p, "\\\\\\&", 4)) {
			str_addn(out, "\\&", 2);
			p += 3;
		} else if (!strncmp(p, "\\\\\\\\", 4)) {
			str_addn(out, "\\\\", 2);
			p += 3;
		} else if (!strncmp(p, "\\\\&", 3)) {
			str_addc(out, '\\');
			str_addn(out, m, n);
			p += 2;
		} else if (p[1] == '&') {
			str_addc(out, '&');
			p++;
		} else {
			str_addc(out, '\\');
		}
	}
}

/* The replacement of gensub: \0 to \9, & and \&. */
static void put_groups(struct str *out, struct awk_str *r, const char *text,
		       struct regex_span *spans,
		       size_t n)
{
	const char *p = r->p, *end = p + r->n;

	for (; p < end; p++) {
		size_t group = 0;

		if (*p == '\\' && p + 1 < end && p[1] >= '0' && p[1] <= '9') {
			group = (size_t)(*++p - '0');
		} else if (*p == '\\' && p + 1 < end) {
			str_addc(out, *++p);
			continue;
		} else if (*p != '&') {
			str_addc(out, *p);
			continue;
		}
		if (group < n && spans[group].so != REGEX_NONE)
			str_addn(out, text + spans[group].so, spans[group].eo - spans[group].so);
	}
}

struct job {
	struct regex *re;
	struct awk_str *text, *replacement;
	bool groups;
	size_t which;		/* 0: all */
};

static size_t char_at(struct awk *a, struct awk_str *s, size_t at)
{
	int32_t c;

	return a->utf8 && at < s->n ? utf8_decode(s->p + at, s->n - at, &c) : 1;
}

/* How many were replaced; out is the new text. */
static size_t substitute(struct awk *a, struct job *j, struct str *out)
{
	struct regex_span spans[10];
	size_t at = 0, done = 0, seen = 0, last = REGEX_NONE, n_spans = 1;
	struct awk_str *s = j->text;

	if (j->groups)
		n_spans = regex_groups(j->re) < 9 ? regex_groups(j->re) + 1 : 10;
	while (at <= s->n && ak_regex_run(a, j->re, s->p, s->n, at, spans, n_spans)) {
		size_t so = spans[0].so, eo = spans[0].eo, step;

		awk_tick(a);
		str_addn(out, s->p + at, so - at);
		at = so;
		if (so != eo || so != last) {
			seen++;
			if (j->which && seen != j->which) {
				str_addn(out, s->p + so, eo - so);
			} else {
				done++;
				if (j->groups)
					put_groups(out, j->replacement, s->p, spans, n_spans);
				else
					put_replacement(a, out, j->replacement, s->p + so, eo - so);
			}
			at = last = eo;
			if (j->which && seen == j->which)
				break;
		}
		if (so == eo && at < s->n) {
			step = char_at(a, s, at);
			str_addn(out, s->p + at, step);
			at += step;
		} else if (so == eo) {
			break;
		}
	}
	if (at < s->n)
		str_addn(out, s->p + at, s->n - at);
	return done;
}

static bool can_store(const struct node *n)
{
	return n->op == N_GLOBAL || n->op == N_SPECIAL || n->op == N_LOCAL || n->op == N_INDEX ||
	       n->op == N_FIELD;
}

struct node *ak_fix_target(struct awk *a, struct node *n, struct node *copy, struct node *index)
{
	*copy = *n;
	*index = (struct node){ .op = N_CONST, .line = n->line, .source = n->source };
	if (n->op == N_FIELD) {
		val_number(&index->v, ak_eval_num(a, n->a));
		ak_field_reach(a, index->v.num);
		copy->a = index;
	} else if (n->op == N_INDEX) {
		ak_eval_key(a, n->b, &index->v);
		copy->b = index;
	} else {
		return n;
	}
	return copy;
}

void ak_bi_substitute(struct awk *a, struct node *n, struct awk_val *out)
{
	struct node *re = n->b, *replacement = re->next, *target = replacement->next, copy, index;
	struct job j = { .which = n->sub == B_SUB };
	struct awk_val v = { .type = V_STR };
	bool pattern = false;	/* a strong regexp stays one */
	struct str made;
	size_t count;

	j.replacement = ak_eval_str(a, replacement);
	if (target) {
		target = ak_fix_target(a, target, &copy, &index);
		ak_eval(a, target, &v);
		ak_eval_scalar_check(a, target, &v);
		pattern = v.type == V_REGEX;
		j.text = ak_val_to_str(a, &v);
		val_drop(a, &v);
	} else {
		j.text = str_hold(ak_record_str(a));
	}
	j.re = ak_eval_regex(a, re);
	if (!ak_regex_run(a, j.re, j.text->p, j.text->n, 0, NULL, 0)) {
		count = 0;
	} else {
		str_init(&made, a->heap, STR_MAX_DEFAULT);
		count = substitute(a, &j, &made);
		val_string(&v, ak_str_make(a, made.p, made.n));
		str_end(&made);
		if (pattern)
			v.type = V_REGEX;
		if (!target)
			ak_record_assign(a, &v);
		else if (can_store(target))
			ak_eval_store(a, target, &v);
		else
			val_drop(a, &v);
	}
	if (target == &copy)
		val_drop(a, &index.v);
	str_drop(a, j.text);
	str_drop(a, j.replacement);
	val_number(out, (double)count);
}

void ak_bi_gensub(struct awk *a, struct node *n, struct awk_val *out)
{
	struct node *re = n->b, *replacement = re->next, *how = replacement->next;
	struct job j = { .groups = true };
	struct awk_str *h;
	struct str made;
	double which;

	j.replacement = ak_eval_str(a, replacement);
	h = ak_eval_str(a, how);
	j.text = how->next ? ak_eval_str(a, how->next) : str_hold(ak_record_str(a));
	j.re = ak_eval_regex(a, re);
	if (h->n && (*h->p == 'g' || *h->p == 'G')) {
		j.which = 0;
	} else {
		ak_number_parse(a, h->p, h->n, &which);
		if (!(which >= 1))
			awk_warn(a, "gensub: third argument `%s' treated as 1", h->p);
		j.which = which >= 1 && which < 1e9 ? (size_t)which : 1;
	}
	str_init(&made, a->heap, STR_MAX_DEFAULT);
	substitute(a, &j, &made);
	val_string(out, ak_str_make(a, made.p, made.n));
	str_end(&made);
	str_drop(a, h);
	str_drop(a, j.text);
	str_drop(a, j.replacement);
}

/* ---- match ---- */

static double chars_of(struct awk *a, const char *p, size_t n)
{
	return (double)(a->utf8 ? utf8_count(p, n) : n);
}

static void put_part(struct awk *a, struct awk_array *x, size_t i, const char *what, double v)
{
	char key[64];
	struct awk_str *sep = ak_var_str(a, VAR_SUBSEP);
	size_t n = num_format_u64(key, i);
	struct str s;

	str_init(&s, a->heap, STR_MAX_DEFAULT);
	str_addn(&s, key, n);
	str_addn(&s, sep->p, sep->n);
	str_adds(&s, what);
	val_number(ak_array_at_str(a, x, s.p, s.n), v);
	str_end(&s);
	str_drop(a, sep);
}

static void match_array(struct awk *a, struct awk_array *x, struct awk_str *s,
			struct regex_span *spans,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t so = spans[i].so, len = spans[i].eo - so;

		if (so == REGEX_NONE)
			continue;
		ak_val_input(a, ak_array_at_num(a, x, (int64_t)i), s->p + so, len);
		put_part(a, x, i, "start", chars_of(a, s->p, so) + 1);
		put_part(a, x, i, "length", chars_of(a, s->p + so, len));
	}
}

static void set_number(struct awk *a, uint32_t slot, double num)
{
	struct awk_val v;

	val_number(&v, num);
	ak_var_set(a, slot, &v);
}

void ak_bi_match(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *s = ak_eval_str(a, n->b);
	struct regex *re = ak_eval_regex(a, n->b->next);
	struct awk_array *x = n->b->next->next ?
		ak_eval_array_of(a, n->b->next->next, "match: third") : NULL;
	struct regex_span *spans;
	size_t count = x ? regex_groups(re) + 1 : 1;
	double start = 0, length = -1;

	spans = heap_array(a->heap, count, sizeof(*spans));
	if (x)
		ak_array_clear(a, x);
	if (ak_regex_run(a, re, s->p, s->n, 0, spans, count)) {
		ak_str_look(a, s);
		start = chars_of(a, s->p, spans[0].so) + 1;
		length = chars_of(a, s->p + spans[0].so, spans[0].eo - spans[0].so);
		if (x)
			match_array(a, x, s, spans, count);
	}
	set_number(a, VAR_RSTART, start);
	set_number(a, VAR_RLENGTH, length);
	heap_free(a->heap, spans);
	str_drop(a, s);
	val_number(out, start);
}

/* ---- split ---- */

static void put_pieces(struct awk *a, struct awk_array *x, piece_list *list, int64_t first)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].p)
			ak_val_input(a, ak_array_at_num(a, x, first + (int64_t)i), list->at[i].p,
				  list->at[i].n);
}

static void give_pieces(struct awk *a, struct node *n, struct awk_array *x, piece_list *out,
			piece_list *seps)
{
	struct node *to = n->b->next->next ? n->b->next->next->next : NULL;

	ak_array_clear(a, x);
	put_pieces(a, x, out, 1);
	if (to) {
		struct awk_array *y = ak_eval_array_of(a, to, n->sub == B_SPLIT ?
							"split: fourth" : "patsplit: fourth");

		ak_array_clear(a, y);
		put_pieces(a, y, seps, 0);
	}
}

void ak_bi_split(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *s = ak_eval_str(a, n->b);
	struct node *sep = n->b->next->next;
	piece_list pieces = { 0 }, seps = { 0 };
	struct awk_array *x;
	struct awk_val fs;

	if (!sep)
		ak_val_copy(&fs, &a->globals[VAR_FS]);
	else if (sep->op == N_REGEX)
		ak_val_copy(&fs, &sep->v);
	else
		ak_eval(a, sep, &fs);
	x = ak_eval_array_of(a, n->b->next, "split: second");
	ak_split_fs(a, s->p, s->n, &fs, &n->cache, false, &pieces, &seps);
	val_drop(a, &fs);
	give_pieces(a, n, x, &pieces, &seps);
	val_number(out, (double)pieces.n);
	vec_end(a->heap, &pieces);
	vec_end(a->heap, &seps);
	str_drop(a, s);
}

void ak_bi_patsplit(struct awk *a, struct node *n, struct awk_val *out)
{
	struct awk_str *s = ak_eval_str(a, n->b), *pattern;
	struct node *pat = n->b->next->next;
	piece_list pieces = { 0 }, seps = { 0 };
	struct awk_array *x;
	struct regex *re;

	if (pat) {
		re = ak_eval_regex(a, pat);
	} else {
		pattern = ak_var_str(a, VAR_FPAT);
		re = ak_regex_of(a, &n->cache, pattern);
		str_drop(a, pattern);
	}
	x = ak_eval_array_of(a, n->b->next, "patsplit: second");
	if (s->n)
		ak_split_fpat(a, s->p, s->n, re, &pieces, &seps);
	give_pieces(a, n, x, &pieces, &seps);
	val_number(out, (double)pieces.n);
	vec_end(a->heap, &pieces);
	vec_end(a->heap, &seps);
	str_drop(a, s);
}
