/*
 * Numbers in sort's keys: -n on digits of any length, -h, -g, -M and the hash
 * of -R. Each has a comparison and most have a 64-bit image that orders the
 * same way, so that a line's number is read once.
 */
#include "cmd/sort.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/digest.h"

/* ---- -n ---- */

struct number {
	bool negative;
	const char *whole, *part;	/* digits before and behind the point, without */
	size_t n_whole, n_part;		/* zeros that say nothing */
	size_t length;			/* bytes of the text it takes */
	bool digits;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t blanks(const struct sort_line *a)
{
	size_t i = 0;

	while (i < a->n && (a->at[i] == ' ' || a->at[i] == '\t' || a->at[i] == '\n'))
		i++;
	return i;
}

static struct number scan(const struct sort_line *a)
{
	struct number v = { 0 };
	size_t i = blanks(a), n = a->n, start;
	bool minus = i < n && a->at[i] == '-';

	i += minus;
	start = i;
	while (i < n && a->at[i] == '0')
		i++;
	v.whole = a->at + i;
	while (i < n && is_digit(a->at[i]))
		i++;
	v.n_whole = (size_t)(a->at + i - v.whole);
	v.digits = i > start;
	v.part = a->at + i;
	if (i < n && a->at[i] == '.') {
		v.part = a->at + ++i;
		while (i < n && is_digit(a->at[i]))
			i++;
		v.n_part = (size_t)(a->at + i - v.part);
		v.digits |= v.n_part > 0;
		while (v.n_part && v.part[v.n_part - 1] == '0')
			v.n_part--;
	}
	v.length = i;
	v.negative = minus && (v.n_whole || v.n_part);
	return v;
}

static int compare_digits(const char *a, size_t na, const char *b, size_t nb)
{
	int d = memcmp(a, b, na < nb ? na : nb);

	return d ? d : (na > nb) - (na < nb);
}

static int compare_numbers(const struct number *x, const struct number *y)
{
	int d;

	if (x->negative != y->negative)
		return x->negative ? -1 : 1;
	if (x->n_whole != y->n_whole)
		d = x->n_whole < y->n_whole ? -1 : 1;
	else
		d = memcmp(x->whole, y->whole, x->n_whole);
	if (!d)
		d = compare_digits(x->part, x->n_part, y->part, y->n_part);
	return x->negative ? (d < 0) - (d > 0) : d;
}

int sort_compare_numeric(const struct sort_line *a, const struct sort_line *b)
{
	struct number x = scan(a), y = scan(b);

	return compare_numbers(&x, &y);
}

/* The first n digits, with zeros for those that are missing. */
static uint64_t leading(const char *at, size_t have, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v * 10 + (i < have ? (uint64_t)(at[i] - '0') : 0);
	return v;
}

static uint64_t signed_image(const struct number *v, uint64_t magnitude)
{
	uint64_t middle = (uint64_t)1 << 63;

	return v->negative ? middle - magnitude : middle + magnitude;
}

/* Up to 9 digits: the number in units of 10^-9. More: behind all of these, by
 * how many there are and the first 16. */
uint64_t sort_prefix_numeric(const struct sort_line *a, bool *exact)
{
	const uint64_t unit = 1000000000, e16 = 10000000000000000;
	struct number v = scan(a);
	uint64_t m;

	if (v.n_whole <= 9) {
		m = leading(v.whole, v.n_whole, v.n_whole) * unit + leading(v.part, v.n_part, 9);
		*exact = v.n_part <= 9;
	} else {
		m = unit * unit + (v.n_whole < 60 ? v.n_whole : 60) * e16 +
		    leading(v.whole, v.n_whole, 16);
		*exact = v.n_whole <= 16 && !v.n_part;
	}
	return signed_image(&v, m);
}

/* ---- -h ---- */

/* The power of the suffix behind the number, 0 for a number that is 0. */
static int human_power(const struct sort_line *a, const struct number *v)
{
	static const char letters[] = "KMGTPEZY";
	const char *at;
	char c;

	if ((!v->n_whole && !v->n_part) || v->length >= a->n)
		return 0;
	c = a->at[v->length];
	if (c == 'k')
		c = 'K';
	at = c ? strchr(letters, c) : NULL;
	return at ? (int)(at - letters) + 1 : 0;
}

int sort_compare_human(const struct sort_line *a, const struct sort_line *b)
{
	struct number x = scan(a), y = scan(b);
	int px = human_power(a, &x), py = human_power(b, &y);

	px = x.negative ? -px : px;
	py = y.negative ? -py : py;
	return px != py ? px - py : compare_numbers(&x, &y);
}

uint64_t sort_prefix_human(const struct sort_line *a, bool *exact)
{
	const uint64_t unit = 1000000000, e14 = 100000000000000;
	struct number v = scan(a);
	uint64_t m, power = (uint64_t)human_power(a, &v);

	if (v.n_whole <= 6) {
		m = leading(v.whole, v.n_whole, v.n_whole) * unit + leading(v.part, v.n_part, 9);
		*exact = v.n_part <= 9;
	} else {
		m = unit * 1000000 + (v.n_whole < 100 ? v.n_whole : 100) * e14 +
		    leading(v.whole, v.n_whole, 14);
		*exact = v.n_whole <= 14 && !v.n_part;
	}
	return signed_image(&v, power << 55 | m);
}

/* ---- -g ---- */

/* false: no number. The text is copied, because the reader wants its NUL. */
static bool general_read(struct sort *s, const struct sort_line *a, long double *v, size_t *used)
{
	char small[128], *copy = a->n < sizeof(small) ? small : text_alloc(s->p, a->n + 1), *end;
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	memcpy(copy, a->at, a->n);
	copy[a->n] = '\0';
	*v = strtold_l(copy, &end, c);
	*used = (size_t)(end - copy);
	freelocale(c);
	if (copy != small)
		tsb_free(s->p, copy);
	return *used > 0;
}

int sort_compare_general(struct sort *s, const struct sort_line *a, const struct sort_line *b)
{
	long double x, y;
	size_t used;
	bool has_x = general_read(s, a, &x, &used), has_y = general_read(s, b, &y, &used);

	if (!has_x || !has_y)
		return has_x - has_y;
	if (x < y || x > y)
		return x < y ? -1 : 1;
	if (x == y)
		return 0;
	if (!isnan(x) || !isnan(y))
		return isnan(y) - isnan(x);
	return signbit(y) != signbit(x) ? (signbit(x) ? 1 : -1) : 0;
}

uint64_t sort_prefix_general(struct sort *s, const struct sort_line *a)
{
	uint64_t bits, sign = (uint64_t)1 << 63;
	long double v;
	double rounded;
	size_t used;

	if (!general_read(s, a, &v, &used))
		return 0;
	if (isnan(v))
		return 1;
	rounded = (double)v;
	if (rounded == 0)
		rounded = 0;	/* no -0 */
	memcpy(&bits, &rounded, sizeof(bits));
	return bits & sign ? ~bits : bits | sign;
}

/* ---- -M ---- */

int sort_month(const struct sort_line *a)
{
	static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
	size_t i = blanks(a);

	if (a->n - i < 3)
		return 0;
	for (int m = 0; m < 12; m++) {
		const char *name = names + 3 * m, *t = a->at + i;

		if ((t[0] & ~32) == name[0] && (t[1] & ~32) == name[1] && (t[2] & ~32) == name[2])
			return m + 1;
	}
	return 0;
}

/* ---- -R ---- */

static void random_digest(const struct sort *s, const struct sort_line *a,
			  unsigned char out[DIGEST_BYTES_MAX])
{
	struct digest d;

	digest_init(&d, DIGEST_MD5, 0);
	digest_add(&d, s->seed, sizeof(s->seed));
	digest_add(&d, a->at, a->n);
	if (a->n)	/* the real tool takes what is there with the NUL behind it */
		digest_add(&d, "", 1);
	digest_end(&d, out);
}

int sort_compare_random(struct sort *s, const struct sort_line *a, const struct sort_line *b)
{
	unsigned char x[DIGEST_BYTES_MAX], y[DIGEST_BYTES_MAX];
	int d;

	random_digest(s, a, x);
	random_digest(s, b, y);
	d = memcmp(x, y, digest_bytes(DIGEST_MD5));
	return d ? d : sort_compare_bytes(a, b);
}

/* ---- --debug ---- */

size_t sort_number_length(struct sort *s, const struct sort_key *k, const struct sort_line *a)
{
	struct number v;
	long double g;
	size_t used;

	if (k->month)
		return sort_month(a) ? blanks(a) + 3 : 0;
	if (k->general)
		return general_read(s, a, &g, &used) ? used : 0;
	v = scan(a);
	if (!v.digits)
		return 0;
	return v.length + (k->human && human_power(a, &v));
}
