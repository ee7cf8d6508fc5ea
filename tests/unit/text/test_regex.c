/*
 * Regular expressions: matches, submatches and errors against what glibc, sed
 * and grep gave; the line search against one line at a time; word lists; the
 * engines against each other; limits.
 */
#include "text/regex.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/heap.h"
#include "unit/tap.h"

static struct tsb_heap *h;

static struct regex *compile(const char *p, unsigned flags)
{
	const char *error = NULL;
	struct regex *re = regex_compile(h, p, strlen(p), flags, &error);

	if (!re)
		printf("# /%s/: %s\n", p, error ? error : "no memory");
	return re;
}

/* "(0,4)(0,1)(-1,-1)", "nomatch" or the error. */
static void answer(char *buf, size_t size, const char *p, const char *text, unsigned flags)
{
	const char *error = NULL;
	struct regex *re = regex_compile(h, p, strlen(p), flags | REGEX_UTF8, &error);
	struct regex_span s[10];
	size_t n = 0;

	buf[0] = '\0';
	if (!re) {
		snprintf(buf, size, "%s", error);
		return;
	}
	if (regex_match(re, text, strlen(text), 0, 0, s, 10) != REGEX_MATCH)
		snprintf(buf, size, "nomatch");
	else
		for (size_t i = 0; i <= regex_groups(re) && i < 10; i++)
			n += (size_t)snprintf(buf + n, size - n, "(%d,%d)", (int)s[i].so,
					      (int)s[i].eo);
	regex_free(re);
}

static void test_glibc(void)
{
	static const struct {
		unsigned flags;
		const char *pattern, *text, *want;
	} rows[] = {
#include "cases_regex.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char got[256];
		answer(got, sizeof(got), rows[i].pattern, rows[i].text, rows[i].flags);
		is_str(got, rows[i].want, rows[i].pattern);
	}
}

static void test_dialects(void)
{
	static const struct {
		unsigned flags;
		const char *pattern, *error;
	} rows[] = {
#include "cases_dialect.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *error = NULL;
		struct regex *re = regex_compile(h, rows[i].pattern, strlen(rows[i].pattern),
						 rows[i].flags | REGEX_UTF8, &error);
		is_str(error ? error : "none", rows[i].error ? rows[i].error : "none",
		       rows[i].pattern);
		regex_free(re);
	}
}

static bool matches(const char *p, const char *text, unsigned flags)
{
	struct regex *re = compile(p, flags);
	bool found = re && regex_match(re, text, strlen(text), 0, 0, NULL, 0) == REGEX_MATCH;

	regex_free(re);
	return found;
}

static void test_flags(void)
{
	unsigned e = REGEX_EXTENDED | REGEX_UTF8;

	ok(matches("straße", "STRAßE", e | REGEX_ICASE), "icase");
	ok(matches("[a-c]x", "BX", e | REGEX_ICASE), "icase range");
	ok(matches("s", "\xc5\xbf", e | REGEX_ICASE), "icase: long s");
	ok(!matches("k", "\xe2\x84\xaa", e | REGEX_ICASE), "icase: not the Kelvin sign");
	ok(matches("[[:upper:]]", "a", e | REGEX_ICASE), "icase class");
	ok(matches("(a)\\1", "aA", e | REGEX_ICASE), "icase back-reference");
	ok(!matches("[^a]", "A", e | REGEX_ICASE), "icase negated");
	ok(matches("^b$", "a\nb\nc", e | REGEX_NEWLINE), "M: lines");
	ok(!matches("^b$", "a\nb\nc", e), "no M: no lines");
	ok(!matches("a.b", "a\nb", e | REGEX_NEWLINE), "M: dot takes no newline");
	ok(!matches("a[^x]b", "a\nb", e | REGEX_NEWLINE), "M: nor does a negated bracket");
	ok(matches("a\\Wb", "a\nb", e | REGEX_NEWLINE), "M: \\W does");
	ok(matches("a.b", "a\nb", e), "dot takes a newline");
	ok(matches("a.c*(x", "a.c*(x", REGEX_LITERAL), "literal");
	ok(!matches("a.c", "abc", REGEX_LITERAL), "literal dot");
	ok(matches("foo", "a foo b", e | REGEX_WORD), "word");
	ok(!matches("foo", "a foob", e | REGEX_WORD), "not a word");
	ok(matches("fo+|foo_x", "foo foo_x", e | REGEX_WORD), "the shorter one is a word");
	ok(matches("a|b", "b", e | REGEX_LINE), "line");
	ok(!matches("a|b", "ab", e | REGEX_LINE), "not the line");
	ok(matches("\\t\\x41\\101\\/[\\]]y", "\tAA/]y", REGEX_AWK | REGEX_UTF8), "awk escapes");
	ok(matches("\\yfoo\\y", "a foo", REGEX_AWK), "awk word edge");
	ok(matches("+a", "+a", REGEX_AWK), "awk: operator at the start");
	ok(!matches("\\w", "a", e | REGEX_NO_GNU), "no GNU escapes");
	ok(!matches(".", "\xff", e), "an invalid byte is no character");
	ok(!matches("[^a]", "\xff", e), "nor outside a bracket");
	ok(matches("\xff", "a\xff", e), "but itself");
	ok(!matches("\xa9", "\xc3\xa9", e), "a byte is not found inside a character");
	ok(matches(".", "\xff", REGEX_EXTENDED), "bytes");
	ok(matches("[^a]b", "\xff" "b", REGEX_EXTENDED), "bytes in brackets");
	ok(matches("[\xe0-\xf0]", "\xe9", REGEX_EXTENDED), "ranges of bytes");
}

static void test_places(void)
{
	struct regex *re = compile("^a|\\bc", REGEX_EXTENDED | REGEX_UTF8);
	struct regex_span s[2];

	ok(regex_match(re, "aac", 3, 1, 0, s, 1) == REGEX_NOMATCH, "the context before counts");
	ok(regex_match(re, "aa c", 4, 1, 0, s, 1) == REGEX_MATCH && s[0].so == 3, "from");
	ok(regex_match(re, "ab", 2, 0, REGEX_NOTBOL, s, 1) == REGEX_NOMATCH, "NOTBOL");
	ok(regex_match(re, "ab", 2, 3, 0, s, 1) == REGEX_NOMATCH, "from beyond the end");
	regex_free(re);
	re = compile("b$", 0);
	ok(regex_match(re, "ab", 2, 0, REGEX_NOTEOL, s, 2) == REGEX_NOMATCH, "NOTEOL");
	ok(regex_match(re, "ab", 2, 0, 0, s, 2) == REGEX_MATCH && s[1].so == REGEX_NONE,
	   "no such group");
	regex_free(re);
	/* echo é | sed 's/x*_/-/g' goes by bytes, with a class by characters. */
	re = compile("x*", REGEX_UTF8);
	ok(regex_match(re, "\xc3\xa9", 2, 1, 0, s, 1) == REGEX_MATCH && s[0].so == 1, "bytewise");
	regex_free(re);
	re = compile("[a-c]*", REGEX_UTF8);
	ok(regex_match(re, "\xc3\xa9", 2, 1, 0, s, 1) == REGEX_MATCH && s[0].so == 2,
	   "by characters");
	regex_free(re);
	re = compile("\\(a*\\)*\\1b", REGEX_UTF8);
	ok(regex_has_backrefs(re) && regex_groups(re) == 1, "what it has");
	regex_free(re);
}

static void test_warnings(void)
{
	struct regex *re = compile("*a|+b|{1}c", REGEX_EXTENDED | REGEX_GREP);

	is_str(regex_warning(re, 0), "* at start of expression", "warning");
	is_str(regex_warning(re, 1), "+ at start of expression", "warning");
	is_str(regex_warning(re, 2), "{...} at start of expression", "warning");
	ok(!regex_warning(re, 3), "no more");
	regex_free(re);
}

/* ---- Lines ---- */

static uint64_t seed = 42;

static unsigned dice(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

/* All lines by the search, compared with one match for each line. */
static bool lines_agree(const char *p, unsigned flags, const char *text, size_t n)
{
	struct regex *fast = compile(p, flags), *slow = compile(p, flags);
	size_t at = 0, line, end;
	bool good = fast && slow;

	for (size_t q = 0; good && q < n;) {
		const char *e = memchr(text + q, '\n', n - q);
		size_t stop = e ? (size_t)(e - text) : n;
		struct regex_span s[1];
		if (regex_match(slow, text + q, stop - q, 0, 0, s, 1) == REGEX_MATCH) {
			good = regex_search_lines(fast, text + at, n - at, '\n', &line, &end) ==
			       REGEX_MATCH && at + line == q && at + end == stop;
			at = stop + 1;
		}
		q = stop + 1;
	}
	good = good && (at >= n || regex_search_lines(fast, text + at, n - at, '\n', &line,
						      &end) == REGEX_NOMATCH);
	regex_free(fast);
	regex_free(slow);
	return good;
}

/* Long literals go another way, and text ends where vectors do not. */
static void test_find(void)
{
	char text[200], pattern[100];
	struct regex_span s[1];
	bool good = true;

	for (unsigned n = 1; n < 90; n++) {
		for (unsigned at = 0; at < 100; at += 7) {
			struct regex *re;
			memset(text, 'x', sizeof(text));
			for (unsigned i = 0; i < n; i++)
				text[at + i] = pattern[i] = (char)('A' + i % 26);
			pattern[n] = '\0';
			re = compile(pattern, REGEX_UTF8 | (at % 2 ? REGEX_ICASE : 0));
			good &= regex_match(re, text, at + n, 0, 0, s, 1) == REGEX_MATCH &&
				s[0].so == at && s[0].eo == at + n;
			good &= regex_match(re, text, at + n - 1, 0, 0, s, 1) == REGEX_NOMATCH;
			regex_free(re);
		}
	}
	ok(good, "literals of every length at every place");
}

static void test_lines(void)
{
	static const char *const patterns[] = { "foo", "[0-9]{3}-[a-z]+", "foo|bar|baz", "^a", "b$",
		"", "a.*b", "\\bfoo\\b", "[^é]z", "é", "x[^ ]*y", "(a)\\1", "[0-9]", "\\w+ \\w+",
		"q", "(foo|[0-9]+)-", "a{3}", "\\<b", "^$", "[[:alpha:]]{4}", "zz", "foo.*12" };
	static const char *const pieces[] = { "a", "b", "foo", "bar", " ", "12", "345", "-", "é", "x",
		"y", "\n", "\n", "z", "\xff", "zeta", "Q", "BAZ" };
	char *text = malloc(20000);
	bool good = true;

	for (int round = 0; round < 40; round++) {
		size_t n = 0, want = round % 8 ? 600 : 18000;
		unsigned variety = 4 + dice(14);
		while (n < want) {
			const char *piece = pieces[dice(variety)];
			memcpy(text + n, piece, strlen(piece));
			n += strlen(piece);
		}
		for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
			unsigned flags = REGEX_EXTENDED | REGEX_GREP | (round % 5 ? REGEX_UTF8 : 0) |
				(round % 3 == 1 ? REGEX_ICASE : 0) |
				(round % 7 == 2 ? REGEX_WORD : 0) | (round % 9 == 3 ? REGEX_LINE : 0);
			if (!lines_agree(patterns[i], flags, text, n)) {
				printf("# /%s/ flags %x round %d\n", patterns[i], flags, round);
				good = false;
			}
		}
	}
	ok(good, "the line search finds the lines that match");
	free(text);
}

static void test_words(void)
{
	static const char *const words[] = { "he", "she", "his", "hers", "", "hershey", "été", "it",
					     "its", "he" };
	size_t lens[10];
	struct regex_span s[1];
	struct regex *re;

	for (size_t i = 0; i < 10; i++)
		lens[i] = strlen(words[i]);
	re = regex_compile_many(h, words, lens, 10, REGEX_LITERAL | REGEX_UTF8, NULL);
	ok(regex_match(re, "hersh", 5, 0, 0, s, 1) == REGEX_MATCH && s[0].eo == 4, "longest word");
	ok(regex_match(re, "xyz", 3, 0, 0, s, 1) == REGEX_MATCH && s[0].eo == 0, "the empty word");
	regex_free(re);
	re = regex_compile_many(h, words + 5, lens + 5, 5, REGEX_UTF8, NULL);
	ok(regex_match(re, "x its", 5, 0, 0, s, 1) == REGEX_MATCH && s[0].so == 2 && s[0].eo == 5,
	   "a few patterns");
	regex_free(re);
	lens[4] = 1;
	re = regex_compile_many(h, (const char *const[]){ "he", "she", "his", "hers", "x", "hershey",
							  "Été", "it", "its", "he" },
				(const size_t[]){ 2, 3, 3, 4, 1, 7, 5, 2, 3, 2 }, 10,
				REGEX_LITERAL | REGEX_UTF8 | REGEX_ICASE, NULL);
	ok(regex_match(re, "-HERSHEY", 8, 0, 0, s, 1) == REGEX_MATCH && s[0].so == 1 &&
	   s[0].eo == 8, "words without case");
	ok(regex_match(re, "éTé", 5, 0, 0, s, 1) == REGEX_MATCH && s[0].eo == 5, "accents too");
	ok(regex_match(re, "abd", 3, 0, 0, s, 1) == REGEX_NOMATCH, "none of them");
	ok(regex_match(re, "\xff", 1, 0, 0, s, 1) == REGEX_NOMATCH, "nor an invalid byte");
	regex_free(re);
	re = regex_compile_many(h, (const char *const[]){ "\\(a\\)\\1", "\\(b\\)\\1" },
				(const size_t[]){ 7, 7 }, 2, REGEX_UTF8, NULL);
	ok(regex_match(re, "abb", 3, 0, 0, s, 1) == REGEX_MATCH && s[0].so == 1,
	   "back-references of several patterns");
	regex_free(re);
}

/* ---- Limits ---- */

static char *repeat(const char *s, size_t n)
{
	size_t len = strlen(s);
	char *p = malloc(len * n + 1);

	for (size_t i = 0; i < n; i++)
		memcpy(p + i * len, s, len);
	p[len * n] = '\0';
	return p;
}

static size_t ticks;

static void count_ticks(void *ctx, size_t steps)
{
	(void)ctx;
	ticks += steps;
}

static void too_big(const char *p, const char *name)
{
	const char *error = NULL;
	struct regex *re = regex_compile(h, p, strlen(p), REGEX_EXTENDED, &error);

	is_str(error, "Regular expression too big", name);
	regex_free(re);
}

static void test_limits(void)
{
	char *deep = repeat("(", 100000), *tower = repeat("{2}", 300), *a = repeat("a", 20000);
	struct regex_span s[10];
	struct regex *re;

	too_big(deep, "nesting");
	tower[0] = 'a';
	tower[1] = '{';
	too_big("((a{1,255}){1,255}){1,255}", "size");
	too_big("((){32767}){32767}", "size of nothing");
	re = compile("(x{0}{32767}{32767}{32767}){2}", REGEX_EXTENDED);
	ok(re, "nothing, often");
	regex_free(re);
	re = compile("a{1,32767}", REGEX_EXTENDED);
	ok(regex_match(re, a, 20000, 0, 0, s, 1) == REGEX_MATCH && s[0].eo == 20000, "a{1,32767}");
	regex_free(re);
	re = compile("^(a+)+\\1+$", REGEX_EXTENDED);
	a[19999] = 'b';
	regex_on_tick(re, count_ticks, NULL);
	ok(regex_match(re, a, 20000, 0, 0, s, 1) == REGEX_BUDGET, "back-references have a budget");
	ok(ticks > 100000, "and tick");
	regex_free(re);
	re = compile("(a|aa)*b?$", REGEX_EXTENDED);
	ok(regex_match(re, a, 20000, 0, 0, s, 2) == REGEX_MATCH && s[0].eo == 20000,
	   "submatches of a long match");
	regex_free(re);
	char *long_a = repeat("ab", 100000);
	re = compile("(a|b|(ab))*(b)$", REGEX_EXTENDED);
	ok(regex_match(re, long_a, 200000, 0, 0, s, 4) == REGEX_MATCH && s[0].eo == 200000 &&
	   s[1].so == 199998 && s[2].so == REGEX_NONE && s[3].so == 199999,
	   "submatches of a match too long for the bitmap");
	regex_free(re);
	free(long_a);
	re = compile("a.*z|aab", REGEX_EXTENDED);
	ok(regex_match(re, a, 20000, 0, 0, s, 1) == REGEX_MATCH && s[0].so == 19997,
	   "starts that fail late");
	regex_free(re);
	free(deep);
	free(tower);
	free(a);
}

/* Sets of characters that the automaton meets as it goes, and a full cache. */
static void test_cache(void)
{
	char *text = malloc(40000);
	struct regex_span s[2];
	struct regex *re;
	size_t n = 0;

	for (unsigned c = 0x4e00; n < 30000; c++) {
		text[n++] = (char)(0xe0 | c >> 12);
		text[n++] = (char)(0x80 | (c >> 6 & 63));
		text[n++] = (char)(0x80 | (c & 63));
	}
	memcpy(text + n, "x1", 2);
	n += 2;
	re = compile("([[:alpha:]]+|\\W)[0-9]", REGEX_EXTENDED | REGEX_UTF8);
	ok(regex_match(re, text, n, 0, 0, s, 1) == REGEX_MATCH && s[0].so == 0 && s[0].eo == n,
	   "ideographs are letters");
	regex_free(re);
	re = compile("(a|b)*a(a|b){14}c", REGEX_EXTENDED);
	for (n = 0; n < 39000; n++)
		text[n] = (char)('a' + dice(2));
	text[n - 15] = 'a';
	text[n++] = 'c';
	ok(regex_match(re, text, n, 0, 0, s, 1) == REGEX_MATCH && s[0].so == 0 && s[0].eo == n,
	   "more states than the cache holds");
	regex_free(re);
	free(text);
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	test_glibc();
	test_dialects();
	test_flags();
	test_places();
	test_warnings();
	test_find();
	test_lines();
	test_words();
	test_limits();
	test_cache();
	heap_end(h);
	return done();
}
