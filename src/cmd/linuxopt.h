/*
 * -h and -V, which the tools of util-linux have besides --help and --version.
 */
#ifndef CMD_LINUXOPT_H
#define CMD_LINUXOPT_H

#include <tinysandbox/command.h>

/* 'h' or 'V': shows it and ends the process. */
void linuxopt_show(struct tsb_proc *p, const struct tsb_command *cmd, int which) TSB_NORETURN;

/* Rows for a table; fn calls linuxopt_show() with its row's value. */
#define LINUXOPT_HELP(fn) \
	{ TSB_OPTION_CALL, 'h', NULL, NULL, "display this help", 0, 'h', \
	  TSB_ARG_NONE | TSB_OPT_HIDDEN, (fn) }, \
	{ TSB_OPTION_CALL, 'V', NULL, NULL, "display version", 0, 'V', \
	  TSB_ARG_NONE | TSB_OPT_HIDDEN, (fn) }

#endif
