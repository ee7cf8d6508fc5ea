/*
 * Removing a tree by descriptors, however deep, without recursion: a directory inside a directory
 * is moved up into the tree's root, so that all that is to be looked at is one level deep.
 */
#include "box/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_tree_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0) {
		if (!fstat(fd, &st) && (st.st_mode & 0700) != 0700)
			fchmod(fd, 0700);
		return fd;
	}
	if (errno != EACCES || fchmodat(at, name, 0700, 0))
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes what `fd` lists. Directories: hoisted into root, or, where fd is the root, entered. */
static int empty_dir(int fd, int root, unsigned *hoisted, bool *more);

static int remove_entry(int fd, const char *name, int root, unsigned *hoisted, bool *more)
{
	char up[32];
	int inside, status;

	if (!unlinkat(fd, name, 0))
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return errno == ENOENT ? 0 : -1;
	if (!unlinkat(fd, name, AT_REMOVEDIR))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES)
		return -1;
	inside = open_tree_dir(fd, name);	/* writable now: it can be moved */
	if (inside < 0)
		return -1;
	if (fd == root) {
		status = empty_dir(inside, root, hoisted, more);
		close(inside);
		*more = true;
		return status ? status : unlinkat(fd, name, AT_REMOVEDIR);
	}
	close(inside);
	do {
		snprintf(up, sizeof(up), ".up-%u", (*hoisted)++);
		status = renameat(fd, name, root, up);
	} while (status && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));
	*more = true;
	return status;
}

static int empty_dir(int fd, int root, unsigned *hoisted, bool *more)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), status = 0, saved;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while (!status && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			status = remove_entry(fd, e->d_name, root, hoisted, more);
	saved = errno;
	closedir(d);
	errno = saved;
	return status;
}

int bx_remove_tree(int dir, const char *name)
{
	int root = open_tree_dir(dir, name), status = 0, saved;
	unsigned hoisted = 0;
	bool more = true;

	if (root < 0)
		return errno == ENOENT ? 0 : errno == ENOTDIR || errno == ELOOP ?
		       unlinkat(dir, name, 0) : -1;
	while (more && !status) {
		more = false;
		status = empty_dir(root, root, &hoisted, &more);
	}
	saved = errno;
	close(root);
	errno = saved;
	if (!status && unlinkat(dir, name, AT_REMOVEDIR) && errno != ENOENT)
		return -1;
	return status;
}
