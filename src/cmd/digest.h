/*
 * Checksums and digests of md5sum and its kin: one way to run them all.
 *
 * The digests are OpenSSL's (MD5, SHA-1, SHA-2) and libb2's (BLAKE2b), by their
 * low-level calls: the whole state stands in struct digest, nothing is allocated
 * or set up outside it, so a process may be dropped in the middle of a file.
 * SM3 is ours (sm3.c says why), and so are the checksums.
 */
#ifndef CMD_DIGEST_H
#define CMD_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* OpenSSL 3 calls the low-level functions deprecated; those that are not
 * allocate, and read the host's configuration. */
#ifndef OPENSSL_API_COMPAT
#define OPENSSL_API_COMPAT 10100
#endif
#include <blake2.h>
#include <openssl/md5.h>
#include <openssl/sha.h>

#include "cmd/sm3.h"

enum { DIGEST_BYTES_MAX = 64 };

enum digest_kind {
	DIGEST_BSD, DIGEST_SYSV, DIGEST_CRC, DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA224, DIGEST_SHA256,
	DIGEST_SHA384, DIGEST_SHA512, DIGEST_BLAKE2B, DIGEST_SM3
};

struct digest {
	enum digest_kind kind;
	size_t bytes;		/* of the result */
	union {
		MD5_CTX md5;
		SHA_CTX sha1;
		SHA256_CTX sha256;	/* and SHA-224 */
		SHA512_CTX sha512;	/* and SHA-384 */
		blake2b_state blake2b;
		struct sm3 sm3;
		struct { uint64_t sum, length; } sum;
	} u;
};

/* The tag ("SHA256") and the length of the result; 0: a checksum, no digest. */
const char *digest_tag(enum digest_kind kind);
size_t digest_bytes(enum digest_kind kind);

/* bytes: of the result, only for BLAKE2b (1 to 64); 0: the usual. */
void digest_init(struct digest *d, enum digest_kind kind, size_t bytes);
void digest_add(struct digest *d, const void *data, size_t n);
void digest_end(struct digest *d, unsigned char out[DIGEST_BYTES_MAX]);

#endif
