/*
 * Numbers of numfmt. They are long doubles, so of 18 digits; what has more is
 * read with a loss, and what has more than 27 not at all.
 */
#include "cmd/numfmt.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/quote.h"
#include "text/format.h"

static const char numfmt_letters[] = "KMGTPEZY";

static bool numfmt_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static long double numfmt_raise(unsigned base, size_t power)
{
	long double v = 1;

	while (power--)
		v *= base;
	return v;
}

/* ---- Reading ---- */

static enum numfmt_result numfmt_digits(const char **s, long double *value, bool *negative)
{
	enum numfmt_result r = NUMFMT_OK;
	unsigned digits = 0;
	const char *start;

	*negative = **s == '-';
	*s += *negative;
	*value = 0;
	for (start = *s; numfmt_is_digit(**s); ++*s) {
		digits += digits || **s != '0';
		if (digits > NUMFMT_EXACT_DIGITS)
			r = NUMFMT_LOSS;
		if (digits > NUMFMT_MOST_DIGITS)
			return NUMFMT_TOO_LARGE;
		*value = *value * 10 + (**s - '0');
	}
	if (*s == start && **s != '.')
		return NUMFMT_NO_NUMBER;
	if (*negative)
		*value = -*value;
	return r;
}

static enum numfmt_result numfmt_decimal(const char **s, long double *value, size_t *precision)
{
	bool negative, negative_fraction;
	enum numfmt_result r = numfmt_digits(s, value, &negative), r2;
	long double fraction;
	const char *point;

	if (r > NUMFMT_LOSS || **s != '.')
		return r;
	point = ++*s;
	r2 = numfmt_digits(s, &fraction, &negative_fraction);
	if (r2 > NUMFMT_LOSS)
		return r2;
	if (negative_fraction)
		return NUMFMT_NO_NUMBER;
	*precision = (size_t)(*s - point);
	fraction /= numfmt_raise(10, *precision);
	*value = negative ? *value - fraction : *value + fraction;
	return r2 == NUMFMT_LOSS ? r2 : r;
}

enum numfmt_result numfmt_read(const char *s, int scale, long double *value, size_t *precision,
			       const char **end)
{
	unsigned base = scale == NUMFMT_IEC || scale == NUMFMT_IEC_I ? 1024 : 1000;
	enum numfmt_result r;
	const char *letter;

	*end = s;
	*precision = 0;
	r = numfmt_decimal(end, value, precision);
	if (r > NUMFMT_LOSS)
		return r;
	*end += strspn(*end, " \t");
	letter = **end ? strchr(numfmt_letters, **end) : NULL;
	if (**end && !letter)
		return NUMFMT_BAD_SUFFIX;
	if (letter && scale == NUMFMT_NONE)
		return NUMFMT_FORBIDDEN;
	if (letter) {
		++*end;
		*precision = 0;
	}
	if (letter && scale == NUMFMT_AUTO && **end == 'i') {
		base = 1024;
		++*end;
	}
	/* Even where no unit is. */
	if (scale == NUMFMT_IEC_I && **end != 'i')
		return NUMFMT_NO_I;
	*end += scale == NUMFMT_IEC_I;
	if (letter)
		*value *= numfmt_raise(base, (size_t)(letter - numfmt_letters) + 1);
	return r;
}

/* ---- Writing ---- */

unsigned numfmt_power(long double *v, unsigned base)
{
	unsigned power = 0;

	while ((*v >= base || *v <= -(long double)base) && power < 20000) {
		*v /= base;
		power++;
	}
	return power;
}

static int64_t numfmt_round_small(long double v, int how)
{
	int64_t whole = (int64_t)v;

	switch (how) {
	case NUMFMT_UP:
		return whole + (whole < v);
	case NUMFMT_DOWN:
		return whole - (whole > v);
	case NUMFMT_FROM_ZERO:
		return v < 0 ? whole - (whole > v) : whole + (whole < v);
	case NUMFMT_NEAREST:
		return (int64_t)(v < 0 ? v - 0.5L : v + 0.5L);
	default:
		return whole;
	}
}

/* In two parts, so that what is larger than an integer keeps its digits. */
static long double numfmt_round(long double v, int how)
{
	long double limit = (long double)INT64_MAX;
	int64_t times;

	if (v < limit && v > -limit)
		return (long double)numfmt_round_small(v, how);
	if (v / limit >= limit || v / limit <= -limit)
		return v;
	times = (int64_t)(v / limit);
	v -= limit * times;
	return limit * times + (long double)numfmt_round_small(v, how);
}

static long double numfmt_round_at(long double v, size_t digits, int how)
{
	long double shift = numfmt_raise(10, digits);

	if (!digits)
		return numfmt_round(v, how);
	return numfmt_round(v * shift, how) / shift;
}

static void numfmt_put(const struct numfmt *n, struct str *out, long double v, size_t precision)
{
	struct format_spec spec = { .conv = 'f' };

	spec.precision = precision < INT_MAX ? (int)precision : INT_MAX;
	spec.zero = n->zero_width > 0;
	spec.width = n->zero_width < INT_MAX ? (int)n->zero_width : INT_MAX;
	format_float(out, &spec, v);
}

void numfmt_write(const struct numfmt *n, struct str *out, long double v, size_t precision)
{
	unsigned base = n->to == NUMFMT_SI ? 1000 : 1024, power;
	size_t digits = 0;
	long double size;

	if (n->to == NUMFMT_NONE) {
		numfmt_put(n, out, numfmt_round_at(v, precision, n->round), precision);
		return;
	}
	power = numfmt_power(&v, base);
	size = v < 0 ? -v : v;
	if (n->precision >= 0)
		digits = power * 3 < (uint64_t)n->precision ? power * 3 : (size_t)n->precision;
	else if (size < 10)
		digits = 1;
	v = numfmt_round_at(v, digits, n->round);
	size = v < 0 ? -v : v;
	if (size >= base) {
		v /= base;
		size /= base;
		power++;
	}
	if (n->precision >= 0)
		digits = (size_t)n->precision;
	else
		digits = size > 0 && size < 10 && power > 0;
	numfmt_put(n, out, v, digits);
	if (!power)
		return;
	str_addc(out, numfmt_letters[power <= 8 ? power - 1 : 7]);
	if (n->to == NUMFMT_IEC_I)
		str_addc(out, 'i');
}

/* ---- The format ---- */

static int numfmt_bad_format(struct numfmt *n, const char *before, const char *after)
{
	tsb_warn(n->p, "%s %s%s", before, quote_text(n->p, n->format), after);
	return 1;
}

/* Width and precision at s; NULL after a message. */
static const char *numfmt_format_numbers(struct numfmt *n, const char *s, bool zero)
{
	char *end;
	long width;

	errno = 0;
	width = strtol(s, &end, 10);
	if (errno == ERANGE || width < -LONG_MAX) {
		numfmt_bad_format(n, "invalid format", " (width overflow)");
		return NULL;
	}
	if (n->debug && width && n->padding && !(zero && width > 0))
		tsb_warn(n->p, "--format padding overriding --padding");
	if (width < 0)
		n->left = true;
	if (width > 0 && zero)
		n->zero_width = (uint64_t)width;
	else if (width)
		n->padding = width < 0 ? 0 - (uint64_t)width : (uint64_t)width;
	s = end;
	if (!*s) {
		numfmt_bad_format(n, "format", " ends in %");
		return NULL;
	}
	if (*s != '.')
		return s;
	s++;
	n->precision = strtol(s, &end, 10);
	if (errno == ERANGE || n->precision < 0 || *s == ' ' || *s == '\t' || *s == '+') {
		numfmt_bad_format(n, "invalid precision in format", "");
		return NULL;
	}
	return end;
}

int numfmt_format(struct numfmt *n)
{
	const char *s = n->format;
	size_t before = 0;
	bool zero = false;

	for (; !(*s == '%' && s[1] != '%'); s += (*s == '%') + 1) {
		if (!*s)
			return numfmt_bad_format(n, "format", " has no % directive");
		before++;
	}
	for (s += 1 + strspn(s + 1, " "); *s == '\'' || *s == '0'; s += 1 + strspn(s + 1, " ")) {
		n->grouping |= *s == '\'';
		zero |= *s == '0';
	}
	s = numfmt_format_numbers(n, s, zero);
	if (!s)
		return 1;
	if (*s != 'f')
		return numfmt_bad_format(n, "invalid format",
					 ", directive must be %[0]['][-][N][.][N]f");
	n->behind = ++s;
	for (; *s; s += (*s == '%') + 1)
		if (*s == '%' && s[1] != '%')
			return numfmt_bad_format(n, "format", " has too many % directives");
	/* A doubled % counts once in the length, so the text is cut, as GNU's is. */
	n->prefix = tsb_strndup(n->p, n->format, before);
	return 0;
}
