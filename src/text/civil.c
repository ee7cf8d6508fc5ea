/*
 * See civil.h. Days are counted by eras of 400 years, so every year a 64-bit
 * count of seconds can name is exact.
 */
#include "text/civil.h"

#include <string.h>

#include "text/zones_past.h"

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

static const struct zone_past_row *zone_find_past(const char *tz)
{
	size_t low = 0, high = zones_past.n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = strcmp(zones_past.rows[mid].place, tz);

		if (!c)
			return &zones_past.rows[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

void zone_init(struct zone *z, const char *tz)
{
	struct zone_place place;

	if (!tz)
		tz = "UTC0";
	if (*tz == ':')
		tz++;
	/* Places whose names are such rules have these rules. */
	if (!zone_parse(z, tz) && (!zone_place(&place, tz, strlen(tz), false) || !zone_parse(z, place.rule))) {
		zone_utc(z, tz);
		return;
	}
	z->past = zone_find_past(tz);
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
	/* Rules have no years before 1970, as for glibc. */
	start = zone_when(&z->start, c.year < 1970 ? 1970 : c.year) - z->offset[0];
	end = zone_when(&z->end, c.year < 1970 ? 1970 : c.year) - z->offset[1];
	return start < end ? sec >= start && sec < end : sec >= start || sec < end;
}

/* What held in the past; NULL: the rule holds. */
static const struct zone_kind *zone_back_then(const struct zone *z, int64_t sec)
{
	const struct zone_past_row *p = z->past;
	size_t low = 0, high = p ? p->n : 0;

	if (!p || sec >= zones_past.at[p->from + p->n - 1])
		return NULL;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (zones_past.at[p->from + mid] <= sec)
			low = mid + 1;
		else
			high = mid;
	}
	return &zones_past.kinds[p->kinds + (low ? zones_past.which[p->from + low - 1] : 0)];
}

int32_t zone_offset(const struct zone *z, int64_t sec, const char **name, bool *dst)
{
	const struct zone_kind *then = zone_back_then(z, sec);
	bool is_dst;

	if (then) {
		if (name)
			*name = then->name;
		if (dst)
			*dst = then->dst;
		return then->offset;
	}
	is_dst = zone_is_dst(z, sec);
	if (name)
		*name = z->name[is_dst];
	if (dst)
		*dst = is_dst;
	return z->offset[is_dst];
}

/*
 * Of two instants with the same local time the one that is found first, from UTC on, as glibc's mktime() goes: west of
 * Greenwich the earlier one, east of it the later. In a gap, what held before it.
 */
static int64_t zone_local(const struct zone *z, int64_t local)
{
	int32_t o = zone_offset(z, local, NULL, NULL), now;

	for (int i = 0; i < 3; i++, o = now) {
		now = zone_offset(z, local - o, NULL, NULL);
		if (now == o)
			return local - o;
	}
	return local - zone_offset(z, local - DAY, NULL, NULL);
}

/* With what held a day before or a day behind, whichever is of that kind. */
static int64_t zone_local_kind(const struct zone *z, int64_t local, bool isdst)
{
	for (int64_t away = -DAY; away <= DAY; away += 2 * DAY) {
		bool dst;
		int32_t o = zone_offset(z, local + away, NULL, &dst);

		if (dst == isdst)
			return local - o;
	}
	return local - z->offset[isdst && z->has_dst];
}

bool civil_to(const struct zone *z, int64_t year, int64_t month, int64_t day, int64_t hour,
	      int64_t minute, int64_t second, int isdst, int64_t *sec)
{
	const int64_t big = INT64_MAX / 4, years = (int64_t)1 << 33;
	int64_t local;

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
	*sec = isdst < 0 ? zone_local(z, local) : zone_local_kind(z, local, isdst > 0);
	return true;
}
