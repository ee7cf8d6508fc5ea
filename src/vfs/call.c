/*
 * Calls with paths that ask or change one file: stat, access, mkdir, mknod,
 * symlink, readlink, unlink, rmdir, setattr, truncate, statfs, chdir.
 *
 * The order of the checks is Linux's, because scripts see which error comes
 * first: where the path leads, then the last component, the mount, the rights.
 */
#include "vfs/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/bin.h"
#include "vfs/space.h"

/* ---- Asking ---- */

int vfs_stat(const struct vfs_ctx *c, const char *path, struct tsb_stat *st)
{
	struct vfs_where w;
	int rc = space_walk(c, path, VFS_FOLLOW, &w);
	if (!rc)
		*st = w.st;
	return rc;
}

int vfs_lstat(const struct vfs_ctx *c, const char *path, struct tsb_stat *st)
{
	struct vfs_where w;
	int rc = space_walk(c, path, 0, &w);
	if (!rc)
		*st = w.st;
	return rc;
}

static bool call_special(uint32_t mode)
{
	return S_ISCHR(mode) || S_ISBLK(mode) || S_ISFIFO(mode) || S_ISSOCK(mode);
}

int vfs_access(const struct vfs_ctx *c, const char *path, int want)
{
	struct vfs_where w;
	int rc;
	if (want & ~7)
		return -EINVAL;
	rc = space_walk(c, path, VFS_FOLLOW, &w);
	if (!rc)
		rc = vfs_permitted(c->who, &w.st, want);
	if (!rc && want & 2 && space_read_only(w.mount) && !call_special(w.st.mode))
		rc = -EROFS;
	return rc;
}

ssize_t vfs_readlink(const struct vfs_ctx *c, const char *path, char *buf, size_t cap)
{
	struct vfs_where w;
	int rc;
	if (!cap)
		return -EINVAL;
	rc = space_walk(c, path, 0, &w);
	if (rc)
		return rc;
	if (!S_ISLNK(w.st.mode))
		return -EINVAL;
	return w.fs->ops->readlink ? w.fs->ops->readlink(w.fs, c->who, w.inner, buf, cap) : -ENOSYS;
}

int vfs_statfs(const struct vfs_ctx *c, const char *path, struct tsb_statfs *out)
{
	struct vfs_where w;
	int rc = space_walk(c, path, VFS_FOLLOW, &w);
	if (rc)
		return rc;
	return w.fs->ops->statfs ? w.fs->ops->statfs(w.fs, out) : -ENOSYS;
}

int vfs_mount_of(const struct vfs_ctx *c, const char *path, const char **at)
{
	struct vfs_where w;
	int rc = space_walk(c, path, VFS_FOLLOW, &w);
	if (!rc)
		*at = w.mount->path_n ? w.mount->path : "/";
	return rc;
}

int vfs_chdir(const struct vfs_ctx *c, const char *path, const char **clean)
{
	struct vfs_where w;
	int rc = space_walk(c, path, VFS_FOLLOW, &w);
	if (rc)
		return rc;
	if (!S_ISDIR(w.st.mode))
		return -ENOTDIR;
	rc = vfs_permitted(c->who, &w.st, 1);
	if (!rc)
		*clean = w.path;
	return rc;
}

int vfs_program(const struct vfs_ctx *c, const char *path, struct tsb_stat *st,
		const char **command)
{
	struct vfs_where w;
	int rc = space_walk(c, path, VFS_FOLLOW, &w);
	if (rc)
		return rc;
	if (!S_ISREG(w.st.mode))
		return -EACCES;
	rc = vfs_permitted(c->who, &w.st, 1);
	if (rc)
		return rc;
	if (st)
		*st = w.st;
	*command = binfs_command(w.fs, w.st.ino);
	return 0;
}

/* ---- Making ---- */

int space_may_create(const struct vfs_ctx *c, struct vfs_where *w)
{
	if (space_read_only(w->mount))
		return -EROFS;
	return vfs_permitted(c->who, &w->dir, 3);
}

/* A walk to something that shall be made. */
static int call_new(const struct vfs_ctx *c, const char *path, bool dir, unsigned how,
		    struct vfs_where *w)
{
	int rc = space_walk(c, path, VFS_LITERAL | VFS_MAY_MISS | how, w);
	if (rc)
		return rc;
	if (w->exists || w->last != VFS_LAST_NAME)
		return -EEXIST;
	if (w->error)
		return w->error;
	return w->slash && !dir ? -ENOENT : 0;
}

int vfs_mkdir(const struct vfs_ctx *c, const char *path, uint32_t mode)
{
	struct vfs_where w;
	int rc = call_new(c, path, true, 0, &w);
	if (!rc)
		rc = space_may_create(c, &w);
	if (rc)
		return rc;
	return w.fs->ops->mkdir ? w.fs->ops->mkdir(w.fs, c->who, w.inner, mode & 01777) : -ENOSYS;
}

/* A file object of w's filesystem; NULL: no memory. */
static struct tsb_file *call_file(const struct vfs_where *w, int flags)
{
	struct tsb_file *f = calloc(1, w->fs->ops->file_size);
	if (f)
		*f = (struct tsb_file){ w->fs->ops, w->fs, flags };
	return f;
}

/* Opens w, changes its size (if >= 0), closes. */
static int call_open_close(const struct vfs_ctx *c, const struct vfs_where *w, int flags,
			   uint32_t mode, int64_t size)
{
	const struct tsb_fs_ops *ops = w->fs->ops;
	struct tsb_file *f;
	int rc, close_rc;
	if (!ops->open || (size >= 0 && !ops->truncate))
		return -ENOSYS;
	f = call_file(w, flags);
	if (!f)
		return -ENOMEM;
	rc = ops->open(w->fs, c->who, w->inner, flags, mode, f);
	if (!rc) {
		if (size >= 0)
			rc = ops->truncate(f, c->who, (uint64_t)size);
		close_rc = ops->close ? ops->close(f) : 0;
		rc = rc ? rc : close_rc;
	}
	free(f);
	return rc;
}

int vfs_mknod(const struct vfs_ctx *c, const char *path, uint32_t mode, uint64_t rdev)
{
	uint32_t type = mode & S_IFMT ? mode & S_IFMT : S_IFREG;
	struct vfs_where w;
	int rc;
	if (type == S_IFDIR)
		return -EPERM;
	if (type != S_IFREG && !call_special(type))
		return -EINVAL;
	rc = call_new(c, path, false, 0, &w);
	if (!rc)
		rc = space_may_create(c, &w);
	if (!rc && (S_ISCHR(type) || S_ISBLK(type)) && c->who->uid != 0)
		rc = -EPERM;
	if (rc)
		return rc;
	mode &= 07777;
	if (type == S_IFREG)
		return call_open_close(c, &w, O_WRONLY | O_CREAT | O_EXCL, mode, -1);
	return w.fs->ops->mknod ? w.fs->ops->mknod(w.fs, c->who, w.inner, type | mode, rdev) :
		-ENOSYS;
}

int vfs_symlink(const struct vfs_ctx *c, const char *target, const char *path)
{
	struct vfs_where w;
	int rc;
	if (!*target)
		return -ENOENT;
	if (strnlen(target, TSB_PATH_MAX + 1) > TSB_PATH_MAX)
		return -ENAMETOOLONG;
	rc = call_new(c, path, false, 0, &w);
	if (!rc)
		rc = space_may_create(c, &w);
	if (rc)
		return rc;
	return w.fs->ops->symlink ? w.fs->ops->symlink(w.fs, c->who, target, w.inner) : -ENOSYS;
}

/* As the sysctl protected_hardlinks, which distributions set: only what one owns
 * or could write anyway. */
static int call_may_link(const struct tsb_caller *who, const struct tsb_stat *st)
{
	if (who->uid == 0 || who->uid == st->uid)
		return 0;
	if (!S_ISREG(st->mode) || st->mode & S_ISUID ||
	    (st->mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) || vfs_permitted(who, st, 6))
		return -EPERM;
	return 0;
}

int vfs_link(const struct vfs_ctx *c, const char *from, const char *to, bool follow)
{
	struct vfs_where f, t;
	int rc = space_walk(c, from, follow ? VFS_FOLLOW : 0, &f);
	if (!rc)
		rc = call_new(c, to, false, SPACE_SECOND, &t);
	if (!rc && space_read_only(t.mount))
		rc = -EROFS;
	if (!rc && (f.mount != t.mount || f.magic_fd >= 0))
		rc = -EXDEV;
	if (!rc)
		rc = call_may_link(c->who, &f.st);
	if (!rc)
		rc = space_may_create(c, &t);
	if (!rc && S_ISDIR(f.st.mode))
		rc = -EPERM;
	if (rc)
		return rc;
	return t.fs->ops->link ? t.fs->ops->link(t.fs, c->who, f.inner, t.inner) : -ENOSYS;
}

/* ---- Removing and moving ---- */

int space_may_delete(const struct vfs_ctx *c, struct vfs_where *w)
{
	uint32_t uid = c->who->uid;
	int rc = space_parent(c, w);
	if (!rc)
		rc = vfs_permitted(c->who, &w->dir, 3);
	if (rc)
		return rc;
	if (w->dir.mode & S_ISVTX && uid != 0 && uid != w->st.uid && uid != w->dir.uid)
		return -EPERM;
	return 0;
}

int vfs_unlink(const struct vfs_ctx *c, const char *path)
{
	struct vfs_where w;
	int rc = space_walk(c, path, VFS_LITERAL | VFS_MAY_MISS, &w);
	if (rc)
		return rc;
	if (w.last != VFS_LAST_NAME)
		return -EISDIR;
	if (space_read_only(w.mount))
		return -EROFS;
	if (!w.exists)
		return w.error ? w.error : -ENOENT;
	if (w.slash)
		return S_ISDIR(w.st.mode) ? -EISDIR : -ENOTDIR;
	rc = space_may_delete(c, &w);
	if (rc)
		return rc;
	if (S_ISDIR(w.st.mode))
		return -EISDIR;
	if (space_is_mount(c->vfs, w.path, w.path_n))
		return -EBUSY;
	return w.fs->ops->unlink ? w.fs->ops->unlink(w.fs, c->who, w.inner) : -ENOSYS;
}

int vfs_rmdir(const struct vfs_ctx *c, const char *path)
{
	static const int special[] = { [VFS_LAST_ROOT] = -EBUSY, [VFS_LAST_DOT] = -EINVAL,
				       [VFS_LAST_DOTDOT] = -ENOTEMPTY };
	struct vfs_where w;
	int rc = space_walk(c, path, VFS_LITERAL | VFS_MAY_MISS, &w);
	if (rc)
		return rc;
	if (w.last != VFS_LAST_NAME)
		return special[w.last];
	if (space_read_only(w.mount))
		return -EROFS;
	if (!w.exists)
		return w.error ? w.error : -ENOENT;
	rc = space_may_delete(c, &w);
	if (rc)
		return rc;
	if (!S_ISDIR(w.st.mode))
		return -ENOTDIR;
	if (space_has_mount(c->vfs, w.path, w.path_n))
		return -EBUSY;
	return w.fs->ops->rmdir ? w.fs->ops->rmdir(w.fs, c->who, w.inner) : -ENOSYS;
}

/* ---- Attributes ---- */

/* chown(2) takes set-id bits of files away. */
static void call_drop_setid(const struct tsb_stat *st, struct tsb_setattr *set)
{
	uint32_t mode = st->mode & ~(uint32_t)S_ISUID;
	if (S_ISDIR(st->mode) || set->mask & TSB_SET_MODE ||
	    !(set->mask & (TSB_SET_UID | TSB_SET_GID)))
		return;
	if (mode & S_IXGRP)
		mode &= ~(uint32_t)S_ISGID;
	if (mode == st->mode)
		return;
	set->mask |= TSB_SET_MODE;
	set->mode = mode & 07777;
}

static int call_may_set_times(const struct tsb_caller *who, const struct tsb_stat *st,
			      unsigned mask)
{
	if (!(mask & (TSB_SET_ATIME | TSB_SET_MTIME)) || who->uid == st->uid)
		return 0;
	return mask & TSB_SET_NOW ? vfs_permitted(who, st, 2) : -EPERM;
}

int space_may_setattr(const struct tsb_caller *who, const struct tsb_stat *st,
		      const struct tsb_setattr *set, struct tsb_setattr *full)
{
	uint32_t gid = set->mask & TSB_SET_GID ? set->gid : st->gid;
	bool owner = who->uid == st->uid;

	*full = *set;
	full->mask &= ~(unsigned)TSB_SET_NOW;
	if (set->mask & TSB_SET_NOW)	/* the time that the change has, too */
		full->atime = full->mtime = who->now;
	call_drop_setid(st, full);
	if (who->uid == 0)
		return 0;
	if (set->mask & TSB_SET_UID && (!owner || set->uid != st->uid))
		return -EPERM;
	if (set->mask & TSB_SET_GID && (!owner || (gid != who->gid && gid != st->gid)))
		return -EPERM;
	if (set->mask & TSB_SET_MODE) {
		if (!owner)
			return -EPERM;
		if (gid != who->gid)
			full->mode &= ~(uint32_t)S_ISGID;
	}
	return call_may_set_times(who, st, set->mask);
}

int vfs_setattr(const struct vfs_ctx *c, const char *path, const struct tsb_setattr *set,
		bool follow)
{
	struct tsb_setattr full;
	struct vfs_where w;
	int rc = space_walk(c, path, follow ? VFS_FOLLOW : 0, &w);
	if (rc)
		return rc;
	if (w.magic_fd >= 0)
		return -EPERM;
	if (space_read_only(w.mount))
		return -EROFS;
	if (set->mask & TSB_SET_MODE && S_ISLNK(w.st.mode))
		return -EOPNOTSUPP;
	rc = space_may_setattr(c->who, &w.st, set, &full);
	if (rc || !full.mask)
		return rc;
	return w.fs->ops->setattr ? w.fs->ops->setattr(w.fs, c->who, w.inner, &full) : -ENOSYS;
}

int vfs_truncate(const struct vfs_ctx *c, const char *path, uint64_t size)
{
	struct vfs_where w;
	int rc;
	if (size > INT64_MAX)
		return -EINVAL;
	rc = space_walk(c, path, VFS_FOLLOW, &w);
	if (rc)
		return rc;
	if (S_ISDIR(w.st.mode))
		return -EISDIR;
	if (!S_ISREG(w.st.mode) || w.magic_fd >= 0)
		return -EINVAL;
	if (space_read_only(w.mount))
		return -EROFS;
	rc = vfs_permitted(c->who, &w.st, 2);
	return rc ? rc : call_open_close(c, &w, O_WRONLY, 0, (int64_t)size);
}
