/*
 * The directory stack: dirs, pushd, popd. sh->dirs holds what lies under the
 * working directory, the newest first; number 0 is the working directory itself.
 */
#include "shell/builtin/builtin.h"

#include <string.h>

static const char *here(struct shell *sh)
{
	struct slice v;

	if (var_get_text(sh, "PWD", &v) && v.n)
		return arena_dup(&sh->turn, v.p, v.n);
	return tsb_getcwd(sh->p);
}

static const char *stack_at(struct shell *sh, size_t i)
{
	return i ? sh->dirs.at[i - 1] : here(sh);
}

/* HOME as ~, unless -l. */
static void put_dir(struct shell *sh, const char *dir, bool full)
{
	struct slice home;

	if (!full && var_get_text(sh, "HOME", &home) && home.n > 1 &&
	    !strncmp(dir, home.p, home.n) && (dir[home.n] == '/' || !dir[home.n])) {
		putf(sh, "~%s", dir + home.n);
		return;
	}
	puts_(sh, dir);
}

/* +N counts from the top, -N from the bottom. false: no such entry. */
static bool stack_index(const struct shell *sh, const char *arg, size_t *index)
{
	size_t n = sh->dirs.n + 1;
	int64_t v;

	if (!text_number(arg + 1, &v) || v < 0 || (uint64_t)v >= n)
		return false;
	*index = arg[0] == '+' ? (size_t)v : n - 1 - (size_t)v;
	return true;
}

static bool is_index(const char *arg)
{
	if ((arg[0] != '+' && arg[0] != '-') || !arg[1])
		return false;
	return !arg[1 + strspn(arg + 1, "0123456789")];
}

static void stack_insert(struct shell *sh, size_t at, const char *dir)
{
	char *copy = heap_strdup(sh->heap, dir);
	char **last = vec_add(sh->heap, &sh->dirs);

	if (!last)
		return;
	memmove(sh->dirs.at + at + 1, sh->dirs.at + at, (sh->dirs.n - 1 - at) * sizeof(char *));
	sh->dirs.at[at] = copy;
}

static void stack_remove(struct shell *sh, size_t at)
{
	heap_free(sh->heap, sh->dirs.at[at]);
	memmove(sh->dirs.at + at, sh->dirs.at + at + 1, (sh->dirs.n - at - 1) * sizeof(char *));
	sh->dirs.n--;
}

/* Brings entry `index` to the top, keeping the circle's order. */
static void stack_rotate(struct shell *sh, size_t index)
{
	size_t n = sh->dirs.n + 1;
	char **all = arena_array(&sh->turn, n, sizeof(*all));

	for (size_t i = 0; i < n; i++)
		all[i] = heap_strdup(sh->heap, stack_at(sh, (index + i) % n));
	for (size_t i = 1; i < n; i++) {
		heap_free(sh->heap, sh->dirs.at[i - 1]);
		sh->dirs.at[i - 1] = all[i];
	}
	heap_free(sh->heap, all[0]);
}

static void put_stack(struct shell *sh, bool full, bool lines, bool numbered)
{
	for (size_t i = 0; i <= sh->dirs.n; i++) {
		if (numbered)
			putf(sh, "%2zu  ", i);
		put_dir(sh, stack_at(sh, i), full);
		puts_(sh, lines || i == sh->dirs.n ? "\n" : " ");
	}
}

static int out_of_range(struct shell *sh, const char *arg)
{
	if (!sh->dirs.n)
		builtin_error(sh, "directory stack empty");
	else
		builtin_error(sh, "%s: directory stack index out of range", arg);
	return 1;
}

int builtin_dirs(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool full = false, lines = false, numbered = false;
	size_t index;

	(void)flow;
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];

		if (!strcmp(a, "--"))
			continue;
		if (is_index(a)) {
			if (!stack_index(sh, a, &index)) {
				return out_of_range(sh, a + 1);
			}
			put_dir(sh, stack_at(sh, index), full);
			puts_(sh, "\n");
			return 0;
		}
		if (a[0] != '-' || !a[1]) {
			builtin_error(sh, "%s: invalid option", a);
			return builtin_usage(sh);
		}
		for (a++; *a; a++) {
			if (*a == 'c') {
				while (sh->dirs.n)
					stack_remove(sh, sh->dirs.n - 1);
				return 0;
			}
			if (!strchr("lpv", *a)) {
				builtin_error(sh, "%s: invalid number", argv[i]);
				return builtin_usage(sh);
			}
			full |= *a == 'l';
			lines |= *a != 'l';
			numbered |= *a == 'v';
		}
	}
	put_stack(sh, full, lines, numbered);
	return 0;
}

/* Options of pushd and popd. false after a message. */
static bool stack_options(struct shell *sh, int argc, char **argv, bool *stay, const char **arg)
{
	*stay = false;
	*arg = NULL;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-n")) {
			*stay = true;
		} else if (!strcmp(argv[i], "--")) {
			if (i + 1 < argc)
				*arg = argv[++i];
		} else if (argv[i][0] == '-' && argv[i][1] && !is_index(argv[i])) {
			builtin_error(sh, "%s: invalid number", argv[i]);
			builtin_usage(sh);
			return false;
		} else if (*arg) {
			builtin_error(sh, "too many arguments");
			return false;
		} else {
			*arg = argv[i];
		}
	}
	return true;
}

static int push_directory(struct shell *sh, const char *dir, bool stay)
{
	const char *old = here(sh);

	if (stay) {
		stack_insert(sh, 0, dir);
		return 0;
	}
	if (!strcmp(dir, "-")) {
		struct slice v;

		if (!var_get_text(sh, "OLDPWD", &v)) {
			builtin_error(sh, "OLDPWD not set");
			return 1;
		}
		dir = arena_dup(&sh->turn, v.p, v.n);
	}
	if (change_directory(sh, dir, dir, sh->opts[OPT_PHYSICAL]))
		return 1;
	stack_insert(sh, 0, old);
	return 0;
}

int builtin_pushd(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	const char *arg;
	bool stay;
	size_t index = 1;
	int status = 0;

	(void)flow;
	if (!stack_options(sh, argc, argv, &stay, &arg))
		return arg ? 1 : STATUS_USAGE;
	if (arg && !is_index(arg)) {
		status = push_directory(sh, arg, stay);
	} else {
		if (!sh->dirs.n && !arg) {
			builtin_error(sh, "no other directory");
			return 1;
		}
		if (arg && !stack_index(sh, arg, &index))
			return out_of_range(sh, arg);
		if (!stay)
			status = change_directory(sh, stack_at(sh, index), stack_at(sh, index),
						  false);
		if (!status && !stay) {
			struct slice old;

			var_get_text(sh, "OLDPWD", &old);
			/* the stack still thinks of the old top */
			struct slice now;
			char *keep = arena_dup(&sh->turn, old.p, old.n);

			var_get_text(sh, "PWD", &now);
			now.p = arena_dup(&sh->turn, now.p, now.n);
			var_set_text(sh, "PWD", keep, strlen(keep));
			stack_rotate(sh, index);
			var_set_text(sh, "PWD", now.p, now.n);
		}
	}
	if (!status)
		put_stack(sh, false, false, false);
	return status;
}

int builtin_popd(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	const char *arg;
	bool stay;
	size_t index = 0;
	int status = 0;

	(void)flow;
	if (!stack_options(sh, argc, argv, &stay, &arg))
		return arg ? 1 : STATUS_USAGE;
	if (arg && !is_index(arg)) {
		builtin_error(sh, "%s: invalid argument", arg);
		return builtin_usage(sh);
	}
	if (!sh->dirs.n) {
		builtin_error(sh, "directory stack empty");
		return 1;
	}
	if (arg && !stack_index(sh, arg, &index))
		return out_of_range(sh, arg);
	if (index == 0 && !stay)
		status = change_directory(sh, sh->dirs.at[0], sh->dirs.at[0], false);
	if (status)
		return status;
	stack_remove(sh, index ? index - 1 : 0);
	put_stack(sh, false, false, false);
	return 0;
}
