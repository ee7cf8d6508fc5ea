/*
 * See merge.h. Recursion is as deep as the logarithm of n.
 */
#include "base/merge.h"

#include <string.h>

void merge_sort(void *items, void *spare, size_t n, size_t size, merge_before *before, void *ctx)
{
	char *left = items, *middle = left + n / 2 * size, *end = left + n * size;
	char *right = middle, *out = spare;

	if (n < 2)
		return;
	merge_sort(left, spare, n / 2, size, before, ctx);
	merge_sort(middle, spare, n - n / 2, size, before, ctx);
	while (left < middle && right < end) {
		char **from = before(ctx, right, left) ? &right : &left;

		memcpy(out, *from, size);
		*from += size;
		out += size;
	}
	/* What is left of the right half stands where it belongs. */
	memcpy(out, left, (size_t)(middle - left));
	memcpy(items, spare, (size_t)(right - (char *)items));
}
