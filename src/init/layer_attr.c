/*
 * What a box's programs have noted beside a file: attributes in the name space of users. Those of overlayfs are not
 * the box's. In the order of their names, so that two looks at a file tell the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "init/layer.h"

#define MOST 65536u		/* the kernel's, of all names and of a value */

bool attr_is_users(const char *name)
{
	return !strncmp(name, "user.", 5) && name[5] && strncmp(name, "user.overlay.", 13) && strlen(name) < 256;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Pointers into the names, sorted; how many. */
static size_t sort(char *names, size_t n, char **at)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i += strlen(names + i) + 1)
		if (attr_is_users(names + i))
			at[count++] = names + i;
	if (count)
		qsort(at, count, sizeof(*at), by_name);
	return count;
}

static bool each(int fd, char *names, uint8_t *value, attr_fn *fn, void *ctx)
{
	ssize_t n = flistxattr(fd, names, MOST), size;
	char **at = n > 0 ? malloc(((size_t)n / 7 + 1) * sizeof(*at)) : NULL;	/* "user.x" is the shortest */
	size_t count = at ? sort(names, (size_t)n, at) : 0;
	bool good = n == 0 || at || (n < 0 && errno == EOPNOTSUPP);

	for (size_t i = 0; good && i < count; i++) {
		size = fgetxattr(fd, at[i], value, MOST);
		good = size >= 0 && fn(ctx, at[i], value, (size_t)size);
	}
	free(at);
	return good;
}

bool attr_each(int dir, const char *name, const struct stat *st, attr_fn *fn, void *ctx)
{
	int fd = S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) ? walk_open(dir, name, st) : -1, saved;
	char *names = fd < 0 ? NULL : malloc(MOST + 1);
	uint8_t *value = names ? malloc(MOST) : NULL;
	bool good = fd < 0 ? !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode) : value && each(fd, names, value, fn, ctx);

	saved = errno;
	free(names);
	free(value);
	if (fd >= 0)
		close(fd);
	errno = saved;
	return good;
}
