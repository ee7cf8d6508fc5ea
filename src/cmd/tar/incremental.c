/*
 * Incremental archives, the writing side: every directory is compared with what
 * the snapshot knew of it, all directories are written with their lists, then
 * the files that are new.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/tar/incremental.h"
#include "cmd/util.h"

/* ---- What is a directory to what was known? ---- */

/* The names of directories below one that was renamed. */
static void replace_prefix(struct tar *t, const char *from, const char *to)
{
	size_t n = strlen(from);

	from = tsb_strdup(t->p, from);
	for (struct inc_dir *d = inc_of(t)->first; d; d = d->next) {
		tsb_tick(t->p, 1);
		if (!strncmp(d->name, from, n) && d->name[n] == '/')
			d->name = tsb_format(t->p, "%s%s", to, d->name + n);
	}
}

static void renamed_from(struct tar *t, struct inc_dir *d, struct inc_dir *before)
{
	if (!strcmp(before->name, d->name))
		return;
	tar_warn(t, TAR_W_RENAME_DIRECTORY, "%s: Directory has been renamed from %s",
		 tar_quote_colon(t, d->name), tar_quote_word(t, before->name));
	d->orig = before;
	d->renamed = true;
	replace_prefix(t, before->name, d->name);
}

static void known_dir(struct tar *t, struct inc_dir *d, const struct tsb_stat *st)
{
	struct inc_dir *before;

	d->children = INC_CHANGED;
	d->found = true;
	if ((!t->check_device || d->dev == st->dev) && d->ino == st->ino)
		return;
	before = inc_find_inode(t, st->dev, st->ino);
	if (before) {
		renamed_from(t, d, before);
	} else {
		tar_warn(t, TAR_W_RENAME_DIRECTORY, "%s: Directory has been renamed",
			 tar_quote_colon(t, d->name));
		d->children = INC_ALL;
		d->dev = st->dev;
		d->ino = st->ino;
	}
}

static bool is_old(const struct tar *t, const struct tsb_stat *st)
{
	return t->newer_set && util_time_cmp(st->mtime, t->newer) < 0 &&
	       (!t->newer_ctime || util_time_cmp(st->ctime, t->newer) < 0);
}

static struct inc_dir *new_dir(struct tar *t, const char *path, const struct tsb_stat *st)
{
	struct inc_dir *before = inc_find_inode(t, st->dev, st->ino);
	struct inc_dir *d = inc_note(t, path, st->mtime, st->dev, st->ino, false, NULL);

	d->found = true;
	d->children = INC_CHANGED;
	if (before) {
		renamed_from(t, d, before);
		return d;
	}
	tar_warn(t, TAR_W_NEW_DIRECTORY, "%s: Directory is new", tar_quote_colon(t, path));
	if (t->snapshot || is_old(t, st))
		d->children = INC_ALL;
	return d;
}

/* What a tag leaves of the directory; false: it is not archived at all. */
static bool look_for_tag(struct tar *t, struct inc_dir *d, const char *path)
{
	const char *tag = NULL;
	int kind = d->children == INC_NONE ? TAR_TAGS_NONE : tar_find_tag(t, path, &tag);

	if (kind == TAR_TAGS_NONE)
		return true;
	if (t->verbose)
		tar_warn(t, TAR_W_CACHEDIR, "%s: contains a cache directory tag %s; %s",
			 tar_quote_colon(t, path), tar_quote(t, tag), kind == TAR_TAG_ALL
			 ? "directory not dumped" : "contents not dumped");
	if (kind != TAR_TAG_UNDER)
		d->children = INC_NONE;
	if (kind != TAR_TAG_ALL)
		d->tag = kind == TAR_TAG_UNDER ? "" : tag;
	return kind != TAR_TAG_ALL;
}

/* What `above` gives its subdirectories: *forced false: each its own. */
struct force {
	bool init, children;
	enum inc_children which;
	const struct tsb_stat *above;	/* NULL: of the command line */
};

/* *letter becomes N where the directory is not to be in the list. */
static struct inc_dir *look_at_dir(struct tar *t, const char *path, const struct tsb_stat *st,
				   const struct force *force, char *letter)
{
	struct inc_dir *d = inc_find(t, path);

	if (d && ((d->seen && !force->init) || (!d->seen && strcmp(d->name, path)))) {
		*letter = 'N';
		return d;
	}
	if (d && d->seen)
		d->name = tsb_strdup(t->p, path);
	if (d)
		known_dir(t, d, st);
	else
		d = new_dir(t, path, st);
	if (t->one_fs && force->above && st->dev != force->above->dev) {
		d->children = INC_NONE;
	} else if (force->children) {
		d->children = force->which;
		if (d->children == INC_NONE)
			*letter = 'N';
	}
	d->seen = true;
	if (!look_for_tag(t, d, path))
		*letter = 'N';
	return d;
}

/* ---- The list of a directory ---- */

/* Names of what the archive before had of it. */
static void names_before(struct tar *t, const struct inc_dir *d, struct map *names)
{
	const char *dump = d->dump;

	map_init(names, tsb_heap_of(t->p));
	if (d->children == INC_ALL)
		return;
	if (d->renamed)
		dump = d->orig->old_dump ? d->orig->old_dump : d->orig->dump;
	for (const char *at = dump; at && *at; at += strlen(at) + 1)
		if (*at == 'Y' || *at == 'N' || *at == 'D')
			map_put(names, at + 1, strlen(at + 1));
}

static bool make_list(struct tar *t, struct inc_dir *d, const char *path)
{
	struct map before;
	struct str out;
	char **names;
	size_t n;
	int err = tsb_listdir(t->p, path, &names, &n);

	if (err < 0) {
		tar_failed_read(t, "open", path, err);
		return false;
	}
	names_before(t, d, &before);
	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(names[i]);

		tsb_tick(t->p, 1);
		if (d->tag)
			str_addc(&out, 'I');
		else
			str_addc(&out, map_find(&before, names[i], len) ? ' ' : 'Y');
		str_addn(&out, names[i], len + 1);
	}
	str_addc(&out, 0);
	map_end(&before);
	d->old_dump = d->dump;
	d->dump = str_take(&out, NULL);
	return true;
}

static char letter_of(struct tar *t, struct inc_dir *d, const struct tsb_stat *above,
		      const char *path, char letter)
{
	struct force force = { .above = above };
	struct tsb_stat st;
	int err;

	if (letter == 'I' || tar_excluded(t, path))
		return 'N';
	err = t->dereference ? tsb_stat(t->p, path, &st) : tsb_lstat(t->p, path, &st);
	if (err < 0) {
		tar_failed_read(t, "stat", path, err);
		return 'N';
	}
	if (S_ISDIR(st.mode)) {
		force.children = t->no_recursion || d->children == INC_ALL;
		force.which = t->no_recursion ? INC_NONE : INC_ALL;
		letter = 'D';
		look_at_dir(t, path, &st, &force, &letter);
		return letter;
	}
	if (t->one_fs && st.dev != above->dev)
		return 'N';
	return letter == 'Y' || !is_old(t, &st) ? 'Y' : 'N';
}

static char *below(struct tar *t, const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return tsb_format(t->p, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

struct inc_dir *inc_scan(struct tar *t, const char *path, const struct tsb_stat *st,
			 bool of_command_line)
{
	struct force force = { .init = of_command_line };
	char *bare = tsb_strdup(t->p, path), letter;
	struct inc_dir *d;

	path_strip_slashes(bare);
	tar_add_ignores(t, path);
	d = look_at_dir(t, bare, st, &force, &letter);
	if (d->children == INC_NONE) {
		if (d->tag) {
			struct str out;

			str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
			str_addf(&out, "Y%s", d->tag);
			str_addn(&out, "\0", 2);
			d->old_dump = d->dump;
			d->dump = str_take(&out, NULL);
		}
		return d;
	}
	if (!make_list(t, d, path))
		return d;
	for (char *at = d->dump; *at; at += strlen(at) + 1) {
		char *child = below(t, path, at + 1);

		tsb_tick(t->p, 1);
		*at = letter_of(t, d, st, child, *at);
		tsb_free(t->p, child);
	}
	return d;
}

/* ---- Renames, told in the list of the first directory ---- */

static void put_rename(struct tar *t, struct str *out, const char *from, const char *to)
{
	str_addc(out, 'R');
	from = *from ? tar_safe_name(t, from, false) : from;
	str_addn(out, from, strlen(from) + 1);
	str_addc(out, 'T');
	to = *to ? tar_safe_name(t, to, false) : to;
	str_addn(out, to, strlen(to) + 1);
}

/* A chain of renames, oldest name first; a ring needs a temporary name. */
static void put_renames(struct tar *t, struct inc_dir *d, struct str *out)
{
	struct inc_dir *last = d, *at;

	if (!d->renamed)
		return;
	for (; last && last->orig != d; last = last->orig)
		last->renamed = false;
	if (!last) {
		for (at = d; at && at->orig; at = at->orig)
			put_rename(t, out, at->orig->name, at->name);
		return;
	}
	last->renamed = d->renamed = false;
	str_addc(out, 'X');
	at = d;
	str_adds(out, path_dir(t->p, d->name));
	str_addc(out, 0);
	put_rename(t, out, d->name, "");
	for (; at != last; at = at->orig)
		put_rename(t, out, at->orig->name, at->name);
	put_rename(t, out, "", last->name);
}

static void add_renames(struct tar *t, struct inc_dir *first)
{
	struct str out;
	size_t n = 0;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (first->dump)
		str_addn(&out, first->dump, n = inc_dump_size(first->dump) - 1);
	for (struct inc_dir *d = inc_of(t)->first; d; d = d->next)
		put_renames(t, d, &out);
	if (out.n == n)
		return;
	str_addc(&out, 0);
	first->dump = str_take(&out, NULL);
}

/* ---- Which names are archived ---- */

struct inc_name {
	const char *path;
	size_t chdir;
	struct inc_dir *dir;	/* NULL: no directory */
	size_t order;
};

struct inc_names {
	struct inc_name *at;
	size_t n, cap;
};

static int by_path(const void *a, const void *b)
{
	const struct inc_name *x = a, *y = b;
	int d = strcmp(x->path, y->path);

	return d ? d : x->order < y->order ? -1 : x->order > y->order;
}

static struct inc_name *add_name(struct tar *t, struct inc_names *all, const char *path,
				 size_t chdir)
{
	all->at = util_grow(t->p, all->at, all->n, &all->cap, sizeof(*all->at));
	all->at[all->n] = (struct inc_name){ .path = path, .chdir = chdir, .order = all->n };
	return &all->at[all->n++];
}

/* The directory and those below it, each before what is in it. */
static void add_tree(struct tar *t, struct inc_names *all, const char *path, size_t chdir)
{
	const char **stack = NULL;
	size_t n = 0, cap = 0, bottom;
	struct tsb_stat st;

	stack = util_grow(t->p, stack, n, &cap, sizeof(*stack));
	stack[n++] = path;
	while (n) {
		bool top = stack[n - 1] == path;
		const char *dir = stack[--n];
		struct inc_name *name = add_name(t, all, dir, chdir);
		int err = t->dereference ? tsb_stat(t->p, dir, &st) : tsb_lstat(t->p, dir, &st);

		if (err >= 0 && !S_ISDIR(st.mode))
			continue;
		if (err < 0) {
			tar_cannot(t, "stat", dir, err);
			continue;
		}
		name->dir = inc_scan(t, dir, &st, top);
		bottom = n;
		for (const char *at = name->dir->dump; at && *at; at += strlen(at) + 1) {
			if (*at != 'D')
				continue;
			stack = util_grow(t->p, stack, n, &cap, sizeof(*stack));
			stack[n++] = below(t, dir, at + 1);
		}
		/* The first is to be on top. */
		for (size_t i = bottom, j = n; i + 1 < j; i++) {
			const char *swap = stack[i];

			stack[i] = stack[--j];
			stack[j] = swap;
		}
	}
	tsb_free(t->p, stack);
}

static void check_chdir(struct tar *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->names.n; i++)
		n += t->names.at[i].kind == TAR_NAME_DIR;
	if (n > 1)
		tar_usage(t, "Only one -C option is allowed with --listed-incremental");
	if (n && t->names.at[0].kind != TAR_NAME_DIR)
		tar_usage(t, "Using -C option inside file list is not allowed with "
			  "--listed-incremental");
}

static void collect(struct tar *t, struct inc_names *all)
{
	struct map seen;
	size_t kept = 0;

	for (size_t i = 0; i < t->names.n; i++) {
		struct tar_name *name = &t->names.at[i];

		if (name->kind != TAR_NAME_FILE)
			continue;
		name->found = 1;
		tar_enter_dir(t, name->dir);
		add_tree(t, all, name->text, name->dir);
	}
	if (!all->n)
		return;
	map_init(&seen, tsb_heap_of(t->p));
	for (size_t i = 0; i < all->n; i++) {
		struct map_entry *e;
		char *name;

		tsb_tick(t->p, 1);
		tar_enter_dir(t, all->at[i].chdir);
		name = inc_canonical(t, all->at[i].path);
		e = map_put(&seen, name, strlen(name));
		tsb_free(t->p, name);
		if (!e->value)
			all->at[kept++] = all->at[i];
		e->value = all;
	}
	map_end(&seen);
	all->n = kept;
	qsort(all->at, all->n, sizeof(*all->at), by_path);
	if (t->snapshot && all->at[0].dir)
		add_renames(t, all->at[0].dir);
}

static void add_files(struct tar *t, const struct inc_name *name)
{
	struct tsb_stat st;

	for (const char *at = name->dir->dump; at && *at; at += strlen(at) + 1) {
		tsb_tick(t->p, 1);
		if (*at == 'Y')
			tar_add_one(t, below(t, name->path, at + 1), 1, &st);
	}
}

void inc_create(struct tar *t)
{
	struct inc_names all = { NULL, 0, 0 };
	struct tsb_stat st;

	if (t->snapshot) {
		check_chdir(t);
		inc_read(t);
	}
	collect(t, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct inc_name *name = &all.at[i];

		tar_enter_dir(t, name->chdir);
		if (tar_excluded(t, name->path))
			continue;
		t->dump = name->dir && name->dir->dump ? name->dir->dump : "";
		tar_add_one(t, name->path, 0, &st);
	}
	for (size_t i = 0; i < all.n; i++) {
		if (!all.at[i].dir || tar_excluded(t, all.at[i].path))
			continue;
		tar_enter_dir(t, all.at[i].chdir);
		add_files(t, &all.at[i]);
	}
	for (size_t i = all.n; t->remove_files && i-- > 0; ) {
		tar_enter_dir(t, all.at[i].chdir);
		if (all.at[i].dir && !tar_excluded(t, all.at[i].path))
			tar_remove_later(t, all.at[i].path, true);
	}
	tar_enter_dir(t, 0);
}
