/*
 * A snapshot of docker as a file: the engine's archive of the image becomes a layer for as long as it takes, and goes
 * where layers go. In front of it stands the hash of that layer's manifest, 32 bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "box/layers.h"

/* A snapshot that is nothing but that layer, on the machine of s. */
static struct bx_snap layer_only(const struct bx_snap *s, const char *name)
{
	struct bx_snap only = *s;

	only.record = json_object();
	bx_put(only.record, "target", json_incref(json_object_get(s->record, "target")));
	bx_put(only.record, "place", json_incref(json_object_get(s->record, "place")));
	json_array_append_new(layers_parts(only.record), layers_part(name));
	return only;
}

static const char *hash_of(json_t *record)
{
	return bx_text(json_array_get(layers_parts(record), 0), "hash");
}

static int remove_layer(struct bx_snap *s, struct talk *t, json_t *part, void *ctx)
{
	struct wire_frame f;

	(void)s;
	(void)ctx;
	talk_ask(t, WIRE_LAYER_REMOVE, bx_text(part, "name"));
	return talk_answer(t, &f);
}

/* The archive is to be made, or given to the engine under its name. */
struct image {
	uint8_t id[32];
	const char *name;	/* NULL: to be made */
};

static int move_image(struct bx_snap *s, struct talk *t, json_t *part, void *ctx)
{
	const struct image *i = ctx;
	struct wire_frame f;

	bx_progress(s->store, "%s: the engine %s", s->id, i->name ? "loads it" : "saves it");
	talk_ask(t, i->name ? WIRE_ENGINE_LOAD : WIRE_ENGINE_SAVE, bx_text(part, "name"));
	wire_bytes(&t->c.out, WIRE_F_HASH, i->id, sizeof(i->id));
	wire_text(&t->c.out, WIRE_F_IMAGE, i->name);
	return talk_answer(t, &f);
}

static int no_id(struct bx_snap *s)
{
	return bx_fail(s->store, TBX_ERR_FILE, "%s is damaged: a part of its record is", s->id);
}

int engines_export(struct bx_snap *s, int fd)
{
	struct image image = {0};
	struct bx_snap only;
	char name[BX_NAME_MAX + 1];
	uint8_t hash[32];
	int status = layers_from_hex(hash_of(s->record), image.id) ? no_id(s) :
		bx_part_name(s->store, "layer", name);

	if (status)
		return status;
	only = layer_only(s, name);
	status = layers_each(&only, move_image, &image);
	if (!status)
		status = layers_hash(&only);
	if (!status && (layers_from_hex(hash_of(only.record), hash) || !bx_write_bytes(fd, hash, sizeof(hash))))
		status = bx_fail(s->store, TBX_ERR_FILE, "%s cannot be written: %s", s->id, strerror(errno));
	if (!status)
		status = layers_export(&only, fd);
	layers_each(&only, remove_layer, NULL);
	json_decref(only.record);
	return status;
}

/* The layer is in the record while it is there, as a part of a snapshot that is not whole. */
static int import_layer(struct bx_snap *s, int fd)
{
	uint8_t hash[32];
	json_t *part = layers_part("layer"), *parts = json_array();
	char *hex;

	json_array_append_new(parts, part);
	json_object_set_new(s->record, "parts", parts);
	if (!bx_read_bytes(fd, hash, sizeof(hash)))
		return bx_fail(s->store, TBX_ERR_FILE, "the file is damaged: it ends too early");
	hex = bx_hex(hash, sizeof(hash));
	bx_put(part, "hash", hex ? json_string(hex) : NULL);
	free(hex);
	return layers_import(s, fd);
}

int engines_import(struct bx_snap *s, int fd)
{
	json_t *mine = json_deep_copy(json_array_get(layers_parts(s->record), 0)), *only = json_array();
	char name[BX_NAME_MAX + 1], *as = NULL;
	struct image image = {0};
	struct bx_snap layer = {0};
	int status = layers_from_hex(bx_text(mine, "hash"), image.id) ? no_id(s) : import_layer(s, fd);

	if (json_array_size(layers_parts(s->record)) == 1 && bx_text(json_array_get(layers_parts(s->record), 0), "name"))
		layer = layer_only(s, bx_text(json_array_get(layers_parts(s->record), 0), "name"));
	if (!status)
		status = bx_part_name(s->store, "image", name);
	if (!status) {
		json_object_set_new(mine, "name", json_string(name));
		json_array_insert(layers_parts(s->record), 0, mine);
		status = bx_snap_save(s);
		as = engines_image_name(s->store, name);
		image.name = as;
	}
	if (!status)
		status = as ? layers_each(&layer, move_image, &image) : bx_memory(s->store);
	if (layer.record)
		layers_each(&layer, remove_layer, NULL);
	json_decref(layer.record);
	if (image.name)
		json_array_append(only, mine);
	json_object_set_new(s->record, "parts", only);
	json_decref(mine);
	free(as);
	return status ? status : bx_snap_save(s);
}
