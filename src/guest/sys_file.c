/* Calls on open files, of h.sys(): see sys.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>

#include "guest/sys.h"
#include "kernel/kernel.h"

/* open(path, flags, mode) */
int64_t sys_open(struct guest *g, const struct guest_arg *a)
{
	char *name = sys_name(g, &a[0]);
	int64_t r;

	if (!name)
		return -EINVAL;
	r = tsb_open(g->p, name, (int)a[1].number | O_CLOEXEC, (uint32_t)a[2].number);
	tsb_free(g->p, name);
	return r;
}

int64_t sys_close(struct guest *g, const struct guest_arg *a)
{
	return tsb_close(g->p, (int)a[0].number);
}

/* (fd, bytes, offset, length, position): what of the bytes is meant; NULL: not inside. */
static uint8_t *part(const struct guest_arg *a, size_t *n)
{
	int64_t offset = a[2].number, length = a[3].number;

	if (offset < 0 || length < 0 || offset > a[1].n || length > a[1].n - offset)
		return NULL;
	*n = (size_t)length;
	return a[1].at ? a[1].at + offset : NULL;
}

int64_t sys_read(struct guest *g, const struct guest_arg *a)
{
	size_t n;
	uint8_t *at = part(a, &n);

	if (!at)
		return -EINVAL;
	if (a[4].number >= 0)
		return tsb_pread(g->p, (int)a[0].number, at, n, (uint64_t)a[4].number);
	guest_charge_read(g, (int)a[0].number);
	return tsb_read(g->p, (int)a[0].number, at, n);
}

int64_t sys_write(struct guest *g, const struct guest_arg *a)
{
	size_t n;
	const uint8_t *at = part(a, &n);

	if (!at)
		return -EINVAL;
	if (a[4].number >= 0)
		return tsb_pwrite(g->p, (int)a[0].number, at, n, (uint64_t)a[4].number);
	return tsb_write(g->p, (int)a[0].number, at, n);
}

int64_t sys_ftruncate(struct guest *g, const struct guest_arg *a)
{
	return tsb_ftruncate(g->p, (int)a[0].number, (uint64_t)a[1].number);
}

int64_t sys_fsync(struct guest *g, const struct guest_arg *a)
{
	return tsb_fsync(g->p, (int)a[0].number);
}

int64_t sys_isatty(struct guest *g, const struct guest_arg *a)
{
	return tsb_isatty(g->p, (int)a[0].number);
}

/* (fd): rows and columns, 16 bits each. */
int64_t sys_tty_size(struct guest *g, const struct guest_arg *a)
{
	struct tsb_winsize size;
	int rc = tsb_get_winsize(g->p, (int)a[0].number, &size);

	return rc < 0 ? rc : (int64_t)size.rows << 16 | size.columns;
}

/* (fd, on): keys as they are typed, as libuv sets a terminal; off: as it was. */
int64_t sys_tty_raw(struct guest *g, const struct guest_arg *a)
{
	struct tsb_termios how;
	int rc = tsb_tcgetattr(g->p, (int)a[0].number, &how);

	if (rc < 0)
		return rc;
	if (!a[1].number) {
		tsb_tty_return(g->p);
		return 0;
	}
	how.iflag &= ~(uint32_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
	how.oflag |= ONLCR;
	how.cflag |= CS8;
	how.lflag &= ~(uint32_t)(ECHO | ICANON | IEXTEN | ISIG);
	how.cc[VMIN] = 1;
	how.cc[VTIME] = 0;
	return tsb_tty_borrow(g->p, (int)a[0].number, &how);
}

int64_t sys_dup(struct guest *g, const struct guest_arg *a)
{
	int fd = tsb_dup(g->p, (int)a[0].number, 3);

	if (fd >= 0)
		tsb_set_cloexec(g->p, fd, true);
	return fd;
}

/* pipe(Int32Array(2), which): bit 0 and 1 of which: that end does not wait. */
int64_t sys_pipe(struct guest *g, const struct guest_arg *a)
{
	int fd[2], r;

	if (a[0].n != sizeof(fd))
		return -EINVAL;
	r = tsb_pipe(g->p, fd);
	if (r)
		return r;
	for (int i = 0; i < 2; i++) {
		tsb_set_cloexec(g->p, fd[i], true);
		if (a[1].number & 1 << i)
			proc_nonblock(g->p, fd[i], true);
	}
	memcpy(a[0].at, fd, sizeof(fd));
	return 0;
}

/* As proc_poll(); who waits for long gives back what it can. */
static int poll_or_idle(struct guest *g, struct proc_poll *all, size_t n, int64_t ns)
{
	struct tsb_time from, now;
	int r;

	if (ns >= 0 && ns <= SYS_IDLE) {
		if (ns >= SYS_LONG)
			guest_charge(g);
		return proc_poll(g->p, all, n, ns);
	}
	from = tsb_clock(g->p, TSB_CLOCK_MONOTONIC);
	r = proc_poll(g->p, all, n, SYS_IDLE);
	now = tsb_clock(g->p, TSB_CLOCK_MONOTONIC);
	if (r || (now.sec - from.sec) * 1000000000 + now.nsec - from.nsec < SYS_IDLE)
		return r;
	guest_idle(g);
	return proc_poll(g->p, all, n, ns < 0 ? ns : ns - SYS_IDLE);
}

/* poll(Int32Array of fd, events, revents; nanoseconds) */
int64_t sys_poll(struct guest *g, const struct guest_arg *a)
{
	size_t n = a[0].n / sizeof(struct proc_poll);
	struct proc_poll *all = tsb_alloc(g->p, (n + 1) * sizeof(*all));
	int r;

	if (n)
		memcpy(all, a[0].at, n * sizeof(*all));
	r = poll_or_idle(g, all, n, a[1].number);
	if (n)
		memcpy(a[0].at, all, n * sizeof(*all));
	tsb_free(g->p, all);
	return r;
}

/* ---- Attributes ---- */

/* Node's order: see internal/sys.js. */
static int64_t stat_fill(const struct guest_arg *to, const struct tsb_stat *st)
{
	double v[18] = {
		(double)st->dev, st->mode, st->nlink, st->uid, st->gid, (double)st->rdev, st->blksize,
		(double)st->ino, (double)st->size, (double)st->blocks, (double)st->atime.sec,
		st->atime.nsec, (double)st->mtime.sec, st->mtime.nsec, (double)st->ctime.sec,
		st->ctime.nsec, (double)st->btime.sec, st->btime.nsec,
	};

	if (to->n != sizeof(v))
		return -EINVAL;
	memcpy(to->at, v, sizeof(v));
	return 0;
}

int64_t sys_fstat(struct guest *g, const struct guest_arg *a)
{
	struct tsb_stat st;
	int r = tsb_fstat(g->p, (int)a[0].number, &st);

	return r ? r : stat_fill(&a[1], &st);
}

static int64_t stat_path(struct guest *g, const struct guest_arg *a, bool follow)
{
	struct tsb_stat st;
	char *name = sys_name(g, &a[0]);
	int r;

	if (!name)
		return -EINVAL;
	r = follow ? tsb_stat(g->p, name, &st) : tsb_lstat(g->p, name, &st);
	tsb_free(g->p, name);
	return r ? r : stat_fill(&a[1], &st);
}

int64_t sys_stat(struct guest *g, const struct guest_arg *a)
{
	return stat_path(g, a, true);
}

int64_t sys_lstat(struct guest *g, const struct guest_arg *a)
{
	return stat_path(g, a, false);
}

/* (fd, mode) */
int64_t sys_fchmod(struct guest *g, const struct guest_arg *a)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = (uint32_t)a[1].number & 07777 };

	return tsb_fsetattr(g->p, (int)a[0].number, &set);
}

static struct tsb_setattr owners(const struct guest_arg *a)
{
	struct tsb_setattr set = { .uid = (uint32_t)a[0].number, .gid = (uint32_t)a[1].number };

	set.mask = (set.uid == UINT32_MAX ? 0 : (unsigned)TSB_SET_UID) |
		   (set.gid == UINT32_MAX ? 0 : (unsigned)TSB_SET_GID);
	return set;
}

/* (fd, uid, gid) */
int64_t sys_fchown(struct guest *g, const struct guest_arg *a)
{
	struct tsb_setattr set = owners(a + 1);

	return tsb_fsetattr(g->p, (int)a[0].number, &set);
}

/* Seconds and nanoseconds of both times. */
static struct tsb_setattr times(const struct guest_arg *a)
{
	return (struct tsb_setattr){
		.mask = TSB_SET_ATIME | TSB_SET_MTIME,
		.atime = { a[0].number, (int32_t)a[1].number },
		.mtime = { a[2].number, (int32_t)a[3].number },
	};
}

/* (fd, times) */
int64_t sys_futimes(struct guest *g, const struct guest_arg *a)
{
	struct tsb_setattr set = times(a + 1);

	return tsb_fsetattr(g->p, (int)a[0].number, &set);
}

static int64_t set_path(struct guest *g, const struct guest_arg *a, const struct tsb_setattr *set,
			bool follow)
{
	char *name = sys_name(g, a);
	int r;

	if (!name)
		return -EINVAL;
	r = tsb_setattr(g->p, name, set, follow);
	tsb_free(g->p, name);
	return r;
}

/* (path, mode) */
int64_t sys_chmod(struct guest *g, const struct guest_arg *a)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = (uint32_t)a[1].number & 07777 };

	return set_path(g, a, &set, true);
}

/* (path, follow, uid, gid) */
int64_t sys_chown(struct guest *g, const struct guest_arg *a)
{
	struct tsb_setattr set = owners(a + 2);

	return set_path(g, a, &set, a[1].number);
}

/* (path, follow, times) */
int64_t sys_utimes(struct guest *g, const struct guest_arg *a)
{
	struct tsb_setattr set = times(a + 2);

	return set_path(g, a, &set, a[1].number);
}
