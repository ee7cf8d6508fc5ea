/*
 * What is in a snapshot whose files only its own kind of box can read: a box is made of it, its
 * directories are listed with the digests of their files, and it goes again.
 */
#include "box/copy.h"
#include "box/snap.h"
#include "tree/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What no box writes to disk, and the commands of a virtual box, which are the engine's. */
static bool is_outside(const char *path, bool whole)
{
	static const char *const outside[] = { "/usr", "/bin", "/proc", "/dev", "/sys", "/run", NULL };

	/* in an image they are files like others */
	for (size_t i = whole ? 2 : 0; outside[i]; i++)
		if (!strcmp(path, outside[i]))
			return true;
	return false;
}

static const char *type_of(enum ft_kind kind)
{
	return kind == FT_FILE ? "file" : kind == FT_DIR ? "directory" : kind == FT_LINK ? "link" : "other";
}

static void put_entry(json_t *tree, const char *dir, const struct ft_node *n)
{
	json_t *entry = json_object();
	char mode[16], *hash = n->kind == FT_DIR ? NULL : bx_hex(n->hash, sizeof(n->hash));
	char *path = copy_join(dir, n->name);

	snprintf(mode, sizeof(mode), "%04o", n->mode & 07777);
	bx_put(entry, "type", json_string(type_of(n->kind)));
	bx_put(entry, "mode", json_string(mode));
	if (n->kind == FT_FILE)
		bx_put_number(entry, "size", n->size);
	bx_put(entry, "hash", hash ? json_string(hash) : NULL);
	if (path && bx_is_utf8(path, strlen(path)))
		json_object_set(tree, path, entry);
	json_decref(entry);
	free(path);
	free(hash);
}

/* One list: the entries of a directory below `top`. */
static int take_list(struct bx_conn *c, const struct wire_frame *f, const char *top, json_t *tree)
{
	struct wire_field_in entries;
	struct ft_node node = {.kind = FT_DIR};
	bool bad = false;
	char *below = wire_string(wire_fields(f), WIRE_F_PATH, &bad), *dir;
	int status = TBX_OK;

	dir = below && *below ? copy_join(top, below) : strdup(top);
	if (bad || !below || !dir || !wire_find(wire_fields(f), WIRE_F_ENTRIES, &entries) ||
	    !ft_unpack(entries.data, entries.size, &node))
		status = bx_fail(c->store, TBX_ERR_PROTOCOL, "%s: a list of files is damaged", c->what);
	for (size_t i = 0; !status && i < node.count; i++)
		put_entry(tree, dir, &node.child[i]);
	ft_free(&node);
	free(below);
	free(dir);
	return status;
}

/* All below one directory, with digests, in one conversation. */
static int list_tree(struct bx *b, const char *top, json_t *tree)
{
	const uint8_t key[32] = {0};
	struct wire_frame f;
	struct bx_conn c;
	int status = bx_connect(b, &c);

	if (status)
		return status;
	wire_begin(&c.out, WIRE_TREE);
	wire_text(&c.out, WIRE_F_PATH, top);
	wire_u8(&c.out, WIRE_F_STATE, WIRE_TREE_LOOK);
	wire_bytes(&c.out, WIRE_F_HASH, key, sizeof(key));
	wire_end(&c.out);
	wire_begin(&c.out, WIRE_TREE_LIST);
	wire_text(&c.out, WIRE_F_PATH, "");
	wire_end(&c.out);
	status = bx_send(&c, bx_step(b->store));
	while (!status) {
		status = bx_receive(&c, &f, bx_step(b->store));
		if (status || f.type == WIRE_OK)
			break;
		if (f.type == WIRE_ERROR)
			status = bx_wire_error(&c, &f);
		else if (f.type == WIRE_TREE_LIST && wire_whole(wire_fields(&f)))
			status = take_list(&c, &f, top, tree);
	}
	bx_conn_close(&c);
	return status;
}

/* The directories of / that are the box's own. */
static int top_dirs(struct copy *cp, bool whole, json_t *dirs)
{
	struct wire_field_in field;
	struct copy_stat st;
	struct wire_frame f;
	struct wire_iter it;
	struct bx_conn c;
	int status = copy_ask(cp, WIRE_LIST, "/", NULL, NULL, &c, &f);

	if (status)
		return status;
	it = wire_fields(&f);
	while (wire_step(&it, &field)) {
		char *path;

		if (field.name != WIRE_F_STAT || !copy_stat_read(wire_nested(&field), &st))
			continue;
		path = st.name ? copy_join("/", st.name) : NULL;
		if (path && S_ISDIR(st.mode) && !is_outside(path, whole))
			json_array_append_new(dirs, bx_json_text(path));
		free(path);
		copy_stat_free(&st);
	}
	bx_conn_close(&c);
	return status;
}

static int list_all(struct tbx_store *store, const char *box, bool whole, json_t *tree)
{
	json_t *dirs = json_array();
	struct copy cp = {0};
	int status = bx_open(store, box, BX_LOCK_NONE, &cp.b), opened = status;

	if (!status)
		status = top_dirs(&cp, whole, dirs);
	for (size_t i = 0; !status && i < json_array_size(dirs); i++) {
		char *path = bx_json_copy(json_array_get(dirs, i));

		status = path ? list_tree(&cp.b, path, tree) : bx_memory(store);
		free(path);
	}
	if (!opened)
		bx_close(&cp.b);
	json_decref(dirs);
	return status;
}

int bx_snap_look_at(struct tbx_store *store, struct tbx_spec *spec, bool whole, json_t *tree)
{
	struct tbx_doc *box;
	int status, removed;

	spec->transient = true;
	status = tbx_create(store, spec, &box);
	if (status)
		return status;
	status = list_all(store, tbx_doc_text(box, "id"), whole, tree);
	removed = tbx_remove(store, tbx_doc_text(box, "id"), 0);
	tbx_doc_free(box);
	return status ? status : removed;
}

int bx_snap_look(struct tbx_store *store, const char *id, json_t *tree)
{
	struct tbx_spec spec = TBX_SPEC_INIT;

	spec.source = TBX_SOURCE_SNAPSHOT;
	spec.from = id;
	return bx_snap_look_at(store, &spec, false, tree);
}

/* What the machine was made of, for another one. */
static void take_machine(struct tbx_spec *spec, const json_t *theirs, char **image)
{
	const json_t *machine = json_object_get(theirs, "machine");

	*image = bx_json_copy(json_object_get(machine, "image"));
	spec->image = *image;
	spec->kernel = bx_text(machine, "kernel");
	spec->accel = bx_text(machine, "accel");
}

int bx_snap_look_new(struct tbx_store *store, const char *sandbox, const json_t *theirs, json_t *tree)
{
	const struct bx_keeping *k = bx_keeping(store, sandbox);
	struct tbx_spec spec = TBX_SPEC_INIT;
	char *image = NULL;
	int status;

	if (!k || k->tree)
		return k ? TBX_OK : TBX_ERR_UNSUPPORTED;
	spec.sandbox = sandbox;
	if (!strcmp(sandbox, "microvm"))
		take_machine(&spec, theirs, &image);
	status = bx_snap_look_at(store, &spec, false, tree);
	free(image);
	return status;
}
