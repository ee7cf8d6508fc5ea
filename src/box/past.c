/*
 * The processes of a box whose server is gone, on this machine: its records are frames as on the
 * wire, a STARTED for each exec and an END behind it. A STARTED without an END was lost with the
 * server.
 */
#include "box/internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of tinybox-init (two files that take turns), and of tinybox-engine. */
static const char *const bx_record_files[] = { "procs/records.1", "procs/records", "records", NULL };

struct past {
	json_t *processes;	/* in the order of their starts */
};

static json_t *find(const struct past *p, const char *proc)
{
	for (size_t i = json_array_size(p->processes); i--;) {
		json_t *process = json_array_get(p->processes, i);
		const char *name = bx_text(process, "proc");

		if (name && !strcmp(name, proc))
			return process;
	}
	return NULL;
}

static json_t *lost_end(const char *proc)
{
	return json_pack("{s:s, s:s, s:i, s:i, s:s}", "proc", proc, "reason", "lost", "status", 137,
			 "signal", 9, "text", "its server ended before it did");
}

static void take(struct past *p, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct wire_field_in nested;
	json_t *now, *before;
	const char *proc;

	if ((f->type != WIRE_STARTED && f->type != WIRE_END) || !wire_whole(it))
		return;
	if (wire_find(it, WIRE_F_PROCESS, &nested))
		it = wire_nested(&nested);
	now = bx_process_json(it);
	proc = bx_text(now, "proc");
	before = proc ? find(p, proc) : NULL;
	if (proc && !before)
		json_array_append(p->processes, before = now);
	if (proc && f->type == WIRE_END) {
		json_object_set_new(before, "state", json_string("ended"));
		bx_put(before, "end", bx_end_json(it));
	}
	json_decref(now);
}

static void read_records(struct past *p, const char *path, struct tbx_store *store)
{
	struct wire_in in = {0};
	struct wire_frame f;
	uint8_t *room;
	char *data;
	size_t n;

	if (access(path, R_OK) || bx_read_all(store, path, &data, &n))
		return;
	room = wire_room(&in, n + 1);
	if (room) {
		memcpy(room, data, n);
		wire_got(&in, n);
		while (wire_next(&in, &f))
			take(p, &f);
	}
	wire_in_free(&in);
	free(data);
}

json_t *bx_past(struct bx *b)
{
	struct past p = {.processes = json_array()};
	json_t *process;
	size_t i;

	for (size_t k = 0; bx_record_files[k]; k++) {
		char *path = bx_format("%s/boxes/%s/run/%s", b->store->path, b->id, bx_record_files[k]);

		if (path)
			read_records(&p, path, b->store);
		free(path);
	}
	json_array_foreach(p.processes, i, process) {
		json_object_set_new(process, "state", json_string("ended"));
		if (!json_object_get(process, "end"))
			bx_put(process, "end", lost_end(bx_text(process, "proc")));
	}
	return p.processes;
}

json_t *bx_past_end(struct bx *b, const char *proc)
{
	struct past p = {.processes = bx_past(b)};
	json_t *process = find(&p, proc), *end = json_incref(json_object_get(process, "end"));

	json_decref(p.processes);
	return end;
}
