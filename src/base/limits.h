/*
 * The limits as one table (limits.def): every field of struct tsb_limits with
 * its default, unit and help. Implements the tsb_limit*() functions.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/sandbox.h>

enum limit_unit { LIMIT_BYTES, LIMIT_COUNT, LIMIT_MS };

struct limit_row {
	const char *name;
	size_t offset;		/* of the uint64_t in struct tsb_limits */
	uint64_t value;		/* default */
	enum limit_unit unit;
	const char *help;
};

extern const struct limit_row limit_rows[];	/* ends with a NULL name */

/* Takes what is more than can be given (a caller may ask for UINT64_MAX) down to that. */
void limits_bound(struct tsb_limits *limits);

#endif
