/*
 * Writing: the two tables of inodes are walked side by side, and below each inode that differs
 * its pages or names. See mem_changes.h.
 */
#include "vfs/mem_changes.h"

#include <errno.h>
#include <string.h>

#include "vfs/mem_changes_impl.h"
#include "vfs/mem_fs.h"

struct writer {
	vfs_mem_out_fn *out;
	void *ctx;
	uint64_t hash, records;
	const struct memfs *now;
	bool full, begun;
};

static int put(struct writer *w, const void *data, size_t n)
{
	w->hash = changes_hash(w->hash, data, n);
	return w->out(w->ctx, data, n);
}

static uint8_t *le(uint8_t *p, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*p++ = (uint8_t)(value >> 8 * i);
	return p;
}

/* The head is written with the first record: without one there is no set. */
static int begin(struct writer *w)
{
	uint8_t head[CHANGES_HEAD], *p = head;

	w->begun = true;
	memcpy(p, CHANGES_MAGIC, 4);
	p = le(p + 4, CHANGES_VERSION, 4);
	p = le(p, w->now->ino_next, 8);
	p = le(p, w->now->bytes_free_of_charge, 8);
	p = le(p, w->now->entries_free_of_charge, 8);
	le(p, w->full, 8);
	return put(w, head, sizeof(head));
}

static int put_record(struct writer *w, char kind, uint64_t ino, const void *a, size_t a_n,
		      const void *b, size_t b_n)
{
	uint8_t head[CHANGES_RECORD], *p = head;
	int rc = w->begun ? 0 : begin(w);

	*p++ = (uint8_t)kind;
	le(le(p, ino, 8), a_n + b_n, 4);
	w->records++;
	if (!rc)
		rc = put(w, head, sizeof(head));
	if (!rc && a_n)
		rc = put(w, a, a_n);
	if (!rc && b_n)
		rc = put(w, b, b_n);
	return rc;
}

/* ---- Two radix trees ---- */

typedef int differ_fn(void *ctx, uint64_t key, const struct obj *old, const struct obj *now);

static const struct obj *child(const struct obj *o, unsigned height, unsigned at, unsigned i)
{
	if (!o)
		return NULL;
	if (height == at)
		return ((const struct table *)o)->slot[i];
	return i ? NULL : o;
}

/* a of height ha, b of hb: calls fn where they differ. As deep as the trees are high (13). */
static int differ(const struct obj *a, unsigned ha, const struct obj *b, unsigned hb, uint64_t key,
		  differ_fn *fn, void *ctx)
{
	unsigned h = ha > hb ? ha : hb;
	int rc = 0;

	if ((a == b && (ha == hb || !a)))
		return 0;
	if (!h)
		return fn(ctx, key, a, b);
	for (unsigned i = 0; !rc && i < RADIX_FAN; i++)
		rc = differ(child(a, ha, h, i), ha < h ? ha : h - 1, child(b, hb, h, i),
			    hb < h ? hb : h - 1, key | (uint64_t)i << (h - 1) * RADIX_BITS, fn, ctx);
	return rc;
}

/* The height of an empty tree means nothing. */
static int differ_radix(const struct radix *a, const struct radix *b, differ_fn *fn, void *ctx)
{
	return differ(a->root, a->root ? a->height : 0, b->root, b->root ? b->height : 0, 0, fn, ctx);
}

/* ---- An inode ---- */

struct pages {
	struct writer *w;
	uint64_t ino;
};

static int put_page(void *ctx, uint64_t key, const struct obj *old, const struct obj *now)
{
	struct pages *s = ctx;
	const struct page *p = (const struct page *)now;
	uint8_t number[8];

	(void)old;
	if (!p)		/* what is missing was cut */
		return 0;
	le(number, key, 8);
	return put_record(s->w, 'P', s->ino, number, sizeof(number), page_bytes(p),
			  page_cap(p));
}

/* The least key of a page that is gone. */
static int lost_page(void *ctx, uint64_t key, const struct obj *old, const struct obj *now)
{
	uint64_t *least = ctx;

	if (old && !now && key < *least)
		*least = key;
	return 0;
}

static int put_pages(struct writer *w, const struct inode *old, const struct inode *now)
{
	static const struct radix nothing;
	const struct radix *from = &nothing;
	struct pages s = { w, now->ino };
	uint64_t lost = UINT64_MAX;
	uint8_t number[8];
	int rc = 0;

	if (old && old->o.level == FORM_PAGES) {
		from = &old->u.pages;
		differ_radix(from, &now->u.pages, lost_page, &lost);
	}
	if (lost != UINT64_MAX) {
		/* A file that was cut and has grown again may have lost some in between: it is
		 * written as new. */
		if (now->size && lost <= (now->size - 1) / PAGE_BYTES) {
			from = &nothing;
			lost = 0;
		}
		le(number, lost, 8);
		rc = put_record(w, 'C', now->ino, number, sizeof(number), NULL, 0);
	}
	return rc ? rc : differ_radix(from, &now->u.pages, put_page, &s);
}

static int put_name(struct writer *w, uint64_t dir, const struct name *n)
{
	uint8_t head[12];

	le(le(head, n->ino, 8), n->type, 4);
	return put_record(w, 'N', dir, head, sizeof(head), n->text, n->o.n);
}

static int put_names(struct writer *w, const struct inode *old, const struct inode *now)
{
	const struct dirnode *a = old && old->o.level == FORM_DIR ? old->u.dir : NULL;
	const struct dirnode *b = now->u.dir;
	const struct name *x = dir_after(a, NULL), *y = dir_after(b, NULL);
	int rc = 0;

	if (a == b)
		return 0;
	while (!rc && (x || y)) {
		struct dirkey kx = { NULL, 0, 0 }, ky = { NULL, 0, 0 };
		int order = !x ? 1 : !y ? -1 : strcmp(x->text, y->text);

		if (x)
			kx = dir_key(x->text, x->o.n);
		if (y)
			ky = dir_key(y->text, y->o.n);
		if (order < 0)
			rc = put_record(w, 'n', now->ino, x->text, x->o.n, NULL, 0);
		else if (order > 0 || x->ino != y->ino || x->type != y->type)
			rc = put_name(w, now->ino, y);
		x = order <= 0 ? dir_after(a, &kx) : x;
		y = order >= 0 ? dir_after(b, &ky) : y;
	}
	return rc;
}

static int put_attributes(struct writer *w, const struct inode *i)
{
	uint8_t fixed[CHANGES_INODE], *p = fixed;
	bool text = i->o.level == FORM_INLINE;

	*p++ = i->o.level;
	*p++ = text && i->o.n;
	p = le(p, i->mode, 4);
	p = le(p, i->nlink, 4);
	p = le(p, i->uid, 4);
	p = le(p, i->gid, 4);
	for (int t = TIME_A; t <= TIME_B; t++) {
		p = le(p, (uint64_t)i->sec[t], 8);
		p = le(p, (uint32_t)i->nsec[t], 4);
	}
	p = le(p, i->size, 8);
	le(p, i->o.level == FORM_NODE ? i->u.rdev : 0, 8);
	return put_record(w, 'I', i->ino, fixed, sizeof(fixed), i->u.text, text ? INLINE_MAX : 0);
}

static int put_inode(void *ctx, uint64_t ino, const struct obj *a, const struct obj *b)
{
	const struct inode *old = (const struct inode *)a, *now = (const struct inode *)b;
	struct writer *w = ctx;
	int rc;

	if (!now)
		return put_record(w, 'R', ino, NULL, 0, NULL, 0);
	rc = put_attributes(w, now);
	if (!rc && now->o.level == FORM_PAGES)
		rc = put_pages(w, old, now);
	if (!rc && now->o.level == FORM_DIR)
		rc = put_names(w, old, now);
	return rc;
}

static int put_end(struct writer *w)
{
	uint8_t end[CHANGES_RECORD + 8], *p = end;

	*p++ = 'E';
	p = le(le(p, w->records, 8), 8, 4);
	w->hash = changes_hash(w->hash, end, CHANGES_RECORD);
	le(p, w->hash, 8);
	return w->out(w->ctx, end, sizeof(end));
}

int vfs_mem_changes(struct tsb_fs *since, struct tsb_fs *now, vfs_mem_out_fn *out, void *ctx)
{
	static const struct radix nothing;
	struct writer w = { .out = out, .ctx = ctx, .hash = CHANGES_HASH, .full = !since };
	int rc;

	if (now->ops != &mem_ops || (since && since->ops != &mem_ops))
		return -EINVAL;
	w.now = mem_of(now);
	rc = differ_radix(since ? &mem_of(since)->inodes : &nothing, &w.now->inodes, put_inode, &w);
	return rc || !w.begun ? rc : put_end(&w);
}
