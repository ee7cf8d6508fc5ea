/*
 * Floating-point operands, as strtold() reads them in the C locale: decimal or
 * hexadecimal, "inf" and "nan".
 */
#ifndef CMD_FLOAT_H
#define CMD_FLOAT_H

#include <stdbool.h>

/* The whole text must be a number. A value out of range is infinity or 0. */
bool float_parse(const char *s, long double *v);

#endif
