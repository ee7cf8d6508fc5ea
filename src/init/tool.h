/*
 * A program of the host that does something for us (docker, tar): arguments as they are, no shell,
 * an environment that was chosen, a deadline, and what it says within bounds.
 */
#ifndef INIT_TOOL_H
#define INIT_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "init/text.h"

#define TOOL_SAID_MOST (256u << 10)	/* of each stream; the rest is read and dropped */

struct tool {
	const char *const *argv;	/* NULL-ended; [0] is a path */
	const char *const *env;		/* NULL-ended */
	int in;				/* its stdin, 3 or larger; -1: nothing */
	int out;			/* where its output goes, 3 or larger; 0: to us */
	unsigned seconds;		/* then it is killed, with its process group */
	/* Each second while it is waited for; false: nobody needs it any more. NULL: none. */
	bool (*tick)(void *ctx);
	void *ctx;
	/* after tool_run() */
	struct text said, errors;
	int status;			/* what a shell's $? would be */
	bool late;			/* it was killed: its time was over, or nobody needed it */
};

/* True: it ran and its status is 0. False otherwise; errno where it could not be started, else 0. */
bool tool_run(struct tool *t);
void tool_free(struct tool *t);
/*
 * Two at once, the first's output being the second's input (tar into docker import). True: both
 * ended well; `said` and `errors` are the second's, unless the first failed.
 */
bool tool_pipe(struct tool *from, struct tool *to);
/* What went wrong, in one line of the program's own words; "" if it said nothing. Of the text. */
const char *tool_why(struct tool *t);
/* The first line of what it said, cut off there. */
const char *tool_line(struct tool *t);

#endif
