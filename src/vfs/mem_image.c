/*
 * See mem_image.h. All objects that can be reached are listed, each with the place that it will have; then they
 * are written in that order, with the places for the pointers in them.
 */
#include "vfs/mem_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/mem.h"
#include "vfs/mem_fs.h"

#define IMAGE_MAGIC UINT64_C(0x31676d6962737401)
#define FOREVER (UINT32_C(1) << 30)	/* references of what is never freed */
#define ALIGN 16u

struct head {
	uint64_t magic, layout, at, size;
	uint64_t root, height, ino_next, bytes, entries, bytes_free, entries_free, pad;
};

struct place {
	const struct obj *of;
	uint64_t at;
};

struct image {
	const struct tsb_memory *there;
	size_t there_n;
	const struct obj **list;	/* in the order of writing */
	size_t n, room;
	struct place *hash;		/* a power of two of them; of NULL: free */
	size_t slots;
	uint64_t end;			/* where the next one will be */
	int error;
};

/* Everything that another build may have different. */
static uint64_t layout(void)
{
	const uint64_t part[] = { sizeof(struct table), sizeof(struct inode), sizeof(struct dirnode),
		sizeof(struct name), sizeof(struct page), PAGE_BYTES, PAGE_LEAST, RADIX_FAN, DIR_FAN, INLINE_MAX,
		offsetof(struct inode, u), offsetof(struct inode, size), offsetof(struct name, text),
		offsetof(struct dirnode, item), FORM_INLINE, FORM_PAGES, FORM_DIR, OBJ_TABLE, OBJ_NAME, PAGE_FAR };
	uint64_t h = 1;

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		h = (h ^ part[i]) * UINT64_C(0x100000001b3);
	return h;
}

static bool is_there(const struct image *m, const void *p)
{
	uint64_t at = (uint64_t)(uintptr_t)p;

	for (size_t i = 0; i < m->there_n; i++) {
		uint64_t from = (uint64_t)(uintptr_t)m->there[i].at;

		if (at >= from && at - from < m->there[i].size)
			return true;
	}
	return false;
}

static size_t size_of(const struct obj *o)
{
	const struct dirnode *d = (const struct dirnode *)o;

	switch (o->kind) {
	case OBJ_TABLE: return sizeof(struct table);
	case OBJ_INODE: return sizeof(struct inode);
	case OBJ_NAME: return sizeof(struct name) + o->n + 1;
	case OBJ_PAGE: return sizeof(struct page) +
		(o->level == PAGE_FAR ? sizeof(char *) : page_cap((const struct page *)o));
	default: return sizeof(*d) + d->cap * (sizeof(d->item[0]) + (o->level ? sizeof(d) : 0));
	}
}

/* ---- The list ---- */

static struct place *find(const struct image *m, const struct obj *o)
{
	size_t i = (size_t)(((uint64_t)(uintptr_t)o >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20);

	for (;; i++) {
		struct place *p = &m->hash[i & (m->slots - 1)];

		if (!p->of || p->of == o)
			return p;
	}
}

static bool grow_hash(struct image *m)
{
	struct place *old = m->hash;
	size_t n = m->slots;

	m->slots = n ? n * 2 : 1024;
	m->hash = calloc(m->slots, sizeof(*m->hash));
	for (size_t i = 0; m->hash && i < n; i++)
		if (old[i].of)
			*find(m, old[i].of) = old[i];
	free(old);
	return m->hash;
}

static bool grow_list(struct image *m)
{
	size_t room = m->room ? m->room * 2 : 1024;
	const struct obj **list = reallocarray(m->list, room, sizeof(*list));

	if (!list)
		return false;
	m->list = list;
	m->room = room;
	return true;
}

static void add(struct image *m, const struct obj *o)
{
	struct place *p;

	if (!o || m->error || is_there(m, o))
		return;
	if ((m->n == m->room && !grow_list(m)) || (m->n * 2 >= m->slots && !grow_hash(m))) {
		m->error = -ENOMEM;
		return;
	}
	p = find(m, o);
	if (p->of)
		return;
	if (o->kind == OBJ_PAGE && o->level == PAGE_FAR && !is_there(m, page_bytes((const struct page *)o))) {
		m->error = -EXDEV;
		return;
	}
	*p = (struct place){ o, m->end };
	m->end += (size_of(o) + ALIGN - 1) / ALIGN * ALIGN;
	m->list[m->n++] = o;
}

/* fn is called with each place of a pointer in o, which may be a copy in a buffer. */
static void each_pointer(struct obj *o, void (*fn)(struct image *m, struct obj **at), struct image *m)
{
	struct dirnode *d = (struct dirnode *)o;
	struct inode *i = (struct inode *)o;

	if (o->kind == OBJ_TABLE) {
		for (unsigned k = 0; k < RADIX_FAN; k++)
			fn(m, &((struct table *)o)->slot[k]);
	} else if (o->kind == OBJ_DIRNODE) {
		for (unsigned k = 0; k < o->n; k++)
			fn(m, (struct obj **)(void *)&d->item[k].name);
		for (unsigned k = 0; o->level && k < o->n; k++)
			fn(m, (struct obj **)(void *)(d->item + DIR_FAN) + k);
	} else if (o->kind == OBJ_INODE && o->level == FORM_PAGES) {
		fn(m, &i->u.pages.root);
	} else if (o->kind == OBJ_INODE && o->level == FORM_DIR) {
		fn(m, (struct obj **)(void *)&i->u.dir);
	}
}

static void list_one(struct image *m, struct obj **at)
{
	add(m, *at);
}

/* Where the object will be: found in the list, or there already. */
static uint64_t address(const struct image *m, const struct obj *o)
{
	return !o || is_there(m, o) ? (uint64_t)(uintptr_t)o : find(m, o)->at;
}

static void point(struct image *m, struct obj **at)
{
	*at = (struct obj *)(uintptr_t)address(m, *at);
}

/* ---- Writing ---- */

#define MOST (sizeof(struct page) + PAGE_BYTES + ALIGN)

union buffer {
	struct obj o;
	char bytes[MOST];
	uint64_t align[2];
};

/* Inner nodes: no more than a page, as all objects. */
_Static_assert(sizeof(struct dirnode) + DIR_FAN * 24 + ALIGN < MOST &&
	       sizeof(struct name) + TSB_NAME_MAX + ALIGN < MOST, "the buffer holds any object");

static int write_objects(struct image *m, union buffer *b, vfs_mem_image_fn *out, void *ctx)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < m->n; i++) {
		size_t n = size_of(m->list[i]), whole = (n + ALIGN - 1) / ALIGN * ALIGN;

		memcpy(b->bytes, m->list[i], n);
		memset(b->bytes + n, 0, whole - n);
		each_pointer(&b->o, point, m);
		b->o.refs = FOREVER;
		rc = out(ctx, b->bytes, whole);
	}
	return rc;
}

static int write_all_of(struct image *m, const struct memfs *fs, uint64_t at, vfs_mem_image_fn *out, void *ctx)
{
	struct head h = { IMAGE_MAGIC, layout(), at, m->end - at, address(m, fs->inodes.root),
		fs->inodes.height, fs->ino_next, fs->bytes - fs->bytes_orphan,
		fs->entries - fs->entries_orphan, fs->bytes_free_of_charge, fs->entries_free_of_charge, 0 };
	union buffer *b = malloc(sizeof(*b));
	int rc = b ? out(ctx, &h, sizeof(h)) : -ENOMEM;

	if (!rc)
		rc = write_objects(m, b, out, ctx);
	free(b);
	return rc;
}

int vfs_mem_image(struct tsb_fs *tfs, uint64_t at, const struct tsb_memory *there, size_t n,
		  vfs_mem_image_fn *out, void *ctx)
{
	struct image m = { .there = there, .there_n = n, .end = at + sizeof(struct head) };
	struct memfs *fs = mem_of(tfs);
	int rc;

	if (tfs->ops != &mem_ops || at % ALIGN || !fs->inodes.root)
		return -EINVAL;
	m.error = grow_hash(&m) ? 0 : -ENOMEM;
	add(&m, fs->inodes.root);
	for (size_t i = 0; !m.error && i < m.n; i++)
		each_pointer((struct obj *)(uintptr_t)m.list[i], list_one, &m);
	rc = m.error ? m.error : write_all_of(&m, fs, at, out, ctx);
	free(m.list);
	free(m.hash);
	return rc;
}

/* ---- Mapping ---- */

int vfs_mem_of_image(void *data, size_t n, struct tsb_fs **out)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	const struct head *h = data;
	struct tsb_fs *tfs;
	struct memfs *fs;

	if (n < sizeof(*h) || h->magic != IMAGE_MAGIC || h->layout != layout() || h->size > n ||
	    h->at != (uint64_t)(uintptr_t)data || h->height > RADIX_HEIGHT_MAX || !h->root)
		return -EBADMSG;
	tfs = tsb_mem_new(&opt);
	if (!tfs)
		return -ENOMEM;
	fs = mem_of(tfs);
	obj_unref(fs->inodes.root);
	fs->inodes = (struct radix){ obj_ref((void *)(uintptr_t)h->root), (unsigned)h->height };
	fs->ino_next = h->ino_next;
	fs->bytes = h->bytes;
	fs->entries = h->entries;
	fs->bytes_free_of_charge = h->bytes_free;
	fs->entries_free_of_charge = h->entries_free;
	*out = tfs;
	return 0;
}
