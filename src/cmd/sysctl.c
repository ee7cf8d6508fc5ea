/*
 * sysctl, hostid, lsb_release - what the system says of itself: /proc/sys, the
 * host's number, /etc/os-release.
 */
#include "cmd/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/procs.h"
#include "cmd/util.h"
#include "cmd/walk.h"
#include "text/regex.h"

struct sysctl {
	bool all, names, values, ignore, quiet, binary, write, dry;
	const char *pattern, *load;
	bool has_load;
	struct tsb_proc *p;
};

PROCPS_HELP(sysctl)

static int sysctl_opt_load(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct sysctl *o = opts;

	(void)p, (void)opt;
	o->has_load = true;
	o->load = arg ? arg : "/etc/sysctl.conf";
	return 0;
}

static const struct tsb_opt sysctl_opts[] = {
	TSB_OPT_FLAG(struct sysctl, all, 'a', "all", "display all variables"),
	TSB_OPT_FLAG(struct sysctl, all, 'A', NULL, "alias of -a"),
	TSB_OPT_FLAG(struct sysctl, all, 'X', NULL, "alias of -a"),
	TSB_OPT_FLAG(struct sysctl, binary, 'b', "binary", "print value without new line"),
	TSB_OPT_FLAG(struct sysctl, ignore, 'e', "ignore", "ignore unknown variables errors"),
	TSB_OPT_FLAG(struct sysctl, names, 'N', "names", "print variable names without values"),
	TSB_OPT_FLAG(struct sysctl, values, 'n', "values", "print only values of the given variable(s)"),
	TSB_OPT_CALL_OPT(sysctl_opt_load, 0, 'p', "load", "<file>", "read values from file"),
	TSB_OPT_CALL_OPT(sysctl_opt_load, 0, 'f', NULL, "<file>", "alias of -p"),
	TSB_OPT_FLAG(struct sysctl, all, 0, "system", "read values from all system directories"),
	TSB_OPT_FLAG(struct sysctl, dry, 0, "dry-run",
		     "Print the key and values but do not write"),
	TSB_OPT_STR(struct sysctl, pattern, 'r', "pattern", "<expression>",
		    "select setting that match expression"),
	TSB_OPT_FLAG(struct sysctl, quiet, 'q', "quiet", "do not echo variable set"),
	TSB_OPT_FLAG(struct sysctl, write, 'w', "write", "enable writing a value to variable"),
	TSB_OPT_FLAG(struct sysctl, quiet, 'o', NULL, "does nothing"),
	TSB_OPT_FLAG(struct sysctl, quiet, 'x', NULL, "does nothing"),
	PROCPS_ROWS(sysctl),
	TSB_OPT_END
};

/* "kernel.hostname" and "kernel/hostname" are one. */
static char *sysctl_swap(struct tsb_proc *p, const char *name, char to)
{
	char *copy = tsb_strdup(p, name), from = to == '/' ? '.' : '/';

	if (to == '/' && strchr(name, '/') &&
	    (!strchr(name, '.') || strchr(name, '/') < strchr(name, '.')))
		return copy;
	for (char *at = copy; *at; at++)
		*at = *at == from ? to : *at == to ? from : *at;
	return copy;
}

static void sysctl_put(struct sysctl *o, const char *name, char *text)
{
	size_t n = strlen(text);

	if (o->names) {
		tsb_printf(o->p, "%s\n", name);
		return;
	}
	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	if (!o->values && !o->binary)
		tsb_printf(o->p, "%s = ", name);
	tsb_puts(o->p, text);
	if (!o->binary)
		tsb_putc(o->p, '\n');
}

static int sysctl_show(struct sysctl *o, const char *arg)
{
	const char *inner = sysctl_swap(o->p, arg, '/');
	char *path = tsb_format(o->p, "/proc/sys/%s", inner), *text;
	struct tsb_stat st;
	int err = tsb_stat(o->p, path, &st);

	if (err < 0) {
		if (!o->ignore)
			tsb_warn_errno(o->p, err, "cannot stat %s", path);
		return o->ignore ? 0 : 1;
	}
	text = S_ISREG(st.mode) ? procs_slurp(o->p, path, NULL) : NULL;
	if (!text) {
		tsb_warn(o->p, "permission denied on key '%s'", arg);
		return 1;
	}
	sysctl_put(o, sysctl_swap(o->p, inner, '.'), text);
	return 0;
}

static int sysctl_set(struct sysctl *o, const char *arg)
{
	char *name = tsb_strndup(o->p, arg, strcspn(arg, "="));
	const char *inner = sysctl_swap(o->p, name, '/');
	char *path = tsb_format(o->p, "/proc/sys/%s", inner);
	struct tsb_stat st;
	int err = tsb_stat(o->p, path, &st);

	if (err < 0) {
		if (!o->ignore)
			tsb_warn_errno(o->p, err, "cannot stat %s", path);
		return o->ignore ? 0 : 1;
	}
	tsb_warn(o->p, "permission denied on key \"%s\"%s", sysctl_swap(o->p, inner, '.'),
		 o->ignore ? ", ignoring" : "");
	return o->ignore ? 0 : 1;
}

static int sysctl_all(struct sysctl *o)
{
	static char root[] = "/proc/sys";
	char *const roots[] = { root, NULL };
	struct walk *w = walk_open(o->p, 1, roots, WALK_PHYSICAL);
	struct regex_span span;
	struct regex *re = NULL;
	struct walk_entry *e;
	const char *error = NULL;

	if (o->pattern)
		re = regex_compile(tsb_heap_of(o->p), o->pattern, strlen(o->pattern), REGEX_EXTENDED,
				   &error);
	if (o->pattern && !re) {
		tsb_warn(o->p, "%s", error);
		return 1;
	}
	while ((e = walk_next(w))) {
		char *text, *name;

		if (e->kind != WALK_FILE)
			continue;
		name = sysctl_swap(o->p, e->path + sizeof(root), '.');
		if (re && regex_match(re, name, strlen(name), 0, 0, &span, 1) != REGEX_MATCH)
			continue;
		text = procs_slurp(o->p, e->path, NULL);
		if (text)
			sysctl_put(o, name, text);
	}
	return 0;
}

static int sysctl_load(struct sysctl *o)
{
	char *text = procs_slurp(o->p, o->load, NULL), *line = text;
	int status = 0;

	if (!text) {
		tsb_warn(o->p, "cannot open \"%s\": No such file or directory", o->load);
		return 1;
	}
	while (line && *line) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		line += strspn(line, " \t");
		if (*line && *line != '#' && *line != ';') {
			line[strcspn(line, " \t=")] = '\0';
			status |= sysctl_set(o, line);
		}
		line = end ? end + 1 : NULL;
	}
	return status;
}

static int sysctl_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct sysctl *o = opts;
	int status = 0;

	o->p = p;
	if (o->has_load)
		return sysctl_load(o);
	if (o->all || (o->pattern && !argc))
		return sysctl_all(o);
	if (!argc)
		return tsb_usage(p, "no variables specified");
	for (int i = 0; i < argc; i++)
		status |= o->write || strchr(argv[i], '=') ? sysctl_set(o, argv[i]) :
			  sysctl_show(o, argv[i]);
	return status;
}

const struct tsb_command cmd_sysctl = {
	CMD_PROCPS, .name = "sysctl", .synopsis = "[options] [variable[=value] ...]",
	.summary = "Show kernel parameters.", .opts = sysctl_opts,
	.opts_size = sizeof(struct sysctl), .run = sysctl_run,
};

/* ---- hostid ---- */

/* Out of the address that the host's own name has, as gethostid(3). */
static int hostid_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *text = procs_slurp(p, "/etc/hosts", NULL), *name = tsb_hostname(p);
	unsigned a[4] = { 127, 0, 0, 1 };
	uint32_t id;

	(void)opts;
	if (argc)
		return util_extra_operand(p, argv[0]);
	for (const char *line = text; line && *line;) {
		const char *end = strchr(line, '\n'), *at;
		size_t n = end ? (size_t)(end - line) : strlen(line);

		at = memmem(line, n, name, strlen(name));
		if (at && strchr("0123456789", *line) && at > line && isspace((unsigned char)at[-1])) {
			char *next = (char *)(uintptr_t)line;

			for (int i = 0; i < 4; i++, next += *next == '.')
				a[i] = (unsigned)strtoul(next, &next, 10) & 255;
			break;
		}
		line = end ? end + 1 : NULL;
	}
	id = a[0] | a[1] << 8 | a[2] << 16 | (uint32_t)a[3] << 24;
	tsb_printf(p, "%08x\n", id << 16 | id >> 16);
	return 0;
}

const struct tsb_command cmd_hostid = {
	CMD_COREUTILS, .name = "hostid", .synopsis = "[OPTION]",
	.summary = "Print the numeric identifier (in hexadecimal) for the current host.",
	.run = hostid_run,
};

/* ---- lsb_release ---- */

struct lsb {
	bool version, id, description, release, codename, all, brief;
};

/* NAME=value or NAME="value" in /etc/os-release. */
static char *lsb_value(struct tsb_proc *p, const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = text; at && *at;) {
		const char *end = strchr(at, '\n');

		if (!strncmp(at, name, n) && at[n] == '=') {
			const char *v = at + n + 1;
			bool quoted = *v == '"';

			v += quoted;
			return tsb_strndup(p, v, strcspn(v, quoted ? "\"\n" : "\n"));
		}
		at = end ? end + 1 : NULL;
	}
	return tsb_strdup(p, "n/a");
}

static void lsb_put(struct tsb_proc *p, const struct lsb *o, bool wanted, const char *title,
		    const char *value)
{
	if (wanted || o->all)
		tsb_printf(p, o->brief ? "%.0s%s\n" : "%s:\t%s\n", title, value);
}

static int lsb_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *text = procs_slurp(p, "/etc/os-release", NULL);
	const struct lsb *o = opts;
	char *id = lsb_value(p, text, "ID");

	(void)argc, (void)argv;
	id[0] = (char)toupper((unsigned char)id[0]);
	lsb_put(p, o, o->id, "Distributor ID", id);
	lsb_put(p, o, o->description, "Description", lsb_value(p, text, "PRETTY_NAME"));
	lsb_put(p, o, o->release, "Release", lsb_value(p, text, "VERSION_ID"));
	lsb_put(p, o, o->codename, "Codename", lsb_value(p, text, "VERSION_CODENAME"));
	return 0;
}

static int lsb_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	procps_help(p, &cmd_lsb_release);
	return 0;
}

static const struct tsb_opt lsb_opts[] = {
	TSB_OPT_CALL(lsb_help, 0, 'h', "help", NULL, "show this help message and exit"),
	TSB_OPT_FLAG(struct lsb, version, 'v', "version", "show LSB modules this system supports"),
	TSB_OPT_FLAG(struct lsb, id, 'i', "id", "show distributor ID"),
	TSB_OPT_FLAG(struct lsb, description, 'd', "description",
		     "show description of this distribution"),
	TSB_OPT_FLAG(struct lsb, release, 'r', "release",
		     "show release number of this distribution"),
	TSB_OPT_FLAG(struct lsb, codename, 'c', "codename", "show code name of this distribution"),
	TSB_OPT_FLAG(struct lsb, all, 'a', "all", "show all of the above information"),
	TSB_OPT_FLAG(struct lsb, brief, 's', "short", "show requested information in short format"),
	TSB_OPT_END
};

const struct tsb_command cmd_lsb_release = {
	.version = TSB_COMMAND_VERSION, .name = "lsb_release", .synopsis = "[options]",
	.summary = "Print distribution-specific information.", .opts = lsb_opts,
	.opts_size = sizeof(struct lsb), .run = lsb_run, .flags = TSB_NO_HELP,
	.usage_status = 2,
};
