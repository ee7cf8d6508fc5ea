/*
 * column --tree: rows below the rows that their parent column names. A later row of the same id
 * takes the children of an earlier one; a row that would come below itself stays where it is.
 */
#include "cmd/column.h"

#include <string.h>

#include "base/map.h"

enum { NO_ROW = -1 };

static struct column_row *tree_row(struct column *c, int64_t i)
{
	return &c->rows.at[i];
}

static void tree_unlink(struct column *c, int64_t child)
{
	struct column_row *r = tree_row(c, child), *parent;
	int64_t before = NO_ROW;

	if (r->parent == NO_ROW)
		return;
	parent = tree_row(c, r->parent);
	for (int64_t i = parent->first; i != child; i = tree_row(c, i)->next) {
		before = i;
		tsb_tick(c->p, 1);
	}
	if (before == NO_ROW)
		parent->first = r->next;
	else
		tree_row(c, before)->next = r->next;
	if (parent->last == child)
		parent->last = before;
	r->next = r->parent = NO_ROW;
}

static void tree_link(struct column *c, int64_t parent, int64_t child)
{
	struct column_row *r = tree_row(c, parent);

	for (int64_t up = parent; up != NO_ROW; up = tree_row(c, up)->parent) {
		if (up == child)
			return;
		tsb_tick(c->p, 1);
	}
	tree_unlink(c, child);
	if (r->last == NO_ROW)
		r->first = child;
	else
		tree_row(c, r->last)->next = child;
	r->last = child;
	tree_row(c, child)->parent = parent;
}

/*
 * chain[i]: the next row whose parent column holds the same as row i's, + 1; `named`: the first
 * of them.
 */
static size_t *tree_chains(struct column *c, size_t parent, struct map *named)
{
	size_t *chain = tsb_alloc(c->p, (c->rows.n + 1) * sizeof(*chain));

	for (size_t i = c->rows.n; i--; ) {
		const char *name = column_cell(&c->rows.at[i], parent);
		struct map_entry *e = map_put(named, name, strlen(name));

		chain[i] = (size_t)(uintptr_t)e->value;
		e->value = (void *)(uintptr_t)(i + 1);
	}
	return chain;
}

static void tree_grow(struct column *c, size_t id, size_t parent)
{
	struct map named;
	size_t *chain;

	for (size_t i = 0; i < c->rows.n; i++) {
		struct column_row *r = &c->rows.at[i];

		r->parent = r->first = r->last = r->next = NO_ROW;
	}
	map_init(&named, tsb_heap_of(c->p));
	chain = tree_chains(c, parent, &named);
	for (size_t i = 0; i < c->rows.n; i++) {
		const char *name = column_cell(&c->rows.at[i], id);
		struct map_entry *e = *name ? map_find(&named, name, strlen(name)) : NULL;

		for (size_t k = e ? (size_t)(uintptr_t)e->value : 0; k; k = chain[k - 1])
			if (k - 1 != i)
				tree_link(c, (int64_t)i, (int64_t)k - 1);
		tsb_tick(c->p, 1);
	}
	map_end(&named);
	tsb_free(c->p, chain);
}

/*
 * The row behind i when the tree is read from top to bottom; *roots: the next row that may be a
 * root.
 */
static int64_t tree_after(struct column *c, int64_t i, size_t *roots)
{
	if (i != NO_ROW && tree_row(c, i)->first != NO_ROW)
		return tree_row(c, i)->first;
	for (; i != NO_ROW; i = tree_row(c, i)->parent)
		if (tree_row(c, i)->next != NO_ROW)
			return tree_row(c, i)->next;
	while (*roots < c->rows.n && c->rows.at[*roots].parent != NO_ROW)
		++*roots;
	return *roots < c->rows.n ? (int64_t)(*roots)++ : NO_ROW;
}

/* What stands before the row's own text, and (stem) before its children's lines. */
static void tree_draw(struct column *c, struct column_row *r)
{
	const struct column_row *up = r->parent == NO_ROW ? NULL : tree_row(c, r->parent);
	bool more = r->next != NO_ROW;

	r->depth = up ? up->depth + 1 : 0;
	if (c->json)
		return;
	r->art = up ? tsb_format(c->p, "%s%s", up->stem, more ? "\xe2\x94\x9c\xe2\x94\x80" :
				 "\xe2\x94\x94\xe2\x94\x80") : "";
	r->stem = up ? tsb_format(c->p, "%s%s", up->stem, more ? "\xe2\x94\x82 " : "  ") : "";
}

void column_tree(struct column *c, size_t column, size_t id, size_t parent)
{
	struct column_row *sorted = tsb_alloc(c->p, (c->rows.n + 1) * sizeof(*sorted));
	size_t roots = 0, n = 0;

	tree_grow(c, id, parent);
	for (int64_t i = NO_ROW; (i = tree_after(c, i, &roots)) != NO_ROW; ) {
		struct column_row *r = tree_row(c, i);

		tree_draw(c, r);
		if (r->art && column < r->cells.n)
			r->cells.at[column] = tsb_format(c->p, "%s%s", r->art, r->cells.at[column]);
		else if (r->art && *r->art && column == r->cells.n)
			*vec_add(tsb_heap_of(c->p), &r->cells) = tsb_strdup(c->p, r->art);
		sorted[n++] = *r;
		tsb_tick(c->p, 1);
	}
	memcpy(c->rows.at, sorted, n * sizeof(*sorted));
	tsb_free(c->p, sorted);
}
