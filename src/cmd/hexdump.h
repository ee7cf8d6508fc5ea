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

/* One conversion, or the text between two. */
struct hexdump_part {
	enum hexdump_kind kind;
	struct format_spec spec;
	size_t bytes;
	const char *text;
	size_t n;		/* of the text */
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
	bool limited;

	struct tsb_proc *p;
	size_t block;
	struct hexdump_unit *end;	/* what is printed behind the last block */
};

/* Adds a format as -e gives it: 0, or 1 after a message. */
int hexdump_add(struct tsb_proc *p, struct hexdump *h, const char *text);
/* Adds the formats of a file. */
int hexdump_add_file(struct tsb_proc *p, struct hexdump *h, const char *name);
/* Makes the parts of all formats, and the size of a block. */
int hexdump_compile(struct hexdump *h);

#endif
