/*
 * What a box is: START of wire.h, taken apart and checked. Everything points into memory of the
 * spec, which lives as long as the server.
 */
#ifndef INIT_SPEC_H
#define INIT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

enum spec_kind { SPEC_PASSTHROUGH, SPEC_NAMESPACE, SPEC_DOCKER, SPEC_MICROVM };
enum spec_accel { SPEC_ACCEL_AUTO, SPEC_ACCEL_KVM, SPEC_ACCEL_TCG };
enum spec_network { SPEC_NETWORK_NONE, SPEC_NETWORK_EGRESS, SPEC_NETWORK_OPEN };

#define SPEC_DEVICES_MOST 32u
#define SPEC_LAYERS_MOST 400u	/* overlayfs takes 500 */

struct spec_port {
	uint16_t inside, outside;	/* outside 0: any free one */
	const char *address;		/* to listen on; NULL: 127.0.0.1 */
};

struct spec {
	const char *box, *dir;
	enum spec_kind kind;
	char **env;			/* NULL-ended, NAME=VALUE */
	const char *cwd, *hostname;	/* NULL: the wall's own choice */
	const char *root;		/* directory under / of the box; NULL: the host's /usr */
	const char *image;		/* docker: a reference; NULL: the root */
	const char *layers;		/* the directory of all layers; NULL: none */
	const char **layer;		/* NULL-ended: those that are below what it writes, lowest first */
	const char *workspace, *target;	/* NULL: none */
	bool readonly, readonly_root;	/* the workspace; docker: all but it and /tmp */
	bool given_user;		/* UID or GID was asked for */
	uint32_t uid, gid;		/* inside */
	/* 0: not asked for */
	uint64_t memory, disk;		/* bytes */
	uint32_t pids, cpu, open_files;	/* cpu: thousandths of a core */
	enum spec_network network;
	/* NULL-ended, NAME:PORT; for egress; none at all: everything */
	const char **allow;
	bool report_only;		/* the list is no more than written down */
	const char **devices;		/* NULL-ended: of the host, below /dev */
	const char **secrets;		/* NULL-ended: HOST:PORT, http://HOST:PORT; their values are elsewhere */
	struct spec_port *ports;
	size_t port_count;
	const char **accept;		/* NULL-ended: controls that may stay unenforced */
	bool transient;			/* for one exec */
	const char *relay;		/* a socket that the proxy's connections go to; NULL: a proxy */
	uint64_t next;			/* the first process's number, at least */
	const char *cache;		/* a directory for what boxes share; NULL: none */
	/* of a micro-VM */
	const char *kernel;		/* directory; NULL: where it is installed */
	enum spec_accel accel;
	const char *kvm;		/* of the wall around its machine: the node for /dev/kvm */
};

/*
 * False: *why says in a sentence what is wrong (static text), *what names the field's value or is
 * NULL.
 */
bool spec_read(struct spec *spec, struct wire_iter fields, const char **why, const char **what);
void spec_free(struct spec *spec);
static inline bool spec_has_layers(const struct spec *spec)
{
	return spec->layer && spec->layer[0];
}
bool spec_accepts(const struct spec *spec, const char *control);
/* "namespace" ... */
const char *spec_kind_word(const struct spec *spec);

#endif
