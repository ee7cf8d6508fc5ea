/*
 * The program's own names as data: SYMTAB, FUNCTAB and PROCINFO["identifiers"].
 * SYMTAB is made anew whenever the program looks at it, so that other variables
 * stay plain slots; a store into an element goes to the variable it names.
 */
#include "cmd/awk/awk.h"

#include "cmd/awk/lex.h"

struct awk_array *ak_symtab(struct awk *a)
{
	struct awk_array *x = ak_var_array(a, VAR_SYMTAB);

	ak_array_clear(a, x);
	for (uint32_t i = 0; i < a->global_list.n; i++) {
		const char *name = a->global_list.at[i];
		struct awk_val *v;

		if (i == VAR_SYMTAB || i == VAR_FUNCTAB)
			continue;
		v = ak_array_at_str(a, x, name, strlen(name));
		if (i < VAR_SPECIAL_END)
			ak_var_read(a, i, v);
		else
			ak_val_copy(v, &a->globals[i]);
	}
	return x;
}

bool ak_symtab_store(struct awk *a, struct node *target, struct awk_val *v)
{
	struct map_entry *e;
	struct awk_val key;
	struct awk_str *name;
	uint32_t slot;

	if (target->a->op != N_SPECIAL || target->a->slot < VAR_SYMTAB)
		return false;
	if (target->a->slot == VAR_FUNCTAB)
		awk_fatal(a, "cannot assign to elements of FUNCTAB");
	ak_eval_key(a, target->b, &key);
	name = ak_val_to_str(a, &key);
	val_drop(a, &key);
	e = map_find(&a->global_names, name->p, name->n);
	str_drop(a, name);
	if (!e)
		awk_fatal(a, "cannot assign to arbitrary elements of SYMTAB");
	slot = (uint32_t)((uintptr_t)e->value - 1);
	if (a->globals[slot].type == V_ARRAY)
		awk_fatal(a, "attempt to use array `%s' in a scalar context", a->global_list.at[slot]);
	ak_var_set(a, slot, v);
	return true;
}

void ak_symbols_check(struct awk *a, uint32_t slot, struct awk_array *x, const struct awk_val *key)
{
	struct awk_str *name;

	if (ak_array_at(a, x, key, false))
		return;
	name = ak_val_to_str(a, key);
	awk_fatal(a, "reference to uninitialized element `%s[\"%s\"] is not allowed'",
		  a->global_list.at[slot], name->p);
}

void ak_symbols_no_delete(struct awk *a, const struct node *array)
{
	if (array->op == N_SPECIAL && array->slot >= VAR_SYMTAB)
		awk_fatal(a, "`delete' is not allowed with %s", a->global_list.at[array->slot]);
}

static void put_name(struct awk *a, struct awk_array *x, const char *name, const char *text)
{
	ak_val_input(a, ak_array_at_str(a, x, name, strlen(name)), text, strlen(text));
}

void ak_functab_fill(struct awk *a)
{
	struct awk_array *x = ak_var_array(a, VAR_FUNCTAB);
	const struct ak_builtin_row *row;

	for (int id = 0; id <= B_DCNGETTEXT; id++)
		if ((row = ak_builtin_row(id)))
			put_name(a, x, row->name, row->name);
	for (size_t i = 0; i < a->funcs.n; i++)
		put_name(a, x, a->funcs.at[i]->name, a->funcs.at[i]->name);
}

void ak_identifiers_fill(struct awk *a, struct awk_array *x)
{
	const struct ak_builtin_row *row;

	for (size_t i = 0; i < a->global_list.n; i++) {
		enum val_type type = i == VAR_SYMTAB || i == VAR_FUNCTAB ? V_ARRAY : a->globals[i].type;

		put_name(a, x, a->global_list.at[i], type == V_ARRAY ? "array" :
			 type <= V_UNSET && i >= VAR_SPECIAL_END ? "untyped" : "scalar");
	}
	for (size_t i = 0; i < a->funcs.n; i++)
		put_name(a, x, a->funcs.at[i]->name, a->funcs.at[i]->native ? "extension" : "user");
	for (int id = 0; id <= B_DCNGETTEXT; id++)
		if ((row = ak_builtin_row(id)))
			put_name(a, x, row->name, "builtin");
}
