/*
 * Time and chance. Real time is the machine's; virtual time begins at a given
 * instant, goes on a little with the steps that are done, and jumps ahead when
 * every process sleeps. Kernel time is nanoseconds since the run began, in
 * either. Deadlines are always kept in real time.
 *
 * Randomness is xoroshiro128+ in virtual time (seeded, so that runs repeat) and
 * the machine's own otherwise.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* The longest tick of a machine's clock: a stamp that is more ahead is none of now's, for the clock was set back. */
#define CLOCK_TICK (10 * NSEC_PER_MSEC)

static int64_t clock_machine(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

void clock_begin(struct kernel *k)
{
	uint64_t ms = k->limits.wall_ms;

	k->begin_mono = clock_machine(CLOCK_MONOTONIC);
	k->virtual_ns = k->last_ns = k->end_ns = 0;
	k->deadline = ms < (uint64_t)(INT64_MAX / NSEC_PER_MSEC) / 2 ?
		      (int64_t)ms * NSEC_PER_MSEC : INT64_MAX / 2;
}

int64_t clock_real(struct kernel *k)
{
	return clock_machine(CLOCK_MONOTONIC) - k->begin_mono;
}

int64_t clock_now(struct kernel *k)
{
	return k->opt.virtual_time ? k->virtual_ns : clock_real(k);
}

static struct tsb_time clock_split(int64_t ns)
{
	struct tsb_time t = { ns / NSEC_PER_SEC, (int32_t)(ns % NSEC_PER_SEC) };

	if (t.nsec < 0) {
		t.nsec += (int32_t)NSEC_PER_SEC;
		t.sec--;
	}
	return t;
}

static int64_t clock_wall_ns(struct kernel *k, clockid_t id)
{
	return k->opt.virtual_time ? k->virtual_ns : clock_machine(id);
}

/* ns of clock_wall_ns(), as a date. */
static struct tsb_time clock_date(struct kernel *k, int64_t ns)
{
	struct tsb_time t = clock_split(ns);

	if (k->opt.virtual_time)
		t.sec += k->opt.start_sec;
	return t;
}

static struct tsb_time clock_wall(struct kernel *k)
{
	return clock_date(k, clock_wall_ns(k, CLOCK_REALTIME));
}

struct tsb_time clock_stamp(struct kernel *k)
{
	struct kernel *b = k->base;
	int64_t ns = clock_wall_ns(k, CLOCK_REALTIME_COARSE), ahead = b->stamp_ns - ns;
	int pid = k->running ? k->running->pid : 0;

	if (ahead < 0 || ahead > CLOCK_TICK)
		b->stamp_ns = ns;
	else if (pid != b->stamp_pid)
		b->stamp_ns++;
	b->stamp_pid = pid;
	return clock_date(k, b->stamp_ns);
}

int64_t proc_started_ns(const struct tsb_proc *p)
{
	return p->start_ns + (p->k->opt.virtual_time ? 0 : p->k->begin_mono);
}

struct tsb_time tsb_clock(struct tsb_proc *p, int clock)
{
	struct kernel *k = p->k;

	proc_tick(p, 1);
	switch (clock) {
	case TSB_CLOCK_MONOTONIC:
		return clock_split(k->opt.virtual_time ? k->virtual_ns :
				   clock_machine(CLOCK_MONOTONIC));
	case TSB_CLOCK_PROCESS: {
		struct proc_times t;

		proc_times(p, &t);
		return clock_split((int64_t)t.user_ns);
	}
	case TSB_CLOCK_FILES:
		return clock_stamp(k);
	default:
		return clock_wall(k);
	}
}

void proc_times(struct tsb_proc *p, struct proc_times *out)
{
	struct kernel *k = p->k;
	int64_t now = clock_now(k);

	out->real_ns = (uint64_t)(now - p->start_ns);
	out->user_ns = p->user_ns;
	/* What has been done since the last reading of the clock. */
	if (k->running == p && !k->opt.virtual_time && now > k->last_ns) {
		out->user_ns += (uint64_t)(now - k->last_ns);
		p->user_ns = out->user_ns;
		k->last_ns = now;
	}
	if (out->user_ns > out->real_ns)	/* the clock is not read at each switch */
		out->user_ns = out->real_ns;
	out->children_ns = p->children_ns;
}

int tsb_sleep(struct tsb_proc *p, int64_t ns)
{
	int64_t until;
	int r;

	CALL_BEGIN(p, 16);
	if (ns <= 0) {
		sched_yield_now(p);
		return 0;
	}
	until = clock_now(p->k);
	if (__builtin_add_overflow(until, ns, &until))
		until = TIME_NEVER - 1;
	r = sched_block(p, NULL, until, true);
	return r == -ETIMEDOUT ? 0 : r;
}

/* ---- Chance ---- */

static uint64_t random_mix(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void random_begin(struct kernel *k)
{
	uint64_t seed = k->opt.seed;

	if (!k->opt.virtual_time)
		return;
	k->random[0] = random_mix(&seed);
	k->random[1] = random_mix(&seed);
	if (!(k->random[0] | k->random[1]))
		k->random[0] = 1;
}

static uint64_t random_next(struct kernel *k)
{
	uint64_t a = k->random[0], b = k->random[1], sum = a + b;

	b ^= a;
	k->random[0] = ((a << 24) | (a >> 40)) ^ b ^ (b << 16);
	k->random[1] = (b << 37) | (b >> 27);
	return sum;
}

void random_fill(struct kernel *k, void *buf, size_t n)
{
	unsigned char *at = buf;

	while (n && !k->opt.virtual_time) {
		ssize_t got = getrandom(at, n < 256 ? n : 256, 0);

		if (got < 0 && errno != EINTR) {	/* a machine without it */
			uint64_t seed = (uint64_t)clock_machine(CLOCK_REALTIME) ^ (uintptr_t)k;

			k->random[0] ^= random_mix(&seed);
			k->random[1] ^= random_mix(&seed);
			break;
		}
		at += got > 0 ? got : 0;
		n -= got > 0 ? (size_t)got : 0;
	}
	while (n) {
		uint64_t word = random_next(k);
		size_t part = n < sizeof(word) ? n : sizeof(word);

		memcpy(at, &word, part);
		at += part;
		n -= part;
	}
}

void tsb_random(struct tsb_proc *p, void *buf, size_t n)
{
	unsigned char *at = buf;

	while (n) {
		size_t part = n < 65536 ? n : 65536;

		proc_tick(p, (int32_t)(part / 16 + 1));
		random_fill(p->k, at, part);
		at += part;
		n -= part;
	}
}
