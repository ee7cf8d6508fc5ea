/*
 * Decimal numbers as text, to any base.
 */
#include <string.h>

#include "base/str.h"
#include "text/decimal_impl.h"

/* Sets the digit at `place` before the point (0: the ones). */
static void put_digit(struct decimal *a, size_t limb, size_t place, unsigned digit)
{
	a->at[limb] += digit * limb_pow10[place];
}

struct decimal *decimal_parse(struct decimal_ctx *c, const char *s, size_t n)
{
	bool negative = n && *s == '-';
	const char *point;
	size_t whole, scale;
	struct decimal *a;

	s += negative;
	n -= negative;
	point = n ? memchr(s, '.', n) : NULL;
	whole = point ? (size_t)(point - s) : n;
	scale = point ? n - whole - 1 : 0;
	a = decimal_new(c, limbs_for(whole) + limbs_for(scale), scale);
	for (size_t i = 0; i < whole; i++) {
		size_t place = whole - 1 - i;

		put_digit(a, a->frac + place / LIMB_DIGITS, place % LIMB_DIGITS,
			  (unsigned)(s[i] - '0'));
	}
	for (size_t i = 0; i < scale; i++)
		put_digit(a, a->frac - 1 - i / LIMB_DIGITS, LIMB_DIGITS - 1 - i % LIMB_DIGITS,
			  (unsigned)(s[whole + 1 + i] - '0'));
	decimal_trim(a);
	a->negative = negative && !decimal_is_zero(a);
	return a;
}

/* a[*n] = a * by + add */
static void mul_add(uint32_t *a, size_t *n, uint64_t by, uint64_t add)
{
	for (size_t i = 0; i < *n; i++) {
		uint64_t v = a[i] * by + add;

		add = v / LIMB_BASE;
		a[i] = (uint32_t)(v - add * LIMB_BASE);
	}
	for (; add; add /= LIMB_BASE)
		a[(*n)++] = (uint32_t)(add % LIMB_BASE);
}

/* The whole number of n digits; limbs are taken from the digits' count, since base <= 36. */
static struct decimal *build_whole(struct decimal_ctx *c, const unsigned char *digits, size_t n,
				   unsigned base)
{
	struct decimal *a = decimal_new(c, n / 5 + 3, 0);
	uint64_t by = 1, add = 0;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		by *= base;
		add = add * base + digits[i];
		if (by * base >= LIMB_BASE || i + 1 == n) {
			mul_add(a->at, &used, by, add);
			decimal_tick(c, used);
			by = 1;
			add = 0;
		}
	}
	return decimal_trim(a);
}

struct decimal *decimal_build(struct decimal_ctx *c, const unsigned char *digits, size_t n,
			      size_t whole, unsigned base)
{
	struct decimal *a = build_whole(c, digits, whole, base), *part, *unit, *power, *places;

	if (n == whole)
		return a;
	part = build_whole(c, digits + whole, n - whole, base);
	unit = decimal_of(c, base);
	places = decimal_of(c, (int64_t)(n - whole));
	power = decimal_raise(c, unit, places, 0);
	decimal_set(c, &part, decimal_div(c, part, power, n - whole));
	decimal_set(c, &a, decimal_add(c, a, part, 0));
	decimal_drop(c, part);
	decimal_drop(c, unit);
	decimal_drop(c, places);
	decimal_drop(c, power);
	return a;
}

static void print_limb(struct str *out, uint32_t limb, size_t digits)
{
	char text[LIMB_DIGITS];

	for (size_t i = LIMB_DIGITS; i-- > 0; limb /= 10)
		text[i] = (char)('0' + limb % 10);
	str_addn(out, text, digits);
}

static void print_decimal(struct decimal_ctx *c, const struct decimal *a, struct str *out)
{
	if (a->n > a->frac)
		str_addf(out, "%u", a->at[a->n - 1]);
	for (size_t i = a->n; i-- > a->frac;)
		if (i + 1 < a->n)
			print_limb(out, a->at[i], LIMB_DIGITS);
	if (a->scale)
		str_addc(out, '.');
	for (size_t i = 0; i < a->frac; i++) {
		size_t left = a->scale - i * LIMB_DIGITS;

		print_limb(out, a->at[a->frac - 1 - i], left < LIMB_DIGITS ? left : LIMB_DIGITS);
	}
	decimal_tick(c, a->n);
}

struct digits {
	struct decimal_ctx *c;
	struct str *out;
	uint32_t base;
	int width;		/* of a digit's figures above base 16 */
};

static void print_digit(struct digits *d, uint32_t digit, bool blank)
{
	if (d->base <= 16)
		str_addc(d->out, "0123456789ABCDEF"[digit]);
	else
		str_addf(d->out, "%s%0*u", blank ? " " : "", d->width, digit);
}

/* The highest digit comes first, so they are gathered from the end of an array. */
static void print_whole(struct digits *d, const struct decimal *a)
{
	size_t n = a->n - a->frac, at = 0, most = n * 30;
	uint32_t *work = heap_array(d->c->heap, n + 1, sizeof(*work));
	uint32_t *digit = heap_array(d->c->heap, most + 30, sizeof(*digit));
	uint32_t chunk = d->base, per = 1;

	for (; (uint64_t)chunk * d->base < LIMB_BASE; per++)
		chunk *= d->base;
	if (n)
		memcpy(work, a->at + a->frac, n * sizeof(*work));
	while (n) {
		uint32_t rest = limbs_div_small(d->c, work, work, n, chunk);

		for (uint32_t i = 0; i < per; i++, rest /= d->base)
			digit[at++] = rest % d->base;
		while (n && !work[n - 1])
			n--;
	}
	while (at && !digit[at - 1])
		at--;
	while (at)
		print_digit(d, digit[--at], true);
	heap_free(d->c->heap, digit);
	heap_free(d->c->heap, work);
}

/* Is the number of n limbs one of more than `digits` digits? */
static bool is_longer(const uint32_t *a, size_t n, size_t digits)
{
	size_t have = (n - 1) * LIMB_DIGITS;

	for (uint32_t top = a[n - 1]; top; top /= 10)
		have++;
	return have > digits;
}

/* As many digits as base^digits needs to have more decimal digits than the fraction. */
static void print_fraction(struct digits *d, const struct decimal *a)
{
	uint32_t *part = heap_array(d->c->heap, a->frac + 2, sizeof(*part));
	uint32_t *power = heap_array(d->c->heap, a->frac + 6, sizeof(*power));
	size_t n = 1;
	bool blank = false;

	memcpy(part, a->at, a->frac * sizeof(*part));
	power[0] = 1;
	str_addc(d->out, '.');
	while (!is_longer(power, n, a->scale)) {
		size_t used = a->frac;
		uint64_t digit = 0;

		mul_add(part, &used, d->base, 0);
		for (; used > a->frac; used--)
			digit = digit * LIMB_BASE + part[used - 1];
		print_digit(d, (uint32_t)digit, blank);
		blank = true;
		mul_add(power, &n, d->base, 0);
		decimal_tick(d->c, 2 * a->frac + 8);
	}
	heap_free(d->c->heap, power);
	heap_free(d->c->heap, part);
}

void decimal_print(struct decimal_ctx *c, const struct decimal *a, uint32_t base,
		   struct str *out)
{
	struct digits d = { .c = c, .out = out, .base = base };

	if (a->negative)
		str_addc(out, '-');
	if (decimal_is_zero(a)) {
		str_addc(out, '0');
		return;
	}
	if (base == 10) {
		print_decimal(c, a, out);
		return;
	}
	for (uint32_t top = base - 1; top; top /= 10)
		d.width++;
	print_whole(&d, a);
	if (a->scale)
		print_fraction(&d, a);
}
