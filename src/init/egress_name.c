/*
 * Names to addresses, by the host's own name service: /usr/bin/getent in a child that has no
 * privileges, nothing open but its output, and a clean environment. The name has been checked: it
 * begins with a letter or a digit. The child is not one that waitpid(-1) of the program around finds.
 */
#include "init/egress_in.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#define NOBODY 65534

static _Noreturn void child(const char *name, int out)
{
	char copy[EG_NAME_MAX + 1];
	char *argv[] = {"getent", "ahosts", copy, NULL}, *env[] = {"LC_ALL=C", NULL};
	int null = open("/dev/null", O_RDWR);

	snprintf(copy, sizeof(copy), "%s", name);
	if (!geteuid() && (syscall(SYS_setgroups, 0, NULL) ||
			   syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) ||
			   syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY)))
		_exit(126);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	dup2(out, 1);
	dup2(null, 0);
	dup2(null, 2);
	syscall(SYS_close_range, 3, ~0u, 0);
	execve("/usr/bin/getent", argv, env);
	execve("/bin/getent", argv, env);
	_exit(127);
}

bool eg_resolve(struct eg_resolver *r, const char *name)
{
	int io[2], pidfd = -1;
	struct clone_args a = {.flags = CLONE_PIDFD, .pidfd = (uintptr_t)&pidfd};
	long pid;

	r->pidfd = r->out = -1;
	r->size = 0;
	if (pipe2(io, O_CLOEXEC))
		return false;
	pid = syscall(SYS_clone3, &a, sizeof(a));
	/* (as wall_clone()) */
	if (pid < 0 && errno == ENOSYS)
		pid = syscall(SYS_clone, CLONE_PIDFD, 0, &pidfd, 0, 0);
	if (!pid)
		child(name, io[1]);
	close(io[1]);
	if (pid < 0 || fcntl(io[0], F_SETFL, O_NONBLOCK)) {
		close(io[0]);
		return false;
	}
	r->pidfd = pidfd;
	r->out = io[0];
	return true;
}

int eg_resolve_read(struct eg_resolver *r)
{
	ssize_t n;

	if (r->size >= sizeof(r->text) - 1)
		return 1;	/* enough addresses */
	n = read(r->out, r->text + r->size, sizeof(r->text) - 1 - r->size);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n > 0)
		r->size += (size_t)n;
	return n <= 0;
}

void eg_resolve_end(struct eg_resolver *r)
{
	siginfo_t info;

	if (r->pidfd < 0)
		return;
	syscall(SYS_pidfd_send_signal, r->pidfd, SIGKILL, NULL, 0);
	while (waitid((idtype_t)P_PIDFD, (id_t)r->pidfd, &info, WEXITED | __WALL) && errno == EINTR)
		;
	close(r->pidfd);
	close(r->out);
	r->pidfd = r->out = -1;
}

/* Lines ADDRESS TYPE [NAME]: each address is there for each type of socket. */
size_t eg_resolve_addresses(const struct eg_resolver *r, struct in6_addr *ip, size_t max)
{
	const char *s = r->text, *end = r->text + r->size;
	size_t count = 0;

	while (s < end && count < max) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t n = strcspn(s, " \t\n");
		char one[64];

		if (!nl)
			break;
		if (n < sizeof(one) && memmem(s, (size_t)(nl - s), "STREAM", 6)) {
			memcpy(one, s, n);
			one[n] = 0;
			one[strcspn(one, "%")] = 0;
			count += eg_address_read(&ip[count], one);
		}
		s = nl + 1;
	}
	return count;
}
