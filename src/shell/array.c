/*
 * Indexed arrays. Elements lie in one vector. As long as indices are the places
 * (element i at place i, holes marked), access is direct; an index far beyond
 * the end turns the array into sparse form: places sorted by index, with the
 * indices in a second vector and a binary search. Scripts that append stay
 * dense; a[1000000000]=x costs one element.
 */
#include <string.h>

#include "shell/words.h"

struct element {
	char *p;		/* NULL: a hole (dense form only) */
	size_t n;
};

struct array {
	struct tsb_heap *heap;
	struct element *at;
	int64_t *index;		/* NULL: dense */
	size_t n;		/* places in use */
	size_t cap;
	size_t count;		/* elements that are set */
};

#define HOLES_MAX 64

struct array *array_new(struct tsb_heap *heap)
{
	struct array *a = heap_zalloc(heap, sizeof(*a));

	a->heap = heap;
	return a;
}

void array_clear(struct array *a)
{
	for (size_t i = 0; i < a->n; i++)
		heap_free(a->heap, a->at[i].p);
	heap_free(a->heap, a->index);
	a->index = NULL;
	a->n = a->count = 0;
}

void array_free(struct array *a)
{
	if (!a)
		return;
	array_clear(a);
	heap_free(a->heap, a->at);
	heap_free(a->heap, a);
}

int64_t array_count(const struct array *a)
{
	return a ? (int64_t)a->count : 0;
}

/* First place whose index is >= i (sparse form). */
static size_t array_place(const struct array *a, int64_t i)
{
	size_t low = 0, high = a->n;

	if (a->n && a->index[a->n - 1] < i)
		return a->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (a->index[mid] < i)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct element *array_find(const struct array *a, int64_t i)
{
	size_t place;

	if (!a || i < 0)
		return NULL;
	if (!a->index)
		return (uint64_t)i < a->n && a->at[i].p ? &a->at[i] : NULL;
	place = array_place(a, i);
	return place < a->n && a->index[place] == i ? &a->at[place] : NULL;
}

bool array_get(const struct array *a, int64_t i, struct slice *value)
{
	struct element *e = array_find(a, i);

	if (!e)
		return false;
	*value = (struct slice){ e->p, e->n };
	return true;
}

int64_t array_last(const struct array *a)
{
	if (!a || !a->n)
		return -1;
	return a->index ? a->index[a->n - 1] : (int64_t)a->n - 1;
}

/* The first set place at or after the given one. */
static size_t array_skip_holes(const struct array *a, size_t place)
{
	while (place < a->n && !a->at[place].p)
		place++;
	return place;
}

bool array_next(const struct array *a, int64_t *i, struct slice *value)
{
	size_t place;

	if (!a || *i == INT64_MAX)
		return false;
	place = a->index ? array_place(a, *i + 1) : array_skip_holes(a, (size_t)(*i + 1));
	if (place >= a->n)
		return false;
	*i = a->index ? a->index[place] : (int64_t)place;
	*value = (struct slice){ a->at[place].p, a->at[place].n };
	return true;
}

static void array_reserve(struct array *a, size_t n)
{
	size_t cap = a->cap ? a->cap : 8;

	if (n <= a->cap)
		return;
	while (cap < n)
		cap *= 2;
	a->at = heap_resize(a->heap, a->at, cap * sizeof(*a->at));
	if (a->index)
		a->index = heap_resize(a->heap, a->index, cap * sizeof(*a->index));
	a->cap = cap;
}

static void array_make_sparse(struct array *a)
{
	int64_t *index = heap_array(a->heap, a->cap ? a->cap : 1, sizeof(*index));
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (!a->at[i].p)
			continue;
		index[n] = (int64_t)i;
		a->at[n++] = a->at[i];
	}
	a->n = n;
	a->index = index;
}

/* Makes the place of index i, which is not there yet. */
static struct element *array_insert(struct array *a, int64_t i)
{
	size_t place;

	if (!a->index && (uint64_t)i > a->n + HOLES_MAX && (uint64_t)i > 2 * a->count)
		array_make_sparse(a);
	if (!a->index) {
		if ((uint64_t)i >= a->n) {
			array_reserve(a, (size_t)i + 1);
			memset(&a->at[a->n], 0, ((size_t)i + 1 - a->n) * sizeof(*a->at));
			a->n = (size_t)i + 1;
		}
		a->count++;
		return &a->at[i];
	}
	place = array_place(a, i);
	array_reserve(a, a->n + 1);
	memmove(&a->at[place + 1], &a->at[place], (a->n - place) * sizeof(*a->at));
	memmove(&a->index[place + 1], &a->index[place], (a->n - place) * sizeof(*a->index));
	a->index[place] = i;
	a->at[place].p = NULL;
	a->n++;
	a->count++;
	return &a->at[place];
}

void array_set(struct array *a, int64_t i, const char *p, size_t n)
{
	struct element *e = array_find(a, i);
	char *copy = heap_dup(a->heap, p, n);

	if (!e)
		e = array_insert(a, i);
	else
		heap_free(a->heap, e->p);
	e->p = copy;
	e->n = n;
}

void array_unset(struct array *a, int64_t i)
{
	struct element *e = array_find(a, i);
	size_t place;

	if (!e)
		return;
	heap_free(a->heap, e->p);
	e->p = NULL;
	a->count--;
	place = (size_t)(e - a->at);
	if (a->index) {
		a->n--;
		memmove(e, e + 1, (a->n - place) * sizeof(*e));
		memmove(&a->index[place], &a->index[place + 1],
			(a->n - place) * sizeof(*a->index));
		return;
	}
	while (a->n && !a->at[a->n - 1].p)
		a->n--;
}

void array_copy(struct array *to, const struct array *from)
{
	struct slice value;

	array_clear(to);
	if (!from)
		return;
	if (!from->index)
		array_reserve(to, from->n);
	for (int64_t i = -1; array_next(from, &i, &value);)
		array_set(to, i, value.p, value.n);
}
