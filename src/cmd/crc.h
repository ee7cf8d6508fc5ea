/*
 * The CRC of POSIX's cksum: polynomial 0x04c11db7, highest bit first, from 0.
 */
#ifndef CMD_CRC_H
#define CMD_CRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint32_t crc_add(uint32_t crc, const unsigned char *at, size_t n);
/* By the CPU's multiplication of polynomials? */
bool crc_is_fast(void);

#endif
