/*
 * Option tables (struct tsb_opt, tinysandbox/command.h) read in four ways:
 * parsing as GNU's getopt_long does, --help, a manual page, and the state
 * table of docs/commands.md.
 *
 * Parsing: clusters (-abc), glued and separate arguments (-n5, -n 5, --lines=5,
 * --lines 5), unambiguous prefixes of long names, "--", operands anywhere
 * (unless TSB_OPERAND_ENDS), -NUM where a row has TSB_OPT_DIGITS. --help and
 * --version are added unless TSB_NO_HELP. Rows act in the order of the arguments
 * and the first error, --help or --version ends the parsing, as in GNU's tools.
 *
 * A row without help is an alias of the row above it. A STR row that has
 * TSB_ARG_OPTIONAL and gets no argument is "". Two rows that do the same are not
 * ambiguous: aliases, or the same kind, field, value and function (a CALL whose
 * value is 0 counts as different, because it may look at the row).
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stddef.h>

#include <tinysandbox/command.h>

#include "base/str.h"

enum opt_result { OPT_RUN, OPT_HELP, OPT_VERSION, OPT_BAD, OPT_STOP };

struct opt_parsed {
	enum opt_result result;
	void *opts;		/* filled struct, from the heap */
	int argc;		/* operands */
	char **argv;		/* NULL-terminated, from the heap */
	int status;		/* OPT_STOP: what a CALL returned */
	struct str error;	/* OPT_BAD: getopt's text, e.g. "invalid option -- 'z'" */
};

/* argv[0] is the name. ctx is handed to CALL rows as their process. Strings
 * in opts and argv point into the caller's argv. */
void opt_parse(struct opt_parsed *out, const struct tsb_command *cmd, struct tsb_heap *heap,
	       struct tsb_proc *ctx, int argc, char *const *argv);
/* "Usage: NAME SYNOPSIS" (each form), summary, one row an option. */
void opt_help(struct str *out, const struct tsb_command *cmd, const char *name);
void opt_version(struct str *out, const struct tsb_command *cmd, const char *name);
/* man(7) source of a page of that title ("tinysandbox-ls"). */
void opt_manual(struct str *out, const struct tsb_command *cmd, const char *title);
/* A section of docs/commands.md. real: the options the real tool's --help names, NULL-
 * terminated; NULL: not known. Returns how many of those are not in the table. */
size_t opt_markdown(struct str *out, const struct tsb_command *cmd, const char *const *real);

#endif
