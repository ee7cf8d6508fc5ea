/*
 * See parsedate.h. The text becomes tokens; items (a date, a time, a day, a
 * zone, relative amounts, bare numbers) are recognised by looking a few tokens
 * ahead; parsedate_compute.c makes an instant of them.
 */
#include "text/parsedate_impl.h"

#include <string.h>

/* ---- Tokens ---- */

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Digits at s with an optional fraction; false on overflow. */
static bool scan_number(const char **s, struct token *t)
{
	int64_t value = 0;

	for (; is_digit(**s); ++*s) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, **s - '0', &value))
			return false;
		t->digits++;
	}
	t->kind = t->is_signed ? DATE_SIGNED : DATE_NUMBER;
	if ((**s == '.' || **s == ',') && is_digit((*s)[1])) {
		int32_t unit = 100000000;
		bool more = false;

		for (++*s; is_digit(**s); ++*s, unit /= 10) {
			t->nsec += (**s - '0') * unit;
			more |= unit == 0 && **s != '0';
		}
		t->kind = DATE_DECIMAL;
		/* Rounded down, also below zero. */
		if (t->negative && (t->nsec || more)) {
			t->nsec += more;
			value++;
			t->nsec = 1000000000 - t->nsec;
			if (t->nsec == 1000000000) {
				t->nsec = 0;
				value--;
			}
		}
	}
	t->value = t->negative ? -value : value;
	return true;
}

/* These mean the zone of Greenwich even where they are the local zone's name. */
static bool is_universal(const char *word, size_t n)
{
	return (n == 3 && (!memcmp(word, "gmt", 3) || !memcmp(word, "utc", 3))) ||
	       (n == 2 && !memcmp(word, "ut", 2));
}

/* As GNU shows it: in capitals, without dots, not whole. */
static bool unknown_word(struct token *t, const char *word, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n && i + 1 < sizeof(t->word); i++)
		if (word[i] != '.')
			t->word[k++] = (char)(word[i] - ('a' - 'A'));
	t->word[k] = '\0';
	return false;
}

static bool scan_word(const char **s, const struct parse *p, struct token *t)
{
	struct date_word w;
	char word[24];
	size_t n = 0;

	for (; is_alpha(**s) || **s == '.'; ++*s)
		if (n < sizeof(word))
			word[n++] = (char)lower(**s);
	if (n == sizeof(word))
		return unknown_word(t, word, n);
	for (int i = 0; i < 2 && !is_universal(word, n); i++) {
		const char *name = p->zone->name[i];
		size_t k = 0;

		while (k < n && lower(name[k]) == word[k])
			k++;
		if (k == n && !name[k] && *name) {
			t->kind = DATE_LOCAL_ZONE;
			t->value = i;
			return true;
		}
	}
	if (!date_word_find(word, n, &w))
		return unknown_word(t, word, n);
	t->kind = w.token;
	t->value = w.value;
	return true;
}

static const char *skip_blanks(const char *s)
{
	int depth = 0;

	for (;; s++) {
		if (*s == '(') {
			depth++;
		} else if (depth && *s == ')') {
			depth--;
		} else if (!*s || (!depth && !strchr(" \t\n\v\f\r", *s))) {
			return s;
		}
	}
}

/* The token is none: nothing behind it is read. */
static bool scan_bad(struct parse *p, const char *end)
{
	p->t[p->n].kind = DATE_BAD;
	p->t[p->n].end = end;
	p->n++;
	p->t[p->n].end = end;
	return true;
}

static bool scan(struct parse *p, const char *s)
{
	const char *before = s;

	while (*(s = skip_blanks(s))) {
		struct token *t = &p->t[p->n];

		if (p->n >= TOKENS_MAX)
			return false;
		t->glued = s == before && p->n;
		if (*s == '+' || *s == '-') {
			const char *q = s;
			bool negative = false;

			/* Signs in a row: the last one counts, blanks may follow. */
			for (; *q == '+' || *q == '-'; q = skip_blanks(q + 1))
				negative = *q == '-';
			if (is_digit(*q)) {
				t->is_signed = true;
				t->negative = negative;
				s = q;
			} else {
				s = q;	/* a sign by itself is skipped, as GNU does */
				before = NULL;
				continue;
			}
		}
		t->end = s;
		if (is_digit(*s)) {
			if (!scan_number(&s, t))
				return scan_bad(p, t->end);
		} else if (is_alpha(*s)) {
			if (!scan_word(&s, p, t))
				return scan_bad(p, s);
		} else {
			t->kind = DATE_CHAR;
			t->value = (unsigned char)*s++;
		}
		before = t->end = s;
		p->n++;
	}
	p->t[p->n].end = s;
	return true;	/* what is behind is zeroed: DATE_END */
}

/* ---- Items ---- */

static struct token *peek(struct parse *p, size_t k)
{
	return &p->t[p->at + k < p->n ? p->at + k : p->n];
}

static bool is_char(struct parse *p, size_t k, int c)
{
	return peek(p, k)->kind == DATE_CHAR && peek(p, k)->value == c;
}

static bool is_kind(struct parse *p, size_t k, enum date_token kind)
{
	return peek(p, k)->kind == kind;
}

static bool is_unit(struct parse *p, size_t k)
{
	return peek(p, k)->kind >= DATE_YEAR_UNIT && peek(p, k)->kind <= DATE_SECOND_UNIT;
}

/* +hh, +hhmm, +hh:mm as minutes. */
static bool zone_minutes(int64_t value, int digits, bool negative, int64_t minutes, int64_t *out)
{
	int64_t hours;

	if (minutes < 0 && digits > 2) {
		hours = value / 100;
		minutes = value % 100;
		if (minutes < 0)
			minutes = -minutes;
		hours = hours < 0 ? -hours : hours;
	} else {
		hours = value < 0 ? -value : value;
		if (minutes < 0)
			minutes = 0;
	}
	if (hours > 24 || hours * 60 + minutes > 24 * 60)
		return false;
	*out = (hours * 60 + minutes) * (negative ? -1 : 1);
	return true;
}

/* A signed number as zone at p->at: taken, with its ":mm". */
static bool take_zone_offset(struct parse *p, int64_t *out)
{
	const struct token *t = peek(p, 0);
	int64_t minutes = -1;

	p->at++;
	if (is_char(p, 0, ':') && is_kind(p, 1, DATE_NUMBER)) {
		minutes = peek(p, 1)->value;
		p->at += 2;
	}
	return zone_minutes(t->value, t->digits, t->negative, minutes, out);
}

static void set_time(struct parse *p, int64_t hour, int64_t minute, int64_t second, int32_t nsec)
{
	p->label = "time";
	p->times++;
	p->hour = hour;
	p->minute = minute;
	p->second = second;
	p->nsec = nsec;
	p->meridian = -1;
}

/* hh:mm[:ss[.frac]] [am|pm] [+zone], or hh am. */
static bool take_time(struct parse *p)
{
	int64_t hour = peek(p, 0)->value, minute = 0, second = 0;
	int32_t nsec = 0;

	p->at++;
	if (is_char(p, 0, ':')) {
		minute = peek(p, 1)->value;
		p->at += 2;
		if (is_char(p, 0, ':') && (is_kind(p, 1, DATE_NUMBER) ||
					   (is_kind(p, 1, DATE_DECIMAL) && !peek(p, 1)->is_signed))) {
			second = peek(p, 1)->value;
			nsec = peek(p, 1)->nsec;
			p->at += 2;
		}
	}
	set_time(p, hour, minute, second, nsec);
	if (is_kind(p, 0, DATE_MERIDIAN)) {
		p->meridian = (int)peek(p, 0)->value;
		p->at++;
	} else if (is_kind(p, 0, DATE_SIGNED)) {
		/* Also in "10:00 +1 day": GNU reads a zone, and then one day. */
		p->zones++;
		return take_zone_offset(p, &p->zone_minutes);
	}
	return true;
}

static void set_date(struct parse *p, int64_t year, int digits, int64_t month, int64_t day)
{
	p->label = "date";
	p->dates++;
	p->year = year;
	p->year_digits = digits;
	p->month = month;
	p->day = day;
}

/* 2024-01-31: the later parts are negative numbers. false: it is none. */
static bool take_iso_date(struct parse *p)
{
	const struct token *a = peek(p, 0), *b = peek(p, 1), *c = peek(p, 2);

	if (b->kind != DATE_SIGNED || !b->negative || c->kind != DATE_SIGNED || !c->negative)
		return false;
	set_date(p, a->value, a->digits, -b->value, -c->value);
	p->at += 3;
	return true;
}

/* Behind such a date, "T": then hh:mm..., or hh with a zone, must follow. */
static bool take_iso_time(struct parse *p)
{
	p->at++;
	if (!is_kind(p, 0, DATE_NUMBER))
		return false;
	if (!(is_char(p, 1, ':') && is_kind(p, 2, DATE_NUMBER)) && !is_kind(p, 1, DATE_SIGNED))
		return false;
	return take_time(p) && p->meridian < 0;
}

/* Dates that begin with a number; false: it is none (nothing taken). */
static bool take_numeric_date(struct parse *p)
{
	const struct token *a = peek(p, 0), *b = peek(p, 1), *c = peek(p, 2), *e = peek(p, 4);

	if (is_char(p, 1, '/') && c->kind == DATE_NUMBER) {
		if (is_char(p, 3, '/') && e->kind == DATE_NUMBER) {
			if (a->digits >= 4) {
				trace_say(p, "warning: value %lld has %d digits. Assuming YYYY/MM/DD",
					  (long long)a->value, a->digits);
				set_date(p, a->value, a->digits, c->value, e->value);
			} else {
				trace_say(p, "warning: value %lld has less than 4 digits. "
					  "Assuming MM/DD/YY[YY]", (long long)a->value);
				set_date(p, e->value, e->digits, a->value, c->value);
			}
			p->at += 5;
			return true;
		}
		p->dates++;
		p->month = a->value;
		p->day = c->value;
		p->at += 3;
		return true;
	}
	if (b->kind == DATE_MONTH) {
		if (c->kind == DATE_SIGNED) {	/* 5-Jan-2024; and so "5 Jan +1 day" is of the year 1 */
			set_date(p, c->value < 0 ? -c->value : c->value, c->digits, b->value, a->value);
			p->at += 3;
		} else if (c->kind == DATE_NUMBER) {	/* whatever follows it */
			set_date(p, c->value, c->digits, b->value, a->value);
			p->at += 3;
		} else {
			p->dates++;
			p->day = a->value;
			p->month = b->value;
			p->at += 2;
		}
		return true;
	}
	return false;
}

/* Jan 5, Jan 5 2021, Jan 5, 2021, Jan-5-2021 */
static bool take_month_date(struct parse *p)
{
	const struct token *m = peek(p, 0), *a = peek(p, 1);

	if (a->kind == DATE_SIGNED && a->negative && is_kind(p, 2, DATE_SIGNED) &&
	    peek(p, 2)->negative) {
		set_date(p, -peek(p, 2)->value, peek(p, 2)->digits, m->value, -a->value);
		p->at += 3;
		return true;
	}
	if (a->kind != DATE_NUMBER)
		return false;
	if (is_char(p, 2, ',') && is_kind(p, 3, DATE_NUMBER)) {
		set_date(p, peek(p, 3)->value, peek(p, 3)->digits, m->value, a->value);
		p->at += 4;
		return true;
	}
	p->dates++;
	p->month = m->value;
	p->day = a->value;
	p->at += 2;
	return true;
}

/* `count` of the unit at p->at, and an "ago" behind it. */
static bool take_relative(struct parse *p, int64_t count, int32_t nsec)
{
	const struct token *unit = peek(p, 0);

	p->label = "relative";
	p->at++;
	p->rels++;
	if (is_kind(p, 0, DATE_AGO)) {
		if (peek(p, 0)->value < 0) {
			count = -count;
			nsec = -nsec;
		}
		p->at++;
	}
	switch (unit->kind) {
	case DATE_YEAR_UNIT: return parse_add(&p->rel_year, count, unit->value);
	case DATE_MONTH_UNIT: return parse_add(&p->rel_month, count, unit->value);
	case DATE_DAY_UNIT: return parse_add(&p->rel_day, count, unit->value);
	case DATE_HOUR_UNIT: return parse_add(&p->rel_hour, count, unit->value);
	case DATE_MINUTE_UNIT: return parse_add(&p->rel_minute, count, unit->value);
	default:
		p->rel_nsec += nsec;
		return parse_add(&p->rel_second, count, unit->value);
	}
}

/* A number by itself: a year, YYYYMMDD, or a time of day. */
static void take_bare_number(struct parse *p)
{
	const struct token *t = peek(p, 0);

	p->no_ago = ++p->at;
	if (p->dates && !p->year_digits && !p->rels && (p->times || t->digits > 2)) {
		p->year_seen = true;
		p->year = t->value;
		p->year_digits = t->digits;
		return;
	}
	if (t->digits > 4) {
		set_date(p, t->value / 10000, t->digits - 4, t->value / 100 % 100, t->value % 100);
		return;
	}
	if (t->digits <= 2)
		set_time(p, t->value, 0, 0, 0);
	else
		set_time(p, t->value / 100, t->value % 100, 0, 0);
}

static bool take_number(struct parse *p)
{
	const struct token *a = peek(p, 0);

	if (is_unit(p, 1)) {
		p->at++;
		return take_relative(p, a->value, 0);
	}
	if (is_kind(p, 1, DATE_MERIDIAN) || (is_char(p, 1, ':') && is_kind(p, 2, DATE_NUMBER)))
		return take_time(p);
	if (take_iso_date(p)) {
		if (!is_kind(p, 0, DATE_T))
			return true;
		if (!take_iso_time(p))
			return false;
		p->label = "datetime";
		return true;
	}
	if (take_numeric_date(p)) {
		p->label = "date";
		return true;
	}
	if (is_kind(p, 1, DATE_DAY)) {
		p->label = "day";
		p->ordinal_seen = true;
		p->days++;
		p->day_ordinal = a->value;
		p->day_number = (int)peek(p, 1)->value;
		p->at += 2;
		return true;
	}
	if (is_kind(p, 1, DATE_SIGNED) && !is_unit(p, 2)) {	/* "10 +0200": an hour and its zone */
		p->label = "time";
		p->at++;
		set_time(p, a->value, 0, 0, 0);
		p->zones++;
		return take_zone_offset(p, &p->zone_minutes);
	}
	take_bare_number(p);
	p->label = "number";
	return true;
}

static bool take_zone(struct parse *p)
{
	const struct token *t = peek(p, 0);

	p->label = "zone";
	p->at++;
	p->zones++;
	p->zone_minutes = t->value;
	if (t->kind == DATE_DAYZONE)
		p->zone_minutes += 60;
	if (t->kind == DATE_ZONE && is_kind(p, 0, DATE_DST)) {
		p->zone_minutes += 60;
		p->at++;
	} else if (t->kind == DATE_ZONE && is_kind(p, 0, DATE_SIGNED) && !is_unit(p, 1)) {
		int64_t more;

		if (!take_zone_offset(p, &more))
			return false;
		p->zone_minutes += more;
	} else if (t->kind != DATE_DAYZONE) {
		p->no_ago = p->at;
	}
	return true;
}

static bool take_day(struct parse *p, int64_t ordinal)
{
	p->label = "day";
	p->days++;
	p->day_ordinal = ordinal;
	p->day_number = (int)peek(p, 0)->value;
	p->at++;
	if (!p->ordinal_seen && is_char(p, 0, ','))
		p->at++;
	return true;
}

static bool take_ordinal(struct parse *p)
{
	int64_t value = peek(p, 0)->value;

	p->at++;
	if (is_kind(p, 0, DATE_DAY)) {
		p->ordinal_seen = true;
		return take_day(p, value);
	}
	return is_unit(p, 0) && take_relative(p, value, 0);
}

static bool take_signed(struct parse *p)
{
	const struct token *t = peek(p, 0);
	bool no_ago = p->at == p->no_ago;

	p->at++;
	if (!is_unit(p, 0) || (no_ago && is_kind(p, 1, DATE_AGO)))
		return false;
	return take_relative(p, t->value, t->nsec);
}

static bool take_item(struct parse *p)
{
	const struct token *t = peek(p, 0);

	switch (t->kind) {
	case DATE_NUMBER: return take_number(p);
	case DATE_SIGNED: return take_signed(p);
	case DATE_DECIMAL:
		p->at++;
		return is_kind(p, 0, DATE_SECOND_UNIT) && take_relative(p, t->value, t->nsec);
	case DATE_MONTH:
		p->label = "date";
		return take_month_date(p);
	case DATE_DAY: return take_day(p, 0);
	case DATE_ORDINAL: return take_ordinal(p);
	case DATE_DAY_SHIFT:
		p->at++;
		p->rels++;
		p->label = "shift";
		return parse_add(&p->rel_day, t->value, 1);
	case DATE_LOCAL_ZONE:
		p->at++;
		p->label = "local_zone";
		p->local_zones++;
		p->local_isdst = (int)t->value;
		if (is_kind(p, 0, DATE_DST)) {
			p->local_isdst = 1;
			p->dsts++;
			p->at++;
		}
		return true;
	case DATE_T:
	case DATE_ZONE:
	case DATE_DAYZONE: return take_zone(p);
	default:
		return is_unit(p, 0) && take_relative(p, 1, 0);
	}
}

/* ---- The whole ---- */

/* Tells what the item gave; what is looked at behind it has been read by then. */
static void tell_item(struct parse *p)
{
	const char *label = p->label;

	if (strcmp(label, "shift"))
		trace_unknown(p, peek(p, 0));
	if (!strcmp(label, "relative") || !strcmp(label, "shift"))
		trace_relative(p, "relative");
	else
		trace_item(p, label);
}

/* "10 +1 day" and "UTC +1 day" are one item in GNU's grammar. */
static bool take_hybrid(struct parse *p)
{
	bool is_number = !strcmp(p->label, "number");

	if (!take_item(p))
		return false;
	trace_unknown(p, peek(p, 0));
	trace_relative(p, is_number ? "hybrid" : "relative");
	if (!is_number)
		trace_item(p, "zone");
	return true;
}

static bool take_all(struct parse *p)
{
	while (p->at < p->n) {
		bool ok = take_item(p), joins = false;

		if (ok) {
			joins = (!strcmp(p->label, "number") || !strcmp(p->label, "zone")) &&
				is_kind(p, 0, DATE_SIGNED) && is_unit(p, 1);
			if (joins)
				ok = take_hybrid(p);
		}
		if (!ok) {
			trace_unknown(p, peek(p, 0));
			trace_failed(p, peek(p, 0)->end);
			return false;
		}
		if (!joins)
			tell_item(p);
	}
	return true;
}

/* TZ="..." in front of the text sets the zone: where the rest begins; NULL: bad. */
static const char *take_tz(const char *s, char *name, size_t cap)
{
	size_t n = 0;

	if (strncmp(s, "TZ=\"", 4))
		return s;
	for (s += 4; *s != '"'; s++) {
		if (*s == '\\')
			s++;
		if (!*s || n + 1 >= cap)
			return NULL;
		name[n++] = *s;
	}
	name[n] = '\0';
	return s + 1;
}

static bool take_instant(struct parse *p, int64_t *sec, int32_t *nsec)
{
	const struct token *t = &p->t[1];

	if (t->kind == DATE_NUMBER || t->kind == DATE_SIGNED || t->kind == DATE_DECIMAL) {
		p->instant = true;
		p->second = t->value;
		trace_item(p, "number of seconds");
	}
	if (!p->instant || p->n != 2) {
		p->at = p->instant ? 2 : 1;
		trace_unknown(p, peek(p, 0));
		trace_failed(p, peek(p, 0)->end);
		return false;
	}
	trace_input_zone(p);
	*sec = t->value;
	*nsec = t->nsec;
	return true;
}

bool parsedate_traced(const char *text, int64_t now_sec, int32_t now_nsec, const struct zone *zone,
		      const struct parsedate_trace *trace, int64_t *sec, int32_t *nsec)
{
	struct parse p = { .zone = zone, .meridian = -1, .no_ago = SIZE_MAX, .trace = trace };
	struct zone other;
	const char *rest = take_tz(skip_blanks(text), p.tz, sizeof(p.tz));
	struct civil c;
	bool dst, ok;

	if (!rest)
		return false;
	if (rest != skip_blanks(text)) {	/* TZ="" is UTC */
		zone_init(&other, p.tz);
		p.zone = &other;
	}
	if (!scan(&p, *skip_blanks(rest) ? rest : "0"))
		return false;
	if (!civil_from(now_sec, zone_offset(p.zone, now_sec, NULL, &dst), &c))
		return false;
	p.now_isdst = dst;
	p.year = c.year;
	p.month = c.month;
	p.day = c.day;
	p.hour = c.hour;
	p.minute = c.minute;
	p.second = c.second;
	p.nsec = now_nsec;
	if (is_char(&p, 0, '@'))
		ok = take_instant(&p, sec, nsec);
	else
		ok = take_all(&p) && parse_compute(&p, sec, nsec);
	if (ok)
		trace_final(&p, *sec, *nsec);
	return ok;
}

bool parsedate(const char *text, int64_t now_sec, int32_t now_nsec, const struct zone *zone,
	       int64_t *sec, int32_t *nsec)
{
	return parsedate_traced(text, now_sec, now_nsec, zone, NULL, sec, nsec);
}
