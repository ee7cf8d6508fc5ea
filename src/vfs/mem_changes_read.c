/*
 * Reading: a set is first walked to its end and its hash compared; only then is it applied. It
 * is our own writing, but no size or number of it is believed: what cannot be is -EBADMSG.
 */
#include "vfs/mem_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/mem_changes_impl.h"
#include "vfs/mem_fs.h"

struct record {
	char kind;
	uint64_t ino;
	const uint8_t *data;
	size_t size;
};

static uint64_t le(const uint8_t *p, int bytes)
{
	uint64_t value = 0;

	for (int i = bytes; i--;)
		value = value << 8 | p[i];
	return value;
}

/* How many bytes of its data the writer had in its first piece. */
static size_t first_piece(const struct record *r)
{
	size_t n = r->kind == 'I' ? CHANGES_INODE : r->kind == 'P' || r->kind == 'C' ? 8 :
		   r->kind == 'N' ? 12 : r->size;

	return n < r->size ? n : r->size;
}

/* The record at *at; false: it is not there as a whole. */
static bool next(const uint8_t *data, size_t n, size_t *at, struct record *r)
{
	const uint8_t *p = data + *at;

	if (n - *at < CHANGES_RECORD)
		return false;
	*r = (struct record){ (char)p[0], le(p + 1, 8), p + CHANGES_RECORD, (size_t)le(p + 9, 4) };
	if (r->size > n - *at - CHANGES_RECORD)
		return false;
	*at += CHANGES_RECORD + r->size;
	return true;
}

/* The size of the whole set, whose hash is right; 0: there is none. */
static size_t measure(const uint8_t *data, size_t n)
{
	uint64_t hash, records = 0;
	size_t at = CHANGES_HEAD;
	struct record r;

	if (n < CHANGES_HEAD)
		return 0;
	hash = changes_hash(CHANGES_HASH, data, CHANGES_HEAD);
	while (next(data, n, &at, &r)) {
		size_t first = first_piece(&r);

		hash = changes_hash(hash, r.data - CHANGES_RECORD, CHANGES_RECORD);
		if (r.kind == 'E')
			return r.size == 8 && r.ino == records && le(r.data, 8) == hash ? at : 0;
		if (first)
			hash = changes_hash(hash, r.data, first);
		if (r.size > first)
			hash = changes_hash(hash, r.data + first, r.size - first);
		records++;
	}
	return 0;
}

/* The same, where the bytes are known to be right: only that all of them are there. */
static size_t measure_trusted(const uint8_t *data, size_t n)
{
	size_t at = CHANGES_HEAD;
	uint64_t records = 0;
	struct record r;

	while (n >= CHANGES_HEAD && next(data, n, &at, &r)) {
		if (r.kind == 'E')
			return r.size == 8 && r.ino == records ? at : 0;
		records++;
	}
	return 0;
}

/* ---- Applying ---- */

static bool form_fits(uint32_t mode, unsigned form)
{
	if (S_ISDIR(mode))
		return form == FORM_DIR;
	if (S_ISREG(mode) || S_ISLNK(mode))
		return form == FORM_INLINE || form == FORM_PAGES;
	return form == FORM_NODE;
}

/* The inode for change, made when it is not there. */
static struct inode *inode_at(struct memfs *fs, uint64_t ino)
{
	struct inode *i;

	if (mem_inode(fs, ino))
		return mem_own(fs, ino);
	i = obj_new(OBJ_INODE, sizeof(*i));
	if (!i)
		return NULL;
	memset((char *)i + sizeof(i->o), 0, sizeof(*i) - sizeof(i->o));
	i->ino = ino;
	i->o.level = FORM_NODE;		/* holds nothing yet */
	if (!radix_add(&fs->inodes, ino, i))
		return i;
	obj_unref(i);
	return NULL;
}

static void change_form(struct inode *i, unsigned form)
{
	if (i->o.level == form && form != FORM_INLINE)
		return;
	if (i->o.level == FORM_PAGES)
		obj_unref(i->u.pages.root);
	else if (i->o.level == FORM_DIR)
		obj_unref(i->u.dir);
	memset(&i->u, 0, sizeof(i->u));
	i->o.level = (uint8_t)form;
	i->o.n = 0;
}

static int apply_inode(struct memfs *fs, const struct record *r)
{
	const uint8_t *p = r->data;
	struct inode *i;
	uint32_t mode;

	if (r->size < CHANGES_INODE || !r->ino || r->ino >= UINT64_MAX / 2)
		return -EBADMSG;
	mode = (uint32_t)le(p + 2, 4);
	if (!form_fits(mode, p[0]) ||
	    r->size - CHANGES_INODE != (p[0] == FORM_INLINE ? INLINE_MAX : 0))
		return -EBADMSG;
	i = inode_at(fs, r->ino);
	if (!i)
		return -ENOMEM;
	change_form(i, p[0]);
	if (p[0] == FORM_INLINE) {
		i->o.n = p[1] != 0;
		memcpy(i->u.text, p + CHANGES_INODE, INLINE_MAX);
	}
	i->mode = mode;
	i->nlink = (uint32_t)le(p + 6, 4);
	i->uid = (uint32_t)le(p + 10, 4);
	i->gid = (uint32_t)le(p + 14, 4);
	for (int t = TIME_A; t <= TIME_B; t++) {
		i->sec[t] = (int64_t)le(p + 18 + 12 * t, 8);
		i->nsec[t] = (int32_t)le(p + 26 + 12 * t, 4);
	}
	i->size = le(p + 66, 8);
	if (p[0] == FORM_NODE)
		i->u.rdev = le(p + 74, 8);
	return p[0] == FORM_INLINE && i->size > INLINE_MAX ? -EBADMSG : 0;
}

/* The inode of a record about its content. */
static struct inode *content_of(struct memfs *fs, const struct record *r, enum inode_form form,
				int *rc)
{
	const struct inode *i = mem_inode(fs, r->ino);
	struct inode *own;

	*rc = -EBADMSG;
	if (!i || i->o.level != form)
		return NULL;
	own = mem_own(fs, r->ino);
	*rc = own ? 0 : -ENOMEM;
	return own;
}

/* A page of the record's bytes, or one that points to them. */
static struct page *page_of(const struct record *r, size_t n, bool far)
{
	const uint8_t *bytes = r->data + 8;
	struct page *p = obj_new(OBJ_PAGE, sizeof(*p) + (far ? sizeof(bytes) : n));

	if (!p)
		return NULL;
	p->o.n = (uint16_t)(n / PAGE_LEAST);
	p->o.level = far ? PAGE_FAR : 0;
	memcpy(p->data, far ? (const void *)&bytes : bytes, far ? sizeof(bytes) : n);
	return p;
}

static int apply_page(struct memfs *fs, const struct record *r, bool far)
{
	size_t n = r->size < 8 ? 0 : r->size - 8;
	struct obj **slot;
	struct inode *i;
	struct page *p;
	uint64_t key;
	int rc;

	if (!n || n > PAGE_BYTES || n % PAGE_LEAST)
		return -EBADMSG;
	key = le(r->data, 8);
	i = content_of(fs, r, FORM_PAGES, &rc);
	if (!i)
		return rc;
	if (key > (uint64_t)INT64_MAX / PAGE_BYTES)
		return -EBADMSG;
	p = page_of(r, n, far);
	if (!p)
		return -ENOMEM;
	if (radix_get(&i->u.pages, key)) {
		slot = radix_own(&i->u.pages, key);
		if (slot) {
			obj_unref(*slot);
			*slot = &p->o;
			return 0;
		}
	} else if (!radix_add(&i->u.pages, key, p)) {
		return 0;
	}
	obj_unref(p);
	return -ENOMEM;
}

static int apply_cut(struct memfs *fs, const struct record *r)
{
	struct inode *i;
	int rc;

	if (r->size != 8)
		return -EBADMSG;
	i = content_of(fs, r, FORM_PAGES, &rc);
	return i ? radix_cut(&i->u.pages, le(r->data, 8)) : rc;
}

static int apply_name(struct memfs *fs, const struct record *r)
{
	const char *text = (const char *)r->data + 12;
	size_t n = r->size < 12 ? 0 : r->size - 12;
	struct dirkey k = dir_key(text, n);
	struct name *name, **place;
	struct inode *dir;
	int rc;

	if (!n || n > TSB_NAME_MAX || memchr(text, 0, n) || memchr(text, '/', n))
		return -EBADMSG;
	dir = content_of(fs, r, FORM_DIR, &rc);
	if (!dir)
		return rc;
	name = name_new(text, n, le(r->data, 8), (uint32_t)le(r->data + 8, 4));
	if (!name)
		return -ENOMEM;
	if (dir_get(dir->u.dir, &k)) {
		place = dir_own(&dir->u.dir, &k);
		if (place) {
			obj_unref(*place);
			*place = name;
			return 0;
		}
	} else if (!dir_add(&dir->u.dir, name)) {
		return 0;
	}
	obj_unref(name);
	return -ENOMEM;
}

static int apply_no_name(struct memfs *fs, const struct record *r)
{
	struct dirkey k = dir_key((const char *)r->data, r->size);
	struct inode *dir;
	int rc;

	dir = content_of(fs, r, FORM_DIR, &rc);
	if (!dir)
		return rc;
	if (r->size > TSB_NAME_MAX || !dir_get(dir->u.dir, &k))
		return -EBADMSG;
	if (!dir_own(&dir->u.dir, &k))
		return -ENOMEM;
	dir_remove(&dir->u.dir, &k);
	return 0;
}

static int apply_gone(struct memfs *fs, const struct record *r)
{
	if (!mem_inode(fs, r->ino) || r->ino == MEM_ROOT_INO)
		return -EBADMSG;
	if (!radix_own(&fs->inodes, r->ino))
		return -ENOMEM;
	obj_unref(radix_take(&fs->inodes, r->ino));
	return 0;
}

static int apply_record(struct memfs *fs, const struct record *r, bool far)
{
	switch (r->kind) {
	case 'I': return apply_inode(fs, r);
	case 'P': return apply_page(fs, r, far);
	case 'C': return apply_cut(fs, r);
	case 'N': return apply_name(fs, r);
	case 'n': return apply_no_name(fs, r);
	case 'R': return apply_gone(fs, r);
	default: return -EBADMSG;
	}
}

static int apply_head(struct memfs *fs, const uint8_t *p)
{
	if (memcmp(p, CHANGES_MAGIC, 4) || le(p + 4, 4) != CHANGES_VERSION)
		return -EBADMSG;
	fs->ino_next = le(p + 8, 8);
	fs->bytes_free_of_charge = le(p + 16, 8);
	fs->entries_free_of_charge = le(p + 24, 8);
	if (le(p + 32, 8)) {
		obj_unref(fs->inodes.root);
		fs->inodes = (struct radix){ NULL, 0 };
	}
	fs->near_n = 0;
	return 0;
}

ssize_t vfs_mem_apply(struct tsb_fs *tfs, const void *data, size_t n, unsigned flags)
{
	size_t size = flags & VFS_MEM_TRUSTED ? measure_trusted(data, n) : measure(data, n);
	size_t at = CHANGES_HEAD;
	struct memfs *fs = mem_of(tfs);
	struct record r;
	int rc;

	if (tfs->ops != &mem_ops)
		return -EBADMSG;
	if (!size)
		return 0;
	pthread_mutex_lock(&fs->lock);
	rc = apply_head(fs, data);
	while (!rc && next(data, size, &at, &r) && r.kind != 'E')
		rc = apply_record(fs, &r, flags & VFS_MEM_FAR);
	pthread_mutex_unlock(&fs->lock);
	return rc ? rc : (ssize_t)size;
}

/* ---- The whole ---- */

struct count {
	const struct memfs *fs;
	uint64_t bytes, entries;
};

static bool names_fit(const struct memfs *fs, const struct inode *dir)
{
	const struct name *n = dir_after(dir->u.dir, NULL);
	uint64_t count = 0;

	while (n) {
		const struct inode *i = mem_inode(fs, n->ino);
		struct dirkey k = dir_key(n->text, n->o.n);

		if (!i || n->type != (i->mode & S_IFMT) || i == dir || n->ino == MEM_ROOT_INO)
			return false;
		count++;
		n = dir_after(dir->u.dir, &k);
	}
	return count == dir->size;
}

static bool count_inode(struct count *c, const struct inode *i)
{
	if (i->ino >= c->fs->ino_next || (S_ISLNK(i->mode) && (!i->size || i->size > TSB_PATH_MAX)) ||
	    i->size > (uint64_t)INT64_MAX)
		return false;
	c->bytes += mem_charge(i);
	c->entries += S_ISDIR(i->mode) ? 1 : i->nlink;
	return !S_ISDIR(i->mode) || names_fit(c->fs, i);
}

static bool count_all(struct count *c, const struct obj *o, unsigned height)
{
	bool good = true;

	if (!o)
		return true;
	if (!height)
		return count_inode(c, (const struct inode *)o);
	for (unsigned i = 0; good && i < RADIX_FAN; i++)
		good = count_all(c, ((const struct table *)o)->slot[i], height - 1);
	return good;
}

int vfs_mem_check(struct tsb_fs *tfs)
{
	struct memfs *fs = mem_of(tfs);
	struct count c = { .fs = fs };
	const struct inode *root;
	int rc = -EBADMSG;

	pthread_mutex_lock(&fs->lock);
	root = mem_inode(fs, MEM_ROOT_INO);
	if (root && S_ISDIR(root->mode) && count_all(&c, fs->inodes.root, fs->inodes.height)) {
		fs->bytes = c.bytes;
		fs->entries = c.entries - 1;
		rc = 0;
	}
	pthread_mutex_unlock(&fs->lock);
	return rc;
}
