/*
 * colrm, mcookie, taskset - columns taken out of lines; 128 random bits; a command on
 * chosen processors, of which there is one here (util-linux).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/locale.h"
#include "cmd/util.h"

#define COLRM_LINUX .version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1"

/* ---- colrm ---- */

struct colrm {
	struct tsb_proc *p;
	uint64_t first, last;	/* columns from 1; 0: none, no end */
	bool utf8;
};

static int colrm_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_colrm, opt->value);
}

static const struct tsb_opt colrm_opts[] = {
	LINUXOPT_HELP(colrm_opt_help),
	TSB_OPT_END
};

static void colrm_blanks(const struct colrm *c, uint64_t n)
{
	for (; n; n--)
		tsb_putc(c->p, ' ');
}

/* The column behind a character that begins at `column`. */
static uint64_t colrm_behind(uint64_t column, int32_t ch)
{
	if (ch == '\t')
		return (column + 8) & ~(uint64_t)7;
	if (ch == '\b')
		return column - (column > 0);
	return column + (uint64_t)(utf8_width(ch) > 0 ? utf8_width(ch) : 0);
}

/* What is in front of the first column stays as it is; then all goes up to the last; and the
 * rest comes as it is too, however its tabs and backspaces move. false: what is no character
 * ends the input. */
static bool colrm_line(const struct colrm *c, const char *line, size_t n)
{
	enum { FRONT, GOING, REST } part = FRONT;
	uint64_t column = 0, from;
	bool filled = false;

	for (size_t i = 0, len; i < n; i += len) {
		int32_t ch;

		len = utf8_decode(line + i, c->utf8 ? n - i : 1, &ch);
		if (ch < 0)
			return false;
		from = column;
		if (ch != '\n' && part != REST)
			column = colrm_behind(column, ch);
		if (part == FRONT && c->first && column >= c->first && ch != '\n') {
			colrm_blanks(c, from + 1 < c->first ? c->first - from - 1 : 0);
			part = GOING;
		} else if (part != GOING || ch == '\n') {
			if (part == REST && !filled && ch != '\n' && column > c->last)
				colrm_blanks(c, column - c->last);
			filled |= part == REST;
			tsb_put(c->p, line + i, len);
		}
		if (part == GOING && c->last && column >= c->last)
			part = REST;
	}
	return true;
}

static bool colrm_column(struct tsb_proc *p, const char *arg, const char *which, uint64_t *out)
{
	if (num_u64(arg, out) == NUM_OK)
		return true;
	tsb_warn(p, "%s argument: '%s'", which, arg);
	return false;
}

static int colrm_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct colrm c = { .p = p, .utf8 = locale_utf8(p) };
	struct tsb_reader in;
	char *line;
	size_t n;

	(void)opts;
	if (argc > 0 && !colrm_column(p, argv[0], "first", &c.first))
		return 1;
	if (argc > 1 && !colrm_column(p, argv[1], "second", &c.last))
		return 1;
	tsb_reader_init(&in, p, 0);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		tsb_tick(p, n / 64 + 1);
		if (!colrm_line(&c, line, n))
			break;
	}
	return 0;
}

const struct tsb_command cmd_colrm = {
	COLRM_LINUX, .name = "colrm", .synopsis = "[startcol [endcol]]",
	.summary = "Filter out the specified columns.", .opts = colrm_opts, .run = colrm_run,
};

/* ---- mcookie ---- */

struct mcookie {
	const char *file, *size;
	bool verbose;
};

static int mcookie_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_mcookie, opt->value);
}

static const struct tsb_opt mcookie_opts[] = {
	TSB_OPT_STR(struct mcookie, file, 'f', "file", "file", "use file as a cookie seed, too"),
	TSB_OPT_STR(struct mcookie, size, 'm', "max-size", "num", "limit how much is read from seed files"),
	TSB_OPT_FLAG(struct mcookie, verbose, 'v', "verbose", "explain what is being done"),
	LINUXOPT_HELP(mcookie_opt_help),
	TSB_OPT_END
};

/* A seed's bytes go over the random ones, which nothing makes less random. */
static void mcookie_seed(struct tsb_proc *p, const struct mcookie *m, unsigned char out[16])
{
	int fd = tsb_open(p, m->file, O_RDONLY | O_CLOEXEC, 0);
	unsigned char buf[256];
	uint64_t left = UINT64_MAX, got = 0;
	ssize_t n;

	if (fd < 0) {
		tsb_warn_errno(p, fd, "cannot open %s", m->file);
		return;
	}
	if (m->size && num_u64(m->size, &left) != NUM_OK) {
		tsb_warn(p, "failed to parse length: '%s'", m->size);
		tsb_exit(p, 1);
	}
	while (left && (n = tsb_read(p, fd, buf, left < sizeof(buf) ? (size_t)left : sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			out[(got + (uint64_t)i) % 16] ^= buf[i];
		got += (uint64_t)n;
		left -= (uint64_t)n;
		tsb_tick(p, 8);
	}
	if (m->verbose) {
		const char *text = tsb_format(p, "Got %llu bytes from %s\n", (unsigned long long)got, m->file);

		tsb_write_all(p, 2, text, strlen(text));
	}
}

static int mcookie_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct mcookie *m = opts;
	unsigned char out[16];

	(void)argc, (void)argv;
	tsb_random(p, out, sizeof(out));
	if (m->file)
		mcookie_seed(p, m, out);
	if (m->verbose)
		tsb_write_all(p, 2, "Got 128 bytes from getrandom() function\n", 40);
	for (size_t i = 0; i < sizeof(out); i++)
		tsb_printf(p, "%02x", out[i]);
	tsb_putc(p, '\n');
	return 0;
}

const struct tsb_command cmd_mcookie = {
	COLRM_LINUX, .name = "mcookie", .synopsis = "[options]", .summary = "Generate magic cookies for xauth.",
	.opts = mcookie_opts, .opts_size = sizeof(struct mcookie), .run = mcookie_run,
};

/* ---- taskset ---- */

struct taskset {
	bool all, pid, list;
};

static int taskset_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_taskset, opt->value);
}

static const struct tsb_opt taskset_opts[] = {
	TSB_OPT_FLAG(struct taskset, all, 'a', "all-tasks", "operate on all the tasks (threads) for a given pid"),
	TSB_OPT_FLAG(struct taskset, pid, 'p', "pid", "operate on existing given pid"),
	TSB_OPT_FLAG(struct taskset, list, 'c', "cpu-list", "display and specify cpus in list format"),
	LINUXOPT_HELP(taskset_opt_help),
	TSB_OPT_END
};

/* Whether the first processor, which all run on, is in a mask or list: 1, 0; -1: it is none. */
static int taskset_first(const char *s, bool list)
{
	bool first = false;

	if (list) {
		for (; *s; s += *s == ',') {
			size_t n = strspn(s, "0123456789");

			if (!n)
				return -1;
			first |= strtoul(s, NULL, 10) == 0;
			s += n;
			if (*s == '-') {
				n = strspn(s + 1, "0123456789");
				s += n + 1;
				if (!n)
					return -1;
			}
			if (*s == ':')
				s += 1 + strspn(s + 1, "0123456789");
			if (*s && *s != ',')
				return -1;
		}
		return first;
	}
	s += s[0] == '0' && (s[1] | 32) == 'x' ? 2 : 0;
	if (!*s || s[strspn(s, "0123456789abcdefABCDEF,")])
		return -1;
	return strchr("13579bdfBDF", s[strlen(s) - 1]) != NULL;
}

static int taskset_set(struct tsb_proc *p, const struct taskset *o, const char *text, int pid)
{
	int first = taskset_first(text, o->list);

	if (first < 0) {
		tsb_warn(p, "failed to parse CPU %s: %s", o->list ? "list" : "mask", text);
		return 1;
	}
	if (first)
		return 0;
	tsb_warn_errno(p, EINVAL, "failed to set pid %d's affinity", pid);
	return 1;
}

static void taskset_tell(struct tsb_proc *p, const struct taskset *o, int pid, const char *when)
{
	tsb_printf(p, "pid %d's %s affinity %s: %s\n", pid, when, o->list ? "list" : "mask",
		   o->list ? "0" : "1");
}

static int taskset_pid(struct tsb_proc *p, const struct taskset *o, int argc, char **argv)
{
	int64_t pid;
	int err;

	if (num_i64(argv[argc - 1], &pid) != NUM_OK || pid < 0 || pid > INT32_MAX) {
		tsb_warn(p, "invalid PID argument: '%s'", argv[argc - 1]);
		return 1;
	}
	pid = pid ? pid : tsb_getpid(p);
	err = tsb_kill(p, (int)pid, 0);
	if (err == -ESRCH) {
		tsb_warn_errno(p, err, "failed to get pid %d's affinity", (int)pid);
		return 1;
	}
	taskset_tell(p, o, (int)pid, "current");
	if (argc == 1)
		return 0;
	if (taskset_set(p, o, argv[0], (int)pid))
		return 1;
	taskset_tell(p, o, (int)pid, "new");
	return 0;
}

static int taskset_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct taskset *o = opts;
	struct tsb_spawn how = { .size = sizeof(how) };
	int err;

	if ((!o->pid && argc < 2) || (o->pid && (argc < 1 || argc > 2)))
		return tsb_usage(p, "bad usage");
	if (o->pid)
		return taskset_pid(p, o, argc, argv);
	if (taskset_set(p, o, argv[0], tsb_getpid(p)))
		return 1;
	how.argv = (const char *const *)argv + 1;
	err = tsb_exec(p, &how);
	tsb_warn_errno(p, err, "failed to execute %s", argv[1]);
	return err == -ENOENT ? 127 : 126;
}

const struct tsb_command cmd_taskset = {
	COLRM_LINUX, .name = "taskset", .synopsis = "[options] [mask | cpu-list] [pid|cmd [args...]]",
	.summary = "Show or change the CPU affinity of a process.", .opts = taskset_opts,
	.opts_size = sizeof(struct taskset), .run = taskset_run, .flags = TSB_OPERAND_ENDS,
};
