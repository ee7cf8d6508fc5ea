/*
 * What the places of the time zone database had before today's rules: offsets by instants, out of
 * tzdata (public domain), made when the program is built (tools/zones-past). Only civil.c looks in.
 */
#ifndef TEXT_ZONES_PAST_H
#define TEXT_ZONES_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zone_kind {
	int32_t offset;		/* seconds east of UTC */
	bool dst;
	char name[8];
};

/* Changes, the oldest first; each has the number of what holds from then on. Before the first it is kind 0.
 * The last is where the rule begins. */
struct zone_past_row {
	char place[33];
	uint32_t from, kinds;	/* where its own begin: of the instants and what holds then; of the kinds */
	uint32_t n;
};

struct zones_past {
	const int64_t *at;
	const unsigned char *which;
	const struct zone_kind *kinds;
	const struct zone_past_row *rows;	/* sorted by place */
	size_t n;
};
extern const struct zones_past zones_past;

#endif
