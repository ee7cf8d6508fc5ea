/*
 * A sandbox's own files as sets of changes, for a host that keeps them as they come. A mark is a
 * branch of the root filesystem as it was saved or loaded last.
 */
#include <errno.h>
#include <stdlib.h>

#include "sandbox/internal.h"
#include "vfs/mem.h"
#include "vfs/mem_changes.h"
#include "vfs/mem_image.h"
#include "vfs/vfs.h"

struct tsb_mark {
	struct tsb_fs *fs;
};

struct changes_out {
	tsb_output_fn *fn;
	void *ctx;
};

static int changes_put(void *ctx, const void *data, size_t n)
{
	struct changes_out *o = ctx;

	return o->fn(o->ctx, 1, data, n) ? -EIO : 0;
}

static struct tsb_fs *root_of(struct tsb_sandbox *box)
{
	struct vfs_mount_info root;

	return vfs_mount_at(box->vfs, 0, &root) ? root.fs : NULL;
}

void tsb_mark_free(struct tsb_mark *mark)
{
	if (!mark)
		return;
	tsb_fs_free(mark->fs);
	free(mark);
}

/* The mark becomes a branch of fs. */
static int mark_set(struct tsb_mark **mark, struct tsb_fs *fs)
{
	struct tsb_mark *m = *mark ? *mark : calloc(1, sizeof(*m));
	struct tsb_fs *branch = NULL;
	int rc = m && fs->ops->branch ? fs->ops->branch(fs, &branch) : m ? -EOPNOTSUPP : -ENOMEM;

	if (rc) {
		if (m != *mark)
			free(m);
		return rc;
	}
	if (m->fs)
		tsb_fs_free(m->fs);
	m->fs = branch;
	*mark = m;
	return 0;
}

struct tsb_mark *tsb_mark_copy(const struct tsb_mark *mark)
{
	struct tsb_mark *copy = NULL;

	return !mark || mark_set(&copy, mark->fs) ? NULL : copy;
}

/* What the sets are applied to: a branch of what was loaded last, or an empty one. */
static struct tsb_fs *ground(const struct tsb_mark *mark)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct tsb_fs *fs = NULL;

	if (!mark)
		return tsb_mem_new(&opt);
	return mark->fs->ops->branch(mark->fs, &fs) ? NULL : fs;
}

static int fail(struct tsb_sandbox *box, int rc, const char *what)
{
	if (!rc)
		return TSB_OK;
	return sandbox_fail(box, rc == -ENOMEM ? TSB_ERR_MEMORY : rc == -EBADMSG ? TSB_ERR_FORMAT :
			    rc == -EOPNOTSUPP || rc == -EINVAL ? TSB_ERR_SUPPORT : TSB_ERR_FILE, rc,
			    "cannot %s: %s", what, rc == -EBADMSG ? "damaged" : tsb_strerror(rc));
}

int tsb_save_changes(struct tsb_sandbox *box, struct tsb_mark **mark, tsb_output_fn *fn, void *ctx)
{
	struct changes_out out = { fn, ctx };
	struct tsb_mark *now = NULL;
	int rc;

	if (!box || !mark || !fn)
		return sandbox_refuse(box, __func__);
	rc = mark_set(&now, root_of(box));
	if (!rc)
		rc = vfs_mem_changes(*mark ? (*mark)->fs : NULL, now->fs, changes_put, &out);
	if (rc) {
		tsb_mark_free(now);
		return fail(box, rc, "save the changes");
	}
	tsb_mark_free(*mark);
	*mark = now;
	return TSB_OK;
}

static int load(struct tsb_sandbox *box, const void *data, size_t n, unsigned flags, size_t *used,
		struct tsb_mark **mark)
{
	ssize_t size = 0;
	struct tsb_fs *fs;
	int rc = -ENOMEM;

	if (!box || (!data && n) || !used || !mark)
		return sandbox_refuse(box, __func__);
	*used = 0;
	fs = ground(*mark);
	while (fs && (size = vfs_mem_apply(fs, (const char *)data + *used, n - *used,
					     flags)) > 0)
		*used += (size_t)size;
	if (fs)
		rc = size < 0 ? (int)size : *used ? vfs_mem_check(fs) : 0;
	if (!rc && *used)
		rc = root_of(box)->ops->restore(root_of(box), fs);
	if (!rc && *used)
		rc = mark_set(mark, fs);
	if (fs)
		tsb_fs_free(fs);
	return fail(box, rc, "load the changes");
}

int tsb_load_changes(struct tsb_sandbox *box, const void *data, size_t n, size_t *used,
		     struct tsb_mark **mark)
{
	return load(box, data, n, 0, used, mark);
}

int tsb_map_changes(struct tsb_sandbox *box, const void *data, size_t n, bool trusted, size_t *used,
		    struct tsb_mark **mark)
{
	return load(box, data, n, VFS_MEM_FAR | (trusted ? VFS_MEM_TRUSTED : 0), used, mark);
}

int tsb_save_image(const struct tsb_mark *mark, uint64_t at, const struct tsb_memory *there, size_t n,
		   tsb_output_fn *fn, void *ctx)
{
	struct changes_out out = { fn, ctx };
	int rc;

	if (!mark || !fn || (n && !there))
		return TSB_ERR_ARGUMENT;
	rc = vfs_mem_image(mark->fs, at, there, n, changes_put, &out);
	return !rc ? TSB_OK : rc == -ENOMEM ? TSB_ERR_MEMORY : rc == -EIO ? TSB_ERR_FILE : TSB_ERR_SUPPORT;
}

int tsb_map_image(struct tsb_sandbox *box, void *data, size_t n, struct tsb_mark **mark)
{
	struct tsb_fs *fs = NULL;
	int rc;

	if (!box || !data || !mark)
		return sandbox_refuse(box, __func__);
	rc = vfs_mem_of_image(data, n, &fs);
	if (!rc)
		rc = root_of(box)->ops->restore(root_of(box), fs);
	if (!rc)
		rc = mark_set(mark, fs);
	if (fs)
		tsb_fs_free(fs);
	return fail(box, rc, "map an image");
}
