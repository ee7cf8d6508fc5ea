/*
 * Random file names out of 62 characters. Bytes beyond the last multiple of 62
 * are thrown away, so that every character is equally likely.
 */
#include "cmd/tempname.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include <tinysandbox/command.h>

#include "cmd/path.h"

void tempname_fill(struct tsb_proc *p, char *s, size_t n)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	uint8_t pool[64];
	size_t left = 0;

	for (size_t i = 0; i < n;) {
		if (!left) {
			tsb_random(p, pool, sizeof(pool));
			left = sizeof(pool);
		}
		if (pool[--left] < 248)
			s[i++] = letters[pool[left] % 62];
	}
}

char *tempname_beside(struct tsb_proc *p, const char *path)
{
	char *s = path_join(p, path_dir(p, path), "CuXXXXXX");

	tempname_fill(p, s + strlen(s) - 6, 6);
	return s;
}

int tempname_try(struct tsb_proc *p, const char *dir)
{
	char *name = path_join(p, dir, "cuXXXXXX");
	int fd;

	tempname_fill(p, name + strlen(name) - 6, 6);
	fd = tsb_open(p, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fd;
	tsb_close(p, fd);
	tsb_unlink(p, name);
	return 0;
}
