/*
 * Control groups of a box and of its execs: v2 where it can be had (kill, freeze, accounting,
 * start inside it), v1's controllers where those hold the memory, pids and cpu (hybrid machines),
 * rlimits where there is neither. Names are tinybox-BOX and, below it, the process's name.
 * Outside the box; process 1 only holds descriptors.
 */
#ifndef INIT_CGROUP_H
#define INIT_CGROUP_H

#include "init/report.h"
#include "init/spec.h"

struct cgroup;	/* of a box */

/* Makes what can be made and reports memory, cpu, pids and tree-kill. NULL only without memory; what could not be
 * made is in the report. */
struct cgroup *cgroup_open(const struct spec *spec, struct report *r);
/*
 * Finds the one that a server before us left (reap): kills what is in it and removes it. False:
 * errno.
 */
bool cgroup_sweep(const char *box);
/* Kills what is left in it, waits until it is empty, removes it. */
void cgroup_close(struct cgroup *c);

struct cgroup_exec {
	int v2;			/* directory for clone3's CLONE_INTO_CGROUP, or -1 */
	int procs[4];		/* v1: cgroup.procs to write 0 to; -1: none */
};

/*
 * A group below the box's for one exec. False: there is none (the nurse alone watches the tree).
 */
bool cgroup_exec_open(struct cgroup *c, const char *proc, uint64_t memory, uint32_t pids,
		      uint32_t cpu, struct cgroup_exec *e);
/* In the child, before the exec: enters the v1 groups (async-signal-safe). */
bool cgroup_enter(const struct cgroup_exec *e);
bool cgroup_exec_kill(struct cgroup_exec *e);	/* SIGKILL to all in it, forks in flight too */

struct cgroup_use {
	uint64_t peak, user_ns, system_ns;
	uint64_t oom_kills, pids_denied;
	bool has_peak, has_cpu, has_oom, has_pids;
};

void cgroup_exec_use(const struct cgroup_exec *e, struct cgroup_use *use);
void cgroup_exec_close(struct cgroup *c, const char *proc, struct cgroup_exec *e);
void cgroup_use(const struct cgroup *c, struct cgroup_use *use);	/* of the whole box */
bool cgroup_freeze(struct cgroup *c, bool frozen);	/* false: errno (ENOSYS: nothing can) */

#endif
