/*
 * Connections: frames in, frames out. A client that does not read is not read from either, and
 * what it should read is kept within bounds by those who produce it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/server.h"

#define REST_NS 100000000u

static const char *const error_words[] = {
#define X(name, word) word,
	WIRE_ERROR_CODES
#undef X
};

void conn_hello(struct server *s, struct wire_out *o)
{
	static const char *const can[] = {"exec", "terminal", "files", "connect", "logs", "attach",
		"pause", "audit"};

	wire_begin(o, WIRE_HELLO);
	wire_text(o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(o, WIRE_F_VERSION, WIRE_VERSION);
	if (s) {
		wire_text(o, WIRE_F_BOX, s->spec->box);
		wire_text(o, WIRE_F_KIND, spec_kind_word(s->spec));
		for (size_t i = 0; i < sizeof(can) / sizeof(*can); i++)
			wire_text(o, WIRE_F_CAPABILITY, can[i]);
	}
	wire_end(o);
}

void error_frame(struct wire_out *o, enum wire_error code, int error, const char *a,
		 const char *b, const char *why)
{
	struct text t = {0};

	text_add(&t, a);
	if (b) {
		text_add(&t, " ");
		text_add(&t, b);
	}
	if (why || error) {
		text_add(&t, ": ");
		text_add(&t, why ? why : text_errno(error));
	}
	wire_begin(o, WIRE_ERROR);
	wire_text(o, WIRE_F_CODE, error_words[code]);
	wire_text(o, WIRE_F_TEXT, text_string(&t));
	if (error)
		wire_u32(o, WIRE_F_ERRNO, (uint32_t)error);
	wire_end(o);
	text_free(&t);
}

void conn_want(struct conn *c)
{
	bool full = c->proc && c->role == CONN_CLIENT &&
		c->proc->in_size - c->proc->in_at >= IN_HIGH;
	uint32_t events = c->closing ? 0 : EPOLLRDHUP;

	if (!c->closing && !full)
		events |= EPOLLIN;
	if (c->out.size)
		events |= EPOLLOUT;
	if (!watch_want(&c->s->loop, &c->w, events))
		c->gone = true;
}

void conn_flush(struct conn *c)
{
	size_t done = 0;

	while (!c->gone && done < c->out.size) {
		ssize_t n = send(c->w.fd, c->out.data + done, c->out.size - done,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			c->gone = true;
	}
	if (c->gone)
		done = c->out.size;
	if (done) {
		wire_consume(&c->out, done);
		c->sent_at = now_mono();
	}
	if (!c->out.size && c->out.cap > 8192 && c->role != CONN_CLIENT)
		wire_free(&c->out);
	conn_want(c);
}

void conn_free(struct conn *c)
{
	struct conn **at = &c->s->conns;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->s->conn_count--;
	timer_stop(&c->s->loop, &c->timer);
	watch_close(&c->s->loop, &c->w);
	for (int i = 0; i < 2; i++)
		if (c->file[i] >= 0)
			close(c->file[i]);
	if (c->follow >= 0)
		close(c->follow);
	wire_in_free(&c->in);
	wire_free(&c->out);
	free(c);
}

void conn_finish(struct conn *c)
{
	if (c->proc && c->proc->client == c)
		c->proc->client = NULL;
	c->proc = NULL;
	c->role = CONN_PLAIN;
	c->closing = true;
	timer_stop(&c->s->loop, &c->timer);
	conn_flush(c);
	if (!c->out.size)
		conn_free(c);
}

void conn_error(struct conn *c, enum wire_error code, int error, const char *a, const char *b,
		const char *why)
{
	error_frame(&c->out, code, error, a, b, why);
	conn_finish(c);
}

void conn_ok(struct conn *c)
{
	wire_begin(&c->out, WIRE_OK);
	wire_end(&c->out);
	conn_finish(c);
}

static void gone(struct conn *c)
{
	struct proc *p = c->proc;
	bool client = p && p->client == c;

	if (client)
		p->client = NULL;
	if (c->role == CONN_HOLDER && c->s->paused)
		server_pause(c->s, false);
	conn_free(c);
	if (client)
		proc_client_gone(p);
}

/* The first frame is the client's HELLO; only then is anything believed. */
static bool greet(struct conn *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct wire_field_in magic;
	bool bad = false;

	if (f->type != WIRE_HELLO || !wire_whole(it) || !wire_find(it, WIRE_F_MAGIC, &magic) ||
	    magic.size != strlen(WIRE_MAGIC) || memcmp(magic.data, WIRE_MAGIC, magic.size)) {
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "this is not a client of tinybox", NULL, NULL);
		return false;
	}
	if (wire_number(it, WIRE_F_VERSION, 0, &bad) != WIRE_VERSION || bad) {
		conn_error(c, WIRE_ERROR_PROTOCOL, 0,
			   "the client speaks another version of the protocol", NULL, NULL);
		return false;
	}
	c->greeted = true;
	return true;
}

static void frames(struct conn *c)
{
	struct wire_frame f;

	while (!c->closing && wire_next(&c->in, &f)) {
		if (!c->greeted ? !greet(c, &f) : !c->frame(c, &f))
			return;
	}
	if (c->in.error)
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, c->in.error, NULL, NULL);
	else
		conn_want(c);
}

static void take(struct conn *c)
{
	uint8_t *to = wire_room(&c->in, c->role == CONN_CLIENT ? CHUNK : 4096);
	ssize_t n = to ? recv(c->w.fd, to, c->role == CONN_CLIENT ? CHUNK : 4096, MSG_DONTWAIT) : 0;

	if (n > 0) {
		wire_got(&c->in, (size_t)n);
		frames(c);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		gone(c);
	}
}

static void ready(void *owner, uint32_t events)
{
	struct conn *c = owner;

	if (events & EPOLLIN && !c->closing && !c->gone) {
		take(c);
		return;
	}
	if (c->gone || events & (EPOLLHUP | EPOLLERR) ||
	    (events & EPOLLRDHUP && !(events & EPOLLOUT))) {
		gone(c);
		return;
	}
	if (events & EPOLLOUT) {
		conn_flush(c);
		if (c->closing && !c->out.size)
			conn_free(c);
		else if (c->role == CONN_CLIENT && c->out.size < OUT_HIGH / 2)
			stream_resume(c->proc);
	}
}

static struct conn *add(struct server *s, int fd)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return NULL;
	}
	*c = (struct conn){.s = s, .frame = request_frame, .next = s->conns,
		.file = {-1, -1}, .follow = -1,
		.w = {.fd = fd, .ready = ready, .owner = c}};
	s->conns = c;
	s->conn_count++;
	return c;
}

void conn_accept(void *owner, uint32_t events)
{
	struct server *s = owner;
	int fd = accept4(s->listen.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct conn *c;

	(void)events;
	if (fd < 0) {
		/* no descriptor for it: it would be told again and again */
		if (errno == EMFILE || errno == ENFILE) {
			watch_want(&s->loop, &s->listen, 0);
			timer_set(&s->loop, &s->rest, now_mono() + REST_NS);
		}
		return;
	}
	c = add(s, fd);
	if (!c)
		return;
	conn_hello(s, &c->out);
	if (s->conn_count > CONN_MOST) {
		conn_error(c, WIRE_ERROR_BUSY, 0, "the box has too many connections", NULL, NULL);
		return;
	}
	conn_flush(c);
	/* Most clients have sent their request already: one turn of the loop less. */
	take(c);
}
