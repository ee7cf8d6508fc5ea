/*
 * Inside of the copy engine: one job is one source and its destination. Steps
 * are tried in order; each says whether the next one is to follow.
 */
#ifndef CMD_COPY_IMPL_H
#define CMD_COPY_IMPL_H

#include "cmd/copy.h"

enum copy_step {
	COPY_NEXT,		/* go on */
	COPY_DONE,		/* finished well */
	COPY_FAIL,		/* finished badly */
	COPY_UNDO,		/* badly, and the backup is to be moved back */
	COPY_ENTER		/* a directory: its entries come now */
};

struct copy_job {
	const char *src, *dst;
	struct tsb_stat from, to;
	int deref;		/* enum copy_deref for this job */
	bool operand;
	bool is_new;		/* nothing at dst */
	bool seems_new;		/* it was not there when last looked at */
	bool to_is_lstat;
	bool remembered;	/* an earlier copy of this file was found */
	bool fresh_link;	/* dst is a symbolic link: do not follow it */
	bool restore_mode;
	int rename_error;	/* 1: not tried */
	char *backup;
	const char *earlier;
	uint32_t src_mode, dst_mode, omitted;
	/* A directory being copied: */
	bool ok, first_made, first_made_inside;
	char **names;
	size_t n, at;
	uint64_t outer_dev;
	bool has_outer;
	struct copy_job *outer;
};

/* copy_check.c */
enum copy_step copy_check_dest(struct copy *c, struct copy_job *j);
/* copy_same.c: may src be copied over dst? *done: nothing is left to do. */
bool copy_same_ok(struct copy *c, struct copy_job *j, bool *done);
/* copy_make.c: makes dst from src. */
enum copy_step copy_make(struct copy *c, struct copy_job *j);
enum copy_step copy_hardlink(struct copy *c, struct copy_job *j, const char *from, bool replace,
			     bool verbose);
/* copy_data.c */
enum copy_step copy_regular(struct copy *c, struct copy_job *j);
/* copy_attr.c: fd -1: by name. */
bool copy_set_owner(struct copy *c, struct copy_job *j, int fd, const struct tsb_stat *now);
enum copy_step copy_attributes(struct copy *c, struct copy_job *j);
enum copy_step copy_attributes_fd(struct copy *c, struct copy_job *j, int fd);

/* copy.c: the maps */
char *copy_id(struct copy *c, const struct tsb_stat *st);
/* The name it was copied to before, or NULL, and then dst is remembered. */
const char *copy_remember(struct copy *c, const struct tsb_stat *st, const char *dst);
bool copy_seen(struct copy *c, struct map *set, const char *name, const struct tsb_stat *st);

#endif
