/*
 * Messages being read. Every size comes from the other side: none is believed before it is
 * compared with what is there.
 */
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

static size_t get_size(const uint8_t *at)
{
	return (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

/*
 * What was taken is given back first: the buffer is never larger than a frame and what came with
 * it.
 */
uint8_t *wire_room(struct wire_in *in, size_t n)
{
	size_t cap = in->cap ? in->cap : 4096;
	uint8_t *data;

	if (in->start) {
		in->size -= in->start;
		memmove(in->data, in->data + in->start, in->size);
		in->start = 0;
	}
	if (n > SIZE_MAX / 4 - in->size)
		return NULL;
	while (cap < in->size + n)
		cap *= 2;
	if (cap != in->cap) {
		data = realloc(in->data, cap);
		if (!data)
			return NULL;
		in->data = data;
		in->cap = cap;
	}
	return in->data + in->size;
}

void wire_got(struct wire_in *in, size_t n)
{
	in->size += n;
}

bool wire_next(struct wire_in *in, struct wire_frame *f)
{
	size_t there = in->size - in->start, n;
	const uint8_t *at;

	if (in->error || there < 4)
		return false;
	at = in->data + in->start;
	n = get_size(at);
	if (n < 1 || n > WIRE_FRAME_MAX) {
		in->error = n ? "a frame is too long" : "a frame is empty";
		return false;
	}
	if (there - 4 < n)
		return false;
	*f = (struct wire_frame){.type = (enum wire_type)at[4], .body = at + 5, .size = n - 1};
	in->start += 4 + n;
	return true;
}

void wire_in_free(struct wire_in *in)
{
	free(in->data);
	*in = (struct wire_in){0};
}

struct wire_iter wire_fields(const struct wire_frame *f)
{
	return (struct wire_iter){.at = f->body, .end = f->body + f->size};
}

struct wire_iter wire_nested(const struct wire_field_in *f)
{
	return (struct wire_iter){.at = f->data, .end = f->data + f->size};
}

bool wire_step(struct wire_iter *it, struct wire_field_in *f)
{
	size_t left = (size_t)(it->end - it->at), size;

	if (it->bad || !left)
		return false;
	if (left < 6 || (size = get_size(it->at + 2)) > left - 6) {
		it->bad = true;
		return false;
	}
	*f = (struct wire_field_in){.data = it->at + 6, .size = size,
		.name = (enum wire_field)(it->at[0] | (unsigned)it->at[1] << 8)};
	it->at += 6 + size;
	return true;
}

bool wire_find(struct wire_iter it, enum wire_field name, struct wire_field_in *f)
{
	while (wire_step(&it, f))
		if (f->name == name)
			return true;
	return false;
}

bool wire_whole(struct wire_iter it)
{
	struct wire_field_in f;

	while (wire_step(&it, &f))
		;
	return !it.bad;
}

uint64_t wire_number(struct wire_iter it, enum wire_field name, uint64_t otherwise, bool *bad)
{
	struct wire_field_in f;
	uint64_t value = 0;

	if (!wire_find(it, name, &f))
		return otherwise;
	if (f.size != 1 && f.size != 4 && f.size != 8) {
		*bad = true;
		return otherwise;
	}
	for (size_t i = f.size; i--;)
		value = value << 8 | f.data[i];
	return value;
}

char *wire_copy(const struct wire_field_in *f, bool *bad)
{
	char *s;

	if (memchr(f->data, 0, f->size) || !(s = malloc(f->size + 1))) {
		*bad = true;
		return NULL;
	}
	memcpy(s, f->data, f->size);
	s[f->size] = '\0';
	return s;
}

char *wire_string(struct wire_iter it, enum wire_field name, bool *bad)
{
	struct wire_field_in f;

	return wire_find(it, name, &f) ? wire_copy(&f, bad) : NULL;
}

size_t wire_count(struct wire_iter it, enum wire_field name)
{
	struct wire_field_in f;
	size_t n = 0;

	while (wire_step(&it, &f))
		n += f.name == name;
	return n;
}

char **wire_list(struct wire_iter it, enum wire_field name, bool *bad)
{
	char **list = calloc(wire_count(it, name) + 1, sizeof(*list));
	struct wire_field_in f;
	size_t n = 0;

	*bad |= !list;
	while (list && wire_step(&it, &f))
		if (f.name == name && (list[n] = wire_copy(&f, bad)))
			n++;
	return list;
}

void wire_list_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}
