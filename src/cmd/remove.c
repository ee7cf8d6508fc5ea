/*
 * Removing trees. One walk over all operands. A directory is decided about
 * twice: before its entries (may we go in?) and after them (remove it). When
 * something inside could not be removed, the directories around it are marked,
 * so that they are left alone without a second message.
 */
#include "cmd/remove.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"

enum remove_result { REMOVE_OK, REMOVE_ACCEPTED, REMOVE_DECLINED, REMOVE_ERROR };

static enum remove_result remove_fail(struct remove *o, struct walk_entry *e, int err)
{
	tsb_warn_errno(o->p, err, "cannot remove %s", quote_af(o->p, e->path));
	return REMOVE_ERROR;
}

static bool remove_is_empty(struct remove *o, const char *path)
{
	struct tsb_dir *d;
	bool empty;

	if (tsb_opendir(o->p, path, &d))
		return false;
	empty = !tsb_readdir(d) && !tsb_dir_error(d);
	tsb_closedir(d);
	return empty;
}

/* Rights of a link mean nothing, so it is never write-protected. */
static bool remove_is_protected(struct remove *o, struct walk_entry *e, int *err)
{
	*err = 0;
	if (o->force || (o->ask != REMOVE_ASK_ALWAYS && !o->stdin_tty) || S_ISLNK(e->st.mode))
		return false;
	*err = walk_stat(o->walk, e);
	if (*err || S_ISLNK(e->st.mode))
		return false;
	return tsb_access(o->p, e->path, TSB_W_OK) == -EACCES;
}

/* Before removing e, or before going into it (descend). *empty tells, in that
 * case, that there is nothing to go into. */
static enum remove_result remove_prompt(struct remove *o, struct walk_entry *e, bool descend, bool *empty)
{
	bool protected_file, yes;
	int err;

	if (e->number)
		return REMOVE_DECLINED;
	if (o->ask == REMOVE_ASK_NEVER)
		return REMOVE_OK;
	protected_file = remove_is_protected(o, e, &err);
	if (!err && !protected_file && o->ask != REMOVE_ASK_ALWAYS)
		return REMOVE_OK;
	if (!err)
		err = walk_stat(o->walk, e);
	if (err)
		return remove_fail(o, e, err);
	*empty = descend && remove_is_empty(o, e->path);
	if (descend && !*empty)
		yes = util_ask(o->p, &o->asker, "descend into %sdirectory %s? ",
			       protected_file ? "write-protected " : "", quote_af(o->p, e->path));
	else
		yes = util_ask(o->p, &o->asker, "remove %s%s %s? ",
			       protected_file ? "write-protected " : "", util_file_type(&e->st),
			       quote_af(o->p, e->path));
	return yes ? REMOVE_ACCEPTED : REMOVE_DECLINED;
}

static bool remove_may_be_missing(const struct remove *o, int err)
{
	return o->force && (err == -ENOENT || err == -ENOTDIR || err == -EINVAL || err == -EILSEQ);
}

static enum remove_result remove_now(struct remove *o, struct walk_entry *e, bool is_dir)
{
	int err = is_dir ? tsb_rmdir(o->p, e->path) : tsb_unlink(o->p, e->path);

	if (!err) {
		if (o->verbose)
			tsb_printf(o->p, "removed %s%s\n", is_dir ? "directory " : "",
				   quote_af(o->p, e->path));
		return REMOVE_OK;
	}
	if (remove_may_be_missing(o, err))
		return REMOVE_OK;
	/* That it is not empty says less than why it could not be read. */
	if (e->kind == WALK_UNREADABLE &&
	    (err == -ENOTEMPTY || err == -EISDIR || err == -ENOTDIR || err == -EEXIST))
		err = e->error;
	walk_mark_parents(o->walk, 1);
	return remove_fail(o, e, err);
}

/* The rules that protect "/", "." and other devices. */
static bool remove_operand_refused(struct remove *o, struct walk_entry *e)
{
	struct tsb_proc *p = o->p;
	struct tsb_stat parent;

	if (path_is_dot(path_last(e->path))) {
		tsb_warn(p, "refusing to remove %s or %s directory: skipping %s",
			 quote_af(p, "."), quote_af(p, ".."), quote_af(p, e->path));
		return true;
	}
	if (!o->allow_root && !walk_stat(o->walk, e) && util_same_file(&e->st, &o->root)) {
		util_warn_root(p, e->path);
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

static enum remove_result remove_before_dir(struct remove *o, struct walk_entry *e)
{
	enum remove_result r;
	bool empty = false;

	if (!o->recursive && !(o->empty_dirs && remove_is_empty(o, e->path))) {
		r = remove_fail(o, e, o->empty_dirs ? ENOTEMPTY : EISDIR);
	} else if (!e->depth && remove_operand_refused(o, e)) {
		r = REMOVE_ERROR;
	} else {
		r = remove_prompt(o, e, true, &empty);
		if (r == REMOVE_OK || (r == REMOVE_ACCEPTED && !empty))
			return r;
	}
	if (r != REMOVE_ACCEPTED)
		walk_mark_parents(o->walk, 1);
	walk_skip(o->walk);
	e->number = 1;	/* decided: nothing more at its end */
	if (r == REMOVE_ACCEPTED)
		r = remove_now(o, e, true);
	return r;
}

static enum remove_result remove_entry(struct remove *o, struct walk_entry *e)
{
	bool is_dir = e->kind == WALK_DIR_END || e->kind == WALK_UNREADABLE, empty;
	enum remove_result r;

	if (e->kind == WALK_DIR)
		return remove_before_dir(o, e);
	if (e->kind == WALK_DIR_END && e->depth && o->one_fs &&
	    e->st.dev != walk_operand_dev(o->walk)) {
		tsb_warn(o->p, "skipping %s, since it's on a different device",
			 quote_af(o->p, e->path));
		walk_mark_parents(o->walk, 1);
		return REMOVE_ERROR;
	}
	r = remove_prompt(o, e, false, &empty);
	return r == REMOVE_OK || r == REMOVE_ACCEPTED ? remove_now(o, e, is_dir) : r;
}

bool remove_all(struct remove *o, int n, char *const *paths)
{
	struct walk_entry *e;
	bool ok = true;

	if (tsb_lstat(o->p, "/", &o->root))
		o->allow_root = true;
	o->walk = walk_open(o->p, n, paths, WALK_PHYSICAL | WALK_LAZY |
			    (o->one_fs ? WALK_ONE_FS : 0));
	while ((e = walk_next(o->walk)))
		if (remove_entry(o, e) == REMOVE_ERROR)
			ok = false;
	return ok;
}
