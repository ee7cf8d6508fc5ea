/*
 * Questions about a text that need no run: is it complete?
 */
#include "base/heap.h"
#include "lang/parse.h"
#include "sandbox/internal.h"

bool tsb_is_incomplete(const char *script, size_t size)
{
	struct tsb_heap *heap = heap_new(NULL, NULL, NULL, NULL);
	struct parse_options opt = { .name = "bash", .depth_max = 200, .source_max = (size_t)16 << 20 };
	struct parse_error err = { 0 };
	const struct script *s;
	size_t slashes = 0;
	bool more;

	if (!heap || !script) {
		heap_end(heap);
		return false;
	}
	str_init(&err.message, heap, STR_MAX_DEFAULT);
	str_init(&err.detail, heap, STR_MAX_DEFAULT);
	s = parse_script(heap, script, size, &opt, &err);
	/* A here-document that is not closed is warned of only; and a last line that
	 * ends in a backslash goes on. */
	more = err.incomplete || (s && s->warnings);
	for (size_t end = size - (size && script[size - 1] == '\n'); slashes < end;)
		if (script[end - ++slashes] != '\\') {
			slashes--;
			break;
		}
	heap_end(heap);
	return more || slashes % 2;
}
