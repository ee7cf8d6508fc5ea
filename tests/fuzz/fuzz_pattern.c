/*
 * A glob (to the first NUL) and a text: matching must end; what it finds lies
 * inside the text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "text/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const unsigned flags[] = { 0, PATTERN_EXTGLOB, PATTERN_EXTGLOB | PATTERN_ICASE,
					  PATTERN_PATHNAME | PATTERN_PERIOD };
	const uint8_t *end = memchr(data, '\0', n);
	const char *text = (const char *)end + 1;
	struct tsb_heap *heap;
	size_t text_n, a, b;

	if (!end)
		return 0;
	text_n = n - (size_t)(end - data) - 1;
	heap = heap_new(NULL, NULL, NULL, NULL);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct pattern *p = pattern_compile(heap, (const char *)data, (size_t)(end - data), flags[i]);

		pattern_match(p, text, text_n);
		a = pattern_prefix(p, text, text_n, true);
		b = pattern_suffix(p, text, text_n, false);
		if ((a != (size_t)-1 && a > text_n) || (b != (size_t)-1 && b > text_n))
			abort();
		if (pattern_search(p, text, text_n, 0, &a, &b) && (a > b || b > text_n))
			abort();
	}
	heap_end(heap);
	return 0;
}
