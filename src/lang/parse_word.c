/*
 * Words -> parts. A word is read once, where it stands: each kind of quote and
 * each expansion is a part, and what nests (a command in a string in a default
 * value ...) recurses through the functions here, counting its depth.
 *
 * Two loops do it all: word_unquoted() outside of double quotes and
 * word_quoted() inside (and in here-documents and arithmetic, which bash treats
 * as strings). Each copies runs of plain characters whole and looks closer at
 * the few that mean something.
 */
#include "lang/parser.h"

#include <string.h>

/* ---- Lists of parts ---- */

void parts_init(struct parts *out)
{
	out->first = NULL;
	out->tail = &out->first;
	out->flags = 0;
}

struct part *parts_add(struct parser *ps, struct parts *out, enum part_kind kind)
{
	struct part *part = MEM_NEW(ps->mem, struct part);

	part->kind = kind;
	part->text = (struct slice){ "", 0 };
	*out->tail = part;
	out->tail = &part->next;
	return part;
}

struct slice parts_dup(struct parser *ps, size_t from, size_t to)
{
	return (struct slice){ mem_dup(ps->mem, ps->in.s + from, to - from), to - from };
}

/* The unquoted text [from, to); nothing if it is empty. */
void parts_text(struct parser *ps, struct parts *out, size_t from, size_t to)
{
	if (to > from)
		parts_add(ps, out, PART_TEXT)->text = parts_dup(ps, from, to);
}

/* All parts are TEXT (cut by line continuations): make them one. */
static void word_join(struct parser *ps, struct word *w)
{
	size_t n = 0;

	for (struct part *p = w->parts; p; p = p->next) {
		if (p->kind != PART_TEXT || p->raw.n)
			return;
		n += p->text.n;
	}
	char *joined = mem_alloc(ps->mem, n + 1);

	n = 0;
	for (struct part *p = w->parts; p; n += p->text.n, p = p->next)
		memcpy(joined + n, p->text.p, p->text.n);
	joined[n] = '\0';
	w->parts->text = (struct slice){ joined, n };
	w->parts->next = NULL;
}

static bool text_has_dots(struct slice t)
{
	for (size_t i = 0; i + 1 < t.n; i++)
		if (t.p[i] == '.' && t.p[i + 1] == '.')
			return true;
	return false;
}

/* Marks that a plain text turns out not to deserve: "[", "{", "{}". */
static uint32_t word_flags(const struct word *w, uint32_t flags)
{
	if (!w->parts || w->parts->next || w->parts->kind != PART_TEXT)
		return flags & ~(uint32_t)WORD_BRACKET;
	struct slice t = w->parts->text;

	if (flags & WORD_BRACE &&
	    (!memchr(t.p, '}', t.n) || (!memchr(t.p, ',', t.n) && !text_has_dots(t))))
		flags &= ~(uint32_t)WORD_BRACE;
	if (flags & WORD_BRACKET && !memchr(t.p, ']', t.n) && !memchr(t.p, '*', t.n) &&
	    !memchr(t.p, '?', t.n))
		flags &= ~(uint32_t)WORD_MAGIC;
	flags &= ~(uint32_t)WORD_BRACKET;
	return flags ? flags : WORD_LITERAL;
}

struct word *word_from_parts(struct parser *ps, struct parts *parts, size_t from)
{
	struct word *w = MEM_NEW(ps->mem, struct word);

	if (from > ps->in.pos)	/* of another frame: an error left it behind */
		from = ps->in.pos;
	w->parts = parts->first;
	if (w->parts && w->parts->next)
		word_join(ps, w);
	w->flags = word_flags(w, parts->flags);
	w->pos = lex_pos(ps, from);
	w->line = lex_line(ps, from);
	if (w->flags & WORD_LITERAL)
		w->text = w->parts->text;
	else
		w->text = (struct slice){ ps->in.s + from, ps->in.pos - from };
	if (ps->bad_param && !ps->failed)
		word_note_bad(ps, w->parts, w->text, false);
	return w;
}

/* Inside of "..." the backslash of \" is gone when bash looks at the text. */
static size_t without_quotes_escapes(char *s, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		bool pair = s[i] == '\\' && i + 1 < n;

		if (!pair || s[i + 1] != '"')
			s[to++] = s[i];
		if (pair)
			s[to++] = s[++i];
	}
	return to;
}

void word_note_bad(struct parser *ps, struct part *parts, struct slice text, bool quotes)
{
	struct slice copy = { NULL, 0 };	/* one for all of them: a word may be one long row */

	for (struct part *p = parts; p; p = p->next) {
		if (p->kind != PART_PARAM)
			continue;
		if (p->param->op == PARAM_TRANSFORM ? p->param->letter != '\0' || p->param->where.n :
		    p->param->op != PARAM_BAD || p->param->letters.n)
			continue;
		if (!copy.p) {
			copy = (struct slice){ mem_dup(ps->mem, text.p, text.n), text.n };
			if (!copy.p)
				return;
			if (quotes)
				copy.n = without_quotes_escapes((char *)(uintptr_t)copy.p, copy.n);
		}
		if (p->param->op == PARAM_TRANSFORM) {
			p->param->where = copy;
			continue;
		}
		p->param->letters = copy;
		if (p->param->unclosed && quotes)
			p->param->letters = (struct slice){ mem_dup(ps->mem, text.p - 1, text.n + 2),
							    text.n + 2 };
	}
}

/* ---- Inside double quotes ---- */

static bool quoted_escapes(char c, enum quoted_kind kind)
{
	if (kind == QUOTED_INNER)
		return c != '\0';
	switch (c) {
	case '$':
	case '`':
	case '\\':
		return true;
	case '"':
		return kind != QUOTED_HERE;
	case '}':
		return kind == QUOTED_BRACE;
	default:
		return false;
	}
}

/* The quoted text [from, to); escapes: there are backslashes to take out. */
static void quoted_text(struct parser *ps, struct parts *out, size_t from, size_t to,
			bool escapes, enum quoted_kind kind)
{
	if (to == from)
		return;
	struct part *part = parts_add(ps, out, PART_TEXT);

	if (!escapes) {
		part->text = parts_dup(ps, from, to);
		return;
	}
	const char *s = ps->in.s;
	char *text = mem_alloc(ps->mem, to - from + 1);
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		if (s[i] == '\\' && i + 1 < to && quoted_escapes(s[i + 1], kind))
			i++;
		text[n++] = s[i];
	}
	text[n] = '\0';
	part->text = (struct slice){ text, n };
	part->raw = (struct slice){ s + from, to - from };
}

static void word_ansi(struct parser *ps, struct parts *out);

/* $"..." from its quote to pos. What is read again is told of only once. */
static void word_tell_string(struct parser *ps, size_t open)
{
	if (ps->in.s != ps->script->text || ps->in.pos <= ps->string_end)
		return;
	ps->string_end = ps->in.pos;
	ps->opt->string(ps->opt->ctx, lex_line(ps, open), ps->in.s + open + 1, ps->in.pos - open - 2);
}

/* "..." at pos, inside or outside of other quotes. */
static void word_double(struct parser *ps, struct parts *out, enum part_kind kind,
			enum quoted_kind around)
{
	size_t open = ps->in.pos;
	struct part *part = parts_add(ps, out, kind);
	struct parts inner;

	if (!parse_enter(ps))
		return;
	parts_init(&inner);
	ps->in.pos++;
	word_quoted(ps, &inner, around == QUOTED_BRACE ? QUOTED_INNER : QUOTED_STRING);
	parse_leave(ps);
	part->parts = inner.first;
	out->flags |= WORD_QUOTED | inner.flags;
	if (ps->failed)
		return;
	if (ps->bad_param)
		word_note_bad(ps, inner.first, (struct slice){ ps->in.s + open + 1,
							       ps->in.pos - open - 1 },
			      ps->in.s[ps->in.pos] == '"');
	if (ps->in.s[ps->in.pos] == '"')
		ps->in.pos++;
	else
		parse_unmatched(ps, '"', open);
	if (kind == PART_LOCALE && ps->opt->string && !ps->failed)
		word_tell_string(ps, open);
}

/* Kinds that end with a bracket, in which ' hides brackets. */
static bool quoted_is_bracketed(enum quoted_kind kind)
{
	return kind >= QUOTED_BRACE;
}

/* State of one run of word_quoted(). */
struct quoted {
	size_t start;		/* of the text not yet made a part */
	bool escapes;		/* it has backslashes */
	enum quoted_kind kind;
	unsigned nest, ternary;	/* open ( or [, and ? of a SLICE */
	size_t single;		/* behind the ' that closes one: before, brackets mean nothing */
};

static void quoted_flush(struct parser *ps, struct parts *out, struct quoted *q)
{
	quoted_text(ps, out, q->start, ps->in.pos, q->escapes, q->kind);
	q->escapes = false;
}

/* A backslash at pos. */
static void quoted_backslash(struct parser *ps, struct parts *out, struct quoted *q)
{
	struct lex_frame *in = &ps->in;
	char c = in->s[in->pos + 1];

	if (c == '\n') {
		quoted_flush(ps, out, q);
		in->pos += 2;
		q->start = in->pos;
	} else if (quoted_escapes(c, q->kind)) {
		q->escapes = true;
		in->pos += 2;
	} else {
		in->pos += c ? 2 : 1;
	}
}

/* A ' in "${x-..}" and in arithmetic is text, but hides what closes up to its
 * partner; in POSIX mode not that of "${x-..}". */
static void quoted_single(struct parser *ps, struct quoted *q)
{
	struct lex_frame *in = &ps->in;
	const char *close;

	if (quoted_is_bracketed(q->kind) && in->pos >= q->single &&
	    !(ps->posix && q->kind == QUOTED_BRACE)) {
		do
			close = memchr(in->s + in->pos + 1, '\'', in->end - in->pos - 1);
		while (!close && lex_grow(ps));
		if (!close) {
			parse_unmatched(ps, '\'', in->pos);
			return;
		}
		q->single = (size_t)(close - in->s) + 1;
	}
	in->pos++;
}

/* Does the character c, a bracket or separator, end the text? */
static bool quoted_closes(struct quoted *q, char c)
{
	char open = q->kind == QUOTED_OLD_ARITH ? '[' : '(';
	char close = q->kind == QUOTED_OLD_ARITH ? ']' : ')';

	if (q->kind == QUOTED_BRACE ||
	    ((q->kind == QUOTED_SLICE || q->kind == QUOTED_LENGTH) && c == '}'))
		return c == '}';
	if (c == open) {
		q->nest++;
	} else if (c == close) {
		if (!q->nest)
			return q->kind != QUOTED_SLICE && q->kind != QUOTED_LENGTH;
		q->nest--;
	} else if (!q->nest && q->kind == QUOTED_FOR) {
		return c == ';';
	} else if (!q->nest && q->kind == QUOTED_SLICE) {
		/* The : of a ?: is none that separates. */
		if (c == ':' && !q->ternary)
			return true;
		q->ternary += c == '?' ? 1u : c == ':' ? -1u : 0u;
	}
	return false;
}

/* Does the character at pos end the text? Passes it otherwise. */
static bool quoted_stops(struct parser *ps, struct quoted *q, char c)
{
	if (c == '\0')
		return !lex_refill(ps);
	if (quoted_is_bracketed(q->kind) && ps->in.pos >= q->single && quoted_closes(q, c))
		return true;
	ps->in.pos++;
	return false;
}

/* $'..' in "${x-..}": bash decodes it when it reads, and the result is plain
 * text of the string. */
static void quoted_ansi(struct parser *ps, struct parts *out)
{
	struct part *part = parts_add(ps, out, PART_TEXT);
	struct parts inner;

	parts_init(&inner);
	ps->in.pos++;
	word_ansi(ps, &inner);
	if (inner.first)
		part->text = inner.first->text;
}

/* One character of C_DQUOTE; false: the end. */
static bool quoted_step(struct parser *ps, struct parts *out, struct quoted *q)
{
	struct lex_frame *in = &ps->in;
	char c = in->s[in->pos];

	switch (c) {
	case '\\':
		quoted_backslash(ps, out, q);
		return true;
	case '\'':
		quoted_single(ps, q);
		return true;
	case '"':
		if (q->kind == QUOTED_STRING || q->kind == QUOTED_INNER)
			return false;
		if (q->kind == QUOTED_HERE || q->kind == QUOTED_PROMPT) {
			in->pos++;
			return true;
		}
		quoted_flush(ps, out, q);
		word_double(ps, out, PART_DOUBLE, q->kind);
		break;
	case '`':
		quoted_flush(ps, out, q);
		word_backquote(ps, out, q->kind);
		break;
	case '$':
		if (q->kind == QUOTED_BRACE && in->s[in->pos + 1] == '\'' && !ps->posix) {
			quoted_flush(ps, out, q);
			quoted_ansi(ps, out);
			break;
		}
		if (!word_is_dollar(ps, true)) {
			in->pos++;
			return true;
		}
		quoted_flush(ps, out, q);
		word_dollar(ps, out, q->kind);
		break;
	default:
		return !quoted_stops(ps, q, c);
	}
	q->start = in->pos;
	return true;
}

void word_quoted(struct parser *ps, struct parts *out, enum quoted_kind kind)
{
	struct quoted q = { .start = ps->in.pos, .kind = kind };
	unsigned classes = C_DQUOTE;

	if (kind >= QUOTED_SLICE)
		classes |= C_BREAK | C_CLOSE | C_SPECIAL;
	while (!ps->failed) {
		const char *s = ps->in.s;
		size_t i = ps->in.pos;

		while (!lex_is(s[i], classes))
			i++;
		ps->in.pos = i;
		if (!quoted_step(ps, out, &q))
			break;
	}
	if (!ps->failed)
		quoted_flush(ps, out, &q);
}

/* ---- Outside of double quotes ---- */

/* State of one run of word_unquoted(). */
struct unquoted {
	size_t from, start;	/* of the word; of the text not yet made a part */
	enum word_stop stop;
	unsigned mode, nest;
	size_t open;		/* REGEX, ALTERNATIVE: the outermost open ( */
	signed char assign;	/* begins like name=: -1 not yet known */
};

/* What word_step() found at pos: plain text (not passed), a part (made and
 * passed), the end, more text. */
enum step { STEP_TEXT, STEP_PART, STEP_END, STEP_CONTINUE };

static void word_escape(struct parser *ps, struct parts *out)
{
	struct lex_frame *in = &ps->in;
	int32_t c;
	size_t n;

	out->flags |= WORD_QUOTED;
	if (in->pos + 1 == in->end) {
		/* The last character of all stands for itself. */
		parts_add(ps, out, PART_ESCAPED)->text = parts_dup(ps, in->pos, in->end);
		in->pos++;
		return;
	}
	n = utf8_decode(in->s + in->pos + 1, in->end - in->pos - 1, &c);
	parts_add(ps, out, PART_ESCAPED)->text = parts_dup(ps, in->pos + 1, in->pos + 1 + n);
	in->pos += 1 + n;
}

static void word_single(struct parser *ps, struct parts *out)
{
	struct lex_frame *in = &ps->in;
	size_t open = in->pos;
	const char *close;

	do
		close = memchr(in->s + open + 1, '\'', in->end - open - 1);
	while (!close && lex_grow(ps));
	if (!close) {
		parse_unmatched(ps, '\'', open);
		return;
	}
	in->pos = (size_t)(close - in->s) + 1;
	parts_add(ps, out, PART_SINGLE)->text = parts_dup(ps, open + 1, in->pos - 1);
	out->flags |= WORD_QUOTED;
}

/* $'...': pos is at the quote. */
static void word_ansi(struct parser *ps, struct parts *out)
{
	struct lex_frame *in = &ps->in;
	size_t open = in->pos++;

	while (in->s[in->pos] != '\'') {
		if (in->s[in->pos] == '\0' && !lex_refill(ps)) {
			parse_unmatched(ps, '\'', open);
			return;
		}
		if (in->s[in->pos] == '\\' && (in->s[in->pos + 1] || lex_grow(ps)))
			in->pos++;
		in->pos++;
	}
	struct part *part = parts_add(ps, out, PART_ANSI);

	part->raw = (struct slice){ in->s + open + 1, in->pos - open - 1 };
	part->text = lex_ansi(ps->mem, part->raw);
	in->pos++;
	out->flags |= WORD_QUOTED;
}

/* A $ that begins something (word_is_dollar), outside of double quotes. */
static void word_unquoted_dollar(struct parser *ps, struct parts *out)
{
	size_t at = ps->in.pos++;
	char c = lex_char(ps);

	if (c == '\'') {
		word_ansi(ps, out);
	} else if (c == '"') {
		word_double(ps, out, PART_LOCALE, QUOTED_NOT);
	} else {
		ps->in.pos = at;
		word_dollar(ps, out, QUOTED_NOT);
	}
}

/* ?( *( +( @( !(: pos is at the ( of operator op. */
static void word_glob(struct parser *ps, struct parts *out, char op)
{
	size_t open = ps->in.pos;
	struct part *part = parts_add(ps, out, PART_GLOB);
	struct word **tail = &part->alternatives;

	part->op = op;
	part->alternatives = NULL;
	out->flags |= WORD_MAGIC;
	if (!parse_enter(ps))
		return;
	do {
		struct parts inner;
		size_t from = ++ps->in.pos;

		parts_init(&inner);
		word_unquoted(ps, &inner, STOP_ALTERNATIVE, LEX_PATTERN);
		*tail = word_from_parts(ps, &inner, from);
		out->flags |= inner.flags & ~(uint32_t)WORD_BRACKET;
		tail = &(*tail)->next;
	} while (!ps->failed && ps->in.s[ps->in.pos] == '|');
	parse_leave(ps);
	if (ps->failed)
		return;
	if (ps->in.s[ps->in.pos] == ')')
		ps->in.pos++;
	else
		parse_unmatched(ps, ')', open);
}

/* Does the text [from, to) begin like an assignment, name= or name[..]=? */
static bool word_assigns(const char *s, size_t from, size_t to)
{
	size_t i = from;

	if (!lex_is(s[i], C_NAME) || lex_is(s[i], C_DIGIT))
		return false;
	while (i < to && lex_is(s[i], C_NAME))
		i++;
	if (i < to && s[i] == '[') {
		const char *close = memchr(s + i, ']', to - i);

		if (!close)
			return false;
		i = (size_t)(close - s) + 1;
	}
	if (i < to && s[i] == '+')
		i++;
	return i < to && s[i] == '=';
}

/* May a ~ at pos be a home directory? */
static bool tilde_place(struct parser *ps, const struct parts *out, struct unquoted *u)
{
	size_t pos = ps->in.pos;
	const char *s = ps->in.s;

	if (pos == u->start && !out->first)
		return true;
	while (pos == u->start && pos > 1 && s[pos - 1] == '\n' && s[pos - 2] == '\\')
		u->start = pos -= 2;
	if ((pos == ps->in.pos && pos == u->start) || pos == u->from ||
	    (s[pos - 1] != ':' && s[pos - 1] != '='))
		return false;
	if (u->mode & LEX_VALUE)
		return s[pos - 1] == ':';
	if (u->stop != STOP_TOKEN || u->mode & LEX_COND)
		return false;
	if (ps->posix && !(u->mode & LEX_DECL))
		return false;	/* an argument is no assignment there */
	if (u->assign < 0)
		u->assign = word_assigns(s, u->from, pos);
	if (!u->assign || s[pos - 1] == ':')
		return u->assign;
	/* After = only if it is the first one. */
	return memchr(s + u->from, '=', pos - u->from) == s + pos - 1;
}

/* The name behind the ~ at pos into ps->text; its end, or 0 if something there
 * forbids expansion. */
static size_t tilde_name(struct parser *ps, const struct unquoted *u)
{
	const char *s = ps->in.s;
	bool colon = u->mode & LEX_VALUE || u->assign > 0;

	str_reset(&ps->text);
	for (size_t i = ps->in.pos + 1;; i++) {
		char c = s[i];

		if (c == '\\' && s[i + 1] == '\n') {
			i++;
			continue;
		}
		if (lex_is(c, C_EXPAND))
			return 0;
		if (c == '/' || (c == ':' && colon) || (c == '}' && u->stop >= STOP_BRACE))
			return i;
		if (lex_is(c, C_BREAK) && (u->stop == STOP_TOKEN || u->stop == STOP_REGEX || !c))
			return i;
		str_addc(&ps->text, c);
	}
}

static enum step word_tilde(struct parser *ps, struct parts *out, struct unquoted *u)
{
	struct lex_frame *in = &ps->in;
	size_t end = tilde_place(ps, out, u) ? tilde_name(ps, u) : 0;
	const char *name;

	if (!end)
		return STEP_TEXT;
	name = mem_dup(ps->mem, ps->text.p, ps->text.n);
	parts_text(ps, out, u->start, in->pos);
	parts_add(ps, out, PART_TILDE)->text = (struct slice){ name, ps->text.n };
	out->flags |= WORD_TILDE;
	if (memchr(name, '{', ps->text.n))
		out->flags |= WORD_BRACE;
	in->pos = end;
	return STEP_PART;
}

/* * ? [ { ~ + @ ! */
static enum step word_special(struct parser *ps, struct parts *out, struct unquoted *u, char c)
{
	struct lex_frame *in = &ps->in;

	if (u->mode & LEX_PLAIN)
		return STEP_TEXT;
	if (c == '~')
		return word_tilde(ps, out, u);
	if (c == '{')
		out->flags |= WORD_BRACE;
	else if (c == '[')
		out->flags |= WORD_MAGIC | WORD_BRACKET;
	else if ((ps->extglob || u->mode & LEX_PATTERN) && in->s[in->pos + 1] == '(' &&
		 u->stop != STOP_REGEX) {
		parts_text(ps, out, u->start, in->pos);
		in->pos++;
		word_glob(ps, out, c);
		return STEP_PART;
	} else if (c == '*' || c == '?') {
		out->flags |= WORD_MAGIC;
	}
	return STEP_TEXT;
}

/* Blanks, operators and what closes: do they end the word? */
static enum step word_break(struct parser *ps, struct unquoted *u, char c)
{
	switch (u->stop) {
	case STOP_TOKEN:
		return lex_is(c, C_BREAK) && ps->in.pos >= ps->no_break ? STEP_END : STEP_TEXT;
	case STOP_BRACE:
		return c == '}' ? STEP_END : STEP_TEXT;
	case STOP_SLASH:
		return c == '}' || (c == '/' && ps->in.pos != ps->free_slash) ? STEP_END : STEP_TEXT;
	case STOP_BRACKET:
		if (c == '}')
			return STEP_END;
		/* fallthrough */
	case STOP_SUBSCRIPT:
		if (c != ']')
			return STEP_TEXT;
		return u->nest-- ? STEP_TEXT : STEP_END;
	case STOP_END:
		return STEP_TEXT;
	case STOP_REGEX:
	case STOP_ALTERNATIVE:
		break;
	}
	if (c == '(') {
		if (!u->nest++)
			u->open = ps->in.pos;
	} else if (c == ')') {
		if (!u->nest)
			return STEP_END;
		u->nest--;
	} else if (!u->nest) {
		if (u->stop == STOP_ALTERNATIVE)
			return c == '|' ? STEP_END : STEP_TEXT;
		return c != '|' && lex_is(c, C_BREAK) ? STEP_END : STEP_TEXT;
	}
	return STEP_TEXT;
}

/* One character that is not plain; a part is added to out when it is one. */
static enum step word_step(struct parser *ps, struct parts *out, struct unquoted *u, char c)
{
	struct lex_frame *in = &ps->in;

	switch (c) {
	case '\0':
		/* An alias's name ended where the text goes on: there a word ends. */
		if (u->stop == STOP_TOKEN && in->pos >= ps->no_break)
			return STEP_END;
		if (lex_refill(ps))
			return STEP_CONTINUE;
		if (u->stop == STOP_REGEX && u->nest)
			parse_unmatched(ps, ')', u->open);
		return STEP_END;
	case '$':
		if (!word_is_dollar(ps, false))
			return STEP_TEXT;
		break;
	case '\\':
		if (!in->s[in->pos + 1])
			lex_grow(ps);
		break;
	case '<':
	case '>':
		if (in->s[in->pos + 1] == '(' && !(u->mode & LEX_PLAIN) &&
		    u->stop != STOP_REGEX)
			break;
		return word_break(ps, u, c);
	case '\'':
	case '"':
	case '`':
		break;
	case '[':
		u->nest += u->stop == STOP_BRACKET || u->stop == STOP_SUBSCRIPT;
		/* fallthrough */
	default:
		return lex_is(c, C_SPECIAL) ? word_special(ps, out, u, c) : word_break(ps, u, c);
	}
	parts_text(ps, out, u->start, in->pos);
	if (c == '$')
		word_unquoted_dollar(ps, out);
	else if (c == '"')
		word_double(ps, out, PART_DOUBLE, QUOTED_NOT);
	else if (c == '\'')
		word_single(ps, out);
	else if (c == '`')
		word_backquote(ps, out, QUOTED_NOT);
	else if (c != '\\')
		word_process(ps, out);
	else if (in->s[in->pos + 1] == '\n')
		in->pos += 2;
	else
		word_escape(ps, out);
	return STEP_PART;
}

void word_unquoted(struct parser *ps, struct parts *out, enum word_stop stop, unsigned mode)
{
	struct unquoted u = { .from = ps->in.pos, .start = ps->in.pos, .stop = stop,
			      .mode = mode, .assign = -1 };
	unsigned classes = C_BREAK | C_EXPAND | C_SPECIAL;
	enum step step = STEP_TEXT;

	if (stop > STOP_REGEX)
		classes |= C_CLOSE;
	while (step != STEP_END && !ps->failed) {
		const char *s = ps->in.s;
		size_t i = ps->in.pos;

		while (!lex_is(s[i], classes))
			i++;
		ps->in.pos = i;
		step = word_step(ps, out, &u, s[i]);
		if (step == STEP_TEXT)
			ps->in.pos++;
		else if (step == STEP_PART)
			u.start = ps->in.pos;
	}
	if (!ps->failed)
		parts_text(ps, out, u.start, ps->in.pos);
}
