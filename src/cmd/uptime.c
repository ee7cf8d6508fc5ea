/*
 * uptime, w, who, users - since when the system runs and who is logged in.
 * Nobody is: there is no terminal to log in at, and no record is kept.
 */
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/procs.h"
#include "cmd/util.h"
#include "text/civil.h"
#include "text/datefmt.h"

static void uptime_date(struct tsb_proc *p, int64_t at, const char *format)
{
	struct date_moment m;
	struct zone zone;
	struct str s;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	zone_init(&zone, tsb_getenv(p, "TZ"));
	if (date_moment(&m, at, 0, &zone))
		date_format(&s, format, strlen(format), &m);
	tsb_puts(p, s.p);
}

/* "1 day, 2 hours": each part that is not zero. */
static void uptime_pretty(struct tsb_proc *p, int64_t s)
{
	static const struct { int64_t seconds; const char *name; } units[] = {
		{ 315360000, "decade" }, { 31536000, "year" }, { 604800, "week" }, { 86400, "day" },
		{ 3600, "hour" }, { 60, "minute" },
	};
	bool first = true;

	tsb_puts(p, "up ");
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		int64_t n = s / units[i].seconds;

		s %= units[i].seconds;
		/* Even a moment is some minutes. */
		if (!n && (i < 5 || !first))
			continue;
		tsb_printf(p, "%s%lld %s%s", first ? "" : ", ", (long long)n, units[i].name,
			   n == 1 ? "" : "s");
		first = false;
	}
	tsb_putc(p, '\n');
}

static void uptime_line(struct tsb_proc *p)
{
	int64_t now = tsb_clock(p, TSB_CLOCK_REAL).sec, up = (int64_t)procs_uptime(p);
	int64_t days = up / 86400, hours = up / 3600 % 24, minutes = up / 60 % 60;
	const char *load = procs_slurp(p, "/proc/loadavg", NULL);
	double a[3] = { 0, 0, 0 };
	char *end = tsb_strdup(p, load ? load : "");

	for (int i = 0; i < 3; i++)
		a[i] = strtod(end, &end);
	uptime_date(p, now, " %H:%M:%S");
	tsb_puts(p, " up ");
	if (days)
		tsb_printf(p, "%lld day%s, ", (long long)days, days == 1 ? "" : "s");
	if (hours)
		tsb_printf(p, "%2lld:%02lld, ", (long long)hours, (long long)minutes);
	else
		tsb_printf(p, "%lld min, ", (long long)minutes);
	tsb_printf(p, " 0 user,  load average: %.2f, %.2f, %.2f\n", a[0], a[1], a[2]);
}

struct uptime {
	bool pretty, since;
};

PROCPS_HELP(uptime)

static const struct tsb_opt uptime_opts[] = {
	TSB_OPT_FLAG(struct uptime, pretty, 'p', "pretty", "show uptime in pretty format"),
	TSB_OPT_FLAG(struct uptime, since, 's', "since", "system up since"),
	PROCPS_ROWS(uptime),
	TSB_OPT_END
};

static int uptime_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct uptime *o = opts;
	int64_t up = (int64_t)procs_uptime(p);

	(void)argv;
	if (argc)
		return tsb_usage(p, NULL);
	if (o->since) {
		uptime_date(p, tsb_clock(p, TSB_CLOCK_REAL).sec - up, "%Y-%m-%d %H:%M:%S\n");
		return 0;
	}
	if (o->pretty)
		uptime_pretty(p, up);
	else
		uptime_line(p);
	return 0;
}

const struct tsb_command cmd_uptime = {
	CMD_PROCPS, .name = "uptime", .synopsis = "[options]",
	.summary = "Tell how long the system has been running.", .opts = uptime_opts,
	.opts_size = sizeof(struct uptime), .run = uptime_run,
};

/* ---- w ---- */

struct w {
	bool no_header, no_current, brief, from, old, address;
};

PROCPS_HELP(w)

static const struct tsb_opt w_opts[] = {
	TSB_OPT_FLAG(struct w, no_header, 'h', "no-header", "do not print header"),
	TSB_OPT_FLAG(struct w, no_current, 'u', "no-current", "ignore current process username"),
	TSB_OPT_FLAG(struct w, brief, 's', "short", "short format"),
	TSB_OPT_FLAG(struct w, from, 'f', "from", "show remote hostname field"),
	TSB_OPT_FLAG(struct w, old, 'o', "old-style", "old style output"),
	TSB_OPT_FLAG(struct w, address, 'i', "ip-addr",
		     "display IP address instead of hostname (if possible)"),
	TSB_OPT_CALL(w_help, 0, 0, "help", NULL, "display this help and exit"),
	TSB_OPT_CALL(procps_version, 0, 'V', "version", NULL, "output version information and exit"),
	TSB_OPT_END
};

static int w_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct w *o = opts;

	(void)argc, (void)argv;
	if (o->no_header)
		return 0;
	uptime_line(p);
	tsb_puts(p, o->from ? "USER     TTY       " : "USER     TTY      FROM            ");
	tsb_puts(p, o->brief ? "  IDLE WHAT\n" : " LOGIN@   IDLE   JCPU   PCPU WHAT\n");
	return 0;
}

const struct tsb_command cmd_w = {
	CMD_PROCPS, .name = "w", .synopsis = "[options] [user]",
	.summary = "Show who is logged on and what they are doing.", .opts = w_opts,
	.opts_size = sizeof(struct w), .run = w_run,
};

/* ---- who, users: what a file of records holds, if one is given ---- */

struct who {
	bool all, boot, dead, heading, login, lookup, mine, process, count, runlevel, brief, clock,
		message, users;
};

static const struct tsb_opt who_opts[] = {
	TSB_OPT_FLAG(struct who, all, 'a', "all", "same as -b -d --login -p -r -t -T -u"),
	TSB_OPT_FLAG(struct who, boot, 'b', "boot", "time of last system boot"),
	TSB_OPT_FLAG(struct who, dead, 'd', "dead", "print dead processes"),
	TSB_OPT_FLAG(struct who, heading, 'H', "heading", "print line of column headings"),
	TSB_OPT_FLAG(struct who, login, 'l', "login", "print system login processes"),
	TSB_OPT_FLAG(struct who, lookup, 0, "lookup", "attempt to canonicalize hostnames via DNS"),
	TSB_OPT_FLAG(struct who, mine, 'm', NULL, "only hostname and user associated with stdin"),
	TSB_OPT_FLAG(struct who, process, 'p', "process", "print active processes spawned by init"),
	TSB_OPT_FLAG(struct who, count, 'q', "count",
		     "all login names and number of users logged on"),
	TSB_OPT_FLAG(struct who, runlevel, 'r', "runlevel", "print current runlevel"),
	TSB_OPT_FLAG(struct who, brief, 's', "short", "print only name, line, and time (default)"),
	TSB_OPT_FLAG(struct who, clock, 't', "time", "print last system clock change"),
	TSB_OPT_FLAG(struct who, message, 'T', "mesg", "add user's message status as +, - or ?"),
	TSB_OPT_FLAG(struct who, message, 'w', NULL, NULL),
	TSB_OPT_FLAG(struct who, users, 'u', "users", "list users logged in"),
	TSB_OPT_FLAG(struct who, message, 0, "message", "same as -T"),
	TSB_OPT_FLAG(struct who, message, 0, "writable", "same as -T"),
	TSB_OPT_FLAG(struct who, lookup, 0, "ips", "print ips instead of hostnames"),
	TSB_OPT_END
};

static void who_heading(struct tsb_proc *p, const struct who *o)
{
	bool idle = o->all || o->users || o->login || o->dead || o->process || o->boot;

	tsb_puts(p, o->message || o->all ? "NAME       LINE         TIME         " :
		 "NAME     LINE         TIME         ");
	if (idle && (o->all || o->users))
		tsb_puts(p, "    IDLE          PID");
	else if (o->login || o->process || o->dead)
		tsb_puts(p, "          PID");
	else
		tsb_puts(p, "   ");
	tsb_puts(p, o->all || o->dead ? " COMMENT  EXIT\n" : " COMMENT\n");
}

static int who_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct who *o = opts;

	if (argc > 2)
		return util_extra_operand(p, argv[2]);
	if (o->count)
		tsb_puts(p, "\n# users=0\n");
	else if (o->heading)
		who_heading(p, o);
	return 0;
}

const struct tsb_command cmd_who = {
	CMD_COREUTILS, .name = "who", .synopsis = "[OPTION]... [ FILE | ARG1 ARG2 ]",
	.summary = "Print information about users who are currently logged in.", .opts = who_opts,
	.opts_size = sizeof(struct who), .run = who_run,
};

static int users_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return argc > 1 ? util_extra_operand(p, argv[1]) : 0;
}

const struct tsb_command cmd_users = {
	CMD_COREUTILS, .name = "users", .synopsis = "[OPTION]... [FILE]",
	.summary = "Output who is currently logged in according to FILE.", .run = users_run,
};
