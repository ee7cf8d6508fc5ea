/*
 * Packing directory records (struct tsb_dirent), for every backend's readdir().
 */
#ifndef VFS_PACK_H
#define VFS_PACK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tinysandbox/vfs.h>

/* Appends a record at buf; its size, 0 if cap is too small. n <= TSB_NAME_MAX. */
static inline size_t vfs_pack(char *buf, size_t cap, uint64_t ino, uint32_t type,
			      const char *name, size_t n)
{
	struct tsb_dirent d = { .ino = ino, .mode = type, .name_len = (uint16_t)n };
	size_t size = (sizeof(d) + n + 1 + 7) & ~(size_t)7;
	if (size > cap)
		return 0;
	d.size = (uint16_t)size;
	memcpy(buf, &d, sizeof(d));
	memcpy(buf + sizeof(d), name, n);
	memset(buf + sizeof(d) + n, 0, size - sizeof(d) - n);
	return size;
}

#endif
