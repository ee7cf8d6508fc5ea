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

/* The container's groups, to be read: memory that ended, processes that were refused. NULL: no memory. */
struct cgroup *contain_cgroup(int group);
/* Their limits; DOOR_UNKNOWN (UINT64_MAX): none, or it cannot be said. */
struct contain_limits {
	uint64_t memory, swap, pids, cpu;
};
void contain_limits(struct contain_limits *l);

#endif
