/*
 * Owner, times and mode of a copy. The owner goes first, because changing it
 * drops set-id bits; a user who may not give files away loses those bits.
 */
#include "cmd/copy_impl.h"

#include <errno.h>
#include <sys/stat.h>

#include "cmd/mode.h"

static bool copy_apply(struct copy *c, struct copy_job *j, int fd, const struct tsb_setattr *set,
		       int *err)
{
	if (fd >= 0)
		*err = tsb_fsetattr(c->p, fd, set);
	else
		*err = tsb_setattr(c->p, j->dst, set, !j->fresh_link);
	return !*err;
}

bool copy_set_owner(struct copy *c, struct copy_job *j, int fd, const struct tsb_stat *now)
{
	struct tsb_setattr set = { .mask = TSB_SET_UID | TSB_SET_GID,
				   .uid = j->from.uid, .gid = j->from.gid };
	int err, ignored;

	if (!c->o->keep_owner || (now && now->uid == j->from.uid && now->gid == j->from.gid))
		return true;
	if (copy_apply(c, j, fd, &set, &err))
		return true;
	if (err == -EPERM || err == -EINVAL) {
		set.mask = TSB_SET_GID;
		copy_apply(c, j, fd, &set, &ignored);
	}
	j->src_mode &= ~(uint32_t)(S_ISUID | S_ISGID | S_ISVTX);
	/* Only the superuser may expect to keep owners. */
	if ((err == -EPERM || err == -EINVAL) && tsb_getuid(c->p))
		return true;
	tsb_warn_errno(c->p, err, "failed to preserve ownership for %s", quote_af(c->p, j->dst));
	return !c->o->keep_required;
}

static bool attr_times(struct copy *c, struct copy_job *j, int fd)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME,
				   .atime = j->from.atime, .mtime = j->from.mtime };
	int err;

	if (!c->o->keep_times || copy_apply(c, j, fd, &set, &err))
		return true;
	tsb_warn_errno(c->p, err, "preserving times for %s", quote_af(c->p, j->dst));
	return !c->o->keep_required;
}

static bool attr_set_mode(struct copy *c, struct copy_job *j, int fd, uint32_t mode,
			  const char *what)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = mode & MODE_BITS };
	int err;

	if (copy_apply(c, j, fd, &set, &err))
		return true;
	tsb_warn_errno(c->p, err, "%s permissions %s %s", what,
		       *what == 's' ? "of" : "for", quote_af(c->p, j->dst));
	return false;
}

/* Permissions left out while the file was being made come back. */
static bool attr_restore_mode(struct copy *c, struct copy_job *j, int fd)
{
	uint32_t omitted = j->omitted & ~c->umask;

	if (omitted && !j->restore_mode) {
		int err = 0;

		if (fd >= 0)
			err = tsb_fstat(c->p, fd, &j->to);
		else if (j->is_new)
			err = tsb_lstat(c->p, j->dst, &j->to);
		if (err) {
			tsb_warn_errno(c->p, err, "cannot stat %s", quote_af(c->p, j->dst));
			return false;
		}
		j->dst_mode = j->to.mode;
		j->restore_mode = omitted & ~j->dst_mode;
	}
	if (!j->restore_mode)
		return true;
	return attr_set_mode(c, j, fd, j->dst_mode | omitted, "preserving") ||
	       !c->o->keep_required;
}

static bool attr_mode(struct copy *c, struct copy_job *j, int fd)
{
	const struct copy_options *o = c->o;

	if (o->keep_mode || o->move)
		return attr_set_mode(c, j, fd, j->src_mode, "preserving") || !o->keep_required;
	if (o->set_mode)
		return attr_set_mode(c, j, fd, o->mode, "setting");
	if (o->no_mode && j->is_new) {
		uint32_t all = S_ISDIR(j->src_mode) || S_ISSOCK(j->src_mode) ? 0777 : 0666;

		return attr_set_mode(c, j, fd, all & ~c->umask, "setting");
	}
	return attr_restore_mode(c, j, fd);
}

enum copy_step copy_attributes_fd(struct copy *c, struct copy_job *j, int fd)
{
	struct tsb_stat now;
	const struct tsb_stat *known = NULL;

	if (!attr_times(c, j, fd))
		return COPY_FAIL;
	if (fd >= 0 && c->o->keep_owner && !tsb_fstat(c->p, fd, &now))
		known = &now;
	else if (fd < 0 && !j->is_new)
		known = &j->to;
	if ((fd >= 0 || !j->fresh_link) && !copy_set_owner(c, j, fd, known))
		return COPY_FAIL;
	if (fd < 0 && j->fresh_link)
		return COPY_DONE;
	return attr_mode(c, j, fd) ? COPY_DONE : COPY_FAIL;
}

enum copy_step copy_attributes(struct copy *c, struct copy_job *j)
{
	return copy_attributes_fd(c, j, -1);
}
