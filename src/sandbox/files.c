/*
 * The host's calls on files: each opens a view, does one thing through the same
 * walk that scripts use, and turns -errno into a status with a sentence.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/internal.h"
#include "sandbox/view.h"

/* A view in which the directories above path are there. */
static int file_begin_making(struct view *v, struct tsb_sandbox *box, const char *path)
{
	int rc = view_begin(v, box, path);

	return rc ? rc : view_make_parents(v, path);
}

/* Ends the view: rc, of what was done through it, as a status with a sentence. */
static int file_end(struct view *v, struct tsb_sandbox *box, int rc, const char *what,
		    const char *path)
{
	view_end(v);
	if (!rc)
		return TSB_OK;
	return sandbox_fail(box, rc == -ENOMEM ? TSB_ERR_MEMORY : TSB_ERR_FILE, rc,
			    "cannot %s %s: %s", what, path, tsb_strerror(rc));
}

int tsb_write_file(struct tsb_sandbox *box, const char *path, const void *data, size_t n,
		   uint32_t mode)
{
	struct view v;
	int rc;

	if (!box || !path || (!data && n))
		return sandbox_refuse(box, __func__);
	rc = file_begin_making(&v, box, path);
	if (!rc)
		rc = view_write(&v, path, data, n, mode);
	return file_end(&v, box, rc, "write", path);
}

static int read_whole(struct vfs_file *f, char **data, size_t *n)
{
	size_t cap = 4096;
	char *p = malloc(cap), *more;
	ssize_t got = -ENOMEM;

	*n = 0;
	while (p) {
		got = vfs_read(f, p + *n, cap - *n - 1, *n);
		if (got <= 0)
			break;
		*n += (size_t)got;
		if (cap - *n > 1)
			continue;
		more = cap < SIZE_MAX / 2 ? realloc(p, cap *= 2) : NULL;
		if (!more)
			got = -ENOMEM;
		else
			p = more;
		if (got < 0)
			break;
	}
	if (got < 0) {
		free(p);
		return (int)got;
	}
	p[*n] = '\0';
	*data = p;
	return 0;
}

int tsb_read_file(struct tsb_sandbox *box, const char *path, void **data, size_t *n)
{
	struct vfs_file *f = NULL;
	char *bytes = NULL;
	struct view v;
	int rc;

	if (!box || !path || !data || !n)
		return sandbox_refuse(box, __func__);
	*data = NULL;
	rc = view_begin(&v, box, path);
	if (!rc)
		rc = view_open(&v, path, O_RDONLY, 0, &f);
	if (!rc)
		rc = read_whole(f, &bytes, n);
	if (f)
		vfs_close(f);
	*data = bytes;
	return file_end(&v, box, rc, "read", path);
}

int tsb_make_dir(struct tsb_sandbox *box, const char *path, uint32_t mode)
{
	struct view v;
	int rc;

	if (!box || !path)
		return sandbox_refuse(box, __func__);
	rc = file_begin_making(&v, box, path);
	if (!rc)
		rc = view_make_dir(&v, path, mode);
	return file_end(&v, box, rc, "make the directory", path);
}

int tsb_make_link(struct tsb_sandbox *box, const char *target, const char *path)
{
	struct view v;
	int rc;

	if (!box || !path || !target)
		return sandbox_refuse(box, __func__);
	rc = file_begin_making(&v, box, path);
	if (!rc)
		rc = vfs_symlink(&v.c, target, path);
	if (!rc)
		rc = view_own(&v, path);
	return file_end(&v, box, rc, "make the link", path);
}

int tsb_set_times(struct tsb_sandbox *box, const char *path, struct tsb_time mtime)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME,
				   .atime = mtime, .mtime = mtime };
	struct view v;
	int rc;

	if (!box || !path)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&v, box, path);
	if (!rc)
		rc = vfs_setattr(&v.c, path, &set, false);
	return file_end(&v, box, rc, "set the times of", path);
}

static int stat_by(struct tsb_sandbox *box, const char *path, struct tsb_stat *st,
		   int (*by)(const struct vfs_ctx *c, const char *path, struct tsb_stat *st))
{
	struct view v;
	int rc;

	if (!box || !path || !st)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&v, box, path);
	if (!rc)
		rc = by(&v.c, path, st);
	return file_end(&v, box, rc, "stat", path);
}

int tsb_stat_file(struct tsb_sandbox *box, const char *path, struct tsb_stat *st)
{
	return stat_by(box, path, st, vfs_lstat);
}

int tsb_stat_target(struct tsb_sandbox *box, const char *path, struct tsb_stat *st)
{
	return stat_by(box, path, st, vfs_stat);
}

int tsb_set_mode(struct tsb_sandbox *box, const char *path, uint32_t mode)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = mode & 07777 };
	struct view v;
	int rc;

	if (!box || !path)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&v, box, path);
	if (!rc)
		rc = vfs_setattr(&v.c, path, &set, true);
	return file_end(&v, box, rc, "set the mode of", path);
}

int tsb_rename_file(struct tsb_sandbox *box, const char *from, const char *to)
{
	struct view v;
	int rc;

	if (!box || !from || !to)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&v, box, from);
	if (!rc && to[0] != '/')
		rc = -EINVAL;
	if (!rc)
		rc = vfs_rename(&v.c, from, to, 0);
	return file_end(&v, box, rc, "rename", from);
}

int tsb_read_link(struct tsb_sandbox *box, const char *path, char *buf, size_t cap, size_t *n)
{
	struct view v;
	ssize_t got = 0;
	int rc;

	if (!box || !path || !buf || !n)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&v, box, path);
	if (!rc)
		got = vfs_readlink(&v.c, path, buf, cap);
	*n = got > 0 ? (size_t)got : 0;
	return file_end(&v, box, rc ? rc : (got < 0 ? (int)got : 0), "read the link", path);
}

int tsb_remove(struct tsb_sandbox *box, const char *path)
{
	struct view v;
	int rc;

	if (!box || !path || !strcmp(path, "/"))
		return sandbox_refuse(box, __func__);
	rc = view_begin(&v, box, path);
	if (!rc)
		rc = view_remove(&v, path);
	return file_end(&v, box, rc, "remove", path);
}

int tsb_remove_dir(struct tsb_sandbox *box, const char *path)
{
	struct view v;
	int rc;

	if (!box || !path)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&v, box, path);
	if (!rc)
		rc = vfs_rmdir(&v.c, path);
	return file_end(&v, box, rc, "remove", path);
}

/* One packed buffer of entries: fn for each. */
static int list_some(struct view *v, const char *path, const char *buf, size_t n,
		     tsb_list_fn *fn, void *ctx)
{
	int rc = 0;

	for (size_t at = 0; !rc && at < n;) {
		const struct tsb_dirent *e = (const void *)(buf + at);
		char *name = view_join(path, e->name);
		struct tsb_stat st;

		if (!name)
			return -ENOMEM;
		if (!vfs_lstat(&v->c, name, &st) && fn(ctx, e->name, &st))
			rc = 1;
		free(name);
		at += e->size;
	}
	return rc;
}

int tsb_list(struct tsb_sandbox *box, const char *path, tsb_list_fn *fn, void *ctx)
{
	_Alignas(8) char buf[2048];
	struct vfs_file *f = NULL;
	struct view v;
	ssize_t n = 0;
	int magic[2], rc;

	if (!box || !path || !fn)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&v, box, path);
	if (!rc)
		rc = vfs_open(&v.c, path, O_RDONLY | O_DIRECTORY, 0, &f, magic);
	while (!rc && (n = vfs_readdir(f, buf, sizeof(buf))) > 0)
		rc = list_some(&v, path, buf, (size_t)n, fn, ctx);
	if (f)
		vfs_close(f);
	if (!rc && n < 0)
		rc = (int)n;
	return file_end(&v, box, rc == 1 ? 0 : rc, "list", path);
}
