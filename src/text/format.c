/*
 * One directive at a time: integers by hand, floats through the C library (one
 * conversion of a bounded precision, in the C locale of this thread only), then
 * width, sign and zeros here, so that a width of two thousand million is the
 * string's problem and not a buffer's.
 */
#include "text/format.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Beyond this a long double has nothing but zeros left. */
enum { PRECISION_MAX = 16500 };

static void pad(struct str *out, int byte, int width, size_t used)
{
	if (width > 0 && (size_t)width > used)
		str_fill(out, byte, (size_t)width - used);
}

void format_text(struct str *out, const struct format_spec *spec, const char *s, size_t n)
{
	if (spec->precision >= 0 && (size_t)spec->precision < n)
		n = (size_t)spec->precision;
	if (!spec->minus)
		pad(out, ' ', spec->width, n);
	str_addn(out, s, n);
	if (spec->minus)
		pad(out, ' ', spec->width, n);
}

/* Digits into the end of buf; their start. */
static char *digits_of(char *end, uint64_t v, char conv)
{
	const char *digits = conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned base = conv == 'o' ? 8 : conv == 'x' || conv == 'X' ? 16 : 10;

	for (; v; v /= base)
		*--end = digits[v % base];
	return end;
}

/* What stands in front of zeros: sign or 0x. */
static const char *int_prefix(const struct format_spec *spec, uint64_t v, bool negative)
{
	if (spec->conv == 'd' || spec->conv == 'i')
		return negative ? "-" : spec->plus ? "+" : spec->space ? " " : "";
	if (spec->alt && v && (spec->conv == 'x' || spec->conv == 'X'))
		return spec->conv == 'x' ? "0x" : "0X";
	return "";
}

void format_int(struct str *out, const struct format_spec *spec, uint64_t magnitude, bool negative)
{
	char buf[72], *end = buf + sizeof(buf);
	const char *prefix = int_prefix(spec, magnitude, negative);
	char *start = digits_of(end, magnitude, spec->conv);
	size_t n = (size_t)(end - start), least = spec->precision < 0 ? 1 : (size_t)spec->precision;
	size_t zeros = n < least ? least - n : 0, used;

	if (spec->alt && spec->conv == 'o' && !zeros)
		zeros = 1;
	used = n + zeros + strlen(prefix);
	if (spec->zero && !spec->minus && spec->precision < 0 && spec->width > 0 &&
	    (size_t)spec->width > used) {
		zeros += (size_t)spec->width - used;
		used = (size_t)spec->width;
	}
	if (!spec->minus)
		pad(out, ' ', spec->width, used);
	str_adds(out, prefix);
	str_fill(out, '0', zeros);
	str_addn(out, start, n);
	if (spec->minus)
		pad(out, ' ', spec->width, used);
}

/* The number with sign but without width, in the C locale. */
static void float_digits(struct str *out, const struct format_spec *spec, long double v)
{
	char fmt[16], *f = fmt;
	locale_t c = newlocale(LC_ALL_MASK, "C", NULL), old = c ? uselocale(c) : NULL;
	int precision = spec->precision > PRECISION_MAX ? PRECISION_MAX : spec->precision;

	*f++ = '%';
	if (spec->plus)
		*f++ = '+';
	if (spec->space)
		*f++ = ' ';
	if (spec->alt)
		*f++ = '#';
	if (precision >= 0) {
		*f++ = '.';
		*f++ = '*';
	}
	if (!spec->narrow)
		*f++ = 'L';
	*f++ = spec->conv;
	*f = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (spec->narrow && precision >= 0)
		str_addf(out, fmt, precision, (double)v);
	else if (spec->narrow)
		str_addf(out, fmt, (double)v);
	else if (precision >= 0)
		str_addf(out, fmt, precision, v);
	else
		str_addf(out, fmt, v);
#pragma GCC diagnostic pop
	if (c) {
		uselocale(old);
		freelocale(c);
	}
}

/* Zeros that the bounded precision left out: before the exponent. */
static void missing_zeros(struct str *num, const struct format_spec *spec)
{
	size_t at = strcspn(num->p, "eEpP"), more;

	if (spec->precision <= PRECISION_MAX || !strchr("eEfFaA", spec->conv) ||
	    !strpbrk(num->p, "0123456789"))
		return;
	if (strchr("fF", spec->conv))
		at = num->n;
	more = (size_t)(spec->precision - PRECISION_MAX);
	struct str tail;
	str_init(&tail, num->heap, num->max);
	str_addn(&tail, num->p + at, num->n - at);
	str_cut(num, at);
	str_fill(num, '0', more);
	str_addslice(num, str_slice(&tail));
	str_end(&tail);
}

/* A number in its width: zeros go behind its sign and its 0x. */
static void place(struct str *out, const struct format_spec *spec, bool finite, struct slice num)
{
	size_t sign = num.n && strchr("+- ", num.p[0]) ? 1 : 0;

	if (spec->minus) {
		str_addslice(out, num);
		pad(out, ' ', spec->width, num.n);
	} else if (spec->zero && finite) {
		if (num.n > sign + 1 && num.p[sign] == '0' && (num.p[sign + 1] | 32) == 'x')
			sign += 2;
		str_addn(out, num.p, sign);
		pad(out, '0', spec->width, num.n);
		str_addn(out, num.p + sign, num.n - sign);
	} else {
		pad(out, ' ', spec->width, num.n);
		str_addslice(out, num);
	}
}

void format_float(struct str *out, const struct format_spec *spec, long double v)
{
	char buf[FORMAT_QUICK_MAX];
	size_t n = format_quick(buf, spec, v);
	struct str num;

	if (n) {
		place(out, spec, true, (struct slice){ buf, n });
		return;
	}
	str_init(&num, out->heap, out->max);
	float_digits(&num, spec, v);
	missing_zeros(&num, spec);
	if (num.bad)
		out->bad = true;
	place(out, spec, v - v == 0, str_slice(&num));
	str_end(&num);
}

/* 'A and "A; the character's code, or that of an invalid byte. */
static bool parse_character(const char *s, bool bytes, uint32_t *code, const char **end)
{
	int32_t c;

	if (*s != '\'' && *s != '"')
		return false;
	s++;
	if (!*s) {
		*code = 0;
		*end = s;
		return true;
	}
	*end = s + utf8_decode(s, bytes ? 1 : strlen(s), &c);
	*code = c < 0 ? (unsigned char)*s : (uint32_t)c;
	return true;
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

/* Digits of base 10, 8 (0) or 16 (0x); their end, s if there are none. By hand,
 * because newer C libraries also take 0b. */
static const char *parse_digits(const char *s, uint64_t *v, bool *overflow)
{
	int base = s[0] != '0' ? 10 : (s[1] | 32) == 'x' && digit_of(s[2]) < 16 ? 16 : 8;

	if (base == 16)
		s += 2;
	for (*v = 0; digit_of(*s) < base; s++)
		*overflow |= __builtin_mul_overflow(*v, (uint64_t)base, v) ||
			     __builtin_add_overflow(*v, (uint64_t)digit_of(*s), v);
	return s;
}

enum format_parsed format_parse_int(const char *s, bool is_signed, bool bytes, uint64_t *magnitude,
				    bool *negative, const char **end)
{
	bool overflow = false;
	uint32_t code;
	const char *p = s;

	*negative = false;
	if (parse_character(s, bytes, &code, end)) {
		*magnitude = code;
		return FORMAT_CHARACTER;
	}
	p += strspn(p, " \t\n\v\f\r");
	*negative = *p == '-';
	p += *p == '-' || *p == '+';
	*end = parse_digits(p, magnitude, &overflow);
	if (*end == p) {
		*negative = false;
		*end = s;
		return *s ? FORMAT_NOT_A_NUMBER : FORMAT_NUMBER;
	}
	if (!*magnitude)
		*negative = false;
	if (is_signed && *magnitude > (uint64_t)INT64_MAX + *negative)
		overflow = true;
	if (overflow)
		*magnitude = is_signed ? (uint64_t)INT64_MAX + *negative : UINT64_MAX;
	if (!is_signed && *negative) {
		*magnitude = overflow ? UINT64_MAX : -*magnitude;
		*negative = false;
	}
	return overflow ? FORMAT_RANGE : **end ? FORMAT_TRAILING : FORMAT_NUMBER;
}

enum format_parsed format_parse_float(const char *s, bool bytes, long double *v, const char **end)
{
	locale_t c, old;
	uint32_t code;
	char *stop;
	int err;

	if (parse_character(s, bytes, &code, end)) {
		*v = code;
		return FORMAT_CHARACTER;
	}
	c = newlocale(LC_ALL_MASK, "C", NULL);
	old = c ? uselocale(c) : NULL;
	errno = 0;
	*v = strtold(s, &stop);
	err = errno;
	if (c) {
		uselocale(old);
		freelocale(c);
	}
	*end = stop;
	if (err == ERANGE)
		return FORMAT_RANGE;
	return stop == s ? *s ? FORMAT_NOT_A_NUMBER : FORMAT_NUMBER :
	       *stop ? FORMAT_TRAILING : FORMAT_NUMBER;
}
