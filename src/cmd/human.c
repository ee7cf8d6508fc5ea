/*
 * Human sizes in exact integer arithmetic: a whole part, tenths of the unit,
 * and what is left below them as 0 (nothing), 1 (less than half a tenth), 2
 * (half) or 3 (more), which is all that rounding needs to know.
 */
#include "cmd/human.h"

#include <string.h>

#include <tinysandbox/command.h>

#include "base/num.h"

struct human_value {
	unsigned __int128 whole;
	unsigned tenths;
	unsigned rest;
	int exponent;		/* -1: not scaled */
	bool show_tenths;
};

static unsigned human_rest(unsigned __int128 twice, unsigned __int128 divisor, unsigned more)
{
	if (twice < divisor)
		return twice + more != 0;
	return 2 + (divisor < twice + more);
}

static void human_convert(struct human_value *v, uint64_t n, uint64_t from, uint64_t to)
{
	unsigned __int128 bytes = (unsigned __int128)n * from, left = bytes % to * 10;

	v->whole = bytes / to;
	v->tenths = (unsigned)(left / to);
	v->rest = human_rest(left % to * 2, to, 0);
}

static void human_scale(struct human_value *v, unsigned base)
{
	v->exponent = 0;
	while (v->whole >= base && v->exponent < 8) {
		unsigned r10 = (unsigned)(v->whole % base) * 10 + v->tenths;
		unsigned r2 = r10 % base * 2 + (v->rest >> 1);

		v->whole /= base;
		v->tenths = r10 / base;
		v->rest = human_rest(r2, base, v->rest);
		v->exponent++;
	}
}

/* Scaled and below 10: one digit behind the point. */
static void human_round_tenths(struct human_value *v, unsigned flags)
{
	unsigned style = flags & (HUMAN_NEAREST | HUMAN_FLOOR);

	if (style == HUMAN_NEAREST ? v->rest + (v->tenths & 1) > 2
				   : style == HUMAN_CEILING && v->rest) {
		v->rest = 0;
		if (++v->tenths == 10) {
			v->whole++;
			v->tenths = 0;
		}
	}
	if (v->whole < 10 && (v->tenths || !(flags & HUMAN_NO_POINT_ZERO))) {
		v->show_tenths = true;
		v->rest = 0;
	}
}

static void human_round_whole(struct human_value *v, unsigned flags, unsigned base)
{
	unsigned style = flags & (HUMAN_NEAREST | HUMAN_FLOOR);
	bool odd = v->whole & 1;

	if (style == HUMAN_NEAREST ? v->tenths + (v->rest + odd > 0) <= 5
				   : style != HUMAN_CEILING || !(v->tenths + v->rest))
		return;
	v->whole++;
	if (!(flags & HUMAN_AUTOSCALE) || v->whole != base || v->exponent >= 8)
		return;
	v->exponent++;
	v->whole = 1;
	v->tenths = 0;
	v->show_tenths = !(flags & HUMAN_NO_POINT_ZERO);
}

static void human_unit(char *s, int exponent, const struct human *h, unsigned base)
{
	bool k = !(h->flags & HUMAN_1024);

	if (!(h->flags & HUMAN_UNIT)) {
		*s = '\0';
		return;
	}
	if (exponent < 0) {
		unsigned __int128 power = 1;

		for (exponent = 0; power < h->block && exponent < 8; exponent++)
			power *= base;
	}
	if ((exponent || (h->flags & HUMAN_B)) && (h->flags & HUMAN_SPACE))
		*s++ = ' ';
	if (exponent)
		*s++ = k && exponent == 1 ? 'k' : "\0KMGTPEZY"[exponent];
	if ((h->flags & HUMAN_B) && !k && exponent)
		*s++ = 'i';
	if (h->flags & HUMAN_B)
		*s++ = 'B';
	*s = '\0';
}

char *human_format(char *buf, uint64_t n, uint64_t from, const struct human *h)
{
	unsigned base = h->flags & HUMAN_1024 ? 1024 : 1000;
	struct human_value v = { .exponent = -1 };
	char digits[48], *s = digits + sizeof(digits);
	size_t len;

	human_convert(&v, n, from, h->block);
	if ((h->flags & HUMAN_AUTOSCALE))
		human_scale(&v, base);
	if (v.exponent > 0 && v.whole < 10)
		human_round_tenths(&v, h->flags);
	if (!v.show_tenths)
		human_round_whole(&v, h->flags, base);
	if (v.show_tenths) {
		*--s = (char)('0' + v.tenths);
		*--s = '.';
	}
	do
		*--s = (char)('0' + (int)(v.whole % 10));
	while (v.whole /= 10);
	len = (size_t)(digits + sizeof(digits) - s);
	memcpy(buf, s, len);
	human_unit(buf + len, v.exponent, h, base);
	return buf;
}

static uint64_t human_default(struct tsb_proc *p)
{
	return tsb_getenv(p, "POSIXLY_CORRECT") ? 512 : 1024;
}

/* "human-readable", "si" or a unique prefix of one. */
static bool human_word(const char *spec, unsigned *flags)
{
	size_t n = strlen(spec);

	if (n && !strncmp("human-readable", spec, n))
		*flags |= HUMAN_AUTOSCALE | HUMAN_UNIT | HUMAN_1024;
	else if (n && !strncmp("si", spec, n))
		*flags |= HUMAN_AUTOSCALE | HUMAN_UNIT;
	else
		return false;
	return true;
}

/* A size without digits, like "K" or "MB", is shown with its unit. */
static void human_shown_unit(const char *spec, unsigned *flags)
{
	size_t n = strlen(spec);

	if (strpbrk(spec, "0123456789") || !n)
		return;
	*flags |= HUMAN_UNIT;
	if (spec[n - 1] == 'B')
		*flags |= HUMAN_B;
	if (spec[n - 1] != 'B' || (n > 1 && spec[n - 2] == 'i'))
		*flags |= HUMAN_1024;
}

enum human_result human_parse(struct tsb_proc *p, const char *spec, struct human *h)
{
	unsigned flags = 0;

	h->flags = 0;
	h->block = human_default(p);
	if (!spec)
		spec = tsb_getenv(p, "BLOCK_SIZE");
	if (!spec)
		spec = tsb_getenv(p, "BLOCKSIZE");
	if (!spec)
		return HUMAN_OK;
	if (*spec == '\'') {
		flags |= HUMAN_GROUP;
		spec++;
	}
	if (human_word(spec, &flags)) {
		*h = (struct human){ flags, 1 };
		return HUMAN_OK;
	}
	switch (num_suffixed(spec, "eEgGkKmMpPtTyYzZ0", &h->block)) {
	case NUM_INVALID: return HUMAN_INVALID;
	case NUM_SUFFIX: return HUMAN_BAD_SUFFIX;
	case NUM_RANGE: return HUMAN_TOO_LARGE;
	case NUM_OK: break;
	}
	human_shown_unit(spec, &flags);
	h->flags = flags;
	if (h->block)
		return HUMAN_OK;
	h->block = human_default(p);
	return HUMAN_INVALID;
}

void human_complain(struct tsb_proc *p, enum human_result r, const char *option, const char *arg)
{
	if (r == HUMAN_TOO_LARGE)
		tsb_warn(p, "%s argument '%s' too large", option, arg);
	else
		tsb_warn(p, "invalid %s%s argument '%s'",
			 r == HUMAN_BAD_SUFFIX ? "suffix in " : "", option, arg);
}
