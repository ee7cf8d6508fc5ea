/*
 * The budget: memory of small objects, evaluation steps, wall-clock time, and
 * what happens when one of them is spent.
 *
 * Steps are counted down in the running process, and the counter moves on with
 * the processor from process to process, so that it measures the run. A slice is
 * a fixed number of steps: after it the others get their turn, at the same place
 * in every run. Within a slice the clock is read as often as the speed of the
 * steps asks for, about every 75 microseconds.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"

#define SLICE_STEPS 10000
#define STEPS_MIN 128
#define STEPS_FIRST 1000
#define CLOCK_EVERY_NS 75000
#define VIRTUAL_NS_A_STEP 10

bool kernel_charge(struct kernel *k, size_t bytes)
{
	return heap_budget_take(&k->budget, bytes);
}

void kernel_refund(struct kernel *k, size_t bytes)
{
	heap_budget_give(&k->budget, bytes);
}

/* ---- Stopping everything ---- */

void kernel_stop(struct kernel *k, enum tsb_stop stop, int status, const char *limit)
{
	if (k->stopping)
		return;
	k->stopping = k->to_host = true;
	k->stop = stop;
	k->stop_status = status;
	if (limit)
		k->limit = limit;
}

void proc_stop_point(struct tsb_proc *p)
{
	struct kernel *k = p->k;

	if (p->no_drop) {
		proc_die(p, SIGKILL);	/* marks it: its calls fail from now on */
		return;
	}
	if (k->dropping)
		return;
	k->tick_left = p->tick.left;
	sched_leave(k);		/* proc_drop_all() ends it */
}

bool kernel_check_stop(struct kernel *k, int64_t real_now)
{
	if (cancel_asked(k->opt.cancel))
		kernel_stop(k, TSB_STOP_CANCEL, 130, NULL);
	else if (real_now >= k->deadline)
		kernel_stop(k, TSB_STOP_TIME, 124, "wall_ms");
	return k->stopping;
}

void kernel_attend(struct kernel *k)
{
	struct tsb_cancel *c = k->opt.cancel;
	struct tsb_winsize size;
	bool all;
	int sig;

	if (!machine_has(k))
		cancel_pause_wait(c);
	else if (cancel_paused(c))
		return;		/* it gets no turn */
	if (cancel_take_wake(c)) {
		waitq_wake(&k->io_q);
		waitq_wake(&k->base->poll_q);
	}
	if (cancel_take_size(c, &size))
		terminal_resize(k, size);
	while ((sig = cancel_take_signal(c, &all)))
		signal_from_outside(k, all, sig);
}

/* ---- Steps ---- */

void tick_begin(struct kernel *k)
{
	k->slice_left = SLICE_STEPS;
	k->tick_step = k->tick_left = STEPS_FIRST;
}

/* Steps until the clock is to be read again, by how long the last ones took. */
static int32_t tick_next_step(const struct kernel *k, int64_t used, int64_t ns)
{
	int64_t next = ns > 0 ? used * CLOCK_EVERY_NS / ns : SLICE_STEPS;

	/* One fast stretch may be followed by a slow one. */
	if (next > 4 * used)
		next = 4 * used;
	if (next < STEPS_MIN)
		next = STEPS_MIN;
	return (int32_t)(next < k->slice_left ? next : k->slice_left);
}

/* A slice has ended: virtual time goes on by its steps. */
static void tick_end_slice(struct kernel *k)
{
	if (k->opt.virtual_time) {
		if (__builtin_add_overflow(k->virtual_ns, (SLICE_STEPS - (int64_t)k->slice_left) * VIRTUAL_NS_A_STEP,
					   &k->virtual_ns))
			k->virtual_ns = INT64_MAX;	/* somebody has slept to the end of time */
		sched_wake_sleepers(k, k->virtual_ns);
	}
	k->slice_left = SLICE_STEPS;
}

void proc_tick_slow(struct tsb_proc *p)
{
	struct kernel *k = p->k;
	int64_t used = (int64_t)k->tick_step - p->tick.left, real, ns;
	bool slice_ended;

	if (k->running != p) {		/* a child that is being set up */
		p->tick.left = STEPS_MIN;
		return;
	}
	real = clock_real(k);
	ns = real - k->last_ns;
	k->last_ns = real;
	p->user_ns += (uint64_t)(k->opt.virtual_time ? used * VIRTUAL_NS_A_STEP : ns);
	k->slice_left = used < (int64_t)k->slice_left + INT32_MAX / 2 ?
			(int32_t)(k->slice_left - used) : -INT32_MAX / 2;
	slice_ended = k->slice_left <= 0;
	if (slice_ended)
		tick_end_slice(k);
	else if (!k->opt.virtual_time)
		sched_wake_sleepers(k, real);
	k->tick_step = p->tick.left = tick_next_step(k, used, ns);
	if (k->dropping)
		return;
	if (kernel_check_stop(k, real)) {
		proc_stop_point(p);
		return;
	}
	if (unlikely(cancel_pending(k->opt.cancel))) {
		kernel_attend(k);
		if (k->stopping || p->canceled)
			return;
	}
	if (machine_has(k) && machine_turn_over(k, real))
		slice_ended = k->to_host = true;
	if (slice_ended)
		sched_yield_now(p);
}

void tsb_tick(struct tsb_proc *p, size_t n)
{
	proc_tick(p, n < (1 << 24) ? (int32_t)n : 1 << 24);
}

void proc_charge_command(struct tsb_proc *p, const char *name)
{
	struct kernel *k = p->k;

	(void)name;
	if (k->commands < k->limits.commands) {
		k->commands++;
		return;
	}
	kernel_stop(k, TSB_STOP_COMMANDS, 125, "commands");
	proc_stop_point(p);
}

/* ---- Telling ---- */

static void limit_message(struct kernel *k, const char *name, char *buf, size_t cap)
{
	static const char *const units[] = {
		[LIMIT_BYTES] = " bytes", [LIMIT_COUNT] = "", [LIMIT_MS] = " ms"
	};
	const struct limit_row *row = limit_rows;
	uint64_t value;

	while (row->name && strcmp(row->name, name))
		row++;
	if (!row->name) {
		snprintf(buf, cap, "tinysandbox: %.64s limit reached\n", name);
		return;
	}
	memcpy(&value, (const char *)&k->limits + row->offset, sizeof(value));
	snprintf(buf, cap, "tinysandbox: %s limit reached (%llu%s): %s; "
		 "to allow more: --limit %s=N\n", name, (unsigned long long)value,
		 units[row->unit], row->help, name);
}

void kernel_stop_tell(struct kernel *k)
{
	static const char deadlock[] = "tinysandbox: every process waits for another one, which "
				       "can never end: the run was stopped\n";
	char buf[320];

	if (k->deadlock) {
		hostio_tell(k, deadlock, sizeof(deadlock) - 1);
	} else if (k->limit && k->stop != TSB_STOP_MEMORY) {
		limit_message(k, k->limit, buf, sizeof(buf));
		hostio_tell(k, buf, strlen(buf));
	}
}

void proc_limit(struct tsb_proc *p, const char *name)
{
	struct kernel *k = p->k;
	struct desc *d = fd_desc(p, 2);
	char buf[320];

	if (!k->limit)
		k->limit = name;
	if (k->limit_told)
		return;
	k->limit_told = true;
	limit_message(k, name, buf, sizeof(buf));
	/* A pipe may be full, and this process may be at its end: nothing may wait. */
	if (d && (file_is(d) || d->ops->host) && d->ops->write)
		d->ops->write(p, d, buf, strlen(buf));
	else
		hostio_tell(k, buf, strlen(buf));
}

void kernel_oom(void *kernel, size_t wanted)
{
	struct kernel *k = kernel;
	struct tsb_proc *p = k->running;

	(void)wanted;
	if (!p || p->oom || k->dropping)
		return;
	p->oom = true;
	proc_limit(p, "memory_bytes");
	if (p == k->init)
		k->stop = TSB_STOP_MEMORY;
	proc_die(p, SIGKILL);
}

const struct tsb_limits *kernel_limits(struct kernel *k)
{
	return &k->limits;
}
