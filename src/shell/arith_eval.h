/*
 * Arithmetic, for its neighbours in the words half. The ways in are
 * arith_eval() and arith_eval_text() in shell.h.
 */
#ifndef SHELL_ARITH_EVAL_H
#define SHELL_ARITH_EVAL_H

#include "shell/shell.h"

#endif
