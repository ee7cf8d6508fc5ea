/* What the two files of the benchmark share: bench.c measures the small, big.c the big. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>

struct tsb_sandbox;

void bench_die(const char *what);
double bench_median(double *v, int n);
/* A row: times in seconds, their ratio beside its bar. */
void bench_report(const char *name, double ours, double yard, double bar);
void bench_note(const char *name, double value, double bar);	/* a ratio of its own */
/* User time, and system time too if asked; here, and in bash. */
double bench_ours(struct tsb_sandbox *box, const char *script, bool system);
double bench_real(const char *script, bool system);

/* Wall clock of a run, the median of several; and of bash, once. */
double bench_wall(struct tsb_sandbox *box, const char *script, int times);
double bench_bash_wall(const char *script);

/* Group (g); folder: where the scripts are. */
void bench_js(struct tsb_sandbox *box, const char *programs, const char *folder);
/* Group (l) */
void bench_lines(struct tsb_sandbox *box);
/* Groups (f) and (t); only: jobs whose script holds this text, or NULL for all. */
void bench_big(struct tsb_sandbox *box, const char *programs, const char *only, int group);

#endif
