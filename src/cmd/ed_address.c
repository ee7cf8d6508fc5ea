/*
 * ed's addresses, patterns and the s command.
 */
#include "cmd/ed.h"

#include <string.h>

#include "cmd/util.h"

void ed_blanks(struct ed *e)
{
	while (*e->c == ' ' || *e->c == '\t' || (*e->c >= '\v' && *e->c <= '\r'))
		e->c++;
}

static bool ed_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool ed_number(struct ed *e, int64_t *v)
{
	for (*v = 0; ed_is_digit(*e->c); e->c++) {
		*v = *v * 10 + (*e->c - '0');
		if (*v > INT32_MAX)
			return ed_fail(e, "Number out of range");
	}
	return true;
}

/* ---- Patterns ---- */

/* Past a bracket expression; NULL: it does not end. */
static const char *ed_bracket(const char *c)
{
	c += c[1] == '^' ? 2 : 1;
	c += *c == ']';
	for (; *c != ']'; c++) {
		if (!*c || *c == '\n')
			return NULL;
		if (*c == '[' && c[1] && strchr(".:=", c[1])) {
			char end[] = { c[1], ']', '\0' };
			const char *to = strstr(c + 2, end);

			if (!to)
				return NULL;
			c = to + 1;
		}
	}
	return c;
}

/* The text up to the delimiter or the end of the line. */
static bool ed_pattern_text(struct ed *e, char delimiter, struct str *s)
{
	while (*e->c && *e->c != '\n' && *e->c != delimiter) {
		if (*e->c == '[') {
			const char *end = ed_bracket(e->c);

			if (!end)
				return ed_fail(e, "Unbalanced brackets ([])");
			str_addn(s, e->c, (size_t)(end + 1 - e->c));
			e->c = end + 1;
			continue;
		}
		if (*e->c == '\\') {
			if (!e->c[1] || e->c[1] == '\n')
				return ed_fail(e, "Trailing backslash (\\)");
			if (e->c[1] != delimiter)
				str_addc(s, *e->c);
			e->c++;
		}
		str_addc(s, *e->c++);
	}
	return true;
}

static void ed_tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps / 64 + 1);
}

bool ed_pattern(struct ed *e, bool address, struct regex **re)
{
	char delimiter = *e->c;
	const char *error = NULL;
	unsigned flags = (e->extended ? REGEX_EXTENDED : 0) | (e->utf8 ? REGEX_UTF8 : 0);
	struct str s;

	if (delimiter == ' ' || delimiter == '\n' || delimiter == '\\' || !delimiter)
		return ed_fail(e, delimiter == '\n' || !delimiter ? "Missing pattern delimiter" :
			       "Invalid pattern delimiter");
	e->c++;
	str_init(&s, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	if (!ed_pattern_text(e, delimiter, &s))
		return false;
	if (address && *e->c == delimiter) {
		e->c++;
		if (*e->c == 'I' && s.n) {
			flags |= REGEX_ICASE;
			e->c++;
		}
	}
	*re = e->regex;
	if (!s.n)
		return *re || ed_fail(e, "No previous pattern");
	*re = regex_compile(tsb_heap_of(e->p), s.p, s.n, flags, &error);
	if (!*re)
		return ed_fail(e, error);
	regex_on_tick(*re, ed_tick, e->p);
	e->regex = *re;
	e->source.p = str_take(&s, &e->source.n);
	return true;
}

enum regex_status ed_match(struct ed *e, struct regex *re, const struct ed_line *l, size_t from,
			   struct regex_span *spans, size_t n)
{
	tsb_tick(e->p, l->n / 64 + 1);
	return regex_match(re, l->text, l->n, from, 0, spans, n);
}

/* The next line that matches, around the end; the current one last. */
static int ed_search(struct ed *e, bool forward, size_t *at)
{
	size_t n = e->lines.n, i = e->current;
	struct regex *re;

	if (!ed_pattern(e, true, &re))
		return -1;
	for (size_t k = 0; k < n; k++) {
		i = forward ? (i >= n ? 1 : i + 1) : (i <= 1 ? n : i - 1);
		if (ed_match(e, re, e->lines.at[i - 1], 0, NULL, 0) == REGEX_MATCH) {
			*at = i;
			return 1;
		}
	}
	ed_fail(e, "No match");
	return -1;
}

/* ---- Addresses ---- */

static bool ed_mark_address(struct ed *e, int64_t *v)
{
	int mark = (unsigned char)e->c[1];

	if (mark < 'a' || mark > 'z')
		return ed_fail(e, "Invalid mark character");
	e->c += 2;
	*v = (int64_t)ed_find(e, e->marks[mark - 'a']);
	return *v || ed_fail(e, "Invalid address");
}

/* What stands only at the beginning: 1; 0: no such thing; -1 after an error. */
static int ed_base(struct ed *e, int64_t *v)
{
	size_t at = 0;

	switch (*e->c) {
	case '.':
	case '$':
		*v = (int64_t)(*e->c++ == '.' ? e->current : e->lines.n);
		return 1;
	case '/':
	case '?':
		if (ed_search(e, *e->c == '/', &at) < 0)
			return -1;
		*v = (int64_t)at;
		return 1;
	case '\'':
		return ed_mark_address(e, v) ? 1 : -1;
	default:
		return 0;
	}
}

static bool ed_offset(struct ed *e, int64_t *v)
{
	char sign = *e->c++;
	int64_t n = 1;

	if (ed_is_digit(*e->c) && !ed_number(e, &n))
		return false;
	*v += sign == '+' ? n : -n;
	return true;
}

static int ed_address_end(struct ed *e, int64_t v, size_t *at)
{
	if (v < 0 || v > (int64_t)e->lines.n)
		return ed_fail(e, "Invalid address") - 1;
	*at = (size_t)v;
	return 1;
}

static int ed_second(struct ed *e, int64_t *v)
{
	return ed_is_digit(*e->c) ? (ed_number(e, v) ? 1 : -1) : ed_base(e, v);
}

int ed_address(struct ed *e, size_t *at)
{
	int64_t v = (int64_t)e->current, n;
	bool first = true;
	const char *start;

	ed_blanks(e);
	start = e->c;
	for (;; first = false) {
		int r = first ? ed_base(e, &v) : strchr("./$?'", *e->c) && *e->c ? -2 : 0;

		tsb_tick(e->p, 1);
		if (r == -2)
			return ed_fail(e, "Invalid address") - 1;
		if (r < 0)
			return -1;
		if (r)
			continue;
		if (ed_is_digit(*e->c)) {
			if (!ed_number(e, &n))
				return -1;
			v = first ? n : v + n;
		} else if (*e->c == ' ' || *e->c == '\t') {
			ed_blanks(e);
		} else if (*e->c == '+' || *e->c == '-') {
			if (!ed_offset(e, &v))
				return -1;
		} else if (first && strchr("%,;", *e->c) && *e->c) {
			/* The first of two is not written; the second may be. */
			e->n_addresses++;
			e->second = *e->c++ == ';' ? e->current : 1;
			ed_blanks(e);
			if (!*e->c || !strchr("0123456789.$/?'+-", *e->c))
				v = (int64_t)e->lines.n;
			else if (*e->c != '+' && *e->c != '-' && (r = ed_second(e, &v)) < 0)
				return -1;
		} else {
			return e->c == start ? 0 : ed_address_end(e, v, at);
		}
	}
}

bool ed_addresses(struct ed *e)
{
	size_t at = 0;
	int r;

	e->first = e->second = e->current;
	e->n_addresses = 0;
	while ((r = ed_address(e, &at)) > 0) {
		e->n_addresses++;
		e->first = e->second;
		e->second = at;
		if (*e->c != ',' && *e->c != ';' && *e->c != '%')
			break;
		if (*e->c++ == ';')
			e->current = at;
	}
	if (r < 0)
		return false;
	/* One, or none behind the last comma. */
	if (e->n_addresses == 1 || !r)
		e->first = e->second;
	return true;
}

bool ed_range(struct ed *e, size_t first, size_t second)
{
	if (!e->n_addresses) {
		e->first = first;
		e->second = second;
	}
	if (e->first < 1 || e->first > e->second || e->second > e->lines.n)
		return ed_fail(e, "Invalid address");
	return true;
}

bool ed_suffix(struct ed *e, unsigned *how)
{
	for (;; e->c++) {
		if (*e->c == 'p')
			*how |= ED_PRINT;
		else if (*e->c == 'l')
			*how |= ED_LIST;
		else if (*e->c == 'n')
			*how |= ED_NUMBER;
		else
			break;
	}
	if (*e->c != '\n' && *e->c)
		return ed_fail(e, "Invalid command suffix");
	e->c += *e->c == '\n';
	return true;
}

/* ---- s ---- */

static bool ed_replacement(struct ed *e, char delimiter)
{
	struct str s;

	if (*e->c == '%' && (e->c[1] == delimiter || e->c[1] == '\n' || !e->c[1])) {
		e->c++;
		return e->has_replacement || ed_fail(e, "No previous substitution");
	}
	str_init(&s, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	while (*e->c && *e->c != delimiter && *e->c != '\n') {
		if (*e->c == '\\' && e->c[1]) {
			if (e->c[1] == '\n' || e->c[1] != delimiter)
				str_addc(&s, *e->c);
			e->c++;
			if (*e->c == '\n' && !e->c[1] && !e->list) {
				char *line;
				size_t n;

				str_addc(&s, '\n');
				if (!ed_read(e, &line, &n))
					return ed_fail(e, "Unexpected end-of-file");
				e->c = tsb_strndup(e->p, line, n);
				continue;
			}
		}
		str_addc(&s, *e->c++);
	}
	e->replacement.p = str_take(&s, &e->replacement.n);
	e->has_replacement = true;
	return true;
}

/* s/x/y/i: the pattern once more, without regard to case. */
static bool ed_icase(struct ed *e)
{
	const char *error = NULL;
	unsigned flags = REGEX_ICASE | (e->extended ? REGEX_EXTENDED : 0) | (e->utf8 ? REGEX_UTF8 : 0);

	e->regex = regex_compile(tsb_heap_of(e->p), e->source.p, e->source.n, flags, &error);
	if (!e->regex)
		return ed_fail(e, error);
	regex_on_tick(e->regex, ed_tick, e->p);
	return true;
}

/* Behind the last delimiter: g or a number, p; then as ed_suffix(). */
static bool ed_sub_flags(struct ed *e, unsigned *how)
{
	int64_t n;

	e->sub_global = false;
	e->sub_count = 1;
	e->sub_print = 0;
	for (bool counted = false, folded = false;; ) {
		if (*e->c >= '1' && *e->c <= '9' && !counted) {
			if (!ed_number(e, &n))
				return false;
			e->sub_count = (uint64_t)n;
			counted = true;
		} else if (*e->c == 'g' && !counted) {
			e->sub_global = counted = true;
			e->c++;
		} else if ((*e->c == 'i' || *e->c == 'I') && !folded) {
			e->c++;
			folded = true;
			if (!ed_icase(e))
				return false;
		} else {
			break;
		}
	}
	if (*e->c == 'p') {
		e->sub_print = ED_PRINT;
		*how |= ED_PRINT;
		e->c++;
		if (*e->c == 'p')
			return ed_fail(e, "Invalid command suffix");
	}
	return true;
}

/* "s", "sg", "sp", "s3": the last one again. */
static bool ed_sub_again(struct ed *e, unsigned *how)
{
	int64_t n;

	if (!e->lines.n)
		return ed_fail(e, "Invalid address");
	if (!e->sub_done)
		return ed_fail(e, e->c[0] && e->c[1] && e->c[0] == e->c[1] && e->c[0] != '\n' ?
			       "Invalid command suffix" : "No previous substitution");
	for (; *e->c && *e->c != '\n'; e->c++) {
		if (*e->c == 'g') {
			e->sub_global = !e->sub_global;
		} else if (*e->c == 'p') {
			e->sub_print ^= ED_PRINT;
		} else if (*e->c >= '1' && *e->c <= '9') {
			if (!ed_number(e, &n))
				return false;
			e->sub_count = (uint64_t)n;
			e->c--;
		} else if (*e->c != 'r') {
			return ed_fail(e, "Invalid command suffix");
		}
	}
	*how |= e->sub_print;
	return true;
}

static void ed_expand(struct ed *e, struct str *out, const struct ed_line *l,
		      const struct regex_span *m)
{
	const char *r = e->replacement.p, *end = r + e->replacement.n;

	for (; r < end; r++) {
		const struct regex_span *s = NULL;

		if (*r == '&') {
			s = m;
		} else if (*r == '\\' && r + 1 < end) {
			r++;
			if (*r >= '1' && *r <= '9')
				s = m + (*r - '0');
		}
		if (!s)
			str_addc(out, *r);
		else if (s->so != REGEX_NONE)
			str_addn(out, l->text + s->so, s->eo - s->so);
	}
}

/* What is behind a match is searched as a text of its own: a match of nothing is found, and
 * counts, again and again; replaced everywhere it would have no end. 1: changed; -1: an error. */
static int ed_replace(struct ed *e, const struct ed_line *l, struct str *out)
{
	struct ed_line rest = *l;
	struct regex_span m[10];
	uint64_t count = 0;
	unsigned flags = 0;
	bool changed = false, nothing = false;

	while (regex_match(e->regex, rest.text, rest.n, 0, flags, m, 10) == REGEX_MATCH) {
		bool wanted = e->sub_global || ++count == e->sub_count;

		tsb_tick(e->p, rest.n / 64 + 1);
		str_addn(out, rest.text, wanted ? m[0].so : m[0].eo);
		if (wanted) {
			if (nothing && !m[0].eo)
				return ed_fail(e, "Infinite substitution loop") - 1;
			ed_expand(e, out, &rest, m);
			changed = true;
			nothing = !m[0].eo;
		}
		rest.text += m[0].eo;
		rest.n -= m[0].eo;
		flags = REGEX_NOTBOL;
		if (!rest.n || (changed && !e->sub_global))
			break;
	}
	str_addn(out, rest.text, rest.n);
	return changed;
}

/* The new text may be several lines. */
static void ed_put_new(struct ed *e, size_t at, const struct str *s)
{
	const char *from = s->p, *end = s->p + s->n;
	size_t after = at - 1;

	ed_delete(e, at, at);
	for (;;) {
		const char *nl = memchr(from, '\n', (size_t)(end - from));
		struct ed_line *l = ed_new_line(e, from, (size_t)((nl ? nl : end) - from));

		ed_insert(e, after++, &l, 1);
		if (!nl)
			break;
		from = nl + 1;
	}
}

static bool ed_sub_lines(struct ed *e)
{
	size_t last = e->second, found = 0;
	struct str s;

	str_init(&s, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	for (size_t i = e->first; i <= last; i++) {
		size_t before = e->lines.n;
		int r;

		str_reset(&s);
		r = ed_replace(e, e->lines.at[i - 1], &s);
		if (r < 0)
			return false;
		if (!r)
			continue;
		ed_put_new(e, i, &s);
		i += e->lines.n - before;
		last += e->lines.n - before;
		found = i;
	}
	str_end(&s);
	if (found)
		e->current = found;
	return found || e->global || ed_fail(e, "No match");
}

bool ed_substitute(struct ed *e, unsigned *how)
{
	char delimiter = *e->c;
	struct regex *re;

	if (delimiter == '\n' || !delimiter || strchr("gpr123456789", delimiter)) {
		if (!ed_sub_again(e, how))
			return false;
	} else {
		if (!ed_pattern(e, false, &re))
			return false;
		if (*e->c != delimiter)
			return ed_fail(e, "Missing pattern delimiter");
		e->c++;
		if (!ed_replacement(e, delimiter))
			return false;
		if (*e->c == delimiter) {
			e->c++;
			if (!ed_sub_flags(e, how))
				return false;
		} else {
			e->sub_global = false;
			e->sub_count = 1;
			*how |= ED_PRINT;
		}
		e->sub_done = true;
	}
	if (!ed_range(e, e->current, e->current) || !ed_suffix(e, how))
		return false;
	if (!e->global)
		ed_snapshot(e);
	return ed_sub_lines(e);
}
