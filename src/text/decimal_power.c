/*
 * Decimal numbers: powers and square roots.
 */
#include "text/decimal_impl.h"

/* *to *= by, to `scale` digits */
static void times(struct decimal_ctx *c, struct decimal **to, const struct decimal *by, size_t scale)
{
	decimal_set(c, to, decimal_mul(c, *to, by, scale));
}

/* a ^ exponent with all its digits */
static struct decimal *exact_power(struct decimal_ctx *c, const struct decimal *a,
				   uint64_t exponent)
{
	struct decimal *power = decimal_cut(c, a, a->scale), *r = decimal_keep(c->one);

	for (;;) {
		if (exponent & 1)
			times(c, &r, power, r->scale + power->scale);
		exponent >>= 1;
		if (!exponent)
			break;
		times(c, &power, power, 2 * power->scale);
	}
	decimal_drop(c, power);
	return r;
}

struct decimal *decimal_raise(struct decimal_ctx *c, const struct decimal *a,
			      const struct decimal *b, size_t scale)
{
	int64_t exponent = decimal_long(b);
	struct decimal *power, *r;
	size_t most = scale > a->scale ? scale : a->scale, all;

	if (!exponent)
		return b->n > b->frac ? NULL : decimal_keep(c->one);
	power = exact_power(c, a, exponent < 0 ? -(uint64_t)exponent : (uint64_t)exponent);
	if (exponent < 0) {
		r = decimal_div(c, c->one, power, scale);
	} else {
		if (__builtin_mul_overflow(a->scale, (uint64_t)exponent, &all) || all > most)
			all = most;
		r = power->scale > all ? decimal_cut(c, power, all) : decimal_keep(power);
	}
	decimal_drop(c, power);
	return r;
}

static void rest_of(struct decimal_ctx *c, struct decimal **a, const struct decimal *modulus,
		    size_t scale)
{
	decimal_set(c, a, decimal_mod(c, *a, modulus, scale, NULL));
}

struct decimal *decimal_raise_mod(struct decimal_ctx *c, const struct decimal *base,
				  const struct decimal *exponent, const struct decimal *modulus,
				  size_t scale)
{
	struct decimal *two, *left, *power, *r, *half, *odd;
	size_t most = scale > base->scale ? scale : base->scale;

	if (decimal_is_zero(modulus) || exponent->negative)
		return NULL;
	if (!decimal_cmp(modulus, c->one))
		return decimal_cut(c, c->zero, scale);
	two = decimal_of(c, 2);
	left = decimal_cut(c, exponent, exponent->scale);
	power = decimal_cut(c, base, base->scale);
	r = decimal_keep(c->one);
	while (!decimal_is_zero(left)) {
		odd = decimal_mod(c, left, two, 0, &half);
		decimal_set(c, &left, half);
		if (!decimal_is_zero(odd)) {
			times(c, &r, power, most);
			rest_of(c, &r, modulus, scale);
		}
		decimal_drop(c, odd);
		times(c, &power, power, most);
		rest_of(c, &power, modulus, scale);
		decimal_tick(c, 100);
	}
	decimal_drop(c, power);
	decimal_drop(c, left);
	decimal_drop(c, two);
	return r;
}

/* 10^(digits / 2), or 1 below 1. */
static struct decimal *first_guess(struct decimal_ctx *c, const struct decimal *a)
{
	size_t zeros = decimal_whole(a) / 2;
	struct decimal *r;

	if (decimal_cmp(a, c->one) < 0)
		return decimal_keep(c->one);
	r = decimal_new(c, zeros / LIMB_DIGITS + 1, 0);
	r->at[zeros / LIMB_DIGITS] = limb_pow10[zeros % LIMB_DIGITS];
	return r;
}

/* One of Newton's steps, (guess + a / guess) / 2, to `scale` digits: is the guess good for them? */
static bool better(struct decimal_ctx *c, const struct decimal *a, struct decimal **guess,
		   const struct decimal *half, size_t scale)
{
	struct decimal *old = decimal_keep(*guess), *change;
	bool good;

	decimal_set(c, guess, decimal_div(c, a, old, scale));
	decimal_set(c, guess, decimal_add(c, *guess, old, 0));
	times(c, guess, half, scale);
	change = decimal_sub(c, *guess, old, scale + 1);
	good = decimal_near_zero(change, scale);
	decimal_drop(c, old);
	decimal_drop(c, change);
	return good;
}

/*
 * GNU's last digits are those of its approximation, so the digits it works
 * with are kept to: three times as many whenever the guess is good for them.
 */
struct decimal *decimal_sqrt(struct decimal_ctx *c, const struct decimal *a, size_t scale)
{
	size_t want = scale > a->scale ? scale : a->scale, work = 3;
	struct decimal *half, *guess, *r;

	if (a->negative && !decimal_is_zero(a))
		return NULL;
	if (decimal_is_zero(a))
		return decimal_keep(c->zero);
	if (!decimal_cmp(a, c->one))
		return decimal_keep(c->one);
	half = decimal_parse(c, ".5", 2);
	guess = first_guess(c, a);
	if (decimal_cmp(a, c->one) < 0)
		work = a->scale;
	for (;;) {
		decimal_tick(c, 100);
		if (!better(c, a, &guess, half, work))
			continue;
		if (work >= want + 1)
			break;
		work = work * 3 < want + 1 ? work * 3 : want + 1;
	}
	r = decimal_cut(c, guess, want);
	decimal_drop(c, guess);
	decimal_drop(c, half);
	return r;
}
