/*
 * The parts of TREE among themselves.
 */
#ifndef INIT_SYNC_IN_H
#define INIT_SYNC_IN_H


#include "init/server.h"
#include "init/sync.h"
#include "tree/sum.h"
#include "tree/tree.h"

struct sync {
	struct sync_talk *t;
	struct wire_out out;
	enum wire_tree state;
	char *path;		/* of the tree, absolute */
	int dir;		/* -1: there is none */
	struct ft_node known;
	struct ft_ahead ahead;
	const char *base;	/* of what is being listed */
	uint8_t *buf;
	uint64_t sent;
	bool keyed, staging, made, done;
	bool missing;		/* SYNC: to be made when the first change comes */
	struct ft_stage stage;
	int error;
	/* the file that is being received */
	int fd, into;		/* PLAIN: its directory */
	char *file;
	char temp[40];
	uint32_t mode;
	uint64_t mtime, count;
	struct sum sum;
};

/* ERROR, sent; false */
bool sync_fail(struct sync *y, enum wire_error code, int error, const char *what, const char *path,
	       const char *why);

/* Before the first change of a directory that is missing: it is made. */
bool sync_make(struct sync *y);

/* sync_put.c: TREE_PUT and what belongs to it, TREE_MODE, TREE_REMOVE */
bool sync_change(struct sync *y, const struct wire_frame *f);
void sync_file_end(struct sync *y);	/* what was not whole is taken away */

#endif
