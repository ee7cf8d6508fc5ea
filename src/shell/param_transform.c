/*
 * ${x@Q} and its kin: quoting, escapes, prompt, assignment statement,
 * attributes, keys and values, upper and lower case.
 */
#include <limits.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "kernel/kernel.h"
#include "shell/words.h"

static void transform_quote(void *ctx, struct slice in, struct str *out)
{
	(void)ctx;
	quote_at(out, in.p, in.n);
}

static void transform_escapes(void *ctx, struct slice in, struct str *out)
{
	const struct shell *sh = ctx;
	enum escape_mode mode = sh->bytes ? ESCAPE_DOLLAR | ESCAPE_BYTES : ESCAPE_DOLLAR;
	char message[64];

	escape_decode(mode, in.p, in.n, out, message, NULL, NULL);
}

/* ---- @U @u @L ---- */

struct transform {
	const struct shell *sh;
	char letter;
};

static void transform_case(void *ctx, struct slice in, struct str *out)
{
	const struct transform *t = ctx;
	char letter = t->letter;

	for (size_t i = 0; i < in.n;) {
		int32_t c;
		char buf[4];
		size_t len = shell_char(t->sh, in.p + i, in.n - i, &c);

		if (c < 0 || (letter == 'u' && i))
			str_addn(out, in.p + i, len);
		else
			str_addn(out, buf, utf8_encode(buf,
				(uint32_t)(letter == 'L' ? utf8_lower(c) : utf8_upper(c))));
		i += len;
	}
}

/* ---- @a @A ---- */

static void attribute_letters(struct str *out, const struct var *v)
{
	if (v)
		var_attributes(out, v);
}

static void value_set(struct shell *sh, struct slice *to, struct str *from)
{
	*to = (struct slice){ arena_dup(&sh->turn, from->p, from->n), from->n };
	str_reset(from);
}

static void transform_attributes(struct shell *sh, struct value *v, struct str *out)
{
	if (v->list && !v->n && v->v && !(v->v->flags & VAR_SET)) {
		v->items = arena_array(&sh->turn, 1, sizeof(*v->items));
		v->n = 1;	/* declared, and not yet anything */
	}
	if (!v->list) {
		attribute_letters(out, v->v);
		value_set(sh, &v->text, out);
	}
	for (size_t i = 0; v->list && i < v->n; i++) {
		attribute_letters(out, v->v);
		value_set(sh, &v->items[i], out);
	}
}

/* x='v', or declare -i x='v' where it has attributes. */
static void assignment_scalar(struct value *v, struct str *out)
{
	bool plain = !(v->v->flags & (VAR_INDEXED | VAR_ASSOC | VAR_INTEGER | VAR_READONLY |
				      VAR_EXPORT | VAR_UPPER | VAR_LOWER | VAR_CAPITAL |
				      VAR_TRACE | VAR_NAMEREF));

	if (!plain) {
		str_adds(out, "declare -");
		attribute_letters(out, v->v);
		str_addc(out, ' ');
	} else if (!v->set) {
		return;
	}
	str_addn(out, v->name.s, v->name.n);
	if (v->set) {
		str_addc(out, '=');
		quote_at(out, v->text.p, v->text.n);
	}
}

/* "${a[@]@A}" is what declare -p prints, as words. */
static void assignment_array(struct shell *sh, struct value *v, struct str *out, bool quoted)
{
	struct slice *items = arena_array(&sh->turn, 3, sizeof(*items));
	const char *s;

	var_print(sh, v->v, out);
	if (!quoted || v->star || !sh->ifs_table[' ']) {
		items[0] = (struct slice){ arena_dup(&sh->turn, out->p, out->n), out->n };
		v->n = 1;
	} else {
		s = arena_dup(&sh->turn, out->p, out->n);
		items[0] = (struct slice){ s, 7 };
		s += 8;
		items[1] = (struct slice){ s, strcspn(s, " ") };
		s += items[1].n + 1;
		items[2] = (struct slice){ s, strlen(s) };
		v->n = 3;
	}
	v->items = items;
	str_reset(out);
}

static void assignment_arguments(struct shell *sh, struct value *v, struct str *out)
{
	struct slice *items = arena_array(&sh->turn, v->n + 2, sizeof(*items));
	size_t head = v->star || !sh->ifs_table[' '] ? 0 : 2;	/* split off by IFS */

	items[0] = SLICE("set");
	items[1] = SLICE("--");
	for (size_t i = 0; i < v->n; i++) {
		if (!head && i == 0)
			str_adds(out, "set -- ");
		quote_at(out, v->items[i].p, v->items[i].n);
		value_set(sh, &items[i + head], out);
	}
	v->items = items;
	v->n += head;
}

static void transform_assignment(struct shell *sh, struct value *v, struct str *out, bool quoted)
{
	if (v->positional && v->list) {
		if (v->n)
			assignment_arguments(sh, v, out);
	} else if (v->v && v->list && (v->v->flags & (VAR_INDEXED | VAR_ASSOC))) {
		assignment_array(sh, v, out, quoted);
	} else if (v->v) {
		if (v->list && v->n)
			v->text = v->items[0];
		assignment_scalar(v, out);
		v->list = v->list && !out->n;
		value_set(sh, &v->text, out);
	} else if (!v->list) {
		v->text = SLICE("");
	}
}

/* ---- @K @k ---- */

/* @K: one text, `key "value" ...`; an associative one ends with a space. */
static void transform_keys_text(struct shell *sh, struct value *v, struct str *out)
{
	struct slice key, value;
	void *at = NULL;
	int64_t i = -1;

	if (v->v->flags & VAR_ASSOC) {
		while (assoc_next(v->v->assoc, &at, &key, &value)) {
			var_quote_key(out, key.p, key.n);
			str_addc(out, ' ');
			quote_double(out, value.p, value.n);
			str_addc(out, ' ');
		}
	} else {
		for (size_t k = 0; array_next(v->v->array, &i, &value); k++) {
			str_addf(out, "%s%lld ", k ? " " : "", (long long)i);
			quote_double(out, value.p, value.n);
		}
	}
	v->items = arena_array(&sh->turn, 1, sizeof(*v->items));
	v->n = out->n ? 1 : 0;
	value_set(sh, &v->items[0], out);
}

/* @k: keys and values as separate words. */
static void transform_keys_words(struct shell *sh, struct value *v)
{
	size_t n = v->n, k = 0;
	struct slice *items = arena_array(&sh->turn, 2 * n, sizeof(*items));
	void *at = NULL;
	int64_t i = -1;

	if (v->v->flags & VAR_ASSOC) {
		while (k < 2 * n && assoc_next(v->v->assoc, &at, &items[k], &items[k + 1]))
			k += 2;
	} else {
		while (k < 2 * n && array_next(v->v->array, &i, &items[k + 1])) {
			char digits[24];

			items[k].n = num_format_i64(digits, i);
			items[k].p = arena_dup(&sh->turn, digits, items[k].n);
			k += 2;
		}
	}
	v->items = items;
	v->n = k;
}

/* ---- All ---- */

struct prompt {
	struct shell *sh;
	enum flow flow;
};

static void transform_prompt(void *ctx, struct slice in, struct str *out)
{
	struct prompt *k = ctx;
	struct slice text = { "", 0 };

	if (k->flow == FLOW_NEXT)
		k->flow = expand_prompt(k->sh, in.p, in.n, &text);
	str_addslice(out, text);
}

static enum flow transform_mapped(struct shell *sh, char letter, struct value *v)
{
	struct prompt prompt = { sh, FLOW_NEXT };
	enum flow flow;

	if (!v->set && !v->list)
		return FLOW_NEXT;
	switch (letter) {
	case 'E':
		return param_map(sh, v, transform_escapes, sh);
	case 'P':
		flow = param_map(sh, v, transform_prompt, &prompt);
		return flow == FLOW_NEXT ? prompt.flow : flow;
	case 'U':
	case 'u':
	case 'L':
		return param_map(sh, v, transform_case, &(struct transform){ sh, letter });
	default:
		return param_map(sh, v, transform_quote, NULL);
	}
}

enum flow param_transform(struct shell *sh, const struct param *p, struct value *v, bool quoted)
{
	bool array = v->list && v->v && (v->v->flags & (VAR_INDEXED | VAR_ASSOC));
	struct str *out;

	if (!p->letter || !strchr("QEPAKakUuL", p->letter)) {
		if (!v->set)
			return FLOW_NEXT;
		shell_error(sh, "%.*s: bad substitution", p->where.n ? (int)p->where.n : INT_MAX,
			    p->where.n ? p->where.p : p->raw);
		sh->status = sh->is_subshell || !sh->command_string ? 1 : 127;
		return words_report(sh, sh->interactive ? FLOW_ABORT : FLOW_EXIT);
	}
	v->made = MADE_JOINED;
	if (v->through_nameref && strchr("Aa", p->letter)) {
		v->text = SLICE("");	/* bash looks for a variable named so */
		return FLOW_NEXT;
	}
	if (!strchr("AaKk", p->letter) || (strchr("Kk", p->letter) && !array))
		return transform_mapped(sh, p->letter, v);
	out = scratch_take(sh);
	if (p->letter == 'a')
		transform_attributes(sh, v, out);
	else if (p->letter == 'A')
		transform_assignment(sh, v, out, quoted);
	else if (p->letter == 'K')
		transform_keys_text(sh, v, out);
	else
		transform_keys_words(sh, v);
	scratch_give(sh, out);
	return FLOW_NEXT;
}
