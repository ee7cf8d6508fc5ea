/*
 * A multiplexer on a loop: the descriptor that leads to the other side, and bridges, each of which
 * joins a stream socket with a channel, both ways, with the ends of both passed on.
 */
#ifndef INIT_LINK_H
#define INIT_LINK_H

#include "init/loop.h"
#include "init/mux.h"

struct link;

struct bridge {
	struct link *link;
	struct bridge *next;
	struct mux_channel *c;
	struct watch w;
	uint8_t *data;		/* of the peer, for the socket: at most a window */
	size_t at, size, cap;
	struct wire_out first;	/* for the peer, before what the socket says */
	bool ended;		/* the socket said its last word */
	bool shut;		/* and we ours */
	/*
	 * What the peer said, before it goes on, at most a window: false ends the bridge. NULL: all
	 * goes on as it is.
	 */
	bool (*look)(struct bridge *b, const uint8_t *data, size_t size);
	void (*gone)(struct bridge *b);		/* before it is freed; NULL: nobody cares */
	void *owner;
};

struct link {
	struct loop *loop;
	struct mux mux;
	struct watch w;
	struct bridge *bridges;
	uint8_t *chunk;
	/* The peer opened a channel: a socket for it, or -1. */
	int (*opened)(void *ctx, enum mux_kind kind, uint16_t port);
	void (*bye)(void *ctx);
	/* It is over: the descriptor ended, or the peer broke the rules (mux.error). */
	void (*lost)(void *ctx);
	/* In the guest: all bridges are gone, the keeper is another. NULL: it has no other. */
	void (*again)(void *ctx);
	void *ctx;
	bool quiet;		/* link_hush() */
	size_t owed;		/* of what waits for the peer, it still gets so much */
	/* To a guest that was restored: what it says before this word is for somebody else. */
	bool deaf;
	uint8_t word[MUX_WORD];
	struct wire_out stale;
};

/* The descriptor is taken. False: errno. */
bool link_start(struct link *l, struct loop *loop, int fd, bool guest);
/* Joins the socket, which is taken, with a new channel. NULL: no channel is free, the socket is closed. */
struct bridge *link_join(struct link *l, int fd, enum mux_kind kind, uint16_t port);
void link_flush(struct link *l);
/* What was said until now goes to the peer, whole frames; all else waits until link_speak(). */
void link_hush(struct link *l);
void link_speak(struct link *l);
/* The guest is to forget all that it thinks is open (MUX_AGAIN). False: no randomness. */
bool link_again(struct link *l);
/* Bytes for the peer, before those of the socket; false: no memory. */
bool bridge_first(struct bridge *b, const void *data, size_t size);
/* Bytes for the socket, as if the peer had said them; false: no memory. */
bool bridge_put(struct bridge *b, const void *data, size_t size);
/* The peer is heard no more; what is there still goes to the socket. */
void bridge_cut(struct bridge *b);
void bridge_free(struct bridge *b);		/* both sides are closed */
void link_stop(struct link *l);

#endif
