/*
 * How namespace and virtual boxes are kept: what they wrote becomes a layer, which is never written
 * again, and they go on above it. A box that runs in a namespace cannot be given another upper
 * directory: it is paused, and what it wrote is copied (docs/adr/0009).
 *
 * The record of the box names the layer before it is made ("sealing"); all steps after that can be done
 * again, so whoever has the box next brings it to its end.
 */
#include "box/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY 48			/* layers; then they are made one: each name that is not there is looked up in all */

static bool is_namespace(const json_t *record)
{
	const char *kind = json_string_value(bx_at(record, "placement.workspace.sandbox"));

	kind = kind ? kind : bx_text(record, "sandbox");
	return kind && !strcmp(kind, "namespace");
}

/* ---- Where layers are ---- */

static int layers_path(struct tbx_store *store, const json_t *target, const json_t *record, char **path)
{
	const char *place = bx_text(record, "place");
	char *far;
	int status;

	*path = NULL;
	if (!bx_is_ssh(target)) {
		*path = bx_format("%s/layers", store->path);
		return *path ? TBX_OK : bx_memory(store);
	}
	if (place) {
		*path = strdup(place);
		return *path ? TBX_OK : bx_memory(store);
	}
	status = bx_ssh_place(store, target, NULL, &far);
	if (status)
		return status;
	*path = bx_format("%s/layers-%s", far, store->tag);
	free(far);
	return *path ? TBX_OK : bx_memory(store);
}

int talk_open(struct tbx_store *store, const json_t *target, const json_t *record, struct talk *t)
{
	int status;

	*t = (struct talk){.c = {.store = store, .fd = -1, .child_err = -1}};
	status = layers_path(store, target, record, &t->layers);
	return status ? status : bx_host(store, target, &t->c);
}

int talk_of(struct tbx_store *store, const json_t *record, struct talk *t)
{
	return talk_open(store, json_object_get(record, "target"), record, t);
}

void talk_close(struct talk *t)
{
	bx_conn_close(&t->c);
	free(t->layers);
	t->layers = NULL;
}

void talk_ask(struct talk *t, enum wire_type type, const char *layer)
{
	wire_begin(&t->c.out, type);
	wire_text(&t->c.out, WIRE_F_LAYERS, t->layers);
	wire_text(&t->c.out, WIRE_F_LAYER, layer);
}

int talk_answer(struct talk *t, struct wire_frame *f)
{
	int status;

	wire_end(&t->c.out);
	status = bx_send(&t->c, bx_step(t->c.store));
	return status ? status : bx_answer(&t->c, f, bx_ticks() + LAYERS_LONG);
}

/* ---- Parts ---- */

json_t *layers_parts(json_t *record)
{
	json_t *parts = json_object_get(record, "parts");

	if (!parts) {
		parts = json_array();
		json_object_set_new(record, "parts", parts);
	}
	return parts;
}

json_t *layers_part(const char *name)
{
	json_t *part = json_object();

	bx_put(part, "name", json_string(name));
	return part;
}

/* The same objects in a list of its own: what is learnt of a part is learnt for both. */
static void share_parts(json_t *to, json_t *from)
{
	json_t *list = json_array();

	for (size_t i = 0; i < json_array_size(from); i++)
		json_array_append(list, json_array_get(from, i));
	json_object_set_new(to, "parts", list);
}

void bx_layers_fields(const struct bx *b, struct wire_out *o)
{
	json_t *parts = json_object_get(b->record, "parts");
	const char *wall = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));
	char *path;

	if (!json_array_size(parts) || !wall || !(is_namespace(b->record) || bx_is_machine(b->record) ||
						  !strcmp(wall, "virtual")))
		return;
	if (layers_path(b->store, json_object_get(b->record, "target"), b->record, &path)) {
		o->failed = true;
		return;
	}
	wire_text(o, WIRE_F_LAYERS, path);
	for (size_t i = 0; i < json_array_size(parts); i++)
		wire_text(o, WIRE_F_LAYER, bx_text(json_array_get(parts, i), "name"));
	free(path);
}

/* ---- Sealing ---- */

static int host_seal(struct bx *b, const char *layer, bool copy, bool *any)
{
	char *dir = bx_json_copy(json_object_get(b->record, "dir"));
	struct wire_frame f;
	struct talk t;
	bool bad = false;
	int status = dir ? talk_of(b->store, b->record, &t) : bx_memory(b->store);

	if (!status) {
		bx_put(b->record, "place", bx_is_ssh(json_object_get(b->record, "target")) ?
		       json_string(t.layers) : NULL);
		talk_ask(&t, WIRE_LAYER_SEAL, layer);
		wire_text(&t.c.out, WIRE_F_DIR, dir);
		wire_text(&t.c.out, WIRE_F_KIND, is_namespace(b->record) ? "namespace" : "virtual");
		wire_u8(&t.c.out, WIRE_F_COPY, copy);
		status = talk_answer(&t, &f);
		if (!status)
			*any = !wire_number(wire_fields(&f), WIRE_F_GONE, 0, &bad);
	}
	if (dir)
		talk_close(&t);
	free(dir);
	return status;
}

/* The server of a virtual box sets its list aside. TBX_ERR_STATE: it does not run. */
static int server_seal(struct bx *b, bool *any)
{
	struct wire_frame f;
	struct bx_conn c;
	bool bad = false;
	int status = bx_connect(b, &c);

	if (status)
		return status;
	wire_begin(&c.out, WIRE_SEAL);
	wire_end(&c.out);
	status = bx_send(&c, bx_step(b->store));
	if (!status)
		status = bx_answer(&c, &f, bx_ticks() + LAYERS_LONG);
	if (!status)
		*any = !wire_number(wire_fields(&f), WIRE_F_GONE, 0, &bad);
	bx_conn_close(&c);
	return status;
}

/* From wherever an earlier try has come to. *any: the layer is there. */
static int seal_now(struct bx *b, const char *layer, bool *any)
{
	int status = host_seal(b, layer, false, any);

	if (status || *any || is_namespace(b->record))
		return status;
	status = server_seal(b, any);
	if (status == TBX_ERR_STATE)
		return TBX_OK;		/* and then the host has looked at all there is */
	return status || !*any ? status : host_seal(b, layer, false, any);
}

static int finish(struct bx *b)
{
	const char *layer = bx_text(b->record, "sealing");
	json_t *parts = layers_parts(b->record);
	size_t last = json_array_size(parts);
	bool any = false;
	int status = seal_now(b, layer, &any);

	if (status)
		return status;
	if (!any && last && !strcmp(bx_text(json_array_get(parts, last - 1), "name"), layer))
		json_array_remove(parts, last - 1);
	json_object_del(b->record, "sealing");
	return bx_save(b);
}

int bx_seal_finish(struct bx *b)
{
	return bx_text(b->record, "sealing") ? finish(b) : TBX_OK;
}

/* Intent, action, done. */
static int seal(struct bx *b)
{
	char name[BX_NAME_MAX + 1];
	int status = bx_part_name(b->store, "layer", name);

	if (status)
		return status;
	json_array_append_new(layers_parts(b->record), layers_part(name));
	json_object_set_new(b->record, "sealing", json_string(name));
	status = bx_save(b);
	return status ? status : finish(b);
}

/* ---- A namespace box that runs ---- */

/* Frozen as long as the connection is there. */
static int hold(struct bx *b, struct bx_conn *c)
{
	struct wire_frame f;
	int status = bx_connect(b, c);

	if (status)
		return status;
	wire_begin(&c->out, WIRE_PAUSE);
	wire_u8(&c->out, WIRE_F_HOLD, 1);
	wire_end(&c->out);
	status = bx_ask(c, &f);
	if (status)
		bx_conn_close(c);
	return status;
}

static int copy_running(struct bx *b, struct bx_snap *s)
{
	char name[BX_NAME_MAX + 1];
	struct bx_conn c;
	bool any = false;
	int status = bx_part_name(b->store, "layer", name);

	if (status)
		return status;
	share_parts(s->record, layers_parts(b->record));
	json_array_append_new(layers_parts(s->record), layers_part(name));
	status = bx_snap_save(s);
	if (!status)
		status = hold(b, &c);
	if (status)
		return status;
	bx_progress(b->store, "%s: paused, what it wrote is copied", b->id);
	status = host_seal(b, name, true, &any);
	bx_conn_close(&c);
	if (!status && !any)
		json_array_remove(layers_parts(s->record), json_array_size(layers_parts(s->record)) - 1);
	return status;
}

/* ---- Many layers ---- */

/* Lists can be read by the engine only. */
static int engine_of(struct bx *b, struct talk *t)
{
	const json_t *target = json_object_get(b->record, "target");
	int status;

	*t = (struct talk){.c = {.store = b->store, .fd = -1, .child_err = -1}};
	status = layers_path(b->store, target, b->record, &t->layers);
	return status ? status : bx_program(b->store, target, "tinybox-engine", "merge", &t->c);
}

static int ask_merge(struct bx *b, json_t *parts, const char *name)
{
	struct wire_frame f;
	struct talk t;
	int status = is_namespace(b->record) ? talk_of(b->store, b->record, &t) : engine_of(b, &t);

	if (status) {
		talk_close(&t);
		return status;
	}
	bx_progress(b->store, "%s: its layers become one", b->id);
	talk_ask(&t, WIRE_LAYER_MERGE, name);
	for (size_t i = 0; i < json_array_size(parts); i++)
		wire_text(&t.c.out, WIRE_F_FROM, bx_text(json_array_get(parts, i), "name"));
	status = talk_answer(&t, &f);
	talk_close(&t);
	return status;
}

/* The snapshot names the old ones until the new one is there. A box that runs keeps its own. */
static int merge(struct bx *b, struct bx_snap *s, bool running)
{
	json_t *old = json_incref(json_object_get(s->record, "parts")), *one = json_array();
	char name[BX_NAME_MAX + 1];
	int status = bx_part_name(b->store, "layer", name);

	if (!status) {
		json_array_append_new(one, layers_part(name));
		share_parts(s->record, old);
		json_array_append(layers_parts(s->record), json_array_get(one, 0));
		status = bx_snap_save(s);
	}
	if (!status)
		status = ask_merge(b, old, name);
	if (!status) {
		share_parts(s->record, one);
		status = bx_snap_save(s);
	}
	/* a server of a virtual box has read them: only the next start needs any */
	if (!status && (!running || !is_namespace(b->record))) {
		share_parts(b->record, one);
		status = bx_save(b);
		if (!status) {
			json_t *gone = json_pack("{s:O, s:O, s:O?}", "parts", old, "target",
						 json_object_get(b->record, "target"), "place",
						 json_object_get(b->record, "place"));

			bx_keep_namespace.drop(b->store, gone);
			json_decref(gone);
		}
	}
	json_decref(old);
	json_decref(one);
	return status;
}

/* ---- Hashes ---- */

static int layers_hash_part(struct talk *t, json_t *part)
{
	struct wire_field_in hash;
	struct wire_frame f;
	bool bad = false;
	char *hex;
	int status;

	talk_ask(t, WIRE_LAYER_HASH, bx_text(part, "name"));
	status = talk_answer(t, &f);
	if (status)
		return status;
	if (!wire_find(wire_fields(&f), WIRE_F_HASH, &hash) || hash.size != 32)
		return bx_fail(t->c.store, TBX_ERR_PROTOCOL, "%s: no hash came back", t->c.what);
	hex = bx_hex(hash.data, 32);
	bx_put(part, "hash", hex ? json_string(hex) : NULL);
	free(hex);
	bx_put_number(part, "size", wire_number(wire_fields(&f), WIRE_F_SIZE, 0, &bad));
	bx_put_number(part, "files", wire_number(wire_fields(&f), WIRE_F_COUNT, 0, &bad));
	return TBX_OK;
}

int layers_each(struct bx_snap *s, layers_fn *fn, void *ctx)
{
	json_t *parts = layers_parts(s->record);
	struct talk t;
	int status;

	if (!json_array_size(parts))
		return TBX_OK;
	status = talk_of(s->store, s->record, &t);
	for (size_t i = 0; !status && i < json_array_size(parts); i++)
		status = fn(s, &t, json_array_get(parts, i), ctx);
	talk_close(&t);
	return status;
}

static int hash_one(struct bx_snap *s, struct talk *t, json_t *part, void *ctx)
{
	(void)ctx;
	if (bx_text(part, "hash"))
		return TBX_OK;
	bx_progress(s->store, "%s: hashing", s->id);
	return layers_hash_part(t, part);
}

int layers_hash(struct bx_snap *s)
{
	return layers_each(s, hash_one, NULL);
}

/* ---- The table ---- */

/* *running: its server answers. */
static int look(struct bx *b, bool *running)
{
	const char *state = bx_text(b->record, "state");
	struct bx_conn c;
	int status;

	*running = false;
	if (!strcmp(state, "creating") || !strcmp(state, "removing") || !strcmp(state, "failed"))
		return bx_fail(b->store, TBX_ERR_STATE, "%s is %s: there is nothing to keep of it", b->id,
			       state);
	if (!strcmp(state, "stopped"))
		return TBX_OK;
	status = bx_connect(b, &c);
	if (status == TBX_ERR_STATE)
		return TBX_OK;
	if (!status)
		bx_conn_close(&c);
	*running = !status;
	return status;
}

/* Its files are a plain directory then, which no other box could begin from where there is no overlay. */
static bool by_bubblewrap(const json_t *record)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(record, "report"), i, line) {
		const char *by = bx_text(line, "by");

		if (by && !strncmp(by, "bubblewrap", strlen("bubblewrap")))
			return true;
	}
	return false;
}

static int refuse_take(struct bx *b, unsigned flags)
{
	if (flags & BX_TAKE_MEMORY)
		return bx_fail(b->store, TBX_ERR_UNSUPPORTED, "%s: what runs can be kept of a microvm only; "
			       "its files can, without --memory", b->id);
	if (is_namespace(b->record) && by_bubblewrap(b->record))
		return bx_fail(b->store, TBX_ERR_UNSUPPORTED, "%s is in a sandbox that bubblewrap made, without an overlay: "
			       "snapshots and forks need one; `tinybox doctor` says how to allow it, `tinybox cp` copies "
			       "files out", b->id);
	if (is_namespace(b->record) && (bx_at(b->record, "spec.resources.disk") ||
					json_is_true(bx_at(b->record, "spec.transient"))))
		return bx_fail(b->store, TBX_ERR_UNSUPPORTED, "%s is for one run, or has a limit of the disk: "
			       "its files are in memory, or in a file system of its own, and no layer; use a box of "
			       "`create` without --disk, or `tinybox cp`", b->id);
	return TBX_OK;
}

static int take(struct bx *b, struct bx_snap *s, unsigned flags)
{
	bool running = false;
	int status = refuse_take(b, flags);

	if (!status)
		status = bx_seal_finish(b);
	if (!status)
		status = look(b, &running);
	if (status)
		return status;
	if (running && is_namespace(b->record)) {
		status = copy_running(b, s);
		json_object_set_new(s->record, "how", json_string("copied"));
	} else {
		status = seal(b);
		share_parts(s->record, layers_parts(b->record));
		json_object_set_new(s->record, "how", json_string("sealed"));
	}
	bx_put(s->record, "place", json_incref(json_object_get(b->record, "place")));
	if (!status && json_array_size(layers_parts(s->record)) > MANY)
		status = merge(b, s, running);
	if (!status && !(flags & BX_TAKE_PLAIN)) {
		status = layers_hash(s);
		if (!status)
			status = bx_save(b);	/* its layers are hashed once */
	}
	return status;
}

int layers_from_hex(const char *hex, uint8_t out[32])
{
	if (!hex)
		return -1;
	for (size_t i = 0; i < 64; i++) {
		const char *digits = "0123456789abcdef", *at = hex[i] ? strchr(digits, hex[i]) : NULL;

		if (!at)
			return -1;
		out[i / 2] = (uint8_t)(out[i / 2] << 4 | (at - digits));
	}
	return hex[64] ? -1 : 0;
}

static int check_part(struct bx_snap *s, struct talk *t, json_t *part, void *verify)
{
	const char *hex = bx_text(part, "hash"), *name = bx_text(part, "name");
	uint8_t hash[32] = {0};
	struct wire_frame f;
	char *text;
	int status;

	if (!name || (hex && layers_from_hex(hex, hash)))
		return bx_fail(s->store, TBX_ERR_FILE, "%s is damaged: a part of its record is", s->id);
	if (!hex)
		return TBX_OK;		/* of a fork that is under way */
	talk_ask(t, WIRE_LAYER_CHECK, name);
	wire_bytes(&t->c.out, WIRE_F_HASH, hash, sizeof(hash));
	wire_u8(&t->c.out, WIRE_F_FOLLOW, *(const bool *)verify);
	status = talk_answer(t, &f);
	if (status != TBX_ERR_FILE)
		return status;
	text = strdup(tbx_error(s->store));
	bx_fail(s->store, TBX_ERR_FILE, "%s is damaged: %s", s->id, text ? text : "no memory");
	free(text);
	return TBX_ERR_FILE;
}

int layers_check(struct bx_snap *s, bool verify)
{
	return layers_each(s, check_part, &verify);
}

static int begin(struct bx_snap *s, json_t *record)
{
	json_t *source = json_object_get(json_object_get(record, "spec"), "source");
	const json_t *from = json_object_get(json_object_get(s->record, "spec"), "source");
	const char *kind = bx_text(from, "kind");

	share_parts(record, layers_parts(s->record));
	bx_put(record, "place", json_incref(json_object_get(s->record, "place")));
	/* what is below the layers, of a root that was given */
	if (kind && !strcmp(kind, "image") && is_namespace(s->record))
		json_object_set(source, "root", json_object_get(from, "from"));
	else if (json_object_get(from, "root"))
		json_object_set(source, "root", json_object_get(from, "root"));
	return TBX_OK;
}

/* Those of the names that no record has any more. */
static int drop(struct tbx_store *store, const json_t *record)
{
	const json_t *parts = json_object_get(record, "parts");
	json_t *used, *gone = json_array();
	bool unsure = true;
	struct wire_frame f;
	struct talk t;
	int lock = json_array_size(parts) ? bx_store_lock(store) : -1, status = TBX_OK;

	used = lock >= 0 ? bx_parts_used(store, &unsure) : NULL;
	if (lock >= 0)
		close(lock);
	for (size_t i = 0; !unsure && i < json_array_size(parts); i++) {
		const char *name = bx_text(json_array_get(parts, i), "name");

		if (name && !json_object_get(used, name))
			json_array_append_new(gone, json_string(name));
	}
	json_decref(used);
	if (json_array_size(gone))
		status = talk_of(store, record, &t);
	for (size_t i = 0; !status && i < json_array_size(gone); i++) {
		talk_ask(&t, WIRE_LAYER_REMOVE, json_string_value(json_array_get(gone, i)));
		status = talk_answer(&t, &f);
	}
	if (json_array_size(gone))
		talk_close(&t);
	json_decref(gone);
	return status;
}

#define KEEPING(word, tree_) \
	{ .sandbox = word, .take = take, .check = layers_check, .begin = begin, .drop = drop, .tree = tree_, \
	  .export = layers_export, .import = layers_import, .strays = layers_strays }

const struct bx_keeping bx_keep_namespace = KEEPING("namespace", layers_tree);
const struct bx_keeping bx_keep_virtual = KEEPING("virtual", NULL);
