/*
 * which - where in PATH a program is (Debian's: no output for what is missing,
 * status 1).
 */
#include "cmd/cmd.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/util.h"

struct which {
	bool all;
};

static bool which_runnable(struct tsb_proc *p, const char *path)
{
	struct tsb_stat st;

	return !tsb_stat(p, path, &st) && S_ISREG(st.mode) && !tsb_access(p, path, TSB_X_OK);
}

static bool which_report(struct tsb_proc *p, const char *path)
{
	if (!which_runnable(p, path))
		return false;
	tsb_printf(p, "%s\n", path);
	return true;
}

static bool which_one(struct tsb_proc *p, const struct which *o, const char *name)
{
	const char *path = tsb_getenv(p, "PATH");
	char *list, *dir;
	bool found = false;

	if (strchr(name, '/'))
		return which_report(p, name);
	if (!path || !*name)
		return false;
	list = tsb_strdup(p, path);
	while ((dir = strsep(&list, ":")) && (o->all || !found))
		found |= which_report(p, tsb_format(p, "%s/%s", *dir ? dir : ".", name));
	return found;
}

/* As dash's getopts reads them, since Debian's which is a script of dash: the
 * number of arguments that were options, or -1 after messages. */
static int which_options(struct tsb_proc *p, struct which *o, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		for (const char *letter = argv[i] + 1; *letter; letter++) {
			if (*letter != 'a') {
				tsb_write_all(p, 2, "Illegal option -", 16);
				tsb_write_all(p, 2, letter, 1);
				tsb_write_all(p, 2, "\n", 1);
				tsb_puts(p, "Usage: /usr/bin/which [-a] args\n");
				return -1;
			}
			o->all = true;
		}
	}
	return i;
}

static int which_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct which o = { false };
	int first = which_options(p, &o, argc, argv), status = first >= argc;

	(void)opts;
	if (first < 0)
		return 2;
	for (int i = first; i < argc; i++)
		if (!which_one(p, &o, argv[i]))
			status = 1;
	return status;
}

const struct tsb_command cmd_which = {
	.version = TSB_COMMAND_VERSION, .package = "debianutils", .package_version = "5.7",
	.name = "which", .synopsis = "[-a] args", .summary = "Locate a command.",
	.run = which_run, .flags = TSB_RAW | TSB_NO_HELP,
};
