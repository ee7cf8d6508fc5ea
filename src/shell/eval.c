/*
 * The walk over the tree: lists, conditions, groups. Each function returns how
 * control goes on and leaves the status in sh->status. Nothing here starts a
 * process; pipeline.c and job.c do.
 *
 * errexit is decided where a command's status comes into being (eval_check
 * after simple commands, subshells, (( )), [[ ]] and pipelines), never on the way
 * up: so `a && b`, conditions and `!` only have to count sh->errexit_off up
 * around the parts in which failing is allowed.
 */
#include "shell/doing.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "lang/print.h"
#include "shell/words.h"

int status_of_wait(int w)
{
	if (WIFSIGNALED(w))
		return STATUS_SIGNAL + WTERMSIG(w);
	if (WIFSTOPPED(w))
		return STATUS_SIGNAL + WSTOPSIG(w);
	return WEXITSTATUS(w);
}

void set_pipe_status(struct shell *sh, const int *at, size_t n)
{
	sh->pipe_status.n = 0;
	sh->pipe_one = 1;
	for (size_t i = 0; i < n; i++) {
		int *place = vec_add(sh->heap, &sh->pipe_status);

		if (place)
			*place = at[i];
	}
}

/* The ERR trap sees in BASH_COMMAND the command that failed, as printed. */
static enum flow trap_error(struct shell *sh)
{
	struct arena_mark m = arena_mark(&sh->turn);
	const char *shown = doing(sh)->shown;
	enum flow f;

	if (sh->current && !doing(sh)->running_traps)
		doing(sh)->shown = command_text(sh, sh->current);
	f = trap_run(sh, TRAP_ERR);
	doing(sh)->shown = shown;
	arena_reset(&sh->turn, m);
	return f;
}

enum flow eval_failed(struct shell *sh)
{
	if (sh->errexit_off)
		return FLOW_NEXT;
	if (doing(sh)->n_traps && trap_has(sh, TRAP_ERR)) {
		enum flow f = trap_error(sh);

		if (f != FLOW_NEXT)
			return f;
	}
	doing(sh)->failing = sh->opts[OPT_ERREXIT];
	return sh->opts[OPT_ERREXIT] ? FLOW_EXIT : FLOW_NEXT;
}

/* ---- Lists ---- */

/* Text may go on after the item only if what follows is ; or & or a new line;
 * is it a line of its own? Lines are what bash gives up after FLOW_ABORT. */
static bool starts_line(const struct shell *sh, const struct node *before, const struct node *n)
{
	const struct script *s = doing(sh)->script;
	const char *text = s->text;

	for (uint32_t i = before->end; i < n->pos && i < s->n; i++)
		if (text[i] == '\n' && !(i && text[i - 1] == '\\'))
			return true;
	return false;
}

static enum flow eval_list(struct shell *sh, const struct node *list)
{
	for (const struct node *n = list->list.first; n; n = n->next) {
		enum flow f = n->background ? eval_background(sh, n) : eval_node(sh, n);

		if (f != FLOW_NEXT)
			return f;
	}
	return FLOW_NEXT;
}

/* set -t: the shell ends with the line; -c strings are one command to it. */
static bool one_command_done(const struct shell *sh, const struct node *n)
{
	return sh->opts[OPT_ONECMD] && !sh->command_string && sh->call_depth == 0 &&
	       (!n->next || starts_line(sh, n, n->next));
}

/* Where the parser is when the items begin to run. */
static uint32_t last_line(const struct node *n)
{
	while (n->next)
		n = n->next;
	return n->line_end;
}

enum flow eval_script(struct shell *sh, const struct script *s)
{
	const struct script *outer = doing(sh)->script;
	const struct node *n = s->body ? s->body->list.first : NULL;
	enum flow f = FLOW_NEXT;

	doing(sh)->script = s;
	if (n)
		sh->line = last_line(n);
	else
		sh->status = 0;
	while (n) {
		if (sh->opts[OPT_NOEXEC] && !sh->interactive)
			break;
		if (!n->next && doing(sh)->exec_last && sh->call_depth == 0 && !n->background)
			doing(sh)->exec_node = last_command(n);
		f = n->background ? eval_background(sh, n) : eval_node(sh, n);
		if (f == FLOW_ABORT && sh->is_subshell)
			f = FLOW_EXIT;	/* what gives up a line gives up a subshell */
		if (f != FLOW_NEXT && f != FLOW_ABORT)
			break;
		if (f == FLOW_ABORT && last_line(n) > sh->line)
			doing(sh)->line_lost = last_line(n) - sh->line;
		for (; f == FLOW_ABORT && n->next && !starts_line(sh, n, n->next); n = n->next)
			;
		if (sh->jobs && n->next && starts_line(sh, n, n->next))
			jobs_notify(sh);
		f = one_command_done(sh, n) ? FLOW_EXIT : FLOW_NEXT;
		n = n->next;
		if (f == FLOW_EXIT)
			break;
	}
	doing(sh)->script = outer;
	return f;
}

/* ---- Conditions ---- */

static enum flow eval_condition(struct shell *sh, const struct node *n)
{
	enum flow f;

	sh->errexit_off++;
	f = eval_node(sh, n);
	sh->errexit_off--;
	return f;
}

static enum flow eval_and_or(struct shell *sh, const struct node *n)
{
	enum flow f = eval_condition(sh, n->binary.a);

	if (f != FLOW_NEXT)
		return f;
	if ((sh->status == 0) == (n->kind == NODE_AND))
		return eval_node(sh, n->binary.b);
	return FLOW_NEXT;
}

static enum flow eval_if(struct shell *sh, const struct node *n)
{
	for (;;) {
		enum flow f = eval_condition(sh, n->flow.test);

		if (f != FLOW_NEXT)
			return f;
		if (sh->status == 0)
			return eval_node(sh, n->flow.body);
		if (!n->flow.otherwise) {
			sh->status = 0;
			return FLOW_NEXT;
		}
		if (n->flow.otherwise->kind != NODE_IF || n->flow.otherwise->redirs)
			return eval_node(sh, n->flow.otherwise);
		n = n->flow.otherwise;
	}
}

/* ---- (( )) and [[ ]] ---- */

enum flow eval_debug_slow(struct shell *sh, const struct node *n, const char *text, bool *skip)
{
	struct arena_mark m = arena_mark(&sh->turn);
	const char *shown = doing(sh)->shown;
	enum flow f;
	int status;

	if (!trap_has(sh, TRAP_DEBUG) || sh->traps[TRAP_DEBUG].running)
		return FLOW_NEXT;
	if (n->kind == NODE_SIMPLE && n == doing(sh)->announced) {
		doing(sh)->announced = NULL;
		return FLOW_NEXT;
	}
	sh->line = n->line;
	if (!doing(sh)->running_traps)
		doing(sh)->shown = text ? text : command_text(sh, n);
	f = trap_run_status(sh, TRAP_DEBUG, &status);
	doing(sh)->shown = shown;
	arena_reset(&sh->turn, m);
	if (f != FLOW_NEXT || !status || !sh->opts[SHOPT_EXTDEBUG])
		return f;
	*skip = true;
	if (status == 2 && (sh->function_depth || sh->source_depth)) {
		sh->status = 0;
		return FLOW_RETURN;
	}
	return FLOW_NEXT;
}

/* set -x shows the expression expanded; then that text is what is evaluated. */
static bool arith_traced(struct shell *sh, const struct arith *a, int64_t *v)
{
	struct slice text = a->text;
	enum flow f = a->word ? expand_operand(sh, a->word, true, BUILD_STRING, &text) : FLOW_NEXT;
	struct str *t = &doing(sh)->message;

	if (f != FLOW_NEXT) {
		sh->failed = f;
		return false;
	}
	text.p = arena_dup(&sh->turn, text.p, text.n);
	str_reset(t);
	str_addf(t, "(( %.*s ))", (int)text.n, text.p);
	trace_text(sh, t->p, t->n);
	sh->builtin = "((";
	return arith_eval_text(sh, text.p, text.n, v);
}

bool arith_eval_command(struct shell *sh, const struct arith *a, int64_t *v)
{
	bool good;

	if (sh->opts[OPT_XTRACE]) {
		good = arith_traced(sh, a, v);
	} else {
		sh->builtin = "((";
		good = arith_eval(sh, a, v);
	}
	sh->builtin = NULL;
	return good;
}

static enum flow eval_arith(struct shell *sh, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);
	bool skip;
	enum flow f = eval_debug(sh, n, NULL, &skip);
	int64_t v = 0;

	sh->line = n->line;
	if (f != FLOW_NEXT || skip)
		return f;
	command_is(sh, n);
	if (arith_eval_command(sh, n->arith, &v))
		sh->status = v == 0;
	else {
		f = sh->failed;
		if (f != FLOW_EXIT)
			sh->status = 1;
	}
	pipe_status_is(sh);
	arena_reset(&sh->turn, m);
	return f != FLOW_NEXT ? f : eval_check(sh);
}

static enum flow eval_cond_node(struct shell *sh, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);
	bool skip;
	enum flow f = eval_debug(sh, n, NULL, &skip);

	sh->line = n->line;
	if (f != FLOW_NEXT || skip)
		return f;
	command_is(sh, n);
	sh->failed = FLOW_NEXT;
	sh->status = cond_eval(sh, n->cond);
	if (sh->status)
		f = sh->failed;
	pipe_status_is(sh);
	arena_reset(&sh->turn, m);
	return f != FLOW_NEXT ? f : eval_check(sh);
}

/* Quotes, $x and <(x) are for words: as a function's name they are read, and wrong. */
static bool is_plain_word(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr("\\'\"$", name[i]) ||
		    ((name[i] == '<' || name[i] == '>') && i + 1 < n && name[i + 1] == '('))
			return false;
	return true;
}

/* In POSIX mode a name is a name, and no special builtin's. */
static bool is_function_name(struct shell *sh, const char *name, size_t n)
{
	bool posix = sh->opts[OPT_POSIX];
	const struct builtin *b = posix ? builtin_find(name, n) : NULL;

	if (!is_plain_word(name, n) || (posix && !parse_is_name(name, n)))
		shell_error(sh, "`%s': not a valid identifier", name);
	else if (b && (b->flags & BUILTIN_SPECIAL))
		shell_error(sh, "`%s': is a special builtin", name);
	else
		return true;
	sh->status = posix ? STATUS_USAGE : 1;
	return false;
}

static enum flow eval_function(struct shell *sh, const struct node *n)
{
	const struct function *old = function_find(sh, n->named.name.s, n->named.name.n);

	sh->line = n->line;
	sh->status = 0;
	if (!is_function_name(sh, n->named.name.s, n->named.name.n))
		return !sh->opts[OPT_POSIX] ? eval_check(sh) : sh->interactive ? FLOW_ABORT : FLOW_EXIT;
	if (old && (old->flags & VAR_READONLY)) {
		sh->line = n->line_end;
		shell_error(sh, "%s: readonly function", n->named.name.s);
		sh->status = 1;
		return eval_check(sh);
	}
	function_define(sh, n);
	return FLOW_NEXT;
}

static const struct node *list_last(const struct node *n)
{
	const struct node *last = n->list.first;

	while (last && last->next)
		last = last->next;
	return last && !last->background ? last : NULL;
}

const struct node *last_command(const struct node *n)
{
	const struct node *last = n = only_command(n);

	while (last && (last->kind == NODE_LIST || last->kind == NODE_AND || last->kind == NODE_OR)) {
		last = last->kind == NODE_LIST ? list_last(last) : last->binary.b;
		last = last ? only_command(last) : NULL;
	}
	return last == n || (last && last->kind == NODE_SIMPLE) ? last : NULL;
}

const struct node *only_command(const struct node *n)
{
	if (n->kind == NODE_LIST && n->list.first && !n->list.first->next &&
	    !n->list.first->background)
		n = n->list.first;
	if (n->kind == NODE_PIPELINE && n->pipeline.n == 1 && !n->pipeline.negate &&
	    !n->pipeline.timed)
		n = n->pipeline.first;
	return n;
}

/* ---- Any node ---- */

static enum flow eval_kind(struct shell *sh, const struct node *n)
{
	switch (n->kind) {
	case NODE_SIMPLE:
		return eval_simple(sh, n);
	case NODE_PIPELINE:
		return eval_pipeline(sh, n);
	case NODE_AND:
	case NODE_OR:
		return eval_and_or(sh, n);
	case NODE_LIST:
		return eval_list(sh, n);
	case NODE_SUBSHELL:
		return eval_subshell(sh, n);
	case NODE_GROUP:
		return eval_node(sh, n->flow.body);
	case NODE_IF:
		return eval_if(sh, n);
	case NODE_WHILE:
	case NODE_UNTIL:
		return eval_while(sh, n);
	case NODE_FOR:
		return eval_for(sh, n);
	case NODE_SELECT:
		return eval_select(sh, n);
	case NODE_FOR_ARITH:
		return eval_for_arith(sh, n);
	case NODE_CASE:
		return eval_case(sh, n);
	case NODE_FUNCTION:
		return eval_function(sh, n);
	case NODE_ARITH:
		return eval_arith(sh, n);
	case NODE_COND:
		return eval_cond_node(sh, n);
	case NODE_COPROC:
		return eval_coproc(sh, n);
	}
	return FLOW_NEXT;
}

/*
 * Where a shell ends by exit or set -e, its EXIT trap runs with the redirections
 * around still in place. bash -c and $( ) give them back first, but for functions;
 * and so does set -e where a simple command has them.
 */
void eval_leave(struct shell *sh, bool simple)
{
	const struct doing *d = doing(sh);
	bool text = d->in_substitution || (sh->command_string && !sh->is_subshell);

	if (!d->n_traps || (text && !sh->function_depth))
		return;
	if (d->exiting || (d->failing && !simple && !d->call_redirs))
		shell_finish(sh, FLOW_EXIT);
}

/* A compound command with redirections of its own. */
static enum flow __attribute__((noinline)) eval_redirected(struct shell *sh, const struct node *n)
{
	size_t mark = substitution_mark(sh);
	struct arena_mark m = arena_mark(&sh->turn);
	struct redir_undo undo;
	enum flow f = FLOW_NEXT;

	redir_begin(sh, &undo);
	if (redir_apply(sh, n->redirs, &undo, &f)) {
		sh->status = 1;
		arena_reset(&sh->turn, m);
		substitution_close(sh, mark);
		return f != FLOW_NEXT ? f : eval_check(sh);
	}
	f = eval_kind(sh, n);
	if (f == FLOW_EXIT)
		eval_leave(sh, false);
	redir_restore(sh, &undo);
	arena_reset(&sh->turn, m);
	substitution_close(sh, mark);
	return f;
}

/* $LINENO is a command's while it runs; then it is what it was before, which shows
 * in the messages of redirections behind compound commands. */
enum flow eval_node(struct shell *sh, const struct node *n)
{
	uint32_t line = sh->line;
	enum flow f;

	proc_tick(sh->p, 1);
	if (!n) {
		sh->status = 0;
		return FLOW_NEXT;
	}
	if (n->redirs && n->kind != NODE_SIMPLE && n->kind != NODE_SUBSHELL &&
	    n->kind != NODE_FUNCTION)
		f = eval_redirected(sh, n);
	else
		f = eval_kind(sh, n);
	if (f == FLOW_NEXT)
		sh->line = line;
	return f;
}
