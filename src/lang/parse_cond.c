/*
 * [[ ... ]]: its own little grammar: words with conditional operators, ! && ||
 * and parentheses. Newlines are allowed where an operand may begin and behind
 * a complete term.
 *
 * && and || are loops; every operator counts as a level, because the tree is as
 * deep as there are operators.
 *
 * When the text ends inside of a word, bash first complains about that and then
 * about what it lacks here, so failures of tokens get a second line.
 */
#include "lang/parser.h"

#define COND_MODE LEX_COND

static struct cond *cond_or(struct parser *ps, unsigned n);

/* ---- Failures ---- */

/* How bash names the token at hand. */
static struct slice cond_token_text(const struct parser *ps)
{
	const struct token *t = &ps->tok;

	if (t->kind == TOK_NEWLINE)
		return SLICE("newline");
	if (t->kind == TOK_EOF)
		return SLICE("EOF");
	return (struct slice){ ps->in.s + t->pos, t->end - t->pos };
}

static uint32_t cond_line(struct parser *ps)
{
	return ps->tok.kind == TOK_EOF ? lex_last_line(ps) + 1 : lex_line(ps, ps->tok.pos);
}

/* bash reads on to the end of the line, and complains of what is not closed there, too. */
static void cond_rest(struct parser *ps)
{
	struct failure first = ps->failure, second;
	struct token token = ps->tok;
	bool have = ps->have;
	enum tok_kind kind;

	if (first.limit)
		return;
	ps->failed = false;
	ps->failure = (struct failure){ .message = NULL };
	do {
		lex_take(ps);
		kind = lex_peek(ps, LEX_PLAIN);
	} while (!ps->failed && kind != TOK_NEWLINE && kind != TOK_EOF && kind != TOK_ERROR);
	second = ps->failure;
	ps->failure = first;
	ps->tok = token;
	ps->have = have;
	if (ps->failed && second.incomplete && !second.limit && second.message && !first.detail.n) {
		parse_fail_more(ps, second.line, second.message);
		ps->failure.as_end = false;
	}
	ps->failed = true;
}

/* To bash the text ends here, which is no error of its own while there is more. */
static void *cond_failed(struct parser *ps)
{
	enum tok_kind kind = ps->tok.kind;

	ps->failure.in_token = true;
	ps->failure.as_end = kind != TOK_EOF && !(kind == TOK_NEWLINE && ps->in.pos >= ps->in.end);
	if (ps->failure.as_end && kind != TOK_NEWLINE && kind != TOK_ERROR)
		cond_rest(ps);
	return NULL;
}

/* A failure at the token at hand, which stands between the two texts. */
static void *cond_fail(struct parser *ps, uint32_t line, const char *before, const char *after)
{
	struct slice t;

	if (ps->failed)
		return NULL;
	t = cond_token_text(ps);
	parse_fail(ps, line, ps->tok.pos, "%s`%.*s'%s", before, (int)t.n, t.p, after);
	ps->failure.incomplete = ps->tok.kind == TOK_EOF;
	return cond_failed(ps);
}

static void *cond_fail_plain(struct parser *ps, uint32_t line, const char *message)
{
	if (ps->failed)
		return NULL;
	parse_fail(ps, line, ps->tok.pos, "%s", message);
	return cond_failed(ps);
}

/* There is no token: the text ended inside of one. What bash adds. */
static void *cond_fail_broken(struct parser *ps, const char *message)
{
	if (ps->failure.incomplete && !ps->failure.detail.n)
		parse_fail_more(ps, lex_last_line(ps) + 1, message);
	return NULL;
}

static struct cond *cond_new(struct parser *ps, enum cond_kind kind)
{
	struct cond *c = MEM_NEW(ps->mem, struct cond);

	c->kind = kind;
	c->line = ps->tok.line;	/* bash's is the one it has read up to, in the end */
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
static bool cond_binary(const struct parser *ps, char op[4])
{
	const struct token *t = &ps->tok;

	if (t->kind == TOK_REDIR && t->fd < 0 && !t->var.n &&
	    (t->redir == REDIR_IN || t->redir == REDIR_OUT)) {
		op[0] = t->redir == REDIR_IN ? '<' : '>';
		return true;
	}
	if (!cond_literal(ps) || !cond_is_binary(t->word->text))
		return false;
	memcpy(op, t->word->text.p, t->word->text.n);
	return true;
}

static unsigned cond_operand_mode(const char *op)
{
	if (op[0] == '=' && op[1] == '~')
		return LEX_REGEX;
	return op[0] == '=' || op[0] == '!' ? LEX_PATTERN : 0;
}

/* ---- Terms ---- */

/* Right behind =~ an operator of the shell ends a pattern that is empty. */
static struct word *cond_no_regex(struct parser *ps)
{
	struct word *w = MEM_NEW(ps->mem, struct word);

	w->parts = MEM_NEW(ps->mem, struct part);
	w->parts->kind = PART_SINGLE;
	w->parts->text = w->text = SLICE("");
	w->flags = WORD_QUOTED;
	w->line = ps->tok.line;
	return w;
}

/* The operand of an operator, of the kind "unary" or "binary". */
static struct word *cond_operand(struct parser *ps, struct cond *c, unsigned mode, bool unary)
{
	struct word *w;

	if (lex_peek(ps, COND_MODE | mode) == TOK_ERROR)
		return cond_fail_broken(ps, unary ?
			"unexpected argument to conditional unary operator" :
			"unexpected argument to conditional binary operator");
	if (mode == LEX_REGEX && ps->tok.kind != TOK_WORD && ps->tok.kind != TOK_NEWLINE &&
	    ps->tok.kind != TOK_EOF)
		return cond_no_regex(ps);
	if (ps->tok.kind != TOK_WORD || ps->tok.reserved == R_COND_END)
		return cond_fail(ps, cond_line(ps), "unexpected argument ", unary ?
				 " to conditional unary operator" :
				 " to conditional binary operator");
	w = ps->tok.word;
	lex_take(ps);
	c->line = ps->last_line;
	cond_newlines(ps);
	return w;
}

static bool cond_at_end(const struct parser *ps)
{
	enum tok_kind kind = ps->tok.kind;

	return kind == TOK_AND || kind == TOK_OR || kind == TOK_RPAREN || ps->tok.reserved == R_COND_END;
}

static void *cond_no_operator(struct parser *ps)
{
	if (ps->tok.kind == TOK_WORD || (ps->tok.kind == TOK_REDIR && ps->tok.fd >= 0))
		return cond_fail_plain(ps, cond_line(ps), "conditional binary operator expected");
	return cond_fail(ps, cond_line(ps), "unexpected token ",
			 ", conditional binary operator expected");
}

/* A word at hand: with an operator before or behind it, or alone. */
static struct cond *cond_word(struct parser *ps)
{
	struct cond *c = cond_new(ps, COND_WORD);
	struct word *w = ps->tok.word;
	bool unary = cond_literal(ps) && cond_is_unary(w->text);

	lex_take(ps);
	c->line = ps->last_line;
	if (unary) {
		c->kind = COND_UNARY;
		memcpy(c->op, w->text.p, 2);
		c->a = cond_operand(ps, c, 0, true);
		return c->a ? c : NULL;
	}
	c->a = w;
	if (lex_peek(ps, COND_MODE) == TOK_ERROR)
		return cond_fail_broken(ps, "conditional binary operator expected");
	if (cond_at_end(ps))
		return c;
	c->kind = COND_BINARY;
	if (!cond_binary(ps, c->op))
		return cond_no_operator(ps);
	lex_take(ps);
	c->b = cond_operand(ps, c, cond_operand_mode(c->op), false);
	return c->b ? c : NULL;
}

static void *cond_no_paren(struct parser *ps, uint32_t line)
{
	if (ps->failed)
		return parse_fail_more(ps, line, "expected `)'");
	if (ps->tok.kind == TOK_WORD && ps->tok.reserved != R_COND_END)
		return cond_fail_plain(ps, line, "expected `)'");
	return cond_fail(ps, line, "unexpected token ", ", expected `)'");
}

static struct cond *cond_group(struct parser *ps)
{
	uint32_t line = lex_line(ps, ps->tok.pos);
	struct cond *c;

	lex_take(ps);
	if (!parse_enter(ps))
		return NULL;
	c = cond_or(ps, 0);
	parse_leave(ps);
	if (ps->failed && (!ps->failure.message || !*ps->failure.message)) {	/* it had nothing to say */
		ps->failed = false;
		parse_fail(ps, line, ps->tok.pos, "expected `)'");
		return cond_failed(ps);
	}
	if (ps->failed)
		return parse_fail_more(ps, line, "expected `)'");
	if (!c)
		return NULL;
	if (lex_peek(ps, COND_MODE) != TOK_RPAREN)
		return cond_no_paren(ps, line);
	lex_take(ps);
	c->line = ps->last_line;
	cond_newlines(ps);
	c->groups++;
	return c;
}

static struct cond *cond_primary(struct parser *ps)
{
	switch (ps->tok.kind) {
	case TOK_ERROR:
		return cond_fail_broken(ps, "unexpected token `\377' in conditional command");
	case TOK_LPAREN:
		return cond_group(ps);
	case TOK_WORD:
		if (ps->tok.reserved != R_COND_END)
			return cond_word(ps);
		/* bash says nothing at all here, and stops. */
		return cond_fail_plain(ps, cond_line(ps), "");
	case TOK_REDIR:
		if (ps->tok.fd >= 0)
			return cond_fail_plain(ps, cond_line(ps),
					       "unexpected token 284 in conditional command");
		/* fallthrough */
	default:
		return cond_fail(ps, cond_line(ps), "unexpected token ", " in conditional command");
	}
}

/* One operator more: a chain of them is a deep tree. */
static bool cond_count(struct parser *ps, unsigned n)
{
	if (ps->depth + n < ps->depth_max)
		return true;
	parse_too_deep(ps);
	return false;
}

/* Any number of ! before it: two of them are none. */
static struct cond *cond_term(struct parser *ps)
{
	struct cond *not = NULL, *c;

	for (;;) {
		cond_newlines(ps);
		if (ps->tok.reserved != R_BANG)
			break;
		not = not ? NULL : cond_new(ps, COND_NOT);
		lex_take(ps);
	}
	c = cond_primary(ps);
	if (!c || !not)
		return c;
	not->left = c;
	not->line = c->line;
	return not;
}

/* The operators of this level: && in cond_and(), || in cond_or(). */
static struct cond *cond_and(struct parser *ps, unsigned n)
{
	struct cond *left = cond_term(ps);

	while (left && lex_peek(ps, COND_MODE) == TOK_AND && cond_count(ps, ++n)) {
		struct cond *c = cond_new(ps, COND_AND);

		lex_take(ps);
		c->left = left;
		c->right = cond_term(ps);
		c->line = ps->tok.line_end;
		left = c->right ? c : NULL;
	}
	return left;
}

static struct cond *cond_or(struct parser *ps, unsigned n)
{
	struct cond *left = cond_and(ps, n);

	while (left && lex_peek(ps, COND_MODE) == TOK_OR && cond_count(ps, ++n)) {
		struct cond *c = cond_new(ps, COND_OR);

		lex_take(ps);
		c->left = left;
		c->right = cond_and(ps, n);
		c->line = ps->tok.line_end;
		left = c->right ? c : NULL;
	}
	return left;
}

/* Behind [[. */
struct node *parse_cond_command(struct parser *ps, struct node *n)
{
	n->cond = cond_or(ps, 0);
	if (!n->cond)
		return NULL;
	lex_peek(ps, COND_MODE);
	if (ps->failed) {
		if (ps->failure.incomplete && !ps->failure.detail.n)
			parse_fail_more(ps, n->line, "unexpected EOF while looking for `]]'");
		return NULL;
	}
	if (ps->tok.reserved == R_COND_END) {
		lex_take(ps);
		n->line = n->cond->line;
		return n;
	}
	if (ps->tok.kind == TOK_EOF || ps->tok.kind == TOK_NEWLINE) {
		cond_fail_plain(ps, n->line, "unexpected EOF while looking for `]]'");
		ps->failure.incomplete = true;
		return NULL;
	}
	if (ps->tok.kind == TOK_WORD)
		return cond_fail_plain(ps, n->line, "syntax error in conditional expression");
	return cond_fail(ps, n->line, "syntax error in conditional expression: unexpected token ",
			 "");
}
