/*
 * Options of a command that has to look at its arguments first (head -5c,
 * tail +3, sort +1, seq -1 5): its flags have TSB_RAW, and it calls this with
 * what it has made of them.
 */
#ifndef CMD_RAWOPT_H
#define CMD_RAWOPT_H

#include "base/opt.h"

/* Parses argv[0..argc) (no name in it) by cmd's table. true: *out is filled.
 * false: the command ends with *status; help, version or message is given. */
bool rawopt_parse(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv,
		  struct opt_parsed *out, int *status);
/* The same in the wording of another package: bad() says what is wrong and gives the status.
 * POSIXLY_CORRECT changes nothing. */
bool rawopt_parse_as(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv,
		     struct opt_parsed *out, int *status,
		     int (*bad)(struct tsb_proc *p, const char *text));

#endif
