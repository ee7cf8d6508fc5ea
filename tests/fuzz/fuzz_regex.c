/*
 * A pattern (to the first NUL) and a text: compiling and matching must end, and
 * spans must lie inside the text and in order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "text/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(struct regex *re, const char *text, size_t n)
{
	struct regex_span spans[10];
	size_t line, end;

	if (regex_match(re, text, n, 0, 0, spans, 10) == REGEX_MATCH) {
		if (spans[0].so > spans[0].eo || spans[0].eo > n)
			abort();
		for (size_t i = 1; i < 10 && i <= regex_groups(re); i++)
			if (spans[i].so != REGEX_NONE && (spans[i].so > spans[i].eo || spans[i].eo > n))
				abort();
	}
	if (regex_search_lines(re, text, n, '\n', &line, &end) == REGEX_MATCH && (line > end || end > n))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const unsigned flags[] = { 0, REGEX_EXTENDED, REGEX_EXTENDED | REGEX_ICASE | REGEX_UTF8,
					  REGEX_UTF8 | REGEX_NEWLINE, REGEX_LITERAL | REGEX_WORD };
	const uint8_t *end = memchr(data, '\0', n);
	struct heap_budget budget = { 0, 256 << 20, 0 };
	struct tsb_heap *heap;
	const char *error;

	if (!end)
		return 0;
	heap = heap_new(&budget, NULL, NULL, NULL);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct regex *re = regex_compile(heap, (const char *)data, (size_t)(end - data), flags[i],
						 &error);

		if (re)
			check(re, (const char *)end + 1, n - (size_t)(end - data) - 1);
	}
	heap_end(heap);
	return 0;
}
