/*
 * A directory of this machine as a tree. Each file is opened by one name below its directory's
 * descriptor, follows no link, and is looked at again once it is open, so that whatever is swapped
 * meanwhile, nothing outside is read and nothing is waited for.
 */
#include "tree/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree/sum.h"
#include "reach/reach.h"

#define BUFFER (128u << 10)
#define LINK_MAX_SIZE 4096u

int ft_open(int root, const char *path, int flags)
{
	return reach_open(root, *path ? path : ".", flags | O_NOFOLLOW, 0, REACH_BELOW);
}

int ft_parent(int root, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *dir;
	int fd, error;

	*name = slash ? slash + 1 : path;
	if (!slash)
		return ft_open(root, "", O_PATH | O_DIRECTORY);
	dir = strndup(path, (size_t)(slash - path));
	if (!dir) {
		errno = ENOMEM;
		return -1;
	}
	fd = ft_open(root, dir, O_PATH | O_DIRECTORY);
	error = errno;
	free(dir);
	errno = error;
	return fd;
}

char *ft_readlink(int dir, const char *name)
{
	char *target = malloc(LINK_MAX_SIZE + 1);
	ssize_t n = target ? readlinkat(dir, name, target, LINK_MAX_SIZE) : -1;

	if (n <= 0) {
		free(target);
		return NULL;
	}
	target[n] = '\0';
	return target;
}

static bool fail(struct ft_scan *s, int error)
{
	s->error = error;
	return false;
}

static bool hash_file(int fd, struct ft_node *e, struct ft_scan *s)
{
	uint64_t size = 0;
	struct sum sum;
	ssize_t n;

	sum_begin(&sum);
	do {
		n = read(fd, s->buf, BUFFER);
		if (n < 0 && errno == EINTR) {
			n = 1;
			continue;
		}
		if (n < 0)
			return fail(s, errno);
		sum_add(&sum, s->buf, (size_t)n);
		size += (uint64_t)n;
		if (s->tick)
			s->tick(s->ctx);
	/* a short one is the last, unless it is no ordinary file system */
	} while (n == BUFFER || (n && size != e->size));
	sum_end(&sum, e->hash);
	e->size = size;
	return true;
}

static void note_stat(struct ft_node *e, const struct stat *st)
{
	e->mode = st->st_mode & 0777;
	e->size = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0;
	e->mtime = (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

static bool scan_file(int dir, struct ft_node *e, struct ft_scan *s)
{
	int fd;
	struct stat st;
	bool good;

	fd = openat(dir, e->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return fail(s, fd < 0 ? error : EAGAIN);
	}
	note_stat(e, &st);
	good = hash_file(fd, e, s);
	close(fd);
	return good;
}

static bool scan_link(int dir, struct ft_node *e, struct ft_scan *s)
{
	char *target = ft_readlink(dir, e->name);
	struct sum sum;

	if (!target)
		return fail(s, errno);
	e->mode = 0777;
	e->size = strlen(target);
	sum_begin(&sum);
	sum_add(&sum, target, strlen(target));
	sum_end(&sum, e->hash);
	free(target);
	return true;
}

static bool scan_dir(int fd, struct ft_node *dir, const struct ft_node *known, unsigned depth,
		     struct ft_scan *s);

static bool scan_below(int dir, struct ft_node *e, const struct ft_node *known, unsigned depth,
		       struct ft_scan *s)
{
	int fd = openat(dir, e->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? fail(s, errno) : scan_dir(fd, e, known, depth + 1, s);
}

static bool is_special(struct ft_scan *s, struct ft_node *dir, const char *why)
{
	if (!s->special)
		return false;
	s->special(s->ctx, ft_path(&s->path), why);
	dir->count--;
	free(dir->child[dir->count].name);
	return true;
}

static bool scan_entry(int fd, struct ft_node *dir, const char *name, const struct stat *st,
		       const struct ft_node *known, unsigned depth, struct ft_scan *s)
{
	struct ft_node *e = ft_add(dir, name, strlen(name));

	if (!e)
		return fail(s, ENOMEM);
	note_stat(e, st);
	if (S_ISREG(st->st_mode)) {
		e->kind = FT_FILE;
		e->unread = s->names;
		return e->unread || scan_file(fd, e, s);
	}
	if (S_ISLNK(st->st_mode)) {
		e->kind = FT_LINK;
		return scan_link(fd, e, s);
	}
	if (!S_ISDIR(st->st_mode)) {
		e->kind = FT_OTHER;
		is_special(s, dir, S_ISFIFO(st->st_mode) ? "a pipe" : S_ISSOCK(st->st_mode) ?
			   "a socket" : "a device");
		return true;
	}
	e->kind = FT_DIR;
	if (s->known) {
		known = known ? ft_find(known, name, strlen(name)) : NULL;
		e->opaque = !known;
		if (!known)
			return true;
	}
	if (depth >= FT_DEPTH)
		return fail(s, ELOOP);
	return scan_below(fd, e, known, depth, s);
}

/* What is gone when it is looked at was not there. */
static bool scan_name(int fd, struct ft_node *dir, const char *name, const struct ft_node *known,
		      unsigned depth, struct ft_scan *s)
{
	size_t count = dir->count;
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT || fail(s, errno);
	if (s->skip && s->skip(s->ctx, ft_path(&s->path), s->path.n, S_ISDIR(st.st_mode))) {
		dir->partial = true;
		return true;
	}
	if (scan_entry(fd, dir, name, &st, known, depth, s)) {
		dir->partial |= dir->count > count && dir->child[count].partial;
		return true;
	}
	if (s->error != ENOENT && s->error != EAGAIN)
		return false;
	/* swapped or gone while it was read: as if it had not been there */
	for (; dir->count > count; dir->count--) {
		ft_free(&dir->child[dir->count - 1]);
		free(dir->child[dir->count - 1].name);
	}
	s->error = 0;
	return true;
}

static bool scan_names(DIR *d, struct ft_node *dir, const struct ft_node *known, unsigned depth,
		       struct ft_scan *s)
{
	size_t n = s->path.n;
	struct dirent *e;
	bool good = true;

	while (good && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    (!depth && !n && !strcmp(e->d_name, FT_STAGE)))
			continue;
		if (!ft_push(&s->path, e->d_name))
			return fail(s, ENOMEM);
		good = scan_name(dirfd(d), dir, e->d_name, known, depth, s);
		if (good)
			ft_pop(&s->path, n);
		if (s->tick)
			s->tick(s->ctx);
	}
	return good;
}

/* Closes fd. */
static bool scan_dir(int fd, struct ft_node *dir, const struct ft_node *known, unsigned depth,
		     struct ft_scan *s)
{
	DIR *d = fdopendir(fd);
	bool good;

	if (!d) {
		fail(s, errno);
		close(fd);
		return false;
	}
	good = (!s->enter || s->enter(s->ctx, fd, ft_path(&s->path), dir)) || fail(s, s->error);
	good = good && scan_names(d, dir, known, depth, s);
	closedir(d);
	if (s->leave)
		s->leave(s->ctx);
	return good && (ft_seal(dir) || fail(s, EIO));
}

bool ft_read(int fd, struct ft_node *dir, struct ft_scan *s)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	dir->kind = FT_DIR;
	s->error = 0;
	s->buf = s->buf ? s->buf : malloc(BUFFER);
	if (own >= 0 && s->buf)
		return scan_dir(own, dir, s->known, 0, s);
	fail(s, own < 0 ? errno : ENOMEM);
	if (own >= 0)
		close(own);
	return false;
}

/* ---- What was not read ---- */

static bool read_files(int fd, struct ft_node *dir, struct ft_scan *s);

static bool read_entry(int dir, struct ft_node *e, struct ft_scan *s)
{
	bool good;
	int fd;

	if (e->kind == FT_FILE && e->unread) {
		good = scan_file(dir, e, s);
		e->unread = !good;
		return good;
	}
	if (e->kind != FT_DIR)
		return true;
	fd = openat(dir, e->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(s, errno);
	good = read_files(fd, e, s);
	close(fd);
	return good;
}

/* What is gone, or is something else now, is as if it had not been there. */
static bool forget_entry(struct ft_node *dir, size_t i, struct ft_scan *s)
{
	if (s->error != ENOENT && s->error != EAGAIN && s->error != ENOTDIR && s->error != ELOOP)
		return false;
	s->error = 0;
	ft_free(&dir->child[i]);
	free(dir->child[i].name);
	dir->count--;
	memmove(&dir->child[i], &dir->child[i + 1], (dir->count - i) * sizeof(*dir->child));
	return true;
}

static bool read_files(int fd, struct ft_node *dir, struct ft_scan *s)
{
	size_t n = s->path.n;

	for (size_t i = 0; i < dir->count && !s->enough; ) {
		if (!ft_push(&s->path, dir->child[i].name))
			return fail(s, ENOMEM);
		if (read_entry(fd, &dir->child[i], s))
			i++;
		else if (!forget_entry(dir, i, s))
			return false;
		ft_pop(&s->path, n);
		if (s->tick)
			s->tick(s->ctx);
	}
	return true;
}

bool ft_read_files(int fd, struct ft_node *dir, struct ft_scan *s)
{
	s->error = 0;
	s->buf = s->buf ? s->buf : malloc(BUFFER);
	if (!s->buf)
		return fail(s, ENOMEM);
	return read_files(fd, dir, s) && (s->enough || ft_seal_all(dir) || fail(s, EIO));
}

void ft_scan_end(struct ft_scan *s)
{
	free(s->buf);
	free(s->path.s);
	s->buf = NULL;
	s->path = (struct ft_path){NULL, 0, 0};
}
