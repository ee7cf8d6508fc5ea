/*
 * Counted objects: making, counting, freeing.
 *
 * The last reference of a large tree may go at any moment, so freeing must not
 * recurse: an object whose count has reached zero goes on a list (linked through
 * a field that it does not need any more), and the list is worked off.
 */
#include "vfs/mem_obj.h"

#include <stdlib.h>
#include <sys/stat.h>

void *obj_new(enum obj_kind kind, size_t size)
{
	struct obj *o = malloc(size);
	if (!o)
		return NULL;
	*o = (struct obj){ .refs = 1, .kind = (uint8_t)kind };
	return o;
}

void *obj_ref(void *obj)
{
	struct obj *o = obj;
	if (o)
		__atomic_fetch_add(&o->refs, 1, __ATOMIC_RELAXED);
	return o;
}

/* True when that was the last reference. One that nobody shares is not worth an
 * atomic instruction. */
static bool obj_drop(struct obj *o)
{
	if (!obj_shared(o))
		return true;
	return __atomic_sub_fetch(&o->refs, 1, __ATOMIC_ACQ_REL) == 0;
}

struct obj_dead {
	struct table *tables;
	struct dirnode *nodes;
	struct inode *inodes;
};

/* The inode list is linked through a pointer kept in `ino`. */
static void obj_bury(struct obj_dead *d, struct obj *o)
{
	if (!o || !obj_drop(o))
		return;
	if (o->kind == OBJ_TABLE) {
		struct table *t = (struct table *)o;
		t->count = (uint64_t)(uintptr_t)d->tables;
		d->tables = t;
	} else if (o->kind == OBJ_DIRNODE) {
		struct dirnode *n = (struct dirnode *)o;
		n->dead = d->nodes;
		d->nodes = n;
	} else if (o->kind == OBJ_INODE) {
		struct inode *i = (struct inode *)o;
		i->ino = (uint64_t)(uintptr_t)d->inodes;
		d->inodes = i;
	} else {
		free(o);
	}
}

static void obj_free_table(struct obj_dead *d)
{
	struct table *t = d->tables;
	d->tables = (struct table *)(uintptr_t)t->count;
	for (unsigned i = 0; i < RADIX_FAN; i++)
		obj_bury(d, t->slot[i]);
	free(t);
}

static void obj_free_dirnode(struct obj_dead *d)
{
	struct dirnode *n = d->nodes;
	struct dirnode **child = (struct dirnode **)(n->item + DIR_FAN);
	d->nodes = n->dead;
	for (unsigned i = 0; i < n->o.n; i++) {
		obj_bury(d, (struct obj *)n->item[i].name);
		if (n->o.level)
			obj_bury(d, (struct obj *)child[i]);
	}
	free(n);
}

static void obj_free_inode(struct obj_dead *d)
{
	struct inode *i = d->inodes;
	d->inodes = (struct inode *)(uintptr_t)i->ino;
	if (i->o.level == FORM_PAGES)
		obj_bury(d, i->u.pages.root);
	else if (i->o.level == FORM_DIR)
		obj_bury(d, (struct obj *)i->u.dir);
	free(i);
}

void obj_unref(void *obj)
{
	struct obj_dead d = { NULL, NULL, NULL };
	obj_bury(&d, obj);
	while (d.tables || d.nodes || d.inodes) {
		if (d.nodes)
			obj_free_dirnode(&d);
		else if (d.inodes)
			obj_free_inode(&d);
		else
			obj_free_table(&d);
	}
}
