/*
 * See confine.h. The filter is read from top to bottom: two instructions for a call, so a list is in
 * the order in which its program makes the calls. Both architectures are little-endian, so the low
 * half of an argument comes first.
 */
#include "confine/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0	/* unknown: no filter */
#endif

#define X32_BIT 0x40000000u	/* in the numbers of calls of x86-64's other way */
#define CAPABILITIES 64

/* ---- System calls ---- */

static void put(struct confine_filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (f->n < CONFINE_FILTER_MAX)
		f->code[f->n++] = (struct sock_filter){ code, yes, no, k };
	else
		f->full = true;
}

static void load(struct confine_filter *f, size_t offset)
{
	put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void give(struct confine_filter *f, uint32_t action)
{
	put(f, BPF_RET | BPF_K, action, 0, 0);
}

bool confine_filter_possible(void)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	return ARCH && !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

void confine_filter_begin(struct confine_filter *f)
{
	f->n = 0;
	f->full = false;
	load(f, offsetof(struct seccomp_data, arch));
	put(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	give(f, SECCOMP_RET_KILL_PROCESS);
	load(f, offsetof(struct seccomp_data, nr));
	if (ARCH == AUDIT_ARCH_X86_64) {
		put(f, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
		give(f, SECCOMP_RET_KILL_PROCESS);
	}
}

void confine_filter_call(struct confine_filter *f, int call, uint32_t action)
{
	put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
	give(f, action);
}

void confine_filter_calls(struct confine_filter *f, const int *calls, size_t n, uint32_t action)
{
	for (size_t i = 0; i < n; i++)
		confine_filter_call(f, calls[i], action);
}

void confine_filter_argument(struct confine_filter *f, int call, unsigned which, uint32_t mask,
			     uint32_t want, uint32_t otherwise)
{
	put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 5);
	load(f, offsetof(struct seccomp_data, args) + which * sizeof(uint64_t));
	put(f, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	put(f, BPF_JMP | BPF_JEQ | BPF_K, want, 0, 1);
	give(f, SECCOMP_RET_ALLOW);
	give(f, otherwise);
}

bool confine_filter_enter(struct confine_filter *f, uint32_t rest)
{
	struct sock_fprog program = { .filter = f->code };

	give(f, rest);
	if (!ARCH || f->full) {
		errno = ARCH ? E2BIG : ENOSYS;
		return false;
	}
	program.len = (unsigned short)f->n;
	return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* ---- Privileges ---- */

bool confine_capabilities(uint32_t keep)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { keep, keep, 0 }, { 0, 0, 0 } };

	for (int cap = 0; cap < CAPABILITIES; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);	/* fails without the right to: then no matter */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return !syscall(SYS_capset, &head, data);
}

void confine_memory(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
