/*
 * Shared by env and printenv.
 */
#ifndef CMD_ENV_H
#define CMD_ENV_H

#include <stdbool.h>

struct tsb_proc;

/* Every NAME=VALUE, ended by a newline or by NUL; 0. */
int env_print(struct tsb_proc *p, bool null);

#endif
