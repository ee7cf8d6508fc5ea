/*
 * Nodes, their digests, and ENTRIES. Nothing that comes from the other side is believed: each name is
 * one component, each size is compared with what is there, two entries of one name are refused.
 */
#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

#include "tree/sum.h"

#define PART (512u << 10)	/* of one ENTRIES field */

/* A single name: not empty, not . or .., no slash, no NUL, not too long. */
static bool ft_is_name(const char *s, size_t n)
{
	if (!n || n > 255 || memchr(s, '/', n) || memchr(s, '\0', n))
		return false;
	return !(s[0] == '.' && (n == 1 || (n == 2 && s[1] == '.')));
}

bool ft_is_path(const char *s)
{
	if (!*s)
		return true;
	if (strlen(s) > FT_PATH)
		return false;
	for (;;) {
		size_t n = strcspn(s, "/");

		if (!ft_is_name(s, n))
			return false;
		if (!s[n])
			return true;
		s += n + 1;
	}
}

/* ---- Paths ---- */

bool ft_push(struct ft_path *p, const char *name)
{
	size_t n = strlen(name), need = p->n + n + 2;

	if (need > p->cap) {
		size_t cap = need * 2;
		char *s = realloc(p->s, cap);

		if (!s)
			return false;
		p->s = s;
		p->cap = cap;
	}
	if (p->n)
		p->s[p->n++] = '/';
	memcpy(p->s + p->n, name, n + 1);
	p->n += n;
	return true;
}

void ft_pop(struct ft_path *p, size_t n)
{
	p->n = n;
	if (p->s)
		p->s[n] = '\0';
}

const char *ft_path(const struct ft_path *p)
{
	return p->s ? p->s : "";
}

/* ---- Nodes ---- */

struct ft_node *ft_add(struct ft_node *dir, const char *name, size_t n)
{
	struct ft_node *node;

	if (dir->count == dir->cap) {
		size_t cap = dir->cap ? dir->cap * 2 : 8;

		node = cap > SIZE_MAX / 2 / sizeof(*node) ? NULL :
		       realloc(dir->child, cap * sizeof(*node));
		if (!node)
			return NULL;
		dir->child = node;
		dir->cap = cap;
	}
	node = &dir->child[dir->count];
	*node = (struct ft_node){.name = strndup(name, n)};
	if (!node->name)
		return NULL;
	dir->count++;
	return node;
}

/* As deep as trees are: FT_DEPTH. */
void ft_free(struct ft_node *node)
{
	for (size_t i = 0; i < node->count; i++) {
		ft_free(&node->child[i]);
		free(node->child[i].name);
	}
	free(node->child);
	node->child = NULL;
	node->count = node->cap = 0;
}

bool ft_take_ahead(struct ft_ahead *a, struct ft_node *here)
{
	if (!a->there)
		return false;
	*here = a->node;
	*a = (struct ft_ahead){.node = {.kind = FT_DIR}};
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct ft_node *x = a, *y = b;

	return strcmp(x->name, y->name);
}

bool ft_sort(struct ft_node *dir)
{
	if (dir->count)
		qsort(dir->child, dir->count, sizeof(*dir->child), by_name);
	for (size_t i = 1; i < dir->count; i++)
		if (!strcmp(dir->child[i - 1].name, dir->child[i].name))
			return false;
	return true;
}

static void sum_entry(struct sum *s, const struct ft_node *e)
{
	size_t n = strlen(e->name);
	uint8_t head[5] = {(uint8_t)e->kind, (uint8_t)e->mode, (uint8_t)(e->mode >> 8), (uint8_t)n,
			   (uint8_t)(n >> 8)};

	/* a link has no permissions of its own */
	if (e->kind == FT_LINK)
		head[1] = head[2] = 0;
	sum_add(s, head, sizeof(head));
	sum_add(s, e->name, n);
	sum_add(s, e->hash, FT_HASH);
}

bool ft_seal(struct ft_node *dir)
{
	struct sum s;

	if (!ft_sort(dir))
		return false;
	sum_begin(&s);
	for (size_t i = 0; i < dir->count; i++) {
		/* a socket or a pipe has no digest: a directory with one is equal to none */
		if (dir->child[i].opaque || dir->child[i].kind == FT_OTHER)
			dir->opaque = true;
		sum_entry(&s, &dir->child[i]);
	}
	sum_end(&s, dir->hash);
	return true;
}

bool ft_seal_all(struct ft_node *dir)
{
	for (size_t i = 0; i < dir->count; i++)
		if (dir->child[i].kind == FT_DIR && !ft_seal_all(&dir->child[i]))
			return false;
	return ft_seal(dir);
}

struct ft_node *ft_find(const struct ft_node *dir, const char *name, size_t n)
{
	size_t low = 0, high = dir->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const char *at = dir->child[mid].name;
		int c = strncmp(at, name, n);

		if (!c && at[n])
			c = 1;
		if (!c)
			return &dir->child[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

struct ft_node *ft_at(const struct ft_node *root, const char *path)
{
	const struct ft_node *node = root;

	while (node && *path) {
		size_t n = strcspn(path, "/");

		node = ft_find(node, path, n);
		path += n + (path[n] == '/');
	}
	return (struct ft_node *)(uintptr_t)node;
}

/* ---- ENTRIES ---- */

/*
 * An entry: u8 kind ('D': a directory without a digest), u16 mode, u64 size, u64 mtime, 32 bytes of
 * digest, u16 length of the name, the name.
 */
#define ENTRY_HEAD (1u + 2 + 8 + 8 + FT_HASH + 2)

static void put_number(uint8_t *at, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		at[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t get_number(const uint8_t *at, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)at[i] << 8 * i;
	return v;
}

static void pack_entry(struct wire_out *o, const struct ft_node *e)
{
	uint8_t head[ENTRY_HEAD];
	size_t n = strlen(e->name);

	head[0] = e->kind == FT_DIR && e->opaque ? 'D' : (uint8_t)e->kind;
	put_number(head + 1, e->mode, 2);
	put_number(head + 3, e->size, 8);
	put_number(head + 11, e->mtime, 8);
	memcpy(head + 19, e->hash, FT_HASH);
	put_number(head + 19 + FT_HASH, n, 2);
	wire_raw(o, head, sizeof(head));
	wire_raw(o, e->name, n);
}

/*
 * The entries of a directory from *from on, as one ENTRIES field of at most half a MiB or so;
 * *from is then where to go on.
 */
static void ft_pack(struct wire_out *o, const struct ft_node *dir, size_t *from)
{
	size_t mark = wire_nest(o, WIRE_F_ENTRIES);

	while (*from < dir->count && o->size - mark < PART)
		pack_entry(o, &dir->child[(*from)++]);
	wire_unnest(o, mark);
}

static bool unpack_entry(const uint8_t *at, size_t n, struct ft_node *dir)
{
	bool opaque = at[0] == 'D';
	struct ft_node *e;

	if (!opaque && at[0] != FT_FILE && at[0] != FT_DIR && at[0] != FT_LINK &&
	    at[0] != FT_OTHER)
		return false;
	if (!ft_is_name((const char *)at + ENTRY_HEAD, n))
		return false;
	e = ft_add(dir, (const char *)at + ENTRY_HEAD, n);
	if (!e)
		return false;
	e->kind = opaque ? FT_DIR : (enum ft_kind)at[0];
	e->opaque = opaque;
	e->mode = (uint32_t)get_number(at + 1, 2) & 0777;
	e->size = get_number(at + 3, 8);
	e->mtime = get_number(at + 11, 8);
	memcpy(e->hash, at + 19, FT_HASH);
	return true;
}

bool ft_unpack(const uint8_t *data, size_t n, struct ft_node *dir)
{
	while (n) {
		size_t name = n < ENTRY_HEAD ? 0 : (size_t)get_number(data + ENTRY_HEAD - 2, 2);

		if (!name || n - ENTRY_HEAD < name || !unpack_entry(data, name, dir))
			return false;
		data += ENTRY_HEAD + name;
		n -= ENTRY_HEAD + name;
	}
	return true;
}

void ft_list(struct wire_out *o, const struct ft_node *dir, const char *path)
{
	size_t from = 0;

	do {
		wire_begin(o, WIRE_TREE_LIST);
		wire_text(o, WIRE_F_PATH, path);
		ft_pack(o, dir, &from);
		wire_end(o);
	} while (from < dir->count && !o->failed);
}

/* ---- Directories of a tree ---- */

static bool each_dir(const struct ft_node *dir, struct ft_path *path,
		     bool (*fn)(void *ctx, const struct ft_node *dir, const char *path), void *ctx)
{
	size_t n = path->n;
	bool good = fn(ctx, dir, ft_path(path));

	for (size_t i = 0; good && i < dir->count; i++) {
		if (dir->child[i].kind != FT_DIR || (dir->child[i].opaque && !dir->child[i].child))
			continue;
		good = ft_push(path, dir->child[i].name) && each_dir(&dir->child[i], path, fn, ctx);
		ft_pop(path, n);
	}
	return good;
}

bool ft_each_dir(const struct ft_node *dir,
		   bool (*fn)(void *ctx, const struct ft_node *dir, const char *path), void *ctx)
{
	struct ft_path path = {NULL, 0, 0};
	bool good = each_dir(dir, &path, fn, ctx);

	free(path.s);
	return good;
}

/* KNOWN's entries: 32 bytes of digest, u16 length of the path, the path. */
struct knowing {
	struct wire_out *o;
	size_t mark;
};

static bool know(void *ctx, const struct ft_node *dir, const char *path)
{
	struct knowing *k = ctx;
	size_t n = strlen(path);
	uint8_t length[2];

	if (n > FT_PATH)
		return true;
	put_number(length, n, 2);
	if (k->mark && k->o->size - k->mark > PART) {
		wire_unnest(k->o, k->mark);
		wire_end(k->o);
		k->mark = 0;
	}
	if (!k->mark) {
		wire_begin(k->o, WIRE_TREE_KNOWN);
		k->mark = wire_nest(k->o, WIRE_F_ENTRIES);
	}
	wire_raw(k->o, dir->hash, FT_HASH);
	wire_raw(k->o, length, 2);
	wire_raw(k->o, path, n);
	return !k->o->failed;
}

void ft_known(struct wire_out *o, const struct ft_node *root)
{
	struct knowing k = {o, 0};

	ft_each_dir(root, know, &k);
	if (k.mark && !o->failed) {
		wire_unnest(o, k.mark);
		wire_end(o);
	}
}

/* Parents come before what is in them, and in one go: the last child is the one to look at. */
static struct ft_node *make_dirs(struct ft_node *root, const char *path)
{
	struct ft_node *node = root;

	while (node && *path) {
		size_t n = strcspn(path, "/");
		struct ft_node *last = node->count ? &node->child[node->count - 1] : NULL;

		if (!last || strncmp(last->name, path, n) || last->name[n])
			last = ft_add(node, path, n);
		if (last)
			last->kind = FT_DIR;
		node = last;
		path += n + (path[n] == '/');
	}
	return node;
}

static unsigned depth_of(const char *path)
{
	unsigned n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

bool ft_take_known(const uint8_t *data, size_t n, struct ft_node *root)
{
	char path[FT_PATH + 1];

	while (n) {
		size_t size = n < FT_HASH + 2 ? SIZE_MAX : (size_t)get_number(data + FT_HASH, 2);
		struct ft_node *dir;

		if (size > FT_PATH || n - FT_HASH - 2 < size)
			return false;
		memcpy(path, data + FT_HASH + 2, size);
		path[size] = '\0';
		if (strlen(path) != size || !ft_is_path(path) || depth_of(path) > FT_DEPTH)
			return false;
		dir = make_dirs(root, path);
		if (!dir)
			return false;
		memcpy(dir->hash, data, FT_HASH);
		data += FT_HASH + 2 + size;
		n -= FT_HASH + 2 + size;
	}
	return true;
}

void ft_sort_all(struct ft_node *root)
{
	ft_sort(root);
	for (size_t i = 0; i < root->count; i++)
		ft_sort_all(&root->child[i]);
}
