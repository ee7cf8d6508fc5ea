/*
 * Control groups below a container's own, for its execs: they go with the container, whoever removes it. In the
 * keeper, which must be root; process 1 gets their descriptors by the door (they are mounts of their own, from
 * which no ".." leads to other groups).
 */
#ifndef INIT_DOCKER_GROUP_H
#define INIT_DOCKER_GROUP_H

#include "init/door.h"
#include "init/report.h"

/*
 * sock: process 1's end of the door; id: the container's whole id, without which its groups are not known from
 * others'. Sets fd[DOOR_GROUP] and those behind it, -1 where it cannot be had, and tells the controls exec-limits
 * and tree-kill.
 */
void docker_group_open(int sock, const char *id, int fd[DOOR_FDS], struct report *r);
void docker_group_close(int fd[DOOR_FDS]);

#endif
