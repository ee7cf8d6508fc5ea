/* Processes: wait, orphans, kill, groups, stop and continue, hooks, dropping. */
#include "kit.h"

#include <errno.h>

static struct kit kit;
static char ended[64];

static int leaves(struct tsb_proc *p, void *arg)
{
	(void)p;
	return *(int *)arg;
}

static int waits(struct tsb_proc *p, void *arg)
{
	int three = 3, st = -1, pid;
	struct tsb_proc *c;

	(void)arg;
	is_int(tsb_getpid(p), 1, "first pid");
	is_int(tsb_getppid(p), 0, "its parent");
	is_int(tsb_wait(p, -1, &st, 0), -ECHILD, "no children");
	pid = kit_child(p, -1, -1, leaves, &three);
	is_int(pid, 2, "second pid");
	is_int(tsb_wait(p, pid, &st, WNOHANG), 0, "it has not run yet");
	is_int(tsb_wait(p, 77, &st, 0), -ECHILD, "not a child");
	is_int(tsb_wait(p, pid, &st, 12345), -EINVAL, "bad flags");
	is_int(tsb_wait(p, pid, &st, 0), pid, "waited");
	is_int(st, 3 << 8, "exit status as wait() gives it");
	is_int(tsb_wait(p, pid, NULL, 0), -ECHILD, "only once");
	is_int(proc_fork(p, &c), 0, "fork");
	is_int(tsb_getppid(c), 1, "parent of the child");
	proc_abandon(c);
	is_int(tsb_wait(p, -1, &st, 0), -ECHILD, "an abandoned child was never there");
	return 300;
}

static int sleeper(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_sleep(p, INT64_MAX);
	return 0;
}

static int orphan(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_sleep(p, 1000000);
	tsb_printf(p, "orphan of %d\n", tsb_getppid(p));
	tsb_flush(p);
	return 0;
}

static int middle(struct tsb_proc *p, void *arg)
{
	(void)arg;
	kit_child(p, -1, -1, orphan, NULL);
	return 0;
}

static int orphans(struct tsb_proc *p, void *arg)
{
	int st;

	(void)arg;
	kit_child(p, -1, -1, middle, NULL);
	tsb_wait(p, -1, &st, 0);
	is_int(tsb_wait(p, -1, &st, 0), -ECHILD, "grandchildren are not waited for");
	tsb_sleep(p, 5000000);
	return 0;
}

static void note(void *arg)
{
	strcat(ended, arg);
}

static int hooked(struct tsb_proc *p, void *arg)
{
	static char a[] = "a", b[] = "b";

	proc_on_end(p, note, a);
	proc_on_end(p, note, b);
	tsb_alloc(p, 100000);
	return sleeper(p, arg);
}

static int kills(struct tsb_proc *p, void *arg)
{
	int st, pid = kit_child(p, -1, -1, hooked, NULL);

	(void)arg;
	tsb_sleep(p, 0);
	is_int(tsb_kill(p, pid, 0), 0, "it is there");
	is_int(tsb_kill(p, pid, 999), -EINVAL, "no such signal");
	is_int(tsb_kill(p, pid, -1), -EINVAL, "negative signal");
	is_int(tsb_kill(p, 4242, SIGTERM), -ESRCH, "no such process");
	is_int(tsb_kill(p, -4242, SIGTERM), -ESRCH, "no such group");
	is_int(tsb_kill(p, INT32_MIN, SIGTERM), -ESRCH, "absurd group");
	is_int(tsb_kill(p, pid, SIGTERM), 0, "kill");
	is_str(ended, "ba", "hooks ran, last first");
	is_int(tsb_kill(p, pid, SIGTERM), 0, "a zombie may be killed");
	is_int(tsb_wait(p, pid, &st, 0), pid, "wait");
	ok(WIFSIGNALED(st) && WTERMSIG(st) == SIGTERM, "its signal");
	is_int(tsb_kill(p, pid, SIGTERM), -ESRCH, "reaped");
	tsb_puts(p, "lost");	/* not flushed: lost, as with a real SIGKILL */
	tsb_kill(p, tsb_getpid(p), SIGKILL);
	return 0;
}

static int groups(struct tsb_proc *p, void *arg)
{
	int st, pid[3];
	struct tsb_proc *c;

	(void)arg;
	for (int i = 0; i < 3; i++) {
		proc_fork(p, &c);
		is_int(proc_set_group(c, i == 2 ? 0 : i ? pid[0] : 0), 0, "set group");
		pid[i] = proc_pid(c);
		proc_start(c, sleeper, NULL);
	}
	is_int(tsb_getpgid(p, 0), 1, "own group");
	is_int(tsb_getpgid(p, pid[1]), pid[0], "second is in the first's group");
	is_int(tsb_getpgid(p, 99), -ESRCH, "group of nobody");
	is_int(proc_set_group(p, 77), -EPERM, "no such group");
	tsb_sleep(p, 0);
	is_int(tsb_kill(p, -pid[0], SIGHUP), 0, "kill the group");
	is_int(tsb_wait(p, -pid[0], &st, 0), pid[0], "first of the group");
	is_int(st, SIGHUP, "by SIGHUP");
	is_int(tsb_wait(p, pid[1], &st, 0), pid[1], "second");
	is_int(tsb_wait(p, pid[2], &st, WNOHANG), 0, "the third lives");
	is_int(tsb_kill(p, -1, SIGKILL), 0, "kill all");
	is_int(tsb_wait(p, -1, &st, 0), pid[2], "the third");
	is_int(st, SIGKILL, "by SIGKILL");
	return 0;
}

static int counts(struct tsb_proc *p, void *arg)
{
	for (;;) {
		++*(int *)arg;
		tsb_sleep(p, 1000);
	}
	return 0;
}

static int stops(struct tsb_proc *p, void *arg)
{
	int n = 0, before, st, pid = kit_child(p, -1, -1, counts, &n);

	(void)arg;
	tsb_sleep(p, 100000);
	ok(n > 0, "it counts");
	tsb_kill(p, pid, SIGSTOP);
	is_int(tsb_wait(p, pid, &st, WUNTRACED), pid, "stopped");
	ok(WIFSTOPPED(st) && WSTOPSIG(st) == SIGSTOP, "by SIGSTOP");
	is_int(tsb_wait(p, pid, &st, WUNTRACED | WNOHANG), 0, "told once");
	before = n;
	tsb_sleep(p, 100000);
	is_int(n, before, "it stands still");
	tsb_kill(p, pid, SIGTERM);
	is_int(tsb_kill(p, pid, 0), 0, "SIGTERM waits for SIGCONT");
	tsb_kill(p, pid, SIGCONT);
	is_int(tsb_wait(p, pid, &st, 0), pid, "then it ends");
	is_int(st, SIGTERM, "by SIGTERM");
	pid = kit_child(p, -1, -1, counts, &n);
	tsb_kill(p, pid, SIGTSTP);
	is_int(tsb_wait(p, pid, &st, WUNTRACED | WNOHANG), 0, "SIGTSTP stops nobody whom nobody could continue");
	tsb_kill(p, pid, SIGSTOP);
	tsb_kill(p, pid, SIGCONT);
	is_int(tsb_wait(p, pid, &st, WCONTINUED), pid, "continued");
	ok(WIFCONTINUED(st), "says so");
	tsb_kill(p, pid, SIGSTOP);
	tsb_kill(p, pid, SIGKILL);
	tsb_wait(p, pid, &st, 0);
	is_int(st, SIGKILL, "SIGKILL ends a stopped one");
	return 0;
}

static int catches(struct tsb_proc *p, void *arg)
{
	int fd[2], st, one = 1;
	char c;

	(void)arg;
	is_int(proc_signal(p, SIGUSR1, PROC_SIG_CATCH), PROC_SIG_DEFAULT, "was default");
	is_int(proc_signal(p, SIGKILL, PROC_SIG_CATCH), -EINVAL, "SIGKILL cannot be caught");
	is_int(proc_signal(p, 0, PROC_SIG_CATCH), -EINVAL, "signal 0");
	is_int(proc_signal(p, 65, PROC_SIG_CATCH), -EINVAL, "signal 65");
	is_int(proc_take_signal(p), 0, "nothing pending");
	tsb_kill(p, 1, SIGUSR1);
	is_int(tsb_sleep(p, 1000000000), -EINTR, "a pending one ends a sleep");
	is_int(proc_take_signal(p), SIGUSR1, "taken");
	is_int(proc_take_signal(p), 0, "once");
	tsb_pipe(p, fd);
	kit_child(p, -1, -1, leaves, &one);
	proc_signal(p, SIGCHLD, PROC_SIG_CATCH);
	is_int(tsb_read(p, fd[0], &c, 1), -EINTR, "SIGCHLD ends a read");
	is_int(proc_take_signal(p), SIGCHLD, "SIGCHLD");
	is_int(proc_wait(p, -1, &st, 0), 2, "the child");
	proc_signal(p, SIGUSR1, PROC_SIG_IGNORE);
	tsb_kill(p, 1, SIGUSR1);
	is_int(proc_take_signal(p), 0, "ignored");
	tsb_kill(p, 1, SIGWINCH);
	tsb_kill(p, 1, SIGCHLD);
	is_int(proc_signal(p, SIGUSR1, PROC_SIG_DEFAULT), PROC_SIG_IGNORE, "was ignored");
	tsb_kill(p, 0, SIGUSR1);
	return 0;
}

static int busy(struct tsb_proc *p, void *arg)
{
	(void)arg;
	for (;;)
		tsb_tick(p, 1);
	return 0;
}

static int slices(struct tsb_proc *p, void *arg)
{
	int pid = kit_child(p, -1, -1, busy, NULL);

	(void)arg;
	for (int i = 0; i < 100000; i++)
		tsb_tick(p, 1);
	tsb_puts(p, "hi\n");
	tsb_flush(p);
	is_int(tsb_kill(p, pid, SIGINT), 0, "kill the busy one");
	return 0;
}

static int deadlock(struct tsb_proc *p, void *arg)
{
	int fd[2];
	char c;

	(void)arg;
	tsb_pipe(p, fd);
	tsb_puts(p, "kept");
	tsb_read(p, fd[0], &c, 1);
	return 0;
}

static int background(struct tsb_proc *p, void *arg)
{
	(void)arg;
	kit_child(p, -1, -1, busy, NULL);
	kit_child(p, -1, -1, sleeper, NULL);
	tsb_sleep(p, 0);
	return 4;
}

static int times(struct tsb_proc *p, void *arg)
{
	struct proc_times t;
	int one = 0, st;

	(void)arg;
	for (int i = 0; i < 20000000; i++)
		tsb_tick(p, 1);
	proc_times(p, &t);
	ok(t.user_ns > 1000000 && t.user_ns <= t.real_ns, "time is counted");
	kit_child(p, -1, -1, leaves, &one);
	tsb_wait(p, -1, &st, 0);
	return 0;
}

static int ignores_children(struct tsb_proc *p, void *arg)
{
	int one = 1, st, pid;
	struct tsb_proc *c;

	(void)arg;
	tsb_signal(p, SIGCHLD, TSB_SIG_IGNORE);
	kit_child(p, -1, -1, leaves, &one);
	is_int(tsb_wait(p, -1, &st, 0), -ECHILD, "ignored children are not waited for");
	proc_fork(p, &c);
	tsb_kill(p, proc_pid(c), SIGTERM);
	proc_start(c, leaves, &one);
	is_int(tsb_wait(p, -1, &st, 0), -ECHILD, "nor one killed before its start");
	pid = kit_child(p, -1, -1, leaves, &one);
	tsb_kill(p, pid, SIGSTOP);
	tsb_kill(p, pid, SIGTERM);
	tsb_kill(p, pid, SIGCONT);
	is_int(tsb_wait(p, -1, &st, 0), -ECHILD, "nor one killed when continued");
	return 0;
}

static int signals_unborn(struct tsb_proc *p, void *arg)
{
	struct tsb_proc *c;
	int st;

	(void)arg;
	proc_fork(p, &c);
	proc_set_group(c, 0);
	is_int(proc_set_group(c, -3), -EINVAL, "no such group");
	is_int(tsb_kill(p, proc_pid(c), SIGINT), 0, "a signal before the start");
	proc_start(c, sleeper, NULL);
	is_int(tsb_wait(p, 0, &st, WNOHANG), -ECHILD, "another group's child");
	is_int(tsb_wait(p, -1, &st, 0), 2, "arrives at the start");
	is_int(st, SIGINT, "by SIGINT");
	return 0;
}

/* More at once than stacks are kept, and pids that share buckets. */
static int crowd(struct tsb_proc *p, void *arg)
{
	int st, n = 0;

	(void)arg;
	for (int i = 0; i < 700; i++)
		if (kit_child(p, -1, -1, sleeper, NULL) < 0)
			return 1;
	tsb_sleep(p, 0);
	for (int i = 2; i < 702; i += 2)
		tsb_kill(p, i, SIGTERM);
	tsb_kill(p, -1, SIGKILL);
	while (tsb_wait(p, -1, &st, 0) > 0)
		n += st == SIGTERM;
	return n == 350 ? 0 : 2;
}

int main(void)
{
	kit_begin(&kit);
	is_int(kit_run(&kit, waits, NULL), 300 & 255, "status is one byte");
	is_int(kit_run(&kit, orphans, NULL), 0, "orphans");
	is_str(kit.text[0], "orphan of 1\n", "an orphan's parent is the first");
	is_int(kit_run(&kit, kills, NULL), 137, "killed itself");
	is_str(kit.text[0], "", "what was not flushed is lost");
	is_int(kit_run(&kit, groups, NULL), 0, "groups");
	is_int(kit_run(&kit, stops, NULL), 0, "stop and continue");
	is_int(kit_run(&kit, catches, NULL), 128 + SIGUSR1, "kill(0) ends the caller too");
	is_int(kit_run(&kit, slices, NULL), 0, "slices");
	is_str(kit.text[0], "hi\n", "a busy process lets others run");
	is_int(kit_run(&kit, background, NULL), 4, "background jobs die with the run");
	is_int(kit_run(&kit, deadlock, NULL), 124, "deadlock");
	is_int(kit.report.stop, TSB_STOP_TIME, "counts as time");
	is_str(kit.text[0], "kept", "output is kept");
	ok(strstr(kit.text[1], "every process waits"), "it is told");
	ok(kit.real_ns < 2000000000, "at once");
	is_int(kit_run(&kit, times, NULL), 0, "times");
	is_int(kit_run(&kit, ignores_children, NULL), 0, "SIGCHLD ignored");
	is_int(kit_run(&kit, signals_unborn, NULL), 0, "unborn");
	kit.limits.processes = 1000;
	is_int(kit_run(&kit, crowd, NULL), 0, "a crowd");
	is_int(kit_run(&kit, crowd, NULL), 0, "again, on cold stacks");
	kit_end(&kit);
	return done();
}
