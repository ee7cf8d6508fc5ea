/*
 * A session as a script that makes it again: working directory, options,
 * variables, functions, aliases, traps. Read back by running it.
 */
#include "shell/doing.h"

#include <stdlib.h>
#include <string.h>

#include "shell/builtin/builtin.h"
#include "text/escape.h"

/* Variables that the shell makes itself, or that cannot be assigned. */
static bool is_own(const struct var *v)
{
	static const char *const names[] = {
		"BASHOPTS", "BASHPID", "BASH_ALIASES", "BASH_ARGC", "BASH_ARGV", "BASH_CMDS",
		"BASH_COMMAND", "BASH_LINENO", "BASH_SOURCE", "BASH_SUBSHELL", "BASH_VERSINFO",
		"BASH_VERSION", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME",
		"GROUPS", "LINENO", "PIPESTATUS", "PPID", "RANDOM", "SECONDS", "SHELLOPTS",
		"SRANDOM", "UID", "_", "BASH", "BASH_ARGV0", "BASH_LOADABLES_PATH", "HISTCMD",
		"HOSTNAME", "HOSTTYPE", "MACHTYPE", "OSTYPE", "SHLVL", NULL
	};

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], v->name))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct var *const *)a)->name, (*(struct var *const *)b)->name);
}

/* Not var_sorted(): that brings the computed ones up to date, which takes a
 * process, and a kept session has none. */
static void dump_variables(struct shell *sh, struct str *out)
{
	struct var **all = heap_array(sh->heap, sh->vars.n + 1, sizeof(*all));
	size_t n = 0;

	if (!all)
		return;
	for (struct map_entry *e = NULL; (e = map_next(&sh->vars, e));)
		if (e->value && !is_own(e->value))
			all[n++] = e->value;
	qsort(all, n, sizeof(*all), by_name);
	for (size_t i = 0; i < n; i++) {
		var_print(sh, all[i], out);
		str_addc(out, '\n');
	}
	heap_free(sh->heap, all);
}

static void dump_options(const struct shell *sh, struct str *out)
{
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		const char *name = option_name((enum opt_id)i);

		/* those that would stop the script come last, see dump_late() */
		if (i == OPT_ERREXIT || i == OPT_NOUNSET || i == OPT_NOEXEC || i == OPT_XTRACE ||
		    i == OPT_VERBOSE || i == OPT_ONECMD || i == SHOPT_LOGIN_SHELL ||
		    i == SHOPT_RESTRICTED_SHELL)
			continue;
		if (is_set_option((enum opt_id)i))
			str_addf(out, "set %co %s\n", sh->opts[i] ? '-' : '+', name);
		else
			str_addf(out, "shopt -%c %s\n", sh->opts[i] ? 's' : 'u', name);
	}
}

static void dump_late(const struct shell *sh, struct str *out)
{
	static const enum opt_id late[] = { OPT_ERREXIT, OPT_NOUNSET, OPT_VERBOSE, OPT_XTRACE };

	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++)
		if (sh->opts[late[i]])
			str_addf(out, "set -o %s\n", option_name(late[i]));
}

static void dump_functions(struct shell *sh, struct str *out)
{
	struct arena_mark m = arena_mark(&sh->turn);
	struct function **all = function_sorted(sh);

	for (size_t i = 0; all[i]; i++) {
		const char *name = all[i]->node->named.name.s;

		function_print(sh, all[i], out);
		if (all[i]->flags & VAR_EXPORT)
			str_addf(out, "export -f %s\n", name);
		if (all[i]->flags & VAR_READONLY)
			str_addf(out, "readonly -f %s\n", name);
	}
	arena_reset(&sh->turn, m);
}

static void dump_rest(const struct shell *sh, struct str *out)
{
	for (struct map_entry *e = NULL; (e = map_next(&sh->aliases, e));) {
		str_addf(out, "alias -- %s=", e->key);
		quote_single(out, e->value, strlen(e->value));
		str_addc(out, '\n');
	}
	for (int i = 1; i < TRAP_COUNT; i++) {
		const char *action = sh->traps[i].action;

		if (!action)
			continue;
		str_adds(out, "trap -- ");
		quote_single(out, action, strlen(action));
		str_addf(out, " %s\n", i == TRAP_DEBUG ? "DEBUG" : i == TRAP_ERR ? "ERR" :
			 i == TRAP_RETURN ? "RETURN" : signal_name(i));
	}
	for (size_t i = sh->dirs.n; i > 0; i--) {
		str_adds(out, "pushd -n ");
		quote_single(out, sh->dirs.at[i - 1], strlen(sh->dirs.at[i - 1]));
		str_adds(out, " >/dev/null\n");
	}
	if (doing(sh)->umask)
		str_addf(out, "umask %04o\n", doing(sh)->umask - 1);
	str_adds(out, "set --");
	for (size_t i = 0; i < sh->n_args; i++) {
		str_addc(out, ' ');
		quote_single(out, sh->args[i], strlen(sh->args[i]));
	}
	str_addc(out, '\n');
}

void shell_dump(const struct shell *csh, struct str *out)
{
	struct shell *sh = (struct shell *)(uintptr_t)csh;

	dump_options(sh, out);
	dump_functions(sh, out);
	dump_rest(sh, out);
	dump_variables(sh, out);
	dump_late(sh, out);
}
