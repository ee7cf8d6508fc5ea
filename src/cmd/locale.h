/*
 * Which characters a process has: those of UTF-8, or bytes. As on a system
 * whose only locales are C, POSIX and C.UTF-8.
 */
#ifndef CMD_LOCALE_H
#define CMD_LOCALE_H

#include <stdbool.h>

struct tsb_proc;

/* By $LC_ALL, $LC_CTYPE and $LANG: the first that is not empty counts. */
bool locale_utf8(struct tsb_proc *p);
/* Is the category ("LC_TIME") that of C, POSIX or of a locale there is not? */
bool locale_is_c(struct tsb_proc *p, const char *category);

#endif
