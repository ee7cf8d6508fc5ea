/*
 * Scopes: functions' locals and the temporary environment of one command
 * (A=1 cmd). A scope is a number; its variables are listed in sh->scope_vars
 * from scope.first on, and each hangs in front of the outer variable of its
 * name. Leaving a scope unhooks them. A function called with a temporary
 * environment takes that scope over as its own, as bash does: `local A` inside
 * finds A there.
 */
#include <string.h>

#include "kernel/kernel.h"
#include "shell/words.h"

static struct map_entry *scope_entry(struct shell *sh, const struct name *name)
{
	struct map_entry *e = map_find_hashed(&sh->vars, name->s, name->n, name->hash);

	if (!e && environ_lazy(sh, name->s, name->n))
		e = map_find_hashed(&sh->vars, name->s, name->n, name->hash);
	return e ? e : map_put(&sh->vars, name->s, name->n);
}

struct var *var_in_scope(struct shell *sh, const struct name *name, uint32_t scope)
{
	struct var *v = var_find(sh, name);

	while (v && v->scope > scope)
		v = v->shadowed;
	return v && v->scope == scope ? v : NULL;
}

/* Notes a variable as one of its scope's; nearly always that is the top one. */
static void scope_list(struct shell *sh, struct var *v)
{
	struct words *w = words_of(sh);
	size_t at = v->scope < w->scopes.n ? w->scopes.at[v->scope].first : sh->scope_vars.n;

	*vec_add(sh->heap, &sh->scope_vars) = v;
	memmove(&sh->scope_vars.at[at + 1], &sh->scope_vars.at[at],
		(sh->scope_vars.n - 1 - at) * sizeof(struct var *));
	sh->scope_vars.at[at] = v;
	for (size_t i = v->scope; i < w->scopes.n; i++)
		w->scopes.at[i].first++;
}

struct var *var_make(struct shell *sh, const struct name *name, uint32_t scope)
{
	struct map_entry *e = scope_entry(sh, name);
	struct var *v = heap_zalloc(sh->heap, sizeof(*v)), *above = NULL;

	v->name = e->key;
	v->name_len = name->n;
	v->scope = scope;
	v->special = special_of(name->s, name->n);
	if (v->special > SP_LAST_READ)
		v->flags |= VAR_SPECIAL;
	str_init(&v->text, sh->heap, STR_MAX_DEFAULT);
	for (struct var *x = e->value; x && x->scope > scope; x = x->shadowed)
		above = x;
	if (above) {
		v->shadowed = above->shadowed;
		above->shadowed = v;
	} else {
		v->shadowed = e->value;
		e->value = v;
	}
	if (scope)
		scope_list(sh, v);
	return v;
}

void var_clear_value(struct shell *sh, struct var *v)
{
	if (v->flags & VAR_EXPORT)
		sh->environ_stale = true;
	str_end(&v->text);
	array_free(v->array);
	assoc_free(v->assoc);
	v->array = NULL;
	v->assoc = NULL;
	v->flags &= ~(uint32_t)(VAR_SET | VAR_NUMBER | VAR_RENDERED);
}

/* Unhooks it from its chain; the entry stays (a local of that name comes again). */
static void var_unhook(struct shell *sh, struct var *v)
{
	struct map_entry *e = map_find(&sh->vars, v->name, v->name_len);
	struct var *x;

	if (!e)
		return;
	if (e->value == v) {
		e->value = v->shadowed;
		return;
	}
	for (x = e->value; x && x->shadowed != v; x = x->shadowed)
		;
	if (x)
		x->shadowed = v->shadowed;
}

/* The struct of a local one is kept until its scope goes: it is listed there. */
void var_remove(struct shell *sh, struct var *v)
{
	uint32_t special = v->flags & VAR_SPECIAL ? v->special : SP_NONE;

	special_gone(sh, v);
	var_clear_value(sh, v);
	var_unhook(sh, v);
	if (v->scope == 0) {
		struct map_entry *e = map_find(&sh->vars, v->name, v->name_len);

		if (e && !e->value)
			map_remove(&sh->vars, v->name, v->name_len);
		heap_free(sh->heap, v);
	} else {
		v->name = NULL;
	}
	if (special > SP_LAST_READ)
		special_changed(sh, special);
}

static void scope_push(struct shell *sh, struct scope s)
{
	struct words *w = words_of(sh);

	s.first = sh->scope_vars.n;
	*vec_add(sh->heap, &w->scopes) = s;
	sh->scope = (uint32_t)w->scopes.n;
}

/* What was exported from a temporary environment stays behind. */
static void scope_propagate(struct shell *sh, struct var *v)
{
	struct var *outer = v->shadowed;
	struct name name = name_of(v->name, v->name_len);
	struct slice value;

	if (!outer)
		outer = var_make(sh, &name, 0);
	if (var_text(sh, v, &value) && var_put(sh, outer, value.p, value.n, false) == 0) {
		outer->flags |= v->flags & (VAR_EXPORT | VAR_READONLY);
		if (outer->scope && words_of(sh)->scopes.at[outer->scope - 1].temporary)
			outer->flags |= VAR_PROPAGATE;
		sh->environ_stale = true;
	}
}

static void scope_pop(struct shell *sh)
{
	struct words *w = words_of(sh);
	size_t first = vec_last(&w->scopes).first;

	while (sh->scope_vars.n > first) {
		struct var *v = vec_last(&sh->scope_vars);
		uint32_t special = v->flags & VAR_SPECIAL ? v->special : SP_NONE;

		if (v->name) {
			if (v->flags & VAR_PROPAGATE)
				scope_propagate(sh, v);
			var_clear_value(sh, v);
			var_unhook(sh, v);
		}
		sh->scope_vars.n--;
		heap_free(sh->heap, v);
		sh->optind_went |= special == SP_OPTIND;
		if (special > SP_LAST_READ)
			special_changed(sh, special);
	}
	w->scopes.n--;
	sh->scope = (uint32_t)w->scopes.n;
}

void var_push_scope(struct shell *sh)
{
	struct words *w = words_of(sh);

	if (w->scopes.n) {
		struct scope *top = &vec_last(&w->scopes);

		if (top->temporary && !top->merged && !top->keeps) {
			top->merged = true;
			return;
		}
	}
	scope_push(sh, (struct scope){ 0 });
}

void var_pop_scope(struct shell *sh)
{
	struct scope *top = &vec_last(&words_of(sh)->scopes);

	if (top->merged)
		top->merged = false;	/* var_pop_temporary() comes next */
	else
		scope_pop(sh);
}

/* Builtins whose assignments stay in their temporary environment. */
static bool scope_keeps(struct shell *sh)
{
	static const char *const names[] = { "eval", "source", ".", "unset", "mapfile", "readarray",
		"read", "declare", "typeset", "local" };
	const struct node *n = sh->current;

	if (!n || n->kind != NODE_SIMPLE || !n->simple.words)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if ((n->simple.words->flags & WORD_LITERAL) &&
		    slice_is(n->simple.words->text, names[i]))
			return true;
	return false;
}

void var_push_temporary(struct shell *sh)
{
	scope_push(sh, (struct scope){ .temporary = true, .keeps = scope_keeps(sh) });
}

void var_pop_temporary(struct shell *sh)
{
	scope_pop(sh);
}

void var_hide_temporary(struct shell *sh, bool hide)
{
	bool ifs = false;

	for (size_t i = vec_last(&words_of(sh)->scopes).first; i < sh->scope_vars.n; i++) {
		struct var *v = sh->scope_vars.at[i];
		struct map_entry *e = v->name ? map_find(&sh->vars, v->name, v->name_len) : NULL;

		if (!e || (hide && e->value != v))
			continue;
		if (hide) {
			e->value = v->shadowed;
		} else if (e->value != v) {
			v->shadowed = e->value;
			e->value = v;
		}
		ifs |= v->special == SP_IFS;
	}
	if (ifs)
		special_changed(sh, SP_IFS);
}

uint32_t var_local_scope(struct shell *sh)
{
	struct words *w = words_of(sh);

	for (size_t i = w->scopes.n; i > 0; i--)
		if (!w->scopes.at[i - 1].temporary || w->scopes.at[i - 1].merged)
			return (uint32_t)i;
	return 0;
}

/* ---- unset ---- */

static int unset_variable(struct shell *sh, struct var *v)
{
	bool own = v->scope && v->scope == var_local_scope(sh) && (v->flags & VAR_LOCAL);

	if (v->flags & VAR_READONLY) {
		builtin_error(sh, "%s: cannot unset: readonly variable", v->name);
		return 1;
	}
	/* A local stays as one without value, so that its scope goes on hiding
	 * the outer variable. */
	if (own || (v->scope && (v->flags & VAR_LOCAL) && sh->opts[SHOPT_LOCALVAR_UNSET])) {
		uint32_t keep = v->flags & (VAR_LOCAL | VAR_SPECIAL);

		if (v->flags & VAR_TEMPORARY)
			keep |= v->flags & VAR_EXPORT;

		var_clear_value(sh, v);
		v->flags = keep;
		str_init(&v->text, sh->heap, STR_MAX_DEFAULT);
		if (v->special > SP_LAST_READ)
			special_changed(sh, v->special);
		return 0;
	}
	var_remove(sh, v);
	return 0;
}

/* unset 'a[@]': an indexed array loses all elements, an associative one has the
 * key "@". */
static int unset_element(struct shell *sh, struct var *v, struct slice name, const struct sub *sub)
{
	struct slice key;
	int64_t index;

	if (v->flags & VAR_READONLY) {
		builtin_error(sh, "%s: cannot unset: readonly variable", v->name);
		return 1;
	}
	if (v->flags & VAR_ASSOC) {
		if (!sub_key(sh, sub, &key))
			return 1;
		/* Of BASH_ALIASES this takes the element, as in bash, and leaves the alias. */
		assoc_unset(v->assoc, key.p, key.n);
		return 0;
	}
	if (sub->kind != SUBSCRIPT_EXPR && (v->flags & VAR_INDEXED)) {
		array_clear(v->array);
		return 0;
	}
	if (!(v->flags & VAR_INDEXED)) {
		if (sub->kind == SUBSCRIPT_EXPR && arith_subscript(sh, sub, &index) && !index)
			return unset_variable(sh, v);
		builtin_error(sh, "%s: not an array variable", v->name);
		return 1;
	}
	if (!sub_index(sh, v, name, sub, true, &index))
		return 1;
	array_unset(v->array, index);
	return 0;
}

bool var_unset_key(struct shell *sh, const char *text, size_t n)
{
	const char *open = memchr(text, '[', n);
	size_t at = open ? (size_t)(open - text) : 0;
	struct var *v = at && text[n - 1] == ']' ? var_find_text(sh, text, at) : NULL;

	if (!v || !(v->flags & VAR_ASSOC) || v->flags & VAR_READONLY || n < at + 3 ||
	    (n == at + 3 && strchr("@*", open[1])))
		return false;
	assoc_unset(v->assoc, open + 1, n - at - 2);
	return true;
}

int var_unset(struct shell *sh, const char *text, size_t n, bool nameref)
{
	struct slice base;
	struct sub sub;
	struct name name;
	struct target t;

	if (!name_split(text, n, &base, &sub)) {
		builtin_error(sh, "`%.*s': not a valid identifier", (int)n, text);
		return 1;
	}
	name = name_of(base.p, base.n);
	if (nameref && sub.kind == SUBSCRIPT_NONE) {
		t.v = var_find(sh, &name);
		return t.v && (t.v->flags & (VAR_NAMEREF | VAR_READONLY)) ?
			unset_variable(sh, t.v) : 0;
	}
	t = var_target(sh, &name);
	if (!t.v || t.bad)
		return 0;
	if (sub.kind == SUBSCRIPT_NONE)
		sub = t.sub;
	return sub.kind == SUBSCRIPT_NONE ? unset_variable(sh, t.v) :
		unset_element(sh, t.v, base, &sub);
}
