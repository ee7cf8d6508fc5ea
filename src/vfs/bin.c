/*
 * The directory of commands. Its names are the caller's, so it takes no memory per
 * command; the text of an entry is made when it is read.
 */
#include "vfs/bin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/fixed.h"
#include "vfs/pack.h"

#define BIN_FORMAT "#!/usr/bin/tinysandbox-command %s\n" \
		   "# %s is a command of this system; its code is not a script.\n"
#define BIN_FORMAT_N (sizeof(BIN_FORMAT) - 1 - 4)	/* without both %s */

struct binfs {
	struct tsb_fs fs;
	binfs_name_fn *name;
	size_t (*count)(const void *ctx);
	const void *ctx;
	struct tsb_time now;
};

struct bin_file {
	struct tsb_file f;
	const char *command;	/* NULL: the directory */
	uint64_t ino;
	char *last;		/* readdir: the last name given, our copy */
};

static const struct tsb_fs_ops bin_ops;

/* Index of the first name that is not less than p[0 .. n]; *equal: it is that. */
static size_t bin_search(const struct binfs *fs, const char *p, size_t n, bool *equal)
{
	size_t low = 0, high = fs->count(fs->ctx);
	*equal = false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const char *at = fs->name(fs->ctx, mid);
		int c = (unsigned char)at[0] - (unsigned char)p[0];
		if (!c)
			c = strncmp(at, p, n);
		if (!c)
			c = at[n] ? 1 : 0;
		if (c < 0) {
			low = mid + 1;
		} else {
			high = mid;
			*equal |= c == 0;
		}
	}
	return low;
}

/* *ino: 1 is the directory. NULL with *rc 0: the directory. */
static const char *bin_find(const struct binfs *fs, const char *path, uint64_t *ino, int *rc)
{
	size_t n = strcspn(path + 1, "/"), i;
	bool equal;
	*ino = 1;
	*rc = 0;
	if (!n)
		return NULL;
	i = bin_search(fs, path + 1, n, &equal);
	if (!equal)
		*rc = -ENOENT;
	else if (path[1 + n])
		*rc = -ENOTDIR;
	*ino = i + 2;
	return *rc ? NULL : fs->name(fs->ctx, i);
}

const char *binfs_command(const struct tsb_fs *tfs, uint64_t ino)
{
	const struct binfs *fs = (const struct binfs *)tfs;
	return tfs->ops == &bin_ops && ino > 1 ? fs->name(fs->ctx, ino - 2) : NULL;
}

static void bin_stat(const struct binfs *fs, const char *command, uint64_t ino,
		     struct tsb_stat *st)
{
	*st = (struct tsb_stat){
		.ino = ino, .mode = S_IFREG | 0755, .nlink = 1, .blksize = 4096,
		.atime = fs->now, .mtime = fs->now, .ctime = fs->now, .btime = fs->now,
	};
	if (command) {
		st->size = BIN_FORMAT_N + 2 * strlen(command);
		st->blocks = 8;
	} else {
		st->mode = S_IFDIR | 0755;
		st->nlink = 2;
		st->size = 4096;
		st->blocks = 8;
	}
}

static int bin_lookup(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		      size_t *len, struct tsb_stat *st)
{
	uint64_t ino;
	int rc;
	const char *command = bin_find((struct binfs *)tfs, path, &ino, &rc);
	(void)who, (void)len;
	if (!rc)
		bin_stat((struct binfs *)tfs, command, ino, st);
	return rc;
}

static int bin_lstat(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		     struct tsb_stat *st)
{
	size_t len;
	return bin_lookup(tfs, who, path, &len, st);
}

static int bin_open(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path, int flags,
		    uint32_t mode, struct tsb_file *file)
{
	struct bin_file *f = (struct bin_file *)file;
	int rc;
	(void)who, (void)mode;
	f->command = bin_find((struct binfs *)tfs, path, &f->ino, &rc);
	if (rc == -ENOENT && flags & O_CREAT)
		return -EROFS;
	if (rc)
		return rc;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if (!f->command && ((flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT))
		return -EISDIR;
	if (f->command && flags & O_DIRECTORY)
		return -ENOTDIR;
	return (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC ? -EROFS : 0;
}

static ssize_t bin_read_at(struct tsb_file *file, void *buf, size_t n, uint64_t offset)
{
	const char *command = ((struct bin_file *)file)->command;
	char text[sizeof(BIN_FORMAT) + 2 * (TSB_NAME_MAX + 1)];
	size_t size;
	if (!command)
		return -EISDIR;
	size = (size_t)snprintf(text, sizeof(text), BIN_FORMAT, command, command);
	if (offset >= size)
		return 0;
	if (n > size - offset)
		n = (size_t)(size - offset);
	memcpy(buf, text + offset, n);
	return (ssize_t)n;
}

static int bin_fstat(struct tsb_file *file, struct tsb_stat *st)
{
	const struct bin_file *f = (struct bin_file *)file;
	bin_stat((struct binfs *)file->fs, f->command, f->ino, st);
	return 0;
}

static ssize_t bin_readdir(struct tsb_file *file, void *buf, size_t cap)
{
	const struct binfs *fs = (struct binfs *)file->fs;
	struct bin_file *f = (struct bin_file *)file;
	size_t used = 0, size = 1, count = fs->count(fs->ctx), i = 0;
	const char *name = NULL;
	bool equal;
	if (f->command)
		return -ENOTDIR;
	if (f->last) {
		i = bin_search(fs, f->last, strlen(f->last), &equal);
		i += equal;
	}
	for (; i < count; i++) {
		const char *next = fs->name(fs->ctx, i);
		size = vfs_pack((char *)buf + used, cap - used, i + 2, S_IFREG, next, strlen(next));
		if (!size)
			break;
		used += size;
		name = next;
	}
	if (name) {
		char *copy = strdup(name);
		if (!copy)
			return -ENOMEM;
		free(f->last);
		f->last = copy;
	}
	return used || size ? (ssize_t)used : -EINVAL;
}

static int bin_close(struct tsb_file *file)
{
	free(((struct bin_file *)file)->last);
	return 0;
}

static int bin_statfs(struct tsb_fs *tfs, struct tsb_statfs *out)
{
	(void)tfs;
	*out = (struct tsb_statfs){ .block_size = 4096, .name_max = TSB_NAME_MAX,
				    .type = "tmpfs" };
	return 0;
}

static void bin_free(struct tsb_fs *tfs)
{
	free(tfs);
}

static const struct tsb_fs_ops bin_ops = {
	.version = TSB_VFS_VERSION, .file_size = sizeof(struct bin_file),
	.lookup = bin_lookup, .lstat = bin_lstat, .open = bin_open, .statfs = bin_statfs,
	.read_at = bin_read_at, .fstat = bin_fstat, .readdir = bin_readdir, .close = bin_close,
	.free = bin_free, FIXED_OPS,
};

struct tsb_fs *binfs_new(binfs_name_fn *name, size_t (*count)(const void *ctx), const void *ctx,
			 struct tsb_time now)
{
	struct binfs *fs = malloc(sizeof(*fs));
	if (!fs)
		return NULL;
	*fs = (struct binfs){ { &bin_ops }, name, count, ctx, now };
	return &fs->fs;
}
