/*
 * A filesystem over a filesystem. Each function asks the shim's function first and
 * then calls the one below. The table of functions is a copy per shim, because
 * what the one below lacks must be missing here too.
 */
#include "vfs/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct shim {
	struct tsb_fs fs;
	struct tsb_fs_ops ops;
	struct tsb_fs *below;
	shim_fn *fn;
	void *ctx;
};

/* The file object below follows ours. */
struct shim_file {
	struct tsb_file f;
	_Alignas(16) char below[];
};

static struct shim *shim_of(struct tsb_fs *fs)
{
	return (struct shim *)fs;
}

static struct tsb_file *shim_below(struct tsb_file *f)
{
	return (struct tsb_file *)(void *)((struct shim_file *)f)->below;
}

static int shim_ask(struct tsb_fs *fs, const char *name, const char *path)
{
	struct shim *s = shim_of(fs);
	return s->fn ? s->fn(s->ctx, name, path) : 0;
}

#define ASK(fs, name, path) do { \
	int ask_ = shim_ask(fs, name, path); \
	if (ask_ < 0) \
		return ask_; \
} while (0)
#define BELOW(s, call) shim_of(s)->below->ops->call
#define FS(s) shim_of(s)->below

static int shim_lookup(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		       size_t *len, struct tsb_stat *st)
{
	ASK(fs, "lookup", path);
	return BELOW(fs, lookup)(FS(fs), who, path, len, st);
}

static int shim_lstat(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		      struct tsb_stat *st)
{
	ASK(fs, "lstat", path);
	return BELOW(fs, lstat)(FS(fs), who, path, st);
}

static ssize_t shim_readlink(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
			     char *buf, size_t cap)
{
	ASK(fs, "readlink", path);
	return BELOW(fs, readlink)(FS(fs), who, path, buf, cap);
}

static int shim_open(struct tsb_fs *fs, const struct tsb_caller *who, const char *path, int flags,
		     uint32_t mode, struct tsb_file *file)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
	struct tsb_file *f = shim_below(file);
	ASK(fs, writes ? "open_write" : "open", path);
	*f = (struct tsb_file){ FS(fs)->ops, FS(fs), file->flags };
	return BELOW(fs, open)(FS(fs), who, path, flags, mode, f);
}

static int shim_mkdir(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		      uint32_t mode)
{
	ASK(fs, "mkdir", path);
	return BELOW(fs, mkdir)(FS(fs), who, path, mode);
}

static int shim_mknod(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
		      uint32_t mode, uint64_t rdev)
{
	ASK(fs, "mknod", path);
	return BELOW(fs, mknod)(FS(fs), who, path, mode, rdev);
}

static int shim_symlink(struct tsb_fs *fs, const struct tsb_caller *who, const char *target,
			const char *path)
{
	ASK(fs, "symlink", path);
	return BELOW(fs, symlink)(FS(fs), who, target, path);
}

static int shim_link(struct tsb_fs *fs, const struct tsb_caller *who, const char *from,
		     const char *to)
{
	ASK(fs, "link", to);
	return BELOW(fs, link)(FS(fs), who, from, to);
}

static int shim_rename(struct tsb_fs *fs, const struct tsb_caller *who, const char *from,
		       const char *to, unsigned flags)
{
	ASK(fs, "rename", from);
	return BELOW(fs, rename)(FS(fs), who, from, to, flags);
}

static int shim_unlink(struct tsb_fs *fs, const struct tsb_caller *who, const char *path)
{
	ASK(fs, "unlink", path);
	return BELOW(fs, unlink)(FS(fs), who, path);
}

static int shim_rmdir(struct tsb_fs *fs, const struct tsb_caller *who, const char *path)
{
	ASK(fs, "rmdir", path);
	return BELOW(fs, rmdir)(FS(fs), who, path);
}

static int shim_setattr(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
			const struct tsb_setattr *set)
{
	ASK(fs, "setattr", path);
	return BELOW(fs, setattr)(FS(fs), who, path, set);
}

static int shim_statfs(struct tsb_fs *fs, struct tsb_statfs *out)
{
	ASK(fs, "statfs", NULL);
	return BELOW(fs, statfs)(FS(fs), out);
}

static ssize_t shim_read_at(struct tsb_file *file, void *buf, size_t n, uint64_t offset)
{
	ASK(file->fs, "read_at", NULL);
	return BELOW(file->fs, read_at)(shim_below(file), buf, n, offset);
}

static ssize_t shim_write_at(struct tsb_file *file, const struct tsb_caller *who, const void *buf,
			     size_t n, uint64_t offset)
{
	ASK(file->fs, "write_at", NULL);
	return BELOW(file->fs, write_at)(shim_below(file), who, buf, n, offset);
}

static int shim_truncate(struct tsb_file *file, const struct tsb_caller *who, uint64_t size)
{
	ASK(file->fs, "truncate", NULL);
	return BELOW(file->fs, truncate)(shim_below(file), who, size);
}

static int shim_fstat(struct tsb_file *file, struct tsb_stat *st)
{
	ASK(file->fs, "fstat", NULL);
	return BELOW(file->fs, fstat)(shim_below(file), st);
}

static int shim_fsetattr(struct tsb_file *file, const struct tsb_caller *who,
			 const struct tsb_setattr *set)
{
	ASK(file->fs, "fsetattr", NULL);
	return BELOW(file->fs, fsetattr)(shim_below(file), who, set);
}

static int shim_sync(struct tsb_file *file)
{
	ASK(file->fs, "sync", NULL);
	return BELOW(file->fs, sync)(shim_below(file));
}

static ssize_t shim_readdir(struct tsb_file *file, void *buf, size_t cap)
{
	ASK(file->fs, "readdir", NULL);
	return BELOW(file->fs, readdir)(shim_below(file), buf, cap);
}

/* A close is only shown: the file is closed whatever the function says, but its
 * error is given (as a late write's would be). */
static int shim_close(struct tsb_file *file)
{
	int asked = shim_ask(file->fs, "close", NULL);
	int rc = BELOW(file->fs, close)(shim_below(file));
	return asked < 0 ? asked : rc;
}

static int shim_branch(struct tsb_fs *fs, struct tsb_fs **out)
{
	struct tsb_fs *below;
	int rc;
	ASK(fs, "branch", NULL);
	rc = BELOW(fs, branch)(FS(fs), &below);
	if (rc)
		return rc;
	*out = shim_new(below, shim_of(fs)->fn, shim_of(fs)->ctx);
	if (*out)
		return 0;
	tsb_fs_free(below);
	return -ENOMEM;
}

static int shim_restore(struct tsb_fs *fs, struct tsb_fs *from)
{
	ASK(fs, "restore", NULL);
	return BELOW(fs, restore)(FS(fs), FS(from));
}

static void shim_free(struct tsb_fs *fs)
{
	tsb_fs_free(FS(fs));
	free(fs);
}

static const struct tsb_fs_ops shim_ops = {
	.version = TSB_VFS_VERSION, .lookup = shim_lookup, .lstat = shim_lstat,
	.readlink = shim_readlink, .open = shim_open, .mkdir = shim_mkdir, .mknod = shim_mknod,
	.symlink = shim_symlink, .link = shim_link, .rename = shim_rename, .unlink = shim_unlink,
	.rmdir = shim_rmdir, .setattr = shim_setattr, .statfs = shim_statfs,
	.read_at = shim_read_at, .write_at = shim_write_at, .truncate = shim_truncate,
	.fstat = shim_fstat, .fsetattr = shim_fsetattr, .sync = shim_sync,
	.readdir = shim_readdir, .close = shim_close, .branch = shim_branch,
	.restore = shim_restore, .free = shim_free,
};

/* Takes out what the one below has not. */
static void shim_trim(struct tsb_fs_ops *ops, const struct tsb_fs_ops *below)
{
#define TRIM(name) if (!below->name) ops->name = NULL
	TRIM(lookup); TRIM(lstat); TRIM(readlink); TRIM(open); TRIM(mkdir); TRIM(mknod);
	TRIM(symlink); TRIM(link); TRIM(rename); TRIM(unlink); TRIM(rmdir); TRIM(setattr);
	TRIM(statfs); TRIM(read_at); TRIM(write_at); TRIM(truncate); TRIM(fstat); TRIM(fsetattr);
	TRIM(sync); TRIM(readdir); TRIM(close); TRIM(branch); TRIM(restore);
#undef TRIM
}

struct tsb_fs *shim_new(struct tsb_fs *below, shim_fn *fn, void *ctx)
{
	struct shim *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	*s = (struct shim){ { NULL }, shim_ops, below, fn, ctx };
	shim_trim(&s->ops, below->ops);
	s->ops.file_size = sizeof(struct shim_file) + below->ops->file_size;
	s->fs.ops = &s->ops;
	return &s->fs;
}

/* ---- What a shim may do ---- */

int shim_fault(void *fault, const char *name, const char *path)
{
	struct shim_fault *f = fault;
	(void)name, (void)path;
	return ++f->calls == f->nth ? -f->error : 0;
}

int shim_read_only(void *ctx, const char *name, const char *path)
{
	static const char *const changes[] = {
		"open_write", "mkdir", "mknod", "symlink", "link", "rename", "unlink", "rmdir",
		"setattr", "write_at", "truncate", "fsetattr", "restore",
	};
	(void)ctx, (void)path;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (!strcmp(name, changes[i]))
			return -EROFS;
	return 0;
}
