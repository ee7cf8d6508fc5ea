/*
 * Functions for filesystems that nobody changes (/dev, /proc, the commands): each
 * refuses with -EPERM, whoever asks.
 */
#ifndef VFS_FIXED_H
#define VFS_FIXED_H

#include <tinysandbox/vfs.h>

int fixed_mkdir(struct tsb_fs *fs, const struct tsb_caller *who, const char *path, uint32_t mode);
int fixed_mknod(struct tsb_fs *fs, const struct tsb_caller *who, const char *path, uint32_t mode,
		uint64_t rdev);
/* For symlink() and link(). */
int fixed_link(struct tsb_fs *fs, const struct tsb_caller *who, const char *from, const char *to);
int fixed_rename(struct tsb_fs *fs, const struct tsb_caller *who, const char *from,
		 const char *to, unsigned flags);
/* For unlink() and rmdir(). */
int fixed_remove(struct tsb_fs *fs, const struct tsb_caller *who, const char *path);
int fixed_setattr(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		  const struct tsb_setattr *set);
int fixed_fsetattr(struct tsb_file *file, const struct tsb_caller *who,
		   const struct tsb_setattr *set);

#define FIXED_OPS \
	.mkdir = fixed_mkdir, .mknod = fixed_mknod, .symlink = fixed_link, .link = fixed_link, \
	.rename = fixed_rename, .unlink = fixed_remove, .rmdir = fixed_remove, \
	.setattr = fixed_setattr, .fsetattr = fixed_fsetattr

#endif
