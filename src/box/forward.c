/*
 * Ports here that are ports inside a box. One loop: each connection has a conversation of its own
 * with the box's server (CONNECT), begun without waiting for it. A side is read only when the other
 * one has taken what it said.
 */
#include "box/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 60			/* at a time: a server has 64 workers; the others wait to be accepted */
#define PART 65536
#define OUT_HIGH (256u << 10)

struct join {
	struct join *next;
	const struct tbx_port *port;
	int sock;
	struct bx_conn c;
	bool greeted, open;	/* the server's HELLO came; the port inside answered */
	bool sock_end, box_end, dead;
	const uint8_t *data;	/* of a frame, that the socket has not taken */
	size_t size;
	uint64_t deadline;	/* until it is open */
	char why[160];
};

struct forward {
	struct bx b;
	struct tbx_port *ports;
	int *listeners;
	size_t count, joins;
	struct join *first;
	tbx_forward_fn *fn;
	void *ctx;
	uint64_t ticked;
};

/* ---- Listening ---- */

static int cannot_listen(struct forward *f, const struct tbx_port *p, int error)
{
	bool six = strchr(p->address, ':');

	return bx_fail(f->b.store, TBX_ERR_HOST, "cannot listen at %s%s%s:%u: %s", six ? "[" : "", p->address,
		       six ? "]" : "", p->host, strerror(error));
}

static int listen_at(struct forward *f, struct tbx_port *p, int *fd)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(p->host)};
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(p->host)};
	bool is_six = inet_pton(AF_INET6, p->address, &six.sin6_addr) == 1;
	socklen_t size = is_six ? sizeof(six) : sizeof(four);
	struct sockaddr *at = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
	int one = 1;

	if (!is_six && inet_pton(AF_INET, p->address, &four.sin_addr) != 1)
		return bx_fail(f->b.store, TBX_ERR_ARGUMENT, "'%s' is no address", p->address);
	*fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(*fd, at, size) || listen(*fd, 128) || getsockname(*fd, at, &size))
		return cannot_listen(f, p, errno);
	p->host = ntohs(is_six ? six.sin6_port : four.sin_port);
	return TBX_OK;
}

/* ---- A connection ---- */

static void end(struct join *j, const char *why)
{
	if (!j->dead && why)
		snprintf(j->why, sizeof(j->why), "%s", why);
	j->dead = true;
}

static void ask(struct forward *f, struct join *j)
{
	struct wire_out *o = &j->c.out;

	wire_begin(o, WIRE_HELLO);
	wire_text(o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(o, WIRE_F_VERSION, WIRE_VERSION);
	wire_end(o);
	wire_begin(o, WIRE_CONNECT);
	wire_u32(o, WIRE_F_PORT, j->port->guest);
	wire_end(o);
	j->deadline = bx_step(f->b.store);
}

static void arrive(struct forward *f, size_t i)
{
	int sock = accept4(f->listeners[i], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct join *j = sock < 0 ? NULL : calloc(1, sizeof(*j));

	if (!j) {
		if (sock >= 0)
			close(sock);
		return;
	}
	j->sock = sock;
	j->port = &f->ports[i];
	j->next = f->first;
	f->first = j;
	f->joins++;
	if (bx_connect_soon(&f->b, &j->c))
		end(j, tbx_error(f->b.store));
	else
		ask(f, j);
}

/* A reset, not an end of file, when the other side did not end as it should. */
static void leave(struct join *j)
{
	struct linger hard = {.l_onoff = 1, .l_linger = 0};

	if (!j->box_end)
		setsockopt(j->sock, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(j->sock);
	bx_conn_close(&j->c);
	free(j);
}

static void error_frame(struct join *j, const struct wire_frame *f)
{
	bx_wire_error(&j->c, f);
	end(j, tbx_error(j->c.store));
}

static void frame(struct join *j, const struct wire_frame *f)
{
	switch (f->type) {
	case WIRE_ALIVE:
		return;
	case WIRE_HELLO:
		if (j->greeted)
			break;
		j->greeted = true;
		return;
	case WIRE_ERROR:
		error_frame(j, f);
		return;
	case WIRE_OK:
		if (!j->greeted || j->open)
			break;
		j->open = true;
		return;
	case WIRE_DATA_OUT:
		if (!j->open || j->box_end)
			break;
		j->data = f->body;
		j->size = f->size;
		return;
	case WIRE_CLOSE_IN:
		if (!j->open || j->box_end)
			break;
		j->box_end = true;
		shutdown(j->sock, SHUT_WR);
		return;
	default:
		break;
	}
	end(j, "the box's server does not speak the protocol");
}

static void frames(struct join *j)
{
	struct wire_frame f;

	if (!bx_drop_noise(&j->c) && !j->c.in.error)
		return;
	while (!j->dead && !j->size && wire_next(&j->c.in, &f))
		frame(j, &f);
	if (j->c.in.error)
		end(j, j->c.in.error);
}

static void from_box(struct join *j)
{
	uint8_t *room = wire_room(&j->c.in, PART);
	ssize_t n = room ? recv(j->c.fd, room, PART, MSG_DONTWAIT) : 0;
	char *said;

	if (n > 0) {
		wire_got(&j->c.in, (size_t)n);
		frames(j);
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		said = j->greeted ? NULL : bx_child_said(&j->c);
		end(j, j->box_end && j->sock_end ? NULL : said ? said : j->open ? "the box's server is gone" :
		    "no answer from the box's server");
		free(said);
	}
}

static void to_box(struct join *j)
{
	ssize_t n = send(j->c.fd, j->c.out.data, j->c.out.size, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0)
		wire_consume(&j->c.out, (size_t)n);
	else if (errno == EPIPE || errno == ECONNRESET)
		j->c.out.size = 0;	/* what it said before is read next */
	else if (errno != EAGAIN && errno != EINTR)
		end(j, strerror(errno));
}

static void from_sock(struct join *j)
{
	uint8_t buf[4096];
	ssize_t n = 1;

	for (unsigned i = 0; n > 0 && i < PART / sizeof(buf); i++) {
		n = recv(j->sock, buf, sizeof(buf), MSG_DONTWAIT);
		if (n > 0)
			wire_data(&j->c.out, WIRE_DATA_IN, buf, (size_t)n);
	}
	if (!n) {
		j->sock_end = true;
		wire_begin(&j->c.out, WIRE_CLOSE_IN);
		wire_end(&j->c.out);
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		j->box_end = true;	/* nobody is there for a reset */
		end(j, NULL);
	}
	if (j->c.out.failed)
		end(j, "no memory");
}

static void to_sock(struct join *j)
{
	ssize_t n = send(j->sock, j->data, j->size, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0) {
		j->data += n;
		j->size -= (size_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		j->box_end = true;
		end(j, NULL);
	}
	frames(j);
}

/* ---- The loop ---- */

static size_t want(struct forward *f, struct pollfd *p)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		p[n++] = (struct pollfd){.fd = f->joins < MOST ? f->listeners[i] : -1, .events = POLLIN};
	for (struct join *j = f->first; j; j = j->next) {
		bool hear_sock = j->open && !j->sock_end && j->c.out.size < OUT_HIGH;

		p[n++] = (struct pollfd){.fd = hear_sock || j->size ? j->sock : -1,
			.events = (short)((hear_sock ? POLLIN : 0) | (j->size ? POLLOUT : 0))};
		p[n++] = (struct pollfd){.fd = j->c.fd,
			.events = (short)((j->size ? 0 : POLLIN) | (j->c.out.size ? POLLOUT : 0))};
	}
	return n;
}

static void serve(struct join *j, const struct pollfd *sock, const struct pollfd *box)
{
	if (box->revents & POLLOUT)
		to_box(j);
	if (!j->dead && box->events & POLLIN && box->revents & (POLLIN | POLLHUP | POLLERR))
		from_box(j);
	if (!j->dead && sock->events & POLLOUT && sock->revents & (POLLOUT | POLLHUP | POLLERR))
		to_sock(j);
	if (!j->dead && sock->events & POLLIN && sock->revents & (POLLIN | POLLHUP | POLLERR))
		from_sock(j);
	if (j->sock_end && j->box_end && !j->size && !j->c.out.size)
		end(j, NULL);
	if (!j->dead && !j->open && bx_ticks() > j->deadline)
		end(j, "no answer in time");
}

/* Those that have ended. False: the caller wants no more. */
static bool sweep(struct forward *f)
{
	bool go_on = true;

	for (struct join **at = &f->first; *at; ) {
		struct join *j = *at;

		if (!j->dead) {
			at = &j->next;
			continue;
		}
		*at = j->next;
		f->joins--;
		go_on = !f->fn(f->ctx, j->port, *j->why ? j->why : NULL) && go_on;
		leave(j);
	}
	if (go_on && bx_ticks() - f->ticked >= BX_SECOND) {
		f->ticked = bx_ticks();
		go_on = !f->fn(f->ctx, NULL, NULL);
	}
	return go_on;
}

static int loop(struct forward *f)
{
	struct pollfd *p = calloc(f->count + 2 * (MOST + f->count), sizeof(*p));

	if (!p)
		return bx_memory(f->b.store);
	while (sweep(f)) {
		struct join *j = f->first;	/* as they were when they were asked about */
		size_t n = want(f, p);

		if (poll(p, n, 1000) < 0 && errno != EINTR)
			break;
		for (size_t k = f->count; k + 1 < n && j; k += 2, j = j->next)
			serve(j, &p[k], &p[k + 1]);
		for (size_t i = 0; i < f->count; i++)
			if (p[i].fd >= 0 && p[i].revents)
				arrive(f, i);
	}
	free(p);
	return TBX_OK;
}

/* ---- Begin and end ---- */

static int listen_all(struct forward *f, const struct tbx_port *ports)
{
	int status = TBX_OK;

	for (size_t i = 0; !status && i < f->count; i++) {
		f->ports[i] = ports[i];
		if (!ports[i].address)
			f->ports[i].address = "127.0.0.1";
		if (!ports[i].guest)
			return bx_fail(f->b.store, TBX_ERR_ARGUMENT, "port 0 inside means nothing");
		status = listen_at(f, &f->ports[i], &f->listeners[i]);
	}
	return status;
}

/* Whether its server is there, and a port can be had at all. */
static int check(struct forward *f)
{
	const char *wall = json_string_value(bx_at(f->b.record, "placement.workspace.sandbox"));
	struct bx_conn c;
	int status = bx_connect(&f->b, &c);

	if (status)
		return status;
	bx_conn_close(&c);
	if (wall && !strcmp(wall, "virtual"))
		return bx_fail(f->b.store, TBX_ERR_UNSUPPORTED, "%s: a virtual box has no network: nothing in it "
			       "can listen on a port; `create --sandbox namespace` makes one that has",
			       f->b.id);
	return TBX_OK;
}

static int run(struct forward *f, const struct tbx_port *ports)
{
	int status = check(f);

	if (!status)
		status = listen_all(f, ports);
	for (size_t i = 0; !status && i < f->count; i++)
		if (f->fn(f->ctx, &f->ports[i], NULL))
			return TBX_OK;
	f->ticked = bx_ticks();
	return status ? status : loop(f);
}

int tbx_forward(struct tbx_store *store, const char *box, const struct tbx_port *ports, size_t count,
		tbx_forward_fn *fn, void *ctx)
{
	struct forward f = {.count = count, .fn = fn, .ctx = ctx};
	int status = bx_open(store, box, BX_LOCK_NONE, &f.b);

	if (status)
		return status;
	f.ports = calloc(count ? count : 1, sizeof(*f.ports));
	f.listeners = malloc((count ? count : 1) * sizeof(*f.listeners));
	for (size_t i = 0; f.listeners && i < count; i++)
		f.listeners[i] = -1;
	status = f.ports && f.listeners ? run(&f, ports) : bx_memory(store);
	while (f.first) {
		struct join *j = f.first;

		f.first = j->next;
		leave(j);
	}
	for (size_t i = 0; f.listeners && i < count; i++)
		if (f.listeners[i] >= 0)
			close(f.listeners[i]);
	free(f.ports);
	free(f.listeners);
	bx_close(&f.b);
	return status;
}
