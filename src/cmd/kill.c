/*
 * kill (procps), killall (psmisc) and pidof - processes by number and by the
 * very name of their program.
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
#include "cmd/sig.h"
#include "cmd/util.h"
#include "text/regex.h"

static const char kill_usage[] =
	"\nUsage:\n kill [options] <pid> [...]\n\n"
	"Options:\n"
	" <pid> [...]            send signal to every <pid> listed\n"
	" -<signal>, -s, --signal <signal>\n"
	"                        specify the <signal> to be sent\n"
	" -q, --queue <value>    integer value to be sent with the signal\n"
	" -l, --list=[<signal>]  list all signal names, or convert one to a name\n"
	" -L, --table            list all signal names in a nice table\n\n"
	" -h, --help     display this help and exit\n"
	" -V, --version  output version information and exit\n\n"
	"For more details see kill(1).\n";

/* Names in lines of at most 80 characters. */
static void kill_list(struct tsb_proc *p)
{
	char buf[16];
	size_t at = 0;

	for (int sig = 1; sig < 32; sig++) {
		const char *name = sig_name(sig, buf);

		if (at && at + 1 + strlen(name) > 78) {
			tsb_putc(p, '\n');
			at = 0;
		}
		if (at)
			tsb_putc(p, ' ');
		tsb_puts(p, name);
		at += strlen(name) + (at != 0);
	}
	tsb_putc(p, '\n');
}

static void kill_table(struct tsb_proc *p)
{
	char buf[16];

	for (int sig = 1; sig < 32; sig++)
		tsb_printf(p, sig % 7 ? "%2d %-8s" : "%2d %s\n", sig, sig_name(sig, buf));
	tsb_putc(p, '\n');
}

/* -l: a number becomes a name, a name a number. */
static int kill_convert(struct tsb_proc *p, const char *arg)
{
	char buf[16];
	int sig = sig_parse(arg);

	if (sig < 0 || (arg[0] >= '0' && arg[0] <= '9' && atoi(arg) > 64)) {
		tsb_warn(p, "unknown signal name %s", arg);
		return 0;
	}
	if (arg[0] >= '0' && arg[0] <= '9')
		tsb_printf(p, "%s\n", sig_name(sig, buf));
	else
		tsb_printf(p, "%d\n", sig);
	return 0;
}

static int kill_invalid(struct tsb_proc *p, int letter)
{
	tsb_warn(p, "invalid argument %c", letter);
	tsb_write_all(p, 2, kill_usage, sizeof(kill_usage) - 1);
	return 1;
}

static int kill_one(struct tsb_proc *p, const char *arg, int sig)
{
	int64_t pid;
	int err;

	if (num_i64(arg, &pid) != NUM_OK || pid < INT32_MIN || pid > INT32_MAX) {
		tsb_warn(p, "failed to parse argument: '%s'", arg);
		return 2;
	}
	err = tsb_kill(p, (int)pid, sig);
	if (err >= 0)
		return 0;
	tsb_warn_errno(p, err, "(%lld)", (long long)pid);
	return 1;
}

/* What an argument in front of the numbers says: 0 go on, else a status + 1. */
struct kill {
	int sig;
	bool listed, signaled;
};

static const char *kill_value(int argc, char **argv, int *i, const char *glued)
{
	if (*glued)
		return glued + (*glued == '=');
	return *i + 1 < argc ? argv[++*i] : NULL;
}

static int kill_list_option(struct tsb_proc *p, struct kill *k, const char *value)
{
	k->listed = true;
	if (value)
		return kill_convert(p, value);
	kill_list(p);
	return 0;
}

static int kill_option(struct tsb_proc *p, struct kill *k, int argc, char **argv, int *i)
{
	const char *arg = argv[*i], *value;
	int64_t number;

	if (!strncmp(arg, "-l", 2) || !strncmp(arg, "--list", 6)) {
		value = arg[1] == '-' ? (arg[6] ? arg + 7 : NULL) : arg[2] ? arg + 2 :
			*i + 1 < argc ? argv[++*i] : NULL;
		return kill_list_option(p, k, value);
	}
	if (!strcmp(arg, "-L") || !strcmp(arg, "--table")) {
		k->listed = true;
		kill_table(p);
		return 0;
	}
	if (!strncmp(arg, "-q", 2) || !strncmp(arg, "--queue", 7)) {
		value = kill_value(argc, argv, i, arg + (arg[1] == '-' ? 7 : 2));
		return value && num_i64(value, &number) == NUM_OK ? 0 : kill_invalid(p, 'q');
	}
	if (!strncmp(arg, "-s", 2) || !strncmp(arg, "--signal", 8)) {
		value = kill_value(argc, argv, i, arg + (arg[1] == '-' ? 8 : 2));
		k->signaled = true;
		k->sig = value ? sig_parse(value) : -1;
		return k->sig >= 0 ? 0 : kill_invalid(p, 's');
	}
	k->signaled = true;
	k->sig = sig_parse(arg + 1);
	return k->sig >= 0 ? 0 : kill_invalid(p, arg[1]);
}

static int kill_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct kill k = { .sig = 15 };
	int status = 0, i = 0;

	(void)opts;
	if (argc && (!strcmp(argv[0], "-h") || !strcmp(argv[0], "--help"))) {
		tsb_puts(p, kill_usage);
		return 0;
	}
	if (argc && (!strcmp(argv[0], "-V") || !strcmp(argv[0], "--version")))
		return procps_version(p, NULL, NULL, NULL);
	for (; i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--"); i++) {
		/* Behind a signal -N is a group. */
		if (k.signaled && argv[i][1] >= '0' && argv[i][1] <= '9')
			break;
		status = kill_option(p, &k, argc, argv, &i);
		if (status || k.listed)
			return status;
	}
	i += i < argc && !strcmp(argv[i], "--");
	if (i == argc) {
		tsb_write_all(p, 2, kill_usage, sizeof(kill_usage) - 1);
		return 1;
	}
	for (; i < argc; i++) {
		int one = kill_one(p, argv[i], k.sig);

		if (one == 2)
			return 1;
		status |= one;
	}
	return status;
}

/* Read by hand (the first words may be signals or levels); this is for --help
 * and the manual. */
static const struct tsb_opt kill_opts[] = {
	TSB_OPT_DOC('s', "signal", "signal", "specify the <signal> to be sent"),
	TSB_OPT_DOC('q', "queue", "value", "integer value to be sent with the signal"),
	TSB_OPT_DOC('l', "list", "signal", "list all signal names, or convert one to a name"),
	TSB_OPT_DOC('L', "table", NULL, "list all signal names in a nice table"),
	TSB_OPT_DOC('h', NULL, NULL, "display this help and exit"),
	TSB_OPT_DOC('V', NULL, NULL, "output version information and exit"),
	TSB_OPT_END
};

const struct tsb_command cmd_kill = {
	.version = TSB_COMMAND_VERSION, .package = "procps-ng", .package_version = "4.0.2",
	.name = "kill", .synopsis = "[options] <pid> [...]", .summary = "Send a signal to a process.",
	.opts = kill_opts, .run = kill_run, .flags = TSB_RAW,
};

/* ---- killall ---- */

struct killall {
	bool exact, icase, group, interactive, list, quiet, regexp, verbose, wait;
	const char *younger, *older, *signal, *user, *ns, *context;
};

static const struct tsb_opt killall_opts[] = {
	TSB_OPT_FLAG(struct killall, exact, 'e', "exact", "require exact match for very long names"),
	TSB_OPT_FLAG(struct killall, icase, 'I', "ignore-case",
		     "case insensitive process name match"),
	TSB_OPT_FLAG(struct killall, group, 'g', "process-group",
		     "kill process group instead of process"),
	TSB_OPT_STR(struct killall, younger, 'y', "younger-than", "TIME",
		    "kill processes younger than TIME"),
	TSB_OPT_STR(struct killall, older, 'o', "older-than", "TIME", "kill processes older than TIME"),
	TSB_OPT_FLAG(struct killall, interactive, 'i', "interactive",
		     "ask for confirmation before killing"),
	TSB_OPT_FLAG(struct killall, list, 'l', "list", "list all known signal names"),
	TSB_OPT_FLAG(struct killall, quiet, 'q', "quiet", "don't print complaints"),
	TSB_OPT_FLAG(struct killall, regexp, 'r', "regexp",
		     "interpret NAME as an extended regular expression"),
	TSB_OPT_STR(struct killall, signal, 's', "signal", "SIGNAL",
		    "send this signal instead of SIGTERM"),
	TSB_OPT_STR(struct killall, user, 'u', "user", "USER",
		    "kill only process(es) running as USER"),
	TSB_OPT_FLAG(struct killall, verbose, 'v', "verbose",
		     "report if the signal was successfully sent"),
	TSB_OPT_FLAG(struct killall, wait, 'w', "wait", "wait for processes to die"),
	TSB_OPT_STR(struct killall, ns, 'n', "ns", "PID",
		    "match processes that belong to the same namespaces as PID"),
	TSB_OPT_STR(struct killall, context, 'Z', "context", "REGEXP",
		    "kill only process(es) having context"),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

struct killall_job {
	struct tsb_proc *p;
	const struct killall *o;
	struct procs all;
	uint32_t uid;
	int sig;
	double younger, older;
	struct util_asker asker;
	size_t n_killed, cap_killed;
	struct procs_item *killed;
};

/* "5s", "10m", "2h", "1d", "1w": seconds, or negative. */
static double killall_age(const char *s)
{
	static const struct { char letter; double seconds; } units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 },
		{ 'M', 2592000 }, { 'y', 31536000 },
	};
	char *end;
	double v;

	if (!s)
		return 0;
	v = strtod(s, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (end != s && *end == units[i].letter && !end[1])
			return v * units[i].seconds;
	return end != s && !*end ? v : -1;
}

static bool killall_name_matches(struct killall_job *j, const struct procs_item *it,
				 const char *name, struct regex *re)
{
	const char *base = it->argc ? it->argv[0] : it->comm, *slash = strrchr(base, '/');

	if (re)
		return regex_match(re, it->comm, strlen(it->comm), 0, 0, NULL, 0) == REGEX_MATCH;
	/* A name that is longer than what the kernel keeps is looked for in argv[0]. */
	base = slash ? slash + 1 : base;
	if (strlen(name) < 15 || !it->argc)
		base = it->comm;
	return !(j->o->icase ? strcasecmp : strcmp)(base, name);
}

static bool killall_wanted(struct killall_job *j, const struct procs_item *it)
{
	double age = procs_uptime(j->p) - (double)it->start / PROCS_HZ;

	return it->pid != tsb_getpid(j->p) && (!j->o->user || it->uid[1] == j->uid) &&
	       (!j->o->younger || age <= j->younger) && (!j->o->older || age >= j->older);
}

static bool killall_one(struct killall_job *j, const struct procs_item *it, const char *name)
{
	int target = j->o->group ? -it->pgrp : it->pid, err;
	char buf[16];

	if (j->o->interactive &&
	    !util_ask(j->p, &j->asker, "Kill %s(%d) ? (y/N) ", name, it->pid))
		return false;
	err = tsb_kill(j->p, target, j->sig);
	if (err < 0) {
		if (!j->o->quiet) {
			const char *text = tsb_format(j->p, "%s(%d): %s\n", name, it->pid,
						      tsb_strerror(err));
			tsb_write_all(j->p, 2, text, strlen(text));
		}
		return false;
	}
	if (j->o->verbose) {
		const char *text = tsb_format(j->p, "Killed %s(%d) with signal %d\n", name, target,
					      j->sig);
		tsb_write_all(j->p, 2, text, strlen(text));
	}
	(void)buf;
	j->killed = util_grow(j->p, j->killed, j->n_killed, &j->cap_killed, sizeof(*j->killed));
	j->killed[j->n_killed++] = *it;
	return true;
}

static int killall_name(struct killall_job *j, const char *name)
{
	struct regex *re = NULL;
	const char *error = NULL, *text;
	bool any = false;

	if (j->o->regexp) {
		re = regex_compile(tsb_heap_of(j->p), name, strlen(name),
				   REGEX_EXTENDED | (j->o->icase ? REGEX_ICASE : 0), &error);
		if (!re || error) {
			text = tsb_format(j->p, "killall: Bad regular expression: %s\n", name);
			tsb_write_all(j->p, 2, text, strlen(text));
			tsb_exit(j->p, 1);
		}
	}
	for (size_t i = 0; i < j->all.n; i++)
		if (killall_wanted(j, &j->all.at[i]) &&
		    killall_name_matches(j, &j->all.at[i], name, re))
			any |= killall_one(j, &j->all.at[i], name);
	if (!any && !j->o->quiet) {
		text = tsb_format(j->p, "%s: no process found\n", name);
		tsb_write_all(j->p, 2, text, strlen(text));
	}
	return any ? 0 : 1;
}

static void killall_await(struct killall_job *j)
{
	struct procs_item now;

	for (size_t i = 0; i < j->n_killed; i++)
		while (procs_read_one(j->p, j->killed[i].pid, &now) && now.state != 'Z' &&
		       now.start == j->killed[i].start)
			tsb_sleep(j->p, 100000000);
}

static int killall_usage(struct tsb_proc *p)
{
	struct str s;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	opt_help(&s, &cmd_killall, "killall");
	tsb_write_all(p, 2, s.p, s.n);
	return 1;
}

static int killall_do(struct tsb_proc *p, const struct killall *o, const char *sig, int argc,
		      char **argv)
{
	struct killall_job j = { .p = p, .o = o };
	uint32_t gid;
	int status = 0;

	if (o->list) {
		kill_list(p);
		return 0;
	}
	j.sig = o->signal ? sig_parse(o->signal) : sig ? atoi(sig) : 15;
	if (j.sig < 0) {
		const char *text = tsb_format(p, "%s: unknown signal; killall -l lists signals.\n",
					      o->signal);
		tsb_write_all(p, 2, text, strlen(text));
		return 1;
	}
	j.younger = killall_age(o->younger);
	j.older = killall_age(o->older);
	if (j.younger < 0 || j.older < 0 || (!argc && !o->user))
		return killall_usage(p);
	if (o->user && !accounts_user(p, o->user, &j.uid, &gid)) {
		const char *text = tsb_format(p, "Cannot find user %s\n", o->user);
		tsb_write_all(p, 2, text, strlen(text));
		return 1;
	}
	procs_read(p, &j.all);
	for (int i = 0; i < argc; i++)
		status |= killall_name(&j, argv[i]);
	for (size_t i = 0; i < j.all.n && !argc; i++)
		if (killall_wanted(&j, &j.all.at[i]))
			killall_one(&j, &j.all.at[i], j.all.at[i].comm);
	if (o->wait)
		killall_await(&j);
	return status;
}

static int killall_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *sig = NULL;
	struct opt_parsed parsed;
	int status;

	(void)opts;
	for (int i = 0; i < argc && !sig && argv[i][0] == '-' && strcmp(argv[i], "--"); i++) {
		if (argv[i][1] == '-' || sig_parse(argv[i] + 1) < 0)
			continue;
		sig = tsb_format(p, "%d", sig_parse(argv[i] + 1));
		memmove(argv + i, argv + i + 1, (size_t)(argc - i) * sizeof(*argv));
		argc--;
	}
	if (!rawopt_parse(p, &cmd_killall, argc, argv, &parsed, &status))
		return status;
	return killall_do(p, parsed.opts, sig, parsed.argc, parsed.argv);
}

const struct tsb_command cmd_killall = {
	.version = TSB_COMMAND_VERSION, .package = "PSmisc", .package_version = "23.6",
	.name = "killall", .synopsis = "[OPTION]... [--] NAME...",
	.summary = "Kill processes by name.", .opts = killall_opts,
	.opts_size = sizeof(struct killall), .run = killall_run, .flags = TSB_RAW,
};

/* ---- pidof ---- */

struct pidof {
	bool single, scripts, chroots, quiet, no_nfs, zombies;
	struct tsb_list omit;
	const char *separator;
};

static const struct tsb_opt pidof_opts[] = {
	TSB_OPT_FLAG(struct pidof, single, 's', NULL, "return one PID only"),
	TSB_OPT_FLAG(struct pidof, chroots, 'c', NULL, "only processes with the same root directory"),
	TSB_OPT_FLAG(struct pidof, quiet, 'q', NULL, "quiet: only the exit status tells"),
	TSB_OPT_FLAG(struct pidof, no_nfs, 'n', NULL, "avoid stat of network filesystems"),
	TSB_OPT_FLAG(struct pidof, scripts, 'x', NULL, "also find shells running the named scripts"),
	TSB_OPT_FLAG(struct pidof, zombies, 'z', NULL, "also processes in Z and D state"),
	TSB_OPT_LIST(struct pidof, omit, 'o', NULL, "omitpid", "omit processes with that PID"),
	TSB_OPT_STR(struct pidof, separator, 'd', NULL, "sep", "use sep between PIDs"),
	TSB_OPT_END
};

static const char *pidof_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool pidof_matches(const struct pidof *o, const struct procs_item *it, const char *name)
{
	const char *base = pidof_base(name);

	if (it->state == 'Z' && !o->zombies)
		return false;
	if (!it->argc)
		return !strcmp(it->comm, name);
	if (!strcmp(it->argv[0], name) || !strcmp(pidof_base(it->argv[0]), base))
		return true;
	return o->scripts && it->argc > 1 && !strcmp(pidof_base(it->argv[1]), base);
}

static bool pidof_omitted(struct tsb_proc *p, const struct pidof *o, int pid)
{
	for (size_t i = 0; i < o->omit.n; i++) {
		int64_t n;

		if (!strcmp(o->omit.at[i], "%PPID") ? pid == tsb_getppid(p) :
		    num_i64(o->omit.at[i], &n) == NUM_OK && n == pid)
			return true;
	}
	return pid == tsb_getpid(p);
}

static int pidof_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct pidof *o = opts;
	bool any = false;
	struct procs all;

	procs_read(p, &all);
	for (int i = 0; i < argc; i++)
		for (size_t k = all.n; k--;) {
			if (!pidof_matches(o, &all.at[k], argv[i]) ||
			    pidof_omitted(p, o, all.at[k].pid))
				continue;
			if (any && o->single)
				break;
			if (!o->quiet)
				tsb_printf(p, "%s%d", any ? o->separator ? o->separator : " " : "",
					   all.at[k].pid);
			any = true;
		}
	if (any && !o->quiet)
		tsb_putc(p, '\n');
	return any ? 0 : 1;
}

const struct tsb_command cmd_pidof = {
	.version = TSB_COMMAND_VERSION, .package = "sysvinit", .package_version = "3.06",
	.name = "pidof", .synopsis = "[-s] [-c] [-q] [-n] [-x] [-z] [-o omitpid]... [-d sep] program...",
	.summary = "Find the process ID of running programs.", .opts = pidof_opts,
	.opts_size = sizeof(struct pidof), .run = pidof_run,
};
