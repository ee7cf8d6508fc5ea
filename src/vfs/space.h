/*
 * Inside the namespace: mounts, the buffers of the walk, and small helpers that
 * the calls share.
 */
#ifndef VFS_SPACE_H
#define VFS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vfs/vfs.h"

struct vfs_mount {
	uint32_t refs;		/* atomic: namespaces and open files */
	unsigned flags;
	uint64_t dev;
	struct tsb_fs *fs;
	struct vfs_mount *owner;	/* which frees fs; NULL: this one does */
	size_t path_n;		/* 0 for the root */
	char path[];		/* "" for the root */
};

/* A walk fills `clean` from the left; what is still to be walked after a link
 * stands at the right end of `rest`. Two walks for calls with two paths. */
#define SPACE_REST 32768u
struct space_buffers {
	char clean[2][TSB_PATH_MAX + 1];
	char rest[SPACE_REST];
	char link[TSB_PATH_MAX + 1];
};

#define SPACE_FEW 6u
struct vfs {
	struct vfs_mount **at;	/* in order of their paths, the root first */
	unsigned n, size;	/* at is few[], or allocated */
	uint64_t dev_next;
	vfs_moved_fn *moved;
	void *moved_ctx;
	struct space_buffers *buffers;	/* made by the first walk */
	struct vfs_mount *own;	/* vfs_new_over(): the only one counted; else NULL */
	struct vfs_mount *few[SPACE_FEW];
};

/* ---- mount.c ---- */

struct vfs_mount *space_mount_ref(struct vfs_mount *m);
void space_mount_unref(struct vfs_mount *m);
/* The mount that the clean path (without the root's slash: "" or "/a/b") is under. */
struct vfs_mount *space_find(const struct vfs *v, const char *path, size_t n);
/* Is path a mount point, or above one? */
bool space_is_mount(const struct vfs *v, const char *path, size_t n);
bool space_has_mount(const struct vfs *v, const char *path, size_t n);
/* The next mount directly in directory path from index *i on: its name, or NULL. */
const char *space_mount_in(const struct vfs *v, const char *path, size_t n, size_t *i,
			   const struct vfs_mount **m);

/* ---- walk.c ---- */

/* How many slashes, and how many bytes that are none, stand at p. */
static inline size_t space_slashes(const char *p)
{
	size_t n = 0;
	while (p[n] == '/')
		n++;
	return n;
}

static inline size_t space_component(const char *p)
{
	size_t n = 0;
	while (p[n] && p[n] != '/')
		n++;
	return n;
}

/* how, besides VFS_FOLLOW ...: use the second buffer; links of /proc/PID/fd lead
 * where their text says; a slash at the end is only told (open() refuses it). */
enum { SPACE_FOLLOW_MASK = 7, SPACE_SECOND = 8, SPACE_NO_MAGIC = 16, SPACE_CREATE = 32 };
/* vfs_resolve() into buffer 0 or 1. */
int space_walk(const struct vfs_ctx *c, const char *path, unsigned how, struct vfs_where *out);
/* Sets w->dir, the directory of w->path, if it is not yet. */
int space_parent(const struct vfs_ctx *c, struct vfs_where *w);
struct space_buffers *space_buffers(struct vfs *v);

/* ---- call.c, shared with file.c ---- */

static inline bool space_read_only(const struct vfs_mount *m)
{
	return m->flags & VFS_MOUNT_READ_ONLY;
}
/* May `who` make these changes to st? They are completed (set-id bits) into *full. */
int space_may_setattr(const struct tsb_caller *who, const struct tsb_stat *st,
		      const struct tsb_setattr *set, struct tsb_setattr *full);
/* w does not exist: may it be made? -EACCES, -EROFS, -ENOENT. */
int space_may_create(const struct vfs_ctx *c, struct vfs_where *w);
/* w exists: may its name go? In a sticky directory only its owner's. Sets w->dir. */
int space_may_delete(const struct vfs_ctx *c, struct vfs_where *w);

#endif
