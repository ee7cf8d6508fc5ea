/*
 * rename(2), with the two paths and the long list of what must not be renamed, in
 * the order in which Linux asks.
 */
#include "vfs/vfs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/space.h"

struct rename_call {
	const struct vfs_ctx *c;
	struct vfs_where from, to;
	unsigned flags;
};

/* The mount that the directory of w is in. */
static const struct vfs_mount *rename_mount(const struct vfs_ctx *c, const struct vfs_where *w)
{
	size_t n = w->path_n;
	while (n && w->path[n - 1] != '/')
		n--;
	return space_find(c->vfs, w->path, n ? n - 1 : 0);
}

/* Is `path` inside directory w? */
static bool rename_below(const struct vfs_where *path, const struct vfs_where *w)
{
	return path->path_n > w->path_n && path->path[w->path_n] == '/' &&
	       !memcmp(path->path, w->path, w->path_n);
}

/* The last components, by themselves. */
static int rename_check_names(const struct rename_call *r)
{
	const struct vfs_where *f = &r->from, *t = &r->to;
	if (rename_mount(r->c, f) != rename_mount(r->c, t))
		return -EXDEV;
	if (f->last != VFS_LAST_NAME)
		return -EBUSY;
	if (t->last != VFS_LAST_NAME)
		return r->flags & TSB_RENAME_NOREPLACE ? -EEXIST : -EBUSY;
	if (space_read_only(rename_mount(r->c, f)))
		return -EROFS;
	if (!f->exists)
		return f->error ? f->error : -ENOENT;
	if (t->error)
		return t->error;
	if (t->exists && r->flags & TSB_RENAME_NOREPLACE)
		return -EEXIST;
	if (!t->exists && r->flags & TSB_RENAME_EXCHANGE)
		return -ENOENT;
	if (r->flags & TSB_RENAME_EXCHANGE && t->slash && !S_ISDIR(t->st.mode))
		return -ENOTDIR;
	if (!S_ISDIR(f->st.mode) && (f->slash || (t->slash && !(r->flags & TSB_RENAME_EXCHANGE))))
		return -ENOTDIR;
	if (rename_below(t, f))
		return -EINVAL;
	if (rename_below(f, t))
		return r->flags & TSB_RENAME_EXCHANGE ? -EINVAL : -ENOTEMPTY;
	return 0;
}

/* Rights on both directories, and the types of what is there. */
static int rename_check_rights(struct rename_call *r)
{
	struct vfs_where *f = &r->from, *t = &r->to;
	bool exchange = r->flags & TSB_RENAME_EXCHANGE, f_dir = S_ISDIR(f->st.mode);
	bool same_dir;
	int rc = space_may_delete(r->c, f);
	if (!rc)
		rc = t->exists ? space_may_delete(r->c, t) : space_may_create(r->c, t);
	if (rc)
		return rc;
	if (t->exists && !exchange && f_dir != S_ISDIR(t->st.mode))
		return f_dir ? -ENOTDIR : -EISDIR;
	same_dir = f->dir.ino == t->dir.ino && f->dir.dev == t->dir.dev;
	/* A directory that moves has its ".." changed. */
	if (f_dir && !same_dir)
		rc = vfs_permitted(r->c->who, &f->st, 2);
	if (!rc && exchange && S_ISDIR(t->st.mode) && !same_dir)
		rc = vfs_permitted(r->c->who, &t->st, 2);
	if (rc)
		return rc;
	if (space_has_mount(r->c->vfs, f->path, f->path_n) ||
	    space_has_mount(r->c->vfs, t->path, t->path_n))
		return -EBUSY;
	return 0;
}

/* Working directories follow. An exchange goes by way of a path that is none. */
static void rename_tell(const struct rename_call *r)
{
	const struct vfs *v = r->c->vfs;
	const char *from = r->from.path, *to = r->to.path;
	if (!v->moved)
		return;
	if (!(r->flags & TSB_RENAME_EXCHANGE)) {
		if (S_ISDIR(r->from.st.mode))
			v->moved(v->moved_ctx, from, to);
		return;
	}
	v->moved(v->moved_ctx, from, "//");
	v->moved(v->moved_ctx, to, from);
	v->moved(v->moved_ctx, "//", to);
}

static bool rename_same(const struct vfs_where *a, const struct vfs_where *b)
{
	return a->exists && b->exists && a->st.ino == b->st.ino && a->st.dev == b->st.dev;
}

int vfs_rename(const struct vfs_ctx *c, const char *from, const char *to, unsigned flags)
{
	struct rename_call r;
	struct tsb_fs *fs;
	int rc;

	if (flags & ~(unsigned)(TSB_RENAME_NOREPLACE | TSB_RENAME_EXCHANGE) ||
	    flags == (TSB_RENAME_NOREPLACE | TSB_RENAME_EXCHANGE))
		return -EINVAL;
	r.c = c;
	r.flags = flags;
	rc = space_walk(c, from, VFS_LITERAL | VFS_MAY_MISS, &r.from);
	if (!rc)
		rc = space_walk(c, to, VFS_LITERAL | VFS_MAY_MISS | SPACE_SECOND, &r.to);
	if (!rc)
		rc = rename_check_names(&r);
	if (rc || rename_same(&r.from, &r.to))
		return rc;
	rc = rename_check_rights(&r);
	if (rc)
		return rc;
	fs = r.from.fs;
	rc = fs->ops->rename ? fs->ops->rename(fs, c->who, r.from.inner, r.to.inner, flags) :
		-ENOSYS;
	if (!rc)
		rename_tell(&r);
	return rc;
}
