/* top: what it is told and shows (top.c), and its screen. */
#ifndef CMD_TOP_H
#define CMD_TOP_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "cmd/procs.h"

struct top_row {
	const struct procs_item *it;
	const char *user;
	double cpu;
	uint64_t ticks;
	struct top *top;
};

struct top {
	bool batch, command_line, threads, idle, cumulative, secure, single, list;
	const char *delay, *iterations, *sort, *pids, *user, *any_user, *summary_scale, *task_scale;
	bool wide_given;
	const char *width_text;

	struct tsb_proc *p;
	double seconds;
	uint64_t turns;
	int width, field;
	bool reverse;
	uint32_t uid;
	struct procs before, now;
	double time_before, time_now;
	struct str out;		/* one look, as text */
	/* on a terminal */
	bool no_load, no_tasks, no_memory;
	uint64_t most;		/* rows; 0: all that fit */
};

enum { TOP_PID, TOP_PPID, TOP_UID, TOP_USER, TOP_PR, TOP_NI, TOP_CPU, TOP_MEM, TOP_TIME, TOP_VIRT,
       TOP_RES, TOP_STATE, TOP_COMMAND, TOP_OTHER };

void top_look(struct top *t);		/* into t->out: lines of the summary, a title, and the rows */
int top_screen(struct top *t);

#endif
