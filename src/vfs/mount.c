/*
 * Namespaces: the list of mounts, kept in order of paths. The mount of a path is
 * the last in this order whose path is a prefix. Mounts are counted, and never
 * change once they are in a list; lists are copied, so clones do not meet.
 */
#include "vfs/vfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/space.h"

#define MOUNT_DEV_FIRST 32	/* as of anonymous devices: major 0 */

struct vfs_mount *space_mount_ref(struct vfs_mount *m)
{
	__atomic_fetch_add(&m->refs, 1, __ATOMIC_RELAXED);
	return m;
}

void space_mount_unref(struct vfs_mount *m)
{
	while (m && !__atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL)) {
		struct vfs_mount *owner = m->owner;
		if (!owner)
			tsb_fs_free(m->fs);
		free(m);
		m = owner;
	}
}

static struct vfs_mount *mount_new(const char *path, size_t n, struct tsb_fs *fs, unsigned flags,
				   uint64_t dev)
{
	struct vfs_mount *m = malloc(sizeof(*m) + n + 1);
	if (!m)
		return NULL;
	*m = (struct vfs_mount){ 1, flags, dev, fs, NULL, n };
	memcpy(m->path, path, n);
	m->path[n] = '\0';
	return m;
}

static struct vfs *mount_space_new(unsigned n)
{
	struct vfs *v = malloc(sizeof(*v));

	if (!v)
		return NULL;
	memset(v, 0, sizeof(*v));
	v->at = v->few;
	v->size = SPACE_FEW;
	v->dev_next = MOUNT_DEV_FIRST;
	if (n > SPACE_FEW) {
		v->at = calloc(n, sizeof(*v->at));
		v->size = n;
	}
	if (!v->at) {
		free(v);
		return NULL;
	}
	return v;
}

struct vfs *vfs_new(struct tsb_fs *root)
{
	struct vfs *v = mount_space_new(1);
	if (!v)
		return NULL;
	v->at[0] = mount_new("", 0, root, 0, v->dev_next++);
	if (!v->at[0]) {
		free(v);
		return NULL;
	}
	v->n = 1;
	return v;
}

struct vfs *vfs_clone(const struct vfs *v)
{
	struct vfs *c = mount_space_new(v->n);
	if (!c)
		return NULL;
	for (unsigned i = 0; i < v->n; i++)
		c->at[i] = space_mount_ref(v->at[i]);
	c->n = v->n;
	c->dev_next = v->dev_next;
	return c;
}

void vfs_free(struct vfs *v)
{
	if (!v)
		return;
	if (v->own) {
		space_mount_unref(v->own);
		v->n = 0;
	}
	/* Last first: a filesystem may rest on one that is mounted before it. */
	while (v->n)
		space_mount_unref(v->at[--v->n]);
	if (v->at != v->few)
		free(v->at);
	free(v->buffers);
	free(v);
}

void vfs_on_move(struct vfs *v, vfs_moved_fn *fn, void *ctx)
{
	v->moved = fn;
	v->moved_ctx = ctx;
}

/* ---- Mounting ---- */

/* "/a/b": no empty, "." or ".." component, none too long. */
static bool mount_path_ok(const char *path, size_t n)
{
	const char *p = path;
	if (n < 2 || n > TSB_PATH_MAX)
		return false;
	while (*p == '/') {
		size_t k = strcspn(++p, "/");
		if (!k || k > TSB_NAME_MAX)
			return false;
		if (p[0] == '.' && (k == 1 || (k == 2 && p[1] == '.')))
			return false;
		p += k;
	}
	return !*p;
}

/* Index of the mount at path, or where it belongs. */
static unsigned mount_index(const struct vfs *v, const char *path, bool *found)
{
	unsigned i = 0;
	int c = 1;
	while (i < v->n && (c = strcmp(path, v->at[i]->path)) > 0)
		i++;
	*found = i < v->n && c == 0;
	return i;
}

static int mount_grow(struct vfs *v)
{
	struct vfs_mount **at;
	if (v->n < v->size)
		return 0;
	at = calloc((size_t)v->size * 2, sizeof(*at));
	if (!at)
		return -ENOMEM;
	memcpy(at, v->at, v->n * sizeof(*at));
	if (v->at != v->few)
		free(v->at);
	v->at = at;
	v->size *= 2;
	return 0;
}

int vfs_mount(struct vfs *v, const char *path, struct tsb_fs *fs, unsigned flags)
{
	size_t n = strlen(path);
	struct vfs_mount *m;
	bool found;
	unsigned i;

	if (!mount_path_ok(path, n))
		return -EINVAL;
	i = mount_index(v, path, &found);
	if (found && !(flags & VFS_MOUNT_REPLACE))
		return -EBUSY;
	m = mount_new(path, n, fs, flags & ~(unsigned)VFS_MOUNT_REPLACE, v->dev_next);
	if (!m || (!found && mount_grow(v))) {
		free(m);
		return -ENOMEM;
	}
	v->dev_next++;
	if (found) {
		space_mount_unref(v->at[i]);
	} else {
		memmove(v->at + i + 1, v->at + i, (v->n - i) * sizeof(*v->at));
		v->n++;
	}
	v->at[i] = m;
	return 0;
}

/* Other namespaces may share the mount, so it is not changed: a new one takes its
 * place here, and keeps it for the filesystem's sake. */
int vfs_remount(struct vfs *v, const char *path, unsigned flags)
{
	struct vfs_mount *old, *m;
	bool found;
	unsigned i = mount_index(v, path, &found);

	if (!found)
		return -EINVAL;
	old = v->at[i];
	m = mount_new(old->path, old->path_n, old->fs,
		      (old->flags & ~(unsigned)VFS_MOUNT_READ_ONLY) | (flags & VFS_MOUNT_READ_ONLY),
		      old->dev);
	if (!m)
		return -ENOMEM;
	m->owner = old;		/* with our reference */
	v->at[i] = m;
	return 0;
}

int vfs_unmount(struct vfs *v, const char *path)
{
	bool found;
	unsigned i = mount_index(v, path, &found);
	if (!found || !i)
		return -EINVAL;
	for (unsigned j = i + 1; j < v->n; j++)
		if (!strncmp(v->at[j]->path, path, v->at[i]->path_n) &&
		    v->at[j]->path[v->at[i]->path_n] == '/')
			return -EBUSY;
	space_mount_unref(v->at[i]);
	v->n--;
	memmove(v->at + i, v->at + i + 1, (v->n - i) * sizeof(*v->at));
	return 0;
}

/* ---- Over another ---- */

struct vfs *vfs_new_over(const char *path, struct tsb_fs *fs)
{
	size_t n = strlen(path);
	struct vfs *v = mount_space_new(0);
	if (!v)
		return NULL;
	v->own = mount_new(path, n, fs, VFS_MOUNT_SHARE, 0);
	if (!v->own) {
		vfs_free(v);
		return NULL;
	}
	return v;
}

static int mount_room(struct vfs *v, unsigned n)
{
	struct vfs_mount **at;
	if (n <= v->size)
		return 0;
	at = calloc(n, sizeof(*at));
	if (!at)
		return -ENOMEM;
	if (v->at != v->few)
		free(v->at);
	v->at = at;
	v->size = n;
	return 0;
}

int vfs_lay_over(struct vfs *v, const struct vfs *base)
{
	unsigned i = 0, n = 0;
	int c = 1;
	v->n = 0;
	if (mount_room(v, base->n + 1))
		return -ENOMEM;
	while (i < base->n && (c = strcmp(v->own->path, base->at[i]->path)) > 0)
		v->at[n++] = base->at[i++];
	i += c == 0;
	v->at[n++] = v->own;
	while (i < base->n)
		v->at[n++] = base->at[i++];
	v->n = n;
	v->own->dev = base->dev_next;
	v->dev_next = base->dev_next + 1;
	return 0;
}

void vfs_take_off(struct vfs *v)
{
	v->n = 0;
}

/* ---- Branch and restore ---- */

static int mount_branch(const struct vfs_mount *m, struct vfs_mount **out)
{
	struct tsb_fs *fs = NULL;
	int rc;
	if (m->flags & VFS_MOUNT_SHARE) {
		*out = space_mount_ref((struct vfs_mount *)m);
		return 0;
	}
	rc = m->fs->ops->branch ? m->fs->ops->branch(m->fs, &fs) : -EOPNOTSUPP;
	if (rc)
		return rc;
	*out = mount_new(m->path, m->path_n, fs, m->flags, m->dev);
	if (*out)
		return 0;
	tsb_fs_free(fs);
	return -ENOMEM;
}

int vfs_branch(const struct vfs *v, struct vfs **out)
{
	struct vfs *b = mount_space_new(v->n);
	int rc = b ? 0 : -ENOMEM;
	for (unsigned i = 0; !rc && i < v->n; i++) {
		rc = mount_branch(v->at[i], &b->at[i]);
		b->n += !rc;
	}
	if (rc) {
		vfs_free(b);
		return rc;
	}
	b->dev_next = v->dev_next;
	*out = b;
	return 0;
}

static bool mount_restorable(const struct vfs_mount *m, const struct vfs_mount *from)
{
	if (strcmp(m->path, from->path) || (m->flags ^ from->flags) & VFS_MOUNT_SHARE)
		return false;
	return m->flags & VFS_MOUNT_SHARE || (m->fs->ops->restore && m->fs->ops->restore == from->fs->ops->restore);
}

int vfs_restore(struct vfs *v, struct vfs *from)
{
	struct vfs *before;
	unsigned i;
	int rc = v->n == from->n ? 0 : -EOPNOTSUPP;
	for (i = 0; !rc && i < v->n; i++)
		rc = mount_restorable(v->at[i], from->at[i]) ? 0 : -EOPNOTSUPP;
	if (!rc)
		rc = vfs_branch(v, &before);
	if (rc)
		return rc;
	for (i = 0; !rc && i < v->n; i++)
		if (!(v->at[i]->flags & VFS_MOUNT_SHARE))
			rc = v->at[i]->fs->ops->restore(v->at[i]->fs, from->at[i]->fs);
	/* One failed: those before it go back to what they were. */
	while (rc && i--)
		if (!(v->at[i]->flags & VFS_MOUNT_SHARE))
			v->at[i]->fs->ops->restore(v->at[i]->fs, before->at[i]->fs);
	vfs_free(before);
	return rc;
}

/* ---- Looking ---- */

struct vfs_mount *space_find(const struct vfs *v, const char *path, size_t n)
{
	for (unsigned i = v->n; i-- > 1;) {
		struct vfs_mount *m = v->at[i];
		size_t k = m->path_n;
		/* The last byte tells most apart without a call. */
		if (k <= n && m->path[k - 1] == path[k - 1] && !memcmp(m->path, path, k) &&
		    (k == n || path[k] == '/'))
			return m;
	}
	return v->at[0];
}

bool space_is_mount(const struct vfs *v, const char *path, size_t n)
{
	return space_find(v, path, n)->path_n == n;
}

bool space_has_mount(const struct vfs *v, const char *path, size_t n)
{
	for (unsigned i = 1; i < v->n; i++)
		if (v->at[i]->path_n >= n && !memcmp(v->at[i]->path, path, n) &&
		    (v->at[i]->path_n == n || v->at[i]->path[n] == '/'))
			return true;
	return false;
}

const char *space_mount_in(const struct vfs *v, const char *path, size_t n, size_t *i,
			   const struct vfs_mount **m)
{
	while (*i < v->n) {
		*m = v->at[(*i)++];
		if ((*m)->path_n > n && !memcmp((*m)->path, path, n) && (*m)->path[n] == '/' &&
		    !strchr((*m)->path + n + 1, '/'))
			return (*m)->path + n + 1;
	}
	return NULL;
}

bool vfs_mount_at(const struct vfs *v, size_t i, struct vfs_mount_info *info)
{
	struct tsb_statfs s = { .type = NULL };
	const struct vfs_mount *m;
	if (i >= v->n)
		return false;
	m = v->at[i];
	if (m->fs->ops->statfs)
		m->fs->ops->statfs(m->fs, &s);
	*info = (struct vfs_mount_info){ i ? m->path : "/", s.type ? s.type : "none", m->fs,
					 m->flags, m->dev };
	return true;
}

int vfs_usage(const struct vfs *v, uint64_t *bytes, uint64_t *entries)
{
	*bytes = *entries = 0;
	for (unsigned i = 0; i < v->n; i++) {
		struct tsb_fs *fs = v->at[i]->fs;
		struct tsb_statfs s;
		int rc;
		if (v->at[i]->flags & VFS_MOUNT_SHARE || !fs->ops->statfs)
			continue;
		rc = fs->ops->statfs(fs, &s);
		if (rc)
			return rc;
		*bytes += s.bytes_total - s.bytes_free;
		*entries += s.entries_total - s.entries_free;
	}
	return 0;
}
