/*
 * SHA-256, by libcrypto's plain struct.
 */
#ifndef BOX_SHA256_H
#define BOX_SHA256_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void bx_sha256(const void *data, size_t n, uint8_t hash[32]);
/* From its position to its end. False: errno. */
bool bx_sha256_fd(int fd, uint8_t hash[32]);

#endif
