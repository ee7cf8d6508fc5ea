/*
 * Waiting for several descriptors at once, and for children and signals: what
 * an event loop does when it has nothing to do. All who wait so stand in one
 * queue and look again whenever a pipe changes or a child ends.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <fcntl.h>

#include "kernel/pipe.h"

enum { PIPE_ROOM = 4096 };

static int poll_out(const struct desc *d)
{
	const struct pipe *pipe = d->pipe;

	if (!pipe || (d->flags & O_ACCMODE) == O_RDONLY)
		return PROC_POLL_OUT;
	if (!pipe->readers)
		return PROC_POLL_OUT | PROC_POLL_HUP;
	return pipe->cap - pipe->n >= (pipe->cap < PIPE_ROOM ? pipe->cap : PIPE_ROOM) ? PROC_POLL_OUT : 0;
}

static int poll_one(struct tsb_proc *p, const struct proc_poll *f, int64_t *until)
{
	struct desc *d = f->fd < 0 ? NULL : fd_desc(p, f->fd);
	struct waitq *q = NULL;
	int64_t again = TIME_NEVER;
	int r = 0, in;

	if (!d)
		return PROC_POLL_BAD;
	if (f->events & PROC_POLL_OUT)
		r |= poll_out(d);
	if (!(f->events & PROC_POLL_IN))
		return r;
	in = d->ops->poll_in ? d->ops->poll_in(p, d, &q, &again) : 1;
	if (again < *until)
		*until = again;
	return r | (in ? PROC_POLL_IN : 0);
}

static int poll_all(struct tsb_proc *p, struct proc_poll *fds, size_t n, int64_t *until)
{
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		fds[i].revents = poll_one(p, &fds[i], until);
		found += fds[i].revents != 0;
	}
	return found;
}

static bool poll_child_ended(struct tsb_proc *p)
{
	struct ring *at, *tmp;

	ring_each(at, tmp, &p->children)
		if (ring_item(at, struct tsb_proc, sibling)->state == PROC_ZOMBIE)
			return true;
	return false;
}

int proc_poll(struct tsb_proc *p, struct proc_poll *fds, size_t n, int64_t timeout_ns)
{
	int64_t limit = TIME_NEVER;

	CALL_BEGIN(p, 16);
	if (timeout_ns >= 0 && __builtin_add_overflow(clock_now(p->k), timeout_ns, &limit))
		limit = TIME_NEVER - 1;
	for (;;) {
		int64_t until = limit;
		int r = poll_all(p, fds, n, &until);

		if (r || timeout_ns == 0 || poll_child_ended(p))
			return r;
		r = sched_block(p, &p->k->base->poll_q, until, true);
		if (r == -EINTR || (r == -ETIMEDOUT && until >= limit))
			return 0;
		if (r < 0 && r != -ETIMEDOUT)
			return r;
	}
}

int proc_nonblock(struct tsb_proc *p, int fd, bool on)
{
	struct desc *d = fd_desc(p, fd);

	if (!d)
		return -EBADF;
	d->flags = on ? d->flags | O_NONBLOCK : d->flags & ~O_NONBLOCK;
	return 0;
}
