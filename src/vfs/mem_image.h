/*
 * A memory filesystem as an image: its objects as they lie in memory, for a process that maps them at the
 * same address. So a filesystem begins in a moment, whatever is in it: nothing is read before somebody looks.
 *
 * An image is mapped privately and may be written: what is in it has so many references that it is never freed
 * and always copied before it is changed. It may point into other memory that will be at its place, too.
 *
 * It is for the program that made it, or one with the same structures; no pointer in it is checked.
 */
#ifndef VFS_MEM_IMAGE_H
#define VFS_MEM_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/vfs.h>

/* Not 0: stop; given back. */
typedef int vfs_mem_image_fn(void *ctx, const void *data, size_t n);

/*
 * Writes what will be mapped at `at` (a multiple of 16); nobody changes fs meanwhile. there[n]: memory that will
 * be where it is now: no object of it is written, and content may stay in it. 0, -EINVAL (no memory
 * filesystem), -EXDEV (content lies elsewhere), -ENOMEM, or what out gave.
 */
int vfs_mem_image(struct tsb_fs *fs, uint64_t at, const struct tsb_memory *there, size_t n,
		  vfs_mem_image_fn *out, void *ctx);
/* A new filesystem of the image that is mapped at data. -EBADMSG: not one for this place and program; -ENOMEM. */
int vfs_mem_of_image(void *data, size_t n, struct tsb_fs **out);

#endif
