/*
 * The copy engine's frame: what happens to one job from the first look at the
 * source to the moment its directory is left, and the list of directories that
 * are being copied.
 *
 * Hard links are kept by a map from (device, inode) to the first copy's name.
 * The same map stops "cp -r a a/b": the first directory made for an operand is
 * in it, so meeting it as a source says that the copy has reached itself.
 */
#include "cmd/copy_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"

void copy_init(struct copy *c, struct tsb_proc *p, struct copy_options *o)
{
	*c = (struct copy){ .p = p, .o = o, .umask = util_umask_get(p), .last = true,
			    .rename_error = 1 };
	map_init(&c->copied, tsb_heap_of(p));
	map_init(&c->sources, tsb_heap_of(p));
	map_init(&c->made, tsb_heap_of(p));
}

void copy_watch(struct copy *c, bool sources)
{
	c->watch_made = true;
	c->watch_sources = sources;
}

/* ---- The maps ---- */

char *copy_id(struct copy *c, const struct tsb_stat *st)
{
	return tsb_format(c->p, "%llu:%llu", (unsigned long long)st->dev,
			  (unsigned long long)st->ino);
}

static const char *copy_lookup(struct copy *c, const struct tsb_stat *st)
{
	char *key = copy_id(c, st);
	struct map_entry *e = map_find(&c->copied, key, strlen(key));

	tsb_free(c->p, key);
	return e ? e->value : NULL;
}

const char *copy_remember(struct copy *c, const struct tsb_stat *st, const char *dst)
{
	char *key = copy_id(c, st);
	struct map_entry *e = map_put(&c->copied, key, strlen(key));

	tsb_free(c->p, key);
	if (e->value)
		return e->value;
	e->value = tsb_strdup(c->p, dst);
	return NULL;
}

static void copy_forget(struct copy *c, const struct tsb_stat *st)
{
	char *key = copy_id(c, st);

	map_remove(&c->copied, key, strlen(key));
	tsb_free(c->p, key);
}

static char *copy_name_key(struct copy *c, const char *name, const struct tsb_stat *st)
{
	return tsb_format(c->p, "%llu:%llu:%s", (unsigned long long)st->dev,
			  (unsigned long long)st->ino, name);
}

bool copy_seen(struct copy *c, struct map *set, const char *name, const struct tsb_stat *st)
{
	char *key = copy_name_key(c, name, st);
	bool seen = map_find(set, key, strlen(key));

	tsb_free(c->p, key);
	return seen;
}

static void copy_record(struct copy *c, struct map *set, const char *name, const struct tsb_stat *st)
{
	char *key = copy_name_key(c, name, st);

	map_put(set, key, strlen(key));
	tsb_free(c->p, key);
}

void copy_say(struct copy *c, const char *source, const char *dest, const char *backup)
{
	struct tsb_proc *p = c->p;

	tsb_printf(p, "%s -> %s", quote_af(p, source), quote_af(p, dest));
	if (backup)
		tsb_printf(p, " (backup: %s)", quote_af(p, backup));
	tsb_putc(p, '\n');
}

/* ---- Steps of one job ---- */

/* mv: the rename that must replace nothing, when it has not been tried. */
static void job_try_rename(struct copy *c, struct copy_job *j)
{
	if (!c->o->move)
		return;
	if (!j->operand)
		j->rename_error = -EXDEV;
	else
		j->rename_error = c->rename_error;
	if (j->rename_error == 1)
		j->rename_error = tsb_rename(c->p, j->src, j->dst, TSB_RENAME_NOREPLACE);
	if (!j->rename_error)
		j->is_new = true;
}

static enum copy_step job_stat_source(struct copy *c, struct copy_job *j)
{
	const char *at = j->rename_error ? j->src : j->dst;
	int err;

	if (!j->rename_error ? c->last
			     : j->rename_error == -EEXIST && c->o->ask == COPY_NO_CLOBBER)
		return COPY_NEXT;
	err = j->deref == COPY_DEREF_NEVER ? tsb_lstat(c->p, at, &j->from)
					   : tsb_stat(c->p, at, &j->from);
	if (err) {
		tsb_warn_errno(c->p, err, "cannot stat %s", quote_af(c->p, at));
		return COPY_FAIL;
	}
	j->src_mode = j->from.mode;
	if (!S_ISDIR(j->src_mode) || c->o->recursive)
		return COPY_NEXT;
	tsb_warn(c->p, "%somitting directory %s", c->o->install ? "" : "-r not specified; ",
		 quote_af(c->p, j->src));
	return COPY_FAIL;
}

/* The directory entry a name stands for: the same for "a" and "./a". */
static const char *job_place(struct copy *c, const char *name)
{
	struct tsb_stat dir;

	if (tsb_lstat(c->p, path_dir(c->p, name), &dir))
		return name;
	return tsb_format(c->p, "%s/%s", copy_id(c, &dir), path_base(c->p, name));
}

static enum copy_step job_repeated_source(struct copy *c, struct copy_job *j)
{
	const char *where;

	if (!j->operand || !c->watch_sources)
		return COPY_NEXT;
	where = job_place(c, j->src);
	if (!S_ISDIR(j->src_mode) && c->o->backup.type == BACKUP_NONE &&
	    copy_seen(c, &c->sources, where, &j->from)) {
		tsb_warn(c->p, "warning: source file %s specified more than once",
			 quote_af(c->p, j->src));
		return COPY_DONE;
	}
	copy_record(c, &c->sources, where, &j->from);
	return COPY_NEXT;
}

/* Sets j->earlier if this inode was copied before; remembers it where needed. */
static void job_find_earlier(struct copy *c, struct copy_job *j)
{
	const struct copy_options *o = c->o;

	if (o->move && !j->rename_error)
		return;
	if (o->recursive && S_ISDIR(j->src_mode))
		j->earlier = j->operand ? copy_remember(c, &j->from, j->dst)
					: copy_lookup(c, &j->from);
	else if (o->move && j->from.nlink == 1)
		j->earlier = copy_lookup(c, &j->from);
	else if (o->keep_links && !o->make_hardlinks &&
		 (j->from.nlink > 1 || (j->operand && j->deref == COPY_DEREF_OPERANDS) ||
		  j->deref == COPY_DEREF_ALWAYS))
		j->earlier = copy_remember(c, &j->from, j->dst);
}

static enum copy_step job_repeated_directory(struct copy *c, struct copy_job *j)
{
	struct tsb_proc *p = c->p;

	if (path_same_name(p, j->src, j->earlier)) {
		tsb_warn(p, "cannot copy a directory, %s, into itself, %s",
			 quote_af(p, c->top_source), quote_af(p, c->top_dest));
		c->into_self = true;
		return COPY_UNDO;
	}
	if (path_same_name(p, j->dst, j->earlier)) {
		tsb_warn(p, "warning: source directory %s specified more than once",
			 quote_af(p, c->top_source));
		c->renamed = true;
		return COPY_DONE;
	}
	if (j->deref == COPY_DEREF_ALWAYS || (j->operand && j->deref == COPY_DEREF_OPERANDS))
		return COPY_NEXT;
	tsb_warn(p, "will not create hard link %s to directory %s", quote_af(p, j->dst),
		 quote_af(p, j->earlier));
	return COPY_UNDO;
}

static enum copy_step job_earlier(struct copy *c, struct copy_job *j)
{
	enum copy_step step;

	job_find_earlier(c, j);
	if (!j->earlier)
		return COPY_NEXT;
	if (S_ISDIR(j->src_mode))
		return job_repeated_directory(c, j);
	step = copy_hardlink(c, j, j->earlier, true, c->o->verbose);
	return step == COPY_NEXT ? COPY_DONE : step;
}

static enum copy_step job_renamed(struct copy *c, struct copy_job *j)
{
	if (c->o->verbose) {
		tsb_puts(c->p, "renamed ");
		copy_say(c, j->src, j->dst, j->backup);
	}
	c->renamed = true;
	if (j->operand && !c->last && c->watch_made)
		copy_record(c, &c->made, j->dst, &j->from);
	return COPY_DONE;
}

/* mv: rename, or make way for a copy to another filesystem. */
static enum copy_step job_move(struct copy *c, struct copy_job *j)
{
	struct tsb_proc *p = c->p;
	int err;

	if (!c->o->move)
		return COPY_NEXT;
	if (j->rename_error == -EEXIST)
		j->rename_error = tsb_rename(p, j->src, j->dst, 0);
	if (!j->rename_error)
		return job_renamed(c, j);
	if (j->rename_error == -EINVAL) {
		tsb_warn(p, "cannot move %s to a subdirectory of itself, %s",
			 quote_af(p, c->top_source), quote_af(p, c->top_dest));
		c->into_self = true;
		return COPY_DONE;
	}
	if (j->rename_error != -EXDEV) {
		tsb_warn_errno(p, j->rename_error, "cannot move %s to %s", quote_af(p, j->src),
			       quote_af(p, j->dst));
		copy_forget(c, &j->from);
		return COPY_FAIL;
	}
	err = S_ISDIR(j->src_mode) ? tsb_rmdir(p, j->dst) : tsb_unlink(p, j->dst);
	if (err && err != -ENOENT) {
		tsb_warn_errno(p, err, "inter-device move failed: %s to %s; unable to remove "
			       "target", quote_af(p, j->src), quote_af(p, j->dst));
		copy_forget(c, &j->from);
		return COPY_FAIL;
	}
	if (c->o->verbose && !S_ISDIR(j->src_mode)) {
		tsb_puts(p, "copied ");
		copy_say(c, j->src, j->dst, j->backup);
	}
	j->is_new = true;
	return COPY_NEXT;
}

/* What stands before anything is made, in order. */
static enum copy_step job_prepare(struct copy *c, struct copy_job *j)
{
	enum copy_step step;

	job_try_rename(c, j);
	step = job_stat_source(c, j);
	if (step == COPY_NEXT)
		step = job_repeated_source(c, j);
	if (step == COPY_NEXT)
		step = copy_check_dest(c, j);
	if (step != COPY_NEXT)
		return step;
	if (c->o->verbose && !c->o->move && !S_ISDIR(j->src_mode))
		copy_say(c, j->src, j->dst, j->backup);
	step = job_earlier(c, j);
	return step == COPY_NEXT ? job_move(c, j) : step;
}

/* Behind the making: the attributes of what has not got them yet. */
static enum copy_step job_finish(struct copy *c, struct copy_job *j)
{
	const struct copy_options *o = c->o;
	bool is_dir = S_ISDIR(j->src_mode);
	struct tsb_stat st;

	if (j->operand && c->watch_made && !tsb_lstat(c->p, j->dst, &st))
		copy_record(c, &c->made, j->dst, &st);
	if (!is_dir && !o->make_symlinks &&
	    (o->make_hardlinks || S_ISREG(j->src_mode) || (o->as_regular && !S_ISLNK(j->src_mode))))
		return COPY_DONE;
	return copy_attributes(c, j);
}

static void job_undo(struct copy *c, struct copy_job *j)
{
	int err;

	if (!j->earlier)
		copy_forget(c, &j->from);
	if (!j->backup)
		return;
	err = tsb_rename(c->p, j->backup, j->dst, 0);
	if (err)
		tsb_warn_errno(c->p, err, "cannot un-backup %s", quote_af(c->p, j->dst));
	else if (c->o->verbose)
		tsb_printf(c->p, "%s -> %s (unbackup)\n", quote_af(c->p, j->backup),
			   quote_af(c->p, j->dst));
}

/* COPY_DONE, COPY_FAIL or COPY_ENTER. */
static enum copy_step job_run(struct copy *c, struct copy_job *j)
{
	enum copy_step step = job_prepare(c, j);

	if (step == COPY_NEXT)
		step = copy_make(c, j);
	if (step == COPY_NEXT)
		step = job_finish(c, j);
	if (step != COPY_UNDO)
		return step;
	job_undo(c, j);
	return COPY_FAIL;
}

/* ---- Trees ---- */

static struct copy_job *tree_child(struct copy *c, struct copy_job *outer)
{
	struct copy_job *j = tsb_alloc(c->p, sizeof(*j));
	const char *name = outer->names[outer->at++];

	j->src = path_join(c->p, outer->src, name);
	j->dst = path_join(c->p, outer->dst, name);
	j->deref = outer->deref == COPY_DEREF_OPERANDS ? COPY_DEREF_NEVER : outer->deref;
	j->is_new = outer->is_new;
	j->rename_error = 1;
	j->first_made = outer->first_made;
	j->outer = outer;
	return j;
}

static void tree_drop(struct copy *c, struct copy_job *j)
{
	for (size_t i = 0; i < j->n; i++)
		tsb_free(c->p, j->names[i]);
	tsb_free(c->p, j->names);
	tsb_free(c->p, (char *)j->src);
	tsb_free(c->p, (char *)j->dst);
	tsb_free(c->p, j);
}

/* A directory whose entries are done: its attributes, and whether all went well. */
static bool tree_leave(struct copy *c, struct copy_job *j)
{
	if (j->n)
		j->first_made = j->first_made_inside;
	return job_finish(c, j) == COPY_DONE && j->ok;
}

/* Copies what is in top; every level is one job on the heap. */
static bool tree_run(struct copy *c, struct copy_job *top)
{
	struct copy_job *j = top;

	for (;;) {
		struct copy_job *outer = j->outer, *child;
		bool ok;

		tsb_tick(c->p, 1);
		if (j->at < j->n && !c->into_self) {
			child = tree_child(c, j);
			switch (job_run(c, child)) {
			case COPY_ENTER:
				j = child;
				continue;
			case COPY_DONE:
				break;
			default:
				j->ok = false;
			}
			j->first_made_inside |= child->first_made;
			tree_drop(c, child);
			continue;
		}
		ok = tree_leave(c, j);
		if (j == top)
			return ok;
		outer->ok &= ok;
		outer->first_made_inside |= j->first_made;
		tree_drop(c, j);
		j = outer;
	}
}

bool copy_operand(struct copy *c, const char *source, const char *dest, enum copy_known known)
{
	struct copy_job j = {
		.src = source, .dst = dest, .operand = true, .deref = c->o->deref,
		.is_new = known == COPY_IS_NEW, .seems_new = known == COPY_SEEMS_NEW,
		.rename_error = 1,
	};
	enum copy_step step;

	c->top_source = source;
	c->top_dest = dest;
	c->into_self = c->renamed = false;
	step = job_run(c, &j);
	if (step == COPY_ENTER)
		return tree_run(c, &j);
	return step == COPY_DONE;
}

int copy_target_error(struct tsb_proc *p, const char *dir)
{
	struct tsb_stat st;
	int err = tsb_stat(p, dir, &st);

	return err || S_ISDIR(st.mode) ? err : -ENOTDIR;
}

int copy_set_target(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	const char **field = (const char **)(void *)((char *)opts + opt->offset);

	if (*field) {
		tsb_warn(p, "multiple target directories specified");
		return 1;
	}
	*field = arg;
	return 0;
}
