/*
 * Decimal numbers: quotients and remainders (Knuth's algorithm D).
 */
#include "text/decimal_impl.h"

#include <string.h>

uint32_t limbs_div_small(struct decimal_ctx *c, uint32_t *out, const uint32_t *a, size_t n,
			 uint32_t d)
{
	uint64_t rest = 0;

	for (size_t i = n; i-- > 0;) {
		uint64_t v = rest * LIMB_BASE + a[i];

		out[i] = (uint32_t)(v / d);
		rest = v % d;
	}
	decimal_tick(c, n);
	return (uint32_t)rest;
}

/* a[n] *= d; what does not fit. */
static uint32_t mul_small(uint32_t *a, size_t n, uint32_t d)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t v = (uint64_t)a[i] * d + carry;

		carry = v / LIMB_BASE;
		a[i] = (uint32_t)(v - carry * LIMB_BASE);
	}
	return (uint32_t)carry;
}

/* a[n + 1] -= q * b[n]; was q one too large? Then b is added again. */
static bool take_away(uint32_t *a, const uint32_t *b, size_t n, uint64_t q)
{
	uint64_t carry = 0;
	uint32_t up = 0;

	for (size_t i = 0; i <= n; i++) {
		uint64_t v = q * (i < n ? b[i] : 0) + carry;
		uint32_t less = (uint32_t)(v % LIMB_BASE);

		carry = v / LIMB_BASE;
		if (a[i] < less) {
			a[i] += LIMB_BASE;
			carry++;
		}
		a[i] -= less;
	}
	if (!carry)
		return false;
	for (size_t i = 0; i <= n; i++) {
		uint32_t v = a[i] + (i < n ? b[i] : 0) + up;

		up = v >= LIMB_BASE;
		a[i] = up ? v - LIMB_BASE : v;
	}
	return true;
}

/* The limb of the quotient by the three highest of a and the two of b. */
static uint64_t guess(const uint32_t *a, const uint32_t *b, size_t nb)
{
	uint64_t top = (uint64_t)a[nb] * LIMB_BASE + a[nb - 1];
	uint64_t q = top / b[nb - 1], rest = top % b[nb - 1];

	while (q >= LIMB_BASE || q * b[nb - 2] > rest * LIMB_BASE + a[nb - 2]) {
		q--;
		rest += b[nb - 1];
		if (rest >= LIMB_BASE)
			break;
	}
	return q;
}

/* out[na - nb + 1] = a / b, where b's highest limb is not 0, na >= nb. a has na + 1 limbs,
 * the highest is 0; the remainder is not kept. */
static void limbs_div(struct decimal_ctx *c, uint32_t *out, uint32_t *a, size_t na,
		      const uint32_t *b, size_t nb)
{
	uint32_t *d, scale;

	if (nb == 1) {
		limbs_div_small(c, out, a, na, b[0]);
		return;
	}
	d = heap_array(c->heap, nb, sizeof(*d));
	memcpy(d, b, nb * sizeof(*d));
	scale = LIMB_BASE / (b[nb - 1] + 1);
	mul_small(d, nb, scale);
	a[na] = mul_small(a, na, scale);
	for (size_t i = na - nb + 1; i-- > 0;) {
		uint64_t q = guess(a + i, d, nb);

		if (take_away(a + i, d, nb, q))
			q--;
		out[i] = (uint32_t)q;
		decimal_tick(c, 2 * nb);
	}
	heap_free(c->heap, d);
}

/* b's limbs without zeros above and below: *from, count. */
static size_t core(const struct decimal *b, size_t *from)
{
	size_t n = b->n, low = 0;

	while (n && !b->at[n - 1])
		n--;
	while (low < n && !b->at[low])
		low++;
	*from = low;
	return n - low;
}

/*
 * The quotient has frac limbs behind the point, so a is taken with frac +
 * b->frac - from limbs behind its own: more are zeros, fewer are cut, for they
 * cannot be seen in the quotient.
 */
static struct decimal *quotient_of(struct decimal_ctx *c, const struct decimal *a,
				   const struct decimal *b, size_t from, size_t nb, size_t frac)
{
	ptrdiff_t want = (ptrdiff_t)(frac + b->frac) - (ptrdiff_t)from;
	ptrdiff_t shift = want - (ptrdiff_t)a->frac;
	ptrdiff_t na = (ptrdiff_t)a->n + shift;
	size_t skip = shift < 0 ? (size_t)-shift : 0;
	struct decimal *work, *q;

	if (na < (ptrdiff_t)nb)
		return decimal_new(c, frac, frac * LIMB_DIGITS);
	work = decimal_new(c, (size_t)na + 1, 0);
	memcpy(work->at + (shift > 0 ? shift : 0), a->at + skip,
	       (a->n - skip) * sizeof(uint32_t));
	q = decimal_new(c, (size_t)na - nb + 1 > frac ? (size_t)na - nb + 1 : frac,
			frac * LIMB_DIGITS);
	limbs_div(c, q->at, work->at, (size_t)na, b->at + from, nb);
	decimal_drop(c, work);
	return decimal_trim(q);
}

struct decimal *decimal_div(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale)
{
	size_t from, nb = core(b, &from);
	struct decimal *q, *r;

	if (!nb)
		return NULL;
	q = quotient_of(c, a, b, from, nb, limbs_for(scale));
	r = decimal_cut(c, q, scale);
	decimal_drop(c, q);
	r->negative = a->negative != b->negative && !decimal_is_zero(r);
	return r;
}

struct decimal *decimal_mod(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale, struct decimal **quotient)
{
	size_t most = b->scale + scale > a->scale ? b->scale + scale : a->scale;
	struct decimal *q = decimal_div(c, a, b, scale), *product, *r;

	if (!q)
		return NULL;
	product = decimal_mul(c, q, b, most);
	r = decimal_sub(c, a, product, most);
	decimal_drop(c, product);
	if (quotient)
		*quotient = q;
	else
		decimal_drop(c, q);
	return r;
}
