/*
 * The command table, made from commands.def. It is the only place that knows
 * every command, so adding one is one line there and one file.
 */
#include "cmd/cmd.h"

#include <stddef.h>

const struct tsb_command *const cmd_table[] = {
#define COMMAND(name) &cmd_##name,
#include "cmd/commands.def"
#undef COMMAND
	NULL
};
