/*
 * The loop: connections, what runs tell, timers, signals. All lists are changed here only
 * when nobody walks them: what is dead is swept at the end of a turn.
 */
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COMMIT_EVERY (2 * NS)
#define ALIVE_EVERY (10 * NS)
#define CPU_PERIOD (NS / 10)
#define CPU_LOOK (NS / 200)
#define LAST_WORDS (2 * NS)
#define LOOK_EVERY (60 * NS)
#define LOOK_SOON (NS / 5)
#define LOOKS_SOON 10u
#define MACHINE_STACK ((size_t)1 << 20)
#define SERVE_AGAIN (NS / 20)

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

void server_commit(struct server *s)
{
	char why[VIRTUAL_WHY];

	s->commit_at = now_ns() + COMMIT_EVERY;
	s->unsaved = virtual_commit(s->box, why) != 0;
}

bool server_uses(const struct server *s, const struct exec *e)
{
	for (const struct conn *c = s->conns; c; c = c->next)
		if (c->exec == e)
			return true;
	return false;
}

void server_pause(struct server *s)
{
	for (struct exec *e = s->execs; e; e = e->next)
		if (e->posted)
			tsb_cancel_pause(e->run.cancel, s->paused || s->throttled);
}

void server_stop(struct server *s, uint64_t grace)
{
	uint64_t now = now_ns();

	if (s->stopping && grace)
		return;
	s->stopping = true;
	s->stop_at = grace < UINT64_MAX / 4 ? now + grace : UINT64_MAX;
	s->paused = s->throttled = false;
	server_pause(s);
	for (struct exec *e = s->execs; e; e = e->next) {
		if (!e->posted)
			continue;
		if (!grace) {
			exec_kill(e, WIRE_BY_CANCEL);
			continue;
		}
		if (!e->forced && e->state != EXEC_ENDED) {
			e->forced = true;
			e->reason = WIRE_BY_CANCEL;
		}
		tsb_cancel_signal(e->run.cancel, SIGTERM, true);
	}
}

/* ---- The machine's thread ---- */

static void *machine_main(void *arg)
{
	struct server *s = arg;

	/* What was posted waits for it, so it must come. */
	while (tsb_serve(virtual_sandbox(s->box), s->stop) == TSB_ERR_MEMORY)
		nanosleep(&(struct timespec){ 0, SERVE_AGAIN }, NULL);
	return NULL;
}

bool server_serve(struct server *s)
{
	pthread_attr_t attr;
	int rc;

	if (s->served)
		return true;
	if (!s->stop)
		s->stop = tsb_cancel_new();
	errno = ENOMEM;
	if (!s->stop)
		return false;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, MACHINE_STACK);
	rc = pthread_create(&s->machine, &attr, machine_main, s);
	pthread_attr_destroy(&attr);
	errno = rc;
	s->served = !rc;
	return s->served;
}

static void serve_no_more(struct server *s)
{
	if (!s->served)
		return;
	tsb_cancel_now(s->stop);
	pthread_join(s->machine, NULL);
	s->served = false;
}

/* ---- The CPU quota: all runs wait for the rest of a period when it is spent ---- */

static void quota(struct server *s, uint64_t now)
{
	uint64_t used = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t share = CPU_PERIOD / 1000 * s->spec->cpu;

	if (now >= s->cpu_period + CPU_PERIOD) {
		uint64_t periods = (now - s->cpu_period) / CPU_PERIOD;

		s->cpu_period += periods * CPU_PERIOD;
		/* What was used too much is paid for, what was not used is lost. */
		s->cpu_used += periods * share;
		if (s->cpu_used > used)
			s->cpu_used = used;
	}
	if ((used >= s->cpu_used + share) == s->throttled)
		return;
	s->throttled = !s->throttled;
	server_pause(s);
}

/* ---- Timers ---- */

static void earliest(uint64_t *first, uint64_t at)
{
	if (at && at < *first)
		*first = at;
}

static int timeout(struct server *s, uint64_t now)
{
	uint64_t first = UINT64_MAX;

	for (struct exec *e = s->execs; e; e = e->next)
		if (e->posted)
			earliest(&first, exec_next_timer(e));
	for (struct conn *c = s->conns; c; c = c->next) {
		earliest(&first, c->deadline);
		if (c->state == CONN_EXEC)
			earliest(&first, c->since + ALIVE_EVERY);
	}
	if (s->n_running || s->unsaved)
		earliest(&first, s->commit_at);
	if (s->stopping)
		earliest(&first, s->stop_at);
	else
		earliest(&first, s->look_at);
	if (s->n_running && s->spec->cpu)
		earliest(&first, now + CPU_LOOK);
	if (first <= now)
		return 0;
	return first - now > 3600 * NS ? 3600000 : (int)((first - now) / 1000000) + 1;
}

static void conn_timer(struct conn *c, uint64_t now)
{
	if (c->dead)
		return;
	if (c->deadline && now >= c->deadline) {
		if (c->state == CONN_WAIT) {
			c->exec = NULL;
			conn_error(c, WIRE_ERROR_TIMEOUT, 0, "it has not ended in that time");
		} else {
			conn_drop(c);
		}
	} else if (c->state == CONN_EXEC && now >= c->since + ALIVE_EVERY) {
		c->since = now;
		wire_begin(&c->out, WIRE_ALIVE);
		wire_end(&c->out);
		conn_flush(c);
	}
}

/* Nobody can reach a box whose directory was removed: it ends, with all that runs in it. */
static void look(struct server *s, uint64_t now)
{
	struct stat st;

	s->look_at = now + (s->looks ? LOOK_SOON : LOOK_EVERY);
	s->looks -= s->looks > 0;
	if ((!fstat(s->dir, &st) && !st.st_nlink) ||
	    (fstatat(s->dir, "lock", &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT))
		server_stop(s, 0);
}

static void timers(struct server *s, uint64_t now)
{
	if (!s->stopping && now >= s->look_at)
		look(s, now);
	for (struct exec *e = s->execs; e; e = e->next)
		exec_poll(e, now);
	for (struct conn *c = s->conns; c; c = c->next)
		conn_timer(c, now);
	if ((s->n_running || s->unsaved) && now >= s->commit_at)
		server_commit(s);
	if (s->stopping && now >= s->stop_at) {
		s->stop_at = UINT64_MAX;
		server_stop(s, 0);
	}
	if (s->n_running && s->spec->cpu)
		quota(s, now);
}

/* ---- The loop ---- */

static void sweep(struct server *s)
{
	struct conn **at = &s->conns;
	bool any = false;

	while (*at) {
		struct conn *c = *at;

		if (!c->dead) {
			at = &c->next;
			continue;
		}
		if (s->stopper == c)
			s->stopper = NULL;
		*at = c->next;
		s->n_conns--;
		any = true;
		conn_free(c);
	}
	if (any || s->n_ended > RECORDS_MAX)
		records_prune(s);
}

static void on_signal(struct server *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGIO) {
			s->looks = LOOKS_SOON;
			s->look_at = 0;
		}
		if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
			server_stop(s, 0);
	}
}

static void one_event(struct server *s, const struct epoll_event *ev)
{
	uint64_t count;

	if (ev->data.ptr == &s->listener) {
		conn_accept(s);
	} else if (ev->data.ptr == &s->notify) {
		if (read(s->notify, &count, sizeof(count)) < 0)
			return;
	} else if (ev->data.ptr == &s->signals) {
		on_signal(s);
	} else {
		conn_ready(ev->data.ptr, ev->events);
	}
}

/* The last OK, for as long as its reader may take. */
static void last_words(struct server *s)
{
	uint64_t until = now_ns() + LAST_WORDS;
	struct epoll_event ev[16];
	bool waiting = true;

	if (s->stopper)
		conn_ok(s->stopper);
	while (waiting && now_ns() < until) {
		waiting = false;
		for (struct conn *c = s->conns; c; c = c->next)
			waiting |= !c->dead && c->state == CONN_LAST && c->out.size;
		if (waiting) {
			int n = epoll_wait(s->epoll, ev, 16, 50);

			for (int i = 0; i < n; i++)
				if (ev[i].data.ptr != &s->listener)
					one_event(s, &ev[i]);
		}
	}
}

static bool watch(struct server *s, int fd, int *tag)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = tag };

	return !epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev);
}

int server_main(struct server *s)
{
	struct epoll_event ev[64];

	s->cpu_period = now_ns();
	s->cpu_used = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (!watch(s, s->listener, &s->listener) || !watch(s, s->notify, &s->notify) ||
	    !watch(s, s->signals, &s->signals))
		return 1;
	while (!s->stopping || s->n_running) {
		int n = epoll_wait(s->epoll, ev, 64, timeout(s, now_ns()));

		for (int i = 0; i < n; i++)
			one_event(s, &ev[i]);
		timers(s, now_ns());
		sweep(s);
	}
	serve_no_more(s);
	server_commit(s);
	/* A client that stops the box may trust in it; whoever kills it wants it gone. */
	if (s->stopper && !s->unsaved && virtual_sync(s->box))
		s->unsaved = true;
	/* Whoever hears the OK may start the box again at once. */
	unlinkat(s->dir, "socket", 0);
	close(s->lock);
	last_words(s);
	return s->unsaved ? 1 : 0;
}
