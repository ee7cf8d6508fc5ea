/*
 * A stable merge sort. For lists whose order scripts can make long: qsort()
 * takes memory outside every budget, and a process dropped in a comparison
 * would leak it.
 */
#ifndef BASE_MERGE_H
#define BASE_MERGE_H

#include <stdbool.h>
#include <stddef.h>

/* Must a stand before b? Equal ones keep their order. */
typedef bool merge_before(void *ctx, const void *a, const void *b);

/* n items of that size; spare has room for as many. */
void merge_sort(void *items, void *spare, size_t n, size_t size, merge_before *before, void *ctx);

#endif
