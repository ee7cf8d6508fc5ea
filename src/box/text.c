/*
 * Words that people type: names, sizes, spans of time, processors. Exact: no floating point, no
 * overflow, nothing behind the unit.
 */
#include "box/internal.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == '-';
}

bool tbx_is_name(const char *s)
{
	size_t n = 0;

	if (!s || *s == '-' || *s == '.')
		return false;
	while (s[n] && n <= BX_NAME_MAX && is_name_byte(s[n]))
		n++;
	return n && n <= BX_NAME_MAX && !s[n];
}

bool bx_is_safe_word(const char *s)
{
	if (!*s || *s == '-')
		return false;
	while (is_name_byte(*s) || *s == '/')
		s++;
	return !*s;
}

/* "1.5" at *s: times `unit`, rounded down. False: no number, or it does not fit. */
static bool read_decimal(const char **s, uint64_t unit, uint64_t *out, const char **end)
{
	const char *p = *s;
	uint64_t whole = 0, part = 0, scale = 1;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole))
			return false;
	if (*p == '.') {
		if (!isdigit((unsigned char)*++p))
			return false;
		for (; isdigit((unsigned char)*p); p++)
			if (scale < 1000000) {
				part = part * 10 + (uint64_t)(*p - '0');
				scale *= 10;
			}
	}
	*end = p;
	if (!unit)
		return true;
	if (__builtin_mul_overflow(whole, unit, &whole))
		return false;
	/* unit is at most 2^50 or a week in ns: the division comes first where it must */
	part = unit / scale * part + unit % scale * part / scale;
	return !__builtin_add_overflow(whole, part, out);
}

bool tbx_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "kmgtp";
	const char *end, *unit;
	uint64_t one = 1;

	if (!s || !read_decimal(&s, 0, bytes, &end))
		return false;
	unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
	if (unit) {
		one <<= 10 * (unit - units + 1);
		end++;
		if (tolower((unsigned char)*end) == 'i' && tolower((unsigned char)end[1]) == 'b')
			end++;
	}
	if (tolower((unsigned char)*end) == 'b')
		end++;
	return !*end && read_decimal(&s, one, bytes, &end) && *bytes;
}

static uint64_t span_unit(const char *s, size_t n)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", BX_SECOND },
		{ "m", 60 * BX_SECOND }, { "h", 3600 * BX_SECOND }, { "d", 86400 * BX_SECOND },
		{ "w", 604800 * BX_SECOND },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == n && !strncmp(units[i].name, s, n))
			return units[i].ns;
	return 0;
}

bool tbx_duration(const char *s, uint64_t *ns)
{
	uint64_t total = 0, part, unit;
	const char *end;
	size_t n;

	if (!s || !*s)
		return false;
	while (*s) {
		if (!read_decimal(&s, 0, &part, &end))
			return false;
		n = strspn(end, "nusmhdw");
		unit = !*end && !total ? BX_SECOND : span_unit(end, n);
		if (!unit || !read_decimal(&s, unit, &part, &end) ||
		    __builtin_add_overflow(total, part, &total))
			return false;
		s = end + n;
	}
	*ns = total;
	return total <= INT64_MAX;
}

bool tbx_cpus(const char *s, uint32_t *thousandths)
{
	uint64_t n;
	const char *end;

	if (!s || !read_decimal(&s, 1000, &n, &end) || *end || !n || n > UINT32_MAX)
		return false;
	*thousandths = (uint32_t)n;
	return true;
}

uint64_t bx_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * BX_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t bx_ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * BX_SECOND + (uint64_t)t.tv_nsec;
}

char *bx_hex(const void *data, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *at = data;
	char *s = malloc(2 * n + 1);

	if (!s)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		s[2 * i] = digits[at[i] >> 4];
		s[2 * i + 1] = digits[at[i] & 15];
	}
	s[2 * n] = '\0';
	return s;
}
