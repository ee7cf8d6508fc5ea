/*
 * The vocabulary of date texts and how its words may be shortened: months and
 * days to three letters, plurals of units, dots in "a.m." and "U.S.".
 */
#include "text/parsedate_words.h"

#include <string.h>

struct row {
	const char *word;
	enum date_token token;
	int value;
};

static const struct row names[] = {
	{ "january", DATE_MONTH, 1 }, { "february", DATE_MONTH, 2 }, { "march", DATE_MONTH, 3 },
	{ "april", DATE_MONTH, 4 }, { "may", DATE_MONTH, 5 }, { "june", DATE_MONTH, 6 },
	{ "july", DATE_MONTH, 7 }, { "august", DATE_MONTH, 8 }, { "september", DATE_MONTH, 9 },
	{ "sept", DATE_MONTH, 9 }, { "october", DATE_MONTH, 10 }, { "november", DATE_MONTH, 11 },
	{ "december", DATE_MONTH, 12 }, { "sunday", DATE_DAY, 0 }, { "monday", DATE_DAY, 1 },
	{ "tuesday", DATE_DAY, 2 }, { "tues", DATE_DAY, 2 }, { "wednesday", DATE_DAY, 3 },
	{ "wednes", DATE_DAY, 3 }, { "thursday", DATE_DAY, 4 }, { "thur", DATE_DAY, 4 },
	{ "thurs", DATE_DAY, 4 }, { "friday", DATE_DAY, 5 }, { "saturday", DATE_DAY, 6 },
	{ NULL, DATE_END, 0 }
};

static const struct row units[] = {
	{ "year", DATE_YEAR_UNIT, 1 }, { "month", DATE_MONTH_UNIT, 1 },
	{ "fortnight", DATE_DAY_UNIT, 14 }, { "week", DATE_DAY_UNIT, 7 },
	{ "day", DATE_DAY_UNIT, 1 }, { "hour", DATE_HOUR_UNIT, 1 },
	{ "minute", DATE_MINUTE_UNIT, 1 }, { "min", DATE_MINUTE_UNIT, 1 },
	{ "second", DATE_SECOND_UNIT, 1 }, { "sec", DATE_SECOND_UNIT, 1 },
	{ NULL, DATE_END, 0 }
};

static const struct row relative[] = {
	{ "tomorrow", DATE_DAY_SHIFT, 1 }, { "yesterday", DATE_DAY_SHIFT, -1 },
	{ "today", DATE_DAY_SHIFT, 0 }, { "now", DATE_DAY_SHIFT, 0 },
	{ "last", DATE_ORDINAL, -1 }, { "this", DATE_ORDINAL, 0 }, { "next", DATE_ORDINAL, 1 },
	{ "first", DATE_ORDINAL, 1 }, { "third", DATE_ORDINAL, 3 }, { "fourth", DATE_ORDINAL, 4 },
	{ "fifth", DATE_ORDINAL, 5 }, { "sixth", DATE_ORDINAL, 6 }, { "seventh", DATE_ORDINAL, 7 },
	{ "eighth", DATE_ORDINAL, 8 }, { "ninth", DATE_ORDINAL, 9 }, { "tenth", DATE_ORDINAL, 10 },
	{ "eleventh", DATE_ORDINAL, 11 }, { "twelfth", DATE_ORDINAL, 12 }, { "ago", DATE_AGO, -1 },
	{ "hence", DATE_AGO, 1 }, { "am", DATE_MERIDIAN, 0 }, { "pm", DATE_MERIDIAN, 1 },
	{ "dst", DATE_DST, 0 }, { NULL, DATE_END, 0 }
};

#define H(h) ((h) * 60)
static const struct row zones[] = {
	{ "gmt", DATE_ZONE, 0 }, { "ut", DATE_ZONE, 0 }, { "utc", DATE_ZONE, 0 },
	{ "wet", DATE_ZONE, 0 }, { "west", DATE_DAYZONE, 0 }, { "bst", DATE_DAYZONE, 0 },
	{ "art", DATE_ZONE, H(-3) }, { "brt", DATE_ZONE, H(-3) }, { "brst", DATE_DAYZONE, H(-3) },
	{ "nst", DATE_ZONE, -210 }, { "ndt", DATE_DAYZONE, -210 }, { "ast", DATE_ZONE, H(-4) },
	{ "adt", DATE_DAYZONE, H(-4) }, { "clt", DATE_ZONE, H(-4) }, { "clst", DATE_DAYZONE, H(-4) },
	{ "est", DATE_ZONE, H(-5) }, { "edt", DATE_DAYZONE, H(-5) }, { "cst", DATE_ZONE, H(-6) },
	{ "cdt", DATE_DAYZONE, H(-6) }, { "mst", DATE_ZONE, H(-7) }, { "mdt", DATE_DAYZONE, H(-7) },
	{ "pst", DATE_ZONE, H(-8) }, { "pdt", DATE_DAYZONE, H(-8) }, { "akst", DATE_ZONE, H(-9) },
	{ "akdt", DATE_DAYZONE, H(-9) }, { "hst", DATE_ZONE, H(-10) }, { "hast", DATE_ZONE, H(-10) },
	{ "hadt", DATE_DAYZONE, H(-10) }, { "sst", DATE_ZONE, H(-12) }, { "wat", DATE_ZONE, H(1) },
	{ "cet", DATE_ZONE, H(1) }, { "cest", DATE_DAYZONE, H(1) }, { "met", DATE_ZONE, H(1) },
	{ "mez", DATE_ZONE, H(1) }, { "mest", DATE_DAYZONE, H(1) }, { "mesz", DATE_DAYZONE, H(1) },
	{ "eet", DATE_ZONE, H(2) }, { "eest", DATE_DAYZONE, H(2) }, { "cat", DATE_ZONE, H(2) },
	{ "sast", DATE_ZONE, H(2) }, { "eat", DATE_ZONE, H(3) }, { "msk", DATE_ZONE, H(3) },
	{ "msd", DATE_DAYZONE, H(3) }, { "ist", DATE_ZONE, 330 }, { "sgt", DATE_ZONE, H(8) },
	{ "kst", DATE_ZONE, H(9) }, { "jst", DATE_ZONE, H(9) }, { "gst", DATE_ZONE, H(10) },
	{ "nzst", DATE_ZONE, H(12) }, { "nzdt", DATE_DAYZONE, H(12) },
	{ NULL, DATE_END, 0 }
};

static int find_in(const struct row *rows, const char *word, size_t n, struct date_word *out)
{
	for (; rows->word; rows++) {
		if (strlen(rows->word) == n && !memcmp(rows->word, word, n)) {
			out->token = rows->token;
			out->value = rows->value;
			return 1;
		}
	}
	return 0;
}

/* Months and days: whole, or their first three letters, perhaps with a dot. */
static int find_name(const char *word, size_t n, struct date_word *out)
{
	size_t bare = n == 4 && word[3] == '.' ? 3 : n;

	if (find_in(names, word, n, out))
		return 1;
	if (bare != 3)
		return 0;
	for (const struct row *r = names; r->word; r++) {
		if (!memcmp(r->word, word, 3)) {
			out->token = r->token;
			out->value = r->value;
			return 1;
		}
	}
	return 0;
}

/* A..I -> 1..9 hours, K..M 10..12, N..Y -1..-12, Z 0; T is a token of its own. */
static int find_military(int c, struct date_word *out)
{
	if (c < 'a' || c > 'z' || c == 'j')
		return 0;
	out->token = c == 't' ? DATE_T : DATE_ZONE;
	if (c == 'z')
		out->value = 0;
	else if (c <= 'i')
		out->value = H(c - 'a' + 1);
	else if (c <= 'm')
		out->value = H(c - 'k' + 10);
	else
		out->value = -H(c - 'n' + 1);
	return 1;
}

int date_word_find(const char *word, size_t n, struct date_word *out)
{
	char bare[24];
	size_t k = 0;

	if (find_in(relative, word, n, out) || find_name(word, n, out) ||
	    find_in(zones, word, n, out) || find_in(units, word, n, out))
		return 1;
	if (n > 1 && word[n - 1] == 's' && find_in(units, word, n - 1, out))
		return 1;
	if (n == 1)
		return find_military(word[0], out);
	for (size_t i = 0; i < n && k < sizeof(bare); i++)
		if (word[i] != '.')
			bare[k++] = word[i];
	if (k == n || k == 0)
		return 0;
	return find_in(relative, bare, k, out) || find_in(zones, bare, k, out) ||
	       (k == 1 && find_military(bare[0], out));
}
