/*
 * The processes there are, as /proc tells: what ps, pgrep, killall, top and their
 * kin look at. All memory is the process's own.
 */
#ifndef CMD_PROCS_H
#define CMD_PROCS_H

#include <tinysandbox/command.h>

#include "base/str.h"

enum { PROCS_HZ = 100, PROCS_PAGE = 4096 };

struct procs_item {
	int pid, ppid, pgrp, sid, tty, tpgid;
	char state;
	const char *comm;
	uint64_t flags, minflt, majflt;
	uint64_t utime, stime, cutime, cstime;	/* ticks */
	uint64_t start;				/* ticks after boot */
	int priority, nice, threads, processor;
	uint64_t vsize;				/* bytes */
	uint64_t rss;				/* pages */
	uint32_t uid[4], gid[4];		/* real, effective, saved, filesystem */
	const char *supgid;			/* "1000,4", or "" */
	const char *sig[5];			/* pending, shared pending, blocked, ignored, caught */
	uint64_t data_kb;			/* VmData + VmStk */
	/* NULL-terminated; none: a process without arguments. */
	char **argv;
	size_t argc;
};

struct procs {
	struct procs_item *at;			/* in order of numbers */
	size_t n;
};

void procs_read(struct tsb_proc *p, struct procs *out);
/* One; false: there is none (any more). */
bool procs_read_one(struct tsb_proc *p, int pid, struct procs_item *out);
/* The arguments, a space between each, or NULL. */
char *procs_command_line(struct tsb_proc *p, const struct procs_item *item);
/* A small file whole, NUL behind it; NULL: it cannot be read. *n may be NULL. */
char *procs_slurp(struct tsb_proc *p, const char *path, size_t *n);
/* Seconds since boot, with two decimals' worth of truth. */
double procs_uptime(struct tsb_proc *p);
/* Of "MemTotal" and the like in /proc/meminfo, in KiB; 0: no such line. */
uint64_t procs_meminfo(struct tsb_proc *p, const char *name);
/* Digits of the highest process number there may be. */
int procs_pid_width(struct tsb_proc *p);

/* ---- What the programs of the procps package have in common ---- */

/* Ends the process: the generated help, "NAME from procps-ng 4.0.2". */
void procps_help(struct tsb_proc *p, const struct tsb_command *cmd);
tsb_opt_fn procps_version;

/* Before the option table of a command: its --help row's function. */
#define PROCPS_HELP(ident) \
	static int ident##_help(struct tsb_proc *p, void *o, const struct tsb_opt *opt, \
				const char *arg) \
	{ \
		(void)o, (void)opt, (void)arg; \
		procps_help(p, &cmd_##ident); \
		return 0; \
	}
#define PROCPS_ROWS(ident) \
	TSB_OPT_CALL(ident##_help, 0, 'h', "help", NULL, "display this help and exit"), \
	TSB_OPT_CALL(procps_version, 0, 'V', "version", NULL, "output version information and exit")
#define CMD_PROCPS .version = TSB_COMMAND_VERSION, .package = "procps-ng", \
		   .package_version = "4.0.2", .flags = TSB_NO_HELP

#endif
