/*
 * LOGS: what an exec's log holds, from a place in its output on, and what comes if it is followed.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/path.h"
#include "init/work.h"
#include "wire/pass.h"

struct reading {
	struct conn *c;
	int fd;
	off_t at;
	struct wire_in in;
	uint64_t place, from;	/* bytes of output: where we are, where to begin */
	uint64_t lost;		/* wanted, but no longer there */
	bool gone;		/* the client */
};

static void take(struct reading *r, const struct wire_frame *f)
{
	uint64_t skip;
	bool bad = false;

	if (f->type == WIRE_OK) {
		uint64_t begin = wire_number(wire_fields(f), WIRE_F_OFFSET, r->place, &bad);

		if (begin > r->place && begin > r->from)
			r->lost += begin - (r->place > r->from ? r->place : r->from);
		r->place = begin;
		return;
	}
	if (f->type != WIRE_DATA_OUT && f->type != WIRE_DATA_ERR)
		return;
	skip = r->from > r->place ? r->from - r->place : 0;
	r->place += f->size;
	if (skip >= f->size)
		return;
	wire_data(&r->c->out, f->type, f->body + skip, f->size - (size_t)skip);
	if (r->c->out.size >= CHUNK)
		r->gone = !work_send(r->c);
}

/* To the end of what is there now. */
static void catch_up(struct reading *r)
{
	struct wire_frame f;

	while (!r->gone && r->fd >= 0) {
		uint8_t *to = r->in.error ? NULL : wire_room(&r->in, CHUNK);
		ssize_t n = to ? pread(r->fd, to, CHUNK, r->at) : 0;

		if (n <= 0)
			break;
		wire_got(&r->in, (size_t)n);
		r->at += n;
		while (!r->gone && wire_next(&r->in, &f))
			take(r, &f);
	}
	if (!r->gone && r->c->out.size)
		r->gone = !work_send(r->c);
}

static void turn_to(struct reading *r, int fd)
{
	wire_in_free(&r->in);
	r->fd = fd;
	r->at = 0;
}

/* A wake-up: true while there may be more. A new file comes with it when the log has turned. */
static bool woken(struct reading *r)
{
	int fds[PASS_MAX];
	size_t count;
	char byte;
	ssize_t n = pass_take(r->c->follow, &byte, 1, fds, &count, 0);

	catch_up(r);
	for (size_t i = 0; i < count; i++) {
		turn_to(r, fds[i]);
		catch_up(r);
	}
	return n > 0;
}

static void follow(struct reading *r)
{
	struct pollfd p[2] = {{.fd = r->c->follow, .events = POLLIN},
		{.fd = r->c->w.fd, .events = POLLIN | POLLRDHUP}};

	while (!r->gone) {
		if (poll(p, 2, ALIVE_EVERY / 1000000) == 0) {
			wire_begin(&r->c->out, WIRE_ALIVE);
			wire_end(&r->c->out);
			r->gone = !work_send(r->c);
			continue;
		}
		if (p[1].revents & (POLLHUP | POLLERR | POLLRDHUP))
			return;
		if (p[0].revents && !woken(r))
			return;
	}
}

void work_logs(struct conn *c, const struct wire_frame *f)
{
	bool bad = false;
	struct reading r = {.c = c, .fd = c->file[0],
		.from = wire_number(wire_fields(f), WIRE_F_OFFSET, 0, &bad)};

	catch_up(&r);
	turn_to(&r, c->file[1]);
	catch_up(&r);
	if (c->follow >= 0)
		follow(&r);
	wire_begin(&c->out, WIRE_OK);
	wire_u64(&c->out, WIRE_F_OFFSET, r.place);
	wire_u64(&c->out, WIRE_F_OUT_DROPPED, r.lost);
	wire_end(&c->out);
	work_send(c);
}
