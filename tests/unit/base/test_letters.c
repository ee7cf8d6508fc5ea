/*
 * base64 and base32 by groups: the examples of RFC 4648, and groups that are
 * not right.
 */
#include "base/letters.h"

#include <string.h>

#include "unit/tap.h"

static void both_ways(const struct letters_code *c, const char *bytes, const char *text)
{
	signed char values[256];
	char out[LETTERS_MAX + 1] = "", back[LETTERS_BYTES_MAX + 1] = "";
	size_t got;

	letters_values(c, values);
	letters_encode(c, (const unsigned char *)bytes, strlen(bytes), out);
	ok(!strcmp(out, text), text);
	ok(letters_decode(c, values, (const unsigned char *)out, strlen(out), back, &got) &&
	   got == strlen(bytes) && !memcmp(back, bytes, got), "back");
}

static void refused(const struct letters_code *c, const char *text, size_t want)
{
	signed char values[256];
	char out[LETTERS_BYTES_MAX];
	size_t got;

	letters_values(c, values);
	ok(!letters_decode(c, values, (const unsigned char *)text, strlen(text), out, &got) &&
	   got == want, text);
}

int main(void)
{
	both_ways(&letters_64, "f", "Zg==");
	both_ways(&letters_64, "fo", "Zm8=");
	both_ways(&letters_64, "foo", "Zm9v");
	both_ways(&letters_64, "\xff\xff\xfe", "///+");
	both_ways(&letters_32, "f", "MY======");
	both_ways(&letters_32, "fo", "MZXQ====");
	both_ways(&letters_32, "foo", "MZXW6===");
	both_ways(&letters_32, "foob", "MZXW6YQ=");
	both_ways(&letters_32, "fooba", "MZXW6YTB");
	refused(&letters_64, "Z", 0);
	refused(&letters_64, "=Zg=", 0);
	refused(&letters_64, "Zm8", 2);
	refused(&letters_64, "Zg=x", 1);
	refused(&letters_64, "Z*==", 0);
	refused(&letters_32, "MY", 0);
	refused(&letters_32, "MY=====A", 1);
	return done();
}
