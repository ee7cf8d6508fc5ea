/* What the writer and the reader of changes have in common: sizes and the hash. */
#ifndef VFS_MEM_CHANGES_IMPL_H
#define VFS_MEM_CHANGES_IMPL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CHANGES_MAGIC "tsbc"
#define CHANGES_VERSION 1u
#define CHANGES_HEAD 40u
#define CHANGES_RECORD 13u
#define CHANGES_INODE 82u
#define CHANGES_HASH UINT64_C(0x9ae16a3b2f90404f)

/* Against torn and rotten files, not against forgers. Each piece is hashed for itself, so the
 * reader must cut the bytes as the writer did: record head, then its parts. */
static inline uint64_t changes_hash(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t word;

	h ^= n;
	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, p, n);
	h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
	return h ^ h >> 29;
}

#endif
