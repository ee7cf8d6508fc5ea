/*
 * SHA-2 (FIPS 180-4): SHA-224 and SHA-256 on words of 32 bits, SHA-384 and
 * SHA-512 on words of 64. The constants are fractional parts of the cube roots
 * (rounds) and square roots (start) of the first primes.
 */
#include "cmd/digest.h"

#include <string.h>

static const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static const uint32_t sha256_start[2][8] = { {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
	0x1f83d9ab, 0x5be0cd19,
}, {
	0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511,
	0x64f98fa7, 0xbefa4fa4,
} };

static const uint64_t sha512_k[80] = {
	0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
	0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
	0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
	0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
	0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
	0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
	0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
	0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
	0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
	0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
	0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
	0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
	0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
	0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
	0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
	0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
	0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
	0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
	0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
	0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

static const uint64_t sha512_start[2][8] = { {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}, {
	0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
	0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
} };

void sha256_init(struct digest32 *d, bool is_224)
{
	memset(d, 0, sizeof(*d));
	memcpy(d->state, sha256_start[is_224], sizeof(d->state));
}

void sha512_init(struct digest64 *d, bool is_384)
{
	memset(d, 0, sizeof(*d));
	memcpy(d->state, sha512_start[is_384], sizeof(d->state));
}

#define ROR32(v, by) digest_rotate32((v), 32 - (by))
#define ROR64(v, by) digest_rotate64((v), 64 - (by))

void sha256_block(struct digest32 *d)
{
	uint32_t w[64], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = digest_be32(d->block + 4 * i);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		a = ROR32(a, 7) ^ ROR32(a, 18) ^ a >> 3;
		b = ROR32(b, 17) ^ ROR32(b, 19) ^ b >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
	memcpy(s, d->state, sizeof(s));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t e = ROR32(s[4], 6) ^ ROR32(s[4], 11) ^ ROR32(s[4], 25);
		uint32_t a = ROR32(s[0], 2) ^ ROR32(s[0], 13) ^ ROR32(s[0], 22);
		uint32_t t = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_k[i] + w[i];

		a += (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t;
		s[0] = t + a;
	}
	for (unsigned i = 0; i < 8; i++)
		d->state[i] += s[i];
}

void sha512_block(struct digest64 *d)
{
	uint64_t w[80], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint64_t)digest_be32(d->block + 8 * i) << 32 | digest_be32(d->block + 8 * i + 4);
	for (unsigned i = 16; i < 80; i++) {
		uint64_t a = w[i - 15], b = w[i - 2];

		a = ROR64(a, 1) ^ ROR64(a, 8) ^ a >> 7;
		b = ROR64(b, 19) ^ ROR64(b, 61) ^ b >> 6;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
	memcpy(s, d->state, sizeof(s));
	for (unsigned i = 0; i < 80; i++) {
		uint64_t e = ROR64(s[4], 14) ^ ROR64(s[4], 18) ^ ROR64(s[4], 41);
		uint64_t a = ROR64(s[0], 28) ^ ROR64(s[0], 34) ^ ROR64(s[0], 39);
		uint64_t t = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha512_k[i] + w[i];

		a += (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t;
		s[0] = t + a;
	}
	for (unsigned i = 0; i < 8; i++)
		d->state[i] += s[i];
}
