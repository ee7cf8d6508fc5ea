/*
 * [[ ... ]]: its own little grammar: words with conditional operators, ! && ||
 * and parentheses. Newlines are allowed where an operand may begin.
 *
 * && and || are read by loops, operands of one level in a list, so that only
 * parentheses and ! nest.
 */
#include "lang/parser.h"

#define COND_MODE LEX_COND

/* bash calls the end of the line what it is, and ]] by its name. */
static void cond_token_text(struct parser *ps, struct slice *text)
{
	const struct token *t = &ps->tok;

	if (t->kind == TOK_NEWLINE || t->kind == TOK_EOF)
		*text = SLICE("newline");
	else
		*text = (struct slice){ ps->in.s + t->pos, t->end - t->pos };
}

/* A failure at the token at hand, which stands between the two texts. */
static void *cond_fail(struct parser *ps, const char *before, const char *after)
{
	struct slice t;
	uint32_t line = lex_line(ps, ps->tok.pos);

	if (ps->failed)
		return NULL;
	cond_token_text(ps, &t);
	return parse_fail(ps, line, ps->tok.pos, "%s`%.*s'%s", before, (int)t.n, t.p, after);
}

static void *cond_fail_plain(struct parser *ps, const char *message)
{
	return parse_fail(ps, lex_line(ps, ps->tok.pos), ps->tok.pos, "%s", message);
}

static struct cond *cond_or(struct parser *ps);

static struct cond *cond_new(struct parser *ps, enum cond_kind kind)
{
	struct cond *c = ARENA_NEW(ps->arena, struct cond);

	c->kind = kind;
	c->line = ps->tok.line;
	return c;
}

static void cond_newlines(struct parser *ps)
{
	while (lex_peek(ps, COND_MODE) == TOK_NEWLINE)
		lex_take(ps);
}

/* ---- Operators ---- */

static bool cond_is_unary(struct slice t)
{
	return t.n == 2 && t.p[0] == '-' && strchr("abcdefghknoprstuvwxzGLNORS", t.p[1]);
}

static bool cond_is_binary(struct slice t)
{
	static const char *const ops[] = { "=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt",
					   "-le", "-gt", "-ge", "-nt", "-ot", "-ef" };

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (slice_is(t, ops[i]))
			return true;
	return false;
}

static bool cond_literal(const struct parser *ps)
{
	return ps->tok.kind == TOK_WORD && !(ps->tok.word->flags & WORD_QUOTED);
}

/* The binary operator at hand into op; false: there is none. */
static bool cond_binary(struct parser *ps, char op[4])
{
	const struct token *t = &ps->tok;
	struct slice text;

	if (t->kind == TOK_REDIR && t->fd < 0 && !t->var.n &&
	    (t->redir == REDIR_IN || t->redir == REDIR_OUT)) {
		op[0] = t->redir == REDIR_IN ? '<' : '>';
		return true;
	}
	if (!cond_literal(ps) || !cond_is_binary(t->word->text))
		return false;
	text = t->word->text;
	memcpy(op, text.p, text.n);
	return true;
}

/* ---- Terms ---- */

/* The operand of an operator; what names it in the message. */
static struct word *cond_operand(struct parser *ps, unsigned mode, const char *what)
{
	struct word *w;

	if (lex_peek(ps, COND_MODE | mode) != TOK_WORD || lex_word_is(ps, "]]")) {
		if (ps->failed)
			return parse_fail_more(ps, what + 1);
		return cond_fail(ps, "unexpected argument ", what);
	}
	w = ps->tok.word;
	lex_take(ps);
	return w;
}

static bool cond_at_end(struct parser *ps)
{
	enum tok_kind kind = lex_peek(ps, COND_MODE);

	return kind == TOK_AND || kind == TOK_OR || kind == TOK_RPAREN || lex_word_is(ps, "]]");
}

/* A word at hand: with an operator before or behind it, or alone. */
static struct cond *cond_word(struct parser *ps)
{
	struct cond *c = cond_new(ps, COND_WORD);
	struct word *w = ps->tok.word;
	bool unary = cond_literal(ps) && cond_is_unary(w->text);

	lex_take(ps);
	if (unary) {
		c->kind = COND_UNARY;
		memcpy(c->op, w->text.p, 2);
		c->a = cond_operand(ps, 0, " to conditional unary operator");
		return c->a ? c : NULL;
	}
	c->a = w;
	if (cond_at_end(ps))
		return c;
	c->kind = COND_BINARY;
	if (!cond_binary(ps, c->op)) {
		if (ps->tok.kind == TOK_WORD || ps->tok.kind == TOK_REDIR)
			return cond_fail_plain(ps, "conditional binary operator expected");
		return cond_fail(ps, "unexpected token ", ", conditional binary operator expected");
	}
	lex_take(ps);
	c->b = cond_operand(ps, strcmp(c->op, "=~") == 0 ? LEX_REGEX :
			    c->op[0] == '=' || c->op[0] == '!' ? LEX_PATTERN : 0,
			    " to conditional binary operator");
	return c->b ? c : NULL;
}

static struct cond *cond_group(struct parser *ps)
{
	struct cond *c;

	lex_take(ps);
	if (!parse_enter(ps))
		return NULL;
	c = cond_or(ps);
	parse_leave(ps);
	if (ps->failed && !ps->failure.limit)
		return parse_fail_more(ps, "expected `)'");
	if (!c)
		return NULL;
	if (lex_peek(ps, COND_MODE) != TOK_RPAREN)
		return cond_fail(ps, "unexpected token ", ", expected `)'");
	lex_take(ps);
	c->groups++;
	return c;
}

static struct cond *cond_term(struct parser *ps)
{
	struct cond *c, *first = NULL, **tail = &first;

	for (;;) {
		cond_newlines(ps);
		if (!lex_word_is(ps, "!"))
			break;
		*tail = cond_new(ps, COND_NOT);
		tail = &(*tail)->left;
		lex_take(ps);
	}
	if (ps->tok.kind == TOK_LPAREN)
		c = cond_group(ps);
	else if (lex_word_is(ps, "]]"))
		c = cond_fail_plain(ps, "");
	else if (ps->tok.kind == TOK_WORD)
		c = cond_word(ps);
	else if (ps->tok.kind == TOK_EOF)
		c = parse_unexpected(ps);
	else
		c = cond_fail(ps, "unexpected token ", " in conditional command");
	*tail = c;
	return c ? first : NULL;
}

/* Terms joined by &&, or and-lists joined by ||. */
static struct cond *cond_and(struct parser *ps)
{
	struct cond *left = cond_term(ps);

	while (left && lex_peek(ps, COND_MODE) == TOK_AND) {
		struct cond *c = cond_new(ps, COND_AND);

		lex_take(ps);
		c->left = left;
		c->right = cond_term(ps);
		left = c->right ? c : NULL;
	}
	return left;
}

static struct cond *cond_or(struct parser *ps)
{
	struct cond *left = cond_and(ps);

	while (left && lex_peek(ps, COND_MODE) == TOK_OR) {
		struct cond *c = cond_new(ps, COND_OR);

		lex_take(ps);
		c->left = left;
		c->right = cond_and(ps);
		left = c->right ? c : NULL;
	}
	return left;
}

/* Behind [[. */
struct node *parse_cond_command(struct parser *ps, struct node *n)
{
	n->cond = cond_or(ps);
	if (!n->cond || ps->failed)
		return NULL;
	lex_peek(ps, COND_MODE);
	if (lex_word_is(ps, "]]")) {
		lex_take(ps);
		return n;
	}
	if (ps->tok.kind == TOK_WORD)
		return cond_fail_plain(ps, "syntax error in conditional expression");
	return cond_fail(ps, "syntax error in conditional expression: unexpected token ", "");
}
