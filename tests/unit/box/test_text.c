/*
 * The words people type: names, sizes, spans, processors; destinations of ssh.
 */
#include "tap.h"

#include "box/internal.h"

static void names(void)
{
	char long_name[66];

	memset(long_name, 'a', 65);
	long_name[65] = '\0';
	ok(tbx_is_name("a") && tbx_is_name("A.b_c-9"), "names");
	ok(!tbx_is_name("") && !tbx_is_name(NULL), "nothing is no name");
	ok(!tbx_is_name("-a") && !tbx_is_name(".a") && !tbx_is_name(".."), "no dash, no dot first");
	ok(!tbx_is_name("a/b") && !tbx_is_name("a b") && !tbx_is_name("a\n") && !tbx_is_name("\xc3\xa4"),
	   "other bytes");
	ok(!tbx_is_name(long_name), "65 are too many");
	long_name[64] = '\0';
	ok(tbx_is_name(long_name), "64 are not");
}

static void size(const char *s, uint64_t want)
{
	uint64_t n = 0;

	ok(tbx_size(s, &n) && n == want, s);
}

static void no_size(const char *s)
{
	uint64_t n;

	ok(!tbx_size(s, &n), s);
}

static void sizes(void)
{
	size("1", 1);
	size("65536", 65536);
	size("512m", 512ull << 20);
	size("2G", 2ull << 30);
	size("1.5gib", 3ull << 29);
	size("0.5k", 512);
	size("10kb", 10240);
	size("7b", 7);
	size("16383p", 16383ull << 50);
	no_size("");
	no_size("0");
	no_size("-1");
	no_size("1x");
	no_size("1 g");
	no_size("1.g");
	no_size(".5g");
	no_size("1gg");
	no_size("16384p");
	no_size("18446744073709551616");
	no_size("0.0000001k");
}

static void span(const char *s, uint64_t want)
{
	uint64_t n = 0;

	if (!ok(tbx_duration(s, &n) && n == want, s))
		printf("# got %llu\n", (unsigned long long)n);
}

static void spans(void)
{
	uint64_t n;

	span("90", 90 * BX_SECOND);
	span("90s", 90 * BX_SECOND);
	span("5m", 300 * BX_SECOND);
	span("2h30m", 9000 * BX_SECOND);
	span("1.5d", 129600 * BX_SECOND);
	span("250ms", 250000000);
	span("0", 0);
	ok(!tbx_duration("", &n) && !tbx_duration("s", &n) && !tbx_duration("5x", &n), "no spans");
	ok(!tbx_duration("1h5", &n) && !tbx_duration("-1s", &n) && !tbx_duration("1s ", &n), "nor these");
	ok(!tbx_duration("9999999999999w", &n) && !tbx_duration("300000w", &n), "too long");
}

static void cpus(void)
{
	uint32_t n = 0;

	ok(tbx_cpus("0.5", &n) && n == 500, "half a processor");
	ok(tbx_cpus("2", &n) && n == 2000, "two");
	ok(!tbx_cpus("0", &n) && !tbx_cpus("0.0001", &n) && !tbx_cpus("x", &n) && !tbx_cpus("2x", &n),
	   "none");
}

static void destinations(void)
{
	ok(bx_is_destination("host") && bx_is_destination("me@host.example") &&
	   bx_is_destination("me@[::1]") && bx_is_destination("10.0.0.1"), "destinations");
	ok(!bx_is_destination("") && !bx_is_destination("-oProxyCommand=x") &&
	   !bx_is_destination("me@-x") && !bx_is_destination("[-x]") && !bx_is_destination("me@[-x]") &&
	   !bx_is_destination("-me@host") && !bx_is_destination("@host") && !bx_is_destination("me@"),
	   "dashes and nothings");
	ok(!bx_is_destination("a b") && !bx_is_destination("a;b") && !bx_is_destination("$(x)") &&
	   !bx_is_destination("a%hb") && !bx_is_destination("a\nb") && !bx_is_destination("`a`"),
	   "what a shell or ssh would read");
	ok(bx_is_safe_word("/home/me/.cache/tinybox/tinybox-init-0a") && !bx_is_safe_word("a b") &&
	   !bx_is_safe_word("") && !bx_is_safe_word("-a") && !bx_is_safe_word("a=b") &&
	   !bx_is_safe_word("~/a") && !bx_is_safe_word("a*"), "words of a remote command line");
}

int main(void)
{
	names();
	sizes();
	spans();
	cpus();
	destinations();
	return done();
}
