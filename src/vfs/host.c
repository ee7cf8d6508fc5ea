/*
 * A directory of the host as a filesystem. No path is ever checked as text: each call opens the
 * directory that holds the name with openat2(), which may not leave the tree, follow a link or a
 * magic one, and then works on that descriptor. What is no file, directory, link or FIFO is not
 * opened; bits that lend rights (setuid, setgid) cannot be set.
 *
 * Owners: whoever owns the directory is the sandbox's user (1000), and so is this process; what
 * the sandbox makes belongs to them. Others are shown by their number.
 */
#include <tinysandbox/vfs.h>

#include <stdlib.h>

#ifdef __linux__
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vfs/host_impl.h"
#include "vfs/pack.h"
#include "reach/reach.h"

struct host_fs *host_of(struct tsb_fs *fs)
{
	return (struct host_fs *)fs;
}

/* A descriptor, or -errno. */
static int host_openat2(int dir, const char *path, int flags, uint32_t mode)
{
	int fd = reach_open(dir, path, flags, mode & 0777, REACH_BELOW);

	return fd < 0 ? -errno : fd;
}

/* "/a/b" as openat2() wants it below the tree. */
static const char *host_below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

int host_spot(const struct host_fs *fs, const char *path, struct host_spot *s)
{
	const char *slash = strrchr(path, '/');
	char *dir;

	*s = (struct host_spot){ fs->dir, path[1] ? slash + 1 : ".", false };
	if (slash == path)
		return 0;
	dir = strndup(path + 1, (size_t)(slash - path - 1));
	if (!dir)
		return -ENOMEM;
	s->dir = host_openat2(fs->dir, dir, O_PATH | O_DIRECTORY, 0);
	free(dir);
	/* A link on the way is no directory: the walk above has seen to links. */
	if (s->dir < 0)
		return s->dir == -ELOOP || s->dir == -EXDEV ? -ENOTDIR : s->dir;
	s->own = true;
	return 0;
}

int host_leave(struct host_spot *s, int rc)
{
	rc = rc < 0 ? -errno : rc;
	if (s->own)
		close(s->dir);
	return rc;
}

/* ---- Attributes ---- */

static struct tsb_time host_time(const struct timespec *t)
{
	return (struct tsb_time){ t->tv_sec, (int32_t)t->tv_nsec };
}

static uint32_t host_id(uint32_t id, uint32_t owner, uint32_t self)
{
	return id == owner || id == self ? HOST_USER : id == HOST_USER ? HOST_NOBODY : id;
}

void host_stat(const struct host_fs *fs, const struct stat *st, struct tsb_stat *out)
{
	*out = (struct tsb_stat){
		.ino = st->st_dev == fs->dev ? st->st_ino : st->st_ino ^ (uint64_t)st->st_dev << 40,
		.mode = st->st_mode, .nlink = (uint32_t)st->st_nlink,
		.uid = host_id(st->st_uid, fs->uid, geteuid()),
		.gid = host_id(st->st_gid, fs->gid, getegid()), .rdev = st->st_rdev,
		.size = (uint64_t)st->st_size, .blocks = (uint64_t)st->st_blocks,
		.blksize = (uint32_t)st->st_blksize, .atime = host_time(&st->st_atim),
		.mtime = host_time(&st->st_mtim), .ctime = host_time(&st->st_ctim),
		.btime = host_time(&st->st_ctim)
	};
}

static int host_lstat(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		      struct tsb_stat *out)
{
	struct host_spot s;
	struct stat st;
	int rc = host_spot(host_of(tfs), path, &s);

	(void)who;
	if (rc)
		return rc;
	rc = host_leave(&s, fstatat(s.dir, s.name, &st, AT_SYMLINK_NOFOLLOW));
	if (!rc)
		host_stat(host_of(tfs), &st, out);
	return rc;
}

static ssize_t host_readlink(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
			     char *buf, size_t cap)
{
	char target[TSB_PATH_MAX + 1];
	struct host_spot s;
	ssize_t n;
	int rc = host_spot(host_of(tfs), path, &s);

	(void)who;
	if (rc)
		return rc;
	n = readlinkat(s.dir, s.name, target, sizeof(target));
	rc = host_leave(&s, (int)n);
	if (rc < 0)
		return rc == -ENOENT && !path[1] ? -EINVAL : rc;
	if ((size_t)n > cap)
		n = (ssize_t)cap;
	memcpy(buf, target, (size_t)n);
	return n;
}

static int host_times(const struct host_spot *s, const struct tsb_setattr *set)
{
	struct timespec t[2] = { { 0, UTIME_OMIT }, { 0, UTIME_OMIT } };

	if (set->mask & TSB_SET_ATIME)
		t[0] = (struct timespec){ set->atime.sec, set->atime.nsec };
	if (set->mask & TSB_SET_MTIME)
		t[1] = (struct timespec){ set->mtime.sec, set->mtime.nsec };
	return utimensat(s->dir, s->name, t, AT_SYMLINK_NOFOLLOW);
}

/* Links have no mode of their own; a file's is set by a descriptor, so that none is followed. */
static int host_mode(const struct host_fs *fs, const char *path, uint32_t mode)
{
	struct stat st;
	int fd = host_openat2(fs->dir, host_below(path), O_PATH | O_NOFOLLOW, 0), rc = 0;

	if (fd < 0)
		return fd == -ELOOP ? -EOPNOTSUPP : fd;
	if (fstat(fd, &st))
		rc = -errno;
	else if (S_ISLNK(st.st_mode))
		rc = -EOPNOTSUPP;
	else if (mode & (S_ISUID | S_ISGID) & ~(S_ISDIR(st.st_mode) ? st.st_mode : 0))
		rc = -EPERM;
	close(fd);
	if (rc)
		return rc;
	/* Not by O_PATH: fchmod() wants a real one, which a FIFO gives without waiting. */
	fd = host_openat2(fs->dir, host_below(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd == -EACCES)
		fd = host_openat2(fs->dir, host_below(path), O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd >= 0) {
		rc = fchmod(fd, mode & 07777) ? -errno : 0;
		close(fd);
		return rc;
	}
	return host_mode_blind(fs, path, mode);
}

/* A file that nobody may open has a mode as well: fchmodat2() where the kernel has it. */
int host_mode_blind(const struct host_fs *fs, const char *path, uint32_t mode)
{
	struct host_spot s;
	int rc = host_spot(fs, path, &s);

	if (rc)
		return rc;
	rc = (int)syscall(HOST_FCHMODAT2, s.dir, s.name, mode & 07777, AT_SYMLINK_NOFOLLOW);
	return host_leave(&s, rc);
}

static int host_setattr(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
			const struct tsb_setattr *set)
{
	struct host_fs *fs = host_of(tfs);
	struct tsb_stat st;
	struct host_spot s;
	int rc = host_lstat(tfs, who, path, &st);

	/* To give away is not possible; to "give" to whom it belongs is nothing. */
	if (!rc && ((set->mask & TSB_SET_UID && set->uid != st.uid) ||
		    (set->mask & TSB_SET_GID && set->gid != st.gid)))
		rc = -EPERM;
	if (!rc && set->mask & TSB_SET_MODE)
		rc = host_mode(fs, path, set->mode);
	if (rc || !(set->mask & (TSB_SET_ATIME | TSB_SET_MTIME)))
		return rc;
	rc = host_spot(fs, path, &s);
	return rc ? rc : host_leave(&s, host_times(&s, set));
}

static int host_statfs(struct tsb_fs *tfs, struct tsb_statfs *out)
{
	struct statfs st;

	if (fstatfs(host_of(tfs)->dir, &st))
		return -errno;
	*out = (struct tsb_statfs){
		.bytes_total = st.f_blocks * (uint64_t)st.f_bsize,
		.bytes_free = st.f_bavail * (uint64_t)st.f_bsize, .entries_total = st.f_files,
		.entries_free = st.f_ffree, .block_size = (uint32_t)st.f_bsize,
		.name_max = TSB_NAME_MAX, .type = "host"
	};
	return 0;
}

/* ---- Names ---- */

/* What was just made belongs to the owner of the tree, if we may say so. */
static void host_give(const struct host_fs *fs, const struct host_spot *s)
{
	if (geteuid() == 0 && (fs->uid || fs->gid) &&
	    fchownat(s->dir, s->name, fs->uid, fs->gid, AT_SYMLINK_NOFOLLOW))
		return;		/* then it stays ours: as usable inside */
}

static int host_mkdir(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		      uint32_t mode)
{
	struct host_spot s;
	int rc = host_spot(host_of(tfs), path, &s);

	(void)who;
	if (rc)
		return rc;
	if (!path[1]) {
		errno = EEXIST;
		return host_leave(&s, -1);
	}
	rc = mkdirat(s.dir, s.name, mode & 01777);
	if (!rc)
		host_give(host_of(tfs), &s);
	return host_leave(&s, rc);
}

static int host_mknod(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		      uint32_t mode, uint64_t rdev)
{
	uint32_t type = mode & S_IFMT;
	struct host_spot s;
	int rc;

	(void)who;
	(void)rdev;
	if (type && type != S_IFREG && type != S_IFIFO)
		return type == S_IFLNK ? -EINVAL : -EPERM;
	rc = host_spot(host_of(tfs), path, &s);
	if (rc)
		return rc;
	rc = mknodat(s.dir, s.name, (type ? type : S_IFREG) | (mode & 0777), 0);
	if (!rc)
		host_give(host_of(tfs), &s);
	return host_leave(&s, rc);
}

static int host_symlink(struct tsb_fs *tfs, const struct tsb_caller *who, const char *target,
			const char *path)
{
	struct host_spot s;
	int rc = host_spot(host_of(tfs), path, &s);

	(void)who;
	if (rc)
		return rc;
	rc = symlinkat(target, s.dir, s.name);
	if (!rc)
		host_give(host_of(tfs), &s);
	return host_leave(&s, rc);
}

static int host_two(struct host_fs *fs, const char *from, const char *to, struct host_spot *a,
		    struct host_spot *b)
{
	int rc = host_spot(fs, from, a);

	if (rc)
		return rc;
	rc = host_spot(fs, to, b);
	if (rc)
		host_leave(a, 0);
	return rc;
}

static int host_link(struct tsb_fs *tfs, const struct tsb_caller *who, const char *from,
		     const char *to)
{
	struct host_spot a, b;
	struct tsb_stat st;
	int rc = host_lstat(tfs, who, from, &st);	/* what is wrong with it comes first */

	if (!rc)
		rc = host_two(host_of(tfs), from, to, &a, &b);
	if (rc)
		return rc;
	rc = host_leave(&a, linkat(a.dir, a.name, b.dir, b.name, 0));
	host_leave(&b, 0);
	return rc;
}

static int host_rename(struct tsb_fs *tfs, const struct tsb_caller *who, const char *from,
		       const char *to, unsigned flags)
{
	unsigned how = (flags & TSB_RENAME_NOREPLACE ? 1u : 0) | (flags & TSB_RENAME_EXCHANGE ? 2u : 0);
	struct host_spot a, b;
	int rc;

	(void)who;
	if (flags & ~(unsigned)(TSB_RENAME_NOREPLACE | TSB_RENAME_EXCHANGE))
		return -EINVAL;
	rc = host_two(host_of(tfs), from, to, &a, &b);
	if (rc)
		return rc;
	rc = host_leave(&a, (int)syscall(SYS_renameat2, a.dir, a.name, b.dir, b.name, how));
	host_leave(&b, 0);
	return rc;
}

static int host_remove(struct tsb_fs *tfs, const char *path, int flags)
{
	struct host_spot s;
	int rc = host_spot(host_of(tfs), path, &s);

	if (rc)
		return rc;
	if (!path[1]) {
		errno = flags ? EBUSY : EISDIR;
		return host_leave(&s, -1);
	}
	return host_leave(&s, unlinkat(s.dir, s.name, flags));
}

static int host_unlink(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path)
{
	(void)who;
	return host_remove(tfs, path, 0);
}

static int host_rmdir(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path)
{
	(void)who;
	return host_remove(tfs, path, AT_REMOVEDIR);
}

static void host_free(struct tsb_fs *tfs)
{
	close(host_of(tfs)->dir);
	free(tfs);
}

static const struct tsb_fs_ops host_ops = {
	.version = TSB_VFS_VERSION, .file_size = sizeof(struct host_file), .lstat = host_lstat,
	.readlink = host_readlink, .open = host_open, .mkdir = host_mkdir, .mknod = host_mknod,
	.symlink = host_symlink, .link = host_link, .rename = host_rename, .unlink = host_unlink,
	.rmdir = host_rmdir, .setattr = host_setattr, .statfs = host_statfs,
	.read_at = host_read_at, .write_at = host_write_at, .truncate = host_truncate,
	.fstat = host_fstat, .fsetattr = host_fsetattr, .sync = host_sync,
	.readdir = host_readdir, .close = host_close, .free = host_free
};

struct tsb_fs *tsb_host_new(int dir)
{
	struct host_fs *fs = malloc(sizeof(*fs));
	struct stat st;

	if (!fs || fstat(dir, &st) || !S_ISDIR(st.st_mode)) {
		free(fs);
		return NULL;
	}
	*fs = (struct host_fs){ { &host_ops }, dir, st.st_uid, st.st_gid, st.st_dev };
	return &fs->fs;
}

#else

struct tsb_fs *tsb_host_new(int dir)
{
	(void)dir;
	return NULL;
}

#endif
