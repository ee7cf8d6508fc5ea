/*
 * BLAKE2b (RFC 7693), without key. It starts with the square roots of the first
 * primes, as SHA-512 does.
 */
#include "cmd/digest.h"

#include <string.h>

static const uint64_t blake2b_start[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static const unsigned char blake2b_order[10][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

static uint64_t blake2b_word(const unsigned char *at)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)at[i] << 8 * i;
	return v;
}

static void blake2b_mix(uint64_t *v, const unsigned char *places, uint64_t x, uint64_t y)
{
	uint64_t *a = v + places[0], *b = v + places[1], *c = v + places[2], *d = v + places[3];

	*a += *b + x;
	*d = digest_rotate64(*d ^ *a, 32);
	*c += *d;
	*b = digest_rotate64(*b ^ *c, 40);
	*a += *b + y;
	*d = digest_rotate64(*d ^ *a, 48);
	*c += *d;
	*b = digest_rotate64(*b ^ *c, 1);
}

static void blake2b_block(struct digest64 *d, bool last)
{
	static const unsigned char places[8][4] = {
		{ 0, 4, 8, 12 }, { 1, 5, 9, 13 }, { 2, 6, 10, 14 }, { 3, 7, 11, 15 },
		{ 0, 5, 10, 15 }, { 1, 6, 11, 12 }, { 2, 7, 8, 13 }, { 3, 4, 9, 14 },
	};
	uint64_t v[16], m[16];

	for (unsigned i = 0; i < 16; i++)
		m[i] = blake2b_word(d->block + 8 * i);
	memcpy(v, d->state, sizeof(d->state));
	memcpy(v + 8, blake2b_start, sizeof(blake2b_start));
	v[12] ^= d->length;
	if (last)
		v[14] = ~v[14];
	for (unsigned round = 0; round < 12; round++) {
		const unsigned char *s = blake2b_order[round % 10];

		for (unsigned i = 0; i < 8; i++)
			blake2b_mix(v, places[i], m[s[2 * i]], m[s[2 * i + 1]]);
	}
	for (unsigned i = 0; i < 8; i++)
		d->state[i] ^= v[i] ^ v[i + 8];
}

void blake2b_init(struct digest64 *d, size_t out)
{
	memset(d, 0, sizeof(*d));
	memcpy(d->state, blake2b_start, sizeof(d->state));
	d->state[0] ^= 0x01010000 ^ out;
	d->out = out;
}

/* The last block is not mixed before the end is known. */
void blake2b_add(struct digest64 *d, const unsigned char *at, size_t n)
{
	while (n) {
		size_t part;

		if (d->used == sizeof(d->block)) {
			blake2b_block(d, false);
			d->used = 0;
		}
		part = sizeof(d->block) - d->used < n ? sizeof(d->block) - d->used : n;
		memcpy(d->block + d->used, at, part);
		d->used += part;
		d->length += part;
		at += part;
		n -= part;
	}
}

void blake2b_end(struct digest64 *d, unsigned char *out)
{
	memset(d->block + d->used, 0, sizeof(d->block) - d->used);
	blake2b_block(d, true);
	for (size_t i = 0; i < d->out; i++)
		out[i] = (unsigned char)(d->state[i / 8] >> 8 * (i % 8));
}
