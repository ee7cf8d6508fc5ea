/*
 * The server itself: what it opens, its signals, its workers, orphans, the stop.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/path.h"
#include "init/server.h"
#include "init/slim.h"
#include "init/tree.h"

#define WORKERS_MOST	64u
#define ROUND_NS	2000000u
#define ROUNDS_DENIED	5u
#define IDLE_NS		1000000000u

struct worker {
	pid_t pid;
	struct worker *next;
};

static void worker_gone(struct server *s, pid_t pid)
{
	for (struct worker **at = &s->workers; *at; at = &(*at)->next) {
		struct worker *w = *at;

		if (w->pid != pid)
			continue;
		*at = w->next;
		s->worker_count--;
		free(w);
		server_idle(s);
		return;
	}
}

static struct proc *proc_of(struct server *s, pid_t pid)
{
	struct proc *p = s->procs;

	while (p && p->nurse != pid)
		p = p->next;
	return p;
}

/* They hold the audit log's lock for moments, and somebody inside may have stopped them then. */
void server_wake_workers(void *server)
{
	struct server *s = server;

	for (struct worker *w = s->workers; w; w = w->next)
		kill(w->pid, SIGCONT);
}

static bool is_worker(const struct server *s, pid_t pid)
{
	const struct worker *w = s->workers;

	while (w && w->pid != pid)
		w = w->next;
	return w;
}

/* The command of a nurse that was killed, which we reap in its place. */
static void orphan_gone(struct server *s, pid_t pid, int status)
{
	for (struct proc *p = s->procs; p; p = p->next)
		if (p->lost && p->pid == pid)
			p->end.status = status;
}

static void child_gone(struct server *s, pid_t pid, int status)
{
	struct proc *p = proc_of(s, pid);

	/* a nurse or a worker does not stop by itself: somebody inside did that */
	if (WIFSTOPPED(status)) {
		if (p || is_worker(s, pid))
			kill(pid, SIGCONT);
		return;
	}
	if (p)
		proc_nurse_gone(p, status);
	else if (is_worker(s, pid))
		worker_gone(s, pid);
	else
		orphan_gone(s, pid, status);
}

static void signals_ready(void *owner, uint32_t events)
{
	struct server *s = owner;
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	(void)events;
	if (read(s->signals.fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	/* process 1 of a box takes no orders from inside it */
	if (info.ssi_signo == SIGTERM && (!s->wall || (s->contained && !info.ssi_pid)))
		server_stop(s, 0);
	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0)
		child_gone(s, pid, status);
}

static size_t own_children(const struct server *s, pid_t **list)
{
	size_t n = 0, most = s->worker_count;

	for (struct proc *p = s->procs; p; p = p->next)
		most++;
	*list = calloc(most + 1, sizeof(pid_t));
	if (!*list)
		return 0;
	for (struct proc *p = s->procs; p; p = p->next)
		if (p->nurse)
			(*list)[n++] = p->nurse;
	for (struct worker *w = s->workers; w; w = w->next)
		(*list)[n++] = w->pid;
	return n;
}

static void orphans_end(struct server *s)
{
	struct proc *p = s->procs;

	while (p) {
		if (!p->lost || p->empty) {
			p = p->next;
			continue;
		}
		p->empty = true;
		if (p->state == PROC_ENDED)
			proc_free(p);
		else
			proc_check(p);
		p = s->procs;
	}
}

static void orphans(void *owner)
{
	struct server *s = owner;
	size_t denied = 0, alive, n;
	pid_t *own;

	n = own_children(s, &own);
	alive = own ? tree_pass(s->proc, getpid(), own, n, SIGKILL, &denied) : 1;
	free(own);
	if (!alive || (alive == denied && ++s->orphan_rounds > ROUNDS_DENIED))
		orphans_end(s);
	else
		timer_set(&s->loop, &s->orphans, now_mono() + ROUND_NS);
}

void server_orphans(struct server *s)
{
	s->orphan_rounds = 0;
	timer_set(&s->loop, &s->orphans, now_mono());
}

static void stop_hard(void *owner)
{
	struct server *s = owner;
	struct proc *p = s->procs;

	for (; p; p = p->next)
		timer_set(&s->loop, &p->sweep, now_mono());
}

void server_stop(struct server *s, uint64_t grace)
{
	size_t denied = 0;

	s->stopping = true;
	for (struct proc *p = s->procs; p; p = p->next) {
		if (!p->killing && p->state != PROC_ENDED) {
			p->killed_by = WIRE_BY_CANCEL;
			p->text = "the box was stopped";
		}
		p->killing = true;
		if (grace && p->nurse) {
			tree_pass(s->proc, p->nurse, NULL, 0, SIGTERM, &denied);
			tree_pass(s->proc, p->nurse, NULL, 0, SIGCONT, &denied);
		}
	}
	timer_set(&s->loop, &s->stop, time_after(grace));
	server_stopped(s);
}

void server_stopped(struct server *s)
{
	struct conn *c = s->conns;

	if (!s->stopping)
		return;
	for (struct proc *p = s->procs; p; p = p->next)
		if (p->state != PROC_ENDED || !p->empty)
			return;
	while (c) {
		if (c->role != CONN_STOPPER) {
			c = c->next;
			continue;
		}
		conn_ok(c);
		c = s->conns;
	}
	s->loop.ended = true;
}

static void idle(void *owner)
{
	struct server *s = owner;

	if (!s->procs && !s->workers)
		slim_down();
}

void server_idle(struct server *s)
{
	if (!s->procs)
		timer_set(&s->loop, &s->idle, now_mono() + IDLE_NS);
}

static _Noreturn void worker(struct conn *c, const struct wire_frame *f,
			     void (*work)(struct conn *c, const struct wire_frame *f))
{
	struct server *s = c->s;
	int keep[] = {c->w.fd, c->file[0], c->file[1], c->follow, s->records, s->old_records,
		s->audit.fd, s->audit.head, s->root, s->proc, s->null};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "tinybox-worker");
	close_others(keep, sizeof(keep) / sizeof(*keep));
	fcntl(c->w.fd, F_SETFL, 0);
	wire_consume(&c->out, c->out.size);
	work(c, f);
	_exit(0);
}

void server_work(struct conn *c, const struct wire_frame *f,
		 void (*work)(struct conn *c, const struct wire_frame *f))
{
	struct server *s = c->s;
	struct worker *w = s->worker_count < WORKERS_MOST ? calloc(1, sizeof(*w)) : NULL;

	if (!w) {
		conn_error(c, WIRE_ERROR_BUSY, 0, "the box does too much at a time", NULL, NULL);
		return;
	}
	/* our HELLO, before the worker speaks */
	conn_flush(c);
	w->pid = fork();
	if (!w->pid)
		worker(c, f, work);
	if (w->pid < 0) {
		free(w);
		conn_error(c, WIRE_ERROR_SYSTEM, errno, "no process for it", NULL, NULL);
		return;
	}
	w->next = s->workers;
	s->workers = w;
	s->worker_count++;
	conn_free(c);
}

static bool open_signals(struct server *s)
{
	s->signals = (struct watch){.ready = signals_ready, .owner = s,
		.fd = loop_take_signals(SFD_NONBLOCK)};
	return s->signals.fd >= 0;
}

/* A server has many descriptors; a command gets the limit that was. */
static void raise_files(struct server *s)
{
	struct rlimit most;

	getrlimit(RLIMIT_NOFILE, &s->files);
	most = s->files;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
	if (s->spec->open_files && s->spec->open_files < s->files.rlim_max)
		s->files.rlim_cur = s->files.rlim_max = s->spec->open_files;
}

/* The device itself, whatever a root may have put in its place. */
static int open_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISCHR(st.st_mode) ||
			st.st_rdev != makedev(1, 3))) {
		close(fd);
		errno = ENODEV;
		fd = -1;
	}
	return fd;
}

static void rested(void *owner)
{
	struct server *s = owner;

	watch_want(&s->loop, &s->listen, EPOLLIN);
}

static void ports_ready(void *owner, uint32_t events)
{
	struct server *s = owner;

	(void)events;
	if (!egress_answer(s->ports.fd))
		watch_close(&s->loop, &s->ports);
}

static bool open_ports(struct server *s)
{
	int channel = s->wall ? wall_channel_inside(s->wall) : -1;

	s->ports = (struct watch){.fd = channel, .ready = ports_ready, .owner = s};
	return channel < 0 || watch_want(&s->loop, &s->ports, EPOLLIN);
}

/* Our end is the container's: nothing of the box lives without somebody who keeps it. */
static void keeper_gone(void *owner, uint32_t events)
{
	(void)owner;
	if (events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR))
		_exit(1);
}

static bool watch_keeper(struct server *s)
{
	s->parent = (struct watch){.fd = s->contained ? s->keeper : -1, .ready = keeper_gone,
		.owner = s};
	return watch_want(&s->loop, &s->parent, EPOLLRDHUP);
}

bool server_open(struct server *s)
{
	/* what was large for a moment goes back to the kernel at once */
	mallopt(M_MMAP_THRESHOLD, 64 << 10);
	mallopt(M_TRIM_THRESHOLD, 64 << 10);
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	umask(022);
	s->started_at = now_real();
	s->null = open_null();
	s->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	s->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	s->chunk = malloc(CHUNK);
	s->orphans = (struct timer){.fire = orphans, .owner = s};
	s->stop = (struct timer){.fire = stop_hard, .owner = s};
	s->rest = (struct timer){.fire = rested, .owner = s};
	s->idle = (struct timer){.fire = idle, .owner = s};
	s->listen.ready = conn_accept;
	s->listen.owner = s;
	raise_files(s);
	return s->null >= 0 && s->root >= 0 && s->proc >= 0 && s->chunk && open_signals(s) &&
		loop_open(&s->loop) && watch_want(&s->loop, &s->signals, EPOLLIN) &&
		watch_want(&s->loop, &s->listen, EPOLLIN) && open_ports(s) && watch_keeper(s) &&
		record_open(s);
}

int server_run(struct server *s)
{
	server_idle(s);
	loop_run(&s->loop);
	return !s->loop.ended;
}
