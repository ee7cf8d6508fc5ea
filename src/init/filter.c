/*
 * Makes the filter's program from filter.def: a binary search over ranges of call numbers that end
 * alike, then one block for each end. Arguments are compared by their low 32 bits where the kernel
 * looks at no more (the commands of ioctl, families, flags): a filter that compares 64 is passed by
 * setting a bit above.
 */
#include "init/filter.h"

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/filter_nr.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "which architecture is this?"
#endif

#define X32_BIT 0x40000000u
#define CALLS 512u		/* numbers above are unknown */
#define CODE_MAX 256u
#define SETID 06000u
#define NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
		    CLONE_NEWPID | CLONE_NEWNET)
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

enum action {
	NONE, PASS, PERM, TERMINAL, SOCKET, CLONE, UNSHARE, OPEN, OPENAT, OPENAT2, MODE1, MODE2,
	ACTIONS
};

struct make {
	struct sock_filter code[CODE_MAX];
	unsigned n;
	uint8_t action[CALLS];
	uint16_t from[CALLS];		/* where ranges begin */
	unsigned ranges;
	/* comparisons that lead to an action's block, whether when they hold, and which */
	uint16_t jump[CALLS];
	bool jump_yes[CALLS];
	uint8_t jump_to[CALLS];
	unsigned jumps;
	bool failed;
};

static void put(struct make *m, uint16_t code, uint32_t k, unsigned yes, unsigned no)
{
	if (m->n >= CODE_MAX || yes > 255 || no > 255) {
		m->failed = true;
		return;
	}
	m->code[m->n++] = (struct sock_filter){code, (uint8_t)yes, (uint8_t)no, k};
}

static void load(struct make *m, size_t offset)
{
	put(m, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Both architectures are little-endian: the low half comes first. */
static void load_argument(struct make *m, unsigned which)
{
	load(m, offsetof(struct seccomp_data, args) + which * sizeof(uint64_t));
}

static void give(struct make *m, uint32_t what)
{
	put(m, BPF_RET | BPF_K, what, 0, 0);
}

static void refuse(struct make *m, int error)
{
	give(m, SECCOMP_RET_ERRNO | (uint32_t)error);
}

/* Refused when the argument has any of the bits. */
static void without(struct make *m, unsigned which, uint32_t bits)
{
	load_argument(m, which);
	put(m, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
	refuse(m, EPERM);
	give(m, SECCOMP_RET_ALLOW);
}

/* open: its mode counts only when it makes a file. */
static void open_without(struct make *m, unsigned flags)
{
	load_argument(m, flags);
	put(m, BPF_JMP | BPF_JSET | BPF_K, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 1, 0);
	give(m, SECCOMP_RET_ALLOW);
	without(m, flags + 1, SETID);
}

static void terminal(struct make *m)
{
	load_argument(m, 1);
	put(m, BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 1, 0);
	put(m, BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 0, 1);
	refuse(m, EPERM);
	give(m, SECCOMP_RET_ALLOW);
}

/* Families that programs need; of netlink only the routes and addresses (getifaddrs). */
static void families(struct make *m)
{
	load_argument(m, 0);
	put(m, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 3, 0);
	put(m, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0);
	put(m, BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0);
	put(m, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 4);
	give(m, SECCOMP_RET_ALLOW);
	load_argument(m, 2);
	put(m, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
	give(m, SECCOMP_RET_ALLOW);
	refuse(m, EAFNOSUPPORT);
}

static void block(struct make *m, enum action a, bool no_setid)
{
	switch (a) {
	case PASS:
		give(m, SECCOMP_RET_ALLOW);
		break;
	case PERM:
		refuse(m, EPERM);
		break;
	case TERMINAL:
		terminal(m);
		break;
	case SOCKET:
		families(m);
		break;
	case CLONE:
		without(m, 0, NAMESPACES);
		break;
	case UNSHARE:
		without(m, 0, NAMESPACES | CLONE_NEWTIME);
		break;
	case OPEN:
	case OPENAT:
		if (no_setid)
			open_without(m, a == OPEN ? 1 : 2);
		else
			give(m, SECCOMP_RET_ALLOW);
		break;
	case OPENAT2:
		/* its mode is in memory, where a filter cannot look */
		if (no_setid)
			refuse(m, ENOSYS);
		else
			give(m, SECCOMP_RET_ALLOW);
		break;
	case MODE1:
	case MODE2:
		if (no_setid)
			without(m, a == MODE1 ? 1 : 2, SETID);
		else
			give(m, SECCOMP_RET_ALLOW);
		break;
	case NONE:
	default:
		refuse(m, ENOSYS);
	}
}

static void read_table(struct make *m)
{
	static const struct {
		int nr;
		uint8_t action;
	} call[] = {
#define CALL(name, action) {__NR_##name, action},
#include "init/filter.def"
#undef CALL
	};

	for (size_t i = 0; i < sizeof(call) / sizeof(*call); i++) {
		if (call[i].nr >= 0 && call[i].nr < (int)CALLS)
			m->action[call[i].nr] = call[i].action;
	}
	for (unsigned i = 0; i < CALLS; i++) {
		if (!i || m->action[i] != m->action[i - 1])
			m->from[m->ranges++] = (uint16_t)i;
	}
}

/* One range is left: the comparison that was made last goes to its block. */
static void arrive(struct make *m, unsigned from, bool yes, unsigned range)
{
	m->jump[m->jumps] = (uint16_t)from;
	m->jump_yes[m->jumps] = yes;
	m->jump_to[m->jumps++] = m->action[m->from[range]];
}

/*
 * The search among ranges lo .. hi - 1, at least two: log2(CALLS) deep at most. One instruction for each end of
 * a range, as the kernel translates all of them at each exec.
 */
static void search(struct make *m, unsigned lo, unsigned hi)
{
	unsigned mid = lo + (hi - lo) / 2, at = m->n;

	if (m->failed)
		return;
	put(m, BPF_JMP | BPF_JGE | BPF_K, m->from[mid], 0, 0);
	if (mid - lo > 1)
		search(m, lo, mid);
	else
		arrive(m, at, false, lo);
	if (m->failed || m->n - at - 1 > 255) {
		m->failed = true;
		return;
	}
	m->code[at].jt = (uint8_t)(m->n - at - 1);
	if (hi - mid > 1)
		search(m, mid, hi);
	else
		arrive(m, at, true, mid);
}

static void lead_to_blocks(struct make *m, const unsigned *at)
{
	for (unsigned i = 0; i < m->jumps; i++) {
		unsigned far = at[m->jump_to[i]] - m->jump[i] - 1;
		struct sock_filter *f = &m->code[m->jump[i]];

		m->failed |= far > 255;
		*(m->jump_yes[i] ? &f->jt : &f->jf) = (uint8_t)far;
	}
}

static void make(struct make *m, bool no_setid)
{
	unsigned at[ACTIONS];

	read_table(m);
	load(m, offsetof(struct seccomp_data, arch));
	put(m, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	refuse(m, ENOSYS);
	load(m, offsetof(struct seccomp_data, nr));
	/* above the table: unknown, and x32's calls, which have a bit far above it */
	put(m, BPF_JMP | BPF_JGE | BPF_K, CALLS, 0, 1);
	refuse(m, ENOSYS);
	search(m, 0, m->ranges);
	for (unsigned a = 0; a < ACTIONS; a++) {
		at[a] = m->n;
		block(m, (enum action)a, no_setid);
	}
	lead_to_blocks(m, at);
}

bool filter_make(struct filter *f, bool no_setid)
{
	struct make m = {.n = 0};

	_Static_assert(CALLS <= X32_BIT, "x32's calls are above the table");
	make(&m, no_setid);
	f->code = m.failed ? NULL : malloc(m.n * sizeof(*f->code));
	if (f->code)
		memcpy(f->code, m.code, m.n * sizeof(*f->code));
	f->count = (unsigned short)m.n;
	return f->code != NULL;
}

void filter_free(struct filter *f)
{
	free(f->code);
	f->code = NULL;
}

bool filter_enter(const struct filter *f)
{
	struct sock_fprog p = {.len = f->count, .filter = f->code};

	return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p);
}
