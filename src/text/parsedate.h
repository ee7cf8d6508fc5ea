/*
 * Dates as people write them: what `date -d` and `touch -d` accept ("tomorrow",
 * "2024-01-31 10:00 +0200", "@1.5", "last friday", "3 days ago", "Jan 5 2021
 * 3pm"), by the rules of GNU's "Date input formats".
 */
#ifndef TEXT_PARSEDATE_H
#define TEXT_PARSEDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "text/civil.h"

/* now: the moment relative words count from. false: no such date. */
bool parsedate(const char *text, int64_t now_sec, int32_t now_nsec, const struct zone *zone,
	       int64_t *sec, int32_t *nsec);

#endif
