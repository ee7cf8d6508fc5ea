/*
 * The line numbers of what stands in substitutions.
 *
 * bash keeps a $( ) as text, written anew from its tree, and parses that text each
 * time it runs it; its lines count on from the line of the command around. So they
 * do here: once that line is known, a substitution of several lines, or on another
 * one, is printed and parsed again for its numbers. What bash parses only when it
 * runs it (backquotes, here-documents, parentheses that turned out to be no arithmetic)
 * is counted as it stands. In a substitution that will be parsed again itself nothing is done.
 */
#include "lang/parser.h"

#include <string.h>

#include "lang/printer.h"

void number_note(struct parser *ps, struct part *part, uint32_t line)
{
	struct unnumbered *u = mem_alloc(ps->mem, sizeof(*u));

	*u = (struct unnumbered){ ps->unnumbered, part, line,
				  part->backquoted || part->verbatim || ps->in.here };
	ps->unnumbered = u;
}

/* The tree of a $( ) as text; NULL: it will not do. */
static char *number_printed(struct parser *ps, const struct part *part, size_t *n)
{
	enum { INDENTATION = 8 };	/* more than this the printer adds only to what nests deeply */
	struct str out;
	char *text = NULL;

	str_init(&out, ps->heap, (size_t)part->raw.n * INDENTATION + 4096);
	print_substitution(&out, part->command);
	if (!out.bad) {
		text = arena_dup(ps->mem->arena, out.p ? out.p : "", out.n);
		*n = out.n;
	}
	str_end(&out);
	return text;
}

/* The text that bash would parse. */
static char *number_text(struct parser *ps, const struct unnumbered *u, size_t *n)
{
	const struct part *part = u->part;

	if (part->backquoted)
		return word_backquote_text(ps, part, n);
	*n = part->raw.n;
	return u->raw ? mem_dup(ps->mem, part->raw.p, *n) : number_printed(ps, part, n);
}

/* What parsing a text again must not leave behind. */
struct number_state {
	struct parse_warning **warnings_tail;
	struct unnumbered *deferred;
	uint32_t redir_line, body_line;
	unsigned in_first;
	bool extglob, extglob_next, expand_aliases, expand_aliases_next, bad_param;
};

static struct number_state number_save(const struct parser *ps)
{
	return (struct number_state){ ps->warnings_tail, ps->deferred, ps->redir_line, ps->body_line,
				      ps->in_first, ps->extglob, ps->extglob_next, ps->expand_aliases,
				      ps->expand_aliases_next, ps->bad_param };
}

static void number_restore(struct parser *ps, const struct number_state *s)
{
	*s->warnings_tail = NULL;
	ps->warnings_tail = s->warnings_tail;
	ps->deferred = s->deferred;
	ps->redir_line = s->redir_line;
	ps->body_line = s->body_line;
	ps->in_first = s->in_first;
	ps->extglob = s->extglob;
	ps->extglob_next = s->extglob_next;
	ps->expand_aliases = s->expand_aliases;
	ps->expand_aliases_next = s->expand_aliases_next;
	ps->bad_param = s->bad_param;
}

static void number_again(struct parser *ps, const struct unnumbered *u, uint32_t line)
{
	struct number_state state = number_save(ps);
	struct part *part = u->part, again = *part;
	struct lex_frame saved;
	size_t n;
	char *text = number_text(ps, u, &n);

	if (!text || !parse_enter(ps))
		return;
	again.command = NULL;
	again.late = NULL;
	ps->in_first = ps->redir_line = 0;
	ps->deferred = NULL;
	ps->expand_aliases &= u->raw;	/* else they are in the tree */
	lex_enter(ps, &saved, text, n, line);
	parse_late(ps, &again);
	lex_leave(ps, &saved);
	number_restore(ps, &state);
	parse_leave(ps);
	if (u->raw || (!again.late && ast_equal(again.command, part->command))) {
		part->command = again.command;
		part->late = again.late;
	}
}

static void number_list(struct parser *ps, const struct unnumbered *u,
			const struct unnumbered *mark, uint32_t line)
{
	for (; u && u != mark && !ps->failed; u = u->next) {
		const struct part *part = u->part;

		if ((part->command || part->late) &&
		    (u->line != line || memchr(part->raw.p, '\n', part->raw.n)))
			number_again(ps, u, line);
	}
}

void number_settle(struct parser *ps, struct unnumbered *mark, uint32_t line)
{
	const struct unnumbered *u = ps->unnumbered;

	ps->unnumbered = mark;
	if (!ps->in_first && !ps->opt->string)
		number_list(ps, u, mark, line);
}

/*
 * A loop with a variable and a case set the line for what they hold, other compound
 * commands set none: it is the function's, or the one where the parser is.
 */
void number_redirs(struct parser *ps, struct unnumbered *mark)
{
	struct unnumbered *last = ps->unnumbered;

	if (ps->redir_line || ps->in_first) {
		number_settle(ps, mark, ps->redir_line);
		return;
	}
	while (last->next && last->next != mark)
		last = last->next;
	last->next = ps->deferred;
	ps->deferred = ps->unnumbered;
	ps->unnumbered = mark;
}

void number_end(struct parser *ps, const struct node *last)
{
	const struct unnumbered *u = ps->deferred;

	if (ps->in_first)
		return;
	while (last->next)
		last = last->next;
	ps->deferred = NULL;
	if (!ps->opt->string)
		number_list(ps, u, NULL, last->line_end);
}
