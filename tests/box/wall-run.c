/*
 * Runs one command behind the wall, without the server: for the tests of the wall.
 * usage: wall-run [-w DIR] [-t TARGET] [-o] [-r ROOT] [-u UID] [-g GID] [-m BYTES] [-p PIDS] [-c CPU]
 *	[-d BYTES] [-f FILES] [-n none|egress|open] [-a NAME:PORT]... [-P PORT]... [-s STATE] [-k FD]...
 *	[-v] [-q] [--] COMMAND...
 * -a: what egress allows; its decisions go to standard error. -P: a published port; its place outside
 * is said on standard error.
 * usage: wall-run -S BOX: removes what a killed one left in control groups
 * With WALL_RUN_CACHE, a directory, boxes share what their roots begin from, and those without -s are for one exec.
 * -o: the workspace is read-only; -v: the report goes to standard error; -k: a descriptor is kept;
 * -q: says how long each part took. The state directory is made and removed unless -s names one.
 * The state directory is below TMPDIR, the box is WALL_RUN_NAME-PID.
 * Status: the command's, 128 + n for a signal, 125 for a wall that could not be built, 124 for an
 * oom kill.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sched.h>

#include "init/cgroup.h"
#include "init/egress.h"
#include "init/report.h"
#include "init/spec.h"
#include "init/wall.h"

struct run {
	struct wall *wall;
	struct cgroup *cgroup;
	char **argv;
	bool ports;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static pid_t start(struct cgroup_exec *e)
{
	struct clone_args a = {.exit_signal = SIGCHLD};

	if (e->v2 >= 0) {
		a.flags = CLONE_INTO_CGROUP;
		a.cgroup = (unsigned)e->v2;
	}
	return (pid_t)syscall(SYS_clone3, &a, sizeof(a));
}

/* Process 1: one command, and whatever it leaves. */
static int inside(void *ctx)
{
	static char *env[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root", "LANG=C.UTF-8", NULL};
	struct run *r = ctx;
	struct cgroup_exec e = {.v2 = -1, .v1 = {-1, -1, -1, -1}};
	struct cgroup_use use;
	bool group = r->cgroup && cgroup_exec_open(r->cgroup, "p1", 0, 0, 0, &e);
	pid_t pid = start(&e), got;
	int status = 0, code = 0;

	if (!pid) {
		if ((group && !cgroup_enter(&e)) || !wall_child(r->wall))
			_exit(125);
		execvpe(r->argv[0], r->argv, env);
		dprintf(2, "wall-run: %s: %s\n", r->argv[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0) {
		dprintf(2, "wall-run: fork: %s\n", strerror(errno));
		return 125;
	}
	while ((got = waitpid(pid, &status, r->ports ? WNOHANG : 0)) != pid) {
		struct pollfd p = {.fd = wall_channel_inside(r->wall), .events = POLLIN};

		if (got < 0 && errno != EINTR)
			return 125;
		if (r->ports && poll(&p, 1, 10) > 0 && !egress_answer(p.fd))
			return 125;
	}
	code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (r->cgroup) {
		cgroup_use(r->cgroup, &use);
		if (use.has_oom && use.oom_kills)
			code = 124;
	}
	if (group) {
		cgroup_exec_kill(&e);
		while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
			;
		cgroup_exec_close(r->cgroup, "p1", &e);
	}
	return code;
}

static void told(void *ctx, const struct egress_decision *d)
{
	(void)ctx;
	fprintf(stderr, "%s %s:%u %s: %s\n", d->what, d->name, d->port,
		d->allowed ? d->address : "refused", d->why);
}

/* The keeper: proxy and ports until process 1 has ended. */
static int keep_until_end(struct wall *w, const struct spec *s, pid_t pid, struct report *report)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), status = 125 << 8;
	const char *why;
	struct egress *e = egress_open(s, wall_listener(w), wall_channel(w), report, told, NULL, &why);

	if (!e) {
		fprintf(stderr, "wall-run: %s\n", why);
		kill(pid, SIGKILL);
	}
	for (size_t i = 0; e && i < s->port_count; i++)
		fprintf(stderr, "port %u is %u\n", s->ports[i].inside,
			egress_port(e, i));
	while (e) {
		struct pollfd p[2] = {{.fd = egress_fd(e), .events = POLLIN},
			{.fd = pidfd, .events = POLLIN}};

		poll(p, 2, -1);
		if (p[0].revents)
			egress_run(e);
		if (p[1].revents)
			break;
	}
	waitpid(pid, &status, 0);
	egress_close(e);
	close(pidfd);
	return status;
}

static void print(const struct report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct report_line *l = &r->line[i];

		fprintf(stderr, "%s %s: %s%s%s%s\n", l->control, l->asked, l->by[0] ? "by " : "not: ",
			l->by[0] ? l->by : l->why, l->fix[0] ? "; fix: " : "", l->fix);
	}
}

static int go(struct spec *s, char **argv, const int *keep, size_t count, bool verbose, bool timed)
{
	static struct report report;
	const char *why;
	struct run r = {.argv = argv, .ports = s->port_count > 0};
	double t0 = now(), t1, t2, t3;
	int status = 125 << 8;
	pid_t pid = -1;

	r.cgroup = cgroup_open(s, &report);
	r.wall = wall_open(s, r.cgroup, &report, &why);
	if (verbose)
		print(&report);
	t1 = now();
	if (r.wall)
		pid = wall_enter(r.wall, inside, &r, keep, count, &why);
	t2 = now();
	if (pid > 0 && (s->network == SPEC_NETWORK_EGRESS || s->port_count))
		status = keep_until_end(r.wall, s, pid, &report);
	else if (pid > 0)
		waitpid(pid, &status, 0);
	else
		fprintf(stderr, "wall-run: %s: %s\n", why, strerror(errno));
	t3 = now();
	wall_close(r.wall);
	cgroup_close(r.cgroup);
	if (timed)
		fprintf(stderr, "open %.2f enter %.2f run %.2f close %.2f ms\n", t1 - t0, t2 - t1,
			t3 - t2, now() - t3);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR"), *name = getenv("WALL_RUN_NAME");
	char dir[256], box[64];
	struct spec s = {.kind = SPEC_NAMESPACE, .box = box};
	int keep[64] = {0, 1, 2}, c, code;
	const char *allow[32] = {NULL};
	struct spec_port ports[8] = {{0, 0, NULL}};
	size_t count = 3, allowed = 0;
	bool verbose = false, timed = false;

	snprintf(box, sizeof(box), "%s-%d", name ? name : "test", getpid());
	snprintf(dir, sizeof(dir), "%s/tinybox-wall-XXXXXX", tmp ? tmp : "/tmp");
	s.allow = allow;
	s.ports = ports;
	while ((c = getopt(argc, argv, "+S:w:W:t:or:u:g:m:p:c:d:f:n:a:P:s:k:vq")) != -1) {
		switch (c) {
		case 'w': s.workspace = realpath(optarg, NULL); break;
		case 'S': return !cgroup_sweep(optarg);
		case 'W': s.workspace = optarg; break;	/* as it is */
		case 't': s.target = optarg; break;
		case 'o': s.readonly = true; break;
		case 'r': s.root = realpath(optarg, NULL); break;
		case 'u': s.uid = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'g': s.gid = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'm': s.memory = strtoull(optarg, NULL, 10); break;
		case 'p': s.pids = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'c': s.cpu = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'd': s.disk = strtoull(optarg, NULL, 10); break;
		case 'f': s.open_files = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'n': s.network = !strcmp(optarg, "open") ? SPEC_NETWORK_OPEN : !strcmp(optarg, "egress") ?
				SPEC_NETWORK_EGRESS : SPEC_NETWORK_NONE; break;
		case 'a': if (allowed < 31) allow[allowed++] = optarg; break;
		case 'P': if (s.port_count < 8) ports[s.port_count++].inside = (uint16_t)atoi(optarg); break;
		case 's': s.dir = optarg; break;
		case 'k': if (count < 64) keep[count++] = atoi(optarg); break;
		case 'v': verbose = true; break;
		case 'q': timed = true; break;
		default: return 2;
		}
	}
	if (optind == argc)
		return 2;
	s.cache = getenv("WALL_RUN_CACHE");
	s.transient = s.cache && !s.dir;
	if (s.dir)
		return go(&s, argv + optind, keep, count, verbose, timed);
	if (!mkdtemp(dir))
		return 125;
	s.dir = dir;
	code = go(&s, argv + optind, keep, count, verbose, timed);
	if (!wall_sweep(dir) || rmdir(dir))
		perror(dir);
	return code;
}
