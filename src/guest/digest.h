/*
 * Digests for guests, with their whole state in one struct: a guest keeps it as
 * bytes in its own memory, so what comes back is not trusted (js_digest_sane()).
 * MD5, SHA-1, SHA-2 and RIPEMD-160 are OpenSSL's, BLAKE2 is libb2's, both by
 * their low-level calls, which allocate nothing; Keccak is keccak.c.
 */
#ifndef GUEST_DIGEST_H
#define GUEST_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* OpenSSL 3 calls the low-level functions deprecated; those that are not
 * allocate, and read the host's configuration. */
#ifndef OPENSSL_API_COMPAT
#define OPENSSL_API_COMPAT 10100
#endif
#include <blake2.h>
#include <openssl/md5.h>
#include <openssl/ripemd.h>
#include <openssl/sha.h>

/* The order is that of internal/crypto_hash.js. */
enum js_digest_kind {
	JS_MD5, JS_SHA1, JS_SHA224, JS_SHA256, JS_SHA384, JS_SHA512, JS_SHA512_224, JS_SHA512_256,
	JS_RIPEMD160, JS_BLAKE2B512, JS_BLAKE2S256, JS_SHA3_224, JS_SHA3_256, JS_SHA3_384, JS_SHA3_512,
	JS_SHAKE128, JS_SHAKE256, JS_DIGESTS
};

struct keccak {
	uint64_t lane[25];
	uint32_t rate, at;
	uint8_t pad, out;
};

struct js_digest {
	uint32_t kind;
	union {
		MD5_CTX md5;
		SHA_CTX sha1;
		SHA256_CTX sha256;
		SHA512_CTX sha512;
		RIPEMD160_CTX ripemd160;
		blake2b_state blake2b;
		blake2s_state blake2s;
		struct keccak keccak;
	} u;
};

enum { JS_DIGEST_STATE = 768, JS_DIGEST_MAX = 64 };
_Static_assert(sizeof(struct js_digest) <= JS_DIGEST_STATE, "internal/crypto_hash.js");

/* Bytes of the result (the usual number for SHAKE) and of a block. */
size_t js_digest_bytes(enum js_digest_kind kind);
size_t js_digest_block(enum js_digest_kind kind);
void js_digest_init(struct js_digest *d, enum js_digest_kind kind);
void js_digest_add(struct js_digest *d, const void *data, size_t n);
/* n: js_digest_bytes(), or for SHAKE as many as are wanted. */
void js_digest_end(struct js_digest *d, uint8_t *out, size_t n);
/* Its counters lie inside its buffers: the calls above are safe, whatever else was changed. */
bool js_digest_sane(const struct js_digest *d);

/* keccak.c; pad: the bits behind the data. */
void keccak_init(struct keccak *k, uint32_t rate, uint8_t pad);
void keccak_add(struct keccak *k, const uint8_t *data, size_t n);
void keccak_end(struct keccak *k, uint8_t *out, size_t n);

#endif
