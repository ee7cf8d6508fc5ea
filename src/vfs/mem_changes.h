/*
 * A memory filesystem as bytes, by what differs from an earlier branch of it. Both are
 * persistent trees that share what is equal, so finding the differences costs only what
 * differs: equal objects are not entered.
 *
 * A set of changes is
 *
 *	head     "tsbc", u32 version, u64 ino_next, u64 bytes and u64 entries free of charge,
 *	         u64 full (1: from nothing)
 *	records  u8 kind, u64 inode number, u32 size, bytes
 *	end      u8 'E', u64 number of records, u32 8, u64 hash of all bytes before the hash
 *
 * Kinds: I attributes and inline content; P a page (u64 key, bytes); C pages from a key on are
 * gone (u64 key); N a name of a directory (u64 inode, u32 type, bytes); n a name that is gone
 * (bytes); R the inode is gone. An inode's I comes first. Numbers are little-endian.
 */
#ifndef VFS_MEM_CHANGES_H
#define VFS_MEM_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <tinysandbox/vfs.h>

/* Not 0: stop; given back. */
typedef int vfs_mem_out_fn(void *ctx, const void *data, size_t n);

/*
 * Writes what makes `now` of `since` (NULL: of nothing); nothing at all if they are equal. Both
 * are branches that nobody changes meanwhile. 0, -EINVAL (no memory filesystems), or what out gave.
 */
int vfs_mem_changes(struct tsb_fs *since, struct tsb_fs *now, vfs_mem_out_fn *out, void *ctx);

/*
 * Applies the set at the front of the data: its size. 0: there is no whole one, nothing has
 * changed. -EBADMSG: it is whole, but no set for this filesystem; -ENOMEM; then what fs holds
 * must not be used. Quotas are not looked at; no file is open.
 */
ssize_t vfs_mem_apply(struct tsb_fs *fs, const void *data, size_t n, unsigned flags);
enum {
	VFS_MEM_FAR = 1,	/* the data stays where it is: content is not copied */
	VFS_MEM_TRUSTED = 2	/* it was verified otherwise: its hash is not compared */
};
/* After the last set: counts what is there, and checks it. -EBADMSG. */
int vfs_mem_check(struct tsb_fs *fs);

#endif
