/*
 * Copies in and out: what both share. Each operation is a connection of its own to the box; the
 * files of a tree share one (TREE).
 */
#ifndef BOX_COPY_H
#define BOX_COPY_H

#include "box/internal.h"
#include "box/sha256.h"

#define COPY_PATH 4095u		/* of a path below what is copied, and so an end of depth; no more descriptors are held than a few */

struct copy {
	struct bx b;
	uint64_t files, dirs, links, bytes;
	json_t *skipped;
	/* What is below a directory goes in one conversation, by paths below it. */
	struct bx_conn tree;
	size_t base;		/* of a path in the box: what stands before */
	int top;		/* the directory here; what is below has the same path on both sides */
};

/* What a file in the box is. */
struct copy_stat {
	char *name, *link;
	uint32_t mode;
	uint64_t size, mtime;
};

void copy_stat_free(struct copy_stat *st);
/* From a nested STAT. False: damaged. */
bool copy_stat_read(struct wire_iter it, struct copy_stat *st);
/* Sends one request of `type` with PATH, and what `more` adds, and reads its OK. */
int copy_ask(struct copy *cp, enum wire_type type, const char *path,
	     void (*more)(struct wire_out *o, const void *ctx), const void *ctx, struct bx_conn *c,
	     struct wire_frame *f);
/* Begins a TREE at that directory of the box; its connection is cp->tree. */
int copy_tree(struct copy *cp, const char *path, enum wire_tree state);
/* *found false: there is none. */
int copy_stat(struct copy *cp, const char *path, bool follow, struct copy_stat *st, bool *found);
void copy_skip(struct copy *cp, const char *path, const char *why);
char *copy_join(const char *dir, const char *name);
/* The last part of a path; malloc. "" for one that ends in "/." or is "/". */
char *copy_name(const char *path);
int copy_done(struct copy *cp, int status, struct tbx_doc **doc);

/* A path below a directory, following nothing. */
int copy_open(int dir, const char *name, int flags, unsigned mode);

#endif
