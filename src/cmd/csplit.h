/*
 * csplit: its options and patterns.
 */
#ifndef CMD_CSPLIT_H
#define CMD_CSPLIT_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "base/vec.h"
#include "cmd/lines.h"

struct regex;

/* One pattern and how often it counts. */
struct csplit_step {
	const char *text;	/* as given, for messages */
	struct regex *re;	/* NULL: a line number */
	bool skip;		/* %...%: what is in front goes nowhere */
	int64_t offset;
	uint64_t line;		/* up to but not including it */
	uint64_t repeat;
	bool for_ever;
};

struct csplit_line {
	char *text;
	size_t n;		/* with its newline */
};

struct csplit {
	const char *suffix, *prefix;
	bool keep, suppress, quiet, elide;
	uint64_t digits;

	struct tsb_proc *p;
	VEC(struct csplit_step) steps;
	struct lines in;
	/* Lines read and not yet written: [first, held.n) of held; the first is line `number`. */
	VEC(struct csplit_line) held;
	size_t first;
	uint64_t number;
	uint64_t current;	/* the line looked at last */
	/* Output */
	uint64_t files;		/* made so far */
	int fd;			/* -1: none is open */
	const char *name;
	struct str out;
	uint64_t written;
};

/* ---- csplit_patterns.c: 0 or the exit status after a message ---- */

int csplit_patterns(struct csplit *c, int argc, char **argv);
/* Is the suffix format one conversion of an integer? */
int csplit_check_suffix(struct csplit *c);
/* The name of the n-th file. */
const char *csplit_name(struct csplit *c, uint64_t n);
/* Removes what was made, unless it is to be kept, and ends. */
void csplit_fail(struct csplit *c) TSB_NORETURN;

#endif
