/*
 * The types of od: parsing "x1z" and the like, and printing a line's fields.
 * Each field is right-aligned; the blanks that longer types of the same bytes
 * need are spread evenly over the fields of shorter ones.
 */
#include "cmd/od.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/util.h"

/* ---- Parsing ---- */

static unsigned type_width(int letter, unsigned size)
{
	unsigned log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
	static const unsigned char widths[4][4] = {
		{ 4, 6, 11, 20 }, { 3, 5, 10, 20 }, { 3, 6, 11, 22 }, { 2, 4, 8, 16 },
	};

	switch (letter) {
	case 'd': return widths[0][log];
	case 'u': return widths[1][log];
	case 'o': return widths[2][log];
	case 'x': return widths[3][log];
	case 'f': return size == 4 ? 15 : size == 8 ? 24 : 29;
	default: return 3;
	}
}

static bool type_is_size(int letter, uint64_t size)
{
	if (letter == 'f')
		return size == 4 || size == 8 || size == 16;
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The size behind a letter: 0, or the exit status after a message. */
static int type_size(struct tsb_proc *p, int letter, const char *text, const char **s, unsigned *size)
{
	static const char ints[] = "CSIL", floats[] = "FDL";
	static const unsigned int_sizes[] = { 1, 2, 4, 8 }, float_sizes[] = { 4, 8, 16 };
	const char *names = letter == 'f' ? floats : ints;
	const unsigned *sizes = letter == 'f' ? float_sizes : int_sizes;
	const char *at = **s ? strchr(names, **s) : NULL;
	uint64_t n = 0;

	*size = letter == 'f' ? 8 : 4;
	if (at) {
		*size = sizes[at - names];
		++*s;
		return 0;
	}
	if (**s < '0' || **s > '9')
		return 0;
	for (; **s >= '0' && **s <= '9'; ++*s) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(**s - '0'), &n)) {
			tsb_warn(p, "invalid type string %s", quote_text(p, text));
			return 1;
		}
	}
	if (!type_is_size(letter, n)) {
		tsb_warn(p, "invalid type string %s;\nthis system doesn't provide a %llu-byte %s type",
			 quote_text(p, text), (unsigned long long)n,
			 letter == 'f' ? "floating point" : "integral");
		return 1;
	}
	*size = (unsigned)n;
	return 0;
}

static size_t type_lcm(size_t a, size_t b)
{
	size_t x = a, y = b, rest;

	while (y) {
		rest = x % y;
		x = y;
		y = rest;
	}
	return a / x * b;
}

int od_type_add(struct tsb_proc *p, struct od_specs *specs, const char *text)
{
	const char *s = text;
	int status;

	while (*s) {
		struct od_spec spec = { .letter = (unsigned char)*s, .size = 1 };

		if (!strchr("acdfoux", *s)) {
			tsb_warn(p, "invalid character '%c' in type string %s", *s,
				 quote_text(p, text));
			return 1;
		}
		s++;
		if (spec.letter != 'a' && spec.letter != 'c') {
			status = type_size(p, spec.letter, text, &s, &spec.size);
			if (status)
				return status;
		}
		spec.width = type_width(spec.letter, spec.size);
		spec.text = *s == 'z';
		s += spec.text;
		specs->unit = type_lcm(specs->unit, spec.size);
		*vec_add(tsb_heap_of(p), &specs->list) = spec;
	}
	return 0;
}

void od_type_layout(struct od_specs *specs, size_t block)
{
	size_t widest = 0;

	for (size_t i = 0; i < specs->list.n; i++) {
		const struct od_spec *s = &specs->list.at[i];
		size_t line = (s->width + 1) * (block / s->size);

		widest = line > widest ? line : widest;
	}
	for (size_t i = 0; i < specs->list.n; i++) {
		struct od_spec *s = &specs->list.at[i];

		s->pad = widest - s->width * (block / s->size);
	}
}

/* ---- Printing ---- */

static void type_blanks(struct sink *out, size_t n)
{
	while (n--)
		sink_putc(out, ' ');
}

static void type_put(struct sink *out, const char *s, size_t n, size_t width)
{
	if (width > n)
		type_blanks(out, width - n);
	sink_put(out, s, n);
}

static const char *type_name(int letter, unsigned char c, char buf[4])
{
	static const char names[33][4] = {
		"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt",
		"ff", "cr", "so", "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb",
		"can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp",
	};
	static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv";
	const char *at = c ? strchr(from, c) : NULL;

	if (letter == 'a') {
		c &= 127;
		if (c <= ' ')
			return names[c];
		if (c == 127)
			return "del";
	} else if (!c || at) {
		buf[0] = '\\';
		buf[1] = c ? to[at - from] : '0';
		buf[2] = '\0';
		return buf;
	} else if (c < ' ' || c > 126) {
		buf[0] = (char)('0' + (c >> 6));
		buf[1] = (char)('0' + (c >> 3 & 7));
		buf[2] = (char)('0' + (c & 7));
		buf[3] = '\0';
		return buf;
	}
	buf[0] = (char)c;
	buf[1] = '\0';
	return buf;
}

/* The least digits that read back as the same number. */
static int type_float(char *buf, size_t cap, const unsigned char *at, unsigned size)
{
	long double l = 0;
	double d = 0;
	float f = 0;
	int n, digits;

	if (size == 4) {
		memcpy(&f, at, 4);
		digits = f < FLT_MIN && f > -FLT_MIN ? 1 : FLT_DIG;
		while ((n = snprintf(buf, cap, "%.*g", digits, (double)f)) > 0 && digits < 9 &&
		       strtof(buf, NULL) != f)
			digits++;
	} else if (size == 8) {
		memcpy(&d, at, 8);
		digits = d < DBL_MIN && d > -DBL_MIN ? 1 : DBL_DIG;
		while ((n = snprintf(buf, cap, "%.*g", digits, d)) > 0 && digits < 17 &&
		       strtod(buf, NULL) != d)
			digits++;
	} else {
		memcpy(&l, at, 16);
		digits = l < LDBL_MIN && l > -LDBL_MIN ? 1 : LDBL_DIG;
		while ((n = snprintf(buf, cap, "%.*Lg", digits, l)) > 0 && digits < 21 &&
		       strtold(buf, NULL) != l)
			digits++;
	}
	return n;
}

/* Digits of v before end: where they begin. */
static char *type_digits(char *end, uint64_t v, unsigned base, unsigned at_least)
{
	char *s = end;

	do {
		*--s = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	while ((unsigned)(end - s) < at_least)
		*--s = '0';
	return s;
}

static void type_int(struct sink *out, const struct od_spec *spec, uint64_t v, size_t width)
{
	char buf[32], *end = buf + sizeof(buf), *s;
	uint64_t sign = (uint64_t)1 << (spec->size * 8 - 1);
	bool minus = false;

	if (spec->letter == 'd' && (v & sign)) {
		minus = true;
		v = (0 - v) & (sign | (sign - 1));
	}
	s = type_digits(end, v, spec->letter == 'o' ? 8 : spec->letter == 'x' ? 16 : 10,
			spec->letter == 'o' || spec->letter == 'x' ? spec->width : 1);
	if (minus)
		*--s = '-';
	type_put(out, s, (size_t)(end - s), width);
}

static void type_field(struct sink *out, const struct od_spec *spec, const unsigned char *at,
		       size_t width, bool big_endian)
{
	unsigned char swapped[16];
	char buf[64];
	const char *name;
	uint64_t v = 0;

	if (spec->letter == 'a' || spec->letter == 'c') {
		name = type_name(spec->letter, *at, buf);
		type_put(out, name, strlen(name), width);
		return;
	}
	if (big_endian) {
		for (unsigned i = 0; i < spec->size; i++)
			swapped[i] = at[spec->size - 1 - i];
		at = swapped;
	}
	if (spec->letter == 'f') {
		int n = type_float(buf, sizeof(buf), at, spec->size);

		type_put(out, buf, (size_t)n, width);
		return;
	}
	for (unsigned i = 0; i < spec->size; i++)
		v |= (uint64_t)at[i] << 8 * i;
	type_int(out, spec, v, width);
}

void od_type_print(struct sink *out, const struct od_spec *spec, const unsigned char *at, size_t n,
		   size_t block, bool big_endian)
{
	size_t fields = block / spec->size, blank = (block - n) / spec->size;
	size_t left = spec->pad, next;

	for (size_t i = fields; i > blank; i--) {
		next = spec->pad * (i - 1) / fields;
		type_field(out, spec, at + (fields - i) * spec->size, left - next + spec->width,
			   big_endian);
		left = next;
	}
	if (!spec->text)
		return;
	type_blanks(out, blank * spec->width + spec->pad * blank / fields);
	sink_puts(out, "  >");
	for (size_t i = 0; i < n; i++)
		sink_putc(out, at[i] >= ' ' && at[i] <= '~' ? at[i] : '.');
	sink_putc(out, '<');
}
