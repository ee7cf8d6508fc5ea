/*
 * See digest.h. Padding is the same for all that work on big-endian blocks: a
 * bit, zeroes, and the length in bits.
 */
#include "cmd/digest.h"

#include <string.h>

const char *digest_tag(enum digest_kind kind)
{
	static const char *const tags[] = {
		"BSD", "SYSV", "CRC", "MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "BLAKE2b",
		"SM3",
	};

	return tags[kind];
}

size_t digest_bytes(enum digest_kind kind)
{
	static const unsigned char bytes[] = { 0, 0, 0, 16, 20, 28, 32, 48, 64, 64, 32 };

	return bytes[kind];
}

void digest_init(struct digest *d, enum digest_kind kind, size_t bytes)
{
	d->kind = kind;
	d->bytes = bytes ? bytes : digest_bytes(kind);
	switch (kind) {
	case DIGEST_BSD: case DIGEST_SYSV: case DIGEST_CRC:
		d->u.sum.sum = d->u.sum.length = 0;
		break;
	case DIGEST_MD5: md5_init(&d->u.md5); break;
	case DIGEST_SHA1: sha1_init(&d->u.d32); break;
	case DIGEST_SHA224: sha256_init(&d->u.d32, true); break;
	case DIGEST_SHA256: sha256_init(&d->u.d32, false); break;
	case DIGEST_SHA384: sha512_init(&d->u.d64, true); break;
	case DIGEST_SHA512: sha512_init(&d->u.d64, false); break;
	case DIGEST_BLAKE2B: blake2b_init(&d->u.d64, d->bytes); break;
	case DIGEST_SM3: sm3_init(&d->u.d32); break;
	}
}

/* ---- Checksums ---- */

/* A byte of POSIX's CRC: the polynomial 0x04c11db7, highest bit first. */
static uint32_t digest_crc_byte(uint32_t crc, unsigned byte)
{
	crc ^= (uint32_t)byte << 24;
	for (int i = 0; i < 8; i++)
		crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
	return crc;
}

static void digest_add_crc(uint64_t *sum, const unsigned char *at, size_t n)
{
	uint32_t table[256], crc = (uint32_t)*sum;

	if (n < 64) {
		while (n--)
			crc = digest_crc_byte(crc, *at++);
	} else {
		for (unsigned i = 0; i < 256; i++)
			table[i] = digest_crc_byte(0, i);
		while (n--)
			crc = crc << 8 ^ table[crc >> 24 ^ *at++];
	}
	*sum = crc;
}

static void digest_add_sum(struct digest *d, const unsigned char *at, size_t n)
{
	uint64_t sum = d->u.sum.sum;

	d->u.sum.length += n;
	if (d->kind == DIGEST_CRC) {
		digest_add_crc(&d->u.sum.sum, at, n);
		return;
	}
	for (; n; n--, at++) {
		if (d->kind == DIGEST_SYSV)
			sum += *at;
		else
			sum = ((sum >> 1) + ((sum & 1) << 15) + *at) & 0xffff;
	}
	d->u.sum.sum = sum;
}

static void digest_end_sum(struct digest *d)
{
	uint64_t sum = d->u.sum.sum, length = d->u.sum.length;
	uint32_t crc = (uint32_t)sum;

	if (d->kind == DIGEST_SYSV) {
		uint32_t low = (uint32_t)sum;
		uint32_t r = (low & 0xffff) + (low >> 16);

		sum = (r & 0xffff) + (r >> 16);
	} else if (d->kind == DIGEST_CRC) {
		for (; length; length >>= 8)
			crc = digest_crc_byte(crc, length & 255);
		sum = ~crc;
		sum &= UINT32_MAX;
	}
	d->u.sum.sum = sum;
}

/* ---- Blocks ---- */

static void digest_block(struct digest *d)
{
	switch (d->kind) {
	case DIGEST_SHA1: sha1_block(&d->u.d32); break;
	case DIGEST_SM3: sm3_block(&d->u.d32); break;
	case DIGEST_SHA224: case DIGEST_SHA256: sha256_block(&d->u.d32); break;
	default: sha512_block(&d->u.d64);
	}
}

static void digest_add_blocks(struct digest *d, const unsigned char *at, size_t n)
{
	bool wide = d->kind == DIGEST_SHA384 || d->kind == DIGEST_SHA512;
	uint64_t *length = wide ? &d->u.d64.length : &d->u.d32.length;
	unsigned char *block = wide ? d->u.d64.block : d->u.d32.block;
	size_t size = wide ? 128 : 64;

	while (n) {
		size_t used = *length % size, part = size - used < n ? size - used : n;

		memcpy(block + used, at, part);
		*length += part;
		at += part;
		n -= part;
		if (*length % size == 0)
			digest_block(d);
	}
}

static void digest_end_blocks(struct digest *d, unsigned char *out)
{
	bool wide = d->kind == DIGEST_SHA384 || d->kind == DIGEST_SHA512;
	uint64_t length = wide ? d->u.d64.length : d->u.d32.length;
	unsigned char pad[128] = { 0x80 }, bits[16] = { 0 };
	size_t size = wide ? 128 : 64, tail = wide ? 16 : 8;
	size_t used = (size_t)(length % size), n = (used < size - tail ? size : 2 * size) - tail - used;

	digest_add_blocks(d, pad, n);
	for (unsigned i = 0; i < 8; i++)
		bits[tail - 1 - i] = (unsigned char)(length << 3 >> 8 * i);
	if (wide)
		bits[7] = (unsigned char)(length >> 61);
	digest_add_blocks(d, bits, tail);
	for (size_t i = 0; i < d->bytes; i++)
		out[i] = wide ? (unsigned char)(d->u.d64.state[i / 8] >> (56 - 8 * (i % 8)))
			      : (unsigned char)(d->u.d32.state[i / 4] >> (24 - 8 * (i % 4)));
}

void digest_add(struct digest *d, const void *data, size_t n)
{
	if (d->kind <= DIGEST_CRC)
		digest_add_sum(d, data, n);
	else if (d->kind == DIGEST_MD5)
		md5_add(&d->u.md5, data, n);
	else if (d->kind == DIGEST_BLAKE2B)
		blake2b_add(&d->u.d64, data, n);
	else
		digest_add_blocks(d, data, n);
}

void digest_end(struct digest *d, unsigned char out[DIGEST_BYTES_MAX])
{
	if (d->kind <= DIGEST_CRC)
		digest_end_sum(d);
	else if (d->kind == DIGEST_MD5)
		md5_end(&d->u.md5, out);
	else if (d->kind == DIGEST_BLAKE2B)
		blake2b_end(&d->u.d64, out);
	else
		digest_end_blocks(d, out);
}
