/*
 * ${...}: name, subscript, operator, operands.
 *
 * bash finds the end of ${ when it reads the text, by quotes and brackets
 * alone, and what the inside means only when it expands it. So whatever is no
 * expansion at all is not a syntax error but a PARAM_BAD that fails at run
 * time. Operands follow the quotes around: inside double quotes a default value
 * is a string, but a pattern is always a pattern.
 */
#include "lang/parser.h"

#include <string.h>

/* ---- Subscripts ---- */

/* Arithmetic knows no single quotes: as text, with the quotes. */
static struct word *subscript_arith_word(struct parser *ps, struct word *w)
{
	struct part *const *link = (struct part *const *)&w->parts;
	struct word *copy;
	struct part **tail;
	bool plain = true;

	for (struct part *p = w->parts; p; p = p->next)
		plain &= p->kind != PART_SINGLE && p->kind != PART_ANSI && p->kind != PART_ESCAPED;
	if (plain)
		return w;
	copy = MEM_NEW(ps->mem, struct word);
	*copy = *w;
	tail = &copy->parts;
	for (struct part *p = *link; p; p = p->next) {
		struct part *q = MEM_NEW(ps->mem, struct part);

		*q = *p;
		str_reset(&ps->text);
		if (p->kind == PART_SINGLE)
			str_addf(&ps->text, "'%s'", p->text.p);
		else if (p->kind == PART_ANSI)
			str_adds(&ps->text, p->text.p);
		else if (p->kind == PART_ESCAPED)
			str_addf(&ps->text, "\\%s", p->text.p);
		if (ps->text.n) {
			q->kind = PART_TEXT;
			q->text.p = mem_dup(ps->mem, ps->text.p, ps->text.n);
			q->text.n = ps->text.n;
			q->raw = (struct slice){ NULL, 0 };
		}
		*tail = q;
		tail = &q->next;
	}
	return copy;
}

static void subscript_from_parts(struct parser *ps, struct subscript *sub, struct parts *parts,
				 size_t from)
{
	struct arith *a = MEM_NEW(ps->mem, struct arith);

	sub->kind = SUBSCRIPT_EXPR;
	sub->word = word_from_parts(ps, parts, from);
	a->word = subscript_arith_word(ps, sub->word);
	a->text = (struct slice){ ps->in.s + from, ps->in.pos - from };
	arith_from_word(ps->mem, a, ps->depth_max > ps->depth ? ps->depth_max - ps->depth : 0);
	sub->arith = a;
}

void word_subscript(struct parser *ps, struct subscript *sub, enum word_stop stop)
{
	size_t from = ps->in.pos;
	const char *s = ps->in.s + from;
	struct parts parts;

	if ((s[0] == '@' || s[0] == '*') && s[1] == ']') {
		sub->kind = s[0] == '@' ? SUBSCRIPT_AT : SUBSCRIPT_STAR;
		ps->in.pos += 2;
		return;
	}
	if (!parse_enter(ps))
		return;
	parts_init(&parts);
	word_unquoted(ps, &parts, stop, LEX_PLAIN);
	parse_leave(ps);
	if (ps->failed || ps->in.s[ps->in.pos] != ']')
		return;
	subscript_from_parts(ps, sub, &parts, from);
	ps->in.pos++;
}

/* [..] in ${a[..]}; false: bad substitution. */
static bool param_subscript(struct parser *ps, struct parts *out, struct subscript *sub)
{
	ps->in.pos++;
	word_subscript(ps, sub, STOP_BRACKET);
	if (sub->kind == SUBSCRIPT_NONE)
		return false;
	if (sub->kind != SUBSCRIPT_EXPR)
		return true;
	if (sub->arith->effects || sub->word->flags & WORD_EFFECTS)
		out->flags |= WORD_EFFECTS;
	return sub->word->parts != NULL;
}

/* ---- Names ---- */

static bool param_special(char c)
{
	return c && strchr("@*#?-$!", c);
}

/* ${#..}: a length, or the parameter #? false: bad. */
static bool param_length(struct parser *ps, struct param *p)
{
	const char *s = ps->in.s + ps->in.pos;

	if (s[1] == '}' || !s[1])
		return true;
	if (strchr("^,~", s[1]) || (s[2] == '}' && strchr("%:=+/", s[1])))
		return false;
	if (lex_is(s[1], C_NAME) || (s[2] == '}' && param_special(s[1]))) {
		p->op = PARAM_LENGTH;
		ps->in.pos++;
	}
	return true;
}

/* false: bad substitution. */
static bool param_name(struct parser *ps, struct param *p)
{
	struct lex_frame *in = &ps->in;
	char c = lex_char(ps), next = c ? in->s[in->pos + 1] : '\0';

	if (c == '!' && (lex_is(next, C_NAME) || (next && strchr("#?@*", next)))) {
		p->indirect = true;
		in->pos++;
	} else if (c == '#' && !param_length(ps, p)) {
		return false;
	}
	c = in->s[in->pos];
	if (lex_is(c, C_DIGIT)) {
		size_t from = in->pos;

		while (lex_is(in->s[in->pos], C_DIGIT))
			in->pos++;
		p->name = parse_name(ps, in->s + from, in->pos - from);
	} else if (lex_is(c, C_NAME)) {
		p->name = parse_read_name(ps);
	} else if (param_special(c)) {
		p->name = parse_name(ps, in->s + in->pos++, 1);
	} else {
		return false;
	}
	return true;
}

/* ---- Operators ---- */

/* The operand up to } (or /); NULL if it is empty. */
static struct word *param_operand(struct parser *ps, struct parts *out, enum word_stop stop,
				  bool quoted)
{
	size_t from = ps->in.pos;
	struct parts parts;

	parts_init(&parts);
	if (quoted)
		word_quoted(ps, &parts, QUOTED_BRACE);
	else
		word_unquoted(ps, &parts, stop, 0);
	if (ps->failed || !parts.first)
		return NULL;
	out->flags |= parts.flags & WORD_EFFECTS;
	return word_from_parts(ps, &parts, from);
}

static struct arith *param_expression(struct parser *ps, struct parts *out, enum quoted_kind kind)
{
	size_t from = ps->in.pos;
	struct parts parts;
	struct arith *a;

	parts_init(&parts);
	word_quoted(ps, &parts, kind);
	if (ps->failed)
		return NULL;
	a = arith_from_parts(ps, &parts, from);
	if (a->effects)
		out->flags |= WORD_EFFECTS;
	return a;
}

static bool param_slice(struct parser *ps, struct parts *out, struct param *p)
{
	p->op = PARAM_SLICE;
	if (lex_char(ps) == '}')
		return false;
	p->offset = param_expression(ps, out, QUOTED_SLICE);
	if (!ps->failed && ps->in.s[ps->in.pos] == ':') {
		ps->in.pos++;
		p->length = param_expression(ps, out, QUOTED_LENGTH);
	}
	return true;
}

static void param_value(struct parser *ps, struct parts *out, struct param *p, char c, bool quoted)
{
	p->op = c == '-' ? PARAM_DEFAULT : c == '=' ? PARAM_ASSIGN :
		c == '?' ? PARAM_ERROR : PARAM_ALTERNATE;
	if (c == '=' || c == '?')
		out->flags |= WORD_EFFECTS;
	ps->in.pos++;
	p->word = param_operand(ps, out, STOP_BRACE, quoted);
}

static bool param_colon(struct parser *ps, struct parts *out, struct param *p, bool quoted)
{
	char c;

	ps->in.pos++;
	c = lex_char(ps);
	if (!c || !strchr("-=?+", c))
		return param_slice(ps, out, p);
	p->colon = true;
	param_value(ps, out, p, c, quoted);
	return true;
}

static void param_replace(struct parser *ps, struct parts *out, struct param *p)
{
	char c;

	ps->in.pos++;
	c = lex_char(ps);
	p->op = c == '/' ? PARAM_REPLACE_ALL : c == '#' ? PARAM_REPLACE_START :
		c == '%' ? PARAM_REPLACE_END : PARAM_REPLACE;
	if (p->op != PARAM_REPLACE)
		ps->in.pos++;
	/* Behind // the pattern has at least one character: ${x////-}. */
	ps->free_slash = p->op == PARAM_REPLACE_ALL ? ps->in.pos : SIZE_MAX;
	p->word = param_operand(ps, out, STOP_SLASH, false);
	ps->free_slash = SIZE_MAX;
	if (ps->failed || ps->in.s[ps->in.pos] != '/')
		return;
	ps->in.pos++;
	p->has_word2 = true;
	p->word2 = param_operand(ps, out, STOP_BRACE, false);
}

/* # % ^ , ~, twice for the longer form. */
static void param_pattern(struct parser *ps, struct parts *out, struct param *p, char c)
{
	p->op = c == '#' ? PARAM_PREFIX : c == '%' ? PARAM_SUFFIX : c == '^' ? PARAM_UPPER :
		c == ',' ? PARAM_LOWER : PARAM_TOGGLE;
	ps->in.pos++;
	if (lex_char(ps) == c) {
		p->op++;
		ps->in.pos++;
	}
	p->word = param_operand(ps, out, STOP_BRACE, false);
}

/* @Q: any text up to the }, for bash looks at it only if the variable is set. */
static bool param_transform(struct parser *ps, struct parts *out, struct param *p)
{
	struct lex_frame *in = &ps->in;
	size_t from = in->pos;

	while (in->s[in->pos] && !lex_is(in->s[in->pos], C_EXPAND) && in->s[in->pos] != '}')
		in->pos++;
	if (in->s[in->pos] != '}')
		return false;
	p->letters = parts_dup(ps, from, in->pos);
	if (p->letters.n != 1 || !strchr("UuLQEPAKak", p->letters.p[0]))
		p->letter = '\0';
	ps->bad_param |= !p->letter;
	if (p->letter == 'P')
		out->flags |= WORD_EFFECTS;
	return true;
}

static bool param_at(struct parser *ps, struct parts *out, struct param *p)
{
	struct lex_frame *in = &ps->in;

	in->pos++;
	p->letter = lex_char(ps);
	if (p->letter == '}' && p->indirect && lex_is(p->name.s[0], C_NAME) &&
	    !lex_is(p->name.s[0], C_DIGIT) && p->sub.kind == SUBSCRIPT_NONE) {
		p->op = PARAM_NAMES;
		p->letter = '@';
		return true;
	}
	p->op = PARAM_TRANSFORM;
	return param_transform(ps, out, p);
}

/* What stands behind the name. false: bad substitution. */
static bool param_operator(struct parser *ps, struct parts *out, struct param *p, bool quoted)
{
	char c = lex_char(ps);

	switch (c) {
	case '}':
		if (p->indirect && (p->sub.kind == SUBSCRIPT_AT || p->sub.kind == SUBSCRIPT_STAR))
			p->op = PARAM_KEYS;
		return true;
	case ':':
		return param_colon(ps, out, p, quoted);
	case '-':
	case '=':
	case '?':
	case '+':
		param_value(ps, out, p, c, quoted);
		return true;
	case '#':
	case '%':
	case '^':
	case ',':
	case '~':
		/* names that may end a name: bash looks for other operators behind them */
		if (c != '#' && c != '%' && p->name.n == 1 && strchr("?-", p->name.s[0]))
			return false;
		param_pattern(ps, out, p, c);
		return true;
	case '/':
		param_replace(ps, out, p);
		return true;
	case '@':
		return param_at(ps, out, p);
	case '*':
		if (!p->indirect || p->sub.kind != SUBSCRIPT_NONE ||
		    !lex_is(p->name.s[0], C_NAME) || lex_is(p->name.s[0], C_DIGIT))
			return false;
		ps->in.pos++;
		p->op = PARAM_NAMES;
		p->letter = '*';
		return true;
	default:
		return false;
	}
}

/* Everything up to the }; false: bad substitution. */
static bool param_inside(struct parser *ps, struct parts *out, struct param *p, bool quoted)
{
	if (!param_name(ps, p))
		return false;
	if (ps->in.s[ps->in.pos] == '[' && lex_is(p->name.s[0], C_NAME) &&
	    !lex_is(p->name.s[0], C_DIGIT) && !param_subscript(ps, out, &p->sub)) {
		p->unclosed = quoted && p->sub.kind == SUBSCRIPT_NONE && p->op != PARAM_LENGTH;
		return false;
	}
	if (p->op == PARAM_LENGTH) {
		if (lex_char(ps) != '}')
			return false;
	} else if (!param_operator(ps, out, p, quoted)) {
		return false;
	}
	if (p->indirect || parse_is_volatile(p->name))
		out->flags |= WORD_EFFECTS;
	return !ps->failed && lex_char(ps) == '}';
}

/* Long ones are cut: a text inside a text inside a text ... must not be copied
 * whole each time. */
#define PARAM_RAW_MAX 256

static const char *param_raw(struct parser *ps, const struct param *p, size_t at)
{
	size_t n = ps->in.pos - at;

	if (n > PARAM_RAW_MAX && p->op != PARAM_BAD)
		n = PARAM_RAW_MAX;
	return mem_dup(ps->mem, ps->in.s + at, n);
}

void word_param(struct parser *ps, struct parts *out, size_t at, enum quoted_kind kind)
{
	size_t brace = ps->in.pos++;
	struct part *part = parts_add(ps, out, PART_PARAM);
	struct param *p = MEM_NEW(ps->mem, struct param);

	part->param = p;
	out->flags |= WORD_EXPANDS;
	if (!parse_enter(ps))
		return;
	if (param_inside(ps, out, p, kind != QUOTED_NOT)) {
		ps->in.pos++;
	} else if (!ps->failed) {
		size_t close = lex_skip(ps, brace);

		*p = (struct param){ .op = PARAM_BAD, .unclosed = p->unclosed &&
				     (kind == QUOTED_STRING || kind == QUOTED_INNER || kind == QUOTED_HERE) };
		ps->bad_param = true;
		p->name.s = "";
		ps->in.pos = close + 1;
	}
	parse_leave(ps);
	p->braces = true;
	if (!ps->failed)
		p->raw = param_raw(ps, p, at);
}
