/*
 * A machine: runs that take turns on one thread. Each stays a kernel of its own, with all that is the run's; what
 * they see of each other goes through the ring of their kernels (each_peer()) and their base, and a
 * process that is woken by another run waits in its own kernel's queue for that one's turn. So
 * nothing is shared that could outlive a run, and a run alone pays for none of it.
 *
 * A turn ends when nothing of the run is ready, or after a while: then the process that runs goes
 * to the end of its queue and the run to the end of the ring, whatever it has started. Slices of
 * steps, as in a run alone, are within a turn: the share of a run is one of time.
 */
#include "kernel/inside.h"

#include <stdlib.h>
#include <time.h>

#define TURN_NS (NSEC_PER_MSEC)
#define IDLE_NS (3600 * NSEC_PER_SEC)

struct machine {
	struct kernel *base;
	struct bell *bell;
	unsigned heard;		/* of the bell */
	size_t n;
	bool stopping;		/* all are to end, also those that come */
};

struct machine *machine_new(const struct kernel_options *opt, struct bell *bell)
{
	struct machine *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->base = kernel_new();
	m->bell = bell;
	m->heard = bell_count(bell) - 1;	/* look once at what was asked for before */
	if (m->base && !kernel_begin(m->base, opt))
		return m;
	kernel_free(m->base);
	free(m);
	return NULL;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	kernel_finish(m->base);
	kernel_free(m->base);
	free(m);
}

bool machine_empty(const struct machine *m)
{
	return !m->n;
}

bool machine_stopping(const struct machine *m)
{
	return m->stopping;
}

void machine_add(struct machine *m, struct kernel *k, proc_main_fn *main, void *arg)
{
	k->base = m->base;
	ring_add(&m->base->peers, &k->peers);
	m->n++;
	proc_start(k->init, main, arg);
	if (m->stopping)
		kernel_stop(k, TSB_STOP_CANCEL, 130, NULL);
}

static void stop_all(struct machine *m)
{
	struct ring *at, *tmp;

	m->stopping = true;
	ring_each(at, tmp, &m->base->peers)
		kernel_stop(ring_item(at, struct kernel, peers), TSB_STOP_CANCEL, 130, NULL);
}

/* ---- Turns ---- */

static uint64_t thread_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
		return 0;
	return (uint64_t)t.tv_sec * (uint64_t)NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

uint64_t machine_turn_ns(const struct kernel *k)
{
	return k->cpu_ns + thread_ns() - k->turn_cpu;
}

bool machine_turn_over(const struct kernel *k, int64_t real)
{
	return real >= k->turn_end || cancel_paused(k->opt.cancel);
}

static bool over(const struct kernel *k)
{
	return k->stopping || k->init_ended;
}

static void run_ready(struct kernel *k, int64_t real)
{
	k->turn_cpu = thread_ns();
	k->turn_end = real + TURN_NS;
	k->to_host = false;
	sched_dispatch(k);
	k->cpu_ns = machine_cpu_ns(k);
	k->turn_cpu = 0;
}

/* True: the run is over. */
static bool turn(struct kernel *k)
{
	int64_t real = clock_real(k);

	k->last_ns = real;
	if (over(k) || kernel_check_stop(k, real))
		return true;
	if (cancel_paused(k->opt.cancel))
		return false;
	if (cancel_pending(k->opt.cancel))
		kernel_attend(k);
	sched_wake_sleepers(k, real);
	if (!over(k) && !ring_empty(&k->runq))
		run_ready(k, real);
	return over(k);
}

/* All runs, each once; the first that is over ends it. */
static struct kernel *round_of_turns(struct machine *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct kernel *k = ring_item(m->base->peers.next, struct kernel, peers);

		ring_del(&k->peers);
		ring_add(&m->base->peers, &k->peers);
		if (turn(k))
			return k;
	}
	return NULL;
}

/* How long nobody has anything to do; 0: somebody has. */
static int64_t idle(struct kernel *k)
{
	const struct ring *first = k->sleepers.next;
	int64_t at = k->deadline;

	if (over(k))
		return 0;
	if (!cancel_paused(k->opt.cancel)) {
		if (!ring_empty(&k->runq))
			return 0;
		if (first != &k->sleepers && ring_item(first, struct tsb_proc, sleep)->wake_at < at)
			at = ring_item(first, struct tsb_proc, sleep)->wake_at;
	}
	at -= clock_real(k);
	return at < 0 ? 0 : at;
}

static int64_t idle_all(struct machine *m)
{
	int64_t least = IDLE_NS;
	struct ring *at, *tmp;

	ring_each(at, tmp, &m->base->peers) {
		int64_t ns = idle(ring_item(at, struct kernel, peers));

		if (ns < least)
			least = ns;
	}
	return least;
}

struct kernel *machine_run(struct machine *m)
{
	for (;;) {
		unsigned count = bell_count(m->bell);
		struct kernel *k;
		int64_t ns;

		if (count != m->heard) {
			m->heard = count;
			if (!m->stopping && cancel_asked(m->base->opt.cancel))
				stop_all(m);
			return NULL;
		}
		k = round_of_turns(m);
		if (k)
			return k;
		ns = idle_all(m);
		if (ns)
			bell_wait(m->bell, m->heard, ns);
	}
}

int machine_end(struct machine *m, struct kernel *k)
{
	int status = kernel_ended(k);

	ring_del(&k->peers);
	m->n--;
	k->base = k;
	return status;
}
