/*
 * Formats of the user: what is printed for groups of lines and for lines
 * (--GTYPE-group-format, --LTYPE-line-format), and -D, which is one of them.
 * A specification that is none stands for itself.
 */
#include "cmd/diff.h"

#include <string.h>

#include "base/num.h"
#include "cmd/spec.h"

#define IFDEF_DEPTH 100		/* of %( within %( */

/* The group of lines that is printed. */
struct group {
	size_t from[2], to[2];
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The number behind a letter; false: it has none. */
static bool group_value(const struct group *g, char letter, int64_t *v)
{
	int f = letter >= 'A' && letter <= 'Z' ? 1 : 0;
	int64_t from = (int64_t)g->from[f] + 1, to = (int64_t)g->to[f] + 1;

	switch (f ? letter - 'A' + 'a' : letter) {
	case 'e':
		*v = from - 1;
		return true;
	case 'f':
		*v = from;
		return true;
	case 'l':
		*v = to - 1;
		return true;
	case 'm':
		*v = to;
		return true;
	case 'n':
		*v = to - from;
		return true;
	default:
		return false;
	}
}

/* c'x' or c'\101' with s behind the first quote: what is behind the last one. */
static const char *char_literal(const char *s, char *value)
{
	size_t digits;
	unsigned v = 0;

	if (*s != '\\') {
		*value = *s;
		return *s && *s != '\'' && s[1] == '\'' ? s + 2 : NULL;
	}
	s++;
	digits = strspn(s, "01234567");
	if (digits < 1 || digits > 3 || s[digits] != '\'')
		return NULL;
	for (size_t i = 0; i < digits; i++)
		v = v * 8 + (unsigned)(s[i] - '0');
	*value = (char)v;
	return s + digits + 1;
}

/* Prints v by the printf-like flags and widths of [spec, end). */
static void put_number(struct diff_cmd *d, const char *spec, char conversion, int64_t v)
{
	struct spec how = { 0 };
	struct str s;

	spec_parse(&how, spec);
	str_init(&s, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	if (conversion == 'd')
		spec_signed(&s, &how, v);
	else if (conversion == 'o')
		spec_octal(&s, &how, (uint64_t)v);
	else
		spec_hex(&s, &how, (uint64_t)v);
	if (conversion == 'X')
		for (size_t i = 0; i < s.n; i++)
			if (s.p[i] >= 'a' && s.p[i] <= 'f')
				s.p[i] = (char)(s.p[i] - 'a' + 'A');
	diff_put(d, s.p, s.n);
	str_end(&s);
}

/*
 * The specification at s (behind the %): what is behind it, NULL if it is none.
 * The number is a group's by its letter, or the line's for n.
 */
static const char *format_spec(struct diff_cmd *d, const char *s, const struct group *g,
			       int64_t line, bool show)
{
	const char *flags = s;
	int64_t v = line;
	char value;

	s += strspn(s, "-'0");
	s += strspn(s, "0123456789");
	if (*s == '.')
		s += 1 + strspn(s + 1, "0123456789");
	if (*s == 'c') {
		s = s[1] == '\'' ? char_literal(s + 2, &value) : NULL;
		if (s && show)
			diff_putc(d, value);
		return s;
	}
	if (!*s || !strchr("doxX", *s))
		return NULL;
	if (g ? !group_value(g, s[1], &v) : s[1] != 'n')
		return NULL;
	if (show)
		put_number(d, flags, *s, v);
	return s + 2;
}

/* ---- Lines ---- */

static void format_line(struct diff_cmd *d, const char *format, int f, size_t i)
{
	struct slice line = diff_line_of(d, f, i), text = line;
	const char *end;

	text.n -= line.p[line.n - 1] == '\n';
	while (*format) {
		if (*format != '%') {
			diff_putc(d, *format++);
			continue;
		}
		format++;
		if (*format == 'l' || *format == 'L') {
			diff_put_text(d, *format == 'l' ? text : line, NULL);
			format++;
		} else if (*format == '%') {
			diff_putc(d, '%');
			format++;
		} else if ((end = format_spec(d, format, NULL, (int64_t)i + 1, true))) {
			format = end;
		} else {
			diff_putc(d, '%');
		}
	}
}

static void format_lines(struct diff_cmd *d, const char *format, const struct group *g, int f)
{
	for (size_t i = g->from[f]; i < g->to[f]; i++) {
		format_line(d, format, f, i);
		tsb_tick(d->p, 1);
	}
}

/* ---- Groups ---- */

static const char *format_group(struct diff_cmd *d, const char *s, char end, const struct group *g,
				bool show, int depth);

/* A=B? of %( with s behind the parenthesis: what is behind, NULL: no condition. */
static const char *condition(const char *s, const struct group *g, bool *yes)
{
	int64_t v[2];

	for (int i = 0; i < 2; i++) {
		if (is_digit(*s)) {
			uint64_t n = 0;

			for (; is_digit(*s); s++)
				if (__builtin_mul_overflow(n, 10u, &n) ||
				    __builtin_add_overflow(n, (unsigned)(*s - '0'), &n))
					return NULL;
			v[i] = (int64_t)n;
		} else if (!group_value(g, *s++, &v[i])) {
			return NULL;
		}
		if (*s++ != "=?"[i])
			return NULL;
	}
	*yes = v[0] == v[1];
	return s;
}

/* What is behind the closing parenthesis, NULL if it is no condition. */
static const char *format_choice(struct diff_cmd *d, const char *s, const struct group *g,
				 bool show, int depth)
{
	bool yes;

	s = depth < IFDEF_DEPTH ? condition(s, g, &yes) : NULL;
	if (!s)
		return NULL;
	s = format_group(d, s, ':', g, show && yes, depth + 1);
	if (*s) {
		s = format_group(d, s + 1, ')', g, show && !yes, depth + 1);
		if (*s)
			s++;
	}
	return s;
}

static const char *format_percent(struct diff_cmd *d, const char *s, const struct group *g,
				  bool show, int depth)
{
	const char *behind;

	switch (*s) {
	case '%':
		if (show)
			diff_putc(d, '%');
		return s + 1;
	case '(':
		behind = format_choice(d, s + 1, g, show, depth);
		break;
	case '<':
	case '=':
	case '>':
		if (show)
			format_lines(d, d->line_format[*s == '<' ? 0 : *s == '>' ? 1 : 2], g,
				     *s == '>');
		return s + 1;
	default:
		behind = format_spec(d, s, g, 0, show);
		break;
	}
	if (behind)
		return behind;
	if (show)
		diff_putc(d, '%');
	return s;
}

static const char *format_group(struct diff_cmd *d, const char *s, char end, const struct group *g,
				bool show, int depth)
{
	while (*s && *s != end) {
		if (*s == '%') {
			s = format_percent(d, s + 1, g, show, depth);
			continue;
		}
		if (show)
			diff_putc(d, *s);
		s++;
	}
	return s;
}

static void show_group(struct diff_cmd *d, enum diff_kind kind, size_t to0, size_t to1)
{
	struct group g = { { d->next[0], d->next[1] }, { to0, to1 } };

	d->next[0] = to0;
	d->next[1] = to1;
	diff_begin(d);
	format_group(d, d->group_format[kind], '\0', &g, true, 0);
}

void diff_show_ifdef(struct diff_cmd *d)
{
	const struct diff_file *file = d->d.file;
	struct diff_hunk h = { 0 };

	d->next[0] = d->next[1] = 0;
	while (diff_next_hunk(d, &h)) {
		if (h.kind == DIFF_SAME)
			continue;
		if (d->next[0] < h.first[0] || d->next[1] < h.first[1])
			show_group(d, DIFF_SAME, h.first[0], h.first[1]);
		show_group(d, h.kind, h.end[0], h.end[1]);
	}
	if (d->next[0] < file[0].n || d->next[1] < file[1].n)
		show_group(d, DIFF_SAME, file[0].n, file[1].n);
}
