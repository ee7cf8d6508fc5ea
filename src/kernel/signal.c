/*
 * Signals. There are no handlers: a signal is ignored, ends or stops its
 * process by Linux's table, or is kept pending for a shell that catches it and
 * asks with proc_take_signal(). To a process that does not run it is done at
 * once, for nothing there has to be undone; waiting for a better moment is only
 * needed for the caught ones, which end a waiting call with -EINTR.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#define STOP_SIGNALS (SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | \
		      SIGNAL_BIT(SIGTTOU))
#define QUIET_SIGNALS (SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH) | \
		       SIGNAL_BIT(SIGCONT))

/* ---- Stopping and continuing ---- */

/* For those who wait; SIGCHLD is of ends only, as with SA_NOCLDSTOP. */
static void signal_report(struct tsb_proc *p, int report)
{
	p->report = report;
	if (p->parent)
		waitq_wake(&p->parent->child_q);
}

static void signal_stop(struct tsb_proc *p, int sig)
{
	if (p->stopped)
		return;
	p->stopped = true;
	signal_report(p, (sig << 8) | 0x7f);
	if (p->state == PROC_READY)
		ring_del(&p->queue);
	else if (p->state == PROC_RUNNING && p == p->k->running)
		sched_hold(p);
}

/*
 * Whether nobody could continue the group: no member has a parent in the session that is of another group (a shell). What
 * a terminal stops is not stopped then, as on Linux.
 */
bool signal_is_orphaned(const struct tsb_proc *of)
{
	struct ring *at, *tmp;

	each_peer(peer, of->k) {
		ring_each(at, tmp, &peer->procs) {
			const struct tsb_proc *p = ring_item(at, struct tsb_proc, all), *parent = p->parent;

			if (p->pgid == of->pgid && p->state != PROC_ZOMBIE && parent && parent->pgid != p->pgid &&
			    parent->sid == p->sid)
				return false;
		}
	}
	return true;
}

void signal_continue(struct tsb_proc *p)
{
	if (!p->stopped)
		return;
	p->stopped = false;
	if (p->state == PROC_READY)
		ring_add(&p->k->runq, &p->queue);
}

/* False: one of the signals that came while it was stopped has ended it. */
static bool signal_resume(struct tsb_proc *p)
{
	p->pending &= ~STOP_SIGNALS;
	if (!p->stopped)
		return true;
	signal_continue(p);
	signal_report(p, 0xffff);
	return signal_deliver(p);
}

/* ---- Delivering ---- */

static void signal_kill(struct tsb_proc *p, int status)
{
	if (p == p->k->running) {
		proc_die(p, status);
		return;
	}
	if (!p->no_drop) {
		proc_end(p, status);
		return;
	}
	if (!p->canceled) {
		p->canceled = true;
		p->status = status;
	}
	signal_continue(p);
	sched_wake(p, -ECANCELED);
}

static void signal_caught(struct tsb_proc *p, uint64_t bit)
{
	p->pending |= bit;
	if (p->state == PROC_BLOCKED && p->interruptible)
		sched_wake(p, -EINTR);
}

void signal_send(struct tsb_proc *p, int sig)
{
	uint64_t bit;

	if (p->state == PROC_ZOMBIE || sig < 1 || sig > N_SIGNALS)
		return;
	bit = SIGNAL_BIT(sig);
	if (p->state == PROC_NEW) {
		p->pending |= bit;
		return;
	}
	if (sig == SIGKILL) {
		signal_kill(p, SIGKILL);
		return;
	}
	if (sig == SIGCONT && !signal_resume(p))
		return;
	if (sig != SIGSTOP && p->ignored & bit)
		return;
	if (p->caught & bit)
		signal_caught(p, bit);
	else if (QUIET_SIGNALS & bit)
		return;
	else if (p->stopped)
		p->pending |= bit;
	else if (STOP_SIGNALS & bit && (sig == SIGSTOP || !signal_is_orphaned(p)))
		signal_stop(p, sig);
	else if (!(STOP_SIGNALS & bit))
		signal_kill(p, sig);	/* no core: as with `ulimit -c 0`, the usual */
}

bool signal_deliver(struct tsb_proc *p)
{
	struct kernel *k = p->k;
	int pid = p->pid;

	/* It may be gone altogether after any of them. */
	while (proc_find(k, pid) == p && p->state != PROC_ZOMBIE) {
		uint64_t waiting = p->pending & ~p->caught;
		int sig;

		if (!waiting || p->stopped)
			return true;
		sig = __builtin_ctzll(waiting) + 1;
		p->pending &= ~SIGNAL_BIT(sig);
		signal_send(p, sig);
	}
	return false;
}

int signal_broken_pipe(struct tsb_proc *p)
{
	signal_send(p, SIGPIPE);
	return p->canceled ? -ECANCELED : -EPIPE;
}

void signal_reset_caught(struct tsb_proc *p)
{
	p->pending &= ~p->caught;
	p->caught = 0;
}

/* ---- Calls ---- */

static int kill_one(struct tsb_proc *p, int pid, int sig)
{
	struct tsb_proc *to = proc_find(p->k, pid);

	if (!to)
		return -ESRCH;
	if (sig && !(to == p->k->init && p->k->opt.init_reaps))
		signal_send(to, sig);
	return p->canceled ? -ECANCELED : 0;
}

/* The process with the least pid above `after` that is wanted; NULL: none. */
static struct tsb_proc *next_by_pid(struct kernel *k, int after,
				    bool (*wants)(const struct tsb_proc *to, const void *of), const void *of)
{
	struct tsb_proc *to = NULL;
	struct ring *at, *tmp;

	each_peer(peer, k) {
		ring_each(at, tmp, &peer->procs) {
			struct tsb_proc *q = ring_item(at, struct tsb_proc, all);

			if (q->pid > after && wants(q, of) && (!to || q->pid < to->pid))
				to = q;
		}
	}
	return to;
}

struct kill_of {
	const struct tsb_proc *caller;
	int pgid;
};

static bool kill_wants(const struct tsb_proc *to, const void *of)
{
	const struct kill_of *kill = of;

	if (to->state == PROC_NEW)
		return false;
	if (kill->pgid == -1)	/* all but the caller and the first process */
		return to != kill->caller && to != to->k->init;
	return to->pgid == kill->pgid;
}

/* One after the other by number, for each may end others with it. The caller
 * comes last. */
static int kill_many(struct tsb_proc *p, int pgid, int sig)
{
	const struct kill_of of = { p, pgid };
	bool found = false, self = false;
	int after = 0;

	for (;;) {
		struct tsb_proc *to = next_by_pid(p->k, after, kill_wants, &of);

		if (!to)
			break;
		found = true;
		after = to->pid;
		if (to == p)
			self = true;
		else if (sig)
			signal_send(to, sig);
	}
	if (self && sig)
		signal_send(p, sig);
	return p->canceled ? -ECANCELED : found ? 0 : -ESRCH;
}

struct outside {
	const struct kernel *k;
	bool all;
};

static bool outside_wants(const struct tsb_proc *to, const void *of)
{
	const struct outside *o = of;

	if (to->k != o->k || to->state == PROC_NEW || to->state == PROC_ZOMBIE)
		return false;
	return o->all ? to != to->k->init : to->pgid == to->k->front;
}

void signal_from_outside(struct kernel *k, bool all, int sig)
{
	const struct outside of = { k, all };
	struct tsb_proc *self = NULL;
	int after = 0;

	for (;;) {
		struct tsb_proc *to = next_by_pid(k, after, outside_wants, &of);

		if (!to)
			break;
		after = to->pid;
		if (to == k->running)
			self = to;
		else
			signal_send(to, sig);
	}
	if (self && self == k->running)
		signal_send(self, sig);
}

int tsb_kill(struct tsb_proc *p, int pid, int sig)
{
	CALL_BEGIN(p, 16);
	if (sig < 0 || sig > N_SIGNALS)
		return -EINVAL;
	if (pid > 0)
		return kill_one(p, pid, sig);
	if (pid == 0)
		return kill_many(p, p->pgid, sig);
	if (pid == -1)
		return kill_many(p, -1, sig);
	return pid == INT32_MIN ? -ESRCH : kill_many(p, -pid, sig);
}

bool proc_ignores(const struct tsb_proc *p, int sig)
{
	return sig > 0 && sig <= N_SIGNALS && p->ignored & SIGNAL_BIT(sig);
}

int proc_signal(struct tsb_proc *p, int sig, int disposition)
{
	uint64_t bit;
	int old;

	if (sig < 1 || sig > N_SIGNALS || disposition < 0 || disposition > PROC_SIG_CATCH)
		return -EINVAL;
	bit = SIGNAL_BIT(sig);
	old = p->ignored & bit ? PROC_SIG_IGNORE : p->caught & bit ? PROC_SIG_CATCH :
	      PROC_SIG_DEFAULT;
	if (sig == SIGKILL || sig == SIGSTOP)
		return disposition == PROC_SIG_DEFAULT ? old : -EINVAL;
	p->ignored &= ~bit;
	p->caught &= ~bit;
	if (disposition == PROC_SIG_IGNORE)
		p->ignored |= bit;
	else if (disposition == PROC_SIG_CATCH)
		p->caught |= bit;
	if (disposition != PROC_SIG_CATCH)
		p->pending &= ~bit;
	return old;
}

int tsb_signal(struct tsb_proc *p, int sig, int disposition)
{
	CALL_BEGIN(p, 1);
	return proc_signal(p, sig, disposition);
}

int tsb_take_signal(struct tsb_proc *p)
{
	CALL_BEGIN(p, 1);
	return proc_take_signal(p);
}

int proc_take_signal(struct tsb_proc *p)
{
	uint64_t ready = p->pending & p->caught;
	int sig;

	if (!ready)
		return 0;
	sig = __builtin_ctzll(ready) + 1;
	p->pending &= ~SIGNAL_BIT(sig);
	return sig;
}
