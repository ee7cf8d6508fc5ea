/*
 * Decimal digits of common floating-point numbers, exactly: a number below 2^63 whose
 * lowest bit is worth 2^-64 or more is two integers, and 128 bits hold its fraction
 * times a power of ten. What is left of that rounds: to the nearest, ties to even, as
 * the C library does.
 */
#include "text/format.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

enum { DIGITS_MAX = 17, DIGITS_ALL = 18 };

/* whole + rest / 2^64 */
struct parts {
	uint64_t whole, rest;
};

static const uint64_t powers[DIGITS_ALL + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
	100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
	10000000000000000, 100000000000000000, 1000000000000000000
};

static bool take_apart(long double v, struct parts *parts)
{
	long double fraction;

	if (!(v < 0x1p63L))
		return false;
	parts->whole = (uint64_t)v;
	fraction = (v - (long double)parts->whole) * 0x1p64L;
	parts->rest = (uint64_t)fraction;
	return (long double)parts->rest == fraction;
}

/* The fraction's digits behind the point, rounded: a carry goes into whole. */
static uint64_t decimals_of(struct parts *parts, unsigned n)
{
	const uint64_t half = (uint64_t)1 << 63;
	unsigned __int128 product = (unsigned __int128)parts->rest * powers[n];
	uint64_t digits = (uint64_t)(product >> 64), low = (uint64_t)product;

	if (low > half || (low == half && ((n ? digits : parts->whole) & 1)))
		digits++;
	if (digits == powers[n]) {
		digits = 0;
		parts->whole++;
	}
	return digits;
}

static unsigned count_digits(uint64_t v)
{
	unsigned n = 1;

	while (n <= DIGITS_ALL && v >= powers[n])
		n++;
	return n;
}

static size_t put(char *buf, size_t at, const struct parts *parts, uint64_t digits, unsigned n)
{
	at += num_format_u64(buf + at, parts->whole);
	if (!n)
		return at;
	buf[at] = '.';
	for (unsigned i = n; i; i--, digits /= 10)
		buf[at + i] = (char)('0' + digits % 10);
	return at + 1 + n;
}

/* How many digits %.*g shows. */
static unsigned significant(int precision)
{
	return precision < 0 ? 6 : precision ? (unsigned)precision : 1;
}

/* How many decimals %.*g shows, before zeros at the end go; -1: it takes an exponent. */
static int decimals_of_g(const struct parts *parts, int precision)
{
	unsigned most = significant(precision), places;
	uint64_t digits;

	if (most > DIGITS_MAX)
		return -1;
	if (parts->whole) {
		places = count_digits(parts->whole);
		return places <= most ? (int)(most - places) : -1;
	}
	if (!parts->rest)
		return 0;
	digits = (uint64_t)((unsigned __int128)parts->rest * powers[DIGITS_ALL] >> 64);
	places = DIGITS_ALL - count_digits(digits) + most;	/* zeros and digits */
	return digits >= powers[DIGITS_ALL - 4] && places <= DIGITS_MAX ? (int)places : -1;
}

static size_t without_zeros(const char *buf, size_t n)
{
	while (buf[n - 1] == '0')
		n--;
	return buf[n - 1] == '.' ? n - 1 : n;
}

size_t format_quick(char buf[FORMAT_QUICK_MAX], const struct format_spec *spec, long double v)
{
	int precision = spec->precision < 0 ? 6 : spec->precision;
	bool general = spec->conv == 'g';
	struct parts parts;
	uint64_t digits;
	size_t at = 0;

	if ((spec->conv != 'f' && !general) || spec->alt)
		return 0;
	if (spec->narrow)
		v = (long double)(double)v;
	if (!take_apart(v < 0 ? -v : v, &parts))
		return 0;
	if (general)
		precision = decimals_of_g(&parts, spec->precision);
	if (precision < 0 || precision > DIGITS_MAX)
		return 0;
	digits = decimals_of(&parts, (unsigned)precision);
	/* Rounded up to one digit more, %g may take an exponent. */
	if (general && count_digits(parts.whole) > significant(spec->precision))
		return 0;
	if (signbit(v))
		buf[at++] = '-';
	else if (spec->plus || spec->space)
		buf[at++] = spec->plus ? '+' : ' ';
	at = put(buf, at, &parts, digits, (unsigned)precision);
	return general && precision ? without_zeros(buf, at) : at;
}
