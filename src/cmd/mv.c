/*
 * mv - move (rename) files. The rename is tried before anything is looked at,
 * so the usual case is one call; between filesystems it is a copy (copy.c)
 * and a removal (remove.c).
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "cmd/copy.h"
#include "cmd/path.h"
#include "cmd/remove.h"
#include "cmd/util.h"

struct mv {
	struct copy_options copy;
	bool strip_slashes, no_target_dir;
	const char *target_dir;
};

#define MV_FLAG(field, s, l, h) TSB_OPT_FLAG(struct mv, copy.field, s, l, h)

static const struct tsb_opt mv_opts[] = {
	BACKUP_OPTS(struct mv, copy.backup),
	TSB_OPT_CALL(util_ignore_context, 0, 'Z', "context", NULL,
		     "set SELinux security context of destination file to default type"),
	TSB_OPT_SET(struct mv, copy.ask, COPY_ASK_NEVER, 'f', "force",
		    "do not prompt before overwriting"),
	TSB_OPT_SET(struct mv, copy.ask, COPY_ASK, 'i', "interactive",
		    "prompt before overwrite"),
	TSB_OPT_SET(struct mv, copy.ask, COPY_NO_CLOBBER, 'n', "no-clobber",
		    "do not overwrite an existing file"),
	TSB_OPT_FLAG(struct mv, no_target_dir, 'T', "no-target-directory",
		     "treat DEST as a normal file"),
	TSB_OPT_FLAG(struct mv, strip_slashes, 0, "strip-trailing-slashes",
		     "remove any trailing slashes from each SOURCE argument"),
	BACKUP_SUFFIX_OPT(struct mv, copy.backup),
	{ TSB_OPTION_CALL, 't', "target-directory", "DIRECTORY",
	  "move all SOURCE arguments into DIRECTORY", offsetof(struct mv, target_dir), 0, 0,
	  copy_set_target },
	MV_FLAG(update, 'u', "update",
		"move only when the SOURCE file is newer than the destination file or when the "
		"destination file is missing"),
	MV_FLAG(verbose, 'v', "verbose", "explain what is being done"),
	TSB_OPT_END
};

static const struct mv mv_defaults = {
	.copy = {
		.deref = COPY_DEREF_NEVER, .move = true, .recursive = true,
		.keep_links = true, .keep_owner = true, .keep_mode = true, .keep_times = true,
	},
};

static bool mv_one(struct copy *c, char *source, const char *dest)
{
	struct remove r = { .p = c->p, .ask = REMOVE_ASK_NEVER, .recursive = true,
			    .empty_dirs = true, .verbose = c->o->verbose };

	if (!copy_operand(c, source, dest, COPY_MAY_EXIST))
		return false;
	if (c->into_self)
		return false;
	return c->renamed || remove_all(&r, 1, &source);
}

static int mv_into(struct copy *c, const char *dir, int n, char **files)
{
	bool ok = true;

	if (n > 1)
		copy_watch(c, false);
	c->rename_error = 1;
	for (int i = 0; i < n; i++) {
		char *dest = path_join(c->p, dir, path_last(files[i]));

		path_strip_slashes(dest);
		c->last = i + 1 == n;
		ok &= mv_one(c, files[i], dest);
	}
	return !ok;
}

static int mv_count(struct tsb_proc *p, const struct mv *mv, int argc, char **argv)
{
	if (!argc)
		return util_missing_file(p);
	if (argc == 1 && !mv->target_dir)
		return tsb_usage(p, "missing destination file operand after %s",
				 quote_af(p, argv[0]));
	if (!mv->no_target_dir)
		return 0;
	if (mv->target_dir) {
		tsb_warn(p, "cannot combine --target-directory (-t) and --no-target-directory (-T)");
		return 1;
	}
	return argc > 2 ? tsb_usage(p, "extra operand %s", quote_af(p, argv[2])) : 0;
}

/* Behind the first try to rename, as GNU's mv has it. */
static int mv_settle(struct tsb_proc *p, struct copy_options *o)
{
	if (o->ask == COPY_NO_CLOBBER)
		o->update = false;
	if (o->backup.wanted && o->ask == COPY_NO_CLOBBER)
		return tsb_usage(p, "options --backup and --no-clobber are mutually exclusive");
	o->stdin_tty = tsb_isatty(p, 0);
	return backup_prepare(p, &o->backup);
}

static void mv_strip(const struct mv *mv, int argc, char **argv)
{
	if (mv->strip_slashes)
		for (int i = 0; i < argc; i++)
			path_strip_slashes(argv[i]);
}

/* The last operand may be a directory; found out only if renaming fails. */
static int mv_to_last(struct copy *c, struct mv *mv, int argc, char **argv)
{
	const char *last = mv->target_dir ? mv->target_dir : argv[argc - 1];
	int err, status;

	if (!mv->target_dir && argc == 2) {
		c->rename_error = tsb_rename(c->p, argv[0], last, TSB_RENAME_NOREPLACE);
		if (!c->rename_error) {
			status = mv_settle(c->p, &mv->copy);
			mv_strip(mv, argc, argv);
			return status ? status : !mv_one(c, argv[0], last);
		}
	}
	err = copy_target_error(c->p, last);
	if (err && (mv->target_dir || argc > 2)) {
		tsb_warn_errno(c->p, err, "target%s %s", mv->target_dir ? " directory" : "",
			       quote_af(c->p, last));
		return 1;
	}
	status = mv_settle(c->p, &mv->copy);
	if (status)
		return status;
	mv_strip(mv, argc, argv);
	if (err)
		return !mv_one(c, argv[0], argv[1]);
	return mv_into(c, last, mv->target_dir ? argc : argc - 1, argv);
}

static int mv_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct mv *mv = opts;
	struct copy c;
	int status = mv_count(p, mv, argc, argv);

	if (status)
		return status;
	copy_init(&c, p, &mv->copy);
	if (!mv->no_target_dir)
		return mv_to_last(&c, mv, argc, argv);
	status = mv_settle(p, &mv->copy);
	if (status)
		return status;
	mv_strip(mv, argc, argv);
	return !mv_one(&c, argv[0], argv[1]);
}

const struct tsb_command cmd_mv = {
	CMD_COREUTILS, .name = "mv",
	.synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n"
		    "[OPTION]... -t DIRECTORY SOURCE...",
	.summary = "Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.",
	.opts = mv_opts, .opts_size = sizeof(struct mv), .defaults = &mv_defaults, .run = mv_run,
};
