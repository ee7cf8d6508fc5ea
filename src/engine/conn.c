/*
 * A connection: bytes in, frames out of them; frames in, bytes out. What a client does not read
 * waits here, and what makes it then waits too (FLOW_HIGH).
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define HANDSHAKE (30 * NS)
#define READ_SIZE 65536u

static const char *code_word(enum wire_error code)
{
	static const char *const words[] = {
#define X(name, word) word,
		WIRE_ERROR_CODES
#undef X
	};

	return words[code];
}

void conn_error(struct conn *c, enum wire_error code, int error, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	wire_begin(&c->out, WIRE_ERROR);
	wire_text(&c->out, WIRE_F_CODE, code_word(code));
	wire_text(&c->out, WIRE_F_TEXT, text);
	if (error > 0)
		wire_u32(&c->out, WIRE_F_ERRNO, (uint32_t)error);
	wire_end(&c->out);
	conn_last(c);
}

void conn_ok(struct conn *c)
{
	wire_begin(&c->out, WIRE_OK);
	wire_end(&c->out);
	conn_last(c);
}

void conn_last(struct conn *c)
{
	c->state = CONN_LAST;
	c->deadline = now_ns() + HANDSHAKE;
	conn_flush(c);
}

static void hello(struct conn *c)
{
	char level[40];

	snprintf(level, sizeof(level), "isolation=%s", wall_level(c->server->wall));
	wire_begin(&c->out, WIRE_HELLO);
	wire_text(&c->out, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(&c->out, WIRE_F_VERSION, WIRE_VERSION);
	wire_text(&c->out, WIRE_F_BOX, c->server->spec->box);
	wire_text(&c->out, WIRE_F_KIND, "virtual");
	wire_text(&c->out, WIRE_F_CAPABILITY, level);
	wire_end(&c->out);
}

static bool peer_allowed(int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) &&
	       (who.uid == 0 || who.uid == geteuid());
}

void conn_accept(struct server *s)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct epoll_event ev = { .events = EPOLLIN };
	struct conn *c;

	if (fd < 0)
		return;
	c = s->n_conns < CONNS_MAX && peer_allowed(fd) ? calloc(1, sizeof(*c)) : NULL;
	ev.data.ptr = c;
	if (!c || epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev)) {
		free(c);
		close(fd);
		return;
	}
	c->server = s;
	c->fd = fd;
	c->log_fd = -1;
	c->events = ev.events;
	c->since = now_ns();
	c->deadline = c->since + HANDSHAKE;
	c->next = s->conns;
	s->conns = c;
	s->n_conns++;
	hello(c);
	conn_flush(c);
}

/* It is taken apart when nobody is in the middle of it: by the server's sweep. */
void conn_drop(struct conn *c)
{
	struct exec *e = c->exec;

	if (c->dead)
		return;
	c->dead = true;
	shutdown(c->fd, SHUT_RDWR);
	files_end(c);
	sync_free(c);
	if (e && e->client == c)
		exec_client_gone(e);
}

void conn_free(struct conn *c)
{
	if (c->log_fd >= 0)
		close(c->log_fd);
	close(c->fd);
	wire_in_free(&c->in);
	wire_free(&c->out);
	free(c->path);
	free(c->beside);
	free(c);
}

/* ---- Out ---- */

static bool wants_more(const struct conn *c)
{
	if (c->state == CONN_LAST)
		return false;
	/* A command that does not read its input makes its client wait. */
	return !(c->state == CONN_EXEC && c->exec && exec_input_waits(c->exec) >= FLOW_HIGH);
}

static void watch(struct conn *c)
{
	struct epoll_event ev = { .data.ptr = c };

	ev.events = (wants_more(c) ? (uint32_t)EPOLLIN : 0) | (c->out.size ? (uint32_t)EPOLLOUT : 0);
	if (c->dead || ev.events == c->events)
		return;
	if (!epoll_ctl(c->server->epoll, EPOLL_CTL_MOD, c->fd, &ev))
		c->events = ev.events;
}

static void send_some(struct conn *c)
{
	size_t done = 0;

	if (c->out.failed) {
		conn_drop(c);
		return;
	}
	while (done < c->out.size) {
		ssize_t n = send(c->fd, c->out.data + done, c->out.size - done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			conn_drop(c);
			return;
		}
		if (n <= 0)
			break;
		done += (size_t)n;
		c->since = now_ns();
	}
	if (done == c->out.size && c->out.cap > 4096)
		wire_free(&c->out);
	else
		wire_consume(&c->out, done);
}

void conn_flush(struct conn *c)
{
	if (c->dead)
		return;
	send_some(c);
	if (!c->dead && c->state == CONN_LAST && !c->out.size)
		conn_drop(c);
	else
		watch(c);
}

/* ---- In ---- */

static void on_hello(struct conn *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	bool bad = !wire_whole(it);
	char *magic = wire_string(it, WIRE_F_MAGIC, &bad);

	if (f->type != WIRE_HELLO || bad || !magic || strcmp(magic, WIRE_MAGIC))
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "the first frame is not the hello of a client");
	else if (wire_number(it, WIRE_F_VERSION, 0, &bad) != WIRE_VERSION || bad)
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "the protocol's version is %u here",
			   WIRE_VERSION);
	else
		c->state = CONN_REQUEST;
	free(magic);
}

static void on_exec(struct conn *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct exec *e = c->exec;
	bool bad = false;

	switch (f->type) {
	case WIRE_DATA_IN:
		if (e && e->streams)
			exec_input(e, f->body, f->size);
		return;
	case WIRE_CLOSE_IN:
		if (e && e->streams)
			exec_close_input(e);
		return;
	case WIRE_RESIZE:
		if (e && wire_whole(it))
			exec_resize(e, (uint32_t)wire_number(it, WIRE_F_ROWS, 24, &bad),
				    (uint32_t)wire_number(it, WIRE_F_COLUMNS, 80, &bad));
		return;
	case WIRE_SIGNAL:
		if (e && wire_whole(it))
			exec_signal(e, (int)wire_number(it, WIRE_F_SIGNAL, 0, &bad));
		return;
	case WIRE_ALIVE:
		return;
	default:
		if (e && e->client == c)
			exec_client_gone(e);
		c->exec = NULL;
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "frame %d has no place in an exec", (int)f->type);
	}
}

static void on_frame(struct conn *c, const struct wire_frame *f)
{
	switch (c->state) {
	case CONN_HELLO:
		on_hello(c, f);
		break;
	case CONN_REQUEST:
		c->deadline = 0;
		if (f->type == WIRE_ALIVE)
			break;
		request(c, f);
		break;
	case CONN_EXEC:
		on_exec(c, f);
		break;
	case CONN_WRITE:
		files_written(c, f);
		break;
	case CONN_TREE:
		sync_frame(c, f);
		break;
	case CONN_READ:
	case CONN_LOGS:
	case CONN_WAIT:
		if (f->type != WIRE_ALIVE)
			conn_error(c, WIRE_ERROR_PROTOCOL, 0, "frame %d has no place here", (int)f->type);
		break;
	case CONN_LAST:
		break;
	}
}

static void read_some(struct conn *c)
{
	uint8_t *room = wire_room(&c->in, READ_SIZE);
	struct wire_frame f;
	ssize_t n;

	if (!room) {
		conn_drop(c);
		return;
	}
	n = recv(c->fd, room, READ_SIZE, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		conn_drop(c);
		return;
	}
	c->since = now_ns();
	wire_got(&c->in, (size_t)n);
	while (!c->dead && c->state != CONN_LAST && wire_next(&c->in, &f))
		on_frame(c, &f);
	if (!c->dead && c->in.error && c->state != CONN_LAST) {
		if (c->exec && c->exec->client == c)
			exec_client_gone(c->exec);
		c->exec = NULL;
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "%s", c->in.error);
	}
	if (c->in.start == c->in.size && c->in.cap > READ_SIZE)
		wire_in_free(&c->in);
}

void conn_ready(struct conn *c, uint32_t events)
{
	if (c->dead)
		return;
	if (events & EPOLLOUT)
		send_some(c);
	if (!c->dead && events & EPOLLIN)
		read_some(c);
	else if (!c->dead && events & (EPOLLHUP | EPOLLERR))
		conn_drop(c);
	if (c->dead)
		return;
	if (c->state == CONN_READ)
		files_more(c);
	else if (c->state == CONN_LOGS)
		logs_more(c);
	else if (c->state == CONN_TREE)
		sync_more(c);
	else if (c->exec && c->exec->client == c)
		exec_poll(c->exec, now_ns());
	if (!c->dead)
		conn_flush(c);
}
