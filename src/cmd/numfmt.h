/*
 * numfmt: its options, reading a number with its unit, and writing one.
 */
#ifndef CMD_NUMFMT_H
#define CMD_NUMFMT_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "cmd/lines.h"
#include "cmd/ranges.h"

enum numfmt_scale {
	NUMFMT_NONE, NUMFMT_AUTO, NUMFMT_SI, NUMFMT_IEC, NUMFMT_IEC_I
};

enum numfmt_round {
	NUMFMT_UP, NUMFMT_DOWN, NUMFMT_FROM_ZERO, NUMFMT_TO_ZERO, NUMFMT_NEAREST
};

enum numfmt_invalid { NUMFMT_ABORT, NUMFMT_FAIL, NUMFMT_WARN, NUMFMT_IGNORE };

enum {
	NUMFMT_EXACT_DIGITS = 18,	/* what a long double keeps */
	NUMFMT_MOST_DIGITS = 27		/* 999Y */
};

struct numfmt {
	int from, to, round, invalid;
	uint64_t from_unit, to_unit, header;
	bool debug, grouping, zero_ended, fields_given, all_fields;
	int delimiter;			/* -1: blanks */
	const char *format, *suffix;
	uint64_t padding;		/* 0: none */
	bool left;

	struct tsb_proc *p;
	struct ranges fields;
	const char *prefix, *behind;	/* of the format */
	uint64_t zero_width;
	int64_t precision;		/* -1: by the number */
	bool auto_padding;
	struct sink out;
	struct str text;
};

enum numfmt_result {
	NUMFMT_OK, NUMFMT_LOSS, NUMFMT_TOO_LARGE, NUMFMT_NO_NUMBER, NUMFMT_FORBIDDEN,
	NUMFMT_BAD_SUFFIX, NUMFMT_NO_I
};

/* A number and its unit at s; *end is behind it. */
enum numfmt_result numfmt_read(const char *s, int scale, long double *value, size_t *precision,
			       const char **end);
/* The text of v by the options, appended. */
void numfmt_write(const struct numfmt *n, struct str *out, long double v, size_t precision);
/* How often the base goes into v: *v is what is left. */
unsigned numfmt_power(long double *v, unsigned base);
/* --format: 0 or the exit status after a message. */
int numfmt_format(struct numfmt *n);

#endif
