/*
 * Inside of parsedate: the tokens and what is known so far. Only parsedate*.c
 * includes it. parsedate.c reads, parsedate_compute.c makes an instant of it,
 * parsedate_trace.c tells what is done, as date --debug does.
 */
#ifndef TEXT_PARSEDATE_IMPL_H
#define TEXT_PARSEDATE_IMPL_H

#include "text/parsedate.h"
#include "text/parsedate_words.h"

#define TOKENS_MAX 64

struct token {
	enum date_token kind;
	int64_t value;
	int digits;		/* of a number */
	int32_t nsec;		/* of a decimal */
	bool is_signed, negative;
	bool glued;		/* no blank before it */
	const char *end;	/* behind it in the text */
	char word[20];		/* of an unknown word, as GNU shows it */
};

struct parse {
	struct token t[TOKENS_MAX + 4];
	size_t n, at;
	size_t no_ago;		/* a relative amount that begins here takes no "ago": it belongs to
				   the number or zone before it */
	const struct zone *zone;
	const char *text;	/* behind TZ="..." */
	char tz[64];		/* of TZ="..." in the text; "": none */

	int dates, days, times, zones, local_zones, dsts, rels;
	int64_t year, month, day, hour, minute, second;
	int year_digits;
	int32_t nsec;
	int meridian;		/* -1 none */
	int64_t day_ordinal;
	int day_number;
	int64_t zone_minutes;
	int local_isdst, now_isdst;
	int64_t rel_year, rel_month, rel_day, rel_hour, rel_minute, rel_second;
	int64_t rel_nsec;
	bool instant;		/* @ */

	/* What is told of it (trace.c); label: of the item just taken. */
	const struct parsedate_trace *trace;
	const char *label;
	bool year_seen, ordinal_seen;
	bool told_dates, told_year, told_times, told_days, told_local, told_zones, told_unknown;
};

static inline bool parse_add(int64_t *to, int64_t count, int64_t unit)
{
	int64_t more;

	return !__builtin_mul_overflow(count, unit, &more) && !__builtin_add_overflow(*to, more, to);
}

/* ---- parsedate_compute.c ---- */
bool parse_compute(struct parse *p, int64_t *sec, int32_t *nsec);

/* ---- parsedate_trace.c: all of it does nothing without a trace ---- */
void trace_say(const struct parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What the item gave that was not told before. */
void trace_item(struct parse *p, const char *label);
void trace_relative(const struct parse *p, const char *label);
/* Once, if t is such a word. */
void trace_unknown(struct parse *p, const struct token *t);
/* rest: the text that was not read. */
void trace_failed(const struct parse *p, const char *rest);
void trace_input_zone(const struct parse *p);
void trace_repeated(const struct parse *p);
void trace_impossible(const struct parse *p, const struct civil *given, const struct civil *is);
void trace_new_day(const struct parse *p, const struct civil *c);
void trace_start(const struct parse *p, const struct civil *c);
void trace_before_calendar(const struct parse *p, const struct civil *c);
/* year, month, day: before they were made right. */
void trace_calendar(const struct parse *p, int64_t year, int64_t month, int64_t day,
		    const struct civil *c, bool dst_changed);
void trace_epoch(const struct parse *p, const struct civil *c, int64_t sec);
/* sec, dst: after the clock amounts; was_dst: before them. */
void trace_clock(const struct parse *p, int64_t sec, bool was_dst, bool dst);
void trace_final(const struct parse *p, int64_t sec, int32_t nsec);

#endif
