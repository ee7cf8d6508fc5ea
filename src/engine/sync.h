/*
 * A conversation about a tree of files: sync.c reads, sync_put.c changes.
 */
#ifndef ENGINE_SYNC_H
#define ENGINE_SYNC_H

#include "engine/engine.h"
#include "tree/sum.h"
#include "tree/tree.h"

struct sync_op {
	uint8_t what;		/* a TREE_ frame: PUT, MODE, REMOVE */
	uint32_t number, mode;	/* of the file in the stage */
	char *path;
};

struct sync {
	enum wire_tree state;
	char *root;
	bool missing, staged;	/* missing: SYNC makes it with the first change */
	bool keyed;
	bool kept;		/* the stage has a journal, which may be all that knows what the tree is to be */
	bool again;		/* what is done was begun by another server */
	uint8_t key[FT_HASH];
	struct ft_node known;
	struct ft_ahead ahead;
	/* TREE_GET: the names that are left, the file that is being sent */
	uint8_t *names;
	struct wire_iter left;
	struct tsb_stream *out;
	/* TREE_PUT: the file that is being received, at `temp`, for `file` */
	struct tsb_stream *in;
	char *temp, *file;
	uint32_t mode, number;
	uint64_t mtime, at;
	struct sum sum;
	/* what is to be done at the end */
	struct sync_op *ops;
	size_t count, cap;
};

char *sync_path(const struct sync *y, const char *below);
void sync_failed(struct conn *c, enum wire_error code, int error, const char *path);
void sync_said(struct conn *c);		/* a bare OK */

void sync_change(struct conn *c, const struct wire_frame *f);
/* and forgets what was to be done; a stage that is `kept` stays */
void sync_unstage(struct conn *c, struct sync *y);
bool sync_note(struct sync *y, enum wire_type what, const char *path, uint32_t number, uint32_t mode);
/* What was noted; 0, or an errno and the client was told, and the connection and its sync are gone, perhaps. */
int sync_do_all(struct conn *c);
/* sync_journal.c: what was noted is written down; 0 or an errno */
int sync_journal(struct conn *c);
/* What a journal that was signed with our key has noted is done. False: it could not be, the client was told */
bool sync_finish(struct conn *c);

#endif
