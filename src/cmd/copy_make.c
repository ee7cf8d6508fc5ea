/*
 * Makes the destination of one job, by the kind of its source. A directory is
 * made with enough rights to fill it; the rights it shall have come when it is
 * left.
 */
#include "cmd/copy_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/mode.h"
#include "cmd/path.h"
#include "cmd/relink.h"

static bool make_derefs(const struct copy_job *j)
{
	return j->deref == COPY_DEREF_ALWAYS || (j->operand && j->deref == COPY_DEREF_OPERANDS);
}

enum copy_step copy_hardlink(struct copy *c, struct copy_job *j, const char *from, bool replace,
			     bool verbose)
{
	int r = relink_hard(c->p, from, j->dst, make_derefs(j), replace);

	if (r < 0) {
		tsb_warn_errno(c->p, r, "cannot create hard link %s to %s",
			       quote_af(c->p, j->dst), quote_af(c->p, from));
		return COPY_UNDO;
	}
	if (r > 0 && verbose)
		tsb_printf(c->p, "removed %s\n", quote_af(c->p, j->dst));
	return COPY_NEXT;
}

static enum copy_step make_failed(struct copy *c, struct copy_job *j, int err, const char *what)
{
	tsb_warn_errno(c->p, err, "%s %s", what, quote_af(c->p, j->dst));
	return COPY_UNDO;
}

/* The directory itself; an existing one is taken as it is. */
static enum copy_step make_directory(struct copy *c, struct copy_job *j)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE };
	int err;

	if (!j->is_new && S_ISDIR(j->to.mode)) {
		j->omitted = 0;
		return COPY_NEXT;
	}
	err = tsb_mkdir(c->p, j->dst, j->dst_mode & ~j->omitted);
	if (err)
		return make_failed(c, j, err, "cannot create directory");
	err = tsb_lstat(c->p, j->dst, &j->to);
	if (err)
		return make_failed(c, j, err, "cannot stat");
	if ((j->to.mode & S_IRWXU) != S_IRWXU) {
		j->dst_mode = j->to.mode;
		j->restore_mode = true;
		set.mode = (j->to.mode | S_IRWXU) & MODE_BITS;
		err = tsb_setattr(c->p, j->dst, &set, false);
		if (err)
			return make_failed(c, j, err, "setting permissions for");
	}
	if (!j->first_made) {
		copy_remember(c, &j->to, j->dst);
		j->first_made = true;
	}
	if (c->o->verbose && c->o->move)
		tsb_printf(c->p, "created directory %s\n", quote_af(c->p, j->dst));
	else if (c->o->verbose)
		copy_say(c, j->src, j->dst, NULL);
	return COPY_NEXT;
}

struct make_name {
	uint64_t ino;
	char *name;
};

static int make_name_cmp(const void *a, const void *b)
{
	const struct make_name *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The entries in the order of their inodes, which is mostly that of creation. */
static int make_read_names(struct copy *c, struct copy_job *j)
{
	struct make_name *all = NULL;
	const struct tsb_dirent *d;
	struct tsb_dir *dir;
	size_t n = 0, cap = 0;
	int err = tsb_opendir(c->p, j->src, &dir);

	if (err)
		return err;
	while ((d = tsb_readdir(dir))) {
		tsb_tick(c->p, 1);
		all = util_grow(c->p, all, n, &cap, sizeof(*all));
		all[n++] = (struct make_name){ d->ino, tsb_strndup(c->p, d->name, d->name_len) };
	}
	err = tsb_dir_error(dir);
	tsb_closedir(dir);
	if (err)
		return err;
	if (n)
		qsort(all, n, sizeof(*all), make_name_cmp);
	j->names = tsb_alloc(c->p, n * sizeof(char *));
	for (size_t i = 0; i < n; i++)
		j->names[i] = all[i].name;
	j->n = n;
	tsb_free(c->p, all);
	return 0;
}

static bool make_is_cycle(const struct copy_job *j)
{
	for (const struct copy_job *o = j->outer; o; o = o->outer)
		if (util_same_file(&o->from, &j->from))
			return true;
	return false;
}

static enum copy_step make_tree(struct copy *c, struct copy_job *j)
{
	enum copy_step step;
	int err;

	if (make_is_cycle(j)) {
		tsb_warn(c->p, "cannot copy cyclic symbolic link %s", quote_af(c->p, j->src));
		return COPY_UNDO;
	}
	step = make_directory(c, j);
	if (step != COPY_NEXT)
		return step;
	j->ok = true;
	j->first_made_inside = false;
	if (c->o->one_fs && j->outer && j->outer->from.dev != j->from.dev)
		return COPY_ENTER;
	err = make_read_names(c, j);
	if (err) {
		tsb_warn_errno(c->p, err, "cannot access %s", quote_af(c->p, j->src));
		j->ok = false;
	}
	return COPY_ENTER;
}

/* -s: a relative source means the same only from here. */
static bool make_is_here(struct copy *c, const char *path)
{
	char *dir = path_dir(c->p, path);
	struct tsb_stat here, there;

	return !strcmp(dir, ".") || tsb_stat(c->p, ".", &here) || tsb_stat(c->p, dir, &there) ||
	       util_same_file(&here, &there);
}

static enum copy_step make_symlink(struct copy *c, struct copy_job *j)
{
	int err;

	j->fresh_link = true;
	if (*j->src != '/' && !make_is_here(c, j->dst)) {
		tsb_warn(c->p, "%s: can make relative symbolic links only in current directory",
			 quote_f(c->p, j->dst));
		return COPY_UNDO;
	}
	err = relink_symbolic(c->p, j->src, j->dst, c->o->unlink_after);
	if (err >= 0)
		return COPY_NEXT;
	tsb_warn_errno(c->p, err, "cannot create symbolic link %s to %s", quote_af(c->p, j->dst),
		       quote_af(c->p, j->src));
	return COPY_UNDO;
}

static bool make_link_is_there(struct copy *c, struct copy_job *j, const char *target)
{
	char *now;
	int err;

	if (!c->o->update || j->is_new || !S_ISLNK(j->to.mode))
		return false;
	now = path_readlink(c->p, j->dst, &err);
	return now && !strcmp(now, target);
}

static enum copy_step make_link_copy(struct copy *c, struct copy_job *j)
{
	char *target;
	int err;

	j->fresh_link = true;
	target = path_readlink(c->p, j->src, &err);
	if (!target) {
		tsb_warn_errno(c->p, err, "cannot read symbolic link %s", quote_af(c->p, j->src));
		return COPY_UNDO;
	}
	err = relink_symbolic(c->p, target, j->dst, c->o->unlink_after);
	if (err < 0 && !make_link_is_there(c, j, target))
		return make_failed(c, j, err, "cannot create symbolic link");
	return copy_set_owner(c, j, -1, NULL) ? COPY_NEXT : COPY_UNDO;
}

static enum copy_step make_special(struct copy *c, struct copy_job *j)
{
	int err = tsb_mknod(c->p, j->dst, j->src_mode & ~j->omitted,
			    S_ISFIFO(j->src_mode) ? 0 : j->from.rdev);

	if (!err)
		return COPY_NEXT;
	return make_failed(c, j, err, S_ISFIFO(j->src_mode) ? "cannot create fifo"
							    : "cannot create special file");
}

enum copy_step copy_make(struct copy *c, struct copy_job *j)
{
	const struct copy_options *o = c->o;
	uint32_t mode = j->src_mode;

	j->dst_mode = (o->set_mode ? o->mode : mode) & MODE_BITS;
	j->omitted = j->dst_mode & (o->keep_owner ? 0077u : S_ISDIR(mode) ? 0022u : 0);
	if (S_ISDIR(mode))
		return make_tree(c, j);
	if (o->make_symlinks)
		return make_symlink(c, j);
	if (o->make_hardlinks)
		return copy_hardlink(c, j, j->src, o->unlink_after || o->ask == COPY_ASK, false);
	if (S_ISREG(mode) || (o->as_regular && !S_ISLNK(mode)))
		return copy_regular(c, j);
	if (S_ISLNK(mode))
		return make_link_copy(c, j);
	if (S_ISFIFO(mode) || S_ISBLK(mode) || S_ISCHR(mode) || S_ISSOCK(mode))
		return make_special(c, j);
	tsb_warn(c->p, "%s has unknown file type", quote_af(c->p, j->src));
	return COPY_UNDO;
}
