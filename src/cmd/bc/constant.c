/*
 * bc's numbers as they are written: constants of the code, and what read() reads.
 *
 * A digit that is too large counts as the base's largest one, but a whole part
 * of one digit has the digit's value in every base (to the base 10 only where
 * there is no fraction).
 */
#include "cmd/bc/bc.h"

struct digits {
	struct str value;	/* of each a byte */
	size_t whole;
};

static struct decimal *build(struct bc *b, struct digits *d, int base, bool negative)
{
	unsigned char *at = (unsigned char *)d->value.p;
	bool single = d->whole == 1;
	struct decimal *a;

	for (size_t i = 0; i < d->value.n; i++)
		if (at[i] >= base && !(single && !i))
			at[i] = (unsigned char)(base - 1);
	a = decimal_build(&b->numbers, at, d->value.n, d->whole, (unsigned)base);
	if (negative)
		decimal_set(&b->numbers, &a, decimal_sub(&b->numbers, b->numbers.zero, a, 0));
	str_end(&d->value);
	return a;
}

/* To the base 10 nothing is to be computed. */
static struct decimal *build_10(struct bc *b, struct digits *d)
{
	size_t n = d->value.n;
	struct decimal *a;
	struct str s;

	if (n == 1 && d->whole == 1) {
		a = decimal_of(&b->numbers, (unsigned char)d->value.p[0]);
		str_end(&d->value);
		return a;
	}
	str_init(&s, b->heap, STR_MAX_DEFAULT);
	for (size_t i = 0; i < n; i++) {
		unsigned char v = (unsigned char)d->value.p[i];

		if (i == d->whole)
			str_addc(&s, '.');
		str_addc(&s, '0' + (v > 9 ? 9 : v));
	}
	a = decimal_parse(&b->numbers, s.p, s.n);
	str_end(&s);
	str_end(&d->value);
	return a;
}

void bcr_constant(struct bc *b)
{
	int base = b->pc.function ? b->constant_base : b->ibase;
	struct digits d = { .whole = SIZE_MAX };
	unsigned ch;

	str_init(&d.value, b->heap, STR_MAX_DEFAULT);
	while ((ch = bcr_byte(b)) != ':') {
		if (ch == '.')
			d.whole = d.value.n;
		else
			str_addc(&d.value, (int)ch);
	}
	if (d.whole > d.value.n)
		d.whole = d.value.n;
	bcr_push(b, base == 10 ? build_10(b, &d) : build(b, &d, base, false));
}

enum { BLANK = 64, OTHER };

/* The next byte: a digit's value, a sign or a point, BLANK or OTHER; -1 at the end. */
static int read_byte(struct bc *b)
{
	int ch = bcl_read_byte(b);

	if (ch == '\\') {
		ch = bcl_read_byte(b);
		if (ch == '\n') {
			ch = bcl_read_byte(b);
			b->column = 0;
		}
	}
	if (ch < 0)
		return -1;
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'A' && ch <= 'Z')
		return ch - 'A' + 10;
	if (ch >= 'a' && ch <= 'z')
		return ch - 'a' + 10;
	if (ch == '.' || ch == '+' || ch == '-')
		return ch;
	return ch <= ' ' ? BLANK : OTHER;
}

static bool is_digit_value(int ch)
{
	return ch >= 0 && ch < 36;
}

/* What ends the number is taken too; and behind a point whatever comes counts as a digit. */
struct decimal *bcr_read_number(struct bc *b)
{
	struct digits d = { .whole = 0 };
	bool negative = false;
	int ch = read_byte(b);

	str_init(&d.value, b->heap, STR_MAX_DEFAULT);
	while (ch == BLANK) {
		ch = read_byte(b);
		if (++b->steps % 256 == 0)
			tsb_tick(b->p, 256);
	}
	if (ch == '+' || ch == '-') {
		negative = ch == '-';
		ch = read_byte(b);
	}
	for (; is_digit_value(ch); ch = read_byte(b))
		str_addc(&d.value, ch);
	d.whole = d.value.n;
	if (ch == '.') {
		ch = read_byte(b);
		if (ch >= 36)
			ch = b->ibase - 1;
		for (; is_digit_value(ch); ch = read_byte(b))
			str_addc(&d.value, ch);
	}
	return build(b, &d, b->ibase, negative);
}
