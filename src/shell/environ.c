/*
 * The environment of child processes, kept until an exported variable changes.
 *
 * Programs show it in the order in which it comes (env, printenv), and that is
 * the order of bash's tables: the innermost scope first, in it chain after
 * chain by the FNV-1 hash of the name, in a chain the newest first.
 */
#include <string.h>

#include "base/merge.h"
#include "kernel/kernel.h"
#include "lang/print.h"
#include "shell/words.h"

static bool environ_sees(const struct var *v)
{
	return (v->flags & VAR_EXPORT) && (v->flags & (VAR_SET | VAR_INDEXED | VAR_ASSOC));
}

static bool environ_has(const struct var *v)
{
	return (v->flags & (VAR_EXPORT | VAR_SET | VAR_INDEXED | VAR_ASSOC)) ==
		(VAR_EXPORT | VAR_SET);
}

static void environ_function(struct shell *sh, struct str *all, const struct map_entry *e)
{
	const struct function *f = e->value;

	str_addf(all, "BASH_FUNC_%s%%%%=", e->key);
	print_function_value(all, f->node, sh->opts[OPT_POSIX]);
	str_addc(all, '\0');
}

static bool function_is_exported(const struct map_entry *e)
{
	const struct function *f = e->value;

	return f && (f->flags & VAR_EXPORT);
}

static void environ_functions(struct shell *sh, struct str *all, size_t *n)
{
	struct map_entry **in_order = NULL;
	struct map_entry *e = NULL;

	while ((e = map_next(&sh->functions, e)) && !function_is_exported(e))
		;
	if (!e)
		return;
	in_order = map_in_chains(sh, &sh->functions, CHAINS_FUNCTIONS);
	for (size_t i = 0; i < sh->functions.n; i++) {
		if (!function_is_exported(in_order[i]))
			continue;
		environ_function(sh, all, in_order[i]);
		++*n;
	}
}

/* An entry, and where bash's tables have it. */
struct environ_entry {
	const char *text;	/* NULL: in what is being built, at: */
	size_t at;
	uint32_t scope, chain;	/* foreign ones have a scope above all */
	size_t age;		/* of those of its scope; larger is newer */
};

struct environ {
	struct str text;		/* a NUL behind each entry */
	struct environ_entry *vars;	/* in sh->turn */
	size_t n;
};

static void environ_add(struct environ *e, struct slice name, struct slice value)
{
	e->vars[e->n] = (struct environ_entry){ .at = e->text.n, .age = VAR_PLACE_MAX + e->n,
		.chain = assoc_hash(name.p, name.n) & (CHAINS_VARIABLES - 1) };
	e->n++;
	str_addn(&e->text, name.p, name.n);
	str_addc(&e->text, '=');
	str_addn(&e->text, value.p, value.n);
	str_addc(&e->text, '\0');
}

/* What no one has asked for is as it was given. */
static void environ_given(struct shell *sh, struct environ *all)
{
	struct words *w = words_of(sh);
	const char *value;

	for (uint64_t left = w->env_waits; left; left &= left - 1) {
		size_t i = (size_t)__builtin_ctzll(left);
		const char *e = w->env[i];

		if (!environ_is_variable(e, &value))
			continue;
		all->vars[all->n++] = (struct environ_entry){ .text = e, .age = i + 1,
			.chain = assoc_hash(e, (size_t)(value - e) - 1) & (CHAINS_VARIABLES - 1) };
	}
}

/* The scope of that one has a small table of its own, which grows as bash's does. */
static void environ_place(struct shell *sh, struct environ_entry *e, const struct var *v)
{
	const struct words *w = words_of(sh);
	size_t first = w->scopes.at[v->scope - 1].first, n, chains = CHAINS_SCOPE;

	n = (v->scope < w->scopes.n ? w->scopes.at[v->scope].first : sh->scope_vars.n) - first;
	while (n > chains * 2)
		chains *= 4;
	e->scope = v->scope;
	e->chain = assoc_hash(v->name, v->name_len) & (uint32_t)(chains - 1);
	for (e->age = first; sh->scope_vars.at[e->age] != v; e->age++)
		;
}

/* The shell's own variables. */
static void environ_variables(struct shell *sh, struct environ *all)
{
	struct slice value;

	for (struct map_entry *e = NULL; (e = map_next(&sh->vars, e));) {
		struct var *v = e->value;

		/* A local one that is not exported, or has no value yet, hides nothing of the outer one. */
		while (v && !environ_sees(v))
			v = v->shadowed;
		if (!v || !environ_has(v) || !var_text(sh, v, &value))
			continue;
		environ_add(all, (struct slice){ e->key, e->len }, value);
		if (v->flags >> VAR_PLACE_SHIFT)
			all->vars[all->n - 1].age = v->flags >> VAR_PLACE_SHIFT;
		if (v->scope)
			environ_place(sh, &all->vars[all->n - 1], v);
	}
}

/* Those that every shell sets itself. */
static void environ_own(struct shell *sh, struct environ *all)
{
	const char *cwd = tsb_getcwd(sh->p);

	environ_add(all, SLICE("SHLVL"), SLICE("1"));
	environ_add(all, SLICE("PWD"), (struct slice){ cwd, strlen(cwd) });
}

static void environ_foreign_one(struct environ *all, const char *entry)
{
	const char *equals = strchr(entry, '=');

	environ_add(all, (struct slice){ entry, (size_t)(equals - entry) },
		    (struct slice){ equals + 1, strlen(equals + 1) });
	all->vars[all->n - 1].scope = UINT32_MAX;
	all->vars[all->n - 1].chain &= CHAINS_FOREIGN - 1;
}

/* What only programs can have for a variable: a table of its own, the first. */
static void environ_foreign(struct shell *sh, struct environ *all)
{
	const struct words *w = words_of(sh);

	for (const char *const *e = w->env_begun ? w->env : NULL; e && *e; e++)
		if (environ_is_foreign(*e))
			environ_foreign_one(all, *e);
	for (size_t i = 0; i < w->foreign.n; i += strlen(w->foreign.p + i) + 1)
		environ_foreign_one(all, w->foreign.p + i);
}

static bool entry_before(void *ctx, const void *a, const void *b)
{
	const struct environ_entry *s = a, *t = b;

	(void)ctx;
	if (s->scope != t->scope)
		return s->scope > t->scope;
	return s->chain != t->chain ? s->chain < t->chain : s->age > t->age;
}

/* The list of all entries: the variables in order, then the functions. */
static void environ_list(struct shell *sh, struct environ *all, size_t functions, size_t at)
{
	struct words *w = words_of(sh);
	const char **out;
	char *text;

	merge_sort(all->vars, all->vars + all->n, all->n, sizeof(*all->vars), entry_before, NULL);
	heap_free(sh->heap, w->environ_text);
	w->environ_text = text = str_take(&all->text, NULL);
	w->environ_list = out = heap_resize(sh->heap, w->environ_list,
					    (all->n + functions + 1) * sizeof(char *));
	for (size_t i = 0; i < all->n; i++)
		*out++ = all->vars[i].text ? all->vars[i].text : text + all->vars[i].at;
	for (text += at; functions; functions--) {
		*out++ = text;
		text += strlen(text) + 1;
	}
	*out = NULL;
}

/* At least as many as there can be. */
static size_t environ_bound(struct shell *sh)
{
	const struct words *w = words_of(sh);
	size_t n = sh->vars.n + 3;

	for (const char *const *e = w->env_begun ? w->env : NULL; e && *e; e++)
		n++;
	for (size_t i = 0; i < w->foreign.n; i++)
		n += !w->foreign.p[i];
	return n;
}

static void environ_build(struct shell *sh)
{
	struct environ all = { 0 };
	size_t functions = 0, at;

	str_init(&all.text, sh->heap, STR_MAX_DEFAULT);
	all.vars = arena_array(&sh->turn, environ_bound(sh) * 2, sizeof(*all.vars));
	if (words_of(sh)->env_begun) {
		environ_given(sh, &all);
		environ_own(sh, &all);
	}
	if (sh->last_arg_given)
		environ_add(&all, SLICE("_"), str_slice(&sh->last_arg));
	environ_variables(sh, &all);
	environ_foreign(sh, &all);
	at = all.text.n;
	environ_functions(sh, &all.text, &functions);
	environ_list(sh, &all, functions, at);
	sh->environ = words_of(sh)->environ_list;
	sh->environ_stale = false;
}

const char *const *var_environ(struct shell *sh)
{
	if (sh->environ && !sh->environ_stale)
		return sh->environ;
	if (!environ_is_plain(sh))
		environ_make_all(sh);
	environ_build(sh);
	return sh->environ;
}
