/*
 * set and shopt: the options of the shell, in one array by enum opt_id.
 */
#include "shell/builtin/builtin.h"

#include <string.h>

struct option_row {
	const char *name;
	char letter;		/* of set; 0: none */
	bool is_set;		/* set -o, else shopt */
};

static const struct option_row rows[] = {
#define SET_OPTION(id, name, letter, def) { name, letter, true },
#define SHOPT_OPTION(id, name, def) { name, 0, false },
#include "shell/options.def"
#undef SET_OPTION
#undef SHOPT_OPTION
};

bool is_set_option(enum opt_id id)
{
	return rows[id].is_set;
}

const char *option_name(enum opt_id id)
{
	return rows[id].name;
}

int set_option_letter(enum opt_id id)
{
	return rows[id].letter;
}

static enum opt_id by_name(const char *name, size_t n, bool is_set)
{
	for (unsigned i = 0; i < OPT_COUNT; i++)
		if (rows[i].is_set == is_set && strlen(rows[i].name) == n &&
		    !memcmp(rows[i].name, name, n))
			return (enum opt_id)i;
	return OPT_COUNT;
}

enum opt_id set_option_by_name(const char *name, size_t n)
{
	return by_name(name, n, true);
}

enum opt_id shopt_by_name(const char *name)
{
	return by_name(name, strlen(name), false);
}

static enum opt_id by_letter(int letter)
{
	for (unsigned i = 0; i < OPT_COUNT; i++)
		if (rows[i].letter == letter)
			return (enum opt_id)i;
	return OPT_COUNT;
}

bool shell_set_option(struct shell *sh, enum opt_id id, bool on)
{
	if (id == OPT_INTERACTIVE_COMMENTS || id == SHOPT_INTERACTIVE_COMMENTS)
		sh->opts[OPT_INTERACTIVE_COMMENTS] = sh->opts[SHOPT_INTERACTIVE_COMMENTS] = on;
	if (id == SHOPT_LOGIN_SHELL || id == SHOPT_RESTRICTED_SHELL)
		return true;		/* they stay what they are */
	if (id == OPT_IGNOREEOF && on)
		var_set_text(sh, "IGNOREEOF", "10", 2);
	else if (id == OPT_IGNOREEOF)
		var_unset(sh, "IGNOREEOF", 9, false);
	if (id == OPT_HISTORY && on && !sh->opts[id])
		history_begin(sh);
	sh->opts[id] = on;
	if (id == OPT_MONITOR)
		doing(sh)->control_off = false;
	if (id == SHOPT_EXTDEBUG && on) {
		char **argv;
		size_t n;

		shell_main_argv(sh, true, &argv, &n);
	}
	if (id == OPT_VI && on)
		sh->opts[OPT_EMACS] = false;
	if (id == OPT_EMACS && on)
		sh->opts[OPT_VI] = false;
	if (id == OPT_POSIX) {
		if (on && !var_find_text(sh, "POSIXLY_CORRECT", 15))
			var_set_text(sh, "POSIXLY_CORRECT", "y", 1);
		else if (!on)
			var_unset(sh, "POSIXLY_CORRECT", 15, false);
		if (on)
			sh->opts[SHOPT_INHERIT_ERREXIT] = sh->opts[SHOPT_EXPAND_ALIASES] =
				sh->opts[SHOPT_SHIFT_VERBOSE] = true;
		sh->posix_sh = on;
	}
	return true;
}

void set_option_print(struct shell *sh, enum opt_id id, bool reusable)
{
	if (reusable)
		putf(sh, "set %co %s\n", sh->opts[id] ? '-' : '+', rows[id].name);
	else
		putf(sh, "%-15s\t%s\n", rows[id].name, sh->opts[id] ? "on" : "off");
}

/* ---- set ---- */

static void list_set_options(struct shell *sh, bool reusable)
{
	for (unsigned i = 0; i < OPT_COUNT; i++)
		if (rows[i].is_set)
			set_option_print(sh, (enum opt_id)i, reusable);
}

static void list_variables(struct shell *sh)
{
	struct function **functions;

	var_print_all(sh, &doing(sh)->out);
	if (sh->opts[OPT_POSIX])
		return;
	functions = function_sorted(sh);
	for (size_t i = 0; functions[i]; i++)
		function_print(sh, functions[i], &doing(sh)->out);
}

static int set_by_name(struct shell *sh, const char *name, bool on)
{
	enum opt_id id = set_option_by_name(name, strlen(name));

	if (id == OPT_COUNT) {
		builtin_error(sh, "%s: invalid option name", name);
		doing(sh)->misused = true;
		return STATUS_USAGE;
	}
	shell_set_option(sh, id, on);
	return 0;
}

/* Options of one argument "-eux" (or "+x"). *at moves over the name of -o. */
static int set_cluster(struct shell *sh, int argc, char **argv, int *at)
{
	const char *a = argv[*at];
	bool on = *a == '-';
	int status = 0;

	for (a++; *a; a++) {
		enum opt_id id;

		if (*a == 'o') {
			const char *name = *at + 1 < argc ? argv[*at + 1] : NULL;

			if (!name || ((*name == '-' || *name == '+') && name[1])) {
				list_set_options(sh, !on);
				continue;
			}
			++*at;
			status = set_by_name(sh, name, on);
			if (status)
				return status;
			continue;
		}
		if (*a == 'r' && (on || !restricted(sh))) {
			sh->opts[SHOPT_RESTRICTED_SHELL] |= on;
			if (on && !sh->command_string)	/* bash -c: not yet */
				shell_restrict(sh);
			continue;
		}
		id = by_letter(*a);
		if (id == OPT_COUNT) {
			builtin_error(sh, "%c%c: invalid option", on ? '-' : '+', *a);
			builtin_usage(sh);
			return *a == 'r' ? 1 : STATUS_USAGE;
		}
		shell_set_option(sh, id, on);
	}
	return status;
}

/* All letters are looked at before one is obeyed; behind an o its argument is not. */
static int set_check(struct shell *sh, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];

		if ((*a != '-' && *a != '+') || !strcmp(a, "-") || !strcmp(a, "--"))
			return 0;
		while (*++a && *a != 'o')
			if (*a != 'r' && by_letter(*a) == OPT_COUNT) {
				builtin_error(sh, "%c%c: invalid option", *argv[i], *a);
				builtin_usage(sh);
				return STATUS_USAGE;
			}
		if (*a && !a[1] && i + 1 < argc && argv[i + 1][0] != '-' && argv[i + 1][0] != '+')
			i++;
	}
	return 0;
}

/* set -n in a script: nothing that follows runs, traps and set +n neither. */
static void stop_running(struct shell *sh, enum flow *flow)
{
	if (!sh->opts[OPT_NOEXEC] || sh->interactive)
		return;
	doing(sh)->exit_trap_done = true;
	*flow = FLOW_ABORT;	/* what follows is still looked at */
}

int builtin_set(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int i = 1, status = set_check(sh, argc, argv);

	if (status)
		return status;
	if (argc == 1) {
		list_variables(sh);
		return 0;
	}
	for (; i < argc; i++) {
		const char *a = argv[i];

		if (!strcmp(a, "--")) {
			shell_set_args(sh, (size_t)(argc - i - 1), argv + i + 1);
			return 0;
		}
		if (!strcmp(a, "-")) {
			sh->opts[OPT_XTRACE] = sh->opts[OPT_VERBOSE] = false;
			if (i + 1 < argc)
				shell_set_args(sh, (size_t)(argc - i - 1), argv + i + 1);
			return 0;
		}
		if (!strcmp(a, "+"))
			continue;
		if (*a != '-' && *a != '+')
			break;
		status = set_cluster(sh, argc, argv, &i);
		if (status)
			return status;
	}
	if (i < argc)
		shell_set_args(sh, (size_t)(argc - i), argv + i);
	stop_running(sh, flow);
	return 0;
}

/* ---- shopt ---- */

static void shopt_print(struct shell *sh, enum opt_id id, bool reusable, bool o)
{
	if (o)
		set_option_print(sh, id, reusable);
	else if (reusable)
		putf(sh, "shopt %s %s\n", sh->opts[id] ? "-s" : "-u", rows[id].name);
	else
		putf(sh, "%-15s\t%s\n", rows[id].name, sh->opts[id] ? "on" : "off");
}

struct shopt {
	bool set, unset, quiet, reusable, o;
};

static int shopt_list(struct shell *sh, const struct shopt *s)
{
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (rows[i].is_set != s->o)
			continue;
		if ((s->set && !sh->opts[i]) || (s->unset && sh->opts[i]))
			continue;
		if (!s->quiet)
			shopt_print(sh, (enum opt_id)i, s->reusable, s->o);
	}
	return 0;
}

static int shopt_one(struct shell *sh, const struct shopt *s, const char *name)
{
	enum opt_id id = by_name(name, strlen(name), s->o);

	if (id == OPT_COUNT) {
		builtin_error(sh, "%s: invalid %soption name", name, s->o ? "" : "shell ");
		return !(s->o && (s->set || s->unset));
	}
	if (s->set || s->unset) {
		if (!shell_set_option(sh, id, s->set))
			return 1;
		return 0;
	}
	if (!s->quiet)
		shopt_print(sh, id, s->reusable, s->o);
	return !sh->opts[id];
}

int builtin_shopt(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct shopt s = { 0 };
	struct bopt o;
	int status = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "psuoq"));) {
		if (c < 0)
			return STATUS_USAGE;
		s.set |= c == 's';
		s.unset |= c == 'u';
		s.quiet |= c == 'q';
		s.reusable |= c == 'p';
		s.o |= c == 'o';
	}
	if (s.set && s.unset) {
		builtin_error(sh, "cannot set and unset shell options simultaneously");
		return 1;
	}
	if (o.at >= argc)
		return shopt_list(sh, &s);
	for (int i = o.at; i < argc; i++)
		if (shopt_one(sh, &s, argv[i]))
			status = 1;
	return status;
}
