/*
 * mktemp - make a temporary file or directory and print its name.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cmd/path.h"
#include "cmd/tempname.h"
#include "cmd/util.h"

struct mktemp {
	bool directory, dry_run, quiet, use_dir, old_t;
	const char *dir, *suffix;
};

static int mktemp_set_dir(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	struct mktemp *o = opts;

	(void)p;
	o->use_dir = true;
	if (opt->value == 't')
		o->old_t = true;
	else
		o->dir = arg;
	return 0;
}

static const struct tsb_opt mktemp_opts[] = {
	TSB_OPT_FLAG(struct mktemp, directory, 'd', "directory",
		     "create a directory, not a file"),
	TSB_OPT_FLAG(struct mktemp, quiet, 'q', "quiet",
		     "suppress diagnostics about file/dir-creation failure"),
	TSB_OPT_FLAG(struct mktemp, dry_run, 'u', "dry-run",
		     "do not create anything; merely print a name (unsafe)"),
	TSB_OPT_STR(struct mktemp, suffix, 0, "suffix", "SUFF",
		    "append SUFF to TEMPLATE; SUFF must not contain a slash; this option is "
		    "implied if TEMPLATE does not end in X"),
	TSB_OPT_CALL(mktemp_set_dir, 'p', 'p', NULL, "DIR",
		     "interpret TEMPLATE relative to DIR"),
	TSB_OPT_CALL_OPT(mktemp_set_dir, 'p', 0, "tmpdir", "DIR",
			 "as -p; if DIR is not specified, use $TMPDIR if set, else /tmp; with this "
			 "option, TEMPLATE must not be an absolute name"),
	TSB_OPT_CALL(mktemp_set_dir, 't', 't', NULL, NULL,
		     "interpret TEMPLATE as a single file name component, relative to a "
		     "directory: $TMPDIR, if set; else the directory specified via -p; else /tmp "
		     "[deprecated]"),
	TSB_OPT_END
};

static int mktemp_refuse(struct tsb_proc *p, const char *before, const char *what,
			 const char *behind)
{
	tsb_warn(p, "%s %s%s", before, quote_text(p, what), behind);
	return 1;
}

/* Where the X's are: name[*at .. *at + *n). 0 or the exit status. */
static int mktemp_find(struct tsb_proc *p, const struct mktemp *o, char **name, size_t *at,
		       size_t *n)
{
	size_t len = strlen(*name), end = len;
	const char *suffix;

	if (o->suffix) {
		if (!len || (*name)[len - 1] != 'X')
			return mktemp_refuse(p, "with --suffix, template", *name,
					     " must end in X");
		*name = tsb_format(p, "%s%s", *name, o->suffix);
	} else {
		while (end && (*name)[end - 1] != 'X')
			end--;
		if (!end)
			end = len;
	}
	suffix = *name + end;
	if (strchr(suffix, '/'))
		return mktemp_refuse(p, "invalid suffix", suffix,
				     ", contains directory separator");
	for (*at = end; *at && (*name)[*at - 1] == 'X';)
		--*at;
	*n = end - *at;
	return *n < 3 ? mktemp_refuse(p, "too few X's in template", *name, "") : 0;
}

/* The directory in front of the name: 0 or the exit status. */
static int mktemp_place(struct tsb_proc *p, const struct mktemp *o, char **name, size_t *at)
{
	const char *env = tsb_getenv(p, "TMPDIR"), *dir = o->dir;
	size_t n = strlen(*name);

	if (!o->use_dir)
		return 0;
	if (env && !*env)
		env = NULL;
	if (o->old_t) {
		if (env)
			dir = env;
		if (path_last(*name) != *name || strchr(*name, '/'))
			return mktemp_refuse(p, "invalid template,", *name,
					     ", contains directory separator");
	} else {
		if (!dir || !*dir)
			dir = env;
		if (**name == '/')
			return mktemp_refuse(p, "invalid template,", *name,
					     "; with --tmpdir, it may not be absolute");
	}
	*name = path_join(p, dir ? dir : "/tmp", *name);
	*at += strlen(*name) - n;
	return 0;
}

static int mktemp_try(struct tsb_proc *p, const struct mktemp *o, const char *name)
{
	struct tsb_stat st;
	int r;

	if (o->dry_run) {
		r = tsb_lstat(p, name, &st);
		return r == -ENOENT ? 0 : r ? r : -EEXIST;
	}
	if (o->directory)
		return tsb_mkdir(p, name, 0700);
	r = tsb_open(p, name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (r >= 0)
		tsb_close(p, r);
	return r < 0 ? r : 0;
}

static int mktemp_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct mktemp *o = opts;
	const char *given = argc ? argv[0] : "tmp.XXXXXXXXXX";
	char *name = tsb_strdup(p, given), *template;
	size_t at = 0, n = 0;
	int status, err = -EEXIST;

	if (argc > 1)
		return tsb_usage(p, "too many templates");
	if (!argc)
		o->use_dir = true;
	status = mktemp_find(p, o, &name, &at, &n);
	if (!status)
		status = mktemp_place(p, o, &name, &at);
	if (status)
		return status;
	template = tsb_strdup(p, name);
	for (int tries = 0; tries < 10000 && err == -EEXIST; tries++) {
		tempname_fill(p, name + at, n);
		err = mktemp_try(p, o, name);
		tsb_tick(p, 1);
	}
	if (err) {
		if (!o->quiet)
			tsb_warn_errno(p, err, "failed to create %s via template %s",
				       o->directory ? "directory" : "file",
				       quote_text(p, template));
		return 1;
	}
	tsb_puts(p, name);
	tsb_putc(p, '\n');
	return 0;
}

const struct tsb_command cmd_mktemp = {
	CMD_COREUTILS, .name = "mktemp",
	.synopsis = "[OPTION]... [TEMPLATE]",
	.summary = "Create a temporary file or directory, safely, and print its name.\n"
		   "TEMPLATE must contain at least 3 consecutive 'X's in last component.",
	.opts = mktemp_opts, .opts_size = sizeof(struct mktemp), .run = mktemp_run,
};
