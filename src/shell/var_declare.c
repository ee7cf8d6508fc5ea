/*
 * declare and its kin: makes a variable in the right scope and turns its
 * attributes on and off, with the conversions and refusals of bash.
 */
#include <string.h>

#include "kernel/kernel.h"
#include "shell/words.h"

#define VAR_CASES (VAR_UPPER | VAR_LOWER | VAR_CAPITAL)

/* localvar_inherit: value and attributes of the variable it hides. */
static void declare_inherit(struct shell *sh, struct var *v, struct var *from)
{
	struct slice value;

	v->flags |= from->flags & ~(uint32_t)(VAR_NAMEREF | VAR_LOCAL | VAR_TEMPORARY |
					      VAR_SPECIAL | VAR_NUMBER | VAR_RENDERED | VAR_READONLY);
	if (from->flags & VAR_INDEXED) {
		v->array = array_new(sh->heap);
		array_copy(v->array, from->array);
	} else if (from->flags & VAR_ASSOC) {
		v->assoc = assoc_new(sh->heap);
		assoc_copy(v->assoc, from->assoc);
	} else if (var_text(sh, from, &value)) {
		var_store(sh, v, value.p, value.n);
	}
}

/* The new local one: of what it hides the export, and of a temporary environment (of the builtin,
 * A=1 local A, or of a caller) the value too. */
static struct var *declare_hiding(struct shell *sh, const struct name *name, struct var *outer,
				  uint32_t scope)
{
	struct var *v = var_in_scope(sh, name, scope);
	struct slice value;

	if (!v)
		v = var_make(sh, name, scope);
	v->flags |= VAR_LOCAL;
	if (!outer)
		return v;
	if (sh->opts[SHOPT_LOCALVAR_INHERIT])
		declare_inherit(sh, v, outer);
	else
		v->flags |= outer->flags & VAR_EXPORT;
	if ((outer->scope > scope || outer->flags & VAR_TEMPORARY) && !(v->flags & (VAR_INDEXED | VAR_ASSOC)) &&
	    var_text(sh, outer, &value))
		var_store(sh, v, value.p, value.n);
	if (v->flags & VAR_EXPORT)
		sh->environ_stale = true;
	return v;
}

static struct var *declare_local(struct shell *sh, const struct name *name, uint32_t on)
{
	uint32_t scope = var_local_scope(sh);
	struct var *v = var_find(sh, name);

	if (v && !v->scope && (v->flags & VAR_READONLY)) {
		builtin_error(sh, "%s: readonly variable", v->name);
		return NULL;
	}
	if (!v || v->scope != scope || !(v->flags & (VAR_LOCAL | VAR_TEMPORARY)))
		v = declare_hiding(sh, name, v, scope);
	v->flags |= VAR_LOCAL;
	/* A scalar does not become the first element here, as it does elsewhere. */
	if ((on & (VAR_INDEXED | VAR_ASSOC)) && !(v->flags & (VAR_INDEXED | VAR_ASSOC)) &&
	    !sh->opts[SHOPT_LOCALVAR_INHERIT])
		var_clear_value(sh, v);
	return v;
}

static struct var *declare_find(struct shell *sh, const struct name *name, uint32_t change,
				bool local, bool global)
{
	struct target t;

	if (local && var_local_scope(sh)) {
		/* A reference of the same function is looked through. */
		const struct var *v = change & VAR_NAMEREF ? NULL : var_find(sh, name);

		if (v && v->flags & VAR_NAMEREF && v->scope == var_local_scope(sh) && v->text.n) {
			t = var_target(sh, name);
			if (!t.bad && !t.circle && t.sub.kind == SUBSCRIPT_NONE)
				return declare_local(sh, &t.name, change);
		}
		return declare_local(sh, name, change);
	}
	if (change & VAR_NAMEREF) {
		t.v = global ? var_in_scope(sh, name, 0) : var_find(sh, name);
		return t.v ? t.v : var_make(sh, name, 0);
	}
	if (global) {
		t.v = var_in_scope(sh, name, 0);
		return t.v ? t.v : var_make(sh, name, 0);
	}
	t = var_target(sh, name);
	if (t.bad)
		return NULL;
	if (!t.v)
		return var_make(sh, &t.name, 0);
	return t.v;
}

static bool declare_refused(struct shell *sh, const struct var *v, uint32_t on, uint32_t off)
{
	const char *why = NULL;

	if ((v->flags & VAR_READONLY) && (off & VAR_READONLY))
		why = "readonly variable";
	else if ((off & VAR_INDEXED && v->flags & VAR_INDEXED) ||
		 (off & VAR_ASSOC && v->flags & VAR_ASSOC))
		why = "cannot destroy array variables in this way";
	else if ((on & VAR_INDEXED) && (v->flags & VAR_ASSOC))
		why = "cannot convert associative to indexed array";
	else if ((on & VAR_ASSOC) && (v->flags & VAR_INDEXED))
		why = "cannot convert indexed to associative array";
	else if ((on & VAR_NAMEREF) && (v->flags & (VAR_INDEXED | VAR_ASSOC)))
		why = "reference variable cannot be an array";
	if (why)
		builtin_error(sh, "%s: %s", v->name, why);
	return why;
}

/* What it holds becomes the name of another: is it one? */
static bool declare_bad_nameref(struct shell *sh, struct var *v, uint32_t on)
{
	struct slice value, base;
	struct sub sub;

	if (!(on & VAR_NAMEREF) || v->flags & VAR_NAMEREF || !var_text(sh, v, &value) || !value.n ||
	    name_split(value.p, value.n, &base, &sub))
		return false;
	builtin_error(sh, "`%.*s': invalid variable name for name reference", (int)value.n, value.p);
	return true;
}

static void declare_attributes(struct shell *sh, struct var *v, uint32_t on, uint32_t off)
{
	if (on & VAR_ASSOC)
		var_to_assoc(sh, v);
	else if (on & VAR_INDEXED)
		var_to_indexed(sh, v);
	/* Of -u, -l and -c the last one counts; two at once are none. */
	if (on & VAR_CASES) {
		v->flags &= ~(uint32_t)VAR_CASES;
		if ((on & VAR_CASES) & ((on & VAR_CASES) - 1))
			on &= ~(uint32_t)VAR_CASES;
	}
	if ((on | off) & VAR_EXPORT)
		sh->environ_stale = true;
	v->flags |= on & ~(uint32_t)(VAR_SET | VAR_ASSOC | VAR_INDEXED);
	v->flags &= ~(off & ~(uint32_t)(VAR_INDEXED | VAR_ASSOC));
}

/* A=1 declare -x A: A stays. Not so within what keeps its assignments, as A=1 eval 'export A'. */
static bool declare_propagates(struct shell *sh, const struct var *v)
{
	const struct words *w = words_of(sh);

	if (!w->scopes.at[v->scope - 1].keeps)
		return true;
	return v->scope == w->scopes.n && sh->builtin &&
		(!strcmp(sh->builtin, "declare") || !strcmp(sh->builtin, "typeset"));
}

struct var *var_declare(struct shell *sh, const char *text, size_t n, uint32_t on, uint32_t off,
			bool local, bool global)
{
	struct name name = name_of(text, n);
	struct var *v;
	struct sub sub;
	struct slice base;

	if (!name_split(text, n, &base, &sub)) {
		builtin_error(sh, "`%.*s': not a valid identifier", (int)n, text);
		return NULL;
	}
	if (sub.kind != SUBSCRIPT_NONE) {
		name = name_of(base.p, base.n);
		on |= on & VAR_ASSOC ? 0 : VAR_INDEXED;
	}
	v = declare_find(sh, &name, on | off, local, global);
	if (!v)
		return NULL;
	if (sub.kind != SUBSCRIPT_NONE && (v->flags & VAR_ASSOC))
		on &= ~(uint32_t)VAR_INDEXED;
	if (declare_refused(sh, v, on, off) || declare_bad_nameref(sh, v, on))
		return NULL;
	declare_attributes(sh, v, on, off);
	if ((v->flags & VAR_TEMPORARY) && (on & (VAR_EXPORT | VAR_READONLY)) &&
	    !(local && var_local_scope(sh)) && v->scope && declare_propagates(sh, v))
		v->flags |= VAR_PROPAGATE;
	return v;
}
