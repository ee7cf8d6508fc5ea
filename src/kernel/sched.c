/*
 * The scheduler: one run queue, first come first served. A process leaves the
 * processor when it waits, when its slice of steps is used up, or when it ends;
 * it then continues the next one directly. The host's own stack runs only when
 * there is no process to run: it sleeps until a timer is due (or moves the
 * virtual clock there), and ends the run when nobody can ever wake up again.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <string.h>

void waitq_init(struct waitq *q)
{
	ring_init(&q->head);
}

void sched_ready(struct tsb_proc *p)
{
	p->state = PROC_READY;
	if (!p->stopped)
		ring_add(&p->k->runq, &p->queue);
}

void sched_forget(struct tsb_proc *p)
{
	ring_del(&p->queue);
	ring_del(&p->sleep);
}

void sched_wake(struct tsb_proc *p, int result)
{
	if (p->state != PROC_BLOCKED)
		return;
	sched_forget(p);
	p->wake_result = result;
	sched_ready(p);
}

void waitq_wake(struct waitq *q)
{
	while (!ring_empty(&q->head))
		sched_wake(ring_item(q->head.next, struct tsb_proc, queue), 0);
}

/* ---- Switching ---- */

static struct fiber *sched_next(struct kernel *k)
{
	struct tsb_proc *p;

	if (ring_empty(&k->runq) || unlikely(k->to_host)) {
		k->running = NULL;
		return &k->host;
	}
	p = ring_item(k->runq.next, struct tsb_proc, queue);
	ring_del(&p->queue);
	p->state = PROC_RUNNING;
	p->tick.left = k->tick_left;
	k->running = p;
	return &p->fiber;
}

/* p is queued, blocked or stopped: someone else runs until it is continued. */
static void sched_switch(struct tsb_proc *p)
{
	struct kernel *k = p->k;
	struct fiber *next;

	k->tick_left = p->tick.left;
	next = sched_next(k);
	if (next != &p->fiber)
		fiber_switch(&p->fiber, next);
}

void sched_leave(struct kernel *k)
{
	fiber_leave(sched_next(k));
}

/* What a process wants to be done on the host's stack, until it stays away. */
static void sched_serve(struct kernel *k)
{
	while (k->host_fn) {
		fiber_fn *fn = k->host_fn;

		k->host_fn = NULL;
		fn(k->host_arg);
		fiber_switch(&k->host, &k->running->fiber);
	}
}

void sched_on_host(struct kernel *k, fiber_fn *fn, void *arg)
{
	if (!k->running) {	/* already there */
		fn(arg);
		return;
	}
	k->host_fn = fn;
	k->host_arg = arg;
	fiber_switch(&k->running->fiber, &k->host);
}

void sched_dispatch(struct kernel *k)
{
	struct tsb_proc *p = ring_item(k->runq.next, struct tsb_proc, queue);

	ring_del(&p->queue);
	p->state = PROC_RUNNING;
	p->tick.left = k->tick_left;
	k->running = p;
	fiber_switch(&k->host, &p->fiber);
	sched_serve(k);
	k->running = NULL;
}

void sched_yield_now(struct tsb_proc *p)
{
	if (ring_empty(&p->k->runq) && !p->k->to_host)
		return;
	sched_ready(p);
	sched_switch(p);
}

void sched_hold(struct tsb_proc *p)
{
	p->state = PROC_READY;
	sched_switch(p);
}

/* ---- Waiting ---- */

static void sleepers_add(struct kernel *k, struct tsb_proc *p, int64_t until)
{
	struct ring *at = k->sleepers.prev;

	/* Sorted by time; the same time keeps the order of coming. */
	while (at != &k->sleepers && ring_item(at, struct tsb_proc, sleep)->wake_at > until)
		at = at->prev;
	p->wake_at = until;
	ring_add(at->next, &p->sleep);
}

int sched_block(struct tsb_proc *p, struct waitq *q, int64_t until, bool interruptible)
{
	if (p->canceled)
		return -ECANCELED;
	interruptible = interruptible && !p->patient;
	if (interruptible && p->pending & p->caught)
		return -EINTR;
	p->state = PROC_BLOCKED;
	p->interruptible = interruptible;
	if (q)
		ring_add(&q->head, &p->queue);
	if (until != TIME_NEVER)
		sleepers_add(p->k, p, until);
	sched_switch(p);
	return p->canceled ? -ECANCELED : p->wake_result;
}

void sched_wake_sleepers(struct kernel *k, int64_t now)
{
	while (!ring_empty(&k->sleepers)) {
		struct tsb_proc *p = ring_item(k->sleepers.next, struct tsb_proc, sleep);

		if (p->wake_at > now)
			return;
		sched_wake(p, -ETIMEDOUT);
	}
}

/* ---- The host's loop ---- */

static void sched_idle(struct kernel *k)
{
	int64_t wake, real;

	if (ring_empty(&k->sleepers) && !k->opt.io.wakes) {
		k->deadlock = true;
		kernel_stop(k, TSB_STOP_TIME, 124, NULL);
		return;
	}
	wake = ring_empty(&k->sleepers) ? TIME_NEVER :
	       ring_item(k->sleepers.next, struct tsb_proc, sleep)->wake_at;
	real = clock_real(k);
	if (kernel_check_stop(k, real))
		return;
	if (cancel_pending(k->opt.cancel)) {
		kernel_attend(k);
		return;
	}
	if (k->opt.virtual_time && wake != TIME_NEVER) {
		if (wake > k->virtual_ns)
			k->virtual_ns = wake;
		sched_wake_sleepers(k, k->virtual_ns);
		return;
	}
	if (wake > real) {
		cancel_wait(k->opt.cancel, (wake < k->deadline ? wake : k->deadline) - real);
		real = clock_real(k);
		if (kernel_check_stop(k, real))
			return;
	}
	k->last_ns = real;
	sched_wake_sleepers(k, real);
}

void sched_run(struct kernel *k)
{
	while (!k->init_ended && !k->stopping) {
		if (ring_empty(&k->runq))
			sched_idle(k);
		else
			sched_dispatch(k);
	}
}
