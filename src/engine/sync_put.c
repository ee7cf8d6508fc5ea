/*
 * TREE: what changes. Of a SYNC everything is staged, and done in one go at its end; a PLAIN copy
 * puts each file in its place when it is whole.
 */
#include "engine/sync.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct tsb_sandbox *box_of(struct conn *c)
{
	return virtual_sandbox(c->server->box);
}

void sync_unstage(struct conn *c, struct sync *y)
{
	char *stage = y->staged && !y->kept ? sync_path(y, FT_STAGE) : NULL;

	if (stage)
		tsb_remove(box_of(c), stage);
	else if (y->temp)
		tsb_remove(box_of(c), y->temp);
	free(stage);
	y->staged = y->kept = y->again = false;
	for (size_t i = 0; i < y->count; i++)
		free(y->ops[i].path);
	free(y->ops);
	y->ops = NULL;
	y->count = y->cap = 0;
}

bool sync_note(struct sync *y, enum wire_type what, const char *path, uint32_t number, uint32_t mode)
{
	char *copy = strdup(path);

	if (y->count == y->cap) {
		size_t cap = y->cap ? y->cap * 2 : 64;
		struct sync_op *ops = realloc(y->ops, cap * sizeof(*ops));

		if (ops) {
			y->ops = ops;
			y->cap = cap;
		}
	}
	if (!copy || y->count == y->cap) {
		free(copy);
		return false;
	}
	y->ops[y->count++] = (struct sync_op){(uint8_t)what, number, mode, copy};
	return true;
}

/* A name for what is not whole; malloc */
static char *temp_name(struct conn *c, const char *path)
{
	struct sync *y = c->sync;
	char name[64], *below, *full;
	const char *slash = strrchr(path, '/');

	if (y->state == WIRE_TREE_SYNC) {
		snprintf(name, sizeof(name), FT_STAGE "/f%u", (unsigned)y->number++);
		return sync_path(y, name);
	}
	snprintf(name, sizeof(name), "%s.tinybox-%llx-%u", slash ? "/" : "", (unsigned long long)now_ns(),
		 (unsigned)y->number++);
	if (asprintf(&below, "%.*s%s", slash ? (int)(slash - path) : 0, path, name) < 0)
		return NULL;
	full = sync_path(y, below);
	free(below);
	return full;
}

/* The client was told that it is not there: somebody's own is not for it. */
static int make_root(struct conn *c)
{
	struct sync *y = c->sync;
	struct tsb_stat st;

	if (!y->missing || y->state != WIRE_TREE_SYNC)
		return 0;
	if (!tsb_stat_target(box_of(c), y->root, &st))
		return EEXIST;
	if (tsb_make_dir(box_of(c), y->root, 0755))
		return tsb_errno(box_of(c));
	y->missing = false;
	return 0;
}

static int need_stage(struct conn *c)
{
	struct sync *y = c->sync;
	char *stage;
	int error = y->staged ? 0 : make_root(c);

	if (error || y->staged || y->state != WIRE_TREE_SYNC)
		return error;
	stage = sync_path(y, FT_STAGE);
	if (!stage)
		return ENOMEM;
	if (tsb_make_dir(box_of(c), stage, 0700))
		error = tsb_errno(box_of(c));
	free(stage);
	y->staged = !error;
	return error;
}

/* What stands there is replaced, as a file is by a file; not a directory. */
static int replace_link(struct tsb_sandbox *box, const char *target, const char *at)
{
	struct tsb_stat st;
	int error = tsb_make_link(box, target, at) ? tsb_errno(box) : 0;

	if (error != EEXIST || tsb_stat_file(box, at, &st) || S_ISDIR(st.mode))
		return error;
	return tsb_remove(box, at) || tsb_make_link(box, target, at) ? tsb_errno(box) : 0;
}

static int put_link(struct conn *c, const char *path, const char *target)
{
	struct sync *y = c->sync;
	uint32_t number = y->number;
	char *at = y->state == WIRE_TREE_SYNC ? temp_name(c, path) : sync_path(y, path);
	int error = at ? 0 : ENOMEM;

	if (at)
		error = replace_link(box_of(c), target, at);
	if (!error && y->state == WIRE_TREE_SYNC && !sync_note(y, WIRE_TREE_PUT, path, number, 0))
		error = ENOMEM;
	free(at);
	return error;
}

static int put_dir(struct conn *c, const char *path, uint32_t mode)
{
	struct sync *y = c->sync;
	char *at;
	int error = 0;

	if (y->state == WIRE_TREE_SYNC)
		return sync_note(y, WIRE_TREE, path, 0, mode & 0777) ? 0 : ENOMEM;
	at = sync_path(y, path);
	if (!at || tsb_make_dir(box_of(c), at, mode & 0777))
		error = at ? tsb_errno(box_of(c)) : ENOMEM;
	free(at);
	return error;
}

static int put_file(struct conn *c, const char *path)
{
	struct sync *y = c->sync;

	y->file = strdup(path);
	y->temp = temp_name(c, path);
	y->at = 0;
	sum_begin(&y->sum);
	if (!y->file || !y->temp)
		return ENOMEM;
	return tsb_stream_open(box_of(c), y->temp, true, y->mode & (y->state == WIRE_TREE_SYNC ? 0777 : 07777),
			       &y->in) ?
	       tsb_errno(box_of(c)) : 0;
}

static void on_put(struct conn *c, const char *path, struct wire_iter it)
{
	struct sync *y = c->sync;
	bool bad = false;
	char *link = wire_string(it, WIRE_F_LINK, &bad);
	int error;

	y->mode = (uint32_t)wire_number(it, WIRE_F_MODE, 0, &bad);
	y->mtime = wire_number(it, WIRE_F_MTIME, 0, &bad);
	error = need_stage(c);
	if (!error && !bad && S_ISREG(y->mode))
		error = put_file(c, path);
	else if (!error && !bad && S_ISDIR(y->mode))
		error = put_dir(c, path, y->mode);
	else if (!error)
		error = !bad && S_ISLNK(y->mode) && link && *link ? put_link(c, path, link) : EINVAL;
	free(link);
	if (error)
		sync_failed(c, WIRE_ERROR_FILE, error, path);
}

/* ---- The file that comes ---- */

static void on_data(struct conn *c, const struct wire_frame *f)
{
	struct sync *y = c->sync;
	int rc = tsb_stream_write(y->in, f->body, f->size, y->at);

	sum_add(&y->sum, f->body, f->size);
	y->at += f->size;
	if (rc)
		sync_failed(c, WIRE_ERROR_FILE, -rc, y->file);
}

static int place(struct conn *c)
{
	struct sync *y = c->sync;
	struct tsb_time mtime = { (int64_t)(y->mtime / NS), (int32_t)(y->mtime % NS) };
	char *full;
	int error = tsb_stream_close(y->in) ? tsb_errno(box_of(c)) : 0;

	y->in = NULL;
	if (!error && y->mtime && tsb_set_times(box_of(c), y->temp, mtime))
		error = tsb_errno(box_of(c));
	if (!error && y->state == WIRE_TREE_SYNC)
		return sync_note(y, WIRE_TREE_PUT, y->file, y->number - 1, 0) ? 0 : ENOMEM;
	full = error ? NULL : sync_path(y, y->file);
	if (!error && (!full || tsb_rename_file(box_of(c), y->temp, full)))
		error = full ? tsb_errno(box_of(c)) : ENOMEM;
	free(full);
	return error;
}

static void on_end(struct conn *c, struct wire_iter it)
{
	struct sync *y = c->sync;
	struct wire_field_in theirs;
	uint8_t hash[FT_HASH];
	int error;

	sum_end(&y->sum, hash);
	if (!wire_find(it, WIRE_F_HASH, &theirs) || theirs.size != FT_HASH ||
	    memcmp(theirs.data, hash, FT_HASH)) {
		conn_error(c, WIRE_ERROR_FILE, EIO, "%s: what arrived is not what was sent; try again",
			   y->file);
		return;
	}
	error = place(c);
	if (error) {
		sync_failed(c, WIRE_ERROR_FILE, error, y->file);
		return;
	}
	free(y->file);
	free(y->temp);
	y->file = y->temp = NULL;
}

/* ---- All of it ---- */

static int do_remove(struct conn *c, const char *full)
{
	return tsb_remove(box_of(c), full) && tsb_errno(box_of(c)) != ENOENT ? tsb_errno(box_of(c)) : 0;
}

/* In the stage: its own place is where it goes to, so that it can be done again. */
static int do_remove_staged(struct conn *c, const struct sync_op *op, const char *full)
{
	char name[64], *away;
	struct tsb_stat st;
	int error = ENOMEM;

	snprintf(name, sizeof(name), FT_STAGE "/t%u", (unsigned)op->number);
	away = sync_path(c->sync, name);
	if (away && !tsb_stat_file(box_of(c), away, &st)) {
		error = 0;
	} else if (away) {
		error = tsb_rename_file(box_of(c), full, away) ? tsb_errno(box_of(c)) : 0;
		/* (the mark is a directory) */
		if (error && error != ENOENT && error != ENOTDIR)
			error = do_remove(c, full);
		else if (error)
			error = 0;
		if (!error && tsb_stat_file(box_of(c), away, &st) && tsb_make_dir(box_of(c), away, 0700))
			error = tsb_errno(box_of(c));
	}
	free(away);
	return error;
}

static int do_dir(struct conn *c, const char *full)
{
	struct tsb_stat st;

	if (c->sync->again && !tsb_stat_file(box_of(c), full, &st) && S_ISDIR(st.mode))
		return 0;
	return tsb_make_dir(box_of(c), full, 0700) ? tsb_errno(box_of(c)) : 0;
}

static int do_put(struct conn *c, const struct sync_op *op, const char *full)
{
	char name[64], *from;
	struct tsb_stat st;
	int error = ENOMEM;

	snprintf(name, sizeof(name), FT_STAGE "/f%u", (unsigned)op->number);
	from = sync_path(c->sync, name);
	/* it has its place */
	if (from && c->sync->again && tsb_stat_file(box_of(c), from, &st)) {
		free(from);
		return 0;
	}
	/* a directory that came into its place meanwhile */
	if (from && !tsb_stat_file(box_of(c), full, &st) && S_ISDIR(st.mode))
		tsb_remove(box_of(c), full);
	if (from)
		error = tsb_rename_file(box_of(c), from, full) ? tsb_errno(box_of(c)) : 0;
	free(from);
	return error;
}

static int do_mode(struct conn *c, const char *full, uint32_t mode)
{
	struct tsb_stat st;

	/* never through a link */
	if (tsb_stat_file(box_of(c), full, &st) || S_ISLNK(st.mode))
		return 0;
	return tsb_set_mode(box_of(c), full, mode & 0777) ? tsb_errno(box_of(c)) : 0;
}

static int do_op(struct conn *c, const struct sync_op *op, enum wire_type what)
{
	char *full = sync_path(c->sync, op->path);
	int error = full ? 0 : ENOMEM;

	if (full && what == WIRE_TREE_REMOVE)
		error = c->sync->staged ? do_remove_staged(c, op, full) : do_remove(c, full);
	else if (full && what == WIRE_TREE_MODE)
		error = do_mode(c, full, op->mode);
	else if (full && op->what == WIRE_TREE)
		error = do_dir(c, full);
	else if (full)
		error = do_put(c, op, full);
	free(full);
	if (error)
		sync_failed(c, WIRE_ERROR_FILE, error, op->path);
	return error;
}

/* Removals, then what is new, then modes: the last first, so that directories can be entered. */
int sync_do_all(struct conn *c)
{
	struct sync *y = c->sync;
	int error = 0;

	for (size_t i = 0; !error && i < y->count; i++)
		if (y->ops[i].what == WIRE_TREE_REMOVE)
			error = do_op(c, &y->ops[i], WIRE_TREE_REMOVE);
	for (size_t i = 0; !error && i < y->count; i++)
		if (y->ops[i].what == WIRE_TREE_PUT || y->ops[i].what == WIRE_TREE)
			error = do_op(c, &y->ops[i], WIRE_TREE_PUT);
	/* an error has dropped the connection, perhaps, and y with it */
	for (size_t i = error ? 0 : y->count; !error && i--; )
		if (y->ops[i].what == WIRE_TREE_MODE || y->ops[i].what == WIRE_TREE)
			error = do_op(c, &y->ops[i], WIRE_TREE_MODE);
	return error;
}

static void on_commit(struct conn *c)
{
	struct sync *y = c->sync;
	int error = y->count ? need_stage(c) : make_root(c);

	if (!error && y->count)
		error = sync_journal(c);
	if (error) {
		sync_failed(c, WIRE_ERROR_FILE, error, y->root);
		return;
	}
	if (sync_do_all(c))
		return;
	y->kept = false;
	sync_unstage(c, y);
	server_commit(c->server);
	conn_ok(c);
}

static void on_path(struct conn *c, enum wire_type type, const char *path, struct wire_iter it)
{
	struct sync *y = c->sync;
	bool bad = false;
	uint32_t mode = (uint32_t)wire_number(it, WIRE_F_MODE, 0, &bad);
	struct sync_op op = {(uint8_t)type, 0, mode, (char *)(uintptr_t)path};

	if (type == WIRE_TREE_PUT)
		on_put(c, path, it);
	else if (bad)
		conn_error(c, WIRE_ERROR_REQUEST, 0, "MODE is damaged");
	else if (y->state != WIRE_TREE_SYNC)
		do_op(c, &op, type);
	else if (!sync_note(y, type, path, type == WIRE_TREE_REMOVE ? y->number++ : 0, mode))
		sync_failed(c, WIRE_ERROR_SYSTEM, ENOMEM, path);
}

void sync_change(struct conn *c, const struct wire_frame *f)
{
	struct sync *y = c->sync;
	bool bad = false, known = f->type == WIRE_TREE_PUT || f->type == WIRE_TREE_MODE ||
		f->type == WIRE_TREE_REMOVE;
	char *path;

	if (f->type == WIRE_DATA_IN && y->in) {
		on_data(c, f);
		return;
	}
	if (f->type == WIRE_TREE_END && y->in) {
		on_end(c, wire_fields(f));
		return;
	}
	if (f->type == WIRE_CLOSE_IN && !y->in) {
		on_commit(c);
		return;
	}
	path = known && !y->in && y->state != WIRE_TREE_LOOK ? wire_string(wire_fields(f), WIRE_F_PATH, &bad) :
	       NULL;
	if (path && *path && ft_is_path(path))
		on_path(c, f->type, path, wire_fields(f));
	else
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "frame %d does not belong there", (int)f->type);
	free(path);
}
