/*
 * TREE: a tree of files in one conversation (wire.h), for a box's worker and for `host`.
 */
#ifndef INIT_SYNC_H
#define INIT_SYNC_H

#include "wire/wire.h"

struct sync_talk {
	int from, to;		/* the stream, blocking */
	struct wire_in *in;
	int root;		/* names are walked from here */
	const char *cwd;
	void (*audit)(void *ctx, const char *what, const char *path, int error);
	void *ctx;
};

/* The whole conversation, whose first frame is f. False: the stream is over. */
bool sync_talk(struct sync_talk *t, const struct wire_frame *f);

#endif
