/*
 * The life of a shell: made, copied for a subshell, bound to the process of
 * another run, ended. A shell and its doing half are one block of its heap.
 *
 * Scripts are shared by the processes of a run, and any of these may end first
 * (a child can kill its parent), so they live in the run's heap; references that
 * a dropped process still holds are given back by its end hook. A session is
 * kept beyond the run: when its script ends, its functions are parsed once more,
 * into its own heap.
 */
#include "shell/doing.h"

#include <errno.h>
#include <string.h>

#include "kernel/fiber.h"

/* What must stay free of the stack for the deepest builtin. */
#define STACK_RESERVE ((size_t)384 << 10)

struct shell_block {
	struct shell sh;
	struct doing d;
};

static void set_default_options(struct shell *sh)
{
	static const bool defaults[OPT_COUNT] = {
#define SET_OPTION(id, name, letter, def) [OPT_##id] = def,
#define SHOPT_OPTION(id, name, def) [SHOPT_##id] = def,
#include "shell/options.def"
#undef SET_OPTION
#undef SHOPT_OPTION
	};

	memcpy(sh->opts, defaults, sizeof(defaults));
}

static struct shell *shell_alloc(struct tsb_heap *heap)
{
	struct shell_block *b = heap_zalloc(heap, sizeof(*b));

	if (!b)
		return NULL;
	b->sh.doing_private = &b->d;
	return &b->sh;
}

/* The parts that have memory of their own, fresh in the shell's heap. */
static void init_parts(struct shell *sh)
{
	struct doing *d = doing(sh);

	arena_init(&sh->turn, sh->heap);
	map_init(&sh->vars, sh->heap);
	map_init(&sh->aliases, sh->heap);
	map_init(&sh->hashed, sh->heap);
	map_init(&d->completions, sh->heap);
	map_init(&d->bindings, sh->heap);
	map_init(&d->hash_hits, sh->heap);
	str_init(&sh->last_arg, sh->heap, STR_MAX_DEFAULT);
	str_init(&d->out, sh->heap, STR_MAX_DEFAULT);
	str_init(&d->message, sh->heap, STR_MAX_DEFAULT);
}

struct shell *shell_new(struct tsb_proc *p, const char *arg0)
{
	static char *no_args[1];
	struct shell *sh = shell_alloc(proc_heap(p));
	struct doing *d;

	if (!sh)
		return NULL;
	d = doing(sh);
	sh->p = p;
	sh->heap = proc_heap(p);
	init_parts(sh);
	traps_init(sh);
	set_default_options(sh);
	d->script_heap = kernel_heap(proc_kernel(p));
	d->first = true;
	d->trace_level = 1;
	d->stack_base = __builtin_frame_address(0);
	sh->args = no_args;
	d->args.args = no_args;
	sh->arg0 = heap_strdup(sh->heap, arg0);
	sh->script_name = sh->arg0;
	sh->pid = proc_pid(p);
	sh->substitution_status = -1;
	d->started_ns = proc_started_ns(p);
	sh->line = 1;
	str_adds(&sh->last_arg, arg0);
	if (var_import_environ(sh, tsb_environ(p)))
		functions_import(sh, tsb_environ(p));
	return sh;
}

void shell_enter_process(struct shell *sh)
{
	doing(sh)->stack_base = __builtin_frame_address(0);
}

bool shell_deeper(struct shell *sh)
{
	const char *here = __builtin_frame_address(0);
	const char *base = doing(sh)->stack_base;
	size_t used = here < base ? (size_t)(base - here) : 0;
	uint64_t max = kernel_limits(proc_kernel(sh->p))->call_depth;

	if (used > STACK_USUAL / 2)
		proc_stack_deep(sh->p);
	if (sh->call_depth < max && used + STACK_RESERVE < STACK_SHELL)
		return true;
	proc_limit(sh->p, "call_depth");
	shell_error(sh, "maximum nesting level of functions, eval, source and traps exceeded (%u)",
		    sh->call_depth);
	return false;
}

/* ---- Positional parameters ---- */

/* One block: the pointers, then the texts. */
static char **copy_args(struct tsb_heap *heap, size_t n, char *const *args)
{
	size_t bytes = (n + 1) * sizeof(char *);
	char **out, *text;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(args[i]) + 1;
	out = heap_alloc(heap, bytes);
	if (!out)
		return NULL;
	text = (char *)(out + n + 1);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(args[i]) + 1;

		out[i] = memcpy(text, args[i], len);
		text += len;
	}
	out[n] = NULL;
	return out;
}

void shell_set_args(struct shell *sh, size_t n, char *const *args)
{
	struct doing *d = doing(sh);
	char **copy = copy_args(sh->heap, n, args);
	void *old = d->args.owned;

	if (!copy)
		return;
	d->args = (struct frame_args){ .args = copy, .n = n, .owned = copy };
	sh->args = copy;
	sh->n_args = n;
	heap_free(sh->heap, old);
}

void shell_shift(struct shell *sh, size_t n)
{
	sh->args += n;
	sh->n_args -= n;
	doing(sh)->args.args = sh->args;
	doing(sh)->args.n = sh->n_args;
}

bool shell_main_argv(struct shell *sh, bool now, char ***argv, size_t *n)
{
	struct doing *d = doing(sh);

	if (!d->main_argv_known && (now || (!sh->function_depth && !sh->source_depth))) {
		d->main_argv_known = true;
		for (size_t i = 0; i < sh->n_args; i++)
			*vec_add(sh->heap, &d->main_argv) = heap_strdup(sh->heap, sh->args[i]);
	}
	*argv = d->main_argv.at;
	*n = d->main_argv.n;
	return d->main_argv_known;
}

/* ---- Subshells ---- */

static void hold_script(struct shell *sh, struct script *s)
{
	struct script **place = vec_add(sh->heap, &doing(sh)->held);

	if (place)
		*place = script_ref(s);
}

static void drop_scripts_hook(void *arg)
{
	struct shell *sh = arg;
	struct doing *d = doing(sh);

	functions_drop(sh);
	command_script(sh, NULL);
	while (d->held.n)
		script_drop(vec_pop(&d->held));
}

static void clone_aliases(struct map *to, const struct map *from, struct tsb_heap *heap)
{
	map_init(to, heap);
	for (struct map_entry *e = NULL; (e = map_next(from, e));) {
		struct map_entry *copy = map_put(to, e->key, e->len);

		if (copy)
			copy->value = e->value ? heap_strdup(heap, e->value) : NULL;
	}
}

/* Numbers in the place of pointers. */
static void clone_hits(struct map *to, const struct map *from, struct tsb_heap *heap)
{
	map_init(to, heap);
	for (struct map_entry *e = NULL; (e = map_next(from, e));) {
		struct map_entry *copy = map_put(to, e->key, e->len);

		if (copy)
			copy->value = e->value;
	}
}

static struct call *clone_calls(const struct call *c, struct tsb_heap *heap)
{
	struct call *top = NULL, **link = &top;

	for (; c; c = c->up) {
		struct call *copy = heap_alloc(heap, sizeof(*copy));

		if (!copy)
			break;
		*copy = (struct call){
			.function = c->function ? heap_strdup(heap, c->function) : NULL,
			.file = c->file ? heap_strdup(heap, c->file) : NULL,
			.line = c->line,
			.argv = c->argv ? copy_args(heap, c->n_argv, c->argv) : NULL,
			.n_argv = c->n_argv,
		};
		*link = copy;
		link = &copy->up;
	}
	return top;
}

/* What a doing half does not take over from its parent. */
static void clone_doing(struct shell *sh, const struct shell *from)
{
	struct doing *d = doing(sh);
	const struct doing *fd = doing(from);
	struct tsb_heap *heap = sh->heap;

	*d = *fd;
	d->undo = NULL;
	d->capture = NULL;
	d->decl = NULL;
	d->pending = 0;
	d->first = false;
	d->exit_trap_done = false;
	d->exiting = d->failing = false;
	d->trap_now = 0;
	d->exec_node = d->stage = NULL;
	d->exec_last = false;
	d->frame_opts = NULL;
	d->functions = NULL;
	d->job_now = d->job_before = NULL;
	d->control_off = true;
	d->jobs_frozen = 0;
	d->line_starts = d->waited = d->suspended = false;
	memset(&d->held, 0, sizeof(d->held));
	memset(&d->past, 0, sizeof(d->past));
	memset(&d->open_substitutions, 0, sizeof(d->open_substitutions));
	memset(&d->history, 0, sizeof(d->history));
	d->histexp = NULL;
	d->prompting = NULL;
	memset(&d->hash_order, 0, sizeof(d->hash_order));
	if (fd->limits)
		d->limits = (uint64_t *)(void *)heap_dup(heap, fd->limits,
							 LIMIT_COUNT * sizeof(*d->limits));
	memset(&d->main_argv, 0, sizeof(d->main_argv));
	d->part = NULL;
	d->shown = fd->shown ? heap_strdup(heap, fd->shown) : NULL;
	for (size_t i = 0; i < fd->main_argv.n; i++)
		*vec_add(heap, &d->main_argv) = heap_strdup(heap, fd->main_argv.at[i]);
	for (size_t i = 0; i < fd->history.n; i++)
		*vec_add(heap, &d->history) = (struct history_line){
			heap_strdup(heap, fd->history.at[i].text), fd->history.at[i].time
		};
}

static void clone_dirs(struct shell *sh, const struct shell *from)
{
	memset(&sh->dirs, 0, sizeof(sh->dirs));
	for (size_t i = 0; i < from->dirs.n; i++)
		*vec_add(sh->heap, &sh->dirs) = heap_strdup(sh->heap, from->dirs.at[i]);
	memset(&sh->pipe_status, 0, sizeof(sh->pipe_status));
	for (size_t i = 0; i < from->pipe_status.n; i++)
		*vec_add(sh->heap, &sh->pipe_status) = from->pipe_status.at[i];
}

static struct shell *clone_into(const struct shell *from, struct tsb_heap *heap,
				struct tsb_proc *p)
{
	struct shell *sh = shell_alloc(heap);
	struct doing *d;
	char **args;

	if (!sh)
		return NULL;
	d = doing(sh);
	*sh = *from;
	sh->doing_private = d;
	sh->p = p;
	sh->heap = heap;
	clone_doing(sh, from);
	init_parts(sh);
	args = copy_args(heap, from->n_args, from->args);
	sh->args = args;
	d->args = (struct frame_args){ .args = args, .n = sh->n_args, .owned = args };
	sh->arg0 = heap_strdup(heap, from->arg0);
	sh->script_name = heap_strdup(heap, from->script_name);
	sh->builtin = NULL;
	str_addn(&sh->last_arg, from->last_arg.p, from->last_arg.n);
	clone_aliases(&sh->aliases, &from->aliases, heap);
	clone_aliases(&sh->hashed, &from->hashed, heap);
	clone_hits(&d->hash_hits, &doing(from)->hash_hits, heap);
	clone_aliases(&d->completions, &doing(from)->completions, heap);
	clone_aliases(&d->bindings, &doing(from)->bindings, heap);
	sh->calls = clone_calls(from->calls, heap);
	sh->jobs = NULL;
	memset(&sh->functions, 0, sizeof(sh->functions));
	clone_dirs(sh, from);
	traps_clone(sh, from);
	var_clone_all(sh, from);
	return sh;
}

/* A copy in the child's heap, for the child process. */
static struct shell *shell_clone(const struct shell *from, struct tsb_proc *child)
{
	struct shell *sh = clone_into(from, proc_heap(child), child);

	if (!sh)
		return NULL;
	functions_share(sh, from);
	doing(sh)->script_heap = kernel_heap(proc_kernel(child));
	if (doing(sh)->script)
		hold_script(sh, (struct script *)(uintptr_t)doing(sh)->script);
	sh->script = NULL;	/* the parent's to let go */
	sh->current = NULL;
	sh->is_subshell = true;
	sh->subshell_level++;
	sh->interactive = sh->prompts = false;
	sh->loop_depth = 0;
	proc_set_user(child, sh);
	proc_on_end(child, drop_scripts_hook, sh);
	return sh;
}

int shell_fork_plain(struct shell *sh, struct tsb_proc **child)
{
	int err;

	job_reap_quietly(sh);
	err = proc_fork(sh->p, child);
	if (err) {
		shell_error(sh, "fork: retry: %s", tsb_strerror(err));
		shell_error(sh, "fork: %s", tsb_strerror(err));
	}
	return err;
}

struct shell *shell_fork(struct shell *sh, struct tsb_proc **child)
{
	if (shell_fork_plain(sh, child))
		return NULL;
	return shell_clone(sh, *child);
}

static int cloned_main(struct tsb_proc *p, void *arg)
{
	struct shell *sh = arg;
	enum flow flow;

	(void)p;
	shell_enter_process(sh);
	flow = eval_node(sh, doing(sh)->start_node);
	return shell_finish(sh, flow);
}

void shell_start(struct shell *child, const struct node *n)
{
	doing(child)->start_node = n;
	proc_start(child->p, cloned_main, child);
}

/* ---- The end ---- */

/* An error in the trap ends it, with no status of its own; `exit` and set -e have one. */
static void run_exit_trap(struct shell *sh)
{
	struct doing *d = doing(sh);
	int status = sh->status;

	d->exiting = d->failing = false;
	if (trap_run(sh, TRAP_EXIT) == FLOW_EXIT && !d->exiting && !d->failing)
		sh->status = status;
}

int shell_finish(struct shell *sh, enum flow flow)
{
	(void)flow;
	if (doing(sh)->n_traps && !doing(sh)->exit_trap_done) {
		trap_pending_slow(sh);
		doing(sh)->exit_trap_done = true;
		if (trap_has(sh, TRAP_EXIT))
			run_exit_trap(sh);
	}
	return sh->status & 255;
}

/* Nobody waits for jobs that are left when a script ends; what can run goes on
 * a little, as it would on another processor, until all of them wait. */
static void let_jobs_go(struct shell *sh)
{
	for (int rounds = 0; sh->jobs && rounds < 200; rounds++) {
		bool any = false;

		job_reap(sh);
		for (const struct job *j = sh->jobs; j; j = j->next)
			any |= job_running(j);
		if (!any)
			return;
		tsb_sleep(sh->p, 0);
	}
}

/* Functions into another heap: the scripts are not shared (another thread may
 * run them, or they go with their run), so their texts are parsed anew. */
static void copy_functions(struct shell *sh, const struct map *from)
{
	struct str text;

	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	for (struct map_entry *e = NULL; (e = map_next(from, e));) {
		const struct function *f = e->value;
		struct parse_options opt = { .name = f->script->name, .line = f->node->line,
			.extglob = true, .depth_max = 10000, .source_max = SIZE_MAX };
		struct parse_error err = { .line = 0 };
		struct script *s;

		str_init(&err.message, sh->heap, STR_MAX_DEFAULT);
		str_init(&err.detail, sh->heap, STR_MAX_DEFAULT);
		s = parse_script(sh->heap, f->script->text + f->node->pos,
				 f->node->end - f->node->pos, &opt, &err);
		str_end(&err.message);
		str_end(&err.detail);
		if (!s)
			continue;
		doing(sh)->script = s;
		if (s->body && s->body->list.first)
			function_define(sh, s->body->list.first);
		function_change(sh, e->key, e->len, f->flags, 0);
		script_drop(s);
	}
	doing(sh)->script = NULL;
	str_end(&text);
}

/* A kept session holds on to nothing of the run. */
static void keep_session(struct shell *sh)
{
	struct doing *d = doing(sh);
	struct function_table *table = d->functions;

	command_script(sh, NULL);
	d->script_heap = sh->heap;
	if (!table)
		return;
	d->functions = NULL;
	memset(&sh->functions, 0, sizeof(sh->functions));
	copy_functions(sh, &table->map);
	function_table_drop(table);
}

int shell_run(struct shell *sh, const char *text, size_t n, const char *file_name)
{
	struct doing *d = doing(sh);
	enum flow flow;

	shell_enter_process(sh);
	if (d->args.args != sh->args) {	/* set by who made the shell */
		d->args = (struct frame_args){ .args = sh->args, .n = sh->n_args };
	}
	if (sh->stdin_script) {
		sh->execution_string = (struct slice){ NULL, 0 };
	} else if (file_name && !sh->command_string) {
		sh->script_name = heap_strdup(sh->heap, file_name);
		sh->arg0 = sh->script_name;
		d->base_call = (struct call){ .function = "main", .file = sh->script_name };
		sh->calls = &d->base_call;
	} else {
		sh->command_string = true;
		sh->execution_string = (struct slice){ text, n };
	}
	sh->status = 0;
	flow = run_text(sh, text, n, sh->arg0, 1, sh->command_string ? "-c" : NULL);
	sh->execution_string = (struct slice){ NULL, 0 };
	n = (size_t)shell_finish(sh, flow);
	sh->stdin_script = false;
	let_jobs_go(sh);
	keep_session(sh);
	return (int)n;
}

int shell_prompt(struct shell *sh)
{
	enum flow flow;
	int status;

	shell_enter_process(sh);
	doing(sh)->args = (struct frame_args){ .args = sh->args, .n = sh->n_args };
	sh->command_string = false;
	sh->stdin_script = true;
	sh->status = 0;
	shell_prompts(sh);
	flow = run_stream(sh, 0, sh->arg0);
	status = shell_finish(sh, flow);
	sh->prompts = sh->interactive = sh->stdin_script = false;
	sh->opts[OPT_MONITOR] = sh->opts[OPT_HISTEXPAND] = false;
	let_jobs_go(sh);
	keep_session(sh);
	return status;
}

/* ---- Sessions ---- */

void shell_keep(struct shell *sh)
{
	uint32_t mask = tsb_umask(sh->p, 0);

	tsb_umask(sh->p, mask);
	doing(sh)->umask = mask + 1;
	environ_make_all(sh);
}

void shell_attach(struct shell *sh, struct tsb_proc *p)
{
	struct doing *d = doing(sh);

	sh->p = p;
	sh->pid = proc_pid(p);
	arena_end(&sh->turn);
	arena_init(&sh->turn, sh->heap);
	while (sh->scope)
		var_pop_scope(sh);
	sh->calls = NULL;
	sh->call_depth = sh->loop_depth = sh->source_depth = sh->function_depth = 0;
	sh->errexit_off = sh->flow_count = 0;
	sh->builtin = NULL;
	sh->script = d->script = NULL;
	sh->current = NULL;
	d->running_traps = 0;
	d->shown = NULL;
	d->main_argv_known = false;
	d->main_argv.n = 0;
	sh->line = 1;
	sh->environ_stale = true;
	jobs_reset(sh);
	d->undo = NULL;
	d->capture = NULL;
	d->decl = NULL;
	d->pending = 0;
	d->open_substitutions.n = 0;
	d->exit_trap_done = false;
	d->trace_level = 1;
	d->first = true;
	d->script_heap = kernel_heap(proc_kernel(p));
	traps_stop(sh);
	ulimit_attach(sh);
	if (d->umask)
		tsb_umask(p, d->umask - 1);
	str_reset(&d->out);
	str_reset(&d->message);
	shell_enter_process(sh);
}

struct shell *shell_copy(const struct shell *from, struct tsb_heap *heap)
{
	struct shell *sh = clone_into(from, heap, NULL);

	if (!sh)
		return NULL;
	sh->calls = NULL;
	sh->script = doing(sh)->script = NULL;
	sh->current = NULL;
	doing(sh)->script_heap = heap;
	doing(sh)->first = true;
	copy_functions(sh, &from->functions);
	return sh;
}
