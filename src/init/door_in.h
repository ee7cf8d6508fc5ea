/* Shared by both sides of door.h. */
#ifndef INIT_DOOR_IN_H
#define INIT_DOOR_IN_H

#include <sys/types.h>

#include "init/door.h"

#define DOOR_NAME "door"

bool door_send(int sock, const void *data, size_t size, const int *fds, size_t count);
ssize_t door_take(int sock, void *data, size_t size, int fds[DOOR_FDS], size_t *count);

#endif
