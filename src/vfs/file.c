/*
 * Open files: opening with all its rules, and the calls on what is open. A struct
 * vfs_file, the backend's object and the path are one piece of memory.
 */
#include "vfs/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/pack.h"
#include "vfs/space.h"

/* ---- Opening ---- */

#define OPEN_BACKEND_FLAGS \
	(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_DIRECTORY)

static int open_wants(int flags)
{
	static const int want[] = { [O_RDONLY] = 4, [O_WRONLY] = 2, [O_RDWR] = 6, [3] = 6 };
	return want[flags & O_ACCMODE] | (flags & O_TRUNC ? 2 : 0);
}

/* What stands at the end of the path may be opened so? */
static int open_check(const struct vfs_ctx *c, const struct vfs_where *w, int flags)
{
	int want = open_wants(flags);
	if (flags & O_CREAT && w->slash)
		return -EISDIR;
	if (flags & O_CREAT && flags & O_EXCL)
		return -EEXIST;
	if (flags & O_CREAT && S_ISDIR(w->st.mode))
		return -EISDIR;
	if (flags & O_DIRECTORY && !S_ISDIR(w->st.mode))
		return -ENOTDIR;
	if (S_ISLNK(w->st.mode))
		return -ELOOP;
	if (S_ISDIR(w->st.mode) && want & 2)
		return -EISDIR;
	if (want & 2 && space_read_only(w->mount) &&
	    (S_ISREG(w->st.mode) || S_ISDIR(w->st.mode)))
		return -EROFS;
	if (vfs_permitted(c->who, &w->st, want))
		return -EACCES;
	return S_ISSOCK(w->st.mode) ? -ENXIO : 0;
}

static int open_check_new(const struct vfs_ctx *c, struct vfs_where *w)
{
	if (w->slash)
		return -EISDIR;
	return w->error ? w->error : space_may_create(c, w);
}

static int open_walk(const struct vfs_ctx *c, const char *path, int flags, struct vfs_where *w)
{
	unsigned how = flags & O_NOFOLLOW ? 0 : VFS_FOLLOW;
	int rc;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		how = VFS_LITERAL;
	if (flags & O_CREAT)
		how |= VFS_MAY_MISS | SPACE_CREATE;
	rc = space_walk(c, path, how, w);
	if (rc || w->magic_fd >= 0)
		return rc;
	return w->exists ? open_check(c, w, flags) : open_check_new(c, w);
}

/* The file, its backend's object and its path in one. */
static struct vfs_file *open_alloc(const struct vfs_ctx *c, const struct vfs_where *w, int flags)
{
	size_t head = (sizeof(struct vfs_file) + 15) & ~(size_t)15;
	size_t base = (w->fs->ops->file_size + 15) & ~(size_t)15;
	struct vfs_file *f = malloc(head + base + w->path_n + 1);
	char *path;
	if (!f)
		return NULL;
	path = (char *)f + head + base;
	memset((char *)f + head, 0, base);
	memcpy(path, w->path, w->path_n);
	path[w->path_n] = '\0';
	*f = (struct vfs_file){ .base = (struct tsb_file *)((char *)f + head), .flags = flags,
				.path = path, .vfs = c->vfs };
	*f->base = (struct tsb_file){ w->fs->ops, w->fs, flags & OPEN_BACKEND_FLAGS };
	return f;
}

static int open_identify(struct vfs_file *f, const struct vfs_where *w)
{
	struct tsb_stat st;
	const struct tsb_stat *s = &w->st;
	int rc;
	if (!w->exists) {
		rc = f->base->ops->fstat ? f->base->ops->fstat(f->base, &st) : -ENOSYS;
		if (rc)
			return rc;
		s = &st;
	}
	f->dev = w->mount->dev;
	f->ino = s->ino;
	f->mode = s->mode;
	return 0;
}

int vfs_open(const struct vfs_ctx *c, const char *path, int flags, uint32_t mode,
	     struct vfs_file **out, int magic[2])
{
	struct vfs_where w;
	struct vfs_file *f;
	int rc;

	*out = NULL;
	if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
		return -EINVAL;
	rc = open_walk(c, path, flags, &w);
	if (rc)
		return rc;
	if (w.magic_fd >= 0) {
		magic[0] = w.magic_pid;
		magic[1] = w.magic_fd;
		return VFS_MAGIC;
	}
	if (!w.fs->ops->open)
		return -ENOSYS;
	f = open_alloc(c, &w, flags);
	if (!f)
		return -ENOMEM;
	rc = w.fs->ops->open(w.fs, c->who, w.inner, flags & OPEN_BACKEND_FLAGS, mode & 07777,
			     f->base);
	if (!rc) {
		rc = open_identify(f, &w);
		if (rc && w.fs->ops->close)
			w.fs->ops->close(f->base);
	}
	if (rc) {
		free(f);
		return rc;
	}
	f->mount = space_mount_ref((struct vfs_mount *)w.mount);
	*out = f;
	return 0;
}

int vfs_close(struct vfs_file *f)
{
	int rc = f->base->ops->close ? f->base->ops->close(f->base) : 0;
	space_mount_unref(f->mount);
	free(f);
	return rc;
}

/* ---- Content ---- */

/* What a backend says that it did; one that says more than it could is not believed. */
static ssize_t vfs_count(ssize_t done, size_t n)
{
	return done > 0 && (size_t)done > n ? -EIO : done;
}

ssize_t vfs_read(struct vfs_file *f, void *buf, size_t n, uint64_t offset)
{
	if ((f->flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	if (S_ISDIR(f->mode))
		return -EISDIR;
	if (offset > INT64_MAX)
		return -EINVAL;
	if (n > INT64_MAX - offset)
		n = (size_t)(INT64_MAX - offset);
	return f->base->ops->read_at ?
		vfs_count(f->base->ops->read_at(f->base, buf, n, offset), n) : -ENOSYS;
}

ssize_t vfs_write(struct vfs_file *f, const struct tsb_caller *who, const void *buf, size_t n,
		  uint64_t offset)
{
	if ((f->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	if (offset > INT64_MAX)
		return -EINVAL;
	return f->base->ops->write_at ?
		vfs_count(f->base->ops->write_at(f->base, who, buf, n, offset), n) : -ENOSYS;
}

int vfs_ftruncate(struct vfs_file *f, const struct tsb_caller *who, uint64_t size)
{
	if ((f->flags & O_ACCMODE) == O_RDONLY || !S_ISREG(f->mode) || size > INT64_MAX)
		return -EINVAL;
	return f->base->ops->truncate ? f->base->ops->truncate(f->base, who, size) : -ENOSYS;
}

int vfs_fsync(struct vfs_file *f)
{
	return f->base->ops->sync ? f->base->ops->sync(f->base) : -EINVAL;
}

/* ---- Attributes ---- */

int vfs_fstat(struct vfs_file *f, struct tsb_stat *st)
{
	int rc = f->base->ops->fstat ? f->base->ops->fstat(f->base, st) : -ENOSYS;
	st->dev = f->dev;
	return rc;
}

int vfs_fsetattr(struct vfs_file *f, const struct tsb_caller *who, const struct tsb_setattr *set)
{
	struct tsb_setattr full;
	struct tsb_stat st;
	int rc = space_read_only(f->mount) ? -EROFS : vfs_fstat(f, &st);
	if (!rc)
		rc = space_may_setattr(who, &st, set, &full);
	if (rc || !full.mask)
		return rc;
	return f->base->ops->fsetattr ? f->base->ops->fsetattr(f->base, who, &full) : -ENOSYS;
}

/* ---- Directories ---- */

/* Is name that of a mount in directory f? */
static bool readdir_mounted(const struct vfs_file *f, const char *name, size_t n)
{
	size_t i = 1, path_n = f->path[1] ? strlen(f->path) : 0;
	const struct vfs_mount *m;
	const char *at;
	while ((at = space_mount_in(f->vfs, f->path, path_n, &i, &m)) != NULL)
		if (strlen(at) == n && !memcmp(at, name, n))
			return true;
	return false;
}

/* The mount points, once; they come first. -EINVAL: not one fits. */
static ssize_t readdir_mounts(struct vfs_file *f, char *buf, size_t cap)
{
	size_t i = f->mount_next + 1, path_n = f->path[1] ? strlen(f->path) : 0, used = 0;
	const struct vfs_mount *m;
	const char *name;
	while ((name = space_mount_in(f->vfs, f->path, path_n, &i, &m)) != NULL) {
		struct tsb_caller who = { 0, 0, 0, { 0, 0 } };
		struct tsb_stat st = { .ino = 1, .mode = S_IFDIR };
		size_t size;
		if (m->fs->ops->lstat && m->fs->ops->lstat(m->fs, &who, "/", &st))
			st = (struct tsb_stat){ .ino = 1, .mode = S_IFDIR };
		size = vfs_pack(buf + used, cap - used, st.ino, st.mode & S_IFMT, name,
				strlen(name));
		if (!size)
			return used ? (ssize_t)used : -EINVAL;
		used += size;
		f->mount_next = i - 1;
	}
	return (ssize_t)used;
}

/* Takes the names of mounts out of n bytes of records; what is left. */
static size_t readdir_filter(const struct vfs_file *f, char *buf, size_t n)
{
	size_t used = 0;
	for (size_t at = 0; at < n;) {
		struct tsb_dirent d;
		memcpy(&d, buf + at, sizeof(d));
		if (!readdir_mounted(f, buf + at + sizeof(d), d.name_len)) {
			memmove(buf + used, buf + at, d.size);
			used += d.size;
		}
		at += d.size;
	}
	return used;
}

/* The n bytes of a backend's entries, which are its own: whole records with a name each, or -EIO. */
static ssize_t readdir_checked(const char *buf, ssize_t n, size_t cap)
{
	const size_t head = offsetof(struct tsb_dirent, name);
	size_t left = n > 0 ? (size_t)n : 0;

	if (left > cap)
		return -EIO;
	while (left) {
		const struct tsb_dirent *d = (const void *)buf;

		if (left < head || d->size > left || d->size < head || d->size % 8 ||
		    d->name_len == 0 || d->name_len > TSB_NAME_MAX ||
		    d->name_len >= d->size - head || d->name[d->name_len] ||
		    memchr(d->name, '/', d->name_len) || memchr(d->name, 0, d->name_len))
			return -EIO;
		buf += d->size;
		left -= d->size;
	}
	return n;
}

ssize_t vfs_readdir(struct vfs_file *f, void *buf, size_t cap)
{
	bool mounts;
	size_t used;
	ssize_t n;
	if (!S_ISDIR(f->mode))
		return -ENOTDIR;
	if (!f->base->ops->readdir)
		return -ENOSYS;
	mounts = space_has_mount(f->vfs, f->path, f->path[1] ? strlen(f->path) : 0);
	n = mounts ? readdir_mounts(f, buf, cap) : 0;
	if (n)
		return n;
	do {
		n = readdir_checked(buf, f->base->ops->readdir(f->base, buf, cap), cap);
		if (n <= 0 || !mounts)
			return n;
		used = readdir_filter(f, buf, (size_t)n);
	} while (!used);
	return (ssize_t)used;
}
