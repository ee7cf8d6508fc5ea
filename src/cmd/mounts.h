/*
 * The mounts, as /proc/self/mounts tells. All memory is the process's.
 */
#ifndef CMD_MOUNTS_H
#define CMD_MOUNTS_H

#include <stddef.h>

struct tsb_proc;

struct mounts_item {
	char *source, *target, *type, *options;
};

struct mounts {
	struct mounts_item *at;
	size_t n;
};

void mounts_read(struct tsb_proc *p, struct mounts *out);
/* The mount that a mount point names; NULL: nothing is mounted there. */
const struct mounts_item *mounts_find(const struct mounts *m, const char *target);

#endif
