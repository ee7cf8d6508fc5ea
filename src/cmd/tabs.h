/*
 * Tab stops, as expand and unexpand are given them: "4", "4,8,20", "4,+6", "/8".
 */
#ifndef CMD_TABS_H
#define CMD_TABS_H

#include <tinysandbox/command.h>

struct tabs {
	uint64_t *at;		/* ascending */
	size_t n, cap;
	uint64_t extend;	/* /N: behind the last, multiples of N */
	uint64_t increment;	/* +N: behind the last, every N columns */
	uint64_t size;		/* not 0: multiples of it, all along */
};

/* Adds a list of stops: 0, or 1 after messages. */
int tabs_parse(struct tsb_proc *p, struct tabs *t, const char *list);
/* After all lists: 0, or 1 after a message. */
int tabs_finish(struct tsb_proc *p, struct tabs *t);
/* The stop behind column; *i is the index to begin at and is moved on. false:
 * there is none. */
bool tabs_next(const struct tabs *t, uint64_t column, size_t *i, uint64_t *next);

#endif
