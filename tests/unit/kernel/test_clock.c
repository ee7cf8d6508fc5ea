/* Virtual time: instant sleeps in order of time, reproducible runs; real time. */
#include "kit.h"

#include <errno.h>

static struct kit kit;

static int nap(struct tsb_proc *p, void *arg)
{
	int64_t s = *(int *)arg;

	tsb_sleep(p, s * 1000000000);
	tsb_printf(p, "%d\n", (int)s);
	return tsb_flush(p);
}

static int naps(struct tsb_proc *p, void *arg)
{
	static int secs[] = { 60, 5, 3600, 7 };
	struct tsb_time t;
	int st;

	(void)arg;
	for (int i = 0; i < 4; i++)
		kit_child(p, -1, -1, nap, &secs[i]);
	while (tsb_wait(p, -1, &st, 0) > 0)
		;
	t = tsb_clock(p, TSB_CLOCK_REAL);
	tsb_printf(p, "%lld\n", (long long)t.sec - 1700000000);
	return tsb_flush(p);
}

static int timeouts(struct tsb_proc *p, void *arg)
{
	int minute = 60, st, pid = kit_child(p, -1, -1, nap, &minute);

	(void)arg;
	is_int(tsb_wait_timeout(p, pid, &st, 0), -ETIMEDOUT, "no time");
	is_int(tsb_wait_timeout(p, pid, &st, 1000000000), -ETIMEDOUT, "one second");
	is_int(tsb_wait_timeout(p, pid, &st, INT64_MAX), pid, "for ever");
	is_int(tsb_wait_timeout(p, pid, &st, 1), -ECHILD, "no child");
	is_int(tsb_sleep(p, -5), 0, "negative sleep");
	return 0;
}

static int spins(struct tsb_proc *p, void *arg)
{
	(void)arg;
	while (tsb_clock(p, TSB_CLOCK_MONOTONIC).sec < 1)
		tsb_tick(p, 1000);
	return 0;
}

static int chance(struct tsb_proc *p, void *arg)
{
	tsb_random(p, arg, 16);
	return 0;
}

static int noisy(struct tsb_proc *p, void *arg)
{
	for (int i = 0; i < 40; i++) {
		tsb_tick(p, (size_t)(700 + i * 13));
		tsb_write(p, 1, arg, 1);
	}
	return 0;
}

static int race(struct tsb_proc *p, void *arg)
{
	int st;

	kit_child(p, -1, -1, noisy, (void *)(uintptr_t)"a");
	kit_child(p, -1, -1, noisy, (void *)(uintptr_t)"b");
	noisy(p, (void *)(uintptr_t)"c");
	while (tsb_wait(p, -1, &st, 0) > 0)
		;
	(void)arg;
	return 0;
}

static int real(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_sleep(p, 20000000);
	return 0;
}

static int stamps_twice(struct tsb_proc *p, void *arg)
{
	struct tsb_time *t = arg;

	t[0] = tsb_clock(p, TSB_CLOCK_FILES);
	t[1] = tsb_clock(p, TSB_CLOCK_FILES);
	return 0;
}

static bool earlier(const struct tsb_time *a, const struct tsb_time *b)
{
	return a->sec < b->sec || (a->sec == b->sec && a->nsec < b->nsec);
}

/* One command after another gets a later time, and none of the future. */
static int stamps(struct tsb_proc *p, void *arg)
{
	struct tsb_time t[10], now;
	int st;

	(void)arg;
	for (size_t i = 0; i < 10; i += 2) {
		kit_child(p, -1, -1, stamps_twice, &t[i]);
		tsb_wait(p, -1, &st, 0);
	}
	now = tsb_clock(p, TSB_CLOCK_REAL);
	for (size_t i = 0; i < 10; i += 2) {
		ok(!i || earlier(&t[i - 1], &t[i]), "later than what another process got");
		ok(!earlier(&t[i + 1], &t[i]), "not earlier than its own");
	}
	ok(!earlier(&now, &t[9]), "not of the future");
	return 0;
}

int main(void)
{
	unsigned char a[16] = { 0 }, b[16] = { 0 }, zero[16] = { 0 };
	char first[200];	/* the text and zeroes */

	kit_begin(&kit);
	kit.opt.virtual_time = true;
	is_int(kit_run(&kit, naps, NULL), 0, "naps");
	is_str(kit.text[0], "5\n7\n60\n3600\n3600\n", "in order of time");
	ok(kit.real_ns < 1000000000, "at once");
	is_int(kit_run(&kit, timeouts, NULL), 0, "timeouts");
	is_int(kit_run(&kit, spins, NULL), 0, "virtual time goes on with work");
	kit_run(&kit, chance, a);
	kit_run(&kit, chance, b);
	ok(!memcmp(a, b, 16) && memcmp(a, zero, 16), "the same chance twice");
	kit.opt.seed = 8;
	kit_run(&kit, chance, b);
	ok(memcmp(a, b, 16) != 0, "another with another seed");
	kit_run(&kit, race, NULL);
	memcpy(first, kit.text[0], sizeof(first));
	is_int(strlen(first), 120, "all wrote");
	kit_run(&kit, race, NULL);
	is_str(kit.text[0], first, "the same order twice");
	kit.opt.virtual_time = false;
	kit_run(&kit, race, NULL);
	is_str(kit.text[0], first, "and in real time");
	kit_run(&kit, stamps, NULL);
	kit_run(&kit, real, NULL);
	ok(kit.real_ns > 20000000, "real sleep");
	kit_run(&kit, chance, a);
	kit_run(&kit, chance, b);
	ok(memcmp(a, b, 16) != 0, "real chance differs");
	kit_end(&kit);
	return done();
}
