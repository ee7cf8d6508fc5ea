/*
 * How a program begins that is told what to do on a descriptor: one frame after the other is waited for, and
 * answered.
 */
#include "wire/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool wire_wait(struct wire_in *in, struct wire_frame *f, int fd, int patience_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (!wire_next(in, f)) {
		uint8_t *room = wire_room(in, WIRE_DATA_MAX);
		ssize_t n;

		if (in->error || !room || poll(&p, 1, patience_ms) <= 0)
			return false;
		n = read(fd, room, WIRE_DATA_MAX);
		if (n <= 0)
			return false;
		wire_got(in, (size_t)n);
	}
	return true;
}

bool wire_say(int fd, struct wire_out *o)
{
	bool good = !o->failed;

	for (size_t at = 0; good && at < o->size;) {
		ssize_t n = write(fd, o->data + at, o->size - at);

		if (n < 0 && errno == EINTR)
			continue;
		good = n > 0;
		at += n > 0 ? (size_t)n : 0;
	}
	wire_free(o);
	return good;
}

bool wire_is_hello(const struct wire_frame *f)
{
	bool bad = f->type != WIRE_HELLO || !wire_whole(wire_fields(f));
	char *magic = bad ? NULL : wire_string(wire_fields(f), WIRE_F_MAGIC, &bad);
	bool good = !bad && magic && !strcmp(magic, WIRE_MAGIC) &&
		wire_number(wire_fields(f), WIRE_F_VERSION, 0, &bad) == WIRE_VERSION && !bad;

	free(magic);
	return good;
}
