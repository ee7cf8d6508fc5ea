/*
 * Open file descriptions: what several descriptors share after dup() or fork,
 * with one offset, so that `cmd >f 2>&1` writes in order. A table of functions
 * tells pipes, files and the host's streams apart. The calls that read and
 * write through a descriptor are here.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_DESCS 256

struct desc *desc_new(struct kernel *k, const struct desc_ops *ops, int flags)
{
	struct desc *d = k->spare_descs;

	if (!kernel_charge(k, sizeof(*d)))
		return NULL;
	if (d) {
		k->spare_descs = d->next;
		k->n_spare_descs--;
	} else {
		d = malloc(sizeof(*d));
	}
	if (!d) {
		kernel_refund(k, sizeof(*d));
		return NULL;
	}
	*d = (struct desc){ .ops = ops, .refs = 1, .flags = flags, .k = k };
	return d;
}

void desc_put(struct desc *d)
{
	struct kernel *k = d->k;

	if (--d->refs)
		return;
	if (d->lock)
		lock_drop(d);
	if (d->ops->close)
		d->ops->close(d);
	kernel_refund(k, sizeof(*d));
	if (k->n_spare_descs >= SPARE_DESCS) {
		free(d);
		return;
	}
	d->next = k->spare_descs;
	k->spare_descs = d;
	k->n_spare_descs++;
}

void desc_spares_end(struct kernel *k)
{
	while (k->spare_descs) {
		struct desc *d = k->spare_descs;

		k->spare_descs = d->next;
		free(d);
	}
	k->n_spare_descs = 0;
}

/* ---- Reading and writing ---- */

static ssize_t desc_read(struct tsb_proc *p, struct desc *d, void *buf, size_t n)
{
	if (!d || !d->ops->read || (d->flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	if (!buf && n)
		return -EFAULT;
	if (n > COUNT_MAX)
		n = COUNT_MAX;
	return call_moved(p, d->ops->read(p, d, buf, n));
}

ssize_t desc_write(struct tsb_proc *p, struct desc *d, const void *buf, size_t n)
{
	if (!d || !d->ops->write || (d->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	if (!buf && n)
		return -EFAULT;
	if (n > COUNT_MAX)
		n = COUNT_MAX;
	return call_moved(p, d->ops->write(p, d, buf, n));
}

ssize_t tsb_read(struct tsb_proc *p, int fd, void *buf, size_t n)
{
	CALL_BEGIN(p, 16);
	return desc_read(p, fd_desc(p, fd), buf, n);
}

ssize_t tsb_write(struct tsb_proc *p, int fd, const void *buf, size_t n)
{
	CALL_BEGIN(p, 16);
	return desc_write(p, fd_desc(p, fd), buf, n);
}

int tsb_write_all(struct tsb_proc *p, int fd, const void *buf, size_t n)
{
	const char *at = buf;

	if (!n)
		return 0;
	while (n) {
		ssize_t r;

		p->patient = true;
		r = tsb_write(p, fd, at, n);
		p->patient = false;

		if (r < 0)
			return (int)r;
		if (r == 0)
			return -EIO;	/* no progress: a backend's mistake */
		at += r;
		n -= (size_t)r;
	}
	return 0;
}

int tsb_fstat(struct tsb_proc *p, int fd, struct tsb_stat *st)
{
	struct desc *d = fd_desc(p, fd);

	CALL_BEGIN(p, 8);
	if (!d)
		return -EBADF;
	if (!st)
		return -EFAULT;
	memset(st, 0, sizeof(*st));
	return d->ops->stat(d, st);
}

int tsb_poll_in(struct tsb_proc *p, int fd, int64_t timeout_ns)
{
	int64_t limit = TIME_NEVER;

	CALL_BEGIN(p, 16);
	if (timeout_ns > 0 && __builtin_add_overflow(clock_now(p->k), timeout_ns, &limit))
		limit = TIME_NEVER - 1;
	for (;;) {
		struct desc *d = fd_desc(p, fd);
		int64_t until = TIME_NEVER;
		struct waitq *q = NULL;
		int r;

		if (!d || ((d->flags & O_ACCMODE) == O_WRONLY && !d->pipe))
			return -EBADF;
		r = d->ops->poll_in ? d->ops->poll_in(p, d, &q, &until) : 1;
		if (r != 0)
			return r;
		if (timeout_ns == 0)
			return 0;
		r = sched_block(p, q, until < limit ? until : limit, true);
		if (r == -ETIMEDOUT && until >= limit)
			return 0;
		if (r < 0 && r != -ETIMEDOUT)
			return r;
	}
}
