/*
 * What the worker gives up before the first client may speak: see engine.h. The filter is a list
 * of what a worker needs; nothing in it starts a program, makes a socket or reaches another
 * process. What no worker ever does ends the process, for then it is not ours any more.
 */
#include "engine/engine.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/confine.h"

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#define ACCESS_TRUNCATE (1ULL << 14)
#define ACCESS_IOCTL (1ULL << 15)
#define FCHMODAT2 452

/* ---- Landlock ---- */

/* The kernel's struct, which grows; an older kernel is given less of it. */
struct rules {
	uint64_t files, net, scope;
};

static size_t rules_for(int abi, struct rules *r)
{
	*r = (struct rules){ (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1, 0, 0 };
	if (abi >= 2)
		r->files |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		r->files |= ACCESS_TRUNCATE;
	if (abi >= 5)
		r->files |= ACCESS_IOCTL;
	if (abi >= 4)
		r->net = 3;	/* bind and connect, TCP */
	if (abi >= 6)
		r->scope = 3;	/* abstract sockets and signals */
	return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

static bool allow(int rules, int dir, uint64_t access)
{
	struct landlock_path_beneath_attr a = { .allowed_access = access, .parent_fd = dir };

	return !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
}

static bool landlock(int abi, int dir, int workspace, bool readonly)
{
	const uint64_t reads = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
	const uint64_t never = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
		LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SOCK | ACCESS_IOCTL;
	struct rules r;
	size_t size = rules_for(abi, &r);
	int fd = (int)syscall(SYS_landlock_create_ruleset, &r, size, 0);
	bool good;

	if (fd < 0)
		return false;
	good = allow(fd, dir, r.files & ~never);
	if (good && workspace >= 0)
		good = allow(fd, workspace, readonly ? reads : r.files & ~never);
	good = good && !syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
	return good;
}

/* ---- seccomp ---- */

static const int allowed[] = {
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_close, SYS_lseek,
	SYS_fstat, SYS_newfstatat, SYS_statx, SYS_fstatfs, SYS_getdents64, SYS_fcntl, SYS_flock,
	SYS_openat, SYS_openat2, SYS_mkdirat, SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_linkat,
	SYS_symlinkat, SYS_readlinkat, SYS_mknodat, SYS_fchmod, FCHMODAT2, SYS_fchown,
	SYS_fchownat, SYS_utimensat, SYS_ftruncate, SYS_fsync, SYS_fdatasync,
	SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex, SYS_exit, SYS_exit_group,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
	SYS_set_robust_list, SYS_rseq, SYS_sched_yield, SYS_sched_getaffinity, SYS_restart_syscall,
	SYS_epoll_pwait, SYS_epoll_ctl, SYS_accept4, SYS_recvfrom, SYS_sendto, SYS_shutdown,
	SYS_getsockopt, SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
	SYS_getrandom, SYS_gettid, SYS_getpid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
	SYS_uname, SYS_sysinfo, SYS_getrusage,
#if defined(__x86_64__)
	SYS_epoll_wait, SYS_rename, SYS_time,
#endif
};

/* No worker does this: whoever does has taken it over. */
static const int fatal[] = {
	SYS_execve, SYS_execveat, SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_ptrace,
	SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount, SYS_umount2, SYS_pivot_root,
	SYS_unshare, SYS_setns, SYS_bpf, SYS_keyctl, SYS_add_key, SYS_init_module,
	SYS_finit_module, SYS_kexec_load, SYS_perf_event_open, SYS_open_by_handle_at,
	425 /* io_uring_setup */, 428 /* open_tree */, 430 /* fsopen */,
#if defined(__x86_64__)
	SYS_fork, SYS_vfork,
#endif
};

static bool filter(void)
{
	const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
	struct confine_filter f;

	confine_filter_begin(&f);
	confine_filter_calls(&f, allowed, sizeof(allowed) / sizeof(*allowed), SECCOMP_RET_ALLOW);
	confine_filter_calls(&f, fatal, sizeof(fatal) / sizeof(*fatal), SECCOMP_RET_KILL_PROCESS);
	confine_filter_argument(&f, SYS_mmap, 2, PROT_EXEC, 0, refused);
	confine_filter_argument(&f, SYS_mprotect, 2, PROT_EXEC, 0, refused);
	/* Threads, no processes; clone3() keeps its flags where no filter sees them. */
	confine_filter_argument(&f, SYS_clone, 0, CLONE_VM | CLONE_THREAD, CLONE_VM | CLONE_THREAD, refused);
	confine_filter_call(&f, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
	confine_filter_argument(&f, SYS_tgkill, 0, UINT32_MAX, (uint32_t)getpid(), refused);
	return confine_filter_enter(&f, refused);
}

/* ---- Privileges ---- */

/* What writes into a workspace that is another user's. */
static uint32_t of_owner(void)
{
	return geteuid() ? 0 : 1u << CAP_DAC_OVERRIDE | 1u << CAP_CHOWN | 1u << CAP_FOWNER;
}

void wall_probe(struct wall *w)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	*w = (struct wall){ 0 };
	w->landlock_abi = abi > 0 ? (int)abi : 0;
	w->landlock = abi > 0;
	w->no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0;
	w->seccomp = confine_filter_possible();
}

bool wall_raise(struct wall *w, int dir, int workspace, bool readonly)
{
	confine_memory();
	if (w->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	if (w->landlock && !landlock(w->landlock_abi, dir, workspace, readonly))
		return false;
	if (!confine_capabilities(w->owner ? of_owner() : 0))
		return false;
	return !w->seccomp || filter();
}
