/*
 * The host's hand in the files of a sandbox: a namespace of its own for one
 * call (a namespace belongs to one thread at a time), acting as root, so that a
 * host is never refused; what it makes belongs to the user.
 */
#ifndef SANDBOX_VIEW_H
#define SANDBOX_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "vfs/vfs.h"

struct tsb_sandbox;

struct view {
	struct vfs *vfs;
	struct tsb_caller who;
	struct vfs_ctx c;
};

/* 0 or -ENOMEM. Also -EINVAL when path is not absolute. */
int view_begin(struct view *v, struct tsb_sandbox *box, const char *path);
void view_end(struct view *v);
/* Gives what was just made to the user. */
int view_own(struct view *v, const char *path);
/* Makes the directories above path. */
int view_make_parents(struct view *v, const char *path);
/* Makes the directory (mode 0: 0755); one that is there already is fine. */
int view_make_dir(struct view *v, const char *path, uint32_t mode);
/* Opens a regular file: a device has no end, and a FIFO without a writer none either. *f is the caller's
 * to close, after a failure too unless it is NULL. */
int view_open(struct view *v, const char *path, int flags, uint32_t mode, struct vfs_file **f);
/* Creates or replaces the content of a file; fails whole for a new one. */
int view_write(struct view *v, const char *path, const void *data, size_t n, uint32_t mode);
/* Removes path and all below; iterative, so depth costs no stack. */
int view_remove(struct view *v, const char *path);

/* "dir/name" (malloc); NULL: no memory. */
char *view_join(const char *dir, const char *name);

#endif
