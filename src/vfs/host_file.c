/*
 * Open files of the host directory filesystem: a descriptor each. What is opened is looked at
 * before anything is done with it: a device or a socket that somebody put there is refused, and
 * a FIFO is only a name, for the sandbox has its own.
 */
#ifdef __linux__
#include "vfs/host_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vfs/pack.h"

/* As the kernel's getdents64() lays it out. */
struct host_entry {
	uint64_t ino;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

static struct host_file *file_of(struct tsb_file *file)
{
	return (struct host_file *)file;
}

static int host_open_fd(const struct host_fs *fs, const char *path, int flags, uint32_t mode)
{
	const int kept = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_DIRECTORY;
	struct stat before, st;
	struct host_spot s;
	int fd, rc = host_spot(fs, path, &s);

	if (rc)
		return rc;
	/* The cutting waits until it is known what is cut. */
	fd = openat(s.dir, s.name, (flags & kept & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
		    O_NOCTTY, mode & 0777);
	if (fd < 0 && (errno == ENXIO || errno == ENODEV) &&
	    !fstatat(s.dir, s.name, &before, AT_SYMLINK_NOFOLLOW) && S_ISFIFO(before.st_mode))
		fd = openat(s.dir, s.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && flags & O_CREAT && geteuid() == 0 && (fs->uid || fs->gid) &&
	    !fstat(fd, &st) && st.st_uid == 0 && fchown(fd, fs->uid, fs->gid))
		errno = 0;	/* stays ours: as usable inside */
	rc = host_leave(&s, fd);
	if (rc < 0)
		return rc;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISFIFO(st.st_mode))
		rc = -ENXIO;
	else if (flags & O_TRUNC && S_ISREG(st.st_mode) && ftruncate(fd, 0))
		rc = -errno;
	if (rc >= 0)
		return fd;
	close(fd);
	return rc;
}

int host_open(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path, int flags,
	      uint32_t mode, struct tsb_file *file)
{
	struct host_file *f = file_of(file);
	int fd = host_open_fd(host_of(tfs), path, flags, mode);

	(void)who;
	if (fd < 0)
		return fd;
	f->fd = fd;
	return 0;
}

ssize_t host_read_at(struct tsb_file *file, void *buf, size_t n, uint64_t offset)
{
	ssize_t r;

	if (offset > INT64_MAX)
		return -EINVAL;
	if (n > INT64_MAX - offset)
		n = (size_t)(INT64_MAX - offset);
	r = n ? pread(file_of(file)->fd, buf, n < SSIZE_MAX ? n : SSIZE_MAX, (off_t)offset) : 0;
	return r < 0 ? -errno : r;
}

ssize_t host_write_at(struct tsb_file *file, const struct tsb_caller *who, const void *buf,
		      size_t n, uint64_t offset)
{
	ssize_t r;

	(void)who;
	if (!n)
		return 0;
	if (offset >= INT64_MAX)
		return -EFBIG;
	if (n > INT64_MAX - offset)
		n = (size_t)(INT64_MAX - offset);
	r = pwrite(file_of(file)->fd, buf, n < SSIZE_MAX ? n : SSIZE_MAX, (off_t)offset);
	return r < 0 ? -errno : r;
}

int host_truncate(struct tsb_file *file, const struct tsb_caller *who, uint64_t size)
{
	(void)who;
	if (size > INT64_MAX)
		return -EFBIG;
	return ftruncate(file_of(file)->fd, (off_t)size) ? -errno : 0;
}

int host_fstat(struct tsb_file *file, struct tsb_stat *out)
{
	struct stat st;

	if (fstat(file_of(file)->fd, &st))
		return -errno;
	host_stat(host_of(file->fs), &st, out);
	return 0;
}

int host_fsetattr(struct tsb_file *file, const struct tsb_caller *who,
		  const struct tsb_setattr *set)
{
	struct timespec t[2] = { { 0, UTIME_OMIT }, { 0, UTIME_OMIT } };
	int fd = file_of(file)->fd;
	struct tsb_stat st;
	int rc = host_fstat(file, &st);

	(void)who;
	if (rc)
		return rc;
	if ((set->mask & TSB_SET_UID && set->uid != st.uid) ||
	    (set->mask & TSB_SET_GID && set->gid != st.gid))
		return -EPERM;
	if (set->mask & TSB_SET_MODE &&
	    set->mode & (S_ISUID | S_ISGID) & ~(S_ISDIR(st.mode) ? st.mode : 0))
		return -EPERM;
	if (set->mask & TSB_SET_MODE && fchmod(fd, set->mode & 07777))
		return -errno;
	if (set->mask & TSB_SET_ATIME)
		t[0] = (struct timespec){ set->atime.sec, set->atime.nsec };
	if (set->mask & TSB_SET_MTIME)
		t[1] = (struct timespec){ set->mtime.sec, set->mtime.nsec };
	if (set->mask & (TSB_SET_ATIME | TSB_SET_MTIME) && futimens(fd, t))
		return -errno;
	return 0;
}

int host_sync(struct tsb_file *file)
{
	return fsync(file_of(file)->fd) && errno != EINVAL && errno != EBADF ? -errno : 0;
}

/* ---- Directories ---- */

static int host_more(struct host_file *f)
{
	long n;

	if (!f->entries && !(f->entries = malloc(HOST_ENTRIES)))
		return -ENOMEM;
	n = syscall(SYS_getdents64, f->fd, f->entries, HOST_ENTRIES);
	if (n < 0)
		return -errno;
	f->at = 0;
	f->n = (size_t)n;
	return 0;
}

static uint32_t host_type(uint8_t type)
{
	return (uint32_t)type << 12;	/* DT_* are S_IF* shifted; 0: not known */
}

ssize_t host_readdir(struct tsb_file *file, void *buf, size_t cap)
{
	struct host_file *f = file_of(file);
	size_t done = 0;

	for (;;) {
		const struct host_entry *e = (const void *)(f->entries + f->at);
		size_t n, name;

		if (f->at >= f->n) {
			int rc = done ? 1 : host_more(f);

			if (rc < 0 || done || !f->n)
				return rc < 0 ? rc : (ssize_t)done;
			continue;
		}
		name = strlen(e->name);
		if (strcmp(e->name, ".") && strcmp(e->name, "..")) {
			n = vfs_pack((char *)buf + done, cap - done, e->ino, host_type(e->type),
				     e->name, name);
			if (!n)
				return done ? (ssize_t)done : -EINVAL;
			done += n;
		}
		f->at += e->size;
	}
}

int host_close(struct tsb_file *file)
{
	struct host_file *f = file_of(file);

	free(f->entries);
	return close(f->fd) ? -errno : 0;
}
#endif
