/*
 * What the tests of the namespace do with a path, in few words. A text that is returned is static and holds until
 * the next call of that function.
 */
#ifndef TESTS_VFS_PATHS_H
#define TESTS_VFS_PATHS_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "vfs/vfs.h"

/* What open(2) gives: 0, as the file is closed again, or -errno. */
static inline int open_rc(const struct vfs_ctx *c, const char *path, int flags)
{
	struct vfs_file *f;
	int magic[2], rc = vfs_open(c, path, flags, 0644, &f, magic);

	if (!rc)
		vfs_close(f);
	return rc;
}

/* The content of a file; "error -2" when it cannot be opened. */
static inline const char *get(const struct vfs_ctx *c, const char *path)
{
	static char text[8192];
	struct vfs_file *f;
	int magic[2], rc = vfs_open(c, path, O_RDONLY, 0, &f, magic);
	ssize_t n;

	if (rc) {
		snprintf(text, sizeof(text), "error %d", rc);
		return text;
	}
	n = vfs_read(f, text, sizeof(text) - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	vfs_close(f);
	return text;
}

/* The names in a directory, in the order given, with a blank behind each; cap: bytes for one call. */
static inline const char *list(const struct vfs_ctx *c, const char *path, size_t cap)
{
	static char text[2048];
	_Alignas(8) char buf[4096];
	struct vfs_file *f;
	int magic[2];
	ssize_t n;
	size_t at = 0;

	text[0] = '\0';
	if (vfs_open(c, path, O_RDONLY | O_DIRECTORY, 0, &f, magic))
		return NULL;
	while ((n = vfs_readdir(f, buf, cap)) > 0)
		for (char *p = buf; p < buf + n; p += ((struct tsb_dirent *)p)->size)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s ", ((struct tsb_dirent *)p)->name);
	vfs_close(f);
	return text;
}

#endif
