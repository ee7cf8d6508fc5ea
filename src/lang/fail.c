/*
 * Syntax errors, in bash's words: the message, the line number it names, and
 * the source line it shows below. The first error stays.
 */
#include "lang/parser.h"

#include <stdarg.h>

__attribute__((format(printf, 2, 0)))
static struct slice fail_format(struct parser *ps, const char *fmt, va_list ap)
{
	str_reset(&ps->text);
	str_addvf(&ps->text, fmt, ap);
	return (struct slice){ arena_dup(ps->arena, ps->text.p, ps->text.n), ps->text.n };
}

void *parse_fail(struct parser *ps, uint32_t line, size_t pos, const char *fmt, ...)
{
	va_list ap;

	if (ps->failed)
		return NULL;
	va_start(ap, fmt);
	ps->failure.message = fail_format(ps, fmt, ap).p;
	va_end(ap);
	ps->failure.line = line;
	ps->failure.pos = lex_pos(ps, pos);
	ps->failed = true;
	return NULL;
}

void parse_warn(struct parser *ps, uint32_t line, const char *fmt, ...)
{
	struct parse_warning *w = ARENA_NEW(ps->arena, struct parse_warning);
	va_list ap;

	va_start(ap, fmt);
	w->message = fail_format(ps, fmt, ap).p;
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
	f->detail = (struct slice){ arena_dup(ps->arena, ps->text.p, ps->text.n), ps->text.n };
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
	ps->failure.incomplete = true;
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

/* The source line that holds pos, as bash shows it. */
static struct slice fail_source_line(struct parser *ps, size_t pos)
{
	const char *s = ps->in.s;
	size_t from = pos, to = pos;

	while (from && s[from - 1] != '\n')
		from--;
	while (s[to] && s[to] != '\n')
		to++;
	str_reset(&ps->text);
	str_addf(&ps->text, "`%.*s'", (int)(to - from > 65536 ? 65536 : to - from), s + from);
	return (struct slice){ arena_dup(ps->arena, ps->text.p, ps->text.n), ps->text.n };
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

/* (( where a command may begin is one token to bash: what is inside it. */
static void fail_whole_arith(struct parser *ps)
{
	struct token *t = &ps->tok;
	size_t close;

	if (t->kind != TOK_LPAREN || !(t->mode & LEX_COMMAND) || ps->in.s[ps->in.pos] != '(')
		return;
	close = lex_skip(ps, ps->in.pos);
	if (ps->failed || ps->in.s[close + 1] != ')')
		return;
	t->pos = ps->in.pos + 1;
	t->end = close;
}

void *parse_unexpected(struct parser *ps)
{
	const struct token *t = &ps->tok;
	size_t end;

	if (ps->failed)
		return NULL;
	fail_whole_arith(ps);
	if (ps->failed)
		return NULL;
	end = t->kind == TOK_REDIR && (t->fd >= 0 || t->var.n) ? t->word_end : t->end;
	if (t->kind == TOK_EOF) {
		fail_end(ps);
		return NULL;
	}
	size_t last = end > t->pos ? end - 1 : end;
	uint32_t line = lex_line(ps, last);

	if (t->kind == TOK_NEWLINE)
		parse_fail(ps, line, t->pos, "syntax error near unexpected token `newline'");
	else
		parse_fail(ps, line, t->pos, "syntax error near unexpected token `%.*s'",
			   (int)(end - t->pos), ps->in.s + t->pos);
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
