/*
 * which - where in PATH a program is (Debian's: no output for what is missing,
 * status 1).
 */
#include "cmd/cmd.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/util.h"

struct which {
	bool all, silent;
};

static const struct tsb_opt which_opts[] = {
	TSB_OPT_FLAG(struct which, all, 'a', NULL, "print all matching pathnames of each argument"),
	TSB_OPT_FLAG(struct which, silent, 's', NULL, "print nothing, only return an exit status"),
	TSB_OPT_END
};

static bool which_runnable(struct tsb_proc *p, const char *path)
{
	struct tsb_stat st;

	return !tsb_stat(p, path, &st) && S_ISREG(st.mode) && !tsb_access(p, path, TSB_X_OK);
}

static bool which_report(struct tsb_proc *p, const struct which *o, const char *path)
{
	if (!which_runnable(p, path))
		return false;
	if (!o->silent)
		tsb_printf(p, "%s\n", path);
	return true;
}

static bool which_one(struct tsb_proc *p, const struct which *o, const char *name)
{
	const char *path = tsb_getenv(p, "PATH");
	char *list, *dir;
	bool found = false;

	if (strchr(name, '/'))
		return which_report(p, o, name);
	if (!path || !*name)
		return false;
	list = tsb_strdup(p, path);
	while ((dir = strsep(&list, ":")) && (o->all || !found))
		found |= which_report(p, o, tsb_format(p, "%s/%s", *dir ? dir : ".", name));
	return found;
}

static int which_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	int status = argc ? 0 : 1;

	for (int i = 0; i < argc; i++)
		if (!which_one(p, opts, argv[i]))
			status = 1;
	return status;
}

const struct tsb_command cmd_which = {
	.version = TSB_COMMAND_VERSION, .package = "debianutils", .package_version = "5.7",
	.name = "which", .synopsis = "[-as] PROGRAM...", .summary = "Locate a command.",
	.opts = which_opts, .opts_size = sizeof(struct which), .run = which_run,
	.flags = TSB_OPERAND_ENDS, .usage_status = 2,
};
