/*
 * A sandbox as bytes: "tinysandbox snapshot 1\n", then records, then an end
 * record with a checksum (FNV-1a, 64 bits) over all bytes before it. A record is
 *
 *	kind      1 byte: D directory, F file, L link, H hard link, P FIFO, S session, E end
 *	mode uid gid nsec       4 bytes each, little-endian
 *	mtime                   8 bytes
 *	path                    4 bytes of length, then the bytes (absolute)
 *	data                    8 bytes of length, then the bytes: content, link target,
 *	                        the other path (H), a script (S), the checksum (E)
 *
 * Directories come before what they hold. Only file systems that are the
 * sandbox's own state are kept: not /dev, /proc, /usr/bin.
 */
#ifndef SANDBOX_ARCHIVE_H
#define SANDBOX_ARCHIVE_H

#include <stdint.h>

#include "sandbox/view.h"

#define ARCHIVE_MAGIC "tinysandbox snapshot 1\n"

struct record {
	char kind;
	uint32_t mode, uid, gid, nsec;
	int64_t mtime;
	char *path;		/* reading: owned by the reader, until the next record */
	uint64_t size;		/* of the data that follows */
};

static inline uint64_t archive_hash(uint64_t h, const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}
#define ARCHIVE_HASH_INIT 0xcbf29ce484222325ull

#endif
