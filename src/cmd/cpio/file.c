/*
 * cpio: what makes files, when an archive is extracted and when a tree is copied.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cmd/cpio/cpio.h"
#include "cmd/path.h"
#include "cmd/quote.h"

/* A directory that may be written only until the end. */
struct cpio_dir {
	struct cpio_head head;
	struct cpio_dir *next;
};

/* A link that leads out, kept back with --no-absolute-filenames. */
struct cpio_symlink {
	struct cpio_head head;
	const char *target;
	struct cpio_symlink *next;
};

bool cpio_make_way(struct cpio *c, const struct cpio_head *h)
{
	struct tsb_stat st;
	int err = tsb_lstat(c->p, h->name, &st);

	if (err)
		return true;
	if (S_ISDIR(st.mode) && S_ISDIR(h->mode))
		return true;
	if (!c->unconditional && h->mtime <= st.mtime.sec) {
		cpio_say(c, 0, "%s not created: newer or same age version exists", h->name);
		return false;
	}
	err = S_ISDIR(st.mode) ? tsb_rmdir(c->p, h->name) : tsb_unlink(c->p, h->name);
	if (!err)
		return true;
	cpio_error(c, err, "cannot remove current %s", h->name);
	return false;
}

/* The directories above a name, as far as they are missing. */
static void cpio_make_above(struct cpio *c, const char *name)
{
	char *part = tsb_strdup(c->p, name);

	for (char *s = part + 1; *part && (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		tsb_tick(c->p, 1);
		tsb_mkdir(c->p, part, 0777);
	}
	tsb_free(c->p, part);
}

/* Runs make() again when directories are missing and -d is given: 0 or -errno. */
static int cpio_with_dirs(struct cpio *c, const char *name, int (*make)(struct cpio *, void *), void *what)
{
	int err = make(c, what);

	if (err != -ENOENT || !c->make_dirs)
		return err;
	cpio_make_above(c, name);
	return make(c, what);
}

static int cpio_open_new(struct cpio *c, void *what)
{
	return tsb_open(c->p, what, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

int cpio_create(struct cpio *c, const char *name)
{
	int fd = cpio_with_dirs(c, name, cpio_open_new, (void *)(uintptr_t)name);

	if (fd < 0)
		cpio_error(c, fd, "%s: Cannot open", name);
	return fd;
}

void cpio_write_data(struct cpio *c, int fd, const char *name, const void *data, size_t n)
{
	int err = fd < 0 ? 0 : tsb_write_all(c->p, fd, data, n);

	if (err < 0)
		cpio_fatal(c, err, "%s: Cannot write", name);
}

static void cpio_attributes(struct cpio *c, const struct cpio_head *h)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = h->mode & 07777 };
	bool owner = (c->is_root && !c->no_chown) || c->owner_set || c->group_set;

	if (owner) {
		struct tsb_setattr who = { .mask = TSB_SET_UID | TSB_SET_GID,
					   .uid = c->owner_set ? c->owner : h->uid,
					   .gid = c->group_set ? c->group : h->gid };
		int err = tsb_setattr(c->p, h->name, &who, false);

		if (err && err != -EPERM)
			cpio_say(c, err, "%s: Cannot change ownership to uid %u, gid %u", h->name, who.uid, who.gid);
	}
	if (S_ISLNK(h->mode)) {
		set.mask = 0;
	}
	if (c->keep_time) {
		set.mask |= TSB_SET_ATIME | TSB_SET_MTIME;
		set.atime.sec = set.mtime.sec = h->mtime;
	}
	if (set.mask)
		tsb_setattr(c->p, h->name, &set, false);
}

void cpio_end_file(struct cpio *c, int fd, const struct cpio_head *h)
{
	int err = tsb_close(c->p, fd);

	if (err < 0)
		cpio_error(c, err, "%s: Cannot close", h->name);
	cpio_attributes(c, h);
}

struct cpio_two {
	const char *from, *to;
};

static int cpio_link_once(struct cpio *c, void *what)
{
	const struct cpio_two *two = what;

	return tsb_link(c->p, two->from, two->to, false);
}

int cpio_link(struct cpio *c, const char *from, const char *to)
{
	struct cpio_two two = { from, to };
	int err = cpio_with_dirs(c, to, cpio_link_once, &two);

	if (!err && c->verbose)
		cpio_say(c, 0, "%s linked to %s", from, to);
	return err;
}

bool cpio_link_inode(struct cpio *c, const struct cpio_head *h)
{
	struct map_entry *e;
	const char *key;

	if (h->nlink < 2)
		return false;
	key = cpio_inode(c, h->dev_major, h->dev_minor, h->ino);
	e = map_put(&c->inodes, key, strlen(key));
	if (e && e->value)
		return !cpio_link(c, e->value, h->name);
	if (e)
		e->value = h->name;
	return false;
}

/* ---- What is no regular file ---- */

static int cpio_mkdir_once(struct cpio *c, void *what)
{
	const struct cpio_head *h = what;

	return tsb_mkdir(c->p, h->name, (h->mode & 0777) | 0700);
}

static void cpio_make_dir(struct cpio *c, struct cpio_head *h)
{
	struct cpio_dir *d = tsb_alloc(c->p, sizeof(*d));
	struct tsb_stat st;
	int err = cpio_with_dirs(c, h->name, cpio_mkdir_once, h);

	if (err == -EEXIST && !tsb_lstat(c->p, h->name, &st) && S_ISDIR(st.mode))
		err = 0;
	if (err) {
		cpio_error(c, err, "%s: Cannot mkdir", h->name);
		return;
	}
	d->head = *h;
	h->mode |= 0700;
	cpio_attributes(c, h);
	if (h->mode == d->head.mode)
		return;
	d->next = c->dirs;
	c->dirs = d;
}

static int cpio_mknod_once(struct cpio *c, void *what)
{
	const struct cpio_head *h = what;

	return tsb_mknod(c->p, h->name, h->mode, makedev(h->rdev_major, h->rdev_minor));
}

static int cpio_symlink_once(struct cpio *c, void *what)
{
	const struct cpio_two *two = what;

	return tsb_symlink(c->p, two->from, two->to);
}

static bool cpio_leads_out(const char *target)
{
	if (*target == '/')
		return true;
	for (const char *s = target; s; s = strchr(s, '/')) {
		s += *s == '/';
		if (s[0] == '.' && s[1] == '.' && (!s[2] || s[2] == '/'))
			return true;
	}
	return false;
}

void cpio_make_symlink(struct cpio *c, const struct cpio_head *h, const char *target)
{
	struct cpio_two two = { target, h->name };
	int err;

	if (c->hold_links && cpio_leads_out(target)) {
		struct cpio_symlink *l = tsb_alloc(c->p, sizeof(*l));
		int fd = cpio_create(c, h->name);

		if (fd < 0)
			return;
		tsb_close(c->p, fd);
		*l = (struct cpio_symlink){ *h, target, c->symlinks };
		c->symlinks = l;
		return;
	}
	err = cpio_with_dirs(c, h->name, cpio_symlink_once, &two);
	if (err) {
		cpio_error(c, err, "%s: Cannot symlink to %s", target, quote_text(c->p, h->name));
		return;
	}
	cpio_attributes(c, h);
}

void cpio_make_special(struct cpio *c, const struct cpio_head *h)
{
	struct cpio_head copy = *h;
	int err;

	if (S_ISDIR(h->mode)) {
		cpio_make_dir(c, &copy);
		return;
	}
	err = cpio_with_dirs(c, h->name, cpio_mknod_once, &copy);
	if (err)
		cpio_error(c, err, "%s: Cannot mknod", h->name);
	else
		cpio_attributes(c, h);
}

void cpio_finish_files(struct cpio *c)
{
	struct tsb_stat st;

	for (struct cpio_symlink *l = c->symlinks; l; l = l->next)
		if (!tsb_lstat(c->p, l->head.name, &st) && S_ISREG(st.mode) && !st.size &&
		    !tsb_unlink(c->p, l->head.name) && !tsb_symlink(c->p, l->target, l->head.name))
			cpio_attributes(c, &l->head);
	for (struct cpio_dir *d = c->dirs; d; d = d->next) {
		struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = d->head.mode & 07777 };

		tsb_tick(c->p, 1);
		tsb_setattr(c->p, d->head.name, &set, false);
	}
}
