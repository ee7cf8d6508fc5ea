/*
 * By openat2 where there is one. Without it each name is opened below the descriptor of the one before,
 * which is what that call promises for a path without links and "..": nothing is checked as text.
 */
#include "reach/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRIES 64u

bool reach_is_missing(int error)
{
	return error == ENOSYS || error == EPERM;
}

static void shut(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}

static int by_kernel(int dir, const char *path, int flags, mode_t mode, enum reach_from from)
{
	static const uint64_t place[] = {[REACH_BELOW] = RESOLVE_BENEATH, [REACH_ROOT] = RESOLVE_IN_ROOT, [REACH_HOST] = 0};
	struct open_how how = {.flags = (unsigned)flags, .mode = mode,
		.resolve = place[from] | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
	int fd = -1;

	/* EAGAIN: a name changed during the walk; a hostile box can make it so for long */
	for (unsigned tries = 0; tries < TRIES; tries++) {
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return fd;
}

/* Links are what the last call says of them; a directory was asked for: not "no directory". */
static int refuse_link(int at, const char *name, int fd, int flags)
{
	struct stat st;
	char c;

	if (fd < 0 && errno == ENOTDIR && readlinkat(at, name, &c, 1) >= 0)
		errno = ELOOP;
	else if (fd >= 0 && (flags & O_PATH) && !fstat(fd, &st) && S_ISLNK(st.st_mode)) {
		close(fd);
		fd = -1;
		errno = ELOOP;
	}
	return fd;
}

/* One name of n bytes. */
static int step(int at, const char *name, size_t n, int flags, mode_t mode)
{
	bool link_itself = (flags & O_PATH) && (flags & O_NOFOLLOW) && !(flags & O_DIRECTORY);
	char one[NAME_MAX + 1];
	int fd;

	if (n > NAME_MAX || (n == 2 && name[0] == '.' && name[1] == '.')) {
		errno = n > NAME_MAX ? ENAMETOOLONG : EXDEV;
		return -1;
	}
	memcpy(one, name, n);
	one[n] = 0;
	do
		fd = openat(at, one, flags | O_NOFOLLOW, mode);
	while (fd < 0 && errno == EINTR);
	return link_itself ? fd : refuse_link(at, one, fd, flags);
}

static int by_name(int dir, const char *path, int flags, mode_t mode)
{
	int at = dir, fd;

	for (;;) {
		size_t n = strcspn(path, "/");
		const char *next = path + n + strspn(path + n, "/");

		/* behind the last name there may be slashes, which ask for a directory */
		if (!*next)
			fd = step(at, path, n, flags | (path[n] ? O_DIRECTORY : 0), mode);
		else
			fd = step(at, path, n, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
		if (at != dir)
			shut(at);
		if (fd < 0 || !*next)
			return fd;
		at = fd;
		path = next;
	}
}

static int without_kernel(int dir, const char *path, int flags, mode_t mode, enum reach_from from)
{
	int root, fd;

	if (!*path) {
		errno = ENOENT;
		return -1;
	}
	if (*path != '/')
		return by_name(dir, path, flags, mode);
	if (from == REACH_BELOW) {
		errno = EXDEV;
		return -1;
	}
	path += strspn(path, "/");
	if (from == REACH_ROOT)
		return by_name(dir, *path ? path : ".", flags, mode);
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	fd = by_name(root, *path ? path : ".", flags, mode);
	shut(root);
	return fd;
}

int reach_open(int dir, const char *path, int flags, mode_t mode, enum reach_from from)
{
	int fd;

	flags |= O_CLOEXEC;
	/* openat2 refuses a mode that nothing is made with */
	mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? mode : 0;
	fd = by_kernel(dir, path, flags, mode, from);
	return fd < 0 && reach_is_missing(errno) ? without_kernel(dir, path, flags, mode, from) : fd;
}
