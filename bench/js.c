/*
 * JavaScript: how long a script takes to start beside Node, what a live guest holds, and nine programs beside
 * the same engine made by the machine's compiler (bench/js/native makes it; without it those rows are left out).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <spawn.h>
#include <unistd.h>

#include <tinysandbox/sandbox.h>

#include "bench.h"

extern char **environ;

/* ---- Start ---- */

static void bench_start(struct tsb_sandbox *box)
{
	if (access("/usr/bin/node", X_OK) && access("/usr/local/bin/node", X_OK)) {
		printf("(g) no node here to compare with\n");
		return;
	}
	bench_report("(g) js -e 'console.log(1)'", bench_wall(box, "js -e 'console.log(1)'", 50),
		     bench_bash_wall("for i in 1 2 3 4 5; do node -e 'console.log(1)'; done > /dev/null") / 5, 1.0 / 300);
}

/* ---- Residence ---- */

enum { LIVE = 1000 };

struct live {
	int seen;
	double before, after;
};

/* KiB that are this program's own, with the tables of its pages. */
static double own_kib(void)
{
	static const char *const names[] = { "Private_Dirty:", "Private_Clean:" };
	double sum = 0, v;
	char line[256];
	FILE *f = fopen("/proc/self/smaps_rollup", "r");

	while (f && fgets(line, sizeof(line), f))
		for (int i = 0; i < 2; i++)
			if (!strncmp(line, names[i], strlen(names[i])) && sscanf(line + strlen(names[i]), "%lf", &v) == 1)
				sum += v;
	if (f)
		fclose(f);
	f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPTE: %lf", &v) == 1)
			sum += v;
	if (f)
		fclose(f);
	return sum;
}

static int count_live(void *ctx, int fd, const void *data, size_t n)
{
	struct live *live = ctx;

	for (size_t i = 0; fd == 1 && i < n; i++)
		live->seen += ((const char *)data)[i] == '\n';
	if (live->seen <= LIVE)		/* the last line comes when all have been at rest for a while */
		return 0;
	live->after = own_kib();
	return 1;
}

static void bench_live(struct tsb_sandbox *box)
{
	static const char script[] = "for ((i = 0; i < 1000; i++)); do js -e 'console.log(1); setInterval(() => {}, 1e8)' & done; sleep 2; echo; wait";
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	struct tsb_limits limits;
	struct live live = { 0 };
	struct tsb_result *r;

	tsb_limits_default(&limits);
	limits.processes = LIVE + 10;
	limits.memory_bytes = (uint64_t)64 << 30;
	limits.wall_ms = 120000;
	opt.limits = &limits;
	opt.output_fn = count_live;
	opt.output_ctx = &live;
	bench_wall(box, "js -e 1", 1);	/* what all share is there */
	live.before = own_kib();
	if (tsb_run(box, script, &opt, &r))
		bench_die(tsb_error(box));
	tsb_result_free(r);
	if (live.seen <= LIVE)
		printf("(g) only %d guests lived\n", live.seen);
	bench_note("(g) KiB resident of a live guest", (live.after - live.before) / LIVE, 110);
}

/* ---- Speed ---- */

static double native_time(const char *native, const char *file)
{
	char script[9000];

	snprintf(script, sizeof(script), "%s %s > /dev/null", native, file);
	return bench_real(script, false);
}

static double best(double *v, int n)
{
	double least = v[0];

	for (int i = 1; i < n; i++)
		least = v[i] < least ? v[i] : least;
	return least;
}

static void bench_programs(struct tsb_sandbox *box, const char *programs, const char *folder)
{
	static const char *const names[] = { "fib", "nbody", "strings", "json", "regex", "maps", "sort", "sieve", "classes" };
	enum { N = sizeof(names) / sizeof(*names), ROUNDS = 5 };
	char native[4096], host[4096], script[100], title[100];
	double product = 0;

	snprintf(native, sizeof(native), "%s/native-js", programs);
	if (access(native, X_OK)) {
		printf("(g) no %s: bench/js/native makes it\n", native);
		return;
	}
	for (int i = 0; i < N; i++) {
		double ours[ROUNDS], yard[ROUNDS];

		snprintf(host, sizeof(host), "%s/%s.js", folder, names[i]);
		snprintf(script, sizeof(script), "/tmp/%s.js", names[i]);
		if (tsb_copy_in(box, host, script))
			bench_die(tsb_error(box));
		snprintf(script, sizeof(script), "js /tmp/%s.js", names[i]);
		for (int k = 0; k < ROUNDS; k++) {
			ours[k] = bench_ours(box, script, false);
			yard[k] = native_time(native, host);
		}
		snprintf(title, sizeof(title), "(g) %s", names[i]);
		bench_report(title, best(ours, ROUNDS), best(yard, ROUNDS), 1.5);
		product += log(best(ours, ROUNDS) / best(yard, ROUNDS));
	}
	bench_note("(g) geometric mean of the nine", exp(product / N), 1.15);
}

void bench_js(struct tsb_sandbox *box, const char *programs, const char *folder)
{
	bench_start(box);
	bench_live(box);
	bench_programs(box, programs, folder);
}
