/*
 * See md5.h; RFC 1321. The table of sines is computed by its definition.
 */
#include "cmd/md5.h"

#include <math.h>
#include <string.h>

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
		uint32_t sine = (uint32_t)(fabs(sin(i + 1.0)) * 4294967296.0);

		f += a + sine + word(m->block + 4 * g);
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
