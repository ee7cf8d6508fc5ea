/*
 * The walk keeps one text, the path of the current entry, and a stack of the
 * directories around it. A level holds the names of its directory packed in
 * one string (a type byte, then the name), which is all that grows with the
 * size of a directory.
 */
#include "cmd/walk.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "base/vec.h"
#include "cmd/path.h"
#include "cmd/util.h"

struct walk_level {
	struct walk_entry dir;
	struct str names;
	size_t at;		/* next entry in names */
	size_t path_len;	/* of the directory in walk.path */
};

struct walk {
	struct tsb_proc *p;
	unsigned flags;
	int n, next;
	char *const *operands;
	struct str path;
	VEC(struct walk_level) levels;
	struct walk_entry now;
	uint64_t dev;
	bool skip;
};

struct walk *walk_open(struct tsb_proc *p, int n, char *const *operands, unsigned flags)
{
	struct walk *w = tsb_alloc(p, sizeof(*w));

	w->p = p;
	w->flags = flags;
	w->n = n;
	w->operands = operands;
	w->now.kind = WALK_FILE;
	str_init(&w->path, tsb_heap_of(p), STR_MAX_DEFAULT);
	return w;
}

static bool walk_follows(const struct walk *w, size_t depth)
{
	return (w->flags & WALK_LOGICAL) || (!depth && (w->flags & WALK_OPERANDS));
}

int walk_stat(struct walk *w, struct walk_entry *e)
{
	int err;

	if (e->has_stat)
		return 0;
	if (e->kind == WALK_NO_STAT)
		return e->error;
	if (walk_follows(w, e->depth))
		err = tsb_stat(w->p, e->path, &e->st);
	else
		err = tsb_lstat(w->p, e->path, &e->st);
	e->has_stat = !err;
	return err;
}

/* Only links make cycles, and the depth is at most half of a path's length. */
static bool walk_is_cycle(const struct walk *w, const struct walk_entry *e)
{
	if (!(w->flags & WALK_LOGICAL))
		return false;
	for (size_t i = 0; i < w->levels.n; i++)
		if (util_same_file(&w->levels.at[i].dir.st, &e->st))
			return true;
	return false;
}

/* Sets kind from what the file is. type: from readdir, 0 if not known. */
static void walk_classify(struct walk *w, struct walk_entry *e, uint32_t type)
{
	bool follows = walk_follows(w, e->depth);
	bool need = !(w->flags & WALK_LAZY) || !type || (follows && S_ISLNK(type)) ||
		    (S_ISDIR(type) && (w->flags & (WALK_LOGICAL | WALK_ONE_FS)));

	e->st.mode = type;
	e->error = need ? walk_stat(w, e) : 0;
	if (e->error == -ENOENT && follows && !tsb_lstat(w->p, e->path, &e->st) && S_ISLNK(e->st.mode)) {
		e->has_stat = true;
		e->kind = WALK_DANGLING;
	} else if (e->error) {
		e->kind = WALK_NO_STAT;
	} else if (!S_ISDIR(e->st.mode)) {
		e->kind = WALK_FILE;
	} else {
		e->kind = walk_is_cycle(w, e) ? WALK_CYCLE : WALK_DIR;
	}
}

static struct walk_entry *walk_operand(struct walk *w)
{
	struct walk_entry *e = &w->now;
	const char *s;

	if (w->next == w->n)
		return NULL;
	s = w->operands[w->next++];
	str_reset(&w->path);
	str_adds(&w->path, s);
	/* All trailing slashes but one go; "//" stays, which may mean something. */
	if (w->path.n > 2 && !(w->flags & WALK_VERBATIM))
		while (w->path.n > 1 && w->path.p[w->path.n - 1] == '/' &&
		       w->path.p[w->path.n - 2] == '/')
			str_cut(&w->path, w->path.n - 1);
	*e = (struct walk_entry){ .path = w->path.p, .name = path_last(w->path.p) };
	walk_classify(w, e, 0);
	w->dev = e->st.dev;
	return e;
}

static struct walk_entry *walk_child(struct walk *w, struct walk_level *level)
{
	struct walk_entry *e = &w->now;
	const char *packed = level->names.p + level->at;
	uint32_t type = (uint32_t)(unsigned char)packed[0] << 12;
	size_t n = strlen(packed + 1);

	level->at += n + 2;
	str_cut(&w->path, level->path_len);
	if (w->path.p[w->path.n - 1] != '/')
		str_addc(&w->path, '/');
	str_addn(&w->path, packed + 1, n);
	*e = (struct walk_entry){ .path = w->path.p, .name = w->path.p + w->path.n - n,
				  .depth = w->levels.n };
	walk_classify(w, e, type);
	return e;
}

/* Reads the directory just returned as WALK_DIR: 0 or -errno. */
static int walk_enter(struct walk *w)
{
	const struct tsb_dirent *d;
	struct walk_level *level;
	struct tsb_dir *dir;
	int err = tsb_opendir(w->p, w->now.path, &dir);

	if (err)
		return err;
	level = vec_add(tsb_heap_of(w->p), &w->levels);
	level->dir = w->now;
	level->path_len = w->path.n;
	str_init(&level->names, tsb_heap_of(w->p), STR_MAX_DEFAULT);
	while ((d = tsb_readdir(dir))) {
		str_addc(&level->names, (int)(d->mode >> 12 & 15));
		str_addn(&level->names, d->name, d->name_len);
		str_addc(&level->names, '\0');
		tsb_tick(w->p, 1);
	}
	err = tsb_dir_error(dir);
	tsb_closedir(dir);
	if (err) {
		str_end(&level->names);
		w->levels.n--;
	}
	return err;
}

static struct walk_entry *walk_leave(struct walk *w)
{
	struct walk_level *level = &vec_pop(&w->levels);

	str_cut(&w->path, level->path_len);
	str_end(&level->names);
	w->now = level->dir;
	w->now.path = w->path.p;
	w->now.name = path_last(w->path.p);
	w->now.kind = WALK_DIR_END;
	return &w->now;
}

struct walk_entry *walk_next(struct walk *w)
{
	struct walk_level *level;

	tsb_tick(w->p, 1);
	if (w->now.kind == WALK_DIR) {
		bool other_fs = (w->flags & WALK_ONE_FS) && w->now.st.dev != w->dev;

		if (w->skip || other_fs) {
			w->skip = false;
			w->now.kind = WALK_DIR_END;
			return &w->now;
		}
		w->now.error = walk_enter(w);
		if (w->now.error) {
			w->now.kind = WALK_UNREADABLE;
			return &w->now;
		}
	}
	if (!w->levels.n)
		return walk_operand(w);
	level = &vec_last(&w->levels);
	if (level->at < level->names.n)
		return walk_child(w, level);
	return walk_leave(w);
}

void walk_skip(struct walk *w)
{
	w->skip = true;
}

void walk_mark_parents(struct walk *w, long number)
{
	for (size_t i = 0; i < w->levels.n; i++)
		w->levels.at[i].dir.number = number;
}

uint64_t walk_operand_dev(const struct walk *w)
{
	return w->dev;
}
