/*
 * Commands on one line of input: a run in the sandbox (shell included) against what bash needs
 * to fork, exec and wait for the real tool.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tinysandbox/sandbox.h>

#include "bench.h"

enum { TIMES = 20, OURS = 300 };

static const char setup[] = "echo 'one line: 42 of a/file.txt' > line; echo '{\"a\": [1, 2]}' > json";

static const char *const scripts[] = {
	"grep -n line line", "sed 's/line/LINE/' line", "awk '{ print $2, $1 }' line",
	"cut -d: -f1 line", "sort line", "uniq -c line", "tr a-z A-Z < line", "wc line",
	"head -n 1 line", "tail -n 1 line", "cat line", "ls -l line", "find line -type f",
	"basename a/b.c .c", "date +%s", "seq 3", "base64 line", "md5sum line", "diff line json",
	"od -c line", "stat line", "cp line copy", "xargs echo < line", "tar cf - line", "expr 1 + 2",
	"gzip -c line", "rg line line", "jq .a json", "bc -l < /dev/null",
};

void bench_lines(struct tsb_sandbox *box)
{
	char dir[] = "/tmp/tsb-bench-XXXXXX", label[64], real[512];

	if (!mkdtemp(dir) || chdir(dir) || system(setup))
		bench_die(dir);
	bench_wall(box, setup, 1);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		double ours = bench_wall(box, scripts[i], OURS), yard[3];

		snprintf(real, sizeof(real), "exec > /dev/null; for ((i = 0; i < %d; i++)); do %s; done",
			 TIMES, scripts[i]);
		for (int k = 0; k < 3; k++)
			yard[k] = bench_bash_wall(real) / TIMES;
		snprintf(label, sizeof(label), "(l) %s", scripts[i]);
		bench_report(label, ours, bench_median(yard, 3), 1.0 / 100);
	}
	if (system("rm -f line json copy") || chdir("/") || rmdir(dir))
		bench_die(dir);
}
