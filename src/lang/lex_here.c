/*
 * Here-documents: the delimiter when the operator is read, the body when the
 * newline is that ends the line. Several on one line follow each other.
 *
 * A body whose delimiter has no quotes is a string that expands; it is copied
 * (tabs stripped, escaped newlines gone) and parsed as a text of its own. bash
 * parses it when it expands it, so an error in it is the part's, not the
 * script's.
 */
#include "lang/parser.h"

/* ---- The delimiter ---- */

/* "...": i is at the quote; returns the place of the closing one. */
static size_t delimiter_string(struct str *out, struct slice t, size_t i)
{
	for (i++; i < t.n && t.p[i] != '"'; i++) {
		if (t.p[i] == '\\' && i + 1 < t.n && strchr("$`\"\\", t.p[i + 1]))
			i++;
		str_addc(out, t.p[i]);
	}
	return i;
}

static size_t delimiter_single(struct str *out, struct slice t, size_t i)
{
	for (i++; i < t.n && t.p[i] != '\''; i++)
		str_addc(out, t.p[i]);
	return i;
}

/* t, the source of a word, without its quotes. Expansions stay as text. */
static void delimiter_unquote(struct parser *ps, struct slice t)
{
	struct str *out = &ps->text;

	str_reset(out);
	for (size_t i = 0; i < t.n; i++) {
		char c = t.p[i];

		if (c == '"') {
			i = delimiter_string(out, t, i);
		} else if (c == '\'' && i && t.p[i - 1] == '$') {
			size_t end = i + 1;

			while (end < t.n && t.p[end] != '\'')
				end += t.p[end] == '\\' ? 2 : 1;
			str_cut(out, out->n - 1);
			str_addslice(out, lex_ansi(ps->mem, (struct slice){ t.p + i + 1,
									      end - i - 1 }));
			i = end;
		} else if (c == '\'') {
			i = delimiter_single(out, t, i);
		} else if (c == '\\' && i + 1 < t.n) {
			i++;
			if (t.p[i] != '\n')
				str_addc(out, t.p[i]);
		} else {
			str_addc(out, c);
		}
	}
}

/* As the printer writes it: single-quoted if it had quotes. */
static struct slice delimiter_printed(struct parser *ps, struct slice end, bool quoted)
{
	if (!quoted)
		return end;
	str_reset(&ps->text);
	str_addc(&ps->text, '\'');
	for (size_t i = 0; i < end.n; i++) {
		if (end.p[i] == '\'')
			str_adds(&ps->text, "'\\'");
		str_addc(&ps->text, end.p[i]);
	}
	str_addc(&ps->text, '\'');
	return text_dup(ps);
}

/* What stands for the body until it is read. */
static struct word *here_empty(struct parser *ps, const struct word *delimiter)
{
	struct word *w = MEM_NEW(ps->mem, struct word);

	w->parts = MEM_NEW(ps->mem, struct part);
	w->parts->kind = delimiter->flags & WORD_QUOTED ? PART_SINGLE : PART_DOUBLE;
	w->parts->text = w->text = SLICE("");
	w->flags = WORD_QUOTED;
	w->line = ps->tok.line;
	return w;
}

void lex_here_delimiter(struct parser *ps, struct redir *r)
{
	struct here *h = MEM_NEW(ps->mem, struct here);
	struct word *w = ps->tok.word;

	h->redir = r;
	h->compound = ps->compound_redirs;
	h->redir_line = ps->redir_line;
	r->word = here_empty(ps, w);
	h->quoted = (w->flags & WORD_QUOTED) != 0;
	delimiter_unquote(ps, w->text);
	h->end = text_dup(ps);
	r->end = h->end;
	r->delimiter = delimiter_printed(ps, h->end, h->quoted);
	*ps->here_tail = h;
	ps->here_tail = &h->next;
}

/* ---- Bodies ---- */

/*
 * Adds the line at pos to ps->text, its newline too, escaped newlines removed
 * unless the delimiter was quoted. false: no line is left.
 */
static bool here_line(struct parser *ps, bool quoted)
{
	struct lex_frame *in = &ps->in;
	size_t from = in->pos;

	if (!in->s[from] && !lex_refill(ps))
		return false;
	for (;;) {
		char c = in->s[in->pos];

		if (c == '\0' && !lex_refill(ps))
			break;
		if (c == '\\' && !quoted && in->s[in->pos + 1] == '\n') {
			str_addn(&ps->text, in->s + from, in->pos - from);
			in->pos += 2;
			from = in->pos;
			continue;
		}
		in->pos += c == '\\' && !quoted && in->s[in->pos + 1] ? 2 : 1;
		if (c == '\n')
			break;
	}
	str_addn(&ps->text, in->s + from, in->pos - from);
	return true;
}

/* Is the line that begins at `start` of ps->text the delimiter? */
static bool here_is_end(struct parser *ps, size_t start, struct slice end)
{
	const char *line = ps->text.p + start;
	size_t n = ps->text.n - start;

	if (n && line[n - 1] == '\n')
		n--;
	return n == end.n && memcmp(line, end.p, n) == 0;
}

static void here_warn(struct parser *ps, const struct here *h, uint32_t line)
{
	parse_warn(ps, line, "here-document at line %u delimited by end-of-file (wanted `%s')",
		   h->line, h->end.p);
}

/* In $( ) a line that begins with the delimiter and has a ) ends the body too,
 * with a warning: bash lets `EOF)` pass. The rest of the line is read again. */
static bool here_ends_command(struct parser *ps, size_t start, const struct here *h)
{
	const char *line = ps->text.p + start;
	size_t n = ps->text.n - start;

	if (n < h->end.n || memcmp(line, h->end.p, h->end.n) != 0 ||
	    !memchr(line + h->end.n, ')', n - h->end.n))
		return false;
	str_cut(&ps->text, start);
	ps->in.pos -= n - h->end.n;
	here_warn(ps, h, lex_line(ps, ps->in.pos));
	return true;
}

/* Reads lines up to the delimiter into ps->text. */
static void here_read(struct parser *ps, const struct here *h)
{
	str_reset(&ps->text);
	for (;;) {
		size_t start = ps->text.n, tabs = start;

		if (!here_line(ps, h->quoted)) {
			here_warn(ps, h, lex_last_line(ps));
			if (start && ps->text.p[start - 1] != '\n')
				str_addc(&ps->text, '\n');
			return;
		}
		/* <<-: a delimiter that begins with tabs itself is found before they go. */
		if (h->redir->strip_tabs && !here_is_end(ps, start, h->end)) {
			while (ps->text.p[tabs] == '\t')
				tabs++;
			str_erase(&ps->text, start, tabs - start);
		}
		if (here_is_end(ps, start, h->end)) {
			str_cut(&ps->text, start);
			return;
		}
		if (ps->in_command && here_ends_command(ps, start, h))
			return;
	}
}

/* Bodies in commands in bodies ...: each is a copy of a part of the one around
 * it, so that many levels would cost more than the text is long. */
#define HERE_DEPTH_MAX 10

/* The body is wrong, which shows when it is expanded. */
static void here_late(struct parser *ps, struct parts *parts, const char *body, size_t n,
		      unsigned depth)
{
	size_t at = ps->failure.scope == PARSE_COMMAND ? ps->failure.backquote : 0;
	struct part *part;

	parts_init(parts);
	part = parts_add(ps, parts, PART_COMMAND);
	if (!at || at > n) {
		parse_late_catch(ps, part, depth);
		return;
	}
	ps->failed = false;
	parse_fail(ps, ps->failure.line, at - 1, "bad substitution: no closing \"`\" in %.*s",
		   (int)(n - at + 1), body + at - 1);
	ps->failure.detail = (struct slice){ NULL, 0 };
	ps->failure.plain = true;
	parse_late_catch(ps, part, depth);
}

/* The lines of what is in the body are those of the redirection. */
static void here_number(struct parser *ps, const struct here *h, struct unnumbered *mark)
{
	uint32_t line = ps->redir_line;

	if (!h->compound || ps->unnumbered == mark) {
		number_settle(ps, mark, h->redir->line);
		return;
	}
	ps->redir_line = h->redir_line;
	number_redirs(ps, mark);
	ps->redir_line = line;
}

/* The parts of an unquoted body. */
static void here_parts(struct parser *ps, const struct here *h, char *body, size_t n,
		       uint32_t line)
{
	struct part *string = h->redir->word->parts;
	unsigned depth = ps->depth;
	struct lex_frame saved;
	struct nested save;
	struct unnumbered *mark = ps->unnumbered;
	struct parts parts;

	nested_begin(ps, &save);
	ps->scope = PARSE_COMMAND;
	lex_enter(ps, &saved, body, n, line);
	ps->in.here = h->redir->line;
	parts_init(&parts);
	if (ps->here_depth++ == HERE_DEPTH_MAX)
		parse_too_deep(ps);
	if (parse_enter(ps)) {
		word_quoted(ps, &parts, QUOTED_HERE);
		parse_leave(ps);
		if (ps->bad_param && !ps->failed)
			word_note_bad(ps, parts.first, (struct slice){ body, n }, false);
	}
	ps->here_depth--;
	if (ps->failed && !ps->failure.limit) {
		here_late(ps, &parts, body, n, depth);
		parts.flags = WORD_EXPANDS | WORD_EFFECTS;
	}
	here_number(ps, h, mark);
	lex_leave(ps, &saved);
	nested_end(ps, &save);
	string->parts = parts.first;
	ps->here_flags = parts.flags;
}

static void here_body(struct parser *ps, struct here *h)
{
	uint32_t line = lex_line(ps, ps->in.pos);
	struct word *w = h->redir->word;
	struct part *part = w->parts;

	here_read(ps, h);
	size_t n = ps->text.n;
	char *body = mem_dup(ps->mem, ps->text.p, n);

	w->text = (struct slice){ body, n };
	w->line = line;
	w->pos = h->redir->pos;
	if (h->quoted) {
		part->text = w->text;
	} else {
		here_parts(ps, h, body, n, line);
		w->flags |= ps->here_flags;
	}
}

void lex_here_bodies(struct parser *ps)
{
	struct here *h = ps->here;
	uint32_t line = lex_line(ps, ps->in.pos ? ps->in.pos - 1 : 0);

	ps->here = NULL;
	ps->here_tail = &ps->here;
	for (; h && !ps->failed; h = h->next) {
		h->line = line;
		here_body(ps, h);
		line = lex_line(ps, ps->in.pos ? ps->in.pos - 1 : 0);
		ps->here_line = line;
	}
}
