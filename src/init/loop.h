/*
 * The server's loop: descriptors that become ready and timers that fire, one at a time, so that a
 * callback may close or free anything but the watch that it was called for, and that too as its
 * last act.
 */
#ifndef INIT_LOOP_H
#define INIT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct watch {
	int fd;			/* -1: none */
	uint32_t want;		/* events of epoll that are waited for now; 0: not in the set */
	void (*ready)(void *owner, uint32_t events);
	void *owner;
};

struct timer {
	uint64_t at;		/* ns, monotonic; 0: off */
	void (*fire)(void *owner);
	void *owner;
	struct timer *next;
};

struct loop {
	int epoll;
	struct timer *timers;
	bool ended;		/* set it, and loop_run() returns */
};

uint64_t now_mono(void);
uint64_t now_real(void);
uint64_t time_after(uint64_t ns);	/* from now, monotonic; however long that is */

bool loop_open(struct loop *l);
/* EPOLLRDHUP and errors are told whenever anything is waited for. False: errno. */
bool watch_want(struct loop *l, struct watch *w, uint32_t events);
/* out of the set and closed */
void watch_close(struct loop *l, struct watch *w);
void timer_set(struct loop *l, struct timer *t, uint64_t at);
void timer_stop(struct loop *l, struct timer *t);
void loop_run(struct loop *l);

/*
 * A server's signals: each by default, whatever the caller had ignored (commands inherit that),
 * all blocked; SIGCHLD and SIGTERM come by the descriptor that is returned, or -1. flags:
 * signalfd's.
 */
int loop_take_signals(int flags);

#endif
