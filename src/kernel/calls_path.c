/*
 * The calls that take a path: each is one call of the vfs on behalf of the
 * process, from its working directory, with its umask.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int tsb_stat(struct tsb_proc *p, const char *path, struct tsb_stat *st)
{
	struct call_ctx ctx;
	int r = call_reads(p, &ctx, path);

	if (r < 0)
		return r;
	return st ? vfs_stat(&ctx.c, path, st) : -EFAULT;
}

int tsb_lstat(struct tsb_proc *p, const char *path, struct tsb_stat *st)
{
	struct call_ctx ctx;
	int r = call_reads(p, &ctx, path);

	if (r < 0)
		return r;
	return st ? vfs_lstat(&ctx.c, path, st) : -EFAULT;
}

int tsb_access(struct tsb_proc *p, const char *path, int mode)
{
	struct call_ctx ctx;
	int r = call_reads(p, &ctx, path);

	if (r < 0)
		return r;
	return mode & ~7 ? -EINVAL : vfs_access(&ctx.c, path, mode);
}

int tsb_mkdir(struct tsb_proc *p, const char *path, uint32_t mode)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, path);

	return r < 0 ? r : vfs_mkdir(&ctx.c, path, mode & 07777 & ~p->umask);
}

int tsb_mknod(struct tsb_proc *p, const char *path, uint32_t mode, uint64_t rdev)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, path);

	return r < 0 ? r : vfs_mknod(&ctx.c, path, mode & ~p->umask, rdev);
}

int tsb_symlink(struct tsb_proc *p, const char *target, const char *path)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, path);

	if (r < 0)
		return r;
	return target ? vfs_symlink(&ctx.c, target, path) : -EFAULT;
}

int tsb_link(struct tsb_proc *p, const char *from, const char *to, bool follow)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, from);

	if (r < 0)
		return r;
	return to ? vfs_link(&ctx.c, from, to, follow) : -EFAULT;
}

int tsb_rename(struct tsb_proc *p, const char *from, const char *to, unsigned flags)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, from);

	if (r < 0)
		return r;
	if (!to)
		return -EFAULT;
	if (flags & ~(unsigned)(TSB_RENAME_NOREPLACE | TSB_RENAME_EXCHANGE))
		return -EINVAL;
	return vfs_rename(&ctx.c, from, to, flags);
}

int tsb_unlink(struct tsb_proc *p, const char *path)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, path);

	return r < 0 ? r : vfs_unlink(&ctx.c, path);
}

int tsb_rmdir(struct tsb_proc *p, const char *path)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, path);

	return r < 0 ? r : vfs_rmdir(&ctx.c, path);
}

ssize_t tsb_readlink(struct tsb_proc *p, const char *path, char *buf, size_t cap)
{
	struct call_ctx ctx;
	int r = call_reads(p, &ctx, path);

	if (r < 0)
		return r;
	if (!cap)
		return -EINVAL;
	return buf ? vfs_readlink(&ctx.c, path, buf, cap) : -EFAULT;
}

int tsb_setattr(struct tsb_proc *p, const char *path, const struct tsb_setattr *set, bool follow)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, path);

	if (r < 0)
		return r;
	return set ? vfs_setattr(&ctx.c, path, set, follow) : -EFAULT;
}

int tsb_truncate(struct tsb_proc *p, const char *path, uint64_t size)
{
	struct call_ctx ctx;
	int r = call_writes(p, &ctx, path);

	if (r < 0)
		return r;
	return size > INT64_MAX ? -EINVAL : vfs_truncate(&ctx.c, path, size);
}

int tsb_statfs(struct tsb_proc *p, const char *path, struct tsb_statfs *out)
{
	struct call_ctx ctx;
	int r = call_reads(p, &ctx, path);

	if (r < 0)
		return r;
	return out ? vfs_statfs(&ctx.c, path, out) : -EFAULT;
}

const char *tsb_mount_of(struct tsb_proc *p, const char *path)
{
	const char *at = NULL;
	struct call_ctx ctx;

	if (call_reads(p, &ctx, path) < 0 || vfs_mount_of(&ctx.c, path, &at) < 0)
		return NULL;
	return at;
}

const char *tsb_getcwd(struct tsb_proc *p)
{
	return p->cwd->path;
}

int tsb_chdir(struct tsb_proc *p, const char *path)
{
	struct call_ctx ctx;
	const char *clean;
	struct cwd *c;
	int r = call_reads(p, &ctx, path);

	if (r < 0)
		return r;
	r = vfs_chdir(&ctx.c, path, &clean);
	if (r < 0)
		return r;
	c = cwd_make(p->k, clean);
	if (!c)
		return -ENOMEM;
	cwd_put(p->k, p->cwd);
	p->cwd = c;
	return 0;
}

uint32_t tsb_umask(struct tsb_proc *p, uint32_t mask)
{
	uint32_t old = p->umask;

	p->umask = mask & 0777;
	return old;
}

int tsb_realpath(struct tsb_proc *p, const char *path, int missing, char **out)
{
	struct call_ctx ctx;
	const char *clean;
	int r = call_reads(p, &ctx, path);

	if (r < 0)
		return r;
	if (!out)
		return -EFAULT;
	r = vfs_realpath(&ctx.c, path, missing, &clean);
	if (r < 0)
		return r;
	*out = tsb_strdup(p, clean);
	return 0;
}
