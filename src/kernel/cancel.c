/*
 * Cancelling from another thread or a signal handler: one flag, and a futex on
 * it that a sleeping run waits for. The flag is only ever set, so any number of
 * runs may look at it. A run without a cancel object sleeps on nothing.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

struct tsb_cancel {
	atomic_uint asked;
};

struct tsb_cancel *tsb_cancel_new(void)
{
	return calloc(1, sizeof(struct tsb_cancel));
}

void tsb_cancel_free(struct tsb_cancel *c)
{
	free(c);
}

void tsb_cancel_now(struct tsb_cancel *c)
{
	int saved = errno;

	if (!c)
		return;
	atomic_store_explicit(&c->asked, 1, memory_order_release);
#ifdef __linux__
	syscall(SYS_futex, &c->asked, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
#endif
	errno = saved;
}

bool cancel_asked(const struct tsb_cancel *c)
{
	return c && atomic_load_explicit(&c->asked, memory_order_acquire);
}

void cancel_wait(struct tsb_cancel *c, int64_t ns)
{
	struct timespec t;

	if (ns <= 0)
		return;
#ifndef __linux__
	/* Nothing can wake us: look again every 10 ms. */
	if (c && ns > 10 * NSEC_PER_MSEC)
		ns = 10 * NSEC_PER_MSEC;
#endif
	t.tv_sec = ns / NSEC_PER_SEC;
	t.tv_nsec = ns % NSEC_PER_SEC;
#ifdef __linux__
	if (c) {
		syscall(SYS_futex, &c->asked, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
		return;
	}
#endif
	nanosleep(&t, NULL);
}
