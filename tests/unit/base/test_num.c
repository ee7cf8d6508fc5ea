/*
 * Numbers. The suffixed ones were compared with GNU's tools (head -c, dd, du,
 * split of coreutils 9.1), the human ones with ls -lh and ls -l --si.
 */
#include "base/num.h"

#include "unit/tap.h"

static void test_checked(void)
{
	size_t out = 5;

	ok(num_add(1, 2, &out) && out == 3, "add");
	ok(!num_add(SIZE_MAX, 1, &out), "add that wraps");
	ok(num_mul(3, 4, &out) && out == 12, "mul");
	ok(!num_mul(SIZE_MAX / 2, 3, &out), "mul that wraps");
}

static void i64(const char *s, enum num_result r, int64_t want)
{
	int64_t out = want;

	ok(num_i64(s, &out) == r && out == want, s);
}

static void u64(const char *s, enum num_result r, uint64_t want)
{
	uint64_t out = want;

	ok(num_u64(s, &out) == r && out == want, s);
}

static void test_plain(void)
{
	i64("0", NUM_OK, 0);
	i64("-0", NUM_OK, 0);
	i64("+12", NUM_OK, 12);
	i64("-12", NUM_OK, -12);
	i64("0012", NUM_OK, 12);
	i64("9223372036854775807", NUM_OK, INT64_MAX);
	i64("9223372036854775808", NUM_RANGE, INT64_MAX);
	i64("-9223372036854775808", NUM_OK, INT64_MIN);
	i64("-9223372036854775809", NUM_RANGE, INT64_MIN);
	i64("99999999999999999999999999", NUM_RANGE, INT64_MAX);
	i64("", NUM_INVALID, 7);
	i64("-", NUM_INVALID, 7);
	i64(" 1", NUM_INVALID, 7);
	i64("1 ", NUM_INVALID, 7);
	i64("1x", NUM_INVALID, 7);
	i64("+-1", NUM_INVALID, 7);
	i64("99999999999999999999999999x", NUM_INVALID, 7);
	u64("18446744073709551615", NUM_OK, UINT64_MAX);
	u64("18446744073709551616", NUM_RANGE, UINT64_MAX);
	u64("184467440737095516150", NUM_RANGE, UINT64_MAX);
	u64("+5", NUM_OK, 5);
	u64("-5", NUM_INVALID, 7);
	u64("0x10", NUM_INVALID, 7);
}

static void suffixed(const char *s, const char *set, enum num_result r, uint64_t want)
{
	uint64_t out = 0;
	enum num_result got = num_suffixed(s, set, &out);

	if (!ok(got == r && (r == NUM_INVALID || out == want), s))
		printf("# result %d, value %llu\n", (int)got, (unsigned long long)out);
}

static void test_suffixes(void)
{
	static const char head[] = "bkKmMGTPEZY0";	/* what head -c takes */

	suffixed("10", head, NUM_OK, 10);
	suffixed("1b", head, NUM_OK, 512);
	suffixed("2k", head, NUM_OK, 2048);
	suffixed("2K", head, NUM_OK, 2048);
	suffixed("2KiB", head, NUM_OK, 2048);
	suffixed("2KB", head, NUM_OK, 2000);
	suffixed("2kB", head, NUM_OK, 2000);
	suffixed("1m", head, NUM_OK, 1 << 20);
	suffixed("1MB", head, NUM_OK, 1000000);
	suffixed("1MD", head, NUM_OK, 1000000);
	suffixed("3G", head, NUM_OK, 3ull << 30);
	suffixed("1E", head, NUM_OK, 1ull << 60);
	suffixed("16E", head, NUM_RANGE, UINT64_MAX);
	suffixed("15E", head, NUM_OK, 15ull << 60);
	suffixed("1Z", head, NUM_RANGE, UINT64_MAX);
	suffixed("1Y", head, NUM_RANGE, UINT64_MAX);
	suffixed("0Y", head, NUM_OK, 0);
	suffixed("K", head, NUM_OK, 1024);
	suffixed("b", head, NUM_OK, 512);
	suffixed("1Ki", head, NUM_SUFFIX, 1024);
	suffixed("1KiBx", head, NUM_SUFFIX, 1024);
	suffixed("1Kx", head, NUM_SUFFIX, 1024);
	suffixed("1bB", head, NUM_SUFFIX, 512);
	suffixed("1x", head, NUM_SUFFIX, 1);
	suffixed("1c", head, NUM_SUFFIX, 1);
	suffixed("1c", "c", NUM_OK, 1);
	suffixed("3w", "bcw", NUM_OK, 6);
	suffixed("3B", "B", NUM_OK, 3072);
	suffixed("1KB", "K", NUM_SUFFIX, 1024);
	suffixed("1g", head, NUM_SUFFIX, 1);
	suffixed("1k", "", NUM_SUFFIX, 1);
	suffixed("1k", NULL, NUM_SUFFIX, 1);
	suffixed(" 1", head, NUM_OK, 1);
	suffixed("\t+1", head, NUM_OK, 1);
	suffixed("1 ", head, NUM_SUFFIX, 1);
	suffixed("-1", head, NUM_INVALID, 0);
	suffixed("", head, NUM_INVALID, 0);
	suffixed("x", head, NUM_INVALID, 0);
	suffixed("+K", head, NUM_INVALID, 0);
	suffixed("18446744073709551616", head, NUM_RANGE, UINT64_MAX);
	suffixed("18446744073709551616K", head, NUM_RANGE, UINT64_MAX);
	suffixed("18446744073709551616x", head, NUM_SUFFIX, UINT64_MAX);
}

static void isuffixed(const char *s, enum num_result r, int64_t want)
{
	int64_t out = 0;

	ok(num_isuffixed(s, "kKMGE0", &out) == r && out == want, s);
}

static void test_signed_suffixes(void)
{
	isuffixed("-3", NUM_OK, -3);
	isuffixed("-3K", NUM_OK, -3072);
	isuffixed("-3KB", NUM_OK, -3000);
	isuffixed("+3M", NUM_OK, 3 << 20);
	isuffixed("7E", NUM_OK, (int64_t)7 << 60);
	isuffixed("8E", NUM_RANGE, INT64_MAX);
	isuffixed("-8E", NUM_OK, INT64_MIN);
	isuffixed("-9E", NUM_RANGE, INT64_MIN);
	isuffixed("-99999999999999999999", NUM_RANGE, INT64_MIN);
	isuffixed("-1x", NUM_SUFFIX, -1);
	isuffixed("K", NUM_OK, 1024);
	isuffixed("-K", NUM_INVALID, 0);
	isuffixed("--1", NUM_INVALID, 0);
}

static void test_format(void)
{
	char buf[21];

	is_int(num_format_i64(buf, INT64_MIN), 20, "length of the smallest");
	is_str(buf, "-9223372036854775808", "INT64_MIN");
	num_format_u64(buf, UINT64_MAX);
	is_str(buf, "18446744073709551615", "UINT64_MAX");
	num_format_i64(buf, 0);
	is_str(buf, "0", "zero");
	num_format_i64(buf, -7);
	is_str(buf, "-7", "negative");
}

int main(void)
{
	test_checked();
	test_plain();
	test_suffixes();
	test_signed_suffixes();
	test_format();
	return done();
}
