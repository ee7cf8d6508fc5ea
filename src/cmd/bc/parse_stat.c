/*
 * The actions of bc's grammar for statements and definitions.
 */
#include "cmd/bc/actions.h"
#include "cmd/bc/bc.h"

/* A function is an action; what it does not use it need not name. */
#define ACTION(name) \
	void bca_##name(struct bc *b, struct bc_value **v __attribute__((unused)), \
			size_t n __attribute__((unused)))

ACTION(begin)
{
	if (!b->o->interactive || b->o->quiet)
		return;
	bc_welcome(b);
}

ACTION(run)
{
	bc_run_code(b);
}

ACTION(recover)
{
	b->error_over = true;
	bc_start_code(b);
}

ACTION(warn_newline)
{
	bc_extension(b, "newline not allowed");
}

ACTION(warranty)
{
	bc_terms(b);
}

ACTION(limits)
{
	bc_limits(b);
}

ACTION(stat_expr)
{
	if (v[0]->number & BC_COMP)
		bc_extension(b, "comparison in expression");
	bc_generate_text(b, v[0]->number & BC_REG ? "W" : "p");
}

ACTION(stat_string)
{
	bc_generate_text(b, "w");
	bc_generate_text(b, v[0]->text);
}

ACTION(stat_break)
{
	if (b->break_label)
		bc_generate(b, "J%d:", b->break_label);
	else
		bc_error(b, "Break outside a for/while");
}

ACTION(stat_continue)
{
	bc_extension(b, "Continue statement");
	if (b->continue_label)
		bc_generate(b, "J%d:", b->continue_label);
	else
		bc_error(b, "Continue outside a for");
}

ACTION(stat_quit)
{
	bc_exit(b, 0);
}

ACTION(stat_halt)
{
	bc_generate_text(b, "h");
}

ACTION(stat_return)
{
	if (b->current_function < 0)
		bc_error(b, "Return outside of a function.");
	bc_generate_text(b, "R");
}

ACTION(return_none)
{
	bc_generate_text(b, "0");
}

ACTION(return_expr)
{
	if (v[0]->number & BC_COMP)
		bc_extension(b, "comparison in return expression");
	if (!(v[0]->number & BC_PAREN))
		bc_extension(b, "return expression requires parenthesis");
	if (v[0]->number & BC_IS_VOID)
		bc_error(b, "return requires non-void expression");
	if (b->current_function >= 0 && b->functions.at[b->current_function].is_void)
		bc_error(b, "Return expression in a void function.");
}

/* for (1; 2; 3) body is 1, N a: 2, B c, J end; N b: 3, J a; N c: body, J b; N end:
 * where b is what "continue" goes to. */
ACTION(for1)
{
	v[0]->number = b->break_label;
	b->break_label = b->next_label++;
}

ACTION(for2)
{
	if (v[1]->number & BC_COMP)
		bc_extension(b, "Comparison in first for expression");
	if (v[1]->number & BC_IS_VOID)
		bc_error(b, "first expression is void");
	if (!(v[1]->number & BC_EMPTY))
		bc_generate_text(b, "p");
	v[1]->number = b->next_label++;
	bc_generate(b, "N%d:", v[1]->number);
}

ACTION(for3)
{
	if (v[1]->number & BC_IS_VOID)
		bc_error(b, "second expression is void");
	if (v[1]->number & BC_EMPTY)
		bc_generate_text(b, "1");
	v[1]->number = b->next_label++;
	bc_generate(b, "B%d:J%d:", v[1]->number, b->break_label);
	b->value.number = b->continue_label;
	b->continue_label = b->next_label++;
	bc_generate(b, "N%d:", b->continue_label);
}

ACTION(for4)
{
	int again = v[7]->number, body = v[4]->number;

	if (v[1]->number & BC_COMP)
		bc_extension(b, "Comparison in third for expression");
	if (v[1]->number & BC_IS_VOID)
		bc_error(b, "third expression is void");
	bc_generate(b, v[1]->number & BC_EMPTY ? "J%d:N%d:" : "pJ%d:N%d:", again, body);
}

ACTION(stat_for)
{
	bc_generate(b, "J%d:N%d:", b->continue_label, b->break_label);
	b->break_label = v[n - 1]->number;
	b->continue_label = v[n - 1 - 8]->number;
}

ACTION(if1)
{
	if (v[1]->number & BC_IS_VOID)
		bc_error(b, "void expression");
	v[1]->number = b->if_label;
	b->if_label = b->next_label++;
	bc_generate(b, "Z%d:", b->if_label);
}

ACTION(else1)
{
	int end = b->next_label++;

	bc_extension(b, "else clause in if statement");
	bc_generate(b, "J%d:N%d:", end, b->if_label);
	b->if_label = end;
}

ACTION(stat_if)
{
	bc_generate(b, "N%d:", b->if_label);
	b->if_label = v[n - 1 - 2]->number;
}

ACTION(while1)
{
	v[0]->number = b->continue_label;
	b->continue_label = b->next_label++;
	bc_generate(b, "N%d:", b->continue_label);
}

ACTION(while2)
{
	if (v[0]->number & BC_IS_VOID)
		bc_error(b, "void expression");
	v[0]->number = b->break_label;
	b->break_label = b->next_label++;
	bc_generate(b, "Z%d:", b->break_label);
}

ACTION(stat_while)
{
	bc_generate(b, "J%d:N%d:", b->continue_label, b->break_label);
	b->continue_label = v[n - 1]->number;
	b->break_label = v[n - 1 - 3]->number;
}

ACTION(print1)
{
	bc_extension(b, "print statement");
}

ACTION(print_expr)
{
	if (v[0]->number & BC_IS_VOID)
		bc_error(b, "void expression in print");
	bc_generate_text(b, "P");
}

ACTION(print_string)
{
	bc_generate_text(b, "O");
	bc_generate_text(b, v[0]->text);
}

ACTION(void_no)
{
	b->value.number = 0;
}

ACTION(void_yes)
{
	bc_extension(b, "void functions");
	b->value.number = 1;
}

ACTION(warn_no_eol)
{
	bc_extension(b, "End of line required");
}

ACTION(warn_eols)
{
	bc_extension(b, "Too many end of lines");
}

ACTION(none)
{
	b->value.args = NULL;
}

ACTION(second)
{
	b->value = *v[1];
}
