/*
 * od, between its files: od.c has options and the reading, od_type.c the types
 * of -t and how a block looks in each.
 */
#ifndef CMD_OD_H
#define CMD_OD_H

#include <tinysandbox/command.h>

#include "base/vec.h"
#include "cmd/lines.h"

/* One type of -t. */
struct od_spec {
	int letter;		/* a c d f o u x */
	unsigned size;		/* bytes a field */
	unsigned width;		/* columns a field, without blanks */
	bool text;		/* z: the characters at the end of the line */
	size_t pad;		/* blanks of a full line, to be spread */
};

struct od_specs {
	VEC(struct od_spec) list;
	size_t unit;		/* least common multiple of all sizes */
};

/* Adds what a string of -t asks for: 0, or the exit status after a message. */
int od_type_add(struct tsb_proc *p, struct od_specs *specs, const char *text);
/* Spreads blanks so that lines of all types are equally long. */
void od_type_layout(struct od_specs *specs, size_t block);
/* n of `block` bytes; those behind n are zero. Without address and newline. */
void od_type_print(struct sink *out, const struct od_spec *spec, const unsigned char *at, size_t n,
		   size_t block, bool big_endian);

#endif
