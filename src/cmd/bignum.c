/*
 * Schoolbook arithmetic to the base of 10^9, so that texts come and go in
 * linear time. Long rows tick.
 */
#include "cmd/bignum.h"

#include <string.h>

#include <tinysandbox/command.h>

#include "base/num.h"

#define BIGNUM_BASE 1000000000u
enum { BIGNUM_DIGITS = 9 };

static uint32_t *bignum_alloc(struct tsb_proc *p, size_t n)
{
	size_t bytes;

	if (!num_mul(n + 1, sizeof(uint32_t), &bytes))
		bytes = SIZE_MAX;	/* ends the process */
	return tsb_alloc(p, bytes);
}

static struct bignum bignum_trim(struct bignum a)
{
	while (a.n && !a.at[a.n - 1])
		a.n--;
	a.negative &= a.n > 0;
	return a;
}

bool bignum_is(const char *s)
{
	s += *s == '-';
	return *s && !s[strspn(s, "0123456789")];
}

struct bignum bignum_parse(struct tsb_proc *p, const char *s)
{
	struct bignum a = { NULL, 0, *s == '-' };
	size_t n = strlen(s += a.negative);

	a.at = bignum_alloc(p, n / BIGNUM_DIGITS + 1);
	while (n) {
		size_t from = n > BIGNUM_DIGITS ? n - BIGNUM_DIGITS : 0;
		uint32_t v = 0;

		for (size_t i = from; i < n; i++)
			v = v * 10 + (uint32_t)(s[i] - '0');
		a.at[a.n++] = v;
		n = from;
	}
	return bignum_trim(a);
}

char *bignum_print(struct tsb_proc *p, struct bignum a)
{
	char *text = tsb_alloc(p, a.n * BIGNUM_DIGITS + 3), *to = text;

	if (!a.n) {
		*to = '0';
		return text;
	}
	if (a.negative)
		*to++ = '-';
	for (size_t i = a.n; i--; ) {
		char digits[BIGNUM_DIGITS];
		uint32_t v = a.at[i];

		for (size_t k = BIGNUM_DIGITS; k--; v /= 10)
			digits[k] = (char)('0' + v % 10);
		for (size_t k = 0; k < BIGNUM_DIGITS; k++)
			if (i + 1 < a.n || digits[k] != '0' || to > text + a.negative)
				*to++ = digits[k];
	}
	return text;
}

/* ---- Magnitudes ---- */

static int magnitude_cmp(struct bignum a, struct bignum b)
{
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	for (size_t i = a.n; i--; )
		if (a.at[i] != b.at[i])
			return a.at[i] < b.at[i] ? -1 : 1;
	return 0;
}

static struct bignum magnitude_add(struct tsb_proc *p, struct bignum a, struct bignum b)
{
	size_t n = (a.n > b.n ? a.n : b.n) + 1;
	struct bignum sum = { bignum_alloc(p, n), n, false };
	uint32_t carry = 0;

	for (size_t i = 0; i < n; i++) {
		carry += (i < a.n ? a.at[i] : 0) + (i < b.n ? b.at[i] : 0);
		sum.at[i] = carry % BIGNUM_BASE;
		carry /= BIGNUM_BASE;
	}
	tsb_tick(p, n / 64);
	return bignum_trim(sum);
}

/* a is at least b. */
static struct bignum magnitude_sub(struct tsb_proc *p, struct bignum a, struct bignum b)
{
	struct bignum rest = { bignum_alloc(p, a.n), a.n, false };
	uint32_t borrow = 0;

	for (size_t i = 0; i < a.n; i++) {
		uint32_t take = (i < b.n ? b.at[i] : 0) + borrow;

		borrow = a.at[i] < take;
		rest.at[i] = a.at[i] + (borrow ? BIGNUM_BASE : 0) - take;
	}
	tsb_tick(p, a.n / 64);
	return bignum_trim(rest);
}

/* ---- Numbers ---- */

int bignum_cmp(struct bignum a, struct bignum b)
{
	if (a.negative != b.negative)
		return a.negative ? -1 : 1;
	return a.negative ? magnitude_cmp(b, a) : magnitude_cmp(a, b);
}

struct bignum bignum_add(struct tsb_proc *p, struct bignum a, struct bignum b)
{
	struct bignum c;

	if (a.negative == b.negative) {
		c = magnitude_add(p, a, b);
		c.negative = a.negative;
	} else if (magnitude_cmp(a, b) >= 0) {
		c = magnitude_sub(p, a, b);
		c.negative = a.negative;
	} else {
		c = magnitude_sub(p, b, a);
		c.negative = b.negative;
	}
	return bignum_trim(c);
}

struct bignum bignum_sub(struct tsb_proc *p, struct bignum a, struct bignum b)
{
	b.negative = !b.negative && b.n;
	return bignum_add(p, a, b);
}

struct bignum bignum_mul(struct tsb_proc *p, struct bignum a, struct bignum b)
{
	struct bignum c = { bignum_alloc(p, a.n + b.n), a.n + b.n, a.negative != b.negative };

	for (size_t i = 0; i < a.n; i++) {
		uint64_t carry = 0;

		for (size_t k = 0; k < b.n || carry; k++) {
			carry += c.at[i + k] + (uint64_t)a.at[i] * (k < b.n ? b.at[k] : 0);
			c.at[i + k] = (uint32_t)(carry % BIGNUM_BASE);
			carry /= BIGNUM_BASE;
		}
		tsb_tick(p, b.n / 64);
	}
	return bignum_trim(c);
}

/* a -= b * q, at the same place; both have n digits (b's top may be 0). */
static void row_sub(uint32_t *a, const uint32_t *b, size_t n, uint64_t q)
{
	uint64_t carry = 0;
	int64_t borrow = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t left;

		carry += b[i] * q;
		left = (int64_t)a[i] - (int64_t)(carry % BIGNUM_BASE) - borrow;
		carry /= BIGNUM_BASE;
		borrow = left < 0;
		a[i] = (uint32_t)(left + (borrow ? BIGNUM_BASE : 0));
	}
}

static int row_cmp(const uint32_t *a, const uint32_t *b, size_t n)
{
	while (n--)
		if (a[n] != b[n])
			return a[n] < b[n] ? -1 : 1;
	return 0;
}

/* One digit of a quotient: from below, by the two highest digits, in few steps. */
static uint32_t row_divide(uint32_t *rest, const uint32_t *b, size_t n)
{
	uint32_t digit = 0;

	for (;;) {
		/* n counts a digit above the highest of b. */
		uint64_t high = rest[n - 1] * (uint64_t)BIGNUM_BASE + rest[n - 2];
		uint64_t q = high / ((uint64_t)b[n - 2] + 1);

		if (!q && row_cmp(rest, b, n) < 0)
			return digit;
		q += !q;
		row_sub(rest, b, n, q);
		digit += (uint32_t)q;
	}
}

struct bignum bignum_div(struct tsb_proc *p, struct bignum a, struct bignum b,
			 struct bignum *remainder)
{
	struct bignum q = { bignum_alloc(p, a.n), a.n, a.negative != b.negative };
	uint32_t *rest = bignum_alloc(p, a.n + 2), *divisor = bignum_alloc(p, b.n + 1);

	memcpy(rest, a.at, a.n * sizeof(*rest));
	memcpy(divisor, b.at, b.n * sizeof(*divisor));
	for (size_t i = a.n; i-- > 0; ) {
		if (i + b.n > a.n)
			continue;
		q.at[i] = row_divide(rest + i, divisor, b.n + 1);
		tsb_tick(p, b.n / 16 + 1);
	}
	*remainder = bignum_trim((struct bignum){ rest, a.n, a.negative });
	return bignum_trim(q);
}
