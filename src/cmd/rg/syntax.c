/*
 * See syntax.h: groups, repetition, anchors and escapes.
 */
#include "cmd/rg/syntax.h"

#include <string.h>

#include "base/heap.h"
#include "base/utf8.h"

enum { REPEAT_MAX = 1000 };

bool rg_fail(struct rg_reader *r, const char *error, size_t from, size_t to)
{
	if (!r->out->error) {
		r->out->error = error;
		r->out->from = from;
		r->out->to = to;
	}
	return false;
}

static size_t char_length(const struct rg_reader *r, size_t i)
{
	int32_t c;

	return i < r->n ? utf8_decode(r->p + i, r->n - i, &c) : 1;
}

static void add(struct rg_reader *r, const char *s)
{
	str_adds(&r->out->perl, s);
	str_adds(&r->out->posix, s);
}

static void no_posix(struct rg_reader *r)
{
	r->out->has_posix = false;
}

/* ---- Literals ---- */

void rg_perl_char(struct str *s, uint32_t c, bool in_class)
{
	if (c >= 0x80 || c < 0x20 || c == 0x7f)
		str_addf(s, "\\x{%x}", c);
	else if (strchr(in_class ? "\\]^-[" : "\\^$.[]|()*+?{}#", (int)c))
		str_addf(s, "\\%c", (int)c);
	else
		str_addc(s, (int)c);
}

static void literal(struct rg_reader *r, uint32_t c)
{
	char buf[4];

	r->out->has_upper |= utf8_lower((int32_t)c) != (int32_t)c;
	r->out->has_newline |= c == '\n';
	if (r->blanks && (c == ' ' || c == '#'))
		str_addf(&r->out->perl, "\\x{%x}", c);
	else
		rg_perl_char(&r->out->perl, c, false);
	if (c == '\n' || !c)
		no_posix(r);
	if (c < 0x80) {
		if (c && strchr("\\^$.[]|()*+?{}", (int)c))
			str_addc(&r->out->posix, '\\');
		str_addc(&r->out->posix, (int)c);
	} else {
		str_addc(&r->out->posix, '(');
		str_addn(&r->out->posix, buf, utf8_encode(buf, c));
		str_addc(&r->out->posix, ')');
	}
}

/* ---- Escapes ---- */

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool hex_braces(struct rg_reader *r, uint32_t *c)
{
	size_t from = r->i + 1, open = r->i, digits = 0;
	uint32_t v = 0;

	for (r->i++; r->i < r->n && r->p[r->i] != '}'; r->i++, digits++) {
		int digit = hex_value(r->p[r->i]);

		if (digit < 0)
			return rg_fail(r, "invalid hexadecimal digit", r->i, r->i + 1);
		v = v < 0x1000000 ? v * 16 + (uint32_t)digit : v;
	}
	if (r->i == r->n)
		return rg_fail(r, "incomplete escape sequence, reached end of pattern prematurely",
			       open, r->n);
	r->i++;
	if (!digits)
		return rg_fail(r, "hexadecimal literal empty", open, r->i);
	if (v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return rg_fail(r, "hexadecimal literal is not a Unicode scalar value", from,
			       r->i - 1);
	*c = v;
	return true;
}

/* Behind \x, \u, \U. */
static bool hex_escape(struct rg_reader *r, char kind, uint32_t *c)
{
	int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
	size_t from = r->i;

	*c = 0;
	if (r->i < r->n && r->p[r->i] == '{')
		return hex_braces(r, c);
	for (int k = 0; k < digits; k++, r->i++) {
		if (r->i == r->n)
			return rg_fail(r, "incomplete escape sequence, reached end of pattern "
				       "prematurely", r->n, r->n);
		if (hex_value(r->p[r->i]) < 0)
			return rg_fail(r, "invalid hexadecimal digit", r->i, r->i + 1);
		*c = *c * 16 + (uint32_t)hex_value(r->p[r->i]);
	}
	if (*c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return rg_fail(r, "hexadecimal literal is not a Unicode scalar value", from, r->i);
	return true;
}

bool rg_escape_char(struct rg_reader *r, uint32_t *c)
{
	static const char names[] = "aftnrv", values[] = "\a\f\t\n\r\v";
	size_t start = r->i;
	char e;

	if (r->i + 1 >= r->n)
		return rg_fail(r, "incomplete escape sequence, reached end of pattern prematurely",
			       start, start + 1);
	e = r->p[r->i + 1];
	if (e == 'x' || e == 'u' || e == 'U') {
		r->i += 2;
		return hex_escape(r, e, c);
	}
	if (strchr("\\.+*?()|[]{}^$#&-~", e) || (r->blanks && e == ' ')) {
		*c = (unsigned char)e;
		r->i += 2;
		return true;
	}
	if (strchr(names, e)) {
		*c = (unsigned char)values[strchr(names, e) - names];
		r->i += 2;
		return true;
	}
	if (e >= '0' && e <= '9') {
		r->out->wants_perl = true;
		return rg_fail(r, "backreferences are not supported", start, start + 2);
	}
	return false;
}

static bool escape(struct rg_reader *r)
{
	size_t start = r->i;
	struct rg_set set;
	uint32_t c;
	char e;

	if (rg_escape_char(r, &c)) {
		literal(r, c);
		return true;
	}
	if (r->out->error)
		return false;
	e = r->p[r->i + 1];
	rg_set_init(&set, r->out->perl.heap);
	r->i += 2;
	switch (e) {
	case 'd': case 'D': case 'w': case 'W': case 's': case 'S':
		rg_perl_class(r, &set, e);
		rg_set_write(r, &set);
		return true;
	case 'p': case 'P':
		if (!rg_property(r, &set, e, start))
			return false;
		rg_set_write(r, &set);
		return true;
	case 'b': case 'B':
		str_addf(&r->out->perl, "\\%c", e);
		str_addf(&r->out->posix, "\\%c", e);
		r->out->any_text = false;
		return true;
	case 'A': case 'z':
		str_addf(&r->out->perl, "\\%c", e);
		no_posix(r);
		return true;
	default:
		return rg_fail(r, "unrecognized escape sequence", start,
			       start + 1 + char_length(r, start + 1));
	}
}

/* ---- Repetition ---- */

/* What the operators bind to: where it begins in both forms. */
struct atom {
	size_t perl, posix;
	bool is;		/* there is one */
	bool repeated, assertion;
};

static void wrap(struct rg_reader *r, const struct atom *a)
{
	if (!a->repeated && !a->assertion)
		return;
	str_insert(&r->out->perl, a->perl, "(?:", 3);
	str_addc(&r->out->perl, ')');
	str_insert(&r->out->posix, a->posix, "(", 1);
	str_addc(&r->out->posix, ')');
}

static void lazy(struct rg_reader *r)
{
	if (r->i < r->n && r->p[r->i] == '?') {
		str_addc(&r->out->perl, '?');
		r->i++;
	}
}

static void skip_blanks(struct rg_reader *r)
{
	while (r->blanks && r->i < r->n) {
		if (strchr(" \t\n\r\v\f", r->p[r->i])) {
			r->i++;
		} else if (r->p[r->i] == '#') {
			while (r->i < r->n && r->p[r->i] != '\n')
				r->i++;
		} else {
			return;
		}
	}
}

static bool decimal(struct rg_reader *r, uint64_t *v)
{
	size_t from;

	while (r->i < r->n && strchr(" \t", r->p[r->i]))
		r->i++;
	from = r->i;
	for (*v = 0; r->i < r->n && r->p[r->i] >= '0' && r->p[r->i] <= '9'; r->i++)
		*v = *v < 1u << 30 ? *v * 10 + (uint64_t)(r->p[r->i] - '0') : *v;
	if (r->i == from)
		return rg_fail(r, "repetition quantifier expects a valid decimal", from, from + 1);
	while (r->i < r->n && strchr(" \t", r->p[r->i]))
		r->i++;
	return true;
}

static bool counted(struct rg_reader *r, const struct atom *a)
{
	size_t start = r->i++;
	uint64_t low, high;
	bool open = false;

	if (r->i == r->n)
		return rg_fail(r, "unclosed counted repetition", start, r->n);
	if (!decimal(r, &low))
		return false;
	high = low;
	if (r->i < r->n && r->p[r->i] == ',') {
		r->i++;
		if (r->i == r->n)
			return rg_fail(r, "unclosed counted repetition", start, r->n);
		open = r->p[r->i] == '}';
		if (!open && !decimal(r, &high))
			return false;
	}
	if (r->i == r->n || r->p[r->i] != '}')
		return rg_fail(r, "unclosed counted repetition", start, r->i);
	r->i++;
	if (!open && low > high)
		return rg_fail(r, "invalid repetition count range, the start must be <= the end",
			       start, r->i);
	wrap(r, a);
	if (low > 255 || high > 255)
		no_posix(r);
	str_addf(&r->out->perl, "{%llu", (unsigned long long)low);
	str_addf(&r->out->posix, "{%llu", (unsigned long long)low);
	if (open) {
		add(r, ",");
	} else if (high != low) {
		str_addf(&r->out->perl, ",%llu", (unsigned long long)high);
		str_addf(&r->out->posix, ",%llu", (unsigned long long)high);
	}
	add(r, "}");
	return true;
}

static bool repetition(struct rg_reader *r, struct atom *a)
{
	char c = r->p[r->i];

	if (!a->is)
		return rg_fail(r, "repetition operator missing expression", r->i, r->i + 1);
	if (a->assertion)
		no_posix(r);
	if (c == '{') {
		if (!counted(r, a))
			return false;
	} else {
		char op[2] = { c, '\0' };

		r->i++;
		wrap(r, a);
		add(r, op);
	}
	lazy(r);
	a->repeated = true;
	return true;
}

/* ---- Groups ---- */

static bool alternation(struct rg_reader *r);

/* What stands at r->i has stood at `first` before. */
static bool fail_twice(struct rg_reader *r, const char *error, size_t first)
{
	r->out->from2 = r->i;
	r->out->to2 = r->i + 1;
	return rg_fail(r, error, first, first + 1);
}

/* Letters behind "(?": up to ")" or ":". */
static bool flags(struct rg_reader *r, size_t open, bool *group)
{
	bool negated = false, dangling = false, x = r->blanks;
	size_t minus = 0, letters = 0, places[16] = { 0 };
	char seen[16] = "";

	str_adds(&r->out->perl, "(?");
	no_posix(r);
	for (;; r->i++) {
		char c;

		if (r->i == r->n)
			return rg_fail(r, "expected flag but got end of regex", r->n, r->n);
		c = r->p[r->i];
		if (c == ')' || c == ':')
			break;
		if (c == '-') {
			if (negated)
				return fail_twice(r, "flag negation operator repeated", minus);
			negated = dangling = true;
			minus = r->i;
			str_addc(&r->out->perl, '-');
			continue;
		}
		if (!strchr("imsUux", c))
			return rg_fail(r, "unrecognized flag", r->i, r->i + char_length(r, r->i));
		if (strchr(seen, c))
			return fail_twice(r, "duplicate flag", places[strchr(seen, c) - seen]);
		places[letters] = r->i;
		seen[letters++] = c;
		dangling = false;
		if (c == 'x')
			x = !negated;
		r->out->can_newline |= c == 's';
		r->out->bytes |= c == 'u' && negated;
		if (c == 'u')
			r->unicode = !negated;
		else
			str_addc(&r->out->perl, c);
	}
	if (dangling)
		return rg_fail(r, "dangling flag negation operator", minus, minus + 1);
	*group = r->p[r->i] == ':';
	if (!letters && !negated && !*group)
		return rg_fail(r, "repetition operator missing expression", open + 1, open + 2);
	if (r->out->perl.p[r->out->perl.n - 1] == '-')
		str_cut(&r->out->perl, r->out->perl.n - 1);
	str_addc(&r->out->perl, r->p[r->i++]);
	r->blanks = x;
	return true;
}

static bool name_char(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (!first && ((c >= '0' && c <= '9') || c == '.' || c == '[' || c == ']'));
}

static bool group_name(struct rg_reader *r)
{
	size_t from = r->i;
	struct rg_name name;

	while (r->i < r->n && r->p[r->i] != '>') {
		if (!name_char(r->p[r->i], r->i == from))
			return rg_fail(r, "invalid capture group character", r->i, r->i + 1);
		r->i++;
	}
	if (r->i == r->n)
		return rg_fail(r, "unclosed capture group name", r->n, r->n);
	if (r->i == from)
		return rg_fail(r, "empty capture group name", from, from);
	name = (struct rg_name){ r->p + from, r->i - from };
	for (size_t i = 0; i < r->n_names; i++)
		if (r->names[i].n == name.n && !memcmp(r->names[i].at, name.at, name.n)) {
			r->out->from2 = from;
			r->out->to2 = r->i;
			return rg_fail(r, "duplicate capture group name",
				       (size_t)(r->names[i].at - r->p),
				       (size_t)(r->names[i].at - r->p) + name.n);
		}
	if (r->n_names < 64)
		r->names[r->n_names++] = name;
	str_addf(&r->out->perl, "(?<%.*s>", (int)name.n, name.at);
	r->i++;
	return true;
}

/* At "(". *a: it is an atom, or only flags. */
static bool group(struct rg_reader *r, bool *is_atom)
{
	size_t open = r->i++;
	bool inner = true, blanks = r->blanks;
	size_t left = r->n - r->i;
	const char *s = r->p + r->i;

	*is_atom = true;
	if (left >= 2 && s[0] == '?' && (s[1] == '=' || s[1] == '!' ||
					 (s[1] == '<' && left >= 3 && (s[2] == '=' || s[2] == '!')))) {
		r->out->wants_perl = true;
		return rg_fail(r, "look-around, including look-ahead and look-behind, is not "
			       "supported", open, open + (s[1] == '<' ? 4 : 3));
	}
	if (left == 1 && s[0] == '?')
		return rg_fail(r, "unclosed group", open, open + 1);
	str_addc(&r->out->posix, '(');
	if (left >= 3 && !memcmp(s, "?P<", 3)) {
		r->i += 3;
		if (!group_name(r))
			return false;
	} else if (left >= 1 && s[0] == '?') {
		bool plain = left >= 2 && s[1] == ':';
		bool posix = r->out->has_posix;

		r->i++;
		if (!flags(r, open, &inner))
			return false;
		r->out->has_posix = posix && plain;
		*is_atom = inner;
	} else {
		str_addc(&r->out->perl, '(');
	}
	if (!inner)
		return true;
	if (++r->depth > RG_NEST_MAX)
		return rg_fail(r, "exceed the maximum number of nested parentheses/brackets (100)",
			       open, open + 1);
	if (!alternation(r))
		return false;
	r->depth--;
	if (r->i == r->n)
		return rg_fail(r, "unclosed group", open, open + 1);
	r->i++;
	add(r, ")");
	r->blanks = blanks;
	return true;
}

/* ---- Everything ---- */

/* The length of the character before r->i. */
static size_t char_back(const struct rg_reader *r)
{
	size_t n = 1;

	while (n < r->i && ((unsigned char)r->p[r->i - n] & 0xc0) == 0x80)
		n++;
	return n;
}

static bool one_atom(struct rg_reader *r, struct atom *a)
{
	struct rg_set set;
	int32_t c;

	*a = (struct atom){ r->out->perl.n, r->out->posix.n, true, false, false };
	switch (r->p[r->i]) {
	case '(':
		return group(r, &a->is);
	case '[':
		rg_set_init(&set, r->out->perl.heap);
		if (!rg_class(r, &set))
			return false;
		rg_set_write(r, &set);
		return true;
	case '\\':
		a->assertion = r->i + 1 < r->n && strchr("bBAz", r->p[r->i + 1]);
		return escape(r);
	case '.':
		r->i++;
		add(r, ".");
		r->out->has_dot = true;
		r->out->any_text = false;
		return true;
	case '^': case '$':
		a->assertion = true;
		r->out->can_newline = true;
		add(r, r->p[r->i++] == '^' ? "^" : "$");
		return true;
	default:
		r->i += utf8_decode(r->p + r->i, r->n - r->i, &c);
		literal(r, c < 0 ? (unsigned char)r->p[r->i - 1] : (uint32_t)c);
		if (c >= 0x80 && !r->unicode)
			return rg_fail(r, "Unicode not allowed here", r->i - char_back(r), r->i);
		return true;
	}
}

static bool alternation(struct rg_reader *r)
{
	struct atom a = { 0 };

	for (skip_blanks(r); r->i < r->n && r->p[r->i] != ')'; skip_blanks(r)) {
		char c = r->p[r->i];
		bool fine = true;

		if (c == '|') {
			r->i++;
			add(r, "|");
			a.is = false;
		} else if (c == '*' || c == '+' || c == '?' || c == '{') {
			fine = repetition(r, &a);
		} else {
			fine = one_atom(r, &a);
		}
		if (!fine)
			return false;
	}
	return true;
}

void rg_syntax_parse(struct rg_syntax *out, struct tsb_heap *heap, const char *p, size_t n,
		     bool unicode)
{
	struct rg_reader *r = heap_zalloc(heap, sizeof(*r));

	*out = (struct rg_syntax){ .has_posix = true, .any_text = true };
	str_init(&out->perl, heap, STR_MAX_DEFAULT);
	str_init(&out->posix, heap, STR_MAX_DEFAULT);
	*r = (struct rg_reader){ .p = p, .n = n, .out = out, .unicode = unicode };
	if (alternation(r) && r->i < n)
		rg_fail(r, "unopened group", r->i, r->i + 1);
	heap_free(heap, r);
}
