/*
 * The base image that every sandbox branches from: /etc, /home/user, /tmp, /usr
 * and the rest of a small Linux. The root directory belongs to the user, so that
 * agents may make /data or /workspace.
 */
#ifndef VFS_IMAGE_H
#define VFS_IMAGE_H

#include <tinysandbox/vfs.h>

#define IMAGE_UID 1000
#define IMAGE_GID 1000

/* A mem filesystem with the image in it; its content is not charged against the
 * limits of opt. hostname goes into /etc/hostname and /etc/hosts. NULL: no memory. */
struct tsb_fs *vfs_image_new(const struct tsb_mem_options *opt, const char *hostname);

#endif
