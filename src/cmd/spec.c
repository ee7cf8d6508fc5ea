/*
 * Conversions at run time. Numbers become a prefix (sign, 0, 0x) and digits;
 * one function pads both as C's printf does. A width is only ever added to a
 * string with a maximum, so a huge one costs no more than that.
 */
#include "cmd/spec.h"

#include <string.h>

enum { SPEC_BIG = 1 << 30 };	/* numbers end here, as printf's int does */

static size_t spec_number(const char **s)
{
	size_t n = 0;

	for (; **s >= '0' && **s <= '9'; (*s)++)
		if (n < SPEC_BIG)
			n = n * 10 + (size_t)(**s - '0');
	return n;
}

size_t spec_parse(struct spec *spec, const char *s)
{
	const char *start = s;

	*spec = (struct spec){ 0 };
	for (; *s && strchr("'-+ #0I", *s); s++) {
		spec->left |= *s == '-';
		spec->plus |= *s == '+';
		spec->space |= *s == ' ';
		spec->alt |= *s == '#';
		spec->zero |= *s == '0';
	}
	spec->width = spec_number(&s);
	if (*s == '.') {
		s++;
		spec->has_precision = true;
		spec->precision_given = *s >= '0' && *s <= '9';
		spec->precision = spec_number(&s);
	}
	return (size_t)(s - start);
}

static void spec_pad(struct str *out, int byte, size_t width, size_t used)
{
	if (width > used)
		str_fill(out, byte, width - used);
}

void spec_text(struct str *out, const struct spec *spec, const char *s)
{
	size_t n = strlen(s);

	if (spec->has_precision && spec->precision < n)
		n = spec->precision;
	if (!spec->left)
		spec_pad(out, ' ', spec->width, n);
	str_addn(out, s, n);
	if (spec->left)
		spec_pad(out, ' ', spec->width, n);
}

/* digits: not terminated. */
static void spec_digits(struct str *out, const struct spec *spec, const char *prefix,
			const char *digits, size_t n)
{
	size_t zeros = spec->has_precision && spec->precision > n ? spec->precision - n : 0;
	size_t used = strlen(prefix) + zeros + n;
	bool zero_pad = spec->zero && !spec->left && !spec->has_precision;

	if (!spec->left && !zero_pad)
		spec_pad(out, ' ', spec->width, used);
	str_adds(out, prefix);
	if (zero_pad)
		spec_pad(out, '0', spec->width, used);
	str_fill(out, '0', zeros);
	str_addn(out, digits, n);
	if (spec->left)
		spec_pad(out, ' ', spec->width, used);
}

static void spec_base(struct str *out, const struct spec *spec, const char *prefix, uint64_t v,
		      unsigned base)
{
	char buf[24];
	size_t at = sizeof(buf);

	for (; v; v /= base)
		buf[--at] = "0123456789abcdef"[v % base];
	if (at == sizeof(buf) && !(spec->has_precision && !spec->precision))
		buf[--at] = '0';
	if (base == 8 && spec->alt && (at == sizeof(buf) || buf[at] != '0') &&
	    !(spec->has_precision && spec->precision > sizeof(buf) - at))
		buf[--at] = '0';
	spec_digits(out, spec, prefix, buf + at, sizeof(buf) - at);
}

void spec_unsigned(struct str *out, const struct spec *spec, uint64_t v)
{
	spec_base(out, spec, "", v, 10);
}

void spec_minus(struct str *out, const struct spec *spec, uint64_t v)
{
	spec_base(out, spec, "-", v, 10);
}

void spec_signed(struct str *out, const struct spec *spec, int64_t v)
{
	if (v < 0)
		spec_minus(out, spec, -(uint64_t)v);
	else
		spec_base(out, spec, spec->plus ? "+" : spec->space ? " " : "", (uint64_t)v, 10);
}

void spec_octal(struct str *out, const struct spec *spec, uint64_t v)
{
	spec_base(out, spec, "", v, 8);
}

void spec_hex(struct str *out, const struct spec *spec, uint64_t v)
{
	spec_base(out, spec, spec->alt && v ? "0x" : "", v, 16);
}
