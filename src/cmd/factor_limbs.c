/*
 * Arithmetic on limbs for factor: schoolbook, since what is long cannot be
 * factored anyway. Every pass over a long row ticks.
 */
#include "cmd/factor.h"

#include <string.h>

#include "base/num.h"

__extension__ typedef unsigned __int128 limbs_wide;

static uint64_t *limbs_alloc(struct tsb_proc *p, size_t n)
{
	size_t bytes;

	if (!num_mul(n + 1, sizeof(uint64_t), &bytes))
		bytes = SIZE_MAX;	/* ends the process */
	return tsb_alloc(p, bytes);
}

static void limbs_trim(struct limbs *a)
{
	while (a->n && !a->at[a->n - 1])
		a->n--;
}

/* a = a * by + add; there is room for one limb more. */
static void limbs_scale(struct limbs *a, uint64_t by, uint64_t add)
{
	limbs_wide carry = add;

	for (size_t i = 0; i < a->n; i++) {
		carry += (limbs_wide)a->at[i] * by;
		a->at[i] = (uint64_t)carry;
		carry >>= 64;
	}
	if (carry)
		a->at[a->n++] = (uint64_t)carry;
}

struct limbs limbs_parse(struct tsb_proc *p, const char *digits, size_t len)
{
	struct limbs a = { limbs_alloc(p, len / 19 + 2), 0 };

	for (size_t i = 0; i < len;) {
		uint64_t part = 0, by = 1;

		for (size_t k = 0; k < 18 && i < len; k++, i++) {
			part = part * 10 + (uint64_t)(digits[i] - '0');
			by *= 10;
		}
		limbs_scale(&a, by, part);
		tsb_tick(p, a.n / 64 + 1);
	}
	return a;
}

uint64_t limbs_divide(struct limbs *a, uint64_t d)
{
	limbs_wide rest = 0;

	for (size_t i = a->n; i--;) {
		rest = rest << 64 | a->at[i];
		a->at[i] = (uint64_t)(rest / d);
		rest %= d;
	}
	limbs_trim(a);
	return (uint64_t)rest;
}

uint64_t limbs_remainder(struct limbs a, uint64_t d)
{
	limbs_wide rest = 0;

	for (size_t i = a.n; i--;)
		rest = rest ? (rest << 64 | a.at[i]) % d : a.at[i] % d;	/* the short division if it will do */
	return (uint64_t)rest;
}

static struct limbs limbs_copy(struct tsb_proc *p, struct limbs a)
{
	struct limbs copy = { limbs_alloc(p, a.n), a.n };

	if (a.n)
		memcpy(copy.at, a.at, a.n * sizeof(*a.at));
	return copy;
}

char *limbs_print(struct tsb_proc *p, struct limbs a)
{
	struct limbs left = limbs_copy(p, a);
	size_t size = a.n * 20 + 2, at = size - 1;
	char *text = tsb_alloc(p, size);

	do {
		uint64_t part = limbs_divide(&left, 1000000000000000000);

		for (size_t k = 0; k < 18 && (left.n || part || at == size - 1); k++) {
			text[--at] = (char)('0' + part % 10);
			part /= 10;
		}
		tsb_tick(p, left.n / 64 + 1);
	} while (left.n);
	tsb_free(p, left.at);
	return text + at;
}

int limbs_cmp(struct limbs a, struct limbs b)
{
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	for (size_t i = a.n; i--;)
		if (a.at[i] != b.at[i])
			return a.at[i] < b.at[i] ? -1 : 1;
	return 0;
}

/* Bit by bit: it is done once a factor. */
struct limbs limbs_quotient(struct tsb_proc *p, struct limbs a, struct limbs b)
{
	struct limbs q = { limbs_alloc(p, a.n), a.n }, rest = { limbs_alloc(p, b.n + 1), 0 };

	for (size_t bit = a.n * 64; bit--;) {
		limbs_scale(&rest, 2, a.at[bit / 64] >> (bit & 63) & 1);
		tsb_tick(p, b.n / 64 + 1);
		if (limbs_cmp(rest, b) < 0)
			continue;
		q.at[bit / 64] |= (uint64_t)1 << (bit & 63);
		for (size_t i = 0, borrow = 0; i < rest.n; i++) {
			limbs_wide take = (limbs_wide)(i < b.n ? b.at[i] : 0) + borrow;

			borrow = rest.at[i] < take;
			rest.at[i] -= (uint64_t)take;
		}
		limbs_trim(&rest);
	}
	limbs_trim(&q);
	tsb_free(p, rest.at);
	return q;
}
