/*
 * Stacks: mapped once, with a page below that may not be touched, and then
 * reused. The newest is taken first, so its pages and cache lines are warm: a
 * page fault on a virtual machine costs more than a whole small command. The
 * tops differ by a few cache lines from stack to stack, for all stacks begin
 * at the same place of a page and would otherwise fight for the same lines.
 */
#include "base/heap_chunk.h"
#include "kernel/fiber.h"

#include <stdint.h>
#include <sys/mman.h>

#if defined(__has_include) && !defined(NVALGRIND)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef VALGRIND_STACK_REGISTER
#define VALGRIND_STACK_REGISTER(low, high) 0u
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

#define STACK_GUARD ((size_t)4096 * 16)	/* a page on every machine: up to 64 KiB */
#define STACKS_WARM 32
#define STACKS_COLD 224

static struct stack *stack_map(struct stack_pool *pool)
{
	char *at = mmap(NULL, STACK_GUARD + STACK_SIZE, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct stack *s;
	char *top;

	if (at == MAP_FAILED)
		return NULL;
	if (mprotect(at + STACK_GUARD, STACK_SIZE, PROT_READ | PROT_WRITE)) {
		munmap(at, STACK_GUARD + STACK_SIZE);
		return NULL;
	}
	/* What was mapped there before may have left its poison. */
	HEAP_UNPOISON(at + STACK_GUARD, STACK_SIZE);
	top = at + STACK_GUARD + STACK_SIZE - sizeof(*s);
	top -= 320 * (size_t)(pool->made++ % 11);
	s = (struct stack *)((uintptr_t)top & ~(uintptr_t)63);
	s->low = at + STACK_GUARD;
	s->top = (char *)s;
	s->valgrind_id = VALGRIND_STACK_REGISTER(s->low, s->top);
	return s;
}

static void stack_unmap(struct stack *s)
{
	VALGRIND_STACK_DEREGISTER(s->valgrind_id);
	fiber_forget(s);
	/* What is mapped here next (a guest's memory) is not full of our dropped frames. */
	HEAP_UNPOISON(s->low, STACK_SIZE);
	munmap(s->low - STACK_GUARD, STACK_GUARD + STACK_SIZE);
}

struct stack *stack_take(struct stack_pool *pool)
{
	struct stack *s = pool->warm;

	if (s) {
		pool->warm = s->next;
		pool->n_warm--;
		return s;
	}
	s = pool->cold;
	if (!s)
		return stack_map(pool);
	pool->cold = s->next;
	pool->n_cold--;
	return s;
}

void stack_give(struct stack_pool *pool, struct stack *s)
{
	s->next = pool->warm;
	pool->warm = s;
	pool->n_warm++;
}

/* After a deep recursion warm stacks would hold megabytes. */
static void stack_shrink(struct stack_pool *pool)
{
	for (struct stack *s = pool->warm; s; s = s->next) {
		size_t below = (size_t)(s->top - s->low) - STACK_USUAL;

		madvise(s->low, below & ~(size_t)0xffff, MADV_DONTNEED);
	}
	pool->deep = false;
}

void stack_trim(struct stack_pool *pool)
{
	if (pool->deep)
		stack_shrink(pool);
	while (pool->n_warm > STACKS_WARM) {
		struct stack *s = stack_take(pool);
		size_t below = (size_t)(s->top - s->low) & ~(size_t)0xffff;

		if (pool->n_cold >= STACKS_COLD) {
			stack_unmap(s);
			continue;
		}
		/* The page with the struct stays. */
		madvise(s->low, below, MADV_DONTNEED);
		s->next = pool->cold;
		pool->cold = s;
		pool->n_cold++;
	}
}

void stack_pool_end(struct stack_pool *pool)
{
	while (pool->warm || pool->cold)
		stack_unmap(stack_take(pool));
}
