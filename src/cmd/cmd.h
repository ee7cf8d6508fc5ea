/*
 * The list of the built-in commands. commands.def has one line a command, and
 * a command NAME is `const struct tsb_command cmd_NAME` in a file of its own.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <tinysandbox/command.h>

#define COMMAND(name) extern const struct tsb_command cmd_##name;
#include "cmd/commands.def"
#undef COMMAND

/* In the order of commands.def; ends with NULL. */
extern const struct tsb_command *const cmd_table[];

#define CMD_GNU(pkg, ver) .package = "GNU " pkg, .package_version = (ver)
#define CMD_COREUTILS .version = TSB_COMMAND_VERSION, CMD_GNU("coreutils", "9.1")

#endif
