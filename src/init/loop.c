/*
 * epoll with one event a turn (a callback may free what another event of the same turn would have
 * pointed to), and a list of timers: a box has few at a time.
 */
#include "init/loop.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t now_mono(void)
{
	return now(CLOCK_MONOTONIC);
}

uint64_t now_real(void)
{
	return now(CLOCK_REALTIME);
}

uint64_t time_after(uint64_t ns)
{
	uint64_t at = now_mono();

	return ns > UINT64_MAX - at ? UINT64_MAX : at + ns;
}

bool loop_open(struct loop *l)
{
	*l = (struct loop){.epoll = epoll_create1(EPOLL_CLOEXEC)};
	return l->epoll >= 0;
}

bool watch_want(struct loop *l, struct watch *w, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.ptr = w};
	int op = !w->want ? EPOLL_CTL_ADD : events ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;

	if (w->fd < 0 || events == w->want)
		return true;
	if (epoll_ctl(l->epoll, op, w->fd, &e) < 0)
		return false;
	w->want = events;
	return true;
}

void watch_close(struct loop *l, struct watch *w)
{
	if (w->fd < 0)
		return;
	watch_want(l, w, 0);
	close(w->fd);
	w->fd = -1;
}

void timer_stop(struct loop *l, struct timer *t)
{
	struct timer **at = &l->timers;

	if (!t->at)
		return;
	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	t->at = 0;
}

void timer_set(struct loop *l, struct timer *t, uint64_t at)
{
	timer_stop(l, t);
	t->at = at ? at : 1;
	t->next = l->timers;
	l->timers = t;
}

static struct timer *soonest(struct loop *l)
{
	struct timer *first = l->timers;

	for (struct timer *t = first; t; t = t->next)
		if (t->at < first->at)
			first = t;
	return first;
}

/* Milliseconds to wait, rounded up: a timer never fires early. */
static int wait_for(const struct timer *t, uint64_t at)
{
	uint64_t ms;

	if (!t)
		return -1;
	if (t->at <= at)
		return 0;
	ms = (t->at - at + 999999) / 1000000;
	return ms < 1000000 ? (int)ms : 1000000;
}

void loop_run(struct loop *l)
{
	struct epoll_event e;

	while (!l->ended) {
		struct timer *t = soonest(l);
		int n = epoll_wait(l->epoll, &e, 1, wait_for(t, t ? now_mono() : 0));

		if (n == 1) {
			struct watch *w = e.data.ptr;

			w->ready(w->owner, e.events);
		} else if (n < 0 && errno != EINTR) {
			return;
		}
		t = soonest(l);
		if (t && t->at <= now_mono()) {
			timer_stop(l, t);
			t->fire(t->owner);
		}
	}
}

/* By the kernel's own call: the C library hides two signals, and those can be ignored, too. */
static void defaults(void)
{
	struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); uint64_t mask; } as = {0};

	for (int sig = 1; sig <= 64; sig++)
		syscall(SYS_rt_sigaction, sig, &as, NULL, sizeof(as.mask));
}

int loop_take_signals(int flags)
{
	uint64_t all = UINT64_MAX;
	sigset_t set;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
	defaults();
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	return signalfd(-1, &set, SFD_CLOEXEC | flags);
}
