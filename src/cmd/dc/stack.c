/*
 * dc's stack, and its registers: each is a stack of levels, and each level has an array.
 */
#include <string.h>

#include "cmd/dc/dc.h"

void dc_push(struct dc *d, struct dc_value v)
{
	*vec_add(d->heap, &d->stack) = v;
}

void dc_push_number(struct dc *d, struct decimal *a)
{
	dc_push(d, (struct dc_value){ .number = a });
}

void dc_push_string(struct dc *d, const char *s, size_t n)
{
	struct dc_string *string = tsb_alloc(d->p, sizeof(*string) + n);

	string->refs = 1;
	string->n = n;
	memcpy(string->at, s, n);
	dc_push(d, (struct dc_value){ .string = string });
}

bool dc_has(struct dc *d, size_t n)
{
	if (d->stack.n >= n)
		return true;
	dc_say(d, "stack empty");
	return false;
}

bool dc_pop(struct dc *d, struct dc_value *v)
{
	if (!dc_has(d, 1))
		return false;
	*v = vec_pop(&d->stack);
	return true;
}

struct dc_value dc_keep(struct dc_value v)
{
	if (v.number)
		decimal_keep(v.number);
	if (v.string)
		v.string->refs++;
	return v;
}

void dc_drop(struct dc *d, struct dc_value v)
{
	if (v.number)
		decimal_drop(&d->numbers, v.number);
	if (v.string && --v.string->refs == 0)
		tsb_free(d->p, v.string);
}

/* The topmost n: the lowest of them comes on top, or the top one goes below the others (n < 0). */
void dc_rotate(struct dc *d, int n)
{
	size_t count = n < 0 ? -(size_t)n : (size_t)n;
	struct dc_value *low, v;

	if (count > d->stack.n)
		count = d->stack.n;
	if (count < 2)
		return;
	low = d->stack.at + d->stack.n - count;
	v = n < 0 ? low[count - 1] : low[0];
	if (n < 0)
		memmove(low + 1, low, (count - 1) * sizeof(*low));
	else
		memmove(low, low + 1, (count - 1) * sizeof(*low));
	low[n < 0 ? 0 : count - 1] = v;
	tsb_tick(d->p, count / 256);
}

static bool is_none(struct dc_value v)
{
	return !v.number && !v.string;
}

bool dc_register_get(struct dc *d, int name, struct dc_value *v)
{
	struct dc_register *r = &d->registers[name];

	if (!r->levels.n) {
		*v = (struct dc_value){ .number = decimal_keep(d->numbers.zero) };
		return true;
	}
	*v = vec_last(&r->levels).value;
	if (is_none(*v)) {
		dc_say(d, "BUG: register %s exists but is uninitialized?", dc_name_of(d, name));
		return false;
	}
	dc_keep(*v);
	return true;
}

void dc_register_push(struct dc *d, int name, struct dc_value v)
{
	vec_add(d->heap, &d->registers[name].levels)->value = v;
}

static struct dc_level *top_level(struct dc *d, int name)
{
	if (!d->registers[name].levels.n)
		dc_register_push(d, name, (struct dc_value){ 0 });
	return &vec_last(&d->registers[name].levels);
}

void dc_register_set(struct dc *d, int name, struct dc_value v)
{
	struct dc_level *level = top_level(d, name);
	struct dc_value old = level->value;

	level->value = v;
	dc_drop(d, old);
}

static void drop_array(struct dc *d, struct dc_level *level)
{
	if (!level->has_array)
		return;
	for (struct map_entry *e = NULL; (e = map_next(&level->array, e));) {
		dc_drop(d, *(struct dc_value *)e->value);
		tsb_free(d->p, e->value);
	}
	map_end(&level->array);
}

bool dc_register_pop(struct dc *d, int name, struct dc_value *v)
{
	struct dc_register *r = &d->registers[name];

	if (!r->levels.n || is_none(vec_last(&r->levels).value)) {
		dc_say(d, "stack register %s is empty", dc_name_of(d, name));
		return false;
	}
	*v = vec_last(&r->levels).value;
	drop_array(d, &vec_last(&r->levels));
	r->levels.n--;
	return true;
}

void dc_array_set(struct dc *d, int name, int index, struct dc_value v)
{
	struct dc_level *level = top_level(d, name);
	struct map_entry *e;

	if (!level->has_array)
		map_init(&level->array, d->heap);
	level->has_array = true;
	e = map_put(&level->array, (const char *)&index, sizeof(index));
	if (e->value)
		dc_drop(d, *(struct dc_value *)e->value);
	else
		e->value = tsb_alloc(d->p, sizeof(v));
	*(struct dc_value *)e->value = v;
}

void dc_array_get(struct dc *d, int name, int index)
{
	struct dc_register *r = &d->registers[name];
	struct map_entry *e = NULL;

	if (r->levels.n && vec_last(&r->levels).has_array)
		e = map_find(&vec_last(&r->levels).array, (const char *)&index, sizeof(index));
	if (e)
		dc_push(d, dc_keep(*(struct dc_value *)e->value));
	else
		dc_push_number(d, decimal_keep(d->numbers.zero));
}
