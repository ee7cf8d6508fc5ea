/* Inside the host directory filesystem: host.c (names), host_file.c (open files). */
#ifndef VFS_HOST_IMPL_H
#define VFS_HOST_IMPL_H

#include <stdbool.h>
#include <sys/stat.h>

#include <tinysandbox/vfs.h>

enum { HOST_USER = 1000, HOST_NOBODY = 65534, HOST_FCHMODAT2 = 452, HOST_ENTRIES = 4096 };

struct host_fs {
	struct tsb_fs fs;
	int dir;
	uint32_t uid, gid;	/* whose the tree is */
	dev_t dev;
};

struct host_file {
	struct tsb_file f;
	int fd;
	char *entries;		/* readdir: what the kernel gave and is not given on yet */
	size_t at, n;
};

/* Where a path's last component is or would be. */
struct host_spot {
	int dir;
	const char *name;
	bool own;		/* dir is to be closed */
};

struct host_fs *host_of(struct tsb_fs *fs);
int host_spot(const struct host_fs *fs, const char *path, struct host_spot *s);
/* Ends it: rc, or -errno when that is negative. */
int host_leave(struct host_spot *s, int rc);
void host_stat(const struct host_fs *fs, const struct stat *st, struct tsb_stat *out);
int host_mode_blind(const struct host_fs *fs, const char *path, uint32_t mode);

int host_open(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path, int flags,
	      uint32_t mode, struct tsb_file *file);
ssize_t host_read_at(struct tsb_file *file, void *buf, size_t n, uint64_t offset);
ssize_t host_write_at(struct tsb_file *file, const struct tsb_caller *who, const void *buf,
		      size_t n, uint64_t offset);
int host_truncate(struct tsb_file *file, const struct tsb_caller *who, uint64_t size);
int host_fstat(struct tsb_file *file, struct tsb_stat *st);
int host_fsetattr(struct tsb_file *file, const struct tsb_caller *who,
		  const struct tsb_setattr *set);
int host_sync(struct tsb_file *file);
ssize_t host_readdir(struct tsb_file *file, void *buf, size_t cap);
int host_close(struct tsb_file *file);

#endif
