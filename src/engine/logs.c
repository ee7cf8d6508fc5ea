/*
 * LOGS: the log is DATA frames as they were sent; OFFSET is counted in bytes of output, so what
 * is before it is skipped, and a frame may be sent in part.
 */
#include "engine/engine.h"

#include <stdlib.h>
#include <unistd.h>

/* A frame at c->at of the file into in; false: not whole there. */
static bool next(struct conn *c, struct wire_in *in, struct wire_frame *f)
{
	uint8_t *room;
	ssize_t n;

	while (!wire_next(in, f)) {
		room = wire_room(in, WIRE_DATA_MAX);
		n = room ? pread(c->log_fd, room, WIRE_DATA_MAX, (off_t)(c->at + in->size)) : 0;
		if (n <= 0 || in->error)
			return false;
		wire_got(in, (size_t)n);
	}
	return true;
}

void logs_more(struct conn *c)
{
	struct wire_in in = { 0 };
	struct wire_frame f;
	bool more = true;

	while (c->out.size < FLOW_HIGH && (more = next(c, &in, &f))) {
		uint64_t skip = c->end < f.size ? c->end : f.size;

		if (f.type == WIRE_DATA_OUT || f.type == WIRE_DATA_ERR)
			wire_data(&c->out, f.type, f.body + skip, f.size - skip);
		c->end -= skip;
		c->at += 5 + f.size;
		wire_in_free(&in);
	}
	wire_in_free(&in);
	if (!more && (!c->follow || c->exec->state == EXEC_ENDED)) {
		c->exec = NULL;
		conn_ok(c);
		return;
	}
	conn_flush(c);
}
