/* Keccak-f[1600] as a sponge: SHA-3 and SHAKE (FIPS 202). See digest.h. */
#include "guest/digest.h"

#include <string.h>

static uint64_t rotated(uint64_t v, unsigned n)
{
	return n ? v << n | v >> (64 - n) : v;
}

/* Theta: each lane with the parities of two columns. */
static void mix_columns(uint64_t a[25])
{
	uint64_t parity[5];

	for (int x = 0; x < 5; x++)
		parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
	for (int x = 0; x < 5; x++) {
		uint64_t d = parity[(x + 4) % 5] ^ rotated(parity[(x + 1) % 5], 1);

		for (int y = 0; y < 25; y += 5)
			a[x + y] ^= d;
	}
}

/* Rho and pi: lanes move along one path through the square, turned by triangular numbers. */
static void move_lanes(uint64_t a[25])
{
	uint64_t carried = a[1];
	int x = 1, y = 0;

	for (unsigned t = 0; t < 24; t++) {
		int next = (2 * x + 3 * y) % 5;
		uint64_t old;

		x = y;
		y = next;
		old = a[x + 5 * y];
		a[x + 5 * y] = rotated(carried, (t + 1) * (t + 2) / 2 % 64);
		carried = old;
	}
}

/* Chi. */
static void mix_rows(uint64_t a[25])
{
	for (int y = 0; y < 25; y += 5) {
		uint64_t row[5];

		memcpy(row, a + y, sizeof(row));
		for (int x = 0; x < 5; x++)
			a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
	}
}

/* The constants of iota come from a shift register of 8 bits. */
static uint64_t round_constant(uint8_t *lfsr)
{
	uint64_t c = 0;

	for (unsigned j = 0; j < 7; j++) {
		if (*lfsr & 1)
			c |= (uint64_t)1 << ((1u << j) - 1);
		*lfsr = (uint8_t)(*lfsr << 1 ^ (*lfsr & 0x80 ? 0x71 : 0));
	}
	return c;
}

static void permute(uint64_t a[25])
{
	uint8_t lfsr = 1;

	for (int round = 0; round < 24; round++) {
		mix_columns(a);
		move_lanes(a);
		mix_rows(a);
		a[0] ^= round_constant(&lfsr);
	}
}

static void put(struct keccak *k, uint32_t at, uint8_t byte)
{
	k->lane[at / 8] ^= (uint64_t)byte << (at % 8 * 8);
}

void keccak_init(struct keccak *k, uint32_t rate, uint8_t pad)
{
	memset(k, 0, sizeof(*k));
	k->rate = rate;
	k->pad = pad;
}

void keccak_add(struct keccak *k, const uint8_t *data, size_t n)
{
	for (; n; n--) {
		put(k, k->at++, *data++);
		if (k->at == k->rate) {
			permute(k->lane);
			k->at = 0;
		}
	}
}

void keccak_end(struct keccak *k, uint8_t *out, size_t n)
{
	put(k, k->at, k->pad);
	put(k, k->rate - 1, 0x80);
	permute(k->lane);
	for (uint32_t at = 0; n; n--, at++) {
		if (at == k->rate) {
			permute(k->lane);
			at = 0;
		}
		*out++ = (uint8_t)(k->lane[at / 8] >> (at % 8 * 8));
	}
}
