/*
 * The merge sort: order, stability, every small size.
 */
#include "base/merge.h"

#include <stdlib.h>

#include "unit/tap.h"

struct item {
	int key, place;
};

static bool before(void *ctx, const void *a, const void *b)
{
	++*(size_t *)ctx;
	return ((const struct item *)a)->key < ((const struct item *)b)->key;
}

int main(void)
{
	struct item at[300], spare[300];
	unsigned seed = 1;
	bool sorted = true;
	size_t asked = 0;

	for (size_t n = 0; n <= 300; n++) {
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			at[i] = (struct item){ (int)(seed >> 16) % 20, (int)i };
		}
		merge_sort(at, spare, n, sizeof(*at), before, &asked);
		for (size_t i = 1; i < n; i++)
			sorted &= at[i - 1].key < at[i].key ||
				  (at[i - 1].key == at[i].key && at[i - 1].place < at[i].place);
	}
	ok(sorted, "sorted, equal ones in their order");
	ok(asked > 0, "the order was asked for");
	asked = 0;
	merge_sort(at, spare, 1, sizeof(*at), before, &asked);
	ok(asked == 0, "one item has an order");
	return done();
}
