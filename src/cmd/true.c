/*
 * true and false - end with a status. GNU's take --help and --version only as
 * their sole argument, and ignore every other one.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/opt.h"

/* The text of --help or --version, if that is what the only argument asks. */
static bool true_asked(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv)
{
	struct str text;

	if (argc != 1)
		return false;
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!strcmp(argv[0], "--help"))
		opt_help(&text, cmd, tsb_name(p));
	else if (!strcmp(argv[0], "--version"))
		opt_version(&text, cmd, tsb_name(p));
	else
		return false;
	tsb_put(p, text.p, text.n);
	return true;
}

static int true_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	true_asked(p, &cmd_true, argc, argv);
	return 0;
}

static int false_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	true_asked(p, &cmd_false, argc, argv);
	return 1;
}

const struct tsb_command cmd_true = {
	CMD_COREUTILS, .name = "true", .synopsis = "[ignored command line arguments]\nOPTION",
	.summary = "Exit with a status code indicating success.", .run = true_run, .flags = TSB_RAW,
};

const struct tsb_command cmd_false = {
	CMD_COREUTILS, .name = "false", .synopsis = "[ignored command line arguments]\nOPTION",
	.summary = "Exit with a status code indicating failure.", .run = false_run, .flags = TSB_RAW,
};
