/*
 * The order of things: BEGIN, the records through the rules, END; and where
 * next, nextfile and exit land.
 */
#include "cmd/awk/awk.h"

static void run_list(struct awk *a, rule_list *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		ak_exec(a, rules->at[i].body);
}

/* BEGINFILE and ENDFILE: nextfile leaves them. */
void ak_run_rules(struct awk *a, rule_list *rules)
{
	jmp_buf here, *outer = a->file_jump;

	a->file_jump = &here;
	if (!setjmp(here))
		run_list(a, rules);
	else
		a->skip_file = true;
	a->file_jump = outer;
}

/* Does a range hold this record? */
static bool range_holds(struct awk *a, struct rule *r)
{
	if (!r->active && !ak_eval_true(a, r->pattern))
		return false;
	r->active = !ak_eval_true(a, r->pattern_end);
	return true;
}

static void run_main(struct awk *a)
{
	for (size_t i = 0; i < a->main.n; i++) {
		struct rule *r = &a->main.at[i];

		if (r->pattern) {
			a->line = r->pattern->line;
			a->source = r->pattern->source;
		}
		if (r->pattern_end ? !range_holds(a, r) : r->pattern && !ak_eval_true(a, r->pattern))
			continue;
		if (r->has_body) {
			ak_exec(a, r->body);
		} else {
			struct awk_str *s = ak_record_str(a), *ors = ak_var_str(a, VAR_ORS);

			tsb_put(a->p, s->p, s->n);
			tsb_put(a->p, ors->p, ors->n);
			ak_out_check(a, "print", "standard output");
			str_drop(a, ors);
		}
	}
}

static void run_records(struct awk *a)
{
	jmp_buf here;
	const char *p;
	size_t n;
	int how;

	how = setjmp(here);
	a->frame = NULL;
	a->calls = NULL;
	if (how == JUMP_NEXTFILE && !ak_main_next_file(a))
		return;
	a->next_jump = &here;
	while (ak_main_record(a, &p, &n)) {
		ak_record_set(a, p, n);
		run_main(a);
	}
	a->next_jump = NULL;
}

static void run_begin(struct awk *a)
{
	jmp_buf here;

	a->exit_jump = &here;
	if (setjmp(here))
		return;
	run_list(a, &a->begin);
	if (a->main.n || a->end.n || a->begin_file.n || a->end_file.n)
		run_records(a);
}

static void run_end(struct awk *a)
{
	jmp_buf here;

	a->exit_jump = &here;
	a->next_jump = NULL;
	a->frame = NULL;
	a->calls = NULL;
	a->in_end = true;
	a->in_file_rule = false;
	ak_inplace_end(a);
	if (!setjmp(here))
		run_list(a, &a->end);
}

void ak_run_program(struct awk *a)
{
	a->line = 0;
	if (a->inplace)
		ak_var_command_line(a, "inplace::enable=1", true);
	run_begin(a);
	run_end(a);
}
