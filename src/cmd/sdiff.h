/*
 * sdiff's parts: options and the two columns (sdiff.c), the merge (sdiff_merge.c).
 */
#ifndef CMD_SDIFF_H
#define CMD_SDIFF_H

#include "base/vec.h"
#include "cmd/diffutils.h"

/* Options of diff that have no letter; letters are above. */
enum { SDIFF_STRIP = 1, SDIFF_LEFT, SDIFF_TABSIZE, SDIFF_NAMES };

struct sdiff {
	struct tsb_proc *p;
	const char *program, *output;
	bool no_common;
	VEC(const char *) args;		/* of diff */
	const char *file[2];
};

/* Ends the arguments and puts them and the program into *how. */
void sdiff_spawn_args(struct sdiff *s, struct tsb_spawn *how);
int sdiff_merge(struct sdiff *s);

#endif
