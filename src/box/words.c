/*
 * What a server answers, as JSON: end records, processes, reports.
 */
#include "box/internal.h"

#include <stdlib.h>
#include <string.h>

enum kind { TEXT, NUMBER, TRUTH };

struct member {
	enum wire_field field;
	enum kind kind;
	const char *name;
};

static const struct member end_members[] = {
	{ WIRE_F_PROC, TEXT, "proc" }, { WIRE_F_STATUS, NUMBER, "status" },
	{ WIRE_F_SIGNAL, NUMBER, "signal" }, { WIRE_F_CORE, TRUTH, "core" },
	{ WIRE_F_WALL, NUMBER, "wall" }, { WIRE_F_USER, NUMBER, "user" },
	{ WIRE_F_SYSTEM, NUMBER, "system" }, { WIRE_F_PEAK, NUMBER, "peak" },
	{ WIRE_F_PEAK_BY, TEXT, "peak_by" }, { WIRE_F_OUT_BYTES, NUMBER, "out_bytes" },
	{ WIRE_F_ERR_BYTES, NUMBER, "err_bytes" }, { WIRE_F_OUT_DROPPED, NUMBER, "out_dropped" },
	{ WIRE_F_ERR_DROPPED, NUMBER, "err_dropped" }, { WIRE_F_LIMIT, TEXT, "limit" },
	{ WIRE_F_STARTED_AT, NUMBER, "started_at" }, { WIRE_F_ENDED_AT, NUMBER, "ended_at" },
	{ WIRE_F_LEFT, NUMBER, "left" }, { WIRE_F_TEXT, TEXT, "text" }, { 0, TEXT, NULL }
};

static const struct member report_members[] = {
	{ WIRE_F_CONTROL, TEXT, "control" }, { WIRE_F_ASKED, TEXT, "asked" },
	{ WIRE_F_BY, TEXT, "by" }, { WIRE_F_WHY, TEXT, "why" }, { WIRE_F_FIX, TEXT, "fix" },
	{ 0, TEXT, NULL }
};

/* *bad: a number of no size that there is. */
static json_t *members(struct wire_iter it, const struct member *m, bool *bad)
{
	json_t *object = json_object();
	struct wire_field_in f;

	for (; m->name; m++) {
		if (!wire_find(it, m->field, &f))
			continue;
		if (m->kind == TEXT)
			bx_put(object, m->name, bx_json_bytes((const char *)f.data, f.size));
		else if (m->kind == NUMBER)
			bx_put_number(object, m->name, wire_number(it, m->field, 0, bad));
		else
			json_object_set_new(object, m->name,
					    json_boolean(wire_number(it, m->field, 0, bad)));
	}
	return object;
}

json_t *bx_end_json(struct wire_iter it)
{
	static const char *const reasons[] = {
		"exit", "signal", "timeout", "oom", "pids", "quota", "lost", "policy", "cancel",
	};
	bool bad = false;
	uint64_t reason = wire_number(it, WIRE_F_REASON, 0, &bad);
	json_t *end = members(it, end_members, &bad);

	if (reason < sizeof(reasons) / sizeof(*reasons))
		json_object_set_new(end, "reason", json_string(reasons[reason]));
	if (!bad)
		return end;
	json_decref(end);
	return NULL;
}

json_t *bx_process_json(struct wire_iter it)
{
	json_t *process = json_object(), *argv = json_array();
	struct wire_iter step = it;
	struct wire_field_in f;
	bool bad = false, ended = wire_number(it, WIRE_F_STATE, 0, &bad) == 1;

	if (wire_find(it, WIRE_F_PROC, &f))
		bx_put(process, "proc", bx_json_bytes((const char *)f.data, f.size));
	if (wire_find(it, WIRE_F_LABEL, &f))
		bx_put(process, "label", bx_json_bytes((const char *)f.data, f.size));
	bx_put_number(process, "pid", wire_number(it, WIRE_F_PID, 0, &bad));
	bx_put_number(process, "started_at", wire_number(it, WIRE_F_STARTED_AT, 0, &bad));
	json_object_set_new(process, "state", json_string(ended ? "ended" : "running"));
	while (wire_step(&step, &f))
		if (f.name == WIRE_F_ARG)
			json_array_append_new(argv, bx_json_bytes((const char *)f.data, f.size));
	bx_put(process, "argv", argv);
	if (ended)
		bx_put(process, "end", bx_end_json(it));
	return process;
}

static void put_published(struct wire_iter it, json_t *record)
{
	json_t *list = json_array();
	struct wire_field_in f;
	bool bad = false;

	while (wire_step(&it, &f)) {
		json_t *port;
		struct wire_field_in address;

		if (f.name != WIRE_F_PUBLISH)
			continue;
		port = json_object();
		bx_put_number(port, "guest", wire_number(wire_nested(&f), WIRE_F_PORT, 0, &bad));
		bx_put_number(port, "host", wire_number(wire_nested(&f), WIRE_F_HOST_PORT, 0, &bad));
		if (wire_find(wire_nested(&f), WIRE_F_ADDRESS, &address))
			bx_put(port, "address",
			       bx_json_bytes((const char *)address.data, address.size));
		json_array_append_new(list, port);
	}
	if (json_array_size(list))
		bx_put(record, "published", json_incref(list));
	json_decref(list);
}

/* What a server says of its box when it starts, and again at INFO. */
void bx_reports(struct wire_iter it, json_t *record)
{
	json_t *list = json_array();
	struct wire_iter step = it;
	struct wire_field_in f;
	bool bad = false;

	while (wire_step(&step, &f))
		if (f.name == WIRE_F_REPORT)
			json_array_append_new(list, members(wire_nested(&f), report_members, &bad));
	bx_put(record, "report", list);
	if (wire_find(it, WIRE_F_PID, &f))
		bx_put_number(record, "pid", wire_number(it, WIRE_F_PID, 0, &bad));
	put_published(it, record);
}
