/*
 * What is given up before the first byte of a box is read: files (Landlock, and no call that opens one), new sockets,
 * programs, processes, capabilities, core files. What is left moves bytes between descriptors.
 */
#include "egress/egress.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define EGRESS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define EGRESS_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef EGRESS_ARCH
static const int allowed[] = {
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg,
	SYS_shutdown, SYS_accept4, SYS_getsockopt, SYS_epoll_ctl, SYS_epoll_pwait, SYS_munmap, SYS_mremap,
	SYS_madvise, SYS_brk, SYS_futex, SYS_getrandom, SYS_clock_gettime, SYS_gettimeofday, SYS_exit,
	SYS_exit_group, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_restart_syscall, SYS_getpid,
	SYS_gettid, SYS_geteuid, SYS_fcntl, SYS_munlock, SYS_dup3,
#if defined(__x86_64__)
	SYS_epoll_wait, SYS_time, SYS_dup2,
#endif
};

/* Neither does this: whoever does has taken us over. */
static const int fatal[] = {
	SYS_execve, SYS_execveat, SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_clone, SYS_clone3, SYS_ptrace,
	SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount, SYS_unshare, SYS_setns, SYS_bpf, SYS_keyctl,
	SYS_add_key, SYS_open_by_handle_at, 425 /* io_uring_setup */,
#if defined(__x86_64__)
	SYS_fork, SYS_vfork,
#endif
};

enum { PROGRAM_MAX = 160 };

struct program {
	struct sock_filter at[PROGRAM_MAX];
	unsigned short n;
};

static void add(struct program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (p->n < PROGRAM_MAX)
		p->at[p->n++] = (struct sock_filter){code, yes, no, k};
}

static void give_for(struct program *p, int number, uint32_t action)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
	add(p, BPF_RET | BPF_K, action, 0, 0);
}

/* Pages, but none that can be executed. */
static void allow_pages(struct program *p, int number)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
	add(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 16, 0, 0);
	add(p, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
	add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	add(p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
}

static bool filter(void)
{
	struct program p = {.n = 0};
	struct sock_fprog prog = {.filter = p.at};

	add(&p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	add(&p, BPF_JMP | BPF_JEQ | BPF_K, EGRESS_ARCH, 1, 0);
	add(&p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	add(&p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
#if defined(__x86_64__)
	add(&p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
	add(&p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
#endif
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		give_for(&p, allowed[i], SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		give_for(&p, fatal[i], SECCOMP_RET_KILL_PROCESS);
	allow_pages(&p, SYS_mmap);
	allow_pages(&p, SYS_mprotect);
	add(&p, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
	prog.len = p.n;
	return p.n < PROGRAM_MAX && !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}
#else
static bool filter(void)
{
	return true;
}
#endif

/* Where the kernel has it: no file at all, whatever a call may be named. */
static bool landlock(void)
{
	struct landlock_ruleset_attr a = {.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
	int fd = (int)syscall(SYS_landlock_create_ruleset, &a, sizeof(a.handled_access_fs), 0);
	bool good;

	if (fd < 0)
		return true;
	good = !syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
	return good;
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};

	for (int cap = 0; cap < 64; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);	/* fails without the right to: then no matter */
	return !syscall(SYS_capset, &head, data);
}

bool wall_raise(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && landlock() && drop_capabilities() && filter();
}
