/*
 * The nurse process and the command's start. Between clone and execve the command shares the
 * nurse's memory (CLONE_VM): no memory is taken there, and all that needs memory was prepared by
 * the server.
 */
#include "init/nurse.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/path.h"
#include "init/spawn.h"
#include "init/tree.h"

#define STACK (64u << 10)

struct nurse {
	const struct nurse_task *task;
	pid_t pid;		/* the command */
	bool ended, told;
	bool entered;		/* its group, by its birth */
	int status;
	struct nurse_word failed;	/* by the child, which shares our memory */
};

static void say(const struct nurse *n, const struct nurse_word *w)
{
	while (send(n->task->control, w, sizeof(*w), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static bool fail(struct nurse *n, enum nurse_stage stage, int error)
{
	n->failed = (struct nurse_word){.kind = NURSE_FAILED, .stage = stage, .error = error};
	return false;
}

static bool become(const struct nurse_task *t)
{
	if (t->wall)
		return wall_child(t->wall);
	if (t->gid != getegid() && (setgroups(0, NULL) < 0 || setgid(t->gid) < 0))
		return false;
	return t->uid == geteuid() || setuid(t->uid) == 0;
}

/* When memory ends, it is to end the command and not the server, however small the command is. */
static void offer_first(const struct nurse_task *t)
{
	int fd = openat(t->proc, "self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "100", 3) < 0)
		errno = 0;
	close(fd);
}

/* The descriptors 0, 1, 2 and nothing else; a session of its own, with the terminal if there is one. */
static bool set_up(struct nurse *n)
{
	const struct nurse_task *t = n->task;
	const uint64_t none = 0;	/* the C library would leave two blocked */

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	offer_first(t);
	if (t->cgroup && (!cgroup_enter(t->cgroup) ||
			  (!n->entered && !cgroup_enter_v2(t->cgroup))))
		return fail(n, NURSE_SETUP, errno);
	if (setsid() < 0 || (t->master >= 0 && ioctl(t->in, TIOCSCTTY, 0) < 0) ||
	    dup2(t->in, 0) < 0 || dup2(t->out, 1) < 0 || dup2(t->err, 2) < 0 ||
	    setrlimit(RLIMIT_NOFILE, &t->files) < 0)
		return fail(n, NURSE_SETUP, errno);
	if (!become(t))
		return fail(n, NURSE_SETUP, errno ? errno : EPERM);
	/* a change of user clears it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close_from(3);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
	return true;
}

/*
 * As a shell looks along PATH: what is not there is passed over, what may not be run is
 * remembered, anything else is the answer.
 */
static void run(struct nurse *n)
{
	const struct nurse_task *t = n->task;
	int kept = ENOENT;

	for (char **p = t->programs; *p; p++) {
		struct stat st;

		execve(*p, t->argv, t->env);
		if (errno == ENOENT && stat(*p, &st) == 0) {
			fail(n, NURSE_INTERPRETER, ENOENT);
			return;
		}
		if (errno == EACCES && stat(*p, &st) == 0 && S_ISDIR(st.st_mode)) {
			if (!t->programs[1])
				kept = EISDIR;
			continue;
		}
		if (errno == EACCES)
			kept = EACCES;
		else if (errno != ENOENT && errno != ENOTDIR) {
			kept = errno;
			break;
		}
	}
	fail(n, NURSE_EXEC, kept);
}

static int child(void *ctx)
{
	struct nurse *n = ctx;

	if (set_up(n))
		run(n);
	_exit(127);
}

static bool open_input(struct nurse *n, struct nurse_task *t)
{
	int fd;

	if (!t->input)
		return true;
	fd = path_open(t->root, t->input, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0 || fcntl(fd, F_SETFL, 0) < 0)
		return fail(n, NURSE_STDIN, errno);
	t->in = fd;
	return true;
}

/* The nurse goes where the command is to start, which inherits it. */
static bool enter_cwd(struct nurse *n)
{
	int fd = path_open(n->task->root, n->task->cwd, O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0 && errno == EACCES)
		fd = path_open(n->task->root, n->task->cwd, O_PATH | O_DIRECTORY, 0);
	if (fd < 0 || fchdir(fd) < 0)
		return fail(n, NURSE_CWD, errno);
	close(fd);
	return true;
}

static bool launch(struct nurse *n)
{
	/* not ours: what the child leaves in it (a sanitizer's marks too) is in nobody's way */
	char *stack = malloc(STACK);

	if (!stack)
		return fail(n, NURSE_SETUP, ENOMEM);
	n->failed.kind = NURSE_STARTED;
	n->pid = spawn_vfork(child, n, stack, STACK, n->task->cgroup ? n->task->cgroup->v2 :
			     -1, &n->entered);
	if (n->pid < 0)
		return fail(n, NURSE_SETUP, errno);
	return n->failed.kind == NURSE_STARTED;
}

/* Only what is needed until the end: the others' pipes must be able to break. */
static void let_go(const struct nurse_task *t)
{
	int keep[] = {t->control, t->proc, t->lock, t->master};

	for (int fd = 0; fd < 3; fd++)
		dup2(t->null, fd);
	close_others(keep, sizeof(keep) / sizeof(*keep));
	if (chdir("/") < 0)
		return;
}

static uint64_t ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static void tell_end(struct nurse *n, enum nurse_kind kind, bool left)
{
	struct nurse_word w = {.kind = kind, .pid = n->pid, .status = n->status, .left = left};
	struct rusage use;

	getrusage(RUSAGE_CHILDREN, &use);
	w.user = ns(use.ru_utime);
	w.system = ns(use.ru_stime);
	w.peak = (uint64_t)use.ru_maxrss * 1024;
	say(n, &w);
}

/* Reaps all that has ended; true: nothing is left below. */
static bool reap(struct nurse *n)
{
	pid_t pid;
	int status;
	bool empty;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == n->pid) {
			n->ended = true;
			n->status = status;
		}
	}
	empty = pid < 0 && errno == ECHILD;
	if (n->ended && !n->told) {
		n->told = true;
		tell_end(n, NURSE_ENDED, !empty);
	} else if (empty && n->told) {
		tell_end(n, NURSE_EMPTY, false);
	}
	return empty;
}

/* To the command's process group, whose number is its own while it is not reaped: we reap it. */
static void deliver(const struct nurse *n, int sig)
{
	pid_t group = n->pid;

	if (n->ended)
		return;
	if (n->task->master >= 0) {
		pid_t front = 0;

		if (ioctl(n->task->master, TIOCGPGRP, &front) == 0 && front > 1)
			group = front;
	}
	kill(-group, sig);
}

static void last_rites(struct nurse *n)
{
	struct timespec little = {.tv_nsec = 2000000};
	size_t denied = 0;

	while (!reap(n)) {
		if (tree_pass(n->task->proc, getpid(), NULL, 0, SIGKILL, &denied) == denied &&
		    denied)
			return;
		denied = 0;
		nanosleep(&little, NULL);
	}
}

static void attend(struct nurse *n)
{
	struct pollfd p = {.fd = n->task->control, .events = POLLIN};
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGCHLD);
	while (!reap(n)) {
		struct nurse_order order;
		ssize_t got;

		if (ppoll(&p, 1, NULL, &mask) <= 0)
			continue;
		got = recv(p.fd, &order, sizeof(order), MSG_DONTWAIT);
		if (got == (ssize_t)sizeof(order)) {
			deliver(n, (int)order.signal);
		} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
			last_rites(n);
			return;
		}
	}
}

static void woken(int sig)
{
	(void)sig;
}

static _Noreturn void nurse(const struct nurse_task *task)
{
	struct nurse_task own = *task;
	struct nurse n = {.task = &own};
	struct sigaction wake = {.sa_handler = woken};

	sigaction(SIGCHLD, &wake, NULL);
	prctl(PR_SET_NAME, "tinybox-nurse");
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		fail(&n, NURSE_SETUP, errno);
	else if (open_input(&n, &own) && enter_cwd(&n) && launch(&n))
		n.failed = (struct nurse_word){.kind = NURSE_STARTED, .pid = n.pid};
	say(&n, &n.failed);
	if (n.failed.kind == NURSE_STARTED) {
		let_go(&own);
		attend(&n);
	}
	_exit(0);
}

pid_t nurse_start(const struct nurse_task *t)
{
	pid_t pid = fork();

	if (!pid)
		nurse(t);
	return pid;
}
