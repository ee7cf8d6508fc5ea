/*
 * Jobs on big inputs, user time against the real tool's (which includes bash's own start, a
 * millisecond). The same files are on the machine, in a folder that goes at the end, and in the
 * sandbox.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tinysandbox/sandbox.h>

#include "bench.h"

enum { TREE_DIRS = 100, TREE_FILES = 1000 };

static const struct job {
	char group;
	double bar;
	const char *script;
} jobs[] = {
#define JOB(group, bar, script) { group, bar, script },
#include "jobs.def"
#undef JOB
};

static void shell(const char *script)
{
	if (system(script))
		bench_die(script);
}

static void make_files(struct tsb_sandbox *box, const char *programs)
{
	static const char *const files[] = { "big", "left", "sorted", "right", "before",
					     "after" };
	char command[8192];

	snprintf(command, sizeof(command), "%s/bench-text 100000000 > big", programs);
	shell(command);
	shell("head -n 1000000 big > left; sort left > sorted; awk 'NR % 3' sorted > right");
	shell("head -n 100000 left > before; awk 'NR % 301 { $3 = NR % 97 ? $3 : NR; print }' before "
	      "> after");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(command, sizeof(command), "/home/user/%s", files[i]);
		if (tsb_copy_in(box, files[i], command))
			bench_die(tsb_error(box));
	}
}

static void make_tree(struct tsb_sandbox *box)
{
	char here[64], there[96];

	mkdir("tree", 0777);
	for (int d = 0; d < TREE_DIRS; d++) {
		snprintf(here, sizeof(here), "tree/d%d", d);
		mkdir(here, 0777);
		for (int i = 0; i < TREE_FILES; i++) {
			FILE *f;

			snprintf(here, sizeof(here), "tree/d%d/f%d", d, i);
			snprintf(there, sizeof(there), "/home/user/%s", here);
			f = fopen(here, "w");
			if (!f || fputs("x\n", f) < 0 || fclose(f))
				bench_die(here);
			if (tsb_write_file(box, there, "x\n", 2, 0))
				bench_die(tsb_error(box));
		}
	}
}

/* Does the sandbox have the command that the script begins with? */
static int known(struct tsb_sandbox *box, const char *script)
{
	struct tsb_result *r;
	char command[128];
	int status;

	snprintf(command, sizeof(command), "type %.*s > /dev/null 2>&1",
		 (int)strcspn(script, " "), script);
	if (tsb_run(box, command, NULL, &r))
		bench_die(tsb_error(box));
	status = tsb_result_status(r);
	tsb_result_free(r);
	return status == 0;
}

/* Once, or the median of three when it is short. The ratio. */
static double measure(struct tsb_sandbox *box, const struct job *job)
{
	double ours[3], yard[3], ours_mid, yard_mid;
	char real[512];
	int n = 0;

	/* A file: to /dev/null grep would stop at the first match. */
	snprintf(real, sizeof(real), "exec > shown; %s", job->script);
	do {
		ours[n] = bench_ours(box, job->script, job->group == 'm');
		yard[n] = bench_real(real, job->group == 'm');
		n++;
	} while (n < 3 && ours[0] + yard[0] < 2);
	ours_mid = bench_median(ours, n);
	yard_mid = bench_median(yard, n) + 1e-4;
	bench_report(job->script, ours_mid, yard_mid, job->bar);
	return ours_mid / yard_mid;
}

static void run_jobs(struct tsb_sandbox *box, const char *only, int group)
{
	double logs = 0;
	int tree = 0, count = 0;

	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		if ((only && !strstr(jobs[i].script, only)) || (group && jobs[i].group != group) ||
		    !known(box, jobs[i].script))
			continue;
		if (!tree && strstr(jobs[i].script, " tree")) {
			make_tree(box);
			tree = 1;
		}
		/* Less than a thousandth of a yardstick's noise is no ratio. */
		logs += log(fmax(measure(box, &jobs[i]), 1e-3));
		count++;
	}
	if (count && !only && !group)
		bench_note("big jobs, geometric mean", exp(logs / count), 1);
}

void bench_big(struct tsb_sandbox *box, const char *programs, const char *only, int group)
{
	char dir[] = "/tmp/tsb-bench-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		bench_die("/tmp");
	make_files(box, programs);
	run_jobs(box, only, group);
	shell("rm -rf tree copy");
	shell("rm -f big left sorted right before after out shown left.gz x*");
	if (chdir("/") || rmdir(dir))
		bench_die(dir);
}
