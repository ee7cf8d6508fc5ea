/*
 * tinysandbox/vfs.h - write a filesystem for a sandbox.
 *
 * A backend is a table of functions over paths and open files, in the manner
 * of FUSE. The sandbox does the walk (".", "..", symbolic links, permission
 * bits, mount points) above it, so a backend sees only clean absolute paths:
 * they begin with "/", have no empty, "." or ".." component, no trailing slash
 * (the root is "/"), no NUL, at most TSB_PATH_MAX bytes, components of at most
 * TSB_NAME_MAX bytes; every component but the last names a directory and no
 * link. Names are bytes, not text.
 *
 * Results are 0 (or a count) and -errno with Linux's numbers. A NULL function
 * means -ENOSYS, and so does a table of an older version for functions that
 * came later. A function fails whole: after an error nothing has changed.
 * The least that programs can read from: lstat, open, read_at, fstat, readdir (cp
 * and grep ask fstat; df asks statfs); free, if the memory is to be given back.
 *
 * Ownership: the caller allocates the file object (ops->file_size bytes) and
 * the backend embeds struct tsb_file first; likewise struct tsb_fs. Buffers
 * and names are borrowed for the call.
 *
 * Threads: several runs may use one filesystem at once; a backend does its own
 * locking. A backend never calls back into the sandbox.
 */
#ifndef TINYSANDBOX_VFS_H
#define TINYSANDBOX_VFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define TSB_VFS_VERSION 1
#define TSB_PATH_MAX 4095
#define TSB_NAME_MAX 255

struct tsb_time {
	int64_t sec;		/* since 1970-01-01 00:00:00 UTC */
	int32_t nsec;		/* 0 .. 999999999 */
};

/* What stat(2) tells. mode holds type and permission bits as <sys/stat.h>. */
struct tsb_stat {
	uint64_t dev, ino;
	uint32_t mode, nlink, uid, gid;
	uint64_t rdev;
	uint64_t size;
	uint64_t blocks;	/* of 512 bytes */
	uint32_t blksize;
	struct tsb_time atime, mtime, ctime, btime;
};

struct tsb_statfs {
	uint64_t bytes_total, bytes_free;
	uint64_t entries_total, entries_free;
	uint32_t block_size, name_max;
	const char *type;	/* "tmpfs"; static */
};

/* On whose behalf, and when: the sandbox's clock may be virtual. */
struct tsb_caller {
	uint32_t uid, gid, pid;
	struct tsb_time now;
};

/* Which attributes to set. */
enum {
	TSB_SET_MODE = 1, TSB_SET_UID = 2, TSB_SET_GID = 4,
	TSB_SET_ATIME = 8, TSB_SET_MTIME = 16,
	/* Not for backends. The times given are "now": who may write may set them,
	 * not only the owner (utimensat(2) with UTIME_NOW for both). */
	TSB_SET_NOW = 32
};
struct tsb_setattr {
	unsigned mask;
	uint32_t mode;		/* permission bits 07777 */
	uint32_t uid, gid;
	struct tsb_time atime, mtime;
};

/* One entry as readdir() packs it: records follow one another, each `size`
 * bytes long (a multiple of 8), the name NUL-terminated. */
struct tsb_dirent {
	uint64_t ino;
	uint32_t mode;		/* the type bits; 0 if not known */
	uint16_t size;
	uint16_t name_len;
#ifdef __cplusplus
	char name[1];		/* really name_len + 1 bytes */
#else
	char name[];
#endif
};

struct tsb_fs_ops;

/* A mounted filesystem; backends embed it first. */
struct tsb_fs {
	const struct tsb_fs_ops *ops;
};

/* An open file or directory; backends embed it first. The sandbox fills it. */
struct tsb_file {
	const struct tsb_fs_ops *ops;
	struct tsb_fs *fs;
	int flags;		/* as given to open() */
};

enum {
	TSB_RENAME_NOREPLACE = 1,
	TSB_RENAME_EXCHANGE = 2
};

struct tsb_fs_ops {
	unsigned version;	/* TSB_VFS_VERSION */
	size_t file_size;	/* bytes of this backend's file object */

	/*
	 * Optional, a shortcut for the walk: stat `path`, whose inner
	 * components may be links or missing. 0: *st is set (of a final link
	 * itself). -ELOOP: the component that ends at byte *len is a symbolic
	 * link and not the last. -EACCES: `who` may not search a directory on
	 * the way (the only place where a backend asks for rights). Else
	 * -errno of the lookup, the first that the path meets.
	 */
	int (*lookup)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		      size_t *len, struct tsb_stat *st);
	/* Required. Never follows a final link. -ENOENT, -ENOTDIR. */
	int (*lstat)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		     struct tsb_stat *st);
	/* Length of the target (never NUL-terminated), at most cap bytes copied. */
	ssize_t (*readlink)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
			    char *buf, size_t cap);
	/*
	 * Opens a file, or a directory for readdir(). flags: O_RDONLY, O_WRONLY,
	 * O_RDWR with O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY (Linux
	 * meaning). mode: permission bits of a new file (umask applied). file is
	 * file_size zeroed bytes with its tsb_file filled in. A final link is
	 * -ELOOP. The handle follows the inode: it works after unlink and rename.
	 */
	int (*open)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		    int flags, uint32_t mode, struct tsb_file *file);
	int (*mkdir)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path, uint32_t mode);
	/* A FIFO, socket or device (type bits in mode). */
	int (*mknod)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		     uint32_t mode, uint64_t rdev);
	int (*symlink)(struct tsb_fs *fs, const struct tsb_caller *who, const char *target,
		       const char *path);
	int (*link)(struct tsb_fs *fs, const struct tsb_caller *who, const char *from, const char *to);
	/* As renameat2(2). flags: TSB_RENAME_* */
	int (*rename)(struct tsb_fs *fs, const struct tsb_caller *who, const char *from,
		      const char *to, unsigned flags);
	int (*unlink)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path);
	int (*rmdir)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path);
	int (*setattr)(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		       const struct tsb_setattr *set);
	int (*statfs)(struct tsb_fs *fs, struct tsb_statfs *out);

	/* On open files. Rights by open flags (-EBADF) are checked above. */
	ssize_t (*read_at)(struct tsb_file *file, void *buf, size_t n, uint64_t offset);
	/* With O_APPEND the offset is ignored. Returns bytes written (may be
	 * short). -EFBIG, -ENOSPC, -EDQUOT: nothing was written. */
	ssize_t (*write_at)(struct tsb_file *file, const struct tsb_caller *who, const void *buf,
			    size_t n, uint64_t offset);
	int (*truncate)(struct tsb_file *file, const struct tsb_caller *who, uint64_t size);
	int (*fstat)(struct tsb_file *file, struct tsb_stat *st);
	int (*fsetattr)(struct tsb_file *file, const struct tsb_caller *who,
			const struct tsb_setattr *set);
	int (*sync)(struct tsb_file *file);
	/*
	 * Fills buf with the next entries of a directory (not "." and ".."), as
	 * many as fit; bytes filled, 0 at the end, -EINVAL if not one fits. An
	 * entry that is there from open to end is given exactly once, whatever
	 * else is added and removed meanwhile.
	 */
	ssize_t (*readdir)(struct tsb_file *file, void *buf, size_t cap);
	/* Always called once for an opened file; errors of late writes. */
	int (*close)(struct tsb_file *file);

	/*
	 * Optional. branch: *out is an independent filesystem with the same
	 * content; neither sees the other's changes. restore: fs gets the
	 * content of `from` (same backend); open files of fs keep their inodes.
	 */
	int (*branch)(struct tsb_fs *fs, struct tsb_fs **out);
	int (*restore)(struct tsb_fs *fs, struct tsb_fs *from);
	/* Gives the filesystem back; no file is open. */
	void (*free)(struct tsb_fs *fs);
};

/*
 * The memory filesystem: a persistent tree; branch and restore are O(1).
 * Limits are hard (0 allows nothing). NULL when the machine has no memory.
 * Freed by tsb_fs_free() or by the sandbox it was given to.
 */
struct tsb_mem_options {
	size_t size;		/* sizeof(struct tsb_mem_options) */
	uint64_t bytes_max;	/* content of all files: -ENOSPC */
	uint64_t entries_max;	/* files, directories, links: -ENOSPC */
	uint64_t file_bytes_max;	/* one file: -EFBIG */
	uint32_t root_mode, root_uid, root_gid;
	struct tsb_time now;	/* times of the root */
};
#define TSB_MEM_OPTIONS_INIT { sizeof(struct tsb_mem_options), 256u << 20, 65536, 256u << 20, \
			       0755, 1000, 1000, { 0, 0 } }
struct tsb_fs *tsb_mem_new(const struct tsb_mem_options *opt);
/* A range of memory, for tsb_save_image(). */
struct tsb_memory {
	const void *at;
	size_t size;
};
void tsb_fs_free(struct tsb_fs *fs);

/*
 * A directory of the host (Linux only), of which nothing outside can be reached by any name or
 * link. It takes the descriptor. Its owner is the sandbox's user, and so is the calling process;
 * devices, sockets, setuid and setgid bits are refused; owners cannot be changed. It cannot be
 * branched, and no quota holds for it. NULL: no memory, or no directory; the descriptor stays
 * the caller's.
 */
struct tsb_fs *tsb_host_new(int dir);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
