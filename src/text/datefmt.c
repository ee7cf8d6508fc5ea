/*
 * See datefmt.h. One conversion at a time: its value as number or text, then
 * padding and case by the flags, which override the conversion's own.
 */
#include "text/datefmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const date_month_names[12] = { "January", "February", "March", "April", "May", "June",
					   "July", "August", "September", "October", "November",
					   "December" };
const char *const date_day_names[7] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday",
					"Friday", "Saturday" };

#define WIDTH_MAX 1000000000

struct spec {
	char pad;		/* 0: the conversion's own; '_', '-', '0', '+' */
	bool upper, swap;
	int width;		/* -1: none */
	int colons;
	char modifier;		/* 'E', 'O' or 0 */
};

bool date_moment(struct date_moment *m, int64_t sec, int32_t nsec, const struct zone *z)
{
	m->sec = sec;
	m->nsec = nsec;
	m->offset = zone_offset(z, sec, &m->zone, NULL);
	return civil_from(sec, m->offset, &m->civil);
}

/* Text, padded to the width: blanks, or zeros by flag. */
static void put_text(struct str *out, const struct spec *f, const char *s, size_t n)
{
	size_t width = f->width > 0 ? (size_t)f->width : 0;

	if (n < width && f->pad != '-')
		str_fill(out, f->pad == '0' || f->pad == '+' ? '0' : ' ', width - n);
	for (size_t i = 0; i < n; i++) {
		int c = (unsigned char)s[i];

		if (f->upper && c >= 'a' && c <= 'z')
			c -= 32;
		str_addc(out, c);
	}
}

static void put_name(struct str *out, const struct spec *f, const char *s, size_t n)
{
	struct spec g = *f;

	g.upper |= f->swap;
	put_text(out, &g, s, n);
}

/* Digits with a sign (0: none), padded to the flag's or the usual width. */
static void put_digits(struct str *out, const struct spec *f, const char *text, size_t n, char sign,
		       size_t usual, char pad)
{
	size_t width = f->width >= 0 ? (size_t)f->width : usual, blank = 0;
	size_t have = n + (sign != 0);

	if (f->pad)
		pad = f->pad;
	if (pad != '-' && have < width)
		blank = width - have;
	if (pad == '_')
		str_fill(out, ' ', blank);
	if (sign)
		str_addc(out, sign);
	if (pad != '_')
		str_fill(out, '0', blank);
	str_addn(out, text, n);
}

static void put_number(struct str *out, const struct spec *f, int64_t value, int digits, char pad,
		       bool plus)
{
	char text[24];
	bool negative = value < 0;
	uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
	size_t n = (size_t)snprintf(text, sizeof(text), "%" PRIu64, magnitude);

	put_digits(out, f, text, n, negative ? '-' : plus ? '+' : 0, (size_t)digits, pad);
}

/* ISO 8601 week of the date; its year in *year. */
static int iso_week(const struct civil *c, int64_t *year)
{
	int64_t days = civil_days(c->year, 1, 1) + c->yearday;
	/* The Thursday of this week decides. */
	int64_t thursday = days - (c->weekday + 6) % 7 + 3;
	int64_t y = c->year;

	if (thursday < civil_days(y, 1, 1))
		y--;
	else if (thursday >= civil_days(y + 1, 1, 1))
		y++;
	*year = y;
	return (int)((thursday - civil_days(y, 1, 1)) / 7 + 1);
}

/* The offset is one number with colons inside: +0530 is 530, +05:30:00 is 53000. */
static void put_zone(struct str *out, const struct spec *f, const struct date_moment *m)
{
	int32_t a = m->offset < 0 ? -m->offset : m->offset;
	int h = a / 3600, min = a / 60 % 60, s = a % 60, colons = f->colons;
	char text[24], sign = m->offset < 0 ? '-' : '+';
	int n;

	if (colons == 3)
		colons = s ? 2 : min ? 1 : -1;
	if (colons == -1)
		n = snprintf(text, sizeof(text), "%d", h);
	else if (colons == 0)
		n = snprintf(text, sizeof(text), "%d", h * 100 + min);
	else if (colons == 1)
		n = snprintf(text, sizeof(text), "%d:%02d", h, min);
	else
		n = snprintf(text, sizeof(text), "%d:%02d:%02d", h, min, s);
	put_digits(out, f, text, (size_t)n, sign, colons == -1 ? 3 : colons == 0 ? 5 : colons == 1 ? 6 : 9,
		   '0');
}

static void put_nanoseconds(struct str *out, const struct spec *f, int32_t nsec)
{
	char text[16];
	int width = f->width < 0 ? 9 : f->width, n = 9;

	snprintf(text, sizeof(text), "%09d", (int)nsec);
	if (width > 0 && width < 9)
		n = width;
	/* %-N without a width is all nine digits, in GNU's too. */
	if ((f->pad == '-' && f->width >= 0) || f->pad == '_')
		while (n > 1 && text[n - 1] == '0')
			n--;
	str_addn(out, text, (size_t)n);
	if (f->pad == '-')
		return;
	if (width > n)
		str_fill(out, f->pad == '_' ? ' ' : '0', (size_t)(width - n));
}

/* A conversion that is several others. */
static void put_composite(struct str *out, const struct spec *f, const char *format,
			  const struct date_moment *m)
{
	struct str text;

	str_init(&text, out->heap, out->max);
	date_format(&text, format, strlen(format), m);
	put_text(out, f, text.p, text.n);
	str_end(&text);
}

static void put_year(struct str *out, const struct spec *f, int64_t year, int digits)
{
	bool plus = f->pad == '+' && (f->width > digits || year >= (digits == 4 ? 10000 : 100));

	put_number(out, f, year, digits, '0', plus);
}

/* %F: the year takes what the width leaves for it. */
static void put_iso_date(struct str *out, const struct spec *f, const struct date_moment *m)
{
	struct spec y = *f;

	if (!y.pad)
		y.pad = '+';
	if (f->pad == 0 && f->width < 0) {
		y.width = 4;
	} else {
		y.width = f->width < 0 ? 4 : f->width > 6 ? f->width - 6 : 0;
	}
	put_year(out, &y, m->civil.year, 4);
	str_addf(out, "-%02d-%02d", m->civil.month, m->civil.day);
}

static int twelve(int hour)
{
	return hour % 12 ? hour % 12 : 12;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Names and texts; false: not one of these. */
static bool convert_text(struct str *out, const struct spec *f, int c, const struct date_moment *m)
{
	const char *day = date_day_names[m->civil.weekday];
	const char *month = date_month_names[m->civil.month - 1];
	struct spec g = *f;

	switch (c) {
	case '%':
		/* With anything before it, it is no conversion. */
		if (f->pad || f->upper || f->swap || f->width >= 0 || f->modifier || f->colons)
			return false;
		str_addc(out, '%');
		break;
	case 'n': put_text(out, f, "\n", 1); break;
	case 't': put_text(out, f, "\t", 1); break;
	case 'a': put_name(out, f, day, 3); break;
	case 'A': put_name(out, f, day, strlen(day)); break;
	case 'b':
	case 'h': put_name(out, f, month, 3); break;
	case 'B': put_name(out, f, month, strlen(month)); break;
	case 'p':
	case 'P':
		day = m->civil.hour < 12 ? "AM" : "PM";
		if (c == 'P' || f->swap) {
			day = m->civil.hour < 12 ? "am" : "pm";
			g.upper = false;
		}
		put_text(out, &g, day, 2);
		break;
	case 'Z':
		if (f->swap) {
			char low[ZONE_NAME_MAX + 1] = "";

			for (size_t i = 0; m->zone[i] && i < ZONE_NAME_MAX; i++)
				low[i] = (char)(m->zone[i] >= 'A' && m->zone[i] <= 'Z'
							? m->zone[i] + 32 : m->zone[i]);
			g.upper = false;
			put_text(out, &g, low, strlen(low));
		} else {
			put_text(out, f, m->zone, strlen(m->zone));
		}
		break;
	case 'z': put_zone(out, f, m); break;
	case 'N': put_nanoseconds(out, f, m->nsec); break;
	case 'F': put_iso_date(out, f, m); break;
	case 'c': put_composite(out, f, "%a %b %e %H:%M:%S %Y", m); break;
	case 'D':
		/* Its padding is that of the year in it. */
		put_composite(out, f, f->pad == '_' ? "%m/%d/%_y" : f->pad == '-' ? "%m/%d/%-y"
			      : "%m/%d/%y", m);
		break;
	case 'x': put_composite(out, f, "%m/%d/%y", m); break;
	case 'r': put_composite(out, f, "%I:%M:%S %p", m); break;
	case 'R': put_composite(out, f, "%H:%M", m); break;
	case 'T':
	case 'X': put_composite(out, f, "%H:%M:%S", m); break;
	default: return false;
	}
	return true;
}

/* Numbers; false: not one of these. */
static bool convert_number(struct str *out, const struct spec *f, int c,
			   const struct date_moment *m)
{
	const struct civil *d = &m->civil;
	int64_t iso_year;
	int week = iso_week(d, &iso_year);

	switch (c) {
	case 'C': put_year(out, f, floor_div(d->year, 100), 2); break;
	case 'd': put_number(out, f, d->day, 2, '0', false); break;
	case 'e': put_number(out, f, d->day, 2, '_', false); break;
	case 'g': put_year(out, f, iso_year - floor_div(iso_year, 100) * 100, 2); break;
	case 'G': put_year(out, f, iso_year, 4); break;
	case 'H': put_number(out, f, d->hour, 2, '0', false); break;
	case 'I': put_number(out, f, twelve(d->hour), 2, '0', false); break;
	case 'j': put_number(out, f, d->yearday + 1, 3, '0', false); break;
	case 'k': put_number(out, f, d->hour, 2, '_', false); break;
	case 'l': put_number(out, f, twelve(d->hour), 2, '_', false); break;
	case 'm': put_number(out, f, d->month, 2, '0', false); break;
	case 'M': put_number(out, f, d->minute, 2, '0', false); break;
	case 'q': put_number(out, f, (d->month - 1) / 3 + 1, 1, '0', false); break;
	case 's': put_number(out, f, m->sec, 1, '0', false); break;
	case 'S': put_number(out, f, d->second, 2, '0', false); break;
	case 'u': put_number(out, f, (d->weekday + 6) % 7 + 1, 1, '0', false); break;
	case 'U': put_number(out, f, (d->yearday - d->weekday + 7) / 7, 2, '0', false); break;
	case 'V': put_number(out, f, week, 2, '0', false); break;
	case 'w': put_number(out, f, d->weekday, 1, '0', false); break;
	case 'W':
		put_number(out, f, (d->yearday - (d->weekday + 6) % 7 + 7) / 7, 2, '0', false);
		break;
	case 'y': put_year(out, f, d->year - floor_div(d->year, 100) * 100, 2); break;
	case 'Y': put_year(out, f, d->year, 4); break;
	default: return false;
	}
	return true;
}

/* Flags, width, colons and modifier between % and the conversion; where that is. */
static size_t read_spec(const char *s, size_t n, size_t at, struct spec *f)
{
	memset(f, 0, sizeof(*f));
	f->width = -1;
	for (; at < n; at++) {
		if (strchr("_-0+", s[at]) && s[at])
			f->pad = s[at];
		else if (s[at] == '^')
			f->upper = true;
		else if (s[at] == '#')
			f->swap = true;
		else
			break;
	}
	if (at < n && s[at] >= '0' && s[at] <= '9')
		f->width = 0;
	for (; at < n && s[at] >= '0' && s[at] <= '9'; at++)
		f->width = f->width < WIDTH_MAX / 10 ? f->width * 10 + (s[at] - '0') : WIDTH_MAX;
	if (at < n && (s[at] == 'E' || s[at] == 'O'))
		f->modifier = s[at++];
	while (at + (size_t)f->colons < n && f->colons < 3 && s[at + (size_t)f->colons] == ':')
		f->colons++;
	/* Colons belong to %z only. */
	if (f->colons && (at + (size_t)f->colons >= n || s[at + (size_t)f->colons] != 'z'))
		f->colons = 0;
	return at + (size_t)f->colons;
}

/* One conversion, or false: there is none such. */
static bool convert(struct str *out, const struct spec *f, int c, const struct date_moment *m)
{
	static const char no_e[] = "%aAbBdDeFgGhHIjklmMNSUvVwW", no_o[] = "%aAcDFqvxXY";
	static const char native_e[] = "cCxXyY", native_o[] = "bBCdegGhHIjklmMSuUVwWyz";
	struct spec plain = { .width = -1 };
	struct str text;
	bool good;

	if (!c || (f->modifier && strchr(f->modifier == 'E' ? no_e : no_o, c)))
		return false;
	if (!f->modifier || !strchr(f->modifier == 'E' ? native_e : native_o, c))
		return convert_text(out, f, c, m) || convert_number(out, f, c, m);
	/* With these modifiers the C library's own text is taken, and padded as text. */
	str_init(&text, out->heap, out->max);
	good = convert(&text, &plain, c, m);
	put_text(out, f, text.p, text.n);
	str_end(&text);
	return good;
}

void date_format(struct str *out, const char *format, size_t n, const struct date_moment *m)
{
	for (size_t i = 0; i < n && !out->bad; i++) {
		struct spec f;
		size_t at;

		if (format[i] != '%') {
			str_addc(out, format[i]);
			continue;
		}
		at = read_spec(format, n, i + 1, &f);
		if (!convert(out, &f, at < n ? (unsigned char)format[at] : '\0', m)) {
			/* As it stands, padded: what follows may be a conversion of its own. */
			bool again = at < n && format[at] == '%' && at > i + 1;

			put_text(out, &f, format + i, (at < n ? at + !again : n) - i);
			at = at < n ? at - again : n - 1;
		}
		i = at;
	}
}
