/*
 * bench DIR [--strict] [--only TEXT] [--group LETTER]: every bar, ours against a yardstick measured in the same
 * run. DIR holds the programs `exit` and `text`, maybe native-js. --only: the jobs on big inputs (big.c) that
 * hold this text in their script, and nothing else.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tinysandbox/sandbox.h>

#include "bench.h"

extern char **environ;

static const char *programs;
static int missed;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double cpu_time(int who, bool system)
{
	struct rusage u;

	getrusage(who, &u);
	return seconds(u.ru_utime) + (system ? seconds(u.ru_stime) : 0);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
}

void bench_report(const char *name, double ours, double yard, double bar)
{
	double ratio = ours / yard;
	int ok = ratio <= bar;

	missed += !ok;
	printf("%-34s %12.3f us %14.3f us  %9.5f  %9.5f  %s\n", name, ours * 1e6, yard * 1e6, ratio,
	       bar, ok ? "ok" : "MISSED");
	fflush(stdout);
}

void bench_note(const char *name, double value, double bar)
{
	missed += value > bar;
	printf("%-34s %42.5f  %9.5f  %s\n", name, value, bar, value > bar ? "MISSED" : "ok");
}

void bench_die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(2);
}

/* ---- Yardsticks ---- */

static void spawn_wait(char *const *argv)
{
	pid_t pid;
	int status;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ))
		bench_die(argv[0]);
	waitpid(pid, &status, 0);
}

/* posix_spawn + wait, the mean of fifty. */
static double spawn_round(void)
{
	char path[4096];
	char *argv[] = { path, NULL };
	double t = now();

	snprintf(path, sizeof(path), "%s/bench-exit", programs);
	for (int k = 0; k < 50; k++)
		spawn_wait(argv);
	return (now() - t) / 50;
}

double bench_bash_wall(const char *script)
{
	char *argv[] = { "bash", "-c", (char *)script, NULL };
	double t = now();

	spawn_wait(argv);
	return now() - t;
}

double bench_real(const char *script, bool system)
{
	double t = cpu_time(RUSAGE_CHILDREN, system);

	bench_bash_wall(script);
	return cpu_time(RUSAGE_CHILDREN, system) - t;
}

/* ---- Ours ---- */

static struct tsb_sandbox *open_box(void)
{
	struct tsb_limits limits;
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_sandbox *box;

	tsb_limits_default(&limits);
	limits.fs_bytes = (uint64_t)4 << 30;
	limits.fs_entries = 1000000;
	limits.file_bytes = (uint64_t)2 << 30;
	limits.wall_ms = 600000;
	limits.memory_bytes = (uint64_t)2 << 30;
	opt.limits = &limits;
	if (tsb_sandbox_open(&box, &opt))
		bench_die("cannot open a sandbox");
	return box;
}

static void run(struct tsb_sandbox *box, const char *script)
{
	struct tsb_result *r;
	size_t n;

	if (tsb_run(box, script, NULL, &r))
		bench_die(tsb_error(box));
	tsb_result_err(r, &n);
	if (tsb_result_status(r) > 1 || n) {
		fprintf(stderr, "bench: %s: status %d: %s\n", script, tsb_result_status(r),
			tsb_result_err(r, NULL));
		missed++;
	}
	tsb_result_free(r);
}

double bench_wall(struct tsb_sandbox *box, const char *script, int times)
{
	double v[9];

	for (int i = 0; i < 9; i++) {
		double t = now();

		for (int k = 0; k < times; k++)
			run(box, script);
		v[i] = (now() - t) / times;
	}
	return bench_median(v, 9);
}

double bench_ours(struct tsb_sandbox *box, const char *script, bool system)
{
	double t = cpu_time(RUSAGE_SELF, system);

	run(box, script);
	return cpu_time(RUSAGE_SELF, system) - t;
}

/* ---- (b) creation and residence ---- */

static double resident(void)
{
	long pages = 0, skip;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &skip, &pages) != 2)
		bench_die("/proc/self/statm");
	fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void bench_create(double spawn)
{
	enum { N = 100000 };
	struct tsb_sandbox **box = calloc(N, sizeof(*box));
	double before, t;

	if (!box || tsb_sandbox_open(&box[0], NULL))
		bench_die("memory");
	memset(box + 1, 0, (N - 1) * sizeof(*box));
	before = resident();
	t = now();
	for (int i = 1; i < N; i++) {
		if (tsb_sandbox_open(&box[i], NULL))
			bench_die("memory");
	}
	bench_report("(b) create a sandbox", (now() - t) / N, spawn, 1.0 / 500);
	t = (resident() - before) / N;
	missed += t > 1024;
	printf("%-34s %12.0f bytes resident each, bar 1024  %s\n", "(b) idle sandbox", t,
	       t > 1024 ? "MISSED" : "ok");
	for (int i = 0; i < N; i++)
		tsb_sandbox_close(box[i]);
	free(box);
}

/* ---- (d) snapshot and branch ---- */

static double branch_time(struct tsb_sandbox *box)
{
	double v[9];

	for (int i = 0; i < 9; i++) {
		struct tsb_sandbox *copy[200][2];
		double t = now();

		for (int k = 0; k < 200; k++) {
			if (tsb_branch(box, &copy[k][0]) || tsb_branch(copy[k][0], &copy[k][1]))
				bench_die("branch");
		}
		v[i] = (now() - t) / 200;
		for (int k = 0; k < 200; k++) {
			tsb_sandbox_close(copy[k][1]);
			tsb_sandbox_close(copy[k][0]);
		}
	}
	return bench_median(v, 9);
}

static void bench_branch(double spawn)
{
	struct tsb_sandbox *empty = open_box(), *many = open_box(), *big = open_box();
	char *block = malloc(64 << 20), name[64];
	double base, t;

	if (!block)
		bench_die("memory");
	memset(block, 'x', 64 << 20);
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "/home/user/d%d/f%d", i / 1000, i);
		if (tsb_write_file(many, name, "x", 1, 0))
			bench_die(tsb_error(many));
	}
	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "/home/user/big%d", i);
		if (tsb_write_file(big, name, block, 64 << 20, 0))
			bench_die(tsb_error(big));
	}
	free(block);
	base = branch_time(empty);
	bench_report("(d) snapshot + branch, empty", base, spawn, 1.0 / 300);
	t = branch_time(many);
	bench_report("(d) with 100,000 files", t, spawn, 1.0 / 300);
	bench_report("(d) ... over empty", t, base, 1.5);
	t = branch_time(big);
	bench_report("(d) with 1 GiB", t, spawn, 1.0 / 300);
	bench_report("(d) ... over empty", t, base, 1.5);
	tsb_sandbox_close(empty);
	tsb_sandbox_close(many);
	tsb_sandbox_close(big);
}

/* ---- (e) loops ---- */

static void bench_loops(struct tsb_sandbox *box)
{
	static const char *const loops[] = {
		"i=0; while ((i < 1000000)); do ((i+=1)); done",
		"i=0; while ((i < 1000000)); do i=$((i+1)); done",
		"for ((i = 0; i < 300000; i++)); do [[ $i -gt 5 ]] && x=$i; done",
		"f() { local y=$1; x=${y#a}; }; for ((i = 0; i < 30000; i++)); do f a$i; done",
	};

	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		double ours = bench_ours(box, loops[i], false);

		bench_report(loops[i], ours, bench_real(loops[i], false), i < 2 ? 0.25 : 1);
	}
}

/* The yardstick and (a) in turns, because the machine's other guests come and go: the spawn. */
static double bench_first(struct tsb_sandbox *box)
{
	static const char script[] = "echo hello > out.txt";
	double spawn[15], ours[15];

	run(box, script);
	for (int i = 0; i < 15; i++) {
		spawn[i] = spawn_round();
		double t = now();
		for (int k = 0; k < 3000; k++)
			run(box, script);
		ours[i] = (now() - t) / 3000;
	}
	spawn[0] = bench_median(spawn, 15);
	bench_report("(a) echo hello > out.txt", bench_median(ours, 15), spawn[0], 1.0 / 300);
	return spawn[0];
}

/* Everything but the jobs on big inputs. */
static void bench_small(struct tsb_sandbox *box)
{
	static const char pipe3[] = "cat lines | grep 7 | wc -l";
	static const char setup[] = "for i in {1..200}; do echo line $i of a file; done > lines";
	char script[512];
	double spawn = bench_first(box);

	bench_create(spawn);
	run(box, setup);
	snprintf(script, sizeof(script),
		 "cd /tmp; exec > /dev/null; %s; for i in 1 2 3 4 5 6 7 8 9 10; do %s; done; rm lines",
		 setup, pipe3);
	bench_report("(c) three-stage pipe, 200 lines", bench_wall(box, pipe3, 200),
		     bench_bash_wall(script) / 10, 1.0 / 300);
	bench_branch(spawn);
	bench_loops(box);
}

int main(int argc, char **argv)
{
	struct tsb_sandbox *box;
	const char *only = NULL;
	int group = 0;
	bool strict = false;

	if (argc < 2)
		bench_die("usage: bench DIR [--strict] [--only TEXT] [--group LETTER]");
	programs = argv[1];
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--only") && i + 1 < argc)
			only = argv[++i];
		else if (!strcmp(argv[i], "--group") && i + 1 < argc)
			group = *argv[++i];
		else if (!strcmp(argv[i], "--strict"))
			strict = true;
		else
			bench_die(argv[i]);
	}
	setenv("LC_ALL", "C.UTF-8", 1);
	box = open_box();
	printf("%-34s %15s %17s  %9s  %9s\n", "", "ours", "yardstick", "ratio", "bar");
	if (!only && group != 'g' && group != 'l')
		bench_small(box);
	if (!only && (!group || group == 'g'))
		bench_js(box, programs, BENCH_JS);
	if (!only && (!group || group == 'l'))
		bench_lines(box);
	if (group != 'g' && group != 'l')
		bench_big(box, programs, only, group);
	tsb_sandbox_close(box);
	printf("%d missed\n", missed);
	return strict && missed ? 1 : 0;
}
