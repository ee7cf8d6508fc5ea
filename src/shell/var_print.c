/*
 * Variables as text: for declare -p, set and ${x@A}, and the environment of
 * child processes, which is kept until an exported variable changes.
 */
#include <string.h>

#include "base/merge.h"
#include "base/utf8.h"
#include "kernel/kernel.h"
#include "lang/print.h"
#include "shell/words.h"

void var_attributes(struct str *out, const struct var *v)
{
	static const struct {
		uint32_t flag;
		char letter;
	} letters[] = {
		{ VAR_INDEXED, 'a' }, { VAR_ASSOC, 'A' }, { VAR_INTEGER, 'i' }, { VAR_NAMEREF, 'n' },
		{ VAR_READONLY, 'r' }, { VAR_TRACE, 't' }, { VAR_EXPORT, 'x' },
		{ VAR_CAPITAL, 'c' }, { VAR_LOWER, 'l' }, { VAR_UPPER, 'u' }
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (v->flags & letters[i].flag)
			str_addc(out, letters[i].letter);
}

static void print_attributes(struct str *out, const struct var *v)
{
	size_t n = out->n;

	var_attributes(out, v);
	if (out->n == n)
		str_addc(out, '-');
}

bool quote_needs_ansi(const char *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		int32_t c;

		i += utf8_decode(p + i, n - i, &c);
		if (c < 0 || !utf8_print(c))
			return true;
	}
	return false;
}

void var_quote_key(struct str *out, const char *p, size_t n)
{
	if (quote_needs_ansi(p, n))
		quote_ansi(out, p, n);
	else if (quote_has_meta(p, n) || (n == 1 && (*p == '@' || *p == '*')))
		quote_double(out, p, n);
	else
		str_addn(out, p, n);
}

static void print_indexed(struct str *out, const struct array *a)
{
	struct slice value;
	bool first = true;

	str_addc(out, '(');
	for (int64_t i = -1; array_next(a, &i, &value); first = false) {
		str_addf(out, "%s[%lld]=", first ? "" : " ", (long long)i);
		quote_double(out, value.p, value.n);
	}
	str_addc(out, ')');
}

static void print_assoc(struct str *out, const struct assoc *a)
{
	struct slice key, value;

	str_addc(out, '(');
	for (void *at = NULL; assoc_next(a, &at, &key, &value);) {
		str_addc(out, '[');
		var_quote_key(out, key.p, key.n);
		str_adds(out, "]=");
		quote_double(out, value.p, value.n);
		str_addc(out, ' ');
	}
	str_addc(out, ')');
}

static bool print_array(struct shell *sh, struct var *v, struct str *out)
{
	var_refresh(sh, v);
	if (!(v->flags & VAR_SET))
		return false;
	str_addc(out, '=');
	if (v->flags & VAR_INDEXED)
		print_indexed(out, v->array);
	else
		print_assoc(out, v->assoc);
	return true;
}

void var_print(struct shell *sh, const struct var *cv, struct str *out)
{
	struct var *v = (struct var *)(uintptr_t)cv;
	struct slice value;

	if (v->special == SP_SECONDS)	/* reading it makes it an integer */
		var_refresh(sh, v);
	str_adds(out, "declare -");
	print_attributes(out, v);
	str_addf(out, " %s", v->name);
	if (v->flags & (VAR_INDEXED | VAR_ASSOC)) {
		print_array(sh, v, out);
	} else if (var_text(sh, v, &value)) {
		str_addc(out, '=');
		quote_double(out, value.p, value.n);
	}
}

void var_print_plain(struct shell *sh, const struct var *cv, struct str *out)
{
	struct var *v = (struct var *)(uintptr_t)cv;
	struct slice value;

	str_adds(out, v->name);
	if (v->flags & (VAR_INDEXED | VAR_ASSOC)) {
		print_array(sh, v, out);
	} else if (var_text(sh, v, &value)) {
		str_addc(out, '=');
		if (sh->opts[OPT_POSIX] && quote_needs_ansi(value.p, value.n) &&
		    quote_has_meta(value.p, value.n))
			quote_single(out, value.p, value.n);
		else if (sh->opts[OPT_POSIX] && quote_needs_ansi(value.p, value.n))
			str_addslice(out, value);
		else
			quote_set(out, value.p, value.n);
	}
}

/* ---- Lists ---- */

static bool var_before(void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return strcmp((*(struct var *const *)a)->name, (*(struct var *const *)b)->name) < 0;
}

struct var **var_sorted(struct shell *sh, uint32_t with_flags)
{
	struct var **list;
	size_t n = 0;

	special_make_all(sh);
	list = heap_array(sh->heap, sh->vars.n * 2 + 1, sizeof(struct var *));
	for (struct map_entry *e = NULL; (e = map_next(&sh->vars, e));) {
		struct var *v = e->value;

		if (v && (v->flags & with_flags) == with_flags)
			list[n++] = v;
	}
	merge_sort(list, list + n, n, sizeof(*list), var_before, NULL);
	list[n] = NULL;
	return list;
}

void var_print_all(struct shell *sh, struct str *out)
{
	struct var **all = var_sorted(sh, 0);

	words_of(sh)->listing = true;
	for (size_t i = 0; all[i]; i++) {
		if (!(all[i]->flags & VAR_SET))
			continue;
		var_print_plain(sh, all[i], out);
		str_addc(out, '\n');
	}
	words_of(sh)->listing = false;
	heap_free(sh->heap, all);
}

/* ---- The environment ---- */

static bool environ_sees(const struct var *v)
{
	return (v->flags & VAR_EXPORT) && (v->flags & (VAR_SET | VAR_INDEXED | VAR_ASSOC));
}

static bool environ_has(const struct var *v)
{
	return (v->flags & (VAR_EXPORT | VAR_SET | VAR_INDEXED | VAR_ASSOC)) ==
		(VAR_EXPORT | VAR_SET);
}

static void environ_functions(struct shell *sh, struct str *all, size_t *n)
{
	for (struct map_entry *e = NULL; (e = map_next(&sh->functions, e));) {
		struct function *f = e->value;
		size_t at, head;

		if (!f || !(f->flags & VAR_EXPORT))
			continue;
		str_addf(all, "BASH_FUNC_%s%%%%=", e->key);
		at = all->n;
		print_function(all, f->node, sh->opts[OPT_POSIX]);
		/* bash's text begins with "() {": the name and the line break go. */
		head = e->len + 1;
		if (all->n > at + head)
			str_erase(all, at, head);
		while (all->n > at && all->p[all->n - 1] == '\n')
			str_cut(all, all->n - 1);
		str_addc(all, '\0');
		++*n;
	}
}

static void environ_add(struct str *all, size_t *n, const char *name, size_t name_n,
			struct slice value)
{
	str_addn(all, name, name_n);
	str_addc(all, '=');
	str_addn(all, value.p, value.n);
	str_addc(all, '\0');
	++*n;
}

/* What no one has asked for is as it was given. */
static size_t environ_given(struct shell *sh, const char **list)
{
	struct words *w = words_of(sh);
	const char *value;
	size_t n = 0;

	for (uint64_t left = w->env_waits; left; left &= left - 1) {
		const char *e = w->env[__builtin_ctzll(left)];

		if (environ_is_variable(e, &value))
			list[n++] = e;
	}
	return n;
}

/* The shell's own variables; those that every shell sets itself; functions. */
static size_t environ_variables(struct shell *sh, struct str *all)
{
	struct slice value;
	size_t n = 0;

	for (struct map_entry *e = NULL; (e = map_next(&sh->vars, e));) {
		struct var *v = e->value;

		/* A local one that is not exported, or has no value yet, hides nothing of the outer one. */
		while (v && !environ_sees(v))
			v = v->shadowed;
		if (v && environ_has(v) && var_text(sh, v, &value))
			environ_add(all, &n, e->key, e->len, value);
	}
	return n;
}

static size_t environ_rest(struct shell *sh, struct str *all)
{
	const char *cwd = tsb_getcwd(sh->p);
	const struct words *w = words_of(sh);
	size_t n = 0;

	if (w->env_begun) {
		environ_add(all, &n, "SHLVL", 5, SLICE("1"));
		environ_add(all, &n, "PWD", 3, (struct slice){ cwd, strlen(cwd) });
	}
	for (const char *const *e = w->env_begun ? w->env : NULL; e && *e; e++) {
		if (!environ_is_foreign(*e))
			continue;
		str_addn(all, *e, strlen(*e) + 1);
		n++;
	}
	str_addn(all, w->foreign.p, w->foreign.n);
	for (size_t i = 0; i < w->foreign.n; i++)
		n += !w->foreign.p[i];
	environ_functions(sh, all, &n);
	return n;
}

/* Entries for n texts, each behind the last one's NUL. */
static char *environ_entries(const char **list, size_t n, char *text)
{
	for (size_t i = 0; i < n; i++) {
		list[i] = text;
		text += strlen(text) + 1;
	}
	return text;
}

static void environ_build(struct shell *sh)
{
	struct words *w = words_of(sh);
	size_t vars, rest, given = 0;
	struct str all;
	char *text;

	str_init(&all, sh->heap, STR_MAX_DEFAULT);
	vars = environ_variables(sh, &all);
	rest = environ_rest(sh, &all);
	heap_free(sh->heap, w->environ_text);
	w->environ_text = text = str_take(&all, NULL);
	w->environ_list = heap_resize(sh->heap, w->environ_list,
				      (vars + rest + 65) * sizeof(char *));
	text = environ_entries(w->environ_list, vars, text);
	if (w->env_begun)	/* at most 64: a bit each */
		given = environ_given(sh, w->environ_list + vars);
	environ_entries(w->environ_list + vars + given, rest, text);
	w->environ_list[vars + given + rest] = NULL;
	sh->environ = w->environ_list;
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
