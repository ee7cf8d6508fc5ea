/* What ends a run: time, commands, memory, processes, cancel; and embedders' commands. */
#include "kit.h"

#include <errno.h>
#include <pthread.h>

static struct kit kit;

static int busy(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_puts(p, "partial");
	for (;;)
		tsb_tick(p, 1);
	return 0;
}

static int busy_system(struct tsb_proc *p, void *arg)
{
	struct tsb_time t;

	(void)arg;
	for (;;)
		t = tsb_clock(p, TSB_CLOCK_REAL);
	return (int)t.sec;
}

static int sleeps(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_sleep(p, INT64_MAX);
	return 0;
}

static int family(struct tsb_proc *p, void *arg)
{
	kit_child(p, -1, -1, busy, NULL);
	kit_child(p, -1, -1, sleeps, NULL);
	return busy(p, arg);
}

static int grows(struct tsb_proc *p, void *arg)
{
	(void)arg;
	for (;;)
		memset(tsb_alloc(p, 100000), 1, 100000);
	return 0;
}

static int parent_of_grows(struct tsb_proc *p, void *arg)
{
	int st;

	(void)arg;
	kit_child(p, -1, -1, grows, NULL);
	tsb_wait(p, -1, &st, 0);
	is_int(st, SIGKILL, "the child is killed");
	return 6;
}

static int absurd(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_alloc(p, SIZE_MAX);
	return 0;
}

static int shared_grows(struct tsb_proc *p, void *arg)
{
	(void)arg;
	for (;;)
		heap_alloc(kernel_heap(proc_kernel(p)), 100000);
	return 0;
}

static int child_heap(struct tsb_proc *p, void *arg)
{
	struct tsb_proc *c;

	(void)arg;
	proc_fork(p, &c);
	for (;;)
		heap_alloc(proc_heap(c), 100000);
	return 0;
}

static int env_grows(struct tsb_proc *p, void *arg)
{
	char name[32];

	(void)arg;
	for (int i = 0;; i++) {
		char *value = tsb_alloc(p, 100001);
		int r;

		memset(value, 'v', 100000);
		snprintf(name, sizeof(name), "N%d", i);
		r = tsb_setenv(p, name, value);
		tsb_free(p, value);
		if (r == -ENOMEM)
			return 7;
	}
	return 0;
}

static int fork_bomb(struct tsb_proc *p, void *arg)
{
	for (;;) {
		int r = kit_child(p, -1, -1, fork_bomb, arg);

		if (r == -EAGAIN)
			++*(int *)arg;
		tsb_sleep(p, 0);
	}
	return 0;
}

static int full_house(struct tsb_proc *p, void *arg)
{
	int n = 0, r;

	(void)arg;
	while ((r = kit_child(p, -1, -1, sleeps, NULL)) > 0)
		n++;
	is_int(r, -EAGAIN, "no more processes");
	is_int(n, 255, "256 with the first");
	return 0;
}

static int many_fds(struct tsb_proc *p, void *arg)
{
	int fd[2], r, n = 3;

	(void)arg;
	while ((r = tsb_dup(p, 1, 0)) >= 0)
		n++;
	is_int(r, -EMFILE, "no more descriptors");
	is_int(n, 256, "256 of them");
	is_int(tsb_pipe(p, fd), -EMFILE, "no pipe either");
	tsb_close(p, 200);
	is_int(tsb_pipe(p, fd), -EMFILE, "nor with one free");
	is_int(tsb_dup(p, 1, 0), 200, "which is free again");
	is_int(tsb_dup2(p, 1, 1024), -EBADF, "beyond the limit");
	is_int(tsb_dup2(p, 1, -1), -EBADF, "negative");
	is_int(tsb_dup2(p, 1, 1), 1, "onto itself");
	is_int(tsb_dup(p, 1, 1024), -EINVAL, "F_DUPFD beyond the limit");
	is_int(tsb_dup(p, 1, -1), -EINVAL, "F_DUPFD negative");
	is_int(tsb_dup(p, 1300, 0), -EBADF, "not open");
	return 0;
}

static int charges(struct tsb_proc *p, void *arg)
{
	tsb_puts(p, "x");
	for (;;) {
		proc_charge_command(p, "x");
		++*(int *)arg;
	}
	return 0;
}

/* ---- Cancel ---- */

static void *cancel_soon(void *c)
{
	struct timespec t = { 0, 20000000 };

	nanosleep(&t, NULL);
	tsb_cancel_now(c);
	return NULL;
}

static int cancel_run(proc_main_fn *fn)
{
	struct tsb_cancel *c = tsb_cancel_new();
	pthread_t thread;
	int status;

	kit.opt.cancel = c;
	pthread_create(&thread, NULL, cancel_soon, c);
	status = kit_run(&kit, fn, NULL);
	pthread_join(thread, NULL);
	tsb_cancel_free(c);
	kit.opt.cancel = NULL;
	return status;
}

/* ---- An embedder's command ---- */

static int own_calls, own_result, own_returned;

static int own_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	while ((own_result = tsb_sleep(p, 1000000000)) == 0)
		own_calls++;
	is_int(tsb_write(p, 1, "x", 1), -ECANCELED, "so do all calls");
	is_int(tsb_stat(p, "/", &(struct tsb_stat){ 0 }), -ECANCELED, "and stat");
	ok(tsb_alloc(p, 100) != NULL, "memory is still there");
	tsb_puts(p, "no more");
	own_returned++;
	return 0;
}

static int own_greedy(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	size_t n = 0;

	(void)opts;
	(void)argc;
	(void)argv;
	while (n < 100 && tsb_write(p, 1, "x", 1) == 1) {
		memset(tsb_alloc(p, 1 << 20), 1, 1 << 20);
		n++;
	}
	ok(n < 100, "the call after the limit fails");
	own_returned++;
	return 0;
}

/* Never waits. */
static int own_busy(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	while (tsb_getpgid(p, 0) > 0 && tsb_dup2(p, 1, 1) == 1)
		tsb_tick(p, 1);
	own_returned++;
	return 0;
}

static const struct tsb_command busybody = { .version = 1, .name = "busybody", .run = own_busy,
					     .flags = TSB_RAW, .user = &own_calls };
static const struct tsb_command own = { .version = 1, .name = "own", .run = own_run,
					.flags = TSB_RAW, .user = &own_calls };
static const struct tsb_command greedy = { .version = 1, .name = "greedy", .run = own_greedy,
					   .flags = TSB_RAW, .user = &own_calls };

static int start_own(struct tsb_proc *p, const struct tsb_command *cmd)
{
	struct program program = { .kind = PROGRAM_COMMAND, .command = cmd, .path = cmd->name };
	const char *argv[] = { cmd->name, NULL };
	struct tsb_proc *c;

	proc_fork(p, &c);
	proc_start_program(c, &program, argv, NULL);
	return proc_pid(c);
}

static int runs_own(struct tsb_proc *p, void *arg)
{
	int pid = start_own(p, &own);

	tsb_sleep(p, 0);
	return arg ? pid : (int)sleeps(p, NULL);
}

static int kills_own(struct tsb_proc *p, void *arg)
{
	int st, pid = start_own(p, &own);

	(void)arg;
	tsb_sleep(p, 0);
	is_int(tsb_kill(p, pid, SIGTERM), 0, "kill it");
	is_int(own_returned, 0, "it is not dropped");
	is_int(tsb_wait(p, pid, &st, 0), pid, "it returns");
	is_int(st, SIGTERM, "and then has the signal's status");
	return 0;
}

static int runs_busybody(struct tsb_proc *p, void *arg)
{
	start_own(p, &busybody);
	return sleeps(p, arg);
}

static int feeds_greedy(struct tsb_proc *p, void *arg)
{
	int st;

	(void)arg;
	start_own(p, &greedy);
	tsb_wait(p, -1, &st, 0);
	is_int(st, SIGKILL, "killed for memory");
	return 0;
}

static void test_time(void)
{
	kit.limits.wall_ms = 60;
	is_int(kit_run(&kit, busy, NULL), 124, "deadline");
	is_int(kit.report.stop, TSB_STOP_TIME, "stop is time");
	is_str(kit.report.limit, "wall_ms", "the limit has a name");
	is_str(kit.text[0], "partial", "partial output is kept");
	ok(strstr(kit.text[1], "wall_ms limit reached (60 ms)"), "it is told");
	ok(kit.real_ns > 60000000 && kit.real_ns < 120000000, "in time");
	is_int(kit_run(&kit, busy_system, NULL), 124, "deadline in calls");
	ok(kit.real_ns < 120000000, "in time");
	is_int(kit_run(&kit, sleeps, NULL), 124, "deadline while sleeping");
	ok(kit.real_ns > 60000000 && kit.real_ns < 120000000, "in time");
	is_int(kit_run(&kit, family, NULL), 124, "deadline of several");
	kit.opt.virtual_time = true;
	is_int(kit_run(&kit, busy, NULL), 124, "deadline in virtual time");
	kit.opt.virtual_time = false;
	kit.limits.wall_ms = 0;
	is_int(kit_run(&kit, busy, NULL), 124, "no time at all");
	kit.limits.wall_ms = 30000;
}

static void test_memory(void)
{
	kit.limits.memory_bytes = 8 << 20;
	is_int(kit_run(&kit, grows, NULL), 137, "memory");
	is_int(kit.report.stop, TSB_STOP_MEMORY, "stop is memory");
	is_str(kit.report.limit, "memory_bytes", "the limit has a name");
	ok(strstr(kit.text[1], "memory_bytes limit reached (8388608 bytes)"), "it is told");
	ok(kit.report.memory_peak > 7 << 20 && kit.report.memory_peak <= 8 << 20, "peak");
	is_int(kit_run(&kit, parent_of_grows, NULL), 6, "only the child dies");
	is_int(kit.report.stop, TSB_STOP_NONE, "the run goes on");
	is_str(kit.report.limit, "memory_bytes", "but the limit is named");
	is_int(kit_run(&kit, absurd, NULL), 137, "an absurd size");
	is_int(kit_run(&kit, shared_grows, NULL), 137, "the shared heap");
	is_int(kit_run(&kit, child_heap, NULL), 137, "a heap of a child not started");
	is_int(kit_run(&kit, env_grows, NULL), 7, "the environment");
	is_int(kit_run(&kit, feeds_greedy, NULL), 0, "an embedder's command");
	is_int(own_returned, 1, "returned");
	kit.limits.memory_bytes = 256 << 20;
}

static void test_own(void)
{
	int n = 0;

	own_returned = 0;
	is_int(kit_run(&kit, kills_own, NULL), 0, "killed");
	is_int(own_result, -ECANCELED, "its call says so");
	kit.limits.wall_ms = 50;
	is_int(kit_run(&kit, runs_own, NULL), 124, "deadline");
	is_int(own_returned, 2, "it returned");
	is_str(kit.text[0], "", "and wrote nothing any more");
	is_int(kit_run(&kit, runs_busybody, NULL), 124, "one that never waits");
	is_int(own_returned, 3, "it returned");
	kit.limits.wall_ms = 30000;
	is_int(kit_run(&kit, runs_own, &n), 2, "the first process ends");
	is_int(own_returned, 4, "it returned");
}

static int nothing(struct tsb_proc *p, void *arg)
{
	(void)p;
	(void)arg;
	return 0;
}

int main(void)
{
	uint64_t peak;
	int n = 0;

	kit_begin(&kit);
	kit_run(&kit, nothing, NULL);
	peak = kit.report.memory_peak;
	test_time();
	test_memory();
	test_own();
	kit.limits.wall_ms = 400;
	kit.limits.processes = 16;	/* reached in that time on a slow machine, too */
	is_int(kit_run(&kit, fork_bomb, &n), 124, "fork bomb");
	ok(n > 0, "fork said EAGAIN");
	kit.limits.wall_ms = 30000;
	kit.limits.processes = 256;
	is_int(kit_run(&kit, full_house, NULL), 0, "processes");
	is_int(kit_run(&kit, many_fds, NULL), 0, "descriptors");
	n = 0;
	kit.limits.commands = 500;
	is_int(kit_run(&kit, charges, &n), 125, "commands");
	is_int(n, 500, "as many as allowed");
	is_int(kit.report.commands, 500, "in the report");
	is_int(kit.report.stop, TSB_STOP_COMMANDS, "stop is commands");
	is_str(kit.text[0], "x", "output is kept");
	ok(strstr(kit.text[1], "commands limit reached (500)"), "it is told");
	is_int(cancel_run(busy), 130, "cancel");
	is_int(kit.report.stop, TSB_STOP_CANCEL, "stop is cancel");
	is_int(cancel_run(sleeps), 130, "cancel while sleeping");
	ok(kit.real_ns < 1000000000, "wakes it");
	tsb_cancel_now(NULL);
	kit_run(&kit, nothing, NULL);
	is_int(kit.report.memory_peak, peak, "nothing is still charged");
	kit_end(&kit);
	return done();
}
