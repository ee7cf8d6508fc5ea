/*
 * Opening what is below a directory, without following a link: neither on the way nor at its end.
 */
#ifndef REACH_REACH_H
#define REACH_REACH_H

#include <stdbool.h>
#include <sys/types.h>

enum reach_from {
	REACH_BELOW,	/* below dir; an absolute path is EXDEV */
	REACH_ROOT,	/* dir is / */
	REACH_HOST,	/* as open() does: an absolute path from the machine's / */
};

/*
 * As openat(), close-on-exec. -1: errno (ELOOP: a link is there). O_PATH and O_NOFOLLOW together open a link at the end
 * itself. Where openat2 is missing ".." is EXDEV.
 */
int reach_open(int dir, const char *path, int flags, mode_t mode, enum reach_from from);
/* Whether openat2 could not say because it is missing: ENOSYS, or EPERM (filters of old containers). */
bool reach_is_missing(int error);

#endif
