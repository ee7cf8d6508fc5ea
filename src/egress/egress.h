/*
 * tinybox-egress: where a box's secrets are. It holds the values and the key of the box's own authority, in memory
 * alone; the keeper hands it the connections that a secret could be for, as two sockets. It makes none itself, opens
 * nothing once it stands, and ends when keeper and command are gone.
 */
#ifndef EGRESS_EGRESS_H
#define EGRESS_EGRESS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "egress/http.h"
#include "wire/hand.h"
#include "wire/wire.h"

/* ---- vault.c: the secrets ---- */

struct vault_host {
	char name[256];		/* lower case, no brackets */
	uint16_t port;
	bool tls;
};

struct vault_secret {
	char *name, *placeholder, *value;
	size_t size;
	struct vault_host *host;
	size_t hosts;
};

struct vault {
	struct vault_secret secret[WIRE_SECRETS_MAX];
	size_t count;
};

/* SECRETS of wire.h. False: *why. */
bool vault_read(struct vault *v, struct wire_iter fields, const char **why);
/* As they are for one host; how many of them may go there. */
size_t vault_swaps(const struct vault *v, const char *host, uint16_t port, bool tls, struct ht_swap *swap);
void vault_wipe(struct vault *v);

/* ---- tls.c: the box's authority, and what it is to the world ---- */

struct tls {
	SSL_CTX *near, *far;
	EVP_PKEY *ca_key, *key;
	X509 *ca;
	char *pem;		/* of ca; malloc */
};

/* more: certificates to trust beside the machine's, PEM; NULL. False: *why. */
bool tls_open(struct tls *t, const char *box, const char *more, bool far, const char **why);
SSL *tls_near(const struct tls *t, const char *host, int fd);
SSL *tls_far(const struct tls *t, const char *host, int fd);
/* What was wrong with the far side, static text. */
const char *tls_why(const SSL *far);
void tls_close(struct tls *t);

/* ---- relay.c: one connection ---- */

struct relay;
struct server;

struct relay_source {
	struct relay *relay;
	bool far;
};

/* Takes both descriptors. NULL: they are closed. */
struct relay *relay_new(struct server *s, const struct hand *h, const char *rest, int near, int far);
void relay_step(struct relay *r);	/* what can be done now */
void relay_tick(struct relay *r, int64_t now);
bool relay_ended(const struct relay *r);
void relay_free(struct relay *r);

/* ---- server.c ---- */

#define RELAYS_MOST 256u

struct server {
	struct vault vault;
	struct tls tls;
	int epoll, listener, keeper, live, done, signals;	/* -1: none */
	struct relay *relays[RELAYS_MOST];
	size_t count;
};

int server_run(struct server *s);
/* For the audit log; false: the keeper is gone, so it must not be done. */
bool server_tell(struct server *s, const struct hand_word *w);
int64_t server_now(void);		/* seconds */

/* ---- wall.c ---- */

bool wall_raise(void);

#endif
