/*
 * What csplit is told: patterns with repeat counts, and the format of names.
 */
#include "cmd/csplit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cmd/locale.h"
#include "cmd/quote.h"
#include "text/format.h"
#include "text/regex.h"

enum { CSPLIT_NAME_MAX = 1 << 20 };	/* no name can be so long */

static int csplit_bad(struct csplit *c, const char *what, const char *message)
{
	tsb_warn(c->p, "%s%s", quote_text(c->p, what), message);
	return 1;
}

static void csplit_tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps / 16 + 1);
}

/* /REGEXP/OFFSET or %REGEXP%OFFSET */
static int csplit_regexp(struct csplit *c, struct csplit_step *step, const char *text)
{
	const char *end = strrchr(text + 1, *text), *error = NULL;

	if (!end) {
		tsb_warn(c->p, "%s: closing delimiter '%c' missing", text, *text);
		return 1;
	}
	step->skip = *text == '%';
	step->re = regex_compile(tsb_heap_of(c->p), text + 1, (size_t)(end - text - 1),
				 locale_utf8(c->p) ? REGEX_UTF8 : 0, &error);
	if (!step->re) {
		tsb_warn(c->p, "%s: invalid regular expression: %s", quote_text(c->p, text), error);
		return 1;
	}
	regex_on_tick(step->re, csplit_tick, c->p);
	end += 1 + strspn(end + 1, " \t\n\v\f\r");
	if (*end && num_i64(end, &step->offset) != NUM_OK)
		return csplit_bad(c, text, ": integer expected after delimiter");
	return 0;
}

static int csplit_line_number(struct csplit *c, struct csplit_step *step, const char *text,
			      uint64_t *last)
{
	if (num_suffixed(text, "", &step->line) != NUM_OK)
		return csplit_bad(c, text, ": invalid pattern");
	if (!step->line) {
		tsb_warn(c->p, "%s: line number must be greater than zero", text);
		return 1;
	}
	if (step->line < *last) {
		tsb_warn(c->p, "line number %s is smaller than preceding line number, %llu",
			 quote_text(c->p, text), (unsigned long long)*last);
		return 1;
	}
	if (step->line == *last)
		tsb_warn(c->p, "warning: line number %s is the same as preceding line number",
			 quote_text(c->p, text));
	*last = step->line;
	return 0;
}

/* {N} or {*} */
static int csplit_repeat(struct csplit *c, struct csplit_step *step, const char *text)
{
	size_t n = strlen(text);
	const char *inner;

	if (text[n - 1] != '}')
		return csplit_bad(c, text, ": '}' is required in repeat count");
	inner = tsb_strndup(c->p, text + 1, n > 1 ? n - 2 : 0);
	step->for_ever = !strcmp(inner, "*");
	if (step->for_ever || num_suffixed(inner, "", &step->repeat) == NUM_OK)
		return 0;
	return csplit_bad(c, tsb_strndup(c->p, text, n - 1),
			  "}: integer required between '{' and '}'");
}

int csplit_patterns(struct csplit *c, int argc, char **argv)
{
	uint64_t last = 0;
	int status;

	for (int i = 0; i < argc; i++) {
		struct csplit_step *step = vec_add(tsb_heap_of(c->p), &c->steps);

		step->text = argv[i];
		if (*argv[i] == '/' || *argv[i] == '%')
			status = csplit_regexp(c, step, argv[i]);
		else
			status = csplit_line_number(c, step, argv[i], &last);
		if (!status && i + 1 < argc && argv[i + 1][0] == '{')
			status = csplit_repeat(c, step, argv[++i]);
		if (status)
			return status;
	}
	return 0;
}

/* ---- Names ---- */

/* The conversion at s (behind %): 0 or the exit status; *end is behind it. */
static int csplit_conversion(struct csplit *c, const char *s, const char **end)
{
	bool group = false, alt = false;
	char bad;

	for (; *s && strchr("-0'#", *s); s++) {
		group |= *s == '\'';
		alt |= *s == '#';
	}
	s += strspn(s, "0123456789");
	if (*s == '.')
		s += 1 + strspn(s + 1, "0123456789");
	*end = s + (*s != '\0');
	if (*s && strchr("diu", *s))
		bad = alt ? '#' : '\0';
	else if (*s && strchr("oxX", *s))
		bad = group ? '\'' : '\0';
	else {
		if (!*s)
			tsb_warn(c->p, "missing conversion specifier in suffix");
		else if (*s >= ' ' && *s <= '~')
			tsb_warn(c->p, "invalid conversion specifier in suffix: %c", *s);
		else
			tsb_warn(c->p, "invalid conversion specifier in suffix: \\%.3o",
				 (unsigned)(unsigned char)*s);
		return 1;
	}
	if (bad)
		tsb_warn(c->p, "invalid flags in conversion specification: %%%c%c", bad, *s);
	return bad != '\0';
}

int csplit_check_suffix(struct csplit *c)
{
	const char *s = c->suffix;
	bool found = false;

	if (!s)
		return 0;
	while (*s) {
		if (*s++ != '%')
			continue;
		if (*s == '%') {
			s++;
			continue;
		}
		if (found) {
			tsb_warn(c->p, "too many %% conversion specifications in suffix");
			return 1;
		}
		found = true;
		if (csplit_conversion(c, s, &s))
			return 1;
	}
	if (!found)
		tsb_warn(c->p, "missing %% conversion specification in suffix");
	return !found;
}

static int csplit_digits(const char **s)
{
	int v = 0;

	for (; **s >= '0' && **s <= '9'; ++*s)
		v = v < CSPLIT_NAME_MAX ? v * 10 + (**s - '0') : v;
	return v;
}

static void csplit_suffix(struct csplit *c, struct str *out, uint64_t n)
{
	for (const char *s = c->suffix; *s; s++) {
		struct format_spec spec = { .precision = -1 };

		if (*s != '%' || s[1] == '%') {
			s += *s == '%';
			str_addc(out, *s);
			continue;
		}
		for (s++; strchr("-0'#", *s); s++) {
			spec.minus |= *s == '-';
			spec.zero |= *s == '0';
			spec.alt |= *s == '#';
		}
		spec.width = csplit_digits(&s);
		if (*s == '.') {
			s++;
			spec.precision = csplit_digits(&s);
		}
		spec.conv = *s == 'u' ? 'd' : *s;
		if (spec.width >= CSPLIT_NAME_MAX || spec.precision >= CSPLIT_NAME_MAX) {
			tsb_warn(c->p, "memory exhausted");
			tsb_exit(c->p, 1);
		}
		format_int(out, &spec, n, false);
	}
}

const char *csplit_name(struct csplit *c, uint64_t n)
{
	struct format_spec spec = { .zero = true, .precision = -1, .conv = 'd' };
	struct str name;

	str_init(&name, tsb_heap_of(c->p), STR_MAX_DEFAULT);
	str_adds(&name, c->prefix ? c->prefix : "xx");
	if (c->suffix) {
		csplit_suffix(c, &name, n);
	} else {
		spec.width = c->digits < CSPLIT_NAME_MAX ? (int)c->digits : CSPLIT_NAME_MAX;
		format_int(&name, &spec, n, false);
	}
	return str_take(&name, NULL);
}
