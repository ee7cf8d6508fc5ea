/* Option structs of older and newer callers. */
#include "base/grown.h"

#include <stdint.h>
#include <string.h>

#include "unit/tap.h"

struct now {
	size_t size;
	uint64_t a, b;
};

static struct now took;

static bool take(const void *given)
{
	took = (struct now){ sizeof(took), 10, 20 };
	return grown_take(&took, sizeof(took), given);
}

static void test_take(void)
{
	uint64_t given[8] = { sizeof(struct now), 1, 2 };

	ok(take(given) && took.a == 1 && took.b == 2, "the same");
	given[0] = 16;
	ok(take(given) && took.a == 1 && took.b == 20, "an older one: the default for the rest");
	is_int(took.size, sizeof(struct now), "whose size is ours then");
	given[0] = 8;
	ok(take(given) && took.a == 10, "only a size");
	given[0] = 48;
	ok(take(given) && took.b == 2, "a newer one that asks for nothing new");
	((char *)given)[47] = 1;
	ok(!take(given) && took.a == 10 && took.b == 20, "its last byte is set: refused, nothing taken");
	for (uint64_t bad[] = { 0, 1, 7, 9, 20, 24 + 4104, SIZE_MAX - 7, SIZE_MAX }, *b = bad; b < bad + 8; b++) {
		given[0] = *b;
		ok(!take(given), "no size of a struct");
	}
}

static void test_give(void)
{
	struct now now = { sizeof(now), 1, 2 };
	uint64_t given[5] = { 16, 7, 7, 7, 7 };

	ok(grown_give(&now, sizeof(now), given) && given[1] == 1 && given[2] == 7, "what fits");
	is_int(given[0], 16, "the size is the caller's");
	given[0] = 32;
	ok(grown_give(&now, sizeof(now), given) && given[2] == 2 && !given[3] && given[4] == 7,
	   "what is not known is zero");
	given[0] = 0;
	ok(!grown_give(&now, sizeof(now), given), "no struct");
}

int main(void)
{
	test_take();
	test_give();
	return done();
}
