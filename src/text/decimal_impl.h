/*
 * What the files of decimal share: limbs, arrays of digits to the base of 10^9,
 * the lowest first.
 */
#ifndef TEXT_DECIMAL_IMPL_H
#define TEXT_DECIMAL_IMPL_H

#include "base/heap.h"
#include "text/decimal.h"

#define LIMB_BASE 1000000000u
#define LIMB_DIGITS 9u

static const uint32_t limb_pow10[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000
};

static inline size_t limbs_for(size_t digits)
{
	return digits / LIMB_DIGITS + (digits % LIMB_DIGITS != 0);
}

static inline void decimal_tick(struct decimal_ctx *c, size_t steps)
{
	c->steps += steps;
	if (c->steps >= 20000) {
		c->tick(c->ctx, c->steps / 64);
		c->steps = 0;
	}
}

/* A number of n limbs, all 0, for `scale` digits behind the point. */
struct decimal *decimal_new(struct decimal_ctx *c, size_t n, size_t scale);
/* Without limbs that are 0 above the whole part; a. */
struct decimal *decimal_trim(struct decimal *a);
/* out[na + nb] = a * b. */
void limbs_mul(struct decimal_ctx *c, uint32_t *out, const uint32_t *a, size_t na,
	       const uint32_t *b, size_t nb);
/* out[n] = a / d; the remainder. */
uint32_t limbs_div_small(struct decimal_ctx *c, uint32_t *out, const uint32_t *a, size_t n,
			 uint32_t d);

#endif
