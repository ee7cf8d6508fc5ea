/*
 * The namespace wall: user, pid, mount, net, ipc, uts, cgroup and time namespaces, a root of its
 * own, a system call filter, Landlock, no privileges. Works without any privilege outside.
 *
 * Order: wall_open() outside (what can be had? fills the report; nothing visible is made when it
 * fails), then wall_enter(), whose child is process 1 of the box, then wall_child() in every
 * process that will exec a program of the box.
 */
#ifndef INIT_WALL_H
#define INIT_WALL_H

#include <sys/types.h>

#include "init/cgroup.h"
#include "init/report.h"
#include "init/spec.h"

struct wall;

/* NULL: *why in a sentence (static), errno. The cgroup may be NULL. */
struct wall *wall_open(const struct spec *spec, struct cgroup *c, struct report *r,
		       const char **why);
/*
 * Process 1 of the box, which calls inside(ctx) when the wall stands and ends with what it
 * returns. It keeps only the descriptors in `keep` (count of them) open. Returns its pid in the
 * caller's namespace after the wall stands, or -1 with *why (static) and errno: then nothing is
 * left. The caller is single-threaded.
 */
pid_t wall_enter(struct wall *w, int (*inside)(void *ctx), void *ctx, const int *keep, size_t count,
		 const char **why);
/*
 * In a child of process 1, last thing before execve: bounding set and capabilities dropped, no
 * new privileges, rlimits, Landlock, the filter. Takes no memory. False: the child must _exit.
 */
bool wall_child(const struct wall *w);
/* Outside, after process 1 has ended: mounts, loop devices and directories that the wall made. */
void wall_close(struct wall *w);
/* What a wall that was killed left in a state directory. False: errno. */
bool wall_sweep(const char *dir);

#endif
