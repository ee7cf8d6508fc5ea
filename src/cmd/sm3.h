/*
 * SM3 (GB/T 32905), a digest of 32 bytes.
 */
#ifndef CMD_SM3_H
#define CMD_SM3_H

#include <stddef.h>
#include <stdint.h>

struct sm3 {
	uint32_t state[8];
	uint64_t length;
	unsigned char block[64];
};

void sm3_init(struct sm3 *d);
void sm3_add(struct sm3 *d, const void *data, size_t n);
void sm3_end(struct sm3 *d, unsigned char out[32]);

#endif
