/*
 * bc's variables and arrays. A function's parameters and automatic variables hide what was there
 * by the same name; the elements of an array are in a table by their index.
 */
#include "cmd/bc/bc.h"

struct bc_variable *bcv_variable(struct bc *b, int name)
{
	struct bc_name *at = &b->simple.at[name];

	if (!at->variable) {
		at->variable = tsb_alloc(b->p, sizeof(*at->variable));
		at->variable->value = decimal_keep(b->numbers.zero);
	}
	return at->variable;
}

struct bc_array *bcv_array(struct bc *b, int name)
{
	struct bc_name *at;

	if (name < 0 || (size_t)name >= b->arrays.n)
		name = 0;
	at = &b->arrays.at[name];
	if (!at->array) {
		at->array = tsb_alloc(b->p, sizeof(*at->array));
		at->array->table = bcv_copy(b, NULL);
	}
	return at->array;
}

void bcv_hide(struct bc *b, int name)
{
	if (name < 0) {
		struct bc_array *old = bcv_array(b, -name), *a = tsb_alloc(b->p, sizeof(*a));

		*a = (struct bc_array){ bcv_copy(b, NULL), old };
		b->arrays.at[-name].array = a;
	} else {
		struct bc_variable *old = bcv_variable(b, name);
		struct bc_variable *v = tsb_alloc(b->p, sizeof(*v));

		*v = (struct bc_variable){ decimal_keep(b->numbers.zero), old };
		b->simple.at[name].variable = v;
	}
}

void bcv_show(struct bc *b, int name)
{
	if (name < 0) {
		struct bc_array *a = b->arrays.at[-name].array;

		b->arrays.at[-name].array = a->hidden;
		bcv_let_go(b, a->table);
		tsb_free(b->p, a);
	} else {
		struct bc_variable *v = b->simple.at[name].variable;

		b->simple.at[name].variable = v->hidden;
		decimal_drop(&b->numbers, v->value);
		tsb_free(b->p, v);
	}
}

void bcv_load(struct bc *b, int name)
{
	struct decimal_ctx *c = &b->numbers;

	switch (name) {
	case BC_IBASE:
		bcr_push(b, decimal_of(c, b->ibase));
		break;
	case BC_OBASE:
		bcr_push(b, decimal_of(c, b->obase));
		break;
	case BC_SCALE:
		bcr_push(b, decimal_of(c, (int64_t)b->scale));
		break;
	case BC_HISTORY:
		bcr_push(b, decimal_of(c, b->history));
		break;
	default:
		bcr_push(b, decimal_keep(bcv_variable(b, name)->value));
	}
}

/* value: what does not fit is INT64_MAX, what is negative has been told of. */
static void store_ibase(struct bc *b, int64_t value)
{
	int max = b->o->standard ? 16 : 36;

	if (value < 2) {
		b->ibase = 2;
		bc_run_warning(b, "ibase too small, set to 2");
	} else if (value > max) {
		b->ibase = max;
		bc_run_warning(b, "ibase too large, set to %d", max);
	} else {
		if (value > 16 && b->o->warn)
			bc_run_warning(b, "ibase larger than 16 is non-standard");
		b->ibase = (int)value;
	}
}

static void store_obase(struct bc *b, int64_t value)
{
	if (value < 2) {
		b->obase = 2;
		bc_run_warning(b, "obase too small, set to 2");
	} else if (value > INT32_MAX) {
		b->obase = INT32_MAX;
		bc_run_warning(b, "obase too large, set to %d", INT32_MAX);
	} else {
		b->obase = (uint32_t)value;
	}
}

static void store_scale(struct bc *b, int64_t value)
{
	b->scale = (size_t)value;
	if (value > INT32_MAX) {
		b->scale = INT32_MAX;
		bc_run_warning(b, "scale too large, set to %d", INT32_MAX);
	}
}

static void store_history(struct bc *b, int64_t value, bool negative)
{
	bool large = !negative && value == INT64_MAX;

	b->history = negative || large ? -1 : (int)value;
	if (large)
		bc_run_warning(b, "history too large, set to unlimited");
}

static void store_special(struct bc *b, int name, const struct decimal *a)
{
	static const char *const negative[] = {
		"negative ibase, set to 2", "negative obase, set to 2", "negative scale, set to 0"
	};
	int64_t value = decimal_long(a);

	if (a->negative && name < BC_HISTORY) {
		bc_run_warning(b, "%s", negative[name]);
		value = name == BC_SCALE ? 0 : 2;
	} else if (!value && !decimal_is_zero(a)) {
		value = INT64_MAX;
	}
	if (name == BC_IBASE)
		store_ibase(b, value);
	else if (name == BC_OBASE)
		store_obase(b, value);
	else if (name == BC_SCALE)
		store_scale(b, value);
	else
		store_history(b, value, a->negative);
}

void bcv_store(struct bc *b, int name)
{
	struct decimal *a = bcr_top(b, 0);

	if (name <= BC_HISTORY)
		store_special(b, name, a);
	else
		decimal_set(&b->numbers, &bcv_variable(b, name)->value, decimal_keep(a));
}

static void step_special(struct bc *b, int name, int by)
{
	if (name == BC_IBASE) {
		if (by > 0 ? b->ibase >= 16 : b->ibase <= 2)
			bc_run_warning(b, by > 0 ? "ibase too big in ++" : "ibase too small in --");
		else
			b->ibase += by;
	} else if (name == BC_OBASE) {
		if (by > 0 ? b->obase >= INT32_MAX : b->obase <= 2)
			bc_run_warning(b, by > 0 ? "obase too big in ++" : "obase too small in --");
		else
			b->obase += (uint32_t)by;
	} else {
		if (by > 0 ? b->scale >= INT32_MAX : !b->scale)
			bc_run_warning(b, by > 0 ? "Scale too big in ++" :
						   "scale can not be negative in -- ");
		else
			b->scale += (size_t)by;
	}
}

static struct decimal *stepped(struct bc *b, const struct decimal *a, int by)
{
	return by > 0 ? decimal_add(&b->numbers, a, b->numbers.one, 0) :
			decimal_sub(&b->numbers, a, b->numbers.one, 0);
}

void bcv_step(struct bc *b, int name, int by)
{
	struct bc_variable *v;

	if (name < BC_HISTORY) {
		step_special(b, name, by);
		return;
	}
	v = bcv_variable(b, name);
	decimal_set(&b->numbers, &v->value, stepped(b, v->value, by));
}
