/*
 * Mounts by descriptors, and the few things that are made below a new root. Nothing here follows a
 * symbolic link that a box could have made: the root of a box that was stopped and starts again is
 * the box's own work.
 */
#include "init/wall_in.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "reach/reach.h"

#define REMOVE_DEPTH 100
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

static uint64_t attributes(int flags)
{
	uint64_t a = MOUNT_ATTR_NOSUID;

	if (!(flags & TREE_DEVICES))
		a |= MOUNT_ATTR_NODEV;
	if (flags & TREE_READONLY)
		a |= MOUNT_ATTR_RDONLY;
	if (flags & TREE_NOEXEC)
		a |= MOUNT_ATTR_NOEXEC;
	return a;
}

static void shut(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
}

int tree_open(int dir, const char *path, int flags)
{
	struct mount_attr a = {.attr_set = attributes(flags)};
	unsigned deep = flags & TREE_RECURSIVE ? AT_RECURSIVE : 0;
	unsigned how = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | deep | (*path ? 0u : AT_EMPTY_PATH);
	int fd = flags & TREE_AS_IT_IS ? -1 :
		(int)syscall(SYS_open_tree_attr, dir, path, how, &a, sizeof(a));

	/* both at once, since Linux 6.15 */
	if (fd >= 0)
		return fd;
	fd = open_tree(dir, path, how);
	if (fd < 0 || flags & TREE_AS_IT_IS)
		return fd;
	if (mount_setattr(fd, "", AT_EMPTY_PATH | deep, &a, sizeof(a))) {
		shut(fd);
		return -1;
	}
	return fd;
}

int tree_idmap(int tree, int userns)
{
	struct mount_attr a = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (unsigned)userns};

	/* with what is mounted below it, where that can be mapped too */
	return mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &a, sizeof(a)) ?
		mount_setattr(tree, "", AT_EMPTY_PATH, &a, sizeof(a)) : 0;
}

int tree_new(const char *type, const struct tree_option *o, size_t count, int flags)
{
	int fs = fsopen(type, FSOPEN_CLOEXEC), fd = -1;
	bool ok = fs >= 0;

	for (size_t i = 0; ok && i < count; i++)
		ok = !fsconfig(fs, o[i].value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, o[i].name,
			       o[i].value, 0);
	if (ok && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(fs, FSMOUNT_CLOEXEC, (unsigned)attributes(flags));
	if (fs >= 0)
		shut(fs);
	return fd;
}

static bool put_lower(int fs, const int *lower, size_t count)
{
	char text[32], all[256];
	size_t used = 0;

	for (size_t i = 0; count > 2 && i < count; i++) {
		snprintf(text, sizeof(text), "/proc/self/fd/%d", lower[i]);
		if (fsconfig(fs, FSCONFIG_SET_STRING, "lowerdir+", text, 0)) {
			if (i)
				return false;
			break;
		}
		if (i + 1 == count)
			return true;
	}
	for (size_t i = 0; i < count; i++) {
		int n = snprintf(all + used, sizeof(all) - used, "%s/proc/self/fd/%d", i ? ":" : "", lower[i]);

		used += (size_t)n;
		if (used >= sizeof(all)) {
			errno = E2BIG;
			return false;
		}
	}
	return !fsconfig(fs, FSCONFIG_SET_STRING, "lowerdir", all, 0);
}

int tree_overlay(const int *lower, size_t lowers, const struct tree_option *o, size_t count)
{
	int fs = fsopen("overlay", FSOPEN_CLOEXEC), fd = -1;
	bool ok = fs >= 0 && put_lower(fs, lower, lowers);

	for (size_t i = 0; ok && i < count; i++)
		ok = !fsconfig(fs, o[i].value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, o[i].name,
			       o[i].value, 0);
	if (ok && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(fs, FSMOUNT_CLOEXEC, (unsigned)attributes(0));
	if (fs >= 0)
		shut(fs);
	return fd;
}

static bool tree_put_on(int tree, int target)
{
	return !move_mount(tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

bool tree_put(int tree, int root, const char *path)
{
	int target = reach_open(root, path, O_PATH | O_DIRECTORY, 0, REACH_ROOT);
	bool ok;

	if (target < 0)
		target = tree_dir(root, path, 0755);
	if (target < 0)
		return false;
	ok = tree_put_on(tree, target);
	shut(target);
	return ok;
}

bool tree_put_at(int tree, int dir, const char *path)
{
	return !move_mount(tree, "", dir, path, MOVE_MOUNT_F_EMPTY_PATH);
}

/* One step: the directory of that name, made when it is missing or something else. */
static int enter_dir(int at, const char *name, mode_t mode)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOTDIR || errno == ELOOP)
		unlinkat(at, name, 0);
	if (mkdirat(at, name, mode) && errno != EEXIST)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The parent directory of the last name; *last is that name. */
static int parent_of(int root, const char *path, const char **last)
{
	int at = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[NAME_MAX + 1];

	for (;;) {
		size_t n;
		int next;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		*last = path;
		if (at < 0 || !path[n])
			return at;
		if (n > NAME_MAX || (n == 2 && path[0] == '.' && path[1] == '.')) {
			close(at);
			errno = EINVAL;
			return -1;
		}
		memcpy(name, path, n);
		name[n] = 0;
		next = enter_dir(at, name, 0755);
		shut(at);
		at = next;
		path += n;
	}
}

int tree_dir(int root, const char *path, mode_t mode)
{
	const char *last;
	int at = parent_of(root, path, &last), fd;

	if (at < 0 || !*last)
		return at;
	fd = enter_dir(at, last, mode);
	shut(at);
	return fd;
}

bool tree_make_dir(int root, const char *path, mode_t mode)
{
	int fd;

	/* the common case: one name, and it is not there yet */
	if (!strchr(path, '/') && !mkdirat(root, path, mode))
		return true;
	fd = tree_dir(root, path, mode);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int tree_make_file(int root, const char *path, mode_t mode)
{
	const char *last;
	int at = parent_of(root, path, &last), fd;

	if (at < 0)
		return -1;
	fd = openat(at, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0 && errno == EEXIST && tree_remove(at, last))
		fd = openat(at, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	shut(at);
	return fd;
}

bool tree_text(int root, const char *path, const char *text)
{
	int fd = tree_make_file(root, path, 0644);
	size_t n = strlen(text);
	bool ok = fd >= 0 && write(fd, text, n) == (ssize_t)n;

	if (fd >= 0)
		shut(fd);
	return ok;
}

bool tree_link(int root, const char *path, const char *target)
{
	const char *last;
	int at = parent_of(root, path, &last);
	bool ok;

	if (at < 0)
		return false;
	ok = !symlinkat(target, at, last);
	if (!ok && errno == EEXIST)
		ok = tree_remove(at, last) && !symlinkat(target, at, last);
	shut(at);
	return ok;
}

/* A removal: what is too deep for descriptors and stack is moved up to where it began. */
struct removal {
	int base;
	unsigned moved;
};

static bool remove_deep(struct removal *r, int at, const char *name, unsigned depth);

/* Takes the descriptor. */
static bool remove_below(struct removal *r, int dir, unsigned depth)
{
	DIR *d = fdopendir(dir);
	struct dirent *e;
	bool ok = true;

	if (!d) {
		shut(dir);
		return false;
	}
	while (ok && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			ok = remove_deep(r, dirfd(d), e->d_name, depth);
	}
	depth = (unsigned)errno;
	closedir(d);
	errno = (int)depth;
	return ok;
}

/* Its owner may have no rights to a directory: then it gets them. */
static int open_to_remove(int at, const char *name)
{
	int flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int dir = openat(at, name, O_PATH | flags), fd;
	char path[40];

	if (dir < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir);
	if (faccessat(dir, ".", R_OK | W_OK | X_OK, AT_EACCESS))
		chmod(path, 0700);
	fd = openat(dir, ".", O_RDONLY | flags);
	shut(dir);
	return fd;
}

static bool move_up(struct removal *r, int at, const char *name)
{
	char up[40];

	snprintf(up, sizeof(up), ".tinybox-deep-%u", r->moved);
	if (renameat(at, name, r->base, up))
		return false;
	r->moved++;
	return true;
}

static bool remove_deep(struct removal *r, int at, const char *name, unsigned depth)
{
	int dir;

	if (!unlinkat(at, name, 0) || errno == ENOENT)
		return true;
	if (errno != EISDIR && errno != EPERM)
		return false;
	if (!unlinkat(at, name, AT_REMOVEDIR))
		return true;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return false;
	if (depth >= REMOVE_DEPTH)
		return move_up(r, at, name);
	dir = open_to_remove(at, name);
	return dir >= 0 && remove_below(r, dir, depth + 1) && !unlinkat(at, name, AT_REMOVEDIR);
}

bool tree_remove(int at, const char *name)
{
	struct removal r = {.base = at};
	bool ok = remove_deep(&r, at, name, 0);
	char up[40];

	for (unsigned i = 0; ok && i < r.moved; i++) {
		snprintf(up, sizeof(up), ".tinybox-deep-%u", i);
		ok = remove_deep(&r, at, up, 0);
	}
	return ok;
}
