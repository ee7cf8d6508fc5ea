/*
 * The order of names with versions in them (sort -V, ls -v): runs of digits
 * compare as numbers, letters come before other characters, "~" before
 * everything, even the end; suffixes like ".tar.gz" count only between names
 * that are else equal.
 */
#ifndef CMD_VERCMP_H
#define CMD_VERCMP_H

#include <stddef.h>

/* Less than, equal to, or greater than 0. */
int vercmp(const char *a, size_t na, const char *b, size_t nb);

#endif
