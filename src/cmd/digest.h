/*
 * Checksums and digests of md5sum and its kin: one way to run them all.
 */
#ifndef CMD_DIGEST_H
#define CMD_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/md5.h"

enum { DIGEST_BYTES_MAX = 64 };

enum digest_kind {
	DIGEST_BSD, DIGEST_SYSV, DIGEST_CRC, DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA224, DIGEST_SHA256,
	DIGEST_SHA384, DIGEST_SHA512, DIGEST_BLAKE2B, DIGEST_SM3
};

/* SHA-1, SHA-2 of 32 bits and SM3: blocks of 64 bytes. */
struct digest32 {
	uint32_t state[8];
	uint64_t length;
	unsigned char block[64];
};

/* SHA-2 of 64 bits and BLAKE2b: blocks of 128 bytes. */
struct digest64 {
	uint64_t state[8];
	uint64_t length;
	unsigned char block[128];
	size_t used, out;	/* BLAKE2b: bytes in block, length of the result */
};

struct digest {
	enum digest_kind kind;
	size_t bytes;		/* of the result */
	union {
		struct md5 md5;
		struct digest32 d32;
		struct digest64 d64;
		struct { uint64_t sum, length; } sum;
	} u;
};

/* The tag ("SHA256") and the length of the result; 0: a checksum, no digest. */
const char *digest_tag(enum digest_kind kind);
size_t digest_bytes(enum digest_kind kind);

/* bytes: of the result, only for BLAKE2b; 0: the usual. */
void digest_init(struct digest *d, enum digest_kind kind, size_t bytes);
void digest_add(struct digest *d, const void *data, size_t n);
void digest_end(struct digest *d, unsigned char out[DIGEST_BYTES_MAX]);

/* The parts, one file each. */
void sha1_init(struct digest32 *d);
void sha1_block(struct digest32 *d);
void sha256_init(struct digest32 *d, bool is_224);
void sha256_block(struct digest32 *d);
void sm3_init(struct digest32 *d);
void sm3_block(struct digest32 *d);
void sha512_init(struct digest64 *d, bool is_384);
void sha512_block(struct digest64 *d);
void blake2b_init(struct digest64 *d, size_t out);
void blake2b_add(struct digest64 *d, const unsigned char *at, size_t n);
void blake2b_end(struct digest64 *d, unsigned char *out);

static inline uint32_t digest_rotate32(uint32_t v, unsigned by)
{
	return v << (by & 31) | v >> (-by & 31);
}

static inline uint64_t digest_rotate64(uint64_t v, unsigned by)
{
	return v << (by & 63) | v >> (-by & 63);
}

static inline uint32_t digest_be32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

#endif
