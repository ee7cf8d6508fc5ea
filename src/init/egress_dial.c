/*
 * Sockets of the proxy: to an address outside, and to a port of the box's loopback, which process 1 makes.
 */
#include "init/egress_in.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/wall_in.h"
#include "wire/pass.h"

int eg_dial(const struct in6_addr *ip, uint16_t port)
{
	struct sockaddr_in a4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 a6 = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = *ip};
	bool v4 = IN6_IS_ADDR_V4MAPPED(ip);
	int fd = socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(&a4.sin_addr, ip->s6_addr + 12, 4);
	if (fd >= 0 && connect(fd, v4 ? (struct sockaddr *)&a4 : (struct sockaddr *)&a6,
			       v4 ? sizeof(a4) : sizeof(a6)) && errno != EINPROGRESS) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- inside ---- */

/* On a loopback an answer is there at once, only that connect() does not wait for it. */
static bool refused_at_once(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	socklen_t size = sizeof(int);
	int error = 0;

	return poll(&p, 1, 0) > 0 && (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) || error);
}

/* On the loopback, IPv4 first: many servers listen on one of the two only. */
int eg_inside(uint16_t port)
{
	struct in6_addr ip = IN6ADDR_LOOPBACK_INIT, v4;
	int fd;

	eg_address_read(&v4, "127.0.0.1");
	fd = eg_dial(&v4, port);
	if (fd >= 0 && !refused_at_once(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return eg_dial(&ip, port);
}

bool egress_answer(int channel)
{
	uint32_t question[2];
	size_t count = 0;
	int fds[PASS_MAX], fd;
	bool ok;

	if (pass_take(channel, question, sizeof(question), fds, &count, 0) != sizeof(question))
		return false;
	fd = eg_inside((uint16_t)question[1]);
	ok = pass_send(channel, question, sizeof(*question), &fd, fd >= 0, 0);
	if (fd >= 0)
		close(fd);
	return ok;
}
