/*
 * Shared by env and printenv, and env's two files.
 */
#ifndef CMD_ENV_H
#define CMD_ENV_H

#include <stdbool.h>

#include <tinysandbox/command.h>

enum {
	ENV_SIGNALS = 65,
	ENV_SIG_DEFAULT = 1, ENV_SIG_IGNORE, ENV_SIG_BLOCK, ENV_SIG_UNBLOCK, ENV_SIG_WHAT = 7,
	ENV_SIG_MAY_FAIL = 8	/* of all signals: some cannot be changed */
};

/* What the options ask for, by signal; 0: nothing. */
struct env_signals {
	unsigned char action[ENV_SIGNALS], mask[ENV_SIGNALS];
	bool list;
};

/* --default-signal, --ignore-signal, --block-signal: by the row's value and offset. */
int env_signal_option(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);
/* 0, or the status after a message. */
int env_signals_apply(struct tsb_proc *p, const struct env_signals *s, bool debug);

/* Every NAME=VALUE, ended by a newline or by NUL; 0. */
int env_print(struct tsb_proc *p, bool null);

/* Puts the words of each -S among the options in its place: 0, or the exit status after a
 * message. */
int env_split(struct tsb_proc *p, int *argc, char ***argv);

#endif
