/*
 * The calendar and time zones, without libc's locale, environment or files:
 * proleptic Gregorian dates, and zones by POSIX TZ rules. The places of the
 * zone database have today's rules (zones.def) and, as far as the machine
 * that built the program knew it, their past (zones_past.h); other names are
 * UTC under the name's first letters, as glibc has it for them.
 */
#ifndef TEXT_CIVIL_H
#define TEXT_CIVIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct civil {
	int64_t year;
	int month, day;		/* 1 .. 12, 1 .. 31 */
	int hour, minute, second;
	int weekday;		/* 0 Sunday */
	int yearday;		/* 0 .. 365 */
};

#define ZONE_NAME_MAX 15

struct zone_rule {		/* when one part of the year begins */
	char kind;		/* 'M' month.week.day, 'J' 1..365 without 29 Feb, 'N' 0..365 */
	int month, week, day;
	int32_t time;		/* seconds after midnight, may be negative */
};

struct zone {
	char name[2][ZONE_NAME_MAX + 1];	/* standard, daylight */
	int32_t offset[2];			/* seconds east of UTC */
	bool has_dst;
	struct zone_rule start, end;
	const struct zone_past_row *past;	/* what was before the rule; NULL: nothing else */
};

/* tz as in the environment variable TZ; NULL: UTC. Never fails. */
void zone_init(struct zone *z, const char *tz);
/* A place of the zone database. */
struct zone_place {
	const char *rule;
	const char *full[2], *brief[2];	/* names in English; "": there are none */
	const char *name;		/* the usual one of its names, not NUL-ended */
	size_t n;
};
bool zone_place(struct zone_place *out, const char *name, size_t n, bool any_case);

/* What holds at that instant; name and dst may be NULL. The name is in *z. */
int32_t zone_offset(const struct zone *z, int64_t sec, const char **name, bool *dst);

/* false: the year does not fit into 32 bits (as libc's localtime fails). */
bool civil_from(int64_t sec, int32_t offset, struct civil *out);
/* Days since 1970-01-01 of a date; month may be out of 1 .. 12 and day anything. */
int64_t civil_days(int64_t year, int64_t month, int64_t day);
/*
 * mktime(3): the instant of a local time, fields normalised. isdst: 1, 0, or -1
 * to find out. false on overflow.
 */
bool civil_to(const struct zone *z, int64_t year, int64_t month, int64_t day, int64_t hour,
	      int64_t minute, int64_t second, int isdst, int64_t *sec);

#endif
