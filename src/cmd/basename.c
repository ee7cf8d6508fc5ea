/*
 * basename - names without directory and suffix.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/path.h"
#include "cmd/util.h"

struct basename {
	bool multiple, zero;
	const char *suffix;
};

static const struct tsb_opt basename_opts[] = {
	TSB_OPT_FLAG(struct basename, multiple, 'a', "multiple",
		     "support multiple arguments and treat each as a NAME"),
	TSB_OPT_STR(struct basename, suffix, 's', "suffix", "SUFFIX",
		    "remove a trailing SUFFIX; implies -a"),
	TSB_OPT_FLAG(struct basename, zero, 'z', "zero",
		     "end each output line with NUL, not newline"),
	TSB_OPT_END
};

static void basename_print(struct tsb_proc *p, const char *path, const char *suffix, bool zero)
{
	char *name = path_base(p, path);
	size_t n = strlen(name), cut = suffix ? strlen(suffix) : 0;

	/* A name that is nothing but the suffix stays, and so does a root. */
	if (cut && cut < n && *name != '/' && !strcmp(name + n - cut, suffix))
		n -= cut;
	tsb_put(p, name, n);
	tsb_putc(p, zero ? '\0' : '\n');
	tsb_free(p, name);
}

static int basename_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct basename *o = opts;

	if (!argc)
		return util_missing_operand(p);
	if (!o->multiple && !o->suffix) {
		if (argc > 2)
			return util_extra_operand(p, argv[2]);
		basename_print(p, argv[0], argv[1], o->zero);
		return 0;
	}
	for (int i = 0; i < argc; i++)
		basename_print(p, argv[i], o->suffix, o->zero);
	return 0;
}

const struct tsb_command cmd_basename = {
	CMD_COREUTILS, .name = "basename",
	.synopsis = "NAME [SUFFIX]\nOPTION... NAME...",
	.summary = "Print NAME with any leading directory components removed.\n"
		   "If specified, also remove a trailing SUFFIX.",
	.opts = basename_opts, .opts_size = sizeof(struct basename), .run = basename_run,
	.flags = TSB_OPERAND_ENDS,
};
