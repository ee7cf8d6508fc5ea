/*
 * Writes src/base/unicode_tables.h: what the C library of this machine says of
 * every character in the locale C.UTF-8. Run by hand when a newer library is to
 * be the judge:
 *
 *	gcc -o /tmp/make-unicode tools/make-unicode.c
 *	LC_ALL=C.UTF-8 /tmp/make-unicode > src/base/unicode_tables.h
 *
 * A row is first, last, step: Latin's alternating capitals are one row of step
 * two. Case maps carry a distance besides. What follows from these (punct is print
 * but neither space nor alnum) is not here; tests/unit/base/test_utf8.c compares all.
 */
#define _XOPEN_SOURCE 700
#include <locale.h>
#include <stdio.h>
#include <wchar.h>
#include <wctype.h>

#define LAST 0x10FFFF

struct row {
	long first, last, step, distance;
};

typedef long value_fn(long c);	/* a value; rows are runs of one that is not 0 */

static wctype_t class_now;
static int column;

static long of_class(long c) { return iswctype((wint_t)c, class_now) != 0; }
static long of_upper(long c) { return (long)towupper((wint_t)c) - c; }
static long of_lower(long c) { return (long)towlower((wint_t)c) - c; }
static long of_wide(long c) { return wcwidth((wchar_t)c) == 2; }
static long of_zero(long c) { return c && wcwidth((wchar_t)c) == 0; }

static void emit(const struct row *r, int is_map)
{
	column += is_map ? printf("{0x%lX,0x%lX,%ld,%ld},", r->first, r->last, r->step, r->distance)
			 : printf("{0x%lX,0x%lX,%ld},", r->first, r->last, r->step);
	if (column > 80) {
		putchar('\n');
		column = 0;
	}
}

/* The run that begins at c: of step 1, or, of characters that stand alone, 2. */
static struct row run_at(value_fn *f, long c)
{
	struct row r = { c, c, 1, f(c) };

	while (r.last < LAST && f(r.last + 1) == r.distance)
		r.last++;
	if (r.last > r.first)
		return r;
	while (r.last + 3 <= LAST && f(r.last + 1) == 0 && f(r.last + 2) == r.distance &&
	       f(r.last + 3) != r.distance)
		r.last += 2;
	if (r.last > r.first)
		r.step = 2;
	return r;
}

static void table(const char *type, const char *name, value_fn *f, int is_map)
{
	printf("static const struct %s utf8_%s[] = {\n", type, name);
	column = 0;
	for (long c = 0; c <= LAST; c++) {
		struct row r;

		if (f(c) == 0)
			continue;
		r = run_at(f, c);
		emit(&r, is_map);
		c = r.last;
	}
	printf("%s};\n", column ? "\n" : "");
}

int main(void)
{
	static const char *const classes[][2] = {	/* class, name of the table */
		{ "alpha", "alpha" }, { "upper", "upper_class" }, { "lower", "lower_class" },
		{ "print", "printing" }, { "space", "space" }, { "blank", "blank" },
		{ "cntrl", "cntrl" }, { NULL, NULL }
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 1;
	puts("/* Made by tools/make-unicode.c from the C library's C.UTF-8: do not edit. */");
	puts("#ifndef BASE_UNICODE_TABLES_H\n#define BASE_UNICODE_TABLES_H\n");
	for (size_t i = 0; classes[i][0]; i++) {
		class_now = wctype(classes[i][0]);
		table("range", classes[i][1], of_class, 0);
	}
	table("range", "wide", of_wide, 0);
	table("range", "zero", of_zero, 0);
	table("case_map", "to_upper", of_upper, 1);
	table("case_map", "to_lower", of_lower, 1);
	puts("\n#endif");
	return ferror(stdout) || fflush(stdout);
}
