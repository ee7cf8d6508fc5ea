/* Maps: order, holes, a million random operations against a model, failure. */
#include "base/map.h"

#include <stdlib.h>

#include "base/heap.h"
#include "unit/tap.h"

static struct tsb_heap *h;

static void *number(size_t n)
{
	return (void *)(uintptr_t)n;
}

static void test_basics(void)
{
	struct map m;
	struct map_entry *e;

	map_init(&m, h);
	ok(!map_find(&m, "a", 1) && !map_remove(&m, "a", 1) && !map_next(&m, NULL), "empty");
	ok(!m.at && !m.slots, "takes no memory");
	e = map_put(&m, "a", 1);
	ok(e && !e->value && e->len == 1, "a new value is NULL");
	e->value = number(1);
	ok(map_put(&m, "a", 1)->value == number(1), "put finds what is there");
	is_int(m.n, 1, "and adds nothing");
	map_put(&m, "", 0)->value = number(2);
	map_put(&m, "a\0b", 3)->value = number(3);
	ok(map_find(&m, "", 0)->value == number(2), "the empty key");
	ok(map_find(&m, "a\0b", 3)->value == number(3), "a key with a NUL");
	ok(map_find(&m, "a", 1)->value == number(1), "is another than its beginning");
	ok(!map_find(&m, "a\0c", 3), "absent");
	ok(map_find_hashed(&m, "a", 1, map_hash("a", 1)) == map_find(&m, "a", 1), "hashed before");
	is_str(map_find(&m, "a", 1)->key, "a", "keys are terminated");
	ok(map_remove(&m, "a", 1) && !map_find(&m, "a", 1), "removed");
	ok(!map_remove(&m, "a", 1), "once only");
	map_end(&m);
	ok(!map_find(&m, "", 0) && map_put(&m, "x", 1), "ended is empty and usable");
	map_end(&m);
}

static void test_hash(void)
{
	uint32_t seen[40];
	bool distinct = true;

	for (size_t n = 0; n < 40; n++) {
		seen[n] = map_hash("0000000000000000000000000000000000000000", n);
		for (size_t i = 0; i < n; i++)
			distinct &= seen[i] != seen[n];
		distinct &= seen[n] != 0;
	}
	ok(distinct, "the hash sees every length, and is never 0");
}

static void test_order(void)
{
	struct map m;
	char key[16], seen[64] = "";

	map_init(&m, h);
	for (int i = 0; i < 20; i++) {
		snprintf(key, sizeof(key), "%c", 'a' + i);
		map_put(&m, key, 1);
	}
	map_remove(&m, "c", 1);
	map_put(&m, "c", 1);
	for (struct map_entry *e = NULL; (e = map_next(&m, e)); ) {
		strcat(seen, e->key);
		if (*e->key == 'd')
			map_remove(&m, "e", 1);
		if (*e->key == 'g')
			map_remove(&m, "g", 1);
	}
	is_str(seen, "abdfghijklmnopqrstc", "order of insertion; removing while walking");
	map_end(&m);
}

#define KEYS 20000

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 7;
}

static void test_model(void)
{
	static size_t model[KEYS];	/* value, 0: absent */
	struct map m;
	uint32_t seed = 7;
	size_t live = 0, walked = 0;
	bool good = true;

	map_init(&m, h);
	for (size_t turn = 1; turn <= 1000000; turn++) {
		size_t k = next_random(&seed) % (turn % 3 ? KEYS : 500);
		struct map_entry *e;
		char key[32];
		size_t len = (size_t)snprintf(key, sizeof(key), "%zu%s", k, k % 7 ? "" : "_long_key_");

		switch (next_random(&seed) % 3) {
		case 0:
			e = map_put(&m, key, len);
			good &= e->value == number(model[k]);
			live += !model[k];
			e->value = number(model[k] = turn);
			break;
		case 1:
			good &= map_remove(&m, key, len) == !!model[k];
			live -= !!model[k];
			model[k] = 0;
			break;
		default:
			e = map_find(&m, key, len);
			good &= e ? e->value == number(model[k]) : !model[k];
		}
		good &= m.n == live;
	}
	ok(good, "a million random operations agree with the model");
	for (struct map_entry *e = NULL; (e = map_next(&m, e)); walked++)
		good &= e->value == number(model[atoi(e->key)]);
	ok(good && walked == live, "and so does the walk");
	ok(m.cap <= 4 * KEYS, "holes do not make it grow");
	map_end(&m);
}

static void test_faults(void)
{
	size_t at = 1;

	for (; at < 1000; at++) {
		struct map m;
		bool whole = true, failed = false;

		map_init(&m, h);
		heap_fail_at(h, at);
		for (size_t i = 0; i < 100 && !failed; i++) {
			struct map_entry *e = map_put(&m, (const char *)&i, sizeof(i));

			failed = !e;
			if (e)
				e->value = number(i);
			for (size_t k = 0; k < i; k++) {
				e = map_find(&m, (const char *)&k, sizeof(k));
				whole &= e && e->value == number(k);
			}
		}
		heap_fail_at(h, 0);
		map_end(&m);
		if (!whole)
			ok(0, "a failed put leaves the map whole");
		if (!failed)
			break;
	}
	ok(at > 100 && at < 120, "every allocation of 100 puts may fail");
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	test_basics();
	test_hash();
	test_order();
	test_model();
	test_faults();
	heap_end(h);
	return done();
}
