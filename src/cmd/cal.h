/*
 * cal and ncal: what is asked for, and printing it.
 */
#ifndef CMD_CAL_H
#define CMD_CAL_H

#include <tinysandbox/command.h>

struct cal {
	struct tsb_proc *p;
	bool one, is_cal;
	bool old;		/* weeks are rows, as cal has it; else columns */
	bool b, three, days, julian, monday, countries, weeks, whole, given_range;
	char easter;		/* e, o, or 0 */
	int before, after, first_week;	/* first_week: days it needs in the year; 0: usual */
	int year, month;
	const char *month_word, *country;
	int64_t change;		/* the first Gregorian day */
};

/* 0 or the exit status after a message. */
int cal_set_country(struct cal *c);
void cal_list_countries(struct cal *c);
void cal_print(struct cal *c);
void cal_print_easter(struct cal *c);

#endif
