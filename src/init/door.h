/*
 * How a server that the keeper did not start itself (process 1 of a container) gets what it serves
 * with. The keeper makes DIR/inside, which the engine mounts at DOCKER_PLACE: our own program, and a
 * socket. Process 1 connects, says what it finds itself in, and is given descriptors: from then on it
 * serves the box's socket as any server does, and the door is gone.
 *
 * What process 1 says is believed: it is our program, and nothing of the image has run before it.
 */
#ifndef INIT_DOOR_H
#define INIT_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "init/report.h"
#include "init/spec.h"

#define DOOR_VERSION 1u
#define DOOR_UNKNOWN UINT64_MAX

/* What process 1 finds. */
struct door_facts {
	uint32_t version, pid;
	uint32_t seccomp;		/* 2: a filter */
	uint32_t links;			/* network interfaces other than the loopback */
	uint32_t uid, gid;
	uint64_t caps;			/* bounding */
	uint64_t memory, swap, pids;	/* of its control groups; swap: memory and swap together */
	uint64_t cpu;			/* thousandths of one */
};

/* What it is given; some may be -1. */
enum door_fd {
	DOOR_START,	/* START and REPORT, as a file */
	DOOR_LISTEN, DOOR_KEEPER, DOOR_AUDIT, DOOR_AUDIT_HEAD, DOOR_LOCK, DOOR_READY,
	DOOR_PORTS,	/* the keeper's questions for published ports */
	DOOR_GROUP,	/* a control group below the container's, for execs: v2 */
	DOOR_GROUP_ALL,	/* the container's: v2 */
	DOOR_GROUP_V1,	/* the container's, of each controller that limits (enum cgroup_v1) */
	DOOR_GROUP_LAST = DOOR_GROUP_V1 + 2,
	DOOR_FDS
};

/* ---- In the keeper ---- */

/* Makes DIR/inside and listens there; -1: errno. */
int door_open(int dir);
/* When it is readable: process 1, and what it says; -1: it was not process 1. */
int door_answer(int door, struct door_facts *facts);
bool door_give(int sock, const int fd[DOOR_FDS]);
/* The frames for DOOR_START; -1: errno. */
int door_start_file(struct wire_iter fields, const struct report *r);
/* What process 1 made of it: its listening socket for egress (or -1). False: errno. */
bool door_hear(int sock, int *listener);
void door_close(int dir, int door);		/* nobody comes any more */

/* ---- In process 1 (inside.c) ---- */

int verb_inside(void);

#endif
