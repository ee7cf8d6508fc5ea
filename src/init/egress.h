/*
 * The network of a box that may reach some names and ports, and ports of a box that are reached from
 * outside. Everything is decided and dialled by the keeper, outside; the box has a loopback only.
 *
 * Egress: the box's process 1 makes a listening socket on its loopback and hands it to the keeper
 * (wall.h does this), which accepts on it from outside: a proxy for HTTP (CONNECT, and plain requests
 * for http:// URLs) and SOCKS5. A name is checked against the list, resolved outside, each address is
 * checked, and the address that was checked is dialled. Private networks are refused unless the list has
 * that very name (no wildcard) or the address; this machine, link-local addresses (where clouds keep
 * their secrets), multicast and reserved ones unless it has the address. Names are compared without
 * case and without a dot at the end.
 *
 * ALLOW is NAME:PORT; NAME may be *.DOMAIN (what is below it), an address, or *; PORT may be *. An
 * empty list allows every public address.
 *
 * Published ports: the keeper listens on ADDRESS (127.0.0.1) and connects inside through process 1,
 * which answers on a channel (egress_answer).
 *
 * One epoll descriptor, no threads, nothing blocks; names are resolved by /usr/bin/getent in a child
 * without privileges, so that the host's own name service decides.
 */
#ifndef INIT_EGRESS_H
#define INIT_EGRESS_H

#include "init/report.h"
#include "init/spec.h"

struct egress;

struct egress_decision {
	const char *what;	/* "connect", "http", "socks", "publish", "secret" */
	const char *secret;	/* of "secret": its name, or "" */
	const char *name;	/* as it was asked for, escaped; at most 255 bytes */
	uint16_t port;
	const char *address;	/* what was dialled; NULL: nothing */
	bool allowed;
	const char *why;	/* static: the reason */
};

typedef void egress_tell(void *ctx, const struct egress_decision *d);

/* What becomes of "network": what enforces the list, or that it is only written down. */
void egress_report(const struct spec *spec, struct report *r, const char *by);
/*
 * listener: the box's, from wall_listener(); -1: no egress. channel: to process 1, from
 * wall_channel(); -1: no published ports. Both are taken. Published ports that cannot be listened on
 * are in the report ("ports"). NULL: *why, errno.
 */
struct egress *egress_open(const struct spec *spec, int listener, int channel, struct report *r,
			   egress_tell *tell, void *ctx, const char **why);
/*
 * Secrets (hand.h): from now on connections to their hosts, and all plain requests, are handed over there once they are
 * dialled. Takes the descriptor; without it, or when it ends, those are refused. False: a host is not one.
 */
bool egress_secrets(struct egress *e, const char *const *hosts, int hand);
int egress_fd(const struct egress *e);		/* readable when egress_run() has work */
void egress_run(struct egress *e);		/* what is ready now; never blocks */
void egress_close(struct egress *e);
/* Where the published port of that index of the spec is on the host; 0: nowhere. */
uint16_t egress_port(const struct egress *e, size_t i);

/*
 * In process 1, when its end of the channel is readable: connects where the keeper asks, and passes the
 * socket out. False: the keeper is gone.
 */
bool egress_answer(int channel);

/* What of the environment makes programs use the proxy: NAME=VALUE, NULL-ended. */
extern const char *const egress_env[];
#define EGRESS_PORT 3128	/* of the loopback inside */

#endif
