/*
 * UTF-8. The tables are compared, character by character, with the C library in
 * C.UTF-8 where that locale is the one they were made from.
 */
#include "base/utf8.h"

#include <locale.h>
#include <wchar.h>
#include <wctype.h>

#include "unit/tap.h"

#define LAST 0x10FFFF

static void decode(const char *p, size_t n, size_t want_len, int32_t want, const char *name)
{
	int32_t c = 0;
	size_t len = utf8_decode(p, n, &c);

	if (!ok(len == want_len && c == want, name))
		printf("# length %zu, character %lX\n", len, (long)c);
}

static void test_decode(void)
{
	decode("a", 1, 1, 'a', "ASCII");
	decode("", 1, 1, 0, "NUL");
	decode("\xc3\xa9", 2, 2, 0xE9, "two bytes");
	decode("\xe2\x82\xac", 3, 3, 0x20AC, "three bytes");
	decode("\xf0\x9f\x98\x80", 4, 4, 0x1F600, "four bytes");
	decode("\xf4\x8f\xbf\xbf", 4, 4, 0x10FFFF, "the last");
	decode("\xed\x9f\xbf", 3, 3, 0xD7FF, "before the surrogates");
	decode("\xee\x80\x80", 3, 3, 0xE000, "behind the surrogates");
	decode("\xc3", 1, 1, -1, "cut");
	decode("\xe2\x82", 2, 1, -1, "cut behind two of three");
	decode("\xc3z", 2, 1, -1, "no continuation");
	decode("\x80", 1, 1, -1, "continuation alone");
	decode("\xc0\x80", 2, 1, -1, "overlong, two");
	decode("\xc1\xbf", 2, 1, -1, "overlong, two");
	decode("\xe0\x9f\xbf", 3, 1, -1, "overlong, three");
	decode("\xf0\x8f\xbf\xbf", 4, 1, -1, "overlong, four");
	decode("\xed\xa0\x80", 3, 1, -1, "surrogate");
	decode("\xf4\x90\x80\x80", 4, 1, -1, "beyond the last");
	decode("\xf5\x80\x80\x80", 4, 1, -1, "no first byte");
	decode("\xff", 1, 1, -1, "no first byte");
}

static void test_round_trip(void)
{
	bool good = true;
	char buf[4];
	int32_t c;

	for (uint32_t i = 0; i <= LAST; i++) {
		size_t n = utf8_encode(buf, i), back = utf8_decode(buf, n, &c);

		if (i >= 0xD800 && i <= 0xDFFF)
			good &= n == 3 && c == -1;
		else
			good &= back == n && c == (int32_t)i && utf8_valid(buf, n);
	}
	ok(good, "every character comes back");
}

static void test_texts(void)
{
	is_int(utf8_count("h\xc3\xa9llo", 6), 5, "count");
	is_int(utf8_count("0123456789\xff\xfe""0123456789", 22), 22, "invalid bytes count one each");
	is_int(utf8_count("", 0), 0, "count of nothing");
	ok(utf8_valid("0123456789\xc3\xa9", 12), "valid");
	ok(!utf8_valid("0123456789\xc3", 11) && !utf8_valid("\xff", 1), "invalid");
	ok(utf8_valid("", 0) && utf8_valid("a\0b", 3), "nothing, and a NUL, are valid");
	is_int(utf8_columns("a\tb", 3), 2, "controls have no columns");
	is_int(utf8_columns("\xe6\xbc\xa2\xe5\xad\x97", 6), 4, "wide ones have two");
	is_int(utf8_columns("e\xcc\x81", 3), 1, "combining ones none");
	is_int(utf8_columns("\xff\xfe", 2), 2, "invalid bytes one each");
	ok(!utf8_is('a', "nonsense") && !utf8_is(-1, "print"), "no such class; no character");
}

static void test_class(const char *name)
{
	wctype_t class = wctype(name);
	long differ = 0;

	for (int32_t c = 0; c <= LAST; c++)
		differ += utf8_is(c, name) != !!iswctype((wint_t)c, class);
	is_int(differ, 0, name);
}

static void test_against_libc(void)
{
	static const char *const names[] = {
		"alpha", "digit", "alnum", "space", "upper", "lower", "punct", "blank", "xdigit",
		"print", "graph", "cntrl"
	};
	long width = 0, upper = 0, lower = 0, print = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		test_class(names[i]);
	for (int32_t c = 0; c <= LAST; c++) {
		width += utf8_width(c) != wcwidth((wchar_t)c);
		upper += utf8_upper(c) != (int32_t)towupper((wint_t)c);
		lower += utf8_lower(c) != (int32_t)towlower((wint_t)c);
		print += utf8_print(c) != !!iswprint((wint_t)c);
	}
	is_int(width, 0, "width");
	is_int(upper, 0, "upper case");
	is_int(lower, 0, "lower case");
	is_int(print, 0, "print");
}

int main(void)
{
	test_decode();
	test_round_trip();
	test_texts();
	/* U+0870 came with Unicode 14, U+1FAE8 with 15: another library, other tables. */
	if (setlocale(LC_CTYPE, "C.UTF-8") && iswprint(0x870) && !iswprint(0x1FAE8))
		test_against_libc();
	else
		ok(1, "the C library has another Unicode # SKIP");
	return done();
}
