/*
 * A path below a root without openat2: name by name below descriptors. The text of a link is put in its
 * place and walked in the same way, so that nothing is ever followed by the kernel. ".." goes back by walking the names
 * before it again from the root, never by the kernel's "..", which leads out when a directory is moved meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "init/path.h"
#include "reach/reach.h"

#define LINKS 40u

struct path_walk {
	int root, at;			/* at: the directory that `done` leads to; may be the root itself */
	unsigned links;
	/* names without links that were walked, with slashes behind them; what is to come */
	size_t done_size;
	char done[PATH_MAX], rest[2 * PATH_MAX];
};

static bool fail(int error)
{
	errno = error;
	return false;
}

static void move_to(struct path_walk *w, int fd)
{
	int saved = errno;

	if (w->at != w->root)
		close(w->at);
	w->at = fd;
	errno = saved;
}

static bool go_up(struct path_walk *w)
{
	int fd;

	/* / is its own parent */
	if (!w->done_size)
		return true;
	do
		w->done_size--;
	while (w->done_size && w->done[w->done_size - 1] != '/');
	w->done[w->done_size] = 0;
	fd = w->done_size ? reach_open(w->root, w->done, O_PATH | O_DIRECTORY, 0, REACH_BELOW) : w->root;
	if (fd < 0)
		return fail(EAGAIN);
	move_to(w, fd);
	return true;
}

static bool go_down(struct path_walk *w, const char *name)
{
	size_t n = strlen(name);
	int fd;

	if (n + 2 > sizeof(w->done) - w->done_size)
		return fail(ENAMETOOLONG);
	fd = reach_open(w->at, name, O_PATH | O_DIRECTORY, 0, REACH_BELOW);
	/* it was no link just now */
	if (fd < 0)
		return fail(errno == ELOOP ? EAGAIN : errno);
	move_to(w, fd);
	memcpy(w->done + w->done_size, name, n);
	w->done_size += n;
	w->done[w->done_size++] = '/';
	w->done[w->done_size] = 0;
	return true;
}

/* Links of /proc to what a process holds show as paths from /, or as words; those that are names lead from where they are. */
static bool is_magic(int at, const char *target)
{
	struct statfs fs;

	return (target[0] == '/' || strchr(target, ':')) && !fstatfs(at, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* The text of a link, in front of what comes behind it. */
static bool put_link(struct path_walk *w, const char *target, size_t n, const char *behind)
{
	size_t more = strlen(behind);

	if (!n)
		return fail(ENOENT);
	if (++w->links > LINKS || is_magic(w->at, target))
		return fail(ELOOP);
	if (n + 1 + more + 1 > sizeof(w->rest))
		return fail(ENAMETOOLONG);
	memmove(w->rest + n + (more > 0), behind, more + 1);
	memcpy(w->rest, target, n);
	if (more)
		w->rest[n] = '/';
	if (*target == '/') {
		w->done_size = 0;
		move_to(w, w->root);
	}
	return true;
}

/* The next name, copied; *behind: what comes after it. */
static bool next_name(struct path_walk *w, char name[NAME_MAX + 1], const char **behind)
{
	const char *from = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(from, "/");

	if (n > NAME_MAX)
		return fail(ENAMETOOLONG);
	memcpy(name, n ? from : ".", n ? n : 1);
	name[n ? n : 1] = 0;
	*behind = from + n;
	return true;
}

static int finish(struct path_walk *w, const char *name, int flags, mode_t mode)
{
	int fd = reach_open(w->at, name, flags, mode, REACH_BELOW);

	if (fd < 0 && errno == ELOOP && !(flags & O_NOFOLLOW))
		errno = EAGAIN;
	return fd;
}

static int walk(struct path_walk *w, int flags, mode_t mode)
{
	char name[NAME_MAX + 1], target[PATH_MAX];
	const char *behind;

	while (next_name(w, name, &behind)) {
		/* a slash at the end asks for a directory, and follows */
		bool last = !behind[strspn(behind, "/")], plain = last && !*behind;
		bool keep_link = plain && ((flags & O_NOFOLLOW) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL));
		ssize_t n = keep_link ? -1 : readlinkat(w->at, name, target, sizeof(target) - 1);

		if (n >= 0) {
			target[n] = 0;
			if (!put_link(w, target, (size_t)n, behind))
				return -1;
			continue;
		}
		if (!strcmp(name, "..") ? !go_up(w) : !last && strcmp(name, ".") && !go_down(w, name))
			return -1;
		if (last)
			return finish(w, strcmp(name, "..") ? name : ".", flags | (plain ? 0 : O_DIRECTORY), mode);
		memmove(w->rest, behind, strlen(behind) + 1);
	}
	return -1;
}

int path_walk(int root, const char *path, int flags, mode_t mode)
{
	struct path_walk w = {.root = root, .at = root};
	size_t n = strlen(path);
	int fd;

	if (!n || n >= PATH_MAX) {
		errno = n ? ENAMETOOLONG : ENOENT;
		return -1;
	}
	memcpy(w.rest, path, n + 1);
	fd = walk(&w, flags, mode);
	move_to(&w, root);
	return fd;
}
