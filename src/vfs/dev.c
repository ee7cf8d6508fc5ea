/*
 * /dev: a table of nodes. Reading and writing are done here, so a device works
 * without the kernel's help; the links lead to /proc, which has it.
 */
#include "vfs/dev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "vfs/fixed.h"
#include "vfs/pack.h"

enum dev_kind { DEV_DIR, DEV_LINK, DEV_NULL, DEV_ZERO, DEV_FULL, DEV_RANDOM, DEV_TTY };

struct dev_node {
	const char *name;
	enum dev_kind kind;
	unsigned minor;
	const char *target;
};

static const struct dev_node dev_nodes[] = {
	{ "", DEV_DIR, 0, NULL },
	{ "fd", DEV_LINK, 0, "/proc/self/fd" },
	{ "full", DEV_FULL, 7, NULL },
	{ "null", DEV_NULL, 3, NULL },
	{ "random", DEV_RANDOM, 8, NULL },
	{ "stderr", DEV_LINK, 0, "/proc/self/fd/2" },
	{ "stdin", DEV_LINK, 0, "/proc/self/fd/0" },
	{ "stdout", DEV_LINK, 0, "/proc/self/fd/1" },
	{ "tty", DEV_TTY, 0, NULL },
	{ "urandom", DEV_RANDOM, 9, NULL },
	{ "zero", DEV_ZERO, 5, NULL },
};
#define DEV_NODES (sizeof(dev_nodes) / sizeof(dev_nodes[0]))

struct devfs {
	struct tsb_fs fs;
	devfs_random_fn *random;	/* NULL: the host's */
	void *ctx;
	struct tsb_time now;
};

struct dev_file {
	struct tsb_file f;
	const struct dev_node *node;
	size_t next;		/* readdir */
};

/* The node of a path; the kind of what is missing is in *rc. */
static const struct dev_node *dev_find(const char *path, size_t *link_n, int *rc)
{
	size_t n = strcspn(path + 1, "/");
	for (size_t i = 0; i < DEV_NODES; i++) {
		const struct dev_node *d = &dev_nodes[i];
		if (strlen(d->name) != n || memcmp(d->name, path + 1, n))
			continue;
		*rc = 0;
		if (path[1 + n]) {
			*rc = d->kind == DEV_LINK ? -ELOOP : -ENOTDIR;
			*link_n = n + 1;
		}
		return d;
	}
	*rc = -ENOENT;
	return NULL;
}

static void dev_stat(const struct devfs *fs, const struct dev_node *d, struct tsb_stat *st)
{
	static const uint32_t mode[] = {
		[DEV_DIR] = S_IFDIR | 0755, [DEV_LINK] = S_IFLNK | 0777,
		[DEV_NULL] = S_IFCHR | 0666, [DEV_ZERO] = S_IFCHR | 0666,
		[DEV_FULL] = S_IFCHR | 0666, [DEV_RANDOM] = S_IFCHR | 0666,
		[DEV_TTY] = S_IFCHR | 0666,
	};
	*st = (struct tsb_stat){
		.ino = (uint64_t)(d - dev_nodes) + 1, .mode = mode[d->kind],
		.nlink = d->kind == DEV_DIR ? 2 : 1, .blksize = 4096,
		.rdev = d->minor ? makedev(1, d->minor) : 0,
		.size = d->target ? strlen(d->target) : 0,
		.atime = fs->now, .mtime = fs->now, .ctime = fs->now, .btime = fs->now,
	};
	if (d->kind == DEV_TTY)
		st->rdev = makedev(5, 0);
	if (d->kind == DEV_DIR)
		st->size = (DEV_NODES + 1) * 20;
}

static int dev_lookup(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		      size_t *len, struct tsb_stat *st)
{
	int rc;
	const struct dev_node *d = dev_find(path, len, &rc);
	(void)who;
	if (!rc)
		dev_stat((struct devfs *)tfs, d, st);
	return rc;
}

static int dev_lstat(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		     struct tsb_stat *st)
{
	size_t len;
	int rc = dev_lookup(tfs, who, path, &len, st);
	return rc == -ELOOP ? -ENOTDIR : rc;
}

static ssize_t dev_readlink(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
			    char *buf, size_t cap)
{
	size_t len, n;
	int rc;
	const struct dev_node *d = dev_find(path, &len, &rc);
	(void)tfs, (void)who;
	if (rc)
		return rc == -ELOOP ? -ENOTDIR : rc;
	if (!d->target)
		return -EINVAL;
	n = strlen(d->target);
	memcpy(buf, d->target, n < cap ? n : cap);
	return (ssize_t)(n < cap ? n : cap);
}

static int dev_open(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path, int flags,
		    uint32_t mode, struct tsb_file *file)
{
	size_t len;
	int rc;
	const struct dev_node *d = dev_find(path, &len, &rc);
	(void)tfs, (void)who, (void)mode;
	if (rc)
		return rc == -ENOENT && flags & O_CREAT ? -EPERM : rc == -ELOOP ? -ENOTDIR : rc;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if (d->kind == DEV_LINK)
		return -ELOOP;
	if (d->kind == DEV_DIR && ((flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT))
		return -EISDIR;
	if (d->kind != DEV_DIR && flags & O_DIRECTORY)
		return -ENOTDIR;
	if (d->kind == DEV_TTY)
		return -ENXIO;
	((struct dev_file *)file)->node = d;
	return 0;
}

static ssize_t dev_random(const struct devfs *fs, char *buf, size_t n)
{
	size_t done = 0;
	if (fs->random) {
		fs->random(fs->ctx, buf, n);
		return (ssize_t)n;
	}
	while (done < n) {
		ssize_t got = getrandom(buf + done, n - done, 0);
		if (got < 0 && errno != EINTR)
			return -EIO;
		done += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)n;
}

static ssize_t dev_read_at(struct tsb_file *file, void *buf, size_t n, uint64_t offset)
{
	struct devfs *fs = (struct devfs *)file->fs;
	(void)offset;
	switch (((struct dev_file *)file)->node->kind) {
	case DEV_DIR:
		return -EISDIR;
	case DEV_ZERO:
	case DEV_FULL:
		memset(buf, 0, n);
		return (ssize_t)n;
	case DEV_RANDOM:
		return dev_random(fs, buf, n);
	default:
		return 0;
	}
}

static ssize_t dev_write_at(struct tsb_file *file, const struct tsb_caller *who, const void *buf,
			    size_t n, uint64_t offset)
{
	(void)who, (void)buf, (void)offset;
	return ((struct dev_file *)file)->node->kind == DEV_FULL && n ? -ENOSPC : (ssize_t)n;
}

static int dev_truncate(struct tsb_file *file, const struct tsb_caller *who, uint64_t size)
{
	(void)file, (void)who, (void)size;
	return -EINVAL;
}

static int dev_fstat(struct tsb_file *file, struct tsb_stat *st)
{
	dev_stat((struct devfs *)file->fs, ((struct dev_file *)file)->node, st);
	return 0;
}

static ssize_t dev_readdir(struct tsb_file *file, void *buf, size_t cap)
{
	struct dev_file *f = (struct dev_file *)file;
	size_t used = 0, size = 1;
	struct tsb_stat st;
	if (f->node->kind != DEV_DIR)
		return -ENOTDIR;
	while (size && f->next + 1 < DEV_NODES) {
		const struct dev_node *d = &dev_nodes[f->next + 1];
		dev_stat((struct devfs *)file->fs, d, &st);
		size = vfs_pack((char *)buf + used, cap - used, st.ino, st.mode & S_IFMT, d->name,
				strlen(d->name));
		used += size;
		f->next += size != 0;
	}
	return used || size ? (ssize_t)used : -EINVAL;
}

static int dev_statfs(struct tsb_fs *tfs, struct tsb_statfs *out)
{
	(void)tfs;
	*out = (struct tsb_statfs){ .block_size = 4096, .name_max = TSB_NAME_MAX,
				    .type = "devtmpfs" };
	return 0;
}

static void dev_free(struct tsb_fs *tfs)
{
	free(tfs);
}

struct tsb_fs *devfs_new(devfs_random_fn *fn, void *ctx, struct tsb_time now)
{
	static const struct tsb_fs_ops ops = {
		.version = TSB_VFS_VERSION, .file_size = sizeof(struct dev_file),
		.lookup = dev_lookup, .lstat = dev_lstat, .readlink = dev_readlink,
		.open = dev_open, .statfs = dev_statfs, .read_at = dev_read_at,
		.write_at = dev_write_at, .truncate = dev_truncate, .fstat = dev_fstat,
		.readdir = dev_readdir, .free = dev_free, FIXED_OPS,
	};
	struct devfs *fs = malloc(sizeof(*fs));
	if (!fs)
		return NULL;
	*fs = (struct devfs){ { &ops }, fn, ctx, now };
	return &fs->fs;
}
