/*
 * The control group of one exec: made and removed by process 1 through the descriptors it
 * inherited. On v2 it costs one directory; on v1 only what has a limit of its own gets a directory,
 * as v1's are slow to come and go; the box's groups are inherited from process 1.
 */
#include "init/cgroup_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool name_ok(const char *proc)
{
	return *proc && *proc != '.' && !strchr(proc, '/') && strlen(proc) < 64 &&
	       strcmp(proc, "init") && strcmp(proc, "run");
}

static bool open_own(struct cgroup *c, const char *proc, int which, struct cgroup_exec *e,
		     uint64_t memory, uint32_t pids, uint32_t cpu)
{
	int dir = cg_make_dir(c->v1[which], proc);

	if (dir < 0)
		return false;
	e->v1[which] = dir;
	return cg_limit_v1((enum cgroup_v1)which, dir, memory, pids, cpu);
}

/* What the box's own limits, which an exec without any is under, have refused until now. */
static void box_refused(const struct cgroup *c, struct cgroup_use *use)
{
	if (c->v1[CGROUP_MEMORY] >= 0)
		use->has_oom |= cg_number(c->v1[CGROUP_MEMORY], "memory.oom_control", "oom_kill",
					  &use->oom_kills);
	else if (c->look >= 0)
		use->has_oom |= cg_number(c->look, "memory.events", "oom_kill", &use->oom_kills);
	if (c->v1[CGROUP_PIDS] >= 0)
		use->has_pids |= cg_number(c->v1[CGROUP_PIDS], "pids.events", "max",
					   &use->pids_denied);
	else if (c->look >= 0)
		use->has_pids |= cg_number(c->look, "pids.events", "max", &use->pids_denied);
	else if (c->with[CGROUP_PIDS] && c->run >= 0)
		use->has_pids |= cg_number(c->run, "pids.events", "max", &use->pids_denied);
}

/* Without controllers a group holds nothing but the time that was used in it, so it can serve again. */
static bool is_plain(const struct cgroup *c)
{
	return !c->with[CGROUP_MEMORY] && !c->with[CGROUP_PIDS] && !c->with[CGROUP_CPU];
}

/* user_usec and system_usec, in one reading. */
static bool read_times(int dir, uint64_t *user_ns, uint64_t *system_ns)
{
	char text[4096], *user, *sys;

	if (cg_read(dir, "cpu.stat", text, sizeof(text)) <= 0)
		return false;
	user = strstr(text, "user_usec ");
	sys = strstr(text, "system_usec ");
	if (!user || !sys)
		return false;
	*user_ns = strtoull(user + 10, NULL, 10) * 1000;
	*system_ns = strtoull(sys + 12, NULL, 10) * 1000;
	return true;
}

/* The v2 group of an exec: the one that the last left empty, or a new one. */
static int take_group(struct cgroup *c, const char *proc, struct cgroup_exec *e)
{
	int dir = c->spare;

	if (dir < 0) {
		snprintf(e->name, sizeof(e->name), "%s", proc);
		return cg_make_dir(c->run, proc);
	}
	memcpy(e->name, c->spare_name, sizeof(e->name));
	c->spare = -1;
	read_times(dir, &e->user_ns, &e->system_ns);
	return dir;
}

/*
 * Making and removing one costs more than all else that an exec does with it. But not one that was killed: the
 * kernel compares its count of kills with that of the group around when a process is cloned into it.
 */
static bool keep_group(struct cgroup *c, const struct cgroup_exec *e)
{
	char text[256];

	if (e->killed || c->spare >= 0 || !is_plain(c) || cg_read(e->v2, "cgroup.events", text, sizeof(text)) <= 0 ||
	    !strstr(text, "populated 0") || strstr(text, "frozen 1"))
		return false;
	c->spare = e->v2;
	memcpy(c->spare_name, e->name, sizeof(c->spare_name));
	return true;
}

bool cgroup_exec_open(struct cgroup *c, const char *proc, uint64_t memory, uint32_t pids,
		      uint32_t cpu, struct cgroup_exec *e)
{
	const bool own[CGROUP_V1] = {memory != 0, pids != 0, cpu != 0, false};
	struct cgroup_use before = {0};
	bool ok = true, any = false;

	memset(e, 0, sizeof(*e));
	box_refused(c, &before);
	e->oom_kills = before.oom_kills;
	e->pids_denied = before.pids_denied;
	e->v2 = -1;
	memset(e->v1, -1, sizeof(e->v1));
	if (!name_ok(proc)) {
		errno = EINVAL;
		return false;
	}
	/* a limit that nothing would keep is refused */
	for (int i = 0; i < CGROUP_V1; i++) {
		if (own[i] && !c->with[i] && (c->fixed[i] || c->v1[i] < 0)) {
			errno = EOPNOTSUPP;
			return false;
		}
	}
	if (c->run >= 0) {
		e->v2 = take_group(c, proc, e);
		any = e->v2 >= 0;
		if (any)
			cg_limit_v2(e->v2, c->with[CGROUP_MEMORY] ? memory : 0,
				    c->with[CGROUP_PIDS] ? pids : 0,
				    c->with[CGROUP_CPU] ? cpu : 0, &ok);
	}
	for (int i = 0; ok && i < CGROUP_V1; i++) {
		if (c->v1[i] < 0)
			continue;
		any = true;
		if (own[i] && !c->fixed[i])
			ok = open_own(c, proc, i, e, memory, pids, cpu);
		else if (i == CGROUP_FREEZER)
			e->v1[i] = c->v1[i];
	}
	if (!ok || !any)
		cgroup_exec_close(c, proc, e);
	return ok && any;
}

bool cgroup_enter(const struct cgroup_exec *e)
{
	for (int i = 0; i < CGROUP_V1; i++) {
		/* one thread: see cgroup_join */
		if (e->v1[i] >= 0 && !cg_write(e->v1[i], "tasks", "0"))
			return false;
	}
	return true;
}

bool cgroup_enter_v2(const struct cgroup_exec *e)
{
	return e->v2 < 0 || cg_write(e->v2, "cgroup.procs", "0");
}

bool cgroup_exec_kill(struct cgroup_exec *e)
{
	e->killed = true;
	return e->v2 >= 0 && cg_write(e->v2, "cgroup.kill", "1");
}

bool cgroup_exec_count(const struct cgroup_exec *e, size_t *n)
{
	int fd = e->v2 < 0 ? -1 : openat(e->v2, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t got = -1;

	*n = 0;
	while (fd >= 0 && (got = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < got; i++)
			*n += text[i] == '\n';
	}
	if (fd >= 0)
		close(fd);
	return !got;
}

/* limits: controllers may be on in it */
static void use_v2(int dir, bool limits, struct cgroup_use *use)
{
	use->has_cpu |= read_times(dir, &use->user_ns, &use->system_ns);
	if (!limits)
		return;
	use->has_peak |= cg_number(dir, "memory.peak", "", &use->peak);
	use->has_oom |= cg_number(dir, "memory.events", "oom_kill", &use->oom_kills);
	use->has_pids |= cg_number(dir, "pids.events", "max", &use->pids_denied);
}

static void use_v1(const int *dir, struct cgroup_use *use)
{
	if (dir[CGROUP_MEMORY] >= 0) {
		use->has_peak |= cg_number(dir[CGROUP_MEMORY], "memory.max_usage_in_bytes", "",
					   &use->peak);
		use->has_oom |= cg_number(dir[CGROUP_MEMORY], "memory.oom_control", "oom_kill",
					  &use->oom_kills);
	}
	if (dir[CGROUP_PIDS] >= 0)
		use->has_pids |= cg_number(dir[CGROUP_PIDS], "pids.events", "max",
					   &use->pids_denied);
}

void cgroup_exec_use(const struct cgroup *c, const struct cgroup_exec *e, struct cgroup_use *use)
{
	struct cgroup_use box = {0};

	memset(use, 0, sizeof(*use));
	if (e->v2 >= 0)
		use_v2(e->v2, !is_plain(c), use);
	use->user_ns -= use->has_cpu ? e->user_ns : 0;
	use->system_ns -= use->has_cpu ? e->system_ns : 0;
	use_v1(e->v1, use);
	box_refused(c, &box);
	/* where each exec's group has the controller, those of its own are counted there */
	if (box.has_oom && box.oom_kills > e->oom_kills && e->v1[CGROUP_MEMORY] < 0 && !c->with[CGROUP_MEMORY]) {
		use->has_oom = true;
		use->oom_kills += box.oom_kills - e->oom_kills;
	}
	if (box.has_pids && box.pids_denied > e->pids_denied) {
		use->has_pids = true;
		use->pids_denied += box.pids_denied - e->pids_denied;
	}
}

void cgroup_use(const struct cgroup *c, struct cgroup_use *use)
{
	memset(use, 0, sizeof(*use));
	if (c->look >= 0)
		use_v2(c->look, true, use);
	else if (c->run >= 0)
		use_v2(c->run, !is_plain(c), use);
	use_v1(c->v1, use);
}

void cgroup_exec_close(struct cgroup *c, const char *proc, struct cgroup_exec *e)
{
	if (e->v2 >= 0 && !keep_group(c, e)) {
		if (unlinkat(c->run, e->name, AT_REMOVEDIR))
			cg_remove(c->run, e->name);
		close(e->v2);
	}
	for (int i = 0; i < CGROUP_V1; i++) {
		if (e->v1[i] < 0 || i == CGROUP_FREEZER)
			continue;
		if (unlinkat(c->v1[i], proc, AT_REMOVEDIR))
			cg_remove(c->v1[i], proc);
		close(e->v1[i]);
	}
	memset(e, 0, sizeof(*e));
	e->v2 = -1;
	memset(e->v1, -1, sizeof(e->v1));
}

/* Until the kernel says it is so: a moment for each process. */
static bool until(int dir, const char *file, const char *key, const char *value)
{
	for (int i = 0; i < 2000; i++) {
		char text[256], *at;

		if (cg_read(dir, file, text, sizeof(text)) < 0)
			return false;
		at = strstr(text, key);
		if (at && !strncmp(at + strlen(key), value, strlen(value)))
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	}
	errno = ETIMEDOUT;
	return false;
}

bool cgroup_freeze(struct cgroup *c, bool frozen)
{
	int v1 = c->v1[CGROUP_FREEZER];

	if (c->run >= 0)
		return cg_write(c->run, "cgroup.freeze", frozen ? "1" : "0") &&
		       until(c->run, "cgroup.events", "frozen ", frozen ? "1" : "0");
	if (v1 >= 0)
		return cg_write(v1, "freezer.state", frozen ? "FROZEN" : "THAWED") &&
		       until(v1, "freezer.state", "", frozen ? "FROZEN" : "THAWED");
	errno = ENOSYS;
	return false;
}
