/*
 * printenv - print environment variables.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/env.h"

struct printenv {
	bool null;
};

static const struct tsb_opt printenv_opts[] = {
	TSB_OPT_FLAG(struct printenv, null, '0', "null", "end each output line with NUL, not newline"),
	TSB_OPT_END
};

static int printenv_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct printenv *o = opts;
	int status = 0;

	if (!argc)
		return env_print(p, o->null);
	for (int i = 0; i < argc; i++) {
		const char *value = strchr(argv[i], '=') ? NULL : tsb_getenv(p, argv[i]);

		if (!value) {
			status = 1;
			continue;
		}
		tsb_puts(p, value);
		tsb_putc(p, o->null ? '\0' : '\n');
	}
	return status;
}

const struct tsb_command cmd_printenv = {
	CMD_COREUTILS, .name = "printenv", .synopsis = "[OPTION]... [VARIABLE]...",
	.summary = "Print the values of the specified environment VARIABLE(s).\n"
		   "If no VARIABLE is specified, print name and value pairs for them all.",
	.opts = printenv_opts, .opts_size = sizeof(struct printenv), .run = printenv_run,
	.flags = TSB_OPERAND_ENDS, .usage_status = 2,
};
