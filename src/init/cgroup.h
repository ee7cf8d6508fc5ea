/*
 * Control groups of a box and of its execs: v2 where it can be had (kill, freeze, accounting,
 * start inside it), v1's controllers where those hold the memory, pids and cpu (hybrid machines),
 * neither otherwise, and then the report says so. Names are tinybox-BOX and, below it, `run` for the
 * execs, where limits and freezing are, and run/PROC for one exec. Process 1 is in tinybox-BOX itself,
 * or in its `init` when v2 holds a controller (a group with controllers below it holds no processes).
 * Moving a process to another group waits for the whole kernel (tens of milliseconds): so on v2 all are
 * started where they belong, and on v1 process 1 is put into the box's groups once, and its children
 * inherit them. (It is smaller than anything an out-of-memory killer would take before.)
 *
 * The keeper opens it; process 1 inherits the descriptors (wall_enter keeps them) and makes the
 * groups of execs through them, as the wall gives the directories to the box's user: nothing in the
 * box has a path to them.
 */
#ifndef INIT_CGROUP_H
#define INIT_CGROUP_H

#include <sys/types.h>

#include "init/report.h"
#include "init/spec.h"

struct cgroup;	/* of a box */

enum cgroup_v1 { CGROUP_MEMORY, CGROUP_PIDS, CGROUP_CPU, CGROUP_FREEZER, CGROUP_V1 };

/*
 * Makes what can be made and reports memory, cpu, pids (when asked for) and tree-kill. NULL only
 * without memory; what could not be made is in the report.
 */
struct cgroup *cgroup_open(const struct spec *spec, struct report *r);
/*
 * Finds the one that a server before us left (reap): kills what is in it and removes it. False:
 * errno.
 */
bool cgroup_sweep(const char *box);
/* Kills what is left in it, waits until it is empty, removes it. */
void cgroup_close(struct cgroup *c);

/*
 * For whoever starts process 1 (the wall; the server itself behind passthrough).
 *
 * cgroup_fd: the directory for clone3's CLONE_INTO_CGROUP, or -1. cgroup_give: to this user, outside
 * ids. cgroup_join: by process 1, which is one thread: into the box's v1 groups. cgroup_namespace: whether
 * process 1 may unshare its cgroup namespace (from one it could not start processes in a group beside its own).
 * cgroup_settle: by process 1, as that user: makes `run` with its limits. cgroup_keep: the descriptors,
 * all directories, that process 1 must keep open; returns how many. False: errno.
 */
int cgroup_fd(const struct cgroup *c);
bool cgroup_give(struct cgroup *c, uint32_t uid, uint32_t gid);
bool cgroup_join(const struct cgroup *c);
bool cgroup_namespace(const struct cgroup *c);
bool cgroup_settle(struct cgroup *c);
#define CGROUP_KEEP 8
size_t cgroup_keep(const struct cgroup *c, int *fds);

struct cgroup_exec {
	int v2;			/* directory for clone3's CLONE_INTO_CGROUP, or -1 */
	int v1[CGROUP_V1];	/* directories of its own limits (and the box's freezer); -1: none */
	/* what the box's limits had refused when it began: those count for all execs together */
	uint64_t oom_kills, pids_denied;
	char name[64];		/* v2's: of this exec or, when it was one's that has ended, of that */
	uint64_t user_ns, system_ns;	/* what the group had used by then */
	bool killed;		/* a group that was killed once takes no more (cgroup_exec.c) */
};

/*
 * A group below the box's for one exec. False: there is none (the nurse alone watches the tree).
 * Zero limits are the box's.
 */
bool cgroup_exec_open(struct cgroup *c, const char *proc, uint64_t memory, uint32_t pids,
		      uint32_t cpu, struct cgroup_exec *e);
/* In the child, before the exec: enters the v1 groups (async-signal-safe). */
bool cgroup_enter(const struct cgroup_exec *e);
/* In the child, when clone3 could not start it there: the v2 group too. */
bool cgroup_enter_v2(const struct cgroup_exec *e);
/* SIGKILL to all in it, forks in flight too. False: there is no v2 group (or no cgroup.kill). */
bool cgroup_exec_kill(struct cgroup_exec *e);
/* How many live in its v2 group, which is all of its tree. False: there is none. */
bool cgroup_exec_count(const struct cgroup_exec *e, size_t *n);

struct cgroup_use {
	uint64_t peak, user_ns, system_ns;
	uint64_t oom_kills, pids_denied;
	bool has_peak, has_cpu, has_oom, has_pids;
};

void cgroup_exec_use(const struct cgroup *c, const struct cgroup_exec *e, struct cgroup_use *use);
/* Kills what is left in it, waits a moment, removes it. */
void cgroup_exec_close(struct cgroup *c, const char *proc, struct cgroup_exec *e);
void cgroup_use(const struct cgroup *c, struct cgroup_use *use);	/* of all execs of the box */
/* All execs of the box, not process 1. False: errno (ENOSYS: nothing can). */
bool cgroup_freeze(struct cgroup *c, bool frozen);

#endif
