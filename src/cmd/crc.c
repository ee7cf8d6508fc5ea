/*
 * See crc.h. A CRC is what is left of the text, taken as a polynomial, divided by
 * another. four bytes at a time by tables; where the processor multiplies
 * polynomials, 64 bytes at a time: 128 bits that stand d bits before the end are
 * worth as much as their halves times what is left of x^d and x^(d+64), so four
 * blocks are carried along and each is replaced by its worth 64 bytes later. The
 * last 16 bytes of worth then go through the tables.
 */
#include "cmd/crc.h"

#include <stdbool.h>

enum { CRC_SHORT = 64, CRC_LONG = 512 };

static uint32_t crc_shift(uint32_t crc, unsigned bits)
{
	while (bits--)
		crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
	return crc;
}

static uint32_t crc_bytes(uint32_t crc, const unsigned char *at, size_t n)
{
	while (n--)
		crc = crc_shift(crc ^ (uint32_t)*at++ << 24, 8);
	return crc;
}

static uint32_t crc_word(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* n >= CRC_SHORT, so that the tables are worth their making: 4 KiB of bytes with
 * 0, 8, 16 and 24 bits behind them. */
static uint32_t crc_tables(uint32_t crc, const unsigned char *at, size_t n)
{
	uint32_t t[4][256];

	t[0][0] = t[1][0] = t[2][0] = t[3][0] = 0;
	for (unsigned i = 1; i < 256; i++) {
		/* Of two bytes' worth, the exclusive or of those of their bits. */
		t[0][i] = i & (i - 1) ? t[0][i & (i - 1)] ^ t[0][i & -i] : crc_shift(i << 24, 8);
	}
	for (unsigned k = 1; k < 4; k++)
		for (unsigned i = 1; i < 256; i++)
			t[k][i] = t[k - 1][i] << 8 ^ t[0][t[k - 1][i] >> 24];
	for (; n >= 4; n -= 4, at += 4) {
		crc ^= crc_word(at);
		crc = t[3][crc >> 24] ^ t[2][crc >> 16 & 255] ^ t[1][crc >> 8 & 255] ^
		      t[0][crc & 255];
	}
	while (n--)
		crc = crc << 8 ^ t[0][crc >> 24 ^ *at++];
	return crc;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define CRC_TARGET __attribute__((target("pclmul,ssse3")))

CRC_TARGET static __m128i crc_load(const unsigned char *at)
{
	const __m128i reverse = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

	return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)at), reverse);
}

CRC_TARGET static __m128i crc_carry(__m128i v, __m128i power)
{
	return _mm_xor_si128(_mm_clmulepi64_si128(v, power, 0x11),
			     _mm_clmulepi64_si128(v, power, 0x00));
}

/* n: a multiple of 16, at least 64. */
CRC_TARGET static uint32_t crc_fold(uint32_t crc, const unsigned char *at, size_t n)
{
	/* What is left of x^(d + 64) and x^d. */
	const __m128i far = _mm_set_epi64x(0x8833794c, 0xe6228b11);	/* d = 512 */
	const __m128i near = _mm_set_epi64x(0xc5b9cd4c, 0xe8a45605);	/* d = 128 */
	__m128i v[4], sum;
	unsigned char rest[16];

	for (int i = 0; i < 4; i++)
		v[i] = crc_load(at + 16 * i);
	v[0] = _mm_xor_si128(v[0], _mm_set_epi32((int)crc, 0, 0, 0));
	for (at += 64, n -= 64; n >= 64; at += 64, n -= 64)
		for (int i = 0; i < 4; i++)
			v[i] = _mm_xor_si128(crc_carry(v[i], far), crc_load(at + 16 * i));
	sum = v[0];
	for (int i = 1; i < 4; i++)
		sum = _mm_xor_si128(crc_carry(sum, near), v[i]);
	for (; n; at += 16, n -= 16)
		sum = _mm_xor_si128(crc_carry(sum, near), crc_load(at));
	_mm_storeu_si128((__m128i *)(void *)rest, sum);
	for (int i = 0; i < 8; i++) {
		unsigned char c = rest[i];

		rest[i] = rest[15 - i];
		rest[15 - i] = c;
	}
	return crc_bytes(0, rest, sizeof(rest));
}

bool crc_is_fast(void)
{
	return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
}
#else
static uint32_t crc_fold(uint32_t crc, const unsigned char *at, size_t n)
{
	return crc_tables(crc, at, n);
}

bool crc_is_fast(void)
{
	return false;
}
#endif

uint32_t crc_add(uint32_t crc, const unsigned char *at, size_t n)
{
	if (n >= CRC_LONG && crc_is_fast()) {
		size_t part = n & ~(size_t)15;

		crc = crc_fold(crc, at, part);
		at += part;
		n -= part;
	}
	return n < CRC_SHORT ? crc_bytes(crc, at, n) : crc_tables(crc, at, n);
}
