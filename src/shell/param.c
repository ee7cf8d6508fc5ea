/*
 * Parameters: what $x, $1, $@, a[i], a[@] and ${!x} stand for, and the ${}
 * expansions that choose between the value and an operand. Operators that make
 * new text of a value are in param_op.c and its neighbours.
 */
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "kernel/kernel.h"
#include "shell/words.h"

/* ---- Errors ---- */

static enum flow param_exit(struct shell *sh)
{
	/* Only bash -c says 127. */
	sh->status = sh->is_subshell || sh->interactive || !sh->command_string ? 1 : 127;
	return words_report(sh, sh->interactive ? FLOW_ABORT : FLOW_EXIT);
}

enum flow param_unbound(struct shell *sh, const char *s, size_t n)
{
	shell_error(sh, "%.*s: unbound variable", (int)n, s);
	return param_exit(sh);
}

static enum flow param_bad(struct shell *sh, const struct param *p)
{
	const char *raw = p->raw ? p->raw : "";
	struct slice shown = p->letters.n ? p->letters : (struct slice){ raw, strlen(raw) };

	if (p->unclosed)
		shell_error(sh, "bad substitution: no closing `}' in %.*s", (int)shown.n, shown.p);
	else
		shell_error(sh, "%.*s: bad substitution", (int)shown.n, shown.p);
	sh->status = 1;
	if (!sh->opts[OPT_POSIX] || sh->interactive)
		return words_report(sh, FLOW_ABORT);
	sh->status = sh->command_string && !sh->is_subshell ? 127 : 1;
	return words_report(sh, FLOW_EXIT);
}

/* The parameter as a message names it: x, a[i], $1 where it stood bare. */
static void param_label(const struct param *p, struct str *out)
{
	struct sub sub = sub_of(&p->sub);

	if (!p->braces && !name_valid(p->name.s, p->name.n))
		str_addc(out, '$');
	if (p->indirect)
		str_addc(out, '!');
	str_addn(out, p->name.s, p->name.n);
	if (sub.kind != SUBSCRIPT_NONE) {
		str_addc(out, '[');
		str_addslice(out, sub_source(&sub));
		str_addc(out, ']');
	}
}

static enum flow param_unbound_here(struct shell *sh, const struct param *p)
{
	struct str *label = scratch_take(sh);
	enum flow flow;

	param_label(p, label);
	flow = param_unbound(sh, label->p, label->n);
	scratch_give(sh, label);
	return flow;
}

/* ---- $- ---- */

static void value_number(struct shell *sh, struct value *v, int64_t number)
{
	char digits[24];

	v->set = true;
	v->text.n = num_format_i64(digits, number);
	v->text.p = arena_dup(&sh->turn, digits, v->text.n);
}

static void value_flags(struct shell *sh, struct value *v)
{
	static const char letters[] = "abefhkmnprtuvxBCEHPT";
	static const struct {
		char letter;
		enum opt_id id;
	} options[] = {
#define SET_OPTION(id, name, letter, def) { letter, OPT_##id },
#define SHOPT_OPTION(id, name, def)
#include "shell/options.def"
#undef SET_OPTION
#undef SHOPT_OPTION
	};
	struct str *s = scratch_take(sh);

	for (const char *l = letters; *l; l++) {
		if (*l == 'k' && sh->interactive)
			str_addc(s, 'i');
		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
			if (options[i].letter == *l && sh->opts[options[i].id])
				str_addc(s, *l);
		if (*l == 'r' && sh->opts[SHOPT_RESTRICTED_SHELL])
			str_addc(s, *l);
	}
	if (sh->command_string)
		str_addc(s, 'c');
	if (sh->stdin_script)
		str_addc(s, 's');
	v->set = true;
	v->text = (struct slice){ arena_dup(&sh->turn, s->p, s->n), s->n };
	scratch_give(sh, s);
}

/* ---- Values ---- */

static void value_positional(struct shell *sh, struct value *v, const struct name *name)
{
	uint64_t i = 0;
	const char *text = NULL;

	for (uint32_t k = 0; k < name->n && i < UINT32_MAX; k++)
		i = i * 10 + (uint64_t)(name->s[k] - '0');
	if (i == 0)
		text = sh->arg0;
	else if (i <= sh->n_args)
		text = sh->args[i - 1];
	if (text) {
		v->set = true;
		v->text = (struct slice){ text, strlen(text) };
	}
}

static void value_arguments(struct shell *sh, struct value *v)
{
	v->list = v->positional = true;
	v->n = sh->n_args;
	v->set = v->n > 0;
	v->items = arena_array(&sh->turn, v->n, sizeof(*v->items));
	for (size_t i = 0; i < v->n; i++)
		v->items[i] = (struct slice){ sh->args[i], strlen(sh->args[i]) };
}

/* true if the name is a special parameter's. */
static bool value_special(struct shell *sh, struct value *v, const struct name *name)
{
	char c = name->s[0];

	if (c >= '0' && c <= '9') {
		value_positional(sh, v, name);
		return true;
	}
	if (name->n != 1)
		return false;
	switch (c) {
	case '@':
	case '*':
		value_arguments(sh, v);
		v->star = c == '*';
		return true;
	case '#':
		value_number(sh, v, (int64_t)sh->n_args);
		return true;
	case '?':
		value_number(sh, v, sh->status);
		return true;
	case '$':
		value_number(sh, v, sh->pid);
		return true;
	case '!':
		if (sh->last_background)
			value_number(sh, v, sh->last_background);
		return true;
	case '-':
		value_flags(sh, v);
		return true;
	default:
		return false;
	}
}

static void value_indexed(struct shell *sh, struct value *v, const struct array *a)
{
	size_t n = (size_t)array_count(a), k = 0;

	v->items = arena_array(&sh->turn, n, sizeof(*v->items));
	v->keys = arena_array(&sh->turn, n, sizeof(*v->keys));
	for (int64_t i = -1; k < n && array_next(a, &i, &v->items[k]);)
		v->keys[k++] = i;
	v->n = k;
}

static void value_assoc(struct shell *sh, struct value *v, const struct assoc *a)
{
	size_t n = assoc_count(a), k = 0;
	struct slice key;

	v->items = arena_array(&sh->turn, n, sizeof(*v->items));
	for (void *at = NULL; k < n && assoc_next(a, &at, &key, &v->items[k]);)
		k++;
	v->n = k;
}

static void value_all(struct shell *sh, struct value *v)
{
	struct slice text;

	v->list = true;
	if (!v->v)
		return;
	var_refresh(sh, v->v);
	if (v->v->flags & VAR_INDEXED) {
		value_indexed(sh, v, v->v->array);
	} else if (v->v->flags & VAR_ASSOC) {
		value_assoc(sh, v, v->v->assoc);
	} else if (var_text(sh, v->v, &text)) {
		v->items = arena_array(&sh->turn, 1, sizeof(*v->items));
		v->items[0] = text;
		v->n = 1;
	}
	v->set = v->n > 0;
	proc_tick(sh->p, (int32_t)(v->n >> 4));
}

static enum flow value_element(struct shell *sh, struct value *v)
{
	struct slice key, name = { v->name.s, v->name.n };
	int64_t index;

	if (!v->v)	/* the subscript may still do something, or be wrong */
		return sub_index(sh, NULL, name, &v->sub, false, &index) ? FLOW_NEXT : sh->failed;
	var_refresh(sh, v->v);
	if (v->v->flags & VAR_ASSOC) {
		if (!sub_key(sh, &v->sub, &key))
			return sh->failed;
		if (!key.n) {
			shell_error(sh, "%s: bad array subscript", v->v->name);
			return words_report(sh, FLOW_NEXT);
		}
		v->set = assoc_get(v->v->assoc, key.p, key.n, &v->text);
		return FLOW_NEXT;
	}
	if (!sub_index(sh, v->v, name, &v->sub, false, &index))
		return sh->failed;
	if (v->v->flags & VAR_INDEXED)
		v->set = array_get(v->v->array, index, &v->text);
	else
		v->set = index == 0 && var_text(sh, v->v, &v->text);
	return FLOW_NEXT;
}

static enum flow value_variable(struct shell *sh, struct value *v, struct sub sub)
{
	struct target t = var_target(sh, &v->name);

	v->v = t.bad ? NULL : t.v;
	v->name = t.name;
	v->sub = sub.kind == SUBSCRIPT_NONE ? t.sub : sub;
	v->through_nameref = sub.kind == SUBSCRIPT_NONE && t.sub.kind != SUBSCRIPT_NONE;
	if (v->v && (v->v->flags & VAR_NAMEREF))
		v->v = NULL;
	if (sub.kind != SUBSCRIPT_NONE && t.sub.kind != SUBSCRIPT_NONE)
		v->v = NULL;		/* an element has no elements */
	switch (v->sub.kind) {
	case SUBSCRIPT_NONE:
		v->set = v->v && var_scalar(sh, v->v, &v->text);
		return FLOW_NEXT;
	case SUBSCRIPT_EXPR:
		return value_element(sh, v);
	default:
		v->star = v->sub.kind == SUBSCRIPT_STAR;
		value_all(sh, v);
		return FLOW_NEXT;
	}
}

static enum flow value_of(struct shell *sh, const struct name *name, struct sub sub,
			  struct value *v)
{
	memset(v, 0, sizeof(*v));
	v->text = SLICE("");
	v->name = *name;
	v->sub = sub;
	if (value_special(sh, v, name))
		return FLOW_NEXT;
	return value_variable(sh, v, sub);
}

/* ${!x}: the text names a parameter. */
enum flow param_by_text(struct shell *sh, const char *s, size_t n, struct value *out)
{
	struct name name = name_of(s, n);
	struct slice base;
	struct sub sub = { SUBSCRIPT_NONE, NULL, { NULL, 0 } };
	bool digits = n > 0;

	for (size_t i = 0; i < n; i++)
		digits = digits && s[i] >= '0' && s[i] <= '9';
	if (digits || (n == 1 && strchr("@*#?-$!", s[0])))
		return value_of(sh, &name, sub, out);
	if (!name_split(s, n, &base, &sub)) {
		shell_error(sh, "%.*s: invalid variable name", (int)n, s);
		sh->status = 1;
		return words_report(sh, FLOW_ABORT);
	}
	name = name_of(base.p, base.n);
	return value_of(sh, &name, sub, out);
}

/* ${!r} of a nameref is the name it leads to in the end. */
static bool value_nameref(struct shell *sh, const struct param *p, struct value *out)
{
	struct var *v = var_find(sh, &p->name);

	if (!v || !(v->flags & VAR_NAMEREF) || p->sub.kind != SUBSCRIPT_NONE)
		return false;
	memset(out, 0, sizeof(*out));
	out->name = p->name;
	for (int i = 0; i < 8 && v && (v->flags & VAR_NAMEREF); i++) {
		out->set = v->flags & VAR_SET;
		out->text = str_slice(&v->text);
		v = out->set ? var_find_text(sh, out->text.p, out->text.n) : NULL;
	}
	return out->set;
}

static bool named_by_star(const struct param *p)
{
	return p->name.n == 1 && p->name.s[0] == '*';
}

static bool named_by_list(const struct param *p)
{
	return p->name.n == 1 && (p->name.s[0] == '*' || p->name.s[0] == '@');
}

static enum flow value_indirect(struct shell *sh, const struct param *p, struct value *out)
{
	struct value named;
	enum flow flow;

	if (value_nameref(sh, p, out))
		return FLOW_NEXT;
	flow = value_of(sh, &p->name, sub_of(&p->sub), &named);
	if (flow != FLOW_NEXT)
		return flow;
	if (named.list && named.n) {
		char between[2] = { named_by_star(p) ? sh->ifs.n ? sh->ifs.p[0] : '\0' : ' ', '\0' };
		struct str *all = scratch_take(sh);

		for (size_t i = 0; i < named.n; i++) {
			str_adds(all, i ? between : "");
			str_addslice(all, named.items[i]);
		}
		named.text = (struct slice){ arena_dup(&sh->turn, all->p, all->n), all->n };
		scratch_give(sh, all);
	}
	if (!named.set && named.v && !named.list) {
		memset(out, 0, sizeof(*out));
		out->text = SLICE("");
		return FLOW_NEXT;	/* known, and nothing in it: it leads nowhere */
	}
	if (!named.set && (named_by_list(p) || (p->name.s[0] >= '0' && p->name.s[0] <= '9'))) {
		memset(out, 0, sizeof(*out));
		out->text = SLICE("");
		return FLOW_NEXT;	/* no arguments, no name */
	}
	if (!named.set) {
		shell_error(sh, "%.*s: invalid indirect expansion", (int)p->name.n, p->name.s);
		sh->status = 1;
		return words_report(sh, FLOW_ABORT);
	}
	named.text.p = arena_dup(&sh->turn, named.text.p, named.text.n);
	return param_by_text(sh, named.text.p, named.text.n, out);
}

enum flow param_value(struct shell *sh, const struct param *p, struct value *out)
{
	if (p->indirect)
		return value_indirect(sh, p, out);
	return value_of(sh, &p->name, sub_of(&p->sub), out);
}

/* ---- - = ? + ---- */

/* Lists are null when what they make joined is: $* by IFS, $@ by a space. */
static bool value_is_null(struct shell *sh, const struct value *v, bool quoted)
{
	if (!v->list)
		return v->text.n == 0;
	for (size_t i = 0; i < v->n; i++)
		if (v->items[i].n)
			return false;
	return v->n <= 1 || (quoted && v->star && sh->ifs.n == 0);
}

static void choose_operand(struct build *b, const struct param *p, struct context c)
{
	struct words *w = words_of(b->sh);
	enum tilde_mode tilde = w->tilde;
	bool zero_at = b->zero_at, operand = b->operand;

	if (tilde == TILDE_FIRST)
		w->tilde = TILDE_ALL;
	if (!c.quoted)
		c.text = EMIT_EXPANDED;
	b->operand = !c.quoted;
	if (p->word)
		expand_parts(b, p->word->parts, c);
	b->operand = operand;
	b->zero_at = zero_at;
	w->tilde = tilde;
}

static void choose_emit(struct build *b, const struct value *v, struct context c)
{
	if (v->list)
		expand_list(b, v, c.quoted);
	else
		build_emit(b, v->text.p, v->text.n, c.quoted ? EMIT_QUOTED : EMIT_EXPANDED);
}

static void choose_assign(struct build *b, const struct param *p, struct value *v,
			  struct context c)
{
	struct shell *sh = b->sh;
	struct target t;
	struct slice text = { "", 0 };
	struct value now;

	if (p->indirect && !v->name.n && !named_by_list(p)) {
		shell_error(sh, "!%.*s: invalid indirect expansion", (int)p->name.n, p->name.s);
		sh->status = 1;
		b->flow = words_report(sh, FLOW_ABORT);
		return;
	}
	if (!name_valid(v->name.s, v->name.n)) {
		shell_error(sh, "$%.*s: cannot assign in this way", (int)v->name.n, v->name.s);
		sh->status = 1;
		b->flow = words_report(sh, FLOW_ABORT);
		return;
	}
	if (p->word)
		b->flow = expand_operand(sh, p->word, c.quoted, BUILD_STRING, &text);
	if (b->flow != FLOW_NEXT)
		return;
	t = var_target(sh, &v->name);
	if (v->sub.kind != SUBSCRIPT_NONE)
		t.sub = v->sub;
	if (var_set_target(sh, &t, text.p, text.n, false)) {
		b->flow = sh->failed == FLOW_NEXT ? FLOW_ABORT : sh->failed;
		if (t.sub.kind != SUBSCRIPT_NONE && sh->is_subshell && !sh->opts[OPT_ERREXIT])
			sh->status = 2;
		return;
	}
	if (t.v && t.sub.kind == SUBSCRIPT_NONE)
		var_scalar(sh, t.v, &text);
	else if (t.v && t.v->flags & (VAR_INTEGER | VAR_UPPER | VAR_LOWER | VAR_CAPITAL) &&
		 value_of(sh, &v->name, t.sub, &now) == FLOW_NEXT && now.set && !now.list)
		text = now.text;	/* as the attribute made it */
	build_emit(b, text.p, text.n, c.quoted ? EMIT_QUOTED : EMIT_EXPANDED);
}

static void choose_error(struct build *b, const struct param *p)
{
	struct shell *sh = b->sh;
	struct slice text = p->colon ? SLICE("parameter null or not set") :
		SLICE("parameter not set");
	struct str *label;

	if (p->word)
		b->flow = expand_operand(sh, p->word, false, BUILD_STRING, &text);
	if (b->flow != FLOW_NEXT)
		return;
	label = scratch_take(sh);
	if (p->sub.kind == SUBSCRIPT_NONE && !p->indirect)
		str_addn(label, p->name.s, p->name.n);
	else
		param_label(p, label);
	shell_error(sh, "%s: %.*s", label->p, (int)text.n, text.p);
	scratch_give(sh, label);
	b->flow = param_exit(sh);
}

static void expand_choice(struct build *b, const struct param *p, struct context c)
{
	struct value v;
	bool there;

	b->flow = param_value(b->sh, p, &v);
	if (b->flow != FLOW_NEXT)
		return;
	there = v.set && !(p->colon && value_is_null(b->sh, &v, c.quoted));
	if (p->op == PARAM_ALTERNATE) {
		if (there)
			choose_operand(b, p, c);
		else if (v.list && !v.star && c.quoted && !v.n)
			b->zero_at = true;
	} else if (there) {
		choose_emit(b, &v, c);
	} else if (p->op == PARAM_DEFAULT) {
		choose_operand(b, p, c);
	} else if (p->op == PARAM_ASSIGN) {
		choose_assign(b, p, &v, c);
	} else {
		choose_error(b, p);
	}
}

/* ---- Names and keys, length ---- */

static void expand_names(struct build *b, const struct param *p, struct context c)
{
	struct shell *sh = b->sh;
	struct var **list = var_sorted(sh, 0);
	struct slice *items;
	struct value v;
	size_t n = 0, k = 0;

	while (list[n])
		n++;
	items = arena_array(&sh->turn, n, sizeof(*items));
	for (size_t i = 0; i < n; i++) {
		bool shown = list[i]->flags & VAR_SET;

		if (shown && list[i]->name_len >= p->name.n &&
		    !memcmp(list[i]->name, p->name.s, p->name.n))
			items[k++] = (struct slice){ list[i]->name, list[i]->name_len };
	}
	v = (struct value){ .items = items, .n = k, .list = true, .star = p->letter == '*',
		.keys_star = p->letter == '*', .made = MADE_JOINED_QUOTED, .here_ifs = true };
	expand_list(b, &v, c.quoted);
	heap_free(sh->heap, list);
}

static void expand_keys(struct build *b, const struct param *p, struct context c)
{
	struct shell *sh = b->sh;
	struct target t = var_target(sh, &p->name);
	struct slice *items = NULL, value;
	struct value v;
	size_t n = 0;

	if (t.bad || !t.v || t.sub.kind != SUBSCRIPT_NONE)
		t.v = NULL;
	else
		var_refresh(sh, t.v);
	if (t.v && (t.v->flags & VAR_INDEXED)) {
		items = arena_array(&sh->turn, (size_t)array_count(t.v->array), sizeof(*items));
		for (int64_t i = -1; array_next(t.v->array, &i, &value); n++) {
			char digits[24];

			items[n].n = num_format_i64(digits, i);
			items[n].p = arena_dup(&sh->turn, digits, items[n].n);
			proc_tick(sh->p, 1);
		}
	} else if (t.v && (t.v->flags & VAR_ASSOC)) {
		items = arena_array(&sh->turn, assoc_count(t.v->assoc), sizeof(*items));
		for (void *at = NULL; assoc_next(t.v->assoc, &at, &items[n], &value);)
			n++;
	} else if (t.v && var_text(sh, t.v, &value)) {
		items = arena_array(&sh->turn, 1, sizeof(*items));
		items[n++] = SLICE("0");
	}
	v = (struct value){ .items = items, .n = n, .list = true, .v = t.v,
		.star = p->sub.kind == SUBSCRIPT_STAR, .keys_star = p->sub.kind == SUBSCRIPT_STAR,
		.made = MADE_JOINED_QUOTED };
	expand_list(b, &v, c.quoted);
}

/* ${#a[i]} where a is no associative array; false: what is it then? */
static bool element_length(struct build *b, const struct param *p, size_t *n)
{
	struct shell *sh = b->sh;
	struct target t = var_target(sh, &p->name);
	struct sub sub = sub_of(&p->sub);
	struct slice text = SLICE(""), source;
	int64_t index;

	if (t.bad || t.sub.kind != SUBSCRIPT_NONE ||
	    (t.v && (t.v->flags & (VAR_ASSOC | VAR_SPECIAL | VAR_NAMEREF))))
		return false;
	if (sh->opts[OPT_NOUNSET] && (!t.v || (t.v->flags & (VAR_SET | VAR_INDEXED)) !=
						      (VAR_SET | VAR_INDEXED)))
		return false;
	*n = 0;
	if (!t.v || !(t.v->flags & VAR_SET))	/* the subscript is not looked at */
		return true;
	if (!arith_subscript(sh, &sub, &index)) {
		b->flow = sh->failed;
	} else if (!sub_from_end(t.v->flags & VAR_INDEXED ? t.v : NULL, false, &index) && index < 0) {
		source = sub_source(&sub);
		shell_error(sh, "%.*s]: bad array subscript", (int)source.n, source.p);
		sh->status = 1;
		b->flow = words_report(sh, FLOW_ABORT);
	} else if (t.v->flags & VAR_INDEXED) {
		array_get(t.v->array, index, &text);
	} else if (index == 0) {
		var_text(sh, t.v, &text);
	}
	*n = shell_chars(sh, text.p, text.n);
	return true;
}

/* ${#a[@]} of an array that is one: its elements need not be listed to be counted. */
static bool list_length(struct shell *sh, const struct param *p, size_t *n)
{
	const struct var *v = var_find(sh, &p->name);

	if (!v || (v->flags & (VAR_SPECIAL | VAR_NAMEREF)) || !(v->flags & VAR_SET))
		return false;
	if (v->flags & VAR_INDEXED)
		*n = (size_t)array_count(v->array);
	else if (v->flags & VAR_ASSOC)
		*n = assoc_count(v->assoc);
	else
		return false;
	return true;
}

static void emit_length(struct build *b, size_t n, struct context c)
{
	char digits[24];

	build_emit(b, digits, num_format_i64(digits, (int64_t)n),
		   c.quoted ? EMIT_QUOTED : EMIT_EXPANDED);
}

static void expand_length(struct build *b, const struct param *p, struct context c)
{
	struct shell *sh = b->sh;
	struct value v;
	size_t n;

	if (p->sub.kind == SUBSCRIPT_EXPR && !p->indirect && element_length(b, p, &n)) {
		if (b->flow == FLOW_NEXT)
			emit_length(b, n, c);
		return;
	}
	if ((p->sub.kind == SUBSCRIPT_AT || p->sub.kind == SUBSCRIPT_STAR) && !p->indirect &&
	    list_length(sh, p, &n)) {
		emit_length(b, n, c);
		return;
	}
	b->flow = param_value(sh, p, &v);
	if (b->flow != FLOW_NEXT)
		return;
	if (!v.set && sh->opts[OPT_NOUNSET] && !(v.list && (v.positional || v.v))) {
		b->flow = param_unbound(sh, p->name.s, p->name.n);
		if (p->sub.kind != SUBSCRIPT_NONE) {	/* bash gives up only the line */
			sh->status = 1;
			b->flow = words_report(sh, FLOW_ABORT);
		}
		return;
	}
	/* A nameref to an element has no length: bash looks for a variable named so. */
	if (v.through_nameref)
		v.text.n = 0;
	emit_length(b, v.list ? v.n : shell_chars(sh, v.text.p, v.text.n), c);
}

/* ---- The whole ---- */

/* ${a@a} and ${a@A} of an array that has any element: it need not be 0. */
static bool asks_of_array(const struct param *p, const struct value *v)
{
	if (p->op != PARAM_TRANSFORM || (p->letter != 'a' && p->letter != 'A') || !v->v)
		return false;
	return v->v->flags & VAR_INDEXED ? array_count(v->v->array) > 0 :
	       v->v->flags & VAR_ASSOC && assoc_count(v->v->assoc) > 0;
}

static void expand_value(struct build *b, const struct param *p, struct context c)
{
	struct shell *sh = b->sh;
	struct value v;

	b->flow = param_value(sh, p, &v);
	if (b->flow != FLOW_NEXT)
		return;
	if (!v.set && !v.list && sh->opts[OPT_NOUNSET] && !v.through_nameref &&
	    !asks_of_array(p, &v)) {
		b->flow = param_unbound_here(sh, p);
		return;
	}
	if (p->op != PARAM_PLAIN)
		b->flow = param_operate(sh, p, &v, c.quoted);
	if (b->flow == FLOW_NEXT)
		choose_emit(b, &v, c);
}

/* $x of a scalar: nothing but a lookup. */
static bool expand_scalar(struct build *b, const struct param *p, struct context c)
{
	struct slice text;
	struct var *v;

	if (p->op != PARAM_PLAIN || p->indirect || p->sub.kind != SUBSCRIPT_NONE)
		return false;
	v = var_find(b->sh, &p->name);
	if (!v || (v->flags & (VAR_NAMEREF | VAR_INDEXED | VAR_ASSOC)) ||
	    !var_text(b->sh, v, &text))
		return false;
	build_emit(b, text.p, text.n, c.quoted ? EMIT_QUOTED : EMIT_EXPANDED);
	return true;
}

void expand_param(struct build *b, const struct param *p, struct context c)
{
	if (expand_scalar(b, p, c))
		return;
	switch (p->op) {
	case PARAM_BAD:
		b->flow = param_bad(b->sh, p);
		break;
	case PARAM_DEFAULT:
	case PARAM_ASSIGN:
	case PARAM_ERROR:
	case PARAM_ALTERNATE:
		expand_choice(b, p, c);
		break;
	case PARAM_LENGTH:
		expand_length(b, p, c);
		break;
	case PARAM_NAMES:
		expand_names(b, p, c);
		break;
	case PARAM_KEYS:
		expand_keys(b, p, c);
		break;
	default:
		expand_value(b, p, c);
	}
}
