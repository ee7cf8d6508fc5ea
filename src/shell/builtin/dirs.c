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

/* "+N" or "-N" with white space around N, as bash reads numbers. false after a message. */
static bool direction_number(struct shell *sh, const char *arg, int64_t *n)
{
	if (text_number(arg + 1, n))
		return true;
	builtin_error(sh, "%s: invalid number", arg);
	builtin_usage(sh);
	return false;
}

/* A letter alone: these three know no clusters. */
static bool is_letter(const char *arg, char letter)
{
	return arg[0] == '-' && arg[1] == letter && !arg[2];
}

struct listing {
	bool full, lines, numbered, clear, one;
	int64_t n;		/* of the one: from the top */
	const char *digits;	/* as it was said */
};

static int dirs_options(struct shell *sh, int argc, char **argv, struct listing *l)
{
	for (int i = 1; i < argc && !is_letter(argv[i], '-'); i++) {
		const char *a = argv[i];

		if (is_letter(a, 'l')) {
			l->full = true;
		} else if (is_letter(a, 'c')) {
			l->clear = true;
		} else if (is_letter(a, 'p') || is_letter(a, 'v')) {
			l->lines = true;
			l->numbered |= a[1] == 'v';
		} else if (*a == '+' || *a == '-') {
			if (!direction_number(sh, a, &l->n))
				return STATUS_USAGE;
			l->one = true;
			l->digits = a + 1;
			if (*a == '-')
				l->n = (int64_t)((uint64_t)sh->dirs.n - (uint64_t)l->n);
		} else {
			builtin_error(sh, "%s: invalid option", a);
			return builtin_usage(sh);
		}
	}
	return 0;
}

int builtin_dirs(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct listing l = { 0 };
	int status = dirs_options(sh, argc, argv, &l);

	(void)flow;
	if (status)
		return status;
	while (l.clear && sh->dirs.n)
		stack_remove(sh, sh->dirs.n - 1);
	if (l.clear)
		return 0;
	if (l.one && (l.n < 0 || (uint64_t)l.n > sh->dirs.n))
		return out_of_range(sh, l.digits);
	if (!l.one) {
		put_stack(sh, l.full, l.lines, l.numbered);
		return 0;
	}
	if (l.numbered)
		putf(sh, "%2lld  ", (long long)l.n);
	put_dir(sh, stack_at(sh, (size_t)l.n), l.full);
	puts_(sh, "\n");
	return 0;
}

/* ---- pushd ---- */

/* To an entry that comes to the top, the others behind it as in a circle. */
static int push_rotate(struct shell *sh, size_t index, bool stay)
{
	const char *to = stack_at(sh, index);
	struct slice v;
	char *old, *now;
	int status;

	if (stay) {
		stack_rotate(sh, index);
		return 0;
	}
	status = change_directory(sh, to, to, false);
	if (status)
		return status;
	/* the stack still thinks of the old top */
	var_get_text(sh, "OLDPWD", &v);
	old = arena_dup(&sh->turn, v.p, v.n);
	var_get_text(sh, "PWD", &v);
	now = arena_dup(&sh->turn, v.p, v.n);
	var_set_text(sh, "PWD", old, strlen(old));
	stack_rotate(sh, index);
	var_set_text(sh, "PWD", now, strlen(now));
	return 0;
}

/* Without an operand the two at the top change places. */
static int push_swap(struct shell *sh)
{
	const char *to = sh->dirs.at[0];
	char *old = heap_strdup(sh->heap, here(sh));
	int status = change_directory(sh, to, to, false);

	if (status) {
		heap_free(sh->heap, old);
		return status;
	}
	heap_free(sh->heap, sh->dirs.at[0]);
	sh->dirs.at[0] = old;
	put_stack(sh, false, false, false);
	return 0;
}

static int push_directory(struct shell *sh, const char *dir, bool stay)
{
	const char *old = here(sh);
	bool back = !strcmp(dir, "-");
	struct slice v;

	if (stay) {
		stack_insert(sh, 0, dir);
		return 0;
	}
	if (back) {
		if (!var_get_text(sh, "OLDPWD", &v)) {
			builtin_error(sh, "OLDPWD not set");
			return 1;
		}
		dir = arena_dup(&sh->turn, v.p, v.n);
	}
	if (change_directory(sh, dir, dir, sh->opts[OPT_PHYSICAL]))
		return 1;
	if (back && var_get_text(sh, "PWD", &v))
		putf(sh, "%.*s\n", (int)v.n, v.p);
	stack_insert(sh, 0, old);
	return 0;
}

struct push {
	bool stay, rotate;
	size_t index;
	int at;			/* the operand, or argc */
};

/* false: *status is to be given. */
static bool push_options(struct shell *sh, int argc, char **argv, struct push *p, int *status)
{
	int64_t n;

	for (p->at = 1; p->at < argc; p->at++) {
		const char *a = argv[p->at];

		if (is_letter(a, 'n')) {
			p->stay = true;
		} else if (is_letter(a, '-')) {
			p->at++;
			return true;
		} else if ((*a != '+' && *a != '-') || !strcmp(a, "-")) {
			return true;
		} else {
			*status = STATUS_USAGE;
			if (!direction_number(sh, a, &n))
				return false;
			*status = 1;
			if (*a == '-')
				n = (int64_t)((uint64_t)sh->dirs.n - (uint64_t)n);
			if (n < 0 || (uint64_t)n > sh->dirs.n) {
				out_of_range(sh, a);
				return false;
			}
			p->rotate = true;
			p->index = (size_t)n;
		}
	}
	return true;
}

int builtin_pushd(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct push p = { .at = 1 };
	bool plain;		/* behind -- there is a directory, whatever it looks like */
	int status;

	(void)flow;
	plain = argc > 1 && is_letter(argv[1], '-');
	if (plain)
		argc--, argv++;
	if (argc == 1 && !sh->dirs.n) {
		builtin_error(sh, "no other directory");
		return 1;
	}
	if (argc == 1)
		return push_swap(sh);
	if (!plain && !push_options(sh, argc, argv, &p, &status))
		return status;
	if (p.rotate) {
		status = push_rotate(sh, p.index, p.stay);
		if (p.stay)
			return status;
	} else if (p.at >= argc) {
		return 0;
	} else if (!p.stay && p.at + 1 < argc) {
		builtin_error(sh, "too many arguments");
		return 1;
	} else {
		status = push_directory(sh, argv[p.at], p.stay);
	}
	if (!status)
		put_stack(sh, false, false, false);
	return status;
}

/* ---- popd ---- */

struct pop {
	bool stay, bottom;	/* bottom: an empty operand means the last, by accident */
	int64_t n;		/* from the top */
	const char *word;
};

static int pop_options(struct shell *sh, int argc, char **argv, struct pop *p)
{
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];

		if (is_letter(a, 'n')) {
			p->stay = true;
		} else if (is_letter(a, '-')) {
			break;
		} else if (*a == '+' || *a == '-') {
			if (!direction_number(sh, a, &p->n))
				return STATUS_USAGE;
			p->word = a;
			if (*a == '-')
				p->n = (int64_t)((uint64_t)sh->dirs.n - (uint64_t)p->n);
		} else if (*a) {
			builtin_error(sh, "%s: invalid argument", a);
			return builtin_usage(sh);
		} else {
			p->bottom = true;
			break;
		}
	}
	return 0;
}

int builtin_popd(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct pop p = { .word = "" };
	int status = pop_options(sh, argc, argv, &p);

	(void)flow;
	if (status)
		return status;
	if (!sh->dirs.n || p.n < 0 || (uint64_t)p.n > sh->dirs.n)
		return out_of_range(sh, p.word);
	if (p.bottom)
		p.n = (int64_t)sh->dirs.n;
	if (p.n == 0 && !p.stay)
		status = change_directory(sh, sh->dirs.at[0], sh->dirs.at[0], false);
	if (status)
		return status;
	stack_remove(sh, p.n ? (size_t)p.n - 1 : 0);
	put_stack(sh, false, false, false);
	return 0;
}
