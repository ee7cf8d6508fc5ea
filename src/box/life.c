/*
 * Stop, start, pause, resume; and one request with one answer, which most verbs are.
 */
#include "box/internal.h"

#include <stdlib.h>
#include <string.h>

int bx_call_begin(struct tbx_store *store, const char *box, enum wire_type type,
		  struct bx_call *call)
{
	int status = bx_open(store, box, BX_LOCK_NONE, &call->b);

	if (status)
		return status;
	status = bx_connect(&call->b, &call->c);
	if (status) {
		bx_close(&call->b);
		return status;
	}
	wire_begin(&call->c.out, type);
	return TBX_OK;
}

int bx_call_end(struct bx_call *call, struct wire_frame *answer, uint64_t deadline)
{
	int status;

	wire_end(&call->c.out);
	status = bx_send(&call->c, deadline ? deadline : bx_step(call->b.store));
	return status ? status : bx_answer(&call->c, answer, deadline);
}

void bx_call_close(struct bx_call *call)
{
	bx_conn_close(&call->c);
	bx_close(&call->b);
}

/* A request without fields but `grace`, then the state it leads to; the box's lock is held. */
static int change(struct bx *b, enum wire_type type, uint64_t grace, const char *state)
{
	struct wire_frame f;
	struct bx_conn c;
	int status = bx_connect(b, &c);

	if (status)
		return status;
	wire_begin(&c.out, type);
	if (type == WIRE_STOP)
		wire_u64(&c.out, WIRE_F_GRACE, grace);
	wire_end(&c.out);
	status = bx_send(&c, bx_step(b->store));
	if (!status)
		status = bx_answer(&c, &f, bx_step(b->store) + grace);
	bx_conn_close(&c);
	if (status)
		return status;
	bx_audit(b, state, NULL);
	return bx_change_state(b, state);
}

static int locked_change(struct tbx_store *store, const char *box, enum wire_type type,
			 uint64_t grace, const char *state)
{
	struct bx b;
	int status = bx_open(store, box, BX_LOCK_WRITE, &b);

	if (status)
		return status;
	status = change(&b, type, grace, state);
	bx_close(&b);
	return status;
}

/* Of a start whose caller died before its hooks had run: the server may be there all the same. */
static int stop_rest(struct bx *b, uint64_t grace)
{
	struct bx_conn c;

	if (bx_connect_now(b, &c))
		return TBX_OK;
	bx_conn_close(&c);
	json_object_set_new(b->record, "state", json_string("ready"));
	return change(b, WIRE_STOP, grace, "stopped");
}

int tbx_stop(struct tbx_store *store, const char *box, uint64_t grace)
{
	struct bx b;
	int status = bx_open(store, box, BX_LOCK_WRITE, &b);

	if (status)
		return status;
	/* A server that is gone has stopped: what is wanted is so. */
	status = strcmp(bx_text(b.record, "state"), "stopped") ?
		 change(&b, WIRE_STOP, grace, "stopped") : stop_rest(&b, grace);
	if (status == TBX_ERR_STATE)
		status = bx_change_state(&b, "stopped");
	bx_close(&b);
	return status;
}

int tbx_pause(struct tbx_store *store, const char *box)
{
	return locked_change(store, box, WIRE_PAUSE, 0, "paused");
}

int tbx_resume(struct tbx_store *store, const char *box)
{
	return locked_change(store, box, WIRE_RESUME, 0, "ready");
}

/* The server runs; what has to run in it then. A box whose hooks failed is stopped again. */
static int wake(struct bx *b)
{
	int status = bx_run_hooks(b, "start");
	char *error;

	if (!status)
		status = bx_set_state(b, "ready");
	if (!status)
		bx_audit(b, "start", NULL);
	if (status != TBX_ERR_HOOK)
		return status;
	error = strdup(tbx_error(b->store));
	json_object_set_new(b->record, "state", json_string("ready"));
	change(b, WIRE_STOP, 0, "stopped");
	bx_fail(b->store, status, "%s", error ? error : "no memory");
	free(error);
	return status;
}

/* Is a server there, by a start that was not finished? If not, the sentence stays that was said before. */
static bool is_up(struct bx *b)
{
	char *said = strdup(tbx_error(b->store));
	struct bx_conn c;
	bool up = !bx_connect_now(b, &c);

	if (up)
		bx_conn_close(&c);
	else if (said)
		bx_fail(b->store, TBX_ERR_STATE, "%s", said);
	free(said);
	return up;
}

int tbx_start(struct tbx_store *store, const char *box)
{
	struct bx_conn c;
	struct bx b;
	int status = bx_open(store, box, BX_LOCK_WRITE, &b);
	const char *state;

	if (status)
		return status;
	state = bx_text(b.record, "state");
	if (strcmp(state, "stopped") && !bx_connect(&b, &c)) {
		bx_conn_close(&c);
		bx_close(&b);
		return TBX_OK;
	}
	if (!strcmp(state, "creating") || !strcmp(state, "removing"))
		status = bx_fail(store, TBX_ERR_STATE, "%s is %s; `tinybox rm %s` removes it", b.id,
				 state, b.id);
	if (!status)
		status = bx_place(&b);
	if (!status)
		status = bx_start_server(&b);
	if (status == TBX_ERR_STATE && !strcmp(state, "stopped"))
		status = is_up(&b) ? TBX_OK : status;
	if (!status)
		bx_sync_finish(&b);
	if (!status)
		status = wake(&b);
	bx_close(&b);
	return status;
}
