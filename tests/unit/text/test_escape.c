/* Escapes and quoting against bash, /bin/echo, /usr/bin/printf and ls. */
#include "text/escape.h"

#include "base/heap.h"
#include "unit/tap.h"

static struct tsb_heap *h;

static void test_decoding(void)
{
	static const struct {
		enum escape_mode mode;
		const char *text, *want;
		size_t n;
	} rows[] = {
#include "cases_escape.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct str out;
		char message[64];
		str_init(&out, h, 1000);
		escape_decode(rows[i].mode, rows[i].text, strlen(rows[i].text), &out, message, NULL,
			      NULL);
		if (!ok(out.n == rows[i].n && !memcmp(out.p, rows[i].want, out.n), rows[i].text))
			printf("# mode %d got <%s>\n", (int)rows[i].mode, out.p);
		str_end(&out);
	}
}

static int warnings;
static char last[64];

static void warn(void *ctx, const char *message)
{
	(void)ctx;
	warnings++;
	snprintf(last, sizeof(last), "%s", message);
}

static enum escape_status status_of(enum escape_mode mode, const char *text, char *message)
{
	struct str out;
	enum escape_status status;

	str_init(&out, h, 1000);
	status = escape_decode(mode, text, strlen(text), &out, message, warn, NULL);
	str_end(&out);
	return status;
}

static void test_messages(void)
{
	char message[64];

	ok(status_of(ESCAPE_B_BASH, "\\xg\\uz", message) == ESCAPE_OK && warnings == 2, "warnings");
	is_str(last, "missing unicode digit for \\u", "the second");
	ok(status_of(ESCAPE_FORMAT_GNU, "\\x", message) == ESCAPE_NO_NUMBER, "fatal");
	is_str(message, "missing hexadecimal number in escape", "text");
	ok(status_of(ESCAPE_B_GNU, "\\ud800", message) == ESCAPE_BAD_NAME, "no character");
	is_str(message, "invalid universal character name \\ud800", "text");
	ok(status_of(ESCAPE_ECHO_BASH, "a\\cb", message) == ESCAPE_STOP, "stop");
	ok(status_of(ESCAPE_DOLLAR, "a\\0b", message) == ESCAPE_STOP, "NUL in $''");
}

static void test_gnu(void)
{
	static const struct {
		const char *style, *name, *want;
	} rows[] = {
#include "cases_gnu.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum quote_style style;
		struct str out;
		str_init(&out, h, 1000);
		ok(quote_style_named(rows[i].style, &style), rows[i].style);
		quote_gnu(&out, style, rows[i].name, strlen(rows[i].name),
			  style == QUOTE_ESCAPE ? " " : NULL);
		is_str(out.p, rows[i].want, rows[i].name);
		str_end(&out);
	}
}

static void test_gnu_messages(void)
{
	enum quote_style style;
	struct str out;

	str_init(&out, h, 1000);
	quote_gnu(&out, QUOTE_SHELL_ESCAPE, "a:b", 3, ":");
	is_str(out.p, "'a:b'", "cat 'a:b'");
	str_reset(&out);
	quote_gnu(&out, QUOTE_SHELL_ESCAPE_ALWAYS, "x", 1, NULL);
	is_str(out.p, "'x'", "rm: cannot remove 'x'");
	str_reset(&out);
	quote_gnu(&out, QUOTE_LOCALE, "it\xe2\x80\x99s", 6, NULL);
	is_str(out.p, "\xe2\x80\x98it\\\xe2\x80\x99s\xe2\x80\x99", "the closing quote inside");
	str_reset(&out);
	quote_gnu(&out, QUOTE_C, "a\0b\0" "1", 5, NULL);
	is_str(out.p, "\"a\\0b\\0001\"", "NULs");
	str_reset(&out);
	quote_gnu(&out, QUOTE_LITERAL, "a b", 3, NULL);
	is_str(out.p, "a b", "literal");
	ok(!quote_style_named("shel", &style), "no such style");
	str_end(&out);
}

static void test_bash(void)
{
	static const struct {
		const char *text, *q, *at, *declare;
	} rows[] = {
#include "cases_bash.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *s = rows[i].text;
		size_t n = strlen(s);
		struct str out;
		str_init(&out, h, 1000);
		quote_backslash(&out, s, n);
		is_str(out.p, rows[i].q, "%q");
		str_reset(&out);
		quote_at(&out, s, n);
		is_str(out.p, rows[i].at, "@Q");
		str_reset(&out);
		quote_double(&out, s, n);
		is_str(out.p, rows[i].declare, "declare -p");
		str_end(&out);
	}
}

static void test_set(void)
{
	struct str out;

	str_init(&out, h, 1000);
	quote_set(&out, "a b", 3);
	quote_set(&out, "ab", 2);
	quote_set(&out, "\n", 1);
	is_str(out.p, "'a b'ab$'\\n'", "set");
	ok(quote_has_meta("~a", 2) && !quote_has_meta("a~", 2) && quote_has_meta("a=~", 3), "tildes");
	str_end(&out);
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	test_decoding();
	test_messages();
	test_gnu();
	test_gnu_messages();
	test_bash();
	test_set();
	heap_end(h);
	return done();
}
