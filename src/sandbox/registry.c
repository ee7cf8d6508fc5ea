/*
 * Commands of the embedder, in front of the shared ones, and the mount calls:
 * a sandbox with commands of its own gets its own /usr/bin, so that `ls`,
 * `which` and PATH see them like any other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sandbox/internal.h"
#include "vfs/bin.h"
#include "vfs/vfs.h"

struct registry {
	const struct engine *engine;
	const struct tsb_command **own;	/* sorted by name */
	size_t n_own;
	const char **names;		/* own and shared ones, sorted */
	size_t n_names;
};

static const struct tsb_command *own_find(const struct registry *r, const char *name, size_t n)
{
	for (size_t i = 0; r && i < r->n_own; i++) {
		if (strlen(r->own[i]->name) == n && !memcmp(r->own[i]->name, name, n))
			return r->own[i];
	}
	return NULL;
}

const struct tsb_command *sandbox_find_command(const struct tsb_sandbox *box, const char *name,
					       size_t n)
{
	const struct tsb_command *cmd = NULL;

	if (box->extra)
		cmd = own_find(box->extra->registry, name, n);
	return cmd ? cmd : engine_find(box->engine, name, n);
}

bool sandbox_is_own(const struct tsb_sandbox *box, const struct tsb_command *cmd)
{
	const struct registry *r = box->extra ? box->extra->registry : NULL;

	return own_find(r, cmd->name, strlen(cmd->name)) == cmd;
}

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* All names, each once. */
static int list_names(struct registry *r)
{
	size_t shared = engine_count(r->engine), n = 0;

	r->names = calloc(shared + r->n_own + 1, sizeof(*r->names));
	if (!r->names)
		return -ENOMEM;
	for (size_t i = 0; i < shared; i++) {
		const char *name = engine_command(r->engine, i)->name;

		if (!own_find(r, name, strlen(name)))
			r->names[n++] = name;
	}
	for (size_t i = 0; i < r->n_own; i++)
		r->names[n++] = r->own[i]->name;
	qsort(r->names, n, sizeof(*r->names), compare_names);
	r->n_names = n;
	return 0;
}

void registry_free(struct registry *r)
{
	if (!r)
		return;
	free(r->own);
	free(r->names);
	free(r);
}

/* r (may be NULL) with `more` (may be NULL) added or put in the place of its namesake. */
static struct registry *registry_with(const struct registry *r, const struct engine *engine,
				      const struct tsb_command *more)
{
	struct registry *copy = calloc(1, sizeof(*copy));
	size_t n = r ? r->n_own : 0, k = 0;

	if (!copy)
		return NULL;
	copy->engine = engine;
	copy->own = calloc(n + 1, sizeof(*copy->own));
	if (!copy->own)
		goto fail;
	for (size_t i = 0; i < n; i++) {
		if (!more || strcmp(r->own[i]->name, more->name))
			copy->own[k++] = r->own[i];
	}
	if (more)
		copy->own[k++] = more;
	copy->n_own = k;
	if (!list_names(copy))
		return copy;
fail:
	registry_free(copy);
	return NULL;
}

struct registry *registry_copy(const struct registry *r)
{
	return registry_with(r, r->engine, NULL);
}

static const char *box_name_at(const void *ctx, size_t i)
{
	const struct tsb_sandbox *box = ctx;
	const struct registry *r = box->extra->registry;

	return i < r->n_names ? r->names[i] : NULL;
}

static size_t box_count(const void *ctx)
{
	return ((const struct tsb_sandbox *)ctx)->extra->registry->n_names;
}

int registry_mount(struct tsb_sandbox *box)
{
	struct timespec now;
	struct tsb_fs *fs;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	fs = binfs_new(box_name_at, box_count, box,
		       (struct tsb_time){ now.tv_sec, (int32_t)now.tv_nsec });
	if (!fs)
		return -ENOMEM;
	if (vfs_mount(box->vfs, "/usr/bin", fs, VFS_MOUNT_SHARE | VFS_MOUNT_REPLACE)) {
		tsb_fs_free(fs);
		return -ENOMEM;
	}
	return 0;
}

static bool name_valid(const char *name)
{
	return name && name[0] && strlen(name) <= TSB_NAME_MAX && !strchr(name, '/') &&
	       strcmp(name, ".") && strcmp(name, "..");
}

int tsb_add_command(struct tsb_sandbox *box, const struct tsb_command *cmd)
{
	struct sandbox_extra *x;
	struct registry *r;
	int rc;

	if (!box)
		return TSB_ERR_ARGUMENT;
	if (!cmd || cmd->version != TSB_COMMAND_VERSION || !cmd->run || !name_valid(cmd->name))
		return sandbox_fail(box, TSB_ERR_ARGUMENT, EINVAL,
				    "a command needs version, run, and a name without '/'");
	rc = sandbox_change_begin(box);
	if (rc)
		return rc;
	x = sandbox_extra(box);
	r = x ? registry_with(x->registry, box->engine, cmd) : NULL;
	if (r) {
		registry_free(x->registry);
		x->registry = r;
		rc = registry_mount(box);
	}
	sandbox_change_end(box);
	if (!r || rc)
		return sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory for a command");
	return TSB_OK;
}

const struct tsb_command *tsb_command_at(struct tsb_sandbox *box, size_t i)
{
	const struct registry *r = box && box->extra ? box->extra->registry : NULL;

	if (!box)
		return NULL;
	if (!r)
		return engine_command(box->engine, i);
	return i < r->n_names ? sandbox_find_command(box, r->names[i], strlen(r->names[i])) : NULL;
}

/* ---- Mounts ---- */

int tsb_mount(struct tsb_sandbox *box, const char *path, struct tsb_fs *fs, unsigned flags)
{
	int rc;

	if (!box || !path || !fs || !fs->ops || (flags & ~(unsigned)TSB_MOUNT_READ_ONLY))
		return sandbox_refuse(box, __func__);
	if (fs->ops->version < 1 || fs->ops->version > TSB_VFS_VERSION)
		return sandbox_fail(box, TSB_ERR_ARGUMENT, EINVAL, "filesystem of version %u",
				    fs->ops->version);
	rc = sandbox_change_begin(box);
	if (rc)
		return rc;
	rc = vfs_mount(box->vfs, path, fs,
		       flags & TSB_MOUNT_READ_ONLY ? VFS_MOUNT_READ_ONLY : 0);
	sandbox_change_end(box);
	if (rc)
		return sandbox_fail(box, TSB_ERR_FILE, rc, "cannot mount at %s: %s", path,
				    tsb_strerror(rc));
	return TSB_OK;
}

int tsb_remount(struct tsb_sandbox *box, const char *path, unsigned flags)
{
	int rc;

	if (!box || !path || (flags & ~(unsigned)TSB_MOUNT_READ_ONLY))
		return sandbox_refuse(box, __func__);
	rc = sandbox_change_begin(box);
	if (rc)
		return rc;
	rc = vfs_remount(box->vfs, path, flags & TSB_MOUNT_READ_ONLY ? VFS_MOUNT_READ_ONLY : 0);
	sandbox_change_end(box);
	if (rc)
		return sandbox_fail(box, TSB_ERR_FILE, rc, "cannot remount %s: %s", path,
				    tsb_strerror(rc));
	return TSB_OK;
}

int tsb_unmount(struct tsb_sandbox *box, const char *path)
{
	int rc;

	if (!box || !path)
		return sandbox_refuse(box, __func__);
	rc = sandbox_change_begin(box);
	if (rc)
		return rc;
	rc = vfs_unmount(box->vfs, path);
	sandbox_change_end(box);
	if (rc)
		return sandbox_fail(box, TSB_ERR_FILE, rc, "cannot unmount %s: %s", path,
				    tsb_strerror(rc));
	return TSB_OK;
}
