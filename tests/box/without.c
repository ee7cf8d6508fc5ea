/*
 * without RULE... -- COMMAND...: runs it, and all that it starts, as a kernel would that lacks something. A rule is
 * CALL=ERRNO (numbers), CALL=ERRNO:ARGUMENT:BITS (only when the argument has one of the bits), or landlock=N: the version
 * that Landlock says it has. For tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANDLOCK 444
#define MOST 64

static struct sock_filter code[MOST];
static unsigned short n;
static long landlock_version = -1;

static void put(uint16_t op, uint32_t k, uint8_t yes, uint8_t no)
{
	if (n == MOST)
		exit(2);
	code[n++] = (struct sock_filter){op, yes, no, k};
}

static void load(size_t where)
{
	put(BPF_LD | BPF_W | BPF_ABS, (uint32_t)where, 0, 0);
}

static void rule(const char *text)
{
	unsigned long call, error, arg = 0, bits = 0;
	int got;

	if (sscanf(text, "landlock=%ld", &landlock_version) == 1) {
		/* the question for the version has no size */
		load(offsetof(struct seccomp_data, nr));
		put(BPF_JMP | BPF_JEQ | BPF_K, LANDLOCK, 0, 3);
		load(offsetof(struct seccomp_data, args) + 8);
		put(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
		put(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0);
		return;
	}
	got = sscanf(text, "%lu=%lu:%lu:%lu", &call, &error, &arg, &bits);
	if (got != 2 && got != 4)
		exit(2);
	load(offsetof(struct seccomp_data, nr));
	put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, got == 4 ? 3 : 1);
	if (got == 4) {
		load(offsetof(struct seccomp_data, args) + 8 * arg);
		put(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)bits, 0, 1);
	}
	put(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error, 0, 0);
}

/* Answers until nobody is left who could ask. */
static void answer(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct seccomp_notif ask;
	struct seccomp_notif_resp say;

	while (poll(&p, 1, -1) > 0 && !(p.revents & POLLHUP)) {
		memset(&ask, 0, sizeof(ask));
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &ask))
			continue;
		say = (struct seccomp_notif_resp){.id = ask.id, .val = landlock_version};
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &say);
	}
}

/* One descriptor through a socket: fd, or the one that comes when it is -1. */
static int pass(int sock, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	if (fd < 0)
		return recvmsg(sock, &m, 0) == 1 && CMSG_FIRSTHDR(&m) ? *(int *)CMSG_DATA(CMSG_FIRSTHDR(&m)) : -1;
	*c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	*(int *)CMSG_DATA(c) = fd;
	return (int)sendmsg(sock, &m, 0);
}

/* Who answers has no filter, is nobody's child and holds nothing open. */
static _Noreturn void answerer(int sock)
{
	int fd;

	if (fork())
		_exit(0);
	setsid();
	fd = pass(sock, -1);
	close(sock);
	close(0), close(1), close(2);
	if (fd >= 0)
		answer(fd);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct sock_fprog prog = {.filter = code};
	int at = 1, fd, pair[2];

	for (; at < argc && strcmp(argv[at], "--"); at++)
		rule(argv[at]);
	if (at + 1 >= argc || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		return 2;
	put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	prog.len = n;
	if (landlock_version >= 0 && !fork()) {
		close(pair[0]);
		answerer(pair[1]);
	}
	close(pair[1]);
	if (landlock_version >= 0)
		wait(NULL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 2;
	fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, landlock_version >= 0 ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &prog);
	if (fd < 0 || (landlock_version >= 0 && pass(pair[0], fd) != 1))
		return 2;
	if (landlock_version >= 0)
		close(fd);
	execvp(argv[at + 1], argv + at + 1);
	return 2;
}
