/*
 * A log of JSON lines, each of which holds the hash of the line before: what was changed, left out
 * or put in is found. NAME.head beside it has the number of lines, their bytes and the last
 * hash, so that a tail that was cut off is found too. Several processes may append; each line is one
 * write, under a lock that dies with its holder.
 *
 *	{"time":1.5,"event":"exec", ... ,"prev":"HEX"}	SHA-256 of the line before, without its
 *							newline; of the first: zeros
 *	NAME.head	lines (20 digits) bytes (20 digits) HEX
 *
 * Whoever can write both files can write both anew: the hash in the head is what to keep elsewhere.
 */
#ifndef WIRE_CHAIN_H
#define WIRE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHAIN_HEX 64
#define CHAIN_HEAD (20 + 1 + 20 + 1 + CHAIN_HEX + 1)

struct chain {
	int fd, head;		/* -1: closed, and what is appended is lost */
	bool known;		/* the rest holds when the log is `bytes` long */
	uint64_t lines, bytes;
	char hex[CHAIN_HEX + 1];
	/* Called while another holds the lock for long, each millisecond; NULL: only waits. */
	void (*waiting)(void *ctx);
	void *ctx;
};

#define CHAIN_CLOSED { .fd = -1, .head = -1 }

bool chain_open(struct chain *c, int dir, const char *name);	/* false: errno */
void chain_close(struct chain *c);
/* An object of JSON with at least one member, without a newline. False: errno, nothing is there. */
bool chain_append(struct chain *c, const char *json, size_t n);

struct chain_told {
	uint64_t lines;			/* that are whole */
	char hex[CHAIN_HEX + 1];	/* of the last of them */
	const char *why;		/* what is wrong; NULL: nothing */
};

/* Both files' contents; head NULL: it is missing. */
struct chain_told chain_verify(const char *log, size_t n, const char *head, size_t head_n);

#endif
