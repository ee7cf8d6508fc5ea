/*
 * getopt: the words of a command line by a description of its options, as
 * getopt_long(3) takes them apart.
 */
#ifndef CMD_GETOPT_H
#define CMD_GETOPT_H

#include <tinysandbox/command.h>

#include "base/vec.h"

struct getopt_long_name {
	const char *name;
	int arg;		/* 0 none, 1 wanted, 2 optional */
};

enum getopt_order { GETOPT_PERMUTE, GETOPT_STOP, GETOPT_IN_ORDER };

enum getopt_kind {
	GETOPT_END, GETOPT_SHORT, GETOPT_LONG, GETOPT_OPERAND, GETOPT_ERROR
};

struct getopt_scan {
	struct tsb_proc *p;
	const char *name;	/* in messages */
	bool quiet, one_dash;	/* one_dash: -foo is tried as a long option first */
	enum getopt_order order;
	const char *shorts;	/* without + - : in front */
	VEC(struct getopt_long_name) longs;
	int argc;
	char **argv;
	int at;			/* the next word */
	const char *cluster;	/* what is left of -abc */
	bool ended;		/* by -- */
	VEC(char *) operands;	/* passed over while permuting */

	/* the last result */
	char letter;
	const struct getopt_long_name *found;
	const char *arg;	/* of the option, or the operand; NULL: none */
	bool wants;		/* a short option that may have an argument */
};

/* The next of the words. At the end, operands holds what is none. */
enum getopt_kind getopt_next(struct getopt_scan *g);

#endif
