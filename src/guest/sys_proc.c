/* Calls about processes, time and chance, of h.sys(): see sys.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "guest/sys.h"

/* Strings one behind the other, each with its NUL. */
static int64_t give_strings(struct guest *g, const char *const *all)
{
	size_t n = 0;
	char *to;

	for (size_t i = 0; all[i]; i++)
		n += strlen(all[i]) + 1;
	to = sys_blob(g, n);
	for (size_t i = 0; all[i]; i++) {
		size_t len = strlen(all[i]) + 1;

		memcpy(to, all[i], len);
		to += len;
	}
	return (int64_t)n;
}

int64_t sys_env(struct guest *g, const struct guest_arg *a)
{
	(void)a;
	return give_strings(g, tsb_environ(g->p));
}

/* getenv(name) -> the value's length, to be taken; without the others. */
int64_t sys_getenv(struct guest *g, const struct guest_arg *a)
{
	char *name = sys_name(g, a);
	const char *value = name ? tsb_getenv(g->p, name) : NULL;

	tsb_free(g->p, name);
	return value ? sys_give(g, value, strlen(value)) : -ENOENT;
}

int64_t sys_args(struct guest *g, const struct guest_arg *a)
{
	(void)a;
	return give_strings(g, (const char *const *)g->argv);
}

int64_t sys_hostname(struct guest *g, const struct guest_arg *a)
{
	const char *name = tsb_hostname(g->p);

	(void)a;
	return sys_give(g, name, strlen(name));
}

/* identity(which): 0 pid, 1 parent's, 2 uid, 3 gid */
int64_t sys_identity(struct guest *g, const struct guest_arg *a)
{
	switch (a[0].number) {
	case 0: return tsb_getpid(g->p);
	case 1: return tsb_getppid(g->p);
	case 2: return tsb_getuid(g->p);
	case 3: return tsb_getgid(g->p);
	default: return -EINVAL;
	}
}

/* priority(pid, out Int32Array) gets into it; priority(pid, n) sets */
int64_t sys_priority(struct guest *g, const struct guest_arg *a)
{
	int pid = a[0].number < 0 || a[0].number > INT32_MAX ? -1 : (int)a[0].number, now = 0, r;
	int32_t given;

	if (!a[1].at)
		return a[1].number < -20 || a[1].number > 19 ? -EINVAL : tsb_set_nice(g->p, pid, (int)a[1].number);
	if (a[1].n < sizeof(given))
		return -EINVAL;
	r = tsb_get_nice(g->p, pid, &now);
	given = now;
	memcpy(a[1].at, &given, sizeof(given));
	return r;
}

/* ---- Children ---- */

/* Int32Array: for the child's descriptor i ours, or -1. */
static struct tsb_fd_map *fd_map(struct guest *g, const struct guest_arg *a, size_t *n)
{
	struct tsb_fd_map *map;

	*n = a->n / sizeof(int32_t);
	map = tsb_alloc(g->p, (*n + 1) * sizeof(*map));
	for (size_t i = 0; i < *n; i++) {
		int32_t fd;

		memcpy(&fd, a->at + i * sizeof(fd), sizeof(fd));
		map[i] = (struct tsb_fd_map){ .child = (int)i, .parent = fd };
	}
	return map;
}

/* spawn(file, arguments, environment or number, directory or number, descriptors, flags) */
int64_t sys_spawn(struct guest *g, const struct guest_arg *a)
{
	char *file = sys_name(g, &a[0]), *cwd = a[3].at ? sys_name(g, &a[3]) : NULL;
	char **argv = sys_strings(g, &a[1]), **env = a[2].at ? sys_strings(g, &a[2]) : NULL;
	struct tsb_spawn how = { .size = sizeof(how), .file = file, .cwd = cwd };
	struct tsb_fd_map *map = fd_map(g, &a[4], &how.n_fds);
	int pid = 0, r = -EINVAL;

	how.argv = (const char *const *)argv;
	how.env = (const char *const *)env;
	how.fds = map;
	how.flags = TSB_SPAWN_CLEAN_FDS | (a[5].number & 1 ? (unsigned)TSB_SPAWN_NEW_SESSION : 0);
	if (file && argv[0] && (cwd || !a[3].at))
		r = tsb_spawn(g->p, &how, &pid);
	tsb_free(g->p, file);
	tsb_free(g->p, cwd);
	tsb_free(g->p, argv);
	tsb_free(g->p, env);
	tsb_free(g->p, map);
	return r ? r : pid;
}

/* wait(pid, block): the status; -1 of the number: still running is -EAGAIN. */
int64_t sys_wait(struct guest *g, const struct guest_arg *a)
{
	int status = 0, r;

	if (a[1].number)
		guest_charge(g);
	r = tsb_wait(g->p, (int)a[0].number, &status, a[1].number ? 0 : WNOHANG);
	return r < 0 ? r : r == 0 ? -EAGAIN : status;
}

int64_t sys_kill(struct guest *g, const struct guest_arg *a)
{
	return tsb_kill(g->p, (int)a[0].number, (int)a[1].number);
}

int64_t sys_signal(struct guest *g, const struct guest_arg *a)
{
	return tsb_signal(g->p, (int)a[0].number, (int)a[1].number);
}

int64_t sys_take_signal(struct guest *g, const struct guest_arg *a)
{
	(void)a;
	return tsb_take_signal(g->p);
}

/* ---- Time, chance, memory ---- */

int64_t sys_sleep(struct guest *g, const struct guest_arg *a)
{
	if (a[0].number >= SYS_LONG)
		guest_charge(g);
	return tsb_sleep(g->p, a[0].number);
}

static int64_t clock_ns(struct guest *g, int clock)
{
	struct tsb_time t = tsb_clock(g->p, clock);

	return t.sec * 1000000000 + t.nsec;
}

int64_t sys_monotonic(struct guest *g, const struct guest_arg *a)
{
	(void)a;
	return clock_ns(g, TSB_CLOCK_MONOTONIC);
}

/* Microseconds since 1970: as a number they are exact. */
int64_t sys_wall(struct guest *g, const struct guest_arg *a)
{
	(void)a;
	return clock_ns(g, TSB_CLOCK_REAL) / 1000;
}

int64_t sys_random(struct guest *g, const struct guest_arg *a)
{
	tsb_random(g->p, a[0].at, a[0].n);
	return 0;
}

/* Microseconds of processor time that the process has used. */
int64_t sys_usage(struct guest *g, const struct guest_arg *a)
{
	(void)a;
	return clock_ns(g, TSB_CLOCK_PROCESS) / 1000;
}

int64_t sys_exit(struct guest *g, const struct guest_arg *a)
{
	g->status = (int)(a[0].number & 255);
	guest_leave(g, GUEST_EXIT);
}
