/*
 * One word of a command, or one assignment, into a token.
 *
 * Whether a=b is an assignment depends on where it stands; the grammar says so
 * in the mode. Arrays a=(..) are read here too, items and all. A word of digits
 * (or {name}) right before < or > is no word but belongs to the redirection.
 */
#include "lang/parser.h"

/* ---- Values ---- */

static struct word *assign_value(struct parser *ps)
{
	size_t from = ps->in.pos;
	struct parts parts;

	parts_init(&parts);
	word_unquoted(ps, &parts, STOP_TOKEN, LEX_VALUE);
	return parts.first ? word_from_parts(ps, &parts, from) : NULL;
}

/*
 * [sub]=, [sub]+= at pos, which is passed; else pos stays, and the word that
 * begins there goes on at least up to the ]: blanks and all belong to it.
 */
static bool assign_subscript(struct parser *ps, struct subscript *sub)
{
	struct lex_frame *in = &ps->in;
	size_t open = in->pos, known = lex_recall(ps, open);
	struct lex_mark mark;
	const char *s;

	if (known) {
		ps->no_break = known;
		return false;
	}
	lex_mark(ps, &mark);
	in->pos++;
	word_subscript(ps, sub, STOP_SUBSCRIPT);
	if (ps->failed)
		return false;
	if (sub->kind == SUBSCRIPT_NONE) {
		parse_unmatched(ps, ']', open);
		return false;
	}
	s = in->s + in->pos;
	if (s[0] == '=' || (s[0] == '+' && s[1] == '=')) {
		lex_unmark(ps, &mark);
		return true;
	}
	ps->no_break = in->pos;
	lex_rewind(ps, &mark);
	lex_remember(ps, open, ps->no_break);
	return false;
}

/* = or += at pos, passed. */
static bool assign_operator(struct parser *ps, bool *append)
{
	const char *s = ps->in.s + ps->in.pos;

	*append = s[0] == '+';
	if (s[0] != '=' && (s[0] != '+' || s[1] != '='))
		return false;
	ps->in.pos += 1 + *append;
	return true;
}

/* The items behind name=( up to and over the ). */
static struct array_item *assign_items(struct parser *ps)
{
	struct array_item *first = NULL, **tail = &first;
	size_t open = ps->in.pos - 1;
	struct nested save;

	if (!parse_enter(ps))
		return NULL;
	nested_begin(ps, &save);
	ps->scope = PARSE_ARRAY;
	for (;;) {
		enum tok_kind kind = lex_peek(ps, LEX_ITEM);

		if (kind == TOK_WORD) {
			*tail = ps->tok.item;
			tail = &(*tail)->next;
		} else if (kind != TOK_NEWLINE) {
			break;
		}
		lex_take(ps);
	}
	if (ps->failed && ps->failure.incomplete)
		parse_fail_more(ps, lex_last_line(ps) + 1, "syntax error: unexpected end of file");
	else if (ps->tok.kind == TOK_EOF)
		parse_unmatched(ps, ')', open);
	else if (ps->tok.kind != TOK_RPAREN)
		parse_unexpected(ps);
	nested_end(ps, &save);
	parse_leave(ps);
	return first;
}

/* ---- Assignments ---- */

/* A subscript in an argument of declare may have no blanks: it is none then. */
static bool decl_subscript(const char *s)
{
	while (*s && *s != ']')
		if (lex_is(*s++, C_BREAK))
			return false;
	return *s == ']';
}

/* Behind a name, which may be continued on the next line. */
static const char *name_end(const char *s)
{
	for (;;) {
		if (lex_is(*s, C_NAME))
			s++;
		else if (s[0] == '\\' && s[1] == '\n')
			s += 2;
		else
			return s;
	}
}

/* name=, name+=, name[sub]= at pos into a, passed. */
static bool assign_head(struct parser *ps, unsigned mode, struct assign *a)
{
	struct lex_frame *in = &ps->in;
	size_t from = in->pos, i = (size_t)(name_end(in->s + from) - in->s);

	if (in->s[i] == '[') {
		if (mode & LEX_DECL && !decl_subscript(in->s + i))
			return false;
		in->pos = i;
		if (!assign_subscript(ps, &a->sub)) {
			in->pos = from;
			return false;
		}
	} else if (in->s[i] != '=' && (in->s[i] != '+' || in->s[i + 1] != '=')) {
		return false;
	} else {
		in->pos = i;
	}
	i = in->pos;
	in->pos = from;
	a->name = parse_read_name(ps);
	in->pos = i;
	return assign_operator(ps, &a->append);
}

/*
 * ( at pos: an array, unless the word goes on behind the ). Then (..).. is a
 * text, blanks and all; pos stays.
 */
static bool assign_array(struct parser *ps, struct assign *a)
{
	struct lex_frame *in = &ps->in;
	size_t open = in->pos, known = lex_recall(ps, open);
	struct lex_mark mark;

	if (!known) {
		lex_mark(ps, &mark);
		in->pos++;
		a->items = assign_items(ps);
		a->is_array = true;
		if (ps->failed || lex_is(lex_char(ps), C_BREAK)) {
			lex_unmark(ps, &mark);
			return true;
		}
		known = in->pos;
		lex_rewind(ps, &mark);
		lex_remember(ps, open, known);
		a->items = NULL;
		a->is_array = false;
	}
	ps->no_break = known;
	return false;
}

static bool may_assign(const char *s)
{
	if (!lex_is(*s, C_NAME) || lex_is(*s, C_DIGIT))
		return false;
	s = name_end(s);
	return *s == '=' || *s == '[' || (*s == '+' && s[1] == '=');
}

static bool assign_token(struct parser *ps, unsigned mode)
{
	struct lex_frame *in = &ps->in;
	struct assign *a;

	if (!may_assign(in->s + in->pos))
		return false;
	a = MEM_NEW(ps->mem, struct assign);
	a->line = ps->tok.line;
	if (!assign_head(ps, mode, a) || ps->failed)
		return ps->failed;
	if (in->s[in->pos] != '(' || mode & LEX_NO_ARRAY || !assign_array(ps, a))
		a->value = assign_value(ps);
	ps->tok.kind = TOK_ASSIGN;
	ps->tok.assign = a;
	return true;
}

/* An item of an array: [sub]=value; false: a plain word. */
static bool item_token(struct parser *ps)
{
	struct array_item *item = MEM_NEW(ps->mem, struct array_item);

	ps->tok.item = item;
	if (ps->in.s[ps->in.pos] != '[')
		return false;
	if (!assign_subscript(ps, &item->sub) || !assign_operator(ps, &item->append)) {
		item->sub.kind = SUBSCRIPT_NONE;
		return ps->failed;
	}
	item->value = assign_value(ps);
	ps->tok.word = NULL;
	ps->tok.kind = TOK_WORD;
	return true;
}

/* ---- Words ---- */

/* name=( as a plain word (eval a=(1 2)): bash reads an array, so it must be one,
 * but then everything up to the ) belongs to the word. */
static void word_with_parens(struct parser *ps)
{
	const struct lex_frame *in = &ps->in;
	size_t i = in->pos, known;
	struct lex_mark mark;

	while (lex_is(in->s[i], C_NAME))
		i++;
	i += in->s[i] == '+';
	if (i == in->pos || in->s[i] != '=' || in->s[i + 1] != '(')
		return;
	known = lex_recall(ps, i + 1);
	if (!known) {
		lex_mark(ps, &mark);
		ps->in.pos = i + 2;
		assign_items(ps);
		known = in->pos;
		lex_rewind(ps, &mark);
		lex_remember(ps, i + 1, known);
	}
	ps->no_break = known;
}

/* The common word: plain characters up to a blank. NULL: look closer. */
static struct word *word_plain(struct parser *ps)
{
	struct lex_frame *in = &ps->in;
	size_t from = in->pos, i = from;
	struct { struct word w; struct part part; char text[]; } *all;

	while (!lex_is(in->s[i], C_BREAK | C_EXPAND | C_SPECIAL))
		i++;
	if (!lex_is(in->s[i], C_BREAK) || i == from ||
	    ((in->s[i] == '<' || in->s[i] == '>') && in->s[i + 1] == '('))
		return NULL;
	all = mem_alloc(ps->mem, sizeof(*all) + i - from + 1);
	memset(all, 0, sizeof(*all));
	memcpy(all->text, in->s + from, i - from);
	all->text[i - from] = '\0';
	all->part.kind = PART_TEXT;
	all->part.text = (struct slice){ all->text, i - from };
	all->w.parts = &all->part;
	all->w.text = all->part.text;
	all->w.flags = WORD_LITERAL;
	all->w.line = ps->tok.line;
	all->w.pos = lex_pos(ps, from);
	in->pos = i;
	return &all->w;
}

/* The - of >&-, which ends there. */
static struct word *word_dash(struct parser *ps)
{
	size_t from = ps->in.pos++;
	struct parts parts;

	parts_init(&parts);
	parts_text(ps, &parts, from, from + 1);
	return word_from_parts(ps, &parts, from);
}

/* {name} or {name[..]} before < or >. */
static bool word_is_variable(const struct word *w)
{
	const char *s = w->text.p;
	size_t n = w->text.n, i = 1;

	if (!(w->flags & WORD_LITERAL) && w->parts->next)
		return false;
	if (n < 3 || s[0] != '{' || s[n - 1] != '}')
		return false;
	if (!lex_is(s[1], C_NAME) || lex_is(s[1], C_DIGIT))
		return false;
	while (i < n && lex_is(s[i], C_NAME))
		i++;
	return i == n - 1 || (s[i] == '[' && s[n - 2] == ']');
}

/* 2> {fd}>: the word at hand names the descriptor of the operator at pos. */
static void word_redirects(struct parser *ps)
{
	struct token *t = &ps->tok;
	const char *s = t->word->text.p;
	size_t n = t->word->text.n, i = 0;
	int64_t fd = 0;

	while (i < n && lex_is(s[i], C_DIGIT) && fd <= INT32_MAX)
		fd = fd * 10 + (s[i++] - '0');
	if (i == n && fd <= INT32_MAX && t->word->flags & WORD_LITERAL) {
		t->fd = (int)fd;
	} else if (word_is_variable(t->word)) {
		t->var = parse_name(ps, s + 1, n - 2);
	} else {
		return;
	}
	t->word_end = ps->in.pos;
	lex_redirection(ps);
}

void word_token(struct parser *ps, unsigned mode)
{
	size_t from = ps->in.pos;
	struct parts parts;
	char c;

	ps->no_break = 0;
	if (mode & LEX_DUP && ps->in.s[from] == '-') {
		ps->tok.word = word_dash(ps);
		ps->tok.kind = TOK_WORD;
		return;
	}
	if (mode & (LEX_ASSIGN | LEX_DECL) && assign_token(ps, mode))
		return;
	if (mode & LEX_ITEM && item_token(ps))
		return;
	if (mode & LEX_PARENS && !(mode & LEX_NO_ARRAY))
		word_with_parens(ps);
	ps->tok.word = ps->no_break || mode & LEX_REGEX ? NULL : word_plain(ps);
	if (!ps->tok.word && !ps->failed) {
		parts_init(&parts);
		word_unquoted(ps, &parts, mode & LEX_REGEX ? STOP_REGEX : STOP_TOKEN, mode);
		ps->tok.word = word_from_parts(ps, &parts, from);
	}
	ps->tok.kind = TOK_WORD;
	if (mode & LEX_ITEM)
		ps->tok.item->value = ps->tok.word;
	c = ps->in.s[ps->in.pos];
	if ((c == '<' || c == '>') && !ps->failed && !(mode & (LEX_COND | LEX_DUP)))
		word_redirects(ps);
}
