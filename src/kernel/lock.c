/*
 * Advisory locks, as flock(2): they belong to an open file description and end
 * with it. A description that has one stands in the kernel's ring; who waits
 * looks again whenever any lock is given back.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <sys/file.h>

static bool lock_same_file(const struct desc *a, const struct desc *b)
{
	if (a->file && b->file)
		return a->file->dev == b->file->dev && a->file->ino == b->file->ino;
	return !a->file && !b->file && a->pipe && a->pipe == b->pipe;
}

static bool lock_conflicts(struct kernel *k, const struct desc *d, int kind)
{
	struct ring *at, *tmp;

	ring_each(at, tmp, &k->base->locks) {
		const struct desc *other = ring_item(at, struct desc, locked);

		if (other != d && lock_same_file(other, d) &&
		    (kind == LOCK_EX || other->lock == LOCK_EX))
			return true;
	}
	return false;
}

void lock_drop(struct desc *d)
{
	ring_del(&d->locked);
	d->lock = 0;
	waitq_wake(&d->k->base->lock_q);
}

static int lock_take(struct tsb_proc *p, struct desc *d, int kind, int64_t until)
{
	/* A lock is not changed in place: the old one goes first, as on Linux. */
	if (d->lock && d->lock != kind)
		lock_drop(d);
	if (d->lock)
		return 0;
	while (lock_conflicts(p->k, d, kind)) {
		int r = until ? sched_block(p, &p->k->base->lock_q, until, true) : -ETIMEDOUT;

		if (r < 0)
			return r == -ETIMEDOUT ? -EWOULDBLOCK : r;
	}
	d->lock = kind;
	ring_add(&p->k->base->locks, &d->locked);
	return 0;
}

int tsb_flock(struct tsb_proc *p, int fd, int operation, int64_t timeout_ns)
{
	struct desc *d = fd_desc(p, fd);
	int kind = operation & ~LOCK_NB;
	int64_t until = TIME_NEVER;

	CALL_BEGIN(p, 16);
	if (!d)
		return -EBADF;
	if (kind != LOCK_SH && kind != LOCK_EX && kind != LOCK_UN)
		return -EINVAL;
	if (kind == LOCK_UN) {
		if (d->lock)
			lock_drop(d);
		return 0;
	}
	if (operation & LOCK_NB || timeout_ns == 0)
		until = 0;
	else if (timeout_ns > 0 && __builtin_add_overflow(clock_now(p->k), timeout_ns, &until))
		until = TIME_NEVER - 1;
	return lock_take(p, d, kind, until);
}
