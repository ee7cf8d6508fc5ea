/*
 * Shell patterns against bash: whole matches, what ${x#p} and its kin cut off,
 * and replacement; then limits and what only some callers use.
 */
#include "text/pattern.h"

#include <stdlib.h>

#include "base/heap.h"
#include "unit/tap.h"

static struct tsb_heap *h;

static bool matches(const char *p, const char *s, unsigned flags)
{
	struct pattern *pat = pattern_compile(h, p, strlen(p), flags);
	bool found = pattern_match(pat, s, strlen(s));

	pattern_free(pat);
	return found;
}

static void test_bash(void)
{
	static const struct {
		const char *pattern, *text;
		bool want;
	} rows[] = {
#include "cases_pattern.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ok(matches(rows[i].pattern, rows[i].text, PATTERN_EXTGLOB) == rows[i].want,
		   rows[i].pattern);
		ok(matches(rows[i].pattern, rows[i].text, PATTERN_EXTGLOB | PATTERN_ICASE) ==
		   rows[i].want, "the same without case");
	}
}

static size_t cut(size_t n)
{
	return n == (size_t)-1 ? 0 : n;
}

static void test_cuts(void)
{
	static const struct {
		const char *pattern, *text, *want;
	} rows[] = {
#include "cases_cut.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *p = rows[i].pattern, *s = rows[i].text;
		struct pattern *pat = pattern_compile(h, p, strlen(p), PATTERN_EXTGLOB);
		size_t n = strlen(s), a, b, so = 0, eo = 0;
		char got[256];
		bool found = *p && pattern_search(pat, s, n, 0, &so, &eo);
		a = cut(pattern_suffix(pat, s, n, false));
		b = cut(pattern_suffix(pat, s, n, true));
		snprintf(got, sizeof(got), "%s|%s|%.*s|%.*s|%.*s%s%s",
			 s + cut(pattern_prefix(pat, s, n, false)),
			 s + cut(pattern_prefix(pat, s, n, true)), (int)(n - a), s, (int)(n - b), s,
			 (int)so, s, found ? "<>" : "", s + eo);
		is_str(got, rows[i].want, p);
		pattern_free(pat);
	}
}

static void test_flags(void)
{
	unsigned path = PATTERN_PATHNAME, dot = PATTERN_PERIOD, ext = PATTERN_EXTGLOB;

	ok(matches("*.C", "x.c", PATTERN_ICASE), "icase");
	ok(matches("[A-C]", "b", PATTERN_ICASE), "icase range");
	ok(matches("É*", "été", PATTERN_ICASE), "icase accents");
	ok(!matches("*", "a/b", path), "star stops at a slash");
	ok(matches("*/?", "a/b", path), "a slash matches itself");
	ok(!matches("a?b", "a/b", path), "? takes no slash");
	ok(!matches("a[/]b", "a/b", path), "a bracket with a slash is none");
	ok(!matches("!(x)", "a/b", path | ext), "nor does a group take it");
	ok(!matches("*", ".a", dot), "a leading dot");
	ok(!matches("?a", ".a", dot), "for ?");
	ok(!matches("[.]a", ".a", dot), "for brackets");
	ok(!matches("!(b)", ".a", dot | ext), "for negated groups");
	ok(matches("@(.a|b)", ".a", dot | ext), "explicitly, in a group");
	ok(matches("a*", "a.b", dot), "not leading");
	ok(!matches("a/*", "a/.b", dot | path), "leading behind a slash");
	ok(matches("a/.*", "a/.b", dot | path), "explicit behind a slash");
	ok(matches("a", "a/b", PATTERN_LEADING_DIR), "leading directory");
	ok(!matches("a", "ab/c", PATTERN_LEADING_DIR), "not its name");
	ok(matches("a\\", "a\\", PATTERN_NOESCAPE), "no escapes");
	ok(matches("[\\]", "\\", PATTERN_NOESCAPE), "in brackets neither");
	ok(matches("+(a)", "+(a)", 0), "no groups unless asked");
	ok(matches("?", "\xff", 0) && !matches("?", "\xff\xff", 0), "an invalid byte counts one");
}

static void test_magic(void)
{
	const char *s;
	size_t n;
	struct pattern *pat = pattern_compile(h, "a\\*b", 4, 0);

	ok(!pattern_is_magic("a\\*b", 4, 0), "quoted");
	ok(pattern_is_magic("a*b", 3, 0), "star");
	ok(!pattern_is_magic("a[b", 3, 0), "an open bracket");
	ok(pattern_is_magic("a[b]", 4, 0), "a bracket");
	ok(!pattern_is_magic("@(a)", 4, 0) && pattern_is_magic("@(a)", 4, PATTERN_EXTGLOB), "groups");
	ok(pattern_literal(pat, &s, &n) && n == 3 && !memcmp(s, "a*b", 3), "its text");
	pattern_free(pat);
	pat = pattern_compile(h, "a*", 2, 0);
	ok(!pattern_literal(pat, NULL, NULL), "not a literal");
	pattern_free(pat);
}

static void test_limits(void)
{
	char *a = malloc(100001), *p = malloc(300001);
	size_t so, eo;
	struct pattern *pat;

	memset(a, 'a', 100000);
	a[100000] = '\0';
	ok(!matches("+(+(+(a)))b", a, PATTERN_EXTGLOB), "towers of groups");
	ok(!matches("*(*(a|b)|c)*x", a, PATTERN_EXTGLOB), "stars of groups");
	ok(matches("!(!(!(b*)))", a, PATTERN_EXTGLOB), "negations");
	ok(matches("*!(x)*!(y)*!(z)", a, PATTERN_EXTGLOB), "negations and stars");
	ok(!matches("*a*a*a*a*b", a, 0), "stars");
	pat = pattern_compile(h, "a*b", 3, 0);
	ok(!pattern_search(pat, a, 100000, 0, &so, &eo), "a search that fails");
	pattern_free(pat);
	for (size_t i = 0; i < 100000; i++)
		memcpy(p + 3 * i, "+(a", 3);
	p[300000] = '\0';
	ok(!matches(p, a, PATTERN_EXTGLOB), "groups that are not closed");
	for (size_t i = 0; i < 100000; i++)
		memcpy(p + 2 * i, "+(", 2);
	memset(p + 200000, ')', 100000);
	ok(!matches(p, a, PATTERN_EXTGLOB), "deep groups");
	memset(p, '[', 300000);
	ok(!matches(p, a, PATTERN_EXTGLOB), "brackets that are not closed");
	pat = pattern_compile(h, "!(*b*a*c*|*(ab|ba)c)", 20, PATTERN_EXTGLOB);
	for (size_t i = 0; i < 100000; i++)
		a[i] = "abc"[i * 7919 % 31 % 3];
	ok(!pattern_match(pat, a, 100000), "a long text against a negation");
	pattern_free(pat);
	free(a);
	free(p);
}

/* More sets than the cache holds, inside a negation and outside. */
static void test_cache(void)
{
	char *s = malloc(20000);
	unsigned seed = 1;

	for (size_t i = 0; i < 20000; i++)
		s[i] = (char)('a' + ((seed = seed * 1103515245 + 12345) >> 16 & 1));
	s[19999 - 14] = 'a';
	struct pattern *pat = pattern_compile(h, "!(*a?????????????[ab])", 22, PATTERN_EXTGLOB);
	ok(!pattern_match(pat, s, 20000), "a negation of many states");
	s[19999 - 14] = 'b';
	ok(pattern_match(pat, s, 20000), "and the opposite");
	pattern_free(pat);
	pat = pattern_compile(h, "+(a|b)a??????????????", 21, PATTERN_EXTGLOB);
	ok(!pattern_match(pat, s, 20000), "a group of many states");
	ok(pattern_prefix(pat, s, 20000, true) < 20000, "its longest prefix");
	pattern_free(pat);
	free(s);
}

static void test_names(void)
{
	ok(matches("[[.space.]]", " ", 0) && matches("[[.hyphen.]]", "-", 0) &&
	   matches("[[.tilde.]]", "~", 0), "names of characters");
	ok(!matches("[[.nothing.]]", "n", 0), "no such name");
	ok(matches("[[:word:]][[:ascii:]]", "_a", 0), "bash's own classes");
	ok(!matches("[[:ascii:]]", "\303\251", 0), "not ASCII");
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	test_bash();
	test_cuts();
	test_flags();
	test_magic();
	test_limits();
	test_cache();
	test_names();
	heap_end(h);
	return done();
}
