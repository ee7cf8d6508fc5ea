/*
 * CONNECT: bytes to and from a TCP port inside the box. Both sides may be slow, so nothing here
 * blocks but the poll.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/work.h"

struct join {
	struct conn *c;
	int port;
	const uint8_t *data;	/* of the client's frame that the port has not taken */
	size_t size;
	bool client_end, port_end, shut, broken;
};

static int reach(uint16_t port)
{
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), error;

	if (fd >= 0 && connect(fd, (struct sockaddr *)&four, sizeof(four)) == 0)
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&six, sizeof(six)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

/* The client's next frame, as far as it is whole. */
static void next_frame(struct join *j)
{
	struct wire_frame f;

	while (!j->size && !j->client_end && wire_next(&j->c->in, &f)) {
		if (f.type == WIRE_DATA_IN) {
			j->data = f.body;
			j->size = f.size;
		} else if (f.type == WIRE_CLOSE_IN) {
			j->client_end = true;
		} else if (f.type != WIRE_ALIVE) {
			j->broken = true;
			return;
		}
	}
	if (j->c->in.error)
		j->broken = true;
	if (j->client_end && !j->size && !j->shut) {
		j->shut = true;
		shutdown(j->port, SHUT_WR);
	}
}

static void from_client(struct join *j)
{
	uint8_t *to = wire_room(&j->c->in, CHUNK);
	ssize_t n = to ? recv(j->c->w.fd, to, CHUNK, MSG_DONTWAIT) : 0;

	if (n > 0)
		wire_got(&j->c->in, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		j->broken = true;
	next_frame(j);
}

static void to_port(struct join *j)
{
	ssize_t n = send(j->port, j->data, j->size, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0) {
		j->data += n;
		j->size -= (size_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		/* it takes no more: what the client still says is dropped */
		j->size = 0;
		j->client_end = j->shut = true;
	}
	next_frame(j);
}

static void from_port(struct join *j)
{
	ssize_t n = recv(j->port, j->c->s->chunk, CHUNK, MSG_DONTWAIT);

	if (n > 0) {
		wire_data(&j->c->out, WIRE_DATA_OUT, j->c->s->chunk, (size_t)n);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		j->port_end = true;
		wire_begin(&j->c->out, WIRE_CLOSE_IN);
		wire_end(&j->c->out);
	}
}

static void to_client(struct join *j)
{
	ssize_t n = send(j->c->w.fd, j->c->out.data, j->c->out.size, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0)
		wire_consume(&j->c->out, (size_t)n);
	else if (errno != EAGAIN && errno != EINTR)
		j->broken = true;
}

static void carry(struct join *j)
{
	next_frame(j);
	while (!j->broken && !(j->client_end && j->port_end && !j->c->out.size)) {
		bool listen_client = !j->size && !j->client_end;
		bool listen_port = !j->port_end && j->c->out.size < OUT_HIGH;
		struct pollfd p[2] = {
			{.fd = j->c->w.fd, .events = (short)((listen_client ? POLLIN : 0) |
							      (j->c->out.size ? POLLOUT : 0))},
			{.fd = listen_port || j->size ? j->port : -1,
			 .events = (short)((listen_port ? POLLIN : 0) | (j->size ? POLLOUT : 0))}};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		if (p[0].revents & POLLOUT)
			to_client(j);
		if (listen_client && p[0].revents & (POLLIN | POLLHUP | POLLERR))
			from_client(j);
		else if (p[0].revents & (POLLHUP | POLLERR))
			return;
		if (j->size && p[1].revents & (POLLOUT | POLLHUP | POLLERR))
			to_port(j);
		if (listen_port && p[1].revents & (POLLIN | POLLHUP | POLLERR))
			from_port(j);
	}
}

void work_connect(struct conn *c, const struct wire_frame *f)
{
	bool bad = false;
	uint64_t port = wire_number(wire_fields(f), WIRE_F_PORT, 0, &bad);
	struct join j = {.c = c, .port = -1};

	if (bad || port < 1 || port > 65535) {
		work_fail(c, WIRE_ERROR_REQUEST, 0, "the port is not between 1 and 65535", NULL, NULL);
		return;
	}
	j.port = reach((uint16_t)port);
	if (j.port < 0) {
		work_fail(c, WIRE_ERROR_SYSTEM, errno, "nothing listens on the port inside the box",
			  NULL, NULL);
		return;
	}
	audit_event(c->s, "connect", NULL);
	work_ok(c);
	carry(&j);
}
