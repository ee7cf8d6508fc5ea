/*
 * Primality by Miller and Rabin, factors by Pollard's rho as Brent runs it. All
 * numbers are kept in Montgomery's form to a modulus of n limbs.
 */
#include "cmd/factor.h"

#include <string.h>

__extension__ typedef unsigned __int128 factor_wide;

struct factor_field {
	struct tsb_proc *p;
	size_t n;
	const uint64_t *m;
	uint64_t inverse;	/* -1 / m modulo 2^64 */
	uint64_t *one, *minus_one;
	uint64_t *scratch;	/* n + 2 */
	size_t unticked;
};

static int factor_cmp(const uint64_t *a, const uint64_t *b, size_t n)
{
	while (n--)
		if (a[n] != b[n])
			return a[n] < b[n] ? -1 : 1;
	return 0;
}

/* a -= b: the borrow. */
static uint64_t factor_take(uint64_t *a, const uint64_t *b, size_t n)
{
	uint64_t borrow = 0;

	for (size_t i = 0; i < n; i++) {
		factor_wide take = (factor_wide)b[i] + borrow;

		borrow = a[i] < take;
		a[i] -= (uint64_t)take;
	}
	return borrow;
}

/* a += b modulo m. */
static void factor_add(const struct factor_field *f, uint64_t *a, const uint64_t *b)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < f->n; i++) {
		factor_wide sum = (factor_wide)a[i] + b[i] + carry;

		a[i] = (uint64_t)sum;
		carry = (uint64_t)(sum >> 64);
	}
	if (carry || factor_cmp(a, f->m, f->n) >= 0)
		factor_take(a, f->m, f->n);
}

/* a = |a - b| */
static void factor_distance(const struct factor_field *f, uint64_t *out, const uint64_t *a,
			    const uint64_t *b)
{
	bool less = factor_cmp(a, b, f->n) < 0;

	memcpy(out, less ? b : a, f->n * sizeof(*out));
	factor_take(out, less ? a : b, f->n);
}

/* The same for numbers of one word, which most are. */
static uint64_t factor_mul_word(const struct factor_field *f, uint64_t a, uint64_t b)
{
	factor_wide v = (factor_wide)a * b, low = (uint64_t)v, sum;

	low += (factor_wide)((uint64_t)v * f->inverse) * f->m[0];
	sum = (v >> 64) + (low >> 64);
	return (uint64_t)(sum >= f->m[0] ? sum - f->m[0] : sum);
}

static void factor_mul(struct factor_field *f, uint64_t *out, const uint64_t *a, const uint64_t *b)
{
	size_t n = f->n;
	uint64_t *t = f->scratch;
	factor_wide v;

	if (n == 1) {
		out[0] = factor_mul_word(f, a[0], b[0]);
		if (++f->unticked > 4096) {
			tsb_tick(f->p, f->unticked / 64);
			f->unticked = 0;
		}
		return;
	}
	memset(t, 0, (n + 2) * sizeof(*t));
	for (size_t i = 0; i < n; i++) {
		uint64_t carry = 0, q;

		for (size_t k = 0; k < n; k++) {
			v = (factor_wide)a[i] * b[k] + t[k] + carry;
			t[k] = (uint64_t)v;
			carry = (uint64_t)(v >> 64);
		}
		v = (factor_wide)t[n] + carry;
		t[n] = (uint64_t)v;
		t[n + 1] = (uint64_t)(v >> 64);
		q = t[0] * f->inverse;
		v = (factor_wide)q * f->m[0] + t[0];
		carry = (uint64_t)(v >> 64);
		for (size_t k = 1; k < n; k++) {
			v = (factor_wide)q * f->m[k] + t[k] + carry;
			t[k - 1] = (uint64_t)v;
			carry = (uint64_t)(v >> 64);
		}
		v = (factor_wide)t[n] + carry;
		t[n - 1] = (uint64_t)v;
		t[n] = t[n + 1] + (uint64_t)(v >> 64);
		if (n > 64)
			tsb_tick(f->p, n / 64);
	}
	if (t[n] || factor_cmp(t, f->m, n) >= 0)
		factor_take(t, f->m, n);
	memcpy(out, t, n * sizeof(*out));
	f->unticked += n * n;
	if (f->unticked > 4096) {
		tsb_tick(f->p, f->unticked / 64);
		f->unticked = 0;
	}
}

static uint64_t *factor_new(const struct factor_field *f)
{
	return tsb_alloc(f->p, (f->n + 2) * sizeof(uint64_t));
}

static void factor_field_init(struct factor_field *f, struct tsb_proc *p, struct limbs m)
{
	uint64_t inverse = m.at[0];

	*f = (struct factor_field){ .p = p, .n = m.n, .m = m.at };
	for (int i = 0; i < 5; i++)
		inverse *= 2 - m.at[0] * inverse;
	f->inverse = 0 - inverse;
	f->scratch = factor_new(f);
	f->one = factor_new(f);
	f->minus_one = factor_new(f);
	/* 2^(64 n) modulo m, by doubling. */
	f->one[0] = 1;
	for (size_t i = 0; i < 64 * m.n; i++) {
		factor_add(f, f->one, f->one);
		tsb_tick(p, m.n / 64 + 1);
	}
	memcpy(f->minus_one, f->m, f->n * sizeof(*f->m));
	factor_take(f->minus_one, f->one, f->n);
}

/* ---- Primes ---- */

static bool factor_witness(struct factor_field *f, const uint64_t *base, uint64_t *v)
{
	size_t low = 0, bit, n = f->n;

	while (!(f->m[low / 64] >> (low & 63) & 1) || !low)
		low++;		/* m - 1 = odd * 2^low: m's lowest bit is cleared by the -1 */
	memcpy(v, f->one, n * sizeof(*v));
	for (bit = n * 64; bit-- > low;) {
		factor_mul(f, v, v, v);
		if (f->m[bit / 64] >> (bit & 63) & 1)
			factor_mul(f, v, v, base);
	}
	if (!factor_cmp(v, f->one, n) || !factor_cmp(v, f->minus_one, n))
		return false;
	while (--low) {
		factor_mul(f, v, v, v);
		if (!factor_cmp(v, f->minus_one, n))
			return false;
	}
	return true;
}

bool factor_is_prime(struct tsb_proc *p, struct limbs m)
{
	static const unsigned char bases[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37 };
	enum { RANDOM = 20 };
	struct factor_field f;
	uint64_t *base, *v;
	size_t tries = sizeof(bases) + (m.n > 1 ? RANDOM : 0);

	if (m.n == 1 && m.at[0] < 1681)	/* the square of the first prime behind 37 */
		for (size_t i = 0; i < sizeof(bases); i++)
			if (m.at[0] % bases[i] == 0)
				return m.at[0] == bases[i];
	if (m.n == 1 && m.at[0] < 1681)
		return m.at[0] > 1;
	factor_field_init(&f, p, m);
	base = factor_new(&f);
	v = factor_new(&f);
	for (size_t i = 0; i < tries; i++) {
		if (i < sizeof(bases)) {
			memset(base, 0, f.n * sizeof(*base));
			for (int k = 0; k < bases[i]; k++)
				factor_add(&f, base, f.one);
		} else {
			tsb_random(p, base, f.n * sizeof(*base));
			base[f.n - 1] %= f.m[f.n - 1];
			base[0] |= 1;
		}
		if (factor_witness(&f, base, v))
			return false;
	}
	return true;
}

/* ---- Factors ---- */

static bool factor_is_zero(const uint64_t *a, size_t n)
{
	while (n--)
		if (a[n])
			return false;
	return true;
}

static void factor_halve(uint64_t *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = a[i] >> 1 | (i + 1 < n ? a[i + 1] << 63 : 0);
}

/* The greatest common divisor of a (which may be 0) and the odd m. */
static struct limbs factor_gcd(struct factor_field *f, const uint64_t *a)
{
	struct limbs g = { factor_new(f), f->n };
	uint64_t *x = factor_new(f);
	size_t n = f->n;

	memcpy(g.at, f->m, n * sizeof(*x));
	memcpy(x, a, n * sizeof(*x));
	while (!factor_is_zero(x, n)) {
		while (!(x[0] & 1))
			factor_halve(x, n);
		if (factor_cmp(x, g.at, n) < 0) {
			for (size_t i = 0; i < n; i++) {
				uint64_t swap = x[i];

				x[i] = g.at[i];
				g.at[i] = swap;
			}
		}
		factor_take(x, g.at, n);
		tsb_tick(f->p, n / 64 + 1);
	}
	tsb_free(f->p, x);
	while (g.n && !g.at[g.n - 1])
		g.n--;
	return g;
}

struct factor_rho {
	struct factor_field f;
	uint64_t *c, *x, *y, *saved, *product, *distance;
};

static void factor_step(struct factor_rho *r)
{
	factor_mul(&r->f, r->y, r->y, r->y);
	factor_add(&r->f, r->y, r->c);
}

static bool factor_is_one(struct limbs g)
{
	return g.n == 1 && g.at[0] == 1;
}

/* From the saved point again, one step a time: the divisor, or m itself. */
static struct limbs factor_slowly(struct factor_rho *r)
{
	struct limbs g;

	memcpy(r->y, r->saved, r->f.n * sizeof(*r->y));
	while (true) {
		factor_step(r);
		factor_distance(&r->f, r->distance, r->x, r->y);
		g = factor_gcd(&r->f, r->distance);
		if (!factor_is_one(g))
			return g;
		tsb_free(r->f.p, g.at);
	}
}

static struct limbs factor_walk(struct factor_rho *r)
{
	enum { BATCH = 128 };
	size_t bytes = r->f.n * sizeof(uint64_t);
	struct limbs g;

	memcpy(r->product, r->f.one, bytes);
	for (uint64_t length = 1;; length *= 2) {
		memcpy(r->x, r->y, bytes);
		for (uint64_t i = 0; i < length; i++)
			factor_step(r);
		for (uint64_t done = 0; done < length; done += BATCH) {
			memcpy(r->saved, r->y, bytes);
			for (uint64_t i = 0; i < BATCH && i < length - done; i++) {
				factor_step(r);
				factor_distance(&r->f, r->distance, r->x, r->y);
				factor_mul(&r->f, r->product, r->product, r->distance);
			}
			g = factor_gcd(&r->f, r->product);
			if (!factor_is_one(g))
				return limbs_cmp(g, (struct limbs){ (uint64_t *)r->f.m, r->f.n }) ?
					g : factor_slowly(r);
			tsb_free(r->f.p, g.at);
		}
	}
}

struct limbs factor_find(struct tsb_proc *p, struct limbs m)
{
	struct factor_rho r;
	struct limbs g;

	factor_field_init(&r.f, p, m);
	r.c = factor_new(&r.f);
	r.x = factor_new(&r.f);
	r.y = factor_new(&r.f);
	r.saved = factor_new(&r.f);
	r.product = factor_new(&r.f);
	r.distance = factor_new(&r.f);
	do {
		factor_add(&r.f, r.c, r.f.one);
		memcpy(r.y, r.f.one, r.f.n * sizeof(*r.y));
		factor_add(&r.f, r.y, r.f.one);
		g = factor_walk(&r);
	} while (!limbs_cmp(g, m));
	return g;
}
