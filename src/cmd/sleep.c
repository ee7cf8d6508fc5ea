/*
 * sleep - wait for the sum of its arguments: decimal numbers with s, m, h or d.
 */
#include "cmd/cmd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/util.h"

#define SLEEP_MAX_S 9.2e9	/* about 292 years: what fits into nanoseconds */

static bool sleep_parse(const char *s, double *seconds)
{
	static const struct { char letter; double factor; } units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }
	};
	char *end;
	double value = strtod(s, &end);

	if (end == s || !(value >= 0))
		return false;
	*seconds = value;
	if (!*end)
		return true;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (*end == units[i].letter && !end[1]) {
			*seconds = value * units[i].factor;
			return true;
		}
	}
	return false;
}

static int sleep_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	double total = 0, one;
	bool bad = false;

	(void)opts;
	if (!argc)
		return util_missing_operand(p);
	for (int i = 0; i < argc; i++) {
		if (sleep_parse(argv[i], &one)) {
			total += one;
			continue;
		}
		tsb_warn(p, "invalid time interval %s", quote_text(p, argv[i]));
		bad = true;
	}
	if (bad)
		return tsb_usage(p, NULL);
	do {
		double now = total > SLEEP_MAX_S ? SLEEP_MAX_S : total;

		tsb_sleep(p, (int64_t)ceil(now * 1e9));
		total -= now;
	} while (total > 0);
	return 0;
}

const struct tsb_command cmd_sleep = {
	CMD_COREUTILS, .name = "sleep", .synopsis = "NUMBER[SUFFIX]...\nOPTION",
	.summary = "Pause for NUMBER seconds.  SUFFIX may be 's' for seconds (the default),\n"
		   "'m' for minutes, 'h' for hours or 'd' for days.  NUMBER need not be an\n"
		   "integer.  Given two or more arguments, pause for the sum of their values.",
	.run = sleep_run,
};
