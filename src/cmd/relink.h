/*
 * Links that may replace what has their name: made beside it and renamed over
 * it, so the name is never absent.
 */
#ifndef CMD_RELINK_H
#define CMD_RELINK_H

#include <stdbool.h>

struct tsb_proc;

/* 0; 1 if something was replaced; -errno. Without `force` nothing is replaced. */
int relink_symbolic(struct tsb_proc *p, const char *target, const char *path, bool force);
int relink_hard(struct tsb_proc *p, const char *from, const char *path, bool follow, bool force);

#endif
