/*
 * See vercmp.h. The first comparison leaves the suffixes out; the second, for
 * equal stems, takes all.
 */
#include "cmd/vercmp.h"

#include <stdbool.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where a character that is no digit stands; the end is before digits. */
static int weight(const char *s, size_t i, size_t n)
{
	if (i >= n)
		return -1;
	if (is_digit(s[i]))
		return 0;
	if (is_alpha(s[i]))
		return (unsigned char)s[i];
	return s[i] == '~' ? -2 : (unsigned char)s[i] + 256;
}

/* Compares the numbers at *i and *j and goes behind them. */
static int compare_numbers(const char *a, size_t na, size_t *i, const char *b, size_t nb,
			   size_t *j)
{
	int first = 0;

	while (*i < na && a[*i] == '0')
		++*i;
	while (*j < nb && b[*j] == '0')
		++*j;
	while (*i < na && *j < nb && is_digit(a[*i]) && is_digit(b[*j])) {
		if (!first)
			first = a[*i] - b[*j];
		++*i;
		++*j;
	}
	if (*i < na && is_digit(a[*i]))
		return 1;
	if (*j < nb && is_digit(b[*j]))
		return -1;
	return first;
}

static int compare(const char *a, size_t na, const char *b, size_t nb)
{
	size_t i = 0, j = 0;

	while (i < na || j < nb) {
		int d;

		while ((i < na && !is_digit(a[i])) || (j < nb && !is_digit(b[j]))) {
			d = weight(a, i, na) - weight(b, j, nb);
			if (d)
				return d;
			i++;
			j++;
		}
		d = compare_numbers(a, na, &i, b, nb, &j);
		if (d)
			return d;
	}
	return 0;
}

/* Length without the suffixes: of (\.[A-Za-z~][A-Za-z0-9~]*)*$ */
static size_t stem(const char *s, size_t n)
{
	size_t i = 0, end = 0;

	while (i < n) {
		end = ++i;
		while (i + 1 < n && s[i] == '.' && (is_alpha(s[i + 1]) || s[i + 1] == '~'))
			for (i += 2; i < n && (is_alpha(s[i]) || is_digit(s[i]) || s[i] == '~'); )
				i++;
	}
	return end;
}

/* "" < "." < ".." < other hidden names < the rest: 0..4. */
static int rank(const char *s, size_t n)
{
	if (!n)
		return 0;
	if (s[0] != '.')
		return 4;
	if (n == 1)
		return 1;
	return n == 2 && s[1] == '.' ? 2 : 3;
}

int vercmp(const char *a, size_t na, const char *b, size_t nb)
{
	int ra = rank(a, na), rb = rank(b, nb), d;
	size_t sa, sb;

	if (ra != rb)
		return ra - rb;
	if (ra < 3)
		return 0;
	sa = stem(a, na);
	sb = stem(b, nb);
	d = compare(a, sa, b, sb);
	if (d || (sa == na && sb == nb))
		return d;
	return compare(a, na, b, nb);
}
