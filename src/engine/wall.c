/*
 * What the worker gives up before the first client may speak: see engine.h. The filter is a list
 * of what a worker needs; nothing in it starts a program, makes a socket or reaches another
 * process. What no worker ever does ends the process, for then it is not ours any more.
 */
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define WALL_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define WALL_ARCH AUDIT_ARCH_AARCH64
#endif

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

enum { PROGRAM_MAX = 256 };

struct program {
	struct sock_filter at[PROGRAM_MAX];
	unsigned short n;
};

static void add(struct program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (p->n < PROGRAM_MAX)
		p->at[p->n++] = (struct sock_filter){ code, yes, no, k };
}

static void load(struct program *p, size_t offset)
{
	add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void give(struct program *p, uint32_t action)
{
	add(p, BPF_RET | BPF_K, action, 0, 0);
}

static void give_for(struct program *p, int number, uint32_t action)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
	give(p, action);
}

/* The low half of an argument must have (mask: or not have) bits; little-endian machines. */
static void allow_if(struct program *p, int number, unsigned arg, uint32_t mask, uint32_t want)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5);
	load(p, offsetof(struct seccomp_data, args) + 8 * arg);
	add(p, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	add(p, BPF_JMP | BPF_JEQ | BPF_K, want, 0, 1);
	give(p, SECCOMP_RET_ALLOW);
	give(p, SECCOMP_RET_ERRNO | EPERM);
}

#ifdef WALL_ARCH
static void build(struct program *p)
{
	p->n = 0;
	load(p, offsetof(struct seccomp_data, arch));
	add(p, BPF_JMP | BPF_JEQ | BPF_K, WALL_ARCH, 1, 0);
	give(p, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
	add(p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
	give(p, SECCOMP_RET_KILL_PROCESS);
#endif
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		give_for(p, allowed[i], SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		give_for(p, fatal[i], SECCOMP_RET_KILL_PROCESS);
	allow_if(p, SYS_mmap, 2, PROT_EXEC, 0);
	allow_if(p, SYS_mprotect, 2, PROT_EXEC, 0);
	/* Threads, no processes; clone3() keeps its flags where no filter sees them. */
	allow_if(p, SYS_clone, 0, CLONE_VM | CLONE_THREAD, CLONE_VM | CLONE_THREAD);
	give_for(p, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
	allow_if(p, SYS_tgkill, 0, UINT32_MAX, (uint32_t)getpid());
	give(p, SECCOMP_RET_ERRNO | EPERM);
}

static bool filter(void)
{
	struct program p;
	struct sock_fprog prog = { .filter = p.at };

	build(&p);
	prog.len = p.n;
	if (p.n >= PROGRAM_MAX) {
		errno = E2BIG;
		return false;
	}
	return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}
#endif

/* ---- Privileges ---- */

static bool drop_capabilities(bool keep_some)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	if (keep_some && geteuid() == 0)
		data[0].effective = data[0].permitted = 1u << CAP_DAC_OVERRIDE | 1u << CAP_CHOWN |
			1u << CAP_FOWNER;
	for (int cap = 0; cap < 64; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);	/* fails without the right to: then no matter */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return !syscall(SYS_capset, &head, data);
}

void wall_probe(struct wall *w)
{
	uint32_t kill = SECCOMP_RET_KILL_PROCESS;
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	*w = (struct wall){ 0 };
	w->landlock_abi = abi > 0 ? (int)abi : 0;
	w->landlock = abi > 0;
	w->no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0;
#ifdef WALL_ARCH
	w->seccomp = !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &kill);
#else
	(void)kill;
#endif
}

bool wall_raise(struct wall *w, int dir, int workspace, bool readonly)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (w->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	if (w->landlock && !landlock(w->landlock_abi, dir, workspace, readonly))
		return false;
	if (!drop_capabilities(w->owner != NULL))
		return false;
#ifdef WALL_ARCH
	if (w->seccomp && !filter())
		return false;
#endif
	return true;
}
