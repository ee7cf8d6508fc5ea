/*
 * Text -> tree, by recursive descent over tokens. Every dialect goes through
 * the same functions; regex_syntax.h names where they part. The oddities are
 * glibc's and are what scripts meet: an anchor takes no repetition behind it,
 * so the next operator stands "at the start" ("^*"); "{" errors come in two
 * kinds; a group counts for back-references only once it is closed and, in an
 * alternative, only if the same branch or an outer one closed it.
 */
#include "text/regex_impl.h"

#include <string.h>

#include "base/heap.h"
#include "base/utf8.h"
#include "text/regex_syntax.h"

enum token_kind {
	T_END, T_CHAR, T_ALT, T_OPEN, T_CLOSE, T_STAR, T_PLUS, T_QUEST, T_LBRACE, T_RBRACE,
	T_BRACKET, T_DOT, T_BACKREF, T_ASSERT, T_CLASS, T_TRAILING
};

struct token {
	enum token_kind kind;
	int32_t c;			/* CHAR: unit; BACKREF: digit; ASSERT: which; CLASS: letter */
	size_t len;
};

struct re_node *re_node_new(struct regex *re, enum re_kind kind)
{
	struct re_node *node = ARENA_NEW(&re->arena, struct re_node);

	if (node)
		node->kind = kind;
	else
		re->nomem = true;
	return node;
}

void re_node_add(struct re_node *parent, struct re_node *child)
{
	if (!parent || !child)
		return;
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
}

static struct re_node *fail(struct re_parser *ps, const char *error)
{
	if (!ps->error)
		ps->error = error;
	return NULL;
}

static struct re_node *node(struct re_parser *ps, enum re_kind kind)
{
	struct re_node *made = re_node_new(ps->re, kind);

	return made ? made : fail(ps, "Memory exhausted");
}

static void re_warn(struct regex *re, const char *text, size_t n)
{
	char *copy = re->warnings.n < 64 ? arena_dup(&re->arena, text, n) : NULL;
	const char **slot = copy ? vec_add(re->heap, &re->warnings) : NULL;

	if (slot)
		*slot = copy;
}

/* ---- Tokens ---- */

static bool token_gnu(struct token *t, char c)
{
	static const char asserts[] = "<>bB`'";
	static const enum re_assert which[] = { RE_WORD_BEGIN, RE_WORD_END, RE_WORD_EDGE,
						RE_NOT_WORD_EDGE, RE_TEXT_BEGIN, RE_TEXT_END };
	const char *hit = c ? strchr(asserts, c) : NULL;

	if (hit) {
		t->kind = T_ASSERT;
		t->c = (int32_t)which[hit - asserts];
		return true;
	}
	if (!c || !strchr("wWsS", c))
		return false;
	t->kind = T_CLASS;
	t->c = c;
	return true;
}

static int digit_of(char c, int base)
{
	int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;

	return d < base ? d : -1;
}

void re_parse_awk_escape(struct re_parser *ps, int32_t *c)
{
	static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	char e = ps->p[ps->at];
	const char *hit = e ? strchr(names, e) : NULL;
	int base = e == 'x' ? 16 : 8, most = e == 'x' ? 2 : 3, value = 0, used = 0;

	if (hit) {
		*c = values[hit - names];
		ps->at++;
		return;
	}
	size_t at = ps->at + (e == 'x');
	while (used < most && at < ps->n && digit_of(ps->p[at], base) >= 0) {
		value = value * base + digit_of(ps->p[at++], base);
		used++;
	}
	if (used) {
		ps->at = at;
		*c = value & 255;
		if (*c >= 128 && ps->re->utf8)
			*c += RE_RAW;
		return;
	}
	ps->at += re_unit(ps->re, ps->p + ps->at, ps->n - ps->at, c);
}

/* The token of an escape; at is at the backslash. */
static struct token token_escape(struct re_parser *ps)
{
	bool ere = ps->syntax & RE_SYN_ERE;
	struct token t = { T_CHAR, 0, 2 };
	char c;

	if (ps->at + 1 >= ps->n)
		return (struct token){ T_TRAILING, 0, 1 };
	c = ps->p[ps->at + 1];
	if ((ps->syntax & RE_SYN_AWK) && (ps->syntax & RE_SYN_GNU) && c == 'y') {
		t.kind = T_ASSERT;
		t.c = RE_WORD_EDGE;
		return t;
	}
	if ((ps->syntax & RE_SYN_GNU) && !((ps->syntax & RE_SYN_AWK) && c == 'b') &&
	    token_gnu(&t, c))
		return t;
	if (ps->syntax & RE_SYN_AWK) {
		size_t start = ps->at++;
		re_parse_awk_escape(ps, &t.c);
		t.len = ps->at - start;
		ps->at = start;
		return t;
	}
	if (c >= '1' && c <= '9') {
		t.kind = T_BACKREF;
		t.c = c - '0';
		return t;
	}
	/* POSIX has the first four only. */
	const char *op = c && !ere ? strchr("(){}|+?", c) : NULL;
	if (op && !(ps->syntax & RE_SYN_GNU) && strchr("|+?", c))
		op = NULL;
	if (op) {
		static const enum token_kind kinds[] = { T_OPEN, T_CLOSE, T_LBRACE, T_RBRACE, T_ALT,
							 T_PLUS, T_QUEST };
		t.kind = kinds[op - "(){}|+?"];
		t.c = c;
		return t;
	}
	t.len = 1 + re_unit(ps->re, ps->p + ps->at + 1, ps->n - ps->at - 1, &t.c);
	return t;
}

static bool caret_is_anchor(const struct re_parser *ps, bool here)
{
	return (ps->syntax & RE_SYN_ERE) || here || ps->at == 0;
}

/* In a BRE only at the end, or in front of "\|" or "\)". */
static bool dollar_is_anchor(const struct re_parser *ps)
{
	const char *next = ps->p + ps->at + 1;
	size_t left = ps->n - ps->at - 1;

	return (ps->syntax & RE_SYN_ERE) || !left ||
	       (left > 1 && next[0] == '\\' && (next[1] == '|' || next[1] == ')'));
}

/* The token at ps->at, which stays. caret_here: behind "\(" or "\|". */
static struct token token_at(struct re_parser *ps, bool caret_here)
{
	static const char ops[] = "(){}|+?";
	static const enum token_kind kinds[] = { T_OPEN, T_CLOSE, T_LBRACE, T_RBRACE, T_ALT, T_PLUS,
						 T_QUEST };
	struct token t = { T_END, 0, 0 };
	char c;

	if (ps->at >= ps->n)
		return t;
	c = ps->p[ps->at];
	t = (struct token){ T_CHAR, (unsigned char)c, 1 };
	if (c == '\\')
		return token_escape(ps);
	if (c == '^' && caret_is_anchor(ps, caret_here)) {
		t.kind = T_ASSERT;
		t.c = RE_LINE_BEGIN;
	} else if (c == '*') {
		t.kind = T_STAR;
	} else if (c == '.') {
		t.kind = T_DOT;
	} else if (c == '[') {
		t.kind = T_BRACKET;
	} else if (c && (ps->syntax & RE_SYN_ERE) && strchr(ops, c)) {
		t.kind = kinds[strchr(ops, c) - ops];
	} else if (c == '$') {
		if (dollar_is_anchor(ps)) {
			t.kind = T_ASSERT;
			t.c = RE_LINE_END;
		}
	} else {
		t.len = re_unit(ps->re, ps->p + ps->at, ps->n - ps->at, &t.c);
	}
	return t;
}

/* ---- Grammar ---- */

static struct re_node *parse_alternatives(struct re_parser *ps, bool grouped, bool caret_here);

static struct re_node *parse_group(struct re_parser *ps)
{
	struct re_node *group = node(ps, RE_GROUP);
	size_t number = ++ps->re->groups;

	if (!group)
		return NULL;
	if (++ps->depth > RE_DEPTH_MAX)
		return fail(ps, "Regular expression too big");
	group->c = (int32_t)number;
	re_node_add(group, parse_alternatives(ps, true, true));
	ps->depth--;
	if (ps->error)
		return NULL;
	struct token t = token_at(ps, false);
	if (t.kind != T_CLOSE)
		return fail(ps, "Unmatched ( or \\(");
	ps->at += t.len;
	if (number - ps->base <= 9)
		ps->closed |= 1u << (number - ps->base);
	return group;
}

static struct re_node *char_node(struct re_parser *ps, int32_t c)
{
	struct regex *re = ps->re;
	struct re_node *made = node(ps, RE_CHAR);

	if (!made)
		return NULL;
	made->c = c;
	if (c >= RE_RAW)
		re->raw = true;
	if (!re->icase || c >= RE_RAW)
		return made;
	int32_t up = re_upper(re, c);
	if (up == c && c < RE_RAW && (re->utf8 || c < 128) && utf8_lower(c) == c && c < 0x250 &&
	    c != 'I' && c != 'S')
		return made;
	made->kind = RE_SET;
	made->set = re_set_of(re, up);
	return made;
}

static struct re_node *class_node(struct re_parser *ps, int32_t letter)
{
	struct regex *re = ps->re;
	struct re_set *set = re_set_new(re, letter == 'W' || letter == 'S' || letter == '.');
	struct re_node *made = node(ps, RE_SET);

	if (!set || !made)
		return fail(ps, "Memory exhausted");
	if (letter != '.')
		re->bytewise = false;
	if (letter == 'w' || letter == 'W') {
		re_set_class(re, set, "alnum");
		re_set_range(re, set, '_', '_');
	} else if (letter != '.') {
		re_set_class(re, set, "space");
	} else {
		re_set_no_newline(re, set);
	}
	made->set = re_set_finish(re, set);
	return made;
}

static struct re_node *backref_node(struct re_parser *ps, int32_t n)
{
	struct re_node *made;

	if (!(ps->closed >> n & 1))
		return fail(ps, "Invalid back reference");
	made = node(ps, RE_BACKREF);
	if (made)
		made->c = n + (int32_t)ps->base;
	ps->re->backrefs = true;
	return made;
}

enum { NUM_MISSING = -1, NUM_BAD = -2 };

/* Digits up to ',' or the closing brace; *end is the token that ended them. */
static int interval_number(struct re_parser *ps, struct token *end)
{
	int num = NUM_MISSING;

	for (;;) {
		struct token t = token_at(ps, false);
		ps->at += t.len;
		*end = t;
		if (t.kind == T_END)
			return NUM_BAD;
		if (t.kind == T_RBRACE || (t.kind == T_CHAR && t.c == ','))
			return num;
		if (t.kind != T_CHAR || t.c < '0' || t.c > '9' || num == NUM_BAD)
			num = NUM_BAD;
		else
			num = num == NUM_MISSING ? t.c - '0' : num * 10 + (t.c - '0');
		if (num == NUM_BAD && (ps->syntax & RE_SYN_INTERVAL_ORD))
			return num;	/* it will be literal, whatever follows */
		if (num > RE_DUP_MAX + 1)
			num = RE_DUP_MAX + 1;
	}
}

/* "{...}" at ps->at, behind the brace. false: error, or rolled back (literal). */
static bool parse_interval(struct re_parser *ps, int *min, int *max)
{
	size_t start = ps->at;
	struct token t;

	*min = *max = interval_number(ps, &t);
	if (*min == NUM_MISSING) {
		if (t.kind != T_CHAR) {
			fail(ps, "Invalid content of \\{\\}");
			return false;
		}
		*min = 0;
	}
	if (*min != NUM_BAD && t.kind == T_CHAR)
		*max = interval_number(ps, &t);
	else if (*min != NUM_BAD && t.kind != T_RBRACE)
		*max = NUM_BAD;
	if (*min == NUM_BAD || *max == NUM_BAD) {
		if (!(ps->syntax & RE_SYN_INTERVAL_ORD))
			fail(ps, t.kind == T_END ? "Unmatched \\{" : "Invalid content of \\{\\}");
		ps->at = start;
		return false;
	}
	if ((*max != NUM_MISSING && *min > *max) || t.kind != T_RBRACE) {
		fail(ps, "Invalid content of \\{\\}");
		return false;
	}
	if ((*max == NUM_MISSING ? *min : *max) > RE_DUP_MAX) {
		fail(ps, "Regular expression too big");
		return false;
	}
	return true;
}

static bool is_operator(enum token_kind kind)
{
	return kind == T_STAR || kind == T_PLUS || kind == T_QUEST || kind == T_LBRACE;
}

static const char *start_warning(enum token_kind kind)
{
	return kind == T_STAR ? "* at start of expression" :
	       kind == T_PLUS ? "+ at start of expression" :
	       kind == T_QUEST ? "? at start of expression" : "{...} at start of expression";
}

static struct re_node *parse_atom(struct re_parser *ps, bool grouped, bool caret_here,
				  bool *is_anchor);

/* An operator with nothing to repeat. */
static struct re_node *operator_at_start(struct re_parser *ps, struct token t, bool *is_anchor)
{
	if (t.kind == T_LBRACE && (ps->syntax & RE_SYN_BAD_DUP))
		return fail(ps, "Invalid preceding regular expression");
	if (ps->syntax & RE_SYN_BAD_OPS)
		return fail(ps, "Invalid preceding regular expression");
	if (!(ps->syntax & RE_SYN_SKIP_OPS))
		return char_node(ps, t.c);
	/* Several in a row are skipped by a loop, not by recursion. */
	while (is_operator(t.kind)) {
		size_t start = ps->at;
		int min, max;
		if (t.kind == T_LBRACE && !parse_interval(ps, &min, &max)) {
			ps->at = start;
			return ps->error ? NULL : char_node(ps, '{');
		}
		if ((ps->syntax & RE_SYN_WARN) && !ps->begun)
			re_warn(ps->re, start_warning(t.kind), strlen(start_warning(t.kind)));
		t = token_at(ps, false);
		if (is_operator(t.kind))
			ps->at += t.len;
	}
	/* A ")" right behind them is literal, as for glibc. */
	return parse_atom(ps, false, false, is_anchor);
}

static struct re_node *parse_atom(struct re_parser *ps, bool grouped, bool caret_here,
				  bool *is_anchor)
{
	struct token t = token_at(ps, caret_here);
	struct re_node *made;

	if (t.kind == T_END || t.kind == T_ALT || (t.kind == T_CLOSE && grouped))
		return node(ps, RE_EMPTY);
	ps->at += t.len;
	switch (t.kind) {
	case T_OPEN:
		return parse_group(ps);
	case T_BRACKET:
		return re_parse_bracket(ps);
	case T_DOT:
		return class_node(ps, '.');
	case T_CLASS:
		return class_node(ps, t.c);
	case T_BACKREF:
		return backref_node(ps, t.c);
	case T_ASSERT:
		*is_anchor = true;
		if (t.c >= RE_WORD_EDGE)
			ps->re->bytewise = false;
		made = node(ps, RE_ASSERT);
		if (made)
			made->c = t.c;
		return made;
	case T_STAR:
	case T_PLUS:
	case T_QUEST:
	case T_LBRACE:
		return operator_at_start(ps, t, is_anchor);
	case T_CLOSE:
		if (!(ps->syntax & RE_SYN_PAREN_ORD))
			return fail(ps, "Unmatched ) or \\)");
		return char_node(ps, ')');
	case T_TRAILING:
		return fail(ps, "Trailing backslash");
	default:
		return char_node(ps, t.c);
	}
}

static struct re_node *repeat_node(struct re_parser *ps, struct re_node *of, int min, int max)
{
	struct re_node *made;

	if (of->kind == RE_EMPTY)
		return of;
	if (max == 0)
		return node(ps, RE_EMPTY);
	/* x** and the like: no towers. */
	if (of->kind == RE_REPEAT && min <= 1 && max == -1 && of->min <= 1 && of->max == -1) {
		of->min = of->min < min ? of->min : min;
		return of;
	}
	made = node(ps, RE_REPEAT);
	if (!made)
		return NULL;
	made->min = min;
	made->max = max;
	re_node_add(made, of);
	return made;
}

/* grep -E selects lines as if an operator could repeat ^ and $: "^*a" is "a". (Its
 * -o, and patterns that it hands to the C library, take the anchor literally.) */
static struct re_node *anchor_repeated(struct re_parser *ps, struct re_node *made)
{
	for (;;) {
		struct token t = token_at(ps, false);
		size_t start = ps->at;
		int min = t.kind == T_PLUS, max = 1;
		if (!is_operator(t.kind))
			return made;
		ps->at += t.len;
		if (t.kind == T_LBRACE && !parse_interval(ps, &min, &max)) {
			ps->at = start;
			return ps->error ? NULL : made;
		}
		if ((ps->syntax & RE_SYN_WARN) && !ps->begun)
			re_warn(ps->re, start_warning(t.kind), strlen(start_warning(t.kind)));
		if (!min)
			made = node(ps, RE_EMPTY);
		if (!made)
			return NULL;
	}
}

/* An atom and its repetitions. */
static struct re_node *parse_repeated(struct re_parser *ps, bool grouped, bool caret_here)
{
	bool is_anchor = false;
	struct re_node *made = parse_atom(ps, grouped, caret_here, &is_anchor);
	bool nothing = made && made->kind == RE_EMPTY;
	unsigned tower = 0;

	if (made && is_anchor && (ps->syntax & RE_SYN_SKIP_OPS) && made->kind == RE_ASSERT &&
	    made->c <= RE_LINE_END && !ps->re->icase)
		return anchor_repeated(ps, made);
	while (made && !is_anchor && !nothing) {
		struct token t = token_at(ps, false);
		size_t start = ps->at;
		int min = t.kind == T_PLUS, max = t.kind == T_QUEST ? 1 : -1;
		if (!is_operator(t.kind))
			break;
		ps->at += t.len;
		if (t.kind == T_LBRACE && !parse_interval(ps, &min, &max)) {
			if (ps->error)
				return NULL;
			/* The brace is literal: it becomes the next atom. */
			ps->at = start + t.len;
			struct re_node *both = node(ps, RE_CAT);
			re_node_add(both, made);
			re_node_add(both, char_node(ps, '{'));
			return both;
		}
		if (++tower > RE_DEPTH_MAX)
			return fail(ps, "Regular expression too big");
		made = repeat_node(ps, made, min, max);
		t = token_at(ps, false);
		if ((ps->syntax & RE_SYN_BAD_DUP) && (t.kind == T_STAR || t.kind == T_LBRACE))
			return fail(ps, "Invalid preceding regular expression");
	}
	return made;
}

static struct re_node *parse_branch(struct re_parser *ps, bool grouped, bool caret_here)
{
	struct re_node *cat = node(ps, RE_CAT), *made;
	bool begun = false;

	ps->begun = false;
	while (cat && !ps->error) {
		struct token t = token_at(ps, caret_here);
		if (t.kind == T_END || t.kind == T_ALT || (t.kind == T_CLOSE && grouped))
			break;
		made = parse_repeated(ps, grouped, caret_here);
		re_node_add(cat, made);
		begun |= made && made->kind != RE_ASSERT && made->kind != RE_EMPTY;
		ps->begun = begun;
		caret_here = false;
	}
	return cat;
}

static struct re_node *parse_alternatives(struct re_parser *ps, bool grouped, bool caret_here)
{
	uint32_t before = ps->closed, all = 0;
	struct re_node *alt = NULL, *branch;

	for (;;) {
		ps->closed = before;
		branch = parse_branch(ps, grouped, caret_here);
		all |= ps->closed;
		if (ps->error)
			return NULL;
		struct token t = token_at(ps, false);
		if (!alt && t.kind == T_ALT)
			alt = node(ps, RE_ALT);
		re_node_add(alt, branch);
		if (t.kind != T_ALT || ps->error)
			break;
		ps->at += t.len;
		caret_here = true;
	}
	ps->closed = all;
	return alt ? alt : branch;
}

static struct re_node *parse_literal(struct re_parser *ps)
{
	struct re_node *cat = node(ps, RE_CAT);

	while (cat && ps->at < ps->n && !ps->error) {
		int32_t c;
		ps->at += re_unit(ps->re, ps->p + ps->at, ps->n - ps->at, &c);
		re_node_add(cat, char_node(ps, c));
	}
	return cat;
}

static unsigned syntax_of(unsigned flags)
{
	unsigned syntax = (flags & REGEX_NO_GNU ? 0 : RE_SYN_GNU) |
			  (flags & REGEX_PAREN_ORD ? RE_SYN_PAREN_ORD : 0);

	if (flags & REGEX_AWK)
		return syntax | RE_SYN_ERE | RE_SYN_AWK | RE_SYN_PAREN_ORD | RE_SYN_INTERVAL_ORD;
	if (flags & REGEX_BASH)
		return syntax | RE_SYN_ERE | RE_SYN_BAD_OPS | RE_SYN_PAREN_ORD | RE_SYN_REGCOMP;
	if (flags & REGEX_GREP)
		return syntax | RE_SYN_WARN | (flags & REGEX_EXTENDED ? RE_SYN_ERE |
			RE_SYN_SKIP_OPS | RE_SYN_PAREN_ORD | RE_SYN_INTERVAL_ORD : 0);
	return syntax | (flags & REGEX_EXTENDED ? RE_SYN_ERE | RE_SYN_BAD_OPS : RE_SYN_BAD_DUP);
}

struct re_node *re_parse(struct regex *re, const char *p, size_t n, const char **error)
{
	struct re_parser ps = { .re = re, .p = p, .n = n, .base = re->groups };
	struct re_node *tree;

	ps.syntax = syntax_of(re->flags);
	tree = re->flags & REGEX_LITERAL ? parse_literal(&ps) :
	       parse_alternatives(&ps, false, true);
	*error = ps.error;
	return ps.error ? NULL : tree;
}
