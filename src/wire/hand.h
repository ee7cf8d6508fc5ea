/*
 * What a box's keeper and its tinybox-egress say to each other, in packets on DIR/secrets: both run outside of the
 * box, on one machine, from one build.
 *
 * Keeper to egress: a hand, with two descriptors: the box's connection, and the one that was dialled for it. Behind
 * it come `rest` bytes that the box has said already. Back: a word for the audit log, before what it tells of is
 * done.
 */
#ifndef WIRE_HAND_H
#define WIRE_HAND_H

#include <stdint.h>

#define HAND_SOCKET "secrets"
#define HAND_REST 32768u

struct hand {
	uint32_t tls, port, rest;
	char name[256];		/* of the host: lower case, no dot at the end */
};

struct hand_word {
	uint32_t swapped, port;	/* swapped 0: refused */
	char name[256], secret[68], why[96];	/* texts, with a NUL behind; secret may be empty */
};

#endif
