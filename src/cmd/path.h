/*
 * Path names as text, and the resolution of links with GNU's choices. Nothing
 * here follows a link except path_canon().
 */
#ifndef CMD_PATH_H
#define CMD_PATH_H

#include <stdbool.h>
#include <stddef.h>

struct tsb_proc;

/* The last component with its trailing slashes: "b/" of "a/b/", "" of "/". */
const char *path_last(const char *s);
/* Length without trailing slashes; at least 1 if s has a byte. */
size_t path_base_len(const char *s);
/* Length of the directory part of s; 0: it has none. */
size_t path_dir_len(const char *s);
char *path_dir(struct tsb_proc *p, const char *s);	/* "." when it has none */
/* Last component without slashes; "/" of a root. */
char *path_base(struct tsb_proc *p, const char *s);
/* Drops trailing slashes in place (never the whole); had it any? */
bool path_strip_slashes(char *s);
char *path_join(struct tsb_proc *p, const char *dir, const char *name);
bool path_is_dot(const char *name);	/* "." or "..", slashes may follow */

enum path_mode {
	PATH_ALL_EXIST,		/* readlink -e */
	PATH_LAST_MAY_MISS,	/* readlink -f */
	PATH_MAY_MISS,		/* readlink -m */
	PATH_MODES = 3,
	PATH_LEXICAL = 4	/* a flag: .. is dropped as text, no link is read */
};
/* Absolute, without ".", "..", links: 0 or -errno. */
int path_canon(struct tsb_proc *p, const char *path, unsigned mode, char **out);
/* The text that leads from directory `from` to `to`, both canonical: NULL when
 * nothing is common. */
char *path_relative(struct tsb_proc *p, const char *to, const char *from);
/* Are these two the same name in the same directory (not through a link)? */
bool path_same_name(struct tsb_proc *p, const char *a, const char *b);
/* The whole target of a link: NULL and *err = -errno. */
char *path_readlink(struct tsb_proc *p, const char *path, int *err);

#endif
