/*
 * nice, renice, ionice, chrt - how much of the processor a command gets. One
 * scheduler serves all alike, so these keep what Linux keeps (a niceness that
 * ps shows) and answer what a plain system answers.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/opt.h"
#include "cmd/accounts.h"
#include "cmd/procs.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"

/* Becomes the program, or says why not: 126, 127. */
static int nice_exec(struct tsb_proc *p, char **argv, const char *format)
{
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)argv };
	int err;

	tsb_flush(p);
	err = tsb_exec(p, &how);
	if (format)
		tsb_warn_errno(p, err, "failed to execute %s", argv[0]);
	else
		tsb_warn_errno(p, err, "%s", quote_text(p, argv[0]));
	return err == -ENOENT ? 127 : 126;
}

/* ---- nice ---- */

struct nice {
	const char *adjustment;
};

static const struct tsb_opt nice_opts[] = {
	TSB_OPT_STR(struct nice, adjustment, 'n', "adjustment", "N",
		    "add integer N to the niceness (default 10)"),
	TSB_OPT_END
};

/* -5, --5 and -+5 are old ways to say -n 5, -n -5, -n 5. */
static void nice_old_style(struct tsb_proc *p, int argc, char **argv)
{
	for (int i = 0; i < argc && argv[i][0] == '-'; i++) {
		const char *s = argv[i];

		if (!strcmp(s, "--"))
			return;
		if ((s[1] >= '0' && s[1] <= '9') ||
		    ((s[1] == '-' || s[1] == '+') && s[2] >= '0' && s[2] <= '9'))
			argv[i] = tsb_format(p, "-n%s", s + 1);
		else if (!strcmp(s, "-n") || !strcmp(s, "--adjustment"))
			i++;
	}
}

static int nice_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct nice *o;
	struct opt_parsed parsed;
	int64_t add = 10;
	int status, now = 0, err;

	(void)opts;
	nice_old_style(p, argc, argv);
	if (!rawopt_parse(p, &cmd_nice, argc, argv, &parsed, &status))
		return status;
	o = parsed.opts;
	if (o->adjustment) {
		enum num_result r = num_i64(o->adjustment + strspn(o->adjustment, " \t\n"), &add);

		if (r != NUM_OK && r != NUM_RANGE) {
			tsb_warn(p, "invalid adjustment %s", quote_text(p, o->adjustment));
			return 125;
		}
		add = add < -39 ? -39 : add > 39 ? 39 : add;
	}
	tsb_get_nice(p, 0, &now);
	if (!parsed.argc) {
		if (o->adjustment)
			return tsb_usage(p, "a command must be given with an adjustment");
		tsb_printf(p, "%d\n", now);
		return 0;
	}
	err = tsb_set_nice(p, 0, now + (int)add);
	if (err < 0)
		tsb_warn_errno(p, err, "cannot set niceness");
	return nice_exec(p, parsed.argv, NULL);
}

const struct tsb_command cmd_nice = {
	CMD_COREUTILS, .name = "nice", .synopsis = "[OPTION] [COMMAND [ARG]...]",
	.summary = "Run COMMAND with an adjusted niceness, which affects process scheduling.\n"
		   "With no COMMAND, print the current niceness.", .opts = nice_opts,
	.opts_size = sizeof(struct nice), .run = nice_run, .flags = TSB_RAW | TSB_OPERAND_ENDS,
	.usage_status = 125,
};

/* ---- renice ---- */

enum renice_what { RENICE_PID, RENICE_GROUP, RENICE_USER };
static const char *const renice_names[] = { "process ID", "process group ID", "user ID" };

struct renice_job {
	struct tsb_proc *p;
	struct procs all;
	int nice;
};

static bool renice_is(enum renice_what what, const struct procs_item *it, uint32_t id)
{
	return what == RENICE_PID ? (uint32_t)it->pid == id :
	       what == RENICE_GROUP ? (uint32_t)it->pgrp == id : it->uid[1] == id;
}

static int renice_do(struct renice_job *j, enum renice_what what, uint32_t id)
{
	int old = 20, now = 20, err = -ESRCH, nice = j->nice;

	for (size_t i = 0; i < j->all.n; i++)
		if (renice_is(what, &j->all.at[i], id) && j->all.at[i].nice < old)
			old = j->all.at[i].nice;
	if (old == 20) {
		tsb_warn_errno(j->p, ESRCH, "failed to get priority for %u (%s)", id,
			       renice_names[what]);
		return 1;
	}
	for (size_t i = 0; i < j->all.n; i++) {
		int one, got = 20;

		if (!renice_is(what, &j->all.at[i], id))
			continue;
		one = tsb_set_nice(j->p, j->all.at[i].pid, nice);
		err = err == 0 || one == 0 ? one < 0 && err != -ESRCH ? err : one : one;
		tsb_get_nice(j->p, j->all.at[i].pid, &got);
		now = got < now ? got : now;
	}
	if (err < 0) {
		tsb_warn_errno(j->p, err, "failed to set priority for %u (%s)", id, renice_names[what]);
		return 1;
	}
	tsb_printf(j->p, "%u (%s) old priority %d, new priority %d\n", id, renice_names[what], old,
		   now);
	return 0;
}

static int renice_one(struct renice_job *j, enum renice_what what, const char *arg)
{
	uint32_t id, gid;
	int64_t n;

	if (what == RENICE_USER && accounts_user(j->p, arg, &id, &gid))
		return renice_do(j, what, id);
	if (num_i64(arg, &n) != NUM_OK || n < 0 || n > INT32_MAX) {
		tsb_warn(j->p, what == RENICE_USER ? "unknown user %s" : "bad %s value: %s",
			 what == RENICE_USER ? arg : renice_names[what], arg);
		return 1;
	}
	return renice_do(j, what, (uint32_t)n);
}

static bool renice_switch(const char *arg, enum renice_what *what)
{
	if (!strcmp(arg, "-g") || !strcmp(arg, "--pgrp"))
		*what = RENICE_GROUP;
	else if (!strcmp(arg, "-u") || !strcmp(arg, "--user"))
		*what = RENICE_USER;
	else if (!strcmp(arg, "-p") || !strcmp(arg, "--pid"))
		*what = RENICE_PID;
	else
		return false;
	return true;
}

static int renice_end(struct tsb_proc *p, const char *arg, int *status)
{
	struct str s;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!strcmp(arg, "-h") || !strcmp(arg, "--help"))
		opt_help(&s, &cmd_renice, "renice");
	else if (!strcmp(arg, "-V") || !strcmp(arg, "-v") || !strcmp(arg, "--version"))
		str_adds(&s, "renice from util-linux 2.38.1\n");
	else
		return 0;
	tsb_put(p, s.p, s.n);
	*status = 0;
	return 1;
}

static int renice_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct renice_job j = { .p = p };
	enum renice_what what = RENICE_PID;
	int status = 0, i = 0;
	int64_t nice;

	(void)opts;
	if (argc == 1 && renice_end(p, argv[0], &status))
		return status;
	if (i < argc && (!strcmp(argv[i], "-n") || !strcmp(argv[i], "--priority")))
		i++;
	if (argc - i < 2)
		return tsb_usage(p, "not enough arguments");
	if (num_i64(argv[i], &nice) != NUM_OK || nice < INT32_MIN / 2 || nice > INT32_MAX / 2)
		return tsb_usage(p, "invalid priority '%s'", argv[i]);
	j.nice = (int)nice;
	procs_read(p, &j.all);
	for (i++; i < argc; i++)
		if (!renice_switch(argv[i], &what))
			status |= renice_one(&j, what, argv[i]);
	return status;
}

/* Read by hand, since an option may stand between two numbers; for --help and
 * the manual. */
static const struct tsb_opt renice_opts[] = {
	TSB_OPT_DOC('n', "priority", "num", "specify the nice value"),
	TSB_OPT_DOC('p', "pid", NULL, "interpret arguments as process ID (default)"),
	TSB_OPT_DOC('g', "pgrp", NULL, "interpret arguments as process group ID"),
	TSB_OPT_DOC('u', "user", NULL, "interpret arguments as username or user ID"),
	TSB_OPT_DOC('h', NULL, NULL, "display this help and exit"),
	TSB_OPT_DOC('V', NULL, NULL, "output version information and exit"),
	TSB_OPT_END
};

const struct tsb_command cmd_renice = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "renice", .synopsis = "[-n] <priority> [-p|--pid] <pid>...\n[-n] <priority>  -g|--pgrp <pgid>...\n"
	"[-n] <priority>  -u|--user <user>...",
	.summary = "Alter the priority of running processes.", .opts = renice_opts, .run = renice_run, .flags = TSB_RAW,
};

/* ---- ionice ---- */

struct ionice {
	const char *class, *data, *pid, *pgid, *uid;
	bool ignore;
};

static const struct tsb_opt ionice_opts[] = {
	TSB_OPT_STR(struct ionice, class, 'c', "class", "class",
		    "name or number of scheduling class: 0: none, 1: realtime, 2: best-effort, 3: idle"),
	TSB_OPT_STR(struct ionice, data, 'n', "classdata", "num",
		    "priority (0..7) in the specified scheduling class, only for the realtime and "
		    "best-effort classes"),
	TSB_OPT_STR(struct ionice, pid, 'p', "pid", "pid...", "act on these already running processes"),
	TSB_OPT_STR(struct ionice, pgid, 'P', "pgid", "pgrp...",
		    "act on already running processes in these groups"),
	TSB_OPT_FLAG(struct ionice, ignore, 't', "ignore", "ignore failures"),
	TSB_OPT_STR(struct ionice, uid, 'u', "uid", "uid...",
		    "act on already running processes owned by these users"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

/* -1 after a message: no class's name. A number may be of one that the kernel refuses. */
static int64_t ionice_class(struct tsb_proc *p, const char *arg, bool quiet)
{
	static const char *const names[] = { "none", "realtime", "best-effort", "idle" };
	int64_t n;

	if (*arg >= '0' && *arg <= '9' && num_i64(arg, &n) == NUM_OK) {
		if (n > 3 && !quiet)
			tsb_warn(p, "unknown prio class %lld", (long long)n);
		return n;
	}
	for (int i = 0; i < 4; i++)
		if (!strcasecmp(names[i], arg))
			return i;
	tsb_warn(p, "unknown scheduling class: '%s'", arg);
	return -1;
}

/* There is nothing to be set here, but what the kernel would not take fails. */
static bool ionice_set(struct tsb_proc *p, const struct ionice *o, int64_t class, int64_t data)
{
	if (o->data && (class == 0 || class == 3))
		tsb_warn(p, "ignoring given class data for %s class", class ? "idle" : "none");
	if ((class <= 3 && (class == 0 || class == 3 || data >= 0)) || o->ignore)
		return true;
	tsb_warn_errno(p, EINVAL, "ioprio_set failed");
	return false;
}

static int ionice_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct ionice *o = opts;
	const char *which = o->pid ? o->pid : o->pgid ? o->pgid : o->uid;
	struct procs_item it;
	int64_t n, class = o->class ? ionice_class(p, o->class, o->ignore) : 2, data = 4;

	if (class < 0)
		return 1;
	if (o->data && num_i64(o->data, &data) != NUM_OK) {
		tsb_warn(p, "invalid class data argument: '%s'", o->data);
		return 1;
	}
	if (which && num_i64(which, &n) != NUM_OK) {
		tsb_warn(p, "invalid PID argument: '%s'", which);
		return 1;
	}
	if (o->pid && !procs_read_one(p, n > 0 && n <= INT32_MAX ? (int)n : 0, &it)) {
		tsb_warn_errno(p, ESRCH, "ioprio_%s failed", o->class || o->data ? "set" : "get");
		return o->ignore ? 0 : 1;
	}
	if (!o->class && !o->data && (which || !argc)) {
		tsb_puts(p, "none: prio 0\n");
		return 0;
	}
	if (!which && !argc)
		return tsb_usage(p, "bad usage");
	if (!ionice_set(p, o, class, data))
		return 1;
	return which ? 0 : nice_exec(p, argv, "execute");
}

const struct tsb_command cmd_ionice = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "ionice", .synopsis = "[options] -p <pid>...\n[options] -P <pgid>...\n"
	"[options] -u <uid>...\n[options] <command>",
	.summary = "Show or change the I/O-scheduling class and priority of a process.",
	.opts = ionice_opts, .opts_size = sizeof(struct ionice), .run = ionice_run,
	.flags = TSB_OPERAND_ENDS,
};

/* ---- chrt ---- */

struct chrt {
	int policy;
	bool all, max, pid, verbose, reset;
	const char *runtime, *period, *deadline;
};

static const struct tsb_opt chrt_opts[] = {
	TSB_OPT_SET(struct chrt, policy, 'b', 'b', "batch", "set policy to SCHED_BATCH"),
	TSB_OPT_SET(struct chrt, policy, 'd', 'd', "deadline", "set policy to SCHED_DEADLINE"),
	TSB_OPT_SET(struct chrt, policy, 'f', 'f', "fifo", "set policy to SCHED_FIFO"),
	TSB_OPT_SET(struct chrt, policy, 'i', 'i', "idle", "set policy to SCHED_IDLE"),
	TSB_OPT_SET(struct chrt, policy, 'o', 'o', "other", "set policy to SCHED_OTHER"),
	TSB_OPT_SET(struct chrt, policy, 'r', 'r', "rr", "set policy to SCHED_RR (default)"),
	TSB_OPT_FLAG(struct chrt, reset, 'R', "reset-on-fork", "set reset-on-fork flag"),
	TSB_OPT_STR(struct chrt, runtime, 'T', "sched-runtime", "ns", "runtime parameter for DEADLINE"),
	TSB_OPT_STR(struct chrt, period, 'P', "sched-period", "ns", "period parameter for DEADLINE"),
	TSB_OPT_STR(struct chrt, deadline, 'D', "sched-deadline", "ns",
		    "deadline parameter for DEADLINE"),
	TSB_OPT_FLAG(struct chrt, all, 'a', "all-tasks",
		     "operate on all the tasks (threads) for a given pid"),
	TSB_OPT_FLAG(struct chrt, max, 'm', "max", "show min and max valid priorities"),
	TSB_OPT_FLAG(struct chrt, pid, 'p', "pid", "operate on existing given pid"),
	TSB_OPT_FLAG(struct chrt, verbose, 'v', "verbose", "display status information"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

static void chrt_show(struct tsb_proc *p, int pid)
{
	tsb_printf(p, "pid %d's current scheduling policy: SCHED_OTHER\n", pid);
	tsb_printf(p, "pid %d's current scheduling priority: 0\n", pid);
}

/* Does the policy take this priority? */
static bool chrt_priority(struct tsb_proc *p, const struct chrt *o, const char *text)
{
	int64_t priority;

	if (num_i64(text, &priority) != NUM_OK) {
		tsb_warn(p, "invalid priority argument: '%s'", text);
		return false;
	}
	if (strchr("fr", o->policy) ? priority < 1 || priority > 99 : priority != 0) {
		tsb_warn(p, "unsupported priority value for the policy: %lld: see --max for valid range",
			 (long long)priority);
		return false;
	}
	return true;
}

static int chrt_pid(struct tsb_proc *p, const struct chrt *o, int argc, char **argv)
{
	struct procs_item it;
	int64_t pid = 0;

	if (num_i64(argv[argc - 1], &pid) != NUM_OK || pid < 0 || pid > INT32_MAX) {
		tsb_warn(p, "invalid PID argument: '%s'", argv[argc - 1]);
		return 1;
	}
	pid = pid ? pid : tsb_getpid(p);
	if (!procs_read_one(p, (int)pid, &it)) {
		tsb_warn_errno(p, ESRCH, argc == 1 ? "failed to get pid %lld's policy" :
			       "failed to set pid %lld's policy", (long long)pid);
		return 1;
	}
	if (argc == 1) {
		chrt_show(p, (int)pid);
		return 0;
	}
	if (!chrt_priority(p, o, argv[0]))
		return 1;
	if (strchr("fr", o->policy) && tsb_getuid(p)) {
		tsb_warn_errno(p, EPERM, "failed to set pid %lld's policy", (long long)pid);
		return 1;
	}
	return 0;
}

static int chrt_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct chrt *o = opts;

	if (o->max) {
		tsb_puts(p, "SCHED_OTHER min/max priority\t: 0/0\nSCHED_FIFO min/max priority\t: 1/99\n"
			    "SCHED_RR min/max priority\t: 1/99\nSCHED_BATCH min/max priority\t: 0/0\n"
			    "SCHED_IDLE min/max priority\t: 0/0\nSCHED_DEADLINE min/max priority\t: 0/0\n");
		return 0;
	}
	if (argc < (o->pid ? 1 : 2))
		return tsb_usage(p, "bad usage");
	if (o->pid)
		return chrt_pid(p, o, argc, argv);
	if (!chrt_priority(p, o, argv[0]))
		return 1;
	if (strchr("frd", o->policy) && tsb_getuid(p)) {
		tsb_warn_errno(p, EPERM, "failed to set pid 0's policy");
		return 1;
	}
	return nice_exec(p, argv + 1, "execute");
}

static const struct chrt chrt_defaults = { .policy = 'r' };

const struct tsb_command cmd_chrt = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "chrt", .synopsis = "[options] <priority> <command> [<arg>...]\n"
	"[options] --pid <priority> <pid>",
	.summary = "Show or change the real-time scheduling attributes of a process.",
	.opts = chrt_opts, .opts_size = sizeof(struct chrt), .defaults = &chrt_defaults,
	.run = chrt_run, .flags = TSB_OPERAND_ENDS,
};
