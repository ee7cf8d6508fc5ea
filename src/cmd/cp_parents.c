/*
 * cp --parents. The parents made (or, with -p, passed) are kept in a list: they
 * need rights to be filled at first, and their own attributes only at the end,
 * from the inside out.
 */
#include "cmd/cp_parents.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/mode.h"
#include "cmd/path.h"

struct parent {
	struct tsb_stat st;	/* of the original; mode: what is to be set */
	size_t len;		/* of its name in dest */
	bool restore_mode;
};

struct parents {
	struct copy *c;
	char *dest;		/* DIR/source, without trailing slashes */
	size_t prefix;		/* where source begins in it */
	struct parent *list;
	size_t n, cap;
	bool is_new;		/* the innermost was made */
};

static bool parent_fail(struct parents *ps, int err, const char *what, const char *name)
{
	tsb_warn_errno(ps->c->p, err, "%s %s", what, quote_af(ps->c->p, name));
	return false;
}

/* The directory named by ps->dest, which ends there for now. */
static bool parent_make(struct parents *ps, struct parent *d)
{
	const struct copy_options *o = ps->c->o;
	struct tsb_proc *p = ps->c->p;
	uint32_t omit = d->st.mode & (o->keep_owner ? 0077u : o->keep_mode ? 0022u : 0);
	uint32_t mode = (o->no_mode ? 0777 : d->st.mode) & MODE_BITS & ~omit;
	struct tsb_setattr set = { .mask = TSB_SET_MODE };
	struct tsb_stat st;
	int err = tsb_mkdir(p, ps->dest, mode);

	if (err)
		return parent_fail(ps, err, "cannot make directory", ps->dest);
	ps->is_new = true;
	if (o->verbose)
		tsb_printf(p, "%s -> %s\n", ps->dest + ps->prefix, ps->dest);
	err = tsb_lstat(p, ps->dest, &st);
	if (err)
		return parent_fail(ps, err, "failed to get attributes of", ps->dest);
	if (!o->keep_mode) {
		omit &= ~ps->c->umask;
		d->restore_mode = (omit & ~st.mode) || (st.mode & S_IRWXU) != S_IRWXU;
		d->st.mode = st.mode | omit;
	}
	if ((st.mode & S_IRWXU) == S_IRWXU)
		return true;
	set.mode = (st.mode | S_IRWXU) & MODE_BITS;
	err = tsb_setattr(p, ps->dest, &set, false);
	return err ? parent_fail(ps, err, "setting permissions for", ps->dest) : true;
}

static bool parent_not_dir(struct parents *ps)
{
	tsb_warn(ps->c->p, "%s exists but is not a directory", quote_af(ps->c->p, ps->dest));
	return false;
}

/* One component: ps->dest ends behind it. */
static bool parent_step(struct parents *ps)
{
	const struct copy_options *o = ps->c->o;
	struct tsb_proc *p = ps->c->p;
	const char *src = ps->dest + ps->prefix;
	struct parent d = { .len = strlen(ps->dest) };
	struct tsb_stat st;
	bool missing = tsb_stat(p, ps->dest, &st);
	int err;

	if (missing || o->keep_owner || o->keep_mode || o->keep_times) {
		err = tsb_stat(p, src, &d.st);
		if (!err && !S_ISDIR(d.st.mode))
			err = -ENOTDIR;
		if (err)
			return parent_fail(ps, err, "failed to get attributes of", src);
		if (missing && !parent_make(ps, &d))
			return false;
		ps->list = util_grow(p, ps->list, ps->n, &ps->cap, sizeof(d));
		ps->list[ps->n++] = d;
	}
	if (!missing && !S_ISDIR(st.mode))
		return parent_not_dir(ps);
	if (!missing)
		ps->is_new = false;
	return true;
}

static bool parents_make(struct parents *ps)
{
	char *slash = ps->dest + ps->prefix;
	size_t dir_len = path_dir_len(ps->dest);
	struct tsb_stat st;
	bool ok, is_dir, there;
	char cut = ps->dest[dir_len];

	ps->dest[dir_len] = '\0';
	there = !tsb_stat(ps->c->p, ps->dest, &st);
	is_dir = there && S_ISDIR(st.mode);
	if (there && !is_dir)
		return parent_not_dir(ps);
	ps->dest[dir_len] = cut;
	slash += strspn(slash, "/");
	while (!there && (slash = strchr(slash, '/'))) {
		*slash = '\0';
		ok = parent_step(ps);
		if (!ok)
			return false;
		*slash = '/';
		slash += strspn(slash, "/");
	}
	return true;
}

static bool parent_settle(struct parents *ps, const struct parent *d)
{
	const struct copy_options *o = ps->c->o;
	struct tsb_proc *p = ps->c->p;
	struct tsb_setattr set = { .atime = d->st.atime, .mtime = d->st.mtime,
				   .uid = d->st.uid, .gid = d->st.gid,
				   .mode = d->st.mode & MODE_BITS };
	int err = 0;

	set.mask = TSB_SET_ATIME | TSB_SET_MTIME;
	if (o->keep_times)
		err = tsb_setattr(p, ps->dest, &set, true);
	if (err)
		return parent_fail(ps, err, "failed to preserve times for", ps->dest);
	set.mask = TSB_SET_UID | TSB_SET_GID;
	if (o->keep_owner)
		err = tsb_setattr(p, ps->dest, &set, false);
	if (err && ((err != -EPERM && err != -EINVAL) || !tsb_getuid(p)))
		return parent_fail(ps, err, "failed to preserve ownership for", ps->dest);
	set.mask = TSB_SET_GID;
	if (err)
		tsb_setattr(p, ps->dest, &set, false);
	set.mask = TSB_SET_MODE;
	if (!o->keep_mode && !d->restore_mode)
		return true;
	err = tsb_setattr(p, ps->dest, &set, true);
	return err ? parent_fail(ps, err, "failed to preserve permissions for", ps->dest) : true;
}

bool cp_with_parents(struct copy *c, const char *source, const char *dir)
{
	char *bare = tsb_strdup(c->p, source), *dest;
	struct parents ps = { .c = c };
	bool ok;

	path_strip_slashes(bare);
	ps.dest = path_join(c->p, dir, bare);
	ps.prefix = strlen(ps.dest) - strlen(bare);
	dest = tsb_strdup(c->p, ps.dest);
	if (!parents_make(&ps))
		return false;
	ok = copy_operand(c, source, dest, ps.is_new ? COPY_IS_NEW : COPY_MAY_EXIST);
	while (ps.n) {
		const struct parent *d = &ps.list[--ps.n];

		ps.dest[d->len] = '\0';
		if (!parent_settle(&ps, d))
			return false;
	}
	return ok;
}
