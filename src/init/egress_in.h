/* Shared by the files of egress.h. */
#ifndef INIT_EGRESS_IN_H
#define INIT_EGRESS_IN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "init/egress.h"

#define EG_NAME_MAX 253
#define EG_ADDRESSES 8
#define EG_REQUEST_MAX 16384
#define EG_BUFFER 32768	/* a request and its rewritten head fit */

/* ---- egress_rule.c: what may be reached ---- */

struct eg_rule {
	char name[EG_NAME_MAX + 1];	/* lower case; of a wildcard what follows "*." */
	bool any, wild, address;
	struct in6_addr ip;		/* IPv4 as mapped */
	uint16_t port;			/* 0: any */
};

/* False: not NAME:PORT. */
bool eg_rule_read(struct eg_rule *r, const char *text);
/* Lower case, no dot at the end, at most EG_NAME_MAX and a NUL; false: not a host name or address. */
bool eg_name_clean(char *clean, const char *name, size_t size);
bool eg_address_read(struct in6_addr *ip, const char *text);
/*
 * Whether the name may be reached at the port at all, before it is resolved; and then whether at this
 * address. NULL: yes; otherwise the reason.
 */
const char *eg_name_refused(const struct eg_rule *r, size_t count, const char *name, uint16_t port);
const char *eg_address_refused(const struct eg_rule *r, size_t count, const char *name,
			       const struct in6_addr *ip, uint16_t port);

/* ---- egress_ask.c: what a client of the proxy asks for ---- */

enum eg_protocol { EG_UNKNOWN, EG_CONNECT, EG_HTTP, EG_SOCKS };

struct eg_ask {
	enum eg_protocol protocol;
	bool greeted;			/* SOCKS: its methods were answered */
	char name[256];			/* as asked, with a NUL behind; may have one inside */
	size_t name_size;
	uint16_t port;
	size_t used;			/* of the input: the rest is for the other side */
	char *head;			/* HTTP: what to send first instead, by malloc */
	size_t head_size;
	const char *reply;		/* to send now (greeting) */
	size_t reply_size;
};

enum eg_more { EG_MORE, EG_DONE, EG_BAD };

enum eg_more eg_ask_read(struct eg_ask *a, const char *data, size_t size);
/* The answer to send: why NULL is yes. Static text or in buf. */
size_t eg_ask_answer(const struct eg_ask *a, const char *why, char *buf, size_t size);

/* ---- egress_dial.c: without waiting; -1: errno ---- */

int eg_dial(const struct in6_addr *ip, uint16_t port);
int eg_inside(uint16_t port);		/* in the box's network namespace: on its loopback */

/* ---- egress_name.c: names to addresses ---- */

struct eg_resolver {
	int pidfd, out;		/* -1: none */
	char text[2048];
	size_t size;
};

bool eg_resolve(struct eg_resolver *r, const char *name);
/* When `out` is readable. 1: finished, 0: more to come. */
int eg_resolve_read(struct eg_resolver *r);
void eg_resolve_end(struct eg_resolver *r);
size_t eg_resolve_addresses(const struct eg_resolver *r, struct in6_addr *ip, size_t max);

#endif
