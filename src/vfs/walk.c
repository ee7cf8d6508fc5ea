/*
 * The walk: from a path as typed to a clean path in a filesystem.
 *
 * Plain components are gathered as far as they go and looked up at once: the
 * backend's lookup() does the rest in one call, and tells if a link is in the
 * way. A link's target and what is left behind it go to the right end of the
 * buffer `rest`, and the walk goes on from there. Before "." and ".." the path so
 * far must be a directory that the caller may search, as on Linux.
 */
#include "vfs/vfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tinysandbox/command.h>

#include "vfs/proc.h"
#include "vfs/space.h"

#define WALK_LINKS_MAX 40

struct walk {
	const struct vfs_ctx *c;
	struct space_buffers *b;
	char *clean;
	size_t n;			/* of clean; the root is "" */
	const char *rest;		/* what is still to walk: the caller's text ... */
	bool inside;			/* ... or in b->rest, at its end */
	bool dir;			/* clean is a directory that may be searched */
	bool slash;
	enum vfs_last last;
	unsigned how, links;
	const struct vfs_mount *mount;	/* that clean was last looked up in */
	struct vfs_where *out;
};

/* Why gathering components ended. */
enum walk_stop { WALK_END, WALK_DOT, WALK_DOTDOT, WALK_LONG, WALK_FULL };

struct space_buffers *space_buffers(struct vfs *v)
{
	if (!v->buffers)
		v->buffers = malloc(sizeof(*v->buffers));
	return v->buffers;
}

int vfs_permitted(const struct tsb_caller *who, const struct tsb_stat *st, int want)
{
	unsigned shift = who->uid == st->uid ? 6 : who->gid == st->gid ? 3 : 0;
	if (who->uid == 0)
		return want & 1 && !S_ISDIR(st->mode) && !(st->mode & 0111) ? -EACCES : 0;
	return ~(st->mode >> shift) & (unsigned)want & 7 ? -EACCES : 0;
}

/* ---- Looking up ---- */

/* Length of path's directory: up to its last slash. */
static size_t walk_dir_n(const char *path, size_t n)
{
	while (n && path[n - 1] != '/')
		n--;
	return n ? n - 1 : 0;
}

/* For backends without lookup(): one component after the other. */
static int walk_lookup_slowly(struct vfs *v, struct tsb_fs *fs, const struct tsb_caller *who,
			      const char *path, size_t *len, struct tsb_stat *st)
{
	char *buf = v->buffers->link, *end = buf;
	int rc = fs->ops->lstat(fs, who, "/", st);
	memcpy(buf, path, strlen(path) + 1);
	while (!rc && *end) {
		size_t k = space_component(end + 1) + 1;
		char was = end[k];
		if (S_ISLNK(st->mode)) {
			*len = (size_t)(end - buf);
			return -ELOOP;
		}
		if (!S_ISDIR(st->mode))
			return -ENOTDIR;
		if (vfs_permitted(who, st, 1))
			return -EACCES;
		end += k;
		*end = '\0';
		rc = fs->ops->lstat(fs, who, buf, st);
		*end = was;
	}
	return rc;
}

static int walk_lookup_in(const struct vfs_ctx *c, const struct vfs_mount *m, const char *path,
			  size_t n, struct tsb_stat *st, size_t *link_n)
{
	const char *inner = path + m->path_n;
	size_t len = 0;
	int rc;
	if (!m->fs->ops->lstat)
		return -ENOSYS;
	if (n == m->path_n)
		rc = m->fs->ops->lstat(m->fs, c->who, "/", st);
	else if (m->fs->ops->lookup)
		rc = m->fs->ops->lookup(m->fs, c->who, inner, &len, st);
	else
		rc = walk_lookup_slowly(c->vfs, m->fs, c->who, inner, &len, st);
	*link_n = len ? len + m->path_n : 0;
	st->dev = m->dev;
	return rc;
}

/* May the caller pass through the directories above mount m? What is missing or
 * odd below a mount point does not matter. */
static int walk_may_reach(const struct vfs_ctx *c, const struct vfs_mount *m)
{
	struct tsb_stat st;
	size_t link_n;
	while (m->path_n && c->who->uid != 0) {
		const struct vfs_mount *up = space_find(c->vfs, m->path,
							walk_dir_n(m->path, m->path_n));
		if (walk_lookup_in(c, up, m->path, m->path_n, &st, &link_n) == -EACCES)
			return -EACCES;
		m = up;
	}
	return 0;
}

static int walk_lookup(const struct vfs_ctx *c, const struct vfs_mount *m, char *path, size_t n,
		       struct tsb_stat *st, size_t *link_n)
{
	int rc = m->path_n ? walk_may_reach(c, m) : 0;
	*link_n = 0;
	path[n] = '\0';
	return rc ? rc : walk_lookup_in(c, m, path, n, st, link_n);
}

/* lstat of a clean path ("" is the root) with rights; *link_n: where a link is
 * that stands in the way (-ELOOP). */
static int space_lookup(const struct vfs_ctx *c, char *path, size_t n, struct tsb_stat *st,
			size_t *link_n)
{
	return walk_lookup(c, space_find(c->vfs, path, n), path, n, st, link_n);
}

static int walk_stat_dir(const struct vfs_ctx *c, char *path, size_t n, struct tsb_stat *st)
{
	size_t dir_n = walk_dir_n(path, n), link_n;
	char was = path[dir_n];
	int rc = space_lookup(c, path, dir_n, st, &link_n);
	path[dir_n] = was;
	path[n] = '\0';
	if (rc)
		return rc;
	return S_ISDIR(st->mode) ? 0 : -ENOTDIR;
}

int space_parent(const struct vfs_ctx *c, struct vfs_where *w)
{
	if (!w->exists)
		return 0;
	if (w->path_n == 1) {
		w->dir = w->st;
		return 0;
	}
	/* The path stands in one of the buffers, so it may be cut for a moment. */
	return walk_stat_dir(c, (char *)w->path, w->path_n, &w->dir);
}

/* ---- Links ---- */

/* Puts text before what is still to walk. */
static int walk_push(struct walk *w, const char *text, size_t n)
{
	size_t left = strlen(w->rest);
	char *at = w->b->rest + SPACE_REST - left - 1;
	if (n + left + 1 > SPACE_REST)
		return -ENAMETOOLONG;
	if (!w->inside)
		memcpy(at, w->rest, left + 1);
	memcpy(at - n, text, n);
	w->rest = at - n;
	w->inside = true;
	return 0;
}

/* Is the link in clean a descriptor without a path? */
static bool walk_is_magic(struct walk *w, const struct vfs_mount *m)
{
	struct vfs_where *out = w->out;
	return procfs_magic(m->fs, w->c->who, w->clean + m->path_n, &out->magic_pid,
			    &out->magic_fd) > 0;
}

/* clean[0 .. link_n] is a link: goes on with its target, then what is behind. */
static int walk_expand(struct walk *w, size_t link_n)
{
	const struct vfs_mount *m;
	ssize_t n;
	int rc;
	if (w->links++ >= WALK_LINKS_MAX)
		return -ELOOP;
	if (*w->rest && *w->rest != '/') {
		rc = walk_push(w, "/", 1);
		if (rc)
			return rc;
	}
	rc = walk_push(w, w->clean + link_n, w->n - link_n);
	if (rc)
		return rc;
	w->clean[link_n] = '\0';
	m = space_find(w->c->vfs, w->clean, link_n);
	if (!m->fs->ops->readlink)
		return -ENOSYS;
	if (!(w->how & SPACE_NO_MAGIC) && walk_is_magic(w, m))
		return -ENOTDIR;
	n = m->fs->ops->readlink(m->fs, w->c->who, w->clean + m->path_n, w->b->link,
				 TSB_PATH_MAX);
	if (n <= 0 || n > TSB_PATH_MAX)
		return n < 0 ? (int)n : n ? -ENAMETOOLONG : -ENOENT;
	w->n = w->b->link[0] == '/' ? 0 : walk_dir_n(w->clean, link_n);
	w->dir = false;
	w->last = VFS_LAST_ROOT;
	return walk_push(w, w->b->link, (size_t)n);
}

/* A link at the very end that leads to a descriptor without a path: 1. */
static int walk_magic(struct walk *w)
{
	const struct vfs_mount *m = space_find(w->c->vfs, w->clean, w->n);
	struct vfs_where *out = w->out;
	if (!walk_is_magic(w, m))
		return 0;
	return procfs_magic_stat(m->fs, out->magic_pid, out->magic_fd, &out->st) ? -ENOENT : 1;
}

/* ---- The walk itself ---- */

/* Moves plain components from rest to clean. A slash before the stop stays in
 * rest, so that it is still there if a link is put before it. */
static enum walk_stop walk_gather(struct walk *w)
{
	for (;;) {
		const char *p = w->rest + space_slashes(w->rest);
		size_t k = space_component(p);
		w->slash = p != w->rest;
		w->rest = p - w->slash;
		if (!k)
			return WALK_END;
		if (*p == '.' && k == 1)
			return WALK_DOT;
		if (*p == '.' && k == 2 && p[1] == '.')
			return WALK_DOTDOT;
		if (k > TSB_NAME_MAX)
			return WALK_LONG;
		if (w->n + k + 1 > TSB_PATH_MAX)
			return WALK_FULL;
		w->clean[w->n] = '/';
		memcpy(w->clean + w->n + 1, p, k);
		w->n += k + 1;
		w->rest = p + k;
		w->dir = false;
		w->last = VFS_LAST_NAME;
	}
}

/* The stat of clean into out->st. 1: a link was in the way and is now in rest. */
static int walk_stat(struct walk *w)
{
	size_t link_n;
	int rc;
	w->mount = space_find(w->c->vfs, w->clean, w->n);
	rc = walk_lookup(w->c, w->mount, w->clean, w->n, &w->out->st, &link_n);
	if (rc == -ELOOP && link_n)
		rc = walk_expand(w, link_n) ? : 1;
	return rc;
}

/* Where only the directory matters so far, the last component's fault is told. */
static int walk_too_long(struct walk *w)
{
	const char *p = w->rest + space_slashes(w->rest);
	p += space_component(p);
	w->out->slash = *p == '/';
	if (p[space_slashes(p)] || (~w->how & (VFS_LITERAL | VFS_MAY_MISS) &&
				  !(w->out->slash && w->how & SPACE_CREATE)))
		return -ENAMETOOLONG;
	w->last = VFS_LAST_NAME;
	w->mount = space_find(w->c->vfs, w->clean, w->n);
	w->out->error = -ENAMETOOLONG;
	return 0;
}

/* "." or "..": the path so far must be a directory. 1: go on with what is in rest. */
static int walk_dots(struct walk *w, enum walk_stop stop)
{
	int rc = w->dir ? 0 : walk_stat(w);
	if (rc)
		return rc;
	if (!w->dir && S_ISLNK(w->out->st.mode))
		return walk_expand(w, w->n) ? : 1;
	if (!w->dir && !S_ISDIR(w->out->st.mode))
		return -ENOTDIR;
	if (!w->dir && vfs_permitted(w->c->who, &w->out->st, 1))
		return -EACCES;
	if (stop == WALK_LONG || stop == WALK_FULL)
		return walk_too_long(w);
	w->rest += w->slash + (stop == WALK_DOTDOT ? 2u : 1u);
	w->last = stop == WALK_DOTDOT ? VFS_LAST_DOTDOT : VFS_LAST_DOT;
	w->dir = stop == WALK_DOT;
	if (stop == WALK_DOTDOT)
		w->n = walk_dir_n(w->clean, w->n);
	return 1;
}

/* Nothing is left in rest but perhaps a slash. 1: a link was put into it. */
static int walk_end(struct walk *w)
{
	struct vfs_where *out = w->out;
	bool slash = w->slash && w->last == VFS_LAST_NAME;
	int rc = walk_stat(w);

	out->slash = slash;
	if (rc == -ENOENT && w->how & VFS_MAY_MISS && w->last == VFS_LAST_NAME)
		return walk_stat_dir(w->c, w->clean, w->n, &out->dir);
	if (rc)
		return rc;
	out->exists = true;
	if (w->how & VFS_LITERAL || (slash && w->how & SPACE_CREATE))
		return 0;
	if (S_ISLNK(out->st.mode) && (slash || w->how & VFS_FOLLOW)) {
		rc = slash || w->how & SPACE_NO_MAGIC ? 0 : walk_magic(w);
		if (rc)
			return rc < 0 ? rc : 0;
		out->exists = false;
		return walk_expand(w, w->n) ? : 1;
	}
	return slash && !S_ISDIR(out->st.mode) ? -ENOTDIR : 0;
}

static void walk_finish(struct walk *w)
{
	struct vfs_where *out = w->out;
	out->mount = w->mount;
	out->fs = out->mount->fs;
	out->last = w->last;
	out->inner = w->n > out->mount->path_n ? w->clean + out->mount->path_n : "/";
	if (!w->n)
		w->clean[w->n++] = '/';
	w->clean[w->n] = '\0';
	out->path = w->clean;
	out->path_n = w->n;
}

static int walk_begin(struct walk *w, const char *path)
{
	size_t cwd_n;
	if (!*path)
		return -ENOENT;
	if (strnlen(path, TSB_PATH_MAX + 1) > TSB_PATH_MAX)
		return -ENAMETOOLONG;
	if (!w->b)
		return -ENOMEM;
	if (*path == '/' || !w->c->cwd[1])
		return 0;
	cwd_n = strlen(w->c->cwd);
	if (cwd_n > TSB_PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(w->clean, w->c->cwd, cwd_n);
	w->n = cwd_n;
	return 0;
}

int space_walk(const struct vfs_ctx *c, const char *path, unsigned how, struct vfs_where *out)
{
	struct space_buffers *b = space_buffers(c->vfs);
	struct walk w = { .c = c, .b = b, .rest = path, .how = how, .out = out,
			  .clean = b ? b->clean[how & SPACE_SECOND ? 1 : 0] : NULL,
			  .last = VFS_LAST_ROOT };
	int rc;

	out->exists = out->slash = false;
	out->error = 0;
	out->magic_pid = 0;
	out->magic_fd = -1;
	rc = walk_begin(&w, path);
	if (rc)
		return rc;
	do {
		enum walk_stop stop = walk_gather(&w);
		rc = stop == WALK_END ? walk_end(&w) : walk_dots(&w, stop);
	} while (rc > 0);
	if (!rc)
		walk_finish(&w);
	return rc;
}

/* ---- realpath ---- */

/* One component of a path of which any part may miss: only links matter, and what
 * cannot be looked at is taken as it stands. 0 at the end. */
static int walk_loosely(struct walk *w)
{
	const char *p = w->rest + space_slashes(w->rest);
	size_t k = space_component(p), link_n;

	w->rest = p + k;
	if (!k)
		return 0;
	if (k == 1 && p[0] == '.')
		return 1;
	if (k == 2 && p[0] == '.' && p[1] == '.') {
		w->n = walk_dir_n(w->clean, w->n);
		return 1;
	}
	if (w->n + k + 1 > TSB_PATH_MAX)
		return -ENAMETOOLONG;
	w->clean[w->n] = '/';
	memcpy(w->clean + w->n + 1, p, k);
	w->n += k + 1;
	if (k > TSB_NAME_MAX || w->links >= WALK_LINKS_MAX ||
	    space_lookup(w->c, w->clean, w->n, &w->out->st, &link_n) ||
	    !S_ISLNK(w->out->st.mode))
		return 1;
	return walk_expand(w, w->n) ? : 1;
}

int vfs_realpath(const struct vfs_ctx *c, const char *path, int missing, const char **clean)
{
	struct space_buffers *b = space_buffers(c->vfs);
	struct vfs_where out;
	struct walk w = { .c = c, .b = b, .rest = path, .out = &out,
			  .clean = b ? b->clean[0] : NULL };
	int rc;
	if (missing != TSB_REAL_ANY_MAY_MISS) {
		unsigned may = missing == TSB_REAL_LAST_MAY_MISS ? VFS_MAY_MISS : 0;
		rc = space_walk(c, path, VFS_FOLLOW | SPACE_NO_MAGIC | may, &out);
		*clean = out.path;
		return rc;
	}
	rc = walk_begin(&w, path);
	if (rc)
		return rc;
	do {
		rc = walk_loosely(&w);
	} while (rc > 0);
	w.mount = space_find(c->vfs, w.clean, w.n);
	walk_finish(&w);
	*clean = out.path;
	return rc;
}

int vfs_resolve(const struct vfs_ctx *c, const char *path, unsigned how, struct vfs_where *out)
{
	return space_walk(c, path, how & SPACE_FOLLOW_MASK, out);
}
