/*
 * ps - report the processes. Three styles of options are understood at once:
 * UNIX (-ef), BSD (aux) and GNU (--sort). What cannot be read as UNIX options is
 * tried once more as BSD ones, so that `ps -aux` works.
 */
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cmd/ps.h"
#include "cmd/util.h"

struct ps_args {
	struct ps *ps;
	char **argv;
	int argc, at;		/* at: the argument being read */
};

static const char ps_usage_text[] =
	"\nUsage:\n ps [options]\n\n"
	" Try 'ps --help <simple|list|output|threads|misc|all>'\n"
	"  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n"
	"\nFor more details see ps(1).\n";

static bool ps_fail(struct ps *ps, const char *error)
{
	ps->error = error;
	return false;
}

/* No second try helps. */
static bool ps_clash(struct ps *ps, const char *error)
{
	ps->conflict = true;
	return ps_fail(ps, error);
}

static bool ps_conflict(struct ps *ps)
{
	return ps_clash(ps, "conflicting format options");
}

/* The rest of this argument, or the next one; NULL: none. */
static const char *ps_argument(struct ps_args *a, const char *rest)
{
	if (*rest)
		return rest;
	return a->at + 1 < a->argc ? a->argv[++a->at] : NULL;
}

static bool ps_list_option(struct ps_args *a, const char *rest, enum ps_list_kind kind,
			   const char *missing)
{
	const char *list = ps_argument(a, rest);

	if (!list || !*list)
		return ps_fail(a->ps, missing);
	return ps_want_list(a->ps, kind, list);
}

static bool ps_format_option(struct ps_args *a, const char *rest, const char *missing)
{
	const char *list = ps_argument(a, rest);

	if (!list || !*list)
		return ps_fail(a->ps, missing);
	a->ps->user_formats = true;
	return ps_format_add(a->ps, list);
}

static void ps_print_version(struct ps *ps)
{
	tsb_puts(ps->p, "ps from procps-ng 4.0.2\n");
	tsb_exit(ps->p, 0);
}

/* -g: sessions if they are numbers, else effective groups. */
static bool ps_group_or_session(struct ps_args *a, const char *rest)
{
	const char *list = ps_argument(a, rest);

	if (!list || !*list)
		return ps_fail(a->ps, "list of session leaders OR effective group names must follow -g");
	if (ps_want_list(a->ps, PS_BY_SID, list) || ps_want_list(a->ps, PS_BY_EGID, list))
		return true;
	return ps_fail(a->ps, "list of session leaders OR effective group IDs was invalid");
}

/* k, --sort, O with letters: one of them, once. */
static bool ps_sort_option(struct ps *ps, const char *text)
{
	if (ps->n_keys)
		return ps_clash(ps, "multiple sort options");
	return ps_sort_add(ps, text);
}

/* ---- UNIX ---- */

/* Options that only set something. */
static bool ps_unix_flag(struct ps *ps, char c)
{
	static const struct { char letter; unsigned bit; } formats[] = {
		{ 'F', PS_UNIX_F | PS_UNIX_EXTRA }, { 'L', PS_UNIX_LWP }, { 'M', PS_UNIX_M },
		{ 'P', PS_UNIX_P }, { 'T', PS_UNIX_SPID }, { 'Z', PS_UNIX_M }, { 'c', PS_UNIX_C },
		{ 'f', PS_UNIX_F }, { 'j', PS_UNIX_J }, { 'l', PS_UNIX_L }, { 'y', PS_UNIX_Y },
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (formats[i].letter == c) {
			ps->unix_format |= formats[i].bit;
			ps->threads |= c == 'L' ? PS_THREADS_L : c == 'T' ? PS_THREADS_T : 0;
			return true;
		}
	switch (c) {
	case 'A':
	case 'e':
		ps->all = true;
		return true;
	case 'H':
		ps->hierarchy = true;
		return true;
	case 'N':
		ps->deselect = true;
		return true;
	case 'a':
		ps->with_tty = true;
		return true;
	case 'd':
		ps->not_leaders = true;
		return true;
	case 'm':
		ps->threads |= PS_THREADS_UNIX_M;
		return true;
	case 'w':
		ps->wide++;
		return true;
	default:
		return false;
	}
}

/* Those with an argument. */
static bool ps_unix_option(struct ps_args *a, char c, const char *rest)
{
	switch (c) {
	case 'C':
		return ps_list_option(a, rest, PS_BY_COMM, "list of command names must follow -C");
	case 'G':
		return ps_list_option(a, rest, PS_BY_RGID, "list of real groups must follow -G");
	case 'U':
		return ps_list_option(a, rest, PS_BY_RUID, "list of real users must follow -U");
	case 'u':
		return ps_list_option(a, rest, PS_BY_EUID, "list of users must follow -u");
	case 'g':
		return ps_group_or_session(a, rest);
	case 'p':
		return ps_list_option(a, rest, PS_BY_PID, "list of process IDs must follow -p");
	case 'q':
		a->ps->quick = true;
		return ps_list_option(a, rest, PS_BY_PID, "List of process IDs must follow -q.");
	case 's':
		return ps_list_option(a, rest, PS_BY_SID, "list of session IDs must follow -s");
	case 't':
		return ps_list_option(a, rest, PS_BY_TTY, "list of terminals (pty, tty...) must follow -t");
	case 'o':
		return ps_format_option(a, rest, "format specification must follow -o");
	case 'O':
		if (a->ps->user_formats || a->ps->extra)
			return ps_clash(a->ps, "option -O can not follow other format options");
		a->ps->extra = ps_argument(a, rest);
		return a->ps->extra && *a->ps->extra ? true :
		       ps_fail(a->ps, "format or sort specification must follow -O");
	default:
		return ps_fail(a->ps, "unsupported SysV option");
	}
}

static bool ps_unix(struct ps_args *a, const char *arg)
{
	for (; *arg; arg++) {
		if (*arg == 'V') {
			ps_print_version(a->ps);
			return true;
		}
		if (ps_unix_flag(a->ps, *arg))
			continue;
		return ps_unix_option(a, *arg, arg + 1);
	}
	return true;
}

/* ---- BSD ---- */

static bool ps_bsd_flag(struct ps *ps, char c)
{
	switch (c) {
	case 'a':
		ps->bsd_a = true;
		return true;
	case 'x':
		ps->bsd_x = true;
		return true;
	case 'T':
		ps->this_tty = true;
		return true;
	case 'c':
		ps->comm_only = true;
		return true;
	case 'e':
		ps->environ = true;
		return true;
	case 'f':
		ps->forest = true;
		return true;
	case 'h':
		ps->no_header = true;
		return true;
	case 'n':
		ps->numeric = true;
		return true;
	case 'r':
		ps->running = true;
		return true;
	case 'w':
		ps->wide++;
		return true;
	case 'S':
		ps->cumulative = true;
		return true;
	case 'Z':
		ps->unix_format |= PS_UNIX_M;
		return true;
	case 'H':
		ps->threads |= PS_THREADS_H;
		return true;
	case 'M':
	case 'm':
		ps->threads |= PS_THREADS_M;
		return true;
	case 'g':
		return true;	/* what is the default */
	default:
		return false;
	}
}

static bool ps_bsd_sort_or_format(struct ps_args *a, const char *rest)
{
	const char *arg = ps_argument(a, rest);

	if (!arg || !*arg)
		return ps_fail(a->ps, "format or sort specification must follow O");
	if (a->ps->n_keys)
		return ps_clash(a->ps, "multiple sort options");
	return ps_sort_or_format(a->ps, arg);
}

static bool ps_bsd_option(struct ps_args *a, char c, const char *rest)
{
	const char *arg;

	switch (c) {
	case 'U':
		return ps_list_option(a, rest, PS_BY_EUID, "list of users must follow U");
	case 'p':
		return ps_list_option(a, rest, PS_BY_PID, "list of process IDs must follow p");
	case 'q':
		a->ps->quick = true;
		return ps_list_option(a, rest, PS_BY_PID, "List of process IDs must follow q.");
	case 't':
		if (!*rest && (a->at + 1 >= a->argc || !a->argv[a->at + 1][0])) {
			a->ps->this_tty = true;
			return true;
		}
		return ps_list_option(a, rest, PS_BY_TTY, "list of terminals must follow t");
	case 'o':
		return ps_format_option(a, rest, "format specification must follow o");
	case 'O':
		return ps_bsd_sort_or_format(a, rest);
	case 'k':
		arg = ps_argument(a, rest);
		if (!arg || !*arg)
			return ps_fail(a->ps, "long sort specification must follow 'k'");
		return ps_sort_option(a->ps, arg);
	default:
		return ps_fail(a->ps, "unsupported option (BSD syntax)");
	}
}

static bool ps_bsd(struct ps_args *a, const char *arg)
{
	a->ps->bsd = true;
	for (; *arg; arg++) {
		if (*arg == 'V')
			ps_print_version(a->ps);
		if (*arg == 'L') {
			ps_column_list(a->ps);
			tsb_exit(a->ps->p, 0);
		}
		if (strchr("jlsuvX", *arg)) {
			if (a->ps->bsd_format && a->ps->bsd_format != *arg)
				return ps_conflict(a->ps);
			a->ps->bsd_format = *arg;
			continue;
		}
		if (!ps_bsd_flag(a->ps, *arg))
			return ps_bsd_option(a, *arg, arg + 1);
	}
	return true;
}

/* ---- GNU ---- */

enum ps_long { L_COLS, L_CUMULATIVE, L_DESELECT, L_FOREST, L_FORMAT, L_GROUP_R, L_GROUP_E, L_HEADERS,
	       L_HELP, L_NO_HEADERS, L_PID, L_PPID, L_QUICK, L_ROWS, L_SID, L_SORT, L_TTY, L_USER_E,
	       L_USER_R, L_VERSION, L_CONTEXT };

static const struct { const char *name; enum ps_long what; const char *missing; } ps_longs[] = {
	{ "Group", L_GROUP_R, "list of real groups must follow --Group" },
	{ "User", L_USER_R, "list of real users must follow --User" },
	{ "cols", L_COLS, NULL }, { "columns", L_COLS, NULL }, { "context", L_CONTEXT, NULL },
	{ "cumulative", L_CUMULATIVE, NULL }, { "deselect", L_DESELECT, NULL },
	{ "forest", L_FOREST, NULL },
	{ "format", L_FORMAT, "format specification must follow --format" },
	{ "group", L_GROUP_E, "list of effective groups must follow --group" },
	{ "header", L_HEADERS, NULL }, { "headers", L_HEADERS, NULL },
	{ "heading", L_HEADERS, NULL }, { "headings", L_HEADERS, NULL },
	{ "help", L_HELP, NULL }, { "lines", L_ROWS, NULL },
	{ "no-header", L_NO_HEADERS, NULL }, { "no-headers", L_NO_HEADERS, NULL },
	{ "no-heading", L_NO_HEADERS, NULL }, { "no-headings", L_NO_HEADERS, NULL },
	{ "noheader", L_NO_HEADERS, NULL }, { "noheaders", L_NO_HEADERS, NULL },
	{ "noheading", L_NO_HEADERS, NULL }, { "noheadings", L_NO_HEADERS, NULL },
	{ "pid", L_PID, "list of process IDs must follow --pid" },
	{ "ppid", L_PPID, "list of process IDs must follow --ppid" },
	{ "quick-pid", L_QUICK, "List of process IDs must follow --quick-pid." },
	{ "rows", L_ROWS, NULL },
	{ "sid", L_SID, "some sid thing(s) must follow --sid" },
	{ "sort", L_SORT, "long sort specification must follow --sort" },
	{ "tty", L_TTY, "list of ttys must follow --tty" },
	{ "user", L_USER_E, "list of effective users must follow --user" },
	{ "version", L_VERSION, NULL }, { "width", L_COLS, NULL },
};

static bool ps_long_number(struct ps_args *a, const char *value, int *out, const char *missing)
{
	int64_t n;

	if (!value || num_i64(value, &n) != NUM_OK || n <= 0 || n > 1 << 24)
		return ps_fail(a->ps, missing);
	*out = (int)n;
	return true;
}

static bool ps_long_do(struct ps_args *a, enum ps_long what, const char *value)
{
	static const enum ps_list_kind kinds[] = {
		[L_GROUP_R] = PS_BY_RGID, [L_GROUP_E] = PS_BY_EGID, [L_PID] = PS_BY_PID,
		[L_PPID] = PS_BY_PPID, [L_QUICK] = PS_BY_PID, [L_SID] = PS_BY_SID,
		[L_TTY] = PS_BY_TTY, [L_USER_E] = PS_BY_EUID, [L_USER_R] = PS_BY_RUID,
	};
	struct ps *ps = a->ps;

	switch (what) {
	case L_CUMULATIVE:
		ps->cumulative = true;
		return true;
	case L_DESELECT:
		ps->deselect = true;
		return true;
	case L_FOREST:
		ps->forest = true;
		return true;
	case L_HEADERS:
		ps->repeat_header = true;
		return true;
	case L_NO_HEADERS:
		ps->no_header = true;
		return true;
	case L_CONTEXT:
		ps->user_formats = true;
		ps_format_named(ps, "pid,context,command");
		return true;
	case L_FORMAT:
		ps->user_formats = true;
		return ps_format_add(ps, value);
	case L_SORT:
		return ps_sort_option(ps, value);
	case L_QUICK:
		ps->quick = true;
		return ps_want_list(ps, PS_BY_PID, value);
	default:
		return ps_want_list(ps, kinds[what], value);
	}
}

static bool ps_long_end(struct ps_args *a, enum ps_long what)
{
	if (what == L_VERSION)
		ps_print_version(a->ps);
	if (what == L_HELP) {
		tsb_puts(a->ps->p, ps_usage_text);
		tsb_exit(a->ps->p, 0);
	}
	return true;
}

static bool ps_gnu(struct ps_args *a, const char *arg)
{
	size_t n = strcspn(arg, "=");
	const char *value = arg[n] ? arg + n + 1 : NULL;

	for (size_t i = 0; i < sizeof(ps_longs) / sizeof(*ps_longs); i++) {
		enum ps_long what = ps_longs[i].what;

		if (strlen(ps_longs[i].name) != n || strncmp(ps_longs[i].name, arg, n))
			continue;
		if (what == L_HELP || what == L_VERSION)
			return ps_long_end(a, what);
		if (!value && (ps_longs[i].missing || what == L_COLS || what == L_ROWS) &&
		    a->at + 1 < a->argc)
			value = a->argv[++a->at];
		if (what == L_COLS)
			return ps_long_number(a, value, &a->ps->columns, "number of columns must follow "
					      "--cols, --width, or --columns");
		if (what == L_ROWS)
			return ps_long_number(a, value, &a->ps->rows,
					      "number of rows must follow --rows or --lines");
		if (ps_longs[i].missing && (!value || !*value))
			return ps_fail(a->ps, ps_longs[i].missing);
		return ps_long_do(a, what, value);
	}
	return ps_fail(a->ps, "unknown gnu long option");
}

/* ---- All ---- */

/* Numbers are the end: processes, and with a sign groups and sessions. */
static bool ps_trailing(struct ps_args *a)
{
	a->ps->bsd = true;
	for (; a->at < a->argc; a->at++) {
		const char *arg = a->argv[a->at];
		enum ps_list_kind kind = *arg == '-' ? PS_BY_PGRP : *arg == '+' ? PS_BY_SID : PS_BY_PID;

		if (!ps_want_list(a->ps, kind, arg + (kind != PS_BY_PID)))
			return false;
	}
	return true;
}

static bool ps_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool ps_argument_read(struct ps_args *a, const char *arg)
{
	struct ps *ps = a->ps;

	if (*arg >= '0' && *arg <= '9')
		return ps_trailing(a);
	if (*arg == '+' || (*arg == '-' && arg[1] >= '0' && arg[1] <= '9'))
		return ps_trailing(a);
	if (ps_is_letter(*arg))
		return ps->force_bsd ? ps_fail(ps, "") : ps_bsd(a, arg);
	if (*arg == '-' && ps_is_letter(arg[1]))
		return ps->force_bsd ? ps_bsd(a, arg + 1) : ps_unix(a, arg + 1);
	if (*arg == '-' && arg[1] == '-' && arg[2])
		return ps_gnu(a, arg + 2);
	return ps_fail(ps, "garbage option");
}

static bool ps_threads_agree(struct ps *ps)
{
	unsigned t = ps->threads, m = PS_THREADS_M | PS_THREADS_UNIX_M;

	if (t && (ps->forest || ps->hierarchy))
		return ps_clash(ps, "thread display conflicts with forest display");
	if ((t & m) == m)
		return ps_clash(ps, "thread flags conflict; can't use both m and -m");
	if (t & PS_THREADS_H && t & m)
		return ps_clash(ps, "thread flags conflict; can't use H with m or -m");
	if (t & PS_THREADS_L && t & PS_THREADS_T)
		return ps_clash(ps, "thread flags conflict; can't use both -L and -T");
	if (t & (PS_THREADS_L | PS_THREADS_T) && t & (PS_THREADS_H | m) &&
	    (ps->user_formats || ps->extra))
		return ps_clash(ps, "-L/-T with H/m/-m and -o/-O/o/O is nonsense");
	return true;
}

static bool ps_formats_agree(struct ps *ps)
{
	unsigned whole = PS_UNIX_F | PS_UNIX_L, add = PS_UNIX_J | PS_UNIX_Y | PS_UNIX_P | PS_UNIX_M,
		 threads = PS_UNIX_LWP | PS_UNIX_SPID | PS_UNIX_C, u = ps->unix_format;

	if (ps->bsd_format && u & ~(threads | PS_UNIX_M))
		return ps_conflict(ps);
	if ((ps->user_formats && (ps->bsd_format || u & whole)) || (ps->extra && ps->bsd_format))
		return ps_conflict(ps);
	if (ps->user_formats && u & add)
		return ps_clash(ps, "can not use output modifiers with user-defined output");
	if (u & PS_UNIX_Y && !(u & PS_UNIX_L))
		return ps_clash(ps, "modifier -y without format -l makes no sense");
	return true;
}

static bool ps_parse(struct ps *ps, int argc, char **argv)
{
	struct ps_args a = { ps, argv, argc, 0 };

	for (; a.at < argc; a.at++)
		if (!ps_argument_read(&a, argv[a.at]))
			return false;
	if (!ps_threads_agree(ps) || !ps_formats_agree(ps))
		return false;
	if (!ps->user_formats) {
		ps->error = NULL;
		ps_format_default(ps);
	}
	return ps->user_formats || !ps->error;
}

static void ps_prepare(struct ps *ps, struct tsb_proc *p, bool force_bsd)
{
	struct tsb_time now = tsb_clock(p, TSB_CLOCK_REAL);

	*ps = (struct ps){ .p = p, .force_bsd = force_bsd };
	ps->pid_width = procs_pid_width(p);
	ps->uptime = procs_uptime(p);
	ps->memory_kb = procs_meminfo(p, "MemTotal");
	ps->now = now.sec;
	ps->boot = now.sec - (int64_t)ps->uptime;
}

/* An explicit width counts, and so does a terminal's; else lines are whole. */
static void ps_measure(struct ps *ps)
{
	const char *columns = tsb_getenv(ps->p, "COLUMNS");
	int64_t n;

	if (!ps->columns && columns && num_i64(columns, &n) == NUM_OK && n > 0 && n < 1 << 24)
		ps->columns = (int)n;
	else if (!ps->columns && tsb_isatty(ps->p, 1))
		ps->columns = 80;
	if (ps->columns && ps->wide == 1 && ps->columns < 132)
		ps->columns = 132;
	if (ps->wide > 1)
		ps->columns = 0;
}

static int ps_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *error;
	struct ps ps;

	(void)opts;
	ps_prepare(&ps, p, false);
	if (!ps_parse(&ps, argc, argv)) {
		bool conflict = ps.conflict;

		error = ps.error;
		ps_prepare(&ps, p, true);
		if (conflict || !ps_parse(&ps, argc, argv)) {
			tsb_flush(p);
			error = tsb_format(p, "error: %s\n%s", error, ps_usage_text);
			tsb_write_all(p, 2, error, strlen(error));
			return 1;
		}
	}
	ps_measure(&ps);
	return ps_show(&ps) ? 0 : 1;
}

const struct tsb_command cmd_ps = {
	.version = TSB_COMMAND_VERSION, .package = "procps-ng", .package_version = "4.0.2",
	.name = "ps", .synopsis = "[options]", .summary = "Report a snapshot of the processes.",
	.run = ps_run, .flags = TSB_RAW,
};
