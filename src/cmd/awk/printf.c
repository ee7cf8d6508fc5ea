/*
 * printf: the directives of gawk, through the engine of text/format. Widths and
 * precisions of %s and %c count characters.
 */
#include "cmd/awk/awk.h"

#include <math.h>

#include "base/utf8.h"
#include "text/format.h"

struct formatting {
	struct awk *a;
	struct str *out;
	struct awk_str *format;
	struct awk_val *args;
	size_t n, next;
	bool numbered, plain;	/* count$ was used; was not */
};

static void ran_out(struct formatting *f, const char *at)
{
	struct str pad;

	str_init(&pad, f->a->heap, STR_MAX_DEFAULT);
	str_fill(&pad, ' ', (size_t)(at - f->format->p));
	awk_fatal(f->a, "not enough arguments to satisfy format string\n\t`%s'\n\t%s^ ran out "
		  "for this one",
		  f->format->p, pad.p);
}

static struct awk_val *next_arg(struct formatting *f, size_t number, const char *at)
{
	size_t i = number ? number - 1 : f->next++;

	if (i >= f->n)
		ran_out(f, at);
	return &f->args[i];
}

/* A width as gawk has it: what no long holds is none. */
static int clamp(double v)
{
	if (v >= 9223372036854775808.0 || v <= -9223372036854775808.0)
		return -1;
	return v != v ? 0 : v > 2e9 ? 2000000000 : v < -2e9 ? -2000000000 : (int)v;
}

static const char *read_digits(const char *p, size_t *v)
{
	for (*v = 0; *p >= '0' && *p <= '9'; p++)
		*v = *v < 2000000000 ? *v * 10 + (size_t)(*p - '0') : *v;
	return p;
}

static TSB_NORETURN void mixed(struct formatting *f)
{
	awk_fatal(f->a, "fatal: must use `count$' on all formats or none");
}

static const char *read_star(struct formatting *f, const char *p, size_t numbered, int *v)
{
	size_t number = 0;
	const char *end;

	p++;
	end = read_digits(p, &number);
	if (!number || *end != '$') {
		if (numbered)
			mixed(f);
		*v = clamp(ak_val_to_num(f->a, next_arg(f, 0, p - 1)));
		return p;
	}
	*v = clamp(ak_val_to_num(f->a, next_arg(f, number, end)));
	return end + 1;
}

static const char *read_flags(const char *p, struct format_spec *spec)
{
	for (;; p++) {
		switch (*p) {
		case '-': spec->minus = true; break;
		case '+': spec->plus = true; break;
		case ' ': spec->space = true; break;
		case '#': spec->alt = true; break;
		case '0': spec->zero = true; break;
		case '\'': break;
		default: return p;
		}
	}
}

/* "2$": the argument a directive names. */
static const char *read_number(struct formatting *f, const char *p, size_t *number)
{
	const char *end = read_digits(p, number);

	if (*end != '$' || end == p) {
		*number = 0;
		return p;
	}
	if (!*number)
		awk_fatal(f->a, "argument index with `$' must be > 0");
	if (*number > f->n)
		awk_fatal(f->a, "argument index %zu greater than total number of supplied arguments",
			  *number);
	return end + 1;
}

static const char *read_width(struct formatting *f, const char *p, struct format_spec *spec,
			      size_t numbered)
{
	size_t v;

	if (*p == '*') {
		p = read_star(f, p, numbered, &spec->width);
		if (spec->width < 0) {
			spec->minus = true;
			spec->width = -spec->width;
		}
	} else if (*p >= '1' && *p <= '9') {
		p = read_digits(p, &v);
		spec->width = (int)v;
	}
	if (*p != '.')
		return p;
	if (*++p == '*') {
		p = read_star(f, p, numbered, &spec->precision);
	} else {
		p = read_digits(p, &v);
		spec->precision = (int)v;
	}
	return p;
}

/* Flags, width, precision, sizes (which may stand once each, and flags behind them); where the
 * letter stands. */
static const char *read_spec(struct formatting *f, const char *p, struct format_spec *spec,
			     size_t *number)
{
	static const char sizes[] = "lhLjzt";
	unsigned seen = 0;
	const char *size;

	spec->precision = -1;
	p = read_number(f, p, number);
	do {
		p = read_width(f, read_flags(p, spec), spec, *number);
		size = *p ? strchr(sizes, *p) : NULL;
		if (!size || seen & 1u << (size - sizes))
			return p;
		seen |= 1u << (size - sizes);
		p++;
	} while (*p);
	return p;
}

/* All directives name their argument, or none does. */
static void check_numbered(struct formatting *f, bool numbered)
{
	*(numbered ? &f->numbered : &f->plain) = true;
	if (f->numbered && f->plain)
		awk_fatal(f->a, "must use `count$' on all formats or none");
}

static void put_text(struct formatting *f, struct format_spec *spec, const char *p, size_t n)
{
	size_t bytes = 0, chars = 0;
	bool begins_so = false;		/* with a byte that is no character */

	if (!f->a->utf8 || (!spec->width && spec->precision < 0)) {
		format_text(f->out, spec, p, n);
		return;
	}
	while (bytes < n && (spec->precision < 0 || chars < (size_t)spec->precision)) {
		int32_t c;
		size_t step = utf8_decode(p + bytes, n - bytes, &c);

		begins_so |= c < 0 && !bytes;
		if (c < 0 && !begins_so)	/* there gawk ends the text */
			break;
		bytes += step;
		chars++;
	}
	spec->precision = -1;
	if (spec->width)
		spec->width += (int)(bytes - chars);
	if (spec->width && chars >= (size_t)spec->width - (bytes - chars))
		spec->width = 0;
	format_text(f->out, spec, p, bytes);
}

static void put_char(struct formatting *f, struct format_spec *spec, struct awk_val *v)
{
	char buf[8];
	double num;
	size_t n = 1;

	spec->precision = -1;
	if (ak_val_is_num(f->a, v, &num) && v->type >= V_NUM) {
		uint32_t c = num >= 0 && num < 4294967296.0 ? (uint32_t)num : (uint32_t)(int64_t)num;

		if (f->a->utf8 && c >= 128 && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff))
			n = utf8_encode(buf, c);
		else
			buf[0] = (char)c;
		put_text(f, spec, buf, n);
	} else {
		struct awk_str *s = ak_val_to_str(f->a, v);
		int32_t c;

		n = s->n && f->a->utf8 ? utf8_decode(s->p, s->n, &c) : 1;
		put_text(f, spec, s->p, n);
		str_drop(f->a, s);
	}
}

/* What is no number to write in digits: gawk's names of it, whatever the width. */
static void put_odd(struct formatting *f, int conv, double v)
{
	bool upper = conv >= 'A' && conv <= 'Z';

	for (const char *s = ak_number_odd(v); *s; s++)
		str_addc(f->out, upper && *s >= 'a' ? *s - 'a' + 'A' : *s);
}

static void put_int(struct formatting *f, struct format_spec *spec, double v)
{
	if (ak_number_odd(v)) {
		put_odd(f, spec->conv, v);
		return;
	}
	bool zero = spec->zero;

	v = trunc(v);
	if (spec->precision >= 0)
		spec->zero = false;
	/* No digits of zero: no sign either, but one digit where it would be marked. */
	if (v == 0 && spec->precision == 0) {
		spec->plus = spec->space = false;
		spec->precision = spec->alt && strchr("uxX", spec->conv);
	}
	if (v <= -18446744073709551616.0 || v >= 18446744073709551616.0) {
		if (strchr("di", spec->conv)) {
			spec->conv = 'f';
			spec->precision = 0;
		} else {
			spec->conv = 'g';
			spec->zero = zero;
		}
		format_float(f->out, spec, (long double)v);
		return;
	}
	if (v < 0 && !strchr("di", spec->conv)) {
		format_int(f->out, spec, v < -9223372036854775808.0 ? 1ull << 63 :
			   (uint64_t)(int64_t)v, false);
		return;
	}
	format_int(f->out, spec, (uint64_t)fabs(v), v < 0);
}

static void put_float(struct formatting *f, struct format_spec *spec, double v)
{
	spec->narrow = true;
	if (ak_number_odd(v))
		put_odd(f, spec->conv, v);
	else
		format_float(f->out, spec, (long double)v);
}

/* One directive; the text goes on at what it returns. */
static const char *format_one(struct formatting *f, const char *p, const char *end)
{
	struct format_spec spec = { 0 };
	size_t number;
	const char *start = p++, *letter = read_spec(f, p, &spec, &number);
	struct awk_str *s;

	spec.conv = *letter;
	if (letter < end && *letter == '%') {
		str_addc(f->out, '%');
		return letter + 1;
	}
	if (letter >= end || !strchr("dicsouxXeEfFgGaA", *letter)) {
		if (f->a->lint)
			ak_lint(f->a, "[s]printf: format specifier does not have control letter");
		str_addn(f->out, start, (size_t)(letter - start));
		if (letter < end)
			str_addc(f->out, *letter++);
		return letter;
	}
	check_numbered(f, number > 0);

	struct awk_val *v = next_arg(f, number, letter);

	if (*letter == 's') {
		s = ak_val_to_str(f->a, v);
		spec.zero = false;
		put_text(f, &spec, s->p, s->n);
		str_drop(f->a, s);
	} else if (*letter == 'c') {
		put_char(f, &spec, v);
	} else if (strchr("diouxX", *letter)) {
		put_int(f, &spec, ak_val_to_num(f->a, v));
	} else {
		put_float(f, &spec, ak_val_to_num(f->a, v));
	}
	return letter + 1;
}

void awk_format(struct awk *a, struct str *out, struct awk_str *format, struct awk_val *args,
		size_t n)
{
	struct formatting f = { .a = a, .out = out, .format = format, .args = args, .n = n };
	const char *p = format->p, *end = p + format->n;

	while (p < end) {
		const char *percent = memchr(p, '%', (size_t)(end - p));

		if (!percent)
			percent = end;
		str_addn(out, p, (size_t)(percent - p));
		p = percent < end ? format_one(&f, percent, end) : end;
	}
	if (a->lint && f.next < n)
		ak_lint(a, "too many arguments supplied for format string");
}

void awk_sprintf(struct awk *a, struct node *args, struct str *out)
{
	struct awk_str *format;
	struct awk_val few[8], *vals = few;
	size_t n = 0, i = 0;

	if (!args && (a->posix || a->traditional))
		return;
	if (!args)
		awk_fatal(a, "printf: no arguments");
	format = ak_eval_str(a, args);
	for (struct node *x = args->next; x; x = x->next)
		n++;
	if (n > 8)
		vals = heap_array(a->heap, n, sizeof(*vals));
	for (struct node *x = args->next; x; x = x->next) {
		ak_eval(a, x, &vals[i]);
		ak_eval_scalar_check(a, x, &vals[i++]);
	}
	awk_format(a, out, format, vals, n);
	for (i = 0; i < n; i++)
		val_drop(a, &vals[i]);
	if (vals != few)
		heap_free(a->heap, vals);
	str_drop(a, format);
}
