/*
 * Messages being written. A frame's or a list's size is written when it ends, at the place that
 * was left for it. Nothing is checked by the caller until the end: memory that could not be had
 * and sizes that do not fit make the message `failed`.
 */
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

#define HEAD 5u		/* of a frame: size and type */

static void put_size(uint8_t *at, size_t n)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

static bool grow(struct wire_out *o, size_t more)
{
	size_t cap = o->cap ? o->cap : 256;
	uint8_t *data;

	if (o->failed || more > SIZE_MAX / 4 - o->size)
		return false;
	while (cap < o->size + more)
		cap *= 2;
	if (cap == o->cap)
		return true;
	data = realloc(o->data, cap);
	if (!data)
		return false;
	o->data = data;
	o->cap = cap;
	return true;
}

static uint8_t *take(struct wire_out *o, size_t n)
{
	if (!grow(o, n)) {
		o->failed = true;
		return NULL;
	}
	o->size += n;
	return o->data + (o->size - n);
}

/*
 * The frame that is open: its start is kept in `open` as a place behind its head, so that 0 means
 * none.
 */
void wire_begin(struct wire_out *o, enum wire_type type)
{
	uint8_t *at = take(o, HEAD);

	if (!at)
		return;
	at[4] = (uint8_t)type;
	o->open = o->size;
}

void wire_end(struct wire_out *o)
{
	size_t n = o->size - o->open + 1;

	if (o->failed || !o->open)
		return;
	if (n > WIRE_FRAME_MAX) {
		o->failed = true;
		return;
	}
	put_size(o->data + (o->open - HEAD), n);
	o->open = 0;
}

void wire_bytes(struct wire_out *o, enum wire_field name, const void *data, size_t size)
{
	uint8_t *at = size <= WIRE_FRAME_MAX ? take(o, 6 + size) : NULL;

	if (!at) {
		o->failed = true;
		return;
	}
	at[0] = (uint8_t)name;
	at[1] = (uint8_t)((unsigned)name >> 8);
	put_size(at + 2, size);
	if (size)
		memcpy(at + 6, data, size);
}

void wire_text(struct wire_out *o, enum wire_field name, const char *text)
{
	if (text)
		wire_bytes(o, name, text, strlen(text));
}

void wire_u8(struct wire_out *o, enum wire_field name, unsigned value)
{
	uint8_t byte = (uint8_t)value;

	wire_bytes(o, name, &byte, 1);
}

void wire_u32(struct wire_out *o, enum wire_field name, uint32_t value)
{
	uint8_t bytes[4];

	put_size(bytes, value);
	wire_bytes(o, name, bytes, sizeof(bytes));
}

void wire_u64(struct wire_out *o, enum wire_field name, uint64_t value)
{
	uint8_t bytes[8];

	put_size(bytes, (uint32_t)value);
	put_size(bytes + 4, (uint32_t)(value >> 32));
	wire_bytes(o, name, bytes, sizeof(bytes));
}

size_t wire_nest(struct wire_out *o, enum wire_field name)
{
	wire_bytes(o, name, NULL, 0);
	return o->size;
}

void wire_unnest(struct wire_out *o, size_t mark)
{
	if (!o->failed)
		put_size(o->data + (mark - 4), o->size - mark);
}

void wire_raw(struct wire_out *o, const void *data, size_t size)
{
	uint8_t *at = take(o, size);

	if (at && size)
		memcpy(at, data, size);
}

void wire_data(struct wire_out *o, enum wire_type type, const void *data, size_t size)
{
	const uint8_t *from = data;

	while (size) {
		size_t n = size < WIRE_DATA_MAX ? size : WIRE_DATA_MAX;
		uint8_t *at = take(o, HEAD + n);

		if (!at)
			return;
		put_size(at, n + 1);
		at[4] = (uint8_t)type;
		memcpy(at + HEAD, from, n);
		from += n;
		size -= n;
	}
}

void wire_consume(struct wire_out *o, size_t n)
{
	o->size -= n;
	if (o->size)
		memmove(o->data, o->data + n, o->size);
}

void wire_free(struct wire_out *o)
{
	free(o->data);
	*o = (struct wire_out){0};
}
