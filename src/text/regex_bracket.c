/*
 * Bracket expressions. What is an error, and which, follows glibc in C.UTF-8:
 * the ends of a range and the names of [.x.] and [=x=] must be single bytes
 * (there is no collation table to look others up in), a '-' stands first, last
 * or as the end of a range, and nothing at all behind the '[' is not an
 * unmatched bracket but an invalid expression.
 */
#include "text/regex_impl.h"

#include <string.h>

#include "text/regex_syntax.h"

#define UNMATCHED "Unmatched [, [^, [:, [., or [="

enum elem_kind { ELEM_CHAR, ELEM_SYMBOL, ELEM_CLASS, ELEM_EQUAL };

struct elem {
	enum elem_kind kind;
	int32_t c;			/* CHAR, and a SYMBOL or EQUAL of one byte */
	const char *name;		/* of a CLASS */
};

static bool fail(struct re_parser *ps, const char *error)
{
	ps->error = error;
	return false;
}

/* "[:name:]" and its kin; at is at the '['. */
static bool bracket_symbol(struct re_parser *ps, char kind, struct elem *e)
{
	size_t start = ps->at + 2, i = start;

	for (;; i++) {
		if (i + 1 >= ps->n || i - start >= 32)
			return fail(ps, UNMATCHED);
		if (ps->p[i] == kind && ps->p[i + 1] == ']')
			break;
	}
	ps->at = i + 2;
	if (kind == ':') {
		e->kind = ELEM_CLASS;
		e->name = re_class_known(ps->p + start, i - start);
		return e->name || fail(ps, "Invalid character class name");
	}
	e->kind = kind == '=' ? ELEM_EQUAL : ELEM_SYMBOL;
	e->c = (unsigned char)ps->p[start];
	return i - start == 1 || fail(ps, "Invalid collation character");
}

static bool bracket_elem(struct re_parser *ps, struct elem *e, bool hyphen_ok)
{
	const char *p = ps->p + ps->at;
	size_t left = ps->n - ps->at;

	if (*p == '[' && left > 1 && (p[1] == ':' || p[1] == '.' || p[1] == '='))
		return bracket_symbol(ps, p[1], e);
	if (*p == '-' && !hyphen_ok && !(left > 1 && p[1] == ']'))
		return fail(ps, left > 1 ? "Invalid range end" : UNMATCHED);
	if (*p == '\\' && (ps->syntax & RE_SYN_AWK) && left > 1) {
		e->kind = ELEM_CHAR;
		ps->at++;
		re_parse_awk_escape(ps, &e->c);
		return true;
	}
	e->kind = ELEM_CHAR;
	ps->at += re_unit(ps->re, p, left, &e->c);
	return true;
}

static bool bracket_range(struct re_parser *ps, struct re_set *set, const struct elem *lo,
			  const struct elem *hi)
{
	struct regex *re = ps->re;
	int32_t a = lo->c, b = hi->c;

	if (lo->kind == ELEM_CLASS || lo->kind == ELEM_EQUAL || hi->kind == ELEM_CLASS ||
	    hi->kind == ELEM_EQUAL)
		return fail(ps, "Invalid range end");
	if (re->utf8 && (a >= 128 || b >= 128))
		return fail(ps, "Invalid collation character");
	if (re->icase) {
		a = re_upper(re, a);
		b = re_upper(re, b);
	}
	if (a > b)
		return fail(ps, "Invalid range end");
	re_set_range(re, set, a, b);
	return true;
}

/* One element or range at ps->at. */
static bool bracket_member(struct re_parser *ps, struct re_set *set, bool first)
{
	struct elem lo, hi;

	if (!bracket_elem(ps, &lo, first))
		return false;
	if (lo.kind != ELEM_CLASS && lo.kind != ELEM_EQUAL) {
		if (ps->at >= ps->n)
			return fail(ps, UNMATCHED);
	}
	if (ps->at < ps->n && ps->p[ps->at] == '-') {
		if (ps->at + 1 >= ps->n)
			return fail(ps, UNMATCHED);
		if (ps->p[ps->at + 1] != ']') {
			if (lo.kind == ELEM_CLASS || lo.kind == ELEM_EQUAL)
				return fail(ps, "Invalid range end");
			ps->at++;
			ps->re->bytewise = false;
			return bracket_elem(ps, &hi, true) && bracket_range(ps, set, &lo, &hi);
		}
	}
	if (lo.kind != ELEM_CHAR || lo.c >= 128)
		ps->re->bytewise = false;
	if (lo.kind == ELEM_CLASS) {
		re_set_class(ps->re, set, lo.name);
	} else {
		int32_t c = ps->re->icase ? re_upper(ps->re, lo.c) : lo.c;
		re_set_range(ps->re, set, c, c);
	}
	return true;
}

/* grep and sed catch [:space:] where [[:space:]] was meant. */
static bool looks_like_class(const char *p, size_t n)
{
	if (n && *p == '^') {
		p++;
		n--;
	}
	const char *end = n > 1 && *p == ':' ? memchr(p + 1, ']', n - 1) : NULL;
	if (!end || end - p < 3 || end[-1] != ':')
		return false;
	for (const char *q = p + 1; q < end - 1; q++)
		if (*q == '[' || *q == '-' || *q == ':')
			return false;
	return true;
}

struct re_node *re_parse_bracket(struct re_parser *ps)
{
	size_t start = ps->at;
	struct re_set *set;
	struct re_node *node;
	bool negate = ps->at < ps->n && ps->p[ps->at] == '^';

	ps->at += negate;
	if (ps->at >= ps->n) {
		fail(ps, "Invalid regular expression");
		return NULL;
	}
	set = re_set_new(ps->re, negate);
	node = re_node_new(ps->re, RE_SET);
	if (!set || !node) {
		fail(ps, "Memory exhausted");
		return NULL;
	}
	ps->re->bytewise &= !negate;
	if (negate)
		re_set_no_newline(ps->re, set);
	for (bool first = true;; first = false) {
		if (ps->at >= ps->n) {
			fail(ps, UNMATCHED);
			break;
		}
		if (ps->p[ps->at] == ']' && !first)
			break;
		if (!bracket_member(ps, set, first))
			break;
	}
	ps->at++;
	if (!ps->error && !(ps->syntax & (RE_SYN_REGCOMP | RE_SYN_AWK)) &&
	    looks_like_class(ps->p + start, ps->n - start))
		fail(ps, "character class syntax is [[:space:]], not [:space:]");
	node->set = re_set_finish(ps->re, set);
	return ps->error ? NULL : node;
}
