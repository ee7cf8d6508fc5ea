/*
 * Many streams over one: what a micro-VM's keeper and process 1 in the guest speak over a virtio
 * serial port. Bytes in, bytes out: it knows no descriptor.
 *
 *	frame	u32 channel | u16 size | u8 what | u8 0 | size bytes		(little-endian)
 *
 * Either side opens channels, the keeper with even numbers, the guest with odd ones. A side sends
 * at most MUX_WINDOW bytes that the other has not given back as credit, so a slow reader holds up
 * nobody else, and what is kept for it is bounded. A number is free again when both sides have said
 * RESET. Whatever breaks a rule ends the whole: nothing of the peer is believed.
 *
 * A machine that was copied as it ran has channels that its new keeper knows nothing of. So that says AGAIN with a
 * new random word: the guest forgets all, says the word as it is, and both begin anew behind it.
 */
#ifndef INIT_MUX_H
#define INIT_MUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define MUX_CHANNELS	256u		/* of each side */
#define MUX_WINDOW	(256u << 10)
#define MUX_FRAME	(16u << 10)
#define MUX_HEAD	8u

enum mux_what { MUX_OPEN = 1, MUX_DATA, MUX_END, MUX_RESET, MUX_CREDIT, MUX_BYE, MUX_AGAIN };

#define MUX_WORD 16u			/* of AGAIN */

/* What a channel leads to: the first byte of OPEN; MUX_PORT has a u16 behind it. */
enum mux_kind {
	MUX_SERVER = 1,		/* the box's server */
	MUX_START,		/* `serve`: HELLO, START */
	MUX_PORT,		/* a TCP port of the box's loopback */
	MUX_RECORDS,		/* guest to keeper: what was written into the records and logs */
	MUX_EGRESS,		/* guest to keeper: a connection to the proxy */
	MUX_SYNC,		/* all that was written goes to the disks; then a byte */
	MUX_WAKE,		/* entropy and the time, after a start or a restore; then what was frozen goes on */
	MUX_SLEEP,		/* the box is frozen, and all that was written goes to the disks; then a byte */
};

struct mux_channel {
	struct mux *mux;
	uint32_t number;
	bool used, sent_end, got_end, sent_reset, got_reset;
	uint32_t credit;	/* that we may still send */
	uint32_t held;		/* of the peer's, not taken yet */
	uint32_t taken;		/* and taken, not told yet */
	void *owner;
};

struct mux_user {
	/* The peer opened it; false: it is refused. */
	bool (*opened)(void *ctx, struct mux_channel *c, enum mux_kind kind, uint16_t port);
	/* All of it is the owner's now, to be told by mux_taken() when it went on. */
	void (*data)(struct mux_channel *c, const uint8_t *data, size_t size);
	void (*room)(struct mux_channel *c);	/* mux_room() is no longer 0 */
	void (*ended)(struct mux_channel *c);	/* the peer says no more */
	void (*reset)(struct mux_channel *c);	/* it is gone: the owner forgets c */
	void (*bye)(void *ctx);			/* the guest has ended in peace */
};

struct mux {
	const struct mux_user *user;
	void *ctx;
	bool guest;		/* which side we are */
	const char *error;	/* why the peer is no longer listened to */
	struct wire_out out;	/* bytes for the peer: taken with wire_consume() */
	struct wire_out in;	/* of the peer, not a whole frame yet */
	bool again;		/* in the guest: the keeper is another, who knows nothing of all this */
	uint8_t word[MUX_WORD];	/* which it said */
	struct mux_channel own[MUX_CHANNELS], theirs[MUX_CHANNELS];
};

void mux_init(struct mux *m, const struct mux_user *user, void *ctx, bool guest);
void mux_free(struct mux *m);
/* Bytes of the peer. False: m->error. */
bool mux_take(struct mux *m, const uint8_t *data, size_t size);
/* NULL: no number is free. */
struct mux_channel *mux_open(struct mux *m, enum mux_kind kind, uint16_t port, void *owner);
size_t mux_room(const struct mux_channel *c);	/* how much may be sent now */
/* at most mux_room() */
void mux_send(struct mux_channel *c, const void *data, size_t size);
void mux_taken(struct mux_channel *c, size_t size);
void mux_end(struct mux_channel *c);		/* we say no more */
void mux_close(struct mux_channel *c);		/* both ways at once; the owner forgets c */
void mux_bye(struct mux *m);
/* The keeper's first word to a machine that was restored. */
void mux_again(struct mux *m, const uint8_t word[MUX_WORD]);

#endif
