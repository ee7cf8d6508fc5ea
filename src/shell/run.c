/*
 * From argv to something that runs: function, builtin or program. A program is
 * looked up here, in the parent, so that a child is started only when there is
 * something to run; bash's messages and the statuses 126 and 127 are made here.
 */
#include "shell/builtin/builtin.h"
#include "shell/doing.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <sys/stat.h>

#include "shell/words.h"

/* ---- Builtins ---- */

int put_flush(struct shell *sh)
{
	struct doing *d = doing(sh);
	int err = 0;

	if (!d->out.n)
		return 0;
	if (d->capture)
		str_addn(d->capture, d->out.p, d->out.n);
	else
		err = tsb_write_all(sh->p, 1, d->out.p, d->out.n);
	str_reset(&d->out);
	if (!err)
		return 0;
	builtin_error(sh, "write error: %s", tsb_strerror(err));
	return 1;
}

int run_builtin(struct shell *sh, const struct builtin *b, int argc, char **argv, enum flow *flow)
{
	const char *outer = sh->builtin;
	int status;

	sh->builtin = b->name;
	doing(sh)->misused = false;
	sh->given_up = false;
	if (argc > 1 && !strcmp(argv[1], "--help") && builtin_has_help(b))
		status = builtin_tell_help(sh);
	else
		status = b->run(sh, argc, argv, flow);
	if (sh->given_up && *flow == FLOW_NEXT) {
		*flow = sh->failed == FLOW_NEXT ? FLOW_ABORT : sh->failed;
		status = 1;
	}
	sh->given_up = false;
	if (doing(sh)->out.n && put_flush(sh) && !status)
		status = 1;
	sh->builtin = outer;
	return status;
}

/* ---- Programs ---- */

static int not_found(struct shell *sh, const char *name)
{
	shell_error(sh, "%s: command not found", printable_name(sh, name));
	absent_explain(sh, name);
	return STATUS_NOT_FOUND;
}

/* The message for a path that cannot be run. */
static int cannot_run(struct shell *sh, const char *path, int err)
{
	struct tsb_stat st;

	if (!tsb_stat(sh->p, path, &st)) {
		if (S_ISDIR(st.mode))
			err = -EISDIR;
		else if (err == -ENOENT) {
			shell_error(sh, "%s: cannot execute: required file not found", path);
			return STATUS_NOT_FOUND;
		}
	}
	if (err == -ENOEXEC)
		shell_error(sh, "%s: cannot execute binary file: %s", path, tsb_strerror(err));
	else
		shell_error(sh, "%s: %s", path, tsb_strerror(err));
	return err == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

static int find_path(struct shell *sh, const char *path, struct program *out)
{
	int err = proc_find_program(sh->p, path, out);

	if (err)
		return cannot_run(sh, path, err);
	if (out->kind == PROGRAM_SCRIPT) {
		struct program interpreter;

		if (proc_find_program(sh->p, out->interpreter, &interpreter))
			return cannot_run(sh, path, -ENOENT);
	}
	return 0;
}

int run_find(struct shell *sh, const char *name, unsigned flags, struct program *out)
{
	const char *path;

	if (restricted_path(sh, name)) {
		shell_error(sh, "%s: restricted: cannot specify `/' in command names", name);
		return 1;
	}
	if (strchr(name, '/'))
		return find_path(sh, name, out);
	path = *name ? command_program(sh, name, flags, out) : NULL;
	if (!path)
		return not_found(sh, name);
	return out->command ? 0 : find_path(sh, path, out);
}

/* The kernel's copy of the environment follows the exported variables. */
static void sync_environ(struct shell *sh)
{
	if (!sh->environ_stale || sh->environ_stale == ENVIRON_GIVEN)
		return;
	environ_make_all(sh);	/* what waits is in the old one, which goes */
	proc_set_environ(sh->p, var_environ(sh));
}

/* The exported variables and _, the path of the program. */
static const char *const *program_environ(struct shell *sh, const char *path)
{
	const char *const *env = var_environ(sh);
	const char **out;
	size_t n = 0, at, len = strlen(path);
	char *last;

	while (env[n])
		n++;
	out = arena_array(&sh->turn, n + 2, sizeof(*out));
	last = arena_alloc(&sh->turn, len + 3);
	if (!out || !last)
		return env;
	memcpy(out, env, n * sizeof(*out));
	for (at = 0; at < n && (env[at][0] != '_' || env[at][1] != '='); at++)
		;
	memcpy(last, "_=", 2);
	memcpy(last + 2, path, len + 1);
	out[at] = last;
	out[at == n ? n + 1 : n] = NULL;
	return out;
}

const char *const *run_without_level(struct shell *sh, const char *const *env)
{
	size_t n = 0;
	int64_t level;
	const char **out;

	while (env[n])
		n++;
	out = arena_array(&sh->turn, n + 1, sizeof(*out));
	memcpy(out, env, (n + 1) * sizeof(*out));
	for (size_t i = 0; i < n; i++)
		if (!strncmp(out[i], "SHLVL=", 6) && text_number(out[i] + 6, &level) && level > 0)
			out[i] = tsb_format(sh->p, "SHLVL=%d", (int)level - 1);
	return out;
}

/* Not so in a pipeline, nor behind a redirection at the end of bash -c, where bash forks. */
static const char *const *exec_environ(struct shell *sh, const char *path)
{
	const char *const *env = program_environ(sh, path);
	const struct doing *d = doing(sh);

	if (d->stage == d->simple || (d->exec_last && d->simple->redirs))
		return env;
	return run_without_level(sh, env);
}

int run_start(struct shell *sh, const struct program *program, char **argv)
{
	struct tsb_proc *child;
	int err;

	sync_environ(sh);
	if (shell_fork_plain(sh, &child))
		return -1;
	job_group(sh, child);
	err = proc_start_program(child, program, (const char *const *)argv,
				 program_environ(sh, program->path));
	if (err) {
		shell_error(sh, "%s: %s", program->path, tsb_strerror(err));
		proc_abandon(child);
		return -1;
	}
	return proc_pid(child);
}

static char *argv_text(struct shell *sh, char **argv)
{
	struct str t;
	char *out;

	str_init(&t, sh->heap, STR_MAX_DEFAULT);
	for (; *argv; argv++) {
		str_adds(&t, *argv);
		if (argv[1])
			str_addc(&t, ' ');
	}
	out = arena_dup(&sh->turn, t.p, t.n);
	str_end(&t);
	return out;
}

static int run_program(struct shell *sh, char **argv, unsigned flags)
{
	struct program program;
	int status = run_find(sh, argv[0], flags, &program), pid, w;

	if (status)
		return status;
	if (doing(sh)->exec_node && doing(sh)->exec_node == doing(sh)->simple &&
	    !doing(sh)->n_traps && (!sh->jobs || sh->jobs->foreign))
		proc_exec(sh->p, &program, (const char *const *)argv,
			  exec_environ(sh, program.path));
	pid = run_start(sh, &program, argv);
	if (pid < 0)
		return 254;
	w = job_wait_front(sh, pid);
	if (w & 0x7f)
		job_report(sh, w, pid, doing(sh)->simple ?
			   node_text(sh, doing(sh)->simple) : argv_text(sh, argv),
			   redir_outer_error(sh));
	return status_of_wait(w);
}

bool run_is_program(struct shell *sh, const char *name, size_t n)
{
	return !builtin_active(sh, name, n) && !function_find(sh, name, n);
}

static int child_main(struct tsb_proc *p, void *arg)
{
	struct shell *sh = arg;
	struct doing *d = doing(sh);
	struct redir_undo undo;
	enum flow flow = FLOW_NEXT;

	(void)p;
	shell_enter_process(sh);
	d->simple = d->exec_node = d->start_node;
	redir_begin(sh, &undo);
	if (d->start_node->simple.assigns && d->start_argc)
		var_hide_temporary(sh, true);
	sh->status = redir_apply(sh, d->start_node->redirs, &undo, &flow);
	if (d->start_node->simple.assigns && d->start_argc)
		var_hide_temporary(sh, false);
	if (!sh->status && d->start_argc)
		sh->status = run_command(sh, d->start_argc, d->start_argv, 0, &flow);
	return shell_finish(sh, flow);
}

int run_in_child(struct shell *sh, const struct node *n, int argc, char **argv)
{
	struct tsb_proc *child;
	struct shell *csh = shell_fork(sh, &child);
	int w;

	if (!csh)
		return 254;
	doing(csh)->start_node = n;
	doing(csh)->start_argc = argc;
	doing(csh)->start_argv = heap_array(csh->heap, (size_t)argc + 1, sizeof(*argv));
	for (int i = 0; i < argc; i++)
		doing(csh)->start_argv[i] = heap_strdup(csh->heap, argv[i]);
	doing(csh)->start_argv[argc] = NULL;
	job_group(sh, child);
	proc_start(child, child_main, csh);
	w = job_wait_front(sh, proc_pid(child));
	if (argc && w & 0x7f)
		job_report(sh, w, proc_pid(child), node_text(sh, n), 2);
	return status_of_wait(w);
}

/* command_not_found_handle runs in a subshell with the command as arguments. */
static int handle_main(struct tsb_proc *p, void *arg)
{
	struct shell *sh = arg;
	const struct function *f;
	enum flow flow = FLOW_NEXT;

	(void)p;
	shell_enter_process(sh);
	f = function_find(sh, "command_not_found_handle", 24);
	if (f)
		sh->status = call_function(sh, f->node, doing(sh)->start_argc,
					   doing(sh)->start_argv, &flow);
	return shell_finish(sh, flow);
}

static int run_handle(struct shell *sh, int argc, char **argv)
{
	struct tsb_proc *child;
	struct shell *csh = shell_fork(sh, &child);
	char **copy;

	if (!csh)
		return 254;
	copy = heap_array(csh->heap, (size_t)argc + 2, sizeof(*copy));
	copy[0] = heap_strdup(csh->heap, "command_not_found_handle");
	for (int i = 0; i < argc; i++)
		copy[i + 1] = heap_strdup(csh->heap, argv[i]);
	copy[argc + 1] = NULL;
	doing(csh)->start_argv = copy;
	doing(csh)->start_argc = argc + 1;
	proc_start(child, handle_main, csh);
	return status_of_wait(job_wait_pid(sh, proc_pid(child)));
}

/* %1 as a command is fg %1. */
static int run_job(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	static char fg[] = "fg";
	char **words = arena_array(&sh->turn, (size_t)argc + 2, sizeof(*words));

	words[0] = fg;
	memcpy(words + 1, argv, ((size_t)argc + 1) * sizeof(*words));
	return run_builtin(sh, builtin_find("fg", 2), argc + 1, words, flow);
}

int run_command(struct shell *sh, int argc, char **argv, unsigned flags, enum flow *flow)
{
	size_t n = strlen(argv[0]);
	const struct builtin *b = builtin_active(sh, argv[0], n);
	const struct function *f = NULL;

	job_reap_quietly(sh);
	if (!(flags & RUN_NO_FUNCTION) &&
	    !(sh->opts[OPT_POSIX] && b && (b->flags & BUILTIN_SPECIAL)))
		f = function_find(sh, argv[0], n);
	if (f)
		return call_function(sh, f->node, argc, argv, flow);
	if (argv[0][0] == '%' && !b && !(doing(sh)->stage && doing(sh)->stage == doing(sh)->simple))
		return run_job(sh, argc, argv, flow);
	if (b) {
		int status = run_builtin(sh, b, argc, argv, flow);

		if (doing(sh)->misused && sh->opts[OPT_POSIX] && (b->flags & BUILTIN_SPECIAL) &&
		    *flow == FLOW_NEXT && !(flags & RUN_NO_FUNCTION) && !sh->interactive)
			*flow = FLOW_EXIT;
		return status;
	}
	/* Builtins and functions are steps of the shell, which the clock bounds. */
	proc_charge_command(sh->p, argv[0]);
	if (!strchr(argv[0], '/') && function_find(sh, "command_not_found_handle", 24) &&
	    !(*argv[0] && command_path(sh, argv[0], flags)))
		return run_handle(sh, argc, argv);
	return run_program(sh, argv, flags);
}

/* ---- Commands that need no copy of the shell ---- */

/* A builtin that only prints: echo, printf, pwd ... */
static bool builtin_only_prints(const struct builtin *b, int argc, char *const *argv)
{
	static const char *const names[] = { "echo", "pwd", "true", "false", ":", NULL };

	if (!strcmp(b->name, "printf"))
		return argc < 2 || strncmp(argv[1], "-v", 2) != 0;
	for (size_t i = 0; names[i]; i++)
		if (!strcmp(b->name, names[i]))
			return true;
	return false;
}

/* Nothing in it changes the shell when its words are expanded. */
static bool quick_is_pure(const struct shell *sh, const struct node *n)
{
	if (n->kind != NODE_SIMPLE || !n->simple.words || n->simple.decl || n->simple.assigns)
		return false;
	if (doing(sh)->n_traps || !(n->simple.words->flags & WORD_LITERAL))
		return false;
	for (const struct word *w = n->simple.words; w; w = w->next)
		if (w->flags & WORD_EFFECTS)
			return false;
	for (const struct redir *r = n->redirs; r; r = r->next)
		if (r->var.n || (r->word && (r->word->flags & WORD_EFFECTS)))
			return false;
	return true;
}

enum quick quick_prepare(struct shell *sh, const struct node *n, struct quick_command *out)
{
	struct slice name;

	memset(out, 0, sizeof(*out));
	if (!quick_is_pure(sh, n))
		return QUICK_NO;
	name = n->simple.words->text;
	if (function_find(sh, name.p, name.n))
		return QUICK_NO;
	out->builtin = builtin_active(sh, name.p, name.n);
	if (out->builtin && (n->redirs || !builtin_only_prints(out->builtin, 0, NULL)))
		return QUICK_NO;
	if (!out->builtin && !memchr(name.p, '/', name.n) &&
	    !command_program(sh, name.p, RUN_UNHASHED, &out->program))
		return QUICK_NO;	/* the child says "command not found" */
	sh->line = n->line;
	if (expand_words(sh, n->simple.words, &out->fields) != FLOW_NEXT)
		return out->kind = QUICK_FAILED;
	if (out->builtin) {
		if (!builtin_only_prints(out->builtin, (int)out->fields.n, out->fields.at))
			return QUICK_NO;
		return out->kind = QUICK_BUILTIN;
	}
	return out->kind = QUICK_PROGRAM;
}
