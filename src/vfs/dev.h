/*
 * /dev: null, zero, full, random, urandom, and the links stdin, stdout, stderr,
 * fd into /proc/self/fd. Whoever opens tty gets -ENXIO, as open(2) says on Linux
 * without a terminal; the kernel above opens the run's own, if it has one.
 */
#ifndef VFS_DEV_H
#define VFS_DEV_H

#include <stddef.h>

#include <tinysandbox/vfs.h>

/* Fills buf with random bytes. Must be safe on the threads that use the fs. */
typedef void devfs_random_fn(void *ctx, void *buf, size_t n);

/* fn NULL: the host's getrandom(2). `now`: the times of all nodes. NULL: no memory. */
struct tsb_fs *devfs_new(devfs_random_fn *fn, void *ctx, struct tsb_time now);

#endif
