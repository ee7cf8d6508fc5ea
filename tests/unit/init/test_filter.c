/* The filter's program, run by a small interpreter: each call of the table, and arguments at the edges. */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "init/filter.h"
#include "init/filter_nr.h"
#include "tap.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

/* 0: allowed, otherwise the errno. */
static int run(const struct filter *f, const struct seccomp_data *d)
{
	uint32_t a = 0;

	for (unsigned i = 0, steps = 0; i < f->count && steps < 4096; i++, steps++) {
		const struct sock_filter *s = &f->code[i];

		switch (s->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)d + s->k, 4);
			break;
		case BPF_JMP | BPF_JA:
			i += s->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			i += a == s->k ? s->jt : s->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			i += a >= s->k ? s->jt : s->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			i += a & s->k ? s->jt : s->jf;
			break;
		case BPF_RET | BPF_K:
			return s->k == SECCOMP_RET_ALLOW ? 0 : (int)(s->k & SECCOMP_RET_DATA);
		default:
			return -1;
		}
	}
	return -2;
}

static int call(const struct filter *f, int nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct seccomp_data s = {.nr = nr, .arch = ARCH, .args = {a, b, c, d}};

	return run(f, &s);
}

static void table(const struct filter *f)
{
	enum { NONE, PASS, PERM, OTHER, TERMINAL = OTHER, SOCKET = OTHER, CLONE = OTHER,
		UNSHARE = OTHER, OPEN = OTHER, OPENAT = OTHER, OPENAT2 = OTHER, MODE1 = OTHER,
		MODE2 = OTHER };
	static const struct {
		const char *name;
		int nr, action;
	} row[] = {
#define CALL(name, action) {#name, __NR_##name, action},
#include "init/filter.def"
#undef CALL
	};
	static const int want[] = {ENOSYS, 0, EPERM};
	char known[1024] = {0};
	int wrong = 0;

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		if (row[i].nr < 0)
			continue;
		known[row[i].nr] = 1;
		if (row[i].action < OTHER && call(f, row[i].nr, 0, 0, 0, 0) != want[row[i].action]) {
			printf("# %s\n", row[i].name);
			wrong++;
		}
	}
	is_int(wrong, 0, "every call of the table ends as it says");
	for (int nr = 0; nr < 1024; nr++)
		wrong += !known[nr] && call(f, nr, 0, 0, 0, 0) != ENOSYS;
	is_int(wrong, 0, "every other number is unknown");
	is_int(call(f, 0x40000000 | __NR_read, 0, 0, 0, 0), ENOSYS, "x32");
	is_int(call(f, -1, 0, 0, 0, 0), ENOSYS, "-1");
}

static void arguments(const struct filter *f, bool no_setid)
{
	const uint64_t high = 1ull << 32;
	struct seccomp_data other = {.nr = __NR_read, .arch = AUDIT_ARCH_I386};
	int set = no_setid ? EPERM : 0;

	is_int(run(f, &other), ENOSYS, "another architecture");
	is_int(call(f, __NR_ioctl, 0, TIOCSTI, 0, 0), EPERM, "TIOCSTI");
	is_int(call(f, __NR_ioctl, 0, high | TIOCSTI, 0, 0), EPERM, "TIOCSTI with a high bit");
	is_int(call(f, __NR_ioctl, 0, high | TIOCLINUX, 0, 0), EPERM, "TIOCLINUX with a high bit");
	is_int(call(f, __NR_ioctl, 0, TCGETS, 0, 0), 0, "TCGETS");
	is_int(call(f, __NR_socket, AF_UNIX, SOCK_STREAM, 0, 0), 0, "AF_UNIX");
	is_int(call(f, __NR_socket, AF_INET, SOCK_STREAM, 6, 0), 0, "AF_INET");
	is_int(call(f, __NR_socket, AF_INET6, SOCK_DGRAM, 17, 0), 0, "AF_INET6");
	is_int(call(f, __NR_socket, AF_NETLINK, SOCK_RAW, 0, 0), 0, "routes by netlink");
	is_int(call(f, __NR_socket, AF_NETLINK, SOCK_RAW, 15, 0), EAFNOSUPPORT, "uevents by netlink");
	is_int(call(f, __NR_socket, AF_VSOCK, SOCK_STREAM, 0, 0), EAFNOSUPPORT, "AF_VSOCK");
	is_int(call(f, __NR_socket, high | AF_ALG, SOCK_SEQPACKET, 0, 0), EAFNOSUPPORT, "AF_ALG, high bit");
	is_int(call(f, __NR_socketpair, AF_UNIX, SOCK_STREAM, 0, 0), 0, "socketpair");
	is_int(call(f, __NR_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0), 0, "a thread");
	is_int(call(f, __NR_clone, CLONE_NEWUSER, 0, 0, 0), EPERM, "clone of a user namespace");
	is_int(call(f, __NR_clone, CLONE_NEWNET | SIGCHLD, 0, 0, 0), EPERM, "clone of a network");
	is_int(call(f, __NR_unshare, CLONE_FILES | CLONE_FS, 0, 0, 0), 0, "unshare of descriptors");
	is_int(call(f, __NR_unshare, CLONE_NEWNS, 0, 0, 0), EPERM, "unshare of mounts");
	is_int(call(f, __NR_unshare, 0x80, 0, 0, 0), EPERM, "unshare of time");
	is_int(call(f, __NR_fchmod, 3, 04755, 0, 0), set, "fchmod u+s");
	is_int(call(f, __NR_fchmodat, 3, 0, 02755, 0), set, "fchmodat g+s");
	is_int(call(f, 452, 3, 0, high | 04755, 0), set, "fchmodat2 u+s");
	is_int(call(f, __NR_fchmodat, 3, 0, 01777, 0), 0, "fchmodat +t");
	is_int(call(f, __NR_openat, 3, 0, O_CREAT | O_WRONLY, 04755), set, "openat makes u+s");
	is_int(call(f, __NR_openat, 3, 0, O_TMPFILE | O_WRONLY, 04755), set, "O_TMPFILE makes u+s");
	is_int(call(f, __NR_openat, 3, 0, O_DIRECTORY, 07777), 0, "openat makes nothing");
	is_int(call(f, __NR_mknodat, 3, 0, 02644, 0), set, "mknodat g+s");
	is_int(call(f, __NR_openat2, 3, 0, 0, 0), no_setid ? ENOSYS : 0, "openat2");
#ifdef __x86_64__
	is_int(call(f, __NR_chmod, 0, 06755, 0, 0), set, "chmod ug+s");
	is_int(call(f, __NR_open, 0, O_CREAT, 04755, 0), set, "open makes u+s");
	is_int(call(f, __NR_creat, 0, 02755, 0, 0), set, "creat makes g+s");
#endif
}

int main(void)
{
	struct filter f;

	for (int no_setid = 0; no_setid < 2; no_setid++) {
		if (!ok(filter_make(&f, no_setid), "a filter"))
			return done();
		printf("# %u instructions\n", f.count);
		table(&f);
		arguments(&f, no_setid);
		filter_free(&f);
	}
	return done();
}
