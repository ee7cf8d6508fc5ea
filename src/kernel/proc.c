/*
 * Processes: fork, start, end, reap. A process that ends gives everything back
 * at once, whoever runs at that moment: its heap goes in one call, so nothing
 * looks at what it was doing. What remains is a zombie of a few words for its
 * parent to wait for; one without a parent is gone at once.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_PROCS 64

struct kernel *proc_kernel(struct tsb_proc *p)
{
	return p->k;
}

const void *proc_offers(struct tsb_proc *p)
{
	return p->k->opt.offers;
}

/* ---- Numbers ---- */

static struct tsb_proc **pid_bucket(struct kernel *k, int pid)
{
	return &k->pids[(unsigned)pid % PID_BUCKETS];
}

struct tsb_proc *proc_find(struct kernel *k, int pid)
{
	each_peer(q, k) {
		struct tsb_proc *p = *pid_bucket(q, pid);

		while (p && p->pid != pid)
			p = p->pid_next;
		if (p)
			return p;
	}
	return NULL;
}

/* A group's number is not given to a process while the group has members. */
static bool pid_used(struct kernel *k, int pid)
{
	struct ring *at, *tmp;

	each_peer(q, k) {
		ring_each(at, tmp, &q->procs) {
			struct tsb_proc *p = ring_item(at, struct tsb_proc, all);

			if (p->pid == pid || p->pgid == pid)
				return true;
		}
	}
	return false;
}

/* The first of a run is 1; the others have no number that another run of the sandbox has. */
static void pid_skip_shared(struct kernel *k)
{
	struct kernel_share *share = k->opt.share;
	uint32_t n;

	if (!share || !k->last_pid)
		return;
	n = __atomic_fetch_add(&share->last_pid, 1, __ATOMIC_RELAXED);
	k->pids_again |= n >= PIDS_MAX - 2;
	k->last_pid = (int)(n % (PIDS_MAX - 2)) + 1;
}

static void pid_assign(struct tsb_proc *p)
{
	struct kernel *k = p->k;
	struct tsb_proc **bucket;

	do {
		pid_skip_shared(k);
		k->last_pid++;
		if (k->last_pid >= PIDS_MAX) {
			k->last_pid = 300;
			k->pids_again = true;
		}
	} while (k->pids_again && pid_used(k, k->last_pid));
	p->pid = k->last_pid;
	bucket = pid_bucket(k, p->pid);
	p->pid_next = *bucket;
	*bucket = p;
}

static void pid_release(struct tsb_proc *p)
{
	struct tsb_proc **at = pid_bucket(p->k, p->pid);

	while (*at != p)
		at = &(*at)->pid_next;
	*at = p->pid_next;
}

/* ---- Making ---- */

static struct tsb_proc *proc_alloc(struct kernel *k)
{
	struct tsb_proc *p = k->spare_procs;

	if (!kernel_charge(k, sizeof(*p)))
		return NULL;
	if (p) {
		k->spare_procs = p->pid_next;
		k->n_spare_procs--;
	} else {
		p = malloc(sizeof(*p));
	}
	if (!p)
		kernel_refund(k, sizeof(*p));
	return p;
}

static void proc_give_back(struct kernel *k, struct tsb_proc *p)
{
	kernel_refund(k, sizeof(*p));
	if (k->n_spare_procs >= SPARE_PROCS) {
		free(p);
		return;
	}
	p->pid_next = k->spare_procs;
	k->spare_procs = p;
	k->n_spare_procs++;
}

void proc_spares_end(struct kernel *k)
{
	while (k->spare_procs) {
		struct tsb_proc *p = k->spare_procs;

		k->spare_procs = p->pid_next;
		free(p);
	}
	k->n_spare_procs = 0;
}

static void proc_clear(struct tsb_proc *p, struct kernel *k)
{
	/* The slots of the first descriptors are set by fdtab_init(). */
	memset(p, 0, offsetof(struct tsb_proc, fds));
	memset((char *)p + offsetof(struct tsb_proc, opening), 0,
	       sizeof(*p) - offsetof(struct tsb_proc, opening));
	p->k = k;
	p->state = PROC_NEW;
	p->record = NO_RECORD;
	ring_init(&p->queue);
	ring_init(&p->sleep);
	ring_init(&p->children);
	ring_init(&p->sibling);
	ring_init(&p->dirs);
	waitq_init(&p->child_q);
	fdtab_init(&p->fds);
}

/* What a child has from its parent. */
static int proc_inherit(struct tsb_proc *p, struct tsb_proc *parent)
{
	int r = fdtab_copy(&p->fds, &parent->fds);

	if (r < 0)
		return r;
	p->parent = parent;
	p->pgid = parent->pgid;
	p->sid = parent->sid;
	p->nice = parent->nice;
	p->umask = parent->umask;
	memcpy(p->rlimits, parent->rlimits, sizeof(p->rlimits));
	p->cwd = parent->cwd;
	p->cwd->refs++;
	p->env = parent->env;
	p->env->refs++;
	p->ignored = parent->ignored;
	memcpy(p->comm, parent->comm, sizeof(p->comm));
	ring_add(&parent->children, &p->sibling);
	return 0;
}

struct tsb_proc *proc_make(struct kernel *k, struct tsb_proc *parent)
{
	struct tsb_proc *p = proc_alloc(k);

	if (!p)
		return NULL;
	proc_clear(p, k);
	if (parent && proc_inherit(p, parent) < 0) {
		proc_give_back(k, p);
		return NULL;
	}
	if (parent && k->opt.share) {
		p->shared_count = true;
		__atomic_fetch_add(&k->opt.share->processes, 1, __ATOMIC_RELAXED);
	}
	pid_assign(p);
	ring_add(&k->procs, &p->all);
	k->n_procs++;
	return p;
}

static bool proc_full(const struct kernel *k)
{
	const struct kernel_share *s = k->opt.share;

	return k->n_procs >= k->limits.processes ||
	       (s && __atomic_load_n(&s->processes, __ATOMIC_RELAXED) >= s->processes_max);
}

int proc_fork(struct tsb_proc *parent, struct tsb_proc **child)
{
	struct kernel *k = parent->k;
	struct tsb_proc *p;

	CALL_BEGIN(parent, 32);
	if (proc_full(k)) {
		k->denied = "processes";
		return -EAGAIN;
	}
	p = proc_make(k, parent);
	if (!p)
		return -ENOMEM;
	p->heap = p->main_heap = heap_new(&k->budget, k->pool, kernel_oom, k);
	if (!p->heap) {
		proc_abandon(p);
		return -ENOMEM;
	}
	*child = p;
	return 0;
}

void proc_abandon(struct tsb_proc *child)
{
	/* It was never there: nobody waits for it, no record, no signal. */
	if (child->parent) {
		ring_del(&child->sibling);
		child->parent = NULL;
	}
	proc_end(child, 0);
}

/* ---- Starting ---- */

static void proc_begin(void *arg)
{
	struct tsb_proc *p = arg;
	int status = p->main(p, p->arg);

	p->no_drop = 0;		/* no embedder's function is left */
	for (;;)
		proc_die(p, (status & 0xff) << 8);
}

void proc_start(struct tsb_proc *p, proc_main_fn *main, void *arg)
{
	struct kernel *k = p->k;

	p->main = main;
	p->arg = arg;
	p->stack = stack_take(&k->stacks);
	if (!p->stack) {
		static const char why[] = "tinysandbox: the host has no memory for one more process\n";

		if (!k->limit_told)
			hostio_tell(k, why, sizeof(why) - 1);
		k->limit_told = true;
		proc_end(p, SIGKILL);
		return;
	}
	fiber_make(&p->fiber, p->stack, proc_begin, p);
	if (!p->start_ns)
		p->start_ns = k->opt.virtual_time ? k->virtual_ns : k->last_ns;
	sched_ready(p);
	if (unlikely(p->pending))
		signal_deliver(p);
}

/* ---- Ending ---- */

static void proc_run_hooks(struct tsb_proc *p)
{
	while (p->hooks) {
		struct end_hook *h = p->hooks;

		p->hooks = h->next;
		h->fn(h->arg);
		if (p->heap_borrowed)
			heap_free(p->main_heap, h);
	}
}

static bool proc_has_reaper(const struct tsb_proc *p)
{
	const struct kernel *k = p->k;

	return k->opt.init_reaps && !k->dropping && k->init && p != k->init &&
	       k->init->state != PROC_ZOMBIE;
}

static void proc_give_to_init(struct tsb_proc *c)
{
	struct tsb_proc *init = c->k->init;

	c->parent = init;
	ring_add(&init->children, &c->sibling);
	if (c->state == PROC_ZOMBIE)
		waitq_wake(&init->child_q);
}

static void proc_leave_children(struct tsb_proc *p)
{
	struct ring *at, *tmp;

	ring_each(at, tmp, &p->children) {
		struct tsb_proc *c = ring_item(at, struct tsb_proc, sibling);

		ring_del(&c->sibling);
		c->parent = NULL;
		if (c->state == PROC_NEW)
			proc_end(c, SIGKILL);
		else if (proc_has_reaper(p))
			proc_give_to_init(c);
		else if (c->state == PROC_ZOMBIE)
			proc_free(c);
	}
}

void proc_note_memory(struct tsb_proc *p)
{
	uint64_t used = p->main_heap ? heap_used(p->main_heap) : 0;

	if (p->memory_peak < used)
		p->memory_peak = used;
}

static void proc_give_memory(struct tsb_proc *p)
{
	struct kernel *k = p->k;

	proc_note_memory(p);

	if (p->heap && p->heap != p->main_heap)
		heap_end(p->heap);
	if (p->heap_borrowed)
		heap_free(p->main_heap, p->out.buf);
	else
		heap_end(p->main_heap);
	heap_end(p->next_heap);
	p->heap = p->main_heap = p->next_heap = NULL;
	p->argv = NULL;
	p->argc = 0;
	p->name = p->exe = NULL;
	p->out.buf = NULL;
	if (p->stack)
		stack_give(&k->stacks, p->stack);
	p->stack = NULL;
}

/* Tells the parent, or is gone at once when there is none to tell. */
static void proc_report_end(struct tsb_proc *p)
{
	struct tsb_proc *parent = p->parent;
	struct kernel *k = p->k;

	if (p == k->init) {
		k->init_ended = k->to_host = true;
		k->init_status = p->status;
	}
	if (!parent) {
		proc_free(p);
		return;
	}
	waitq_wake(&parent->child_q);
	waitq_wake(&k->base->poll_q);
	if (parent->ignored & SIGNAL_BIT(SIGCHLD))
		proc_free(p);
	signal_send(parent, SIGCHLD);
}

void proc_end(struct tsb_proc *p, int status)
{
	if (p->state == PROC_ZOMBIE)
		return;
	sched_forget(p);
	p->state = PROC_ZOMBIE;
	p->stopped = false;
	p->status = status;
	record_end(p);
	proc_run_hooks(p);
	dir_close_after(p, &p->dirs);
	if (p->opening)
		desc_put(p->opening);
	p->opening = NULL;
	fdtab_end(&p->fds);
	proc_leave_children(p);
	env_put(p->k, p->env);
	cwd_put(p->k, p->cwd);
	p->env = NULL;
	p->cwd = NULL;
	proc_give_memory(p);
	proc_report_end(p);
}

int proc_die(struct tsb_proc *p, int status)
{
	struct kernel *k = p->k;

	if (p->no_drop) {
		if (!p->canceled) {
			p->canceled = true;
			p->status = status;
		}
		return -ECANCELED;
	}
	k->tick_left = p->tick.left;
	if (k->dropping || !k->stopping) {
		proc_end(p, p->canceled ? p->status : status);
		k->running = NULL;
	}
	sched_leave(k);
}

void proc_free(struct tsb_proc *p)
{
	struct kernel *k = p->k;

	if (p->parent)
		ring_del(&p->sibling);
	ring_del(&p->all);
	pid_release(p);
	k->n_procs--;
	if (p->shared_count)
		__atomic_fetch_sub(&k->opt.share->processes, 1, __ATOMIC_RELAXED);
	proc_give_back(k, p);
}

/* ---- All at once ---- */

static void proc_drop_zombies(struct kernel *k)
{
	struct ring *at, *tmp;

	ring_each(at, tmp, &k->procs) {
		struct tsb_proc *p = ring_item(at, struct tsb_proc, all);

		if (p->state == PROC_ZOMBIE)
			proc_free(p);
	}
}

/* Ends one that may be dropped, or tells an embedder's to return. */
static bool proc_drop_one(struct kernel *k)
{
	struct ring *at, *tmp;

	ring_each(at, tmp, &k->procs) {
		struct tsb_proc *p = ring_item(at, struct tsb_proc, all);

		if (!p->no_drop) {
			if (p->parent) {
				ring_del(&p->sibling);
				p->parent = NULL;
			}
			proc_end(p, SIGKILL);
			return true;
		}
		if (!p->canceled) {
			p->canceled = true;
			p->status = SIGKILL;
		}
		if (p->stopped)
			signal_continue(p);
		sched_wake(p, -ECANCELED);
	}
	return false;
}

void proc_drop_all(struct kernel *k)
{
	struct ring *at, *tmp;

	k->dropping = true;
	if (k->stopping) {
		ring_each(at, tmp, &k->procs)
			out_flush_now(ring_item(at, struct tsb_proc, all));
		kernel_stop_tell(k);
	}
	proc_drop_zombies(k);
	for (;;) {
		while (proc_drop_one(k))
			;
		if (ring_empty(&k->runq))
			break;
		sched_dispatch(k);
		proc_drop_zombies(k);
	}
}

/* ---- Small things ---- */

struct tsb_heap *proc_heap(struct tsb_proc *p)
{
	return p->main_heap;
}

void proc_set_rlimit(struct tsb_proc *p, enum proc_rlimit which, uint64_t value)
{
	p->rlimits[which] = value == UINT64_MAX ? 0 : value + 1;
}

uint64_t proc_rlimit(const struct tsb_proc *p, enum proc_rlimit which)
{
	return p->rlimits[which] ? p->rlimits[which] - 1 : UINT64_MAX;
}

void proc_set_front(struct tsb_proc *p, int pgid)
{
	p->k->front = pgid;
}

size_t proc_count(struct tsb_proc *p)
{
	return p->k->n_procs;
}

int proc_pid(const struct tsb_proc *p)
{
	return p->pid;
}

void proc_borrow_name(struct tsb_proc *p, const char *name)
{
	size_t n;

	p->name = name;
	name = program_base(name);
	n = strlen(name);
	if (n > sizeof(p->comm) - 1)
		n = sizeof(p->comm) - 1;
	memcpy(p->comm, name, n);
	p->comm[n] = '\0';
}

void proc_set_user(struct tsb_proc *p, void *user)
{
	p->user = user;
}

static bool group_exists(struct kernel *k, int pgid)
{
	struct ring *at, *tmp;

	each_peer(q, k)
		ring_each(at, tmp, &q->procs)
			if (ring_item(at, struct tsb_proc, all)->pgid == pgid)
				return true;
	return false;
}

int proc_set_group(struct tsb_proc *p, int pgid)
{
	if (pgid < 0)
		return -EINVAL;
	if (pgid == 0)
		pgid = p->pid;
	if (pgid != p->pid && !group_exists(p->k, pgid))
		return -EPERM;
	p->pgid = pgid;
	return 0;
}

int proc_set_session(struct tsb_proc *p)
{
	if (group_exists(p->k, p->pid))	/* it leads one, or has */
		return -EPERM;
	p->sid = p->pgid = p->pid;
	return 0;
}

static int nice_find(struct tsb_proc *p, int pid, struct tsb_proc **of)
{
	*of = pid ? proc_find(p->k, pid) : p;
	return *of ? 0 : -ESRCH;
}

int tsb_get_nice(struct tsb_proc *p, int pid, int *nice)
{
	struct tsb_proc *of;
	int r = nice_find(p, pid, &of);

	CALL_BEGIN(p, 1);
	if (r == 0)
		*nice = of->nice;
	return r;
}

int tsb_set_nice(struct tsb_proc *p, int pid, int nice)
{
	struct tsb_proc *of;
	int r = nice_find(p, pid, &of);

	CALL_BEGIN(p, 1);
	if (r < 0)
		return r;
	nice = nice < -20 ? -20 : nice > 19 ? 19 : nice;
	if (nice < of->nice && p->k->opt.uid)
		return -EACCES;
	of->nice = nice;
	return 0;
}

const char *proc_stack_low(const struct tsb_proc *p)
{
	return p->stack->low;
}

void proc_on_end(struct tsb_proc *p, void (*hook)(void *arg), void *arg)
{
	struct end_hook *h = proc_memory(p, sizeof(*h));

	h->next = p->hooks;
	h->fn = hook;
	h->arg = arg;
	p->hooks = h;
}

void proc_stack_deep(struct tsb_proc *p)
{
	p->k->stacks.deep = true;
}
