/*
 * Texts that are numbers, and numbers as texts. Short decimals are exact by one
 * multiplication or division; what is longer goes through the C library, in the
 * C locale of this thread only.
 */
#include "cmd/awk/awk.h"

#include <ctype.h>
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

/* "+inf" and "-nan" (with a sign, three letters, nothing else) are numbers of gawk's. */
static size_t number_magic(const char *p, size_t n, double *num)
{
	if (n < 4 || (*p != '+' && *p != '-'))
		return 0;
	for (size_t i = 4; i < n; i++)
		if (!blank(p[i]))
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

/* The whole text, under -n. */
static bool number_looks_hex(struct awk *a, const char *p, size_t n, double *num)
{
	size_t i = 0;

	while (i < n && (blank(p[i]) || p[i] == '-' || p[i] == '+'))
		i++;
	if (n - i < 3 || p[i] != '0' || (p[i + 1] | 32) != 'x')
		return false;
	*num = ak_number_non_decimal(a, p, n);
	for (i += 2; i < n && isxdigit((unsigned char)p[i]);)
		i++;
	return i == n;
}

bool ak_number_looks(struct awk *a, const char *p, size_t n, double *num)
{
	size_t used;

	while (n && blank(p[n - 1]))
		n--;
	if (!n)
		return false;
	if (a->non_decimal && number_looks_hex(a, p, n, num))
		return true;
	used = ak_number_parse(a, p, n, num);
	if (a->non_decimal && used == n)
		*num = ak_number_non_decimal(a, p, n);
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

/* 0x..., or 0 and octal digits: its base; else 10. */
static int number_base_of(const char *p, size_t n)
{
	if (n < 2 || *p != '0')
		return 10;
	if ((p[1] | 32) == 'x')
		return 16;
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '.' || (p[i] | 32) == 'e' || p[i] == '8' || p[i] == '9')
			return 10;
		if (p[i] < '0' || p[i] > '9')
			break;
	}
	return 8;
}

double ak_number_strtonum(struct awk *a, const char *p, size_t n)
{
	int base = number_base_of(p, n);
	double v;

	if (base == 16)
		return number_base(p + 2, n - 2, 16);
	if (base == 8)
		return number_base(p, n, 8);
	ak_number_parse(a, p, n, &v);
	return v;
}

double ak_number_non_decimal(struct awk *a, const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && blank(p[i]))
		i++;
	if (i < n && (p[i] == '-' || p[i] == '+') && number_base_of(p + i + 1, n - i - 1) == 16)
		return ak_number_strtonum(a, p + i + 1, n - i - 1) * (p[i] == '-' ? -1 : 1);
	return ak_number_strtonum(a, p + i, n - i);
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
