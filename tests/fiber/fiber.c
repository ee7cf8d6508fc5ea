/*
 * The switch of fibers, alone: with the machine's assembly, with ucontext, and (tests/fiber/run) as aarch64
 * code. Integer and floating-point registers, order, depth, and stacks that are dropped in the middle.
 */
#include "kernel/fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64

static struct fiber home, fibers[N];
static struct stack_pool pool;
static struct stack *stacks[N];
static int n_tests, failed;
static unsigned turns[N];

static void ok(int good, const char *what)
{
	failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++n_tests, what);
}

/* Keeps more values in use over the switch than there are callee-saved registers. */
static void spin(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;
	uint64_t a = me, b = me * 3, c = me * 5, d = me * 7, e = me * 11, f = me * 13, g = me * 17;
	double p = (double)me, q = p / 3, r = p / 7, s = p / 11, t = p / 13, u = p / 17, v = p / 19;

	for (;;) {
		uint64_t whole = a * 2 + b + c + d + e + f + g;
		double parts = p + q * 3 + r * 7 + s * 11 + t * 13 + u * 17 + v * 19;

		if (whole != me * 58 || parts < (double)me * 6.999 || parts > (double)me * 7.001)
			turns[me] = UINT32_MAX / 2;
		turns[me]++;
		fiber_switch(&fibers[me], &home);
		if (turns[me] == 0)	/* never: so that the compiler keeps all of them */
			a++, b++, c++, d++, e++, f++, g++, p++, q++, r++, s++, t++, u++, v++;
	}
}

static void begin(size_t i, fiber_fn *fn)
{
	stacks[i] = stack_take(&pool);
	if (!stacks[i])
		exit(1);
	fiber_make(&fibers[i], stacks[i], fn, (void *)(uintptr_t)i);
}

static void test_registers(void)
{
	int good = 1;

	for (size_t i = 0; i < N; i++)
		begin(i, spin);
	for (int round = 0; round < 1000; round++)
		for (size_t i = 0; i < N; i++)
			fiber_switch(&home, &fibers[(i * 7) % N]);
	for (size_t i = 0; i < N; i++)
		good &= turns[i] == 1000;
	ok(good, "registers live through a thousand switches of 64 fibers");
	for (size_t i = 0; i < N; i++)
		stack_give(&pool, stacks[i]);	/* dropped in the middle */
}

static unsigned depth(unsigned n)
{
	volatile char frame[512];

	memset((char *)frame, (int)n, sizeof(frame));
	if (n == 0)
		return 0;
	if (n % 1000 == 0)
		fiber_switch(&fibers[0], &home);
	return depth(n - 1) + ((unsigned char)frame[17] == (unsigned char)n);
}

static void deep(void *arg)
{
	(void)arg;
	turns[0] = depth(4000);
	fiber_leave(&home);
}

static void test_depth(void)
{
	begin(0, deep);
	turns[0] = 0;
	for (int i = 0; i < 5; i++)
		fiber_switch(&home, &fibers[0]);
	ok(turns[0] == 4000, "frames survive switches in a deep recursion");
	stack_give(&pool, stacks[0]);
	stack_trim(&pool);
}

static void chain(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;

	turns[me] = (unsigned)me + 1;
	if (me + 1 < N)
		fiber_switch(&fibers[me], &fibers[me + 1]);
	fiber_leave(me ? &fibers[me - 1] : &home);
}

static void test_chain(void)
{
	int good = 1;

	memset(turns, 0, sizeof(turns));
	for (size_t i = 0; i < N; i++)
		begin(i, chain);
	fiber_switch(&home, &fibers[0]);
	for (size_t i = 0; i < N; i++)
		good &= turns[i] == i + 1;
	ok(good, "one fiber continues the next, and each leaves to the one before");
	for (size_t i = 0; i < N; i++)
		stack_give(&pool, stacks[i]);
}

int main(void)
{
	test_registers();
	test_depth();
	test_chain();
	stack_pool_end(&pool);
	printf("1..%d\n", n_tests);
	return failed != 0;
}
