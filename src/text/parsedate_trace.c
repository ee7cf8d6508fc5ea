/*
 * What date --debug tells of a date: the same lines as GNU's. Everything here
 * only looks; without a trace nothing is told.
 */
#include "text/parsedate_impl.h"

#include <stdio.h>
#include <string.h>

#define LINE_MAX_ 320		/* of what is put together here; texts of others go by %s */

void trace_say(const struct parse *p, const char *fmt, ...)
{
	va_list ap;

	if (!p->trace)
		return;
	va_start(ap, fmt);
	p->trace->say(p->trace->ctx, fmt, ap);
	va_end(ap);
}

/* ---- Pieces ---- */

/* Text added to a line of LINE_MAX_. */
static void put(char *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(char *line, const char *fmt, ...)
{
	size_t n = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + n, LINE_MAX_ - n, fmt, ap);
	va_end(ap);
}

static const char *apart(const char *line)
{
	return *line ? " " : "";
}

/* "+02", "-03:30" */
static void put_offset(char *line, int64_t seconds)
{
	int64_t n = seconds < 0 ? -seconds : seconds;

	put(line, "%c%02d", seconds < 0 ? '-' : '+', (int)(n / 3600));
	if (n % 3600)
		put(line, ":%02d", (int)(n % 3600 / 60));
	if (n % 60)
		put(line, ":%02d", (int)(n % 60));
}

static void put_date(char *line, const struct civil *c)
{
	put(line, "(Y-M-D) %04lld-%02d-%02d", (long long)c->year, c->month, c->day);
}

static void put_moment(char *line, const struct civil *c)
{
	put_date(line, c);
	put(line, " %02d:%02d:%02d", c->hour, c->minute, c->second);
}

/* With the zone of the text. */
static void put_moment_there(char *line, const struct parse *p, const struct civil *c)
{
	put_moment(line, c);
	if (p->zones) {
		put(line, " TZ=");
		put_offset(line, p->zone_minutes * 60);
	}
}

static void put_day(char *line, const struct parse *p)
{
	static const char *const ordinals[] = {
		"last", "this", "next/first", "(SECOND)", "third", "fourth", "fifth", "sixth",
		"seventh", "eight", "ninth", "tenth", "eleventh", "twelfth"
	};
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };

	if (p->ordinal_seen && p->day_ordinal >= -1 && p->day_ordinal <= 12)
		put(line, "%s ", ordinals[p->day_ordinal + 1]);
	else if (p->ordinal_seen)
		put(line, "%lld ", (long long)p->day_ordinal);
	put(line, "%s", days[p->day_number]);
}

/* ---- Items ---- */

static void put_item_time(char *line, const struct parse *p)
{
	put(line, "%s%02lld:%02lld:%02lld", apart(line), (long long)p->hour, (long long)p->minute,
	    (long long)p->second);
	if (p->nsec)
		put(line, ".%09d", p->nsec);
	if (p->meridian == 1)
		put(line, "pm");
}

void trace_item(struct parse *p, const char *label)
{
	char line[LINE_MAX_] = "";

	if (p->dates && !p->told_dates)
		put(line, "(Y-M-D) %04lld-%02lld-%02lld", (long long)p->year, (long long)p->month,
		    (long long)p->day);
	if (p->year_seen && !p->told_year)
		put(line, "%syear: %04lld", apart(line), (long long)p->year);
	if (p->times && !p->told_times)
		put_item_time(line, p);
	if (p->days && !p->told_days) {
		put(line, "%s", apart(line));
		put_day(line, p);
		put(line, " (day ordinal=%lld number=%d)", (long long)p->day_ordinal, p->day_number);
	}
	if (p->local_zones && !p->told_local)
		put(line, "%sisdst=%d%s", apart(line), p->local_isdst, p->dsts ? " DST" : "");
	if (p->zones && !p->told_zones) {
		put(line, "%sUTC", apart(line));
		put_offset(line, p->zone_minutes * 60);
	}
	if (p->instant)
		put(line, "%snumber of seconds: %lld", apart(line), (long long)p->second);
	p->told_dates = p->dates;
	p->told_year = p->year_seen;
	p->told_times = p->times;
	p->told_days = p->days;
	p->told_local = p->local_zones;
	p->told_zones = p->zones;
	trace_say(p, "parsed %s part: %s", label, line);
}

void trace_relative(const struct parse *p, const char *label)
{
	const struct { int64_t value; const char *unit; } parts[] = {
		{ p->rel_year, "year(s)" }, { p->rel_month, "month(s)" }, { p->rel_day, "day(s)" },
		{ p->rel_hour, "hour(s)" }, { p->rel_minute, "minutes" },
		{ p->rel_second, "seconds" }, { p->rel_nsec, "nanoseconds" },
	};
	char line[LINE_MAX_] = "";

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].value)
			put(line, "%s%+lld %s", apart(line), (long long)parts[i].value, parts[i].unit);
	trace_say(p, "parsed %s part: %s", label, *line ? line : "today/this/now");
}

void trace_unknown(struct parse *p, const struct token *t)
{
	if (t->kind != DATE_BAD || !*t->word || p->told_unknown)
		return;
	p->told_unknown = true;
	trace_say(p, "error: unknown word '%s'", t->word);
}

void trace_failed(const struct parse *p, const char *rest)
{
	if (*rest)
		trace_say(p, "error: parsing failed, stopped at '%s'", rest);
	else
		trace_say(p, "error: parsing failed");
}

void trace_input_zone(const struct parse *p)
{
	const char *tz = p->trace ? p->trace->tz : NULL;
	const char *dst = p->local_zones && !p->zones && p->local_isdst > 0 ? ", dst" : "";
	char offset[LINE_MAX_] = "";

	if (p->instant) {
		trace_say(p, "input timezone: '@timespec' - always UTC");
	} else if (p->zones) {
		put_offset(offset, p->zone_minutes * 60);
		trace_say(p, "input timezone: parsed date/time string (%s)", offset);
	} else if (*p->tz) {
		trace_say(p, "input timezone: TZ=\"%s\" in date string%s", p->tz, dst);
	} else if (!tz) {
		trace_say(p, "input timezone: system default%s", dst);
	} else {
		trace_say(p, "input timezone: TZ=\"%s\" environment value%s%s", tz,
			  strcmp(tz, "UTC0") ? "" : " or -u", dst);
	}
}

void trace_repeated(const struct parse *p)
{
	if (p->times > 1)
		trace_say(p, "error: seen multiple time parts");
	if (p->dates > 1)
		trace_say(p, "error: seen multiple date parts");
	if (p->days > 1)
		trace_say(p, "error: seen multiple days parts");
	if (p->dsts > 1)
		trace_say(p, "error: seen multiple daylight-saving parts");
	if (p->local_zones + p->zones > 1)
		trace_say(p, "error: seen multiple time-zone parts");
}

/* ---- Steps ---- */

void trace_impossible(const struct parse *p, const struct civil *given, const struct civil *is)
{
	bool month = given->month != is->month, day = given->day != is->day;
	bool hour = given->hour != is->hour, year = given->year != is->year;
	bool minute = given->minute != is->minute, second = given->second != is->second;
	char marks[LINE_MAX_] = "", user[LINE_MAX_] = "", normal[LINE_MAX_] = "";
	size_t n;

	put_moment_there(user, p, given);
	put_moment_there(normal, p, is);
	put(marks, "                                 %4s %2s %2s %2s %2s %2s", year ? "----" : "",
	    month ? "--" : "", day ? "--" : "", hour ? "--" : "", minute ? "--" : "",
	    second ? "--" : "");
	for (n = strlen(marks); n && marks[n - 1] == ' '; n--)
		;
	marks[n] = '\0';
	trace_say(p, "error: invalid date/time value:");
	trace_say(p, "    user provided time: '%s'", user);
	trace_say(p, "       normalized time: '%s'", normal);
	trace_say(p, "%s", marks);
	trace_say(p, "     possible reasons:");
	if (hour && !minute && !second && !day && !month && !year)
		trace_say(p, "       non-existing due to daylight-saving time;");
	if (day && month)
		trace_say(p, "       invalid day/month combination;");
	trace_say(p, "       numeric values overflow;");
	trace_say(p, "       %s", p->zones ? "incorrect timezone" : "missing timezone");
}

void trace_new_day(const struct parse *p, const struct civil *c)
{
	char day[LINE_MAX_] = "", line[LINE_MAX_] = "";

	put_day(day, p);
	put_moment_there(line, p, c);
	trace_say(p, "new start date: '%s' is '%s'", day, line);
}

void trace_start(const struct parse *p, const struct civil *c)
{
	char line[LINE_MAX_] = "";

	if (!p->dates && !p->days) {
		put_date(line, c);
		trace_say(p, "using current date as starting value: '%s'", line);
	} else if (p->dates && p->days) {
		put_day(line, p);
		trace_say(p, "warning: day (%s) ignored when explicit dates are given", line);
	}
	*line = '\0';
	put_moment_there(line, p, c);
	trace_say(p, "starting date/time: '%s'", line);
}

void trace_before_calendar(const struct parse *p, const struct civil *c)
{
	if ((p->rel_year || p->rel_month) && c->day != 15)
		trace_say(p, "warning: when adding relative months/years, it is recommended to "
			  "specify the 15th of the months");
	if (p->rel_day && c->hour != 12)
		trace_say(p, "warning: when adding relative days, it is recommended to specify noon");
}

void trace_calendar(const struct parse *p, int64_t year, int64_t month, int64_t day,
		    const struct civil *c, bool dst_changed)
{
	char line[LINE_MAX_] = "";

	put_moment_there(line, p, c);
	trace_say(p, "after date adjustment (%+lld years, %+lld months, %+lld days),",
		  (long long)p->rel_year, (long long)p->rel_month, (long long)p->rel_day);
	trace_say(p, "    new date/time = '%s'", line);
	if (dst_changed)
		trace_say(p, "warning: daylight saving time changed after date adjustment");
	if (p->rel_day || (c->day == day && (p->rel_month || c->month == month)))
		return;
	trace_say(p, "warning: month/year adjustment resulted in shifted dates:");
	trace_say(p, "     adjusted Y M D: %04lld %02lld %02lld", (long long)year, (long long)month,
		  (long long)day);
	trace_say(p, "   normalized Y M D: %04lld %02d %02d", (long long)c->year, c->month, c->day);
}

void trace_epoch(const struct parse *p, const struct civil *c, int64_t sec)
{
	char line[LINE_MAX_] = "";

	put_moment_there(line, p, c);
	trace_say(p, "'%s' = %lld epoch-seconds", line, (long long)sec);
}

void trace_clock(const struct parse *p, int64_t sec, bool was_dst, bool dst)
{
	if (!(p->rel_hour | p->rel_minute | p->rel_second | p->rel_nsec))
		return;
	trace_say(p, "after time adjustment (%+lld hours, %+lld minutes, %+lld seconds, %+lld ns),",
		  (long long)p->rel_hour, (long long)p->rel_minute, (long long)p->rel_second,
		  (long long)p->rel_nsec);
	trace_say(p, "    new time = %lld epoch-seconds", (long long)sec);
	if (was_dst != dst)
		trace_say(p, "warning: daylight saving time changed after time adjustment");
}

void trace_final(const struct parse *p, int64_t sec, int32_t nsec)
{
	const char *tz = *p->tz ? p->tz : p->trace ? p->trace->tz : NULL;
	int32_t east = zone_offset(p->zone, sec, NULL, NULL);
	char line[LINE_MAX_] = "", offset[LINE_MAX_] = "";
	struct civil c;

	if (!tz)
		trace_say(p, "timezone: system default");
	else if (!strcmp(tz, "UTC0"))
		trace_say(p, "timezone: Universal Time");
	else
		trace_say(p, "timezone: TZ=\"%s\" environment value", tz);
	trace_say(p, "final: %lld.%09d (epoch-seconds)", (long long)sec, nsec);
	if (civil_from(sec, 0, &c)) {
		put_moment(line, &c);
		trace_say(p, "final: %s (UTC)", line);
	}
	if (civil_from(sec, east, &c)) {
		*line = '\0';
		put_moment(line, &c);
		put_offset(offset, east);
		trace_say(p, "final: %s (UTC%s)", line, offset);
	}
}
