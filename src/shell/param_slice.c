/*
 * ${x:offset:length}: characters of a text, positional parameters, elements of
 * an array. Negative offsets count from the end; a negative length is a place
 * before the end, for texts only.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "kernel/kernel.h"
#include "shell/words.h"

struct cut {
	int64_t offset, length;
	bool has_length;
};

static enum flow slice_number(struct shell *sh, const struct param *p, const struct arith *a,
			      int64_t *value)
{
	const struct name *name = &p->name;
	const char *builtin = sh->builtin;
	struct sub sub = sub_of(&p->sub);
	bool element = p->sub.kind != SUBSCRIPT_NONE;
	struct slice source = element ? sub_source(&sub) : SLICE("");
	char label[256];
	bool good;

	/* bash names the parameter, as it is written, in front of the message. */
	snprintf(label, sizeof(label), "%s%.*s%s%.100s%s", p->indirect ? "!" : "",
		 (int)(name->n < 100 ? name->n : 100), name->s, element ? "[" : "",
		 arena_dup(&sh->turn, source.p, source.n), element ? "]" : "");
	sh->builtin = label;
	sh->failed = FLOW_NEXT;
	good = arith_eval(sh, a, value);
	sh->builtin = builtin;
	if (good)
		return FLOW_NEXT;
	sh->status = 1;
	return sh->failed == FLOW_NEXT ? FLOW_ABORT : sh->failed;
}

static enum flow slice_error(struct shell *sh, const struct param *p)
{
	struct slice text = p->length->text;

	shell_error(sh, "%.*s: substring expression < 0", (int)text.n, text.p);
	sh->status = 1;
	return FLOW_ABORT;
}

/* The byte where character `at` begins, counted from byte `from`. */
static size_t slice_skip(const struct shell *sh, struct slice text, size_t from, int64_t chars)
{
	int32_t c;

	if (sh->bytes)
		return chars < (int64_t)(text.n - from) ? from + (size_t)chars : text.n;
	while (chars-- > 0 && from < text.n)
		from += utf8_decode(text.p + from, text.n - from, &c);
	return from;
}

static enum flow slice_text(struct shell *sh, const struct param *p, struct value *v,
			    struct cut k)
{
	int64_t n = (int64_t)shell_chars(sh, v->text.p, v->text.n), end = n;
	size_t from, to;

	if (k.offset < 0)
		k.offset += n;

	if (k.has_length && k.length < 0)
		end = n + k.length;
	else if (k.has_length && k.length < n - k.offset)
		end = k.offset + k.length;
	if (end < k.offset)
		return slice_error(sh, p);
	from = slice_skip(sh, v->text, 0, k.offset);
	to = slice_skip(sh, v->text, from, end - k.offset);
	v->text = (struct slice){ v->text.p + from, to - from };
	return FLOW_NEXT;
}

/* Items [from, from + length). */
static void slice_items(struct value *v, int64_t from, const struct cut *k)
{
	int64_t n = (int64_t)v->n;

	if (from < 0 || from > n)
		from = n;
	v->items += from;
	n -= from;
	if (k->has_length && k->length < n)
		n = k->length < 0 ? 0 : k->length;
	v->n = (size_t)n;
}

/* Does text or list end before that offset? Then the length does not matter. */
static bool slice_outside(const struct shell *sh, const struct value *v, int64_t offset)
{
	int64_t n = v->list ? (int64_t)v->n + v->positional :
		(int64_t)shell_chars(sh, v->text.p, v->text.n);

	if (v->list && v->v && v->v->flags & VAR_ASSOC)
		return false;	/* counted otherwise: slice_array() */
	if (v->list && v->keys)
		n = v->n ? v->keys[v->n - 1] + 1 : 0;
	if (offset < 0)
		offset += n;
	return offset < 0 || offset > n || (v->list && v->keys && offset == n);
}

static void slice_arguments(struct shell *sh, struct value *v, struct cut k)
{
	int64_t n = (int64_t)v->n;
	struct slice *with;

	if (k.offset < 0) {
		k.offset += n + 1;
		if (k.offset < 0)
			k.offset = n + 1;
	}
	/* Offset 0 is $0. */
	with = arena_array(&sh->turn, v->n + 1, sizeof(*with));
	with[0] = (struct slice){ sh->arg0, strlen(sh->arg0) };
	if (v->n)
		memcpy(with + 1, v->items, v->n * sizeof(*with));
	v->items = with;
	v->n++;
	slice_items(v, k.offset, &k);
}

static void slice_array(struct value *v, struct cut k)
{
	int64_t from = 0, n = (int64_t)v->n;

	if (v->keys) {
		if (k.offset < 0 && n)
			k.offset += v->keys[n - 1] + 1;
		if (k.offset < 0)
			from = n;
		while (from < n && v->keys[from] < k.offset)
			from++;
	} else if (v->v && (v->v->flags & VAR_ASSOC)) {
		if (k.offset < 0)
			k.offset += n + 1;
		from = k.offset < 0 ? n : k.offset ? k.offset - 1 : 0;
		if (k.has_length && k.length == 0 && from < n)
			k.length = 1;	/* bash begins its list with one */
	} else {
		if (k.offset < 0)
			k.offset += n;
		from = k.offset;
	}
	slice_items(v, from, &k);
}

enum flow param_slice(struct shell *sh, const struct param *p, struct value *v)
{
	struct cut k = { 0 };
	enum flow flow;
	bool outside;

	if (v->list ? !v->n && !v->positional : !v->set)
		return FLOW_NEXT;	/* nothing is evaluated */
	if (v->list && v->v && !(v->v->flags & (VAR_INDEXED | VAR_ASSOC))) {
		v->list = false;	/* x[@] of a scalar is its text */
		v->text = v->n ? v->items[0] : SLICE("");
	}
	flow = slice_number(sh, p, p->offset, &k.offset);
	outside = flow == FLOW_NEXT && slice_outside(sh, v, k.offset);
	if (flow == FLOW_NEXT && p->length && !outside) {
		k.has_length = true;
		flow = slice_number(sh, p, p->length, &k.length);
	}
	if (flow != FLOW_NEXT)
		return flow;
	v->made = MADE_JOINED_QUOTED;
	if (!v->list && outside)
		v->text = SLICE("");
	else if (!v->list)
		return slice_text(sh, p, v, k);
	if (!v->list)
		return FLOW_NEXT;
	if (k.has_length && k.length < 0 && !outside)
		return slice_error(sh, p);
	if (v->positional)
		slice_arguments(sh, v, k);
	else
		slice_array(v, k);
	return FLOW_NEXT;
}
