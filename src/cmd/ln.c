/*
 * ln - make links between files.
 *
 * The link is tried first, and only when its name is taken and -f, -i or -b
 * allow it is the old file moved or replaced: so nothing is lost when the link
 * cannot be made anyway. Replacing is a rename of a link made under a
 * temporary name, so the name is never absent.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "cmd/backup.h"
#include "cmd/path.h"
#include "cmd/relink.h"
#include "cmd/util.h"

struct ln {
	struct tsb_proc *p;
	struct backup backup;
	bool dirs, force, interactive, logical, no_deref, relative, symbolic, no_target_dir;
	bool verbose;
	const char *target_dir;
	struct util_asker asker;
	struct map made;	/* "dev:ino:name" of links made by this run */
	bool record;
};

static int ln_set_target(struct tsb_proc *p, struct ln *o, const char *dir)
{
	struct tsb_stat st;
	int err;

	if (o->target_dir) {
		tsb_warn(p, "multiple target directories specified");
		return 1;
	}
	err = tsb_stat(p, dir, &st);
	if (err)
		tsb_warn_errno(p, err, "failed to access %s", quote_af(p, dir));
	else if (!S_ISDIR(st.mode))
		tsb_warn(p, "target %s is not a directory", quote_af(p, dir));
	o->target_dir = dir;
	return err || !S_ISDIR(st.mode);
}

static int ln_set(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct ln *o = opts;

	switch (opt->value) {
	case 'f':
	case 'i':
		o->force = opt->value == 'f';
		o->interactive = opt->value == 'i';
		return 0;
	case 't':
		return ln_set_target(p, o, arg);
	default:
		o->logical = opt->value == 'L';
		return 0;
	}
}

static const struct tsb_opt ln_opts[] = {
	BACKUP_OPTS(struct ln, backup),
	TSB_OPT_FLAG(struct ln, dirs, 'd', "directory",
		     "allow the superuser to attempt to hard link directories"),
	TSB_OPT_FLAG(struct ln, dirs, 'F', NULL, NULL),
	TSB_OPT_CALL(ln_set, 'f', 'f', "force", NULL, "remove existing destination files"),
	TSB_OPT_CALL(ln_set, 'i', 'i', "interactive", NULL,
		     "prompt whether to remove destinations"),
	TSB_OPT_CALL(ln_set, 'L', 'L', "logical", NULL,
		     "dereference TARGETs that are symbolic links"),
	BACKUP_SUFFIX_OPT(struct ln, backup),
	TSB_OPT_FLAG(struct ln, no_deref, 'n', "no-dereference",
		     "treat LINK_NAME as a normal file if it is a symbolic link to a directory"),
	TSB_OPT_CALL(ln_set, 'P', 'P', "physical", NULL,
		     "make hard links directly to symbolic links"),
	TSB_OPT_FLAG(struct ln, relative, 'r', "relative",
		     "with -s, create links relative to link location"),
	TSB_OPT_FLAG(struct ln, symbolic, 's', "symbolic",
		     "make symbolic links instead of hard links"),
	TSB_OPT_CALL(ln_set, 't', 't', "target-directory", "DIRECTORY",
		     "specify the DIRECTORY in which to create the links"),
	TSB_OPT_FLAG(struct ln, no_target_dir, 'T', "no-target-directory",
		     "treat LINK_NAME as a normal file always"),
	TSB_OPT_FLAG(struct ln, verbose, 'v', "verbose", "print name of each linked file"),
	TSB_OPT_END
};

static int ln_link(struct ln *o, const char *source, const char *dest, bool force)
{
	int err;

	if (o->symbolic)
		err = relink_symbolic(o->p, source, dest, force);
	else
		err = relink_hard(o->p, source, dest, o->logical, force);
	return err > 0 ? 0 : err;
}

/* The text of a relative link at dest that leads to source. */
static const char *ln_relative(struct ln *o, const char *source, const char *dest)
{
	char *dir, *to, *text;

	if (path_canon(o->p, path_dir(o->p, dest), PATH_MAY_MISS, &dir) ||
	    path_canon(o->p, source, PATH_MAY_MISS, &to))
		return source;
	text = path_relative(o->p, to, dir);
	return text ? text : source;
}

static char *ln_key(struct ln *o, const char *dest, const struct tsb_stat *st)
{
	return tsb_format(o->p, "%llu:%llu:%s", (unsigned long long)st->dev,
			  (unsigned long long)st->ino, dest);
}

static bool ln_is_same(struct ln *o, const char *source, const char *dest,
		       struct tsb_stat *from, const struct tsb_stat *to)
{
	if (o->backup.type != BACKUP_NONE && o->symbolic)
		return false;
	if (o->symbolic && tsb_stat(o->p, source, from))
		return false;
	return util_same_file(from, to) &&
	       (from->nlink == 1 || path_same_name(o->p, source, dest));
}

enum ln_next { LN_GO, LN_FORCE, LN_FAILED, LN_DECLINED };

/* dest may be in the way: looks, asks, backs up. */
static enum ln_next ln_make_way(struct ln *o, const char *source, const char *dest,
				struct tsb_stat *from, char **saved)
{
	struct tsb_proc *p = o->p;
	struct tsb_stat to;
	char *key;
	int err = tsb_lstat(p, dest, &to);

	if (err == -ENOENT)
		return LN_GO;
	if (err) {
		tsb_warn_errno(p, err, "failed to access %s", quote_af(p, dest));
		return LN_FAILED;
	}
	if (S_ISDIR(to.mode)) {
		tsb_warn(p, "%s: cannot overwrite directory", quote_f(p, dest));
		return LN_FAILED;
	}
	key = ln_key(o, dest, &to);
	if (o->record && map_find(&o->made, key, strlen(key))) {
		tsb_warn(p, "will not overwrite just-created %s with %s", quote_af(p, dest),
			 quote_af(p, source));
		return LN_FAILED;
	}
	if ((o->force || o->backup.type != BACKUP_NONE) &&
	    ln_is_same(o, source, dest, from, &to)) {
		tsb_warn(p, "%s and %s are the same file", quote_af(p, source), quote_af(p, dest));
		return LN_FAILED;
	}
	if (o->interactive && !util_ask(p, &o->asker, "replace %s? ", quote_af(p, dest)))
		return LN_DECLINED;
	if (o->backup.type == BACKUP_NONE)
		return LN_FORCE;
	err = backup_rename(p, &o->backup, dest, saved);
	if (!err)
		return LN_FORCE;
	*saved = NULL;
	if (err == -ENOENT)
		return LN_GO;
	tsb_warn_errno(p, err, "cannot backup %s", quote_af(p, dest));
	return LN_FAILED;
}

static void ln_say_failure(struct ln *o, int err, const char *source, const char *dest)
{
	struct tsb_proc *p = o->p;
	bool both;

	if (o->symbolic)
		both = err == -ENAMETOOLONG || !*source;
	else
		both = err != -EDQUOT && err != -EEXIST && err != -ENOSPC && err != -EROFS;
	if (!o->symbolic && err == -EMLINK)
		tsb_warn_errno(p, err, "failed to create hard link to %s", quote_af(p, source));
	else if (both)
		tsb_warn_errno(p, err, "failed to create %s link %s %c> %s",
			       o->symbolic ? "symbolic" : "hard", quote_af(p, dest),
			       o->symbolic ? '-' : '=', quote_af(p, source));
	else
		tsb_warn_errno(p, err, "failed to create %s link %s",
			       o->symbolic ? "symbolic" : "hard", quote_af(p, dest));
}

static int ln_failed(struct ln *o, int err, const char *source, const char *dest,
		     const char *saved)
{
	ln_say_failure(o, err, source, dest);
	if (!saved)
		return 1;
	err = tsb_rename(o->p, saved, dest, 0);
	if (err)
		tsb_warn_errno(o->p, err, "cannot un-backup %s", quote_af(o->p, dest));
	return 1;
}

static void ln_done(struct ln *o, const char *source, const char *dest, const char *saved,
		    const struct tsb_stat *from)
{
	struct tsb_proc *p = o->p;
	char *key;

	if (o->record) {
		key = ln_key(o, dest, from);
		map_put(&o->made, key, strlen(key));
	}
	if (!o->verbose)
		return;
	if (saved)
		tsb_printf(p, "%s ~ ", quote_af(p, saved));
	tsb_printf(p, "%s %c> %s\n", quote_af(p, dest), o->symbolic ? '-' : '=',
		   quote_af(p, source));
}

/* err: 1 when the link has not been tried, else what trying gave. */
static int ln_one(struct ln *o, const char *source, const char *dest, int err)
{
	struct tsb_stat from = { 0 };
	enum ln_next next = LN_GO;
	char *saved = NULL;
	int got;

	if (err == 1 && !(o->symbolic && o->relative))
		err = ln_link(o, source, dest, false);
	if ((err || o->record) && !o->symbolic) {
		got = o->logical ? tsb_stat(o->p, source, &from) : tsb_lstat(o->p, source, &from);
		if (got) {
			tsb_warn_errno(o->p, got, "failed to access %s", quote_af(o->p, source));
			return 1;
		}
	}
	if (err) {
		if (!o->symbolic && !o->dirs && S_ISDIR(from.mode)) {
			tsb_warn(o->p, "%s: hard link not allowed for directory",
				 quote_f(o->p, source));
			return 1;
		}
		if (o->relative)
			source = ln_relative(o, source, dest);
		if (o->force || o->interactive || o->backup.type != BACKUP_NONE)
			next = ln_make_way(o, source, dest, &from, &saved);
		if (next == LN_FAILED || next == LN_DECLINED)
			return next == LN_FAILED;
		if (err == 1 || next == LN_FORCE)
			err = ln_link(o, source, dest, next == LN_FORCE);
	}
	if (err)
		return ln_failed(o, err, source, dest, saved);
	ln_done(o, source, dest, saved, &from);
	return 0;
}

static int ln_into(struct ln *o, const char *dir, int n, char **files)
{
	int status = 0;

	o->record = n > 1 && o->force && !o->symbolic && o->backup.type != BACKUP_NUMBERED;
	map_init(&o->made, tsb_heap_of(o->p));
	for (int i = 0; i < n; i++) {
		char *dest = path_join(o->p, dir, path_last(files[i]));

		path_strip_slashes(dest);
		tsb_tick(o->p, 1);
		status |= ln_one(o, files[i], dest, 1);
	}
	return status;
}

static int ln_exactly_two(struct ln *o, int argc, char **argv)
{
	struct tsb_proc *p = o->p;

	if (o->target_dir) {
		tsb_warn(p, "cannot combine --target-directory and --no-target-directory");
		return 1;
	}
	if (argc < 2)
		return tsb_usage(p, "missing destination file operand after %s",
				 quote_af(p, argv[0]));
	if (argc > 2)
		return tsb_usage(p, "extra operand %s", quote_af(p, argv[2]));
	return 0;
}

static bool ln_is_dir(struct ln *o, const char *dir, int *err)
{
	struct tsb_stat st;

	*err = o->no_deref ? tsb_lstat(o->p, dir, &st) : tsb_stat(o->p, dir, &st);
	if (!*err && !S_ISDIR(st.mode))
		*err = -ENOTDIR;
	return !*err;
}

/* The last of several operands, or the only other one, may be a directory. */
static int ln_to_last(struct ln *o, int argc, char **argv)
{
	const char *last = argv[argc - 1];
	int err = 1, not_dir, bad;
	bool is_dir;

	if (argc == 2 && !(o->symbolic && o->relative)) {
		err = ln_link(o, argv[0], last, false);
		if (!err || (err != -EEXIST && err != -ENOTDIR && err != -EINVAL)) {
			bad = backup_prepare(o->p, &o->backup);
			return bad ? bad : ln_one(o, argv[0], last, err);
		}
	}
	is_dir = ln_is_dir(o, last, &not_dir);
	if (!is_dir && argc > 2) {
		tsb_warn_errno(o->p, not_dir, "target %s", quote_af(o->p, last));
		return 1;
	}
	/* A bad type of backup is said only now: the first link may have been made. */
	bad = backup_prepare(o->p, &o->backup);
	if (bad)
		return bad;
	return is_dir ? ln_into(o, last, argc - 1, argv) : ln_one(o, argv[0], last, err);
}

static int ln_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct ln *o = opts;
	int status;

	o->p = p;
	if (!argc)
		return util_missing_file(p);
	if (o->relative && !o->symbolic) {
		tsb_warn(p, "cannot do --relative without --symbolic");
		return 1;
	}
	status = o->no_target_dir ? ln_exactly_two(o, argc, argv) : 0;
	if (!status && argc > 1 && !o->no_target_dir && !o->target_dir)
		return ln_to_last(o, argc, argv);
	if (!status)
		status = backup_prepare(p, &o->backup);
	if (status)
		return status;
	if (o->no_target_dir)
		return ln_one(o, argv[0], argv[1], 1);
	if (o->target_dir) {
		if (ln_is_dir(o, o->target_dir, &status))
			return ln_into(o, o->target_dir, argc, argv);
		return 1;
	}
	return ln_into(o, ".", 1, argv);
}

const struct tsb_command cmd_ln = {
	CMD_COREUTILS, .name = "ln",
	.synopsis = "[OPTION]... [-T] TARGET LINK_NAME\n[OPTION]... TARGET\n"
		    "[OPTION]... TARGET... DIRECTORY\n[OPTION]... -t DIRECTORY TARGET...",
	.summary = "Make links: hard links by default, symbolic links with --symbolic.",
	.opts = ln_opts, .opts_size = sizeof(struct ln), .run = ln_run,
};
