/*
 * From what the items said to an instant: calendar amounts before clock amounts,
 * each step normalised as mktime(3) does.
 */
#include "text/parsedate_impl.h"

/* Two-digit years as GNU reads them. */
static int64_t full_year(const struct parse *p)
{
	int64_t year = p->year;

	if (p->year_digits == 2) {
		year += year < 69 ? 2000 : 1900;
		trace_say(p, "warning: adjusting year value %lld to %lld", (long long)p->year,
			  (long long)year);
	}
	return year;
}

static bool to_24_hours(struct parse *p)
{
	bool ok = p->meridian < 0 ? p->hour >= 0 && p->hour < 24 : p->hour >= 1 && p->hour <= 12;

	if (!ok) {
		trace_say(p, "error: invalid hour %lld%s", (long long)p->hour,
			  p->meridian < 0 ? "" : p->meridian ? "pm" : "am");
		return false;
	}
	if (p->meridian >= 0)
		p->hour = p->hour % 12 + (p->meridian ? 12 : 0);
	return true;
}

static bool fields_of(const struct zone *z, int64_t sec, struct civil *c, bool *dst)
{
	return civil_from(sec, zone_offset(z, sec, NULL, dst), c);
}

/* mktime, and the fields must have been in range. */
static bool absolute(const struct parse *p, const struct zone *z, int isdst, int64_t *sec)
{
	struct civil c, given = { .year = p->year, .month = (int)p->month, .day = (int)p->day,
				  .hour = (int)p->hour, .minute = (int)p->minute,
				  .second = (int)p->second };

	if (!civil_to(z, p->year, p->month, p->day, p->hour, p->minute, p->second, isdst, sec) ||
	    !fields_of(z, *sec, &c, NULL))
		return false;
	/* A leap second is taken as the next minute's first. */
	if (c.year == p->year && c.month == p->month && c.day == p->day && c.hour == p->hour &&
	    c.minute == p->minute && c.second == p->second)
		return true;
	trace_impossible(p, &given, &c);
	return false;
}

static bool apply_day(const struct parse *p, const struct zone *z, int64_t *sec)
{
	struct civil c;
	int64_t days;

	if (!fields_of(z, *sec, &c, NULL))
		return false;
	days = (p->day_number - c.weekday + 7) % 7;
	if (!parse_add(&days, p->day_ordinal - (p->day_ordinal > 0 && c.weekday != p->day_number), 7))
		return false;
	if (!civil_to(z, c.year, c.month, c.day + days, c.hour, c.minute, c.second, -1, sec) ||
	    !fields_of(z, *sec, &c, NULL))
		return false;
	trace_new_day(p, &c);
	return true;
}

static bool apply_calendar(const struct parse *p, const struct zone *z, int isdst, int64_t *sec)
{
	int64_t year, month, day;
	struct civil c;
	bool dst;

	if (!(p->rel_year | p->rel_month | p->rel_day))
		return true;
	if (!fields_of(z, *sec, &c, NULL))
		return false;
	trace_before_calendar(p, &c);
	if (__builtin_add_overflow(c.year, p->rel_year, &year) ||
	    __builtin_add_overflow((int64_t)c.month, p->rel_month, &month) ||
	    __builtin_add_overflow((int64_t)c.day, p->rel_day, &day) || day != (int32_t)day)
		return false;
	if (!civil_to(z, year, month, day, c.hour, c.minute, c.second, isdst, sec) ||
	    !fields_of(z, *sec, &c, &dst))
		return false;
	trace_calendar(p, year, month, day, &c, isdst >= 0 && dst != isdst);
	return true;
}

static bool apply_clock(const struct parse *p, const struct zone *z, int64_t *sec, int32_t *nsec)
{
	int64_t ns = p->nsec + p->rel_nsec;
	bool was, is;

	zone_offset(z, *sec, NULL, &was);
	if (!parse_add(sec, p->rel_hour, 3600) || !parse_add(sec, p->rel_minute, 60) ||
	    !parse_add(sec, p->rel_second, 1) ||
	    !parse_add(sec, ns / 1000000000 - (ns % 1000000000 < 0), 1)) {
		trace_say(p, "error: adding relative time caused an overflow");
		return false;
	}
	*nsec = (int32_t)((ns % 1000000000 + 1000000000) % 1000000000);
	zone_offset(z, *sec, NULL, &is);
	trace_clock(p, *sec, was, is);
	return true;
}

/* The time of day that is meant. */
static bool settle_time(struct parse *p)
{
	if (p->times || (p->rels && !p->dates && !p->days)) {
		if (!to_24_hours(p))
			return false;
		trace_say(p, "using %s time as starting value: '%02d:%02d:%02d'",
			  p->times ? "specified" : "current", (int)p->hour, (int)p->minute,
			  (int)p->second);
		return true;
	}
	p->hour = p->minute = p->second = 0;
	p->nsec = 0;
	trace_say(p, "warning: using midnight as starting time: 00:00:00");
	return true;
}

static bool compute_in(struct parse *p, const struct zone *z, int isdst, int64_t *sec, int32_t *nsec)
{
	struct civil c;

	if (!absolute(p, z, isdst, sec))
		return false;
	if (p->days && !p->dates && !apply_day(p, z, sec))
		return false;
	if (fields_of(z, *sec, &c, NULL))
		trace_start(p, &c);
	/* Amounts alone keep the daylight saving of now, as GNU has it. */
	if (!(p->dates | p->days | p->times) && !p->local_zones)
		isdst = p->now_isdst;
	if (!apply_calendar(p, z, p->zones ? 0 : isdst, sec) || !fields_of(z, *sec, &c, NULL))
		return false;
	if (p->zones && !parse_add(sec, -p->zone_minutes, 60))
		return false;
	trace_epoch(p, &c, *sec);
	return apply_clock(p, z, sec, nsec);
}

bool parse_compute(struct parse *p, int64_t *sec, int32_t *nsec)
{
	struct zone utc;

	trace_input_zone(p);
	if (p->times > 1 || p->dates > 1 || p->days > 1 || p->dsts > 1 ||
	    p->local_zones + p->zones > 1) {
		trace_repeated(p);
		return false;
	}
	p->year = full_year(p);
	if (!settle_time(p))
		return false;
	/* With a zone in the text its fields are that zone's own. */
	if (p->zones)
		zone_init(&utc, "UTC0");
	return compute_in(p, p->zones ? &utc : p->zone, p->local_zones ? p->local_isdst : -1, sec, nsec);
}
