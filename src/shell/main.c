/*
 * The commands bash and sh: a shell in a process of its own, as a script's
 * interpreter, with -c, or reading commands from standard input.
 */
#include "shell/doing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "shell/builtin/builtin.h"

#define BASH_VERSION_TEXT "5.2.15(1)-release (x86_64-pc-linux-gnu)"

struct start {
	struct shell *sh;
	int argc, at;
	char **argv;
	bool command, stdin_script, interactive, login, no_rc, restricted, pretty, debugger, no_editing;
	const char *init_file;
};

static const char usage_text[] =
	"Usage:\tbash [GNU long option] [option] ...\n"
	"\tbash [GNU long option] [option] script-file ...\n"
	"GNU long options:\n\t--debug\n\t--debugger\n\t--dump-po-strings\n\t--dump-strings\n"
	"\t--help\n\t--init-file\n\t--login\n\t--noediting\n\t--noprofile\n\t--norc\n"
	"\t--posix\n\t--pretty-print\n\t--rcfile\n\t--restricted\n\t--verbose\n\t--version\n"
	"Shell options:\n\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n"
	"\t-abefhkmnptuvxBCEHPT or -o option\n";

static int start_bad(struct start *st, const char *fmt, const char *what)
{
	bool option = !strcmp(fmt, "invalid option");
	bool ends = option && st->sh->opts[OPT_ERREXIT];	/* -e: at the message */
	struct str m;

	str_init(&m, st->sh->heap, STR_MAX_DEFAULT);
	str_addf(&m, "%s: %s: %s\n", st->sh->arg0, what, fmt);
	if (option && !ends)
		str_adds(&m, usage_text);
	tsb_write_all(st->sh->p, 2, m.p, m.n);
	str_end(&m);
	return ends ? 1 : STATUS_USAGE;
}

static int start_version(struct start *st)
{
	static const char text[] = "GNU bash, version " BASH_VERSION_TEXT "\n";

	tsb_write_all(st->sh->p, 1, text, sizeof(text) - 1);
	return -1;
}

static int start_help(struct start *st)
{
	struct shell *sh = st->sh;

	puts_(sh, usage_text);
	put_flush(sh);
	return -1;
}

/* Those that only set something; OPT_COUNT: none in the shell's options. */
static bool start_flag(struct start *st, const char *name)
{
	struct shell *sh = st->sh;

	if (!strcmp(name, "login"))
		st->login = true;
	else if (!strcmp(name, "posix"))
		shell_set_option(sh, OPT_POSIX, true);
	else if (!strcmp(name, "verbose"))
		shell_set_option(sh, OPT_VERBOSE, true);
	else if (!strcmp(name, "norc"))
		st->no_rc = true;
	else if (!strcmp(name, "restricted"))
		st->restricted = true;
	else if (!strcmp(name, "pretty-print"))
		st->pretty = true;
	else if (!strcmp(name, "noediting"))
		st->no_editing = true;
	else if (!strcmp(name, "debugger"))
		st->debugger = true;
	else if (!strncmp(name, "dump-", 5) && (!strcmp(name + 5, "strings") ||
						!strcmp(name + 5, "po-strings")))
		doing(sh)->dump = name[5] == 's' ? DUMP_STRINGS : DUMP_PO;
	else
		return !strcmp(name, "noprofile") || !strcmp(name, "debug");
	return true;
}

/* A long option, behind one - or two. 0 to go on, a status, -1: ends well, 1000:
 * none such. */
#define START_UNKNOWN 1000
static int start_long(struct start *st, const char *name)
{
	if (!strcmp(name, "version"))
		return start_version(st);
	if (!strcmp(name, "help"))
		return start_help(st);
	if (!strcmp(name, "rcfile") || !strcmp(name, "init-file")) {
		if (st->at + 1 >= st->argc)
			return start_bad(st, "option requires an argument", name);
		st->init_file = st->argv[++st->at];
		return 0;
	}
	return start_flag(st, name) ? 0 : START_UNKNOWN;
}

/* -O and -o take the next argument. */
static int start_named(struct start *st, char letter, bool on)
{
	struct shell *sh = st->sh;
	const char *name = st->at + 1 < st->argc ? st->argv[st->at + 1] : NULL;
	enum opt_id id;

	if (!name) {
		for (unsigned i = 0; i < OPT_COUNT; i++)
			if (is_set_option((enum opt_id)i) == (letter == 'o'))
				set_option_print(sh, (enum opt_id)i, !on);
		put_flush(sh);
		return -1;
	}
	id = letter == 'o' ? set_option_by_name(name, strlen(name)) : shopt_by_name(name);
	if (id == OPT_COUNT)
		return start_bad(st, letter == 'o' ? "invalid option name" :
				 "invalid shell option name",
				 turn_join(sh, letter == 'o' ? "line 0: bash: " : "line 0: ", name, NULL));
	shell_set_option(sh, id, on);
	st->at++;
	return 0;
}

static int start_letters(struct start *st, const char *a)
{
	struct shell *sh = st->sh;
	bool on = *a == '-';
	int at = st->at;

	for (a++; *a; a++) {
		char letter[2] = { *a, '\0' };
		bool known = false;
		int status;

		if (*a == 'o' || *a == 'O') {
			status = start_named(st, *a, on);
			if (status)
				return status;
			continue;
		}
		if (strchr("cslirD", *a)) {
			st->restricted |= *a == 'r' && on;
			if (*a == 'D')
				doing(sh)->dump = DUMP_STRINGS;
			st->command |= *a == 'c';
			st->stdin_script |= *a == 's';
			st->login |= *a == 'l';
			st->interactive |= *a == 'i';
			continue;
		}
		for (unsigned i = 0; i < OPT_COUNT && !known; i++) {
			if (set_option_letter((enum opt_id)i) != *a)
				continue;
			shell_set_option(sh, (enum opt_id)i, on);
			known = true;
		}
		if (!known) {
			char text[3] = { on ? '-' : '+', letter[0], '\0' };

			return start_bad(st, "invalid option", text);
		}
	}
	(void)at;
	return 0;
}

/* 0: go on at st->at; -1 ends well; else the status. Long options come first. */
static int start_options(struct start *st)
{
	int status = 0;

	for (st->at = 1; st->at < st->argc && st->argv[st->at][0] == '-' && !status; st->at++) {
		const char *a = st->argv[st->at];
		bool two = a[1] == '-';

		status = start_long(st, a + 1 + two);
		if (status == START_UNKNOWN && (!two || !a[2]))
			break;
		if (status == START_UNKNOWN)
			return start_bad(st, "invalid option", a);
	}
	if (status && status != START_UNKNOWN)
		return status;
	for (; st->at < st->argc; st->at++) {
		const char *a = st->argv[st->at];

		if (!strcmp(a, "--") || !strcmp(a, "-")) {
			st->at++;
			return 0;
		}
		if ((*a != '-' && *a != '+') || !a[1])
			return 0;
		status = start_letters(st, a);
		if (status)
			return status;
	}
	return 0;
}

/* ---- Ways to run ---- */

static void take_args(struct start *st, int from)
{
	if (from < st->argc)
		shell_set_args(st->sh, (size_t)(st->argc - from), st->argv + from);
}

static int run_command_string(struct start *st)
{
	struct shell *sh = st->sh;
	const char *text;
	enum flow f;

	if (st->at >= st->argc)
		return start_bad(st, "option requires an argument", "-c");
	text = st->argv[st->at];
	if (st->at + 1 < st->argc) {
		sh->arg0 = heap_strdup(sh->heap, st->argv[st->at + 1]);
		sh->script_name = sh->arg0;
		take_args(st, st->at + 2);
	}
	sh->command_string = true;
	sh->execution_string = (struct slice){ text, strlen(text) };
	doing(sh)->exec_last = true;
	f = run_text(sh, text, strlen(text), sh->arg0, 1, "-c");
	return shell_finish(sh, f);
}

/* BASH_ENV names a file that scripts begin with. */
static enum flow run_bash_env(struct shell *sh)
{
	struct slice v, path;

	if (sh->opts[OPT_POSIX] || !var_get_text(sh, "BASH_ENV", &v) || !v.n)
		return FLOW_NEXT;
	if (expand_text(sh, v.p, v.n, &path) != FLOW_NEXT)
		return FLOW_NEXT;
	return source_file(sh, path.p, path.p, 0, NULL, true);
}

static int script_failed(struct shell *sh, const char *path, int err)
{
	struct str m;

	str_init(&m, sh->heap, STR_MAX_DEFAULT);
	if (err == -EISDIR || err == -ENOEXEC)
		str_addf(&m, "%s: %s: %s\n", path, path, err == -EISDIR ? "Is a directory" :
			 "cannot execute binary file");
	else
		str_addf(&m, "%s: %s: %s\n", sh->arg0, path, tsb_strerror(err));
	tsb_write_all(sh->p, 2, m.p, m.n);
	str_end(&m);
	return err == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

static int run_script_file(struct start *st)
{
	struct shell *sh = st->sh;
	const char *path = st->argv[st->at];
	struct str text;
	enum flow f;
	int fd = tsb_open(sh->p, path, O_RDONLY, 0), err;

	if (fd == -ENOENT && !strchr(path, '/')) {
		const char *found = command_find_path(sh, path, 0);

		if (found) {
			path = heap_strdup(sh->heap, found);
			fd = tsb_open(sh->p, path, O_RDONLY, 0);
		}
	}
	if (fd < 0)
		return script_failed(sh, path, fd);
	str_init(&text, sh->heap, kernel_limits(proc_kernel(sh->p))->source_bytes);
	err = file_read_all(sh, fd, &text);
	tsb_close(sh->p, fd);
	if (!err && text_is_binary(text.p, text.n))
		err = -ENOEXEC;
	if (err)
		return script_failed(sh, path, err);
	text_cut_backslash(&text);
	sh->arg0 = sh->script_name = heap_strdup(sh->heap, path);
	doing(sh)->base_call = (struct call){ .function = "main", .file = sh->arg0 };
	sh->calls = &doing(sh)->base_call;
	take_args(st, st->at + 1);
	f = st->pretty ? show_pretty(sh, text.p, text.n) : run_text(sh, text.p, text.n, sh->arg0, 1, NULL);
	str_end(&text);
	return shell_finish(sh, f);
}

static void set_default(struct shell *sh, const char *name, const char *value)
{
	struct slice v;

	if (!var_get_text(sh, name, &v))
		var_set_text(sh, name, value, strlen(value));
}

/* A person at a terminal: prompts, signals that do not end the shell, ~/.bashrc. */
static void start_prompts(struct start *st)
{
	struct shell *sh = st->sh;
	struct slice home;
	const char *rc = st->init_file;
	/* Its children have the defaults. */
	static const int kept[] = { SIGWINCH, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU };

	sh->prompts = sh->interactive = sh->opts[SHOPT_EXPAND_ALIASES] = sh->opts[OPT_HISTEXPAND] = true;
	sh->opts[OPT_EMACS] |= !st->no_editing && !sh->opts[OPT_VI];
	tsb_signal(sh->p, SIGINT, TSB_SIG_CATCH);
	tsb_signal(sh->p, SIGTERM, TSB_SIG_CATCH);
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		tsb_signal(sh->p, kept[i], TSB_SIG_CATCH);
	shell_set_option(sh, OPT_MONITOR, true);
	terminal_size(sh);
	set_default(sh, "PS1", sh->opts[OPT_POSIX] ? "$ " : "\\s-\\v\\$ ");
	set_default(sh, "PS2", "> ");
	if (var_get_text(sh, "HOME", &home) && home.n)
		set_default(sh, "HISTFILE", turn_join(sh, heap_dup(sh->heap, home.p, home.n), sh->opts[OPT_POSIX] ?
						      "/.sh_history" : "/.bash_history", NULL));
	if (!rc && !st->no_rc && !st->login && !sh->opts[OPT_POSIX] &&
	    var_get_text(sh, "HOME", &home) && home.n)
		rc = turn_join(sh, heap_dup(sh->heap, home.p, home.n), "/.bashrc", NULL);
	if (rc && !st->no_rc)
		source_file(sh, rc, rc, 0, NULL, true);
	shell_set_option(sh, OPT_HISTORY, true);
}

void shell_prompts(struct shell *sh)
{
	struct start st = { .sh = sh };

	set_default(sh, "PS1", "sandbox$ ");
	if (tsb_isatty(sh->p, 0) && tsb_isatty(sh->p, 2))
		start_prompts(&st);
}

/* All of standard input at once: it is not run. */
static int show_stdin(struct start *st)
{
	struct shell *sh = st->sh;
	struct str text;
	enum flow f;

	str_init(&text, sh->heap, kernel_limits(proc_kernel(sh->p))->source_bytes);
	file_read_all(sh, 0, &text);
	f = st->pretty ? show_pretty(sh, text.p, text.n) :
	    run_text(sh, text.p, text.n, sh->arg0, 1, NULL);
	str_end(&text);
	return shell_finish(sh, f);
}

static int run_stdin(struct start *st)
{
	st->sh->stdin_script = true;
	if (st->pretty || doing(st->sh)->dump != DUMP_NONE)
		return show_stdin(st);
	if (tsb_isatty(st->sh->p, 0) && tsb_isatty(st->sh->p, 2))
		start_prompts(st);
	take_args(st, st->at);
	return shell_finish(st->sh, run_stream(st->sh, 0, st->sh->arg0));
}

/* There is no bashdb here either. */
static void start_debugger(struct start *st)
{
	static const char text[] = "bash: /usr/share/bashdb/bashdb-main.inc: No such file or directory\n"
		"bash: warning: cannot start debugger; debugging mode disabled\n";

	tsb_write_all(st->sh->p, 2, text, sizeof(text) - 1);
}

static int start_run(struct start *st)
{
	struct shell *sh = st->sh;
	int status = start_options(st);

	if (status)
		return status < 0 ? 0 : status;
	sh->opts[SHOPT_LOGIN_SHELL] = st->login;
	sh->opts[OPT_NOEXEC] |= doing(sh)->dump != DUMP_NONE;
	if (st->debugger)
		start_debugger(st);
	if (st->interactive)
		sh->interactive = sh->opts[SHOPT_EXPAND_ALIASES] = sh->opts[OPT_HISTEXPAND] =
			sh->opts[OPT_EMACS] = true;
	if (run_bash_env(sh) == FLOW_EXIT)
		return shell_finish(sh, FLOW_EXIT);
	if (st->restricted) {
		shell_restrict(sh);
		functions_drop(sh);	/* of the environment */
	}
	if (st->command)
		return run_command_string(st);
	if (st->at < st->argc && !st->stdin_script)
		return run_script_file(st);
	return run_stdin(st);
}

/* By that name, behind any directory, and behind the - of a login. */
static bool is_rbash(const char *name)
{
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	return !strcmp(name + (*name == '-'), "rbash");
}

static int shell_main(struct tsb_proc *p, bool posix, int argc, char **argv)
{
	struct start st = { .argc = argc + 1 };
	struct shell *sh = shell_new(p, tsb_name(p));
	char **all = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*all));

	all[0] = (char *)(uintptr_t)tsb_name(p);
	for (int i = 0; i < argc; i++)
		all[i + 1] = argv[i];
	st.argv = all;
	st.sh = sh;
	st.restricted = is_rbash(tsb_name(p));
	doing(sh)->first = false;
	shell_enter_process(sh);
	if (posix)
		shell_set_option(sh, OPT_POSIX, true);
	return start_run(&st);
}

static int bash_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return shell_main(p, false, argc, argv);
}

static int sh_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return shell_main(p, true, argc, argv);
}

const struct tsb_command shell_command_bash = {
	.version = TSB_COMMAND_VERSION, .name = "bash",
	.synopsis = "[OPTION]... [-c COMMAND | FILE] [ARGUMENT]...",
	.summary = "run shell commands", .package = "GNU bash", .package_version = "5.2.15",
	.flags = TSB_RAW | TSB_NO_HELP, .run = bash_run,
};

const struct tsb_command shell_command_rbash = {
	.version = TSB_COMMAND_VERSION, .name = "rbash",
	.synopsis = "[OPTION]... [-c COMMAND | FILE] [ARGUMENT]...",
	.summary = "run shell commands, restricted", .package = "GNU bash",
	.package_version = "5.2.15", .flags = TSB_RAW | TSB_NO_HELP, .run = bash_run,
};

const struct tsb_command shell_command_sh = {
	.version = TSB_COMMAND_VERSION, .name = "sh",
	.synopsis = "[OPTION]... [-c COMMAND | FILE] [ARGUMENT]...",
	.summary = "run shell commands, POSIX mode", .package = "GNU bash",
	.package_version = "5.2.15", .flags = TSB_RAW | TSB_NO_HELP, .run = sh_run,
};
