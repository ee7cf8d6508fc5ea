/*
 * A box's control groups as a whole: made, given to the box's user, filled with limits, removed.
 * See cgroup.h for the layout, cgroup_find.c for where they are, cgroup_exec.c for single execs.
 */
#include "init/cgroup_in.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CPU_PERIOD 100000u	/* microseconds */
#define EMPTY_TRIES 2000	/* of a millisecond */

bool cg_write(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	size_t n = strlen(text);
	bool ok = fd >= 0 && write(fd, text, n) == (ssize_t)n;
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
	return ok;
}

bool cg_write_number(int dir, const char *name, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	return cg_write(dir, name, text);
}

int cg_read(int dir, const char *name, char *buf, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n < 0 ? 0 : n] = 0;
	return (int)n;
}

bool cg_number(int dir, const char *name, const char *key, uint64_t *n)
{
	char text[4096], *s = text;
	size_t len = strlen(key);

	if (cg_read(dir, name, text, sizeof(text)) <= 0)
		return false;
	for (; s && *s; s = strchr(s, '\n'), s = s ? s + 1 : NULL) {
		if (strncmp(s, key, len) || (len && s[len] != ' '))
			continue;
		if (s[len + (len != 0)] < '0' || s[len + (len != 0)] > '9')
			return false;
		*n = strtoull(s + len, NULL, 10);
		return true;
	}
	return false;
}

bool cg_has_word(int dir, const char *file, const char *word)
{
	char text[512];
	size_t n = strlen(word);

	if (cg_read(dir, file, text, sizeof(text)) <= 0)
		return false;
	for (char *s = text; *s;) {
		size_t len = strcspn(s, " \n");

		if (len == n && !memcmp(s, word, n))
			return true;
		s += len + (s[len] != 0);
	}
	return false;
}

int cg_dir(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

int cg_make_dir(int at, const char *name)
{
	/* what a box of the same name left is empty, or it is not ours to take */
	if (mkdirat(at, name, 0755) &&
	    (errno != EEXIST || unlinkat(at, name, AT_REMOVEDIR) || mkdirat(at, name, 0755)))
		return -1;
	return cg_dir(at, name);
}

static void moment(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* v1, and v2 before 5.14: by number, until none is left or the tries are. */
static void kill_listed(int dir)
{
	char text[16384], *s;
	bool frozen = cg_write(dir, "freezer.state", "FROZEN");

	if (cg_read(dir, "cgroup.procs", text, sizeof(text)) > 0) {
		for (s = text; *s; s += strcspn(s, "\n"), s += *s != 0) {
			long pid = strtol(s, NULL, 10);

			if (pid > 0 && pid != getpid())
				kill((pid_t)pid, SIGKILL);
		}
	}
	if (frozen)
		cg_write(dir, "freezer.state", "THAWED");
}

static bool is_empty(int dir)
{
	char text[64];

	return cg_read(dir, "cgroup.procs", text, sizeof(text)) <= 0;
}

/* SIGKILL to all in the directory's group, and removal with what is below. False: errno. */
static bool cg_kill(int dir)
{
	if (cg_write(dir, "cgroup.kill", "1")) {
		/* what is frozen dies, too, in v2 */
		return true;
	}
	kill_listed(dir);
	return false;
}

/* A directory's subdirectories, each by f. */
static void each_below(int dir, bool (*f)(int base, const char *name))
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((e = readdir(d))) {
		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			f(dir, e->d_name);
	}
	closedir(d);
}

/* Three levels: tinybox-BOX, run, PROC; what a program of the box could make is not below. */
bool cg_remove(int base, const char *name)
{
	int dir = cg_dir(base, name);
	int tries = 0;

	if (dir < 0)
		return errno == ENOENT;
	cg_kill(dir);
	each_below(dir, cg_remove);
	while (unlinkat(base, name, AT_REMOVEDIR) && errno == EBUSY && tries++ < EMPTY_TRIES) {
		if (!is_empty(dir))
			cg_kill(dir);
		moment();
	}
	close(dir);
	return faccessat(base, name, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT;
}

void cg_limit_v2(int dir, uint64_t memory, uint32_t pids, uint32_t cpu, bool *ok)
{
	char text[48];

	snprintf(text, sizeof(text), "%llu %u", (unsigned long long)cpu * CPU_PERIOD / 1000,
		 CPU_PERIOD);
	if (memory) {
		*ok &= cg_write_number(dir, "memory.max", memory);
		cg_write(dir, "memory.swap.max", "0");
	}
	if (pids)
		*ok &= cg_write_number(dir, "pids.max", pids);
	if (cpu)
		*ok &= cg_write(dir, "cpu.max", text);
}

bool cg_limit_v1(enum cgroup_v1 which, int dir, uint64_t memory, uint32_t pids, uint32_t cpu)
{
	if (which == CGROUP_MEMORY && memory) {
		if (!cg_write_number(dir, "memory.limit_in_bytes", memory))
			return false;
		/* absent when swap is not accounted */
		cg_write_number(dir, "memory.memsw.limit_in_bytes", memory);
	}
	if (which == CGROUP_PIDS && pids)
		return cg_write_number(dir, "pids.max", pids);
	if (which == CGROUP_CPU && cpu)
		return cg_write_number(dir, "cpu.cfs_period_us", CPU_PERIOD) &&
		       cg_write_number(dir, "cpu.cfs_quota_us", (uint64_t)cpu * CPU_PERIOD / 1000);
	return true;
}

static bool any_v2(const struct cgroup *c)
{
	return c->with[CGROUP_MEMORY] || c->with[CGROUP_PIDS] || c->with[CGROUP_CPU];
}

static void open_v2(struct cgroup *c, const bool *want)
{
	c->base = cg_find_v2(want, c->with);
	if (c->base < 0)
		return;
	c->box = cg_make_dir(c->base, c->name);
	if (c->box >= 0 && any_v2(c))
		c->init = cg_make_dir(c->box, "init");
	if (c->box >= 0 && (c->init >= 0 || !any_v2(c)))
		return;
	if (c->box >= 0) {
		close(c->box);
		unlinkat(c->base, c->name, AT_REMOVEDIR);
	}
	close(c->base);
	c->base = c->box = -1;
	memset(c->with, 0, sizeof(c->with));
}

static void open_v1(struct cgroup *c, enum cgroup_v1 which)
{
	int base = cg_find_v1(which), dir;

	if (base < 0)
		return;
	dir = cg_make_dir(base, c->name);
	if (dir >= 0 && cg_limit_v1(which, dir, c->memory, c->pids, c->cpu)) {
		c->v1_base[which] = base;
		c->v1[which] = dir;
		return;
	}
	if (dir >= 0) {
		close(dir);
		unlinkat(base, c->name, AT_REMOVEDIR);
	}
	close(base);
}

static const char no_group[] = "no control group can be made here that has the controller";

static void tell(const struct cgroup *c, struct report *r, enum cgroup_v1 which, uint64_t asked,
		 const char *v2, const char *v1)
{
	char text[32];
	const char *fix = geteuid() ? "start it with: systemd-run --user --scope -p Delegate=yes ..." :
		"mount cgroup2 and turn the controller on in cgroup.subtree_control";

	if (!asked)
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)asked);
	if (c->with[which])
		report_enforced(r, cg_v1_name[which], text, v2);
	else if (c->v1[which] >= 0)
		report_enforced(r, cg_v1_name[which], text, v1);
	else
		report_open(r, cg_v1_name[which], text, no_group, fix);
}

static void tell_all(const struct cgroup *c, struct report *r)
{
	tell(c, r, CGROUP_MEMORY, c->memory, "cgroup v2 memory.max",
	     "cgroup v1 memory.limit_in_bytes");
	tell(c, r, CGROUP_PIDS, c->pids, "cgroup v2 pids.max", "cgroup v1 pids.max");
	tell(c, r, CGROUP_CPU, c->cpu, "cgroup v2 cpu.max", "cgroup v1 cpu.cfs_quota_us");
	report_enforced(r, "tree-kill", "",
			c->box >= 0 && !faccessat(c->box, "cgroup.kill", W_OK, AT_EACCESS) ?
			"cgroup.kill" : "a subreaper for each exec");
}

/*
 * A namespace box for one exec that has no limit: its pid namespace ends all of it, and nothing would be
 * counted that its nurse does not count. Groups cost as much to make and to remove as all its mounts.
 */
static bool needs_none(const struct spec *s)
{
	return s->transient && s->kind == SPEC_NAMESPACE && !s->memory && !s->pids && !s->cpu;
}

struct cgroup *cgroup_open(const struct spec *spec, struct report *r)
{
	struct cgroup *c = calloc(1, sizeof(*c));
	bool want[CGROUP_V1] = {spec->memory != 0, spec->pids != 0, spec->cpu != 0, true};

	if (!c)
		return NULL;
	c->base = c->box = c->init = c->run = c->spare = c->look = -1;
	memset(c->v1, -1, sizeof(c->v1));
	memset(c->v1_base, -1, sizeof(c->v1_base));
	c->memory = spec->memory;
	c->pids = spec->pids;
	c->cpu = spec->cpu;
	if (!needs_none(spec) &&
	    snprintf(c->name, sizeof(c->name), "tinybox-%s", spec->box) < (int)sizeof(c->name) &&
	    !strchr(spec->box, '/')) {
		open_v2(c, want);
		want[CGROUP_FREEZER] = c->box < 0;
		for (int i = 0; i < CGROUP_V1; i++) {
			if (want[i] && !c->with[i])
				open_v1(c, (enum cgroup_v1)i);
		}
	}
	tell_all(c, r);
	return c;
}

int cgroup_fd(const struct cgroup *c)
{
	return any_v2(c) ? c->init : c->box;
}

bool cgroup_namespace(const struct cgroup *c)
{
	return !any_v2(c);
}

/*
 * By `tasks`, which moves the writing thread: only that way the kernel need not stop all forks and exits
 * of the machine first, for which it waits tens of milliseconds.
 */
bool cgroup_join(const struct cgroup *c)
{
	for (int i = 0; i < CGROUP_V1; i++) {
		if (i != CGROUP_FREEZER && c->v1[i] >= 0 && !cg_write(c->v1[i], "tasks", "0"))
			return false;
	}
	return true;
}

static bool give(int dir, uint32_t uid, uint32_t gid)
{
	static const char *const file[] = {"cgroup.procs", "cgroup.threads", "tasks",
		"cgroup.subtree_control"};

	if (dir < 0)
		return true;
	if (fchownat(dir, "", uid, gid, AT_EMPTY_PATH))
		return false;
	for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++) {
		if (fchownat(dir, file[i], uid, gid, AT_SYMLINK_NOFOLLOW) && errno != ENOENT)
			return false;
	}
	return true;
}

bool cgroup_give(struct cgroup *c, uint32_t uid, uint32_t gid)
{
	bool ok = give(c->box, uid, gid) && give(c->init, uid, gid) && give(c->run, uid, gid);

	for (int i = 0; ok && i < CGROUP_V1; i++)
		ok = give(c->v1[i], uid, gid);
	return ok;
}

/* Controllers of the directory's children. */
static bool turn_on(const struct cgroup *c, int dir)
{
	for (int i = 0; i < CGROUP_V1; i++) {
		char plus[32];

		snprintf(plus, sizeof(plus), "+%s", cg_v1_name[i]);
		if (c->with[i] && !cg_write(dir, "cgroup.subtree_control", plus))
			return false;
	}
	return true;
}

bool cgroup_settle(struct cgroup *c)
{
	bool ok = true;

	if (c->box < 0)
		return true;
	if (!turn_on(c, c->box))
		return false;
	c->run = cg_make_dir(c->box, "run");
	if (c->run < 0)
		return false;
	cg_limit_v2(c->run, c->with[CGROUP_MEMORY] ? c->memory : 0,
		    c->with[CGROUP_PIDS] ? c->pids : 0, c->with[CGROUP_CPU] ? c->cpu : 0, &ok);
	return ok && turn_on(c, c->run);
}

size_t cgroup_keep(const struct cgroup *c, int *fds)
{
	size_t n = 0;

	if (c->box >= 0)
		fds[n++] = c->box;
	if (c->run >= 0)
		fds[n++] = c->run;
	for (int i = 0; i < CGROUP_V1; i++) {
		if (c->v1[i] >= 0)
			fds[n++] = c->v1[i];
	}
	return n;
}

static void shut(int fd)
{
	if (fd >= 0)
		close(fd);
}

void cgroup_close(struct cgroup *c)
{
	if (!c)
		return;
	for (int i = 0; i < CGROUP_V1; i++) {
		if (c->v1_base[i] >= 0)
			cg_remove(c->v1_base[i], c->name);
		shut(c->v1[i]);
		shut(c->v1_base[i]);
	}
	if (c->base >= 0)
		cg_remove(c->base, c->name);
	shut(c->spare);
	shut(c->run);
	shut(c->init);
	shut(c->box);
	shut(c->base);
	free(c);
}

struct sweep {
	const char *name;
	int error;
};

static void sweep_one(int dir, void *ctx)
{
	struct sweep *s = ctx;

	if (!cg_remove(dir, s->name) && !s->error)
		s->error = errno ? errno : EBUSY;
}

bool cgroup_sweep(const char *box)
{
	char name[CG_NAME_MAX];
	struct sweep s = {.name = name};

	if (snprintf(name, sizeof(name), "tinybox-%s", box) >= (int)sizeof(name) ||
	    !*box || strchr(box, '/')) {
		errno = EINVAL;
		return false;
	}
	cg_each_v2(sweep_one, &s);
	for (int i = 0; i < CGROUP_V1; i++) {
		int dir = cg_find_v1((enum cgroup_v1)i);

		if (dir < 0)
			continue;
		sweep_one(dir, &s);
		close(dir);
	}
	errno = s.error;
	return !s.error;
}
