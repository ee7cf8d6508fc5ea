/*
 * Printing calendars: months as tables of weeks, some beside each other.
 */
#include "cmd/cal.h"

#include <string.h>

#include "base/str.h"
#include "text/civil.h"
#include "text/datefmt.h"

/* The last Julian day of each country. */
static const struct {
	const char *code, *name;
	int year, month, day;
} cal_countries[] = {
	{ "AL", "Albania", 1912, 11, 30 },
	{ "AT", "Austria", 1583, 10, 5 },
	{ "AU", "Australia", 1752, 9, 2 },
	{ "BE", "Belgium", 1582, 12, 14 },
	{ "BG", "Bulgaria", 1916, 3, 31 },
	{ "CA", "Canada", 1752, 9, 2 },
	{ "CH", "Switzerland", 1655, 2, 28 },
	{ "CN", "China", 1911, 12, 18 },
	{ "CZ", "Czech Republic", 1584, 1, 6 },
	{ "DE", "Germany", 1700, 2, 18 },
	{ "DK", "Denmark", 1700, 2, 18 },
	{ "ES", "Spain", 1582, 10, 4 },
	{ "FI", "Finland", 1753, 2, 17 },
	{ "FR", "France", 1582, 12, 9 },
	{ "GB", "United Kingdom", 1752, 9, 2 },
	{ "GR", "Greece", 1924, 3, 9 },
	{ "HU", "Hungary", 1587, 10, 21 },
	{ "IS", "Iceland", 1700, 11, 16 },
	{ "IT", "Italy", 1582, 10, 4 },
	{ "JP", "Japan", 1918, 12, 18 },
	{ "LI", "Lithuania", 1918, 2, 1 },
	{ "LU", "Luxembourg", 1582, 12, 14 },
	{ "LV", "Latvia", 1918, 2, 1 },
	{ "NL", "Netherlands", 1582, 12, 14 },
	{ "NO", "Norway", 1700, 2, 18 },
	{ "PL", "Poland", 1582, 10, 4 },
	{ "PT", "Portugal", 1582, 10, 4 },
	{ "RO", "Romania", 1919, 3, 31 },
	{ "RU", "Russia", 1918, 1, 31 },
	{ "SI", "Slovenia", 1919, 3, 4 },
	{ "SE", "Sweden", 1753, 2, 17 },
	{ "TR", "Turkey", 1926, 12, 18 },
	{ "US", "United States", 1752, 9, 2 },
	{ "YU", "Yugoslavia", 1919, 3, 4 },
};

enum { CAL_COUNTRIES = sizeof(cal_countries) / sizeof(*cal_countries), CAL_WEEKS = 6 };

/* ---- Days ---- */

/* The day a Julian date is. */
static int64_t cal_julian(int year, int month, int day)
{
	static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
	int64_t y = year - 1, days = y * 365 + y / 4 + before[month - 1] + day - 1;

	days += month > 2 && year % 4 == 0;
	return days - 719164;	/* 0001-01-01, Julian, is 719164 days before 1970-01-01 */
}

struct cal_date {
	int year, month, day;
};

static struct cal_date cal_date_of(const struct cal *c, int64_t day)
{
	struct cal_date d = { 0, 0, 0 };
	struct civil civil;
	int64_t year;

	if (day >= c->change) {
		civil_from(day * 86400, 0, &civil);
		return (struct cal_date){ (int)civil.year, civil.month, civil.day };
	}
	year = (day + 719164) / 366;
	for (d.year = (int)(year > 1 ? year : 1); day >= cal_julian(d.year + 1, 1, 1);)
		d.year++;
	for (d.month = 1; d.month < 12 && day >= cal_julian(d.year, d.month + 1, 1);)
		d.month++;
	d.day = (int)(day - cal_julian(d.year, d.month, 1)) + 1;
	return d;
}

/* The first day of a year or a month that has one. */
static int64_t cal_first(const struct cal *c, int year, int month)
{
	int64_t day = cal_julian(year, month, 1), gregorian;

	if (day < c->change)
		return day;
	gregorian = civil_days(year, month, 1);
	return gregorian < c->change ? c->change : gregorian;
}

static int cal_weekday(const struct cal *c, int64_t day)
{
	return (int)(((day + 4 - c->monday) % 7 + 7) % 7);
}

/* Where week 1 of a year begins: weeks are Gregorian. */
static int64_t cal_first_week(const struct cal *c, int year)
{
	int64_t first = civil_days(year, 1, 1);
	int at = cal_weekday(c, first), need = c->first_week ? c->first_week : 4;

	return 7 - at >= need ? first - at : first - at + 7;
}

static int cal_week_number(const struct cal *c, int64_t day)
{
	int year = cal_date_of(c, day).year;

	if (day < c->change)
		return 0;
	if (day >= cal_first_week(c, year + 1))
		year++;
	else if (day < cal_first_week(c, year))
		year--;
	return (int)((day - cal_first_week(c, year)) / 7) + 1;
}

/* ---- A month ---- */

struct cal_month {
	int cell[CAL_WEEKS][7];	/* 0: none */
	int week[CAL_WEEKS];
	const char *title;
};

static void cal_fill(struct cal *c, struct cal_month *m, int year, int month)
{
	int64_t first = cal_first(c, year, month), year_first = cal_first(c, year, 1);
	int at = cal_weekday(c, first), week;
	bool seen[CAL_WEEKS] = { false };

	memset(m, 0, sizeof(*m));
	for (int i = 0; i < 31; i++) {
		struct cal_date d = cal_date_of(c, first + i);

		if (d.year != year || d.month != month)
			break;
		week = (at + i) / 7;
		m->cell[week][(at + i) % 7] = c->days ? (int)(first + i - year_first) + 1 : d.day;
		if (!seen[week])
			m->week[week] = cal_week_number(c, first + i);
		seen[week] = true;
	}
}

/* ---- Rows of months ---- */

static int cal_per_row(const struct cal *c)
{
	if (c->old)
		return c->days ? 2 : 3;
	return c->days ? 3 : 4;
}

static int cal_width(const struct cal *c)
{
	int cell = c->days ? 4 : 3;

	return c->old ? cell * 7 - 1 : cell * CAL_WEEKS;
}

static void cal_text(struct cal *c, const char *s, int left, int width)
{
	int n = (int)strlen(s);

	tsb_printf(c->p, "%*s%s%*s", left, "", s, width - left - n > 0 ? width - left - n : 0, "");
}

static void cal_centered(struct cal *c, const char *s, int width)
{
	int n = (int)strlen(s);

	cal_text(c, s, n < width ? (width - n) / 2 : 0, width);
}

static void cal_cell(struct cal *c, int v, int width)
{
	if (v)
		tsb_printf(c->p, "%*d", width, v);
	else
		tsb_printf(c->p, "%*s", width, "");
}

static const char *cal_day_name(const struct cal *c, int i)
{
	return date_day_names[(i + c->monday) % 7];
}

static void cal_row_old(struct cal *c, const struct cal_month *m, int n)
{
	int cell = c->days ? 3 : 2;

	for (int i = 0; i < n; i++) {
		cal_centered(c, m[i].title, cal_width(c));
		tsb_puts(c->p, "  ");
	}
	tsb_putc(c->p, '\n');
	for (int i = 0; i < n; i++) {
		for (int day = 0; day < 7; day++)
			tsb_printf(c->p, "%s%s%.2s", day ? " " : "", c->days ? " " : "",
				   cal_day_name(c, day));
		tsb_puts(c->p, "  ");
	}
	tsb_putc(c->p, '\n');
	for (int week = 0; week < CAL_WEEKS; week++) {
		for (int i = 0; i < n; i++) {
			for (int day = 0; day < 7; day++) {
				tsb_puts(c->p, day ? " " : "");
				cal_cell(c, m[i].cell[week][day], cell);
			}
			tsb_puts(c->p, "  ");
		}
		tsb_putc(c->p, '\n');
	}
}

static void cal_row_new(struct cal *c, const struct cal_month *m, int n)
{
	int cell = c->days ? 4 : 3;

	tsb_puts(c->p, "    ");
	for (int i = 0; i < n; i++)
		cal_text(c, m[i].title, 0, cal_width(c));
	tsb_putc(c->p, '\n');
	for (int day = 0; day < 7; day++) {
		tsb_printf(c->p, "%.2s", cal_day_name(c, day));
		for (int i = 0; i < n; i++)
			for (int week = 0; week < CAL_WEEKS; week++)
				cal_cell(c, m[i].cell[week][day], cell);
		tsb_putc(c->p, '\n');
	}
	if (!c->weeks)
		return;
	tsb_puts(c->p, "  ");
	for (int i = 0; i < n; i++)
		for (int week = 0; week < CAL_WEEKS; week++)
			cal_cell(c, m[i].week[week], cell);
	tsb_putc(c->p, '\n');
}

static void cal_year_line(struct cal *c, int year)
{
	char *text = tsb_format(c->p, "%d", year);
	int width = cal_width(c) * cal_per_row(c);

	tsb_printf(c->p, "%*s%s\n", (width - (int)strlen(text)) / 2, "", text);
}

/* count months from that on. */
static void cal_print_months(struct cal *c, int64_t from, int64_t count)
{
	int row = cal_per_row(c);
	/* Rows that begin where those of a whole year do have its number above them. */
	bool by_year = count >= row && from % row == 0;
	struct cal_month months[4];

	for (int64_t i = 0; i < count;) {
		int n = 0;

		if (i)
			tsb_putc(c->p, '\n');
		if (by_year && (!i || (from + i) % 12 == 0))
			cal_year_line(c, (int)((from + i) / 12));
		for (; n < row && i < count; n++, i++) {
			int year = (int)((from + i) / 12), month = (int)((from + i) % 12) + 1;

			cal_fill(c, &months[n], year, month);
			months[n].title = by_year ? date_month_names[month - 1] :
				tsb_format(c->p, "%s %d", date_month_names[month - 1], year);
		}
		if (c->old)
			cal_row_old(c, months, n);
		else
			cal_row_new(c, months, n);
		tsb_tick(c->p, 64);
	}
}

void cal_print(struct cal *c)
{
	int before = c->before + c->three, after = c->after + c->three;
	int64_t from = (int64_t)c->year * 12 + c->month - 1 - before;

	if (c->whole) {
		cal_print_months(c, (int64_t)c->year * 12, 12);
		return;
	}
	if (from < 12) {
		before -= (int)(12 - from);
		from = 12;
	}
	cal_print_months(c, from, (int64_t)before + after + 1);
}

/* ---- Countries and Easter ---- */

int cal_set_country(struct cal *c)
{
	const char *code = c->country ? c->country : "US";

	for (int i = 0; i < CAL_COUNTRIES; i++) {
		if (strcmp(cal_countries[i].code, code) != 0)
			continue;
		c->change = cal_julian(cal_countries[i].year, cal_countries[i].month,
				       cal_countries[i].day) + 1;
		if (c->julian)
			c->change = INT64_MAX / 86400 / 2;
		return 0;
	}
	tsb_warn(c->p, "%s: invalid country code", code);
	return 64;
}

void cal_list_countries(struct cal *c)
{
	int half = (CAL_COUNTRIES + 1) / 2;

	for (int i = 0; i < half; i++) {
		for (int k = i; k < CAL_COUNTRIES; k += half)
			tsb_printf(c->p, "%s%s%s %-15s%04d-%02d-%02d", k > i ? "     " : "",
				   strcmp(cal_countries[k].code, "US") ? " " : "*",
				   cal_countries[k].code, cal_countries[k].name, cal_countries[k].year,
				   cal_countries[k].month, cal_countries[k].day);
		tsb_putc(c->p, '\n');
	}
}

/* The Sunday behind the full moon of spring, by the tables of the East: a Julian date. */
static int64_t cal_easter_east(int year)
{
	int moon = (19 * (year % 19) + 15) % 30;
	int day = moon + (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7 + 114;

	return cal_julian(year, day / 31, day % 31 + 1);
}

static int64_t cal_easter_west(int year)
{
	int golden = year % 19, century = year / 100, rest = year % 100;
	int moon = (19 * golden + century - century / 4 -
		    (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
	int sunday = (32 + 2 * (century % 4) + 2 * (rest / 4) - moon - rest % 4) % 7;
	int day = moon + sunday - 7 * ((golden + 11 * moon + 22 * sunday) / 451) + 114;

	return civil_days(year, day / 31, day % 31 + 1);
}

void cal_print_easter(struct cal *c)
{
	bool early = c->year < 1583, east = c->easter == 'o' || early;
	int64_t day = east ? cal_easter_east(c->year) : cal_easter_west(c->year);
	struct cal_date d;

	c->change = east && (early || c->julian) ? INT64_MAX : INT64_MIN;
	d = cal_date_of(c, day);
	tsb_printf(c->p, "%02d/%02d/%02d\n", d.month, d.day, d.year % 100);
}
