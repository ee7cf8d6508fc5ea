/*
 * See md5.h; RFC 1321. The constants are the sines of 1 to 64.
 */
#include "cmd/md5.h"

#include <string.h>

static const uint32_t md5_sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
	0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
	0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
	0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
	0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
	0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static uint32_t rotate(uint32_t v, unsigned by)
{
	return v << by | v >> (32 - by);
}

static uint32_t word(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* What step i mixes b, c and d to, and which word of the block it takes. */
static uint32_t mix(unsigned i, uint32_t b, uint32_t c, uint32_t d, unsigned *g)
{
	switch (i / 16) {
	case 0:
		*g = i;
		return (b & c) | (~b & d);
	case 1:
		*g = (5 * i + 1) % 16;
		return (d & b) | (~d & c);
	case 2:
		*g = (3 * i + 5) % 16;
		return b ^ c ^ d;
	default:
		*g = 7 * i % 16;
		return c ^ (b | ~d);
	}
}

static void md5_block(struct md5 *m)
{
	static const unsigned char turns[4][4] = {
		{ 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 }
	};
	uint32_t a = m->state[0], b = m->state[1], c = m->state[2], d = m->state[3];

	for (unsigned i = 0; i < 64; i++) {
		unsigned g;
		uint32_t f = mix(i, b, c, d, &g);

		f += a + md5_sines[i] + word(m->block + 4 * g);
		a = d;
		d = c;
		c = b;
		b += rotate(f, turns[i / 16][i % 4]);
	}
	m->state[0] += a;
	m->state[1] += b;
	m->state[2] += c;
	m->state[3] += d;
}

void md5_init(struct md5 *m)
{
	*m = (struct md5){ .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 } };
}

void md5_add(struct md5 *m, const void *data, size_t n)
{
	const unsigned char *at = data;

	while (n) {
		size_t used = m->length % 64, part = 64 - used < n ? 64 - used : n;

		memcpy(m->block + used, at, part);
		m->length += part;
		at += part;
		n -= part;
		if (m->length % 64 == 0)
			md5_block(m);
	}
}

void md5_end(struct md5 *m, unsigned char out[16])
{
	uint64_t bits = m->length * 8;
	unsigned char size[8], pad = 0x80;

	md5_add(m, &pad, 1);
	pad = 0;
	while (m->length % 64 != 56)
		md5_add(m, &pad, 1);
	for (int i = 0; i < 8; i++)
		size[i] = (unsigned char)(bits >> 8 * i);
	md5_add(m, size, 8);
	for (int i = 0; i < 16; i++)
		out[i] = (unsigned char)(m->state[i / 4] >> 8 * (i % 4));
}
