/*
 * The orders of PROCINFO["sorted_in"], asort and asorti: by gawk's names, or by
 * a function of the program. A merge sort, so that what is equal stays as it
 * was, and so that a comparison that lies does no harm.
 */
#include "cmd/awk/awk.h"

#include "base/merge.h"
#include "cmd/awk/parse.h"

struct sorting {
	struct awk *a;
	int (*compare)(struct sorting *s, struct elem *x, struct elem *y);
	struct func *func;
	bool down;
};

/* What IGNORECASE finds equal is still distinct in an order. */
static int texts(struct sorting *s, const struct awk_str *x, const struct awk_str *y)
{
	int c = ak_str_compare(s->a, x->p, x->n, y->p, y->n);

	if (c || !s->a->icase)
		return c;
	c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
	return c ? c : (x->n > y->n) - (x->n < y->n);
}

static int by_index_text(struct sorting *s, struct elem *x, struct elem *y)
{
	return texts(s, ak_elem_key(s->a, x), ak_elem_key(s->a, y));
}

static double key_number(struct awk *a, struct elem *e)
{
	struct awk_str *k = ak_elem_key(a, e);
	double v;

	ak_number_parse(a, k->p, k->n, &v);
	return v;
}

static int by_index_number(struct sorting *s, struct elem *x, struct elem *y)
{
	double nx = key_number(s->a, x), ny = key_number(s->a, y);

	return nx < ny ? -1 : nx > ny ? 1 : by_index_text(s, x, y);
}

static int by_value_text(struct sorting *s, struct elem *x, struct elem *y)
{
	struct awk_str *vx, *vy;
	int c;

	if (x->v.type == V_ARRAY || y->v.type == V_ARRAY)
		return x->v.type != V_ARRAY ? -1 : y->v.type != V_ARRAY ? 1 : by_index_text(s, x, y);
	vx = ak_val_to_str(s->a, &x->v);
	vy = ak_val_to_str(s->a, &y->v);
	c = texts(s, vx, vy);
	str_drop(s->a, vx);
	str_drop(s->a, vy);
	return c ? c : by_index_text(s, x, y);
}

static int by_value_number(struct sorting *s, struct elem *x, struct elem *y)
{
	double nx, ny;

	if (x->v.type == V_ARRAY || y->v.type == V_ARRAY)
		return x->v.type != V_ARRAY ? -1 : y->v.type != V_ARRAY ? 1 : by_index_text(s, x, y);
	nx = ak_val_to_num(s->a, &x->v);
	ny = ak_val_to_num(s->a, &y->v);
	return nx < ny ? -1 : nx > ny ? 1 : by_value_text(s, x, y);
}

static int type_rank(struct awk *a, const struct awk_val *v)
{
	double num;

	return v->type == V_ARRAY ? 2 : v->type >= V_NUM && ak_val_is_num(a, v, &num) ? 0 : 1;
}

static int by_value_type(struct sorting *s, struct elem *x, struct elem *y)
{
	int rx = type_rank(s->a, &x->v), ry = type_rank(s->a, &y->v);

	if (rx != ry)
		return rx - ry;
	return rx ? by_value_text(s, x, y) : by_value_number(s, x, y);
}

static int by_function(struct sorting *s, struct elem *x, struct elem *y)
{
	struct awk_val args[4], out;
	double r;

	val_string(&args[0], str_hold(ak_elem_key(s->a, x)));
	ak_val_copy(&args[1], &x->v);
	val_string(&args[2], str_hold(ak_elem_key(s->a, y)));
	ak_val_copy(&args[3], &y->v);
	ak_call_with(s->a, s->func, args, 4, &out);
	r = ak_val_to_num(s->a, &out);
	val_drop(s->a, &out);
	return r < 0 ? -1 : r > 0;
}

static bool elem_before(void *ctx, const void *a, const void *b)
{
	struct sorting *s = ctx;
	int c = s->compare(s, *(struct elem *const *)b, *(struct elem *const *)a);

	awk_tick(s->a);
	return (s->down ? -c : c) > 0;
}

static const struct {
	const char *name;
	int (*compare)(struct sorting *s, struct elem *x, struct elem *y);
} orders[] = {
	{ "@ind_str", by_index_text }, { "@ind_num", by_index_number },
	{ "@val_str", by_value_text }, { "@val_num", by_value_number },
	{ "@val_type", by_value_type },
};

static bool order_named(struct sorting *s, const char *name)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		size_t n = strlen(orders[i].name);

		if (strncmp(name, orders[i].name, n))
			continue;
		s->compare = orders[i].compare;
		s->down = !strcmp(name + n, "_desc");
		return s->down || !strcmp(name + n, "_asc");
	}
	return false;
}

void ak_array_sort(struct awk *a, struct elem **list, size_t n, struct awk_str *how)
{
	struct sorting s = { .a = a };
	struct elem **room;

	if (!how->n || !strcmp(how->p, "@unsorted") || !strcmp(how->p, "unsorted"))
		return;
	if (!order_named(&s, how->p)) {
		struct map_entry *e = map_find(&a->func_names, how->p, how->n);

		s.func = e ? e->value : NULL;
		if (!s.func)
			awk_fatal(a, "sort comparison function `%s' is not defined", how->p);
		s.compare = by_function;
	}
	room = heap_array(a->heap, n + 1, sizeof(*room));
	merge_sort(list, room, n, sizeof(*list), elem_before, &s);
	heap_free(a->heap, room);
}

void ak_array_asort(struct awk *a, struct awk_array *from, struct awk_array *to,
		    struct awk_str *how,
		 bool by_index)
{
	size_t n;
	struct elem **list = ak_array_list(a, from, &n);
	struct awk_val *values = heap_array(a->heap, n + 1, sizeof(*values));

	ak_array_sort(a, list, n, how);
	for (size_t i = 0; i < n; i++) {
		if (by_index)
			val_string(&values[i], str_hold(ak_elem_key(a, list[i])));
		else
			ak_val_copy(&values[i], &list[i]->v);
	}
	ak_array_clear(a, to);
	for (size_t i = 0; i < n; i++)
		*ak_array_at_num(a, to, (int64_t)i + 1) = values[i];
	heap_free(a->heap, values);
	heap_free(a->heap, list);
}
