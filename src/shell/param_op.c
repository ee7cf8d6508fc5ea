/*
 * ${} operators that make new text out of a value: removal of a prefix or
 * suffix, replacement, upper and lower case. Each is a function of one text,
 * mapped over "$@" and "${a[@]}". Operands are expanded once, before.
 */
#include <string.h>

#include "base/utf8.h"
#include "kernel/kernel.h"
#include "shell/words.h"
#include "text/pattern.h"

static unsigned param_pattern_flags(struct shell *sh, bool nocase)
{
	unsigned flags = sh->opts[SHOPT_EXTGLOB] ? PATTERN_EXTGLOB : 0;

	return nocase && sh->opts[SHOPT_NOCASEMATCH] ? flags | PATTERN_ICASE : flags;
}

enum flow param_map(struct shell *sh, struct value *v, map_fn *f, void *ctx)
{
	struct str *out = scratch_take(sh);
	struct slice *at = v->list ? v->items : &v->text;
	size_t n = v->list ? v->n : 1;
	enum flow flow = FLOW_NEXT;

	if (!v->set && !v->list)
		n = 0;		/* nothing is made of an unset one */
	if (!v->made)
		v->made = MADE_JOINED_QUOTED;
	out->max = words_max_bytes(sh);
	for (size_t i = 0; i < n && flow == FLOW_NEXT; i++) {
		str_reset(out);
		f(ctx, at[i], out);
		if (out->bad)
			flow = words_limit(sh, "word_bytes");
		else
			at[i] = (struct slice){ arena_dup(&sh->turn, out->p, out->n), out->n };
		proc_tick(sh->p, 1);
	}
	scratch_give(sh, out);
	return flow;
}

/* ---- # ## % %% ---- */

/* bash joins an array's elements where IFS is empty, and then does not split them; the byte 1
 * that protects their blanks stays there. */
static void strip_join(struct shell *sh, struct value *v)
{
	struct str *s = scratch_take(sh);

	for (size_t i = 0; i < v->n; i++) {
		if (i)
			str_addc(s, ' ');
		for (size_t k = 0; k < v->items[i].n; k++) {
			if (v->items[i].p[k] == ' ')
				str_addc(s, 1);
			str_addc(s, v->items[i].p[k]);
		}
	}
	v->list = false;
	v->text = (struct slice){ arena_dup(&sh->turn, s->p, s->n), s->n };
	scratch_give(sh, s);
}

static enum flow param_strip(struct shell *sh, const struct param *p, struct value *v, bool quoted)
{
	bool suffix = p->op == PARAM_SUFFIX || p->op == PARAM_SUFFIX_LONG;
	bool longest = p->op == PARAM_PREFIX_LONG || p->op == PARAM_SUFFIX_LONG;
	struct slice *at = v->list ? v->items : &v->text, text = { "", 0 };
	size_t n = v->list ? v->n : 1;
	const struct pattern *pattern;
	enum flow flow = FLOW_NEXT;

	/* A pattern is one inside double quotes, too. */
	if (p->word)
		flow = expand_operand(sh, p->word, false, BUILD_PATTERN, &text);
	v->made = MADE_JOINED;
	if (flow != FLOW_NEXT || text.n == 0)
		return flow;
	pattern = pattern_cached(sh, text, param_pattern_flags(sh, false));
	for (size_t i = 0; i < n; i++) {
		size_t len = suffix ? pattern_suffix(pattern, at[i].p, at[i].n, longest) :
			pattern_prefix(pattern, at[i].p, at[i].n, longest);

		proc_tick(sh->p, 1 + (int32_t)(at[i].n >> 10));
		if (len == (size_t)-1)
			continue;
		at[i].n -= len;
		if (!suffix)
			at[i].p += len;
	}
	if (v->list && !v->positional && !quoted && !sh->ifs.n)
		strip_join(sh, v);
	return FLOW_NEXT;
}

/* ---- / // /# /% ---- */

struct replace {
	struct shell *sh;
	const struct pattern *pattern;
	enum param_op op;
	struct slice with;
	bool special;		/* & stands for the match, backslash quotes */
	bool finds_empty;
};

static void replace_put(const struct replace *r, const char *p, size_t n, struct str *out)
{
	if (!r->special) {
		str_addslice(out, r->with);
		return;
	}
	for (size_t i = 0; i < r->with.n; i++) {
		char c = r->with.p[i];

		if (c == '&') {
			str_addn(out, p, n);
			continue;
		}
		if (c == '\\' && i + 1 < r->with.n &&
		    (r->with.p[i + 1] == '&' || r->with.p[i + 1] == '\\'))
			c = r->with.p[++i];
		str_addc(out, c);
	}
}

static void replace_anchored(const struct replace *r, struct slice in, struct str *out)
{
	bool end = r->op == PARAM_REPLACE_END;
	size_t len = end ? pattern_suffix(r->pattern, in.p, in.n, true) :
		pattern_prefix(r->pattern, in.p, in.n, true);

	if (len == (size_t)-1) {
		str_addslice(out, in);
	} else if (end) {
		str_addn(out, in.p, in.n - len);
		replace_put(r, in.p + in.n - len, len, out);
	} else {
		replace_put(r, in.p, len, out);
		str_addn(out, in.p + len, in.n - len);
	}
}

static void replace_one(void *ctx, struct slice in, struct str *out)
{
	const struct replace *r = ctx;
	size_t at = 0, start, end;

	/* In an empty text bash finds only what begins with a star. */
	if (!in.n && !r->finds_empty)
		return;
	if (r->op == PARAM_REPLACE_START || r->op == PARAM_REPLACE_END) {
		replace_anchored(r, in, out);
		return;
	}
	while (pattern_search(r->pattern, in.p, in.n, at, &start, &end) && !out->bad) {
		str_addn(out, in.p + at, start - at);
		replace_put(r, in.p + start, end - start, out);
		at = end;
		proc_tick(r->sh->p, 1 + (int32_t)((end - start) >> 8));
		if (r->op != PARAM_REPLACE_ALL)
			break;
		/* An empty match: one character is copied, so that it goes on. */
		if (start == end && at < in.n) {
			int32_t c;
			size_t len = shell_char(r->sh, in.p + at, in.n - at, &c);

			str_addn(out, in.p + at, len);
			at += len;
		}
		if (at >= in.n)
			break;
	}
	str_addn(out, in.p + at, in.n - at);
}

enum flow param_replace(struct shell *sh, const struct param *p, struct value *v, bool quoted)
{
	struct replace r = { sh, NULL, p->op, { "", 0 }, sh->opts[SHOPT_PATSUB_REPLACEMENT], true };
	bool anchored = p->op == PARAM_REPLACE_START || p->op == PARAM_REPLACE_END;
	struct slice pattern = { "", 0 };
	enum flow flow = FLOW_NEXT;

	(void)quoted;
	if (p->word)
		flow = expand_operand(sh, p->word, false, BUILD_PATTERN, &pattern);
	if (flow == FLOW_NEXT && p->word2)
		flow = expand_operand(sh, p->word2, false,
				      r.special ? BUILD_REPLACEMENT : BUILD_STRING, &r.with);
	if (flow != FLOW_NEXT || (pattern.n == 0 && !anchored))
		return flow;
	r.special = r.special && (memchr(r.with.p, '&', r.with.n) || memchr(r.with.p, '\\', r.with.n));
	r.pattern = pattern_cached(sh, pattern, param_pattern_flags(sh, true));
	v->here_ifs = true;
	r.finds_empty = !pattern.n || pattern.p[0] == '*' || p->op == PARAM_REPLACE_END;
	return param_map(sh, v, replace_one, &r);
}

/* ---- ^ ^^ , ,, ~ ~~ ---- */

struct change {
	const struct pattern *pattern;	/* NULL: every character */
	enum param_op op;
	const struct shell *sh;
};

static int32_t change_char(enum param_op op, int32_t c)
{
	switch (op) {
	case PARAM_UPPER:
	case PARAM_UPPER_ALL:
		return utf8_upper(c);
	case PARAM_LOWER:
	case PARAM_LOWER_ALL:
		return utf8_lower(c);
	default:
		return utf8_upper(c) != c ? utf8_upper(c) : utf8_lower(c);
	}
}

static void change_one(void *ctx, struct slice in, struct str *out)
{
	const struct change *k = ctx;
	bool all = k->op == PARAM_UPPER_ALL || k->op == PARAM_LOWER_ALL ||
		k->op == PARAM_TOGGLE_ALL;

	for (size_t i = 0; i < in.n;) {
		int32_t c;
		char buf[4];
		size_t len = shell_char(k->sh, in.p + i, in.n - i, &c);

		if (c < 0 || (i && !all) ||
		    (k->pattern && !pattern_match(k->pattern, in.p + i, len)))
			str_addn(out, in.p + i, len);
		else
			str_addn(out, buf, utf8_encode(buf, (uint32_t)change_char(k->op, c)));
		i += len;
	}
}

static enum flow param_case(struct shell *sh, const struct param *p, struct value *v, bool quoted)
{
	struct change k = { NULL, p->op, sh };
	struct slice pattern = { "", 0 };
	enum flow flow;

	(void)quoted;
	if (p->word) {
		flow = expand_operand(sh, p->word, false, BUILD_PATTERN, &pattern);
		if (flow != FLOW_NEXT)
			return flow;
		if (pattern.n)
			k.pattern = pattern_cached(sh, pattern, param_pattern_flags(sh, false));
	}
	v->here_ifs = true;
	return param_map(sh, v, change_one, &k);
}

/* There is nothing to work on: bash does not even expand the operands. */
static bool value_is_nothing(const struct param *p, const struct value *v)
{
	if (p->op == PARAM_TRANSFORM)
		return false;
	if (v->list)
		return v->n == 0 && !(p->op == PARAM_SLICE && v->positional);
	if (p->op >= PARAM_PREFIX && p->op <= PARAM_SUFFIX_LONG && !v->text.n)
		return true;
	return !v->set;
}

enum flow param_operate(struct shell *sh, const struct param *p, struct value *v, bool quoted)
{
	if (value_is_nothing(p, v)) {
		v->made = MADE_JOINED_QUOTED;
		v->text.n = 0;
		return FLOW_NEXT;
	}
	switch (p->op) {
	case PARAM_PREFIX:
	case PARAM_PREFIX_LONG:
	case PARAM_SUFFIX:
	case PARAM_SUFFIX_LONG:
		return param_strip(sh, p, v, quoted);
	case PARAM_REPLACE:
	case PARAM_REPLACE_ALL:
	case PARAM_REPLACE_START:
	case PARAM_REPLACE_END:
		return param_replace(sh, p, v, quoted);
	case PARAM_SLICE:
		return param_slice(sh, p, v);
	case PARAM_TRANSFORM:
		return param_transform(sh, p, v, quoted);
	default:
		return param_case(sh, p, v, quoted);
	}
}
