/*
 * See digest.h. The checksums of sum and cksum, and one door to the digests.
 */
#include "cmd/digest.h"

#include "cmd/crc.h"

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

/* ---- Checksums ---- */

static void digest_add_sum(struct digest *d, const unsigned char *at, size_t n)
{
	uint64_t sum = d->u.sum.sum;

	d->u.sum.length += n;
	if (d->kind == DIGEST_CRC) {
		d->u.sum.sum = crc_add((uint32_t)d->u.sum.sum, at, n);
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
		for (; length; length >>= 8) {
			unsigned char low = length & 255;

			crc = crc_add(crc, &low, 1);
		}
		sum = ~crc;
		sum &= UINT32_MAX;
	}
	d->u.sum.sum = sum;
}

/* ---- All ---- */

/* The libraries' calls fail for an absent context or a length out of range only. */
void digest_init(struct digest *d, enum digest_kind kind, size_t bytes)
{
	d->kind = kind;
	d->bytes = bytes ? bytes : digest_bytes(kind);
	switch (kind) {
	case DIGEST_BSD: case DIGEST_SYSV: case DIGEST_CRC:
		d->u.sum.sum = d->u.sum.length = 0;
		break;
	case DIGEST_MD5: MD5_Init(&d->u.md5); break;
	case DIGEST_SHA1: SHA1_Init(&d->u.sha1); break;
	case DIGEST_SHA224: SHA224_Init(&d->u.sha256); break;
	case DIGEST_SHA256: SHA256_Init(&d->u.sha256); break;
	case DIGEST_SHA384: SHA384_Init(&d->u.sha512); break;
	case DIGEST_SHA512: SHA512_Init(&d->u.sha512); break;
	case DIGEST_BLAKE2B: blake2b_init(&d->u.blake2b, d->bytes); break;
	case DIGEST_SM3: sm3_init(&d->u.sm3); break;
	}
}

void digest_add(struct digest *d, const void *data, size_t n)
{
	switch (d->kind) {
	case DIGEST_BSD: case DIGEST_SYSV: case DIGEST_CRC: digest_add_sum(d, data, n); break;
	case DIGEST_MD5: MD5_Update(&d->u.md5, data, n); break;
	case DIGEST_SHA1: SHA1_Update(&d->u.sha1, data, n); break;
	case DIGEST_SHA224: case DIGEST_SHA256: SHA256_Update(&d->u.sha256, data, n); break;
	case DIGEST_SHA384: case DIGEST_SHA512: SHA512_Update(&d->u.sha512, data, n); break;
	case DIGEST_BLAKE2B: blake2b_update(&d->u.blake2b, data, n); break;
	case DIGEST_SM3: sm3_add(&d->u.sm3, data, n); break;
	}
}

void digest_end(struct digest *d, unsigned char out[DIGEST_BYTES_MAX])
{
	switch (d->kind) {
	case DIGEST_BSD: case DIGEST_SYSV: case DIGEST_CRC: digest_end_sum(d); break;
	case DIGEST_MD5: MD5_Final(out, &d->u.md5); break;
	case DIGEST_SHA1: SHA1_Final(out, &d->u.sha1); break;
	case DIGEST_SHA224: case DIGEST_SHA256: SHA256_Final(out, &d->u.sha256); break;
	case DIGEST_SHA384: case DIGEST_SHA512: SHA512_Final(out, &d->u.sha512); break;
	case DIGEST_BLAKE2B: blake2b_final(&d->u.blake2b, out, d->bytes); break;
	case DIGEST_SM3: sm3_end(&d->u.sm3, out); break;
	}
}
