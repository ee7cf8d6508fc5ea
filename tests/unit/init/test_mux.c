/* The multiplexer: two of them talk; and one that is given whatever a guest could say. */
#include <stdlib.h>
#include <string.h>

#include "init/mux.h"
#include "tap.h"

struct side {
	struct mux mux;
	struct mux_channel *last;
	uint64_t bytes, sum;
	unsigned opened, ended, reset, room, bye;
	bool hold, refuse;
};

static bool on_opened(void *ctx, struct mux_channel *c, enum mux_kind kind, uint16_t port)
{
	struct side *s = ctx;

	(void)kind;
	(void)port;
	s->opened++;
	if (s->refuse)
		return false;
	s->last = c;
	c->owner = s;
	return true;
}

static void on_data(struct mux_channel *c, const uint8_t *data, size_t size)
{
	struct side *s = c->owner;

	if (!s) {
		mux_taken(c, size);
		return;
	}
	s->bytes += size;
	for (size_t i = 0; i < size; i++)
		s->sum = s->sum * 31 + data[i];
	if (!s->hold)
		mux_taken(c, size);
}

static void on_room(struct mux_channel *c)
{
	if (c->owner)
		((struct side *)c->owner)->room++;
}

static void on_ended(struct mux_channel *c)
{
	if (c->owner)
		((struct side *)c->owner)->ended++;
}

static void on_reset(struct mux_channel *c)
{
	if (c->owner)
		((struct side *)c->owner)->reset++;
}

static void on_bye(void *ctx)
{
	((struct side *)ctx)->bye++;
}

static const struct mux_user user = {on_opened, on_data, on_room, on_ended, on_reset, on_bye};

static struct side *side(bool guest)
{
	struct side *s = calloc(1, sizeof(*s));

	mux_init(&s->mux, &user, s, guest);
	return s;
}

static void drop(struct side *s)
{
	mux_free(&s->mux);
	free(s);
}

/* What each has to say, in pieces of n bytes, until both are silent. */
static bool talk(struct side *a, struct side *b, size_t n)
{
	while (a->mux.out.size || b->mux.out.size) {
		struct side *from = a->mux.out.size ? a : b, *to = from == a ? b : a;
		size_t some = from->mux.out.size < n ? from->mux.out.size : n;

		if (!mux_take(&to->mux, from->mux.out.data, some))
			return false;
		wire_consume(&from->mux.out, some);
	}
	return true;
}

static void test_again(void)
{
	static const uint8_t word[MUX_WORD] = "another keeper's";
	struct side *host = side(false), *guest = side(true), *next = side(false);
	struct mux_channel *c = mux_open(&guest->mux, MUX_RECORDS, 0, guest);

	mux_open(&host->mux, MUX_SERVER, 0, host);
	talk(host, guest, 5);
	mux_send(c, "not for you", 11);
	mux_again(&next->mux, word);
	mux_open(&next->mux, MUX_START, 0, next);
	ok(mux_take(&guest->mux, next->mux.out.data, next->mux.out.size), "a guest hears of another keeper");
	ok(guest->mux.again && !memcmp(guest->mux.word, word, MUX_WORD) && guest->opened == 1,
	   "by its word, and takes nothing behind it before it has begun anew");
	ok(!mux_take(&next->mux, guest->mux.out.data, guest->mux.out.size), "what it had to say is not for that one");
	wire_consume(&host->mux.out, host->mux.out.size);
	mux_again(&host->mux, word);
	drop(next);
	next = side(false);
	ok(!mux_take(&next->mux, host->mux.out.data, host->mux.out.size) && !next->mux.again, "a guest cannot say so");
	drop(host);
	drop(guest);
	drop(next);
}

static void test_talk(void)
{
	struct side *host = side(false), *guest = side(true);
	static uint8_t data[MUX_WINDOW];
	struct mux_channel *c = mux_open(&host->mux, MUX_SERVER, 0, host);
	uint64_t sent = 0, sum = 0;
	bool good = true;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 251);
	for (unsigned round = 0; round < 40; round++) {
		size_t n = mux_room(c);

		for (size_t i = 0; i < n; i++)
			sum = sum * 31 + data[i];
		mux_send(c, data, n);
		sent += n;
		good = good && talk(host, guest, 1 + round * 997);
	}
	ok(good, "what was said is taken, in pieces of any size");
	ok(guest->bytes == sent && guest->sum == sum, "all bytes, in their order");
	guest->hold = true;
	mux_send(c, data, mux_room(c));
	talk(host, guest, 4096);
	ok(mux_room(c) == 0, "who does not take gets no more than a window");
	mux_taken(guest->last, guest->last->held - guest->last->taken);
	talk(host, guest, 4096);
	ok(mux_room(c) == MUX_WINDOW && host->room, "and what is taken gives room");
	mux_end(c);
	mux_end(guest->last);
	talk(host, guest, 1);
	ok(host->ended == 1 && guest->ended == 1, "both ends are told");
	mux_close(c);
	talk(host, guest, 3);
	ok(guest->reset == 1 && !host->mux.own[0].used && !guest->mux.theirs[0].used, "a number is free when both have closed");
	guest->refuse = true;
	c = mux_open(&host->mux, MUX_PORT, 80, host);
	talk(host, guest, 3);
	ok(host->reset == 1 && !c->used, "what is refused is reset");
	for (unsigned i = 0; i < MUX_CHANNELS; i++)
		c = mux_open(&host->mux, MUX_SERVER, 0, NULL);
	ok(c && !mux_open(&host->mux, MUX_SERVER, 0, NULL), "numbers come to an end");
	drop(host);
	drop(guest);
}

static bool refuses(const uint8_t *data, size_t n, bool open_one)
{
	struct side *host = side(false);
	bool good;

	if (open_one)
		mux_open(&host->mux, MUX_SERVER, 0, host);
	good = mux_take(&host->mux, data, n);
	drop(host);
	return !good;
}

#define FRAME(number, size, what, ...) (const uint8_t[]){number, 0, 0, 0, size, 0, what, 0, __VA_ARGS__}

static void test_rules(void)
{
	struct side *host = side(false);
	static uint8_t much[8 + MUX_FRAME];

	ok(refuses(FRAME(0, 0, MUX_END, 0), 8, false), "a channel that nobody opened");
	ok(!refuses(FRAME(0, 0, MUX_END, 0), 8, true), "(one that was)");
	ok(refuses(FRAME(0, 3, MUX_OPEN, 1, 0, 0), 11, false), "a channel with our number");
	ok(!refuses(FRAME(1, 3, MUX_OPEN, 1, 0, 0), 11, false), "(one with its own)");
	ok(refuses(FRAME(1, 2, MUX_OPEN, 1, 0, 0), 10, false), "an opening that is too short");
	ok(refuses((const uint8_t[]){0, 2, 0, 0, 0, 0, MUX_END, 0}, 8, true), "a number that is too large");
	ok(refuses((const uint8_t[]){0, 0, 0, 0, 0, 0, MUX_END, 9}, 8, true), "a byte that must be zero");
	ok(refuses((const uint8_t[]){0, 0, 0, 0, 0, 0, 77, 0}, 8, true), "no known word");
	ok(refuses((const uint8_t[]){0, 0, 0, 0, 1, 0x40, MUX_DATA, 0}, 8, true), "a frame that is too long, at its head");
	ok(refuses(FRAME(0, 4, MUX_CREDIT, 1, 0, 0, 0), 12, true), "credit that nobody owed");
	ok(refuses((const uint8_t[]){0, 0, 0, 0, 0, 0, MUX_RESET, 0, 0, 0, 0, 0, 0, 0, MUX_END, 0}, 16, true),
	   "words behind a reset");
	host->hold = true;
	mux_open(&host->mux, MUX_SERVER, 0, host);
	much[5] = MUX_FRAME >> 8;
	much[6] = MUX_DATA;
	for (unsigned i = 0; i < MUX_WINDOW / MUX_FRAME; i++)
		mux_take(&host->mux, much, sizeof(much));
	ok(!host->mux.error && host->bytes == MUX_WINDOW, "a whole window is taken");
	ok(!mux_take(&host->mux, much, sizeof(much)), "and not a byte more");
	ok(!mux_take(&host->mux, FRAME(0, 0, MUX_END, 0), 8), "who broke a rule is heard no more");
	drop(host);
}

static uint32_t next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Frames that are nearly right, and the host opens and closes meanwhile. What is kept stays bounded. */
static void test_noise(void)
{
	uint32_t seed = 20261130;
	size_t most = 0;
	unsigned broke = 0;

	for (unsigned run = 0; run < 3000; run++) {
		struct side *host = side(false);

		host->refuse = next(&seed) % 4 == 0;
		for (unsigned i = 0; i < 60 && !host->mux.error; i++) {
			uint8_t frame[8 + 64] = {0};
			size_t size = next(&seed) % 8 ? next(&seed) % 64 : 3;

			frame[0] = (uint8_t)(next(&seed) % 8);
			frame[1] = next(&seed) % 50 == 0;
			frame[4] = (uint8_t)size;
			frame[6] = (uint8_t)(1 + next(&seed) % (next(&seed) % 20 ? 6 : 9));
			if (frame[6] == MUX_OPEN)
				frame[4] = 3, size = 3;
			if (frame[6] == MUX_CREDIT)
				frame[4] = 4, size = 4;
			for (size_t j = 0; j < size; j++)
				frame[8 + j] = (uint8_t)next(&seed);
			if (next(&seed) % 3 == 0)
				mux_open(&host->mux, MUX_SERVER, 0, host);
			if (host->last && host->last->owner && next(&seed) % 5 == 0)
				mux_close(host->last);
			mux_take(&host->mux, frame, 8 + size);
			if (host->mux.in.size > most)
				most = host->mux.in.size;
			host->mux.out.size = 0;
		}
		broke += host->mux.error != NULL;
		drop(host);
	}
	ok(broke > 100, "noise breaks rules");
	ok(most <= MUX_HEAD + MUX_FRAME, "and no more than a frame is kept");
}

int main(void)
{
	test_talk();
	test_again();
	test_rules();
	test_noise();
	return done();
}
