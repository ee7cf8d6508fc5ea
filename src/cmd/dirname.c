/*
 * dirname - names without their last component.
 */
#include "cmd/cmd.h"

#include "cmd/path.h"
#include "cmd/util.h"

struct dirname {
	bool zero;
};

static const struct tsb_opt dirname_opts[] = {
	TSB_OPT_FLAG(struct dirname, zero, 'z', "zero",
		     "end each output line with NUL, not newline"),
	TSB_OPT_END
};

static int dirname_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct dirname *o = opts;

	if (!argc)
		return util_missing_operand(p);
	for (int i = 0; i < argc; i++) {
		size_t n = path_dir_len(argv[i]);

		tsb_put(p, n ? argv[i] : ".", n ? n : 1);
		tsb_putc(p, o->zero ? '\0' : '\n');
	}
	return 0;
}

const struct tsb_command cmd_dirname = {
	CMD_COREUTILS, .name = "dirname",
	.synopsis = "[OPTION] NAME...",
	.summary = "Output each NAME with its last non-slash component and trailing slashes\n"
		   "removed; if NAME contains no /'s, output '.' (meaning the current directory).",
	.opts = dirname_opts, .opts_size = sizeof(struct dirname), .run = dirname_run,
};
