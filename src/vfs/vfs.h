/*
 * Paths to files: the mount table, the walk, and the calls of Linux's section 2
 * manual that take a path. The kernel is the user of this header; backends are
 * written to <tinysandbox/vfs.h>.
 *
 * A struct vfs is a namespace: a short list of mounts, the root among them. Its
 * mounts are counted references, so a clone is cheap: a sandbox has one, every
 * run lays its own /proc over it. One vfs belongs to one thread at a time
 * (it owns the buffers of the walk); clones are independent and may run on other
 * threads, also while they share filesystems.
 *
 * Every call takes a struct vfs_ctx: in which namespace, on whose behalf, from
 * where. Paths are what the caller typed: relative or absolute, "", ".", "..",
 * links, trailing slashes are all understood as Linux does, with its error
 * numbers and their order. Permission bits hold for uid and gid of the caller;
 * uid 0 passes them. Modes come with the umask already applied.
 *
 * Results are 0, a count, or -errno. A call fails whole. No call waits, ends the
 * process or calls back (except the hooks named here): plain returns only. All
 * memory is malloc's; -ENOMEM when there is none.
 */
#ifndef VFS_VFS_H
#define VFS_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tinysandbox/vfs.h>

struct vfs;
struct vfs_mount;

struct vfs_ctx {
	struct vfs *vfs;
	const struct tsb_caller *who;
	const char *cwd;		/* clean and absolute, as vfs_chdir() gives it */
};

/* ---- Namespaces ---- */

enum {
	VFS_MOUNT_READ_ONLY = 1,	/* = TSB_MOUNT_READ_ONLY */
	VFS_MOUNT_SHARE = 2,		/* vfs_branch() shares it: not state of the sandbox */
	VFS_MOUNT_REPLACE = 4		/* take the place of a mount on that very path */
};

/* root becomes the namespace's, and is freed with the last one that has it. NULL:
 * no memory, and root is still the caller's. */
struct vfs *vfs_new(struct tsb_fs *root);
struct vfs *vfs_clone(const struct vfs *v);	/* same mounts, no hook; NULL: no memory */
void vfs_free(struct vfs *v);			/* v may be NULL */
/*
 * For one who needs the namespaces of others, one after the other, each with a filesystem of his own at `path`:
 * made once, laid over one and taken off again without a piece of memory or a count being touched. While it lies
 * over `base`, that may not change, nor may this: no mounting. NULL: no memory, and fs is still the caller's.
 */
struct vfs *vfs_new_over(const char *path, struct tsb_fs *fs);
int vfs_lay_over(struct vfs *v, const struct vfs *base);	/* 0 or -ENOMEM */
void vfs_take_off(struct vfs *v);

/* path: absolute; "." and ".." are not allowed, links are not followed. The
 * place need not exist below: a mount is there by itself, and its parent's
 * readdir() shows it. On success fs belongs to the namespace. -EBUSY: something
 * is mounted there. -EINVAL: not such a path, or the root. */
int vfs_mount(struct vfs *v, const char *path, struct tsb_fs *fs, unsigned flags);
/* Another read-only flag for the mount at that very path, here and in clones and
 * branches made from now on. -EINVAL: nothing is mounted there (or the root). */
int vfs_remount(struct vfs *v, const char *path, unsigned flags);
/* -EINVAL: nothing is mounted there (or the root). -EBUSY: a mount inside it.
 * Open files keep the filesystem alive. */
int vfs_unmount(struct vfs *v, const char *path);

/* *out: a namespace whose filesystems are branches of v's (ops->branch), those
 * with VFS_MOUNT_SHARE excepted. -EOPNOTSUPP: a filesystem cannot branch. */
int vfs_branch(const struct vfs *v, struct vfs **out);
/* Each filesystem of v, those shared excepted, gets the content of the one at
 * the same place in `from`. -EOPNOTSUPP, before anything changes, if the places
 * differ or one cannot. */
int vfs_restore(struct vfs *v, struct vfs *from);

/* Mounts in order of their paths; false behind the last. Borrowed. */
struct vfs_mount_info {
	const char *path;
	const char *type;		/* "tmpfs" */
	struct tsb_fs *fs;
	unsigned flags;
	uint64_t dev;
};
bool vfs_mount_at(const struct vfs *v, size_t i, struct vfs_mount_info *info);
/* Sums bytes and entries in use over all mounts that are not shared. */
int vfs_usage(const struct vfs *v, uint64_t *bytes, uint64_t *entries);

/* Called after a directory was renamed, with clean absolute paths: the kernel
 * corrects the working directories below `from`. fn may be NULL. */
typedef void vfs_moved_fn(void *ctx, const char *from, const char *to);
void vfs_on_move(struct vfs *v, vfs_moved_fn *fn, void *ctx);

/* ---- The walk ---- */

/* Where a path leads. path and inner live in the namespace's buffers, until the
 * next call on it. */
struct vfs_where {
	const struct vfs_mount *mount;
	struct tsb_fs *fs;
	const char *path;		/* clean, absolute in the namespace */
	size_t path_n;
	const char *inner;		/* clean, absolute in fs */
	bool exists;			/* st is set; else dir is */
	bool slash;			/* the path ended in a slash */
	enum vfs_last {
		VFS_LAST_NAME, VFS_LAST_ROOT, VFS_LAST_DOT, VFS_LAST_DOTDOT
	} last;				/* what the path's last component was */
	int error;			/* !exists with VFS_LITERAL: what a lookup of the
					 * last component says if not -ENOENT; else 0 */
	int magic_pid, magic_fd;	/* see VFS_MAGIC; else 0, -1 */
	struct tsb_stat st;
	struct tsb_stat dir;		/* of the directory that path would be in */
};
enum {
	VFS_FOLLOW = 1,			/* also a final link */
	VFS_MAY_MISS = 2,		/* a missing last component is no error: !exists */
	VFS_LITERAL = 4			/* not even a slash follows a final link */
};
/* 0, or -ENOENT, -ENOTDIR, -ELOOP, -EACCES, -ENAMETOOLONG ... With VFS_FOLLOW the
 * end may be a /proc/PID/fd/N whose file has no path: magic_fd >= 0, and st is
 * that file's. */
int vfs_resolve(const struct vfs_ctx *c, const char *path, unsigned how, struct vfs_where *out);

/* ---- Open files ---- */

/* An open file; the fields may be read, not changed. */
struct vfs_file {
	struct tsb_file *base;		/* the backend's object */
	struct vfs_mount *mount;	/* counted */
	uint64_t dev, ino;		/* who it is: the key of a FIFO's pipe */
	uint32_t mode;			/* st_mode when it was opened */
	int flags;			/* as given to vfs_open() */
	const char *path;		/* clean absolute path when it was opened */
	size_t mount_next;		/* readdir: mount points given so far */
	struct vfs *vfs;		/* readdir of a directory: for its mount points */
};

/* vfs_open() of a /proc/PID/fd/N (or /dev/stdin, /dev/fd/N ...) whose file has no
 * path (a pipe, a deleted file): *out is NULL, magic[0] the pid, magic[1] the
 * descriptor: the kernel opens that itself. */
#define VFS_MAGIC 1

/*
 * open(2). flags: O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND,
 * O_DIRECTORY, O_NOFOLLOW; others are kept in file->flags and have no effect. A
 * FIFO, too, gives a handle (for stat): the kernel makes its pipe. A socket is
 * -ENXIO. An open directory must be closed before its vfs is freed.
 */
int vfs_open(const struct vfs_ctx *c, const char *path, int flags, uint32_t mode,
	     struct vfs_file **out, int magic[2]);
/* Frees it, whatever is returned. */
int vfs_close(struct vfs_file *f);
/* -EBADF: not opened for that. -EISDIR: a directory. -EINVAL: offset beyond 2^63-1. */
ssize_t vfs_read(struct vfs_file *f, void *buf, size_t n, uint64_t offset);
ssize_t vfs_write(struct vfs_file *f, const struct tsb_caller *who, const void *buf, size_t n,
		  uint64_t offset);
int vfs_ftruncate(struct vfs_file *f, const struct tsb_caller *who, uint64_t size);
int vfs_fstat(struct vfs_file *f, struct tsb_stat *st);
int vfs_fsetattr(struct vfs_file *f, const struct tsb_caller *who, const struct tsb_setattr *set);
int vfs_fsync(struct vfs_file *f);
/* As ops->readdir, with the mount points; -ENOTDIR. */
ssize_t vfs_readdir(struct vfs_file *f, void *buf, size_t cap);

/* ---- Calls with paths ---- */

int vfs_stat(const struct vfs_ctx *c, const char *path, struct tsb_stat *st);
int vfs_lstat(const struct vfs_ctx *c, const char *path, struct tsb_stat *st);
/* want: 4 read, 2 write, 1 execute or search; 0: it exists. */
int vfs_access(const struct vfs_ctx *c, const char *path, int want);
int vfs_mkdir(const struct vfs_ctx *c, const char *path, uint32_t mode);
/* mode with type bits; none: a regular file. Devices: uid 0 only. */
int vfs_mknod(const struct vfs_ctx *c, const char *path, uint32_t mode, uint64_t rdev);
int vfs_symlink(const struct vfs_ctx *c, const char *target, const char *path);
int vfs_link(const struct vfs_ctx *c, const char *from, const char *to, bool follow);
int vfs_rename(const struct vfs_ctx *c, const char *from, const char *to, unsigned flags);
int vfs_unlink(const struct vfs_ctx *c, const char *path);
int vfs_rmdir(const struct vfs_ctx *c, const char *path);
ssize_t vfs_readlink(const struct vfs_ctx *c, const char *path, char *buf, size_t cap);
/* chmod(2), chown(2), utimensat(2) in one: their rules for each bit of the mask. */
int vfs_setattr(const struct vfs_ctx *c, const char *path, const struct tsb_setattr *set,
		bool follow);
int vfs_truncate(const struct vfs_ctx *c, const char *path, uint64_t size);
int vfs_statfs(const struct vfs_ctx *c, const char *path, struct tsb_statfs *out);
/* *at: the mount point that path's file is under; borrowed from the namespace. */
int vfs_mount_of(const struct vfs_ctx *c, const char *path, const char **at);
/* *clean: the new working directory; borrowed until the next call. */
int vfs_chdir(const struct vfs_ctx *c, const char *path, const char **clean);
/* missing: TSB_REAL_* (command.h) as realpath -e, (none), -m. *clean: as above. */
int vfs_realpath(const struct vfs_ctx *c, const char *path, int missing, const char **clean);
/*
 * What execve(2) would find: 0 for a regular file that the caller may execute
 * (-EACCES else); *st (may be NULL) its stat. *command: the name, if it is an
 * entry of a bin filesystem (see bin.h), else NULL.
 */
int vfs_program(const struct vfs_ctx *c, const char *path, struct tsb_stat *st,
		const char **command);

/* The permission check by itself: 0 or -EACCES. want as vfs_access(). */
int vfs_permitted(const struct tsb_caller *who, const struct tsb_stat *st, int want);

#endif
