/*
 * Decimal numbers: what bc gives for them, laws that hold for random ones of
 * many sizes, and that all memory comes back.
 */
#include "text/decimal.h"

#include <stdlib.h>

#include "base/heap.h"
#include "base/str.h"
#include "unit/tap.h"

static struct tsb_heap *h;
static struct decimal_ctx c;
static size_t ticks;
static unsigned state = 1;

static void tick(void *ctx, size_t steps)
{
	(void)ctx;
	ticks += steps;
}

static unsigned next(unsigned below)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % below;
}

static struct decimal *number(const char *s)
{
	return decimal_parse(&c, s, strlen(s));
}

static void is_number(struct decimal *a, uint32_t base, const char *want)
{
	struct str s;

	str_init(&s, h, STR_MAX_DEFAULT);
	if (a)
		decimal_print(&c, a, base, &s);
	else
		str_adds(&s, "none");
	is_str(s.p, want, want);
	str_end(&s);
	if (a)
		decimal_drop(&c, a);
}

static const struct {
	char op;
	const char *a, *b;
	size_t scale;
	uint32_t base;
	const char *want;
} cases[] = {
	{ '+', "1.50", "2", 0, 10, "3.50" },
	{ '+', "999999999", ".000000001", 0, 10, "999999999.000000001" },
	{ '+', "-5", "5.00", 0, 10, "0" },
	{ '-', "1000000000000000000", "1", 0, 10, "999999999999999999" },
	{ '-', "1", "1.5", 0, 10, "-.5" },
	{ '*', "-.5", ".5", 0, 10, "-.2" },
	{ '*', "1.23", "4.567", 5, 10, "5.61741" },
	{ '*', ".01", "-.1", 0, 10, "0" },
	{ '/', "10", "3", 2, 10, "3.33" },
	{ '/', "-7", "2", 0, 10, "-3" },
	{ '/', "1", "0.00", 5, 10, "none" },
	{ '/', ".000000000001", "3", 20, 10, ".00000000000033333333" },
	{ '/', "12345678901234567890123456789", "987654321987654321", 0, 10, "12499999874" },
	{ '%', "7", "3", 2, 10, ".01" },
	{ '%', "-7", "3", 0, 10, "-1" },
	{ '%', "7", "0", 0, 10, "none" },
	{ '^', "2", "100", 0, 10, "1267650600228229401496703205376" },
	{ '^', "1.5", "-3", 5, 10, ".29629" },
	{ '^', "-.05", "3", 0, 10, "-0" },
	{ '^', "0", "-1", 0, 10, "none" },
	{ '^', "2", "99999999999999999999", 0, 10, "none" },
	{ 'v', "2", "0", 20, 10, "1.41421356237309504880" },
	{ 'v', ".25", "0", 0, 10, ".50" },
	{ 'v', "-1", "0", 0, 10, "none" },
	{ '+', "3735928559", "0", 0, 16, "DEADBEEF" },
	{ '+', "10.25", "0", 0, 2, "1010.0100000" },
	{ '+', "12345.123456", "0", 0, 100, " 01 23 45.12 34 56" },
	{ '+', "4294967296", "0", 0, 2147483647, " 0000000002 0000000002" },
};

static struct decimal *compute(char op, const struct decimal *a, const struct decimal *b,
			       size_t scale)
{
	switch (op) {
	case '+':
		return decimal_add(&c, a, b, scale);
	case '-':
		return decimal_sub(&c, a, b, scale);
	case '*':
		return decimal_mul(&c, a, b, scale);
	case '/':
		return decimal_div(&c, a, b, scale);
	case '%':
		return decimal_mod(&c, a, b, scale, NULL);
	case '^':
		return decimal_raise(&c, a, b, scale);
	default:
		return decimal_sqrt(&c, a, scale);
	}
}

static void table(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct decimal *a = number(cases[i].a), *b = number(cases[i].b);

		is_number(compute(cases[i].op, a, b, cases[i].scale), cases[i].base, cases[i].want);
		decimal_drop(&c, a);
		decimal_drop(&c, b);
	}
}

static struct decimal *random_number(size_t digits)
{
	char *s = malloc(digits + 3);
	struct decimal *a;
	size_t n = 0, whole = digits ? next((unsigned)digits) + 1 : 0;
	unsigned kind = next(4);

	if (next(2))
		s[n++] = '-';
	for (size_t i = 0; i < digits; i++) {
		if (i == whole)
			s[n++] = '.';
		s[n++] = (char)('0' + (kind == 0 ? 9 : kind == 1 ? (next(9) ? 0 : 1) : next(10)));
	}
	a = decimal_parse(&c, s, n);
	free(s);
	return a;
}

static size_t random_size(void)
{
	return next(8) ? next(60) + 1 : next(3000) + 1;
}

/* (a + b) * d = a * d + b * d, and the same in halves: Karatsuba and schoolbook agree. */
static bool distributes(void)
{
	struct decimal *a = random_number(random_size()), *b = random_number(random_size());
	struct decimal *d = random_number(random_size());
	size_t most = a->scale + b->scale + d->scale;
	struct decimal *sum = decimal_add(&c, a, b, 0), *left = decimal_mul(&c, sum, d, most);
	struct decimal *ad = decimal_mul(&c, a, d, most), *bd = decimal_mul(&c, b, d, most);
	struct decimal *right = decimal_add(&c, ad, bd, 0), *rest = decimal_sub(&c, left, right, 0);
	bool good = decimal_is_zero(rest);

	decimal_drop(&c, a);
	decimal_drop(&c, b);
	decimal_drop(&c, d);
	decimal_drop(&c, sum);
	decimal_drop(&c, left);
	decimal_drop(&c, ad);
	decimal_drop(&c, bd);
	decimal_drop(&c, right);
	decimal_drop(&c, rest);
	return good;
}

/* a = q * b + r, where r is less than a unit of q's last digit times b. */
static bool divides(void)
{
	struct decimal *a = random_number(random_size()), *b = random_number(random_size());
	struct decimal *q, *r, *back, *sum;
	size_t scale = next(40);
	bool good = true;

	r = decimal_mod(&c, a, b, scale, &q);
	if (r) {
		back = decimal_mul(&c, q, b, q->scale + b->scale);
		sum = decimal_add(&c, back, r, 0);
		good = !decimal_cmp(sum, a) || (decimal_is_zero(sum) && decimal_is_zero(a));
		decimal_drop(&c, back);
		decimal_drop(&c, sum);
		decimal_drop(&c, q);
		decimal_drop(&c, r);
	}
	decimal_drop(&c, a);
	decimal_drop(&c, b);
	return good;
}

static void laws(void)
{
	size_t bad = 0;

	for (int i = 0; i < 3000; i++)
		bad += !distributes() + !divides();
	is_int(bad, 0, "products distribute, quotients and remainders fit");
	ok(ticks > 1000, "long operations tick");
}

static void small_parts(void)
{
	static const unsigned char digits[] = { 15, 15, 8 };
	struct decimal *a = number("-123.456");

	is_int(decimal_long(a), -123, "the whole part");
	is_int(decimal_whole(a), 3, "digits before the point");
	is_int(decimal_digit(a, 1), 5, "a digit behind it");
	is_number(decimal_cut(&c, a, 1), 10, "-123.4");
	is_number(decimal_cut(&c, a, 5), 10, "-123.45600");
	decimal_drop(&c, a);
	a = number("9223372036854775808");
	is_int(decimal_long(a), 0, "too large for an integer");
	decimal_drop(&c, a);
	is_number(decimal_of(&c, INT64_MIN), 10, "-9223372036854775808");
	is_number(decimal_build(&c, digits, 3, 2, 16), 10, "255.5");
	is_number(decimal_build(&c, digits, 2, 2, 16), 16, "FF");
}

static void modular(void)
{
	struct decimal *a = number("4"), *e = number("13"), *m = number("497"), *zero = number("0");

	is_number(decimal_raise_mod(&c, a, e, m, 0), 10, "445");
	is_number(decimal_raise_mod(&c, a, zero, m, 0), 10, "1");
	is_number(decimal_raise_mod(&c, a, e, zero, 0), 10, "none");
	is_number(decimal_raise_mod(&c, a, e, c.one, 0), 10, "0");
	decimal_drop(&c, a);
	decimal_drop(&c, e);
	decimal_drop(&c, m);
	decimal_drop(&c, zero);
}

int main(void)
{
	size_t used;

	h = heap_new(NULL, NULL, NULL, NULL);
	decimal_start(&c, h, tick, NULL);
	table();
	small_parts();
	modular();
	laws();
	used = heap_used(h);
	laws();
	ok(heap_used(h) <= used + (1 << 20), "memory comes back");
	heap_end(h);
	return done();
}
