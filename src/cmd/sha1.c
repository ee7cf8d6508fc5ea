/*
 * SHA-1 (FIPS 180-4) and SM3 (GB/T 32905), both on words of 32 bits.
 */
#include "cmd/digest.h"

#include <string.h>

void sha1_init(struct digest32 *d)
{
	*d = (struct digest32){
		.state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 }
	};
}

static uint32_t sha1_mix(unsigned i, const uint32_t *s)
{
	static const uint32_t k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t b = s[1], c = s[2], d = s[3];

	switch (i / 20) {
	case 0: return ((b & c) | (~b & d)) + k[0];
	case 1: return (b ^ c ^ d) + k[1];
	case 2: return ((b & c) | (b & d) | (c & d)) + k[2];
	default: return (b ^ c ^ d) + k[3];
	}
}

void sha1_block(struct digest32 *d)
{
	uint32_t w[80], s[5], t;

	for (unsigned i = 0; i < 16; i++)
		w[i] = digest_be32(d->block + 4 * i);
	for (unsigned i = 16; i < 80; i++)
		w[i] = digest_rotate32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(s, d->state, sizeof(s));
	for (unsigned i = 0; i < 80; i++) {
		t = digest_rotate32(s[0], 5) + sha1_mix(i, s) + s[4] + w[i];
		s[4] = s[3];
		s[3] = s[2];
		s[2] = digest_rotate32(s[1], 30);
		s[1] = s[0];
		s[0] = t;
	}
	for (unsigned i = 0; i < 5; i++)
		d->state[i] += s[i];
}

/* ---- SM3 ---- */

void sm3_init(struct digest32 *d)
{
	*d = (struct digest32){
		.state = { 0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
			   0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e }
	};
}

static uint32_t sm3_spread(uint32_t x, unsigned a, unsigned b)
{
	return x ^ digest_rotate32(x, a) ^ digest_rotate32(x, b);
}

static void sm3_round(uint32_t *s, unsigned i, uint32_t w, uint32_t w4)
{
	uint32_t k = digest_rotate32(i < 16 ? 0x79cc4519 : 0x7a879d8a, i % 32);
	uint32_t a12 = digest_rotate32(s[0], 12);
	uint32_t ss1 = digest_rotate32(a12 + s[4] + k, 7), ss2 = ss1 ^ a12;
	uint32_t ff = i < 16 ? s[0] ^ s[1] ^ s[2] : (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]);
	uint32_t gg = i < 16 ? s[4] ^ s[5] ^ s[6] : (s[4] & s[5]) | (~s[4] & s[6]);
	uint32_t tt1 = ff + s[3] + ss2 + (w ^ w4), tt2 = gg + s[7] + ss1 + w;

	s[3] = s[2];
	s[2] = digest_rotate32(s[1], 9);
	s[1] = s[0];
	s[0] = tt1;
	s[7] = s[6];
	s[6] = digest_rotate32(s[5], 19);
	s[5] = s[4];
	s[4] = sm3_spread(tt2, 9, 17);
}

void sm3_block(struct digest32 *d)
{
	uint32_t w[68], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = digest_be32(d->block + 4 * i);
	for (unsigned i = 16; i < 68; i++)
		w[i] = sm3_spread(w[i - 16] ^ w[i - 9] ^ digest_rotate32(w[i - 3], 15), 15, 23) ^
		       digest_rotate32(w[i - 13], 7) ^ w[i - 6];
	memcpy(s, d->state, sizeof(s));
	for (unsigned i = 0; i < 64; i++)
		sm3_round(s, i, w[i], w[i + 4]);
	for (unsigned i = 0; i < 8; i++)
		d->state[i] ^= s[i];
}
