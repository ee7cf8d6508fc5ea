/*
 * The one function behind the typed vectors: grow and zero the next item. The
 * pointer is read and written through memcpy, because its type is the caller's
 * and a void ** is not allowed to look at it.
 */
#include "base/vec.h"

#include <stdint.h>
#include <string.h>

#include "base/heap.h"
#include "base/num.h"

static bool vec_resize(struct tsb_heap *h, void *at, size_t *cap, size_t size)
{
	size_t want, bytes;
	void *p;

	memcpy(&p, at, sizeof(p));
	/* Small items begin with a block of 120 bytes, large ones with four. */
	want = size < 30 ? 120 / size : 4;
	if (*cap && !num_mul(*cap, 2, &want))
		want = SIZE_MAX;
	if (!num_mul(want, size, &bytes)) {
		heap_oom(h, SIZE_MAX);
		return false;
	}
	p = p ? heap_resize(h, p, bytes) : heap_alloc(h, bytes);
	if (!p)
		return false;
	memcpy(at, &p, sizeof(p));
	*cap = want;
	return true;
}

bool vec_grow_(struct tsb_heap *h, void *at, size_t n, size_t *cap, size_t size)
{
	void *p;

	if (n >= *cap && !vec_resize(h, at, cap, size))
		return false;
	memcpy(&p, at, sizeof(p));
	memset((char *)p + n * size, 0, size);
	return true;
}
