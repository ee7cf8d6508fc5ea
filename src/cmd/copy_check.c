/*
 * Before anything is made: what is at the destination, may it be replaced,
 * does the user agree, where does it go. The order of the checks decides which
 * message is seen, so it is GNU's.
 */
#include "cmd/copy_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"

/* A regular file may be written through a link; all else stands for itself. */
static bool check_uses_lstat(struct copy *c, const struct copy_job *j)
{
	const struct copy_options *o = c->o;
	bool writes = S_ISREG(j->src_mode) ||
		      (o->as_regular && !S_ISDIR(j->src_mode) && !S_ISLNK(j->src_mode));

	return !writes || o->move || o->make_symlinks || o->make_hardlinks ||
	       o->backup.type != BACKUP_NONE || o->unlink_before;
}

/* Fills j->to, or finds that nothing is there. */
static enum copy_step check_look(struct copy *c, struct copy_job *j)
{
	bool use_lstat = check_uses_lstat(c, j);
	int err;

	if (j->seems_new && !use_lstat) {
		j->is_new = true;
		return COPY_NEXT;
	}
	err = use_lstat ? tsb_lstat(c->p, j->dst, &j->to) : tsb_stat(c->p, j->dst, &j->to);
	if (!err) {
		j->to_is_lstat = use_lstat;
		j->rename_error = -EEXIST;
	} else if (err == -ELOOP && c->o->unlink_after) {
		/* It will be unlinked when opening it fails. */
	} else if (err != -ENOENT) {
		tsb_warn_errno(c->p, err, "cannot stat %s", quote_af(c->p, j->dst));
		return COPY_FAIL;
	} else {
		j->is_new = true;
	}
	return COPY_NEXT;
}

static bool check_writable(struct copy *c, const struct copy_job *j)
{
	return S_ISLNK(j->to.mode) || !tsb_access(c->p, j->dst, TSB_W_OK);
}

static bool check_ask(struct copy *c, const struct copy_job *j)
{
	const char *name = quote_af(c->p, j->dst);
	unsigned mode = j->to.mode & 07777;
	char text[12];

	if (check_writable(c, j))
		return util_ask(c->p, &c->asker, "overwrite %s? ", name);
	util_mode_string(j->to.mode, text);
	if (c->o->move || c->o->unlink_before || c->o->unlink_after)
		return util_ask(c->p, &c->asker, "replace %s, overriding mode %04o (%s)? ", name,
				mode, text + 1);
	return util_ask(c->p, &c->asker, "unwritable %s (mode %04o, %s); try anyway? ", name, mode,
			text + 1);
}

/* -n, -i, or mv's question about a file that cannot be written. */
static bool check_declined(struct copy *c, const struct copy_job *j)
{
	const struct copy_options *o = c->o;
	bool ask = o->ask == COPY_ASK;

	if (!o->move && S_ISDIR(j->src_mode))
		return false;
	if (o->ask == COPY_NO_CLOBBER)
		return true;
	if (o->move && o->ask == COPY_ASK_UNSET && o->stdin_tty && !check_writable(c, j))
		ask = true;
	return ask && !check_ask(c, j);
}

/* -u: dst is not older. Its place in the web of hard links is kept. */
static enum copy_step check_not_older(struct copy *c, struct copy_job *j)
{
	c->renamed = true;
	j->earlier = copy_remember(c, &j->from, j->dst);
	if (!j->earlier)
		return COPY_DONE;
	return copy_hardlink(c, j, j->earlier, true, c->o->verbose) == COPY_NEXT ? COPY_DONE
										 : COPY_UNDO;
}

/* Directories and files do not replace each other. */
static enum copy_step check_kinds(struct copy *c, struct copy_job *j)
{
	struct tsb_proc *p = c->p;
	bool may = c->o->move && c->o->backup.type != BACKUP_NONE;
	const char *src = quote_af(p, j->src), *dst = quote_af(p, j->dst);

	if (!S_ISDIR(j->to.mode)) {
		if (S_ISDIR(j->src_mode) && !may) {
			tsb_warn(p, "cannot overwrite non-directory %s with directory %s", dst,
				 src);
			return COPY_FAIL;
		}
		if (j->operand && c->o->backup.type != BACKUP_NUMBERED && c->watch_made &&
		    copy_seen(c, &c->made, j->dst, &j->to)) {
			tsb_warn(p, "will not overwrite just-created %s with %s", dst, src);
			return COPY_FAIL;
		}
	} else if (!S_ISDIR(j->src_mode) && !may) {
		tsb_warn(p, "cannot overwrite directory %s with non-directory", dst);
		return COPY_FAIL;
	}
	return COPY_NEXT;
}

/* Would the simple backup of dst be src itself? */
static bool check_source_is_backup(struct copy *c, const struct copy_job *j)
{
	const char *src = path_last(j->src), *dst = path_last(j->dst);
	size_t n = path_base_len(dst);
	struct tsb_stat st;
	char *name;

	if (strlen(src) != n + strlen(c->o->backup.suffix) || memcmp(src, dst, n) ||
	    strcmp(src + n, c->o->backup.suffix))
		return false;
	name = tsb_format(c->p, "%s%s", j->dst, c->o->backup.suffix);
	return !tsb_stat(c->p, name, &st) && util_same_file(&st, &j->from);
}

static enum copy_step check_backup(struct copy *c, struct copy_job *j)
{
	struct tsb_proc *p = c->p;
	int err;

	if (c->o->backup.type != BACKUP_NUMBERED && check_source_is_backup(c, j)) {
		tsb_warn(p, "backing up %s might destroy source;  %s not %s", quote_af(p, j->dst),
			 quote_af(p, j->src), c->o->move ? "moved" : "copied");
		return COPY_FAIL;
	}
	err = backup_rename(p, &c->o->backup, j->dst, &j->backup);
	if (err)
		j->backup = NULL;
	if (err && err != -ENOENT) {
		tsb_warn_errno(p, err, "cannot backup %s", quote_af(p, j->dst));
		return COPY_FAIL;
	}
	j->is_new = true;
	return COPY_NEXT;
}

/* Must the old file go before the new one is made? */
static bool check_unlinks(struct copy *c, const struct copy_job *j)
{
	const struct copy_options *o = c->o;

	if (S_ISDIR(j->to.mode) || o->move)
		return false;
	if (o->unlink_before)
		return true;
	return !o->attributes_only && ((o->keep_links && j->to.nlink > 1) ||
				       (j->deref == COPY_DEREF_NEVER && !S_ISREG(j->from.mode)));
}

static enum copy_step check_make_way(struct copy *c, struct copy_job *j)
{
	int err;

	if (c->o->backup.type != BACKUP_NONE && !path_is_dot(path_last(j->src)) &&
	    (c->o->move || !S_ISDIR(j->to.mode)))
		return check_backup(c, j);
	if (!check_unlinks(c, j))
		return COPY_NEXT;
	err = tsb_unlink(c->p, j->dst);
	if (err && err != -ENOENT) {
		tsb_warn_errno(c->p, err, "cannot remove %s", quote_af(c->p, j->dst));
		return COPY_FAIL;
	}
	j->is_new = true;
	if (c->o->verbose)
		tsb_printf(c->p, "removed %s\n", quote_af(c->p, j->dst));
	return COPY_NEXT;
}

/* Something is there. */
static enum copy_step check_existing(struct copy *c, struct copy_job *j)
{
	enum copy_step step;
	bool done = false;

	if (c->o->ask != COPY_NO_CLOBBER && !copy_same_ok(c, j, &done)) {
		tsb_warn(c->p, "%s and %s are the same file", quote_af(c->p, j->src),
			 quote_af(c->p, j->dst));
		return COPY_FAIL;
	}
	if (c->o->update && !S_ISDIR(j->src_mode) &&
	    util_time_cmp(j->to.mtime, j->from.mtime) >= 0)
		return check_not_older(c, j);
	if (check_declined(c, j)) {
		c->renamed = true;
		return COPY_DONE;
	}
	if (done)
		return COPY_DONE;
	step = check_kinds(c, j);
	return step == COPY_NEXT ? check_make_way(c, j) : step;
}

/* A link made for an operand of this run is not written through. */
static enum copy_step check_fresh_link(struct copy *c, struct copy_job *j)
{
	struct tsb_stat st;

	if (!j->operand || !c->watch_made || c->o->move || c->o->backup.type != BACKUP_NONE)
		return COPY_NEXT;
	if (j->to_is_lstat)
		st = j->to;
	else if (tsb_lstat(c->p, j->dst, &st))
		return COPY_NEXT;
	if (!S_ISLNK(st.mode) || !copy_seen(c, &c->made, j->dst, &st))
		return COPY_NEXT;
	tsb_warn(c->p, "will not copy %s through just-created symlink %s", quote_af(c->p, j->src),
		 quote_af(c->p, j->dst));
	return COPY_FAIL;
}

enum copy_step copy_check_dest(struct copy *c, struct copy_job *j)
{
	enum copy_step step = COPY_NEXT;

	if (!j->is_new) {
		if (j->rename_error != -EEXIST || c->o->ask != COPY_NO_CLOBBER)
			step = check_look(c, j);
		if (step == COPY_NEXT && j->rename_error == -EEXIST)
			step = check_existing(c, j);
	}
	return step == COPY_NEXT ? check_fresh_link(c, j) : step;
}
