/*
 * Programs of the host, run and listened to. Both streams are read as they come, so that neither can
 * block the program; what it leaves behind that holds them open is not waited for.
 */
#include "init/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/loop.h"
#include "init/path.h"

#define SECOND_NS 1000000000u

struct running {
	struct tool *t;
	pid_t pid;
	int pidfd, out, err;
	uint64_t until, next;	/* the next tick */
};

static _Noreturn void become(const struct tool *t, int out, int err)
{
	static const uint64_t none;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	umask(022);
	if (dup2(t->in < 0 ? null : t->in, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(err < 0 ? null : err, 2) < 0 || chdir("/") < 0)
		_exit(127);
	close_from(3);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
	execve(t->argv[0], (char *const *)(uintptr_t)t->argv, (char *const *)(uintptr_t)t->env);
	_exit(127);
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* out: where its output goes instead of to us; -1: to us. */
static bool start(struct running *r, struct tool *t, int out)
{
	int to[2] = {-1, -1}, err[2] = {-1, -1}, saved;

	*r = (struct running){.t = t, .pid = -1, .pidfd = -1, .out = -1, .err = -1,
		.until = time_after(t->seconds * (uint64_t)SECOND_NS), .next = time_after(SECOND_NS)};
	t->said = t->errors = (struct text){0};
	t->status = 127;
	t->late = false;
	if (access(t->argv[0], X_OK) == 0 && (out >= 0 || pipe2(to, O_CLOEXEC) == 0) &&
	    pipe2(err, O_CLOEXEC) == 0)
		r->pid = fork();
	if (!r->pid)
		become(t, out >= 0 ? out : to[1], err[1]);
	saved = errno;
	shut(&to[1]);
	shut(&err[1]);
	r->out = to[0];
	r->err = err[0];
	if (r->pid > 0)
		r->pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0);
	errno = saved;
	return r->pid > 0;
}

static void listen_to(int *fd, struct text *to)
{
	char part[4096];
	ssize_t n = read(*fd, part, sizeof(part));

	if (n > 0 && to->size < TOOL_SAID_MOST)
		text_bytes(to, part, (size_t)n);
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		shut(fd);
}

static bool ended(struct running *r)
{
	int status;

	if (r->pid > 0 && waitpid(r->pid, &status, WNOHANG) == r->pid) {
		r->pid = 0;
		r->t->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	return r->pid <= 0;
}

static void give_up(struct running *r)
{
	int status;

	if (r->pid > 0) {
		kill(-r->pid, SIGKILL);
		kill(r->pid, SIGKILL);
		while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
			;
		r->t->status = 128 + SIGKILL;
	}
	r->pid = 0;
	r->t->late = true;
}

/* Once around; false: it has ended, and what it had said until then was read. */
static bool turn(struct running *r)
{
	struct pollfd p[3] = {{.fd = r->out, .events = POLLIN}, {.fd = r->err, .events = POLLIN},
		{.fd = r->pidfd, .events = POLLIN}};
	uint64_t now = now_mono();
	bool gone = ended(r);
	int n = poll(p, 3, gone ? 0 : r->pidfd < 0 ? 50 : 1000);

	if (n > 0 && p[0].revents)
		listen_to(&r->out, &r->t->said);
	if (n > 0 && p[1].revents)
		listen_to(&r->err, &r->t->errors);
	if (gone)
		return n > 0 && (p[0].revents || p[1].revents);
	if (now >= r->until) {
		give_up(r);
	} else if (now >= r->next) {
		r->next = now + SECOND_NS;
		if (r->t->tick && !r->t->tick(r->t->ctx))
			give_up(r);
	}
	return true;
}

static void finish(struct running *r)
{
	shut(&r->out);
	shut(&r->err);
	shut(&r->pidfd);
}

bool tool_run(struct tool *t)
{
	struct running r;

	if (!start(&r, t, t->out ? t->out : -1)) {
		int saved = errno;

		finish(&r);
		errno = saved;
		return false;
	}
	while (turn(&r))
		;
	finish(&r);
	errno = 0;
	return !t->late && !t->status;
}

bool tool_pipe(struct tool *from, struct tool *to)
{
	struct running a = {.pid = -1, .pidfd = -1, .out = -1, .err = -1}, b;
	int between[2];
	bool more = true;

	if (pipe2(between, O_CLOEXEC) < 0)
		return false;
	to->in = between[0];
	if (!start(&b, to, -1) || !start(&a, from, between[1])) {
		int saved = errno;

		give_up(&b);
		finish(&b);
		finish(&a);
		close(between[0]);
		close(between[1]);
		errno = saved;
		return false;
	}
	close(between[0]);
	close(between[1]);
	/* the first is never silent for long while the second waits */
	while (more) {
		struct pollfd p[4] = {{.fd = a.err, .events = POLLIN}, {.fd = b.out, .events = POLLIN},
			{.fd = b.err, .events = POLLIN}, {.fd = b.pidfd, .events = POLLIN}};

		poll(p, 4, 1000);
		if (p[0].revents)
			listen_to(&a.err, &from->errors);
		more = turn(&b);
		ended(&a);
	}
	if (to->late || to->status)
		give_up(&a);
	while (turn(&a))
		;
	finish(&a);
	finish(&b);
	errno = 0;
	return !to->late && !to->status && !from->late && !from->status;
}

void tool_free(struct tool *t)
{
	text_free(&t->said);
	text_free(&t->errors);
}

/* The last line that has anything: it is mostly the one that says what was wrong. */
const char *tool_why(struct tool *t)
{
	char *s = t->errors.data, *last;
	size_t n = s ? t->errors.size : 0;

	while (n && (s[n - 1] == '\n' || s[n - 1] == '\r' || s[n - 1] == ' '))
		s[--n] = '\0';
	if (!n)
		return t->late ? "it took too long" : "";
	last = strrchr(s, '\n');
	for (char *at = last ? last + 1 : s; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = ' ';
	return last ? last + 1 : s;
}

const char *tool_line(struct tool *t)
{
	if (!t->said.data)
		return "";
	t->said.data[strcspn(t->said.data, "\r\n")] = '\0';
	return t->said.data;
}
