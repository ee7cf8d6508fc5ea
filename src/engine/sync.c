/*
 * TREE: a tree of the box's files in one conversation (wire.h). What is there is told by digests;
 * what is to be is written beside it and put in its place in one turn of the loop, then stored with one
 * commit, so that after anything the store has the tree before or after it.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/sync.h"
#include "tree/tree.h"

#define PART 65536u

static struct tsb_sandbox *box_of(struct conn *c)
{
	return virtual_sandbox(c->server->box);
}

void sync_failed(struct conn *c, enum wire_error code, int error, const char *path)
{
	conn_error(c, code, error, "%s: %s", path, tsb_strerror(error));
}

/* Below the tree's root; malloc */
char *sync_path(const struct sync *y, const char *below)
{
	size_t n = strlen(y->root), m = strlen(below);
	char *s;

	return asprintf(&s, "%s%s%s", y->root, m && y->root[n - 1] != '/' ? "/" : "", below) < 0 ? NULL : s;
}

/* ---- What is there ---- */

struct scan {
	struct conn *c;
	struct ft_path path;	/* below the root, as the client names it */
	struct ft_node *dir;	/* that is being listed */
	bool top;
	int error;
	uint8_t *buf;
};

static int add_entry(void *ctx, const char *name, const struct tsb_stat *st)
{
	struct scan *s = ctx;
	struct ft_node *e;

	if (s->top && !strcmp(name, FT_STAGE))
		return 0;
	e = ft_add(s->dir, name, strlen(name));
	if (!e) {
		s->error = ENOMEM;
		return 1;
	}
	e->kind = S_ISREG(st->mode) ? FT_FILE : S_ISDIR(st->mode) ? FT_DIR : S_ISLNK(st->mode) ?
		  FT_LINK : FT_OTHER;
	e->mode = e->kind == FT_LINK ? 0777 : st->mode & 0777;
	e->size = e->kind == FT_FILE ? st->size : 0;
	e->mtime = (uint64_t)st->mtime.sec * NS + (uint64_t)st->mtime.nsec;
	return 0;
}

static int hash_file(struct scan *s, const char *path, struct ft_node *e)
{
	struct tsb_stream *in;
	struct sum sum;
	uint64_t at = 0;
	ssize_t n;

	if (tsb_stream_open(box_of(s->c), path, false, 0, &in))
		return tsb_errno(box_of(s->c));
	sum_begin(&sum);
	while ((n = tsb_stream_read(in, s->buf, PART, at)) > 0) {
		sum_add(&sum, s->buf, (size_t)n);
		at += (uint64_t)n;
	}
	sum_end(&sum, e->hash);
	e->size = at;
	tsb_stream_close(in);
	return n < 0 ? (int)-n : 0;
}

static int hash_link(struct scan *s, const char *path, struct ft_node *e)
{
	struct sum sum;
	size_t n;

	if (tsb_read_link(box_of(s->c), path, (char *)s->buf, PART, &n))
		return tsb_errno(box_of(s->c));
	sum_begin(&sum);
	sum_add(&sum, s->buf, n);
	sum_end(&sum, e->hash);
	e->size = n;
	return 0;
}

static bool scan_dir(struct scan *s, struct ft_node *dir, const struct ft_node *known, bool all,
		     unsigned depth);

static bool scan_entry(struct scan *s, struct ft_node *e, const struct ft_node *known, bool all,
		       unsigned depth)
{
	char *path;
	int error = 0;

	if (e->kind == FT_DIR) {
		known = known ? ft_find(known, e->name, strlen(e->name)) : NULL;
		e->opaque = !all && !known;
		if (e->opaque)
			return true;
		if (depth < FT_DEPTH)
			return scan_dir(s, e, known, all, depth + 1);
		s->error = ELOOP;
		return false;
	}
	path = sync_path(s->c->sync, ft_path(&s->path));
	if (!path)
		error = ENOMEM;
	else if (e->kind == FT_FILE)
		error = hash_file(s, path, e);
	else if (e->kind == FT_LINK)
		error = hash_link(s, path, e);
	free(path);
	/* gone meanwhile: it is an entry that is equal to none, and the next sync sees */
	if (error == ENOENT)
		e->kind = FT_OTHER;
	else
		s->error = error;
	return !s->error;
}

static bool scan_dir(struct scan *s, struct ft_node *dir, const struct ft_node *known, bool all,
		     unsigned depth)
{
	char *path = sync_path(s->c->sync, ft_path(&s->path));
	size_t n = s->path.n;
	bool good = path;

	s->dir = dir;
	s->top = !n;
	if (path && tsb_list(box_of(s->c), path, add_entry, s))
		s->error = s->error ? s->error : tsb_errno(box_of(s->c));
	free(path);
	good = good && !s->error;
	for (size_t i = 0; good && i < dir->count; i++) {
		good = ft_push(&s->path, dir->child[i].name) &&
			scan_entry(s, &dir->child[i], known, all, depth);
		if (good)
			ft_pop(&s->path, n);
	}
	return good && ft_seal(dir);
}

struct emit {
	struct conn *c;
	const char *base;	/* of what is told whole; NULL: against what is known */
};

static bool emit(void *ctx, const struct ft_node *dir, const char *path)
{
	struct emit *e = ctx;
	const struct ft_node *known = e->base ? NULL : ft_at(&e->c->sync->known, path);
	struct ft_path full = {NULL, 0, 0};
	bool good = true;

	if (known && !dir->opaque && !memcmp(known->hash, dir->hash, FT_HASH))
		return true;
	if (e->base && *e->base)
		good = ft_push(&full, e->base);
	if (good && *path)
		good = ft_push(&full, path);
	if (good)
		ft_list(&e->c->out, dir, ft_path(&full));
	free(full.s);
	return good && !e->c->out.failed;
}

/* base: of which everything is read; NULL: the tree, what is known of it. False: the client was told. */
static bool read_dir(struct conn *c, const char *base, struct ft_node *here)
{
	struct scan s = {.c = c, .buf = malloc(PART)};
	bool good = s.buf && (!base || !*base || ft_push(&s.path, base));

	good = good && scan_dir(&s, here, &c->sync->known, base != NULL, 0);
	if (!good)
		sync_failed(c, WIRE_ERROR_FILE, s.error ? s.error : ENOMEM, ft_path(&s.path));
	free(s.path.s);
	free(s.buf);
	return good;
}

static bool list_dir(struct conn *c, const char *base, uint8_t hash[FT_HASH])
{
	struct sync *y = c->sync;
	struct ft_node here = {.kind = FT_DIR};
	struct emit e = {c, base};
	bool good = true;

	if (base || !ft_take_ahead(&y->ahead, &here))
		good = read_dir(c, base, &here);
	if (good && !ft_each_dir(&here, emit, &e))
		sync_failed(c, WIRE_ERROR_SYSTEM, ENOMEM, y->root);
	memcpy(hash, here.hash, FT_HASH);
	ft_free(&here);
	return good;
}

/* The client reads its own meanwhile; then it names its directories again. */
static void read_ahead(struct conn *c)
{
	struct sync *y = c->sync;

	ft_free(&y->ahead.node);
	ft_sort_all(&y->known);
	if (!y->missing && !read_dir(c, NULL, &y->ahead.node))
		return;
	ft_free(&y->known);
	y->ahead.there = !y->missing;
}

static void list_paths(struct conn *c, struct wire_iter it)
{
	struct wire_field_in field;
	uint8_t hash[FT_HASH];
	bool bad = false, good = true;

	while (good && !bad && wire_step(&it, &field)) {
		char *path = field.name == WIRE_F_PATH ? wire_copy(&field, &bad) : NULL;
		char *full = path && ft_is_path(path) ? sync_path(c->sync, path) : NULL;
		struct tsb_stat st;

		if (full && !tsb_stat_file(box_of(c), full, &st) && S_ISDIR(st.mode))
			good = list_dir(c, path, hash);
		free(full);
		free(path);
	}
	if (bad)
		conn_error(c, WIRE_ERROR_REQUEST, 0, "TREE_LIST is damaged");
	if (!bad && good)
		sync_said(c);
}

static void on_list(struct conn *c, struct wire_iter it)
{
	uint8_t hash[FT_HASH] = {0};
	struct wire_field_in field;

	if (wire_find(it, WIRE_F_PATH, &field)) {
		list_paths(c, it);
		return;
	}
	if (wire_find(it, WIRE_F_MORE, &field)) {
		read_ahead(c);
		return;
	}
	ft_sort_all(&c->sync->known);
	if (!c->sync->missing && !list_dir(c, NULL, hash))
		return;
	wire_begin(&c->out, WIRE_OK);
	wire_bytes(&c->out, WIRE_F_HASH, hash, sizeof(hash));
	if (c->sync->missing)
		wire_u8(&c->out, WIRE_F_GONE, 1);
	wire_end(&c->out);
	conn_flush(c);
}

/* ---- What is fetched ---- */

static void on_get(struct conn *c, const struct wire_frame *f)
{
	struct sync *y = c->sync;

	y->names = malloc(f->size ? f->size : 1);
	if (!y->names) {
		sync_failed(c, WIRE_ERROR_SYSTEM, ENOMEM, y->root);
		return;
	}
	memcpy(y->names, f->body, f->size);
	y->left = (struct wire_iter){y->names, y->names + f->size, false};
	sync_more(c);
}

static void put_head(struct conn *c, const char *path, const struct tsb_stat *st, const char *link)
{
	wire_begin(&c->out, WIRE_TREE_PUT);
	wire_text(&c->out, WIRE_F_PATH, path);
	wire_u32(&c->out, WIRE_F_MODE, st->mode);
	wire_u64(&c->out, WIRE_F_MTIME, (uint64_t)st->mtime.sec * NS + (uint64_t)st->mtime.nsec);
	wire_text(&c->out, WIRE_F_LINK, link);
	wire_end(&c->out);
}

static void begin_get(struct conn *c, const char *path)
{
	struct sync *y = c->sync;
	char *full = sync_path(y, path), link[TSB_PATH_MAX + 1];
	struct tsb_stat st;
	size_t n;

	if (!full || tsb_stat_file(box_of(c), full, &st)) {
		sync_failed(c, WIRE_ERROR_FILE, full ? tsb_errno(box_of(c)) : ENOMEM, path);
	} else if (S_ISLNK(st.mode)) {
		if (tsb_read_link(box_of(c), full, link, sizeof(link) - 1, &n))
			n = 0;
		link[n] = '\0';
		put_head(c, path, &st, link);
	} else if (!S_ISREG(st.mode) || tsb_stream_open(box_of(c), full, false, 0, &y->out)) {
		sync_failed(c, WIRE_ERROR_FILE, S_ISREG(st.mode) ? tsb_errno(box_of(c)) : EINVAL, path);
	} else {
		put_head(c, path, &st, NULL);
		sum_begin(&y->sum);
		y->at = 0;
	}
	free(full);
}

/* A part of the file that is being sent. */
static void send_part(struct conn *c)
{
	struct sync *y = c->sync;
	uint8_t buf[2048], hash[FT_HASH];
	ssize_t n = 0;

	for (unsigned i = 0; i < 32 && (n = tsb_stream_read(y->out, buf, sizeof(buf), y->at)) > 0; i++) {
		sum_add(&y->sum, buf, (size_t)n);
		wire_data(&c->out, WIRE_DATA_OUT, buf, (size_t)n);
		y->at += (uint64_t)n;
	}
	if (n > 0)
		return;
	tsb_stream_close(y->out);
	y->out = NULL;
	if (n < 0) {
		sync_failed(c, WIRE_ERROR_FILE, (int)-n, y->root);
		return;
	}
	sum_end(&y->sum, hash);
	wire_begin(&c->out, WIRE_TREE_END);
	wire_bytes(&c->out, WIRE_F_HASH, hash, sizeof(hash));
	wire_end(&c->out);
}

void sync_more(struct conn *c)
{
	struct sync *y = c->sync;
	struct wire_field_in field;
	bool bad = false;

	while (c->state == CONN_TREE && y->names && c->out.size < FLOW_HIGH) {
		char *path;

		if (y->out) {
			send_part(c);
			continue;
		}
		if (!wire_step(&y->left, &field)) {
			free(y->names);
			y->names = NULL;
			sync_said(c);
			return;
		}
		path = field.name == WIRE_F_PATH ? wire_copy(&field, &bad) : NULL;
		if (path && *path && ft_is_path(path))
			begin_get(c, path);
		else if (bad || path)
			conn_error(c, WIRE_ERROR_REQUEST, 0, "TREE_GET is damaged");
		free(path);
	}
	conn_flush(c);
}

/* ---- The conversation ---- */

void sync_said(struct conn *c)
{
	wire_begin(&c->out, WIRE_OK);
	wire_end(&c->out);
	conn_flush(c);
}

static void on_known(struct conn *c, struct wire_iter it)
{
	struct wire_field_in field;

	if (!wire_find(it, WIRE_F_ENTRIES, &field) ||
	    !ft_take_known(field.data, field.size, &c->sync->known))
		conn_error(c, WIRE_ERROR_REQUEST, 0, "TREE_KNOWN is damaged");
}

void sync_frame(struct conn *c, const struct wire_frame *f)
{
	if (f->type == WIRE_ALIVE)
		return;
	if (f->type != WIRE_DATA_IN && !wire_whole(wire_fields(f))) {
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "a frame is damaged");
		return;
	}
	if (c->sync->names) {
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "frame %d comes before the answer", (int)f->type);
		return;
	}
	switch (f->type) {
	case WIRE_TREE_KNOWN: on_known(c, wire_fields(f)); break;
	case WIRE_TREE_LIST: on_list(c, wire_fields(f)); break;
	case WIRE_TREE_GET: on_get(c, f); break;
	default: sync_change(c, f); break;
	}
}

static bool is_busy(struct conn *c)
{
	for (struct conn *o = c->server->conns; o; o = o->next)
		if (o != c && !o->dead && o->sync && o->sync->state == WIRE_TREE_SYNC &&
		    !strcmp(o->sync->root, c->sync->root))
			return true;
	return false;
}

/* As other requests name files; slashes at its end go. */
static char *root_of(struct conn *c, struct wire_iter it)
{
	bool bad = false;
	char *path = wire_string(it, WIRE_F_PATH, &bad), *full = NULL;

	if (path && *path && strlen(path) <= TSB_PATH_MAX)
		full = virtual_path(c->server->box, path);
	for (size_t n = full ? strlen(full) : 0; n > 1 && full[n - 1] == '/'; n--)
		full[n - 1] = '\0';
	free(path);
	return full;
}

/* What a server that was killed left: done if it was to be, and gone. False: the client was told. */
static bool clear_stage(struct conn *c)
{
	struct sync *y = c->sync;
	char *stage = sync_path(y, FT_STAGE);
	struct tsb_stat st;
	bool there = stage && !tsb_stat_file(box_of(c), stage, &st), good = true;

	if (there && y->keyed && S_ISDIR(st.mode))
		good = sync_finish(c);
	if (there && good && (y->again || y->state == WIRE_TREE_SYNC)) {
		y->kept = false;
		sync_unstage(c, y);
		tsb_remove(box_of(c), stage);
		server_commit(c->server);
	}
	free(stage);
	return good;
}

/* asked: whether the client wants to know at once that there is none */
static void open_tree(struct conn *c, bool asked)
{
	struct sync *y = c->sync;
	struct tsb_stat st;
	bool busy = y->state != WIRE_TREE_PLAIN && is_busy(c);

	y->missing = tsb_stat_target(box_of(c), y->root, &st) != 0;
	if (!y->missing && !S_ISDIR(st.mode)) {
		sync_failed(c, WIRE_ERROR_FILE, ENOTDIR, y->root);
	} else if (y->state == WIRE_TREE_SYNC && busy) {
		y->state = WIRE_TREE_LOOK;
		conn_error(c, WIRE_ERROR_BUSY, 0, "another sync is at work in %s", y->root);
	} else if (y->state == WIRE_TREE_PLAIN && y->missing &&
		   tsb_make_dir(box_of(c), y->root, 0755)) {
		sync_failed(c, WIRE_ERROR_FILE, tsb_errno(box_of(c)), y->root);
	} else if (y->state != WIRE_TREE_PLAIN && !busy && !y->missing && !clear_stage(c)) {
		return;
	} else if (y->missing && y->state != WIRE_TREE_PLAIN && asked) {
		wire_begin(&c->out, WIRE_TREE_LIST);
		wire_u8(&c->out, WIRE_F_GONE, 1);
		wire_end(&c->out);
		conn_flush(c);
	}
}

void sync_request(struct conn *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct wire_field_in key;
	bool bad = false, asked = wire_number(it, WIRE_F_GONE, 0, &bad) != 0;

	c->sync = calloc(1, sizeof(*c->sync));
	if (!c->sync) {
		conn_error(c, WIRE_ERROR_SYSTEM, ENOMEM, "no memory");
		return;
	}
	c->sync->known.kind = c->sync->ahead.node.kind = FT_DIR;
	c->sync->state = (enum wire_tree)wire_number(it, WIRE_F_STATE, WIRE_TREE_LOOK, &bad);
	c->sync->root = root_of(c, it);
	c->sync->keyed = wire_find(it, WIRE_F_HASH, &key) && key.size == FT_HASH;
	if (c->sync->keyed)
		memcpy(c->sync->key, key.data, FT_HASH);
	if (bad || !c->sync->root || c->sync->state > WIRE_TREE_PLAIN) {
		conn_error(c, WIRE_ERROR_REQUEST, 0, "PATH is missing or too long");
		return;
	}
	c->state = CONN_TREE;
	open_tree(c, asked);
}

void sync_free(struct conn *c)
{
	struct sync *y = c->sync;

	if (!y)
		return;
	c->sync = NULL;
	tsb_stream_close(y->in);
	tsb_stream_close(y->out);
	sync_unstage(c, y);
	if (y->state == WIRE_TREE_PLAIN)
		server_commit(c->server);
	ft_free(&y->known);
	ft_free(&y->ahead.node);
	free(y->root);
	free(y->file);
	free(y->temp);
	free(y->names);
	free(y);
}
