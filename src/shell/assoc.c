/*
 * Associative arrays. Lookup is the room's seeded map, so that no script can
 * make its keys collide. The order of iteration is bash's, because scripts'
 * output shows it: bash keeps 1024 chains by the FNV-1 hash of the key, new
 * entries in front, and multiplies the chains by four when there are two
 * entries a chain; the walk is chain after chain. That order is a sort by
 * (chain, age), made when someone iterates and kept until a key comes or goes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/merge.h"
#include "shell/words.h"

struct item {
	struct slice key;	/* the map's copy */
	uint32_t hash;		/* bash's */
	uint64_t age;		/* larger is newer */
	char *p;
	size_t n;
};

struct assoc {
	struct tsb_heap *heap;
	struct map map;		/* key -> struct item */
	struct item **order;	/* or NULL: to be made */
	uint64_t age;
	size_t chains;
};

#define CHAINS_FIRST 1024

struct assoc *assoc_new(struct tsb_heap *heap)
{
	struct assoc *a = heap_zalloc(heap, sizeof(*a));

	a->heap = heap;
	a->chains = CHAINS_FIRST;
	map_init(&a->map, heap);
	return a;
}

static void assoc_forget_order(struct assoc *a)
{
	heap_free(a->heap, a->order);
	a->order = NULL;
}

void assoc_clear(struct assoc *a)
{
	for (struct map_entry *e = NULL; (e = map_next(&a->map, e));) {
		heap_free(a->heap, ((struct item *)e->value)->p);
		heap_free(a->heap, e->value);
	}
	map_end(&a->map);
	assoc_forget_order(a);
	a->age = 0;
}

void assoc_free(struct assoc *a)
{
	if (!a)
		return;
	assoc_clear(a);
	heap_free(a->heap, a);
}

size_t assoc_count(const struct assoc *a)
{
	return a ? a->map.n : 0;
}

bool assoc_get(const struct assoc *a, const char *key, size_t n, struct slice *value)
{
	struct map_entry *e = a ? map_find(&a->map, key, n) : NULL;
	struct item *item;

	if (!e)
		return false;
	item = e->value;
	*value = (struct slice){ item->p, item->n };
	return true;
}

uint32_t assoc_hash(const char *p, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++) {
		int32_t c = (signed char)p[i];	/* bash's chars are signed */

		h = (h * 16777619u) ^ (uint32_t)c;
	}
	return h;
}

void assoc_chains(struct assoc *a, size_t chains)
{
	a->chains = chains;
}

static bool entry_before(void *ctx, const void *a, const void *b)
{
	const struct map_entry *s = *(struct map_entry *const *)a, *t = *(struct map_entry *const *)b;
	uint32_t mask = *(const uint32_t *)ctx;

	return (assoc_hash(s->key, s->len) & mask) < (assoc_hash(t->key, t->len) & mask);
}

struct map_entry **map_in_chains(struct shell *sh, const struct map *m, size_t chains)
{
	struct map_entry **all = arena_array(&sh->turn, m->n * 2 + 1, sizeof(*all));
	size_t i = m->n;
	uint32_t mask;

	while (m->n > chains * 2)
		chains *= 4;
	mask = (uint32_t)chains - 1;
	/* Newest first, which the sort keeps in a chain. */
	for (struct map_entry *e = NULL; i && (e = map_next(m, e));)
		all[--i] = e;
	merge_sort(all, all + m->n, m->n, sizeof(*all), entry_before, &mask);
	return all;
}

/* Is a before b in a walk over that many chains? */
static bool assoc_before(void *ctx, const void *a, const void *b)
{
	const struct item *s = *(struct item *const *)a, *t = *(struct item *const *)b;
	uint32_t mask = *(const uint32_t *)ctx, x = s->hash & mask, y = t->hash & mask;

	return x != y ? x < y : s->age > t->age;
}

static void assoc_make_order(struct assoc *a)
{
	uint32_t mask = (uint32_t)a->chains - 1;
	size_t n = 0;
	struct item **order = heap_array(a->heap, a->map.n * 2 + 1, sizeof(*order));

	for (struct map_entry *e = NULL; (e = map_next(&a->map, e));)
		order[n++] = e->value;
	merge_sort(order, order + n, n, sizeof(*order), assoc_before, &mask);
	a->order = order;
}

/* bash moves entry after entry to the front of its new chain, in the order of
 * the walk: what was walked later is newer from now on. */
static void assoc_grow(struct assoc *a)
{
	assoc_forget_order(a);
	assoc_make_order(a);
	for (size_t i = 0; i < a->map.n; i++)
		a->order[i]->age = i + 1;
	a->age = a->map.n;
	a->chains *= 4;
	assoc_forget_order(a);
}

void assoc_set(struct assoc *a, struct slice key, const char *p, size_t n)
{
	char *copy = heap_dup(a->heap, p, n);
	struct map_entry *e = map_find(&a->map, key.p, key.n);
	struct item *item;

	if (e) {
		item = e->value;
		heap_free(a->heap, item->p);
	} else {
		if (a->map.n >= a->chains * 2)
			assoc_grow(a);
		item = heap_zalloc(a->heap, sizeof(*item));
		e = map_put(&a->map, key.p, key.n);
		e->value = item;
		item->key = (struct slice){ e->key, e->len };
		item->hash = assoc_hash(key.p, key.n);
		item->age = ++a->age;
		assoc_forget_order(a);
	}
	item->p = copy;
	item->n = n;
}

bool assoc_unset(struct assoc *a, const char *key, size_t n)
{
	struct map_entry *e = map_find(&a->map, key, n);
	struct item *item;

	if (!e)
		return false;
	item = e->value;
	heap_free(a->heap, item->p);
	heap_free(a->heap, item);
	map_remove(&a->map, key, n);
	assoc_forget_order(a);
	return true;
}

bool assoc_next(const struct assoc *a, void **at, struct slice *key, struct slice *value)
{
	size_t i = (size_t)(uintptr_t)*at;

	if (!a || i >= a->map.n)
		return false;
	if (!a->order)
		assoc_make_order((struct assoc *)(uintptr_t)a);
	*key = a->order[i]->key;
	*value = (struct slice){ a->order[i]->p, a->order[i]->n };
	*at = (void *)(uintptr_t)(i + 1);
	return true;
}

void assoc_copy(struct assoc *to, const struct assoc *from)
{
	assoc_clear(to);
	if (!from)
		return;
	to->chains = from->chains;
	for (struct map_entry *e = NULL; (e = map_next(&from->map, e));) {
		struct item *item = e->value, *mine;

		assoc_set(to, item->key, item->p, item->n);
		mine = map_find(&to->map, item->key.p, item->key.n)->value;
		mine->age = item->age;
	}
	to->age = from->age;
	assoc_forget_order(to);
}
