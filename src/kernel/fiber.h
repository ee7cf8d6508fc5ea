/*
 * Fibers: a function with a stack of its own that can be left in the middle and
 * continued. One thread only; whoever runs switches by name, there is no
 * scheduler here.
 *
 * A fiber that is never continued needs nothing: its stack may be given to
 * another one at once. AddressSanitizer, ThreadSanitizer and valgrind are told of every stack.
 */
#ifndef KERNEL_FIBER_H
#define KERNEL_FIBER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * ---- Stacks with a guard page below, kept warm. Address space is cheap and pages
 * come when touched, so a guest has what a program has on Linux, and there is room for
 * deep recursion of shell functions, which stop at half of it; code
 * that is neither keeps to 256 KiB. ----
 */

#define STACK_SIZE ((size_t)8 << 20)
#define STACK_SHELL ((size_t)4 << 20)
#define STACK_USUAL ((size_t)256 << 10)

struct stack {			/* lives in the topmost bytes of its stack */
	struct stack *next;
	char *low;		/* first usable byte */
	char *top;		/* first byte above what the fiber may use */
	unsigned valgrind_id;
	void *thread;		/* ThreadSanitizer's; it begins with NULL */
};

struct stack_pool {
	bool deep;		/* some stack went beyond STACK_USUAL in this run */
	struct stack *warm;	/* pages as they were left */
	struct stack *cold;	/* pages given back to the machine */
	size_t n_warm, n_cold;
	unsigned made;		/* gives every stack a slightly different top */
};

/* NULL when the machine has no memory. */
struct stack *stack_take(struct stack_pool *pool);
/* May be called while running on s, if s is left before the next stack_take(). */
void stack_give(struct stack_pool *pool, struct stack *s);
/* Gives pages beyond the cap back; not on a stack of the pool. */
void stack_trim(struct stack_pool *pool);
void stack_pool_end(struct stack_pool *pool);

/* ---- Fibers ---- */

typedef void fiber_fn(void *arg);

struct fiber {
	void *sp;		/* saved while it does not run */
	const void *low;	/* stack bounds, for AddressSanitizer */
	size_t size;
	void *fake;		/* AddressSanitizer's shadow frames */
	void *thread;		/* ThreadSanitizer's */
	struct fiber *before;	/* who ran before it was continued (AddressSanitizer) */
	fiber_fn *fn;
	void *arg;
};

/* The thread's own flow of control as a fiber; zeroed is ready. fn must never
 * return: it ends with fiber_leave(). */
void fiber_make(struct fiber *f, struct stack *s, fiber_fn *fn, void *arg);
/* Leaves `from` here and continues `to`; returns when someone continues `from`. */
void fiber_switch(struct fiber *from, struct fiber *to);
/* Continues `to`; the running fiber is never continued. */
void fiber_leave(struct fiber *to) __attribute__((noreturn));

/* Before the stack is unmapped. */
void fiber_forget(struct stack *s);

/* The machine's part (fiber_ARCH.S or fiber_ucontext.c). */
void fiber_swap_(void **save_sp, void *to_sp);
/* The saved stack pointer of a fiber that will begin in fn(arg). */
void *fiber_prepare_(struct stack *s, fiber_fn *fn, void *arg);

#endif
