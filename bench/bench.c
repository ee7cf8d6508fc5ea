/*
 * bench DIR [--strict]: every bar of the foundation, ours against a yardstick
 * measured in the same run. DIR holds the programs `exit` and `text`.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tinysandbox/sandbox.h>

extern char **environ;

static const char *programs;
static int missed;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double user_time(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
}

static void report(const char *name, double ours, double yard, double bar)
{
	double ratio = ours / yard;
	int ok = ratio <= bar;

	missed += !ok;
	printf("%-34s %12.3f us %14.3f us  %9.5f  %9.5f  %s\n", name, ours * 1e6, yard * 1e6, ratio,
	       bar, ok ? "ok" : "MISSED");
	fflush(stdout);
}

static void die(const char *what)
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
		die(argv[0]);
	waitpid(pid, &status, 0);
}

static double spawn_time(void)
{
	char path[4096];
	char *argv[] = { path, NULL };
	double v[9];

	snprintf(path, sizeof(path), "%s/bench-exit", programs);
	for (int i = 0; i < 9; i++) {
		double t = now();

		for (int k = 0; k < 50; k++)
			spawn_wait(argv);
		v[i] = (now() - t) / 50;
	}
	return median(v, 9);
}

static double bash_wall(const char *script)
{
	char *argv[] = { "bash", "-c", (char *)script, NULL };
	double t = now();

	spawn_wait(argv);
	return now() - t;
}

static double bash_user(const char *script)
{
	double t = user_time(RUSAGE_CHILDREN);

	bash_wall(script);
	return user_time(RUSAGE_CHILDREN) - t;
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
		die("cannot open a sandbox");
	return box;
}

static void run(struct tsb_sandbox *box, const char *script)
{
	struct tsb_result *r;
	size_t n;

	if (tsb_run(box, script, NULL, &r))
		die(tsb_error(box));
	tsb_result_err(r, &n);
	if (tsb_result_status(r) > 1 || n) {
		fprintf(stderr, "bench: %s: status %d: %s\n", script, tsb_result_status(r),
			tsb_result_err(r, NULL));
		missed++;
	}
	tsb_result_free(r);
}

static double run_wall(struct tsb_sandbox *box, const char *script, int times)
{
	double v[9];

	for (int i = 0; i < 9; i++) {
		double t = now();

		for (int k = 0; k < times; k++)
			run(box, script);
		v[i] = (now() - t) / times;
	}
	return median(v, 9);
}

static double run_user(struct tsb_sandbox *box, const char *script)
{
	double t = user_time(RUSAGE_SELF);

	run(box, script);
	return user_time(RUSAGE_SELF) - t;
}

/* ---- (b) creation and residence ---- */

static double resident(void)
{
	long pages = 0, skip;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &skip, &pages) != 2)
		die("/proc/self/statm");
	fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void bench_create(double spawn)
{
	enum { N = 100000 };
	struct tsb_sandbox **box = calloc(N, sizeof(*box));
	double before, t;

	if (!box || tsb_sandbox_open(&box[0], NULL))
		die("memory");
	memset(box + 1, 0, (N - 1) * sizeof(*box));
	before = resident();
	t = now();
	for (int i = 1; i < N; i++) {
		if (tsb_sandbox_open(&box[i], NULL))
			die("memory");
	}
	report("(b) create a sandbox", (now() - t) / N, spawn, 1.0 / 500);
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
				die("branch");
		}
		v[i] = (now() - t) / 200;
		for (int k = 0; k < 200; k++) {
			tsb_sandbox_close(copy[k][1]);
			tsb_sandbox_close(copy[k][0]);
		}
	}
	return median(v, 9);
}

static void bench_branch(double spawn)
{
	struct tsb_sandbox *empty = open_box(), *many = open_box(), *big = open_box();
	char *block = malloc(64 << 20), name[64];
	double base, t;

	if (!block)
		die("memory");
	memset(block, 'x', 64 << 20);
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "/home/user/d%d/f%d", i / 1000, i);
		if (tsb_write_file(many, name, "x", 1, 0))
			die(tsb_error(many));
	}
	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "/home/user/big%d", i);
		if (tsb_write_file(big, name, block, 64 << 20, 0))
			die(tsb_error(big));
	}
	free(block);
	base = branch_time(empty);
	report("(d) snapshot + branch, empty", base, spawn, 1.0 / 300);
	t = branch_time(many);
	report("(d) with 100,000 files", t, spawn, 1.0 / 300);
	report("(d) ... over empty", t, base, 1.5);
	t = branch_time(big);
	report("(d) with 1 GiB", t, spawn, 1.0 / 300);
	report("(d) ... over empty", t, base, 1.5);
	tsb_sandbox_close(empty);
	tsb_sandbox_close(many);
	tsb_sandbox_close(big);
}

/* ---- (e) loops, (f) big text ---- */

static void bench_loops(struct tsb_sandbox *box)
{
	static const char *const loops[] = {
		"i=0; while ((i < 1000000)); do ((i+=1)); done",
		"i=0; while ((i < 1000000)); do i=$((i+1)); done",
		"for ((i = 0; i < 300000; i++)); do [[ $i -gt 5 ]] && x=$i; done",
		"f() { local y=$1; x=${y#a}; }; for ((i = 0; i < 30000; i++)); do f a$i; done",
	};

	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		double ours = run_user(box, loops[i]);

		report(loops[i], ours, bash_user(loops[i]), i < 2 ? 0.25 : 1);
	}
}

static void bench_text(struct tsb_sandbox *box)
{
	static const char *const jobs[] = {
		"grep -c quaversum big", "grep /srv/data/77/file9 big > out", "grep -c '[0-9]-[0-9][0-9]*9 ' big",
		"grep -cE 'Error-(1|2|3)7|conver|call 555-00' big", "grep -ci ERROR-9 big",
		"grep -cE '^[0-9]+.*(foo|ta)bar' big", "grep -v info big > out",
		"sort big > out", "sort -k2,2 -t/ big > out", "sort -n big > out", "wc big", "wc -l big",
		"cut -f2 big > out", "cut -c1-20 big > out", "cut -d/ -f4 big > out", "uniq -c big > out",
		"sed 's/data/DATA/' big > out", "sed -n '/Error/p' big > out", "sed -E 's/([0-9]+)-([0-9]+)/\\2-\\1/g' big > out",
		"tr a-z A-Z < big > out", "head -n 1000000 big > out", "tail -n 1000 big > out", "cat big > out",
	};
	char command[8192], dir[] = "/tmp/tsb-bench-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		die("/tmp");
	snprintf(command, sizeof(command), "%s/bench-text 100000000 > big", programs);
	if (system(command) || tsb_copy_in(box, "big", "/home/user/big"))
		die("cannot make the text");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		double ours[3], yard[3];

		for (int k = 0; k < 3; k++) {
			ours[k] = run_user(box, jobs[i]);
			yard[k] = bash_user(jobs[i]);
		}
		report(jobs[i], median(ours, 3), median(yard, 3) + 1e-4, 1.5);
	}
	unlink("big");
	unlink("out");
	if (chdir("/") || rmdir(dir))
		die(dir);
}

int main(int argc, char **argv)
{
	static const char pipe3[] = "cat lines | grep 7 | wc -l";
	static const char setup[] = "for i in {1..200}; do echo line $i of a file; done > lines";
	struct tsb_sandbox *box;
	char script[512];
	double spawn;

	if (argc < 2)
		die("usage: bench DIR [--strict]");
	programs = argv[1];
	setenv("LC_ALL", "C.UTF-8", 1);
	box = open_box();
	printf("%-34s %15s %17s  %9s  %9s\n", "", "ours", "yardstick", "ratio", "bar");
	spawn = spawn_time();
	run(box, "echo hello > out.txt");
	report("(a) echo hello > out.txt", run_wall(box, "echo hello > out.txt", 1000), spawn, 1.0 / 300);
	bench_create(spawn);
	run(box, setup);
	snprintf(script, sizeof(script), "cd /tmp; exec > /dev/null; %s; for i in 1 2 3 4 5 6 7 8 9 10; do %s; done; rm lines",
		 setup, pipe3);
	report("(c) three-stage pipe, 200 lines", run_wall(box, pipe3, 200), bash_wall(script) / 10,
	       1.0 / 300);
	bench_branch(spawn);
	bench_loops(box);
	bench_text(box);
	tsb_sandbox_close(box);
	printf("%d missed\n", missed);
	return argc > 2 && !strcmp(argv[2], "--strict") && missed ? 1 : 0;
}
