/*
 * What is given up before the first byte of a box is read: files (Landlock, and no call that opens one), new sockets,
 * programs, processes, capabilities, core files. What is left moves bytes between descriptors.
 */
#include "egress/egress.h"

#include <errno.h>
#include <linux/landlock.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/confine.h"

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

static bool filter(void)
{
	struct confine_filter f;

	confine_filter_begin(&f);
	confine_filter_calls(&f, allowed, sizeof(allowed) / sizeof(*allowed), SECCOMP_RET_ALLOW);
	confine_filter_calls(&f, fatal, sizeof(fatal) / sizeof(*fatal), SECCOMP_RET_KILL_PROCESS);
	/* Pages, but none that can be executed. */
	confine_filter_argument(&f, SYS_mmap, 2, PROT_EXEC, 0, SECCOMP_RET_KILL_PROCESS);
	confine_filter_argument(&f, SYS_mprotect, 2, PROT_EXEC, 0, SECCOMP_RET_KILL_PROCESS);
	return confine_filter_enter(&f, SECCOMP_RET_ERRNO | EPERM);
}

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

bool wall_raise(void)
{
	confine_memory();
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && landlock() && confine_capabilities(0) && filter();
}
