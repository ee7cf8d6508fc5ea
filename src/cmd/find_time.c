/*
 * Tests of find on times: ages in days or minutes, and comparisons with the
 * times of other files. An age is turned into a moment when it is read; "more
 * than N days ago" is then "before".
 */
#include "cmd/find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/util.h"
#include "text/parsedate.h"

static struct tsb_time find_time_of(const struct tsb_stat *st, int which)
{
	return which == 'a' ? st->atime : which == 'c' ? st->ctime : st->mtime;
}

bool find_read_daystart(struct find *f, int value)
{
	struct civil c;

	(void)value;
	if (f->daystart)
		return true;
	f->daystart = true;
	f->day.sec += 86400;
	f->day.nsec = 0;
	if (civil_from(f->day.sec, zone_offset(&f->zone, f->day.sec, NULL, NULL), &c))
		f->day.sec -= c.hour * 3600 + c.minute * 60 + c.second;
	return true;
}

static bool time_is_in_window(const struct find_pred *a, struct tsb_time t)
{
	int order = util_time_cmp(t, a->u.time.at);
	double delta;

	if (a->u.time.cmp != FIND_EQUAL)
		return a->u.time.cmp == FIND_MORE ? order > 0 : order < 0;
	delta = (double)(t.sec - a->u.time.at.sec) + 1e-9 * (t.nsec - a->u.time.at.nsec);
	return delta > 0 && delta <= a->u.time.window;
}

static bool time_is_age(struct find *f, struct find_pred *a)
{
	return find_stat(f) && time_is_in_window(a, find_time_of(&f->e->st, a->u.time.which));
}

static bool time_is_used(struct find *f, struct find_pred *a)
{
	struct tsb_time delta;

	if (!find_stat(f) || util_time_cmp(f->e->st.ctime, f->e->st.atime) > 0)
		return false;
	delta.sec = f->e->st.ctime.sec - f->e->st.atime.sec;
	delta.nsec = f->e->st.ctime.nsec - f->e->st.atime.nsec;
	if (delta.nsec < 0) {
		delta.nsec += 1000000000;
		delta.sec--;
	}
	return time_is_in_window(a, delta);
}

/* The argument as units of time before the origin; false: it is no number. */
static bool time_read(struct find *f, const char *s, double unit, struct tsb_time origin,
		      struct find_pred *out)
{
	enum find_cmp sign = find_sign(&s);
	double n, seconds, nanoseconds;
	char *end;

	n = strtod(s, &end);
	if (end == s || *end)
		return false;
	if (isnan(n))
		find_die(f, "invalid not-a-number argument: `%s'", s);
	nanoseconds = modf(n * unit, &seconds) * 1e9;
	if (seconds > 9e15)
		seconds = 9e15;
	if (seconds < -9e15)
		seconds = -9e15;
	out->u.time.cmp = sign == FIND_MORE ? FIND_LESS : sign == FIND_LESS ? FIND_MORE : FIND_EQUAL;
	out->u.time.window = unit;
	out->u.time.at.sec = origin.sec - (int64_t)seconds;
	out->u.time.at.nsec = origin.nsec - (int32_t)nanoseconds;
	if (out->u.time.at.nsec < 0) {
		out->u.time.at.nsec += 1000000000;
		out->u.time.at.sec--;
	}
	return true;
}

static bool time_add(struct find *f, double unit, struct tsb_time origin, int which, find_eval *eval)
{
	struct find_pred read = { 0 };

	if (!time_read(f, f->argv[f->at], unit, origin, &read))
		return false;
	f->at++;
	read.u.time.which = which;
	find_add(f, eval)->u = read.u;
	return true;
}

/* Ages are whole days: one of "more than N" must be over when N + 1 begin. */
bool find_read_days(struct find *f, int which)
{
	struct tsb_time origin = f->day;

	if (f->at >= f->argc)
		return false;
	if (f->argv[f->at][0] == '-')
		origin.sec += 86400 - 1;
	return time_add(f, 86400, origin, which, time_is_age);
}

bool find_read_minutes(struct find *f, int which)
{
	struct tsb_time origin = f->day;

	if (f->at >= f->argc)
		return false;
	origin.sec += 86400;
	return time_add(f, 60, origin, which, time_is_age);
}

bool find_read_used(struct find *f, int value)
{
	(void)value;
	if (f->at >= f->argc)
		return false;
	if (!time_add(f, 86400, (struct tsb_time){ 0, 0 }, 0, time_is_used))
		find_die(f, "Invalid argument %s to -used", f->argv[f->at]);
	return true;
}

static bool time_is_newer(struct find *f, struct find_pred *a)
{
	return find_stat(f) &&
	       util_time_cmp(find_time_of(&f->e->st, a->u.time.which), a->u.time.at) > 0;
}

static bool time_add_newer(struct find *f, int which, int reference)
{
	const char *arg = find_arg(f);
	struct tsb_time at = { 0, 0 };
	struct find_pred *a;
	struct tsb_stat st;
	int err;

	if (!arg)
		return false;
	if (reference == 't') {
		if (!parsedate(arg, f->now.sec, f->now.nsec, &f->zone, &at.sec, &at.nsec))
			find_die(f, "I cannot figure out how to interpret %s as a date or time",
				 quote_text(f->p, arg));
	} else {
		err = find_stat_named(f, arg, &st);
		if (err) {
			find_file_error(f, err, arg);
			tsb_exit(f->p, 1);
		}
		at = find_time_of(&st, reference);
	}
	a = find_add(f, time_is_newer);
	a->u.time.at = at;
	a->u.time.which = which;
	return true;
}

bool find_read_newer(struct find *f, int which)
{
	return time_add_newer(f, which, 'm');
}

bool find_read_newer_xy(struct find *f, int value)
{
	int x = f->predicate[6], y = f->predicate[7];

	(void)value;
	if (x == 'B' || y == 'B')
		tsb_warn(f->p, "This system does not provide a way to find the birth time of a file.");
	if (!strchr("acm", x) || !strchr("acmt", y))
		find_die(f, "invalid predicate `%s'", f->predicate);
	if (f->at >= f->argc)
		find_die(f, "The %s test needs an argument", quote_text(f->p, f->predicate));
	return time_add_newer(f, x, y);
}
