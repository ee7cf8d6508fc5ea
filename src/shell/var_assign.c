/*
 * Assignments from the tree: x=v, x+=v, a[i]=v, a=( ... ), in a statement, as
 * the argument of declare and its kin, or in front of a command. The value is
 * expanded before the variable is looked at: `local x=$x` takes the outer one,
 * and a=("${a[@]}" more) reads a before it empties it.
 */
#include <string.h>

#include "kernel/kernel.h"
#include "shell/words.h"
#include "text/escape.h"

/* One item of an array literal, expanded. */
struct pair {
	const struct array_item *item;	/* NULL or without subscript: next index */
	struct slice value;
	struct slice sub;	/* subscript, expanded; p NULL: it has nothing to expand */
};

struct pairs {
	struct pair *at;
	size_t n, cap;
};

static void pairs_add(struct shell *sh, struct pairs *list, const struct array_item *item,
		      struct slice value)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 8;
		struct pair *at = arena_array(&sh->turn, cap, sizeof(*at));

		if (list->n)
			memcpy(at, list->at, list->n * sizeof(*at));
		list->at = at;
		list->cap = cap;
	}
	list->at[list->n++] = (struct pair){ item, value, { NULL, 0 } };
}

/* Subscripts are expanded before the array is emptied, like everything else. */
static enum flow pairs_add_item(struct shell *sh, struct pairs *list,
				const struct array_item *item, bool assoc, struct slice value)
{
	struct sub sub = sub_of(&item->sub);
	struct slice text = { NULL, 0 };
	enum flow flow = FLOW_NEXT;

	if (sub.kind != SUBSCRIPT_NONE && assoc) {
		if (!sub_key(sh, &sub, &text))
			return sh->failed;
	} else if (sub.kind == SUBSCRIPT_EXPR && sub.tree->word &&
		   (sub.tree->word->flags & WORD_EXPANDS)) {
		flow = expand_string(sh, sub.tree->word, false, &text);
	}
	pairs_add(sh, list, item, value);
	if (text.p)
		vec_last(list).sub = (struct slice){ arena_dup(&sh->turn, text.p, text.n), text.n };
	return flow;
}

/* `[5]={a,b}`: bash's brace expansion comes first and makes two plain words. */
static enum flow literal_braces(struct shell *sh, const struct array_item *item,
				struct pairs *list)
{
	struct fields f = { 0 };
	struct slice sub = item->sub.word ? item->sub.word->text : SLICE("");
	enum flow flow = brace_expand(sh, item->value, &f);

	for (size_t i = 0; flow == FLOW_NEXT && i < f.n; i++) {
		struct str *s = scratch_take(sh);

		str_addf(s, "[%.*s]=%s", (int)sub.n, sub.p, f.at[i]);
		pairs_add(sh, list, NULL, (struct slice){ arena_dup(&sh->turn, s->p, s->n), s->n });
		scratch_give(sh, s);
	}
	return flow;
}

static enum flow literal_value(struct shell *sh, const struct word *w, struct slice *value)
{
	enum flow flow;

	*value = SLICE("");
	if (!w)
		return FLOW_NEXT;
	flow = expand_string(sh, w, true, value);
	value->p = arena_dup(&sh->turn, value->p, value->n);
	return flow;
}

static enum flow literal_item(struct shell *sh, const struct array_item *item, bool assoc,
			      struct pairs *list)
{
	struct fields f = { 0 };
	struct word single;
	struct slice value;
	enum flow flow;

	if (assoc || item->sub.kind != SUBSCRIPT_NONE) {
		if (!assoc && item->value && (item->value->flags & WORD_BRACE) &&
		    sh->opts[OPT_BRACEEXPAND])
			return literal_braces(sh, item, list);
		flow = literal_value(sh, item->value, &value);
		return flow == FLOW_NEXT ? pairs_add_item(sh, list, item, assoc, value) : flow;
	}
	if (!item->value)
		return FLOW_NEXT;
	single = *item->value;
	single.next = NULL;
	flow = expand_words(sh, &single, &f);
	for (size_t i = 0; i < f.n; i++)
		pairs_add(sh, list, NULL, (struct slice){ f.at[i], f.lens[i] });
	return flow;
}

static enum flow literal_expand(struct shell *sh, const struct assign *a, bool assoc,
				struct pairs *list)
{
	struct words *w = words_of(sh);
	enum tilde_mode tilde = w->tilde;
	enum flow flow = FLOW_NEXT;

	for (const struct array_item *i = a->items; i && flow == FLOW_NEXT; i = i->next) {
		w->tilde = assoc ? TILDE_NONE : i->sub.kind == SUBSCRIPT_NONE ? TILDE_FIRST : TILDE_ALL;
		flow = literal_item(sh, i, assoc, list);
		proc_tick(sh->p, 1);
	}
	w->tilde = tilde;
	return flow;
}

/* ---- Putting a literal into an array ---- */

/* Such an error ends a shell with set -e, and nothing else. */
static bool literal_ends(struct shell *sh)
{
	return sh->opts[OPT_ERREXIT] && words_report(sh, FLOW_ABORT) != FLOW_NEXT;
}

static void literal_bad_key(struct shell *sh, const struct pair *p, bool assoc)
{
	struct sub sub = sub_of(&p->item->sub);
	struct slice text = p->sub.p ? p->sub : sub_source(&sub), value = p->value;
	bool raw = assoc && !words_of(sh)->declaring;	/* a statement's is shown as it is written */

	if (assoc && !raw) {	/* the key is empty, however it was written */
		shell_error(sh, "['']='%.*s': bad array subscript", (int)value.n, value.p);
		return;
	}
	if (raw) {
		text = sub_source(&sub);
		value = p->item->value ? p->item->value->text : SLICE("");
	}
	shell_error(sh, "[%.*s]%s=%.*s: %s", (int)text.n, text.p, p->item->append ? "+" : "",
		    (int)value.n, value.p, sub.kind == SUBSCRIPT_EXPR || !text.n ?
		    "bad array subscript" : "cannot assign to non-numeric index");
}

/* The index of [i]=..., or where the one before left off. -1: a bad one, after a
 * message; false: give up. */
static bool literal_index(struct shell *sh, const struct var *v, const struct pair *p,
			  uint64_t place, int64_t *index)
{
	struct sub sub = sub_of(&p->item->sub);
	struct slice text = p->sub.p ? p->sub : sub_source(&sub);
	bool good;

	*index = (int64_t)place;
	if (sub.kind == SUBSCRIPT_NONE)
		return true;
	if (sub.kind != SUBSCRIPT_EXPR || text.n == 0) {
		literal_bad_key(sh, p, false);
		*index = -1;
		return !literal_ends(sh);
	}
	/* Here, and not in x['1']=, quotes go before the text is an expression. */
	if (!p->sub.p && (memchr(text.p, '\'', text.n) || memchr(text.p, '\\', text.n)))
		good = sub_key(sh, &sub, &text) && arith_eval_text(sh, text.p, text.n, index);
	else
		good = p->sub.p ? arith_eval_text(sh, text.p, text.n, index) :
			arith_subscript(sh, &sub, index);
	if (!good) {
		if (sh->failed == FLOW_NEXT)
			words_give_up(sh);
		return false;
	}
	if (*index < 0)
		*index = (int64_t)((uint64_t)*index + (uint64_t)array_last(v->array) + 1);
	if (*index >= 0)
		return true;
	literal_bad_key(sh, p, false);
	return !literal_ends(sh);
}

static int fill_indexed(struct shell *sh, struct var *v, const struct pairs *list, bool append)
{
	uint64_t place = append ? (uint64_t)array_last(v->array) + 1 : 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct pair *p = &list->at[i];
		struct slice value = p->value, old = { NULL, 0 };
		int64_t index = (int64_t)place;
		bool add = p->item && p->item->append;

		if (index < 0) {	/* behind the last there can be */
			shell_error(sh, "%s[%lld]: bad array subscript", v->name, (long long)index);
			return var_fail(sh, FLOW_ABORT);
		}
		if (p->item && !literal_index(sh, v, p, place, &index))
			return 1;
		if (index < 0)
			continue;
		if (!element_value(sh, v, add && array_get(v->array, index, &old), old, add, &value))
			return 1;
		array_set(v->array, index, value.p, value.n);
		place = (uint64_t)index + 1;
		proc_tick(sh->p, 1);
	}
	return 0;
}

static int fill_assoc_one(struct shell *sh, struct var *v, struct slice key,
			  const struct pair *p, struct slice value)
{
	return assoc_put(sh, v, key, value, p->item && p->item->append);
}

/* Where the first item has no subscript, [x]=y is a word like others. */
static struct slice flat_text(struct shell *sh, const struct pair *p)
{
	struct str *s;
	struct slice text;

	if (p->item->sub.kind == SUBSCRIPT_NONE)
		return p->value;
	s = scratch_take(sh);
	str_addf(s, "[%.*s]%s", (int)p->sub.n, p->sub.p, p->item->append ? "+=" : "=");
	str_addslice(s, p->value);
	text = (struct slice){ arena_dup(&sh->turn, s->p, s->n), s->n };
	scratch_give(sh, s);
	return text;
}

/* (k v k v): an odd last key has the empty value. */
static int fill_assoc_flat(struct shell *sh, struct var *v, const struct pairs *list)
{
	for (size_t i = 0; i < list->n; i += 2) {
		struct slice key = flat_text(sh, &list->at[i]);
		struct slice value = i + 1 < list->n ? flat_text(sh, &list->at[i + 1]) : SLICE("");
		struct pair plain = { NULL, value, key };

		if (key.n == 0) {
			shell_error(sh, "'': bad array subscript");
			if (literal_ends(sh))
				return 1;
			continue;
		}
		if (fill_assoc_one(sh, v, key, &plain, value))
			return 1;
		proc_tick(sh->p, 1);
	}
	return 0;
}

static void literal_no_key(struct shell *sh, const struct var *v, const struct pair *p)
{
	struct slice text = p->value;
	struct str value;

	str_init(&value, sh->heap, STR_MAX_DEFAULT);
	/* The word as it is written; declare has quoted it once more. */
	if (p->item->value)
		text = p->item->value->text;
	if (words_of(sh)->declaring)
		quote_single(&value, text.p, text.n);
	else
		str_addslice(&value, text);
	shell_error(sh, "%s: %s: must use subscript when assigning associative array", v->name, value.p);
	str_end(&value);
}

static int fill_assoc(struct shell *sh, struct var *v, const struct pairs *list)
{
	if (list->n && list->at[0].item && list->at[0].item->sub.kind == SUBSCRIPT_NONE)
		return fill_assoc_flat(sh, v, list);
	for (size_t i = 0; i < list->n; i++) {
		const struct pair *p = &list->at[i];
		struct sub sub = sub_of(&p->item->sub);
		struct slice key;

		if (sub.kind == SUBSCRIPT_NONE) {
			literal_no_key(sh, v, p);
			if (literal_ends(sh))
				return 1;
			continue;
		}
		key = p->sub;
		if (key.n == 0) {
			literal_bad_key(sh, p, true);
			if (literal_ends(sh))
				return 1;
			continue;
		}
		if (fill_assoc_one(sh, v, key, p, p->value))
			return 1;
		proc_tick(sh->p, 1);
	}
	return 0;
}

static int literal_fill(struct shell *sh, struct var *v, const char *name, const struct pairs *list,
			bool append)
{
	if (v->flags & VAR_READONLY)
		return var_readonly_error(sh, name);
	if (v->flags & VAR_ASSOC) {
		if (!append)
			assoc_clear(v->assoc);
	} else {
		if (!append)
			v->flags &= ~(uint32_t)VAR_SET;	/* an old scalar does not become a[0] */
		var_to_indexed(sh, v);
		if (!append)
			array_clear(v->array);
	}
	v->flags |= VAR_SET;
	if (v->flags & VAR_SPECIAL && v->special <= SP_LAST_READ && !(v->flags & VAR_ASSOC))
		return 0;
	return v->flags & VAR_ASSOC ? fill_assoc(sh, v, list) : fill_indexed(sh, v, list, append);
}

/* ---- In front of a command ---- */

/* An array literal there is only its text. */
static void assign_temporary_text(struct shell *sh, const struct assign *a, struct slice *value)
{
	struct str *s = scratch_take(sh);

	str_addc(s, '(');
	for (const struct array_item *i = a->items; i; i = i->next)
		str_addf(s, "%s%.*s", i == a->items ? "" : " ",
			 i->value ? (int)i->value->text.n : 0, i->value ? i->value->text.p : "");
	str_addc(s, ')');
	*value = (struct slice){ arena_dup(&sh->turn, s->p, s->n), s->n };
	scratch_give(sh, s);
}

static int assign_temporary(struct shell *sh, const struct assign *a)
{
	struct name name = a->name;
	struct slice value, old;
	struct var *v, *seen;
	enum flow flow = FLOW_NEXT;

	sh->failed = FLOW_NEXT;
	if (a->sub.kind != SUBSCRIPT_NONE) {
		struct sub sub = sub_of(&a->sub);
		struct slice text = sub_source(&sub);

		shell_error(sh, "`%s[%.*s]': not a valid identifier", a->name.s, (int)text.n, text.p);
		return 1;
	}
	if (a->is_array)
		assign_temporary_text(sh, a, &value);
	else
		flow = literal_value(sh, a->value, &value);
	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	seen = var_find(sh, &name);
	if (seen && (seen->flags & VAR_NAMEREF)) {
		struct target t = var_target(sh, &name);

		name = t.sub.kind == SUBSCRIPT_NONE && !t.bad ? t.name : name;
		seen = var_find(sh, &name);
	}
	if (seen && (seen->flags & VAR_READONLY)) {
		shell_error(sh, "%s: readonly variable", seen->name);
		return 1;
	}
	if (a->append && seen && var_scalar(sh, seen, &old)) {
		char *joined = arena_alloc(&sh->turn, old.n + value.n + 1);

		memcpy(joined, old.p, old.n);
		memcpy(joined + old.n, value.p, value.n);
		value = (struct slice){ joined, old.n + value.n };
	}
	v = var_in_scope(sh, &name, sh->scope);
	if (!v)
		v = var_make(sh, &name, sh->scope);
	v->flags |= VAR_EXPORT | VAR_TEMPORARY;
	var_store(sh, v, value.p, value.n);
	if (v->flags & VAR_SPECIAL)
		special_changed(sh, v->special);
	return 0;
}

/* ---- The three ways in ---- */

static bool assign_is_assoc(struct shell *sh, const struct assign *a, uint32_t on, bool fresh)
{
	struct target t;

	if (on & VAR_ASSOC)
		return true;
	if (on & VAR_INDEXED)
		return false;
	t = var_target(sh, &a->name);
	return t.v && (t.v->flags & VAR_ASSOC) && (!fresh || t.v->scope == sh->scope);
}

static int assign_literal(struct shell *sh, const struct assign *a)
{
	struct pairs list = { 0 };
	struct target t = var_target(sh, &a->name);
	enum flow flow = literal_expand(sh, a, t.v && (t.v->flags & VAR_ASSOC), &list);

	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	t = var_target(sh, &a->name);
	if (t.bad)
		return var_fail(sh, FLOW_ABORT);
	if (a->sub.kind != SUBSCRIPT_NONE || t.sub.kind != SUBSCRIPT_NONE) {
		struct sub sub = a->sub.kind != SUBSCRIPT_NONE ? sub_of(&a->sub) : t.sub;
		struct slice text = sub_source(&sub);

		if (a->sub.kind == SUBSCRIPT_NONE) {
			shell_error(sh, "`%.*s[%.*s]': not a valid identifier", (int)t.name.n,
				    t.name.s, (int)text.n, text.p);
			return var_fail(sh, FLOW_ABORT);
		}
		shell_error(sh, "%s[%.*s]: cannot assign list to array member", a->name.s,
			    (int)text.n, text.p);
		return var_fail(sh, FLOW_ABORT);
	}
	if (!t.v)
		t.v = var_make(sh, &t.name, 0);
	if (t.v->flags & VAR_NAMEREF)
		shell_error(sh, "warning: %s: removing nameref attribute", t.v->name);
	return literal_fill(sh, t.v, a->name.s, &list, a->append);
}

static int assign_statement(struct shell *sh, const struct assign *a)
{
	const struct part *part = a->value ? a->value->parts : NULL;
	struct slice value = { "", 0 };
	enum flow flow;

	if (a->is_array)
		return assign_literal(sh, a);
	if (part && part->kind == PART_ARITH && !part->next && !a->append &&
	    a->sub.kind == SUBSCRIPT_NONE) {
		int64_t number;

		flow = arith_value(sh, part->arith, &number);
		return flow == FLOW_NEXT ? var_set_number(sh, &a->name, number) : var_fail(sh, flow);
	}
	if (a->value) {
		flow = expand_string(sh, a->value, true, &value);
		if (flow != FLOW_NEXT)
			return var_fail(sh, flow);
	}
	if (a->sub.kind != SUBSCRIPT_NONE)
		return var_set_element(sh, &a->name, &a->sub, value.p, value.n, a->append);
	return a->append ? var_append(sh, &a->name, value.p, value.n) :
		var_set(sh, &a->name, value.p, value.n);
}

int var_assign(struct shell *sh, const struct assign *a, uint32_t set_flags, bool local)
{
	struct words *w = words_of(sh);
	struct arena_mark mark = arena_mark(&sh->turn);
	int status;

	sh->failed = FLOW_ABORT;
	if (local && w->scopes.n && vec_last(&w->scopes).temporary && !vec_last(&w->scopes).merged)
		status = assign_temporary(sh, a);
	else if (local || set_flags)
		status = var_assign_declare(sh, a, set_flags, 0, local, false);
	else
		status = assign_statement(sh, a);
	arena_reset(&sh->turn, mark);
	return status;
}

/* bash does this before the builtin runs: messages do not name it. */
static int declare_fill(struct shell *sh, struct var *v, const struct pairs *list, bool append)
{
	const char *builtin = sh->builtin;
	int status;

	sh->builtin = NULL;
	words_of(sh)->declaring = true;
	status = literal_fill(sh, v, v->name, list, append);
	words_of(sh)->declaring = false;
	sh->builtin = builtin;
	return status;
}

/* The value is expanded, and only then is the variable made. */
int var_assign_declare(struct shell *sh, const struct assign *a, uint32_t on, uint32_t off,
		       bool local, bool global)
{
	bool fresh = local && var_local_scope(sh) && !sh->opts[SHOPT_LOCALVAR_INHERIT];
	bool assoc = a->is_array && assign_is_assoc(sh, a, on, fresh);
	struct pairs list = { 0 };
	struct slice value = { "", 0 };
	struct sub sub = sub_of(&a->sub);
	enum flow flow;
	struct var *v;

	sh->failed = FLOW_ABORT;
	flow = a->is_array ? literal_expand(sh, a, assoc, &list) : literal_value(sh, a->value, &value);
	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	if (a->is_array || sub.kind != SUBSCRIPT_NONE)
		on |= assoc || (on & VAR_ASSOC) ? VAR_ASSOC : 0;
	v = var_declare(sh, a->name.s, a->name.n, on & ~(uint32_t)VAR_READONLY, off, local, global);
	if (!v)
		return var_fail(sh, FLOW_NEXT);
	if (v->flags & VAR_READONLY) {
		builtin_error(sh, "%s: readonly variable", v->name);
		return var_fail(sh, FLOW_NEXT);
	}
	if (a->is_array && declare_fill(sh, v, &list, a->append))
		return 1;
	if (!a->is_array && (sub.kind == SUBSCRIPT_NONE ?
			     var_put(sh, v, value.p, value.n, a->append) :
			     var_put_element(sh, v, &sub, value.p, value.n, a->append)))
		return 1;
	v->flags |= on & VAR_READONLY;
	return 0;
}
