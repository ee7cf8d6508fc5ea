/*
 * rmdir - remove empty directories.
 *
 * -p removes the ancestors too, from the inside out, as far as it gets.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/util.h"

struct rmdir {
	bool ignore_not_empty, parents, verbose;
};

static const struct tsb_opt rmdir_opts[] = {
	TSB_OPT_FLAG(struct rmdir, ignore_not_empty, 0, "ignore-fail-on-non-empty",
		     "ignore each failure that is solely because a directory is non-empty"),
	TSB_OPT_FLAG(struct rmdir, parents, 'p', "parents",
		     "remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b/c' is similar to "
		     "'rmdir a/b/c a/b a'"),
	{ TSB_OPTION_FLAG, 0, "path", NULL, NULL, offsetof(struct rmdir, parents), 1,
	  TSB_OPT_HIDDEN, NULL },
	TSB_OPT_FLAG(struct rmdir, verbose, 'v', "verbose",
		     "output a diagnostic for every directory processed"),
	TSB_OPT_END
};

static bool rmdir_holds_entries(struct tsb_proc *p, const char *dir)
{
	struct tsb_dir *d;
	bool any;

	if (tsb_opendir(p, dir, &d))
		return false;
	any = tsb_readdir(d);
	tsb_closedir(d);
	return any;
}

/* Is the failure only that it is not empty? Rights may hide that. */
static bool rmdir_may_ignore(struct tsb_proc *p, const struct rmdir *o, int err, const char *dir)
{
	if (!o->ignore_not_empty)
		return false;
	if (err == -ENOTEMPTY || err == -EEXIST)
		return true;
	if (err == -EACCES || err == -EPERM || err == -EROFS || err == -EBUSY)
		return rmdir_holds_entries(p, dir);
	return false;
}

static void rmdir_say(struct tsb_proc *p, const struct rmdir *o, const char *dir)
{
	if (o->verbose)
		tsb_printf(p, "%s: removing directory, %s\n", tsb_name(p), quote_af(p, dir));
}

static int rmdir_ancestors(struct tsb_proc *p, const struct rmdir *o, char *dir)
{
	char *slash;

	path_strip_slashes(dir);
	while ((slash = strrchr(dir, '/'))) {
		struct tsb_stat st;
		int err;

		while (slash > dir && *slash == '/')
			--slash;
		slash[1] = '\0';
		rmdir_say(p, o, dir);
		err = tsb_rmdir(p, dir);
		if (!err)
			continue;
		if (rmdir_may_ignore(p, o, err, dir))
			return 0;
		if (err == -ENOTDIR && !tsb_lstat(p, dir, &st) && S_ISLNK(st.mode))
			tsb_warn(p, "failed to remove %s: Symbolic link not followed",
				 quote_af(p, dir));
		else
			tsb_warn_errno(p, err, "failed to remove directory %s", quote_af(p, dir));
		return 1;
	}
	return 0;
}

/* "link/" fails with ENOTDIR on Linux, which needs explaining. */
static bool rmdir_is_link_with_slash(struct tsb_proc *p, int err, const char *dir)
{
	size_t n = strlen(dir);
	struct tsb_stat st;
	char *bare;
	int to;

	if (err != -ENOTDIR || !n || dir[n - 1] != '/')
		return false;
	to = tsb_stat(p, dir, &st);
	if (to ? to == -ENOTDIR : !S_ISDIR(st.mode))
		return false;
	bare = tsb_strdup(p, dir);
	path_strip_slashes(bare);
	return !tsb_lstat(p, bare, &st) && S_ISLNK(st.mode);
}

static int rmdir_one(struct tsb_proc *p, const struct rmdir *o, char *dir)
{
	int err;

	rmdir_say(p, o, dir);
	err = tsb_rmdir(p, dir);
	if (!err)
		return o->parents ? rmdir_ancestors(p, o, dir) : 0;
	if (rmdir_may_ignore(p, o, err, dir))
		return 0;
	if (rmdir_is_link_with_slash(p, err, dir))
		tsb_warn(p, "failed to remove %s: Symbolic link not followed", quote_af(p, dir));
	else
		tsb_warn_errno(p, err, "failed to remove %s", quote_af(p, dir));
	return 1;
}

static int rmdir_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	int status = 0;

	if (!argc)
		return util_missing_operand(p);
	for (int i = 0; i < argc; i++)
		status |= rmdir_one(p, opts, argv[i]);
	return status;
}

const struct tsb_command cmd_rmdir = {
	CMD_COREUTILS, .name = "rmdir",
	.synopsis = "[OPTION]... DIRECTORY...",
	.summary = "Remove the DIRECTORY(ies), if they are empty.",
	.opts = rmdir_opts, .opts_size = sizeof(struct rmdir), .run = rmdir_run,
};
