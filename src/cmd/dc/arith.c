/*
 * dc's arithmetic. After an error the operands are on the stack again.
 */
#include "cmd/dc/dc.h"

static struct decimal *top(struct dc *d, size_t below)
{
	return d->stack.at[d->stack.n - 1 - below].number;
}

/* Are the topmost n all numbers? */
static bool numbers(struct dc *d, size_t n)
{
	if (!dc_has(d, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!top(d, i)) {
			dc_say(d, "non-numeric value");
			return false;
		}
	return true;
}

/* The topmost n are used up. */
static void used(struct dc *d, size_t n)
{
	while (n--)
		dc_drop(d, vec_pop(&d->stack));
}

static void note(struct dc *d, const char *kind, const char *text)
{
	char *s = tsb_format(d->p, "Runtime %s: %s\n", kind, text);

	dc_complain(d, s);
	tsb_free(d->p, s);
}

static struct decimal *raise(struct dc *d, const struct decimal *a, const struct decimal *b)
{
	struct decimal *r;

	if (b->scale)
		note(d, "warning", "non-zero scale in exponent");
	if (!decimal_long(b) && b->n > b->frac) {
		note(d, "error", "exponent too large in raise");
		return decimal_keep(d->numbers.one);
	}
	r = decimal_raise(&d->numbers, a, b, d->scale);
	return r ? r : decimal_keep(d->numbers.zero);
}

static struct decimal *compute(struct dc *d, int op, const struct decimal *a,
			       const struct decimal *b)
{
	struct decimal_ctx *c = &d->numbers;

	switch (op) {
	case '+':
		return decimal_add(c, a, b, 0);
	case '-':
		return decimal_sub(c, a, b, 0);
	case '*':
		return decimal_mul(c, a, b, d->scale);
	case '/':
		return decimal_div(c, a, b, d->scale);
	case '%':
		return decimal_mod(c, a, b, d->scale, NULL);
	default:
		return raise(d, a, b);
	}
}

void dca_binary(struct dc *d, int op)
{
	struct decimal *r;

	if (!numbers(d, 2))
		return;
	r = compute(d, op, top(d, 1), top(d, 0));
	if (!r) {
		dc_say(d, op == '/' ? "divide by zero" : "remainder by zero");
		return;
	}
	used(d, 2);
	dc_push_number(d, r);
}

void dca_divide(struct dc *d)
{
	struct decimal *quotient, *rest;

	if (!numbers(d, 2))
		return;
	rest = decimal_mod(&d->numbers, top(d, 1), top(d, 0), d->scale, &quotient);
	if (!rest) {
		dc_say(d, "divide by zero");
		return;
	}
	used(d, 2);
	dc_push_number(d, quotient);
	dc_push_number(d, rest);
}

/* Fractions are warned of, and only the exponent's is cut off. */
void dca_raise_mod(struct dc *d)
{
	struct decimal *exponent, *r;

	if (!numbers(d, 3))
		return;
	if (decimal_is_zero(top(d, 0))) {
		dc_say(d, "remainder by zero");
		return;
	}
	if (top(d, 1)->negative)
		return;
	if (top(d, 2)->scale)
		note(d, "warning", "non-zero scale in base");
	if (top(d, 1)->scale)
		note(d, "warning", "non-zero scale in exponent");
	if (top(d, 0)->scale)
		note(d, "warning", "non-zero scale in modulus");
	exponent = decimal_cut(&d->numbers, top(d, 1), 0);
	r = decimal_raise_mod(&d->numbers, top(d, 2), exponent, top(d, 0), d->scale);
	decimal_drop(&d->numbers, exponent);
	used(d, 3);
	dc_push_number(d, r);
}

void dca_root(struct dc *d)
{
	struct decimal *r;
	struct dc_value v;

	if (!dc_pop(d, &v))
		return;
	if (!v.number) {
		dc_say(d, "square root of nonnumeric attempted");
	} else {
		r = decimal_sqrt(&d->numbers, v.number, d->scale);
		if (r)
			dc_push_number(d, r);
		else
			dc_say(d, "square root of negative number");
	}
	dc_drop(d, v);
}

/* The top against the one below it; 0 after an error. */
int dca_compare(struct dc *d)
{
	int r;

	if (!numbers(d, 2))
		return 0;
	r = decimal_cmp(top(d, 0), top(d, 1));
	used(d, 2);
	return r;
}

/* All digits but zeros in front, at least one. */
size_t dca_length(const struct decimal *a)
{
	size_t zeros = 0, n = decimal_whole(a) + a->scale;

	if (a->n > a->frac)
		return n;
	while (zeros < a->scale && !decimal_digit(a, zeros))
		zeros++;
	return zeros < a->scale ? a->scale - zeros : 1;
}

/* Digits are taken while an int has room for another, so that a little more than fits goes
 * round. A fraction alone is taken for too large. */
int dca_int(struct dc *d, const struct decimal *a)
{
	int64_t v = decimal_long(a);

	if ((!v && !decimal_is_zero(a)) || v > 2147483649 || v < -2147483649) {
		dc_say(d, "value overflows simple integer; punting...");
		return -1;
	}
	return (int)(uint32_t)v;
}
