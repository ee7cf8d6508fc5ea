/* top - the processes, those first that use most: in batch mode here, on a terminal in top_screen.c. */
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cmd/accounts.h"
#include "cmd/top.h"
#include "cmd/util.h"
#include "text/civil.h"
#include "text/datefmt.h"

static const struct { const char *name; int field; } top_fields[] = {
	{ "PID", TOP_PID }, { "PPID", TOP_PPID }, { "UID", TOP_UID }, { "USER", TOP_USER },
	{ "RUID", TOP_UID }, { "RUSER", TOP_USER }, { "SUID", TOP_UID }, { "SUSER", TOP_USER },
	{ "GID", TOP_OTHER }, { "GROUP", TOP_OTHER }, { "PGRP", TOP_OTHER }, { "TTY", TOP_OTHER },
	{ "TPGID", TOP_OTHER }, { "SID", TOP_OTHER }, { "PR", TOP_PR }, { "NI", TOP_NI },
	{ "nTH", TOP_OTHER }, { "P", TOP_OTHER }, { "%CPU", TOP_CPU }, { "TIME", TOP_TIME },
	{ "TIME+", TOP_TIME }, { "%MEM", TOP_MEM }, { "VIRT", TOP_VIRT }, { "SWAP", TOP_OTHER },
	{ "RES", TOP_RES }, { "CODE", TOP_OTHER }, { "DATA", TOP_VIRT }, { "SHR", TOP_OTHER },
	{ "nMaj", TOP_OTHER }, { "nMin", TOP_OTHER }, { "nDRT", TOP_OTHER }, { "S", TOP_STATE },
	{ "COMMAND", TOP_COMMAND }, { "WCHAN", TOP_OTHER }, { "Flags", TOP_OTHER },
};

PROCPS_HELP(top)

static int top_opt_width(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct top *t = opts;

	(void)p, (void)opt;
	t->wide_given = true;
	t->width_text = arg;
	return 0;
}

static const struct tsb_opt top_opts[] = {
	TSB_OPT_FLAG(struct top, batch, 'b', "batch-mode", "run in non-interactive batch mode"),
	TSB_OPT_FLAG(struct top, command_line, 'c', "cmdline-toggle",
		     "show command lines instead of names"),
	TSB_OPT_STR(struct top, delay, 'd', "delay", "SECS", "iterative delay as SECS [.TENTHS]"),
	TSB_OPT_STR(struct top, summary_scale, 'E', "scale-summary-mem", "SCALE",
		    "set mem as: k,m,g,t,p,e for SCALE"),
	TSB_OPT_STR(struct top, task_scale, 'e', "scale-task-mem", "SCALE",
		    "set mem with: k,m,g,t,p for SCALE"),
	TSB_OPT_FLAG(struct top, threads, 'H', "threads-show", "show tasks plus all their threads"),
	TSB_OPT_FLAG(struct top, idle, 'i', "idle-toggle", "leave out idle tasks"),
	TSB_OPT_STR(struct top, iterations, 'n', "iterations", "NUMBER",
		    "exit on maximum iterations NUMBER"),
	TSB_OPT_FLAG(struct top, list, 'O', "list-fields", "output all field names, then exit"),
	TSB_OPT_STR(struct top, sort, 'o', "sort-override", "FIELD",
		    "force sorting on this named FIELD"),
	TSB_OPT_STR(struct top, pids, 'p', "pid", "PIDLIST", "monitor only the tasks in PIDLIST"),
	TSB_OPT_FLAG(struct top, cumulative, 'S', "accum-time-toggle",
		     "count the time of ended children too"),
	TSB_OPT_FLAG(struct top, secure, 's', "secure-mode", "run with secure mode restrictions"),
	TSB_OPT_STR(struct top, any_user, 'U', "filter-any-user", "USER",
		    "show only processes owned by USER"),
	TSB_OPT_STR(struct top, user, 'u', "filter-only-euser", "USER",
		    "show only processes owned by USER"),
	TSB_OPT_CALL_OPT(top_opt_width, 0, 'w', "width", "COLUMNS",
			 "change print width [,use COLUMNS]"),
	TSB_OPT_FLAG(struct top, single, '1', "single-cpu-toggle", "a line for each processor"),
	PROCPS_ROWS(top),
	TSB_OPT_END
};

/* ---- Options ---- */

static int top_complain(struct top *t, const char *what, const char *arg)
{
	tsb_warn(t->p, "%s '%s'", what, arg);
	return 1;
}

static int top_sort_option(struct top *t)
{
	const char *name = t->sort;

	t->field = TOP_CPU;
	if (!name)
		return 0;
	t->reverse = *name == '-';
	name += *name == '-' || *name == '+';
	for (size_t i = 0; i < sizeof(top_fields) / sizeof(*top_fields); i++)
		if (!strcasecmp(top_fields[i].name, name)) {
			t->field = top_fields[i].field;
			return 0;
		}
	return top_complain(t, "unrecognized field name", name);
}

static int top_settle(struct top *t)
{
	const char *columns = tsb_getenv(t->p, "COLUMNS"), *user = t->user ? t->user : t->any_user;
	uint32_t gid;
	int64_t n;
	char *end;

	t->seconds = 3;
	t->width = 80;
	if (columns && num_i64(columns, &n) == NUM_OK && n > 10 && n <= 512)
		t->width = (int)n;
	if (t->wide_given)
		t->width = t->width_text && num_i64(t->width_text, &n) == NUM_OK && n > 10 && n <= 512 ?
			   (int)n : 512;
	if (t->delay) {
		t->seconds = strtod(t->delay, &end);
		if (end == t->delay || *end || !(t->seconds >= 0) || t->seconds > 1e8)
			return top_complain(t, "bad delay interval", t->delay);
	}
	if ((t->user != NULL) + (t->any_user != NULL) + (t->pids != NULL) > 1) {
		tsb_warn(t->p, "conflicting process selections (U/p/u)");
		return 1;
	}
	t->turns = UINT64_MAX;
	if (t->iterations && (num_u64(t->iterations, &t->turns) != NUM_OK || !t->turns))
		return top_complain(t, "bad iterations argument", t->iterations);
	if (user && !accounts_user(t->p, user, &t->uid, &gid)) {
		tsb_warn(t->p, "Invalid user");
		return 1;
	}
	for (const char *at = t->pids; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] != 0)) {
		char *one = tsb_strndup(t->p, at, strcspn(at, ","));

		if (num_i64(one, &n) != NUM_OK || n < 0 || n > INT32_MAX)
			return top_complain(t, "bad pid", one);
	}
	return top_sort_option(t);
}

/* ---- Rows ---- */

static bool top_wanted(const struct top *t, const struct procs_item *it)
{
	bool user = t->user || t->any_user;

	if (user && it->uid[1] != t->uid && (t->user || it->uid[0] != t->uid))
		return false;
	if (!t->pids)
		return true;
	for (const char *at = t->pids; *at;) {
		size_t n = strcspn(at, ",");
		long pid = strtol(at, NULL, 10);

		if ((pid ? pid : tsb_getpid(t->p)) == it->pid)
			return true;
		at += n + (at[n] != '\0');
	}
	return false;
}

/* Per cent of one processor: since the last look, or since it began. */
static double top_cpu(const struct top *t, const struct procs_item *it)
{
	double span = t->time_now - (double)it->start / PROCS_HZ;
	uint64_t used = it->utime + it->stime;

	for (size_t i = 0; i < t->before.n; i++)
		if (t->before.at[i].pid == it->pid && t->before.at[i].start == it->start) {
			used -= t->before.at[i].utime + t->before.at[i].stime;
			span = t->time_now - t->time_before;
		}
	return span > 0 ? (double)used * 100 / PROCS_HZ / span : 0;
}

static int top_numbers(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int top_compare(const void *x, const void *y)
{
	const struct top_row *a = x, *b = y;
	int c;

	switch (a->top->field) {
	case TOP_PID: c = top_numbers(a->it->pid, b->it->pid); break;
	case TOP_PPID: c = top_numbers(a->it->ppid, b->it->ppid); break;
	case TOP_UID: c = top_numbers(a->it->uid[1], b->it->uid[1]); break;
	case TOP_USER: c = -strcmp(a->user, b->user); break;
	case TOP_PR: c = top_numbers(a->it->priority, b->it->priority); break;
	case TOP_NI: c = top_numbers(a->it->nice, b->it->nice); break;
	case TOP_CPU: c = top_numbers(a->cpu, b->cpu); break;
	case TOP_MEM:
	case TOP_RES: c = top_numbers((double)a->it->rss, (double)b->it->rss); break;
	case TOP_TIME: c = top_numbers((double)a->ticks, (double)b->ticks); break;
	case TOP_VIRT: c = top_numbers((double)a->it->vsize, (double)b->it->vsize); break;
	case TOP_STATE: c = top_numbers(a->it->state, b->it->state); break;
	case TOP_COMMAND: c = -strcmp(a->it->comm, b->it->comm); break;
	default: c = 0;
	}
	if (c)
		return a->top->reverse ? -c : c;
	return a->it->pid - b->it->pid;
}

/* KiB as they are, or scaled when that is asked for or they do not fit. */
static const char *top_memory(const struct top *t, uint64_t kb, int width)
{
	static const char letters[] = "kmgtp";
	const char *scale = t->task_scale ? strchr(letters, *t->task_scale) : NULL;
	int steps = scale && *t->task_scale ? (int)(scale - letters) : 0;
	const char *text = tsb_format(t->p, "%llu", (unsigned long long)kb);
	double v = (double)kb;

	if (!steps && (int)strlen(text) <= width)
		return text;
	for (int i = 0; i < (steps ? steps : 1); i++)
		v /= 1024;
	for (int i = steps ? steps : 1; i < 5; i++, v /= 1024) {
		text = tsb_format(t->p, "%.1f%c", v, letters[i]);
		if ((int)strlen(text) <= width)
			return text;
	}
	return text;
}

static const char *top_fit(const struct top *t, const char *text, int width)
{
	return (int)strlen(text) <= width ? text : tsb_format(t->p, "%.*s+", width - 1, text);
}

static void top_put_row(struct top *t, const struct top_row *row, uint64_t total_kb)
{
	const struct procs_item *it = row->it;
	unsigned long long cs = row->ticks;
	const char *line = t->command_line ? procs_command_line(t->p, it) : NULL;
	const char *priority = it->priority < -99 ? "rt" : tsb_format(t->p, "%d", it->priority);
	uint64_t rss = it->rss * (PROCS_PAGE / 1024);
	char *text;

	text = tsb_format(t->p, "%*d %-8s %3s %3d %7s %6s %6s %c %5.1f %5.1f %9s %s",
			  procs_pid_width(t->p), it->pid, top_fit(t, row->user, 8), priority, it->nice,
			  top_memory(t, it->vsize / 1024, 7), top_memory(t, rss, 6),
			  top_memory(t, 0, 6), it->state, row->cpu > 9999 ? 9999 : row->cpu,
			  total_kb ? (double)rss * 100 / (double)total_kb : 0,
			  tsb_format(t->p, "%llu:%02llu.%02llu", cs / 6000, cs / 100 % 60, cs % 100),
			  t->command_line ? line ? line : tsb_format(t->p, "[%s]", it->comm) :
			  top_fit(t, it->comm, t->width - 70 > 8 ? t->width - 70 : 8));
	str_addf(&t->out, "%.*s\n", t->width, text);
}

/* ---- The summary ---- */

static void top_put_times(struct top *t)
{
	int64_t up = (int64_t)procs_uptime(t->p), now = tsb_clock(t->p, TSB_CLOCK_REAL).sec;
	const char *load = procs_slurp(t->p, "/proc/loadavg", NULL);
	char *at = tsb_strdup(t->p, load ? load : "");
	struct date_moment m;
	struct zone zone;
	double a[3];

	for (int i = 0; i < 3; i++)
		a[i] = strtod(at, &at);
	zone_init(&zone, tsb_getenv(t->p, "TZ"));
	if (!date_moment(&m, now, 0, &zone))
		return;
	str_addf(&t->out, "top - %02d:%02d:%02d up ", m.civil.hour, m.civil.minute, m.civil.second);
	if (up >= 86400)
		str_addf(&t->out, "%lld day%s, ", (long long)(up / 86400), up / 86400 == 1 ? "" : "s");
	if (up % 86400 >= 3600)
		str_addf(&t->out, "%2lld:%02lld, ", (long long)(up / 3600 % 24),
			   (long long)(up / 60 % 60));
	else
		str_addf(&t->out, "%lld min, ", (long long)(up / 60 % 60));
	str_addf(&t->out, " 0 user,  load average: %.2f, %.2f, %.2f\n", a[0], a[1], a[2]);
}

static void top_put_memory(struct top *t)
{
	static const char letters[] = "kmgtpe";
	static const char *const names[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	const char *scale = t->summary_scale ? strchr(letters, *t->summary_scale) : NULL;
	int step = scale && *t->summary_scale ? (int)(scale - letters) : 1;
	double total = (double)procs_meminfo(t->p, "MemTotal"), left = (double)procs_meminfo(t->p, "MemFree");
	double avail = (double)procs_meminfo(t->p, "MemAvailable"), div = 1;
	double cache = (double)(procs_meminfo(t->p, "Buffers") + procs_meminfo(t->p, "Cached") +
				procs_meminfo(t->p, "SReclaimable"));
	double swap = (double)procs_meminfo(t->p, "SwapTotal"), swap_free = (double)procs_meminfo(t->p, "SwapFree");
	int digits = step ? 1 : 0;

	for (int i = 0; i < step; i++)
		div *= 1024;
	str_addf(&t->out, "%s Mem : %8.*f total, %8.*f free, %8.*f used, %8.*f buff/cache     \n",
		   names[step], digits, total / div, digits, left / div, digits, (total - avail) / div,
		   digits, cache / div);
	str_addf(&t->out, "%s Swap: %8.*f total, %8.*f free, %8.*f used. %8.*f avail Mem \n",
		   names[step], digits, swap / div, digits, swap_free / div, digits,
		   (swap - swap_free) / div, digits, avail / div);
}

static void top_put_tasks(struct top *t, const struct top_row *rows, size_t n)
{
	unsigned running = 0, stopped = 0, zombies = 0;
	double busy = 0;

	for (size_t i = 0; i < n; i++) {
		running += rows[i].it->state == 'R';
		stopped += rows[i].it->state == 'T';
		zombies += rows[i].it->state == 'Z';
		busy += rows[i].cpu;
	}
	busy = busy > 100 ? 100 : busy;
	str_addf(&t->out, "Tasks: %3u total, %3u running, %3u sleeping, %3u stopped, %3u zombie\n",
		 (unsigned)n, running, (unsigned)n - running - stopped - zombies, stopped, zombies);
	str_addf(&t->out, "%s%5.1f us,  0.0 sy,  0.0 ni,%5.1f id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n",
		 t->single ? "%Cpu0  :" : "%Cpu(s):", busy, 100 - busy);
}

static void top_put_summary(struct top *t, const struct top_row *rows, size_t n)
{
	if (!t->no_load)
		top_put_times(t);
	if (!t->no_tasks)
		top_put_tasks(t, rows, n);
	if (!t->no_memory)
		top_put_memory(t);
	str_addc(&t->out, '\n');
}

/* ---- One look ---- */

static size_t top_collect(struct top *t, struct top_row *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < t->now.n; i++) {
		const struct procs_item *it = &t->now.at[i];
		const char *user;

		if (!top_wanted(t, it))
			continue;
		user = accounts_user_name(t->p, it->uid[1]);
		rows[n++] = (struct top_row){
			.it = it, .user = user ? user : tsb_format(t->p, "%u", it->uid[1]),
			.cpu = top_cpu(t, it), .top = t,
			.ticks = it->utime + it->stime + (t->cumulative ? it->cutime + it->cstime : 0),
		};
	}
	return n;
}

void top_look(struct top *t)
{
	uint64_t total = procs_meminfo(t->p, "MemTotal");
	struct top_row *rows;
	size_t n;

	str_reset(&t->out);
	procs_read(t->p, &t->now);
	t->time_now = procs_uptime(t->p);
	rows = tsb_alloc(t->p, (t->now.n + 1) * sizeof(*rows));
	n = top_collect(t, rows);
	top_put_summary(t, rows, n);
	str_addf(&t->out, "%*s USER      PR  NI    VIRT    RES    SHR S  %%CPU  %%MEM     TIME+ COMMAND\n",
		   procs_pid_width(t->p), "PID");
	if (n)
		qsort(rows, n, sizeof(*rows), top_compare);
	for (size_t i = 0; i < n; i++)
		if (!t->idle || rows[i].it->state == 'R' || rows[i].cpu > 0)
			top_put_row(t, &rows[i], total);
	t->before = t->now;
	t->time_before = t->time_now;
	tsb_free(t->p, rows);
}

static int top_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const char why[] = "top: failed tty get\n"
				  "top: not available in this sandbox: it needs a terminal; use top -b -n 1 "
				  "or ps aux instead\n";
	struct top *t = opts;
	int status;

	t->p = p;
	if (argc == 1 && t->wide_given && !t->width_text) {	/* "-w 120" */
		t->width_text = argv[0];
		argc = 0;
	}
	if (argc) {
		tsb_warn(p, "unknown option '%s'", argv[0]);
		return 1;
	}
	if (t->list) {
		for (size_t i = 0; i < sizeof(top_fields) / sizeof(*top_fields); i++)
			tsb_printf(p, "%s\n", top_fields[i].name);
		return 0;
	}
	status = top_settle(t);
	if (status)
		return status;
	str_init(&t->out, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!t->batch && top_screen(t) >= 0)
		return 0;
	if (!t->batch) {
		tsb_write_all(p, 2, why, sizeof(why) - 1);
		return 1;
	}
	for (uint64_t turn = 0; turn < t->turns; turn++) {
		if (turn) {
			tsb_putc(p, '\n');
			tsb_flush(p);
			tsb_sleep(p, (int64_t)(t->seconds * 1e9));
		}
		top_look(t);
		tsb_put(p, t->out.p, t->out.n);
	}
	return 0;
}

const struct tsb_command cmd_top = {
	CMD_PROCPS, .name = "top", .synopsis = "[options]",
	.summary = "Display the processes in batch mode.", .opts = top_opts,
	.opts_size = sizeof(struct top), .run = top_run,
};
