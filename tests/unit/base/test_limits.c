/* The table of limits. */
#include "base/limits.h"

#include "unit/tap.h"

static void test_defaults(void)
{
	struct tsb_limits l;
	bool filled = true;

	memset(&l, 0xFF, sizeof(l));
	tsb_limits_default(&l);
	is_int(l.size, sizeof(l), "the size is set");
	is_int(l.wall_ms, 30000, "wall time");
	is_int(l.memory_bytes, 256 << 20, "memory");
	is_int(l.commands, 100000, "commands");
	for (size_t at = sizeof(size_t); at < sizeof(l); at += sizeof(uint64_t)) {
		uint64_t v;

		memcpy(&v, (char *)&l + at, sizeof(v));
		filled &= v != 0 && v != UINT64_MAX;
	}
	ok(filled, "every field has a default, and none is unlimited");
}

static void set(const char *name, const char *value, int result, uint64_t want, uint64_t *field,
		struct tsb_limits *l)
{
	char text[100];

	snprintf(text, sizeof(text), "%s=%s", name, value);
	*field = 77;
	ok(tsb_limit_set(l, name, value) == result && *field == want, text);
}

static void test_set(void)
{
	struct tsb_limits l;

	tsb_limits_default(&l);
	set("memory_bytes", "1000", TSB_OK, 1000, &l.memory_bytes, &l);
	set("memory_bytes", "4K", TSB_OK, 4096, &l.memory_bytes, &l);
	set("memory_bytes", "2M", TSB_OK, 2 << 20, &l.memory_bytes, &l);
	set("memory_bytes", "3G", TSB_OK, 3ull << 30, &l.memory_bytes, &l);
	set("memory_bytes", "0", TSB_OK, 0, &l.memory_bytes, &l);
	set("memory_bytes", "5s", TSB_ERR_ARGUMENT, 77, &l.memory_bytes, &l);
	set("memory_bytes", "-1", TSB_ERR_ARGUMENT, 77, &l.memory_bytes, &l);
	set("memory_bytes", "", TSB_ERR_ARGUMENT, 77, &l.memory_bytes, &l);
	set("memory_bytes", "K", TSB_ERR_ARGUMENT, 77, &l.memory_bytes, &l);
	set("memory_bytes", "1KB", TSB_ERR_ARGUMENT, 77, &l.memory_bytes, &l);
	set("memory_bytes", "18446744073709551615", TSB_OK, UINT64_MAX, &l.memory_bytes, &l);
	set("memory_bytes", "18446744073709551616", TSB_ERR_ARGUMENT, 77, &l.memory_bytes, &l);
	set("memory_bytes", "18446744073709551615K", TSB_ERR_ARGUMENT, 77, &l.memory_bytes, &l);
	set("memory_bytes", "000000000000000000000000000001", TSB_ERR_ARGUMENT, 77,
	    &l.memory_bytes, &l);
	set("commands", "5K", TSB_OK, 5000, &l.commands, &l);
	set("wall_ms", "250", TSB_OK, 250, &l.wall_ms, &l);
	set("wall_ms", "250ms", TSB_OK, 250, &l.wall_ms, &l);
	set("wall_ms", "5s", TSB_OK, 5000, &l.wall_ms, &l);
	set("wall_ms", "2m", TSB_OK, 120000, &l.wall_ms, &l);
	set("wall_ms", "2M", TSB_ERR_ARGUMENT, 77, &l.wall_ms, &l);
	is_int(tsb_limit_set(&l, "nonsense", "1"), TSB_ERR_ARGUMENT, "no such limit");
	is_int(tsb_limit_set(&l, "size", "1"), TSB_ERR_ARGUMENT, "the size is no limit");
	l.size = offsetof(struct tsb_limits, pipe_bytes);
	set("pipe_bytes", "1", TSB_ERR_ARGUMENT, 77, &l.pipe_bytes, &l);
}

static void test_names(void)
{
	const char *unit, *help;
	uint64_t value;
	size_t n = 0;
	bool filled = true;

	is_str(tsb_limit_name(0, &unit, &help, &value), "wall_ms", "the first");
	is_str(unit, "ms", "its unit");
	is_int(value, 30000, "its default");
	while (tsb_limit_name(n, &unit, &help, NULL)) {
		filled &= *help && *unit;
		n++;
	}
	ok(filled, "each has help and unit");
	is_int(n * sizeof(uint64_t) + sizeof(size_t), sizeof(struct tsb_limits),
	       "each field has a row");
	ok(!tsb_limit_name((size_t)-1, NULL, NULL, NULL), "nothing behind the last");
}

int main(void)
{
	test_defaults();
	test_set();
	test_names();
	return done();
}
