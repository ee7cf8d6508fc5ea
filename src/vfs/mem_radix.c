/*
 * A persistent radix tree: numbers to objects, five bits a level. It is the
 * table of inodes and the index of a file's pages.
 *
 * It is as high as its largest key needs. Holes cost nothing: missing tables are
 * NULL. Each table counts the values below it, so that cutting a shared tail off
 * knows how much went without visiting it.
 */
#include "vfs/mem_obj.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned radix_digit(uint64_t key, unsigned level)
{
	return (unsigned)(key >> (level * RADIX_BITS)) & (RADIX_FAN - 1);
}

static unsigned radix_height(uint64_t key)
{
	unsigned h = 0;
	while (h < RADIX_HEIGHT_MAX && key >> (h * RADIX_BITS))
		h++;
	return h;
}

void *radix_get(const struct radix *r, uint64_t key)
{
	struct obj *o = r->root;
	unsigned h = r->height;
	if (h < RADIX_HEIGHT_MAX && key >> (h * RADIX_BITS))
		return NULL;
	while (h-- && o)
		o = ((struct table *)o)->slot[radix_digit(key, h)];
	return o;
}

uint64_t radix_count(const struct radix *r)
{
	if (!r->root)
		return 0;
	return r->height ? ((struct table *)r->root)->count : 1;
}

static struct table *radix_table_new(unsigned level)
{
	struct table *t = obj_new(OBJ_TABLE, sizeof(*t));
	if (!t)
		return NULL;
	t->o.level = (uint8_t)level;
	t->count = 0;
	memset(t->slot, 0, sizeof(t->slot));
	return t;
}

/* The table in *slot, for our own use. */
static struct table *radix_own_table(struct obj **slot)
{
	struct table *old = (struct table *)*slot, *t;
	if (!obj_shared(&old->o))
		return old;
	t = radix_table_new(old->o.level);
	if (!t)
		return NULL;
	t->o.n = old->o.n;
	t->count = old->count;
	for (unsigned i = 0; i < RADIX_FAN; i++)
		t->slot[i] = obj_ref(old->slot[i]);
	*slot = &t->o;
	obj_unref(old);
	return t;
}

/* Adds levels on top until key fits. */
static int radix_raise(struct radix *r, uint64_t key)
{
	unsigned want = radix_height(key);
	if (!r->root && r->height < want)
		r->height = want;
	while (r->height < want) {
		struct table *t = radix_table_new(r->height);
		if (!t)
			return -ENOMEM;
		t->count = radix_count(r);
		t->o.n = 1;
		t->slot[0] = r->root;
		r->root = &t->o;
		r->height++;
	}
	return 0;
}

/* Owns all tables on the way to key, making those that miss; the slots passed
 * go into path[0 .. height]. */
static int radix_path(struct radix *r, uint64_t key, struct obj ***path)
{
	struct obj **slot = &r->root;
	struct table *above = NULL;
	for (unsigned h = r->height; h > 0; h--) {
		struct table *t;
		path[h] = slot;
		if (!*slot) {
			t = radix_table_new(h - 1);
			if (!t)
				return -ENOMEM;
			*slot = &t->o;
			if (above)
				above->o.n++;
		}
		t = radix_own_table(slot);
		if (!t)
			return -ENOMEM;
		above = t;
		slot = &t->slot[radix_digit(key, h - 1)];
	}
	path[0] = slot;
	return 0;
}

/* Frees tables on the path that hold nothing, from the bottom up. */
static void radix_prune(struct radix *r, struct obj ***path, unsigned lowest)
{
	for (unsigned h = lowest; h <= r->height; h++) {
		struct table *t = (struct table *)*path[h];
		if (!t || t->o.n)
			break;
		*path[h] = NULL;
		free(t);
		if (h < r->height)
			((struct table *)*path[h + 1])->o.n--;
	}
	if (!r->root)
		r->height = 0;
}

int radix_add(struct radix *r, uint64_t key, void *value)
{
	struct obj **path[RADIX_HEIGHT_MAX + 1] = { NULL };
	int rc = radix_raise(r, key);
	if (!rc)
		rc = radix_path(r, key, path);
	if (rc) {
		/* Tables made in vain are at the end of the path made so far. */
		unsigned h = r->height;
		while (h > 0 && path[h] && *path[h])
			h--;
		if (h < r->height)
			radix_prune(r, path, h + 1);
		return rc;
	}
	*path[0] = value;
	for (unsigned h = 1; h <= r->height; h++)
		((struct table *)*path[h])->count++;
	if (r->height)
		((struct table *)*path[1])->o.n++;
	return 0;
}

struct obj **radix_own(struct radix *r, uint64_t key)
{
	struct obj **slot = &r->root;
	for (unsigned h = r->height; h > 0; h--) {
		struct table *t = radix_own_table(slot);
		if (!t)
			return NULL;
		slot = &t->slot[radix_digit(key, h - 1)];
	}
	return slot;
}

void *radix_take(struct radix *r, uint64_t key)
{
	struct obj **path[RADIX_HEIGHT_MAX + 1] = { NULL };
	struct obj **slot = &r->root, *value;
	for (unsigned h = r->height; h > 0; h--) {
		struct table *t = (struct table *)*slot;
		path[h] = slot;
		t->count--;
		slot = &t->slot[radix_digit(key, h - 1)];
	}
	value = *slot;
	*slot = NULL;
	if (r->height)
		((struct table *)*path[1])->o.n--;
	radix_prune(r, path, 1);
	return value;
}

/* Drops the slots from `from` on; the number of values that went. */
static uint64_t radix_drop_slots(struct table *t, unsigned from)
{
	uint64_t gone = 0;
	for (unsigned i = from; i < RADIX_FAN; i++) {
		struct obj *o = t->slot[i];
		if (!o)
			continue;
		gone += t->o.level ? ((struct table *)o)->count : 1;
		t->slot[i] = NULL;
		t->o.n--;
		obj_unref(o);
	}
	return gone;
}

int radix_cut(struct radix *r, uint64_t key)
{
	struct obj **path[RADIX_HEIGHT_MAX + 1] = { NULL }, **slot = &r->root;
	unsigned h, lowest = r->height + 1;
	uint64_t gone = 0;

	if (r->height < RADIX_HEIGHT_MAX && key >> (r->height * RADIX_BITS))
		return 0;
	if (!r->height) {
		obj_unref(r->root);
		r->root = NULL;
		return 0;
	}
	for (h = r->height; h > 0 && *slot; h--) {
		struct table *t = radix_own_table(slot);
		if (!t)
			return -ENOMEM;
		path[h] = slot;
		lowest = h;
		slot = &t->slot[radix_digit(key, h - 1)];
	}
	for (h = lowest; h <= r->height; h++) {
		struct table *t = (struct table *)*path[h];
		unsigned d = radix_digit(key, h - 1);
		gone += radix_drop_slots(t, h == 1 ? d : d + 1);
		t->count -= gone;
	}
	radix_prune(r, path, lowest);
	return 0;
}
