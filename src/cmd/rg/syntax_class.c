/*
 * Classes: brackets in brackets, && -- ~~, [:alpha:], \d and \p. What PCRE2's
 * brackets cannot say becomes alternatives and look-ahead.
 */
#include "cmd/rg/syntax.h"

#include <string.h>

#include "base/heap.h"
#include "base/utf8.h"

void rg_set_init(struct rg_set *set, struct tsb_heap *heap)
{
	*set = (struct rg_set){ .simple = true };
	str_init(&set->perl, heap, STR_MAX_DEFAULT);
}

/* As an expression that takes one character. */
static void set_expression(const struct rg_set *set, struct str *s)
{
	if (!set->simple)
		str_addn(s, set->perl.p, set->perl.n);
	else if (!set->perl.n)
		str_adds(s, "(?!)");
	else
		str_addf(s, "[%s]", set->perl.p);
}

static void range_add(struct rg_set *set, uint32_t low, uint32_t high)
{
	for (uint32_t c = low; c <= high && c < 128; c++)
		set->has[c] = true;
	set->beyond |= high >= 128;
	rg_perl_char(&set->perl, low, true);
	if (high > low) {
		str_addc(&set->perl, '-');
		rg_perl_char(&set->perl, high, true);
	}
}

static bool in_perl_class(char c, int b)
{
	bool digit = b >= '0' && b <= '9';

	switch (c | 0x20) {
	case 'd': return digit;
	case 'w': return digit || b == '_' || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z');
	default: return b == ' ' || (b >= '\t' && b <= '\r');
	}
}

void rg_perl_class(struct rg_reader *r, struct rg_set *set, char c)
{
	bool negated = c < 'a';
	static const char *const ascii[] = { "0-9", "0-9A-Za-z_", "\\t-\\r\\x{20}" };
	int kind = (c | 0x20) == 'd' ? 0 : (c | 0x20) == 'w' ? 1 : 2;

	for (int b = 0; b < 128; b++)
		set->has[b] |= in_perl_class(c, b) != negated;
	set->beyond = true;
	if (r->unicode) {
		str_addf(&set->perl, "\\%c", c);
	} else if (!negated) {
		str_adds(&set->perl, ascii[kind]);
	} else if (!set->perl.n) {
		str_addf(&set->perl, "^%s", ascii[kind]);
	} else {
		str_addf(&set->perl, "\\%c", c);
	}
}

bool rg_property(struct rg_reader *r, struct rg_set *set, char c, size_t from)
{
	const char *end;
	size_t n;

	set->opaque = true;
	if (!r->out->property_to)
		r->out->property_from = from;
	if (r->i == r->n)
		return rg_fail(r, "incomplete escape sequence, reached end of pattern prematurely",
			       r->n, r->n);
	if (r->p[r->i] != '{') {
		str_addf(&set->perl, "\\%c%c", c, r->p[r->i++]);
		r->out->property_to = r->out->property_to ? r->out->property_to : r->i;
		return true;
	}
	end = memchr(r->p + r->i, '}', r->n - r->i);
	if (!end)
		return rg_fail(r, "incomplete escape sequence, reached end of pattern prematurely",
			       r->n, r->n);
	n = (size_t)(end - r->p) - r->i;
	str_addf(&set->perl, "\\%c%.*s}", c, (int)n, r->p + r->i);
	r->i += n + 1;
	r->out->property_to = r->out->property_to ? r->out->property_to : r->i;
	return true;
}

/* ---- Names: [:alpha:] ---- */

static void add_ranges(struct rg_reader *r, struct rg_set *set, const char *ranges, bool negated)
{
	uint32_t from = 0;

	for (const char *k = ranges; *k; k += 2) {
		uint32_t low = (unsigned char)k[0], high = (unsigned char)k[1];

		if (!negated)
			range_add(set, low == 1 ? 0 : low, high);
		else if (low > from && low > 1)
			range_add(set, from, low - 1);
		from = high + 1;
	}
	if (negated)
		range_add(set, from, r->unicode ? 0x10ffff : 0xff);
}

/* "[:alpha:]" is ASCII's, whatever the text is. */
static bool name_class(struct rg_reader *r, struct rg_set *set)
{
	static const struct { const char *name, *ranges; } rows[] = {
		{ "alnum", "09AZaz" }, { "alpha", "AZaz" }, { "ascii", "\1\177" },
		{ "blank", "\t\t  " }, { "cntrl", "\1\37\177\177" }, { "digit", "09" },
		{ "graph", "!~" }, { "lower", "az" }, { "print", " ~" }, { "punct", "!/:@[`{~" },
		{ "space", "\t\r  " }, { "upper", "AZ" }, { "word", "09AZ__az" },
		{ "xdigit", "09AFaf" }
	};
	const char *s = r->p + r->i;
	size_t left = r->n - r->i, n;
	bool negated;
	const char *end;

	if (left < 4 || s[0] != '[' || s[1] != ':')
		return false;
	negated = s[2] == '^';
	s += 2 + negated;
	end = memmem(s, left - 2 - negated, ":]", 2);
	n = end ? (size_t)(end - s) : 0;
	for (size_t i = 0; end && i < sizeof(rows) / sizeof(*rows); i++) {
		if (strlen(rows[i].name) != n || memcmp(rows[i].name, s, n))
			continue;
		add_ranges(r, set, rows[i].ranges, negated);
		r->i = (size_t)(end - r->p) + 2;
		return true;
	}
	return false;
}

/* ---- Members ---- */

/* One end of a range. false: a class of its own was added, or an error. */
static bool boundary(struct rg_reader *r, struct rg_set *set, uint32_t *c, bool second)
{
	size_t from = r->i;
	int32_t d;
	char e;

	if (r->p[r->i] != '\\') {
		r->i += utf8_decode(r->p + r->i, r->n - r->i, &d);
		*c = d < 0 ? (unsigned char)r->p[r->i - 1] : (uint32_t)d;
		if (d >= 0x80 && !r->unicode)
			return rg_fail(r, "Unicode not allowed here", from, r->i);
		return true;
	}
	if (rg_escape_char(r, c))
		return true;
	if (r->out->error)
		return false;
	e = r->p[r->i + 1];
	if (!strchr("dDwWsSpP", e))
		return rg_fail(r, strchr("bBAz", e) ? "invalid escape sequence found in character "
			       "class" : "unrecognized escape sequence", from, from + 2);
	r->i += 2;
	if (second)
		return rg_fail(r, "invalid range boundary, must be a literal", from, r->i);
	if (e == 'p' || e == 'P')
		rg_property(r, set, e, from);
	else
		rg_perl_class(r, set, e);
	return false;
}

static bool member(struct rg_reader *r, struct rg_set *set)
{
	size_t from = r->i;
	uint32_t low, high;

	if (!boundary(r, set, &low, false))
		return !r->out->error;
	high = low;
	if (r->i + 1 < r->n && r->p[r->i] == '-' && r->p[r->i + 1] != ']' &&
	    r->p[r->i + 1] != '-') {
		r->i++;
		if (!boundary(r, set, &high, true))
			return false;
		if (low > high)
			return rg_fail(r, "invalid character class range, the start must be <= the "
				       "end", from, r->i);
	}
	if (low == high && utf8_lower((int32_t)low) != (int32_t)low)
		r->out->has_upper = true;
	r->out->has_upper |= low != high && low < 0x80 && high < 0x80 && low >= 'A' && low <= 'Z';
	r->out->has_newline |= low == '\n' && high == '\n' && r->p[from] == '\\';
	range_add(set, low, high);
	return true;
}

/* ---- Sets of sets ---- */

static void set_negate(struct rg_set *set)
{
	struct str s;

	for (int c = 0; c < 128; c++)
		set->has[c] = !set->has[c];
	set->beyond = true;
	str_init(&s, set->perl.heap, STR_MAX_DEFAULT);
	if (set->simple && set->perl.n && set->perl.p[0] != '^') {
		str_addf(&s, "[^%s]", set->perl.p);
	} else {
		str_adds(&s, "(?:(?!");
		set_expression(set, &s);
		str_adds(&s, ")(?s:.))");
	}
	str_end(&set->perl);
	set->perl = s;
	set->simple = false;
}

static void set_union(struct rg_set *a, const struct rg_set *b)
{
	struct str s;

	for (int c = 0; c < 128; c++)
		a->has[c] |= b->has[c];
	a->beyond |= b->beyond;
	a->opaque |= b->opaque;
	if (a->simple && b->simple && b->perl.p[0] != '^') {
		str_addn(&a->perl, b->perl.p, b->perl.n);
		return;
	}
	if (a->simple && !a->perl.n) {
		str_addn(&a->perl, b->perl.p, b->perl.n);
		a->simple = b->simple;
		return;
	}
	str_init(&s, a->perl.heap, STR_MAX_DEFAULT);
	str_adds(&s, "(?:");
	set_expression(a, &s);
	str_addc(&s, '|');
	set_expression(b, &s);
	str_addc(&s, ')');
	str_end(&a->perl);
	a->perl = s;
	a->simple = false;
}

/* a && b, a -- b, a ~~ b: by looking ahead. */
static void set_operate(struct rg_set *a, const struct rg_set *b, char op)
{
	struct str s;

	for (int c = 0; c < 128; c++)
		a->has[c] = op == '&' ? a->has[c] && b->has[c] : op == '-' ?
			    a->has[c] && !b->has[c] : a->has[c] != b->has[c];
	a->opaque |= b->opaque;
	str_init(&s, a->perl.heap, STR_MAX_DEFAULT);
	str_adds(&s, op == '&' ? "(?:(?=" : "(?:(?!");
	set_expression(b, &s);
	str_addc(&s, ')');
	set_expression(a, &s);
	if (op == '~') {
		str_adds(&s, "|(?!");
		set_expression(a, &s);
		str_addc(&s, ')');
		set_expression(b, &s);
	}
	str_addc(&s, ')');
	str_end(&a->perl);
	a->perl = s;
	a->simple = false;
	a->beyond |= b->beyond;
}

static bool operator_at(const struct rg_reader *r)
{
	const char *s = r->p + r->i;

	return r->n - r->i >= 2 && s[0] == s[1] && (*s == '&' || *s == '-' || *s == '~') &&
	       !(*s == '-' && r->n - r->i >= 3 && s[2] == ']');
}

/* What an unclosed class is shown by: "[" with what belongs to it. */
struct opening {
	size_t from, to;
};

/* Members up to an operator or the end. */
static bool members(struct rg_reader *r, struct rg_set *set, const struct opening *open,
		    bool first)
{
	for (;; first = false) {
		struct rg_set inner;

		if (r->i >= r->n)
			return rg_fail(r, "unclosed character class", open->from, open->to);
		if ((r->p[r->i] == ']' && !first) || operator_at(r))
			return true;
		if (r->blanks && strchr(" \t\n", r->p[r->i])) {
			r->i++;
		} else if (name_class(r, set)) {
			continue;
		} else if (r->p[r->i] == '[') {
			rg_set_init(&inner, set->perl.heap);
			if (!rg_class(r, &inner))
				return false;
			set_union(set, &inner);
		} else if (!member(r, set)) {
			return false;
		}
	}
}

bool rg_class(struct rg_reader *r, struct rg_set *set)
{
	size_t open = r->i++;
	bool negated = r->i < r->n && r->p[r->i] == '^', first = true;
	struct opening span;

	if (++r->depth > RG_NEST_MAX)
		return rg_fail(r, "exceed the maximum number of nested parentheses/brackets (100)",
			       open, open + 1);
	r->i += negated;
	while (r->i < r->n && r->p[r->i] == '-' && !operator_at(r)) {
		range_add(set, '-', '-');
		r->i++;
		first = false;
	}
	span = (struct opening){ open, r->i + (first && r->i < r->n && r->p[r->i] == ']') };
	if (!members(r, set, &span, first))
		return false;
	while (r->p[r->i] != ']') {
		char op = r->p[r->i];
		struct rg_set right;

		r->i += 2;
		rg_set_init(&right, set->perl.heap);
		if (!members(r, &right, &span, false))
			return false;
		set_operate(set, &right, op);
		if (set->perl.n > RG_SET_MAX)	/* ~~ writes both sides twice */
			return rg_fail(r, "the class is too large", open, r->i);
		r->out->complement = true;
	}
	r->i++;
	r->depth--;
	if (negated)
		set_negate(set);
	r->out->complement |= negated;
	return true;
}

/* ---- Written ---- */

void rg_set_write(struct rg_reader *r, const struct rg_set *set)
{
	struct str *s = &r->out->posix;
	bool has[128], any = false;

	set_expression(set, &r->out->perl);
	r->out->any_text &= !set->beyond;
	r->out->can_newline |= set->has['\n'] || set->opaque;
	if (set->opaque)
		r->out->has_posix = false;
	memcpy(has, set->has, sizeof(has));
	has['\n'] = has[0] = false;
	for (int c = 0; c < 128; c++)
		any |= has[c];
	if (!any) {
		r->out->has_posix = false;
		return;
	}
	str_adds(s, has['['] ? "(\\[|[" : "[");
	if (has[']'])
		str_addc(s, ']');
	for (int c = 1; c < 128; c++)
		if (has[c] && !strchr("][-^", c))
			str_addc(s, c);
	if (s->p[s->n - 1] == '[' && (has['^'] || !has['-'])) {
		/* Only "^", or "[" alone: not worth the fast way. */
		r->out->has_posix = false;
	}
	if (has['^'])
		str_addc(s, '^');
	if (has['-'])
		str_addc(s, '-');
	str_adds(s, has['['] ? "])" : "]");
}
