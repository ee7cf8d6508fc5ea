/*
 * The actions of bc's grammar: v[0] is the value of the last symbol, v[1] of the one before
 * it and so on, over the beginning of the rule's n symbols too. What the left side gets is in
 * b->value, which is the first symbol's value at the start.
 */
#ifndef CMD_BC_ACTIONS_H
#define CMD_BC_ACTIONS_H

#include <stddef.h>

#include "cmd/bc/tables.h"

#define BC_RULE_MAX 15

struct bc;
struct bc_value;

typedef void bc_action(struct bc *b, struct bc_value **v, size_t n);

#define BC_DECLARE(name) bc_action bca_##name;
BC_TOKEN_ACTIONS(BC_DECLARE)
#undef BC_DECLARE

#endif
