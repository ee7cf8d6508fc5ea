/*
 * Files of the filesystem as descriptions: the offset is kept here, the rest is
 * the vfs's. Also the run's namespace, made at the first call that needs it,
 * and the opening of what has no path of its own (/dev/stdin on a pipe, a
 * deleted file behind /proc/self/fd/N).
 */
#include "kernel/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "vfs/proc.h"

#ifndef SEEK_DATA
#define SEEK_DATA 3
#define SEEK_HOLE 4
#endif

/* ---- The namespace ---- */

/* A directory was renamed: those inside go with it. */
static void file_moved(void *ctx, const char *from, const char *to)
{
	size_t from_n = strlen(from);
	struct kernel *k = ctx;
	struct ring *at, *tmp;

	each_peer(q, k) {
		ring_each(at, tmp, &q->procs) {
			struct tsb_proc *p = ring_item(at, struct tsb_proc, all);
			const char *old = p->cwd ? p->cwd->path : "";
			struct cwd *c;

			if (strncmp(old, from, from_n) || (old[from_n] && old[from_n] != '/'))
				continue;
			c = cwd_join(q, to, old + from_n);
			if (!c)
				continue;
			cwd_put(q, p->cwd);
			p->cwd = c;
		}
	}
}

/* Once a kernel. */
static bool kernel_make_space(struct kernel *k)
{
	k->procfs = procinfo_new(k);
	if (!k->procfs)
		return false;
	k->space = vfs_new_over("/proc", k->procfs);
	if (!k->space) {
		tsb_fs_free(k->procfs);
		return false;
	}
	procfs_set_vfs(k->procfs, k->space);
	vfs_on_move(k->space, file_moved, k);
	return true;
}

static struct vfs *kernel_make_vfs(struct kernel *k)
{
	if (!k->opt.vfs || (!k->space && !kernel_make_space(k)))
		return NULL;
	if (vfs_lay_over(k->space, k->opt.vfs))
		return NULL;
	procfs_begin(k->procfs, k->limits.memory_bytes, k->opt.hostname ? k->opt.hostname : "sandbox");
	k->vfs = k->space;
	return k->vfs;
}

/* NULL: no memory. */
static struct vfs *kernel_vfs(struct kernel *k)
{
	return k->vfs ? k->vfs : kernel_make_vfs(k);
}

static struct tsb_caller call_who(struct tsb_proc *p)
{
	struct kernel *k = p->k;

	return (struct tsb_caller){ k->opt.uid, k->opt.gid, (uint32_t)p->pid, clock_stamp(k) };
}

int call_reads(struct tsb_proc *p, struct call_ctx *ctx, const char *path)
{
	struct kernel *k = p->k;

	proc_tick(p, 40);
	if (unlikely(p->canceled))
		return -ECANCELED;
	if (!path)
		return -EFAULT;
	ctx->who = (struct tsb_caller){ k->opt.uid, k->opt.gid, (uint32_t)p->pid, { 0, 0 } };
	ctx->c = (struct vfs_ctx){ kernel_vfs(k), &ctx->who, p->cwd->path };
	return ctx->c.vfs ? 0 : -ENOMEM;
}

int call_writes(struct tsb_proc *p, struct call_ctx *ctx, const char *path)
{
	int r = call_reads(p, ctx, path);

	if (r == 0)
		ctx->who.now = clock_stamp(p->k);
	return r;
}

/* ---- A file as a description ---- */

/* Remembers that a quota was what made a call fail. */
static void file_denied(struct tsb_proc *p, int error)
{
	if (error == -ENOSPC || error == -EDQUOT)
		p->k->denied = "fs_bytes";
	else if (error == -EFBIG)
		p->k->denied = "file_bytes";
}

static ssize_t file_read(struct tsb_proc *p, struct desc *d, void *buf, size_t n)
{
	ssize_t r = vfs_read(d->file, buf, n, d->offset);

	(void)p;
	if (r > 0)
		d->offset += (uint64_t)r;
	return r;
}

/* A write of *n bytes at `at` under the process's own limit: fewer, or a signal. */
static int file_room(struct tsb_proc *p, const struct desc *d, uint64_t at, size_t *n)
{
	uint64_t max = proc_rlimit(p, PROC_RLIMIT_FILE_BYTES);
	struct tsb_stat st;

	if (max == UINT64_MAX || !S_ISREG(d->file->mode) || !*n)
		return 0;
	if (d->flags & O_APPEND && vfs_fstat(d->file, &st) == 0)
		at = st.size;
	if (at >= max) {
		signal_send(p, SIGXFSZ);
		return p->canceled ? -ECANCELED : -EFBIG;
	}
	if (*n > max - at)
		*n = (size_t)(max - at);
	return 0;
}

static ssize_t file_write(struct tsb_proc *p, struct desc *d, const void *buf, size_t n)
{
	struct tsb_caller who = call_who(p);
	ssize_t r = file_room(p, d, d->offset, &n);
	struct tsb_stat st;

	if (!r)
		r = vfs_write(d->file, &who, buf, n, d->offset);
	if (r < 0)
		file_denied(p, (int)r);
	if (r <= 0)
		return r;
	d->offset += (uint64_t)r;
	/* Appending writes at the end, wherever that was. */
	if (d->flags & O_APPEND && S_ISREG(d->file->mode) && vfs_fstat(d->file, &st) == 0)
		d->offset = st.size;
	return r;
}

static int file_stat(struct desc *d, struct tsb_stat *st)
{
	return vfs_fstat(d->file, st);
}

ssize_t file_link(struct desc *d, char *buf, size_t cap, bool *path)
{
	static const char deleted[] = " (deleted)";
	struct tsb_file *base = d->file->base;
	size_t n = strlen(d->file->path);
	struct tsb_stat st;

	/* Not through vfs_fstat(): the vfs is in the middle of a call here. */
	*path = !base->ops->fstat || base->ops->fstat(base, &st) < 0 || st.nlink > 0;
	memcpy(buf, d->file->path, n < cap ? n : cap);
	if (!*path) {
		for (size_t i = 0; i < sizeof(deleted) - 1 && n + i < cap; i++)
			buf[n + i] = deleted[i];
		n += sizeof(deleted) - 1;
	}
	return (ssize_t)n;
}

static void file_close(struct desc *d)
{
	if (d->origin)
		desc_put(d->origin);
	else
		vfs_close(d->file);
}

/* A file without a path is opened through the handle there is. */
static int file_reopen(struct tsb_proc *p, struct desc *d, int flags, struct desc **out)
{
	int had = d->flags & O_ACCMODE, want = flags & O_ACCMODE;
	struct tsb_caller who = call_who(p);
	struct desc *origin = d->origin ? d->origin : d;
	struct desc *fresh;

	if (had != O_RDWR && had != want)
		return -EACCES;
	if (flags & O_TRUNC && want != O_RDONLY && S_ISREG(d->file->mode)) {
		int r = vfs_ftruncate(d->file, &who, 0);

		if (r < 0)
			return r;
	}
	fresh = desc_new(d->k, d->ops, flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	if (!fresh)
		return -ENOMEM;
	fresh->file = d->file;
	fresh->origin = desc_get(origin);
	*out = fresh;
	return 0;
}

static const struct desc_ops file_ops = {
	.read = file_read, .write = file_write, .stat = file_stat, .link = file_link,
	.reopen = file_reopen, .close = file_close
};

bool file_is(const struct desc *d)
{
	return d->ops == &file_ops;
}

/* ---- Opening ---- */

/* /proc/PID/fd/N and what links there, when it is no path. */
static int file_open_magic(struct tsb_proc *p, const int magic[2], int flags, struct desc **out)
{
	struct tsb_proc *of = proc_find(p->k, magic[0]);
	struct desc *d = of ? fd_desc(of, magic[1]) : NULL;

	if (!d)
		return -ENOENT;
	if (of->k != p->k)	/* what has no path is its run's, and ends with it */
		return -EACCES;
	return d->ops->reopen ? d->ops->reopen(p, d, flags, out) : -ENXIO;
}

static bool file_is_tty(const struct call_ctx *ctx, const char *path)
{
	struct tsb_stat st;

	return !vfs_stat(&ctx->c, path, &st) && S_ISCHR(st.mode) && st.rdev == makedev(5, 0);
}

int file_open(struct tsb_proc *p, const char *path, int flags, uint32_t mode, struct desc **out)
{
	struct vfs_file *file = NULL;
	int magic[2] = { 0, -1 };
	struct call_ctx ctx;
	struct desc *d;
	int r = call_writes(p, &ctx, path);

	if (r < 0)
		return r;
	r = vfs_open(&ctx.c, path, flags, mode & 07777 & ~p->umask, &file, magic);
	if (r == -ENXIO && file_is_tty(&ctx, path))
		return terminal_open(p, flags, out);
	file_denied(p, r);
	if (r < 0)
		return r;
	if (r == VFS_MAGIC)
		return file_open_magic(p, magic, flags, out);
	if (S_ISFIFO(file->mode))
		return fifo_open(p, file, flags, out);
	d = desc_new(p->k, &file_ops, flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	if (!d) {
		vfs_close(file);
		return -ENFILE;
	}
	d->file = file;
	*out = d;
	return 0;
}

int tsb_open(struct tsb_proc *p, const char *path, int flags, uint32_t mode)
{
	struct desc *d = NULL;
	int r;

	if (!fdtab_room(p))
		return -EMFILE;
	r = file_open(p, path, flags, mode, &d);
	if (r < 0)
		return r;
	return fdtab_add(p, d, 3, flags & O_CLOEXEC);
}

/* ---- Calls on open files ---- */

static struct desc *file_of(struct tsb_proc *p, int fd, int wants, int *error)
{
	struct desc *d = fd_desc(p, fd);
	int mode = d ? d->flags & O_ACCMODE : 0;

	*error = -EBADF;
	if (!d || (wants != O_RDWR && mode != O_RDWR && mode != wants))
		return NULL;
	*error = -ESPIPE;
	return file_is(d) ? d : NULL;
}

/* The arguments of pread and pwrite: 0 and the file, or -errno. */
static int file_at(struct tsb_proc *p, int fd, int wants, const void *buf, size_t n,
		   uint64_t offset, struct desc **d)
{
	int error;

	*d = file_of(p, fd, wants, &error);
	if (!*d)
		return error;
	if (!buf && n)
		return -EFAULT;
	return offset > INT64_MAX ? -EINVAL : 0;
}

ssize_t tsb_pread(struct tsb_proc *p, int fd, void *buf, size_t n, uint64_t offset)
{
	struct desc *d;
	ssize_t r;

	CALL_BEGIN(p, 16);
	r = file_at(p, fd, O_RDONLY, buf, n, offset, &d);
	if (r)
		return r;
	return call_moved(p, vfs_read(d->file, buf, n < COUNT_MAX ? n : COUNT_MAX, offset));
}

ssize_t tsb_pwrite(struct tsb_proc *p, int fd, const void *buf, size_t n, uint64_t offset)
{
	struct tsb_caller who;
	struct desc *d;
	ssize_t r;

	CALL_BEGIN(p, 16);
	r = file_at(p, fd, O_WRONLY, buf, n, offset, &d);
	if (!r)
		r = file_room(p, d, offset, &n);
	if (r)
		return r;
	who = call_who(p);
	r = vfs_write(d->file, &who, buf, n < COUNT_MAX ? n : COUNT_MAX, offset);
	return call_moved(p, r);
}

static int64_t file_seek_data(struct desc *d, int64_t offset, int whence, uint64_t size)
{
	/* Without knowledge of holes all is data, as lseek(2) allows. */
	if (offset < 0 || (uint64_t)offset >= size)
		return -ENXIO;
	d->offset = whence == SEEK_DATA ? (uint64_t)offset : size;
	return (int64_t)d->offset;
}

int64_t tsb_lseek(struct tsb_proc *p, int fd, int64_t offset, int whence)
{
	struct tsb_stat st = { 0 };
	int64_t base = 0;
	struct desc *d;
	int error;

	CALL_BEGIN(p, 8);
	d = file_of(p, fd, O_RDWR, &error);
	if (!d)
		return error;
	if (whence != SEEK_SET && whence != SEEK_CUR && vfs_fstat(d->file, &st) < 0)
		return -EIO;
	switch (whence) {
	case SEEK_SET:
		break;
	case SEEK_CUR:
		base = (int64_t)d->offset;
		break;
	case SEEK_END:
		base = (int64_t)st.size;
		break;
	case SEEK_DATA:
	case SEEK_HOLE:
		return file_seek_data(d, offset, whence, st.size);
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(base, offset, &base))
		return -EOVERFLOW;
	if (base < 0)
		return -EINVAL;
	if (!S_ISCHR(d->file->mode))	/* a device has no place */
		d->offset = (uint64_t)base;
	return S_ISCHR(d->file->mode) ? 0 : base;
}

int tsb_ftruncate(struct tsb_proc *p, int fd, uint64_t size)
{
	struct tsb_caller who;
	struct desc *d;
	int error;

	CALL_BEGIN(p, 40);
	d = file_of(p, fd, O_WRONLY, &error);
	if (!d)
		return fd_desc(p, fd) ? -EINVAL : -EBADF;
	if (size > INT64_MAX)
		return -EINVAL;
	who = call_who(p);
	return vfs_ftruncate(d->file, &who, size);
}

int tsb_fsync(struct tsb_proc *p, int fd)
{
	struct desc *d = fd_desc(p, fd);

	CALL_BEGIN(p, 40);
	if (!d)
		return -EBADF;
	return file_is(d) ? vfs_fsync(d->file) : -EINVAL;
}

int tsb_fsetattr(struct tsb_proc *p, int fd, const struct tsb_setattr *set)
{
	struct desc *d = fd_desc(p, fd);
	struct tsb_caller who;

	CALL_BEGIN(p, 40);
	if (!d)
		return -EBADF;
	if (!set)
		return -EFAULT;
	if (!d->file)
		return 0;	/* of a pipe: nobody will see it */
	who = call_who(p);
	return vfs_fsetattr(d->file, &who, set);
}
