/*
 * Arrays. What for (k in a) shows is gawk's order, and that comes out of its
 * tables: positive integers upwards, other integers and strings by bucket. The
 * first key decides which tables an array has; so the tables here are the same.
 */
#include "cmd/awk/awk.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"

enum { CHAIN_MAX = 2 };

struct awk_array *ak_array_new(struct awk *a)
{
	struct awk_array *x = heap_zalloc(a->heap, sizeof(*x));

	x->refs = 1;
	return x;
}

static void table_clear(struct awk *a, struct elem_table *t)
{
	for (size_t i = 0; i < t->size; i++) {
		struct elem *e = t->at[i], *next;

		for (; e; e = next) {
			next = e->next;
			if (e->key)
				str_drop(a, e->key);
			val_drop(a, &e->v);
			heap_free(a->heap, e);
		}
	}
	heap_free(a->heap, t->at);
	memset(t, 0, sizeof(*t));
}

void ak_array_clear(struct awk *a, struct awk_array *x)
{
	table_clear(a, &x->strings);
	table_clear(a, &x->ints);
	table_clear(a, &x->counts);
	x->kind = ARRAY_EMPTY;
}

void ak_array_drop(struct awk *a, struct awk_array *x)
{
	if (--x->refs)
		return;
	awk_deep(a);
	ak_array_clear(a, x);
	heap_free(a->heap, x);
}

/* ---- Tables ---- */

static size_t hash_text(const char *p, size_t n)
{
	uint32_t h = 0;

	for (size_t i = 0; i < n; i++)
		h = h * 65599 + (uint32_t)(unsigned char)p[i];
	return h;
}

static size_t hash_number(int64_t number)
{
	uint32_t k = (uint32_t)number;

	k ^= k << 3;
	k += k >> 5;
	k ^= k << 4;
	k += k >> 17;
	k ^= k << 25;
	k += k >> 6;
	return k;
}

static void table_grow(struct awk *a, struct elem_table *t)
{
	static const size_t sizes[] = { 13, 127, 1021, 8191, 131071, 1048573, 8388593, 16777213,
		33554393, 67108859, 134217689, 268435399, 536870909, 1073741789, 2147483647 };
	struct elem **old = t->at;
	size_t old_size = t->size, i = 0;

	while (i + 1 < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= old_size)
		i++;
	if (sizes[i] <= old_size)
		return;
	t->size = sizes[i];
	t->at = heap_array(a->heap, t->size, sizeof(*t->at));
	memset(t->at, 0, t->size * sizeof(*t->at));
	for (i = 0; i < old_size; i++) {
		struct elem *e = old[i], *next;

		for (; e; e = next) {
			struct elem **to = &t->at[e->code % t->size];

			next = e->next;
			e->next = *to;
			*to = e;
		}
	}
	tsb_tick(a->p, old_size);
	heap_free(a->heap, old);
}

static struct elem *table_add(struct awk *a, struct elem_table *t, size_t code)
{
	struct elem *e = heap_zalloc(a->heap, sizeof(*e)), **to;

	t->n++;
	if (!t->size || t->n / t->size > CHAIN_MAX)
		table_grow(a, t);
	e->code = code;
	to = &t->at[code % t->size];
	e->next = *to;
	*to = e;
	return e;
}

static struct elem **table_text(struct elem_table *t, const char *p, size_t n, size_t code)
{
	struct elem **e;

	if (!t->size)
		return NULL;
	for (e = &t->at[code % t->size]; *e; e = &(*e)->next)
		if ((*e)->code == code && (*e)->key->n == n && !memcmp((*e)->key->p, p, n))
			return e;
	return NULL;
}

static struct elem **table_number(struct elem_table *t, int64_t number, size_t code)
{
	struct elem **e;

	if (!t->size)
		return NULL;
	for (e = &t->at[code % t->size]; *e; e = &(*e)->next)
		if ((*e)->number == number)
			return e;
	return NULL;
}

/* ---- Keys ---- */

/* Is the text how an integer is written, so that both are the same key? */
static bool key_integer(const char *p, size_t n, int64_t *number)
{
	size_t i = n && *p == '-';
	int64_t v = 0;

	if (i == n || n - i > 17 || (p[i] == '0' && n > 1))
		return false;
	for (; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return false;
		v = v * 10 + (p[i] - '0');
	}
	*number = *p == '-' ? -v : v;
	return true;
}

static struct elem **find_number(struct awk_array *x, int64_t number)
{
	if (x->kind == ARRAY_COUNT && number >= 1)
		return table_number(&x->counts, number, (size_t)number);
	return table_number(&x->ints, number, hash_number(number));
}

static struct elem *put_number(struct awk *a, struct awk_array *x, int64_t number)
{
	struct elem *e;

	if (x->kind == ARRAY_EMPTY)
		x->kind = number >= 0 ? ARRAY_COUNT : ARRAY_INT;
	if (x->kind == ARRAY_COUNT && number >= 1)
		e = table_add(a, &x->counts, (size_t)number);
	else
		e = table_add(a, &x->ints, hash_number(number));
	e->number = number;
	return e;
}

static struct awk_val *at_number(struct awk *a, struct awk_array *x, int64_t number, bool put)
{
	char buf[32];
	size_t n;

	if (x->kind == ARRAY_STR) {
		struct elem **e;
		struct elem *made;
		size_t code;

		n = num_format_i64(buf, number);
		code = hash_text(buf, n);
		e = table_text(&x->strings, buf, n, code);
		if (e)
			return &(*e)->v;
		if (!put)
			return NULL;
		made = table_add(a, &x->strings, code);
		made->key = ak_str_make(a, buf, n);
		return &made->v;
	} else {
		struct elem **e = find_number(x, number);

		return e ? &(*e)->v : put ? &put_number(a, x, number)->v : NULL;
	}
}

static struct awk_val *at_text(struct awk *a, struct awk_array *x, struct awk_str *key, bool put)
{
	int64_t number;
	struct elem **e, *made;
	size_t code;

	if (x->kind != ARRAY_STR && key_integer(key->p, key->n, &number))
		return at_number(a, x, number, put);
	code = hash_text(key->p, key->n);
	e = table_text(&x->strings, key->p, key->n, code);
	if (e)
		return &(*e)->v;
	if (!put)
		return NULL;
	if (x->kind == ARRAY_EMPTY)
		x->kind = ARRAY_STR;
	made = table_add(a, &x->strings, code);
	made->key = str_hold(key);
	return &made->v;
}

static bool val_integer(const struct awk_val *key, int64_t *number)
{
	if (key->type != V_NUM || !(fabs(key->num) < 1e15))
		return false;
	*number = (int64_t)key->num;
	return (double)*number == key->num;
}

struct awk_val *ak_array_at(struct awk *a, struct awk_array *x, const struct awk_val *key,
			    bool put)
{
	struct awk_val *v;
	struct awk_str *s;
	int64_t number;

	if (val_integer(key, &number))
		return at_number(a, x, number, put);
	s = ak_val_to_str(a, key);
	v = at_text(a, x, s, put);
	str_drop(a, s);
	return v;
}

struct awk_val *ak_array_at_str(struct awk *a, struct awk_array *x, const char *key, size_t n)
{
	struct awk_str *s = ak_str_make(a, key, n);
	struct awk_val *v = at_text(a, x, s, true);

	str_drop(a, s);
	return v;
}

struct awk_val *ak_array_at_num(struct awk *a, struct awk_array *x, int64_t key)
{
	return at_number(a, x, key, true);
}

static void delete_at(struct awk *a, struct awk_array *x, struct elem_table *t, struct elem **place)
{
	struct elem *e = *place;

	*place = e->next;
	t->n--;
	if (e->key)
		str_drop(a, e->key);
	val_drop(a, &e->v);
	heap_free(a->heap, e);
	if (!array_size(x))
		ak_array_clear(a, x);
}

void ak_array_delete(struct awk *a, struct awk_array *x, const struct awk_val *key)
{
	struct awk_str *s = ak_val_to_str(a, key);
	struct elem **e;
	int64_t number;

	if (x->kind != ARRAY_STR && key_integer(s->p, s->n, &number)) {
		e = find_number(x, number);
		if (e)
			delete_at(a, x, x->kind == ARRAY_COUNT && number >= 1 ? &x->counts : &x->ints, e);
	} else {
		e = table_text(&x->strings, s->p, s->n, hash_text(s->p, s->n));
		if (e)
			delete_at(a, x, &x->strings, e);
	}
	str_drop(a, s);
}

/* ---- Lists ---- */

struct awk_str *ak_elem_key(struct awk *a, struct elem *e)
{
	if (!e->key) {
		char buf[32];
		size_t n = num_format_i64(buf, e->number);

		e->key = ak_str_make(a, buf, n);
	}
	return e->key;
}

static size_t list_table(struct elem_table *t, struct elem **list)
{
	size_t n = 0;

	for (size_t i = 0; i < t->size; i++)
		for (struct elem *e = t->at[i]; e; e = e->next)
			list[n++] = e;
	return n;
}

static int by_number(const void *x, const void *y)
{
	const struct elem *ex = *(struct elem *const *)x, *ey = *(struct elem *const *)y;

	return (ex->number > ey->number) - (ex->number < ey->number);
}

struct elem **ak_array_list(struct awk *a, struct awk_array *x, size_t *n)
{
	struct elem **list = heap_array(a->heap, array_size(x) + 1, sizeof(*list));
	size_t count;

	*n = list_table(&x->strings, list);
	*n += list_table(&x->ints, list + *n);
	count = list_table(&x->counts, list + *n);
	qsort(list + *n, count, sizeof(*list), by_number);
	*n += count;
	tsb_tick(a->p, *n);
	return list;
}
