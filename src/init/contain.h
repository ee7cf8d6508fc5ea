/*
 * What a server in somebody else's container (docker) has in place of the namespace wall and of control
 * groups of its own: the container stands already, and what is left is each program's system call
 * filter and limits, the channels of egress and published ports, and a look at the container's groups.
 */
#ifndef INIT_CONTAIN_H
#define INIT_CONTAIN_H

#include "init/cgroup.h"
#include "init/wall.h"

/*
 * For wall_child() and wall_channel_inside(): no new privileges from here on. channel: published ports,
 * or -1. NULL: errno.
 */
struct wall *contain_wall(const struct spec *spec, int channel);
/* The proxy's listening socket on this loopback; -1: errno. */
int contain_listen(void);

/*
 * What the keeper made of the container's groups (docker_group.h), all directories, -1: could not be had. v2: all
 * of it and, below, that for execs; v1: the container's, below which those of execs with limits are made.
 */
struct contain_groups {
	int all, run, v1[CGROUP_V1];
};
/*
 * The groups of execs; where none can be had, the container's, to be read: memory that ended, processes that
 * were refused. NULL: no memory.
 */
struct cgroup *contain_cgroup(const struct contain_groups *g);
/* Their limits; DOOR_UNKNOWN (UINT64_MAX): none, or it cannot be said. */
struct contain_limits {
	uint64_t memory, swap, pids, cpu;
};
void contain_limits(struct contain_limits *l);

#endif
