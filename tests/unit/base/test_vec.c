/* Typed vectors. */
#include "base/vec.h"

#include <stdint.h>

#include "base/heap.h"
#include "unit/tap.h"

struct big {
	char bytes[1000];
};

int main(void)
{
	struct tsb_heap *h = heap_new(NULL, NULL, NULL, NULL);
	VEC(int) v = { 0 };
	VEC(struct big) w = { 0 };
	bool good = true;
	size_t cap = SIZE_MAX / 2 + 1;
	void *none = NULL;

	for (int i = 0; i < 100000; i++) {
		int *p = vec_add(h, &v);

		good &= *p == 0;
		*p = i;
	}
	ok(good, "new items are zeroed");
	for (int i = 0; i < 100000; i++)
		good &= v.at[i] == i;
	ok(good, "growth keeps the items");
	is_int(vec_last(&v), 99999, "last");
	is_int(vec_pop(&v), 99999, "pop");
	is_int(v.n, 99999, "pop shortens");
	*vec_add(h, &v) = 5;
	(void)vec_pop(&v);
	is_int(*vec_add(h, &v), 0, "a place used before is zeroed again");
	vec_end(h, &v);
	ok(!v.at && !v.n && !v.cap, "ended is empty");
	is_int(*vec_add(h, &v), 0, "and may be used again");
	vec_add(h, &w)->bytes[999] = 1;
	vec_add(h, &w);
	is_int(w.at[0].bytes[999], 1, "large items");
	w.n = w.cap;
	heap_fail_at(h, 1);
	ok(!vec_add(h, &w), "NULL when memory ends");
	is_int(w.at[0].bytes[999], 1, "and the items stay");
	ok(!vec_grow_(h, &none, cap, &cap, 8), "a size that wraps");
	heap_end(h);
	return done();
}
