/*
 * A directory: a persistent B+-tree from names to inode numbers, in order of
 * bytes.
 *
 * Both changes go from the top down in one pass, owning each node on the way: an
 * insertion splits full nodes before it enters them, a removal fills up thin
 * ones. So nothing has to be undone when memory ends midway; the tree is only
 * shaped differently. The first 8 bytes of each name stand in the node itself,
 * so that a search seldom has to look at a name.
 */
#include "vfs/mem_obj.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIR_THIN 8u		/* a node with so few items is filled up */
#define DIR_LEAST 4u		/* capacity of the smallest node */

static struct dirnode **dir_child(struct dirnode *n)
{
	return (struct dirnode **)(n->item + DIR_FAN);
}

/* Eight and four bytes, the first one highest. */
static uint64_t dir_load8(const char *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap64(v);
}

static uint64_t dir_load4(const char *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap32(v);
}

/* The loads may overlap; both put the same byte in the same place. */
struct dirkey dir_key(const char *p, size_t n)
{
	struct dirkey k = { p, n, 0 };
	if (n >= 8) {
		k.head = dir_load8(p);
	} else if (n >= 4) {
		k.head = dir_load4(p) << 32 | dir_load4(p + n - 4) << (8 * (8 - n));
	} else if (n) {
		const unsigned char *b = (const unsigned char *)p;
		k.head = (uint64_t)b[0] << 56 | (uint64_t)b[n / 2] << (56 - 8 * (n / 2)) |
			 (uint64_t)b[n - 1] << (56 - 8 * (n - 1));
	}
	return k;
}

struct name *name_new(const char *p, size_t n, uint64_t ino, uint32_t type)
{
	struct name *nm = obj_new(OBJ_NAME, sizeof(*nm) + n + 1);
	if (!nm)
		return NULL;
	nm->o.n = (uint16_t)n;
	nm->type = type;
	nm->ino = ino;
	memcpy(nm->text, p, n);
	nm->text[n] = '\0';
	return nm;
}

/* Compares k with a name of equal head, as memcmp(). Names hold no NUL, so equal
 * heads of short names mean equal names. */
static int dir_compare_tail(const struct dirkey *k, const struct name *nm)
{
	size_t least = k->n < nm->o.n ? k->n : nm->o.n;
	int c = least > 8 ? memcmp(k->p + 8, nm->text + 8, least - 8) : 0;
	if (c)
		return c;
	return k->n < nm->o.n ? -1 : k->n > nm->o.n;
}

static int dir_compare(const struct dirkey *k, const struct dirnode *n, unsigned i)
{
	if (k->head != n->item[i].head)
		return k->head < n->item[i].head ? -1 : 1;
	return dir_compare_tail(k, n->item[i].name);
}

/* The first item of [low, high) whose head is not less. */
static unsigned dir_search_head(const struct dirnode *n, uint64_t head, unsigned low,
				unsigned high)
{
	unsigned count = high - low;
	/* Halves without a jump that cannot be foreseen. */
	while (count > 1) {
		unsigned half = count / 2;
		low = n->item[low + half - 1].head < head ? low + half : low;
		count -= half;
	}
	return low + (count && n->item[low].head < head);
}

/* The first item from `from` on that is not less than k; *equal: it is k. */
static unsigned dir_search(const struct dirnode *n, const struct dirkey *k, unsigned from,
			   bool *equal)
{
	unsigned low = dir_search_head(n, k->head, from, n->o.n), high = n->o.n;
	*equal = false;
	if (low == high || n->item[low].head != k->head)
		return low;
	if (low + 1 == high || n->item[low + 1].head != k->head)
		high = low + 1;		/* as a rule */
	else if (n->item[high - 1].head != k->head)
		high = dir_search_head(n, k->head + 1, low, high);
	while (low < high) {
		unsigned mid = (low + high) / 2;
		int c = dir_compare_tail(k, n->item[mid].name);
		if (c > 0) {
			low = mid + 1;
		} else {
			high = mid;
			*equal |= c == 0;
		}
	}
	return low;
}

/* The child that holds k. Item 0 bounds nothing. */
static unsigned dir_branch(const struct dirnode *n, const struct dirkey *k)
{
	bool equal;
	unsigned i = dir_search(n, k, 1, &equal);
	return equal ? i : i - 1;
}

struct name *dir_get(const struct dirnode *root, const struct dirkey *k)
{
	bool equal;
	unsigned i;
	if (!root)
		return NULL;
	while (root->o.level)
		root = dir_child((struct dirnode *)root)[dir_branch(root, k)];
	i = dir_search(root, k, 0, &equal);
	return equal ? root->item[i].name : NULL;
}

static struct dirnode *dir_leftmost(struct dirnode *n)
{
	while (n && n->o.level)
		n = dir_child(n)[0];
	return n;
}

struct name *dir_after(const struct dirnode *root, const struct dirkey *k)
{
	struct dirnode *n = (struct dirnode *)root, *next = NULL;
	bool equal;
	unsigned i = 0;
	if (!n)
		return NULL;
	while (n->o.level) {
		i = k ? dir_branch(n, k) : 0;
		if (i + 1u < n->o.n)
			next = dir_child(n)[i + 1];
		n = dir_child(n)[i];
	}
	if (k) {
		i = dir_search(n, k, 0, &equal);
		i += equal;
	}
	if (i < n->o.n)
		return n->item[i].name;
	n = dir_leftmost(next);
	return n && n->o.n ? n->item[0].name : NULL;
}

/* ---- Nodes ---- */

static struct dirnode *dir_node_new(unsigned level, unsigned cap)
{
	size_t size = sizeof(struct dirnode) + cap * sizeof(((struct dirnode *)0)->item[0]);
	struct dirnode *n = obj_new(OBJ_DIRNODE, size + (level ? cap * sizeof(n) : 0));
	if (!n)
		return NULL;
	n->o.level = (uint8_t)level;
	n->cap = cap;
	return n;
}

/* Copies `count` items, and children, without counting references. */
static void dir_move(struct dirnode *to, unsigned at, struct dirnode *from, unsigned first,
		     unsigned count)
{
	memmove(to->item + at, from->item + first, count * sizeof(to->item[0]));
	if (to->o.level)
		memmove(dir_child(to) + at, dir_child(from) + first, count * sizeof(to));
}

static void dir_ref_items(struct dirnode *n)
{
	for (unsigned i = 0; i < n->o.n; i++) {
		obj_ref(n->item[i].name);
		if (n->o.level)
			obj_ref(dir_child(n)[i]);
	}
}

/* The node in *slot for our own use, with room for `cap` items. */
static struct dirnode *dir_own_node(struct dirnode **slot, unsigned cap)
{
	struct dirnode *old = *slot, *n;
	bool shared = obj_shared(&old->o);
	if (!shared && old->cap >= cap)
		return old;
	n = dir_node_new(old->o.level, cap > old->cap ? cap : old->cap);
	if (!n)
		return NULL;
	n->o.n = old->o.n;
	dir_move(n, 0, old, 0, old->o.n);
	*slot = n;
	if (shared) {
		dir_ref_items(n);
		obj_unref(old);
	} else {
		free(old);
	}
	return n;
}

/* ---- Adding ---- */

static void dir_open_gap(struct dirnode *n, unsigned at)
{
	dir_move(n, at + 1, n, at, n->o.n - at);
	n->o.n++;
}

/* Splits child i, which is full and owned; parent has room. */
static int dir_split(struct dirnode *parent, unsigned i)
{
	struct dirnode *left = dir_child(parent)[i], *right;
	unsigned half = left->o.n / 2u;
	right = dir_node_new(left->o.level, DIR_FAN);
	if (!right)
		return -ENOMEM;
	right->o.n = (uint16_t)(left->o.n - half);
	dir_move(right, 0, left, half, right->o.n);
	left->o.n = (uint16_t)half;
	dir_open_gap(parent, i + 1);
	parent->item[i + 1] = right->item[0];
	dir_child(parent)[i + 1] = right;
	if (right->o.level)
		right->item[0].name = NULL;
	else
		obj_ref(right->item[0].name);
	return 0;
}

/* A new root above a full one. */
static int dir_raise(struct dirnode **root)
{
	struct dirnode *n = dir_node_new((*root)->o.level + 1u, DIR_FAN);
	int rc;
	if (!n)
		return -ENOMEM;
	n->o.n = 1;
	n->item[0].name = NULL;
	n->item[0].head = 0;
	dir_child(n)[0] = *root;
	rc = dir_split(n, 0);
	if (rc)
		free(n);
	else
		*root = n;
	return rc;
}

/* The bottom node for k, owned, with room for one more. NULL: no memory. */
static struct dirnode *dir_make_room(struct dirnode **root, const struct dirkey *k)
{
	struct dirnode **slot = root, *n = dir_own_node(root, DIR_LEAST);
	if (n && n->o.n == DIR_FAN)
		n = dir_raise(root) ? NULL : *root;
	while (n && n->o.level) {
		unsigned i = dir_branch(n, k);
		struct dirnode *child = dir_own_node(&dir_child(n)[i], DIR_LEAST);
		if (!child)
			return NULL;
		if (child->o.n == DIR_FAN) {
			if (dir_split(n, i))
				return NULL;
			i += dir_compare(k, n, i + 1) >= 0;
		}
		slot = &dir_child(n)[i];
		n = *slot;
	}
	if (n && n->o.n == n->cap)
		n = dir_own_node(slot, n->cap * 2);
	return n;
}

int dir_add(struct dirnode **root, struct name *name)
{
	struct dirkey k = dir_key(name->text, name->o.n);
	struct dirnode *n;
	bool equal;
	unsigned i;
	if (!*root) {
		*root = dir_node_new(0, DIR_LEAST);
		if (!*root)
			return -ENOMEM;
	}
	n = dir_make_room(root, &k);
	if (!n)
		return -ENOMEM;
	i = dir_search(n, &k, 0, &equal);
	dir_open_gap(n, i);
	n->item[i].head = k.head;
	n->item[i].name = name;
	return 0;
}

/* ---- Changing and removing ---- */

static void dir_close_gap(struct dirnode *n, unsigned at)
{
	dir_move(n, at, n, at + 1, n->o.n - at - 1u);
	n->o.n--;
}

/* Children i and i + 1 (owned, room for DIR_FAN) become one or share evenly. An
 * inner node's item 0 has no name; between the two it is the parent's. */
static void dir_level_out(struct dirnode *parent, unsigned i)
{
	struct dirnode *left = dir_child(parent)[i], *right = dir_child(parent)[i + 1];
	unsigned sum = left->o.n + right->o.n, keep = sum <= DIR_FAN ? sum : sum / 2;
	unsigned had = left->o.n;

	if (right->o.level)
		right->item[0] = parent->item[i + 1];
	else
		obj_unref(parent->item[i + 1].name);
	if (keep >= had) {
		dir_move(left, had, right, 0, keep - had);
		dir_move(right, 0, right, keep - had, sum - keep);
	} else {
		dir_move(right, had - keep, right, 0, right->o.n);
		dir_move(right, 0, left, keep, had - keep);
	}
	left->o.n = (uint16_t)keep;
	right->o.n = (uint16_t)(sum - keep);
	if (!right->o.n) {
		dir_close_gap(parent, i + 1);
		free(right);
		return;
	}
	parent->item[i + 1] = right->item[0];
	if (right->o.level)
		right->item[0].name = NULL;
	else
		obj_ref(right->item[0].name);
}

/* Fills up child i, which is thin, from a neighbour. */
static int dir_fill(struct dirnode *parent, unsigned i)
{
	if (i + 1u == parent->o.n)
		i--;
	if (!dir_own_node(&dir_child(parent)[i], DIR_FAN) ||
	    !dir_own_node(&dir_child(parent)[i + 1], DIR_FAN))
		return -ENOMEM;
	dir_level_out(parent, i);
	return 0;
}

/* The bottom node for k, owned; no node on the way is thin but the root. NULL:
 * no memory. */
static struct dirnode *dir_make_thick(struct dirnode **root, const struct dirkey *k)
{
	struct dirnode *n = dir_own_node(root, DIR_LEAST);
	while (n && n->o.level) {
		unsigned i = dir_branch(n, k);
		if (dir_child(n)[i]->o.n <= DIR_THIN && n->o.n > 1) {
			if (dir_fill(n, i))
				return NULL;
			i = dir_branch(n, k);
		}
		if (n == *root && n->o.n == 1) {
			*root = dir_child(n)[0];
			free(n);
			n = dir_own_node(root, DIR_LEAST);
		} else {
			n = dir_own_node(&dir_child(n)[i], DIR_LEAST);
		}
	}
	return n;
}

struct name **dir_place(struct dirnode *root, const struct dirkey *k)
{
	bool equal;
	unsigned i;
	while (root->o.level)
		root = dir_child(root)[dir_branch(root, k)];
	i = dir_search(root, k, 0, &equal);
	return equal ? &root->item[i].name : NULL;
}

struct name **dir_own(struct dirnode **root, const struct dirkey *k)
{
	return dir_make_thick(root, k) ? dir_place(*root, k) : NULL;
}

void dir_remove(struct dirnode **root, const struct dirkey *k)
{
	struct dirnode *n = *root;
	bool equal;
	unsigned i;
	while (n->o.level)
		n = dir_child(n)[dir_branch(n, k)];
	i = dir_search(n, k, 0, &equal);
	obj_unref(n->item[i].name);
	dir_close_gap(n, i);
	if (n == *root && !n->o.n) {
		*root = NULL;
		free(n);
	}
}
