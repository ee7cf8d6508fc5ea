/*
 * realpath - print resolved names, absolute or relative to a directory.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/util.h"

struct realpath {
	int missing;		/* enum path_mode */
	int links;		/* 'P', 'L', 's' */
	bool quiet, zero;
	const char *relative_to, *relative_base;
	char *to, *base;	/* the same, canonical */
};

static const struct tsb_opt realpath_opts[] = {
	TSB_OPT_SET(struct realpath, missing, PATH_ALL_EXIST, 'e', "canonicalize-existing",
		    "all components of the path must exist"),
	TSB_OPT_SET(struct realpath, missing, PATH_MAY_MISS, 'm', "canonicalize-missing",
		    "no path components need exist or be a directory"),
	TSB_OPT_SET(struct realpath, links, 'L', 'L', "logical",
		    "resolve '..' components before symlinks"),
	TSB_OPT_SET(struct realpath, links, 'P', 'P', "physical",
		    "resolve symlinks as encountered (default)"),
	TSB_OPT_FLAG(struct realpath, quiet, 'q', "quiet", "suppress most error messages"),
	TSB_OPT_STR(struct realpath, relative_to, 0, "relative-to", "DIR",
		    "print the resolved path relative to DIR"),
	TSB_OPT_STR(struct realpath, relative_base, 0, "relative-base", "DIR",
		    "print absolute paths unless paths below DIR"),
	TSB_OPT_SET(struct realpath, links, 's', 's', "strip", "don't expand symlinks"),
	TSB_OPT_SET(struct realpath, links, 's', 0, "no-symlinks", NULL),
	TSB_OPT_FLAG(struct realpath, zero, 'z', "zero",
		     "end each output line with NUL, not newline"),
	TSB_OPT_END
};

static int realpath_canon(struct tsb_proc *p, const struct realpath *o, const char *path,
			  char **out)
{
	unsigned mode = (unsigned)o->missing;
	int err;

	if (o->links == 'P')
		return path_canon(p, path, mode, out);
	err = path_canon(p, path, mode | PATH_LEXICAL, out);
	if (!err && o->links == 'L')
		err = path_canon(p, *out, mode, out);
	return err;
}

/* Is canonical path `prefix` path itself or a directory around it? */
static bool realpath_is_prefix(const char *prefix, const char *path)
{
	size_t n = strlen(prefix);

	if (n == 1)
		return path[1] != '/';
	return !strncmp(prefix, path, n) && (!path[n] || path[n] == '/');
}

/* A directory given by an option. */
static int realpath_dir(struct tsb_proc *p, const struct realpath *o, const char *dir, char **out)
{
	int err = realpath_canon(p, o, dir, out);
	struct tsb_stat st;

	if (!err && o->missing == PATH_ALL_EXIST && (tsb_stat(p, *out, &st) || !S_ISDIR(st.mode)))
		err = -ENOTDIR;
	if (err)
		tsb_warn_errno(p, err, "%s", quote_f(p, dir));
	return err ? 1 : 0;
}

static int realpath_settle(struct tsb_proc *p, struct realpath *o)
{
	bool same = o->relative_base && !o->relative_to;

	if (same)
		o->relative_to = o->relative_base;
	if (o->relative_to && realpath_dir(p, o, o->relative_to, &o->to))
		return 1;
	if (same || !o->relative_base) {
		o->base = same ? o->to : NULL;
		return 0;
	}
	if (realpath_dir(p, o, o->relative_base, &o->base))
		return 1;
	/* A base that does not hold the directory turns it off. */
	if (!realpath_is_prefix(o->base, o->to))
		o->to = NULL;
	return 0;
}

static int realpath_one(struct tsb_proc *p, const struct realpath *o, const char *path)
{
	char *real, *relative = NULL;
	int err = realpath_canon(p, o, path, &real);

	if (err) {
		if (!o->quiet)
			tsb_warn_errno(p, err, "%s", quote_f(p, path));
		return 1;
	}
	if (o->to && (!o->base || realpath_is_prefix(o->base, real)))
		relative = path_relative(p, real, o->to);
	tsb_puts(p, relative ? relative : real);
	tsb_putc(p, o->zero ? '\0' : '\n');
	return 0;
}

static int realpath_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct realpath *o = opts;
	int status;

	if (!argc)
		return util_missing_operand(p);
	status = realpath_settle(p, o);
	if (status)
		return status;
	for (int i = 0; i < argc; i++)
		status |= realpath_one(p, o, argv[i]);
	return status;
}

static const struct realpath realpath_defaults = {
	.missing = PATH_LAST_MAY_MISS, .links = 'P',
};

const struct tsb_command cmd_realpath = {
	CMD_COREUTILS, .name = "realpath",
	.synopsis = "[OPTION]... FILE...",
	.summary = "Print the resolved absolute file name;\n"
		   "all but the last component must exist",
	.opts = realpath_opts, .opts_size = sizeof(struct realpath),
	.defaults = &realpath_defaults, .run = realpath_run,
};
