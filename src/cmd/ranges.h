/*
 * Lists of numbers as cut takes them: 1,3-5,7-
 */
#ifndef CMD_RANGES_H
#define CMD_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsb_proc;

struct range {
	uint64_t lo, hi;	/* both belong to it; 1 is the first */
};

struct ranges {
	struct range *at;
	size_t n;		/* sorted, without overlap; then one of UINT64_MAX */
};

/* 0 or the exit status after the message. positions: the messages speak of
 * bytes and characters, not of fields. */
int ranges_parse(struct tsb_proc *p, const char *list, bool positions, bool complement,
		 struct ranges *out);
/* Of fields, where "-" is all of them. */
int ranges_parse_dash(struct tsb_proc *p, const char *list, struct ranges *out);

#endif
