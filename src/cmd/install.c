/*
 * install - copy files and set their attributes, or make directories. The copy
 * is copy.c's, made readable by its owner only until owner and mode are set.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cmd/accounts.h"
#include "cmd/copy.h"
#include "cmd/mode.h"
#include "cmd/owner.h"
#include "cmd/path.h"
#include "cmd/util.h"

struct install {
	struct tsb_proc *p;
	struct copy_options copy;
	bool compare, parents, directories, strip, no_target_dir, keep_context;
	const char *group, *owner, *mode_text, *strip_program, *target_dir;
	uint32_t uid, gid, mode, dir_mode, dir_bits;
	struct copy c;
};

static const struct tsb_opt install_opts[] = {
	BACKUP_OPTS(struct install, copy.backup),
	TSB_OPT_CALL(util_ignore, 0, 'c', NULL, NULL, "(ignored)"),
	TSB_OPT_FLAG(struct install, compare, 'C', "compare",
		     "compare content of source and destination files, and if no change to "
		     "content, ownership, and permissions, do not modify the destination at all"),
	TSB_OPT_FLAG(struct install, directories, 'd', "directory",
		     "treat all arguments as directory names; create all components of the "
		     "specified directories"),
	TSB_OPT_FLAG(struct install, parents, 'D', NULL,
		     "create all leading components of DEST except the last, or all components "
		     "of --target-directory, then copy SOURCE to DEST"),
	TSB_OPT_STR(struct install, group, 'g', "group", "GROUP",
		    "set group ownership, instead of process' current group"),
	TSB_OPT_STR(struct install, mode_text, 'm', "mode", "MODE",
		    "set permission mode (as in chmod), instead of rwxr-xr-x"),
	TSB_OPT_FLAG(struct install, no_target_dir, 'T', "no-target-directory",
		     "treat DEST as a normal file"),
	TSB_OPT_STR(struct install, owner, 'o', "owner", "OWNER",
		    "set ownership (super-user only)"),
	TSB_OPT_FLAG(struct install, copy.keep_times, 'p', "preserve-timestamps",
		     "apply access/modification times of SOURCE files to corresponding "
		     "destination files"),
	TSB_OPT_CALL_OPT(util_ignore_context, 'e', 0, "context", "CTX",
			 "like -Z, or if CTX is specified then set the SELinux or SMACK security "
			 "context to CTX"),
	TSB_OPT_CALL(util_ignore_context, 0, 'Z', NULL, NULL,
		     "set SELinux security context of destination file and each created "
		     "directory to default type"),
	TSB_OPT_FLAG(struct install, strip, 's', "strip", "strip symbol tables"),
	TSB_OPT_STR(struct install, strip_program, 0, "strip-program", "PROGRAM",
		    "program used to strip binaries"),
	BACKUP_SUFFIX_OPT(struct install, copy.backup),
	{ TSB_OPTION_CALL, 't', "target-directory", "DIRECTORY",
	  "copy all SOURCE arguments into DIRECTORY", offsetof(struct install, target_dir), 0, 0,
	  copy_set_target },
	TSB_OPT_FLAG(struct install, copy.verbose, 'v', "verbose",
		     "print the name of each directory as it is created"),
	TSB_OPT_FLAG(struct install, keep_context, 0, "preserve-context",
		     "preserve SELinux security context"),
	TSB_OPT_END
};

static const struct install install_defaults = {
	.copy = { .deref = COPY_DEREF_ALWAYS, .install = true, .as_regular = true,
		  .unlink_before = true, .set_mode = true, .mode = 0600 },
	.uid = OWNER_KEEP, .gid = OWNER_KEEP, .mode = 0755, .dir_mode = 0755, .dir_bits = 07777,
};

/* ---- Directories ---- */

/* Makes dir: 0 or -errno. */
static int install_mkdir(struct install *o, const char *dir, uint32_t mode)
{
	int err = tsb_mkdir(o->p, dir, mode);

	if (!err && o->copy.verbose)
		tsb_printf(o->p, "%s: creating directory %s\n", tsb_name(o->p),
			   quote_af(o->p, dir));
	return err;
}

/* All directories on the way to the last component: 0 or -errno, and path ends
 * at the one that failed. */
static int install_ancestors(struct install *o, char *path)
{
	char *last = (char *)path_last(path);
	struct tsb_stat st;

	for (char *s = path + (*path == '/'); s < last; s++) {
		int err = 0, in;

		if (*s != '/' || s[-1] == '/')
			continue;
		*s = '\0';
		if (!path_is_dot(path_last(path)))
			err = install_mkdir(o, path, 0755);
		in = tsb_stat(o->p, path, &st);
		if (!in && !S_ISDIR(st.mode))
			in = -ENOTDIR;
		if (!in)
			in = tsb_access(o->p, path, TSB_X_OK);
		if (in)
			return err && in == -ENOENT ? err : in;
		*s = '/';
	}
	return 0;
}

/* Owner and mode, where they are not as wanted already: 0 or -errno. */
static int install_dir_attributes(struct install *o, const char *dir)
{
	struct tsb_setattr set = { .uid = o->uid, .gid = o->gid };
	struct tsb_stat st;
	uint32_t mode;
	int err = tsb_stat(o->p, dir, &st);

	if (!err && !S_ISDIR(st.mode))
		err = -ENOTDIR;
	set.mask = (o->uid != OWNER_KEEP ? TSB_SET_UID : 0) |
		   (o->gid != OWNER_KEEP ? TSB_SET_GID : 0);
	if (!err && set.mask)
		err = tsb_setattr(o->p, dir, &set, true);
	mode = (st.mode & MODE_BITS & ~o->dir_bits) | (o->dir_mode & o->dir_bits);
	if (err || mode == (st.mode & MODE_BITS))
		return err;
	set = (struct tsb_setattr){ .mask = TSB_SET_MODE, .mode = mode };
	return tsb_setattr(o->p, dir, &set, true);
}

static int install_directory(struct install *o, char *dir)
{
	bool ids = o->uid != OWNER_KEEP || o->gid != OWNER_KEEP;
	int err = install_ancestors(o, dir), made = 0;

	if (!err) {
		made = install_mkdir(o, dir, o->dir_mode & 0777);
		err = install_dir_attributes(o, dir);
		if (!err)
			return 0;
		if (!made || (made != -ENOENT && err != -ENOTDIR)) {
			tsb_warn_errno(o->p, err, "cannot change %spermissions of %s",
				       ids ? "owner and " : "", quote_text(o->p, dir));
			return 1;
		}
		err = made;
	}
	tsb_warn_errno(o->p, err, "cannot create directory %s", quote_text(o->p, dir));
	return 1;
}

/* ---- Files ---- */

static bool install_same_bytes(struct install *o, int a, int b)
{
	enum { BLOCK = 4096 };
	char *x = tsb_alloc(o->p, 2 * BLOCK), *y = x + BLOCK;
	ssize_t n, m, k;

	do {
		n = tsb_read(o->p, a, x, BLOCK);
		for (m = 0; n > 0 && m < n; m += k) {
			k = tsb_read(o->p, b, y + m, (size_t)(n - m));
			if (k <= 0)
				return false;
		}
		tsb_tick(o->p, 1);
	} while (n > 0 && !memcmp(x, y, (size_t)n));
	return !n && !tsb_read(o->p, b, y, 1);
}

/* -C: is `to` as it would be after copying? */
static bool install_is_done(struct install *o, const char *from, const char *to)
{
	uint32_t uid = o->uid == OWNER_KEEP ? tsb_getuid(o->p) : o->uid;
	uint32_t gid = o->gid == OWNER_KEEP ? tsb_getgid(o->p) : o->gid;
	struct tsb_stat a, b;
	bool same = false;
	int x, y;

	if ((o->mode & ~0777u) || tsb_lstat(o->p, from, &a) || tsb_lstat(o->p, to, &b) ||
	    !S_ISREG(a.mode) || !S_ISREG(b.mode) || ((a.mode | b.mode) & 07000))
		return false;
	if (a.size != b.size || (b.mode & MODE_BITS) != o->mode || b.uid != uid || b.gid != gid)
		return false;
	x = tsb_open(o->p, from, O_RDONLY, 0);
	y = tsb_open(o->p, to, O_RDONLY, 0);
	if (x >= 0 && y >= 0)
		same = install_same_bytes(o, x, y);
	if (x >= 0)
		tsb_close(o->p, x);
	if (y >= 0)
		tsb_close(o->p, y);
	return same;
}

static bool install_strip(struct install *o, const char *path)
{
	const char *program = o->strip_program ? o->strip_program : "strip";
	const char *argv[] = { program, path, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };
	int pid, status = 1;
	int err = tsb_spawn(o->p, &how, &pid);

	if (err)
		tsb_warn_errno(o->p, err, "cannot run %s", quote_af(o->p, program));
	else
		err = tsb_wait(o->p, pid, &status, 0) < 0;
	if (!err && WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	tsb_warn(o->p, "strip process terminated abnormally");
	err = tsb_unlink(o->p, path);
	if (err)
		tsb_warn_errno(o->p, err, "cannot unlink %s", quote_af(o->p, path));
	return false;
}

static bool install_times(struct install *o, const char *path, const struct tsb_stat *from)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME,
				   .atime = from->atime, .mtime = from->mtime };
	int err = tsb_setattr(o->p, path, &set, true);

	if (err)
		tsb_warn_errno(o->p, err, "cannot set timestamps for %s", quote_af(o->p, path));
	return !err;
}

static bool install_attributes(struct install *o, const char *path)
{
	struct tsb_setattr set = { .uid = o->uid, .gid = o->gid, .mode = o->mode };
	int err = 0;

	set.mask = (o->uid != OWNER_KEEP ? TSB_SET_UID : 0) |
		   (o->gid != OWNER_KEEP ? TSB_SET_GID : 0);
	if (set.mask)
		err = tsb_setattr(o->p, path, &set, false);
	if (err) {
		tsb_warn_errno(o->p, err, "cannot change ownership of %s", quote_af(o->p, path));
		return false;
	}
	set.mask = TSB_SET_MODE;
	err = tsb_setattr(o->p, path, &set, true);
	if (err)
		tsb_warn_errno(o->p, err, "cannot change permissions of %s",
			       quote_af(o->p, path));
	return !err;
}

static bool install_file(struct install *o, const char *from, const char *to)
{
	struct tsb_stat st;
	int err = 0;

	if (o->copy.keep_times)
		err = tsb_stat(o->p, from, &st);
	if (err) {
		tsb_warn_errno(o->p, err, "cannot stat %s", quote_af(o->p, from));
		return false;
	}
	if (o->compare && install_is_done(o, from, to))
		return true;
	if (!copy_operand(&o->c, from, to, COPY_MAY_EXIST))
		return false;
	if (o->strip && !install_strip(o, to))
		return false;
	if (o->copy.keep_times && (o->strip || !S_ISREG(st.mode)) && !install_times(o, to, &st))
		return false;
	return install_attributes(o, to);
}

static bool install_parents(struct install *o, const char *to)
{
	char *path = tsb_strdup(o->p, to);
	int err = install_ancestors(o, path);

	if (err)
		tsb_warn_errno(o->p, err, "cannot create directory %s", quote_af(o->p, path));
	return !err;
}

static int install_into(struct install *o, const char *dir, int n, char **files)
{
	bool ok = true;

	/* A name behind it makes dir itself one of the parents. */
	if (o->parents && !install_parents(o, path_join(o->p, dir, "x")))
		return 1;
	copy_watch(&o->c, false);
	for (int i = 0; i < n; i++)
		ok &= install_file(o, files[i], path_join(o->p, dir, path_base(o->p, files[i])));
	return !ok;
}

/* ---- The command line ---- */

static int install_count(struct install *o, int argc, char **argv)
{
	struct tsb_proc *p = o->p;

	if (o->directories && o->target_dir) {
		tsb_warn(p, "target directory not allowed when installing a directory");
		return 1;
	}
	if (!argc)
		return util_missing_file(p);
	if (argc == 1 && !o->directories && !o->target_dir)
		return tsb_usage(p, "missing destination file operand after %s",
				 quote_af(p, argv[0]));
	if (!o->no_target_dir)
		return 0;
	if (o->target_dir) {
		tsb_warn(p, "cannot combine --target-directory (-t) and --no-target-directory (-T)");
		return 1;
	}
	return argc > 2 ? tsb_usage(p, "extra operand %s", quote_af(p, argv[2])) : 0;
}

static int install_modes(struct install *o)
{
	struct mode_change *change;
	struct tsb_proc *p = o->p;

	if (o->mode_text) {
		change = mode_compile(p, o->mode_text);
		if (!change) {
			tsb_warn(p, "invalid mode %s", quote_text(p, o->mode_text));
			return 1;
		}
		o->mode = mode_apply(change, 0, false, 0, NULL);
		o->dir_mode = mode_apply(change, 0, true, 0, &o->dir_bits);
	}
	if (o->strip_program && !o->strip)
		tsb_warn(p, "WARNING: ignoring --strip-program option as -s option was not "
			 "specified");
	if (o->compare && o->copy.keep_times)
		return tsb_usage(p, "options --compare (-C) and --preserve-timestamps are mutually "
				 "exclusive");
	if (o->compare && o->strip)
		return tsb_usage(p, "options --compare (-C) and --strip are mutually exclusive");
	if (o->compare && (o->mode & ~0777u))
		tsb_warn(p, "the --compare (-C) option is ignored when you specify a mode with "
			 "non-permission bits");
	return 0;
}

static int install_ids(struct install *o)
{
	uint32_t ignored;

	if (o->owner && !accounts_user(o->p, o->owner, &o->uid, &ignored) &&
	    !owner_number(o->owner, &o->uid)) {
		tsb_warn(o->p, "invalid user %s", quote_text(o->p, o->owner));
		return 1;
	}
	if (o->group && !accounts_group(o->p, o->group, &o->gid) &&
	    !owner_number(o->group, &o->gid)) {
		tsb_warn(o->p, "invalid group %s", quote_text(o->p, o->group));
		return 1;
	}
	return 0;
}

/* The directory the files go to, or NULL: *status is 0 or the exit status. */
static const char *install_target(struct install *o, int argc, char **argv, int *status)
{
	const char *dir = o->target_dir ? o->target_dir : argv[argc - 1];
	int err;

	*status = 0;
	if (o->directories || o->no_target_dir)
		return NULL;
	err = copy_target_error(o->p, dir);
	if (!err || (o->target_dir && o->parents && err == -ENOENT))
		return dir;
	if (!o->target_dir && argc == 2)
		return NULL;
	tsb_warn_errno(o->p, err, "%s %s", o->target_dir ? "failed to access" : "target",
		       quote_af(o->p, dir));
	*status = 1;
	return NULL;
}

static int install_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct install *o = opts;
	const char *dir;
	int status;

	o->p = p;
	if (o->keep_context)
		tsb_warn(p, "WARNING: ignoring --preserve-context; this kernel is not "
			 "SELinux-enabled");
	status = backup_prepare(p, &o->copy.backup);
	if (!status)
		status = install_count(o, argc, argv);
	if (status)
		return status;
	dir = install_target(o, argc, argv, &status);
	if (!status)
		status = install_modes(o);
	if (!status)
		status = install_ids(o);
	if (status)
		return status;
	tsb_umask(p, 0);
	if (o->directories) {
		for (int i = 0; i < argc; i++)
			status |= install_directory(o, argv[i]);
		return status;
	}
	copy_init(&o->c, p, &o->copy);
	if (dir)
		return install_into(o, dir, o->target_dir ? argc : argc - 1, argv);
	if (o->parents && !install_parents(o, argv[1]))
		return 1;
	return !install_file(o, argv[0], argv[1]);
}

const struct tsb_command cmd_install = {
	CMD_COREUTILS, .name = "install",
	.synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n"
		    "[OPTION]... -t DIRECTORY SOURCE...\n[OPTION]... -d DIRECTORY...",
	.summary = "Copy files and set attributes, or create all components of the given\n"
		   "DIRECTORY(ies).",
	.opts = install_opts, .opts_size = sizeof(struct install),
	.defaults = &install_defaults, .run = install_run,
};
