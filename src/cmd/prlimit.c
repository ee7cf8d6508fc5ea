/*
 * prlimit - the limits of a process, shown or changed for a command (util-linux). The
 * limits are those of the shell's ulimit, which is asked, and which sets them before
 * the command takes its place. Another process's limits cannot be changed.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/num.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/linuxopt.h"

#define PRLIMIT_KEEP (UINT64_MAX - 1)

enum { PRLIMIT_KINDS = 16, PRLIMIT_COLUMNS = 5 };

static const struct prlimit_kind {
	const char *name, *help, *units;
	char letter;		/* of ulimit */
	unsigned scale;		/* what one of ulimit's is */
} prlimit_kinds[PRLIMIT_KINDS] = {
	{ "AS", "address space limit", "bytes", 'v', 1024 },
	{ "CORE", "max core file size", "bytes", 'c', 1024 },
	{ "CPU", "CPU time", "seconds", 't', 1 },
	{ "DATA", "max data size", "bytes", 'd', 1024 },
	{ "FSIZE", "max file size", "bytes", 'f', 1024 },
	{ "LOCKS", "max number of file locks held", "locks", 'x', 1 },
	{ "MEMLOCK", "max locked-in-memory address space", "bytes", 'l', 1024 },
	{ "MSGQUEUE", "max bytes in POSIX mqueues", "bytes", 'q', 1 },
	{ "NICE", "max nice prio allowed to raise", "", 'e', 1 },
	{ "NOFILE", "max number of open files", "files", 'n', 1 },
	{ "NPROC", "max number of processes", "processes", 'u', 1 },
	{ "RSS", "max resident set size", "bytes", 'm', 1024 },
	{ "RTPRIO", "max real-time priority", "", 'r', 1 },
	{ "RTTIME", "timeout for real-time tasks", "microsecs", 'R', 1 },
	{ "SIGPENDING", "max number of pending signals", "signals", 'i', 1 },
	{ "STACK", "max stack size", "bytes", 's', 1024 },
};
static const char *const prlimit_columns[PRLIMIT_COLUMNS] = { "RESOURCE", "DESCRIPTION", "SOFT", "HARD", "UNITS" };

struct prlimit_wish {
	int kind;
	bool set;
	uint64_t soft, hard;
};

struct prlimit {
	const char *pid, *output;
	bool no_headings, raw, verbose, has_command;
	struct prlimit_wish wishes[64];
	size_t n;
	/* the run */
	struct tsb_proc *p;
	uint64_t now[PRLIMIT_KINDS][2];
	int columns[16];
	size_t n_columns;
};

/* ---- Asking the shell ---- */

static int prlimit_spawn(struct prlimit *l, const char *script, int out, int *pid)
{
	const char *argv[] = { "bash", "-c", script, NULL };
	struct tsb_fd_map map[2] = { { 1, out }, { 2, out < 0 ? -1 : 2 } };
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/bash", .argv = argv, .fds = map, .n_fds = 2 };

	return tsb_spawn(l->p, &how, pid);
}

/* A number of ulimit's output, "unlimited" or nothing. */
static uint64_t prlimit_value(const char **s, unsigned scale)
{
	uint64_t v = UINT64_MAX;
	size_t n = strcspn(*s, "\n");

	if (**s >= '0' && **s <= '9')
		for (v = 0; n && **s >= '0' && **s <= '9'; (*s)++, n--)
			v = v * 10 + (uint64_t)(**s - '0');
	*s += n + ((*s)[n] == '\n');
	return v == UINT64_MAX || v > UINT64_MAX / 2 / scale ? UINT64_MAX : v * scale;
}

static void prlimit_read(struct prlimit *l)
{
	struct tsb_reader in;
	struct str text;
	const char *at;
	char *data;
	int fd[2], pid, status;
	size_t n;

	str_init(&text, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	for (int i = 0; i < PRLIMIT_KINDS; i++)
		str_addf(&text, "ulimit -S%c;ulimit -H%c;", prlimit_kinds[i].letter, prlimit_kinds[i].letter);
	if (tsb_pipe(l->p, fd) < 0 || prlimit_spawn(l, text.p, fd[1], &pid) < 0)
		tsb_exit(l->p, 1);
	tsb_close(l->p, fd[1]);
	str_reset(&text);
	tsb_reader_init(&in, l->p, fd[0]);
	while ((n = tsb_getblock(&in, &data)))
		str_addn(&text, data, n);
	tsb_close(l->p, fd[0]);
	tsb_wait(l->p, pid, &status, 0);
	at = text.p;
	for (int i = 0; i < PRLIMIT_KINDS; i++)
		for (int hard = 0; hard < 2; hard++)
			l->now[i][hard] = prlimit_value(&at, prlimit_kinds[i].scale);
	str_end(&text);
}

/* ---- Setting ---- */

static void prlimit_script(struct str *s, const struct prlimit_wish *w)
{
	const struct prlimit_kind *k = &prlimit_kinds[w->kind];

	for (int hard = 0; hard < 2; hard++) {
		uint64_t v = hard ? w->hard : w->soft;

		if (v == UINT64_MAX)
			str_addf(s, "ulimit -%c%c unlimited&&", hard ? 'H' : 'S', k->letter);
		else
			str_addf(s, "ulimit -%c%c %llu&&", hard ? 'H' : 'S', k->letter,
				 (unsigned long long)(v / k->scale));
	}
}

static void prlimit_tell(struct prlimit *l, const struct prlimit_wish *w)
{
	tsb_printf(l->p, "New %s limit for pid %d: <", prlimit_kinds[w->kind].name, tsb_getpid(l->p));
	for (int hard = 0; hard < 2; hard++) {
		uint64_t v = hard ? w->hard : w->soft;

		if (v == UINT64_MAX)
			tsb_puts(l->p, "unlimited");
		else
			tsb_printf(l->p, "%llu", (unsigned long long)v);
		tsb_puts(l->p, hard ? ">\n" : ":");
	}
}

/* Tries it in a process that ends; the whole of a failure is told. */
static void prlimit_try(struct prlimit *l, struct prlimit_wish *w)
{
	struct str s;
	int pid, status = 1;

	w->soft = w->soft == PRLIMIT_KEEP ? l->now[w->kind][0] : w->soft;
	w->hard = w->hard == PRLIMIT_KEEP ? l->now[w->kind][1] : w->hard;
	if (w->soft > w->hard) {
		tsb_warn(l->p, "the soft limit %s cannot exceed the hard limit", prlimit_kinds[w->kind].name);
		tsb_exit(l->p, 1);
	}
	str_init(&s, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	prlimit_script(&s, w);
	str_adds(&s, ":");
	if (!l->pid && prlimit_spawn(l, s.p, -1, &pid) >= 0)
		tsb_wait(l->p, pid, &status, 0);
	str_end(&s);
	if (!status && l->verbose && !l->has_command)
		prlimit_tell(l, w);
	if (!status)
		return;
	tsb_warn_errno(l->p, EPERM, "failed to set the %s resource limit", prlimit_kinds[w->kind].name);
	tsb_exit(l->p, 1);
}

/* ---- The table ---- */

static const char *prlimit_cell(struct prlimit *l, int kind, int column)
{
	const struct prlimit_kind *k = &prlimit_kinds[kind];
	uint64_t v;

	if (column != 2 && column != 3)
		return column == 0 ? k->name : column == 1 ? k->help : k->units;
	v = l->now[kind][column == 3];
	return v == UINT64_MAX ? "unlimited" : tsb_format(l->p, "%llu", (unsigned long long)v);
}

static void prlimit_raw_cell(struct prlimit *l, const char *s)
{
	for (; *s; s++)
		if (*s == ' ')
			tsb_puts(l->p, "\\x20");
		else
			tsb_putc(l->p, *s);
}

static void prlimit_row(struct prlimit *l, int kind, const size_t *width)
{
	for (size_t i = 0; i < l->n_columns; i++) {
		int column = l->columns[i];
		const char *s = kind < 0 ? prlimit_columns[column] : prlimit_cell(l, kind, column);
		bool last = i + 1 == l->n_columns;

		if (i)
			tsb_putc(l->p, ' ');
		if (l->raw)
			prlimit_raw_cell(l, s);
		else if (column == 2 || column == 3)
			tsb_printf(l->p, "%*s", (int)width[i], s);
		else
			tsb_printf(l->p, "%-*s", last ? 0 : (int)width[i], s);
	}
	tsb_putc(l->p, '\n');
}

static void prlimit_table(struct prlimit *l)
{
	bool all = !l->n;
	size_t width[16] = { 0 }, n = all ? PRLIMIT_KINDS : l->n;

	for (size_t i = 0; i < l->n_columns; i++) {
		width[i] = strlen(prlimit_columns[l->columns[i]]);
		for (size_t k = 0; k < n; k++) {
			size_t len = !all && l->wishes[k].set ? 0 :
				     strlen(prlimit_cell(l, all ? (int)k : l->wishes[k].kind, l->columns[i]));

			width[i] = len > width[i] ? len : width[i];
		}
	}
	if (!l->no_headings)
		prlimit_row(l, -1, width);
	for (size_t k = 0; k < n; k++)
		if (all || !l->wishes[k].set)
			prlimit_row(l, all ? (int)k : l->wishes[k].kind, width);
}

/* ---- Options ---- */

static bool prlimit_number(const char *s, size_t n, uint64_t *out)
{
	char text[24] = "";

	if (!n)
		return true;	/* as it is */
	if (n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	if (!strcmp(text, "-1") || !strcmp(text, "unlimited")) {
		*out = UINT64_MAX;
		return true;
	}
	return num_suffixed(text, "KMGTPE0", out) == NUM_OK;
}

static int prlimit_opt_kind(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct prlimit *l = opts;
	struct prlimit_wish *w = &l->wishes[l->n];
	const char *colon;
	bool good;

	if (l->n == sizeof(l->wishes) / sizeof(l->wishes[0])) {
		tsb_warn(p, "too many limits");
		return 1;
	}
	*w = (struct prlimit_wish){ opt->value, arg != NULL, PRLIMIT_KEEP, PRLIMIT_KEEP };
	l->n++;
	if (!arg)
		return 0;
	colon = strchr(arg, ':');
	good = *arg && strcmp(arg, ":") && prlimit_number(arg, colon ? (size_t)(colon - arg) : strlen(arg), &w->soft);
	if (colon)
		good = good && prlimit_number(colon + 1, strlen(colon + 1), &w->hard);
	else
		w->hard = w->soft;
	if (good)
		return 0;
	tsb_warn(p, "failed to parse %s limit", prlimit_kinds[opt->value].name);
	return 1;
}

static int prlimit_opt_show(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_prlimit, opt->value);
}

#define PRLIMIT_ROW(value, letter, name, help) TSB_OPT_CALL_OPT(prlimit_opt_kind, value, letter, name, "limit", help)
static const struct tsb_opt prlimit_opts[] = {
	TSB_OPT_STR(struct prlimit, pid, 'p', "pid", "pid", "process id"),
	TSB_OPT_STR(struct prlimit, output, 'o', "output", "list", "define which output columns to use"),
	TSB_OPT_FLAG(struct prlimit, no_headings, 0, "noheadings", "don't print headings"),
	TSB_OPT_FLAG(struct prlimit, raw, 0, "raw", "use the raw output format"),
	TSB_OPT_FLAG(struct prlimit, verbose, 0, "verbose", "verbose output"),
	PRLIMIT_ROW(1, 'c', "core", "maximum size of core files created"),
	PRLIMIT_ROW(3, 'd', "data", "maximum size of a process's data segment"),
	PRLIMIT_ROW(8, 'e', "nice", "maximum nice priority allowed to raise"),
	PRLIMIT_ROW(4, 'f', "fsize", "maximum size of files written by the process"),
	PRLIMIT_ROW(14, 'i', "sigpending", "maximum number of pending signals"),
	PRLIMIT_ROW(6, 'l', "memlock", "maximum size a process may lock into memory"),
	PRLIMIT_ROW(11, 'm', "rss", "maximum resident set size"),
	PRLIMIT_ROW(9, 'n', "nofile", "maximum number of open files"),
	PRLIMIT_ROW(7, 'q', "msgqueue", "maximum bytes in POSIX message queues"),
	PRLIMIT_ROW(12, 'r', "rtprio", "maximum real-time scheduling priority"),
	PRLIMIT_ROW(15, 's', "stack", "maximum stack size"),
	PRLIMIT_ROW(2, 't', "cpu", "maximum amount of CPU time in seconds"),
	PRLIMIT_ROW(10, 'u', "nproc", "maximum number of user processes"),
	PRLIMIT_ROW(0, 'v', "as", "size of virtual memory"),
	PRLIMIT_ROW(5, 'x', "locks", "maximum number of file locks"),
	PRLIMIT_ROW(13, 'y', "rttime", "CPU time in microseconds a process scheduled under real-time scheduling"),
	LINUXOPT_HELP(prlimit_opt_show),
	TSB_OPT_END
};

static void prlimit_find_columns(struct prlimit *l)
{
	const char *s = l->output ? l->output : "RESOURCE,DESCRIPTION,SOFT,HARD,UNITS";

	for (size_t n; *s && l->n_columns < 16; s += n + (s[n] == ',')) {
		int i = 0;

		n = strcspn(s, ",");
		while (i < PRLIMIT_COLUMNS && (strncasecmp(s, prlimit_columns[i], n) || prlimit_columns[i][n]))
			i++;
		if (i == PRLIMIT_COLUMNS) {
			tsb_warn(l->p, "unknown column: %.*s", (int)n, s);
			tsb_exit(l->p, 1);
		}
		l->columns[l->n_columns++] = i;
	}
}

static void prlimit_check_pid(struct prlimit *l)
{
	int64_t pid = 0;
	int err;

	if (num_i64(l->pid, &pid) != NUM_OK || pid < 0 || pid > INT32_MAX) {
		tsb_warn(l->p, "invalid PID argument: '%s'", l->pid);
		tsb_exit(l->p, 1);
	}
	err = pid ? tsb_kill(l->p, (int)pid, 0) : 0;
	if (err != -ESRCH)
		return;
	tsb_warn_errno(l->p, err, "failed to get the %s resource limit",
		       prlimit_kinds[l->n ? l->wishes[0].kind : 0].name);
	tsb_exit(l->p, 1);
}

/* Becomes the command, by way of a shell that sets the limits. */
static int prlimit_start(struct prlimit *l, int argc, char **argv, bool shows)
{
	const char **all = tsb_alloc(l->p, ((size_t)argc + 5) * sizeof(*all));
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/bash", .argv = all };
	struct str s;
	char *path;
	int err = tsb_find_program(l->p, argv[0], &path);

	if (!err) {
		str_init(&s, tsb_heap_of(l->p), STR_MAX_DEFAULT);
		for (size_t i = 0; i < l->n; i++)
			if (l->wishes[i].set)
				prlimit_script(&s, &l->wishes[i]);
		str_adds(&s, "exec -- \"$@\"");
		all[0] = "bash", all[1] = "-c", all[2] = s.p, all[3] = "bash";
		memcpy(all + 4, argv, (size_t)argc * sizeof(*all));
		tsb_flush(l->p);
		err = tsb_exec(l->p, &how);
	}
	tsb_warn_errno(l->p, err, "failed to execute %s", argv[0]);
	if (shows)	/* which a command that starts throws away */
		prlimit_table(l);
	return err == -ENOENT ? 127 : 126;
}

static int prlimit_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct prlimit *l = opts;
	bool shows = !l->n;

	l->p = p;
	l->has_command = argc > 0;
	prlimit_find_columns(l);
	if (l->pid && argc) {
		tsb_warn(p, "options --pid and COMMAND are mutually exclusive");
		return 1;
	}
	if (l->pid)
		prlimit_check_pid(l);
	prlimit_read(l);
	for (size_t i = 0; i < l->n; i++)
		if (l->wishes[i].set)
			prlimit_try(l, &l->wishes[i]);
		else
			shows = true;
	if (shows && !argc)
		prlimit_table(l);
	return argc ? prlimit_start(l, argc, argv, shows) : 0;
}

const struct tsb_command cmd_prlimit = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1", .name = "prlimit",
	.synopsis = "[options] [--<resource>=<limit>] [-p PID]\n[options] [--<resource>=<limit>] COMMAND",
	.summary = "Show or change the resource limits of a process.", .opts = prlimit_opts,
	.opts_size = sizeof(struct prlimit), .run = prlimit_run, .flags = TSB_OPERAND_ENDS,
};
