/*
 * Decimal numbers: products.
 *
 * Schoolbook adds the rows into 64-bit columns and carries after 16 rows, which
 * is as many as fit; Karatsuba's halves take over where they pay.
 */
#include "text/decimal_impl.h"

#include <string.h>

enum { ROWS = 16, KARATSUBA = 48 };

static void carry_columns(uint64_t *column, size_t n)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t v = column[i] + carry;

		carry = v / LIMB_BASE;
		column[i] = v - carry * LIMB_BASE;
	}
}

/* The carry of rows [from, to) runs through their columns and as far as it comes. */
static void carry_from(uint64_t *column, size_t from, size_t to)
{
	uint64_t carry = 0;

	for (size_t i = from; i < to || carry; i++) {
		uint64_t v = column[i] + carry;

		carry = v / LIMB_BASE;
		column[i] = v - carry * LIMB_BASE;
	}
}

static void mul_school(struct decimal_ctx *c, uint32_t *out, const uint32_t *a, size_t na,
		       const uint32_t *b, size_t nb)
{
	uint64_t *column = heap_zalloc(c->heap, (na + nb + 1) * sizeof(*column));

	for (size_t row = 0; row < na; row += ROWS) {
		size_t end = row + ROWS < na ? row + ROWS : na;

		for (size_t i = row; i < end; i++) {
			uint64_t x = a[i];
			uint64_t *to = column + i;

			for (size_t j = 0; j < nb; j++)
				to[j] += x * b[j];
		}
		carry_from(column, row, end + nb);
		decimal_tick(c, (end - row) * nb / 2);
	}
	carry_columns(column, na + nb);
	for (size_t i = 0; i < na + nb; i++)
		out[i] = (uint32_t)column[i];
	heap_free(c->heap, column);
}

/* to[n] += a[na]; the carry that is left. na <= n */
static uint32_t add_to(uint32_t *to, size_t n, const uint32_t *a, size_t na)
{
	uint32_t carry = 0;

	for (size_t i = 0; i < n && (i < na || carry); i++) {
		uint32_t v = to[i] + (i < na ? a[i] : 0) + carry;

		carry = v >= LIMB_BASE;
		to[i] = carry ? v - LIMB_BASE : v;
	}
	return carry;
}

/* to[n] -= a[na], which is not more */
static void sub_from(uint32_t *to, size_t n, const uint32_t *a, size_t na)
{
	uint32_t borrow = 0;

	for (size_t i = 0; i < n && (i < na || borrow); i++) {
		uint32_t less = (i < na ? a[i] : 0) + borrow;

		borrow = to[i] < less;
		to[i] = borrow ? to[i] + LIMB_BASE - less : to[i] - less;
	}
}

/*
 * a and b of n limbs each, halved at h: high * high and low * low are made in
 * place, the middle is (low + high) * (low + high) less both. Each level halves
 * n, so the depth is its logarithm.
 */
static void mul_halves(struct decimal_ctx *c, uint32_t *out, const uint32_t *a,
		       const uint32_t *b, size_t n)
{
	size_t h = n / 2, m = n - h + 1;
	uint32_t *sums = heap_zalloc(c->heap, 4 * m * sizeof(*sums));
	uint32_t *sa = sums, *sb = sums + m, *middle = sums + 2 * m;

	limbs_mul(c, out, a, h, b, h);
	limbs_mul(c, out + 2 * h, a + h, n - h, b + h, n - h);
	memcpy(sa, a + h, (n - h) * sizeof(*sa));
	memcpy(sb, b + h, (n - h) * sizeof(*sb));
	add_to(sa, m, a, h);
	add_to(sb, m, b, h);
	limbs_mul(c, middle, sa, m, sb, m);
	sub_from(middle, 2 * m, out, 2 * h);
	sub_from(middle, 2 * m, out + 2 * h, 2 * (n - h));
	for (m *= 2; m && !middle[m - 1];)
		m--;
	add_to(out + h, 2 * n - h, middle, m);
	heap_free(c->heap, sums);
}

/* b is longer: in pieces as long as a. */
static void mul_pieces(struct decimal_ctx *c, uint32_t *out, const uint32_t *a, size_t na,
		       const uint32_t *b, size_t nb)
{
	uint32_t *piece = heap_array(c->heap, 2 * na, sizeof(*piece));

	memset(out, 0, (na + nb) * sizeof(*out));
	for (size_t at = 0; at < nb; at += na) {
		size_t n = nb - at < na ? nb - at : na;

		limbs_mul(c, piece, a, na, b + at, n);
		add_to(out + at, na + nb - at, piece, na + n);
	}
	heap_free(c->heap, piece);
}

void limbs_mul(struct decimal_ctx *c, uint32_t *out, const uint32_t *a, size_t na,
	       const uint32_t *b, size_t nb)
{
	if (na > nb) {
		limbs_mul(c, out, b, nb, a, na);
		return;
	}
	if (na < KARATSUBA)
		mul_school(c, out, a, na, b, nb);
	else if (na == nb)
		mul_halves(c, out, a, b, na);
	else
		mul_pieces(c, out, a, na, b, nb);
}

struct decimal *decimal_mul(struct decimal_ctx *c, const struct decimal *a,
			    const struct decimal *b, size_t scale)
{
	struct decimal *all = decimal_new(c, a->n + b->n, 0), *r;

	limbs_mul(c, all->at, a->at, a->n, b->at, b->n);
	if (a->scale > scale)
		scale = a->scale;
	if (b->scale > scale)
		scale = b->scale;
	if (scale > a->scale + b->scale)
		scale = a->scale + b->scale;
	all->frac = a->frac + b->frac;
	all->scale = all->frac * LIMB_DIGITS;
	r = decimal_cut(c, decimal_trim(all), scale);
	decimal_drop(c, all);
	r->negative = a->negative != b->negative && !decimal_is_zero(r);
	return r;
}
