/*
 * See civil.h. Days are counted by eras of 400 years, so every year a 64-bit
 * count of seconds can name is exact.
 */
#include "text/civil.h"

#include <string.h>

#define DAY 86400

/* ---- Dates ---- */

int64_t civil_days(int64_t year, int64_t month, int64_t day)
{
	int64_t era, yoe, doy;

	year += (month - 1) / 12;
	month = (month - 1) % 12;
	if (month < 0) {
		month += 12;
		year--;
	}
	/* The year begins in March, so that the leap day is its last. */
	month = (month + 10) % 12;
	if (month >= 10)
		year--;
	era = (year >= 0 ? year : year - 399) / 400;
	yoe = year - era * 400;
	doy = (153 * month + 2) / 5;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy + day - 1 - 719468;
}

static void civil_date(int64_t days, struct civil *c)
{
	int64_t era, doe, yoe, doy, mp;

	c->weekday = (int)((days % 7 + 11) % 7);
	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	doe = days - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	c->day = (int)(doy - (153 * mp + 2) / 5 + 1);
	c->month = (int)(mp < 10 ? mp + 3 : mp - 9);
	c->year = yoe + era * 400 + (c->month <= 2);
	c->yearday = (int)(days - 719468 - civil_days(c->year, 1, 1));
}

bool civil_from(int64_t sec, int32_t offset, struct civil *out)
{
	int64_t days, rest;

	if (__builtin_add_overflow(sec, offset, &sec))
		return false;
	days = sec / DAY;
	rest = sec % DAY;
	if (rest < 0) {
		rest += DAY;
		days--;
	}
	civil_date(days, out);
	out->hour = (int)(rest / 3600);
	out->minute = (int)(rest / 60 % 60);
	out->second = (int)(rest % 60);
	return out->year - 1900 >= INT32_MIN && out->year - 1900 <= INT32_MAX;
}

/* ---- Zones ---- */

/* Common places by today's rules; history is not kept. */
static const struct zone_place {
	const char *name, *rule;
} zone_places[] = {
	{ "UTC", "UTC0" }, { "GMT", "GMT0" }, { "Etc/UTC", "UTC0" }, { "Etc/GMT", "GMT0" },
	{ "UCT", "UTC0" }, { "Zulu", "UTC0" }, { "Universal", "UTC0" }, { "Etc/Universal", "UTC0" },
	{ "EST", "EST5" }, { "MST", "MST7" }, { "HST", "HST10" },
	{ "America/New_York", "EST5EDT,M3.2.0,M11.1.0" }, { "US/Eastern", "EST5EDT,M3.2.0,M11.1.0" },
	{ "America/Toronto", "EST5EDT,M3.2.0,M11.1.0" },
	{ "America/Chicago", "CST6CDT,M3.2.0,M11.1.0" }, { "US/Central", "CST6CDT,M3.2.0,M11.1.0" },
	{ "America/Denver", "MST7MDT,M3.2.0,M11.1.0" }, { "US/Mountain", "MST7MDT,M3.2.0,M11.1.0" },
	{ "America/Phoenix", "MST7" },
	{ "America/Los_Angeles", "PST8PDT,M3.2.0,M11.1.0" },
	{ "US/Pacific", "PST8PDT,M3.2.0,M11.1.0" },
	{ "America/Vancouver", "PST8PDT,M3.2.0,M11.1.0" },
	{ "America/Anchorage", "AKST9AKDT,M3.2.0,M11.1.0" }, { "Pacific/Honolulu", "HST10" },
	{ "America/Halifax", "AST4ADT,M3.2.0,M11.1.0" },
	{ "America/St_Johns", "NST3:30NDT,M3.2.0,M11.1.0" },
	{ "America/Sao_Paulo", "<-03>3" }, { "America/Argentina/Buenos_Aires", "<-03>3" },
	{ "America/Bogota", "<-05>5" }, { "America/Lima", "<-05>5" }, { "America/Mexico_City", "CST6" },
	{ "Europe/London", "GMT0BST,M3.5.0/1,M10.5.0" }, { "GB", "GMT0BST,M3.5.0/1,M10.5.0" },
	{ "Europe/Dublin", "IST-1GMT0,M10.5.0,M3.5.0/1" },
	{ "Europe/Lisbon", "WET0WEST,M3.5.0/1,M10.5.0" },
	{ "CET", "CET-1CEST,M3.5.0,M10.5.0/3" }, { "EET", "EET-2EEST,M3.5.0/3,M10.5.0/4" },
	{ "WET", "WET0WEST,M3.5.0/1,M10.5.0" },
	{ "Europe/Paris", "CET-1CEST,M3.5.0,M10.5.0/3" }, { "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Madrid", "CET-1CEST,M3.5.0,M10.5.0/3" }, { "Europe/Rome", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Amsterdam", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Brussels", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Vienna", "CET-1CEST,M3.5.0,M10.5.0/3" }, { "Europe/Zurich", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Stockholm", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Oslo", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Copenhagen", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Prague", "CET-1CEST,M3.5.0,M10.5.0/3" }, { "Europe/Warsaw", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Budapest", "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "Europe/Athens", "EET-2EEST,M3.5.0/3,M10.5.0/4" },
	{ "Europe/Helsinki", "EET-2EEST,M3.5.0/3,M10.5.0/4" },
	{ "Europe/Kiev", "EET-2EEST,M3.5.0/3,M10.5.0/4" }, { "Europe/Kyiv", "EET-2EEST,M3.5.0/3,M10.5.0/4" },
	{ "Europe/Bucharest", "EET-2EEST,M3.5.0/3,M10.5.0/4" },
	{ "Europe/Istanbul", "<+03>-3" }, { "Europe/Moscow", "MSK-3" },
	{ "Africa/Cairo", "EET-2EEST,M4.5.5/0,M10.5.4/24" }, { "Africa/Lagos", "WAT-1" },
	{ "Africa/Johannesburg", "SAST-2" }, { "Africa/Nairobi", "EAT-3" },
	{ "Asia/Jerusalem", "IST-2IDT,M3.4.4/26,M10.5.0" }, { "Asia/Dubai", "<+04>-4" },
	{ "Asia/Karachi", "PKT-5" }, { "Asia/Kolkata", "IST-5:30" }, { "Asia/Calcutta", "IST-5:30" },
	{ "Asia/Kathmandu", "<+0545>-5:45" }, { "Asia/Dhaka", "<+06>-6" }, { "Asia/Bangkok", "<+07>-7" },
	{ "Asia/Jakarta", "WIB-7" }, { "Asia/Ho_Chi_Minh", "<+07>-7" }, { "Asia/Shanghai", "CST-8" },
	{ "Asia/Hong_Kong", "HKT-8" }, { "Asia/Taipei", "CST-8" }, { "Asia/Singapore", "<+08>-8" },
	{ "Asia/Manila", "PST-8" }, { "Asia/Tokyo", "JST-9" }, { "Japan", "JST-9" },
	{ "Asia/Seoul", "KST-9" }, { "Australia/Perth", "AWST-8" },
	{ "Australia/Brisbane", "AEST-10" }, { "Australia/Adelaide", "ACST-9:30ACDT,M10.1.0,M4.1.0/3" },
	{ "Australia/Sydney", "AEST-10AEDT,M10.1.0,M4.1.0/3" },
	{ "Australia/Melbourne", "AEST-10AEDT,M10.1.0,M4.1.0/3" },
	{ "Pacific/Auckland", "NZST-12NZDT,M9.5.0,M4.1.0/3" },
};

static bool zone_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool zone_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* A name of at least three letters, or <anything>; false: there is none. */
static bool zone_read_name(const char **s, char name[ZONE_NAME_MAX + 1])
{
	const char *from = *s, *end;
	bool angle = *from == '<';
	size_t n;

	for (end = from += angle; angle ? *end && *end != '>' : zone_letter(*end); end++)
		;
	n = (size_t)(end - from);
	if (n < 3 || (angle && *end != '>'))
		return false;
	if (n > ZONE_NAME_MAX)
		n = ZONE_NAME_MAX;
	memcpy(name, from, n);
	name[n] = '\0';
	*s = end + angle;
	return true;
}

static int zone_read_int(const char **s)
{
	int value = 0;

	for (; zone_digit(**s); ++*s)
		if (value < 100000)
			value = value * 10 + (**s - '0');
	return value;
}

/* [+-]hh[:mm[:ss]] in seconds; false: no digit. */
static bool zone_read_time(const char **s, int32_t *seconds)
{
	int sign = 1, unit = 3600;

	if (**s == '+' || **s == '-')
		sign = *(*s)++ == '-' ? -1 : 1;
	if (!zone_digit(**s))
		return false;
	*seconds = zone_read_int(s) % 200 * unit;
	while (**s == ':' && zone_digit((*s)[1]) && unit > 1) {
		++*s;
		unit /= 60;
		*seconds += zone_read_int(s) % 60 * unit;
	}
	*seconds *= sign;
	return true;
}

static bool zone_read_rule(const char **s, struct zone_rule *r)
{
	if (*(*s)++ != ',')
		return false;
	r->time = 2 * 3600;
	r->kind = 'N';
	if (**s == 'J' || **s == 'M')
		r->kind = *(*s)++;
	if (!zone_digit(**s))
		return false;
	r->day = zone_read_int(s);
	if (r->kind == 'M') {
		r->month = r->day;
		if (*(*s)++ != '.')
			return false;
		r->week = zone_read_int(s);
		if (*(*s)++ != '.')
			return false;
		r->day = zone_read_int(s);
		if (r->month < 1 || r->month > 12 || r->week < 1 || r->week > 5 || r->day > 6)
			return false;
	}
	if (**s == '/') {
		++*s;
		return zone_read_time(s, &r->time);
	}
	return true;
}

static void zone_utc(struct zone *z, const char *tz)
{
	const char *s = tz;

	memset(z, 0, sizeof(*z));
	if (!zone_read_name(&s, z->name[0]))
		memcpy(z->name[0], "UTC", 4);
}

/* A POSIX rule; false leaves *z in any state. */
static bool zone_parse(struct zone *z, const char *s)
{
	static const char us[] = ",M3.2.0,M11.1.0";
	int32_t west;

	memset(z, 0, sizeof(*z));
	if (!zone_read_name(&s, z->name[0]) || !zone_read_time(&s, &west))
		return false;
	z->offset[0] = -west;
	z->offset[1] = 3600 - west;
	if (!*s)
		return true;
	if (!zone_read_name(&s, z->name[1]))
		return false;
	z->has_dst = true;
	if (*s && *s != ',') {
		if (!zone_read_time(&s, &west))
			return false;
		z->offset[1] = -west;
	}
	if (!*s)
		s = us;
	return zone_read_rule(&s, &z->start) && zone_read_rule(&s, &z->end);
}

void zone_init(struct zone *z, const char *tz)
{
	if (!tz)
		tz = "UTC0";
	if (*tz == ':')
		tz++;
	for (size_t i = 0; i < sizeof(zone_places) / sizeof(*zone_places); i++) {
		if (!strcmp(tz, zone_places[i].name)) {
			tz = zone_places[i].rule;
			break;
		}
	}
	if (!zone_parse(z, tz))
		zone_utc(z, tz);
}

/* The instant of a rule in a year, as local time before the change. */
static int64_t zone_when(const struct zone_rule *r, int64_t year)
{
	int64_t days = civil_days(year, 1, 1), first;

	if (r->kind == 'N') {
		days += r->day;
	} else if (r->kind == 'J') {
		bool leap = civil_days(year, 3, 1) - days == 60;

		days += r->day - 1 + (leap && r->day >= 60);
	} else {
		first = civil_days(year, r->month, 1);
		days = first + (r->day - (first % 7 + 11) % 7 + 7) % 7 + (r->week - 1) * 7;
		if (days >= civil_days(year, r->month + 1, 1))
			days -= 7;
	}
	return days * DAY + r->time;
}

static bool zone_is_dst(const struct zone *z, int64_t sec)
{
	int64_t start, end;
	struct civil c;

	if (!z->has_dst || !civil_from(sec, z->offset[0], &c))
		return false;
	start = zone_when(&z->start, c.year) - z->offset[0];
	end = zone_when(&z->end, c.year) - z->offset[1];
	return start < end ? sec >= start && sec < end : sec >= start || sec < end;
}

int32_t zone_offset(const struct zone *z, int64_t sec, const char **name, bool *dst)
{
	bool is_dst = zone_is_dst(z, sec);

	if (name)
		*name = z->name[is_dst];
	if (dst)
		*dst = is_dst;
	return z->offset[is_dst];
}

bool civil_to(const struct zone *z, int64_t year, int64_t month, int64_t day, int64_t hour,
	      int64_t minute, int64_t second, int isdst, int64_t *sec)
{
	const int64_t big = INT64_MAX / 4, years = (int64_t)1 << 33;
	int64_t local, t;
	int first;

	if (year < -years || year > years || month < -big / 4 || month > big / 4)
		return false;
	if (__builtin_add_overflow(civil_days(year, month, 1), day - 1, &local) ||
	    __builtin_mul_overflow(local, DAY, &local) ||
	    __builtin_mul_overflow(hour, 3600, &hour) ||
	    __builtin_mul_overflow(minute, 60, &minute) ||
	    __builtin_add_overflow(local, hour, &local) ||
	    __builtin_add_overflow(local, minute, &local) ||
	    __builtin_add_overflow(local, second, &local) || local < -big || local > big)
		return false;
	/* The offset that makes itself true; in a gap, that of before it. */
	first = isdst > 0 && z->has_dst;
	t = local - z->offset[first];
	if (isdst < 0 && zone_is_dst(z, t) != (bool)first) {
		int64_t other = local - z->offset[!first];

		if (zone_is_dst(z, other) != (bool)first)
			t = other;
	}
	*sec = t;
	return true;
}
