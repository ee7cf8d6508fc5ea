/*
 * Variables: finding, reading and setting them. A name leads through one map to
 * the innermost variable of that name; outer ones hang behind it (`shadowed`),
 * so a lookup is one probe whatever the nesting. The plain case - a scalar
 * without attributes - is short on purpose: loops live on it. A number stays a
 * number (VAR_NUMBER) until someone wants its text.
 */
#include <string.h>

#include "base/num.h"
#include "kernel/kernel.h"
#include "lang/parse.h"
#include "shell/words.h"

#define NAMEREF_MAX 8
#define VAR_NOT_PLAIN (VAR_READONLY | VAR_INTEGER | VAR_UPPER | VAR_LOWER | VAR_CAPITAL | \
		       VAR_NAMEREF | VAR_INDEXED | VAR_ASSOC | VAR_SPECIAL | VAR_EXPORT | \
		       VAR_TEMPORARY)

/* ---- Names ---- */

struct name name_of(const char *s, size_t n)
{
	return (struct name){ s, (uint32_t)n, map_hash(s, n) };
}

bool name_valid(const char *s, size_t n)
{
	if (n == 0 || (s[0] >= '0' && s[0] <= '9'))
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		      (c >= '0' && c <= '9')))
			return false;
	}
	return true;
}

/* The place of the bracket that closes the one at s[0], quotes skipped; 0: none. */
static size_t name_close_bracket(const char *s, size_t n)
{
	int depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\') {
			i++;
		} else if (s[i] == '\'' || s[i] == '"') {
			const char *end = memchr(s + i + 1, s[i], n - i - 1);

			if (!end)
				return 0;
			i = (size_t)(end - s);
		} else if (s[i] == '[') {
			depth++;
		} else if (s[i] == ']' && --depth == 0) {
			return i;
		}
	}
	return 0;
}

bool name_split(const char *s, size_t n, struct slice *name, struct sub *sub)
{
	const char *open = memchr(s, '[', n);
	size_t at = open ? (size_t)(open - s) : n;

	*name = (struct slice){ s, at };
	*sub = (struct sub){ SUBSCRIPT_NONE, NULL, { NULL, 0 } };
	if (!name_valid(s, at))
		return false;
	if (!open)
		return true;
	if (name_close_bracket(open, n - at) != n - at - 1 || n - at < 3)
		return false;
	sub->text = (struct slice){ open + 1, n - at - 2 };
	sub->kind = slice_is(sub->text, "@") ? SUBSCRIPT_AT :
		    slice_is(sub->text, "*") ? SUBSCRIPT_STAR : SUBSCRIPT_EXPR;
	return true;
}

/* ---- Finding ---- */

struct var *var_find(struct shell *sh, const struct name *name)
{
	struct map_entry *e = map_find_hashed(&sh->vars, name->s, name->n, name->hash);

	if (e && e->value)
		return e->value;
	return special_lazy(sh, name->s, name->n);
}

struct var *var_find_text(struct shell *sh, const char *name, size_t n)
{
	struct name made = name_of(name, n);

	return var_find(sh, &made);
}

/* A nameref that leads to its own name inside a function means the outer one. The chain
 * began at `first`. */
static struct var *target_circle(struct shell *sh, const struct var *first, struct var *v)
{
	shell_error(sh, "warning: %s: circular name reference", first->name);
	while (v && (v->flags & VAR_NAMEREF))
		v = v->shadowed;
	return v;
}

struct target var_target(struct shell *sh, const struct name *name)
{
	struct target t = { var_find(sh, name), *name, { SUBSCRIPT_NONE, NULL, { NULL, 0 } }, false,
			    false };
	const struct var *first = t.v;

	for (int i = 0; t.v && (t.v->flags & VAR_NAMEREF); i++) {
		struct slice to, base;
		struct var *next;

		if (!(t.v->flags & VAR_SET) || t.v->text.n == 0)
			return t;
		to = str_slice(&t.v->text);
		name_split(to.p, to.n, &base, &t.sub);
		next = var_find_text(sh, base.p, base.n);
		if (next && (next == t.v || next == first)) {
			t.bad = !t.v->scope;
			t.circle = !t.bad;
			t.name = name_of(base.p, base.n);
			t.v = target_circle(sh, first, next);
			return t;
		}
		if (i >= NAMEREF_MAX) {	/* bash goes no further, and says nothing */
			t.bad = true;
			t.v = NULL;
			return t;
		}
		t.name = name_of(base.p, base.n);
		t.v = next;
		if (t.sub.kind != SUBSCRIPT_NONE)
			break;
	}
	return t;
}

/* ---- Reading ---- */

static void var_render(struct var *v)
{
	char digits[24];
	size_t n = num_format_i64(digits, v->number);

	str_reset(&v->text);
	str_addn(&v->text, digits, n);
	v->flags |= VAR_RENDERED;
}

bool var_text(struct shell *sh, struct var *v, struct slice *value)
{
	if ((v->flags & VAR_SPECIAL) && v->special <= SP_LAST_READ && !special_read(sh, v))
		return false;
	if (!(v->flags & VAR_SET))
		return false;
	if ((v->flags & (VAR_NUMBER | VAR_RENDERED)) == VAR_NUMBER)
		var_render(v);
	*value = str_slice(&v->text);
	return true;
}

void var_refresh(struct shell *sh, struct var *v)
{
	if ((v->flags & VAR_SPECIAL) && v->special <= SP_LAST_READ)
		special_read(sh, v);
}

bool var_scalar(struct shell *sh, struct var *v, struct slice *value)
{
	if (!(v->flags & (VAR_INDEXED | VAR_ASSOC)))
		return var_text(sh, v, value);
	var_refresh(sh, v);
	return v->flags & VAR_INDEXED ? array_get(v->array, 0, value) :
		assoc_get(v->assoc, "0", 1, value);
}

/* What the shell reads for itself: a reference to a variable is followed, one to an
 * element is nothing. */
bool var_get(struct shell *sh, const struct name *name, struct slice *value)
{
	struct var *v = var_find(sh, name);
	struct target t;

	if (!v)
		return false;
	if (!(v->flags & VAR_NAMEREF))
		return var_scalar(sh, v, value);
	t = var_target(sh, name);
	return !t.bad && t.v && t.sub.kind == SUBSCRIPT_NONE && !(t.v->flags & VAR_NAMEREF) &&
	       var_scalar(sh, t.v, value);
}

bool var_get_text(struct shell *sh, const char *name, struct slice *value)
{
	struct name made = name_of(name, strlen(name));

	return var_get(sh, &made, value);
}

/* ---- Storing, without any rule ---- */

/* The buffer of a value that was large once is given back. */
static void var_shrink(struct var *v, size_t n)
{
	if (v->text.cap > 4096 && n < v->text.cap / 8) {
		struct str fresh;

		str_init(&fresh, v->text.heap, STR_MAX_DEFAULT);
		str_end(&v->text);
		v->text = fresh;
	}
}

void var_store(struct shell *sh, struct var *v, const char *p, size_t n)
{
	if (v->flags & VAR_EXPORT)
		sh->environ_stale = true;
	v->flags = (v->flags & ~(uint32_t)(VAR_NUMBER | VAR_RENDERED)) | VAR_SET;
	if (v->text.cap && p >= v->text.p && p <= v->text.p + v->text.n) {
		memmove(v->text.p, p, n);	/* x=${x:2}: a part of itself */
		str_cut(&v->text, n);
		return;
	}
	var_shrink(v, n);
	str_reset(&v->text);
	str_addn(&v->text, p, n);
}

void var_store_number(struct shell *sh, struct var *v, int64_t n)
{
	if (v->flags & VAR_EXPORT)
		sh->environ_stale = true;
	v->number = n;
	v->flags = (v->flags & ~(uint32_t)VAR_RENDERED) | VAR_NUMBER | VAR_SET;
}

static void var_add(struct shell *sh, struct var *v, const char *p, size_t n)
{
	if (v->flags & VAR_EXPORT)
		sh->environ_stale = true;
	if ((v->flags & (VAR_NUMBER | VAR_RENDERED)) == VAR_NUMBER)
		var_render(v);
	if (!(v->flags & VAR_SET))
		str_reset(&v->text);
	v->flags = (v->flags & ~(uint32_t)(VAR_NUMBER | VAR_RENDERED)) | VAR_SET;
	if (v->text.cap && p >= v->text.p && p <= v->text.p + v->text.n)
		p = arena_dup(&sh->turn, p, n);
	str_addn(&v->text, p, n);
}

/* ---- Setting, as assignments do ---- */

int var_fail(struct shell *sh, enum flow flow)
{
	sh->failed = flow;
	return 1;
}

int var_readonly_error(struct shell *sh, const char *name)
{
	shell_error(sh, "%s: readonly variable", name);
	sh->status = 1;
	words_report(sh, FLOW_ABORT);
	return 1;
}

static int var_give_up(struct shell *sh)
{
	sh->given_up = true;
	return var_fail(sh, words_give_up(sh));
}

/* An integer variable: the value is an expression, += adds. */
static int var_put_integer(struct shell *sh, struct var *v, const char *p, size_t n, bool append)
{
	struct slice old;
	int64_t value, before = 0;

	if (append && var_scalar(sh, v, &old) &&
	    !arith_eval_text(sh, old.p, old.n, &before))
		return var_give_up(sh);
	if (!arith_eval_text(sh, p, n, &value))
		return var_give_up(sh);
	var_store_number(sh, v, (int64_t)((uint64_t)value + (uint64_t)before));
	return 0;
}

static int var_put_nameref(struct shell *sh, struct var *v, const char *p, size_t n)
{
	struct slice base;
	struct sub sub;

	if (!name_split(p, n, &base, &sub)) {
		sh->status = 1;
		if (sh->builtin) {
			builtin_error(sh, "`%.*s': not a valid identifier", (int)n, p);
			return var_fail(sh, FLOW_NEXT);
		}
		shell_error(sh, "`%.*s': not a valid identifier", (int)n, p);
		return var_fail(sh, FLOW_ABORT);
	}
	if (sh->builtin && base.n == v->name_len && !memcmp(base.p, v->name, base.n)) {
		if (!v->scope) {
			builtin_error(sh, "%s: nameref variable self references not allowed", v->name);
			return var_fail(sh, FLOW_NEXT);
		}
		builtin_error(sh, "warning: %s: circular name reference", v->name);
	}
	var_store(sh, v, p, n);
	return 0;
}

/* A scalar with whatever attributes. */
static int var_put_scalar(struct shell *sh, struct var *v, const char *p, size_t n, bool append)
{
	struct slice value = { p, n }, whole, old;

	if (v->flags & VAR_INTEGER)
		return var_put_integer(sh, v, p, n, append);
	if (append && (v->flags & (VAR_UPPER | VAR_LOWER | VAR_CAPITAL)) && var_text(sh, v, &old)) {
		char *joined = arena_alloc(&sh->turn, old.n + n + 1);

		memcpy(joined, old.p, old.n);
		memcpy(joined + old.n, p, n);
		whole = (struct slice){ joined, old.n + n };
		value = whole;
		append = false;
	}
	if (!var_convert(sh, v->flags, value.p, value.n, &value))
		return 1;
	if (append)
		var_add(sh, v, value.p, value.n);
	else
		var_store(sh, v, value.p, value.n);
	return 0;
}

/* One whose value is made when it is read. */
static int var_put_special(struct shell *sh, struct var *v, const char *p, size_t n, bool append)
{
	char digits[24];
	int status;

	if (!append || !(v->flags & VAR_INTEGER))
		return special_assign(sh, v, p, n);
	status = var_put_integer(sh, v, p, n, append);
	if (status)
		return status;
	return special_assign(sh, v, digits, num_format_i64(digits, v->number));
}

/* An assignment by a builtin to its own temporary environment changes the
 * variable behind it too, except for those that run other commands. */
static int var_put_behind(struct shell *sh, struct var *v, const char *p, size_t n)
{
	struct words *w = words_of(sh);
	struct name name = { v->name, v->name_len, map_hash(v->name, v->name_len) };
	struct scope *top;

	if (v->scope == 0 || v->scope > w->scopes.n)
		return 0;
	top = &w->scopes.at[v->scope - 1];
	if (!top->temporary || top->merged || top->keeps)
		return 0;
	if (!v->shadowed)
		var_make(sh, &name, 0);
	return v->shadowed ? var_put(sh, v->shadowed, p, n, false) : 0;
}

int var_put(struct shell *sh, struct var *v, const char *p, size_t n, bool append)
{
	static const struct sub first = { SUBSCRIPT_EXPR, NULL, { "0", 1 } };
	int status;

	if (v->flags & VAR_READONLY)
		return var_readonly_error(sh, v->name);
	if (sh->opts[OPT_ALLEXPORT] && !(v->flags & (VAR_INDEXED | VAR_ASSOC))) {
		v->flags |= VAR_EXPORT;
		sh->environ_stale = true;
	}
	if ((v->flags & VAR_SPECIAL) && v->special <= SP_LAST_READ)
		return var_put_special(sh, v, p, n, append);
	if (v->flags & (VAR_INDEXED | VAR_ASSOC))
		return var_put_element(sh, v, &first, p, n, append);
	if (v->flags & VAR_NAMEREF)
		return var_put_nameref(sh, v, p, n);
	status = var_put_scalar(sh, v, p, n, append);
	if (status == 0 && (v->flags & VAR_SPECIAL))
		special_changed(sh, v->special);
	if (status == 0 && (v->flags & VAR_TEMPORARY))
		status = var_put_behind(sh, v, p, n);
	return status;
}

int var_set_target(struct shell *sh, struct target *t, const char *p, size_t n, bool append)
{
	int status;

	if (t->bad)
		return var_fail(sh, FLOW_ABORT);
	if (n > words_max_bytes(sh)) {
		words_limit(sh, "word_bytes");
		return var_fail(sh, FLOW_ABORT);
	}
	if (t->v && t->sub.kind != SUBSCRIPT_NONE)
		return var_put_element(sh, t->v, &t->sub, p, n, append);
	if (t->v)
		return var_put(sh, t->v, p, n, append);
	t->v = var_make(sh, &t->name, 0);
	if (t->sub.kind != SUBSCRIPT_NONE)
		var_to_indexed(sh, t->v);	/* no element 0 yet that u[-1] could be */
	status = t->sub.kind == SUBSCRIPT_NONE ? var_put(sh, t->v, p, n, append) :
		var_put_element(sh, t->v, &t->sub, p, n, append);
	if (status && !(t->v->flags & VAR_SET)) {
		var_remove(sh, t->v);	/* u[-1]=x makes nothing */
		t->v = NULL;
	}
	return status;
}

static int var_set_slow(struct shell *sh, const struct name *name, const char *p, size_t n,
			bool append)
{
	struct target t = var_target(sh, name);

	if (t.circle)	/* bash looks twice, and says so */
		shell_error(sh, "warning: %s: circular name reference", name->s);
	return var_set_target(sh, &t, p, n, append);
}

int var_set(struct shell *sh, const struct name *name, const char *value, size_t n)
{
	struct var *v = var_find(sh, name);

	if (!v || (v->flags & VAR_NOT_PLAIN) || sh->opts[OPT_ALLEXPORT] || n > 4096)
		return var_set_slow(sh, name, value, n, false);
	var_store(sh, v, value, n);
	return 0;
}

int var_set_loop(struct shell *sh, const struct name *name, const char *value, size_t n)
{
	struct var *v = var_find(sh, name);

	return v && (v->flags & VAR_NAMEREF) ? var_put(sh, v, value, n, false) :
		var_set(sh, name, value, n);
}

int var_set_text(struct shell *sh, const char *name, const char *value, size_t n)
{
	struct name made = name_of(name, strlen(name));

	return var_set(sh, &made, value, n);
}

int var_set_number(struct shell *sh, const struct name *name, int64_t value)
{
	struct var *v = var_find(sh, name);
	char digits[24];

	if (v && !(v->flags & (VAR_NOT_PLAIN & ~(uint32_t)VAR_INTEGER)) &&
	    !sh->opts[OPT_ALLEXPORT]) {
		v->number = value;
		v->flags = (v->flags & ~(uint32_t)VAR_RENDERED) | VAR_NUMBER | VAR_SET;
		return 0;
	}
	return var_set_slow(sh, name, digits, num_format_i64(digits, value), false);
}

int var_append(struct shell *sh, const struct name *name, const char *value, size_t n)
{
	struct var *v = var_find(sh, name);

	if (v && v->text.n + n > words_max_bytes(sh)) {
		words_limit(sh, "word_bytes");
		return var_fail(sh, FLOW_ABORT);
	}
	if (!v || (v->flags & VAR_NOT_PLAIN) || sh->opts[OPT_ALLEXPORT])
		return var_set_slow(sh, name, value, n, true);
	var_add(sh, v, value, n);
	return 0;
}
