/*
 * pgrep, pkill, pidwait - find processes by name and other properties, and list,
 * signal or await them. One matcher; three things to do with what it finds.
 */
#include "cmd/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "base/num.h"
#include "base/opt.h"
#include "cmd/accounts.h"
#include "cmd/procs.h"
#include "cmd/rawopt.h"
#include "cmd/sig.h"
#include "cmd/util.h"
#include "text/regex.h"

enum { PGREP_NONE = 1, PGREP_USAGE = 2, PGREP_FATAL = 3 };
#define PGREP_MISUSE INT64_MIN

struct pgrep_list {
	const char *text;
	int64_t *at;
	size_t n;
};

struct pgrep {
	bool name, full_line, inverse, count, full, icase, newest, oldest, exact, lightweight,
		need_lock, no_ancestors, echo;
	const char *delimiter, *pidfile, *older, *states, *queue, *signal, *ns, *nslist;
	struct pgrep_list pgroup, group, parent, session, tty, euid, uid, cgroup;

	struct tsb_proc *p;
	struct regex *re;
	int64_t file_pid;
	int64_t older_seconds;
	int sig;
	int me;
	bool kills, waits;
	struct procs all;
	size_t n_found;
	size_t *found;
};

PROCPS_HELP(pgrep)
PROCPS_HELP(pkill)
PROCPS_HELP(pidwait)

#define PGREP_MATCH_ROWS \
	TSB_OPT_FLAG(struct pgrep, count, 'c', "count", "count of matching processes"), \
	TSB_OPT_FLAG(struct pgrep, full, 'f', "full", "use full process name to match"), \
	TSB_OPT_STR(struct pgrep, pgroup.text, 'g', "pgroup", "PGID,...", \
		    "match listed process group IDs"), \
	TSB_OPT_STR(struct pgrep, group.text, 'G', "group", "GID,...", "match real group IDs"), \
	TSB_OPT_FLAG(struct pgrep, icase, 'i', "ignore-case", "match case insensitively"), \
	TSB_OPT_FLAG(struct pgrep, newest, 'n', "newest", "select most recently started"), \
	TSB_OPT_FLAG(struct pgrep, oldest, 'o', "oldest", "select least recently started"), \
	TSB_OPT_STR(struct pgrep, older, 'O', "older", "seconds", \
		    "select where older than seconds"), \
	TSB_OPT_STR(struct pgrep, parent.text, 'P', "parent", "PPID,...", \
		    "match only child processes of the given parent"), \
	TSB_OPT_STR(struct pgrep, session.text, 's', "session", "SID,...", "match session IDs"), \
	TSB_OPT_STR(struct pgrep, tty.text, 't', "terminal", "tty,...", \
		    "match by controlling terminal"), \
	TSB_OPT_STR(struct pgrep, euid.text, 'u', "euid", "ID,...", "match by effective IDs"), \
	TSB_OPT_STR(struct pgrep, uid.text, 'U', "uid", "ID,...", "match by real IDs"), \
	TSB_OPT_FLAG(struct pgrep, exact, 'x', "exact", "match exactly with the command name"), \
	TSB_OPT_STR(struct pgrep, pidfile, 'F', "pidfile", "file", "read PIDs from file"), \
	TSB_OPT_FLAG(struct pgrep, need_lock, 'L', "logpidfile", "fail if PID file is not locked"), \
	TSB_OPT_STR(struct pgrep, states, 'r', "runstates", "state", \
		    "match runstates [D,S,Z,...]"), \
	TSB_OPT_FLAG(struct pgrep, no_ancestors, 'A', "ignore-ancestors", \
		     "exclude our ancestors from results"), \
	TSB_OPT_STR(struct pgrep, cgroup.text, 0, "cgroup", "grp,...", "match by cgroup v2 names"), \
	TSB_OPT_STR(struct pgrep, ns, 0, "ns", "PID", \
		    "match the processes that belong to the same namespace as <pid>"), \
	TSB_OPT_STR(struct pgrep, nslist, 0, "nslist", "ns,...", \
		    "list which namespaces will be considered for the --ns option")

static const struct tsb_opt pgrep_opts[] = {
	TSB_OPT_STR(struct pgrep, delimiter, 'd', "delimiter", "string", "specify output delimiter"),
	TSB_OPT_FLAG(struct pgrep, name, 'l', "list-name", "list PID and process name"),
	TSB_OPT_FLAG(struct pgrep, full_line, 'a', "list-full", "list PID and full command line"),
	TSB_OPT_FLAG(struct pgrep, inverse, 'v', "inverse", "negates the matching"),
	TSB_OPT_FLAG(struct pgrep, lightweight, 'w', "lightweight", "list all TID"),
	PGREP_MATCH_ROWS,
	PROCPS_ROWS(pgrep),
	TSB_OPT_END
};
static const struct tsb_opt pkill_opts[] = {
	TSB_OPT_STR(struct pgrep, signal, 0, "signal", "sig",
		    "signal to send (either number or name)"),
	TSB_OPT_STR(struct pgrep, queue, 'q', "queue", "value",
		    "integer value to be sent with the signal"),
	TSB_OPT_FLAG(struct pgrep, echo, 'e', "echo", "display what is killed"),
	PGREP_MATCH_ROWS,
	PROCPS_ROWS(pkill),
	TSB_OPT_END
};
static const struct tsb_opt pidwait_opts[] = {
	TSB_OPT_FLAG(struct pgrep, echo, 'e', "echo", "display PIDs before waiting"),
	PGREP_MATCH_ROWS,
	PROCPS_ROWS(pidwait),
	TSB_OPT_END
};

/* ---- Lists ---- */

typedef int64_t pgrep_item_fn(struct tsb_proc *p, const char *item);

static int64_t item_number(struct tsb_proc *p, const char *s)
{
	int64_t v;

	(void)p;
	return num_i64(s, &v) == NUM_OK && v >= 0 ? v : PGREP_MISUSE;
}

static int64_t item_user(struct tsb_proc *p, const char *s)
{
	uint32_t uid, gid;
	int64_t v = item_number(p, s);

	if (v != PGREP_MISUSE)
		return v;
	return accounts_user(p, s, &uid, &gid) ? (int64_t)uid : PGREP_MISUSE;
}

static int64_t item_group(struct tsb_proc *p, const char *s)
{
	uint32_t gid;
	int64_t v = item_number(p, s);

	if (v != PGREP_MISUSE)
		return v;
	return accounts_group(p, s, &gid) ? (int64_t)gid : PGREP_MISUSE;
}

/* No process here has a terminal. */
static int64_t item_tty(struct tsb_proc *p, const char *s)
{
	(void)p, (void)s;
	return -1;
}

static bool pgrep_list(struct pgrep *g, struct pgrep_list *l, pgrep_item_fn *item, const char *what)
{
	const char *at = l->text;
	size_t cap = 0;

	while (at) {
		size_t n = strcspn(at, ",");
		char *word = tsb_strndup(g->p, at, n);

		l->at = util_grow(g->p, l->at, l->n, &cap, sizeof(*l->at));
		l->at[l->n] = item(g->p, word);
		if (l->at[l->n++] == PGREP_MISUSE) {
			if (what)
				tsb_warn(g->p, "invalid %s: %s", what, word);
			else
				tsb_warn(g->p, "not a number: %s", word);
			return false;
		}
		at = at[n] ? at + n + 1 : NULL;
	}
	return true;
}

static bool pgrep_lists(struct pgrep *g)
{
	bool ok = pgrep_list(g, &g->pgroup, item_number, "process group") &&
		  pgrep_list(g, &g->group, item_group, "group name") &&
		  pgrep_list(g, &g->parent, item_number, NULL) &&
		  pgrep_list(g, &g->session, item_number, "session id") &&
		  pgrep_list(g, &g->tty, item_tty, "terminal") &&
		  pgrep_list(g, &g->euid, item_user, "user name") &&
		  pgrep_list(g, &g->uid, item_user, "user name");

	/* 0: one's own. */
	for (size_t i = 0; ok && i < g->pgroup.n; i++)
		if (!g->pgroup.at[i])
			g->pgroup.at[i] = tsb_getpgid(g->p, 0);
	for (size_t i = 0; ok && i < g->session.n; i++)
		for (size_t k = 0; !g->session.at[i] && k < g->all.n; k++)
			if (g->all.at[k].pid == g->me)
				g->session.at[i] = g->all.at[k].sid;
	return ok;
}

static bool pgrep_in(const struct pgrep_list *l, int64_t v)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i] == v)
			return true;
	return !l->text;
}

/* ---- Matching ---- */

static bool pgrep_name_matches(struct pgrep *g, const struct procs_item *it)
{
	const char *text = g->full ? procs_command_line(g->p, it) : NULL;
	struct regex_span span;
	size_t n;

	if (!g->re)
		return true;
	if (!text)
		text = it->comm;
	n = strlen(text);
	if (regex_match(g->re, text, n, 0, 0, &span, 1) != REGEX_MATCH)
		return false;
	return !g->exact || (span.so == 0 && span.eo == n);
}

static bool pgrep_matches(struct pgrep *g, const struct procs_item *it)
{
	double age = procs_uptime(g->p) - (double)it->start / PROCS_HZ;

	return pgrep_in(&g->pgroup, it->pgrp) && pgrep_in(&g->group, it->gid[0]) &&
	       pgrep_in(&g->parent, it->ppid) && pgrep_in(&g->session, it->sid) &&
	       pgrep_in(&g->tty, it->tty) && pgrep_in(&g->euid, it->uid[1]) &&
	       pgrep_in(&g->uid, it->uid[0]) && (!g->pidfile || it->pid == g->file_pid) &&
	       (!g->states || strchr(g->states, it->state)) &&
	       (!g->older || age >= (double)g->older_seconds) && pgrep_name_matches(g, it);
}

static bool pgrep_is_ancestor(const struct pgrep *g, int pid)
{
	int at = g->me;

	for (size_t turn = 0; turn <= g->all.n && at > 0; turn++) {
		int parent = 0;

		if (at == pid)
			return true;
		for (size_t i = 0; i < g->all.n; i++)
			if (g->all.at[i].pid == at)
				parent = g->all.at[i].ppid;
		at = parent;
	}
	return false;
}

static void pgrep_find(struct pgrep *g)
{
	bool one = g->newest || g->oldest;

	g->found = tsb_alloc(g->p, (g->all.n + 1) * sizeof(*g->found));
	for (size_t i = 0; i < g->all.n; i++) {
		const struct procs_item *it = &g->all.at[i], *best = &g->all.at[g->found[0]];

		tsb_tick(g->p, 10);
		if (it->pid == g->me || (g->no_ancestors && pgrep_is_ancestor(g, it->pid)))
			continue;
		if (pgrep_matches(g, it) == g->inverse)
			continue;
		if (one && g->n_found && (g->newest ? it->start < best->start : it->start >= best->start))
			continue;
		g->found[one ? 0 : g->n_found] = i;
		g->n_found += !one || !g->n_found;
	}
}

/* ---- What comes before ---- */

static int pgrep_compile(struct pgrep *g, const char *pattern)
{
	const char *error = NULL;

	g->re = regex_compile(tsb_heap_of(g->p), pattern, strlen(pattern),
			      REGEX_EXTENDED | (g->icase ? REGEX_ICASE : 0), &error);
	if (g->re && !error)
		return 0;
	tsb_warn(g->p, "regex error: %s", error ? error : "out of memory");
	return PGREP_USAGE;
}

static bool pgrep_read_pidfile(struct pgrep *g)
{
	char *text = procs_slurp(g->p, g->pidfile, NULL), *end;
	int fd, locked;

	if (!text)
		return false;
	g->file_pid = strtol(text, &end, 10);
	if (end == text || g->file_pid < 1)
		return false;
	if (!g->need_lock)
		return true;
	fd = tsb_open(g->p, g->pidfile, O_RDONLY, 0);
	locked = fd < 0 ? 0 : tsb_flock(g->p, fd, LOCK_EX | LOCK_NB, 0);
	if (fd >= 0)
		tsb_close(g->p, fd);
	return locked < 0;
}

static int pgrep_misuse(struct pgrep *g, const char *message)
{
	const char *name = tsb_name(g->p);

	tsb_warn(g->p, "%s", message);
	name = tsb_format(g->p, "Try `%s --help' for more information.\n", name);
	tsb_write_all(g->p, 2, name, strlen(name));
	return PGREP_USAGE;
}

static bool pgrep_has_criteria(const struct pgrep *g)
{
	return g->pgroup.text || g->group.text || g->parent.text || g->session.text || g->tty.text ||
	       g->euid.text || g->uid.text || g->pidfile || g->states || g->older || g->newest ||
	       g->oldest || g->cgroup.text || g->ns;
}

static int pgrep_signal_option(struct pgrep *g)
{
	int64_t unused;

	/* One that is unknown is told when it cannot be sent. */
	g->sig = g->signal ? sig_parse(g->signal) : 15;
	if (g->queue && num_i64(g->queue, &unused) != NUM_OK)
		return pgrep_misuse(g, tsb_format(g->p, "failed to parse argument: '%s'", g->queue));
	return 0;
}

static int pgrep_prepare(struct pgrep *g, int argc, char **argv)
{
	int status;

	if (g->need_lock && !g->pidfile)
		return pgrep_misuse(g, "-L without -F makes no sense");
	if (g->pidfile && !pgrep_read_pidfile(g))
		return pgrep_misuse(g, "pidfile not valid") ? PGREP_NONE : 0;
	if (g->newest && g->oldest)
		return tsb_usage(g->p, NULL);
	if (g->older && (num_i64(g->older, &g->older_seconds) != NUM_OK || g->older_seconds < 1))
		return pgrep_misuse(g, tsb_format(g->p, "failed to parse argument: '%s'", g->older));
	if (argc > 1)
		return pgrep_misuse(g, "only one pattern can be provided");
	if (!argc && !pgrep_has_criteria(g))
		return pgrep_misuse(g, "no matching criteria specified");
	status = pgrep_signal_option(g);
	if (!status && argc)
		status = pgrep_compile(g, argv[0]);
	if (status)
		return status;
	procs_read(g->p, &g->all);
	return pgrep_lists(g) ? 0 : PGREP_USAGE;
}

/* A name that no process can have: it is cut to 15 bytes. */
static void pgrep_warn_long(struct pgrep *g, const char *pattern)
{
	const char *name = tsb_name(g->p);

	if (g->full || strlen(pattern) <= 15 || strpbrk(pattern, "[]().*+?{}|^$\\"))
		return;
	tsb_warn(g->p, "pattern that searches for process name longer than 15 characters will "
		       "result in zero matches");
	name = tsb_format(g->p, "Try `%s -f' option to match against the complete command line.\n",
			  name);
	tsb_write_all(g->p, 2, name, strlen(name));
}

/* ---- What comes of it ---- */

static void pgrep_list_found(struct pgrep *g)
{
	const char *delimiter = g->delimiter ? g->delimiter : "\n";

	for (size_t i = 0; i < g->n_found; i++) {
		const struct procs_item *it = &g->all.at[g->found[i]];
		const char *line = g->full_line ? procs_command_line(g->p, it) : NULL;

		tsb_printf(g->p, "%d", it->pid);
		if (g->full_line || g->name)
			tsb_printf(g->p, " %s", line ? line : it->comm);
		tsb_puts(g->p, i + 1 < g->n_found ? delimiter : "\n");
	}
}

static int pgrep_kill(struct pgrep *g)
{
	size_t done = 0;

	for (size_t i = 0; i < g->n_found; i++) {
		const struct procs_item *it = &g->all.at[g->found[i]];
		int err;

		if (g->echo && !g->count) {
			tsb_printf(g->p, "%s killed (pid %d)\n", it->comm, it->pid);
			tsb_flush(g->p);
		}
		err = tsb_kill(g->p, it->pid, g->sig);
		if (err == -ESRCH)
			continue;
		if (err < 0)
			tsb_warn_errno(g->p, err, "killing pid %d failed", it->pid);
		else
			done++;
	}
	if (g->count)
		tsb_printf(g->p, "%zu\n", g->n_found);
	return done ? 0 : PGREP_NONE;
}

static int pgrep_wait(struct pgrep *g)
{
	struct procs_item it;

	if (g->count)
		tsb_printf(g->p, "%zu\n", g->n_found);
	for (size_t i = 0; i < g->n_found; i++) {
		const struct procs_item *want = &g->all.at[g->found[i]];

		if (g->echo)
			tsb_printf(g->p, "waiting for %s (pid %d)\n", want->comm, want->pid);
		tsb_flush(g->p);
		while (procs_read_one(g->p, want->pid, &it) && it.start == want->start &&
		       it.state != 'Z')
			tsb_sleep(g->p, 10000000);
	}
	return g->n_found ? 0 : PGREP_NONE;
}

static int pgrep_do(struct tsb_proc *p, struct pgrep *g, int argc, char **argv)
{
	int status;

	g->p = p;
	g->me = tsb_getpid(p);
	status = pgrep_prepare(g, argc, argv);
	if (status)
		return status;
	pgrep_find(g);
	if (!g->n_found && argc)
		pgrep_warn_long(g, argv[0]);
	if (g->kills)
		return pgrep_kill(g);
	if (g->waits)
		return pgrep_wait(g);
	if (g->count)
		tsb_printf(p, "%zu\n", g->n_found);
	else
		pgrep_list_found(g);
	return g->n_found ? 0 : PGREP_NONE;
}

static int pgrep_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	return pgrep_do(p, opts, argc, argv);
}

static int pidwait_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	((struct pgrep *)opts)->waits = true;
	return pgrep_do(p, opts, argc, argv);
}

/* "-HUP", "-9": the first argument that is a signal is no option. */
static const char *pkill_take_signal(struct tsb_proc *p, int *argc, char **argv)
{
	for (int i = 0; i < *argc && strcmp(argv[i], "--"); i++) {
		int sig;

		if (argv[i][0] != '-' || !argv[i][1] || argv[i][1] == '-')
			continue;
		sig = sig_parse(argv[i] + 1);
		if (sig < 0)
			continue;
		for (int k = i; k < *argc; k++)
			argv[k] = argv[k + 1];
		(*argc)--;
		return tsb_format(p, "%d", sig);
	}
	return NULL;
}

static int pkill_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *sig = pkill_take_signal(p, &argc, argv);
	struct opt_parsed parsed;
	struct pgrep *g;
	int status;

	(void)opts;
	if (!rawopt_parse(p, &cmd_pkill, argc, argv, &parsed, &status))
		return status;
	g = parsed.opts;
	g->kills = true;
	if (!g->signal)
		g->signal = sig;
	return pgrep_do(p, g, parsed.argc, parsed.argv);
}

const struct tsb_command cmd_pgrep = {
	CMD_PROCPS, .name = "pgrep", .synopsis = "[options] <pattern>",
	.summary = "Look up processes by name and other attributes.", .opts = pgrep_opts,
	.opts_size = sizeof(struct pgrep), .run = pgrep_run, .usage_status = PGREP_USAGE,
};
const struct tsb_command cmd_pkill = {
	.version = TSB_COMMAND_VERSION, .package = "procps-ng", .package_version = "4.0.2",
	.name = "pkill", .synopsis = "[options] <pattern>",
	.summary = "Signal processes by name and other attributes.", .opts = pkill_opts,
	.opts_size = sizeof(struct pgrep), .run = pkill_run, .usage_status = PGREP_USAGE,
	.flags = TSB_RAW | TSB_NO_HELP,
};
const struct tsb_command cmd_pidwait = {
	CMD_PROCPS, .name = "pidwait", .synopsis = "[options] <pattern>",
	.summary = "Wait for processes by name and other attributes.", .opts = pidwait_opts,
	.opts_size = sizeof(struct pgrep), .run = pidwait_run, .usage_status = PGREP_USAGE,
};
