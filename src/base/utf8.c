/*
 * UTF-8 and the properties of characters. The tables are the C library's own
 * (tools/make-unicode.c asks it for every character), so that `[[:alpha:]]`,
 * column widths and case are the real tools', without a locale, which would be
 * global state. Lookup is a binary search over rows; ASCII never gets there.
 */
#include "base/utf8.h"

#include <string.h>

struct range {
	int32_t first, last, step;
};

struct case_map {
	int32_t first, last, step, distance;
};

#include "base/unicode_tables.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ---- The encoding ---- */

static bool utf8_follows(unsigned char c)
{
	return (c & 0xC0) == 0x80;
}

/* The length that a first byte announces, and what bits it carries; 0: none. */
static size_t utf8_head(unsigned char b, int32_t *bits)
{
	if (b >= 0xC2 && b <= 0xDF) {
		*bits = b & 0x1F;
		return 2;
	}
	if (b >= 0xE0 && b <= 0xEF) {
		*bits = b & 0x0F;
		return 3;
	}
	if (b >= 0xF0 && b <= 0xF4) {
		*bits = b & 0x07;
		return 4;
	}
	return 0;
}

size_t utf8_decode(const char *p, size_t n, int32_t *c)
{
	static const int32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)p;
	int32_t v = 0;
	size_t len;

	if (u[0] < 0x80) {
		*c = u[0];
		return 1;
	}
	*c = -1;
	len = utf8_head(u[0], &v);
	if (len == 0 || len > n)
		return 1;
	for (size_t i = 1; i < len; i++) {
		if (!utf8_follows(u[i]))
			return 1;
		v = v << 6 | (u[i] & 0x3F);
	}
	if (v < least[len] || v > 0x10FFFF || (v >= 0xD800 && v <= 0xDFFF))
		return 1;
	*c = v;
	return len;
}

size_t utf8_encode(char *buf, uint32_t c)
{
	if (c < 0x80) {
		buf[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		buf[0] = (char)(0xC0 | c >> 6);
		buf[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		buf[0] = (char)(0xE0 | c >> 12);
		buf[1] = (char)(0x80 | (c >> 6 & 0x3F));
		buf[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	buf[0] = (char)(0xF0 | (c >> 18 & 0x07));
	buf[1] = (char)(0x80 | (c >> 12 & 0x3F));
	buf[2] = (char)(0x80 | (c >> 6 & 0x3F));
	buf[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

/* How many of the n bytes at p are ASCII before the first other one. */
static size_t utf8_ascii(const char *p, size_t n)
{
	size_t i = 0;
	uint64_t w;

	for (; n - i >= 8; i += 8) {
		memcpy(&w, p + i, 8);
		if (w & 0x8080808080808080u)
			break;
	}
	while (i < n && !((unsigned char)p[i] & 0x80))
		i++;
	return i;
}

size_t utf8_count(const char *p, size_t n)
{
	size_t count = 0, i = 0, run;
	int32_t c;

	while (i < n) {
		run = utf8_ascii(p + i, n - i);
		count += run;
		i += run;
		if (i < n) {
			i += utf8_decode(p + i, n - i, &c);
			count++;
		}
	}
	return count;
}

bool utf8_valid(const char *p, size_t n)
{
	size_t i = 0;
	int32_t c;

	while (i < n) {
		i += utf8_ascii(p + i, n - i);
		if (i == n)
			break;
		i += utf8_decode(p + i, n - i, &c);
		if (c < 0)
			return false;
	}
	return true;
}

/* ---- Properties ---- */

static bool in_table(const struct range *t, size_t n, int32_t c)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c > t[mid].last)
			low = mid + 1;
		else if (c < t[mid].first)
			high = mid;
		else
			return (c - t[mid].first) % t[mid].step == 0;
	}
	return false;
}

static int32_t map_case(const struct case_map *t, size_t n, int32_t c)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c > t[mid].last)
			low = mid + 1;
		else if (c < t[mid].first)
			high = mid;
		else
			return (c - t[mid].first) % t[mid].step ? c : c + t[mid].distance;
	}
	return c;
}

#define IN(c, table) in_table((table), COUNT(table), (c))

static bool is_digit(int32_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_xdigit(int32_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_alpha(int32_t c)
{
	if (c < 0x80)
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	return IN(c, utf8_alpha);
}

static bool is_alnum(int32_t c)
{
	return is_digit(c) || is_alpha(c);
}

static bool is_space(int32_t c)
{
	return IN(c, utf8_space);
}

static bool is_graph(int32_t c)
{
	return utf8_print(c) && !is_space(c);
}

static bool is_punct(int32_t c)
{
	return is_graph(c) && !is_alnum(c);
}

static bool is_upper(int32_t c)
{
	return IN(c, utf8_upper_class);
}

static bool is_lower(int32_t c)
{
	return IN(c, utf8_lower_class);
}

static bool is_blank(int32_t c)
{
	return IN(c, utf8_blank);
}

static bool is_cntrl(int32_t c)
{
	return IN(c, utf8_cntrl);
}

bool utf8_print(int32_t c)
{
	if (c < 0x7F)
		return c >= 0x20;
	return IN(c, utf8_printing);
}

bool utf8_is(int32_t c, const char *class_name)
{
	static const struct {
		const char *name;
		bool (*is)(int32_t c);
	} classes[] = {
		{ "alpha", is_alpha }, { "digit", is_digit }, { "alnum", is_alnum },
		{ "space", is_space }, { "upper", is_upper }, { "lower", is_lower },
		{ "punct", is_punct }, { "blank", is_blank }, { "xdigit", is_xdigit },
		{ "print", utf8_print }, { "graph", is_graph }, { "cntrl", is_cntrl },
	};

	for (size_t i = 0; i < COUNT(classes); i++)
		if (strcmp(classes[i].name, class_name) == 0)
			return c >= 0 && classes[i].is(c);
	return false;
}

int32_t utf8_upper(int32_t c)
{
	if (c < 0x80)
		return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c;
	return map_case(utf8_to_upper, COUNT(utf8_to_upper), c);
}

int32_t utf8_lower(int32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
	return map_case(utf8_to_lower, COUNT(utf8_to_lower), c);
}

int utf8_width(int32_t c)
{
	if (c < 0x300) {	/* Latin: nothing here is wide or combines */
		if (c == 0)
			return 0;
		return c < 0x7F ? (c >= 0x20 ? 1 : -1) : (c >= 0xA0 ? 1 : -1);
	}
	if (IN(c, utf8_zero))
		return 0;
	if (IN(c, utf8_wide))
		return 2;
	return IN(c, utf8_printing) ? 1 : -1;
}

size_t utf8_columns(const char *p, size_t n)
{
	size_t columns = 0, i = 0;
	int32_t c;
	int w;

	while (i < n) {
		i += utf8_decode(p + i, n - i, &c);
		w = c < 0 ? 1 : utf8_width(c);
		columns += w > 0 ? (size_t)w : 0;
	}
	return columns;
}
