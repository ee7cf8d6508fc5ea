/*
 * TAP for unit tests: ok(condition, name) prints one result line, is_str() and
 * is_int() also say what came; `return done();` ends main with the plan.
 */
#ifndef UNIT_TAP_H
#define UNIT_TAP_H

#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((unused)) static int tap_line(int good, const char *name, const char *file, int line)
{
	tap_failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++tap_count, name);
	if (!good)
		printf("# at %s:%d\n", file, line);
	return good;
}

#define ok(cond, name) tap_line(!!(cond), (name), __FILE__, __LINE__)
#define is_int(got, want, name) do { \
	long long got_ = (long long)(got), want_ = (long long)(want); \
	if (!ok(got_ == want_, name)) printf("# got %lld, not %lld\n", got_, want_); \
} while (0)
#define is_str(got, want, name) do { \
	const char *got_ = (got), *want_ = (want); \
	if (!ok(got_ && want_ && !strcmp(got_, want_), name)) \
		printf("# got <%s>\n# not <%s>\n", got_ ? got_ : "NULL", want_ ? want_ : "NULL"); \
} while (0)
__attribute__((unused)) static int done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
