/*
 * Content of files: a few bytes stand in the inode, more in pages of 4096 under a
 * radix tree. Missing pages are holes; a page may be allocated only in part, and
 * reads as zeroes behind that.
 *
 * Bytes of a page behind the file's size may be anything; they are zeroed when
 * the size grows over them. So cutting a file never has to copy a page.
 *
 * A file is charged for the bytes up to its size that lie in pages which exist.
 * So charges change by what is written, and a dense file costs its size.
 */
#include "vfs/mem_fs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mem_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The charge for `pages` pages when the page that holds the last byte is there
 * or not. */
static uint64_t mem_charge_of(uint64_t pages, uint64_t size, bool last)
{
	uint64_t over = size % PAGE_BYTES;
	return pages * PAGE_BYTES - (last && over ? PAGE_BYTES - over : 0);
}

static bool mem_has_page_of(const struct inode *i, uint64_t size)
{
	return size && radix_get(&i->u.pages, (size - 1) / PAGE_BYTES);
}

uint64_t mem_charge(const struct inode *i)
{
	if (i->o.level == FORM_INLINE)
		return S_ISREG(i->mode) && i->o.n ? i->size : 0;
	if (i->o.level != FORM_PAGES)
		return 0;
	return mem_charge_of(radix_count(&i->u.pages), i->size, mem_has_page_of(i, i->size));
}

uint64_t mem_bytes_left(const struct memfs *fs)
{
	uint64_t max = mem_sum(fs->bytes_max, fs->bytes_free_of_charge);
	return fs->bytes < max ? max - fs->bytes : 0;
}

/* ---- Reading ---- */

static void mem_read_page(const struct page *p, char *buf, size_t n, size_t at)
{
	size_t cap = p ? page_cap(p) : 0;
	size_t have = at < cap ? cap - at : 0;
	if (have > n)
		have = n;
	if (have)
		memcpy(buf, page_bytes(p) + at, have);
	memset(buf + have, 0, n - have);
}

size_t mem_read(const struct inode *i, char *buf, size_t n, uint64_t offset)
{
	size_t done = 0;
	if (offset >= i->size)
		return 0;
	if (n > i->size - offset)
		n = (size_t)(i->size - offset);
	if (i->o.level == FORM_INLINE) {
		memcpy(buf, i->u.text + offset, n);
		return n;
	}
	while (done < n) {
		size_t at = (size_t)((offset + done) % PAGE_BYTES);
		size_t k = PAGE_BYTES - at < n - done ? PAGE_BYTES - at : n - done;
		mem_read_page(radix_get(&i->u.pages, (offset + done) / PAGE_BYTES),
			      buf + done, k, at);
		done += k;
	}
	return n;
}

/* ---- Pages ---- */

/* A page with room for `need` bytes. */
static struct page *mem_page_new(size_t need)
{
	size_t cap = PAGE_LEAST;
	struct page *p;
	while (cap < need)
		cap *= 2;
	p = obj_new(OBJ_PAGE, sizeof(*p) + cap);
	if (p) {
		p->o.n = (uint16_t)(cap / PAGE_LEAST);
		p->o.level = 0;
	}
	return p;
}

/* The page in *slot for change, with room for `need` bytes. */
static struct page *mem_own_page(struct obj **slot, size_t need)
{
	struct page *old = (struct page *)*slot, *p;
	size_t cap = page_cap(old);
	if (!obj_shared(&old->o) && cap >= need && old->o.level != PAGE_FAR)
		return old;
	p = mem_page_new(cap > need ? cap : need);
	if (!p)
		return NULL;
	memcpy(p->data, page_bytes(old), cap);
	memset(p->data + cap, 0, page_cap(p) - cap);
	*slot = &p->o;
	obj_unref(old);
	return p;
}

/* Writes k bytes into page `key`, which lies within [at, at + k) of it. */
static int mem_write_page(struct radix *r, uint64_t key, const char *buf, size_t k, size_t at)
{
	struct page *p = radix_get(r, key);
	if (p) {
		struct obj **slot = radix_own(r, key);
		p = slot ? mem_own_page(slot, at + k) : NULL;
		if (!p)
			return -ENOMEM;
		memcpy(p->data + at, buf, k);
		return 0;
	}
	p = mem_page_new(at + k);
	if (!p)
		return -ENOMEM;
	memset(p->data, 0, at);
	memcpy(p->data + at, buf, k);
	memset(p->data + at + k, 0, page_cap(p) - at - k);
	if (radix_add(r, key, p)) {
		free(p);
		return -ENOMEM;
	}
	return 0;
}

/* Zeroes what is behind the size in its page, before the size grows to `size`. */
static int mem_clean_tail(struct inode *i, uint64_t size)
{
	size_t at = (size_t)(i->size % PAGE_BYTES), end = PAGE_BYTES;
	uint64_t key = i->size / PAGE_BYTES;
	struct page *p = at ? radix_get(&i->u.pages, key) : NULL;
	struct obj **slot;

	if (!p || at >= page_cap(p))
		return 0;
	slot = radix_own(&i->u.pages, key);
	p = slot ? mem_own_page(slot, 0) : NULL;
	if (!p)
		return -ENOMEM;
	if (size / PAGE_BYTES == key)
		end = (size_t)(size % PAGE_BYTES);
	if (end > page_cap(p))
		end = page_cap(p);
	if (end > at)
		memset(p->data + at, 0, end - at);
	return 0;
}

/* From the inode's own bytes to pages. */
static int mem_spill(struct inode *i)
{
	struct page *p = NULL;
	if (i->o.n) {
		p = mem_page_new(INLINE_MAX);
		if (!p)
			return -ENOMEM;
		memcpy(p->data, i->u.text, INLINE_MAX);
		memset(p->data + INLINE_MAX, 0, page_cap(p) - INLINE_MAX);
	}
	i->o.level = FORM_PAGES;
	i->o.n = 0;
	i->u.pages = (struct radix){ p ? &p->o : NULL, 0 };
	return 0;
}

/* ---- Writing ---- */

/* How many of k bytes at pos, all in one page, fit into `left` bytes of quota. */
static size_t mem_fitting(const struct inode *i, size_t k, uint64_t pos, uint64_t left)
{
	uint64_t pages = radix_count(&i->u.pages), before = mem_charge(i), after, grown, size;
	bool absent = !radix_get(&i->u.pages, pos / PAGE_BYTES);
	for (int pass = 0; pass < 2; pass++) {
		size = mem_max(i->size, pos + k);
		after = mem_charge_of(pages + absent, size,
				      (size - 1) / PAGE_BYTES == pos / PAGE_BYTES ||
				      mem_has_page_of(i, size));
		if (after <= before || after - before <= left)
			return k;
		/* Each byte behind the old size costs one; those before, none or all. */
		grown = pos + k - mem_max(i->size, pos);
		if (pos + k > i->size && after - before - left < grown)
			return k - (size_t)(after - before - left);
		if (pos >= i->size || pos + k <= i->size)
			return 0;
		k = (size_t)(i->size - pos);
	}
	return 0;
}

static ssize_t mem_write_pages(struct memfs *fs, struct inode *i, const char *buf, size_t n,
			       uint64_t offset)
{
	uint64_t before = mem_charge(i), left = mem_bytes_left(fs);
	bool tight = left < 2 * PAGE_BYTES || n > left - 2 * PAGE_BYTES;
	size_t done = 0;
	int rc = offset > i->size ? mem_clean_tail(i, offset) : 0;

	while (!rc && done < n) {
		uint64_t pos = offset + done;
		size_t at = (size_t)(pos % PAGE_BYTES);
		size_t k = PAGE_BYTES - at < n - done ? PAGE_BYTES - at : n - done, want = k;
		if (tight)
			k = mem_fitting(i, k, pos, left + before - mem_charge(i));
		rc = k ? mem_write_page(&i->u.pages, pos / PAGE_BYTES, buf + done, k, at) : -ENOSPC;
		if (rc)
			break;
		done += k;
		i->size = mem_max(i->size, offset + done);
		if (k < want)
			break;
	}
	fs->bytes += mem_charge(i) - before;
	return done ? (ssize_t)done : rc;
}

static ssize_t mem_write_inline(struct memfs *fs, struct inode *i, const char *buf, size_t n,
				uint64_t offset)
{
	uint64_t before = mem_charge(i), size = mem_max(i->size, offset + n);
	uint64_t left = mem_bytes_left(fs);
	if (size - before > left) {
		uint64_t over = size - before - left;
		if (over >= n || size - over < i->size)
			return -ENOSPC;
		n -= (size_t)over;
		size -= over;
	}
	memcpy(i->u.text + offset, buf, n);
	i->size = size;
	i->o.n = 1;
	fs->bytes += size - before;
	return (ssize_t)n;
}

ssize_t mem_write(struct memfs *fs, struct inode *i, const char *buf, size_t n, uint64_t offset)
{
	int rc;
	if (!n)
		return 0;
	if (offset >= fs->file_max)
		return -EFBIG;
	if (n > fs->file_max - offset)
		n = (size_t)(fs->file_max - offset);
	if (n > SSIZE_MAX)
		n = SSIZE_MAX;
	if (i->o.level == FORM_INLINE) {
		if (offset + n <= INLINE_MAX)
			return mem_write_inline(fs, i, buf, n, offset);
		rc = mem_spill(i);
		if (rc)
			return rc;
	}
	return mem_write_pages(fs, i, buf, n, offset);
}

/* ---- Size ---- */

static void mem_empty(struct inode *i)
{
	if (i->o.level == FORM_PAGES)
		obj_unref(i->u.pages.root);
	i->o.level = FORM_INLINE;
	i->o.n = 0;
	memset(i->u.text, 0, sizeof(i->u.text));
}

static int mem_shrink(struct inode *i, uint64_t size)
{
	if (!size) {
		mem_empty(i);
		return 0;
	}
	if (i->o.level == FORM_INLINE) {
		memset(i->u.text + size, 0, INLINE_MAX - size);
		return 0;
	}
	return radix_cut(&i->u.pages, (size - 1) / PAGE_BYTES + 1);
}

/* The size grows within the last page, if at all there: that may cost. */
static int mem_grow(struct memfs *fs, struct inode *i, uint64_t size)
{
	uint64_t before = mem_charge(i), after;
	int rc;
	if (i->o.level == FORM_INLINE && size <= INLINE_MAX)
		return i->o.n && size - before > mem_bytes_left(fs) ? -ENOSPC : 0;
	if (i->o.level == FORM_INLINE) {
		rc = mem_spill(i);
		if (rc)
			return rc;
	}
	after = mem_charge_of(radix_count(&i->u.pages), size, mem_has_page_of(i, size));
	if (after - before > mem_bytes_left(fs))
		return -ENOSPC;
	return mem_clean_tail(i, size);
}

int mem_resize(struct memfs *fs, struct inode *i, uint64_t size)
{
	uint64_t before = mem_charge(i);
	int rc = 0;
	if (size > fs->file_max)
		return -EFBIG;
	if (size < i->size)
		rc = mem_shrink(i, size);
	else if (size > i->size)
		rc = mem_grow(fs, i, size);
	if (rc)
		return rc;
	i->size = size;
	fs->bytes += mem_charge(i) - before;
	return 0;
}
