/*
 * The switch on machines without an assembly file: ucontext. The context of a
 * fiber that does not run lies on its own stack, and its address is the saved
 * "stack pointer". Slower (each switch is a system call for the signal mask),
 * but the same behaviour, and a second opinion in tests.
 */
#include "kernel/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

struct fiber_context {
	ucontext_t uc;
	fiber_fn *fn;
	void *arg;
};

/* makecontext() hands over ints only. */
static void fiber_context_start(unsigned high, unsigned low)
{
	uintptr_t at = ((uintptr_t)high << 16 << 16) | low;
	struct fiber_context *c = (struct fiber_context *)at;

	c->fn(c->arg);
	abort();
}

void *fiber_prepare_(struct stack *s, fiber_fn *fn, void *arg)
{
	uintptr_t top = ((uintptr_t)s->top - sizeof(struct fiber_context)) & ~(uintptr_t)63;
	struct fiber_context *c = (struct fiber_context *)top;

	if (getcontext(&c->uc))
		abort();
	c->fn = fn;
	c->arg = arg;
	c->uc.uc_stack.ss_sp = s->low;
	c->uc.uc_stack.ss_size = top - (uintptr_t)s->low;
	c->uc.uc_link = NULL;
	makecontext(&c->uc, (void (*)(void))(uintptr_t)fiber_context_start, 2,
		    (unsigned)(top >> 16 >> 16), (unsigned)top);
	return c;
}

void fiber_swap_(void **save_sp, void *to_sp)
{
	struct fiber_context here;

	*save_sp = &here;
	if (swapcontext(&here.uc, &((struct fiber_context *)to_sp)->uc))
		abort();
}
