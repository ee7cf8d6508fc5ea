/*
 * What diff, cmp, diff3, sdiff share: their way to say that an option is
 * wrong, numbers, and names that would be read otherwise.
 */
#ifndef CMD_DIFFUTILS_H
#define CMD_DIFFUTILS_H

#include "base/opt.h"

#define CMD_DIFFUTILS .version = TSB_COMMAND_VERSION, CMD_GNU("diffutils", "3.8")
#define DIFF_TROUBLE 2

/* A CALL row that returns it ends the command with its version. */
#define DIFFUTILS_VERSION 256
int diffutils_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);
#define DIFFUTILS_VERSION_OPT \
	{ TSB_OPTION_CALL, 'v', NULL, NULL, "", 0, 1, TSB_ARG_NONE | TSB_OPT_HIDDEN, \
	  diffutils_version }

/* As rawopt_parse(), for a command that has TSB_RAW. */
bool diffutils_parse(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv,
		     struct opt_parsed *out, int *status);
/* "NAME: text" (fmt NULL: not), "NAME: Try 'NAME --help' ...": the status. */
int diffutils_try(struct tsb_proc *p, const char *fmt, ...) TSB_PRINTF(2, 3);
/* "missing operand after", "extra operand": the status, or 0. Names the last of
 * all arguments. */
int diffutils_operands(struct tsb_proc *p, int n, char *const *operands, int min, int max,
		       int argc, char *const *argv);
/* A decimal, clamped; "" is 0. false if it is none or negative. */
bool diffutils_number(const char *arg, int64_t *out);
/* "a b" in double quotes with C's escapes where a blank or a control needs it. */
const char *diffutils_escape(struct tsb_proc *p, const char *name);
/* All options as they stood in argv, quoted for a shell, each after a blank. */
const char *diffutils_options(struct tsb_proc *p, int argc, char *const *argv, int n_operands,
			      char *const *operands);

#endif
