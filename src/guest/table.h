/* The commands that are guests; NULL at the end. */
#ifndef GUEST_TABLE_H
#define GUEST_TABLE_H

#include <tinysandbox/command.h>

extern const struct tsb_command *const guest_table[];

#endif
