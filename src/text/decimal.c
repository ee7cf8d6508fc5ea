/*
 * Decimal numbers: making, comparing, cutting, sums.
 *
 * A sum is made on limbs aligned to the point, so that scales that differ need
 * no multiplication.
 */
#include "text/decimal_impl.h"

#include <string.h>

void decimal_start(struct decimal_ctx *c, struct tsb_heap *heap,
		   void (*tick)(void *ctx, size_t steps), void *ctx)
{
	*c = (struct decimal_ctx){ .heap = heap, .tick = tick, .ctx = ctx };
	c->zero = decimal_of(c, 0);
	c->one = decimal_of(c, 1);
}

struct decimal *decimal_new(struct decimal_ctx *c, size_t n, size_t scale)
{
	struct decimal *a;

	if (n > SIZE_MAX / sizeof(uint32_t) / 4)
		heap_oom(c->heap, SIZE_MAX);
	a = heap_zalloc(c->heap, sizeof(*a) + n * sizeof(uint32_t));
	a->refs = 1;
	a->n = n;
	a->scale = scale;
	a->frac = limbs_for(scale);
	decimal_tick(c, n / 8);
	return a;
}

struct decimal *decimal_of(struct decimal_ctx *c, int64_t value)
{
	struct decimal *a = decimal_new(c, 3, 0);
	uint64_t v = value < 0 ? -(uint64_t)value : (uint64_t)value;

	for (size_t i = 0; i < 3; i++) {
		a->at[i] = (uint32_t)(v % LIMB_BASE);
		v /= LIMB_BASE;
	}
	a->negative = value < 0;
	return decimal_trim(a);
}

void decimal_drop(struct decimal_ctx *c, struct decimal *a)
{
	if (--a->refs == 0)
		heap_free(c->heap, a);
}

void decimal_set(struct decimal_ctx *c, struct decimal **to, struct decimal *a)
{
	struct decimal *old = *to;

	*to = a;
	decimal_drop(c, old);
}

struct decimal *decimal_trim(struct decimal *a)
{
	while (a->n > a->frac && !a->at[a->n - 1])
		a->n--;
	return a;
}

bool decimal_is_zero(const struct decimal *a)
{
	for (size_t i = a->n; i-- > 0;)
		if (a->at[i])
			return false;
	return true;
}

size_t decimal_whole(const struct decimal *a)
{
	size_t n = a->n - a->frac, digits;

	if (!n)
		return 1;
	digits = (n - 1) * LIMB_DIGITS;
	for (uint32_t top = a->at[a->n - 1]; top; top /= 10)
		digits++;
	return digits;
}

unsigned decimal_digit(const struct decimal *a, size_t place)
{
	size_t limb = place / LIMB_DIGITS;

	if (limb >= a->frac)
		return 0;
	return a->at[a->frac - 1 - limb] /
	       limb_pow10[LIMB_DIGITS - 1 - place % LIMB_DIGITS] % 10;
}

bool decimal_near_zero(const struct decimal *a, size_t scale)
{
	if (scale > a->scale)
		scale = a->scale;
	if (a->n > a->frac)
		return false;
	for (size_t i = 0; i + 1 < scale; i++)
		if (decimal_digit(a, i))
			return false;
	return !scale || decimal_digit(a, scale - 1) <= 1;
}

int64_t decimal_long(const struct decimal *a)
{
	uint64_t v = 0;
	size_t n = a->n - a->frac;

	if (n > 3)
		return 0;
	for (size_t i = a->n; i-- > a->frac;)
		if (__builtin_mul_overflow(v, LIMB_BASE, &v) ||
		    __builtin_add_overflow(v, a->at[i], &v) || v > INT64_MAX)
			return 0;
	return a->negative ? -(int64_t)v : (int64_t)v;
}

/* Limb i of a, counted from the point: 0 is the ones, negative are behind it. */
static inline uint32_t limb_of(const struct decimal *a, ptrdiff_t i)
{
	ptrdiff_t at = i + (ptrdiff_t)a->frac;

	return at < 0 || at >= (ptrdiff_t)a->n ? 0 : a->at[at];
}

static int cmp_size(const struct decimal *a, const struct decimal *b)
{
	size_t wa = a->n - a->frac, wb = b->n - b->frac;
	size_t frac = a->frac > b->frac ? a->frac : b->frac;

	if (wa != wb)
		return wa < wb ? -1 : 1;
	for (ptrdiff_t i = (ptrdiff_t)wa; i-- > -(ptrdiff_t)frac;) {
		uint32_t x = limb_of(a, i), y = limb_of(b, i);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

int decimal_cmp(const struct decimal *a, const struct decimal *b)
{
	int r;

	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	r = cmp_size(a, b);
	return a->negative ? -r : r;
}

struct decimal *decimal_cut(struct decimal_ctx *c, const struct decimal *a, size_t scale)
{
	size_t whole = a->n - a->frac, frac = limbs_for(scale);
	struct decimal *r = decimal_new(c, whole + frac, scale);
	size_t keep = a->frac < frac ? a->frac : frac;

	if (whole + keep)
		memcpy(r->at + (frac - keep), a->at + (a->frac - keep),
		       (whole + keep) * sizeof(uint32_t));
	if (scale < a->scale && scale % LIMB_DIGITS) {
		uint32_t unit = limb_pow10[LIMB_DIGITS - scale % LIMB_DIGITS];

		r->at[0] -= r->at[0] % unit;
	}
	r->negative = a->negative;
	return r;
}

/* |a| + |b| */
static struct decimal *add_size(struct decimal_ctx *c, const struct decimal *a,
				const struct decimal *b, size_t scale)
{
	size_t wa = a->n - a->frac, wb = b->n - b->frac, whole = wa > wb ? wa : wb;
	struct decimal *r = decimal_new(c, whole + 1 + limbs_for(scale), scale);
	uint32_t carry = 0;

	for (size_t i = 0; i < r->n; i++) {
		ptrdiff_t at = (ptrdiff_t)i - (ptrdiff_t)r->frac;
		uint32_t v = limb_of(a, at) + limb_of(b, at) + carry;

		carry = v >= LIMB_BASE;
		r->at[i] = carry ? v - LIMB_BASE : v;
	}
	return decimal_trim(r);
}

/* |a| - |b|, where |a| >= |b| */
static struct decimal *sub_size(struct decimal_ctx *c, const struct decimal *a,
				const struct decimal *b, size_t scale)
{
	struct decimal *r = decimal_new(c, a->n - a->frac + limbs_for(scale), scale);
	uint32_t borrow = 0;

	for (size_t i = 0; i < r->n; i++) {
		ptrdiff_t at = (ptrdiff_t)i - (ptrdiff_t)r->frac;
		uint32_t v = limb_of(a, at), less = limb_of(b, at) + borrow;

		borrow = v < less;
		r->at[i] = borrow ? v + LIMB_BASE - less : v - less;
	}
	return decimal_trim(r);
}

static struct decimal *sum(struct decimal_ctx *c, const struct decimal *a,
			   const struct decimal *b, bool b_negative, size_t scale)
{
	struct decimal *r;
	int order;

	if (a->scale > scale)
		scale = a->scale;
	if (b->scale > scale)
		scale = b->scale;
	if (a->negative == b_negative) {
		r = add_size(c, a, b, scale);
		r->negative = a->negative;
		return r;
	}
	order = cmp_size(a, b);
	if (!order)
		return decimal_new(c, limbs_for(scale), scale);
	r = order > 0 ? sub_size(c, a, b, scale) : sub_size(c, b, a, scale);
	r->negative = order > 0 ? a->negative : b_negative;
	return r;
}

struct decimal *decimal_add(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale_min)
{
	return sum(c, a, b, b->negative, scale_min);
}

struct decimal *decimal_sub(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale_min)
{
	return sum(c, a, b, !b->negative, scale_min);
}
