/*
 * Creation: the names asked for and all that is in them, in one walk without
 * recursion.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/tar/header.h"
#include "cmd/tar/incremental.h"
#include "cmd/util.h"

/* A directory that is being read. */
struct tar_frame {
	const char *path;	/* without a slash behind it */
	struct tsb_stat st;
	char **names;
	size_t n, at;
};

struct tar_removal {
	const char *path, *cwd;
	bool is_dir;
	struct tar_removal *next;
};

struct tar_entry {
	char *name;
	uint64_t ino;
};

static int entry_by_ino(const void *a, const void *b)
{
	const struct tar_entry *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Names in the directory's own order, or that of --sort. */
static int read_names(struct tar *t, const char *path, char ***names, size_t *n)
{
	const struct tsb_dirent *entry;
	struct tar_entry *all = NULL;
	struct tsb_dir *dir;
	size_t cap = 0;
	int err;

	if (t->sort == 'n')
		return tsb_listdir(t->p, path, names, n);
	err = tsb_opendir(t->p, path, &dir);
	*n = 0;
	if (err < 0)
		return err;
	while ((entry = tsb_readdir(dir))) {
		all = util_grow(t->p, all, *n, &cap, sizeof(*all));
		all[(*n)++] = (struct tar_entry){ tsb_strdup(t->p, entry->name), entry->ino };
		tsb_tick(t->p, 1);
	}
	tsb_closedir(dir);
	if (t->sort == 'i')
		qsort(all, *n, sizeof(*all), entry_by_ino);
	*names = tsb_alloc(t->p, (*n + 1) * sizeof(**names));
	for (size_t i = 0; i < *n; i++)
		(*names)[i] = all[i].name;
	tsb_free(t->p, all);
	return 0;
}

/* What a tag leaves of a directory: true: nothing is read. */
static bool tagged(struct tar *t, const char *path)
{
	const char *tag = NULL;
	struct tsb_stat st;
	int kind = tar_find_tag(t, path, &tag);

	if (kind == TAR_TAGS_NONE)
		return false;
	if (t->verbose)
		tar_warn(t, TAR_W_CACHEDIR, "%s: contains a cache directory tag %s; %s",
			 tar_quote_colon(t, tsb_format(t->p, "%s/", path)), tar_quote(t, tag),
			 "contents not dumped");
	if (kind == TAR_TAG_CONTENTS)
		tar_add_one(t, path_join(t->p, path, tag), 1, &st);
	return true;
}

static bool enter(struct tar *t, struct tar_frame *f, const char *path, const struct tsb_stat *st)
{
	int err;

	memset(f, 0, sizeof(*f));
	f->path = path;
	f->st = *st;
	if (t->no_recursion)
		return false;
	tar_add_ignores(t, path);
	if (tagged(t, path))
		return false;
	err = read_names(t, path, &f->names, &f->n);
	if (err < 0)
		tar_failed_read(t, "open", path, err);
	return err >= 0;
}

static char *child_path(struct tar *t, const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return tsb_format(t->p, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

static void leave(struct tar *t, const struct tar_frame *f)
{
	struct tsb_stat now;

	if (!t->dereference && !t->remove_files && !tsb_lstat(t->p, f->path, &now) &&
	    util_time_cmp(now.ctime, f->st.ctime)) {
		tar_warn(t, TAR_W_FILE_CHANGED, "%s: file changed as we read it",
			 tar_quote_colon(t, f->path));
		t->status = t->status ? t->status : 1;
	}
	if (t->remove_files)
		tar_remove_later(t, f->path, true);
}

/* A file, or a directory and all in it. */
static void tar_add_path(struct tar *t, const char *path)
{
	struct tar_frame *stack = NULL;
	size_t depth = 0, cap = 0;
	struct tsb_stat st;

	if (tar_excluded(t, path) || !tar_add_one(t, path, 0, &st))
		return;
	stack = util_grow(t->p, stack, 0, &cap, sizeof(*stack));
	if (enter(t, &stack[0], path, &st))
		depth = 1;
	while (depth) {
		struct tar_frame *f = &stack[depth - 1];
		char *child;

		tsb_tick(t->p, 1);
		if (f->at == f->n) {
			leave(t, f);
			depth--;
			continue;
		}
		child = child_path(t, f->path, f->names[f->at++]);
		if (tar_excluded(t, child) || !tar_add_one(t, child, depth, &st))
			continue;
		stack = util_grow(t->p, stack, depth, &cap, sizeof(*stack));
		if (enter(t, &stack[depth], child, &st))
			depth++;
	}
}

/* ---- --remove-files ---- */

void tar_remove_later(struct tar *t, const char *path, bool is_dir)
{
	struct tar_removal *r = tsb_alloc(t->p, sizeof(*r));

	r->path = tsb_strdup(t->p, path);
	r->cwd = tsb_strdup(t->p, tsb_getcwd(t->p));
	r->is_dir = is_dir;
	if (t->last_removal)
		t->last_removal->next = r;
	else
		t->removals = r;
	t->last_removal = r;
}

void tar_remove_added(struct tar *t)
{
	for (struct tar_removal *r = t->removals; r; r = r->next) {
		/* The directory that -C led into has a name, ours has none. */
		bool by_name = !strcmp(r->path, ".") && strcmp(r->cwd, t->root);
		const char *path = by_name ? r->cwd : r->path;
		int err;

		tsb_tick(t->p, 1);
		if (strcmp(r->cwd, tsb_getcwd(t->p)))
			tsb_chdir(t->p, r->cwd);
		err = r->is_dir ? tsb_rmdir(t->p, path) : tsb_unlink(t->p, path);
		if (err < 0 && err != -ENOENT)
			tar_cannot(t, r->is_dir ? "rmdir" : "unlink", r->path, err);
	}
}

/* ---- The whole ---- */

void tar_dump_names(struct tar *t)
{
	for (size_t i = 0; i < t->names.n; i++) {
		struct tar_name *name = &t->names.at[i];

		if (name->kind == TAR_NAME_DIR) {
			tar_enter_dir(t, i + 1);
			continue;
		}
		if (t->action == TAR_UPDATE && name->found)
			continue;
		if (t->action != TAR_CREATE && !*name->text)
			continue;
		name->found = 1;
		tar_enter_dir(t, name->dir);
		if (t->action == TAR_CREATE) {
			t->name_at = i;
			t->no_recursion = !(name->match & TAR_MATCH_RECURSE);
		}
		tar_add_path(t, name->text);
	}
	tar_enter_dir(t, 0);
}

static void write_label(struct tar *t)
{
	struct tar_member m = { .type = 'V', .uname = "", .gname = "" };
	unsigned char *b;
	size_t n;

	if (t->format == TAR_PAX) {
		tar_pax_write_global(t);
		return;
	}
	if (!t->label)
		return;
	b = tar_new_block(t);
	n = strlen(t->label);
	m.name = tsb_strdup(t->p, t->label);
	m.orig_name = m.name;
	memcpy(b, t->label, n < TAR_NAME ? n : TAR_NAME);
	tar_put_octal(b + H_MTIME, 11, (uint64_t)t->start.sec);
	b[H_TYPE] = 'V';
	tar_checksum(b);
	m.shown_block = tar_block_number(t);
	tar_consume(t, 1);
	if (t->verbose)
		tar_print_header(t, &m);
}

static void check_links(struct tar *t)
{
	if (!t->check_links)
		return;
	for (struct map_entry *e = NULL; (e = map_next(&t->links, e));) {
		const struct tar_member *first = e->value;

		if (first->st.nlink)
			tar_say(t, "Missing links to %s.", tar_quote_word(t, first->orig_name));
	}
}

void tar_create(struct tar *t)
{
	tar_open(t, TAR_WRITE);
	write_label(t);
	if (t->incremental) {
		tar_report_positional(t);
		inc_create(t);
	} else {
		tar_dump_names(t);
		tar_report_positional(t);
	}
	tar_end_of_archive(t);
	tar_close(t);
	check_links(t);
	if (t->verify)
		tar_verify(t);
	tar_remove_added(t);
	if (t->snapshot)
		inc_write(t);
}
