/*
 * Builtins that run something else: eval, source, exec, command, builtin.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The arguments joined by spaces, in sh->turn. */
static char *join(struct shell *sh, int argc, char **argv, int from)
{
	struct str t;
	char *out;

	str_init(&t, sh->heap, STR_MAX_DEFAULT);
	for (int i = from; i < argc; i++) {
		if (i > from)
			str_addc(&t, ' ');
		str_adds(&t, argv[i]);
	}
	out = arena_dup(&sh->turn, t.p, t.n);
	str_end(&t);
	return out;
}

int builtin_eval(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct bopt o;
	char *text;
	uint32_t line = sh->line;

	bopt_init(&o, sh, argc, argv);
	if (bopt_next(&o, ""))
		return STATUS_USAGE;
	if (o.at >= argc)
		return 0;
	text = join(sh, argc, argv, o.at);
	sh->builtin = NULL;
	doing(sh)->trace_level++;
	*flow = eval_text(sh, text, strlen(text), "eval", line);
	doing(sh)->trace_level--;
	sh->line = line;
	sh->builtin = "eval";
	return sh->status;
}

/* A name without slash is searched in PATH (any readable file), then here; in POSIX mode it
 * is NULL then. */
static const char *source_path(struct shell *sh, const char *name)
{
	struct slice v;
	const char *at, *end;

	if (strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
		return name;
	if (!sh->opts[SHOPT_SOURCEPATH] || !var_get_text(sh, "PATH", &v))
		return sh->opts[OPT_POSIX] ? NULL : name;
	at = v.p;
	end = v.p + v.n;
	while (at && at <= end) {
		const char *colon = memchr(at, ':', (size_t)(end - at));
		size_t n = (size_t)((colon ? colon : end) - at);
		char *path = turn_path(sh, n ? at : ".", n ? n : 1, name);
		struct tsb_stat st;

		if (!tsb_stat(sh->p, path, &st) && !S_ISDIR(st.mode) &&
		    !tsb_access(sh->p, path, TSB_R_OK))
			return path;
		at = colon ? colon + 1 : NULL;
	}
	return sh->opts[OPT_POSIX] ? NULL : name;
}

int builtin_source(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct bopt o;
	const char *path, *outer = sh->builtin;

	bopt_init(&o, sh, argc, argv);
	if (bopt_next(&o, ""))
		return STATUS_USAGE;
	if (o.at >= argc) {
		builtin_error(sh, "filename argument required");
		return builtin_usage(sh);
	}
	if (restricted_path(sh, argv[o.at]) && builtin_restricted(sh, argv[o.at]))
		return 1;
	path = source_path(sh, argv[o.at]);
	if (!path) {
		builtin_error(sh, "%s: file not found", argv[o.at]);
		doing(sh)->misused = true;
		return 1;
	}
	*flow = source_file(sh, path, path == argv[o.at] ? argv[o.at] : path, argc - o.at - 1,
			    argv + o.at + 1, false);
	sh->builtin = outer;
	return sh->status;
}

/* ---- exec ---- */

static int exec_failed(struct shell *sh, int status, enum flow *flow)
{
	if (!sh->opts[SHOPT_EXECFAIL] && !sh->interactive) {
		*flow = FLOW_EXIT;
		doing(sh)->exiting = true;
	}
	return status;
}

/* exec speaks of the whole path. */
static const char *exec_absolute(struct shell *sh, const char *path)
{
	const char *cwd = tsb_getcwd(sh->p);

	while (!strncmp(path, "./", 2))
		path += 2;
	return turn_path(sh, cwd, strlen(cwd), path);
}

/* Looks up with exec's own wording. */
static int exec_find(struct shell *sh, const char *name, struct program *program)
{
	const char *path = name;
	int status;

	if (!strchr(name, '/')) {
		bool dots = !strcmp(name, ".") || !strcmp(name, "..");

		path = dots ? name : *name ? command_path(sh, name, 0) : NULL;
		if (dots) {
			builtin_error(sh, "%s: cannot execute: %s", name, tsb_strerror(EISDIR));
			return STATUS_NOT_EXECUTABLE;
		}
		if (!path) {
			builtin_error(sh, "%s: not found", name);
			return STATUS_NOT_FOUND;
		}
	}
	if (*path != '/')
		path = exec_absolute(sh, path);
	status = run_find(sh, path, 0, program);
	if (status == STATUS_NOT_EXECUTABLE) {
		struct tsb_stat st;
		bool dir = !tsb_stat(sh->p, path, &st) && S_ISDIR(st.mode);

		builtin_error(sh, "%s: cannot execute: %s", path,
			      tsb_strerror(dir ? EISDIR : EACCES));
	}
	return status;
}

static const char *const *exec_environ(struct shell *sh, bool clean)
{
	static const char *const none[] = { NULL };

	if (clean)
		return none;
	/* In ( ) bash does not bother. */
	if (sh->is_subshell && !doing(sh)->in_substitution)
		return var_environ(sh);
	return run_without_level(sh, var_environ(sh));
}

/* The outermost shell of a run stays to be the first process: it waits. */
static int exec_by_waiting(struct shell *sh, const struct program *program, char **argv,
			   const char *const *env, enum flow *flow)
{
	struct tsb_proc *child;
	int w;

	if (shell_fork_plain(sh, &child))
		return exec_failed(sh, STATUS_NOT_EXECUTABLE, flow);
	if (proc_start_program(child, program, (const char *const *)argv, env)) {
		proc_abandon(child);
		return exec_failed(sh, STATUS_NOT_EXECUTABLE, flow);
	}
	w = job_wait_pid(sh, proc_pid(child));
	doing(sh)->exit_trap_done = true;
	*flow = FLOW_EXIT;
	return status_of_wait(w);
}

int builtin_exec(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	const char *name = NULL;
	bool clean = false, login = false;
	struct program program;
	struct bopt o;
	char **args;
	int status;

	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "cla:"));) {
		if (c < 0)
			return STATUS_USAGE;
		clean |= c == 'c';
		login |= c == 'l';
		name = c == 'a' ? o.arg : name;
	}
	if (o.at >= argc) {
		doing(sh)->keep_redirs = true;
		return 0;
	}
	if (builtin_restricted(sh, NULL))
		return 1;
	status = exec_find(sh, argv[o.at], &program);
	if (status)
		return exec_failed(sh, status, flow);
	args = argv + o.at;
	if (name)
		args[0] = (char *)(uintptr_t)name;
	if (login)
		args[0] = turn_join(sh, "-", args[0], NULL);
	if (doing(sh)->first)
		return exec_by_waiting(sh, &program, args, exec_environ(sh, clean), flow);
	doing(sh)->keep_redirs = true;
	proc_exec(sh->p, &program, (const char *const *)args, exec_environ(sh, clean));
	return exec_failed(sh, STATUS_NOT_EXECUTABLE, flow);
}

/* ---- command, builtin ---- */

int builtin_command(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	unsigned flags = RUN_NO_FUNCTION, describe = 0;
	struct bopt o;
	int status = 0;
	const char *outer = sh->builtin;

	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "pvV"));) {
		if (c < 0)
			return STATUS_USAGE;
		if (c == 'p' && builtin_restricted(sh, "-p"))
			return 1;
		if (c == 'p')
			flags |= RUN_STANDARD_PATH;
		else
			describe = c == 'v' ? TYPE_REUSABLE : TYPE_SHORT;
	}
	if (o.at >= argc)
		return 0;
	if (!describe) {
		bool commanded = doing(sh)->commanded;
		struct decl_tree *t;

		doing(sh)->commanded = true;
		sh->builtin = NULL;
		for (t = doing(sh)->decl; t; t = t->next)
			t->index -= o.at;
		status = run_command(sh, argc - o.at, argv + o.at, flags, flow);
		doing(sh)->commanded = commanded;
		sh->builtin = outer;
		doing(sh)->misused = false;	/* command takes the special from it */
		return status;
	}
	if (flags & RUN_STANDARD_PATH)
		describe |= TYPE_STANDARD;
	status = 1;
	for (int i = o.at; i < argc; i++) {
		if (describe_command(sh, argv[i], describe))
			status = 0;
		else if (describe & TYPE_SHORT)
			builtin_error(sh, "%s: not found", argv[i]);
	}
	return status;
}

int builtin_builtin(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	const struct builtin *b;
	const char *outer = sh->builtin;
	struct bopt o;
	int status;

	bopt_init(&o, sh, argc, argv);
	if (bopt_next(&o, ""))
		return STATUS_USAGE;
	if (o.at >= argc)
		return 0;
	b = builtin_find(argv[o.at], strlen(argv[o.at]));
	if (!b) {
		builtin_error(sh, "%s: not a shell builtin", argv[o.at]);
		return 1;
	}
	for (struct decl_tree *t = doing(sh)->decl; t; t = t->next)
		t->index -= o.at;
	status = run_builtin(sh, b, argc - o.at, argv + o.at, flow);
	sh->builtin = outer;
	return status;
}
