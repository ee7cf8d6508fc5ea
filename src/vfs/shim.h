/*
 * Filesystems over another filesystem, for tests: every call is counted, shown to
 * a function, and may be made to fail. The shim takes `below` and frees it.
 */
#ifndef VFS_SHIM_H
#define VFS_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#include <tinysandbox/vfs.h>

/* Sees each call before it is made; a negative result is returned instead of
 * making it. name: that of the function in struct tsb_fs_ops ("open_write" for an
 * open() whose flags may change something); path may be NULL. */
typedef int shim_fn(void *ctx, const char *name, const char *path);

/* fn may be NULL. NULL: no memory, below is still the caller's. */
struct tsb_fs *shim_new(struct tsb_fs *below, shim_fn *fn, void *ctx);

/* A shim_fn: the nth call fails with -error, once. */
struct shim_fault {
	uint64_t calls;		/* made so far */
	uint64_t nth;		/* 1 is the first; 0: none */
	int error;		/* errno, positive */
};
int shim_fault(void *fault, const char *name, const char *path);
/* A shim_fn: what would change something is -EROFS; ctx is not used. */
int shim_read_only(void *ctx, const char *name, const char *path);

#endif
