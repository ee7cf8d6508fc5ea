/*
 * The system call filter of a box's programs: what is known to be harmless passes, what a program
 * without privileges would be refused anyway is refused (EPERM), and everything else does not exist
 * (ENOSYS, so that libraries fall back to what does).
 */
#ifndef INIT_FILTER_H
#define INIT_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>

struct filter {
	struct sock_filter *code;	/* by malloc */
	unsigned short count;
};

/*
 * no_setid: files cannot be made set-user-id or set-group-id, because the box's files belong to a
 * real user outside. False: no memory, or a table that does not fit (a bug).
 */
bool filter_make(struct filter *f, bool no_setid);
void filter_free(struct filter *f);
/* In the process that will exec, after no_new_privs. False: errno. */
bool filter_enter(const struct filter *f);

#endif
