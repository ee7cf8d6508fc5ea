/*
 * Texts that are numbers, and numbers as texts. Short decimals are exact by one
 * multiplication or division; what is longer goes through the C library, in the
 * C locale of this thread only.
 */
#include "cmd/awk/awk.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "text/format.h"

static bool blank(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static double number_slow(struct awk *a, const char *p, size_t n)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = c ? uselocale(c) : (locale_t)0;
	char small[64], *copy = n < sizeof(small) ? small : heap_alloc(a->heap, n + 1);
	double v;

	memcpy(copy, p, n);
	copy[n] = '\0';
	v = strtod(copy, NULL);
	if (copy != small)
		heap_free(a->heap, copy);
	if (c) {
		uselocale(old);
		freelocale(c);
	}
	return v;
}

/* "+inf" and "-nan" (with a sign, three letters) are numbers of gawk's. */
static size_t number_magic(const char *p, size_t n, double *num)
{
	if (n < 4 || (*p != '+' && *p != '-'))
		return 0;
	if (n > 4 && ((p[4] >= 'a' && p[4] <= 'z') || (p[4] >= 'A' && p[4] <= 'Z') ||
		      (p[4] >= '0' && p[4] <= '9') || p[4] == '_'))
		return 0;
	if ((p[1] | 32) == 'i' && (p[2] | 32) == 'n' && (p[3] | 32) == 'f')
		*num = INFINITY;
	else if ((p[1] | 32) == 'n' && (p[2] | 32) == 'a' && (p[3] | 32) == 'n')
		*num = NAN;
	else
		return 0;
	*num = copysign(*num, *p == '-' ? -1 : 1);
	return 4;
}

/* The exponent at p: its length, or 0. */
static size_t number_exponent(const char *p, size_t n, int *exponent)
{
	size_t i = 1, first;
	int e = 0;

	if (n < 2 || (*p | 32) != 'e')
		return 0;
	if (p[1] == '+' || p[1] == '-')
		i++;
	for (first = i; i < n && p[i] >= '0' && p[i] <= '9'; i++)
		e = e < 100000 ? e * 10 + (p[i] - '0') : e;
	if (i == first)
		return 0;
	*exponent += p[1] == '-' ? -e : e;
	return i;
}

size_t ak_number_parse(struct awk *a, const char *p, size_t n, double *num)
{
	static const double tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	size_t i = 0, start, digits = 0, magic;
	uint64_t v = 0;
	int exponent = 0;
	bool point = false;

	*num = 0;
	while (i < n && blank(p[i]))
		i++;
	start = i;
	magic = number_magic(p + i, n - i, num);
	if (magic)
		return i + magic;
	if (i < n && (p[i] == '-' || p[i] == '+'))
		i++;
	for (; i < n; i++) {
		if (p[i] == '.' && !point) {
			point = true;
		} else if (p[i] >= '0' && p[i] <= '9') {
			digits++;
			if (v < (uint64_t)1 << 60)
				v = v * 10 + (uint64_t)(p[i] - '0');
			exponent -= point;
		} else {
			break;
		}
	}
	if (!digits)
		return 0;
	i += number_exponent(p + i, n - i, &exponent);
	if (v >= (uint64_t)1 << 53 || exponent > 22 || exponent < -22) {
		*num = number_slow(a, p + start, i - start);
		return i;
	}
	*num = exponent < 0 ? (double)v / tens[-exponent] : (double)v * tens[exponent];
	if (p[start] == '-')
		*num = -*num;
	return i;
}

bool ak_number_looks(struct awk *a, const char *p, size_t n, double *num)
{
	size_t used;

	while (n && blank(p[n - 1]))
		n--;
	if (!n)
		return false;
	if (a->non_decimal && n > 2 && *p == '0' && (p[1] | 32) == 'x') {
		*num = ak_number_strtonum(a, p, n);
		return true;
	}
	used = ak_number_parse(a, p, n, num);
	return used == n;
}

static double number_base(const char *p, size_t n, int base)
{
	double v = 0;

	for (size_t i = 0; i < n; i++) {
		int c = p[i] | 32, d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;

		if (p[i] >= '0' && p[i] <= '9')
			d = p[i] - '0';
		if (d >= base)
			break;
		v = v * base + d;
	}
	return v;
}

double ak_number_strtonum(struct awk *a, const char *p, size_t n)
{
	bool minus = false;
	const char *start = p;
	size_t all = n;
	double v;

	while (n && blank(*p))
		p++, n--;
	if (n && (*p == '-' || *p == '+')) {
		minus = *p == '-';
		p++, n--;
	}
	if (n > 1 && *p == '0' && (p[1] | 32) == 'x') {
		v = number_base(p + 2, n - 2, 16);
		return minus ? -v : v;
	}
	if (n > 1 && *p == '0' && p[1] >= '0' && p[1] <= '7' && strspn(p, "01234567.") <= n &&
	    !memchr(p, '.', n) && !memchr(p, '8', n) && !memchr(p, '9', n)) {
		v = number_base(p, n, 8);
		return minus ? -v : v;
	}
	ak_number_parse(a, start, all, &v);
	return v;
}

const char *ak_number_odd(double num)
{
	if (isnan(num))
		return signbit(num) ? "-nan" : "+nan";
	if (isinf(num))
		return num < 0 ? "-inf" : "+inf";
	return NULL;
}

struct awk_str *ak_number_text(struct awk *a, double num, struct awk_str *format)
{
	const char *odd = ak_number_odd(num);
	struct awk_val arg;
	struct awk_str *s;
	struct str out;

	if (odd)
		return ak_str_make(a, odd, 4);
	str_init(&out, a->heap, STR_MAX_DEFAULT);
	if (num == trunc(num)) {
		struct format_spec spec = { .precision = 0, .conv = 'f' };

		if (num == 0)
			num = 0;
		format_float(&out, &spec, (long double)num);
	} else {
		val_number(&arg, num);
		awk_format(a, &out, format, &arg, 1);
	}
	s = ak_str_make(a, out.p, out.n);
	str_end(&out);
	return s;
}
