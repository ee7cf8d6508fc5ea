/*
 * The protocol's messages: what was written is read as it was, whatever way it comes in pieces, and
 * damage is noticed.
 */
#include "tap.h"
#include "wire/wire.h"

#include <stdlib.h>

static void feed(struct wire_in *in, const void *data, size_t size)
{
	if (size)
		memcpy(wire_room(in, size), data, size);
	wire_got(in, size);
}

static void round_trip(void)
{
	struct wire_out o = {0};
	struct wire_in in = {0};
	struct wire_frame f;
	struct wire_iter it;
	struct wire_field_in one, two;
	bool bad = false;
	size_t mark;
	char *s;

	wire_begin(&o, WIRE_EXEC);
	wire_text(&o, WIRE_F_ARG, "a");
	wire_text(&o, WIRE_F_ARG, "");
	wire_text(&o, WIRE_F_CWD, NULL);
	wire_u8(&o, WIRE_F_TERMINAL, 200);
	wire_u32(&o, WIRE_F_ROWS, 0xfedcba98u);
	wire_u64(&o, WIRE_F_DEADLINE, 0xfedcba9876543210u);
	mark = wire_nest(&o, WIRE_F_STAT);
	wire_text(&o, WIRE_F_NAME, "inner");
	wire_unnest(&o, mark);
	wire_end(&o);
	wire_data(&o, WIRE_DATA_OUT, "bytes", 5);
	ok(!o.failed, "written");
	/* byte by byte: no frame before its last */
	for (size_t i = 0, frames = 0; i < o.size; i++) {
		feed(&in, o.data + i, 1);
		while (wire_next(&in, &f)) {
			frames++;
			if (frames == 2)
				ok(f.type == WIRE_DATA_OUT && f.size == 5 && !memcmp(f.body, "bytes", 5) &&
				   i == o.size - 1, "data at its last byte");
			if (frames != 1)
				continue;
			it = wire_fields(&f);
			ok(f.type == WIRE_EXEC && wire_whole(it), "whole fields");
			is_int(wire_number(it, WIRE_F_TERMINAL, 0, &bad), 200, "u8");
			is_int(wire_number(it, WIRE_F_ROWS, 0, &bad), 0xfedcba98u, "u32");
			ok(wire_number(it, WIRE_F_DEADLINE, 0, &bad) == 0xfedcba9876543210u, "u64");
			is_int(wire_number(it, WIRE_F_COLUMNS, 7, &bad), 7, "absent");
			ok(!bad, "nothing bad");
			ok(wire_step(&it, &one) && wire_step(&it, &two) && one.size == 1 && !two.size,
			   "repeated, in order, empty");
			it = wire_fields(&f);
			ok(wire_find(it, WIRE_F_STAT, &one), "nested there");
			s = wire_string(wire_nested(&one), WIRE_F_NAME, &bad);
			is_str(s, "inner", "nested text");
			free(s);
			ok(!wire_string(it, WIRE_F_CWD, &bad) && !bad, "NULL text is no field");
		}
	}
	wire_free(&o);
	wire_in_free(&in);
}

static void sizes(void)
{
	struct wire_out o = {0};
	struct wire_in in = {0};
	struct wire_frame f;
	uint8_t *big = calloc(1, 3 * WIRE_DATA_MAX);
	size_t frames = 0, bytes = 0;

	wire_data(&o, WIRE_DATA_IN, big, 2 * WIRE_DATA_MAX + 1);
	feed(&in, o.data, o.size);
	while (wire_next(&in, &f)) {
		frames++;
		bytes += f.size;
	}
	ok(frames == 3 && bytes == 2 * WIRE_DATA_MAX + 1, "data is cut into frames");
	wire_free(&o);
	wire_begin(&o, WIRE_OK);
	wire_bytes(&o, WIRE_F_TEXT, big, 10);
	wire_end(&o);
	wire_raw(&o, o.data, o.size);
	wire_in_free(&in);
	feed(&in, o.data, o.size);
	ok(wire_next(&in, &f) && wire_next(&in, &f) && f.size == 16, "raw frames");
	wire_consume(&o, o.size);
	ok(!o.size, "consumed");
	wire_free(&o);
	wire_begin(&o, WIRE_OK);
	for (int i = 0; i < 30; i++)
		wire_bytes(&o, WIRE_F_TEXT, big, 3 * WIRE_DATA_MAX);
	wire_end(&o);
	ok(o.failed, "a frame that is too long fails");
	wire_text(&o, WIRE_F_TEXT, "more");
	wire_end(&o);
	ok(o.failed, "and stays so");
	wire_free(&o);
	wire_in_free(&in);
	free(big);
}

static void damage(void)
{
	struct wire_in in = {0};
	struct wire_frame f;
	struct wire_iter it;
	struct wire_field_in one;
	bool bad = false;
	const uint8_t empty[] = {0, 0, 0, 0};
	const uint8_t huge[] = {1, 0, 64, 0, 2};	/* WIRE_FRAME_MAX + 1 */
	const uint8_t most[] = {0, 0, 64, 0, 2};
	const uint8_t cut[] = {7, 0, 0, 0, 2, 1, 0, 9, 0, 0, 0};	/* a field of 9 with none */
	const uint8_t head[] = {4, 0, 0, 0, 2, 1, 0, 9};	/* half a field's head */
	const uint8_t odd[] = {10, 0, 0, 0, 2, 25, 0, 3, 0, 0, 0, 1, 2, 3};
	const uint8_t nul[] = {10, 0, 0, 0, 2, 1, 0, 3, 0, 0, 0, 'a', 0, 'b'};

	feed(&in, empty, sizeof(empty));
	ok(!wire_next(&in, &f) && in.error, "an empty frame");
	wire_in_free(&in);
	in = (struct wire_in){0};
	feed(&in, huge, sizeof(huge));
	ok(!wire_next(&in, &f) && in.error, "a frame that is too long");
	wire_in_free(&in);
	feed(&in, most, sizeof(most));
	ok(!wire_next(&in, &f) && !in.error, "the longest is waited for");
	wire_in_free(&in);
	feed(&in, cut, sizeof(cut));
	ok(wire_next(&in, &f), "a frame");
	it = wire_fields(&f);
	ok(!wire_whole(it) && !wire_find(it, WIRE_F_MAGIC, &one), "a field longer than its frame");
	wire_in_free(&in);
	feed(&in, head, sizeof(head));
	ok(wire_next(&in, &f) && !wire_whole(wire_fields(&f)), "half a field");
	wire_in_free(&in);
	feed(&in, odd, sizeof(odd));
	ok(wire_next(&in, &f) && wire_whole(wire_fields(&f)), "a field of three bytes");
	is_int(wire_number(wire_fields(&f), WIRE_F_ROWS, 5, &bad), 5, "is no number");
	ok(bad, "and said so");
	wire_in_free(&in);
	bad = false;
	feed(&in, nul, sizeof(nul));
	ok(wire_next(&in, &f) && !wire_string(wire_fields(&f), WIRE_F_MAGIC, &bad) && bad,
	   "a text with a NUL inside");
	wire_in_free(&in);
}

int main(void)
{
	round_trip();
	sizes();
	damage();
	return done();
}
