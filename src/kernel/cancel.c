/*
 * A run from outside, from another thread or a signal handler: one word of bits, and a
 * futex on it that a sleeping run waits for. The end (CANCEL_END) is only ever set, so
 * any number of runs may look at it; signals, waking and pausing are for one run. A run
 * without a cancel object sleeps on nothing. The runs of a machine sleep together, on a
 * bell: a counter, rung whenever any of them is asked for anything.
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

enum { CANCEL_END = 1, CANCEL_SIGNAL = 2, CANCEL_WAKE = 4, CANCEL_PAUSE = 8,
       CANCEL_SIZE = 16 };

struct bell {
	atomic_uint count, refs;
};

struct tsb_cancel {
	atomic_uint asked;
	atomic_ullong group, all;	/* signals, by SIGNAL_BIT() */
	_Atomic(struct bell *) bell;	/* NULL, or one for ever: who asks may be slow; counted */
	atomic_ullong size;		/* of the terminal, see size_word(); 0: none that is new */
};

struct tsb_cancel *tsb_cancel_new(void)
{
	return calloc(1, sizeof(struct tsb_cancel));
}

void tsb_cancel_free(struct tsb_cancel *c)
{
	if (c)
		bell_put(atomic_load(&c->bell));
	free(c);
}

static void word_wake(atomic_uint *word)
{
#ifdef __linux__
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	errno = saved;
#else
	(void)word;
#endif
}

/* Until the word is not that any more, or ns have passed. */
static void word_wait(atomic_uint *word, unsigned is, int64_t ns)
{
	struct timespec t = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };

#ifdef __linux__
	if (word) {
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, &t, NULL, 0);
		return;
	}
#endif
	(void)is;
	nanosleep(&t, NULL);
}

static void cancel_tell(struct tsb_cancel *c)
{
	struct bell *bell = atomic_load_explicit(&c->bell, memory_order_acquire);

	word_wake(&c->asked);
	if (bell)
		bell_ring(bell);
}

static void cancel_ask(struct tsb_cancel *c, unsigned bit)
{
	if (!(atomic_fetch_or_explicit(&c->asked, bit, memory_order_acq_rel) & bit))
		cancel_tell(c);
}

void tsb_cancel_now(struct tsb_cancel *c)
{
	if (c)
		cancel_ask(c, CANCEL_END);
}

void tsb_cancel_wake(struct tsb_cancel *c)
{
	if (c)
		cancel_ask(c, CANCEL_WAKE);
}

void tsb_cancel_pause(struct tsb_cancel *c, bool on)
{
	if (c && on) {
		cancel_ask(c, CANCEL_PAUSE);
	} else if (c) {
		atomic_fetch_and_explicit(&c->asked, ~(unsigned)CANCEL_PAUSE, memory_order_acq_rel);
		cancel_tell(c);
	}
}

int tsb_cancel_signal(struct tsb_cancel *c, int sig, bool all)
{
	if (!c || sig < 1 || sig > N_SIGNALS)
		return TSB_ERR_ARGUMENT;
	atomic_fetch_or_explicit(all ? &c->all : &c->group, SIGNAL_BIT(sig), memory_order_release);
	cancel_ask(c, CANCEL_SIGNAL);
	return TSB_OK;
}

/* One word, so that it can be set from anywhere; above it a bit, for 0 by 0 is a size too. */
static unsigned long long size_word(uint16_t rows, uint16_t columns)
{
	return 1ull << 32 | (unsigned long long)rows << 16 | columns;
}

void tsb_cancel_resize(struct tsb_cancel *c, uint16_t rows, uint16_t columns)
{
	if (!c)
		return;
	atomic_store_explicit(&c->size, size_word(rows, columns), memory_order_release);
	cancel_ask(c, CANCEL_SIZE);
}

/* ---- The run's side ---- */

static unsigned cancel_bits(const struct tsb_cancel *c)
{
	return c ? atomic_load_explicit(&c->asked, memory_order_acquire) : 0;
}

bool cancel_asked(const struct tsb_cancel *c)
{
	return cancel_bits(c) & CANCEL_END;
}

bool cancel_pending(const struct tsb_cancel *c)
{
	return cancel_bits(c) & ~(unsigned)CANCEL_END;
}

static int cancel_take(atomic_ullong *set)
{
	unsigned long long all = atomic_load_explicit(set, memory_order_acquire);
	int sig = all ? __builtin_ctzll(all) + 1 : 0;

	if (sig)
		atomic_fetch_and_explicit(set, ~SIGNAL_BIT(sig), memory_order_acq_rel);
	return sig;
}

/* The bit is cleared before the sets are looked at, so none is overlooked. */
int cancel_take_signal(struct tsb_cancel *c, bool *all)
{
	int sig;

	if (!(atomic_fetch_and_explicit(&c->asked, ~(unsigned)CANCEL_SIGNAL, memory_order_acq_rel) &
	      CANCEL_SIGNAL))
		return 0;
	*all = false;
	sig = cancel_take(&c->group);
	if (!sig) {
		*all = true;
		sig = cancel_take(&c->all);
	}
	if (atomic_load(&c->group) | atomic_load(&c->all))
		atomic_fetch_or_explicit(&c->asked, CANCEL_SIGNAL, memory_order_acq_rel);
	return sig;
}

bool cancel_take_wake(struct tsb_cancel *c)
{
	return atomic_fetch_and_explicit(&c->asked, ~(unsigned)CANCEL_WAKE, memory_order_acq_rel) &
	       CANCEL_WAKE;
}

bool cancel_take_size(struct tsb_cancel *c, struct tsb_winsize *size)
{
	unsigned long long word;

	if (!(atomic_fetch_and_explicit(&c->asked, ~(unsigned)CANCEL_SIZE, memory_order_acq_rel) &
	      CANCEL_SIZE))
		return false;
	word = atomic_exchange_explicit(&c->size, 0, memory_order_acq_rel);
	*size = (struct tsb_winsize){ (uint16_t)(word >> 16), (uint16_t)word };
	return word != 0;
}

static bool paused(unsigned bits)
{
	return bits & CANCEL_PAUSE && !(bits & CANCEL_END);
}

bool cancel_paused(const struct tsb_cancel *c)
{
	return paused(cancel_bits(c));
}

void cancel_pause_wait(struct tsb_cancel *c)
{
	for (;;) {
		unsigned bits = cancel_bits(c);

		if (!paused(bits))
			return;
		word_wait(&c->asked, bits, NSEC_PER_SEC);
	}
}

void cancel_wait(struct tsb_cancel *c, int64_t ns)
{
	if (ns <= 0 || cancel_bits(c))
		return;
#ifndef __linux__
	/* Nothing can wake us: look again every 10 ms. */
	if (c && ns > 10 * NSEC_PER_MSEC)
		ns = 10 * NSEC_PER_MSEC;
#endif
	word_wait(c ? &c->asked : NULL, 0, ns);
}

/* ---- Bells ---- */

struct bell *bell_new(void)
{
	struct bell *b = calloc(1, sizeof(*b));

	if (b)
		atomic_init(&b->refs, 1);
	return b;
}

void bell_put(struct bell *b)
{
	if (b && atomic_fetch_sub(&b->refs, 1) == 1)
		free(b);
}

void bell_ring(struct bell *b)
{
	atomic_fetch_add(&b->count, 1);
	word_wake(&b->count);
}

unsigned bell_count(const struct bell *b)
{
	return atomic_load(&b->count);
}

void bell_wait(struct bell *b, unsigned count, int64_t ns)
{
#ifndef __linux__
	if (ns > 10 * NSEC_PER_MSEC)
		ns = 10 * NSEC_PER_MSEC;
#endif
	word_wait(&b->count, count, ns);
}

bool cancel_ring(struct tsb_cancel *c, struct bell *bell)
{
	struct bell *none = NULL;

	if (!c || atomic_load(&c->bell) == bell)
		return true;
	atomic_fetch_add(&bell->refs, 1);
	if (atomic_compare_exchange_strong(&c->bell, &none, bell))
		return true;
	bell_put(bell);
	return none == bell;
}
