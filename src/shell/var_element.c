/*
 * Elements: what a subscript means, and assignment to a[i]. An indexed array
 * evaluates it as arithmetic, an associative one expands it as a word. The
 * subscript comes from the tree (parsed once) or as text, when a builtin or a
 * nameref brings "a[i]".
 */
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "kernel/kernel.h"
#include "lang/parse.h"
#include "shell/words.h"

struct sub sub_of(const struct subscript *tree)
{
	return (struct sub){ tree->kind, tree, { NULL, 0 } };
}

struct slice sub_source(const struct sub *sub)
{
	if (sub->kind == SUBSCRIPT_AT)
		return SLICE("@");
	if (sub->kind == SUBSCRIPT_STAR)
		return SLICE("*");
	return sub->tree && sub->tree->word ? sub->tree->word->text : sub->text;
}

/* Text as a word with its quotes: unset 'm["a b"]', read 'm[$k]'. */
static bool sub_key_text(struct shell *sh, struct slice text, struct slice *key)
{
	struct parse_options opt = { .name = "bash", .depth_max = 100, .source_max = text.n + 1 };
	struct parse_error err = { .incomplete = false };
	struct script *owner = NULL;
	struct word *w;
	enum flow flow = FLOW_NEXT;

	*key = text;
	if (!memchr(text.p, '$', text.n) && !memchr(text.p, '`', text.n) &&
	    !memchr(text.p, '\\', text.n) && !memchr(text.p, '"', text.n) &&
	    !memchr(text.p, '\'', text.n))
		return true;
	str_init(&err.message, sh->heap, STR_MAX_DEFAULT);
	str_init(&err.detail, sh->heap, STR_MAX_DEFAULT);
	w = parse_word_text(sh->heap, text.p, text.n, false, &opt, &owner, &err);
	str_end(&err.message);
	str_end(&err.detail);
	if (!w)
		return true;
	flow = expand_string(sh, w, false, key);
	key->p = arena_dup(&sh->turn, key->p, key->n);
	script_drop(owner);
	return flow == FLOW_NEXT || var_fail(sh, flow) == 0;
}

static bool subscript_value(struct shell *sh, const struct sub *sub, int64_t *value)
{
	struct slice text = sub->text;

	if (sub->tree && sub->tree->arith)
		return arith_eval(sh, sub->tree->arith, value);
	if (sub->tree && sub->tree->word) {
		enum flow flow = expand_string(sh, sub->tree->word, false, &text);

		if (flow != FLOW_NEXT)
			return var_fail(sh, flow) == 0;
	} else if (!sub_key_text(sh, text, &text)) {
		return false;
	}
	return arith_eval_text(sh, text.p, text.n, value);
}

/* Wherever it stands, an error in a subscript ends the command, and its message
 * names no builtin. */
bool arith_subscript(struct shell *sh, const struct sub *sub, int64_t *value)
{
	const char *builtin = sh->builtin;
	bool good;

	sh->builtin = NULL;
	good = subscript_value(sh, sub, value);
	sh->builtin = builtin;
	if (!good && sh->failed == FLOW_NEXT)
		words_give_up(sh);
	sh->given_up |= !good;
	return good;
}

static void sub_bad(struct shell *sh, struct slice name, const struct sub *sub, bool writing)
{
	struct slice text = sub_source(sub);

	if (sh->builtin && !strcmp(sh->builtin, "unset"))
		builtin_error(sh, "[%.*s]: bad array subscript", (int)text.n, text.p);
	else if (writing)
		shell_error(sh, "%.*s[%.*s]: bad array subscript", (int)name.n, name.p,
			    (int)text.n, text.p);
	else
		shell_error(sh, "%.*s: bad array subscript", (int)name.n, name.p);
	if (writing)
		sh->status = 1;
}

bool sub_from_end(const struct var *v, bool writing, int64_t *i)
{
	int64_t last = v && writing ? 0 : -1;

	if (v && (v->flags & VAR_INDEXED))
		last = array_last(v->array);
	if (*i < 0)
		*i = (int64_t)((uint64_t)*i + (uint64_t)last + 1);
	return *i >= 0 && *i <= last;
}

bool sub_index(struct shell *sh, const struct var *v, struct slice name, const struct sub *sub,
	       bool writing, int64_t *index)
{
	int64_t i;

	sh->failed = FLOW_NEXT;
	if (writing && (sub->kind != SUBSCRIPT_EXPR || sub_source(sub).n == 0)) {
		sub_bad(sh, name, sub, true);
		words_report(sh, sh->builtin ? FLOW_NEXT : FLOW_ABORT);
		return false;
	}
	if (!arith_subscript(sh, sub, &i)) {
		if (sh->failed == FLOW_NEXT)
			words_give_up(sh);
		return false;
	}
	if (i < 0) {
		if (!sub_from_end(v, writing, &i)) {
			sub_bad(sh, name, sub, writing);
			words_report(sh, writing && !sh->builtin ? FLOW_ABORT : FLOW_NEXT);
			return false;
		}
	}
	*index = i;
	return true;
}

bool sub_key(struct shell *sh, const struct sub *sub, struct slice *key)
{
	struct words *w = words_of(sh);
	enum tilde_mode tilde = w->tilde;
	enum flow flow;

	if (sub->kind != SUBSCRIPT_EXPR) {
		*key = sub_source(sub);
		return true;
	}
	if (!sub->tree)
		return sub_key_text(sh, sub->text, key);
	if (!sub->tree->word) {
		*key = SLICE("");
		return true;
	}
	w->tilde = TILDE_NONE;
	flow = expand_string(sh, sub->tree->word, false, key);
	w->tilde = tilde;
	return flow == FLOW_NEXT || var_fail(sh, flow) == 0;
}

/* ---- Attributes ---- */

static void convert_case(const struct shell *sh, struct str *out, uint32_t flags, const char *p,
			 size_t n)
{
	for (size_t i = 0; i < n;) {
		bool up = flags & VAR_UPPER || (flags & VAR_CAPITAL && i == 0);
		char buf[4];
		int32_t c;
		size_t len = shell_char(sh, p + i, n - i, &c);

		if (c < 0)
			str_addn(out, p + i, len);
		else
			str_addn(out, buf, utf8_encode(buf,
				(uint32_t)(up ? utf8_upper(c) : utf8_lower(c))));
		i += len;
	}
}

bool var_convert(struct shell *sh, uint32_t flags, const char *p, size_t n, struct slice *out)
{
	struct str *s;

	*out = (struct slice){ p, n };
	if (flags & VAR_INTEGER) {
		char digits[24];
		int64_t value;

		if (!arith_eval_text(sh, p, n, &value)) {
			words_give_up(sh);
			sh->given_up = true;
			return false;
		}
		out->n = num_format_i64(digits, value);
		out->p = arena_dup(&sh->turn, digits, out->n);
		return true;
	}
	if (!(flags & (VAR_UPPER | VAR_LOWER | VAR_CAPITAL)))
		return true;
	tsb_tick(sh->p, n / 16);
	s = scratch_take(sh);
	convert_case(sh, s, flags, p, n);
	out->n = s->n;
	out->p = arena_dup(&sh->turn, s->p, s->n);
	scratch_give(sh, s);
	return true;
}

/* ---- Arrays out of scalars ---- */

void var_to_indexed(struct shell *sh, struct var *v)
{
	struct slice value;

	if (v->flags & VAR_INDEXED)
		return;
	if (!v->array)
		v->array = array_new(sh->heap);
	if (!(v->flags & VAR_ASSOC) && var_text(sh, v, &value))
		array_set(v->array, 0, value.p, value.n);
	str_end(&v->text);
	v->flags &= ~(uint32_t)(VAR_NUMBER | VAR_RENDERED | VAR_NAMEREF);
	v->flags |= VAR_INDEXED;
}

void var_to_assoc(struct shell *sh, struct var *v)
{
	struct slice value;

	if (v->flags & VAR_ASSOC)
		return;
	if (!v->assoc)
		v->assoc = assoc_new(sh->heap);
	if (!(v->flags & VAR_INDEXED) && var_text(sh, v, &value))
		assoc_set(v->assoc, SLICE("0"), value.p, value.n);
	str_end(&v->text);
	v->flags &= ~(uint32_t)(VAR_NUMBER | VAR_RENDERED | VAR_NAMEREF);
	v->flags |= VAR_ASSOC;
}

/* ---- a[i]=x ---- */

bool element_value(struct shell *sh, const struct var *v, bool has_old, struct slice old,
		   bool append, struct slice *value)
{
	char *joined;

	if (append && has_old && (v->flags & VAR_INTEGER)) {
		struct slice before;
		char digits[24];
		int64_t a, b;

		old.p = arena_dup(&sh->turn, old.p, old.n);
		if (!var_convert(sh, VAR_INTEGER, old.p, old.n, &before) ||
		    !var_convert(sh, VAR_INTEGER, value->p, value->n, value))
			return false;
		if (num_i64(before.p, &a) != NUM_OK || num_i64(value->p, &b) != NUM_OK)
			return false;
		value->n = num_format_i64(digits, (int64_t)((uint64_t)a + (uint64_t)b));
		value->p = arena_dup(&sh->turn, digits, value->n);
		return true;
	} else if (append && has_old) {
		joined = arena_alloc(&sh->turn, old.n + value->n + 1);
		memcpy(joined, old.p, old.n);
		memcpy(joined + old.n, value->p, value->n);
		*value = (struct slice){ joined, old.n + value->n };
	}
	return var_convert(sh, v->flags, value->p, value->n, value);
}

int assoc_put(struct shell *sh, struct var *v, struct slice key, struct slice value, bool append)
{
	struct slice old = { NULL, 0 };
	bool has;

	if (v->flags & VAR_SPECIAL && v->special <= SP_LAST_READ)
		return special_assign_element(sh, v, key, value);
	has = append && assoc_get(v->assoc, key.p, key.n, &old);
	if (!element_value(sh, v, has, old, append, &value))
		return 1;
	assoc_set(v->assoc, key, value.p, value.n);
	return 0;
}

static int put_assoc(struct shell *sh, struct var *v, const struct sub *sub, struct slice value,
		     bool append)
{
	struct slice key, source = sub_source(sub);

	if (!sub_key(sh, sub, &key))
		return 1;
	if (key.n == 0) {
		shell_error(sh, "%s[%.*s]: bad array subscript", v->name, (int)source.n, source.p);
		sh->status = 1;
		words_report(sh, FLOW_ABORT);
		return 1;
	}
	return assoc_put(sh, v, key, value, append);
}

/* DIRSTACK[i]: a directory under the working directory; another index means nothing. */
static int put_directory(struct shell *sh, struct var *v, const struct sub *sub, struct slice value)
{
	struct slice name = { v->name, v->name_len };
	int64_t index;

	var_refresh(sh, v);
	if (!sub_index(sh, v, name, sub, true, &index))
		return 1;
	if (index < 1 || (uint64_t)index > sh->dirs.n)
		return 0;
	heap_free(sh->heap, sh->dirs.at[index - 1]);
	sh->dirs.at[index - 1] = heap_dup(sh->heap, value.p, value.n);
	return 0;
}

static int put_indexed(struct shell *sh, struct var *v, const struct sub *sub,
		       struct slice value, bool append)
{
	struct slice old = { NULL, 0 }, name = { v->name, v->name_len };
	int64_t index;
	bool has;

	if (v->flags & VAR_SPECIAL && v->special <= SP_LAST_READ)
		return v->special == SP_DIRSTACK ? put_directory(sh, v, sub, value) : 0;
	if (v->flags & VAR_SET)
		var_to_indexed(sh, v);	/* x[-1] of a scalar is its element 0 */
	if (!sub_index(sh, v, name, sub, true, &index))
		return 1;
	var_to_indexed(sh, v);
	has = append && array_get(v->array, index, &old);
	if (!element_value(sh, v, has, old, append, &value))
		return 1;
	array_set(v->array, index, value.p, value.n);
	return 0;
}

int var_put_element(struct shell *sh, struct var *v, const struct sub *sub, const char *p,
		    size_t n, bool append)
{
	struct slice value = { p, n };
	int status;

	if (v->flags & VAR_READONLY)
		return var_readonly_error(sh, v->name);
	status = v->flags & VAR_ASSOC ? put_assoc(sh, v, sub, value, append) :
		put_indexed(sh, v, sub, value, append);
	if (status == 0)
		v->flags |= VAR_SET;
	return status;
}

int var_set_sub(struct shell *sh, const struct name *name, const struct sub *to,
		const char *value, size_t n, bool append)
{
	struct target t = var_target(sh, name);

	if (to->kind != SUBSCRIPT_NONE) {
		if (t.v && (t.v->flags & VAR_READONLY))	/* a nameref is not looked through */
			return var_readonly_error(sh, name->s);
		if (t.v && (t.v->flags & VAR_NAMEREF)) {	/* it leads nowhere */
			shell_error(sh, "`': not a valid identifier");
			sh->status = 1;
			return var_fail(sh, FLOW_ABORT);
		}
		if (t.sub.kind != SUBSCRIPT_NONE) {	/* to an element, which has none */
			struct slice sub = sub_source(&t.sub);

			shell_error(sh, "`%.*s[%.*s]': not a valid identifier", (int)t.name.n,
				    t.name.s, (int)sub.n, sub.p);
			sh->status = 1;
			return var_fail(sh, FLOW_ABORT);
		}
		t.sub = *to;
	}
	return var_set_target(sh, &t, value, n, append);
}

int var_set_element(struct shell *sh, const struct name *name, const struct subscript *tree,
		    const char *value, size_t n, bool append)
{
	struct sub to = sub_of(tree);

	return var_set_sub(sh, name, &to, value, n, append);
}

int var_set_index(struct shell *sh, const char *text, int64_t index, const char *value, size_t n)
{
	struct name name = name_of(text, strlen(text));
	struct sub to = { .kind = SUBSCRIPT_EXPR };
	char digits[24];

	to.text = (struct slice){ digits, num_format_i64(digits, index) };
	return var_set_sub(sh, &name, &to, value, n, false);
}

int var_set_list(struct shell *sh, const char *text, const struct slice *items, size_t n)
{
	struct name name = name_of(text, strlen(text));
	struct target t = var_target(sh, &name);
	struct slice value;

	if (t.bad)
		return 1;
	if (!t.v)
		t.v = var_make(sh, &t.name, 0);
	if (t.v->flags & VAR_READONLY)
		return var_readonly_error(sh, text);
	if (t.v->flags & VAR_ASSOC) {
		shell_error(sh, "%s: cannot convert associative to indexed array", t.v->name);
		return 1;
	}
	if (t.v->flags & VAR_NAMEREF)
		shell_error(sh, "warning: %s: removing nameref attribute", t.v->name);
	t.v->flags &= ~(uint32_t)VAR_SET;
	var_to_indexed(sh, t.v);
	array_clear(t.v->array);
	t.v->flags |= VAR_SET;
	for (size_t i = 0; i < n; i++) {
		if (!var_convert(sh, t.v->flags, items[i].p, items[i].n, &value))
			return 1;
		array_set(t.v->array, (int64_t)i, value.p, value.n);
	}
	return 0;
}
