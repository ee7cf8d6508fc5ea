/*
 * See sm3.h. The one digest of cksum that no library gives in a form we can use:
 * OpenSSL has it behind EVP only, which allocates 60 KiB outside every budget for
 * each context (lost when a process is dropped) and loads the host's openssl.cnf
 * with the engines named there; nettle and libgcrypt, LGPL, do not fit our licence.
 */
#include "cmd/sm3.h"

#include <string.h>

static uint32_t sm3_rotate(uint32_t v, unsigned by)
{
	return v << (by & 31) | v >> (-by & 31);
}

static uint32_t sm3_word(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t sm3_spread(uint32_t x, unsigned a, unsigned b)
{
	return x ^ sm3_rotate(x, a) ^ sm3_rotate(x, b);
}

static void sm3_round(uint32_t *s, unsigned i, uint32_t w, uint32_t w4)
{
	uint32_t k = sm3_rotate(i < 16 ? 0x79cc4519 : 0x7a879d8a, i % 32);
	uint32_t a12 = sm3_rotate(s[0], 12);
	uint32_t ss1 = sm3_rotate(a12 + s[4] + k, 7), ss2 = ss1 ^ a12;
	uint32_t ff = i < 16 ? s[0] ^ s[1] ^ s[2] : (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]);
	uint32_t gg = i < 16 ? s[4] ^ s[5] ^ s[6] : (s[4] & s[5]) | (~s[4] & s[6]);
	uint32_t tt1 = ff + s[3] + ss2 + (w ^ w4), tt2 = gg + s[7] + ss1 + w;

	s[3] = s[2];
	s[2] = sm3_rotate(s[1], 9);
	s[1] = s[0];
	s[0] = tt1;
	s[7] = s[6];
	s[6] = sm3_rotate(s[5], 19);
	s[5] = s[4];
	s[4] = sm3_spread(tt2, 9, 17);
}

static void sm3_block(struct sm3 *d)
{
	uint32_t w[68], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = sm3_word(d->block + 4 * i);
	for (unsigned i = 16; i < 68; i++)
		w[i] = sm3_spread(w[i - 16] ^ w[i - 9] ^ sm3_rotate(w[i - 3], 15), 15, 23) ^
		       sm3_rotate(w[i - 13], 7) ^ w[i - 6];
	memcpy(s, d->state, sizeof(s));
	for (unsigned i = 0; i < 64; i++)
		sm3_round(s, i, w[i], w[i + 4]);
	for (unsigned i = 0; i < 8; i++)
		d->state[i] ^= s[i];
}

void sm3_init(struct sm3 *d)
{
	*d = (struct sm3){
		.state = { 0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
			   0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e }
	};
}

void sm3_add(struct sm3 *d, const void *data, size_t n)
{
	const unsigned char *at = data;

	while (n) {
		size_t used = d->length % 64, part = 64 - used < n ? 64 - used : n;

		memcpy(d->block + used, at, part);
		d->length += part;
		at += part;
		n -= part;
		if (d->length % 64 == 0)
			sm3_block(d);
	}
}

/* Padding: a bit, zeroes, and the length in bits. */
void sm3_end(struct sm3 *d, unsigned char out[32])
{
	unsigned char pad[64] = { 0x80 }, bits[8];
	size_t used = d->length % 64;

	for (unsigned i = 0; i < 8; i++)
		bits[7 - i] = (unsigned char)(d->length << 3 >> 8 * i);
	sm3_add(d, pad, (used < 56 ? 56 : 120) - used);
	sm3_add(d, bits, sizeof(bits));
	for (unsigned i = 0; i < 32; i++)
		out[i] = (unsigned char)(d->state[i / 4] >> (24 - 8 * (i % 4)));
}
