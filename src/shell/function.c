/*
 * Functions: the table, and calls.
 *
 * The table is shared with subshells until one of them defines or unsets
 * something (most never do), so starting a subshell copies no functions. It
 * lives where scripts live, because a subshell's child may outlive it.
 */
#include "shell/doing.h"

#include <stdlib.h>
#include <string.h>

#include "lang/print.h"

static struct function_table *table_new(struct shell *sh)
{
	struct function_table *t = heap_zalloc(doing(sh)->script_heap, sizeof(*t));

	if (!t)
		return NULL;
	t->refs = 1;
	t->heap = doing(sh)->script_heap;
	map_init(&t->map, t->heap);
	return t;
}

static void function_free(struct function_table *t, struct function *f)
{
	if (!f)
		return;
	script_drop(f->script);
	heap_free(t->heap, f);
}

void function_table_drop(struct function_table *t)
{
	if (!t || --t->refs)
		return;
	for (struct map_entry *e = NULL; (e = map_next(&t->map, e));)
		function_free(t, e->value);
	map_end(&t->map);
	heap_free(t->heap, t);
}

static void table_copy(struct function_table *to, const struct function_table *from)
{
	for (struct map_entry *e = NULL; (e = map_next(&from->map, e));) {
		struct function *f = heap_alloc(to->heap, sizeof(*f));
		struct map_entry *copy = map_put(&to->map, e->key, e->len);

		if (!f || !copy)
			return;
		*f = *(const struct function *)e->value;
		script_ref(f->script);
		copy->value = f;
	}
}

/* The table for a change: nobody else's. */
static struct function_table *table_own(struct shell *sh)
{
	struct doing *d = doing(sh);
	struct function_table *old = d->functions;

	if (old && old->refs == 1)
		return old;
	d->functions = table_new(sh);
	if (old && d->functions)
		table_copy(d->functions, old);
	function_table_drop(old);
	return d->functions;
}

void functions_share(struct shell *to, const struct shell *from)
{
	struct function_table *t = doing(from)->functions;

	if (!t)
		return;
	t->refs++;
	doing(to)->functions = t;
	to->functions = t->map;
}

void functions_drop(struct shell *sh)
{
	function_table_drop(doing(sh)->functions);
	doing(sh)->functions = NULL;
	memset(&sh->functions, 0, sizeof(sh->functions));
}

struct function *function_find(struct shell *sh, const char *name, size_t n)
{
	struct map_entry *e;

	if (!sh->functions.n)
		return NULL;
	e = map_find(&sh->functions, name, n);
	return e ? e->value : NULL;
}

static void function_store(struct shell *sh, const char *name, size_t n, const struct node *node,
			   struct script *script, uint32_t flags)
{
	struct function_table *t = table_own(sh);
	struct map_entry *e;
	struct function *f;

	if (!t || !(e = map_put(&t->map, name, n)))
		return;
	f = heap_alloc(t->heap, sizeof(*f));
	if (!f)
		return;
	*f = (struct function){ .node = node, .script = script_ref(script), .flags = flags };
	function_free(t, e->value);
	e->value = f;
	sh->functions = t->map;
	sh->environ_stale = true;
}

void function_define(struct shell *sh, const struct node *n)
{
	const struct name *name = &n->named.name;
	const struct function *old = function_find(sh, name->s, name->n);
	struct script *script = (struct script *)(uintptr_t)doing(sh)->script;

	function_store(sh, name->s, name->n, n, script, old ? old->flags & VAR_EXPORT : 0);
}

bool function_unset(struct shell *sh, const char *name, size_t n)
{
	struct function_table *t;
	struct map_entry *e;

	if (!function_find(sh, name, n))
		return false;
	t = table_own(sh);
	e = t ? map_find(&t->map, name, n) : NULL;
	if (!e)
		return false;
	function_free(t, e->value);
	map_remove(&t->map, name, n);
	sh->functions = t->map;
	sh->environ_stale = true;
	return true;
}

void function_change(struct shell *sh, const char *name, size_t n, uint32_t on, uint32_t off)
{
	struct function_table *t;
	struct map_entry *e;
	struct function *f;

	if (!function_find(sh, name, n))
		return;
	t = table_own(sh);
	e = t ? map_find(&t->map, name, n) : NULL;
	if (!e)
		return;
	f = e->value;
	f->flags = (f->flags | on) & ~off;
	sh->functions = t->map;
	sh->environ_stale = true;
}

void function_print(struct shell *sh, const struct function *f, struct str *out)
{
	(void)sh;
	print_function(out, f->node, sh->opts[OPT_POSIX]);
	str_addc(out, '\n');
}

static int by_name(const void *a, const void *b)
{
	const struct function *x = *(struct function *const *)a, *y = *(struct function *const *)b;

	return strcmp(x->node->named.name.s, y->node->named.name.s);
}

struct function **function_sorted(struct shell *sh)
{
	struct function **out = arena_array(&sh->turn, sh->functions.n + 1, sizeof(*out));
	size_t n = 0;

	if (!out)
		return NULL;
	for (struct map_entry *e = NULL; (e = map_next(&sh->functions, e));)
		out[n++] = e->value;
	out[n] = NULL;
	qsort(out, n, sizeof(*out), by_name);
	return out;
}

/* ---- Functions in the environment: BASH_FUNC_name%%=() { ...} ---- */

static void import_one(struct shell *sh, const char *name, size_t n, const char *body)
{
	struct parse_options opt = shell_parse_options(sh, "environment", 1);
	struct parse_error err = { .line = 0 };
	struct script *s;
	struct str text;

	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	str_init(&err.message, sh->heap, STR_MAX_DEFAULT);
	str_init(&err.detail, sh->heap, STR_MAX_DEFAULT);
	str_addn(&text, name, n);
	str_addc(&text, ' ');
	str_adds(&text, body);
	s = parse_script(doing(sh)->script_heap, text.p, text.n, &opt, &err);
	if (s && s->body && s->body->list.first && s->body->list.first->kind == NODE_FUNCTION &&
	    !s->body->list.first->next)
		function_store(sh, name, n, s->body->list.first, s, VAR_EXPORT);
	if (s)
		script_drop(s);
	str_end(&text);
	str_end(&err.message);
	str_end(&err.detail);
}

void functions_import(struct shell *sh, const char *const *env)
{
	for (; env && *env; env++) {
		const char *end;

		if ((*env)[0] != 'B' || strncmp(*env, "BASH_FUNC_", 10))
			continue;
		end = strstr(*env, "%%=() ");
		if (end && end > *env + 10)
			import_one(sh, *env + 10, (size_t)(end - *env - 10), end + 3);
	}
}

/* ---- Calls ---- */

/* FUNCNEST: 0 or unset means no limit of one's own. */
static bool call_too_deep(struct shell *sh, const char *name)
{
	struct slice v;
	int64_t max;

	if (!shell_deeper(sh))
		return true;
	if (!var_get_text(sh, "FUNCNEST", &v) || !v.n || !text_number(v.p, &max) || max <= 0)
		return false;
	if (sh->function_depth < (uint64_t)max)
		return false;
	shell_error(sh, "%s: maximum function nesting level exceeded (%lld)", name,
		    (long long)max);
	return true;
}

struct call_state {		/* of the caller, given back afterwards */
	struct call frame;
	struct frame_args args;
	const struct script *script;
	const struct node *simple;
	unsigned loop_depth;
	int getopts_pos;
	bool *frame_opts;
	bool debug_off, return_off, err_off;
};

/* DEBUG, RETURN and ERR traps are not inherited without functrace and errtrace. */
static void call_hide_traps(struct shell *sh, const struct function *f, struct call_state *st)
{
	bool trace = sh->opts[OPT_FUNCTRACE] || (f->flags & VAR_TRACE) ||
		     sh->opts[SHOPT_EXTDEBUG];
	struct doing *d = doing(sh);

	st->debug_off = d->trap_hidden[0];
	st->err_off = d->trap_hidden[1];
	st->return_off = d->trap_hidden[2];
	if (!d->n_traps)
		return;
	if (!trace)
		d->trap_hidden[0] = true;
	if (!trace || sh->traps[TRAP_DEBUG].running)
		d->trap_hidden[2] = true;
	if (!sh->opts[OPT_ERRTRACE] && !sh->opts[SHOPT_EXTDEBUG])
		d->trap_hidden[1] = true;
}

static void call_enter(struct shell *sh, const struct function *f, int argc, char **argv,
		       struct call_state *st)
{
	struct doing *d = doing(sh);
	struct script **held = vec_add(sh->heap, &d->held);

	if (held)
		*held = script_ref(f->script);
	st->frame = (struct call){ .up = sh->calls, .function = f->node->named.name.s,
		.file = f->script->name, .line = sh->line, .args = argv,
		.argv = sh->opts[SHOPT_EXTDEBUG] ? argv + 1 : NULL,
		.n_argv = sh->opts[SHOPT_EXTDEBUG] ? (size_t)(argc - 1) : 0 };
	st->args = d->args;
	st->script = d->script;
	st->simple = d->simple;
	st->loop_depth = sh->loop_depth;
	st->getopts_pos = sh->getopts_pos;
	call_hide_traps(sh, f, st);
	st->frame_opts = d->frame_opts;
	d->frame_opts = NULL;
	sh->calls = &st->frame;
	d->script = f->script;
	sh->loop_depth = 0;
	sh->args = argv + 1;
	sh->n_args = (size_t)(argc - 1);
	d->args = (struct frame_args){ .args = sh->args, .n = sh->n_args };
	sh->call_depth++;
	sh->function_depth++;
	var_push_scope(sh);
}

static void call_leave(struct shell *sh, struct call_state *st)
{
	struct doing *d = doing(sh);

	sh->optind_went = false;
	var_pop_scope(sh);
	if (sh->optind_went)
		sh->getopts_pos = st->getopts_pos;
	if (d->frame_opts) {
		memcpy(sh->opts, d->frame_opts, SET_OPTIONS * sizeof(*sh->opts));
		heap_free(sh->heap, d->frame_opts);
	}
	d->frame_opts = st->frame_opts;
	sh->function_depth--;
	sh->call_depth--;
	if (d->args.owned)
		heap_free(sh->heap, d->args.owned);
	d->args = st->args;
	sh->args = d->args.args;
	sh->n_args = d->args.n;
	sh->calls = st->frame.up;
	d->simple = st->simple;
	d->script = st->script;
	sh->loop_depth = st->loop_depth;
	d->trap_hidden[0] = st->debug_off;
	d->trap_hidden[1] = st->err_off;
	d->trap_hidden[2] = st->return_off;
	if (d->held.n)
		script_drop(vec_pop(&d->held));
}

static enum flow call_body(struct shell *sh, const struct node *function)
{
	enum flow f;

	bool skip = false;

	/* The DEBUG trap sees the call, on the line where the body begins. */
	f = eval_debug(sh, function->named.body, doing(sh)->n_traps ? shell_command_text(sh) : NULL,
		       &skip);
	if (f == FLOW_NEXT && !skip)
		f = eval_node(sh, function->named.body);
	if (f == FLOW_RETURN)
		f = FLOW_NEXT;
	if (trap_has(sh, TRAP_RETURN))
		trap_run(sh, TRAP_RETURN);
	return f;
}

int call_function(struct shell *sh, const struct node *function, int argc, char **argv,
		  enum flow *flow)
{
	const struct function *f = function_find(sh, function->named.name.s,
						 function->named.name.n);
	struct call_state st;
	uint32_t line = sh->line;

	if (!f || call_too_deep(sh, argv[0])) {
		*flow = FLOW_ABORT;
		return sh->status = 1;
	}
	call_enter(sh, f, argc, argv, &st);
	sh->line = f->node->named.body->line;
	*flow = call_body(sh, f->node);
	if (*flow == FLOW_EXIT && doing(sh)->exiting)
		shell_finish(sh, *flow);
	call_leave(sh, &st);
	sh->line = line;
	return sh->status;
}
