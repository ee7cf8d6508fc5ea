/*
 * See spec.h: reading here, the rest is text/format.h's. A width is only ever
 * added to a string with a maximum, so a huge one costs no more than that.
 */
#include "cmd/spec.h"

#include <string.h>

enum { SPEC_BIG = 1 << 30 };	/* numbers end here, as printf's int does */

static int spec_number(const char **s)
{
	int n = 0;

	for (; **s >= '0' && **s <= '9'; (*s)++)
		n = n < SPEC_BIG / 10 ? n * 10 + (**s - '0') : SPEC_BIG;
	return n;
}

size_t spec_parse(struct spec *spec, const char *s)
{
	const char *start = s;
	struct format_spec *how = &spec->how;

	*spec = (struct spec){ .how.precision = -1 };
	for (; *s && strchr("'-+ #0I", *s); s++) {
		how->minus |= *s == '-';
		how->plus |= *s == '+';
		how->space |= *s == ' ';
		how->alt |= *s == '#';
		how->zero |= *s == '0';
	}
	how->width = spec_number(&s);
	if (*s == '.') {
		s++;
		spec->bare_dot = *s < '0' || *s > '9';
		how->precision = spec_number(&s);
	}
	return (size_t)(s - start);
}

void spec_text(struct str *out, const struct spec *spec, const char *s)
{
	format_text(out, &spec->how, s, strlen(s));
}

static void spec_int(struct str *out, const struct spec *spec, char conv, uint64_t v, bool minus)
{
	struct format_spec how = spec->how;

	how.conv = conv;
	format_int(out, &how, v, minus);
}

void spec_unsigned(struct str *out, const struct spec *spec, uint64_t v)
{
	spec_int(out, spec, 'u', v, false);
}

void spec_minus(struct str *out, const struct spec *spec, uint64_t v)
{
	spec_int(out, spec, 'd', v, true);
}

void spec_signed(struct str *out, const struct spec *spec, int64_t v)
{
	spec_int(out, spec, 'd', v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0);
}

void spec_octal(struct str *out, const struct spec *spec, uint64_t v)
{
	spec_int(out, spec, 'o', v, false);
}

void spec_hex(struct str *out, const struct spec *spec, uint64_t v)
{
	spec_int(out, spec, 'x', v, false);
}
