/*
 * Random file names.
 */
#ifndef CMD_TEMPNAME_H
#define CMD_TEMPNAME_H

#include <stddef.h>

struct tsb_proc;

/* n random letters and digits into s (no NUL). */
void tempname_fill(struct tsb_proc *p, char *s, size_t n);
/* A name in the directory of path. */
char *tempname_beside(struct tsb_proc *p, const char *path);

#endif
