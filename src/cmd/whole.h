/*
 * Whole numbers as operands of options, within limits.
 */
#ifndef CMD_WHOLE_H
#define CMD_WHOLE_H

#include <tinysandbox/command.h>

/*
 * Reads arg, which may end with one of the suffixes ("" or NULL: none may). 0,
 * or the usage's exit status after "what: ‘arg’" and, if it is the value that
 * is wrong, the reason.
 */
int whole_parse(struct tsb_proc *p, const char *arg, uint64_t min, uint64_t max,
		const char *suffixes, const char *what, uint64_t *value);

#endif
