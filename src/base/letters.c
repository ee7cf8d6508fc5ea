/*
 * See letters.h.
 */
#include "base/letters.h"

#include <stdint.h>
#include <string.h>

const struct letters_code letters_64 = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 3, 4
};
const struct letters_code letters_32 = { "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 5, 8 };

/* How many letters of a full group stand for n bytes. */
static unsigned letters_of(const struct letters_code *c, unsigned n)
{
	return (n * 8 + c->bits - 1) / c->bits;
}

void letters_values(const struct letters_code *c, signed char values[256])
{
	memset(values, -1, 256);
	for (int i = 0; i < 1 << c->bits; i++)
		values[(unsigned char)c->alphabet[i]] = (signed char)i;
}

void letters_encode(const struct letters_code *c, const unsigned char *at, size_t n, char *out)
{
	unsigned total = c->bytes * 8, used = letters_of(c, (unsigned)n);
	uint64_t v = 0;

	for (unsigned i = 0; i < c->bytes; i++)
		v = v << 8 | (i < n ? at[i] : 0u);
	for (unsigned i = 0; i < c->letters; i++)
		out[i] = i < used ? c->alphabet[v >> (total - (i + 1) * c->bits) & ((1u << c->bits) - 1)]
				  : '=';
}

static bool letters_all_padding(const unsigned char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] != '=')
			return false;
	return true;
}

bool letters_decode(const struct letters_code *c, const signed char values[256],
		    const unsigned char *at, size_t n, char *out, size_t *got)
{
	unsigned have = 0, bits = 0;
	uint64_t v = 0;

	*got = 0;
	if (c->letters == 8 && n < 8)
		return false;
	for (unsigned byte = 1; byte <= c->bytes; byte++) {
		unsigned need = letters_of(c, byte);

		/* From here on all must be padding, and the group full. */
		if (have < n && at[have] == '=' && byte > 1)
			return n == c->letters && letters_all_padding(at + have, n - have);
		for (; have < need; have++) {
			if (have >= n || values[at[have]] < 0)
				return false;
			v = v << c->bits | (uint64_t)values[at[have]];
			bits += c->bits;
		}
		bits -= 8;
		out[(*got)++] = (char)(v >> bits);
	}
	return true;
}
