/*
 * The multiplexer. A channel is its number's place in a table of its opener's side; all that the
 * peer says is checked against what it may say now.
 */
#include "init/mux.h"

#include <string.h>

void mux_init(struct mux *m, const struct mux_user *user, void *ctx, bool guest)
{
	memset(m, 0, sizeof(*m));
	m->user = user;
	m->ctx = ctx;
	m->guest = guest;
}

void mux_free(struct mux *m)
{
	wire_free(&m->out);
	wire_free(&m->in);
}

static void put(struct mux *m, uint32_t number, enum mux_what what, const void *data, size_t size)
{
	uint8_t head[MUX_HEAD] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
		(uint8_t)(number >> 24), (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)what, 0};

	wire_raw(&m->out, head, sizeof(head));
	wire_raw(&m->out, data, size);
}

static void fresh(struct mux *m, struct mux_channel *c, uint32_t number, void *owner)
{
	*c = (struct mux_channel){.mux = m, .number = number, .used = true, .credit = MUX_WINDOW,
		.owner = owner};
}

struct mux_channel *mux_open(struct mux *m, enum mux_kind kind, uint16_t port, void *owner)
{
	uint8_t say[3] = {(uint8_t)kind, (uint8_t)port, (uint8_t)(port >> 8)};

	for (uint32_t i = 0; i < MUX_CHANNELS; i++) {
		struct mux_channel *c = &m->own[i];

		if (c->used)
			continue;
		fresh(m, c, 2 * i + m->guest, owner);
		put(m, c->number, MUX_OPEN, say, sizeof(say));
		return c;
	}
	return NULL;
}

size_t mux_room(const struct mux_channel *c)
{
	return c->sent_end || c->sent_reset ? 0 : c->credit;
}

void mux_send(struct mux_channel *c, const void *data, size_t size)
{
	const uint8_t *at = data;

	c->credit -= (uint32_t)size;
	while (size) {
		size_t n = size < MUX_FRAME ? size : MUX_FRAME;

		put(c->mux, c->number, MUX_DATA, at, n);
		at += n;
		size -= n;
	}
}

void mux_taken(struct mux_channel *c, size_t size)
{
	uint8_t say[4];
	uint32_t n;

	c->taken += (uint32_t)size;
	n = c->taken;
	if (n < MUX_WINDOW / 4 || c->got_end || c->sent_reset)
		return;
	say[0] = (uint8_t)n;
	say[1] = (uint8_t)(n >> 8);
	say[2] = (uint8_t)(n >> 16);
	say[3] = (uint8_t)(n >> 24);
	put(c->mux, c->number, MUX_CREDIT, say, sizeof(say));
	c->held -= n;
	c->taken = 0;
}

void mux_end(struct mux_channel *c)
{
	if (c->sent_end || c->sent_reset)
		return;
	c->sent_end = true;
	put(c->mux, c->number, MUX_END, NULL, 0);
}

void mux_close(struct mux_channel *c)
{
	c->owner = NULL;
	if (!c->sent_reset)
		put(c->mux, c->number, MUX_RESET, NULL, 0);
	c->sent_reset = true;
	if (c->got_reset)
		c->used = false;
}

void mux_bye(struct mux *m)
{
	put(m, 0, MUX_BYE, NULL, 0);
}

void mux_again(struct mux *m, const uint8_t word[MUX_WORD])
{
	put(m, 0, MUX_AGAIN, word, MUX_WORD);
}

static bool broken(struct mux *m, const char *why)
{
	m->error = why;
	return false;
}

static bool do_open(struct mux *m, struct mux_channel *c, uint32_t number, const uint8_t *data,
		    size_t size)
{
	if (size != 3 || c->used || (number & 1) == m->guest)
		return broken(m, "a channel was opened that cannot be");
	fresh(m, c, number, NULL);
	if (!m->user->opened(m->ctx, c, (enum mux_kind)data[0], (uint16_t)(data[1] | data[2] << 8)))
		mux_close(c);
	return true;
}

static bool do_data(struct mux *m, struct mux_channel *c, const uint8_t *data, size_t size)
{
	if (c->got_end || c->got_reset || size > MUX_WINDOW - c->held)
		return broken(m, "data came that was not allowed");
	if (c->sent_reset)
		return true;
	c->held += (uint32_t)size;
	m->user->data(c, data, size);
	return true;
}

static bool do_credit(struct mux *m, struct mux_channel *c, const uint8_t *data, size_t size)
{
	uint32_t n, before = c->credit;

	if (size != 4 || c->got_reset)
		return broken(m, "a credit is damaged");
	n = data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
	if (n > MUX_WINDOW - c->credit)
		return broken(m, "more credit was given than was owed");
	c->credit += n;
	if (!before && n && !c->sent_reset && !c->sent_end)
		m->user->room(c);
	return true;
}

static bool do_end(struct mux *m, struct mux_channel *c)
{
	if (c->got_end || c->got_reset)
		return broken(m, "a channel ended twice");
	c->got_end = true;
	if (!c->sent_reset)
		m->user->ended(c);
	return true;
}

static bool do_reset(struct mux *m, struct mux_channel *c)
{
	if (c->got_reset)
		return broken(m, "a channel was reset twice");
	c->got_reset = true;
	if (c->sent_reset) {
		c->used = false;
		return true;
	}
	m->user->reset(c);
	mux_close(c);
	return true;
}

static bool one(struct mux *m, uint32_t number, unsigned what, const uint8_t *data, size_t size)
{
	bool ours = (number & 1) == m->guest;
	struct mux_channel *c = ours ? &m->own[number / 2] : &m->theirs[number / 2];

	if (what == MUX_OPEN)
		return do_open(m, c, number, data, size);
	if (what == MUX_BYE && !m->guest) {
		m->user->bye(m->ctx);
		return true;
	}
	if (what == MUX_AGAIN && m->guest && size == MUX_WORD) {
		memcpy(m->word, data, size);
		m->again = true;
		return true;
	}
	if (!c->used)
		return broken(m, "a channel was named that is not open");
	switch (what) {
	case MUX_DATA: return do_data(m, c, data, size);
	case MUX_END: return do_end(m, c);
	case MUX_RESET: return do_reset(m, c);
	case MUX_CREDIT: return do_credit(m, c, data, size);
	default: return broken(m, "a frame is of no known kind");
	}
}

static bool frames(struct mux *m)
{
	size_t at = 0;
	bool good = true;

	while (good && !m->again && m->in.size - at >= MUX_HEAD) {
		const uint8_t *h = m->in.data + at;
		uint32_t number = h[0] | (uint32_t)h[1] << 8 | (uint32_t)h[2] << 16 |
			(uint32_t)h[3] << 24;
		size_t size = h[4] | (size_t)h[5] << 8;

		if (size > MUX_FRAME || number >= 2 * MUX_CHANNELS || h[7])
			return broken(m, "a frame is damaged");
		if (m->in.size - at - MUX_HEAD < size)
			break;
		good = one(m, number, h[6], h + MUX_HEAD, size);
		at += MUX_HEAD + size;
	}
	wire_consume(&m->in, at);
	return good;
}

bool mux_take(struct mux *m, const uint8_t *data, size_t size)
{
	if (m->error)
		return false;
	wire_raw(&m->in, data, size);
	if (m->in.failed || m->out.failed)
		return broken(m, "no memory");
	return frames(m);
}
