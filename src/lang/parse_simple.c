/*
 * Simple commands and redirections.
 *
 * The arguments of declare, typeset, local, export and readonly may be
 * assignments, arrays too; bash knows these builtins by name when it parses.
 */
#include "lang/parser.h"

/* ---- Redirections ---- */

/* The redirection whose operator is at hand. */
static struct redir *parse_redir(struct parser *ps)
{
	struct redir *r = MEM_NEW(ps->mem, struct redir);
	bool dup = ps->tok.redir == REDIR_DUP_IN || ps->tok.redir == REDIR_DUP_OUT;

	r->kind = ps->tok.redir;
	r->fd = ps->tok.fd;
	r->var = ps->tok.var;
	r->strip_tabs = ps->tok.strip;
	r->line = ps->tok.line;
	r->pos = lex_pos(ps, ps->tok.pos);
	lex_take(ps);
	if (lex_peek(ps, dup ? LEX_DUP : 0) != TOK_WORD)
		return parse_unexpected(ps);
	if (r->kind == REDIR_HERE)
		lex_here_delimiter(ps, r);
	else
		r->word = ps->tok.word;
	lex_take(ps);
	return r;
}

/* Those behind a compound command, to the end of the list at tail. */
bool parse_redirs(struct parser *ps, struct redir **tail)
{
	while (*tail)
		tail = &(*tail)->next;
	while (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) == TOK_REDIR) {
		*tail = parse_redir(ps);
		if (!*tail)
			return false;
		tail = &(*tail)->next;
	}
	return !ps->failed;
}

/* ---- Simple commands ---- */

struct simple {
	struct node *n;
	struct assign **assigns;
	struct word **words;
	struct redir **redirs;
	struct decl_arg **decl;
	unsigned mode;		/* of the next token */
	bool is_decl, has_line;
};

/* How the arguments of the command w are read. */
static unsigned simple_mode(const struct word *w, bool *is_decl)
{
	static const char decl[][9] = { "declare", "typeset", "local", "export", "readonly" };
	static const char parens[][6] = { "eval", "let", "alias" };
	const char *s = w->text.p;

	if (!(w->flags & WORD_LITERAL))
		return 0;
	for (size_t i = 0; i < sizeof(decl) / sizeof(*decl); i++) {
		if (decl[i][0] == s[0] && decl[i][1] == s[1] && slice_is(w->text, decl[i])) {
			*is_decl = true;
			return LEX_DECL;
		}
	}
	for (size_t i = 0; i < sizeof(parens) / sizeof(*parens); i++)
		if (parens[i][0] == s[0] && parens[i][1] == s[1] && slice_is(w->text, parens[i]))
			return LEX_PARENS;
	return 0;
}

static void simple_decl(struct parser *ps, struct simple *c, struct word *w, struct assign *a)
{
	struct decl_arg *arg = MEM_NEW(ps->mem, struct decl_arg);

	arg->word = w;
	arg->assign = a;
	*c->decl = arg;
	c->decl = &arg->next;
}

static void simple_word(struct parser *ps, struct simple *c)
{
	struct word *w = ps->tok.word;

	*c->words = w;
	c->words = &w->next;
	if (c->n->simple.n_words++ == 0)
		c->mode = simple_mode(w, &c->is_decl) | (c->mode & LEX_NO_ARRAY);
	if (c->is_decl)
		simple_decl(ps, c, w, NULL);
}

static void simple_assign(struct parser *ps, struct simple *c)
{
	struct assign *a = ps->tok.assign;

	if (c->is_decl) {
		simple_decl(ps, c, NULL, a);
		return;
	}
	*c->assigns = a;
	c->assigns = &a->next;
}

/* name ( at hand: a function? */
static struct node *simple_function(struct parser *ps, struct node *n)
{
	struct word *w = n->simple.words;

	lex_take(ps);
	if (lex_peek(ps, LEX_COMMAND) != TOK_RPAREN)
		return parse_unexpected(ps);
	lex_take(ps);
	return parse_function_body(ps, n, w);
}

static void simple_begin(struct simple *c, struct node *n)
{
	*c = (struct simple){ .n = n, .assigns = &n->simple.assigns, .words = &n->simple.words,
			      .redirs = &n->redirs, .decl = &n->simple.decl,
			      .mode = LEX_COMMAND | LEX_ASSIGN };
}

static bool simple_may_be_function(const struct simple *c)
{
	const struct node *n = c->n;

	return n->simple.n_words == 1 && !n->simple.assigns && !n->redirs &&
	       !(n->simple.decl && n->simple.decl->next);
}

/* shopt -s extglob, shopt -s expand_aliases. */
static void simple_shopt(struct parser *ps, const struct word *arguments)
{
	bool on = false, off = false;

	for (const struct word *w = arguments; w; w = w->next) {
		if (!(w->flags & WORD_LITERAL))
			continue;
		if (w->text.p[0] == '-') {
			on |= strchr(w->text.p, 's') != NULL;
			off |= strchr(w->text.p, 'u') != NULL;
		} else if (on != off && slice_is(w->text, "extglob")) {
			ps->extglob_next = on;
		} else if (on != off && slice_is(w->text, "expand_aliases") && !ps->depth) {
			ps->expand_aliases_next = on;
		}
	}
}

/*
 * Commands that change how the text below them is read: bash has run them by
 * then, the parser of a whole text must see them.
 */
static void simple_effects(struct parser *ps, const struct node *n)
{
	const struct word *w = n->simple.words;

	if (slice_is(w->text, "shopt"))
		simple_shopt(ps, w->next);
	else if (!ps->depth && slice_is(w->text, "alias"))
		lex_alias_command(ps, w->next, true);
	else if (!ps->depth && slice_is(w->text, "unalias"))
		lex_alias_command(ps, w->next, false);
	else
		return;
	/* The newline may have been read already. */
	if (ps->tok.kind == TOK_NEWLINE) {
		ps->extglob = ps->extglob_next;
		lex_alias_line(ps);
	}
}

static struct node *simple_end(struct parser *ps, struct node *n)
{
	if (!ps->lines && n->simple.n_words > 1 && n->simple.words->flags & WORD_LITERAL &&
	    memchr("sau", n->simple.words->text.p[0], 3))
		simple_effects(ps, n);
	return parse_end(ps, n);
}

/* Behind a redirection that is not the first thing bash expects neither arrays
 * nor aliases any more. */
static void simple_behind_redir(struct simple *c)
{
	c->mode |= LEX_MIDDLE;
	if (c->n->simple.n_words || c->n->simple.assigns) {
		c->mode |= LEX_NO_ARRAY;
		c->mode &= ~(unsigned)LEX_COMMAND;
	}
}

/*
 * $LINENO of a command is the line bash is at when it has its first element; if
 * that is a word, it has read the token behind it, too, to see whether it is a (.
 */
static void simple_line(struct parser *ps, struct simple *c)
{
	struct node *n = c->n;

	c->has_line = true;
	if (!simple_may_be_function(c))
		n->line = ps->last_line;
	else if (ps->tok.kind == TOK_NEWLINE || ps->tok.kind == TOK_EOF)
		n->line = ps->tok.line;
	else if (ps->tok.kind != TOK_LPAREN)
		n->line = ps->tok.line_end;
}

static struct node *simple_run(struct parser *ps, struct simple *c)
{
	struct node *n = c->n;

	for (;;) {
		enum tok_kind kind = lex_peek(ps, c->mode);

		if (!c->has_line && c->mode & LEX_MIDDLE && !ps->in.level)
			simple_line(ps, c);
		switch (kind) {
		case TOK_WORD:
			simple_word(ps, c);
			break;
		case TOK_ASSIGN:
			simple_assign(ps, c);
			break;
		case TOK_REDIR:
			*c->redirs = parse_redir(ps);
			if (!*c->redirs)
				return NULL;
			c->redirs = &(*c->redirs)->next;
			simple_behind_redir(c);
			continue;
		case TOK_LPAREN:
			if (simple_may_be_function(c))
				return simple_function(ps, n);
			return simple_end(ps, n);
		case TOK_ERROR:
			return NULL;
		default:
			return simple_end(ps, n);
		}
		lex_take(ps);
		c->mode |= LEX_MIDDLE;
	}
}

struct node *parse_simple(struct parser *ps)
{
	struct simple c;

	simple_begin(&c, parse_node(ps, NODE_SIMPLE));
	return simple_run(ps, &c);
}

struct node *parse_coproc_word(struct parser *ps, struct node *coproc)
{
	struct node *n = parse_node(ps, NODE_SIMPLE);
	struct word *w = ps->tok.word;
	struct simple c;

	simple_begin(&c, n);
	simple_word(ps, &c);
	lex_take(ps);
	lex_peek(ps, c.mode);
	if (!parse_at_compound(ps))
		return simple_run(ps, &c);
	coproc->named.name = parse_name(ps, w->text.p, w->text.n);
	return parse_compound(ps);
}
