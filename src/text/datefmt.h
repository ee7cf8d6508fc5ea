/*
 * GNU date's formats: every conversion of strftime(3) with the flags _ - 0 + ^ #,
 * a width, and %N, %:z, %::z, %:::z, %q, %s; C locale names.
 */
#ifndef TEXT_DATEFMT_H
#define TEXT_DATEFMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "text/civil.h"

struct date_moment {
	int64_t sec;
	int32_t nsec;
	int32_t offset;		/* seconds east of UTC */
	const char *zone;	/* its name */
	struct civil civil;	/* local */
};

/* false: the year is out of range. */
bool date_moment(struct date_moment *m, int64_t sec, int32_t nsec, const struct zone *z);
/* Appends; unknown conversions stay as they are. Huge widths end at out->max. */
void date_format(struct str *out, const char *format, size_t n, const struct date_moment *m);

extern const char *const date_month_names[12], *const date_day_names[7];

#endif
