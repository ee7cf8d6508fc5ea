/*
 * Walking a tree that a box made: sorted, with an end to its depth, no link followed, and files read
 * whatever mode the box gave them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "init/layer.h"

struct names {
	char **at;
	size_t n, room;
};

static void names_free(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->at[i]);
	free(l->at);
}

static bool names_add(struct names *l, const char *name)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 32;
		char **more = realloc(l->at, room * sizeof(*more));

		if (!more)
			return false;
		l->at = more;
		l->room = room;
	}
	l->at[l->n] = strdup(name);
	return l->at[l->n] && ++l->n;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory, whose position is used up. */
static bool names_read(struct names *l, int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	bool good = d;

	if (!d && fd >= 0)
		close(fd);
	errno = d ? 0 : errno;
	while (good && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			good = names_add(l, e->d_name);
	if (d)
		closedir(d);
	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), by_bytes);
	return good;
}

static void restore(int dir, const char *name, int path, mode_t mode)
{
	char proc[48] = "/proc/self/fd/";

	(void)dir;
	(void)name;
	text_decimal(proc + strlen(proc), (uint64_t)path);
	chmod(proc, mode & 07777);
}

int walk_open(int dir, const char *name, const struct stat *st)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
		(S_ISDIR(st->st_mode) ? O_DIRECTORY : 0);
	int fd = openat(dir, name, flags), path, saved;
	struct stat now;

	if (fd >= 0 || errno != EACCES)
		return fd;
	/* ours, but closed to us: opened for a moment, by a descriptor that cannot be turned */
	path = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (path >= 0 && !fstat(path, &now) && now.st_ino == st->st_ino) {
		restore(dir, name, path, st->st_mode | 0500);
		fd = openat(dir, name, flags);
		saved = errno;
		restore(dir, name, path, st->st_mode);
		errno = saved;
	}
	if (path >= 0) {
		saved = errno;
		close(path);
		errno = saved;
	}
	return fd;
}

bool walk_is_opaque(int dir)
{
	char value[4];

	return fgetxattr(dir, "user.overlay.opaque", value, sizeof(value)) == 1 && *value == 'y';
}

static bool walk_dir(struct walk *w, int from, int to, unsigned depth);

static bool walk_below(struct walk *w, int from, const char *name, const struct stat *st, int below,
		       unsigned depth)
{
	int fd = depth + 1 < LAYER_DEPTH ? walk_open(from, name, st) : -1;
	bool good = fd >= 0 && walk_dir(w, fd, below, depth + 1);
	int saved = errno;

	if (depth + 1 >= LAYER_DEPTH)
		w->why = "directories are nested too deep (more than 400)";
	if (fd >= 0)
		close(fd);
	errno = saved;
	return good;
}

static bool walk_entry(struct walk *w, int from, int to, const char *name, unsigned depth)
{
	struct stat st;
	int below = -1, saved;
	bool good;

	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	good = w->visit(w, from, to, name, &st, &below);
	if (good && S_ISDIR(st.st_mode))
		good = walk_below(w, from, name, &st, below, depth);
	if (good && w->left && S_ISDIR(st.st_mode))
		good = w->left(w, below, &st);
	saved = errno;
	if (below >= 0)
		close(below);
	errno = saved;
	return good;
}

static bool walk_dir(struct walk *w, int from, int to, unsigned depth)
{
	struct names l = {0};
	bool good = names_read(&l, from);
	size_t before = w->path.size;

	for (size_t i = 0; good && i < l.n; i++) {
		if (!depth && w->skip && w->skip(l.at[i]))
			continue;
		if (before)
			text_add(&w->path, "/");
		text_add(&w->path, l.at[i]);
		good = !w->path.failed && walk_entry(w, from, to, l.at[i], depth);
		if (good) {
			w->path.size = before;	/* a failure keeps its path */
			w->path.data[before] = '\0';
		}
	}
	before = (size_t)errno;
	names_free(&l);
	errno = (int)before;
	return good;
}

bool walk_tree(struct walk *w, int from, int to)
{
	return walk_dir(w, from, to, 0);
}

void walk_free(struct walk *w)
{
	text_free(&w->path);
}

/* ---- Files with several names ---- */

static size_t place_of(const struct links *l, ino_t ino)
{
	size_t i = (size_t)((uint64_t)ino * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (l->room - 1);

	while (l->at[i].path && l->at[i].ino != ino)
		i = (i + 1) & (l->room - 1);
	return i;
}

static bool links_grow(struct links *l)
{
	struct links more = {.room = l->room ? 2 * l->room : 64, .n = l->n};

	more.at = calloc(more.room, sizeof(*more.at));
	if (!more.at)
		return false;
	for (size_t i = 0; i < l->room; i++)
		if (l->at[i].path)
			more.at[place_of(&more, l->at[i].ino)] = l->at[i];
	free(l->at);
	*l = more;
	return true;
}

const char *links_first(struct links *l, ino_t ino, const char *path, bool *failed)
{
	size_t i;

	if (2 * l->n >= l->room && !links_grow(l)) {
		*failed = true;
		return NULL;
	}
	i = place_of(l, ino);
	if (l->at[i].path)
		return l->at[i].path;
	l->at[i] = (struct link_seen){ino, strdup(path)};
	*failed = !l->at[i].path;
	l->n++;
	return NULL;
}

void links_free(struct links *l)
{
	for (size_t i = 0; i < l->room; i++)
		free(l->at[i].path);
	free(l->at);
	*l = (struct links){0};
}
