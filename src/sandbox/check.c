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

	if (!heap || !script)
		return false;
	str_init(&err.message, heap, STR_MAX_DEFAULT);
	str_init(&err.detail, heap, STR_MAX_DEFAULT);
	parse_script(heap, script, size, &opt, &err);
	heap_end(heap);
	return err.incomplete;
}
