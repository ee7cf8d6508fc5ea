/*
 * SHA-256, by libcrypto's plain struct: nothing is allocated, and it uses the processor's own
 * instructions for it.
 */
#ifndef TREE_SUM_H
#define TREE_SUM_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

struct sum {
	SHA256_CTX ctx;
};

static inline void sum_begin(struct sum *s)
{
	SHA256_Init(&s->ctx);
}

static inline void sum_add(struct sum *s, const void *data, size_t n)
{
	SHA256_Update(&s->ctx, data, n);
}

static inline void sum_end(struct sum *s, uint8_t hash[32])
{
	SHA256_Final(hash, &s->ctx);
}

#endif
