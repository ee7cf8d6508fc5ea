/*
 * The last part of the conformance suite: random operations on the backend and on
 * a model that is too simple to be wrong. After each, the result and the counts of
 * statfs() must be equal; now and then the whole tree. Some runs have tight
 * quotas; some branch midway, and the branch must still be what it was at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conformance_impl.h"

#define NODES 400
#define NAMES 400
#define OPEN 5
#define FILE_MAX 30000u
#define BLOCKS_MAX 32

struct node {
	bool used;
	uint32_t type;
	uint64_t size;
	char *data;			/* FILE_MAX bytes, zero behind size */
	bool written[BLOCKS_MAX];
	int names, handles;
};

struct entry {
	bool used;
	int dir, node;
	char name[4];
};

struct model {
	struct node node[NODES];	/* 0 is the root */
	struct entry entry[NAMES];
	uint64_t bytes_max, entries_max, block;
	bool holes_cost;
};

struct random_run {
	struct suite *s;
	struct model *m;
	struct tsb_file *open[OPEN];
	int open_node[OPEN];
	uint64_t seed, base_bytes, base_entries;
};

static uint32_t roll(struct random_run *r, uint32_t n)
{
	r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(r->seed >> 33) % n;
}

/* ---- The model ---- */

static uint64_t model_charge(const struct model *m, const struct node *n)
{
	uint64_t sum = 0;
	if (m->holes_cost)
		return n->size;
	for (uint64_t i = 0; i * m->block < n->size; i++) {
		uint64_t end = (i + 1) * m->block;
		if (n->written[i])
			sum += (end < n->size ? end : n->size) - i * m->block;
	}
	return sum;
}

static void model_usage(const struct model *m, uint64_t *bytes, uint64_t *entries)
{
	*bytes = *entries = 0;
	for (int i = 1; i < NODES; i++) {
		const struct node *n = &m->node[i];
		if (!n->used)
			continue;
		*entries += (uint64_t)(n->names ? n->names : 1);
		if (S_ISREG(n->type))
			*bytes += model_charge(m, n);
	}
}

static uint64_t model_left(const struct model *m)
{
	uint64_t bytes, entries;
	model_usage(m, &bytes, &entries);
	return m->bytes_max - bytes;
}

static bool model_full(const struct model *m)
{
	uint64_t bytes, entries;
	model_usage(m, &bytes, &entries);
	return entries >= m->entries_max;
}

static void model_reap(struct model *m, int i)
{
	struct node *n = &m->node[i];
	if (n->names || n->handles || i == 0)
		return;
	free(n->data);
	memset(n, 0, sizeof(*n));
}

static int model_new(struct model *m, uint32_t type)
{
	for (int i = 1; i < NODES; i++) {
		if (m->node[i].used)
			continue;
		m->node[i] = (struct node){ .used = true, .type = type,
					    .data = calloc(1, FILE_MAX) };
		return i;
	}
	return -1;
}

static struct entry *model_entry(struct model *m, int dir, const char *name)
{
	for (int i = 0; i < NAMES; i++)
		if (m->entry[i].used && m->entry[i].dir == dir && !strcmp(m->entry[i].name, name))
			return &m->entry[i];
	return NULL;
}

static void model_add(struct model *m, int dir, const char *name, int node)
{
	for (int i = 0; i < NAMES; i++) {
		if (m->entry[i].used)
			continue;
		m->entry[i] = (struct entry){ true, dir, node, "" };
		strcpy(m->entry[i].name, name);
		m->node[node].names++;
		return;
	}
}

static void model_remove(struct model *m, struct entry *e)
{
	e->used = false;
	m->node[e->node].names--;
	model_reap(m, e->node);
}

static bool model_empty(const struct model *m, int dir)
{
	for (int i = 0; i < NAMES; i++)
		if (m->entry[i].used && m->entry[i].dir == dir)
			return false;
	return true;
}

/* A path's directory and last name; the node, or -1. */
struct place {
	int dir, node;
	char name[4];
	struct entry *e;
};

static int model_find(struct model *m, const char *path, struct place *p)
{
	*p = (struct place){ -1, 0, "", NULL };
	path++;
	while (*path) {
		size_t n = strcspn(path, "/");
		if (p->node < 0)
			return -ENOENT;
		if (!S_ISDIR(m->node[p->node].type))
			return -ENOTDIR;
		p->dir = p->node;
		memcpy(p->name, path, n);
		p->name[n] = '\0';
		p->e = model_entry(m, p->dir, p->name);
		p->node = p->e ? p->e->node : -1;
		path += n + (path[n] == '/');
	}
	return 0;
}

static long model_make(struct model *m, const char *path, uint32_t type, int *node)
{
	struct place p;
	int rc = model_find(m, path, &p);
	if (rc)
		return rc;
	if (p.node >= 0)
		return -EEXIST;
	if (model_full(m))
		return -ENOSPC;
	*node = model_new(m, type);
	model_add(m, p.dir, p.name, *node);
	return 0;
}

static long model_unlink(struct model *m, const char *path, bool dir)
{
	struct place p;
	int rc = model_find(m, path, &p);
	if (rc)
		return rc;
	if (p.node < 0)
		return -ENOENT;
	if (S_ISDIR(m->node[p.node].type) != dir)
		return dir ? -ENOTDIR : -EISDIR;
	if (dir && !model_empty(m, p.node))
		return -ENOTEMPTY;
	model_remove(m, p.e);
	return 0;
}

static long model_link(struct model *m, const char *from, const char *to)
{
	struct place f, t;
	int rc = model_find(m, from, &f);
	if (!rc && f.node < 0)
		rc = -ENOENT;
	if (!rc)
		rc = model_find(m, to, &t);
	if (rc)
		return rc;
	if (t.node >= 0)
		return -EEXIST;
	if (S_ISDIR(m->node[f.node].type))
		return -EPERM;
	if (model_full(m))
		return -ENOSPC;
	model_add(m, t.dir, t.name, f.node);
	return 0;
}

static bool model_inside(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	return !strncmp(path, dir, n) && path[n] == '/';
}

static long model_rename(struct model *m, const char *from, const char *to, bool exchange)
{
	struct place f, t;
	int rc = model_find(m, from, &f), node;
	if (!rc)
		rc = model_find(m, to, &t);
	if (rc || f.node < 0)
		return rc ? rc : -ENOENT;
	if (exchange && t.node < 0)
		return -ENOENT;
	if (model_inside(to, from))
		return -EINVAL;
	if (model_inside(from, to))
		return exchange ? -EINVAL : -ENOTEMPTY;
	if (f.node == t.node)
		return 0;
	node = f.node;
	if (exchange) {
		f.e->node = t.node;
		t.e->node = node;
		return 0;
	}
	if (t.node >= 0) {
		bool f_dir = S_ISDIR(m->node[f.node].type), t_dir = S_ISDIR(m->node[t.node].type);
		if (f_dir != t_dir)
			return f_dir ? -ENOTDIR : -EISDIR;
		if (t_dir && !model_empty(m, t.node))
			return -ENOTEMPTY;
		model_remove(m, t.e);
	}
	model_add(m, t.dir, t.name, node);
	model_remove(m, f.e);
	return 0;
}

static void model_write_byte(struct model *m, struct node *n, uint64_t at, char c)
{
	n->data[at] = c;
	n->written[at / m->block] = true;
	if (at >= n->size)
		n->size = at + 1;
}

/* Byte for byte, until the quota says no. */
static long model_write(struct model *m, struct node *n, const char *buf, size_t count,
			uint64_t at)
{
	uint64_t left = model_left(m), before = model_charge(m, n);
	for (size_t i = 0; i < count; i++) {
		struct node was = *n;
		char old = n->data[at + i];
		model_write_byte(m, n, at + i, buf[i]);
		if (model_charge(m, n) - before > left && model_charge(m, n) > before) {
			*n = was;
			n->data[at + i] = old;
			return i ? (long)i : -ENOSPC;
		}
	}
	return (long)count;
}

static long model_truncate(struct model *m, struct node *n, uint64_t size)
{
	uint64_t left = model_left(m), before = model_charge(m, n), old = n->size;
	n->size = size;
	if (size > old && model_charge(m, n) > before && model_charge(m, n) - before > left) {
		n->size = old;
		return -ENOSPC;
	}
	if (size < old) {
		memset(n->data + size, 0, (size_t)(old - size));
		for (uint64_t i = (size + m->block - 1) / m->block; i < BLOCKS_MAX; i++)
			n->written[i] = false;
	}
	return 0;
}

static struct model *model_copy(const struct model *m)
{
	struct model *c = malloc(sizeof(*c));
	*c = *m;
	for (int i = 0; i < NODES; i++) {
		c->node[i].handles = 0;
		if (!c->node[i].data)
			continue;
		c->node[i].data = malloc(FILE_MAX);
		memcpy(c->node[i].data, m->node[i].data, FILE_MAX);
		model_reap(c, i);
	}
	return c;
}

static void model_free(struct model *m)
{
	for (int i = 0; i < NODES; i++)
		free(m->node[i].data);
	free(m);
}

/* ---- Comparing trees ---- */

static bool same_file(struct suite *s, struct tsb_fs *fs, const char *path, const struct node *n)
{
	char *buf = malloc(FILE_MAX);
	int rc;
	struct tsb_file *f = suite_open(s, fs, path, O_RDONLY, 0, &rc);
	ssize_t got = f ? fs->ops->read_at(f, buf, FILE_MAX, 0) : -1;
	bool same = got == (ssize_t)n->size && !memcmp(buf, n->data, n->size);
	if (f)
		suite_close(f);
	free(buf);
	return same;
}

static int count_names(struct suite *s, struct tsb_fs *fs, const char *path)
{
	_Alignas(8) char buf[512];
	int rc, count = 0;
	ssize_t n;
	struct tsb_file *d = suite_open(s, fs, path, O_RDONLY | O_DIRECTORY, 0, &rc);
	if (!d)
		return -1;
	while ((n = fs->ops->readdir(d, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n; p += ((struct tsb_dirent *)p)->size)
			count++;
	suite_close(d);
	return count;
}

static bool same_tree(struct suite *s, struct tsb_fs *fs, const struct model *m, int dir,
		      const char *path)
{
	int names = 0;
	for (int i = 0; i < NAMES; i++) {
		const struct entry *e = &m->entry[i];
		const struct node *n = &m->node[e->node];
		struct tsb_stat st;
		char below[256];
		if (!e->used || e->dir != dir)
			continue;
		names++;
		snprintf(below, sizeof(below), "%s/%s", path, e->name);
		if (fs->ops->lstat(fs, &s->who, below, &st) || (st.mode & S_IFMT) != n->type)
			return false;
		if (S_ISREG(n->type) && ((int)st.nlink != n->names || !same_file(s, fs, below, n)))
			return false;
		if (S_ISDIR(n->type) && !same_tree(s, fs, m, e->node, below))
			return false;
	}
	return count_names(s, fs, *path ? path : "/") == names;
}

/* ---- Random operations ---- */

static void random_path(struct random_run *r, char *to)
{
	uint32_t depth = 1 + roll(r, 3);
	*to = '\0';
	for (uint32_t i = 0; i < depth; i++) {
		char name[3] = { '/', (char)('a' + roll(r, 5)), '\0' };
		strcat(to, name);
	}
}

static bool random_open(struct random_run *r, const char *path)
{
	static const int more[] = { 0, 0, O_CREAT, O_CREAT, O_TRUNC, O_CREAT | O_EXCL,
				    O_CREAT | O_TRUNC };
	int flags = O_RDWR | more[roll(r, 7)], rc, node = -1;
	uint32_t h = roll(r, OPEN);
	struct model *m = r->m;
	struct place p;
	long want;

	if (r->open[h]) {
		suite_close(r->open[h]);
		m->node[r->open_node[h]].handles--;
		model_reap(m, r->open_node[h]);
		r->open[h] = NULL;
	}
	want = model_find(m, path, &p);
	if (!want && p.node < 0) {
		want = flags & O_CREAT ? model_make(m, path, S_IFREG, &node) : -ENOENT;
	} else if (!want) {
		node = p.node;
		if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
			want = -EEXIST;
		else if (S_ISDIR(m->node[node].type))
			want = -EISDIR;
		else if (flags & O_TRUNC)
			model_truncate(m, &m->node[node], 0);
	}
	r->open[h] = suite_open(r->s, r->s->fs, path, flags, 0644, &rc);
	if (r->open[h]) {
		r->open_node[h] = node;
		if (node >= 0)
			m->node[node].handles++;
	}
	return want == rc;
}

/* Read, write, truncate or close a handle. */
static bool random_handle(struct random_run *r)
{
	static char buf[FILE_MAX], all[FILE_MAX];
	uint32_t h = roll(r, OPEN);
	struct tsb_file *f = r->open[h];
	uint64_t at = roll(r, 3) ? roll(r, 300) : roll(r, FILE_MAX / 2);
	size_t n = roll(r, 3) ? roll(r, 200) : roll(r, FILE_MAX / 2);
	struct node *node;
	long want;
	if (!f)
		return true;
	node = &r->m->node[r->open_node[h]];
	switch (roll(r, 4)) {
	case 0:
		want = at < node->size ? (long)(node->size - at < n ? node->size - at : n) : 0;
		return f->ops->read_at(f, buf, n, at) == want && !memcmp(buf, node->data + at,
									   (size_t)want);
	case 1:
		want = model_truncate(r->m, node, at);
		return f->ops->truncate(f, &r->s->who, at) == want;
	case 2:
		if (roll(r, 3))
			return true;
		want = (long)node->size;
		r->open[h] = NULL;
		if (f->ops->read_at(f, all, FILE_MAX, 0) != want ||
		    memcmp(all, node->data, (size_t)want) || suite_close(f))
			return false;
		node->handles--;
		model_reap(r->m, r->open_node[h]);
		return true;
	default:
		memset(buf, 'a' + (int)roll(r, 26), n);
		want = model_write(r->m, node, buf, n, at);
		return f->ops->write_at(f, &r->s->who, buf, n, at) == want;
	}
}

static bool random_step(struct random_run *r)
{
	struct suite *s = r->s;
	struct tsb_fs *fs = s->fs;
	char a[16], b[16];
	bool exchange = !(s->lacks & TSB_LACKS_EXCHANGE) && roll(r, 3) == 0;
	int node;
	random_path(r, a);
	random_path(r, b);
	switch (roll(r, 12)) {
	case 0:
	case 1:
		return fs->ops->mkdir(fs, &s->who, a, 0755) == model_make(r->m, a, S_IFDIR, &node);
	case 2:
		return fs->ops->unlink(fs, &s->who, a) == model_unlink(r->m, a, false);
	case 3:
		return fs->ops->rmdir(fs, &s->who, a) == model_unlink(r->m, a, true);
	case 4:
	case 5:
		return fs->ops->rename(fs, &s->who, a, b, exchange ? TSB_RENAME_EXCHANGE : 0) ==
		       model_rename(r->m, a, b, exchange);
	case 6:
		return s->lacks & TSB_LACKS_LINKS ||
		       fs->ops->link(fs, &s->who, a, b) == model_link(r->m, a, b);
	case 7:
	case 8:
		return random_open(r, a);
	default:
		return random_handle(r);
	}
}

static bool random_usage(struct random_run *r)
{
	uint64_t bytes, entries, want_bytes, want_entries;
	if (r->s->lacks & TSB_LACKS_QUOTA)
		return true;
	suite_usage(r->s->fs, &bytes, &entries);
	model_usage(r->m, &want_bytes, &want_entries);
	return bytes - r->base_bytes == want_bytes && entries - r->base_entries == want_entries;
}

/* The branch must be what the model was; then the filesystem goes back to it. */
static bool random_branch_end(struct random_run *r, struct tsb_fs *branch, struct model *then)
{
	bool good = same_tree(r->s, branch, then, 0, "");
	uint64_t bytes, entries, want_bytes, want_entries;
	suite_usage(branch, &bytes, &entries);
	model_usage(then, &want_bytes, &want_entries);
	good = good && bytes - r->base_bytes == want_bytes &&
	       entries - r->base_entries == want_entries;
	for (int h = 0; h < OPEN; h++)
		if (r->open[h])
			suite_close(r->open[h]);
	good = good && r->s->fs->ops->restore(r->s->fs, branch) == 0 &&
	       same_tree(r->s, r->s->fs, then, 0, "");
	suite_usage(r->s->fs, &bytes, &entries);
	good = good && bytes - r->base_bytes == want_bytes;
	branch->ops->free(branch);
	model_free(then);
	return good;
}

static const char *random_run(struct suite *s, uint64_t seed, int steps)
{
	struct random_run r = { .s = s, .seed = seed };
	struct tsb_fs *branch = NULL;
	struct model *then = NULL;
	struct tsb_statfs st = { 0 };
	const char *fault = NULL;
	bool branches = s->fs->ops->branch && !(s->lacks & TSB_LACKS_BRANCH) && seed % 2;

	r.m = calloc(1, sizeof(*r.m));
	r.m->node[0] = (struct node){ .used = true, .type = S_IFDIR, .names = 1 };
	s->fs->ops->statfs(s->fs, &st);
	suite_usage(s->fs, &r.base_bytes, &r.base_entries);
	r.m->block = st.block_size ? st.block_size : 4096;
	r.m->holes_cost = s->lacks & TSB_LACKS_HOLES;
	r.m->bytes_max = st.bytes_free;
	r.m->entries_max = st.entries_free < 300 ? st.entries_free : 300;
	if (s->lacks & TSB_LACKS_QUOTA)
		r.m->bytes_max = r.m->entries_max = UINT64_MAX;
	for (int i = 0; i < steps && !fault; i++) {
		if (branches && i == steps / 2 && !s->fs->ops->branch(s->fs, &branch))
			then = model_copy(r.m);
		if (!random_step(&r))
			fault = "a result";
		else if (!random_usage(&r))
			fault = "the counts of statfs";
		else if (i % 50 == 0 && !same_tree(s, s->fs, r.m, 0, ""))
			fault = "the tree";
	}
	if (branch && !random_branch_end(&r, branch, then) && !fault)
		fault = "the branch";
	for (int h = 0; h < OPEN && !branch; h++)
		if (r.open[h])
			suite_close(r.open[h]);
	model_free(r.m);
	return fault;
}

void suite_random(struct suite *s)
{
	for (uint64_t seed = 1; seed <= 24; seed++) {
		uint64_t bytes = seed % 3 == 0 ? 20000 : (uint64_t)1 << 40;
		uint64_t entries = seed % 5 == 0 ? 12 : 100000;
		const char *fault;
		char name[64];
		suite_fresh(s, bytes, entries, (uint64_t)1 << 40);
		fault = random_run(s, seed, 3000);
		snprintf(name, sizeof(name), "random operations, seed %d", (int)seed);
		suite_check(s, !fault, name, fault);
		suite_end(s);
	}
}
