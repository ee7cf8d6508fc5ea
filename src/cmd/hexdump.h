/*
 * hexdump, between its files: hexdump_format.c reads formats, hexdump.c has the
 * options, the input and the printing.
 */
#ifndef CMD_HEXDUMP_H
#define CMD_HEXDUMP_H

#include <tinysandbox/command.h>

#include "base/vec.h"
#include "text/format.h"

enum hexdump_kind {
	HEXDUMP_TEXT, HEXDUMP_ADDRESS, HEXDUMP_CHAR, HEXDUMP_SHOWN, HEXDUMP_ESCAPED, HEXDUMP_NAMED,
	HEXDUMP_INT, HEXDUMP_FLOAT, HEXDUMP_STRING
};

/* A color and when it counts: _L[!red:0x41@2-5]. */
struct hexdump_color {
	const char *code;	/* "1;33" */
	bool negated, has_value, has_range;
	uint64_t number;
	const char *text;	/* a value that is no number; NULL: it is one */
	uint64_t from, to;
};

/* One conversion, or the text between two. */
struct hexdump_part {
	enum hexdump_kind kind;
	struct format_spec spec;
	size_t bytes;
	const char *text;
	size_t n;		/* of the text */
	VEC(struct hexdump_color) colors;
	bool blank_end;		/* its last byte is left out in the last repetition */
};

/* reps/bytes "format" */
struct hexdump_unit {
	size_t reps, bytes;
	bool reps_given, at_end;
	char *format;
	VEC(struct hexdump_part) parts;
};

struct hexdump_format {
	VEC(struct hexdump_unit) units;
	size_t bytes;
};

struct hexdump {
	VEC(struct hexdump_format) formats;
	bool all;
	uint64_t skip, length;
	bool limited, color;	/* color: of --color, without a terminal only if it is asked for */

	struct tsb_proc *p;
	size_t block;
	struct hexdump_unit *end;	/* what is printed behind the last block */
};

/* Adds a format as -e gives it: 0, or 1 after a message. */
int hexdump_add(struct tsb_proc *p, struct hexdump *h, const char *text);
/* Adds the formats of a file. */
int hexdump_add_file(struct tsb_proc *p, struct hexdump *h, const char *name);
/* "[red,...]" behind a conversion's "_L": *s is moved behind it. */
int hexdump_read_colors(struct tsb_proc *p, struct hexdump *h, struct hexdump_part *part,
			const char **s);
/* The code of the color that counts there; NULL: none. */
const char *hexdump_color_of(const struct hexdump_part *part, const unsigned char *at,
			     uint64_t address);
/* Makes the parts of all formats, and the size of a block. */
int hexdump_compile(struct hexdump *h);

#endif
