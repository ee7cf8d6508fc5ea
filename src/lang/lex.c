/*
 * Characters -> tokens: blanks, comments, operators, and where words begin.
 * Words themselves are read by parse_word.c, here-documents by lex_here.c.
 *
 * A token is made when the grammar asks for it, in the mode the grammar is in,
 * because in bash what a character means depends on the command around it. The
 * text always ends with a NUL, so loops test classes only, never the length.
 *
 * Line numbers are counted by a cursor that follows the position: nothing in
 * the many loops over characters has to remember to count a newline.
 */
#include "lang/parser.h"

#include <string.h>

/* One letter a class, so that the table can be read. */
#define B C_BREAK
#define K (C_BREAK | C_BLANK)
#define E (C_EXPAND | C_DQUOTE)
#define Q (C_EXPAND | C_DQUOTE)
#define S C_SPECIAL
#define N C_NAME
#define D (C_NAME | C_DIGIT)

const unsigned char lex_class[256] = {
	[0] = C_BREAK | C_DQUOTE, [' '] = K, ['\t'] = K, ['\n'] = B,
	[';'] = B, ['&'] = B, ['|'] = B | C_CLOSE, ['('] = B | C_CLOSE, [')'] = B | C_CLOSE,
	['<'] = B, ['>'] = B,
	['\\'] = E, ['\''] = Q, ['"'] = Q, ['`'] = E, ['$'] = E,
	['*'] = S, ['?'] = S, ['['] = S, ['{'] = S, ['~'] = S, ['+'] = S, ['@'] = S, ['!'] = S,
	['}'] = C_CLOSE | C_DQUOTE, ['/'] = C_CLOSE, [':'] = C_CLOSE | C_DQUOTE, [']'] = C_CLOSE,
	['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D, ['4'] = D,
	['5'] = D, ['6'] = D, ['7'] = D, ['8'] = D, ['9'] = D, ['_'] = N,
	['a'] = N, ['b'] = N, ['c'] = N, ['d'] = N, ['e'] = N, ['f'] = N, ['g'] = N, ['h'] = N,
	['i'] = N, ['j'] = N, ['k'] = N, ['l'] = N, ['m'] = N, ['n'] = N, ['o'] = N, ['p'] = N,
	['q'] = N, ['r'] = N, ['s'] = N, ['t'] = N, ['u'] = N, ['v'] = N, ['w'] = N, ['x'] = N,
	['y'] = N, ['z'] = N,
	['A'] = N, ['B'] = N, ['C'] = N, ['D'] = N, ['E'] = N, ['F'] = N, ['G'] = N, ['H'] = N,
	['I'] = N, ['J'] = N, ['K'] = N, ['L'] = N, ['M'] = N, ['N'] = N, ['O'] = N, ['P'] = N,
	['Q'] = N, ['R'] = N, ['S'] = N, ['T'] = N, ['U'] = N, ['V'] = N, ['W'] = N, ['X'] = N,
	['Y'] = N, ['Z'] = N
};

/* ---- Texts ---- */

/* From now on the n bytes of s (NUL behind) are read; tokens of the old text
 * must have been taken. */
void lex_enter(struct parser *ps, struct lex_frame *saved, char *s, size_t n, uint32_t line)
{
	uint32_t anchor = lex_pos(ps, ps->in.pos);

	*saved = ps->in;
	ps->in = (struct lex_frame){ .s = s, .end = n, .line = line, .anchor = anchor,
				     .foreign = true };
}

void lex_leave(struct parser *ps, const struct lex_frame *saved)
{
	ps->in = *saved;
}

/* The text stays the one of the mark: an alias that ends is not left but joined
 * with what is behind it. */
void lex_mark(struct parser *ps, struct lex_mark *m)
{
	*m = (struct lex_mark){ ps->in.pos, ps->mark_level, ps->here, ps->here_tail,
				ps->warnings_tail, ps->unnumbered };
	ps->mark_level = ps->in.level;
}

void lex_unmark(struct parser *ps, const struct lex_mark *m)
{
	ps->mark_level = m->level;
}

void lex_rewind(struct parser *ps, const struct lex_mark *m)
{
	lex_unmark(ps, m);
	ps->in.pos = m->pos;
	ps->here = m->here;
	ps->here_tail = m->here_tail;
	*ps->here_tail = NULL;
	ps->warnings_tail = m->warnings_tail;
	*ps->warnings_tail = NULL;
	ps->unnumbered = m->unnumbered;
}

/* A sub-text: [.., to) only, in place. */
void lex_cut(struct parser *ps, struct lex_cut *cut, size_t to)
{
	struct lex_frame *in = &ps->in;

	*cut = (struct lex_cut){ .whole = *in, .to = to, .c = in->s[to] };
	in->s[to] = '\0';
	in->end = to;
	in->below = NULL;
}

/* An error may have left an alias of the sub-text. */
void lex_uncut(struct parser *ps, const struct lex_cut *cut)
{
	struct lex_frame *in = &ps->in;

	if (in->s != cut->whole.s)
		*in = cut->whole;
	in->s[cut->to] = cut->c;
	in->end = cut->whole.end;
	in->below = cut->whole.below;
}

/*
 * A token that begins in an alias goes on in the text behind it: gets the next
 * line of that text, at least as much as there is already, so that a long
 * token costs linear time.
 */
bool lex_grow(struct parser *ps)
{
	struct lex_frame *in = &ps->in;
	struct lex_frame *below = in->below;
	size_t want = in->end + 256;

	while (below && below->pos == below->end)
		below = below->below;
	if (!below)		/* nothing more; what it stands in stays known */
		return false;
	in->below = below;
	if (want > below->end - below->pos)
		want = below->end - below->pos;
	const char *from = below->s + below->pos;
	const char *newline = memchr(from + want - 1, '\n', below->end - below->pos - want + 1);
	size_t n = newline ? (size_t)(newline - from) + 1 : below->end - below->pos;
	char *joined = mem_alloc(ps->mem, in->end + n + 1);

	memcpy(joined, in->s, in->end);
	memcpy(joined + in->end, from, n);
	joined[in->end + n] = '\0';
	in->s = joined;
	in->end += n;
	below->pos += n;
	return true;
}

void lex_stay(struct parser *ps, struct lex_stay *stay)
{
	*stay = (struct lex_stay){ ps->in.level, ps->mark_level };
	ps->mark_level = ps->in.level;
}

/* What is left of an alias's frame came from the text behind it, by lex_grow(). */
void lex_back(struct parser *ps, const struct lex_stay *stay)
{
	ps->mark_level = stay->mark_level;
	while (ps->in.level > stay->level && ps->in.below) {
		struct lex_frame *below = ps->in.below;
		size_t rest = ps->in.end - ps->in.pos;

		if (ps->failed)
			;		/* what has begun below ends there */
		else if (rest > below->pos ||
			 memcmp(below->s + below->pos - rest, ps->in.s + ps->in.pos, rest) != 0)
			parse_unmatched(ps, ')', ps->in.pos);	/* it stands in the alias itself */
		else
			below->pos -= rest;
		ps->in = *below;
	}
}

bool lex_refill(struct parser *ps)
{
	return ps->in.pos >= ps->in.end && lex_grow(ps);
}

/* Goes to pos, and looks a little farther, so that what is asked next is known. */
static void line_go(struct lex_frame *in, size_t pos)
{
	enum { AHEAD = 256 };
	const char *newline;
	size_t n;

	while (in->line_at < pos)
		in->line += in->s[in->line_at++] == '\n';
	while (in->line_at > pos)
		in->line -= in->s[--in->line_at] == '\n';
	n = pos < in->end ? in->end - pos : 0;
	n = n < AHEAD ? n : AHEAD;
	newline = memchr(in->s + pos, '\n', n);
	in->line_to = newline ? (size_t)(newline - in->s) : pos + n;
}

/* Apart, so that the step that nearly every call is stays small enough to be inlined. */
static __attribute__((noinline)) uint32_t line_seek(struct parser *ps, size_t pos)
{
	struct lex_frame *in = &ps->in;

	if (ps->failed)		/* it may be of a frame that the error left behind */
		return in->line;
	if (pos > in->end)
		pos = in->end;
	if (pos < in->line_at || pos > in->line_to)
		line_go(in, pos);
	in->line_at = pos;
	return in->line;
}

uint32_t lex_line(struct parser *ps, size_t pos)
{
	struct lex_frame *in = &ps->in;

	if (ps->failed || pos < in->line_at || pos > in->line_to || pos > in->end)
		return line_seek(ps, pos);
	in->line_at = pos;
	return in->line;
}

uint32_t lex_pos(const struct parser *ps, size_t pos)
{
	return ps->in.foreign ? ps->in.anchor : (uint32_t)pos;
}

char lex_char(struct parser *ps)
{
	struct lex_frame *in = &ps->in;

	for (;;) {
		char c = in->s[in->pos];

		if (c == '\\' && in->s[in->pos + 1] == '\n')
			in->pos += 2;
		else if (c || !lex_refill(ps))
			return c;
	}
}

/* ---- Blanks ---- */

/* The end of an alias between two tokens: back to the text it stood in. */
static bool lex_leave_alias(struct parser *ps)
{
	struct lex_frame *below = ps->in.below;

	if (!below || ps->in.pos < ps->in.end)
		return false;
	if (ps->in.level <= ps->mark_level)
		return lex_grow(ps);
	ps->alias_next |= ps->in.blank;
	ps->in = *below;
	return true;
}

static void lex_skip_comment(struct parser *ps)
{
	for (;;) {
		struct lex_frame *in = &ps->in;
		const char *newline = memchr(in->s + in->pos, '\n', in->end - in->pos);

		in->pos = newline ? (size_t)(newline - in->s) : in->end;
		if (newline || !lex_leave_alias(ps))
			return;
	}
}

static __attribute__((noinline)) void lex_skip_more(struct parser *ps)
{
	for (;;) {
		struct lex_frame *in = &ps->in;
		char c = in->s[in->pos];

		if (c == ' ' || c == '\t')
			in->pos++;
		else if (c == '\\' && in->s[in->pos + 1] == '\n')
			in->pos += 2;
		else if (c == '#')
			lex_skip_comment(ps);
		else if (c || !lex_leave_alias(ps))
			return;
	}
}

/* Blanks alone, before nearly every token, take the short way. */
static void lex_skip_blanks(struct parser *ps)
{
	const char *s = ps->in.s + ps->in.pos;

	while (*s == ' ')
		s++;
	ps->in.pos = (size_t)(s - ps->in.s);
	if (*s == '\0' || *s == '\t' || *s == '\\' || *s == '#')
		lex_skip_more(ps);
}

/* ---- Operators ---- */

static bool lex_next_is(struct parser *ps, char c)
{
	if (lex_char(ps) != c)
		return false;
	ps->in.pos++;
	return true;
}

static enum tok_kind lex_redir(struct parser *ps, enum redir_kind kind)
{
	ps->tok.redir = kind;
	return TOK_REDIR;
}

static enum tok_kind lex_less(struct parser *ps)
{
	if (lex_next_is(ps, '&'))
		return lex_redir(ps, REDIR_DUP_IN);
	if (lex_next_is(ps, '>'))
		return lex_redir(ps, REDIR_RW);
	if (!lex_next_is(ps, '<'))
		return lex_redir(ps, REDIR_IN);
	if (lex_next_is(ps, '<'))
		return lex_redir(ps, REDIR_STRING);
	ps->tok.strip = lex_next_is(ps, '-');
	return lex_redir(ps, REDIR_HERE);
}

static enum tok_kind lex_greater(struct parser *ps)
{
	if (lex_next_is(ps, '&'))
		return lex_redir(ps, REDIR_DUP_OUT);
	if (lex_next_is(ps, '>'))
		return lex_redir(ps, REDIR_APPEND);
	return lex_redir(ps, lex_next_is(ps, '|') ? REDIR_CLOBBER : REDIR_OUT);
}

static enum tok_kind lex_semi(struct parser *ps)
{
	if (lex_next_is(ps, ';'))
		return lex_next_is(ps, '&') ? TOK_CONTINUE : TOK_BREAK;
	return lex_next_is(ps, '&') ? TOK_FALL : TOK_SEMI;
}

static enum tok_kind lex_amp(struct parser *ps)
{
	if (lex_next_is(ps, '&'))
		return TOK_AND;
	if (!lex_next_is(ps, '>'))
		return TOK_AMP;
	return lex_redir(ps, lex_next_is(ps, '>') ? REDIR_BOTH_APPEND : REDIR_BOTH);
}

static enum tok_kind lex_bar(struct parser *ps)
{
	if (lex_next_is(ps, '|'))
		return TOK_OR;
	return lex_next_is(ps, '&') ? TOK_PIPE_AMP : TOK_PIPE;
}

static enum tok_kind lex_newline(struct parser *ps)
{
	size_t end = ps->in.pos;

	ps->extglob = ps->extglob_next;
	if (ps->alias_commands || ps->expand_aliases != ps->expand_aliases_next)
		lex_alias_line(ps);
	if (ps->here)
		lex_here_bodies(ps);
	ps->tok.end = end;
	return ps->failed ? TOK_ERROR : TOK_NEWLINE;
}

/* The operator that begins with c (already passed). */
static enum tok_kind lex_operator(struct parser *ps, char c)
{
	switch (c) {
	case '\n':
		return lex_newline(ps);
	case ';':
		return lex_semi(ps);
	case '&':
		return lex_amp(ps);
	case '|':
		return lex_bar(ps);
	case '(':
		return TOK_LPAREN;
	case ')':
		return TOK_RPAREN;
	case '<':
		return lex_less(ps);
	default:
		return lex_greater(ps);
	}
}

void lex_redirection(struct parser *ps)
{
	char c = ps->in.s[ps->in.pos++];

	ps->tok.kind = lex_operator(ps, c);
}

/* ---- Tokens ---- */

/* <( and >( begin words; so do they in the middle of one. */
static bool lex_at_word(struct parser *ps, unsigned mode)
{
	const char *s = ps->in.s + ps->in.pos;

	if (!lex_is(*s, C_BREAK))
		return true;
	if (mode & LEX_REGEX)
		return *s == '(' || *s == '|';
	return (*s == '<' || *s == '>') && s[1] == '(';
}

/* The end of the text: a last line without newline counts as one with it. */
static enum tok_kind lex_end(struct parser *ps)
{
	struct lex_frame *in = &ps->in;

	if (in->ended || !in->end || in->s[in->end - 1] == '\n')
		return TOK_EOF;
	in->ended = true;
	return lex_newline(ps);
}

static void lex_token(struct parser *ps, unsigned mode)
{
	struct token *t = &ps->tok;

	if (ps->opt->tick && ++ps->steps >= 1000) {
		ps->opt->tick(ps->opt->ctx, ps->steps);
		ps->steps = 0;
	}
	lex_skip_blanks(ps);
	t->pos = ps->in.pos;
	t->line = lex_line(ps, t->pos);
	t->fd = -1;
	t->var.n = 0;
	t->end = 0;
	t->mode = mode;
	t->mark = ps->unnumbered;
	t->reserved = R_NONE;
	if (lex_at_word(ps, mode)) {
		word_token(ps, mode);
	} else if (ps->in.s[ps->in.pos] == '\0') {
		t->kind = lex_end(ps);
	} else {
		char c = ps->in.s[ps->in.pos++];

		t->kind = lex_operator(ps, c);
	}
	if (!t->end)
		t->end = ps->in.pos;
	t->pos_end = lex_pos(ps, t->end);
	t->line_end = lex_line(ps, t->end);
	if (ps->failed)
		t->kind = TOK_ERROR;
	else if (t->kind == TOK_WORD && t->word)
		t->reserved = lex_reserved(t->word);
}

enum tok_kind lex_next(struct parser *ps, unsigned mode)
{
	if (ps->failed)
		return ps->tok.kind = TOK_ERROR;
	do
		lex_token(ps, mode);
	while (ps->tok.kind == TOK_WORD && (mode & LEX_COMMAND || ps->alias_next) &&
	       lex_alias(ps));
	ps->alias_next = false;
	ps->have = true;
	return ps->tok.kind;
}

void lex_newlines(struct parser *ps)
{
	while (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) == TOK_NEWLINE)
		lex_take(ps);
}
