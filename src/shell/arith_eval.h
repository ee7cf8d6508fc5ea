/*
 * Arithmetic, for its neighbours in the words half. The ways in are
 * arith_eval() and arith_eval_text() in shell.h.
 */
#ifndef SHELL_ARITH_EVAL_H
#define SHELL_ARITH_EVAL_H

#include "shell/shell.h"

/* "EXPRESSION: message (error token is "TOKEN")", with the builtin's name in
 * front if one runs. */
void arith_message(struct shell *sh, struct slice text, const char *message, size_t pos);
/* A decimal integer and nothing else. */
bool arith_plain(const char *p, size_t n, int64_t *value);

#endif
