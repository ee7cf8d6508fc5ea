/*
 * The actions of bc's grammar for expressions. Variables have numbers, arrays
 * negative ones. The value of an expression is what is known of it: whether it
 * is printed, compares, is in parentheses, is void.
 */
#include <string.h>

#include "cmd/bc/actions.h"
#include "cmd/bc/bc.h"

#define ACTION(name) \
	void bca_##name(struct bc *b, struct bc_value **v __attribute__((unused)), \
			size_t n __attribute__((unused)))

static void no_void(struct bc *b, const struct bc_value *v, const char *where)
{
	if (v->number & BC_IS_VOID)
		bc_error(b, "void expression %s", where);
}

static void check_arg(struct bc *b, const struct bc_value *v)
{
	if (v->number & BC_COMP)
		bc_extension(b, "comparison in argument");
	if (v->number & BC_IS_VOID)
		bc_error(b, "void argument");
}

/* Arguments are only counted: 1 is an array. */
static void add_kind(struct bc *b, struct bc_arg *list, int is_array)
{
	struct bc_arg *a = bc_piece(b, sizeof(*a));

	*a = (struct bc_arg){ is_array, false, list };
	b->value.args = a;
}

ACTION(arg)
{
	check_arg(b, v[0]);
	add_kind(b, NULL, 0);
}

ACTION(args)
{
	check_arg(b, v[0]);
	add_kind(b, v[2]->args, 0);
}

ACTION(arg_array)
{
	bc_generate(b, "K%d:", -bc_lookup(b, v[2]->text, BC_ARRAY));
	add_kind(b, NULL, 1);
}

ACTION(args_array)
{
	bc_generate(b, "K%d:", -bc_lookup(b, v[2]->text, BC_ARRAY));
	add_kind(b, v[4]->args, 1);
}

ACTION(call)
{
	struct str kinds;
	int name;

	str_init(&kinds, b->heap, STR_MAX_DEFAULT);
	for (const struct bc_arg *a = v[1]->args; a; a = a->next)
		str_addc(&kinds, a->name ? '1' : '0');
	name = bc_lookup(b, v[3]->text, BC_FUNCTION);
	bc_generate(b, kinds.n ? "C%d,%s:" : "C%d%s:", name, kinds.p);
	b->value.number = b->functions.at[name].is_void ? BC_IS_VOID : BC_REG;
	str_end(&kinds);
}

ACTION(no_expr)
{
	bc_extension(b, "Missing expression in for statement");
	b->value.number = BC_EMPTY;
}

static void load_name(struct bc *b, int name)
{
	bc_generate(b, name < 0 ? "L%d:" : "l%d:", name < 0 ? -name : name);
}

ACTION(assign1)
{
	int name = v[1]->number;

	if (v[0]->number == '=')
		return;
	if (name < 0)
		bc_generate(b, "DL%d:", -name);
	else
		bc_generate(b, "l%d:", name);
}

ACTION(assign)
{
	int name = v[3]->number, op = v[2]->number;

	if (v[0]->number & BC_IS_VOID)
		bc_error(b, "Assignment of a void expression");
	if (op != '=')
		bc_generate(b, "%c", op);
	bc_generate(b, name < 0 ? "S%d:" : "s%d:", name < 0 ? -name : name);
	b->value.number = 0;
}

ACTION(and1)
{
	bc_extension(b, "&& operator");
	v[0]->number = b->next_label++;
	bc_generate(b, "DZ%d:p", v[0]->number);
}

ACTION(and)
{
	no_void(b, v[0]->number & BC_IS_VOID ? v[0] : v[3], "with &&");
	bc_generate(b, "DZ%d:p1N%d:", v[2]->number, v[2]->number);
	b->value.number = (v[3]->number | v[0]->number) & ~BC_PAREN;
}

ACTION(or1)
{
	bc_extension(b, "|| operator");
	v[0]->number = b->next_label++;
	bc_generate(b, "B%d:", v[0]->number);
}

ACTION(or)
{
	int end = b->next_label++, yes = v[2]->number;

	no_void(b, v[0]->number & BC_IS_VOID ? v[0] : v[3], "with ||");
	bc_generate(b, "B%d:0J%d:N%d:1N%d:", yes, end, yes, end);
	b->value.number = (v[3]->number | v[0]->number) & ~BC_PAREN;
}

ACTION(not)
{
	no_void(b, v[0], "with !");
	bc_extension(b, "! operator");
	bc_generate_text(b, "!");
	b->value.number = v[0]->number & ~BC_PAREN;
}

ACTION(compare)
{
	if ((v[0]->number | v[2]->number) & BC_IS_VOID)
		bc_error(b, "void expression with comparison");
	bc_generate(b, "%c", v[1]->number);
	b->value.number = BC_REG | BC_COMP;
}

ACTION(binary)
{
	char name[] = { (char)v[1]->number, '\0' };

	if (name[0] == '%')	/* GNU's message is a printf format */
		name[0] = '\0';
	if ((v[0]->number | v[2]->number) & BC_IS_VOID)
		bc_error(b, "void expression with %s", name);
	bc_generate(b, "%c", v[1]->number);
	b->value.number = (v[0]->number | v[2]->number) & ~BC_PAREN;
}

ACTION(negate)
{
	no_void(b, v[0], "with unary -");
	bc_generate_text(b, "n");
	b->value.number = v[0]->number & ~BC_PAREN;
}

ACTION(load)
{
	load_name(b, v[0]->number);
	b->value.number = BC_REG;
}

ACTION(number)
{
	const char *s = v[0]->text;

	b->value.number = BC_REG;
	if (!strcmp(s, "0") || !strcmp(s, "1")) {
		bc_generate_text(b, s);
		return;
	}
	bc_generate_text(b, "K");
	bc_generate_text(b, s);
	bc_generate_text(b, ":");
}

ACTION(paren)
{
	no_void(b, v[1], "in parenthesis");
	b->value.number = v[1]->number | BC_REG | BC_PAREN;
}

ACTION(step_before)
{
	int name = v[0]->number;

	if (name < 0)
		bc_generate(b, v[1]->number == '+' ? "DA%d:L%d:" : "DM%d:L%d:", -name, -name);
	else
		bc_generate(b, v[1]->number == '+' ? "i%d:l%d:" : "d%d:l%d:", name, name);
	b->value.number = BC_REG;
}

ACTION(step_after)
{
	int name = v[1]->number;

	if (name < 0) {
		bc_generate(b, "DL%d:x", -name);
		bc_generate(b, v[0]->number == '+' ? "A%d:" : "M%d:", -name);
	} else {
		bc_generate(b, "l%d:", name);
		bc_generate(b, v[0]->number == '+' ? "i%d:" : "d%d:", name);
	}
	b->value.number = BC_REG;
}

ACTION(builtin)
{
	int op = v[3]->number;

	no_void(b, v[1], op == 'L' ? "in length()" : op == 'R' ? "in sqrt()" : "in scale()");
	bc_generate(b, "c%c", op);
	b->value.number = BC_REG;
}

ACTION(read)
{
	bc_extension(b, "read function");
	bc_generate_text(b, "cI");
	b->value.number = BC_REG;
}

ACTION(random)
{
	bc_extension(b, "random function");
	bc_generate_text(b, "cX");
	b->value.number = BC_REG;
}

ACTION(name)
{
	b->value.number = bc_lookup(b, v[0]->text, BC_SIMPLE);
}

ACTION(element)
{
	no_void(b, v[1], "as subscript");
	if (v[1]->number & BC_COMP)
		bc_extension(b, "comparison in subscript");
	b->value.number = bc_lookup(b, v[3]->text, BC_ARRAY);
}

/* The token's value is the letter of a function, or the number of a variable. */
ACTION(special)
{
	int name = v[0]->number == 'S' ? BC_SCALE : v[0]->number;

	if (name == BC_HISTORY)
		bc_extension(b, "History variable");
	if (name == BC_LAST)
		bc_extension(b, "Last variable");
	b->value.number = name;
}
