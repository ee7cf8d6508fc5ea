/*
 * Syntax errors, in bash's words: the message, the line number it names, and
 * the source line it shows below. The first error stays.
 */
#include "lang/parser.h"

#include <stdarg.h>

#include "lang/print.h"

__attribute__((format(printf, 2, 0)))
static const char *fail_format(struct parser *ps, const char *fmt, va_list ap)
{
	str_reset(&ps->message);
	str_addvf(&ps->message, fmt, ap);
	return mem_dup(ps->mem, ps->message.p, ps->message.n);
}

void *parse_fail(struct parser *ps, uint32_t line, size_t pos, const char *fmt, ...)
{
	va_list ap;

	if (ps->failed)
		return NULL;
	va_start(ap, fmt);
	ps->failure.message = fail_format(ps, fmt, ap);
	va_end(ap);
	ps->failure.line = line;
	ps->failure.pos = lex_pos(ps, pos);
	ps->failure.scope = ps->scope;
	ps->failed = true;
	return NULL;
}

void parse_warn(struct parser *ps, uint32_t line, const char *fmt, ...)
{
	struct parse_warning *w = MEM_NEW(ps->mem, struct parse_warning);
	va_list ap;

	va_start(ap, fmt);
	w->message = fail_format(ps, fmt, ap);
	va_end(ap);
	w->line = line;
	*ps->warnings_tail = w;
	ps->warnings_tail = &w->next;
}

void *parse_fail_more(struct parser *ps, uint32_t number, const char *line)
{
	struct failure *f = &ps->failure;

	if (f->limit)
		return NULL;
	f->detail_line = number;
	str_reset(&ps->text);
	str_addslice(&ps->text, f->detail);
	if (f->detail.n)
		str_addc(&ps->text, '\n');
	str_adds(&ps->text, line);
	f->detail = text_dup(ps);
	return NULL;
}

/* Number of the last line of the text. */
uint32_t lex_last_line(struct parser *ps)
{
	const struct lex_frame *in = &ps->in;
	uint32_t line;

	while (lex_grow(ps))
		;
	line = lex_line(ps, in->end);
	return in->end && in->s[in->end - 1] == '\n' ? line - 1 : line;
}

void *parse_unmatched(struct parser *ps, char closer, size_t open)
{
	if (ps->failed)
		return NULL;
	parse_fail(ps, lex_line(ps, open), open, "unexpected EOF while looking for matching `%c'",
		   closer);
	ps->failure.incomplete = ps->failure.in_token = true;
	return NULL;
}

void *parse_unmatched_at_end(struct parser *ps, char closer)
{
	if (ps->failed)
		return NULL;
	parse_fail(ps, lex_last_line(ps) + 1, ps->in.pos,
		   "unexpected EOF while looking for matching `%c'", closer);
	ps->failure.incomplete = true;
	return NULL;
}

/* Source lines in messages may take so many bytes: a script may have any number
 * of late errors, on one long line. */
#define FAIL_LINES_MAX ((size_t)1 << 20)

/* The source line that holds pos, as bash shows it. */
static struct slice fail_source_line(struct parser *ps, size_t pos)
{
	const struct lex_frame *in = &ps->in;
	size_t from, to, max = FAIL_LINES_MAX - ps->fail_lines;
	const char *s;

	while (in->alias.n && in->below)
		in = in->below;
	if (in == &ps->in || in->foreign)
		in = &ps->in;
	else			/* not an alias's text: where it was used */
		pos = ps->in.anchor;
	s = in->s;
	from = to = pos;
	while (from > in->shown_from && s[from - 1] != '\n' && to - from < max)
		from--;
	while (s[to] && s[to] != '\n' && to - from < max)
		to++;
	ps->fail_lines += to - from;
	str_reset(&ps->text);
	str_addc(&ps->text, '`');
	str_addn(&ps->text, s + from, to - from);
	str_addc(&ps->text, '\'');
	return text_dup(ps);
}

/* As it is, or in $'..' if it has characters that do not print. */
static void fail_quote(struct str *out, const char *s, size_t n)
{
	static const char from[] = "\a\b\033\f\n\r\t\v\\'", to[] = "abEfnrtv\\'";
	bool plain = true;
	int32_t c;

	for (size_t i = 0; i < n; i += utf8_decode(s + i, n - i, &c))
		plain &= utf8_decode(s + i, n - i, &c) && c >= 0 && utf8_print(c);
	if (plain) {
		str_addn(out, s, n);
		return;
	}
	str_adds(out, "$'");
	for (size_t i = 0, len; i < n; i += len) {
		const char *at;

		len = utf8_decode(s + i, n - i, &c);
		if (s[i] == '\001' || s[i] == '\177')	/* bash keeps them behind one more */
			str_adds(out, "\\001");
		at = len == 1 ? memchr(from, s[i], sizeof(from) - 1) : NULL;
		if (at)
			str_addf(out, "\\%c", to[at - from]);
		else if (c >= 0 && utf8_print(c))
			str_addn(out, s + i, len);
		else
			for (size_t k = 0; k < len; k++)
				str_addf(out, "\\%03o", (unsigned)(unsigned char)s[i + k]);
	}
	str_addc(out, '\'');
}

static void fail_end(struct parser *ps)
{
	if (ps->in_command) {
		parse_unmatched_at_end(ps, ')');
		return;
	}
	parse_fail(ps, lex_last_line(ps) + 1, ps->in.pos, "syntax error: unexpected end of file");
	ps->failure.incomplete = true;
}

/* (( where a command may begin is one token to bash, named by what is in it. */
static bool fail_whole_arith(struct parser *ps)
{
	struct token *t = &ps->tok, saved = *t;
	struct arith *a;

	if (t->kind != TOK_LPAREN || !(t->mode & LEX_COMMAND) || t->mode & LEX_MIDDLE ||
	    ps->in.s[ps->in.pos] != '(')
		return false;
	ps->in.pos++;
	a = word_double_paren(ps, false);
	*t = saved;
	if (a)
		str_addslice(&ps->text, a->text);
	return a != NULL;
}

/* An operator may have line continuations inside. */
static void fail_operator_text(struct str *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != '\\' && s[i] != '\n')
			str_addc(out, s[i]);
}

/* The token as bash spells it, into ps->text. */
static void fail_token_text(struct parser *ps)
{
	const struct token *t = &ps->tok;
	struct str *text = &ps->message;

	str_reset(text);
	if (t->kind == TOK_WORD)
		print_word(text, t->word);
	else if (t->kind == TOK_ASSIGN)
		print_assign(text, t->assign);
	else if (t->kind == TOK_NEWLINE)
		str_adds(text, "newline");
	else if (t->kind == TOK_REDIR && (t->fd >= 0 || t->var.n))
		str_addn(text, ps->in.s + t->pos, t->word_end - t->pos);
	else
		fail_operator_text(text, ps->in.s + t->pos, t->end - t->pos);
	str_reset(&ps->text);
	fail_quote(&ps->text, text->p, text->n);
}

void *parse_unexpected(struct parser *ps)
{
	const struct token *t = &ps->tok;
	size_t last = t->end > t->pos ? t->end - 1 : t->end;

	if (ps->failed)
		return NULL;
	if (t->kind == TOK_EOF) {
		fail_end(ps);
		return NULL;
	}
	str_reset(&ps->text);
	if (!fail_whole_arith(ps)) {
		if (ps->failed)
			return NULL;
		fail_token_text(ps);
	}
	const char *text = mem_dup(ps->mem, ps->text.p, ps->text.n);

	parse_fail(ps, lex_line(ps, last), t->pos, "syntax error near unexpected token `%s'", text);
	ps->failure.detail = fail_source_line(ps, last);
	return NULL;
}

void parse_too_deep(struct parser *ps)
{
	parse_fail(ps, lex_line(ps, ps->in.pos), ps->in.pos,
		   "nesting exceeds the limit parse_depth (%u)", ps->depth_max);
	ps->failure.limit = true;
}

bool parse_enter(struct parser *ps)
{
	if (ps->failed)
		return false;
	if (ps->depth < ps->depth_max) {
		ps->depth++;
		return true;
	}
	parse_too_deep(ps);
	return false;
}
