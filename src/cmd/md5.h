/*
 * MD5, for what GNU's tools use it where no secret is: the order of sort -R.
 */
#ifndef CMD_MD5_H
#define CMD_MD5_H

#include <stddef.h>
#include <stdint.h>

struct md5 {
	uint32_t state[4];
	uint64_t length;
	unsigned char block[64];
};

void md5_init(struct md5 *m);
void md5_add(struct md5 *m, const void *data, size_t n);
void md5_end(struct md5 *m, unsigned char out[16]);

#endif
