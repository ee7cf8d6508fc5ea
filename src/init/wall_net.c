/*
 * The box's network namespace, with its loopback up. The kernel takes as long to make one as all mounts of a
 * root take, so a second thread does it meanwhile, in the host's mounts, and process 1 joins it when its root stands.
 * It is sent to another processor: a kernel may leave a new thread where it was made, even beside an idle one, and
 * nothing would be done meanwhile. If it has not begun by then, process 1 makes its namespace itself.
 * Process 1 goes on as soon as there is a namespace, and waits for the thread's end only before anything else runs.
 * That thread has no C library: it shares errno's place with process 1, so its system calls are its own.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 2000u		/* some 50 us */

/* The kernel's own answer: a negative number is an errno. */
static long raw(long nr, long a, long b, long c)
{
#if defined(__x86_64__)
	register long fourth __asm__("r10") = 0;
	long answer;

	__asm__ volatile("syscall" : "=a"(answer) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(fourth) :
			 "rcx", "r11", "memory");
	return answer;
#elif defined(__aarch64__)
	register long call __asm__("x8") = nr;
	register long first __asm__("x0") = a;
	register long second __asm__("x1") = b;
	register long third __asm__("x2") = c;
	register long fourth __asm__("x3") = 0;

	__asm__ volatile("svc 0" : "+r"(first) : "r"(call), "r"(second), "r"(third), "r"(fourth) :
			 "memory");
	return first;
#else
#error "which architecture is this?"
#endif
}

static void relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause");
#else
	__asm__ volatile("yield");
#endif
}

/* In the calling thread; 0, or an errno. give: for another thread, as n->fd. */
static int make(struct wall_net *n, bool give)
{
	struct ifreq r = {.ifr_name = "lo"};
	long done = raw(SYS_unshare, CLONE_NEWNET, 0, 0), fd;

	n->step = "a network namespace cannot be made (user.max_net_namespaces, or a container's filter)";
	if (done < 0)
		return (int)-done;
	n->step = "the loopback interface cannot be brought up";
	fd = raw(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return (int)-fd;
	r.ifr_flags = IFF_UP | IFF_RUNNING;
	done = raw(SYS_ioctl, fd, SIOCSIFFLAGS, (long)(intptr_t)&r);
	/* the socket's own: a path through /proc takes four times as long */
	if (give && done >= 0) {
		n->step = "the network namespace cannot be opened";
		done = raw(SYS_ioctl, fd, SIOCGSKNS, 0);
		n->fd = (int)done;
	}
	raw(SYS_close, fd, 0, 0);
	return done < 0 ? (int)-done : 0;
}

static long futex(_Atomic int *what, int how, int value)
{
	return raw(SYS_futex, (long)(intptr_t)what, how, value);
}

/* It is on another processor, and about to happen: being woken takes longer than most of what is waited for. */
static void wait_for(_Atomic int *what, int is)
{
	for (unsigned i = 0; i < SPINS && atomic_load(what) == is; i++)
		relax();
	while (atomic_load(what) == is)
		futex(what, FUTEX_WAIT, is);
}

static int thread(void *ctx)
{
	struct wall_net *n = ctx;

	if (atomic_exchange(&n->taken, true))
		return 0;
	n->error = make(n, true);
	atomic_store(&n->done, 1);
	futex(&n->done, FUTEX_WAKE, 1);
	return 0;
}

/* Whether there is a processor besides the one that we are on; the set is of those. */
static bool others(cpu_set_t *set)
{
	unsigned here;

	if (sched_getaffinity(0, sizeof(*set), set) || getcpu(&here, NULL) || here >= CPU_SETSIZE)
		return false;
	CPU_CLR(here, set);
	return CPU_COUNT(set) > 0;
}

bool wall_net_begin(struct wall_net *n)
{
	const int flags = CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_PARENT_SETTID |
		CLONE_CHILD_CLEARTID;
	cpu_set_t set;
	int id;

	n->fd = -1;
	n->begun = true;
	atomic_store(&n->taken, false);
	atomic_store(&n->done, 0);
	if (!others(&set))
		return true;
	id = clone(thread, n->stack + sizeof(n->stack), flags, n, &n->thread, NULL, &n->thread);
	n->begun = id > 0;
	/* (`thread` may be 0 again, which would be ourselves) */
	if (n->begun)
		sched_setaffinity(id, sizeof(set), &set);
	return n->begun;
}

/* We make our own. A thread that waits for a busy processor still has to end: it comes here, and does so when we wait. */
static void make_here(struct wall_net *n)
{
	pid_t id = atomic_load(&n->thread);
	cpu_set_t set;
	unsigned here;

	if (id && !getcpu(&here, NULL) && here < CPU_SETSIZE) {
		CPU_ZERO(&set);
		CPU_SET(here, &set);
		sched_setaffinity(id, sizeof(set), &set);
	}
	n->error = make(n, false);
}

const char *wall_net_end(struct wall_net *n)
{
	bool ours;
	int done;

	if (!n->begun)
		return NULL;
	ours = !atomic_exchange(&n->taken, true);
	if (ours)
		make_here(n);
	else
		wait_for(&n->done, 0);
	errno = n->error;
	if (n->error)
		return n->step;
	if (ours)
		return NULL;
	done = setns(n->fd, CLONE_NEWNET);
	close(n->fd);
	n->fd = -1;
	return done ? "the network namespace cannot be entered" : NULL;
}

void wall_net_alone(struct wall_net *n)
{
	int left;

	/* the kernel writes 0 and wakes us when the thread is gone */
	while (n->begun && (left = atomic_load(&n->thread)))
		wait_for(&n->thread, left);
	n->begun = false;
}
