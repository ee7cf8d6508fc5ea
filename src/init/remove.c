/*
 * Removing a tree of any depth with two descriptors: what is a directory inside a directory is moved
 * up beside it under a new name, until all are flat. An overlay does not move directories of its
 * lower layer: those are walked, DEPTH_MOST deep. Another may remove the same tree meanwhile, in the same
 * way: what is gone is removed, and what it has moved up takes one more round.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/path.h"
#include "init/text.h"
#include "init/work.h"

#define DEPTH_MOST 100u
#define ROUNDS_MORE 1000u		/* for what others move up */

static bool remove_dir(int at, const char *name, unsigned depth);

static DIR *open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir;

	/* not ours to read yet, but ours */
	if (fd < 0 && errno == EACCES && fchmodat(at, name, 0700, 0) == 0)
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Up to the top, under a name that is free there. */
static bool lift(int from, const char *name, int top, uint64_t *count)
{
	char fresh[48] = ".tinybox-gone-";

	for (unsigned tries = 0; tries < 1000; tries++) {
		text_decimal(fresh + sizeof(".tinybox-gone-") - 1, ++*count);
		if (renameat2(from, name, top, fresh, RENAME_NOREPLACE) == 0)
			return true;
		/* a directory that may not be written cannot be moved: its .. changes */
		if (errno == EACCES && !tries)
			fchmodat(from, name, 0700, 0);
		else if (errno != EEXIST)
			return false;
	}
	return false;
}

/* Empties one directory of the top, except that its own directories go up. */
static bool flatten(int top, const char *name, uint64_t *count, unsigned depth)
{
	DIR *dir = open_dir(top, name);
	struct dirent *d;
	bool good = dir;

	if (dir)
		fchmod(dirfd(dir), 0700);
	while (good && (d = readdir(dir))) {
		if (is_dot(d->d_name) || unlinkat(dirfd(dir), d->d_name, 0) == 0 || errno == ENOENT)
			continue;
		good = (errno == EISDIR || errno == EPERM) &&
			(unlinkat(dirfd(dir), d->d_name, AT_REMOVEDIR) == 0 ||
			 lift(dirfd(dir), d->d_name, top, count) || errno == ENOENT ||
			 (errno == EXDEV && remove_dir(dirfd(dir), d->d_name, depth + 1)));
	}
	if (dir) {
		int error = errno;

		closedir(dir);
		errno = error;
	}
	return (good && (unlinkat(top, name, AT_REMOVEDIR) == 0 || errno == ENOTEMPTY)) || errno == ENOENT;
}

/* One round over the top; *left tells whether there was anything. */
static bool round_of(int at, const char *name, uint64_t *count, bool *left, unsigned depth)
{
	DIR *top = open_dir(at, name);
	struct dirent *d;
	bool good = true;
	int error;

	*left = false;
	if (!top)
		return errno == ENOENT;
	fchmod(dirfd(top), 0700);
	while (good && (d = readdir(top))) {
		if (is_dot(d->d_name) || unlinkat(dirfd(top), d->d_name, 0) == 0)
			continue;
		if (errno == ENOENT)
			continue;
		*left = true;
		good = (errno == EISDIR || errno == EPERM) &&
			(unlinkat(dirfd(top), d->d_name, AT_REMOVEDIR) == 0 ||
			 flatten(dirfd(top), d->d_name, count, depth));
	}
	error = errno;
	closedir(top);
	errno = error;
	return good;
}

static bool remove_dir(int at, const char *name, unsigned depth)
{
	uint64_t count = 0;

	if (depth > DEPTH_MOST) {
		errno = ELOOP;
		return false;
	}
	for (unsigned rounds = 0; rounds < ROUNDS_MORE; rounds++) {
		bool left = true;

		while (left)
			if (!round_of(at, name, &count, &left, depth))
				return false;
		if (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return true;
		if (errno != ENOTEMPTY)
			return false;
	}
	return false;
}

bool remove_tree(int dir, const char *name)
{
	if (unlinkat(dir, name, 0) == 0)
		return true;
	return (errno == EISDIR || errno == EPERM) && remove_dir(dir, name, 0);
}
