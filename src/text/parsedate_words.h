/*
 * The words of dates. Only parsedate*.c includes it.
 */
#ifndef TEXT_PARSEDATE_WORDS_H
#define TEXT_PARSEDATE_WORDS_H

#include <stddef.h>

enum date_token {
	DATE_END, DATE_BAD,
	DATE_NUMBER,		/* unsigned */
	DATE_SIGNED,		/* + or - in front */
	DATE_DECIMAL,		/* with a fraction; may be signed (is_signed) */
	DATE_MONTH, DATE_DAY, DATE_ORDINAL,
	DATE_YEAR_UNIT, DATE_MONTH_UNIT, DATE_DAY_UNIT, DATE_HOUR_UNIT, DATE_MINUTE_UNIT,
	DATE_SECOND_UNIT,
	DATE_DAY_SHIFT,		/* tomorrow, yesterday, today, now */
	DATE_AGO,
	DATE_MERIDIAN,		/* 0 am, 1 pm */
	DATE_ZONE,		/* value: minutes east */
	DATE_DAYZONE,		/* the same, without the hour of daylight */
	DATE_DST,
	DATE_LOCAL_ZONE,	/* value: is it the daylight name */
	DATE_T,			/* the letter T: a separator or a military zone */
	DATE_CHAR		/* any other character: value */
};

struct date_word {
	enum date_token token;
	int value;
};

/* Looks a lower-case word up (abbreviations, plurals, dots removed). false: unknown. */
int date_word_find(const char *word, size_t n, struct date_word *out);

#endif
