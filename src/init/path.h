/*
 * Descriptors and paths. Everything that a box can write is reached from the descriptor of its
 * root: links are followed inside it, the magic ones of /proc never (they would lead to what the
 * server holds open).
 */
#ifndef INIT_PATH_H
#define INIT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* open, close-on-exec always. -1: errno. */
int path_open(int root, const char *path, int flags, mode_t mode);
/* What it does without openat2. EAGAIN: a name changed meanwhile. (path_walk.c) */
int path_walk(int root, const char *path, int flags, mode_t mode);
/*
 * The directory that holds the path's last name, opened; *name points to that name inside path
 * ("." for the root itself). A slash at the end is an error unless `slash`. -1: errno.
 */
int path_parent(int root, char *path, char **name);
/* A path of a request made absolute: below the box's working directory. NULL: no memory. */
char *path_absolute(const char *cwd, const char *path);

void close_from(int first);
/* Closes all from 3 on but these (-1 is skipped). */
void close_others(const int *keep, size_t count);
/* All that was asked for; false: errno. */
bool write_all(int fd, const void *data, size_t size);
/* The whole of a file up to `most` bytes, with a NUL behind it; NULL: errno. */
char *read_whole(int fd, size_t most, size_t *size);

#endif
