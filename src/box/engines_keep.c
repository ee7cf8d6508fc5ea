/*
 * How docker boxes are kept: the engine makes an image of the container (it pauses it meanwhile), under
 * a name of ours that `image prune` spares. The image's layers are shared by all that begins from it, by
 * the engine; its id is a hash of all of it.
 */
#include "box/layers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPOSITORY "tinybox/snapshot"
#define LONG (1800 * BX_SECOND)

/* "tinybox/snapshot:image-3-TAG"; malloc. */
char *engines_image_name(const struct tbx_store *store, const char *part)
{
	return bx_format(REPOSITORY ":%s-%s", part, store->tag);
}

static const json_t *only_part(const json_t *record)
{
	return json_array_get(json_object_get(record, "parts"), 0);
}

/* One request about an image; the frame is valid until the connection is closed. */
static int ask(struct tbx_store *store, const json_t *target, enum wire_type type, const char *dir,
	       const char *name, struct bx_conn *c, struct wire_frame *f)
{
	int status = bx_host(store, target, c);

	if (status)
		return status;
	wire_begin(&c->out, type);
	wire_text(&c->out, WIRE_F_DIR, dir);
	wire_text(&c->out, type == WIRE_ENGINE_DROP ? WIRE_F_NAME : WIRE_F_IMAGE, name);
	wire_end(&c->out);
	status = bx_send(c, bx_step(store));
	if (!status)
		status = bx_answer(c, f, bx_ticks() + LONG);
	if (status)
		bx_conn_close(c);
	return status;
}

static char *hash_of(const struct wire_frame *f)
{
	struct wire_field_in hash;

	return wire_find(wire_fields(f), WIRE_F_HASH, &hash) && hash.size == 32 ? bx_hex(hash.data, 32) : NULL;
}

/* ---- Taking ---- */

static int refuse(struct bx *b, unsigned flags)
{
	const char *state = bx_text(b->record, "state");

	if (flags & BX_TAKE_MEMORY)
		return bx_fail(b->store, TBX_ERR_UNSUPPORTED, "%s: what runs can be kept of a microvm only; "
			       "its files can, without --memory", b->id);
	if (!strcmp(state, "creating") || !strcmp(state, "removing") || !strcmp(state, "failed"))
		return bx_fail(b->store, TBX_ERR_STATE, "%s is %s: there is nothing to keep of it", b->id,
			       state);
	if (json_is_true(bx_at(b->record, "spec.read_only_root")))
		return bx_fail(b->store, TBX_ERR_UNSUPPORTED, "%s cannot write its root: there is nothing of "
			       "its own to keep but what is in memory", b->id);
	return TBX_OK;
}

static int commit(struct bx *b, json_t *part, const char *name)
{
	char *dir = bx_json_copy(json_object_get(b->record, "dir")), *hex;
	struct wire_frame f;
	struct bx_conn c;
	bool bad = false;
	int status = dir ? ask(b->store, json_object_get(b->record, "target"), WIRE_ENGINE_COMMIT, dir, name, &c,
			       &f) : bx_memory(b->store);

	free(dir);
	if (status)
		return status;
	hex = hash_of(&f);
	bx_put(part, "hash", hex ? json_string(hex) : NULL);
	bx_put_number(part, "size", wire_number(wire_fields(&f), WIRE_F_SIZE, 0, &bad));
	bx_conn_close(&c);
	status = hex ? TBX_OK : bx_fail(b->store, TBX_ERR_PROTOCOL, "%s: no image's id came back", b->id);
	free(hex);
	return status;
}

static int take(struct bx *b, struct bx_snap *s, unsigned flags)
{
	char part[BX_NAME_MAX + 1], *name = NULL;
	json_t *item = json_object();
	int status = refuse(b, flags);

	if (!status)
		status = bx_part_name(b->store, "image", part);
	if (status) {
		json_decref(item);
		return status;
	}
	bx_put(item, "name", json_string(part));
	json_array_append_new(json_object_get(s->record, "parts"), item);
	json_object_set_new(s->record, "how", json_string("committed"));
	status = bx_snap_save(s);
	name = engines_image_name(b->store, part);
	if (!status)
		status = name ? commit(b, item, name) : bx_memory(b->store);
	free(name);
	return status;
}

/* ---- Beginning ---- */

static int check(struct bx_snap *s, bool verify)
{
	const json_t *part = only_part(s->record);
	const char *want = bx_text(part, "hash"), *name = bx_text(part, "name");
	char *image = name ? engines_image_name(s->store, name) : NULL, *hex, *why;
	struct wire_frame f;
	struct bx_conn c;
	int status;

	(void)verify;	/* the engine keeps what it has by hashes */
	if (!want || !image) {
		free(image);
		return bx_fail(s->store, TBX_ERR_FILE, "%s is damaged: a part of its record is", s->id);
	}
	status = ask(s->store, json_object_get(s->record, "target"), WIRE_ENGINE_LOOK, NULL, image, &c, &f);
	free(image);
	if (status) {
		why = strdup(tbx_error(s->store));
		if (status == TBX_ERR_FILE)
			bx_fail(s->store, status, "%s is damaged: %s", s->id, why ? why : "no memory");
		free(why);
		return status;
	}
	hex = hash_of(&f);
	bx_conn_close(&c);
	status = hex && !strcmp(hex, want) ? TBX_OK : bx_fail(s->store, TBX_ERR_FILE, "%s is damaged: the engine "
		"has another image of its name", s->id);
	free(hex);
	return status;
}

/* By the image's id: what a registry may have by that name is nobody's. */
static int begin(struct bx_snap *s, json_t *record)
{
	json_t *image = json_object(), *parts = json_array();
	const json_t *theirs = json_object_get(s->record, "spec");
	char *id = bx_format("sha256:%s", bx_text(only_part(s->record), "hash"));

	bx_put(image, "kind", json_string("reference"));
	bx_put(image, "from", id ? json_string(id) : NULL);
	free(id);
	if (!json_object_get(json_object_get(record, "spec"), "base_image"))
		bx_put(json_object_get(record, "spec"), "base_image", json_incref(json_object_get(theirs,
		       json_object_get(theirs, "base_image") ? "base_image" : "image")));
	bx_put(json_object_get(record, "spec"), "image", image);
	json_array_append(parts, (json_t *)(uintptr_t)only_part(s->record));
	json_object_set_new(record, "parts", parts);
	return TBX_OK;
}

/* What an engine writes anew for each container. */
static bool is_engines(const char *path)
{
	static const char *const own[] = { "/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/etc/mtab" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(path, own[i]))
			return true;
	return false;
}

/* Only what differs stays in `tree`. */
static void subtract(json_t *tree, const json_t *base)
{
	json_t *old = json_deep_copy(base), *value;
	const char *path;
	void *next;

	json_object_foreach_safe(tree, next, path, value) {
		const json_t *before = json_object_get(old, path);

		if (is_engines(path) || (before && json_equal(before, value))) {
			json_object_del(old, path);
			json_object_del(tree, path);
		} else {
			json_object_del(old, path);
		}
	}
	json_object_foreach(old, path, value)
		if (!is_engines(path))
			json_object_set_new(tree, path, json_null());
	json_decref(old);
}

static struct tbx_target target_of(const json_t *t)
{
	return (struct tbx_target){.host = bx_text(t, "host"), .destination = bx_text(t, "destination"),
		.port = (unsigned)bx_number(t, "port"), .identity = bx_text(t, "identity"),
		.known_hosts = bx_text(t, "known_hosts"), .config = bx_text(t, "config")};
}

/* The engine has no list of what an image changes: a box of it and one of what it began from are compared. */
static int tree(struct bx_snap *s, json_t *tree)
{
	struct tbx_spec ours = TBX_SPEC_INIT, theirs = TBX_SPEC_INIT;
	const json_t *spec = json_object_get(s->record, "spec");
	const json_t *image = json_object_get(spec, "base_image");
	json_t *base = json_object();
	char *from;
	int status;

	image = image ? image : json_object_get(spec, "image");
	if (!image) {
		json_decref(base);
		return bx_fail(s->store, TBX_ERR_UNSUPPORTED, "%s came from a file: what its image began from is not "
			       "known here", s->id);
	}
	from = bx_json_copy(json_object_get(image, "from"));
	ours.source = TBX_SOURCE_SNAPSHOT;
	ours.from = s->id;
	theirs.sandbox = "docker";
	theirs.image = from;
	theirs.target = target_of(json_object_get(s->record, "target"));
	theirs.workspace = bx_text(spec, "workspace");
	bx_progress(s->store, "%s: a box of it is made, and one of its image, to be compared", s->id);
	status = from ? bx_snap_look_at(s->store, &ours, true, tree) : bx_memory(s->store);
	if (!status)
		status = bx_snap_look_at(s->store, &theirs, true, base);
	if (!status)
		subtract(tree, base);
	json_decref(base);
	free(from);
	return status;
}

/* ---- Removing ---- */

static int remove_image(struct tbx_store *store, const json_t *target, const char *part)
{
	char *image = engines_image_name(store, part);
	struct wire_frame f;
	struct bx_conn c;
	int status = image ? ask(store, target, WIRE_ENGINE_DROP, NULL, image, &c, &f) : bx_memory(store);

	if (image && !status)
		bx_conn_close(&c);
	free(image);
	return status;
}

/* Whether a record may still name it. */
static bool in_use(struct tbx_store *store, const char *part)
{
	bool unsure = true;
	int lock = bx_store_lock(store);
	json_t *used = lock < 0 ? NULL : bx_parts_used(store, &unsure);
	bool found = unsure || json_object_get(used, part);

	if (lock >= 0)
		close(lock);
	json_decref(used);
	return found;
}

static int drop(struct tbx_store *store, const json_t *record)
{
	const char *part = bx_text(only_part(record), "name");

	if (!part || in_use(store, part))
		return TBX_OK;
	return remove_image(store, json_object_get(record, "target"), part);
}

static void look_at_tag(struct tbx_store *store, const json_t *target, bool dry, const char *tag,
			void (*found)(void *ctx, const char *path, int status), void *ctx)
{
	size_t n = strlen(tag), t = strlen(store->tag);
	char part[BX_NAME_MAX + 1], *image;
	int status = TBX_OK;

	if (n < t + 2 || n - t - 1 > BX_NAME_MAX || tag[n - t - 1] != '-' || strcmp(tag + n - t, store->tag))
		return;
	memcpy(part, tag, n - t - 1);
	part[n - t - 1] = '\0';
	if (!tbx_is_name(part) || in_use(store, part))
		return;
	if (!dry)
		status = remove_image(store, target, part);
	image = bx_format("image " REPOSITORY ":%s", tag);
	found(ctx, image ? image : tag, status);
	free(image);
}

/* Only where a box was: other machines are not asked for an engine that they may not have. */
static int strays(struct tbx_store *store, const json_t *target, bool dry,
		  void (*found)(void *ctx, const char *path, int status), void *ctx)
{
	struct wire_field_in box;
	struct wire_frame f;
	struct wire_iter it;
	struct bx_conn c;
	int status;

	if (!bx_has_engine(store, target))
		return TBX_OK;
	status = bx_host(store, target, &c);
	if (status)
		return status;
	wire_begin(&c.out, WIRE_ENGINE_LIST);
	wire_text(&c.out, WIRE_F_LABEL, store->tag);
	wire_text(&c.out, WIRE_F_IMAGE, REPOSITORY);
	wire_end(&c.out);
	status = bx_ask(&c, &f);
	it = status ? (struct wire_iter){0} : wire_fields(&f);
	while (!status && wire_step(&it, &box)) {
		bool bad = false;
		char *tag = box.name == WIRE_F_BOX ? wire_string(wire_nested(&box), WIRE_F_BOX, &bad) : NULL;

		if (tag && !bad)
			look_at_tag(store, target, dry, tag, found, ctx);
		free(tag);
	}
	bx_conn_close(&c);
	return status;
}

const struct bx_keeping bx_keep_docker = { .sandbox = "docker", .take = take, .check = check, .begin = begin,
	.drop = drop, .tree = tree, .export = engines_export, .import = engines_import, .strays = strays };
