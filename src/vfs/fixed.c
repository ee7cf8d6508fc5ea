/*
 * What a filesystem says that nobody changes: -EPERM, to root as well. (Others
 * fail before, at the permission bits.)
 */
#include "vfs/fixed.h"

#include <errno.h>

int fixed_mkdir(struct tsb_fs *fs, const struct tsb_caller *who, const char *path, uint32_t mode)
{
	(void)fs, (void)who, (void)path, (void)mode;
	return -EPERM;
}

int fixed_mknod(struct tsb_fs *fs, const struct tsb_caller *who, const char *path, uint32_t mode,
		uint64_t rdev)
{
	(void)fs, (void)who, (void)path, (void)mode, (void)rdev;
	return -EPERM;
}

int fixed_link(struct tsb_fs *fs, const struct tsb_caller *who, const char *from, const char *to)
{
	(void)fs, (void)who, (void)from, (void)to;
	return -EPERM;
}

int fixed_rename(struct tsb_fs *fs, const struct tsb_caller *who, const char *from,
		 const char *to, unsigned flags)
{
	(void)fs, (void)who, (void)from, (void)to, (void)flags;
	return -EPERM;
}

int fixed_remove(struct tsb_fs *fs, const struct tsb_caller *who, const char *path)
{
	(void)fs, (void)who, (void)path;
	return -EPERM;
}

int fixed_setattr(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		  const struct tsb_setattr *set)
{
	(void)fs, (void)who, (void)path, (void)set;
	return -EPERM;
}

int fixed_fsetattr(struct tsb_file *file, const struct tsb_caller *who,
		   const struct tsb_setattr *set)
{
	(void)file, (void)who, (void)set;
	return -EPERM;
}
