/*
 * Decimal numbers of any size, as bc and dc have them: a sign, digits before
 * the point, and `scale` digits behind it, which is a property of its own
 * (1.50 is not 1.5). Results are cut off, never rounded. A zero can be
 * negative: cutting does that, and both programs show it.
 *
 * Numbers do not change and are shared: what a call returns is the caller's
 * and is given back by decimal_drop(); arguments are borrowed. All memory is
 * of one heap, whose owner is dropped when memory ends (base/heap.h).
 *
 * Digits are kept to the base of 10^9, aligned to the point. Products are
 * schoolbook or Karatsuba's, quotients Knuth's D; long ones call tick().
 */
#ifndef TEXT_DECIMAL_H
#define TEXT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;
struct tsb_heap;

struct decimal {
	size_t refs;
	size_t n;		/* limbs: the highest of the whole part is not 0 */
	size_t frac;		/* of them behind the point: scale / 9, rounded up */
	size_t scale;
	bool negative;
	uint32_t at[];		/* the lowest first */
};

struct decimal_ctx {
	struct tsb_heap *heap;
	void (*tick)(void *ctx, size_t steps);
	void *ctx;
	size_t steps;		/* not yet reported */
	struct decimal *zero, *one;
};

void decimal_start(struct decimal_ctx *c, struct tsb_heap *heap,
		   void (*tick)(void *ctx, size_t steps), void *ctx);

struct decimal *decimal_of(struct decimal_ctx *c, int64_t value);
static inline struct decimal *decimal_keep(struct decimal *a)
{
	a->refs++;
	return a;
}
void decimal_drop(struct decimal_ctx *c, struct decimal *a);
/* *to lets go of what it holds and takes a. */
void decimal_set(struct decimal_ctx *c, struct decimal **to, struct decimal *a);

bool decimal_is_zero(const struct decimal *a);
/* Less than 2 in the last of `scale` digits, so near that it may be the end of an approximation. */
bool decimal_near_zero(const struct decimal *a, size_t scale);
/* With the sign of zeros: -0 < 0. */
int decimal_cmp(const struct decimal *a, const struct decimal *b);
/* The whole part; 0 where it does not fit. */
int64_t decimal_long(const struct decimal *a);
/* Digits before the point, at least 1. */
size_t decimal_whole(const struct decimal *a);
/* The digit behind the point at place (0 is the first). */
unsigned decimal_digit(const struct decimal *a, size_t place);

/* The same with exactly `scale` digits behind the point. */
struct decimal *decimal_cut(struct decimal_ctx *c, const struct decimal *a, size_t scale);
/* At least scale_min digits behind the point. */
struct decimal *decimal_add(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale_min);
struct decimal *decimal_sub(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale_min);
/* As many digits as are exact, but no more than the largest of the three scales. */
struct decimal *decimal_mul(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale);
/* NULL: b is 0. */
struct decimal *decimal_div(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale);
/* a - (a / b to `scale` digits) * b. quotient may be NULL. NULL: b is 0. */
struct decimal *decimal_mod(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale, struct decimal **quotient);
/* NULL: the exponent does not fit an int64_t, or 0 has a negative one. A fraction of
 * the exponent does not count. */
struct decimal *decimal_raise(struct decimal_ctx *c, const struct decimal *a,
			      const struct decimal *b, size_t scale);
/* base ^ exponent % modulus. NULL: modulus is 0 or exponent is negative. */
struct decimal *decimal_raise_mod(struct decimal_ctx *c, const struct decimal *base,
				  const struct decimal *exponent, const struct decimal *modulus,
				  size_t scale);
/* NULL: a is negative. */
struct decimal *decimal_sqrt(struct decimal_ctx *c, const struct decimal *a, size_t scale);

/* n characters: [-] digits [. digits], to the base 10. */
struct decimal *decimal_parse(struct decimal_ctx *c, const char *s, size_t n);
/* n digits (values, less than base), whole of them before the point. */
struct decimal *decimal_build(struct decimal_ctx *c, const unsigned char *digits, size_t n,
			      size_t whole, unsigned base);
/* Appends a to the base `base` (at least 2): above 16 the digits are groups of figures, each
 * behind a blank. */
void decimal_print(struct decimal_ctx *c, const struct decimal *a, uint32_t base,
		   struct str *out);

#endif
