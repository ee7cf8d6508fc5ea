/*
 * rm - remove files and trees.
 *
 * One walk over all operands. A directory is decided about twice: before its
 * entries (may we go in?) and after them (remove it). When something inside
 * could not be removed, the directories around it are marked, so that they are
 * left alone without a second message.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/util.h"
#include "cmd/walk.h"

enum rm_ask { RM_ASK_SOMETIMES, RM_ASK_NEVER, RM_ASK_ALWAYS };
enum rm_result { RM_OK, RM_ACCEPTED, RM_DECLINED, RM_ERROR };

struct rm {
	struct tsb_proc *p;
	struct walk *walk;
	enum rm_ask ask;
	bool force, once, recursive, empty_dirs, verbose, one_fs;
	bool stdin_tty, allow_root, one_device_args;
	struct util_asker asker;
	struct tsb_stat root;
};

static int rm_set_ask(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct rm *o = opts;

	(void)p;
	(void)arg;
	o->force = opt->value == 'f';
	o->once = opt->value == 'I';
	o->ask = opt->value == 'f' ? RM_ASK_NEVER
	       : opt->value == 'I' ? RM_ASK_SOMETIMES : RM_ASK_ALWAYS;
	return 0;
}

static int rm_set_interactive(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	static const struct util_word words[] = {
		{ "never", 'n' }, { "no", 'n' }, { "none", 'n' }, { "once", 'I' },
		{ "always", 'i' }, { "yes", 'i' }, { NULL, 0 },
	};
	struct rm *o = opts;
	int v = 'i', status;

	(void)opt;
	if (arg) {
		status = util_word(p, "--interactive", arg, words, &v);
		if (status)
			return status;
	}
	o->once = v == 'I';
	o->ask = v == 'n' ? RM_ASK_NEVER : v == 'I' ? RM_ASK_SOMETIMES : RM_ASK_ALWAYS;
	if (v != 'n')
		o->force = false;
	return 0;
}

static int rm_set_preserve_root(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				const char *arg)
{
	struct rm *o = opts;

	(void)opt;
	if (arg && strcmp(arg, "all")) {
		tsb_warn(p, "unrecognized --preserve-root argument: %s", quote_af(p, arg));
		return 1;
	}
	o->allow_root = false;
	if (arg)
		o->one_device_args = true;
	return 0;
}

static int rm_set_no_preserve_root(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				   const char *arg)
{
	(void)arg;
	((struct rm *)opts)->allow_root = true;
	if (!strcmp(opt->long_name, "no-preserve-root"))
		return 0;
	tsb_warn(p, "you may not abbreviate the --no-preserve-root option");
	return 1;
}

static const struct tsb_opt rm_opts[] = {
	TSB_OPT_CALL(rm_set_ask, 'f', 'f', "force", NULL,
		     "ignore nonexistent files and arguments, never prompt"),
	TSB_OPT_CALL(rm_set_ask, 'i', 'i', NULL, NULL, "prompt before every removal"),
	TSB_OPT_CALL(rm_set_ask, 'I', 'I', NULL, NULL,
		     "prompt once before removing more than three files, or when removing "
		     "recursively"),
	TSB_OPT_CALL_OPT(rm_set_interactive, 0, 0, "interactive", "WHEN",
			 "prompt according to WHEN: never, once (-I), or always (-i); "
			 "without WHEN, prompt always"),
	TSB_OPT_FLAG(struct rm, one_fs, 0, "one-file-system",
		     "when removing a hierarchy recursively, skip any directory that is on a "
		     "file system different from that of the corresponding argument"),
	/* Its prefixes find the first row: they are refused. */
	{ TSB_OPTION_CALL, 0, "no-preserve-roo", NULL, "", 0, 1, TSB_ARG_NONE | TSB_OPT_HIDDEN,
	  rm_set_no_preserve_root },
	TSB_OPT_CALL(rm_set_no_preserve_root, 1, 0, "no-preserve-root", NULL,
		     "do not treat '/' specially"),
	TSB_OPT_CALL_OPT(rm_set_preserve_root, 0, 0, "preserve-root", "all",
			 "do not remove '/' (default); with 'all', reject any argument on a "
			 "separate device from its parent"),
	TSB_OPT_FLAG(struct rm, recursive, 'r', "recursive",
		     "remove directories and their contents recursively"),
	TSB_OPT_FLAG(struct rm, recursive, 'R', NULL, NULL),
	TSB_OPT_FLAG(struct rm, empty_dirs, 'd', "dir", "remove empty directories"),
	TSB_OPT_FLAG(struct rm, verbose, 'v', "verbose", "explain what is being done"),
	{ TSB_OPTION_FLAG, 0, "-presume-input-tty", NULL, "", offsetof(struct rm, stdin_tty), 1,
	  TSB_OPT_HIDDEN, NULL },
	TSB_OPT_END
};

static enum rm_result rm_fail(struct rm *o, struct walk_entry *e, int err)
{
	tsb_warn_errno(o->p, err, "cannot remove %s", quote_af(o->p, e->path));
	return RM_ERROR;
}

static bool rm_is_empty(struct rm *o, const char *path)
{
	struct tsb_dir *d;
	bool empty;

	if (tsb_opendir(o->p, path, &d))
		return false;
	empty = !tsb_readdir(d);
	tsb_closedir(d);
	return empty;
}

/* Rights of a link mean nothing, so it is never write-protected. */
static bool rm_is_protected(struct rm *o, struct walk_entry *e, int *err)
{
	*err = 0;
	if (o->force || (o->ask != RM_ASK_ALWAYS && !o->stdin_tty) || S_ISLNK(e->st.mode))
		return false;
	*err = walk_stat(o->walk, e);
	if (*err || S_ISLNK(e->st.mode))
		return false;
	return tsb_access(o->p, e->path, TSB_W_OK) == -EACCES;
}

/* Before removing e, or before going into it (descend). *empty tells, in that
 * case, that there is nothing to go into. */
static enum rm_result rm_prompt(struct rm *o, struct walk_entry *e, bool descend, bool *empty)
{
	bool protected_file, yes;
	int err;

	if (e->number)
		return RM_DECLINED;
	if (o->ask == RM_ASK_NEVER)
		return RM_OK;
	protected_file = rm_is_protected(o, e, &err);
	if (!err && !protected_file && o->ask != RM_ASK_ALWAYS)
		return RM_OK;
	if (!err)
		err = walk_stat(o->walk, e);
	if (err)
		return rm_fail(o, e, err);
	*empty = descend && rm_is_empty(o, e->path);
	if (descend && !*empty)
		yes = util_ask(o->p, &o->asker, "descend into %sdirectory %s? ",
			       protected_file ? "write-protected " : "", quote_af(o->p, e->path));
	else
		yes = util_ask(o->p, &o->asker, "remove %s%s %s? ",
			       protected_file ? "write-protected " : "", util_file_type(&e->st),
			       quote_af(o->p, e->path));
	return yes ? RM_ACCEPTED : RM_DECLINED;
}

static bool rm_may_be_missing(const struct rm *o, int err)
{
	return o->force && (err == -ENOENT || err == -ENOTDIR || err == -EINVAL || err == -EILSEQ);
}

static enum rm_result rm_remove(struct rm *o, struct walk_entry *e, bool is_dir)
{
	int err = is_dir ? tsb_rmdir(o->p, e->path) : tsb_unlink(o->p, e->path);

	if (!err) {
		if (o->verbose)
			tsb_printf(o->p, "removed %s%s\n", is_dir ? "directory " : "",
				   quote_af(o->p, e->path));
		return RM_OK;
	}
	if (rm_may_be_missing(o, err))
		return RM_OK;
	/* That it is not empty says less than why it could not be read. */
	if (e->kind == WALK_UNREADABLE &&
	    (err == -ENOTEMPTY || err == -EISDIR || err == -ENOTDIR || err == -EEXIST))
		err = e->error;
	walk_mark_parents(o->walk, 1);
	return rm_fail(o, e, err);
}

/* The rules that protect "/", "." and other devices. */
static bool rm_operand_refused(struct rm *o, struct walk_entry *e)
{
	struct tsb_proc *p = o->p;
	struct tsb_stat parent;

	if (path_is_dot(path_last(e->path))) {
		tsb_warn(p, "refusing to remove %s or %s directory: skipping %s",
			 quote_af(p, "."), quote_af(p, ".."), quote_af(p, e->path));
		return true;
	}
	if (!o->allow_root && !walk_stat(o->walk, e) && util_same_file(&e->st, &o->root)) {
		if (!strcmp(e->path, "/"))
			tsb_warn(p, "it is dangerous to operate recursively on %s",
				 quote_af(p, e->path));
		else
			tsb_warn(p, "it is dangerous to operate recursively on %s (same as %s)",
				 quote_af(p, e->path), quote_af(p, "/"));
		tsb_warn(p, "use --no-preserve-root to override this failsafe");
		return true;
	}
	if (o->one_device_args && !walk_stat(o->walk, e) &&
	    !tsb_lstat(p, path_join(p, e->path, ".."), &parent) && parent.dev != e->st.dev) {
		tsb_warn(p, "skipping %s, since it's on a different device", quote_af(p, e->path));
		tsb_warn(p, "and --preserve-root=all is in effect");
		return true;
	}
	return false;
}

static enum rm_result rm_before_dir(struct rm *o, struct walk_entry *e)
{
	enum rm_result r;
	bool empty = false;

	if (!o->recursive && !(o->empty_dirs && rm_is_empty(o, e->path))) {
		r = rm_fail(o, e, o->empty_dirs ? ENOTEMPTY : EISDIR);
	} else if (!e->depth && rm_operand_refused(o, e)) {
		r = RM_ERROR;
	} else {
		r = rm_prompt(o, e, true, &empty);
		if (r == RM_OK || (r == RM_ACCEPTED && !empty))
			return r;
	}
	if (r != RM_ACCEPTED)
		walk_mark_parents(o->walk, 1);
	walk_skip(o->walk);
	e->number = 1;	/* decided: nothing more at its end */
	if (r == RM_ACCEPTED)
		r = rm_remove(o, e, true);
	return r;
}

static enum rm_result rm_entry(struct rm *o, struct walk_entry *e)
{
	bool is_dir = e->kind == WALK_DIR_END || e->kind == WALK_UNREADABLE, empty;
	enum rm_result r;

	if (e->kind == WALK_DIR)
		return rm_before_dir(o, e);
	if (e->kind == WALK_DIR_END && e->depth && o->one_fs &&
	    e->st.dev != walk_operand_dev(o->walk)) {
		tsb_warn(o->p, "skipping %s, since it's on a different device",
			 quote_af(o->p, e->path));
		walk_mark_parents(o->walk, 1);
		return RM_ERROR;
	}
	r = rm_prompt(o, e, false, &empty);
	return r == RM_OK || r == RM_ACCEPTED ? rm_remove(o, e, is_dir) : r;
}

/* -I, --interactive=once: one question for all. */
static bool rm_ask_once(struct rm *o, int n)
{
	if (!o->once || (!o->recursive && n <= 3))
		return true;
	return util_ask(o->p, &o->asker, "remove %d argument%s%s? ", n, n == 1 ? "" : "s",
			o->recursive ? " recursively" : "");
}

static int rm_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct rm *o = opts;
	struct walk_entry *e;
	int status = 0;

	o->p = p;
	if (!argc)
		return o->force ? 0 : util_missing_operand(p);
	if (!o->stdin_tty)
		o->stdin_tty = tsb_isatty(p, 0);
	if (tsb_lstat(p, "/", &o->root))
		o->allow_root = true;
	if (!rm_ask_once(o, argc))
		return 0;
	o->walk = walk_open(p, argc, argv, WALK_PHYSICAL | WALK_LAZY |
			    (o->one_fs ? WALK_ONE_FS : 0));
	while ((e = walk_next(o->walk)))
		if (rm_entry(o, e) == RM_ERROR)
			status = 1;
	return status;
}

const struct tsb_command cmd_rm = {
	CMD_COREUTILS, .name = "rm",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Remove (unlink) the FILE(s).",
	.opts = rm_opts, .opts_size = sizeof(struct rm), .run = rm_run,
};
