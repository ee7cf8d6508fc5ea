/*
 * Numbers as text. Everything is written out here and not left to strtol(),
 * because that one reads errno and, for blanks, the locale.
 */
#include "base/num.h"

#include <string.h>

static bool num_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads digits: past them; NULL without one. Clamps, and says so. */
static const char *num_digits(const char *s, uint64_t *v, bool *clamped)
{
	const char *start = s;

	*v = 0;
	*clamped = false;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(*v, 10u, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*s - '0'), v))
			*clamped = true;
		if (*clamped)
			*v = UINT64_MAX;
	}
	return s == start ? NULL : s;
}

/* A magnitude and a sign as int64_t: false when clamped. */
static bool num_signed(uint64_t v, bool negative, int64_t *out)
{
	uint64_t most = (uint64_t)INT64_MAX + negative;

	if (v > most) {
		*out = negative ? INT64_MIN : INT64_MAX;
		return false;
	}
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

enum num_result num_i64(const char *s, int64_t *out)
{
	bool negative = *s == '-', clamped;
	uint64_t v;

	if (*s == '-' || *s == '+')
		s++;
	s = num_digits(s, &v, &clamped);
	if (!s || *s)
		return NUM_INVALID;
	return num_signed(v, negative, out) ? NUM_OK : NUM_RANGE;
}

enum num_result num_u64(const char *s, uint64_t *out)
{
	bool clamped;
	uint64_t v;

	if (*s == '+')
		s++;
	s = num_digits(s, &v, &clamped);
	if (!s || *s)
		return NUM_INVALID;
	*out = v;
	return clamped ? NUM_RANGE : NUM_OK;
}

/* ---- Suffixes ---- */

/* The power that a letter stands for, 0 for none. */
static unsigned num_power(char c)
{
	static const char letters[] = "KMGTPEZY";
	const char *at;

	if (c == 'k' || c == 'm' || c == 'g' || c == 't')
		c = (char)(c - 'a' + 'A');
	at = c ? strchr(letters, c) : NULL;
	return at ? (unsigned)(at - letters) + 1 : 0;
}

static bool num_scale(uint64_t *v, unsigned base, unsigned power)
{
	bool fits = true;

	while (power--)
		if (__builtin_mul_overflow(*v, (uint64_t)base, v)) {
			*v = UINT64_MAX;
			fits = false;
		}
	return fits;
}

/* Applies the suffix at s. *clamped is set, never cleared. */
static enum num_result num_apply(const char *s, const char *suffixes, uint64_t *v, bool *clamped)
{
	unsigned base = 1024, power = num_power(*s);
	size_t n = 1;

	if (!strchr(suffixes, *s))
		return NUM_SUFFIX;
	if (power && strchr(suffixes, '0')) {
		if (s[1] == 'i' && s[2] == 'B') {
			n = 3;
		} else if (s[1] == 'B' || s[1] == 'D') {
			base = 1000;
			n = 2;
		}
	}
	if (!power) {
		power = *s != 'c';
		base = *s == 'b' ? 512 : *s == 'w' ? 2 : 1024;
		if (!strchr("bBcw", *s))
			return NUM_SUFFIX;
	}
	if (!num_scale(v, base, power))
		*clamped = true;
	return s[n] ? NUM_SUFFIX : NUM_OK;
}

/* Magnitude of a text with blanks and sign before and a suffix behind it. */
static enum num_result num_magnitude(const char *s, const char *suffixes, uint64_t *v,
				     bool *negative, bool *clamped)
{
	const char *start, *end;

	while (num_blank(*s))
		s++;
	start = s;
	*negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	end = num_digits(s, v, clamped);
	if (!end) {
		/* A suffix alone means one of it: head -c K. */
		if (!*start || !strchr(suffixes, *start))
			return NUM_INVALID;
		*v = 1;
		*negative = false;
		end = start;
	}
	return *end ? num_apply(end, suffixes, v, clamped) : NUM_OK;
}

enum num_result num_suffixed(const char *s, const char *suffixes, uint64_t *out)
{
	bool negative, clamped;
	uint64_t v;
	enum num_result r = num_magnitude(s, suffixes ? suffixes : "", &v, &negative, &clamped);

	if (r == NUM_INVALID || negative)
		return NUM_INVALID;
	*out = v;
	return r != NUM_OK ? r : clamped ? NUM_RANGE : NUM_OK;
}

enum num_result num_isuffixed(const char *s, const char *suffixes, int64_t *out)
{
	bool negative, clamped;
	uint64_t v;
	enum num_result r = num_magnitude(s, suffixes ? suffixes : "", &v, &negative, &clamped);

	if (r == NUM_INVALID)
		return r;
	if (!num_signed(v, negative, out) && r == NUM_OK)
		r = NUM_RANGE;
	return r;
}

/* ---- Output ---- */

size_t num_format_u64(char *buf, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		buf[i] = digits[n - 1 - i];
	buf[n] = '\0';
	return n;
}

size_t num_format_i64(char *buf, int64_t v)
{
	if (v >= 0)
		return num_format_u64(buf, (uint64_t)v);
	*buf = '-';
	return 1 + num_format_u64(buf + 1, 0 - (uint64_t)v);
}
