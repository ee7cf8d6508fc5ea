/*
 * mkdir - make directories.
 *
 * With -p the ancestors are made one by one, each with u+wx so that the next
 * can be made in it; one that exists already is no error if it can be entered.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/mode.h"
#include "cmd/path.h"
#include "cmd/util.h"

struct mkdir {
	bool parents, verbose;
	const char *mode_text;
	uint32_t mode, mode_bits;	/* mode_bits: what -m speaks of */
	uint32_t umask;
};

static const struct tsb_opt mkdir_opts[] = {
	TSB_OPT_STR(struct mkdir, mode_text, 'm', "mode", "MODE",
		    "set file mode (as in chmod), not a=rwx - umask"),
	TSB_OPT_FLAG(struct mkdir, parents, 'p', "parents",
		     "no error if existing, make parent directories as needed"),
	TSB_OPT_FLAG(struct mkdir, verbose, 'v', "verbose",
		     "print a message for each created directory"),
	TSB_OPT_CALL(util_ignore_context, 0, 'Z', NULL, NULL,
		     "set the default security context of each directory"),
	TSB_OPT_CALL_OPT(util_ignore_context, 0, 0, "context", "CTX",
			 "set the security context of each directory to CTX"),
	TSB_OPT_END
};

static int mkdir_fail(struct tsb_proc *p, int err, const char *dir)
{
	tsb_warn_errno(p, err, "cannot create directory %s", quote_text(p, dir));
	return 1;
}

static void mkdir_say(struct tsb_proc *p, const struct mkdir *o, const char *dir)
{
	if (o->verbose)
		tsb_printf(p, "%s: created directory %s\n", tsb_name(p), quote_af(p, dir));
}

/* One ancestor; an existing one only has to let us in. */
static int mkdir_ancestor(struct tsb_proc *p, const struct mkdir *o, const char *dir)
{
	struct tsb_stat st;
	int err, in;

	tsb_umask(p, o->umask & ~0300u);
	err = tsb_mkdir(p, dir, 0777);
	tsb_umask(p, o->umask);
	if (!err)
		mkdir_say(p, o, dir);
	in = tsb_stat(p, dir, &st);
	if (!in && !S_ISDIR(st.mode))
		in = -ENOTDIR;
	if (!in)
		in = tsb_access(p, dir, TSB_X_OK);
	return err && in == -ENOENT ? err : in;
}

/* All directories on the way to the last component. */
static int mkdir_ancestors(struct tsb_proc *p, const struct mkdir *o, char *path)
{
	char *last = (char *)path_last(path);
	int err = 0;

	for (char *s = path + (*path == '/'); s < last && !err; s++) {
		const char *name;

		if (*s != '/' || s[-1] == '/')
			continue;
		*s = '\0';
		name = path_last(path);
		if (!path_is_dot(name))
			err = mkdir_ancestor(p, o, path);
		if (err)
			return mkdir_fail(p, err, path);
		*s = '/';
	}
	return 0;
}

/* Set-id and sticky bits are not mkdir(2)'s to set, nor what the umask hides. */
static int mkdir_set_mode(struct tsb_proc *p, const struct mkdir *o, const char *dir)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE };
	struct tsb_stat st;
	int err;

	if (!o->mode_text)
		return 0;
	err = tsb_stat(p, dir, &st);
	set.mode = (st.mode & MODE_BITS & ~o->mode_bits) | o->mode;
	if (!err && ((st.mode ^ o->mode) & o->mode_bits))
		err = tsb_setattr(p, dir, &set, true);
	if (!err)
		return 0;
	tsb_warn_errno(p, err, "cannot set permissions of %s", quote_text(p, dir));
	return 1;
}

static int mkdir_one(struct tsb_proc *p, const struct mkdir *o, char *dir)
{
	struct tsb_stat st;
	uint32_t mode;
	int err;

	if (o->parents && mkdir_ancestors(p, o, dir))
		return 1;
	tsb_umask(p, o->umask & ~o->mode);
	/* Where special bits are spoken of it is not writable to others before they are
	 * set; if they are right at once, it stays so. */
	mode = o->mode & 01777;
	if ((o->mode_bits & 06000) || (mode & S_ISVTX))
		mode &= ~022u;
	err = tsb_mkdir(p, dir, mode);
	tsb_umask(p, o->umask);
	if (!err) {
		mkdir_say(p, o, dir);
		return mkdir_set_mode(p, o, dir);
	}
	if (o->parents && err != -ENOENT) {
		int no = tsb_stat(p, dir, &st);

		if (!no && S_ISDIR(st.mode))
			return 0;
		if (no == -ELOOP && err == -EEXIST) {
			tsb_warn_errno(p, no, "cannot stat %s", quote_text(p, dir));
			return 1;
		}
	}
	return mkdir_fail(p, err, dir);
}

static int mkdir_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct mkdir *o = opts;
	struct mode_change *change;
	int status = 0;

	if (!argc)
		return util_missing_operand(p);
	o->umask = util_umask_get(p);
	o->mode = 0777;
	if (o->mode_text) {
		change = mode_compile(p, o->mode_text);
		if (!change) {
			tsb_warn(p, "invalid mode %s", quote_text(p, o->mode_text));
			return 1;
		}
		o->mode = mode_apply(change, 0777, true, o->umask, &o->mode_bits);
	} else {
		o->mode &= ~o->umask;
	}
	for (int i = 0; i < argc; i++)
		status |= mkdir_one(p, o, argv[i]);
	return status;
}

const struct tsb_command cmd_mkdir = {
	CMD_COREUTILS, .name = "mkdir",
	.synopsis = "[OPTION]... DIRECTORY...",
	.summary = "Create the DIRECTORY(ies), if they do not already exist.",
	.opts = mkdir_opts, .opts_size = sizeof(struct mkdir), .run = mkdir_run,
};
