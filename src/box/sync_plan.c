/*
 * What makes one tree the other. The tree here is known whole, but for what the rules leave out; of
 * the one there only the directories whose digest is another were told, and one that is only there
 * is asked for when nothing leaves it out.
 */
#include "box/sync.h"

#include <stdlib.h>
#include <string.h>

static bool note(struct sync_plan *p, enum sync_op op, const char *path, const struct ft_node *node)
{
	char *copy = strdup(path);

	if (p->count == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 64;
		struct sync_change *at = realloc(p->at, cap * sizeof(*at));

		if (at) {
			p->at = at;
			p->cap = cap;
		}
	}
	if (!copy || p->count == p->cap) {
		free(copy);
		p->failed = true;
		return false;
	}
	p->at[p->count++] = (struct sync_change){op, copy, node, NULL};
	return true;
}

static void add_name(struct sync_plan *p, char ***list, size_t *count, size_t *cap, const char *path)
{
	if (*count == *cap) {
		size_t more = *cap ? *cap * 2 : 16;
		char **at = realloc(*list, more * sizeof(*at));

		p->failed |= !at;
		if (!at)
			return;
		*list = at;
		*cap = more;
	}
	(*list)[*count] = strdup(path);
	p->failed |= !(*list)[*count];
	*count += (*list)[*count] != NULL;
}

static void ask(struct sync_plan *p, const char *path)
{
	add_name(p, &p->ask, &p->ask_count, &p->ask_cap, path);
}

/* Of what is here the scan has told. */
static void skip(struct sync_plan *p, const char *path)
{
	if (p->back)
		add_name(p, &p->skip, &p->skip_count, &p->skip_cap, path);
}

struct walk {
	struct sync_plan *p;
	struct ft_path path;
};

/* ---- What is only there, and only here ---- */

/* Whether the entry of the other side counts, by the rules of the directory here. */
static bool counts(struct walk *w, const struct ft_node *rules, const struct ft_node *e)
{
	return !sync_is_left_out(w->p->rules, rules, ft_path(&w->path), e->kind == FT_DIR);
}

/* Everything below goes; true: the directory itself can. */
static bool remove_there(struct walk *w, const struct ft_node *rules, const struct ft_node *dir)
{
	size_t n = w->path.n, before = w->p->count;
	bool all = true;

	for (size_t i = 0; i < dir->count; i++) {
		const struct ft_node *e = &dir->child[i];

		if (!ft_push(&w->path, e->name)) {
			w->p->failed = true;
			return false;
		}
		if (!counts(w, rules, e))
			all = false;
		else if (e->kind == FT_DIR && !remove_there(w, rules, e))
			all = false;
		else
			note(w->p, SYNC_REMOVE, ft_path(&w->path), e);
		ft_pop(&w->path, n);
	}
	/* then one removal says all of it */
	for (; all && w->p->count > before; w->p->count--)
		free(w->p->at[w->p->count - 1].path);
	return all;
}

/* Of the directory here, of which some may be left out. */
static bool remove_here(struct walk *w, const struct ft_node *dir)
{
	size_t n = w->path.n;

	if (!dir->partial)
		return true;
	for (size_t i = 0; i < dir->count; i++) {
		const struct ft_node *e = &dir->child[i];

		if (!ft_push(&w->path, e->name)) {
			w->p->failed = true;
			return false;
		}
		if (e->kind != FT_DIR || remove_here(w, e))
			note(w->p, SYNC_REMOVE, ft_path(&w->path), e);
		ft_pop(&w->path, n);
	}
	return false;
}

static bool add_all(struct walk *w, const struct ft_node *rules, const struct ft_node *e);

static bool add_below(struct walk *w, const struct ft_node *rules, const struct ft_node *dir)
{
	size_t n = w->path.n;

	for (size_t i = 0; i < dir->count; i++) {
		bool good = ft_push(&w->path, dir->child[i].name) && add_all(w, rules, &dir->child[i]);

		ft_pop(&w->path, n);
		if (!good)
			return false;
	}
	return true;
}

/* rules: NULL when it is from here, where all counts */
static bool add_all(struct walk *w, const struct ft_node *rules, const struct ft_node *e)
{
	if (rules && !counts(w, rules, e))
		return true;
	if (e->kind == FT_OTHER) {
		skip(w->p, ft_path(&w->path));
		return true;
	}
	if (!note(w->p, SYNC_ADD, ft_path(&w->path), e))
		return false;
	return e->kind != FT_DIR || add_below(w, rules, e);
}

/* An entry that only the other side has. */
static void only_there(struct walk *w, const struct ft_node *rules, const struct ft_node *e)
{
	if (!counts(w, rules, e))
		return;
	if (e->kind == FT_DIR && e->opaque && !e->listed)
		ask(w->p, ft_path(&w->path));
	else if (w->p->back)
		add_all(w, rules, e);
	else if (e->kind != FT_DIR || remove_there(w, rules, e))
		note(w->p, SYNC_REMOVE, ft_path(&w->path), e);
}

static void only_here(struct walk *w, const struct ft_node *e)
{
	if (!w->p->back)
		add_all(w, NULL, e);
	else if (e->kind != FT_DIR || remove_here(w, e))
		note(w->p, SYNC_REMOVE, ft_path(&w->path), e);
}

/* ---- Both ---- */

static void both_dirs(struct walk *w, const struct ft_node *here, const struct ft_node *there);

static void replace(struct walk *w, const struct ft_node *rules, const struct ft_node *here,
		    const struct ft_node *there)
{
	const struct ft_node *old = w->p->back ? here : there, *new = w->p->back ? there : here;

	if (new->kind == FT_DIR && new->opaque && !new->listed) {
		ask(w->p, ft_path(&w->path));
		return;
	}
	if (old->kind == FT_DIR || new->kind == FT_DIR || old->kind == FT_OTHER ||
	    new->kind == FT_OTHER)
		note(w->p, SYNC_REMOVE, ft_path(&w->path), old);
	if (new->kind == FT_DIR)
		add_all(w, w->p->back ? rules : NULL, new);
	else if (new->kind == FT_OTHER)
		skip(w->p, ft_path(&w->path));
	else
		note(w->p, SYNC_CHANGE, ft_path(&w->path), new);
}

static void both(struct walk *w, const struct ft_node *rules, const struct ft_node *here,
		 const struct ft_node *there)
{
	const struct ft_node *new = w->p->back ? there : here;

	if (here->kind != there->kind) {
		replace(w, rules, here, there);
		return;
	}
	/* a directory's own mode before what is in it: see apply.c */
	if (here->mode != there->mode && (here->kind == FT_DIR ||
	    (here->kind == FT_FILE && !memcmp(here->hash, there->hash, FT_HASH))))
		note(w->p, SYNC_MODE, ft_path(&w->path), new);
	if (here->kind == FT_DIR)
		both_dirs(w, here, there);
	else if (memcmp(here->hash, there->hash, FT_HASH))
		note(w->p, SYNC_CHANGE, ft_path(&w->path), new);
}

static void one(struct walk *w, const struct ft_node *dir, const struct ft_node *here,
		const struct ft_node *there)
{
	size_t n = w->path.n;

	if (!ft_push(&w->path, here ? here->name : there->name)) {
		w->p->failed = true;
		return;
	}
	if (!here)
		only_there(w, dir, there);
	else if (!there)
		only_here(w, here);
	else
		both(w, dir, here, there);
	ft_pop(&w->path, n);
}

/* One that was not told is the same. */
static void both_dirs(struct walk *w, const struct ft_node *here, const struct ft_node *there)
{
	size_t i = 0, k = 0;

	if (!there->listed)
		return;
	while ((i < here->count || k < there->count) && !w->p->failed) {
		const struct ft_node *a = i < here->count ? &here->child[i] : NULL;
		const struct ft_node *b = k < there->count ? &there->child[k] : NULL;
		int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);

		one(w, here, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
		i += order <= 0;
		k += order >= 0;
	}
}

static void forget(struct sync_plan *p)
{
	for (size_t i = 0; i < p->count; i++) {
		free(p->at[i].path);
		free(p->at[i].link);
	}
	for (size_t i = 0; i < p->ask_count; i++)
		free(p->ask[i]);
	for (size_t i = 0; i < p->skip_count; i++)
		free(p->skip[i]);
	p->count = p->ask_count = p->skip_count = 0;
}

bool sync_plan_make(struct sync_plan *p, const struct ft_node *here, const struct ft_node *there)
{
	struct walk w = {p, {NULL, 0, 0}};

	forget(p);
	p->failed = false;
	both_dirs(&w, here, there);
	free(w.path.s);
	return !p->failed;
}

void sync_plan_free(struct sync_plan *p)
{
	forget(p);
	free(p->at);
	free(p->ask);
	free(p->skip);
	p->at = NULL;
	p->ask = p->skip = NULL;
	p->cap = p->ask_cap = p->skip_cap = 0;
}
