/*
 * How micro-VMs are kept: a copy of their disks, of which only what was written takes room (and none
 * where the file system shares blocks). One that runs is paused meanwhile, behind a sync of its own.
 */
#include "box/layers.h"

#include <stdlib.h>
#include <string.h>

#include "box/snap.h"

static int refuse(struct bx *b, unsigned flags)
{
	const char *state = bx_text(b->record, "state");

	if (!strcmp(state, "creating") || !strcmp(state, "removing") || !strcmp(state, "failed"))
		return bx_fail(b->store, TBX_ERR_STATE, "%s is %s: there is nothing to keep of it", b->id,
			       state);
	if (flags & BX_TAKE_MEMORY && strcmp(state, "ready"))
		return bx_fail(b->store, TBX_ERR_STATE, "%s is %s: nothing runs whose memory could be kept; its "
			       "disks can, without --memory", b->id, state);
	return TBX_OK;
}

static int copy_disks(struct bx *b, const char *name, bool memory)
{
	char *dir = bx_json_copy(json_object_get(b->record, "dir"));
	struct wire_frame f;
	struct talk t;
	int status = dir ? talk_of(b->store, b->record, &t) : bx_memory(b->store);

	if (!status) {
		bx_put(b->record, "place", bx_is_ssh(json_object_get(b->record, "target")) ?
		       json_string(t.layers) : NULL);
		talk_ask(&t, WIRE_LAYER_SEAL, name);
		wire_text(&t.c.out, WIRE_F_DIR, dir);
		wire_text(&t.c.out, WIRE_F_KIND, "microvm");
		wire_u8(&t.c.out, WIRE_F_MEMORY, memory);
		status = talk_answer(&t, &f);
	}
	if (dir)
		talk_close(&t);
	free(dir);
	return status;
}

/* Paused as long as the connection is there. A server that is gone has stopped. */
static int hold(struct bx *b, struct bx_conn *c, bool memory, bool *held)
{
	struct wire_frame f;
	int status = strcmp(bx_text(b->record, "state"), "stopped") ? bx_connect(b, c) : TBX_ERR_STATE;

	*held = !status;
	if (status && memory)
		return bx_fail(b->store, TBX_ERR_STATE, "%s does not run: there is no memory of it to keep", b->id);
	if (status)
		return status == TBX_ERR_STATE ? TBX_OK : status;
	wire_begin(&c->out, WIRE_PAUSE);
	wire_u8(&c->out, WIRE_F_HOLD, 1);
	if (memory)
		wire_u8(&c->out, WIRE_F_MEMORY, 1);
	wire_end(&c->out);
	status = bx_send(c, bx_step(b->store));
	if (!status)
		status = bx_answer(c, &f, memory ? bx_ticks() + LAYERS_LONG : bx_step(b->store));
	if (status) {
		bx_conn_close(c);
		*held = false;
	}
	return status;
}

static int take(struct bx *b, struct bx_snap *s, unsigned flags)
{
	char name[BX_NAME_MAX + 1];
	bool held = false, memory = flags & BX_TAKE_MEMORY;
	struct bx_conn c;
	int status = refuse(b, flags);

	if (!status)
		status = bx_part_name(b->store, "layer", name);
	if (status)
		return status;
	json_array_append_new(layers_parts(s->record), layers_part(name));
	json_object_set_new(s->record, "how", json_string("copied"));
	status = bx_snap_save(s);
	if (!status)
		status = hold(b, &c, memory, &held);
	if (!status)
		status = copy_disks(b, name, memory);
	if (held)
		bx_conn_close(&c);
	if (!status && !(flags & BX_TAKE_PLAIN))
		status = layers_hash(s);
	bx_put(s->record, "place", json_incref(json_object_get(b->record, "place")));
	return status;
}

static int check(struct bx_snap *s, bool verify)
{
	if (json_array_size(layers_parts(s->record)) == 1)
		return layers_check(s, verify);
	return bx_fail(s->store, TBX_ERR_FILE, "%s is damaged: a part of its record is", s->id);
}

static int begin(struct bx_snap *s, json_t *record)
{
	json_t *machine = json_object_get(json_object_get(s->record, "spec"), "machine");
	json_t *spec = json_object_get(record, "spec"), *parts = json_array();

	json_array_append(parts, json_array_get(layers_parts(s->record), 0));
	json_object_set_new(record, "parts", parts);
	bx_put(record, "place", json_incref(json_object_get(s->record, "place")));
	/* the root below its disk is that of then */
	if (machine)
		json_object_set_new(spec, "machine", json_deep_copy(machine));
	return TBX_OK;
}

/* Without a memory: that is believed by the program that runs machines, so none comes from elsewhere. */
static int export(struct bx_snap *s, int fd)
{
	if (json_is_true(json_object_get(s->record, "memory")))
		return bx_fail(s->store, TBX_ERR_UNSUPPORTED, "%s has the memory of a machine, which stays here: take "
			       "a snapshot without --memory for a file", s->id);
	return layers_export(s, fd);
}

static int import(struct bx_snap *s, int fd)
{
	json_object_set_new(s->record, "memory", json_false());
	return layers_import(s, fd);
}

static int drop(struct tbx_store *store, const json_t *record)
{
	return bx_keep_namespace.drop(store, record);
}

const struct bx_keeping bx_keep_microvm = { .sandbox = "microvm", .take = take, .check = check, .begin = begin,
	.drop = drop, .export = export, .import = import };
