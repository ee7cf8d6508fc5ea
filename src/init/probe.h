/*
 * What this machine can do for boxes, found by doing it in throw-away children: nothing is believed
 * because a file says so, and nothing is left behind. For `tinybox doctor` (WIRE_PROBE).
 */
#ifndef INIT_PROBE_H
#define INIT_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/wire.h"

enum probe_state { PROBE_OK, PROBE_LIMITED, PROBE_MISSING };

struct probe {
	const char *name;	/* static: "namespace", "user-namespaces", "mounts" ... */
	enum probe_state state;
	char text[200];		/* what works, or why it does not */
	char fix[240];		/* the exact command or setting; empty: nothing to do */
};

#define PROBE_MAX 24

/* All of them, in a fixed order, a second at most; single-threaded caller. Returns how many. */
size_t probe_all(struct probe *p);
/* PROBE fields: STATE is the word "ok", "limited" or "missing". */
void probe_write(const struct probe *p, size_t count, struct wire_out *o);

#endif
