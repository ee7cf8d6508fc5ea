/*
 * A micro-VM's network, which is none: connections to the proxy come, and those to ports of the box
 * go, as channels of the multiplexer. The proxy and the listening sockets of published ports are the
 * keeper's own (egress.h).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "init/vm_in.h"
#include "init/wall_in.h"
#include "wire/pass.h"

#define NAME "/egress"

/* By the directory's descriptor, as its path may be too long for a socket's. */
static void address(const struct vm *vm, struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d" NAME, vm->here);
}

int vm_listener(struct vm *vm)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;

	address(vm, &a);
	unlinkat(vm->here, &NAME[1], 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, 64) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int vm_net_connect(struct vm *vm)
{
	int fd = vm->spec->network == SPEC_NETWORK_EGRESS && vm->stands ?
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
	struct sockaddr_un a;

	address(vm, &a);
	/* nonblocking: a proxy with too many waiting refuses */
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* A question of egress.c: a number and a port; the answer: the number, with a socket. */
static void ports_ready(void *owner, uint32_t events)
{
	struct vm *vm = owner;
	uint32_t question[2];
	size_t count = 0;
	int fds[PASS_MAX], pair[2] = {-1, -1};

	(void)events;
	if (pass_take(vm->ports.fd, question, sizeof(question), fds, &count, 0) != sizeof(question)) {
		watch_close(&vm->loop, &vm->ports);
		return;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0 &&
	    !link_join(&vm->link, pair[1], MUX_PORT, (uint16_t)question[1])) {
		close(pair[0]);
		pair[0] = -1;
	}
	pass_send(vm->ports.fd, question, sizeof(*question), pair, pair[0] >= 0, 0);
	if (pair[0] >= 0)
		close(pair[0]);
	link_flush(&vm->link);
}

int vm_ports(struct vm *vm)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	vm->ports = (struct watch){.fd = pair[0], .ready = ports_ready, .owner = vm};
	if (watch_want(&vm->loop, &vm->ports, EPOLLIN))
		return pair[1];
	close(pair[1]);
	return -1;
}

static void watched(void *owner, uint32_t events)
{
	struct vm *vm = owner;

	(void)events;
	vm->egress_ready(vm->egress_ctx);
}

bool vm_watch(struct vm *vm, int fd, void (*ready)(void *ctx), void *ctx)
{
	vm->egress_ready = ready;
	vm->egress_ctx = ctx;
	vm->egress = (struct watch){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3), .ready = watched, .owner = vm};
	return watch_want(&vm->loop, &vm->egress, EPOLLIN);
}

void vm_net_close(struct vm *vm)
{
	watch_close(&vm->loop, &vm->ports);
	watch_close(&vm->loop, &vm->egress);
}
