/*
 * bc's arrays: tables from index to number, open addressing. What was never stored is 0.
 */
#include "cmd/bc/bc.h"

struct bc_table *bcv_copy(struct bc *b, struct bc_table *from)
{
	struct bc_table *t = tsb_alloc(b->p, sizeof(*t));

	t->refs = 1;
	if (!from || !from->n)
		return t;
	t->at = tsb_alloc(b->p, from->cap * sizeof(*t->at));
	t->cap = from->cap;
	t->n = from->n;
	for (size_t i = 0; i < t->cap; i++)
		if (from->at[i].value)
			t->at[i] = (struct bc_cell){ from->at[i].index,
						     decimal_keep(from->at[i].value) };
	tsb_tick(b->p, t->cap / 64);
	return t;
}

void bcv_let_go(struct bc *b, struct bc_table *t)
{
	if (--t->refs)
		return;
	for (size_t i = 0; i < t->cap; i++)
		if (t->at[i].value)
			decimal_drop(&b->numbers, t->at[i].value);
	tsb_tick(b->p, t->cap / 64);
	tsb_free(b->p, t->at);
	tsb_free(b->p, t);
}

/* The cell of the index, or the free one where it belongs. */
static struct bc_cell *find(const struct bc_table *t, uint32_t index)
{
	size_t i = index * 2654435769u >> 7 & (t->cap - 1);

	while (t->at[i].value && t->at[i].index != index)
		i = (i + 1) & (t->cap - 1);
	return &t->at[i];
}

static void grow(struct bc *b, struct bc_table *t)
{
	struct bc_table old = *t;

	t->cap = old.cap ? old.cap * 2 : 8;
	t->at = tsb_alloc(b->p, t->cap * sizeof(*t->at));
	for (size_t i = 0; i < old.cap; i++)
		if (old.at[i].value)
			*find(t, old.at[i].index) = old.at[i];
	tsb_free(b->p, old.at);
	tsb_tick(b->p, t->cap / 64);
}

static struct decimal *get(struct bc *b, int name, uint32_t index)
{
	const struct bc_table *t = bcv_array(b, name)->table;
	struct decimal *a = t->cap ? find(t, index)->value : NULL;

	return a ? a : b->numbers.zero;
}

static void set(struct bc *b, int name, uint32_t index, struct decimal *a)
{
	struct bc_table *t = bcv_array(b, name)->table;
	struct bc_cell *cell;

	if (t->n * 4 >= t->cap * 3)
		grow(b, t);
	cell = find(t, index);
	if (cell->value) {
		decimal_set(&b->numbers, &cell->value, a);
		return;
	}
	*cell = (struct bc_cell){ index, a };
	t->n++;
}

static bool index_of(struct bc *b, int name, const struct decimal *a, uint32_t *index)
{
	int64_t v = decimal_long(a);

	if (v < 0 || v > BC_DIM_MAX || (!v && !decimal_is_zero(a))) {
		bc_run_error(b, "Array %s subscript out of bounds.", b->arrays.at[name].name);
		return false;
	}
	*index = (uint32_t)v;
	return true;
}

void bcv_load_element(struct bc *b, int name)
{
	uint32_t index;

	if (bcr_has(b, 1) && index_of(b, name, bcr_top(b, 0), &index))
		bcr_replace(b, decimal_keep(get(b, name, index)));
}

/* The index is below the value, which stays. */
void bcv_store_element(struct bc *b, int name)
{
	struct decimal *value;
	uint32_t index;

	if (!bcr_has(b, 2) || !index_of(b, name, bcr_top(b, 1), &index))
		return;
	value = decimal_keep(bcr_top(b, 0));
	set(b, name, index, decimal_keep(value));
	bcr_pop(b);
	bcr_replace(b, value);
}

void bcv_step_element(struct bc *b, int name, int by)
{
	struct decimal *old;
	uint32_t index;

	if (!bcr_has(b, 1) || !index_of(b, name, bcr_top(b, 0), &index))
		return;
	bcr_pop(b);
	old = get(b, name, index);
	set(b, name, index, by > 0 ? decimal_add(&b->numbers, old, b->numbers.one, 0) :
				     decimal_sub(&b->numbers, old, b->numbers.one, 0));
}
