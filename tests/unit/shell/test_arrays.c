/*
 * Indexed arrays against a model of random operations, dense and sparse; the
 * order of associative arrays against what bash 5.2.15 printed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "shell/words.h"
#include "unit/tap.h"

static struct tsb_heap *h;

static void test_sparse(void)
{
	struct array *a = array_new(h);
	struct slice value;
	int64_t i = -1;

	is_int(array_count(a), 0, "empty");
	is_int(array_last(a), -1, "has no last");
	array_set(a, INT64_MAX, "x", 1);
	array_set(a, 3, "three", 5);
	array_set(a, 0, "", 0);
	is_int(array_count(a), 3, "three elements");
	is_int(array_last(a), INT64_MAX, "the last");
	ok(array_get(a, 0, &value) && value.n == 0, "an empty element is there");
	ok(!array_get(a, 1, &value) && !array_get(a, -1, &value), "others are not");
	ok(array_next(a, &i, &value) && i == 0 && array_next(a, &i, &value) && i == 3 &&
	   array_next(a, &i, &value) && i == INT64_MAX && !array_next(a, &i, &value), "in order");
	array_unset(a, INT64_MAX);
	is_int(array_last(a), 3, "unset moves the end");
	array_free(a);
}

static void test_model(void)
{
	enum { N = 300 };
	static int model[N];
	struct array *a = array_new(h), *b = array_new(h);
	int64_t count = 0;
	bool same = true;

	srand(1);
	for (int k = 0; k < 20000; k++) {
		int i = rand() % N, value = rand() % 1000 + 1;
		char text[8];

		if (rand() % 3) {
			array_set(a, i, text, (size_t)snprintf(text, sizeof(text), "%d", value));
			count += !model[i];
			model[i] = value;
		} else {
			array_unset(a, i);
			count -= !!model[i];
			model[i] = 0;
		}
		if (k % 1000 == 999) {
			array_clear(a);
			memset(model, 0, sizeof(model));
			count = 0;
		}
		same = same && array_count(a) == count;
	}
	for (int i = 0; i < N; i++) {
		struct slice value;
		bool has = array_get(a, i, &value);

		same = same && has == !!model[i] && (!has || atoi(value.p) == model[i]);
	}
	ok(same, "as the model");
	array_copy(b, a);
	is_int(array_count(b), count, "a copy");
	array_free(a);
	array_free(b);
}

static void keys(const struct assoc *a, char *out)
{
	struct slice key, value;

	*out = '\0';
	for (void *at = NULL; assoc_next(a, &at, &key, &value);) {
		strncat(out, key.p, key.n);
		strcat(out, " ");
	}
}

/* declare -A a; for k in ...; do a[$k]=1; done; echo "${!a[@]}" */
static void test_order(void)
{
	static const char *const in[] = { "one", "two", "three", "four", "five", "six", "seven",
		"a", "b", "c", "d", "e", "f", "g", "\303\251", "\303\274", "1", "2", "3", "x y", "*", "@" };
	struct assoc *a = assoc_new(h), *b = assoc_new(h);
	char out[512];

	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		assoc_set(a, (struct slice){ in[i], strlen(in[i]) }, "1", 1);
	keys(a, out);
	is_str(out, "four 3 2 1 * @ seven g f e d c b a two x y three six one five \303\274 \303\251 ",
	       "bash's order");
	assoc_copy(b, a);
	keys(b, out);
	is_str(out, "four 3 2 1 * @ seven g f e d c b a two x y three six one five \303\274 \303\251 ",
	       "of a copy");
	ok(assoc_unset(a, "four", 4) && !assoc_unset(a, "four", 4), "unset");
	keys(a, out);
	is_str(out, "3 2 1 * @ seven g f e d c b a two x y three six one five \303\274 \303\251 ",
	       "the rest stays");
	assoc_free(a);
	assoc_free(b);
}

/* After 3000 keys, of which all but k2990 ... k2999 are unset again. */
static void test_growth(void)
{
	struct assoc *a = assoc_new(h);
	char key[16], out[512];

	for (int i = 0; i < 3000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		assoc_set(a, (struct slice){ key, strlen(key) }, "", 0);
	}
	is_int(assoc_count(a), 3000, "3000 keys");
	for (int i = 0; i < 2990; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		assoc_unset(a, key, strlen(key));
	}
	keys(a, out);
	is_str(out, "k2990 k2991 k2992 k2993 k2994 k2995 k2996 k2997 k2998 k2999 ",
	       "the order after growing");
	assoc_free(a);
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	test_sparse();
	test_model();
	test_order();
	test_growth();
	heap_end(h);
	return done();
}
