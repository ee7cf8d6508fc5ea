/*
 * Waiting for children, as waitpid(2). A child that has ended is a zombie until
 * it is waited for; one that was stopped or continued has a report that is
 * given once.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <sys/wait.h>

static bool wait_wants(const struct tsb_proc *p, const struct tsb_proc *child, int pid)
{
	if (child->state == PROC_NEW)
		return false;
	if (pid > 0)
		return child->pid == pid;
	if (pid == -1)
		return true;
	return child->pgid == (pid == 0 ? p->pgid : -pid);
}

/* The most memory that c or one it has waited for had. */
static uint64_t wait_memory(const struct tsb_proc *c)
{
	return c->memory_peak > c->children_memory_peak ? c->memory_peak : c->children_memory_peak;
}

/* The pid of a child that has something to tell; 0: not yet; -ECHILD: none. */
static int wait_look(struct tsb_proc *p, int pid, int *status, int flags)
{
	struct ring *at, *tmp;
	int result = -ECHILD;

	ring_each(at, tmp, &p->children) {
		struct tsb_proc *c = ring_item(at, struct tsb_proc, sibling);

		if (!wait_wants(p, c, pid))
			continue;
		result = 0;
		if (c->state == PROC_ZOMBIE) {
			result = c->pid;
			*status = c->status;
			p->children_ns += c->user_ns + c->children_ns;
			if (p->children_memory_peak < wait_memory(c))
				p->children_memory_peak = wait_memory(c);
			proc_free(c);
			return result;
		}
		if (c->report && flags & (c->report == 0xffff ? WCONTINUED : WUNTRACED)) {
			*status = c->report;
			c->report = 0;
			return c->pid;
		}
	}
	return result;
}

static int wait_until(struct tsb_proc *p, int pid, int *status, int flags, int64_t until)
{
	int unused;

	if (!status)
		status = &unused;
	if (pid == INT32_MIN)
		return -ESRCH;
	if (flags & ~(WNOHANG | WUNTRACED | WCONTINUED))
		return -EINVAL;
	for (;;) {
		int r = wait_look(p, pid, status, flags);

		if (r != 0 || flags & WNOHANG)
			return r;
		r = sched_block(p, &p->child_q, until, true);
		if (r == -EINTR || r == -ETIMEDOUT) {
			int ended = wait_look(p, pid, status, flags);

			return ended > 0 ? ended : r;
		}
		if (r < 0)
			return r;
	}
}

int proc_wait(struct tsb_proc *p, int pid, int *status, int flags)
{
	CALL_BEGIN(p, 16);
	return wait_until(p, pid, status, flags, TIME_NEVER);
}

int tsb_wait(struct tsb_proc *p, int pid, int *status, int flags)
{
	return proc_wait(p, pid, status, flags);
}

int tsb_wait_timeout(struct tsb_proc *p, int pid, int *status, int64_t timeout_ns)
{
	int64_t until = clock_now(p->k);
	int r;

	CALL_BEGIN(p, 16);
	if (timeout_ns < 0)
		return wait_until(p, pid, status, 0, TIME_NEVER);
	if (__builtin_add_overflow(until, timeout_ns, &until))
		until = TIME_NEVER - 1;
	r = wait_until(p, pid, status, WNOHANG, TIME_NEVER);
	if (r != 0)
		return r;
	return timeout_ns == 0 ? -ETIMEDOUT : wait_until(p, pid, status, 0, until);
}

bool proc_child_ended(struct tsb_proc *p, int pid)
{
	const struct tsb_proc *c = proc_find(p->k, pid);

	return c && c->parent == p && c->state == PROC_ZOMBIE;
}

void tsb_usage_children(struct tsb_proc *p, struct tsb_usage *out)
{
	*out = (struct tsb_usage){ .user_ns = p->children_ns,
				   .memory_peak = p->children_memory_peak };
}
