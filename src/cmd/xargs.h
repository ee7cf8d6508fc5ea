/*
 * xargs, between its files: xargs.c has the options, xargs_read.c splits the
 * input into arguments, xargs_run.c builds command lines and runs them.
 */
#ifndef CMD_XARGS_H
#define CMD_XARGS_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "base/vec.h"

enum {
	XARGS_LINE_MAX = 128 << 10,	/* of a command line, without -s */
	XARGS_FAILED = 123,		/* some command ended with 1 - 125 */
	XARGS_STOPPED = 124,		/* one ended with 255 */
	XARGS_KILLED = 125, XARGS_CANNOT_RUN = 126, XARGS_NOT_FOUND = 127
};

struct xargs {
	struct tsb_proc *p;
	/* Options. */
	const char *file, *eof, *hole, *slot_var;
	bool delimited, exact, if_any, verbose, ask, tty, show_limits;
	int delimiter;
	size_t per_args, per_lines, line_max;
	size_t max_procs;		/* 0: no limit */

	/* Input. */
	struct tsb_reader in;
	bool at_end, warned_nul;
	struct str word;		/* what was read last */
	size_t lines;			/* since the last command */

	/* The command line so far. */
	VEC(char *) args;
	size_t n_initial, chars, chars_initial;

	/* Commands that run: pids by slot, 0: free. */
	VEC(int) pids;
	size_t running;
	bool ran;
	int status;
};

/* The next argument, already pushed unless there is a hole to fill; then it is
 * in x->word. false at the end. Without a delimiter: the arguments of a line. */
bool xargs_read(struct xargs *x);

/* One more argument; what is full is run first, and what is then. */
void xargs_push(struct xargs *x, const char *arg, size_t n, bool initial);
void xargs_run_line(struct xargs *x);
/* Runs what is there before an error ends it all, where that makes sense. */
void xargs_run_before_error(struct xargs *x);
void xargs_clear(struct xargs *x);
void xargs_wait_all(struct xargs *x);
/* Waits for all commands, then ends. */
void xargs_exit(struct xargs *x, int status) TSB_NORETURN;
void xargs_die(struct xargs *x, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;

#endif
