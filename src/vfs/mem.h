/*
 * The memory filesystem beyond its public face (tsb_mem_new() in
 * <tinysandbox/vfs.h>): limits of a branch.
 *
 * How it is made: mem_obj.h tells of the counted objects, the two persistent
 * maps (mem_radix.c, mem_dir.c) and the inodes that stand in them; mem_fs.h of
 * the filesystem around them.
 */
#ifndef VFS_MEM_H
#define VFS_MEM_H

#include <stdbool.h>

#include <tinysandbox/vfs.h>

/* Sets new limits; what is above them stays. -EINVAL: not a memory filesystem. */
int vfs_mem_limit(struct tsb_fs *fs, uint64_t bytes_max, uint64_t entries_max,
		  uint64_t file_bytes_max);
/* What is in it now does not count against the limits, here and in branches. */
int vfs_mem_free_of_charge(struct tsb_fs *fs);

#endif
