/*
 * stdbuf - run a command with other buffering.
 *
 * The modes go into the environment, as GNU's tool puts them there for its
 * preloaded library. The commands here do not look: they write when there is
 * much, when they wait, and at the end, which is what -oL is used for.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "cmd/util.h"

enum { STDBUF_FAILED = 125, STDBUF_CANNOT_RUN = 126, STDBUF_NOT_FOUND = 127 };

struct stdbuf {
	const char *mode[3];
};

/* L, or a size in bytes: as text. */
static int stdbuf_opt_mode(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char letters[] = "ioe";
	struct stdbuf *s = opts;
	size_t which = (size_t)(strchr(letters, opt->value) - letters);
	uint64_t size = 0;
	enum num_result r;

	arg += strspn(arg, " \t\n\v\f\r");
	if (opt->value == 'i' && *arg == 'L')
		return tsb_usage(p, "line buffering stdin is meaningless");
	if (!strcmp(arg, "L")) {
		s->mode[which] = "L";
		return 0;
	}
	r = num_suffixed(arg, "EGkKMPTYZ0", &size);
	if (r == NUM_RANGE)
		tsb_warn_errno(p, EOVERFLOW, "invalid mode %s", quote_text(p, arg));
	else if (r != NUM_OK)
		tsb_warn(p, "invalid mode %s", quote_text(p, arg));
	if (r != NUM_OK)
		return STDBUF_FAILED;
	s->mode[which] = tsb_format(p, "%llu", (unsigned long long)size);
	return 0;
}

static const struct tsb_opt stdbuf_opts[] = {
	TSB_OPT_CALL(stdbuf_opt_mode, 'i', 'i', "input", "MODE",
		     "adjust standard input stream buffering"),
	TSB_OPT_CALL(stdbuf_opt_mode, 'o', 'o', "output", "MODE",
		     "adjust standard output stream buffering"),
	TSB_OPT_CALL(stdbuf_opt_mode, 'e', 'e', "error", "MODE",
		     "adjust standard error stream buffering"),
	TSB_OPT_END
};

static int stdbuf_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const char *const names[] = { "_STDBUF_I", "_STDBUF_O", "_STDBUF_E" };
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)argv };
	const struct stdbuf *s = opts;
	bool any = false;
	int err;

	if (!argc)
		return tsb_usage(p, "missing operand");
	for (int i = 0; i < 3; i++) {
		any |= s->mode[i] != NULL;
		if (s->mode[i])
			tsb_setenv(p, names[i], s->mode[i]);
	}
	if (!any)
		return tsb_usage(p, "you must specify a buffering mode option");
	err = tsb_exec(p, &how);
	tsb_warn_errno(p, err, "failed to run command %s", quote_text(p, argv[0]));
	return err == -ENOENT ? STDBUF_NOT_FOUND : STDBUF_CANNOT_RUN;
}

const struct tsb_command cmd_stdbuf = {
	CMD_COREUTILS, .name = "stdbuf", .synopsis = "OPTION... COMMAND",
	.summary = "Run COMMAND, with modified buffering operations for its standard streams.",
	.opts = stdbuf_opts, .opts_size = sizeof(struct stdbuf), .run = stdbuf_run,
	.flags = TSB_OPERAND_ENDS, .usage_status = STDBUF_FAILED,
};
