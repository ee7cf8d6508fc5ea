/*
 * Copies a tree of the host into the sandbox, within its quotas. Reads the host
 * with openat and O_NOFOLLOW, one directory at a time from a list of those still
 * to do, so neither depth nor a link that changes under us matters; links are
 * copied as links. Special files are refused, for they have no content to copy.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/internal.h"
#include "sandbox/view.h"

struct todo {
	struct todo *next;
	char *from, *to;
};

struct copyin {
	struct view v;
	struct todo *dirs;
	char *failed;		/* the host path of the first failure */
};

static int keep_attributes(struct copyin *c, const char *to, const struct stat *st)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME };

	if (!S_ISLNK(st->st_mode)) {
		set.mask |= TSB_SET_MODE;
		set.mode = st->st_mode & 07777;
	}
	set.atime = (struct tsb_time){ st->st_atim.tv_sec, (int32_t)st->st_atim.tv_nsec };
	set.mtime = (struct tsb_time){ st->st_mtim.tv_sec, (int32_t)st->st_mtim.tv_nsec };
	return vfs_setattr(&c->v.c, to, &set, false);
}

static int copy_content(struct copyin *c, int fd, struct vfs_file *f)
{
	char *buf = malloc(65536);
	uint64_t at = 0;
	ssize_t n = buf ? 0 : -ENOMEM;

	while (buf && (n = read(fd, buf, 65536)) > 0) {
		for (ssize_t done = 0, w; done < n; done += w) {
			w = vfs_write(f, &c->v.who, buf + done, (size_t)(n - done), at);
			if (w <= 0) {
				free(buf);
				return w ? (int)w : -EIO;
			}
			at += (uint64_t)w;
		}
	}
	free(buf);
	if (n < 0)
		return n == -ENOMEM ? -ENOMEM : -errno;
	return 0;
}

static int copy_file(struct copyin *c, const char *from, const char *to, const struct stat *st)
{
	struct vfs_file *f;
	int magic[2], rc, late, fd = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	rc = vfs_open(&c->v.c, to, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600, &f, magic);
	if (!rc) {
		rc = copy_content(c, fd, f);
		late = vfs_close(f);
		rc = rc ? rc : late;
	}
	close(fd);
	if (!rc)
		rc = view_own(&c->v, to);
	return rc ? rc : keep_attributes(c, to, st);
}

static int copy_link(struct copyin *c, const char *from, const char *to, const struct stat *st)
{
	char target[PATH_MAX];
	ssize_t n = readlink(from, target, sizeof(target) - 1);
	int rc;

	if (n < 0)
		return -errno;
	target[n] = '\0';
	rc = vfs_symlink(&c->v.c, target, to);
	if (!rc)
		rc = view_own(&c->v, to);
	return rc ? rc : keep_attributes(c, to, st);
}

static int later(struct copyin *c, const char *from, const char *to)
{
	struct todo *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->from = strdup(from);
	t->to = strdup(to);
	t->next = c->dirs;
	c->dirs = t;
	return t->from && t->to ? 0 : -ENOMEM;
}

static int copy_one(struct copyin *c, const char *from, const char *to)
{
	struct stat st;
	int rc;

	if (lstat(from, &st))
		return -errno;
	if (S_ISREG(st.st_mode))
		return copy_file(c, from, to, &st);
	if (S_ISLNK(st.st_mode))
		return copy_link(c, from, to, &st);
	if (!S_ISDIR(st.st_mode))
		return -EOPNOTSUPP;
	rc = view_make_dir(&c->v, to, 0755);
	if (!rc)
		rc = keep_attributes(c, to, &st);
	return rc ? rc : later(c, from, to);
}

static int copy_entries(struct copyin *c, const struct todo *t)
{
	DIR *dir = opendir(t->from);
	struct dirent *e;
	int rc = dir ? 0 : -errno;

	while (!rc && (e = readdir(dir))) {
		char *from, *to;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		from = view_join(t->from, e->d_name);
		to = view_join(t->to, e->d_name);
		rc = from && to ? copy_one(c, from, to) : -ENOMEM;
		if (rc && !c->failed) {
			c->failed = from;
			from = NULL;
		}
		free(from);
		free(to);
	}
	if (dir)
		closedir(dir);
	return rc;
}

int tsb_copy_in(struct tsb_sandbox *box, const char *host_path, const char *path)
{
	struct copyin c = { 0 };
	char *real = NULL;
	int rc;

	if (!box || !host_path || !path)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&c.v, box, path);
	/* The operand itself may be a link: what it leads to is meant. */
	if (!rc && !(real = realpath(host_path, NULL)))
		rc = -errno;
	if (!rc)
		rc = view_make_parents(&c.v, path);
	if (!rc)
		rc = copy_one(&c, real, path);
	while (c.dirs) {
		struct todo *t = c.dirs;

		c.dirs = t->next;
		if (!rc)
			rc = copy_entries(&c, t);
		free(t->from);
		free(t->to);
		free(t);
	}
	view_end(&c.v);
	if (rc)
		sandbox_fail(box, TSB_ERR_FILE, rc, "cannot copy in %s: %s",
			     c.failed ? c.failed : host_path, tsb_strerror(rc));
	free(c.failed);
	free(real);
	return rc ? TSB_ERR_FILE : TSB_OK;
}
