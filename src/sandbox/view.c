/*
 * See view.h. Removal walks down to a leaf, removes it, and goes up again by
 * cutting its path: no recursion, no list of the tree.
 */
#include "sandbox/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sandbox/internal.h"
#include "vfs/image.h"

int view_begin(struct view *v, struct tsb_sandbox *box, const char *path)
{
	struct timespec now;

	memset(v, 0, sizeof(*v));
	if (path && path[0] != '/')
		return -EINVAL;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	pthread_mutex_lock(&box->lock);	/* mounts may be changed meanwhile */
	v->vfs = vfs_clone(box->vfs);
	pthread_mutex_unlock(&box->lock);
	if (!v->vfs)
		return -ENOMEM;
	v->who.now = (struct tsb_time){ now.tv_sec, (int32_t)now.tv_nsec };
	v->c = (struct vfs_ctx){ v->vfs, &v->who, "/" };
	return 0;
}

void view_end(struct view *v)
{
	vfs_free(v->vfs);
}

char *view_join(const char *dir, const char *name)
{
	size_t n = strlen(dir), m = strlen(name);
	bool slash = n == 0 || dir[n - 1] != '/';
	char *path = malloc(n + m + 2);

	if (!path)
		return NULL;
	memcpy(path, dir, n);
	if (slash)
		path[n++] = '/';
	memcpy(path + n, name, m + 1);
	return path;
}

int view_own(struct view *v, const char *path)
{
	struct tsb_setattr set = { .mask = TSB_SET_UID | TSB_SET_GID,
				   .uid = IMAGE_UID, .gid = IMAGE_GID };

	return vfs_setattr(&v->c, path, &set, false);
}

int view_make_dir(struct view *v, const char *path, uint32_t mode)
{
	struct tsb_stat st;
	int rc = vfs_mkdir(&v->c, path, mode ? mode & 07777 : 0755);

	if (!rc)
		return view_own(v, path);
	if (rc == -EEXIST && !vfs_stat(&v->c, path, &st))
		return S_ISDIR(st.mode) ? 0 : -ENOTDIR;
	return rc;
}

int view_make_parents(struct view *v, const char *path)
{
	char *part = strdup(path), *last = part ? strrchr(part, '/') : NULL;
	struct tsb_stat st;
	int rc = 0;

	if (!part)
		return -ENOMEM;
	/* mostly they are there: not each is looked at from the top */
	if (last && last != part) {
		*last = '\0';
		if (!vfs_stat(&v->c, part, &st) && S_ISDIR(st.mode)) {
			free(part);
			return 0;
		}
		*last = '/';
	}
	for (char *p = part + 1; !rc && (p = strchr(p, '/')); p++) {
		*p = '\0';
		rc = view_make_dir(v, part, 0755);
		*p = '/';
		while (p[1] == '/')
			p++;
	}
	free(part);
	return rc;
}

static int write_all(struct view *v, struct vfs_file *f, const char *data, size_t n)
{
	size_t at = 0;

	while (at < n) {
		ssize_t done = vfs_write(f, &v->who, data + at, n - at, at);

		if (done <= 0)
			return done ? (int)done : -EIO;
		at += (size_t)done;
	}
	return 0;
}

int view_open(struct view *v, const char *path, int flags, uint32_t mode, struct vfs_file **f)
{
	int magic[2], rc = vfs_open(&v->c, path, flags, mode, f, magic);

	if (rc == VFS_MAGIC)
		return -ENXIO;
	if (!rc && !S_ISREG((*f)->mode))
		return S_ISDIR((*f)->mode) ? -EISDIR : -EINVAL;
	return rc;
}

int view_write(struct view *v, const char *path, const void *data, size_t n, uint32_t mode)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = mode & 07777 };
	struct tsb_stat st;
	struct vfs_file *f;
	int magic[2], rc, late;
	bool fresh = vfs_lstat(&v->c, path, &st) == -ENOENT;

	rc = vfs_open(&v->c, path, O_WRONLY | O_CREAT | O_TRUNC, mode ? mode & 07777 : 0644, &f,
		      magic);
	if (rc)
		return rc == VFS_MAGIC ? -EINVAL : rc;
	rc = write_all(v, f, data, n);
	late = vfs_close(f);
	if (!rc)
		rc = late;
	if (!rc && fresh)
		rc = view_own(v, path);
	if (!rc && mode)
		rc = vfs_setattr(&v->c, path, &set, true);
	if (rc && fresh)
		vfs_unlink(&v->c, path);
	return rc;
}

/* The name of some entry of the directory, behind path in *child (malloc). */
static int first_child(struct view *v, const char *path, char **child)
{
	union {
		struct tsb_dirent entry;
		char bytes[sizeof(struct tsb_dirent) + TSB_NAME_MAX + 8];
	} buf;
	struct vfs_file *f;
	int magic[2];
	ssize_t n;
	int rc = vfs_open(&v->c, path, O_RDONLY | O_DIRECTORY, 0, &f, magic);

	*child = NULL;
	if (rc)
		return rc;
	n = vfs_readdir(f, &buf, sizeof(buf));
	vfs_close(f);
	if (n <= 0)
		return (int)n;
	*child = view_join(path, buf.entry.name);
	return *child ? 0 : -ENOMEM;
}

/* The root by any name ("//", "/tmp/..") stays, and so does all below it. */
static int may_remove(struct view *v, const char *path)
{
	struct tsb_stat root, st;
	int rc = vfs_lstat(&v->c, "/", &root);

	if (!rc)
		rc = vfs_lstat(&v->c, path, &st);
	if (!rc && st.dev == root.dev && st.ino == root.ino)
		rc = -EBUSY;
	return rc;
}

int view_remove(struct view *v, const char *path)
{
	char *at = strdup(path), *child;
	size_t top = strlen(path);
	struct tsb_stat st;
	int rc = at ? may_remove(v, path) : -ENOMEM;

	while (!rc) {
		rc = vfs_lstat(&v->c, at, &st);
		if (rc)
			break;
		if (!S_ISDIR(st.mode)) {
			rc = vfs_unlink(&v->c, at);
		} else {
			rc = first_child(v, at, &child);
			if (child) {
				free(at);
				at = child;
				continue;
			}
			if (!rc)
				rc = vfs_rmdir(&v->c, at);
		}
		if (strlen(at) <= top)
			break;
		*strrchr(at, '/') = '\0';
	}
	free(at);
	return rc;
}
