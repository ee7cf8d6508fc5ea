/*
 * openat2 with RESOLVE_IN_ROOT and RESOLVE_NO_MAGICLINKS: the kernel keeps the walk inside, no
 * check of strings. Where it is missing path_walk.c does the same by descriptors.
 */
#include "init/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "reach/reach.h"

int path_open(int root, const char *path, int flags, mode_t mode)
{
	struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
		.mode = flags & (O_CREAT | __O_TMPFILE) ? mode : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int fd;

	/* EAGAIN: a name changed during the walk; a hostile box can make it so for long */
	for (unsigned tries = 0; tries < 64; tries++) {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd < 0 && reach_is_missing(errno))
			fd = path_walk(root, path, (int)how.flags, (mode_t)how.mode);
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			return fd;
	}
	return -1;
}

int path_parent(int root, char *path, char **name)
{
	size_t n = strlen(path);
	char *slash;
	int fd;

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	slash = strrchr(path, '/');
	*name = slash ? slash + 1 : path;
	if (!**name || !strcmp(*name, ".") || !strcmp(*name, "..")) {
		errno = EINVAL;
		return -1;
	}
	if (!slash)
		return path_open(root, ".", O_PATH | O_DIRECTORY, 0);
	*slash = '\0';
	fd = path_open(root, *path ? path : "/", O_PATH | O_DIRECTORY, 0);
	*slash = '/';
	return fd;
}

char *path_absolute(const char *cwd, const char *path)
{
	size_t n = strlen(cwd), m = strlen(path);
	char *s;

	if (*path == '/')
		return strdup(path);
	s = malloc(n + m + 2);
	if (!s)
		return NULL;
	memcpy(s, cwd, n);
	s[n] = '/';
	memcpy(s + n + 1, path, m + 1);
	return s;
}

static void close_span(unsigned first, unsigned last)
{
	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	/* before 5.9 */
	for (long most = sysconf(_SC_OPEN_MAX), fd = (long)first; fd <= (long)last && fd < most; fd++)
		close((int)fd);
}

void close_from(int first)
{
	close_span((unsigned)first, ~0u);
}

void close_others(const int *keep, size_t count)
{
	unsigned from = 3;

	for (;;) {
		int next = -1;

		for (size_t i = 0; i < count; i++)
			if (keep[i] >= (int)from && (next < 0 || keep[i] < next))
				next = keep[i];
		if (next < 0)
			break;
		if ((unsigned)next > from)
			close_span(from, (unsigned)next - 1);
		from = (unsigned)next + 1;
	}
	close_span(from, ~0u);
}

bool write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

char *read_whole(int fd, size_t most, size_t *size)
{
	size_t cap = 4096, n = 0;
	char *data = malloc(cap + 1);

	while (data && n < most) {
		ssize_t got = read(fd, data + n, cap - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(data);
			return NULL;
		}
		n += (size_t)got;
		if (!got)
			break;
		if (n == cap) {
			char *more = realloc(data, 2 * cap + 1);

			if (!more) {
				free(data);
				return NULL;
			}
			data = more;
			cap *= 2;
		}
	}
	if (data)
		data[n] = '\0';
	*size = n;
	return data;
}
