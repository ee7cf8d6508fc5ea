/*
 * The parts of tbx_sync_to() and tbx_sync_from() among themselves.
 */
#ifndef BOX_SYNC_H
#define BOX_SYNC_H

#include "box/internal.h"
#include "text/gitignore.h"
#include "tree/tree.h"

#define SYNC_ENTRIES (1u << 22)		/* that the other side may tell */

/* ---- What is left out (sync_rules.c) ---- */

struct sync_rules {
	struct tsb_heap *heap;
	bool git, all;			/* tbx_sync's */
	bool left_git;			/* there was a .git */
	struct rules_level *top, *levels;
	char *error;			/* a pattern that is none, a file that cannot be read; malloc */
};

/* Before a scan: sets skip, enter and leave of *s, whose ctx is the rules. False: no memory. */
bool sync_rules_begin(struct sync_rules *r, struct ft_scan *s);
/* A path by the rules that hold in a directory that was scanned (its node). */
bool sync_is_left_out(struct sync_rules *r, const struct ft_node *dir, const char *path, bool is_dir);
void sync_rules_end(struct sync_rules *r);

/* ---- What differs (sync_plan.c) ---- */

enum sync_op { SYNC_ADD, SYNC_CHANGE, SYNC_REMOVE, SYNC_MODE };

struct sync_change {
	enum sync_op op;
	char *path;
	const struct ft_node *node;	/* as it will be; REMOVE: as it is */
	char *link;			/* the target, of one of the other side, once it is known */
};

struct sync_plan {
	struct sync_rules *rules;
	bool back;			/* the directory here is what changes */
	struct sync_change *at;
	size_t count, cap;
	/* directories of the other side that are to be told before the plan is whole */
	char **ask;
	size_t ask_count, ask_cap;
	/* what it has that cannot travel: pipes, sockets, devices; when they would come here */
	char **skip;
	size_t skip_count, skip_cap;
	bool failed;			/* no memory */
};

/* What makes `there` (or with `back`, `here`) equal to the other one. False: no memory. */
bool sync_plan_make(struct sync_plan *p, const struct ft_node *here, const struct ft_node *there);
void sync_plan_free(struct sync_plan *p);
/* Whether a program of the host obeys a file or directory of that name by itself. (sync_risk.c) */
bool sync_obeyed(const char *name, bool dir);
/* What of the host runs that file, or NULL. (sync_risk.c) */
const char *sync_runs(const struct sync_change *c, const char *link);

/* ---- The conversation (sync.c) ---- */

struct sync_job {
	struct tbx_store *store;
	struct tbx_sync whole;		/* what was asked for, as this library knows it */
	const struct tbx_sync *opt;	/* that */
	const char *dir;		/* here, as it was named */
	int root;			/* it */
	struct bx b;
	bool has_box, connected, missing;
	struct bx_conn c;
	struct sync_rules rules;
	struct ft_node here, there;
	size_t told;			/* entries of there */
	struct sync_plan plan;
	json_t *skipped, *changes;	/* changes: NULL until somebody has them made */
	uint64_t files, dirs, link_count, deleted, bytes, trips, all_files, all_bytes, shown;
	uint8_t key[32], own[32];	/* of the tree there, and here */
};

int sync_begin(struct tbx_store *store, const struct tbx_sync *opt, struct sync_job *j);
int sync_scan(struct sync_job *j, struct ft_node *root);
/* Of `here` only the names: sync_look() reads the files, or sync_to.c as it sends them. */
int sync_names(struct sync_job *j);
/* For ft_stage of the directory here. */
void sync_stage(struct sync_job *j, struct ft_stage *stage);
int sync_stage_error(struct sync_job *j, const char *path, int error);
/* Begins to connect, if that takes a program to start: it does while the names here are read. */
int sync_connect(struct sync_job *j);
/* Connects, and learns what is there. */
int sync_look(struct sync_job *j, enum wire_tree state, bool back);
int sync_flush(struct sync_job *j, size_t most);
int sync_ok(struct sync_job *j, struct wire_frame *f);
void sync_show(struct sync_job *j, bool last);
void sync_count(struct sync_job *j);
int sync_file_error(struct sync_job *j, const char *path, int error);
int sync_changed(struct sync_job *j, const char *path, const char *what);	/* "try again" */
/* A tree of a box is about to be changed; is changed. (sync_mark.c) */
void sync_mark(struct sync_job *j);
void sync_unmark(struct sync_job *j);
/* The document, and everything given back. */
int sync_end(struct sync_job *j, int status, const char *word, struct tbx_doc **doc);
json_t *sync_changes(const struct sync_job *j);
json_t *sync_skipped(const struct sync_job *j);

#endif
