/*
 * cal, ncal - calendars, as Debian's ncal prints them.
 *
 * Days are counted from 1970-01-01. Up to a country's change they are Julian
 * dates, from then on Gregorian ones, so that September 1752 has 19 days.
 */
#include "cmd/cal.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "text/civil.h"
#include "text/datefmt.h"

enum { CAL_USAGE = 64 };

static const char cal_usage_text[] =
	"Usage: cal [general options] [-jy] [[month] year]\n"
	"       cal [general options] [-j] [-m month] [year]\n"
	"       ncal -C [general options] [-jy] [[month] year]\n"
	"       ncal -C [general options] [-j] [-m month] [year]\n"
	"       ncal [general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s country_code] [-W number of "
	"days] [[month] year]\n"
	"       ncal [general options] [-Jeo] [year]\n"
	"General options: [-31] [-A months] [-B months] [-d yyyy-mm]\n";

static int cal_usage(struct cal *c)
{
	tsb_flush(c->p);
	tsb_write_all(c->p, 2, cal_usage_text, sizeof(cal_usage_text) - 1);
	return CAL_USAGE;
}

/* ---- Words ---- */

static bool cal_same(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((a[i] | 32) != (b[i] | 32) || !a[i])
			return false;
	return !a[n];
}

/* A month's number or name, and f or p behind a number: false: it is none. */
static bool cal_month(struct cal *c, const char *s)
{
	size_t n = strspn(s, "0123456789");
	int month = 0;

	if (n && n < 3) {
		month = atoi(s);
		if (s[n] && strcmp(s + n, "f") != 0 && strcmp(s + n, "p") != 0)
			return false;
		if (s[n] == 'f')
			c->year += month <= c->month;
		else if (s[n] == 'p')
			c->year -= month >= c->month;
	}
	for (int i = 0; !n && i < 12; i++)
		if (cal_same(s, date_month_names[i], 3) ||
		    cal_same(s, date_month_names[i], strlen(date_month_names[i])))
			month = i + 1;
	if (month < 1 || month > 12)
		return false;
	c->month = month;
	return true;
}

static int cal_set_month(struct cal *c, const char *s)
{
	if (cal_month(c, s))
		return 0;
	tsb_warn(c->p, "%s is neither a month number (1..12) nor a name", s);
	return CAL_USAGE;
}

static int cal_set_year(struct cal *c, const char *s)
{
	char *end;
	long v = strtol(s, &end, 10);

	if (*end || end == s) {
		tsb_warn(c->p, "not a valid year %s", s);
		return CAL_USAGE;
	}
	c->year = v < 1 || v > 9999 ? 0 : (int)v;
	if (c->year)
		return 0;
	tsb_warn(c->p, "year `%ld' not in range 1..9999", v);
	return CAL_USAGE;
}

/* ---- Options: read by hand, since they differ by name ---- */

static int cal_count(const char *s)
{
	long v = strtol(s, NULL, 10);

	return v < 0 || v > 120000 ? (v < 0 ? -1 : 120000) : (int)v;
}

static void cal_today(struct cal *c, const char *s)
{
	char *end;
	long year = strtol(s, &end, 10), month = *end == '-' ? strtol(end + 1, NULL, 10) : 0;

	if (year < 0 || year > 9999 || month < 0 || month > 99)
		year = month = 0;
	year += (month - 1 + 12) / 12 - 1;
	c->year = (int)year;
	c->month = (int)((month - 1 + 12) % 12) + 1;
}

static int cal_letter(struct cal *c, char letter, const char *arg)
{
	bool old = c->old;

	switch (letter) {
	/* The last of these holds. */
	case '3': c->three = true; c->one = c->whole = false; return 0;
	case '1': c->one = true; c->three = c->whole = false; return 0;
	case 'A': c->after = cal_count(arg); return c->after < 0 ? cal_usage(c) : 0;
	case 'B': c->before = cal_count(arg); return c->before < 0 ? cal_usage(c) : 0;
	case 'C': case 'b': c->old = true; c->b |= letter == 'b'; return c->is_cal ? cal_usage(c) : 0;
	case 'd': cal_today(c, arg); return 0;
	/* of what is shown otherwise on a terminal only */
	case 'H': return c->old ? cal_usage(c) : 0;
	case 'h': return c->is_cal ? cal_usage(c) : 0;
	case 'j': c->days = true; return 0;
	case 'J': c->julian = true; break;
	case 'e': case 'o': c->easter = letter; break;
	case 'm': c->month_word = arg; return 0;
	case 'M': c->monday = true; break;
	case 'S': c->monday = false; break;
	case 'p': c->countries = true; break;
	case 's': c->country = arg; break;
	case 'w': c->weeks = true; break;
	case 'W': c->first_week = cal_count(arg); break;
	case 'y': c->whole = true; c->one = c->three = false; return 0;
	default: return 0;
	}
	return old && !c->b ? cal_usage(c) : 0;
}

static int cal_options(struct cal *c, int argc, char **argv, int *used)
{
	const char *takes = "ABdHmsW", *known = "31ABCdHhjJeomMSpswWyb";
	int i = 0, status;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		for (const char *s = argv[i] + 1; *s; s++) {
			const char *arg = NULL;

			if (!strchr(known, *s)) {
				tsb_warn(c->p, "invalid option -- '%c'", *s);
				return cal_usage(c);
			}
			if (strchr(takes, *s)) {
				arg = s[1] ? s + 1 : i + 1 < argc ? argv[++i] : NULL;
				if (!arg) {
					tsb_warn(c->p, "option requires an argument -- '%c'", *s);
					return cal_usage(c);
				}
			}
			status = cal_letter(c, *s, arg);
			if (status)
				return status;
			if (arg)
				break;
		}
	}
	*used = i;
	return 0;
}

/* ---- The command ---- */

static int cal_operands(struct cal *c, int argc, char **argv)
{
	bool whole = false;
	int status = 0;

	if (argc > 2 || (argc == 2 && c->easter))
		return cal_usage(c);
	if (argc)
		status = cal_set_year(c, argv[argc - 1]);
	if (!status && (c->year < 1 || c->year > 9999)) {
		tsb_warn(c->p, "year `%d' not in range 1..9999", c->year < 0 ? 0 : c->year);
		return CAL_USAGE;
	}
	if (!status && argc == 2)
		c->month_word = argv[0];
	if (argc == 1 && !c->month_word && !c->easter) {
		if (!status && (c->three || c->one)) {
			tsb_warn(c->p, "-%c together with a given year but no given month is not "
				 "supported.", c->one ? '1' : '3');
			return CAL_USAGE;
		}
		whole = !c->given_range;
		if (!whole) {	/* the year, and months before and behind it */
			c->month = 1;
			c->after += 11;
		}
	}
	if (!status && c->month_word)
		status = cal_set_month(c, c->month_word);
	c->whole |= whole;
	return status;
}

static void cal_now(struct cal *c)
{
	struct tsb_time now = tsb_clock(c->p, TSB_CLOCK_REAL);
	struct civil civil;
	struct zone zone;

	zone_init(&zone, tsb_getenv(c->p, "TZ"));
	if (!civil_from(now.sec, zone_offset(&zone, now.sec, NULL, NULL), &civil))
		return;
	c->year = (int)civil.year;
	c->month = civil.month;
}

static int cal_main(struct tsb_proc *p, bool is_cal, int argc, char **argv)
{
	struct cal c = { .p = p, .is_cal = is_cal, .old = is_cal, .before = 0, .after = 0 };
	int used = 0, status;

	cal_now(&c);
	status = cal_options(&c, argc, argv, &used);
	if (status)
		return status;
	c.given_range = c.before || c.after;
	if (c.countries) {
		cal_list_countries(&c);
		return 0;
	}
	status = cal_set_country(&c);
	if (!status && c.old && c.weeks)
		return cal_usage(&c);
	if (!status)
		status = cal_operands(&c, argc - used, argv + used);
	if (status)
		return status;
	if (c.easter)
		cal_print_easter(&c);
	else
		cal_print(&c);
	return 0;
}

static int cal_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return cal_main(p, true, argc, argv);
}

static int ncal_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return cal_main(p, false, argc, argv);
}

const struct tsb_command cmd_cal = {
	.version = TSB_COMMAND_VERSION, .package = "ncal", .package_version = "12.1.8",
	.name = "cal", .synopsis = "[-3hjy] [-A number] [-B number] [-d yyyy-mm] [[month] year]",
	.summary = "display a calendar", .run = cal_run, .flags = TSB_RAW | TSB_NO_HELP,
};

const struct tsb_command cmd_ncal = {
	.version = TSB_COMMAND_VERSION, .package = "ncal", .package_version = "12.1.8",
	.name = "ncal", .synopsis = "[-3bCeJhjMopSwy] [-A number] [-B number] [-s country] [[month] year]",
	.summary = "display a calendar and the date of Easter", .run = ncal_run,
	.flags = TSB_RAW | TSB_NO_HELP,
};
