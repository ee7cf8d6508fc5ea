/*
 * What comes over a box's socket, from both sides: frames in pieces, their fields to any depth, START
 * as the server reads it, and the answers as the client does. What is read is written again, and must
 * then be read as the same.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "box/internal.h"
#include "box/copy.h"
#include "init/spec.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fields(struct wire_iter it, unsigned depth)
{
	struct wire_field_in f;
	bool bad = false;

	while (wire_step(&it, &f)) {
		char *s = wire_copy(&f, &bad);

		assert(!s || strlen(s) == f.size);
		free(s);
		if (depth < 20)
			fields(wire_nested(&f), depth + 1);
	}
	assert(it.bad || it.at == it.end);
}

static void start(const struct wire_frame *f)
{
	const char *why, *what;
	struct spec spec;
	bool good = spec_read(&spec, wire_fields(f), &why, &what);

	assert(good == !why);
	if (good)
		assert(spec.box && *spec.box && !strchr(spec.box, '/') && spec.dir[0] == '/');
	spec_free(&spec);
}

static void answers(const struct wire_frame *f)
{
	json_t *record = json_object();
	struct copy_stat st;

	if (wire_whole(wire_fields(f))) {
		json_decref(bx_end_json(wire_fields(f)));
		json_decref(bx_process_json(wire_fields(f)));
		bx_reports(wire_fields(f), record);
		if (copy_stat_read(wire_fields(f), &st))
			copy_stat_free(&st);
	}
	json_decref(record);
}

static void again(const struct wire_frame *f)
{
	struct wire_out o = {0};
	struct wire_in in = {0};
	struct wire_frame g;

	wire_begin(&o, f->type);
	wire_raw(&o, f->body, f->size);
	wire_end(&o);
	assert(!o.failed);
	memcpy(wire_room(&in, o.size), o.data, o.size);
	wire_got(&in, o.size);
	assert(wire_next(&in, &g) && g.type == f->type && g.size == f->size &&
	       (!g.size || !memcmp(g.body, f->body, g.size)));
	wire_free(&o);
	wire_in_free(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece = size ? data[0] + 1u : 1;
	struct wire_in in = {0};
	struct wire_frame f;

	for (size_t at = 0; at < size && !in.error; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		uint8_t *to = wire_room(&in, n);

		memcpy(to, data + at, n);
		wire_got(&in, n);
		while (wire_next(&in, &f)) {
			fields(wire_fields(&f), 0);
			start(&f);
			answers(&f);
			again(&f);
		}
	}
	wire_in_free(&in);
	return 0;
}
