/*
 * The processes of a box: which there are, signals, ends.
 */
#include "box/internal.h"

#include <stdlib.h>
#include <string.h>

/* A box on this machine whose server is gone still knows what became of its processes. */
static bool is_past(struct tbx_store *store, const char *box, int status, struct bx *b)
{
	if (status != TBX_ERR_STATE || bx_open(store, box, BX_LOCK_NONE, b))
		return false;
	if (!bx_is_ssh(json_object_get(b->record, "target")))
		return true;
	bx_close(b);
	return false;
}

static int past_ps(struct bx *b, struct tbx_doc **doc)
{
	json_t *root = json_object();

	bx_put(root, "box", json_string(b->id));
	bx_put(root, "processes", bx_past(b));
	bx_close(b);
	return bx_doc(b->store, root, doc);
}

/* The error that there was stays, if the process is not known either. */
static int past_wait(struct bx *b, const char *proc, int status, struct tbx_doc **end)
{
	json_t *root = bx_past_end(b, proc);

	bx_put(root, "box", json_string(b->id));
	bx_close(b);
	return root ? bx_doc(b->store, root, end) : status;
}

int tbx_ps(struct tbx_store *store, const char *box, struct tbx_doc **doc)
{
	json_t *root, *list = json_array();
	struct wire_field_in field;
	struct wire_frame f;
	struct bx_call call;
	bool more = true, bad = false;
	struct bx b;
	int status = bx_call_begin(store, box, WIRE_PS, &call);

	if (status) {
		json_decref(list);
		return is_past(store, box, status, &b) ? past_ps(&b, doc) : status;
	}
	status = bx_call_end(&call, &f, bx_step(store));
	while (!status && more) {
		struct wire_iter it = wire_fields(&f);

		more = wire_number(it, WIRE_F_MORE, 0, &bad);
		while (wire_step(&it, &field))
			if (field.name == WIRE_F_PROCESS)
				json_array_append_new(list, bx_process_json(wire_nested(&field)));
		if (more)
			status = bx_answer(&call.c, &f, bx_step(store));
	}
	root = json_object();
	bx_put(root, "box", json_string(call.b.id));
	bx_put(root, "processes", list);
	bx_call_close(&call);
	if (!status)
		return bx_doc(store, root, doc);
	json_decref(root);
	return status;
}

static int name_proc(struct tbx_store *store, const char *proc)
{
	return tbx_is_name(proc) ? TBX_OK :
	       bx_fail(store, TBX_ERR_ARGUMENT, "not the name of a process; `tinybox ps BOX` has them");
}

int tbx_kill(struct tbx_store *store, const char *box, const char *proc, int signal, bool tree,
	     bool *gone)
{
	struct wire_frame f;
	struct bx_call call;
	bool bad = false;
	int status = name_proc(store, proc);

	if (!status)
		status = bx_call_begin(store, box, WIRE_KILL, &call);
	if (status)
		return status;
	wire_text(&call.c.out, WIRE_F_PROC, proc);
	wire_u32(&call.c.out, WIRE_F_SIGNAL, (uint32_t)signal);
	if (tree)
		wire_u8(&call.c.out, WIRE_F_TREE, 1);
	status = bx_call_end(&call, &f, bx_step(store));
	if (!status && gone)
		*gone = wire_number(wire_fields(&f), WIRE_F_GONE, 0, &bad) != 0;
	bx_call_close(&call);
	return status;
}

/* The server keeps the deadline; it gets a little longer than that to say so. */
int tbx_wait(struct tbx_store *store, const char *box, const char *proc, uint64_t deadline,
	     struct tbx_doc **end)
{
	struct wire_frame f;
	struct bx_call call;
	json_t *root;
	struct bx b;
	int status = name_proc(store, proc);

	if (!status)
		status = bx_call_begin(store, box, WIRE_WAIT, &call);
	if (status)
		return is_past(store, box, status, &b) ? past_wait(&b, proc, status, end) : status;
	wire_text(&call.c.out, WIRE_F_PROC, proc);
	wire_u64(&call.c.out, WIRE_F_DEADLINE, deadline);
	wire_end(&call.c.out);
	status = bx_send(&call.c, bx_step(store));
	do {
		if (!status)
			status = bx_receive(&call.c, &f, deadline ? bx_step(store) + deadline : 0);
	} while (!status && f.type == WIRE_ALIVE);
	if (!status && f.type == WIRE_ERROR)
		status = bx_wire_error(&call.c, &f);
	else if (!status && (f.type != WIRE_END || !wire_whole(wire_fields(&f))))
		status = bx_fail(store, TBX_ERR_PROTOCOL, "%s: no end record", box);
	root = status ? NULL : bx_end_json(wire_fields(&f));
	if (!status && !root)
		status = bx_fail(store, TBX_ERR_PROTOCOL, "%s: a damaged end record", box);
	if (!status) {
		bx_put(root, "box", json_string(call.b.id));
		status = bx_doc(store, root, end);
	}
	bx_call_close(&call);
	return status;
}
