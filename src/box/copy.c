/*
 * What both directions of a copy share.
 */
#include "box/copy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reach/reach.h"

int copy_open(int dir, const char *name, int flags, unsigned mode)
{
	return reach_open(dir, name, flags | O_NOFOLLOW, mode, REACH_BELOW);
}

void copy_stat_free(struct copy_stat *st)
{
	free(st->name);
	free(st->link);
	*st = (struct copy_stat){0};
}

bool copy_stat_read(struct wire_iter it, struct copy_stat *st)
{
	bool bad = false;

	*st = (struct copy_stat){
		.name = wire_string(it, WIRE_F_NAME, &bad), .link = wire_string(it, WIRE_F_LINK, &bad),
		.mode = (uint32_t)wire_number(it, WIRE_F_MODE, 0, &bad),
		.size = wire_number(it, WIRE_F_SIZE, 0, &bad),
		.mtime = wire_number(it, WIRE_F_MTIME, 0, &bad),
	};
	if (!bad)
		return true;
	copy_stat_free(st);
	return false;
}

int copy_ask(struct copy *cp, enum wire_type type, const char *path,
	     void (*more)(struct wire_out *o, const void *ctx), const void *ctx, struct bx_conn *c,
	     struct wire_frame *f)
{
	struct tbx_store *store = cp->b.store;
	int status = bx_connect(&cp->b, c);

	if (status)
		return status;
	wire_begin(&c->out, type);
	wire_text(&c->out, WIRE_F_PATH, path);
	if (more)
		more(&c->out, ctx);
	wire_end(&c->out);
	status = bx_send(c, bx_step(store));
	if (!status && f)
		status = bx_answer(c, f, bx_step(store));
	if (status)
		bx_conn_close(c);
	return status;
}

static void state_field(struct wire_out *o, const void *ctx)
{
	wire_u8(o, WIRE_F_STATE, *(const enum wire_tree *)ctx);
}

int copy_tree(struct copy *cp, const char *path, enum wire_tree state)
{
	size_t n = strlen(path);

	cp->base = n + (n && path[n - 1] != '/');
	return copy_ask(cp, WIRE_TREE, path, state_field, &state, &cp->tree, NULL);
}

static void follow_field(struct wire_out *o, const void *ctx)
{
	wire_u8(o, WIRE_F_FOLLOW, *(const bool *)ctx);
}

int copy_stat(struct copy *cp, const char *path, bool follow, struct copy_stat *st, bool *found)
{
	struct wire_field_in field;
	struct wire_frame f;
	struct bx_conn c;
	int status = copy_ask(cp, WIRE_STAT, path, follow_field, &follow, &c, &f);

	*found = !status;
	if (status == TBX_ERR_FILE)
		return TBX_OK;
	if (status)
		return status;
	if (!wire_find(wire_fields(&f), WIRE_F_STAT, &field) ||
	    !copy_stat_read(wire_nested(&field), st))
		status = bx_fail(cp->b.store, TBX_ERR_PROTOCOL, "%s: what %s is was not told", cp->b.id,
				 path);
	bx_conn_close(&c);
	return status;
}

void copy_skip(struct copy *cp, const char *path, const char *why)
{
	json_t *item = json_object();

	bx_put(item, "path", bx_json_text(path));
	bx_put(item, "why", json_string(why));
	json_array_append_new(cp->skipped, item);
}

char *copy_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return bx_format("%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

char *copy_name(const char *path)
{
	size_t n = strlen(path), start;

	while (n > 1 && path[n - 1] == '/')
		n--;
	start = n;
	while (start && path[start - 1] != '/')
		start--;
	if (n - start == 1 && path[start] == '.')
		return strdup("");
	return strndup(path + start, n == 1 && *path == '/' ? 0 : n - start);
}

int copy_done(struct copy *cp, int status, struct tbx_doc **doc)
{
	json_t *root = json_object();

	bx_put(root, "box", json_string(cp->b.id));
	bx_put_number(root, "files", cp->files);
	bx_put_number(root, "directories", cp->dirs);
	bx_put_number(root, "links", cp->links);
	bx_put_number(root, "bytes", cp->bytes);
	bx_put(root, "skipped", cp->skipped);
	bx_close(&cp->b);
	*doc = NULL;
	if (!status)
		return bx_doc(cp->b.store, root, doc);
	json_decref(root);
	return status;
}
