/*
 * Bridges. A socket is read only while its channel has credit and little waits for the peer; the
 * peer is read while what we owe it is little, so that neither can make us keep much.
 */
#include "init/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define OUT_HIGH (256u << 10)	/* no socket is read while so much waits */
#define OUT_STOP (2u << 20)	/* nor the peer: it makes us answer and does not listen */
#define CHUNK (64u << 10)

static void want(struct bridge *b)
{
	struct link *l = b->link;
	uint32_t events = 0;

	if (!b->ended && b->c && !b->first.size && mux_room(b->c) && l->mux.out.size < OUT_HIGH)
		events |= EPOLLIN;
	if (b->size)
		events |= EPOLLOUT;
	watch_want(l->loop, &b->w, events);
}

void bridge_free(struct bridge *b)
{
	struct bridge **at = &b->link->bridges;

	while (*at && *at != b)
		at = &(*at)->next;
	if (*at)
		*at = b->next;
	if (b->gone)
		b->gone(b);
	watch_close(b->link->loop, &b->w);
	if (b->c)
		mux_close(b->c);
	free(b->data);
	wire_free(&b->first);
	free(b);
}

static void push_first(struct bridge *b)
{
	size_t n = b->c ? mux_room(b->c) : 0;

	if (n > b->first.size)
		n = b->first.size;
	if (!n)
		return;
	mux_send(b->c, b->first.data, n);
	wire_consume(&b->first, n);
}

bool bridge_first(struct bridge *b, const void *data, size_t size)
{
	wire_raw(&b->first, data, size);
	if (b->first.failed)
		return false;
	push_first(b);
	want(b);
	link_flush(b->link);
	return true;
}

/* What the socket takes now. False: the bridge is gone. */
static bool bridge_flush(struct bridge *b)
{
	while (b->size) {
		ssize_t n = send(b->w.fd, b->data + b->at, b->size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0) {
			b->at += (size_t)n;
			b->size -= (size_t)n;
			if (b->c)
				mux_taken(b->c, (size_t)n);
		} else if (n < 0 && errno == EAGAIN) {
			break;
		} else if (errno != EINTR) {
			/* it takes no more, but may have said something that is not read yet */
			if (b->c)
				mux_taken(b->c, b->size);
			b->size = 0;
			b->shut = true;
		}
	}
	if (!b->size) {
		free(b->data);
		b->data = NULL;
		b->at = b->cap = 0;
	}
	if (!b->size && (!b->c || b->c->got_end) && !b->shut) {
		b->shut = true;
		shutdown(b->w.fd, SHUT_WR);
	}
	if (b->shut && (b->ended || !b->c)) {
		bridge_free(b);
		return false;
	}
	want(b);
	return true;
}

bool bridge_put(struct bridge *b, const void *data, size_t size)
{
	if (b->shut) {
		if (b->c)
			mux_taken(b->c, size);
		return true;
	}
	if (b->size + size > b->cap - b->at) {
		uint8_t *more = malloc(b->size + size + 4096);

		if (!more)
			return false;
		if (b->size)
			memcpy(more, b->data + b->at, b->size);
		free(b->data);
		b->data = more;
		b->at = 0;
		b->cap = b->size + size + 4096;
	}
	memcpy(b->data + b->at + b->size, data, size);
	b->size += size;
	return true;
}

static void take(struct bridge *b)
{
	struct link *l = b->link;
	size_t room = mux_room(b->c);
	ssize_t n = recv(b->w.fd, l->chunk, room < CHUNK ? room : CHUNK, MSG_DONTWAIT);

	if (n > 0) {
		mux_send(b->c, l->chunk, (size_t)n);
	} else if (n == 0) {
		b->ended = true;
		mux_end(b->c);
	} else if (errno != EAGAIN && errno != EINTR && errno != ECONNRESET) {
		bridge_free(b);
		link_flush(l);
		return;
	}
	/* (a server that closes with words of ours unread resets us; what it said is there still) */
	bridge_flush(b);
	link_flush(l);
}

static void bridge_ready(void *owner, uint32_t events)
{
	struct bridge *b = owner;
	struct link *l = b->link;

	if (events & EPOLLIN && !b->ended && b->c && !b->first.size && mux_room(b->c)) {
		take(b);
	} else if (events & (EPOLLHUP | EPOLLERR) && !(events & EPOLLIN)) {
		bridge_free(b);
		link_flush(l);
	} else {
		bridge_flush(b);
		link_flush(l);
	}
}

static void on_data(struct mux_channel *c, const uint8_t *data, size_t size)
{
	struct bridge *b = c->owner;

	if (!b) {
		mux_taken(c, size);
		return;
	}
	if ((b->look && !b->look(b, data, size)) || (!b->look && !bridge_put(b, data, size))) {
		bridge_free(b);
		return;
	}
	bridge_flush(b);
}

static void on_room(struct mux_channel *c)
{
	struct bridge *b = c->owner;

	if (!b)
		return;
	push_first(b);
	want(b);
}

static void on_ended(struct mux_channel *c)
{
	if (c->owner)
		bridge_flush(c->owner);
}

static void on_reset(struct mux_channel *c)
{
	struct bridge *b = c->owner;

	if (!b)
		return;
	/* what it said before still goes to the socket */
	b->c = NULL;
	bridge_flush(b);
}

void bridge_cut(struct bridge *b)
{
	if (b->c)
		mux_close(b->c);
	b->c = NULL;
	bridge_flush(b);
}

static struct bridge *join(struct link *l, int fd)
{
	struct bridge *b = calloc(1, sizeof(*b));

	if (!b) {
		close(fd);
		return NULL;
	}
	*b = (struct bridge){.link = l, .next = l->bridges,
		.w = {.fd = fd, .ready = bridge_ready, .owner = b}};
	l->bridges = b;
	return b;
}

struct bridge *link_join(struct link *l, int fd, enum mux_kind kind, uint16_t port)
{
	struct bridge *b = join(l, fd);

	if (!b)
		return NULL;
	b->c = mux_open(&l->mux, kind, port, b);
	if (!b->c) {
		bridge_free(b);
		return NULL;
	}
	want(b);
	return b;
}

static bool on_opened(void *ctx, struct mux_channel *c, enum mux_kind kind, uint16_t port)
{
	struct link *l = ctx;
	int fd = l->opened(l->ctx, kind, port);
	struct bridge *b = fd < 0 ? NULL : join(l, fd);

	if (!b)
		return false;
	b->c = c;
	c->owner = b;
	want(b);
	return true;
}

static void on_bye(void *ctx)
{
	struct link *l = ctx;

	if (l->bye)
		l->bye(l->ctx);
}

static void wanted(struct link *l)
{
	uint32_t events = l->mux.out.size < OUT_STOP ? EPOLLIN : 0;

	watch_want(l->loop, &l->w, events | ((l->quiet ? l->owed : l->mux.out.size) ? EPOLLOUT : 0));
}

void link_flush(struct link *l)
{
	struct mux *m = &l->mux;
	bool was = m->out.size >= OUT_HIGH;
	size_t done = 0, most = l->quiet ? l->owed : m->out.size;

	while (done < most) {
		ssize_t n = write(l->w.fd, m->out.data + done, most - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno == EINTR)
			continue;
		else
			break;
	}
	wire_consume(&m->out, done);
	l->owed -= l->quiet ? done : 0;
	if (was && m->out.size < OUT_HIGH)
		for (struct bridge *b = l->bridges; b; b = b->next)
			want(b);
	wanted(l);
}

void link_hush(struct link *l)
{
	l->quiet = true;
	l->owed = l->mux.out.size;
	link_flush(l);
}

void link_speak(struct link *l)
{
	l->quiet = false;
	link_flush(l);
}

bool link_again(struct link *l)
{
	if (getrandom(l->word, sizeof(l->word), 0) != (ssize_t)sizeof(l->word))
		return false;
	l->deaf = true;
	mux_again(&l->mux, l->word);
	link_flush(l);
	return true;
}

/* Until the word comes, which may be cut anywhere. False: the mux is told what is behind it, and does not like it. */
static bool wait_word(struct link *l, const uint8_t *data, size_t size)
{
	const uint8_t *at;
	bool good = true;

	wire_raw(&l->stale, data, size);
	if (l->stale.failed)
		return false;
	at = l->stale.size < MUX_WORD ? NULL : memmem(l->stale.data, l->stale.size, l->word, MUX_WORD);
	if (!at) {
		if (l->stale.size > MUX_WORD)
			wire_consume(&l->stale, l->stale.size - (MUX_WORD - 1));
		return true;
	}
	l->deaf = false;
	wire_consume(&l->stale, (size_t)(at - l->stale.data) + MUX_WORD);
	if (l->stale.size)
		good = mux_take(&l->mux, l->stale.data, l->stale.size);
	wire_free(&l->stale);
	return good;
}

/* The guest begins anew, and says so. Who held the other ends of the bridges sees them end. */
static void begin_again(struct link *l)
{
	const struct mux_user *user = l->mux.user;
	uint8_t word[MUX_WORD];

	memcpy(word, l->mux.word, sizeof(word));
	while (l->bridges)
		bridge_free(l->bridges);
	mux_free(&l->mux);
	mux_init(&l->mux, user, l, true);
	wire_raw(&l->mux.out, word, sizeof(word));
	if (l->again)
		l->again(l->ctx);
}

static void link_ready(void *owner, uint32_t events)
{
	struct link *l = owner;
	ssize_t n = events & EPOLLIN ? read(l->w.fd, l->chunk, CHUNK) : -1;

	if (n > 0 && !(l->deaf ? wait_word(l, l->chunk, (size_t)n) : mux_take(&l->mux, l->chunk, (size_t)n))) {
		l->lost(l->ctx);
		return;
	}
	if (l->mux.again)
		begin_again(l);
	if (n == 0 || (events & (EPOLLHUP | EPOLLERR) && n < 0)) {
		l->lost(l->ctx);
		return;
	}
	link_flush(l);
}

bool link_start(struct link *l, struct loop *loop, int fd, bool guest)
{
	static const struct mux_user user = {on_opened, on_data, on_room, on_ended, on_reset, on_bye};

	l->loop = loop;
	l->w = (struct watch){.fd = fd, .ready = link_ready, .owner = l};
	l->chunk = malloc(CHUNK);
	mux_init(&l->mux, &user, l, guest);
	return l->chunk && watch_want(loop, &l->w, EPOLLIN);
}

void link_stop(struct link *l)
{
	while (l->bridges)
		bridge_free(l->bridges);
	watch_close(l->loop, &l->w);
	mux_free(&l->mux);
	wire_free(&l->stale);
	free(l->chunk);
	l->chunk = NULL;
}
