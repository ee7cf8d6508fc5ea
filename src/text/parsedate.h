/*
 * Dates as people write them: what `date -d` and `touch -d` accept ("tomorrow",
 * "2024-01-31 10:00 +0200", "@1.5", "last friday", "3 days ago", "Jan 5 2021
 * 3pm"), by the rules of GNU's "Date input formats".
 */
#ifndef TEXT_PARSEDATE_H
#define TEXT_PARSEDATE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "text/civil.h"

/* now: the moment relative words count from. false: no such date. */
bool parsedate(const char *text, int64_t now_sec, int32_t now_nsec, const struct zone *zone,
	       int64_t *sec, int32_t *nsec);

/* What date --debug tells: lines, without newline. tz: the value of TZ, or NULL. */
struct parsedate_trace {
	void (*say)(void *ctx, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
	void *ctx;
	const char *tz;
};
bool parsedate_traced(const char *text, int64_t now_sec, int32_t now_nsec, const struct zone *zone,
		      const struct parsedate_trace *trace, int64_t *sec, int32_t *nsec);

#endif
