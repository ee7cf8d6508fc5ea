/*
 * Fibers: what is the same on every machine. The switch itself is a dozen
 * instructions in fiber_ARCH.S that save the callee-saved registers on the old
 * stack and load them from the new one. Around it AddressSanitizer is told
 * which stack begins, because it keeps shadow frames and bounds for each.
 */
#include "kernel/fiber.h"

#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif

#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>

void fiber_forget(struct stack *s)
{
	if (s->thread)
		__tsan_destroy_fiber(s->thread);
	s->thread = NULL;
}

/* To ThreadSanitizer every fiber is a thread, of which one runs at a time. */
static void fiber_known(struct fiber *f, struct stack *s)
{
	fiber_forget(s);
	f->thread = s->thread = __tsan_create_fiber(0);
}

#define fiber_thread(from) ((from)->thread = __tsan_get_current_fiber())
#define fiber_threads(to) __tsan_switch_to_fiber((to)->thread, 0)
#else
#define fiber_known(f, s) ((void)0)
#define fiber_thread(from) ((void)0)
#define fiber_threads(to) ((void)0)

void fiber_forget(struct stack *s)
{
	(void)s;
}
#endif

#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

/* These run while AddressSanitizer changes stacks: with no shadow frame of
 * their own, which may be gone by then. */
#define FIBER_RAW __attribute__((no_sanitize("address")))

/* The thread's own stack is known only once it has been left: the fiber that
 * begins is told its bounds and notes them in the one that was left. */
static FIBER_RAW void fiber_depart(struct fiber *from, void **fake, struct fiber *to)
{
	to->before = from;
	__sanitizer_start_switch_fiber(fake, to->low, to->size);
}

static FIBER_RAW void fiber_arrive(struct fiber *now)
{
	const void *low = NULL;
	size_t size = 0;

	__sanitizer_finish_switch_fiber(now->fake, &low, &size);
	if (now->before && !now->before->size) {
		now->before->low = low;
		now->before->size = size;
	}
}
#else
#define FIBER_RAW
#define fiber_depart(from, fake, to) ((void)0)
#define fiber_arrive(now) ((void)(now))
#endif

static FIBER_RAW void fiber_begin(void *arg)
{
	struct fiber *f = arg;

	fiber_arrive(f);
	for (;;)	/* the contract: fn leaves, it does not return */
		f->fn(f->arg);
}

void fiber_make(struct fiber *f, struct stack *s, fiber_fn *fn, void *arg)
{
#ifdef FIBER_ASAN
	/* Frames that were dropped, not left, are still marked. */
	__asan_unpoison_memory_region(s->low, (size_t)(s->top - s->low));
#endif
	fiber_known(f, s);
	f->low = s->low;
	f->size = (size_t)(s->top - s->low);
	f->fake = NULL;
	f->fn = fn;
	f->arg = arg;
	f->sp = fiber_prepare_(s, fiber_begin, f);
}

FIBER_RAW void fiber_switch(struct fiber *from, struct fiber *to)
{
	fiber_depart(from, &from->fake, to);
	fiber_thread(from);
	fiber_threads(to);
	fiber_swap_(&from->sp, to->sp);
	fiber_arrive(from);
}

FIBER_RAW void fiber_leave(struct fiber *to)
{
	void *unused;

	fiber_depart(NULL, NULL, to);
	fiber_threads(to);
	for (;;)	/* once: nobody continues it */
		fiber_swap_(&unused, to->sp);
}
