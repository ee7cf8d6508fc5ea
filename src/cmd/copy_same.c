/*
 * Are source and destination one file, and does that matter? It depends on
 * whether links are followed, whether the destination goes away first, and
 * whether a backup is made; the rules are those of GNU cp and mv, in their
 * order.
 */
#include "cmd/copy_impl.h"

#include <sys/stat.h>

#include "cmd/path.h"

static bool same_is_link(const struct tsb_stat *st)
{
	return S_ISLNK(st->mode);
}

/* Two links that are not followed. */
static bool same_two_links(struct copy *c, struct copy_job *j, bool same, bool *done)
{
	if (path_same_name(c->p, j->src, j->dst))
		return false;
	if (c->o->backup.type != BACKUP_NONE || !same)
		return true;
	/* Two names of one link: rename() would do nothing and say it is done. */
	*done = true;
	return !c->o->move;
}

/* With a backup the old file survives, unless it is the source itself. */
static bool same_with_backup(struct copy *c, struct copy_job *j, const struct tsb_stat *src,
			     const struct tsb_stat *dst)
{
	if (util_same_file(src, dst))
		return !path_same_name(c->p, j->src, j->dst);
	return c->o->move || j->deref == COPY_DEREF_NEVER || !same_is_link(src) ||
	       same_is_link(dst);
}

/* A link that would be moved onto a file it leads to, which has other names. */
static bool same_link_to_hardlink(struct copy *c, struct copy_job *j, bool *ok)
{
	char *real;

	if (path_canon(c->p, j->src, PATH_ALL_EXIST, &real))
		return false;
	*ok = !path_same_name(c->p, real, j->dst);
	return true;
}

/* Links are not followed: do both lead to one file in the end? */
static bool same_referents_differ(struct copy *c, struct copy_job *j, const struct tsb_stat *src,
				  const struct tsb_stat *dst, bool *done)
{
	struct tsb_stat a = *src, b = *dst;

	if (same_is_link(src) && tsb_stat(c->p, j->src, &a))
		return true;
	if (same_is_link(dst) && tsb_stat(c->p, j->dst, &b))
		return true;
	if (!util_same_file(&a, &b))
		return true;
	if (!c->o->make_hardlinks)
		return false;
	*done = !same_is_link(dst);
	return true;
}

/* src and dst: as lstat() sees them. */
static bool same_decide(struct copy *c, struct copy_job *j, const struct tsb_stat *src,
			const struct tsb_stat *dst, bool *done)
{
	const struct copy_options *o = c->o;
	bool same_link = util_same_file(src, dst), ok;

	if (o->backup.type != BACKUP_NONE)
		return same_with_backup(c, j, src, dst);
	if (o->move || o->unlink_before) {
		if (same_is_link(dst))
			return true;
		if (same_link && dst->nlink > 1 && !path_same_name(c->p, j->src, j->dst))
			return !o->move;
	}
	if (!same_is_link(src) && !same_is_link(dst)) {
		if (!same_link)
			return true;
		if (o->make_hardlinks) {
			*done = true;
			return true;
		}
	}
	if (o->move && same_is_link(&j->from) && dst->nlink > 1 &&
	    same_link_to_hardlink(c, j, &ok))
		return ok;
	if (o->make_symlinks && same_is_link(dst))
		return true;
	return j->deref == COPY_DEREF_NEVER && same_referents_differ(c, j, src, dst, done);
}

bool copy_same_ok(struct copy *c, struct copy_job *j, bool *done)
{
	bool same = util_same_file(&j->from, &j->to);
	struct tsb_stat src, dst;

	*done = false;
	if (same && c->o->make_hardlinks) {
		*done = true;
		return true;
	}
	if (j->deref == COPY_DEREF_NEVER) {
		if (same_is_link(&j->from) && same_is_link(&j->to))
			return same_two_links(c, j, same, done);
		return same_decide(c, j, &j->from, &j->to, done);
	}
	if (!same || tsb_lstat(c->p, j->dst, &dst) || tsb_lstat(c->p, j->src, &src))
		return true;
	if (same_is_link(&src) && same_is_link(&dst) && c->o->unlink_before)
		return true;
	return same_decide(c, j, &src, &dst, done);
}
