/*
 * Bytes of files and pipes, all of them or an error: what a signal or a pipe cuts short is gone on with.
 */
#include "box/internal.h"

#include <errno.h>
#include <unistd.h>

bool bx_write_bytes(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

bool bx_read_bytes(int fd, void *data, size_t n)
{
	char *at = data;

	errno = 0;
	while (n) {
		ssize_t done = read(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}
