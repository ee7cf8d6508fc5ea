/*
 * What a namespace box costs: made, one program run, removed; against the same program spawned bare and
 * behind `bwrap --unshare-all`, interleaved in the same run. usage: bench-wall [ROUNDS [WALL-RUN]]
 * As in the product, process 1 serves until it is killed, tells how the program ended, and what the caller waits for
 * is that word and the kill: the kernel takes the namespaces apart behind its back. So it is with bwrap, which ends
 * when its process 1 has told it. Both are waited for before the next is measured, and are in the processor's time;
 * `gone` is the wall with that wait.
 * The floor (box/floor.c) is what the kernel takes when asked for no more than the same namespaces and a root.
 * On a machine with other work `chrt -f 5 bench-wall` tells what it would be without (a process of that class cannot enter
 * groups of version 1: the row with limits is left out then). The least of many rounds is told, as the machine is never idle, and the middle one. With WALL-RUN
 * (tests/box) also from a parent with 512 MiB of memory in use, which must cost the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/cgroup.h"
#include "init/wall.h"

#include "box/floor.h"

#define MOST 2000

enum what { BARE, BWRAP, FLOOR, WALL, LIMITS, SPAWNED, BIG_BARE, BIG_SPAWNED, GONE, WHATS };

static const char *const name[WHATS] = {"posix_spawn of true", "bwrap --unshare-all true",
	"floor of this kernel, on one processor",
	"wall: made, true, removed", "the same, with memory, pids and cpu", "wall-run true, spawned",
	"posix_spawn of true, 512 MiB in use", "wall-run true, spawned, 512 MiB in use",
	"the wall, until it is gone"};

static double took[WHATS][MOST], used[WHATS];
static char top[200], dir[256], cache_dir[256];
static const char *wall_run;
static bool no_limits;
static char *const no_env[] = {NULL};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Processor time of us and of all that has ended below us. */
static double cpu(void)
{
	struct rusage a, b;

	getrusage(RUSAGE_SELF, &a);
	getrusage(RUSAGE_CHILDREN, &b);
	return (double)(a.ru_utime.tv_sec + a.ru_stime.tv_sec + b.ru_utime.tv_sec + b.ru_stime.tv_sec) *
		1e3 + (double)(a.ru_utime.tv_usec + a.ru_stime.tv_usec + b.ru_utime.tv_usec +
			       b.ru_stime.tv_usec) / 1e3;
}

static void spawn(char *const *argv)
{
	pid_t pid;
	int status;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, no_env) || waitpid(pid, &status, 0) != pid ||
	    status) {
		fprintf(stderr, "%s failed\n", argv[0]);
		exit(1);
	}
}

static void bare(void)
{
	char *const argv[] = {"/bin/true", NULL};

	spawn(argv);
}

static void bwrap(void)
{
	char *const argv[] = {"/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr",
		"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink",
		"usr/bin", "/bin", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--hostname",
		"box", "/bin/true", NULL};

	spawn(argv);
}

static void spawned(void)
{
	char *const argv[] = {(char *)wall_run, "-s", dir, "/bin/true", NULL};

	spawn(argv);
}

struct word {
	struct wall *wall;
	int end[2];
};

static int inside(void *ctx)
{
	char *argv[] = {"/bin/true", NULL};
	struct word *w = ctx;
	pid_t pid = vfork();
	int status = 1;

	if (!pid) {
		if (wall_child(w->wall))
			execve(argv[0], argv, no_env);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (write(w->end[1], &status, sizeof(status)) != (ssize_t)sizeof(status))
		return 1;
	for (;;)
		pause();
}

/* What process 1 tells; then nothing in the box runs any more. */
static int run_in(struct word *w, const char **why, pid_t *pid)
{
	int status = 1;

	if (pipe2(w->end, O_CLOEXEC))
		return 1;
	*pid = wall_enter(w->wall, inside, w, &w->end[1], 1, why);
	close(w->end[1]);
	if (*pid < 0 || read(w->end[0], &status, sizeof(status)) != (ssize_t)sizeof(status))
		status = 1;
	close(w->end[0]);
	if (*pid > 0)
		kill(*pid, SIGKILL);
	return status;
}

static void wall(bool limits)
{
	struct spec s = {.kind = SPEC_NAMESPACE, .box = "bench", .dir = dir, .transient = true,
		.cache = cache_dir,
		.memory = limits ? 256 << 20 : 0, .pids = limits ? 100 : 0, .cpu = limits ? 1000 : 0};
	struct report r = {.count = 0};
	const char *why;
	struct cgroup *c = cgroup_open(&s, &r);
	struct word word = {.wall = wall_open(&s, c, &r, &why)};
	pid_t pid = -1;
	bool good;

	good = word.wall && !run_in(&word, &why, &pid);
	no_limits = no_limits || (!good && limits);
	if (!good && !limits) {
		fprintf(stderr, "the wall: %s\n", why ? why : "true failed");
		exit(1);
	}
	/* its groups can be removed when it is gone */
	if (limits && pid > 0)
		waitpid(pid, NULL, 0);
	wall_close(word.wall);
	cgroup_close(c);
	if (!wall_sweep(dir))
		perror(dir);
}

static void once(enum what what, int round)
{
	double began = now(), cpu_began = cpu();

	switch (what) {
	case BARE:
	case BIG_BARE:
		bare();
		break;
	case BWRAP:
		bwrap();
		break;
	case FLOOR:
		if (floor_once())
			break;
		fprintf(stderr, "the floor: true failed\n");
		exit(1);
	case WALL:
		wall(false);
		break;
	case LIMITS:
		wall(true);
		break;
	default:
		spawned();
	}
	took[what][round] = now() - began;
	while (waitpid(-1, NULL, 0) > 0)
		;
	if (what == WALL)
		took[GONE][round] = now() - began;
	used[what] += cpu() - cpu_began;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;
	bool have_bwrap = !access("/usr/bin/bwrap", X_OK), have_floor;

	snprintf(top, sizeof(top), "%s/tinybox-bench-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (rounds < 1 || rounds > MOST || !mkdtemp(top))
		return 2;
	snprintf(dir, sizeof(dir), "%s/box", top);
	snprintf(cache_dir, sizeof(cache_dir), "%s/cache", top);
	if (mkdir(dir, 0700))
		return 2;
	have_floor = floor_begin(top);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	wall_run = argc > 2 ? argv[2] : NULL;
	for (int i = 0; i < rounds; i++) {
		for (int w = BARE; w <= (wall_run ? SPAWNED : LIMITS); w++) {
			if ((w != BWRAP || have_bwrap) && (w != FLOOR || have_floor) &&
			    (w != LIMITS || !no_limits))
				once((enum what)w, i);
		}
	}
	if (wall_run) {
		char *big = malloc(512u << 20);

		if (big)
			memset(big, 1, 512u << 20);
		for (int i = 0; i < rounds; i++) {
			once(BIG_BARE, i);
			once(BIG_SPAWNED, i);
		}
		free(big);
	}
	printf("%-42s %8s %8s %8s  %s\n", "ms", "least", "middle", "cpu",
	       "to a bare spawn: least, middle, cpu");
	for (int w = 0; w < WHATS; w++)
		qsort(took[w], (size_t)rounds, sizeof(double), compare);
	for (int w = 0; w < WHATS; w++) {
		double least = took[w][0], middle = took[w][rounds / 2];

		if (middle > 0 && w < GONE && (w != LIMITS || !no_limits))
			printf("%-42s %8.2f %8.2f %8.2f  %5.2f %5.2f %5.2f\n", name[w], least, middle,
			       used[w] / rounds, least / took[BARE][0],
			       middle / took[BARE][rounds / 2], used[w] / used[BARE]);
	}
	printf("%-42s %8.2f %8.2f           %5.2f %5.2f\n", name[GONE], took[GONE][0], took[GONE][rounds / 2],
	       took[GONE][0] / took[BARE][0], took[GONE][rounds / 2] / took[BARE][rounds / 2]);
	for (int i = 0; have_floor && i < FLOOR_PARTS; i++)
		printf("  floor: %-33s %8.3f\n", floor_parts()[i].name, floor_parts()[i].least);
	snprintf(dir, sizeof(dir), "rm -r %s", top);
	return system(dir) != 0;
}
