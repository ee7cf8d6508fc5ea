/*
 * The bytes of an exec: from its pipes or its terminal to the client and the log, and from the
 * client to its stdin. What is over a limit is read and dropped, so that the command goes on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "init/server.h"

#define SILENCE		50000000u	/* ns: a terminal's bytes may still be on their way */
#define TERMINAL_MOST	(1u << 20)	/* of them, when others go on writing */

static void stream_end(struct stream *st)
{
	struct proc *p = st->proc;

	watch_close(&p->s->loop, &st->w);
	st->draining = false;
	st->drain = 0;
	proc_check(p);
}

/* What the reader may take now: all that is there, or what was there when the command ended. */
static size_t room(const struct stream *st)
{
	bool counted = st->draining && st->proc->state < PROC_ENDED;

	return counted && st->drain < CHUNK ? st->drain : CHUNK;
}

static void pass(struct stream *st, size_t n)
{
	struct proc *p = st->proc;
	uint64_t may = st->limit ? st->limit - st->passed : n;
	size_t size = n < may ? n : (size_t)may;

	st->bytes += n;
	st->passed += size;
	if (!size)
		return;
	if (p->log.fd >= 0)
		log_append(&p->log, st->type, p->s->chunk, size);
	if (p->client && !p->client->gone) {
		wire_data(&p->client->out, st->type, p->s->chunk, size);
		conn_flush(p->client);
	}
}

static bool client_full(const struct proc *p)
{
	return p->client && p->client->out.size >= OUT_HIGH;
}

void stream_ready(void *owner, uint32_t events)
{
	struct stream *st = owner;
	struct proc *p = st->proc;
	ssize_t n;

	(void)events;
	if (p->state < PROC_ENDED && client_full(p)) {
		watch_want(&p->s->loop, &st->w, 0);
		return;
	}
	if (!room(st)) {
		watch_want(&p->s->loop, &st->w, 0);
		return;
	}
	n = read(st->w.fd, p->s->chunk, room(st));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		stream_end(st);
		return;
	}
	if (p->state == PROC_ENDED)
		return;
	pass(st, (size_t)n);
	if (!st->draining)
		return;
	st->drain -= (size_t)n;
	if (p->terminal && st->drain)
		timer_set(&p->s->loop, &p->drained, now_mono() + SILENCE);
	else if (p->terminal)
		timer_stop(&p->s->loop, &p->drained);
	if (!st->drain)
		proc_check(p);
}

static void resume(struct stream *st)
{
	if (st->w.fd >= 0)
		watch_want(&st->proc->s->loop, &st->w, EPOLLIN);
}

void stream_resume(struct proc *p)
{
	resume(&p->out);
	resume(&p->err);
}

static void drain(struct stream *st)
{
	int there = 0;

	if (st->w.fd < 0)
		return;
	st->draining = true;
	if (ioctl(st->w.fd, FIONREAD, &there) < 0 || there < 0)
		there = 0;
	st->drain = st->proc->terminal ? TERMINAL_MOST : (size_t)there;
	resume(st);
}

/* The command has ended: what it wrote is in the pipes, and nothing else is waited for. */
void stream_drain(struct proc *p)
{
	drain(&p->out);
	drain(&p->err);
	if (p->terminal && p->out.w.fd >= 0)
		timer_set(&p->s->loop, &p->drained, now_mono() + SILENCE);
}

static bool done(const struct stream *st)
{
	return st->w.fd < 0 || (st->draining && !st->drain);
}

bool stream_done(const struct proc *p)
{
	if (p->terminal)
		return p->out.w.fd < 0 || !p->drained.at;
	return done(&p->out) && done(&p->err);
}

static void input_drop(struct proc *p)
{
	free(p->in_data);
	p->in_data = NULL;
	p->in_at = p->in_size = p->in_cap = 0;
}

/* End of file: a pipe is closed, a terminal is told by its own character for it. */
static void input_finish(struct proc *p)
{
	struct termios t;

	if (p->in.fd < 0)
		return;
	if (p->terminal && tcgetattr(p->in.fd, &t) == 0 && t.c_lflag & ICANON) {
		if (write(p->in.fd, &t.c_cc[VEOF], 1) < 0)
			p->in_end = true;
	}
	if (p->terminal)
		watch_want(&p->s->loop, &p->in, 0);
	else
		watch_close(&p->s->loop, &p->in);
}

static void input_write(struct proc *p)
{
	while (p->in.fd >= 0 && p->in_at < p->in_size) {
		ssize_t n = write(p->in.fd, p->in_data + p->in_at, p->in_size - p->in_at);

		if (n > 0) {
			p->in_at += (size_t)n;
		} else if (errno == EAGAIN) {
			watch_want(&p->s->loop, &p->in, EPOLLOUT);
			return;
		} else if (errno != EINTR) {
			/* the command reads no more: what comes is dropped */
			input_drop(p);
			watch_close(&p->s->loop, &p->in);
		}
	}
	input_drop(p);
	if (p->in_end)
		input_finish(p);
	else
		watch_want(&p->s->loop, &p->in, 0);
}

void input_ready(void *owner, uint32_t events)
{
	struct proc *p = owner;

	if (events & EPOLLOUT) {
		input_write(p);
	} else if (events & (EPOLLERR | EPOLLHUP)) {
		input_drop(p);
		watch_close(&p->s->loop, &p->in);
	}
	if (p->client)
		conn_want(p->client);
}

bool input_add(struct proc *p, const uint8_t *data, size_t size)
{
	if (p->in.fd < 0 || p->in_end)
		return true;
	if (p->in_at) {
		p->in_size -= p->in_at;
		memmove(p->in_data, p->in_data + p->in_at, p->in_size);
		p->in_at = 0;
	}
	if (p->in_size + size > p->in_cap) {
		uint8_t *more = realloc(p->in_data, p->in_size + size);

		if (!more)
			return false;
		p->in_data = more;
		p->in_cap = p->in_size + size;
	}
	if (size)
		memcpy(p->in_data + p->in_size, data, size);
	p->in_size += size;
	input_write(p);
	return true;
}

void input_close(struct proc *p)
{
	p->in_end = true;
	if (p->in_at == p->in_size)
		input_finish(p);
}
