/*
 * Random file names.
 */
#ifndef CMD_TEMPNAME_H
#define CMD_TEMPNAME_H

#include <stddef.h>

struct tsb_proc;

/* n random letters and digits into s (no NUL). */
void tempname_fill(struct tsb_proc *p, char *s, size_t n);
/* Can a file be made in dir? 0, or why not. */
int tempname_try(struct tsb_proc *p, const char *dir);
/* A name in the directory of path. */
char *tempname_beside(struct tsb_proc *p, const char *path);

#endif
