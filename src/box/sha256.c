/*
 * Digests of bytes and of files.
 */
#include "box/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/internal.h"

#include <string.h>

void bx_sha256(const void *data, size_t n, uint8_t hash[32])
{
	SHA256_CTX ctx;

	SHA256_Init(&ctx);
	SHA256_Update(&ctx, data, n);
	SHA256_Final(hash, &ctx);
}

bool bx_sha256_fd(int fd, uint8_t hash[32])
{
	char *buf = malloc(65536);
	SHA256_CTX ctx;
	ssize_t n;

	if (!buf)
		return false;
	SHA256_Init(&ctx);
	while ((n = read(fd, buf, 65536)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			SHA256_Update(&ctx, buf, (size_t)n);
	SHA256_Final(hash, &ctx);
	free(buf);
	return !n;
}

int bx_read_all(struct tbx_store *store, const char *path, char **data, size_t *n)
{
	/* what is no file would be waited for, or has no end */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t got = 1;

	*data = NULL;
	*n = 0;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		*data = malloc((size_t)st.st_size + 1);
	else if (fd >= 0)
		errno = EINVAL;
	while (*data && *n < (size_t)st.st_size && got > 0) {
		got = read(fd, *data + *n, (size_t)st.st_size - *n);
		*n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (*data && *n == (size_t)st.st_size)
		return TBX_OK;
	free(*data);
	*data = NULL;
	return bx_fail(store, TBX_ERR_FILE, "%s: %s", path, strerror(errno));
}
