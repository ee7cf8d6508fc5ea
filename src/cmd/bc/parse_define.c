/*
 * The actions of bc's grammar for definitions and their names.
 */
#include "cmd/bc/actions.h"
#include "cmd/bc/bc.h"

#define ACTION(name) \
	void bca_##name(struct bc *b, struct bc_value **v __attribute__((unused)), \
			size_t n __attribute__((unused)))

/* The list before it gets one more at its front. */
static void add_arg(struct bc *b, struct bc_arg *list, int name, bool by_variable)
{
	struct bc_arg *a = bc_piece(b, sizeof(*a));

	*a = (struct bc_arg){ name, by_variable, list };
	b->value.args = a;
}

ACTION(param)
{
	add_arg(b, NULL, bc_lookup(b, v[0]->text, BC_SIMPLE), false);
}

ACTION(param_array)
{
	add_arg(b, NULL, bc_lookup(b, v[2]->text, BC_ARRAY), false);
}

ACTION(param_ref)
{
	int name = bc_lookup(b, v[2]->text, BC_ARRAY);

	add_arg(b, NULL, name, true);
	bc_extension(b, "Call by variable arrays");
}

ACTION(params)
{
	add_arg(b, v[2]->args, bc_lookup(b, v[0]->text, BC_SIMPLE), false);
}

ACTION(params_array)
{
	add_arg(b, v[4]->args, bc_lookup(b, v[2]->text, BC_ARRAY), false);
}

ACTION(params_ref)
{
	int name = bc_lookup(b, v[2]->text, BC_ARRAY);

	add_arg(b, v[5]->args, name, true);
	bc_extension(b, "Call by variable arrays");
}

/* Is the name in the list? */
static bool has_arg(const struct bc_arg *list, int name)
{
	for (; list; list = list->next)
		if (list->name == name)
			return true;
	return false;
}

static size_t count_arg(const struct bc_arg *list, int name)
{
	size_t n = 0;

	for (; list; list = list->next)
		n += list->name == name;
	return n;
}

static void check_args(struct bc *b, const struct bc_arg *params, const struct bc_arg *autos)
{
	for (const struct bc_arg *a = params; a; a = a->next) {
		tsb_tick(b->p, 1);
		for (size_t i = count_arg(a->next, a->name); i > 0; i--)
			bc_error(b, "duplicate parameter names");
		if (a->by_variable)
			bc_extension(b, "Variable array parameter");
	}
	for (const struct bc_arg *a = autos; a; a = a->next) {
		tsb_tick(b->p, 1);
		for (size_t i = count_arg(a->next, a->name); i > 0; i--)
			bc_error(b, "duplicate auto variable names");
		if (a->by_variable)
			bc_error(b, "* not allowed here");
	}
	for (const struct bc_arg *a = params; a; a = a->next) {
		if (!has_arg(autos, a->name))
			continue;
		for (size_t i = count_arg(autos, a->name); i > 0; i--)
			bc_error(b, "variable in both parameter and auto lists");
	}
}

/* In order again, and without recursion. */
static void put_args(struct bc *b, struct str *s, struct bc_arg *list)
{
	struct bc_arg *order = NULL;

	for (struct bc_arg *next; list; list = next) {
		next = list->next;
		list->next = order;
		order = list;
	}
	for (; order; order = order->next)
		str_addf(s, order->by_variable ? "*%d%s" : "%d%s", order->name,
			 order->next ? "," : "");
	(void)b;
}

ACTION(function1)
{
	struct str params, autos;

	check_args(b, v[5]->args, v[0]->args);
	str_init(&params, b->heap, STR_MAX_DEFAULT);
	str_init(&autos, b->heap, STR_MAX_DEFAULT);
	put_args(b, &params, v[5]->args);
	put_args(b, &autos, v[0]->args);
	b->current_function = bc_lookup_definition(b, v[7]->text);
	bc_generate(b, "F%d,%s.%s[", b->current_function, params.p, autos.p);
	b->functions.at[b->current_function].is_void = v[8]->number;
	v[9]->number = b->next_label;
	b->next_label = 1;
}

ACTION(function)
{
	bc_generate_text(b, "0R]");
	b->next_label = v[n - 1]->number;
	b->current_function = -1;
}
