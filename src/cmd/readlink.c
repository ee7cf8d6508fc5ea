/*
 * readlink - print the target of links, or canonical names.
 */
#include "cmd/cmd.h"

#include "cmd/path.h"
#include "cmd/util.h"

struct readlink {
	int mode;		/* enum path_mode, or READLINK_PLAIN */
	bool no_newline, zero;
	int verbose;
};

enum { READLINK_PLAIN = -1 };

static const struct tsb_opt readlink_opts[] = {
	TSB_OPT_SET(struct readlink, mode, PATH_LAST_MAY_MISS, 'f', "canonicalize",
		    "canonicalize by following every symlink in every component of the given "
		    "name recursively; all but the last component must exist"),
	TSB_OPT_SET(struct readlink, mode, PATH_ALL_EXIST, 'e', "canonicalize-existing",
		    "canonicalize by following every symlink in every component of the given "
		    "name recursively, all components must exist"),
	TSB_OPT_SET(struct readlink, mode, PATH_MAY_MISS, 'm', "canonicalize-missing",
		    "canonicalize by following every symlink in every component of the given "
		    "name recursively, without requirements on components existence"),
	TSB_OPT_FLAG(struct readlink, no_newline, 'n', "no-newline",
		     "do not output the trailing delimiter"),
	TSB_OPT_SET(struct readlink, verbose, 0, 'q', "quiet", "suppress most error messages"),
	TSB_OPT_SET(struct readlink, verbose, 0, 's', "silent", NULL),
	TSB_OPT_SET(struct readlink, verbose, 1, 'v', "verbose", "report error messages"),
	TSB_OPT_FLAG(struct readlink, zero, 'z', "zero",
		     "end each output line with NUL, not newline"),
	TSB_OPT_END
};

static int readlink_one(struct tsb_proc *p, const struct readlink *o, const char *path)
{
	char *value = NULL;
	int err;

	if (o->mode == READLINK_PLAIN)
		value = path_readlink(p, path, &err);
	else
		err = path_canon(p, path, (unsigned)o->mode, &value);
	if (err) {
		if (o->verbose)
			tsb_warn_errno(p, err, "%s", quote_f(p, path));
		return 1;
	}
	tsb_puts(p, value);
	if (!o->no_newline)
		tsb_putc(p, o->zero ? '\0' : '\n');
	return 0;
}

static int readlink_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct readlink *o = opts;
	int status = 0;

	if (!argc)
		return util_missing_operand(p);
	if (argc > 1 && o->no_newline) {
		tsb_warn(p, "ignoring --no-newline with multiple arguments");
		o->no_newline = false;
	}
	for (int i = 0; i < argc; i++)
		status |= readlink_one(p, o, argv[i]);
	return status;
}

static const struct readlink readlink_defaults = { .mode = READLINK_PLAIN };

const struct tsb_command cmd_readlink = {
	CMD_COREUTILS, .name = "readlink",
	.synopsis = "[OPTION]... FILE...",
	.summary = "Print value of a symbolic link or canonical file name",
	.opts = readlink_opts, .opts_size = sizeof(struct readlink),
	.defaults = &readlink_defaults, .run = readlink_run,
};
