/*
 * clone3 with a stack of its own: the C library has no call for it, so the few instructions behind
 * the system call are here. A group entered at birth costs nothing; moving a process there later
 * waits for all processors.
 */
#include "init/spawn.h"

#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
static long clone3(struct clone_args *a, int (*run)(void *), void *ctx)
{
	register int (*to_run)(void *) __asm__("r12") = run;
	register void *with __asm__("r13") = ctx;
	long result = SYS_clone3;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%r13, %%rdi\n\t"
			 "call *%%r12\n\t"
			 "mov $60, %%eax\n\t"
			 "mov $127, %%edi\n\t"
			 "syscall\n"
			 "1:"
			 : "+a"(result)
			 : "D"(a), "S"(sizeof(*a)), "r"(to_run), "r"(with)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static long clone3(struct clone_args *a, int (*run)(void *), void *ctx)
{
	register long number __asm__("x8") = SYS_clone3;
	register long result __asm__("x0") = (long)a;
	register size_t size __asm__("x1") = sizeof(*a);
	register int (*to_run)(void *) __asm__("x20") = run;
	register void *with __asm__("x21") = ctx;

	__asm__ volatile("svc #0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x0, x21\n\t"
			 "blr x20\n\t"
			 "mov x8, #93\n\t"
			 "mov x0, #127\n\t"
			 "svc #0\n"
			 "1:"
			 : "+r"(result)
			 : "r"(number), "r"(size), "r"(to_run), "r"(with)
			 : "memory", "cc");
	return result;
}
#else
static long clone3(struct clone_args *a, int (*run)(void *), void *ctx)
{
	(void)a, (void)run, (void)ctx;
	return -1;
}
#endif

pid_t spawn_vfork(int (*run)(void *ctx), void *ctx, char *stack, size_t size, int group,
		  bool *entered)
{
	struct clone_args a = {.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD, .stack = (uint64_t)(uintptr_t)stack, .stack_size = size,
		.cgroup = (unsigned)group};
	long pid = -1;

	*entered = true;
	if (group >= 0)
		pid = clone3(&a, run, ctx);
	if (pid > 0)
		return (pid_t)pid;
	*entered = false;
	return clone(run, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, ctx);
}
