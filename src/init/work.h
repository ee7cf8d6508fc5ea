/*
 * Operations that may block: each runs in a worker process that has the client's connection to
 * itself, so it reads and writes as a plain program does.
 */
#ifndef INIT_WORK_H
#define INIT_WORK_H

#include <stdbool.h>

#include "init/server.h"

/* files.c, files_tree.c: c->s->root is the box's root; the names are the client's */
void work_read(struct conn *c, const struct wire_frame *f);
void work_write(struct conn *c, const struct wire_frame *f);
void work_list(struct conn *c, const struct wire_frame *f);
void work_stat(struct conn *c, const struct wire_frame *f);
void work_mkdir(struct conn *c, const struct wire_frame *f);
void work_symlink(struct conn *c, const struct wire_frame *f);
void work_remove(struct conn *c, const struct wire_frame *f);
void work_tree(struct conn *c, const struct wire_frame *f);
/* The directory and those it is in, as far as they are not there. False: errno. */
bool make_all_dirs(int root, char *path, mode_t mode);
/* logs.c: c->file and c->follow are the process's log */
void work_logs(struct conn *c, const struct wire_frame *f);
/* port.c */
void work_connect(struct conn *c, const struct wire_frame *f);

/* work.c */
/* Sends what is in `out`; false: the client is gone. */
bool work_send(struct conn *c);
/* ERROR, sent; also written to the audit log when `event` is not NULL. */
void work_fail(struct conn *c, enum wire_error code, int error, const char *what,
	       const char *path, const char *why);
void work_ok(struct conn *c);
/* The request's PATH, absolute; NULL: the client has been told. To be freed. */
char *work_path(struct conn *c, const struct wire_frame *f);

/*
 * remove.c: what is at that name of the directory, with all below it when it is a directory; no
 * link is followed. Needs few descriptors, whatever the depth. False: errno.
 */
bool remove_tree(int dir, const char *name);

#endif
