/*
 * Incremental archives, the reading side: directories are renamed as their
 * lists say, and what is not in a list is deleted. And the lists for -tvvv and -d.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/remove.h"
#include "cmd/tar/incremental.h"
#include "cmd/tempname.h"
#include "cmd/util.h"

void inc_list(struct tar *t, const struct tar_member *m)
{
	bool in_name = false;
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < m->n_dump; i++) {
		int c = m->dump[i];

		str_addc(&out, c ? c : '\n');
		if (!c) {
			in_name = false;
		} else if (!in_name && strchr("YNDRTX", c)) {
			str_addc(&out, ' ');
			in_name = true;
		}
	}
	tar_out(t, out.p, out.n);
	str_end(&out);
}

bool inc_differs(struct tar *t, const char *path)
{
	const char *a = t->m.dump, *b;
	struct tsb_stat st;

	if (tsb_lstat(t->p, path, &st) || !S_ISDIR(st.mode))
		return false;
	b = inc_scan(t, path, &st, true)->dump;
	if (!b)
		return false;
	while (*a && !strchr("RTX", *a)) {
		bool same = *a == 'D' ? *b == 'D' : *b == 'Y' || *b == 'N';

		if (!same || strcmp(a + 1, b + 1))
			return true;
		b += strlen(a) + 1;
		a += strlen(a) + 1;
	}
	return *b != 0;
}

/* ---- Is it well made? ---- */

static bool bad(struct tar *t, const char *what)
{
	tar_error(t, "Malformed dumpdir: %s", what);
	return false;
}

static bool dump_is_ok(struct tar *t, const char *dump)
{
	bool temporary = false, wants_t = false;

	for (const char *at = dump; *at; at += strlen(at) + 1) {
		if (wants_t && *at != 'T')
			return bad(t, tsb_format(t->p, "expected 'T' but found %#3o",
						  (unsigned char)*at));
		if (*at == 'X') {
			if (temporary)
				return bad(t, "'X' duplicated");
			temporary = true;
		} else if (*at == 'R') {
			if (!at[1] && !temporary)
				return bad(t, "empty name in 'R'");
			temporary &= at[1] != 0;
			wants_t = true;
		} else if (*at == 'T') {
			if (!wants_t)
				return bad(t, "'T' not preceded by 'R'");
			if (!at[1] && !temporary)
				return bad(t, "empty name in 'T'");
			wants_t = false;
		}
	}
	if (wants_t)
		return bad(t, "expected 'T' but found end of data");
	if (temporary)
		tar_warn(t, TAR_W_BAD_DUMPDIR, "Malformed dumpdir: 'X' never used");
	return true;
}

/* ---- Renames ---- */

static bool rename_dir(struct tar *t, const char *from, const char *to)
{
	int err = tsb_rename(t->p, from, to, 0);

	if (err == -ENOENT && tar_make_parents(t, to))
		err = tsb_rename(t->p, from, to, 0);
	if (err < 0) {
		tar_error(t, "Cannot rename %s to %s: %s", tar_quote_word(t, from),
			  tar_quote_word(t, to), tsb_strerror(err));
		return false;
	}
	tar_delay_renamed(t, from, to);
	return true;
}

static const char *make_temporary(struct tar *t, const char *in)
{
	const char *dir = tar_safe_name(t, *in ? in : ".", false);
	char *path = tsb_format(t->p, "%s/tar.XXXXXX", dir);
	int err = -EEXIST;

	for (int tries = 0; tries < 100 && err == -EEXIST; tries++) {
		tempname_fill(t->p, path + strlen(path) - 6, 6);
		err = tsb_mkdir(t->p, path, 0700);
	}
	if (err >= 0)
		return path;
	tar_error(t, "Cannot create temporary directory using template %s: %s",
		  tar_quote_word(t, tsb_format(t->p, "%s/tar.XXXXXX", dir)), tsb_strerror(err));
	return NULL;
}

static bool do_renames(struct tar *t, const char *dump)
{
	const char *temporary = NULL;

	for (const char *at = dump; *at; at += strlen(at) + 1) {
		const char *from, *to;

		tsb_tick(t->p, 1);
		if (*at == 'X') {
			temporary = make_temporary(t, at + 1);
			if (!temporary)
				return false;
		}
		if (*at != 'R')
			continue;
		from = at + 1;
		at += strlen(at) + 1;
		to = at + 1;
		from = *from ? tar_safe_name(t, from, false) : temporary;
		to = *to ? tar_safe_name(t, to, false) : temporary;
		if (!from || !to || !rename_dir(t, from, to))
			return false;
	}
	return true;
}

/* ---- Deletions ---- */

static void delete_one(struct tar *t, const char *path)
{
	char *paths[] = { tsb_strdup(t->p, path), NULL };
	struct remove r = { .p = t->p, .ask = REMOVE_ASK_NEVER, .force = true, .recursive = true };

	if (t->interactive && !tar_confirm(t, "delete", path))
		return;
	if (t->verbose) {
		char *text = tsb_format(t->p, "tar: Deleting %s\n", tar_quote_word(t, path));

		tar_out(t, text, strlen(text));
	}
	if (!remove_all(&r, 1, paths))
		tar_error(t, "%s: Cannot remove", tar_quote_colon(t, path));
}

static void purge_one(struct tar *t, const struct map *listed, const char *path, const char *name,
		      const struct tsb_stat *root)
{
	const struct map_entry *e = map_find(listed, name, strlen(name));
	const char *entry = e ? e->value : NULL;
	struct tsb_stat st;
	int err = t->dereference ? tsb_stat(t->p, path, &st) : tsb_lstat(t->p, path, &st);

	if (err == -ENOENT)
		return;
	if (err < 0) {
		tar_cannot(t, "stat", path, err);
		tar_say(t, "%s: Not purging directory: unable to stat", tar_quote_colon(t, path));
		return;
	}
	if (entry && !(*entry == 'D' && !S_ISDIR(st.mode)) && !(*entry == 'Y' && S_ISDIR(st.mode)))
		return;
	if (t->one_fs && st.dev != root->dev) {
		tar_say(t, "%s: directory is on a different device: not purging",
			tar_quote_colon(t, path));
		return;
	}
	delete_one(t, path);
}

void inc_purge(struct tar *t, const char *path)
{
	const char *dump = t->m.dump;
	struct tsb_stat root = { 0 };
	struct map listed;
	char **names;
	size_t n;
	int err;

	if (!dump || !dump_is_ok(t, dump) || !do_renames(t, dump))
		return;
	err = tsb_lstat(t->p, path, &root);
	if (err < 0 || !S_ISDIR(root.mode) || tsb_listdir(t->p, path, &names, &n) < 0)
		return;		/* it will be made, and nothing is in it */
	tsb_stat(t->p, ".", &root);
	map_init(&listed, tsb_heap_of(t->p));
	for (const char *at = dump; *at; at += strlen(at) + 1)
		if (*at == 'Y' || *at == 'N' || *at == 'D')
			map_put(&listed, at + 1, strlen(at + 1))->value = (void *)(uintptr_t)at;
	for (size_t i = 0; i < n; i++) {
		tsb_tick(t->p, 1);
		purge_one(t, &listed, path_join(t->p, path, names[i]), names[i], &root);
	}
	map_end(&listed);
}
