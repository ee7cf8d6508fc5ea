/*
 * One tree on top of another, as overlayfs would show the two, with what hides the layers below kept.
 * Copies share blocks where the file system can, and keep holes; sealed files get a second name
 * instead.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "init/layer.h"
#include "init/path.h"
#include "init/work.h"

#define BUFFER 65536u
#define NAMES_MOST 65536

struct putting {
	bool link;
	int top;		/* where it all goes: names of hard links begin there */
	struct links links;
};

/* Without copy_file_range (two file systems). */
static bool copy_bytes(int from, int to, off_t at, off_t end)
{
	char *buffer = malloc(BUFFER);
	bool good = buffer;

	while (good && at < end) {
		size_t want = end - at < (off_t)BUFFER ? (size_t)(end - at) : BUFFER;
		ssize_t n = pread(from, buffer, want, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			good = !n;	/* it is shorter than it was: paused, so it cannot be */
			break;
		}
		good = pwrite(to, buffer, (size_t)n, at) == n;
		at += n;
	}
	free(buffer);
	return good;
}

static bool copy_span(int from, int to, off_t at, off_t end)
{
	off_t in = at, out = at;

	while (in < end) {
		ssize_t n = copy_file_range(from, &in, to, &out, (size_t)(end - in), 0);

		if (n > 0 || (n < 0 && errno == EINTR))
			continue;
		if (!n)
			return true;
		if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
			return false;
		return copy_bytes(from, to, in, end);
	}
	return true;
}

bool layer_copy_data(int from, int to, uint64_t size)
{
	off_t end = (off_t)size, at = 0, hole;

	if (!end || !ioctl(to, FICLONE, from))
		return true;
	if (ftruncate(to, end))
		return false;
	while (at < end) {
		at = lseek(from, at, SEEK_DATA);
		if (at < 0)
			return errno == ENXIO;
		hole = lseek(from, at, SEEK_HOLE);
		if (hole < 0 || !copy_span(from, to, at, hole < end ? hole : end))
			return false;
		at = hole;
	}
	return true;
}

/* The user's attributes, but for those that tell of a lower layer by its number. */
static bool copy_attributes(int from, int to)
{
	char *names = malloc(NAMES_MOST), *value = malloc(NAMES_MOST);
	ssize_t n = names && value ? flistxattr(from, names, NAMES_MOST) : -1, got;
	bool good = n >= 0 || errno == EOPNOTSUPP;

	for (char *at = names; good && n > 0 && at < names + n; at += strlen(at) + 1) {
		if (strncmp(at, "user.", 5) || !strcmp(at, "user.overlay.origin") ||
		    !strcmp(at, "user.overlay.impure"))
			continue;
		got = fgetxattr(from, at, value, NAMES_MOST);
		good = got >= 0 && !fsetxattr(to, at, value, (size_t)got, 0);
	}
	free(names);
	free(value);
	return good;
}

/* Owner first: it takes set-id bits away. */
static bool put_owner(int fd, const struct stat *st)
{
	return geteuid() || !fchown(fd, st->st_uid, st->st_gid);
}

static bool put_times(int fd, const struct stat *st)
{
	const struct timespec times[] = {st->st_atim, st->st_mtim};

	return !futimens(fd, times);
}

static bool put_file(struct putting *p, int from, int to, const char *name, const struct stat *st,
		     const char *path)
{
	const char *first;
	int in, out, saved;
	bool failed = false, good;

	/* a layer is never written again: it can share its files, up to what a file system counts */
	if (p->link && !linkat(from, name, to, name, 0))
		return true;
	first = st->st_nlink > 1 && !p->link ? links_first(&p->links, st->st_ino, path, &failed) : NULL;
	if (failed)
		return false;
	if (first && !linkat(p->top, first, to, name, 0))
		return true;
	in = walk_open(from, name, st);
	out = in < 0 ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	good = out >= 0 && layer_copy_data(in, out, (uint64_t)st->st_size) && copy_attributes(in, out) &&
		put_owner(out, st) && !fchmod(out, st->st_mode & 07777) && put_times(out, st);
	saved = errno;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	errno = saved;
	return good;
}

static bool put_link(int from, int to, const char *name, const struct stat *st)
{
	const struct timespec times[] = {st->st_atim, st->st_mtim};
	char target[4097];
	ssize_t n = readlinkat(from, name, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	return !symlinkat(target, to, name) &&
		(geteuid() || !fchownat(to, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW)) &&
		!utimensat(to, name, times, AT_SYMLINK_NOFOLLOW);
}

/* Whiteouts, pipes and sockets: sockets have no meaning without who listened. */
static bool put_node(struct walk *w, int to, const char *name, const struct stat *st)
{
	if (S_ISSOCK(st->st_mode))
		return true;
	if (!walk_is_whiteout(st) && !S_ISFIFO(st->st_mode)) {
		w->why = "is a device, which no box can make";
		return false;
	}
	return !mknodat(to, name, st->st_mode, 0) &&
		(geteuid() || !fchownat(to, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW));
}

static bool empty_out(int to, const char *name)
{
	return remove_tree(to, name) && !mkdirat(to, name, 0700);
}

/* A directory of the layer, which may already be there from one below. */
static bool put_dir(int from, int to, const char *name, const struct stat *st, int *below)
{
	int in = walk_open(from, name, st), saved;
	struct stat old;
	bool there = !fstatat(to, name, &old, AT_SYMLINK_NOFOLLOW), good = in >= 0;

	if (good && (!there || !S_ISDIR(old.st_mode)))
		good = (!there || remove_tree(to, name)) && !mkdirat(to, name, 0700);
	else if (good && walk_is_opaque(in))
		good = empty_out(to, name);
	/* what is below is written: its own mode comes when it is left */
	else if (good && geteuid())
		good = !fchmodat(to, name, 0700, 0);
	*below = good ? openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	good = *below >= 0 && copy_attributes(in, *below);
	saved = errno;
	if (in >= 0)
		close(in);
	errno = saved;
	return good;
}

static bool visit(struct walk *w, int from, int to, const char *name, const struct stat *st,
		  int *below)
{
	struct putting *p = w->ctx;
	const char *path = text_string(&w->path);

	if (S_ISDIR(st->st_mode))
		return put_dir(from, to, name, st, below);
	if (!remove_tree(to, name) && errno != ENOENT)
		return false;
	if (S_ISREG(st->st_mode))
		return put_file(p, from, to, name, st, path);
	if (S_ISLNK(st->st_mode))
		return put_link(from, to, name, st);
	return put_node(w, to, name, st);
}

static bool left(struct walk *w, int to, const struct stat *st)
{
	(void)w;
	return put_owner(to, st) && !fchmod(to, st->st_mode & 07777) && put_times(to, st);
}

bool layer_put(int from, int to, bool link, bool (*skip)(const char *name), struct text *why)
{
	struct putting p = {.link = link, .top = to};
	struct walk w = {.visit = visit, .left = left, .skip = skip, .ctx = &p};
	bool good;

	errno = 0;
	good = walk_tree(&w, from, to);
	if (!good) {
		text_add(why, text_string(&w.path));
		text_add(why, ": ");
		text_add(why, w.why ? w.why : text_errno(errno ? errno : ENOMEM));
	}
	walk_free(&w);
	links_free(&p.links);
	return good;
}
