/*
 * Aliases: a word in command position is replaced by a text, which is read in
 * its place, before the rest.
 *
 * The text becomes a frame on top of the one being read. A token that begins in
 * it may end behind it (an open quote): lex_grow() then joins the two.
 */
#include "lang/parser.h"

/* An alias is not replaced inside its own text. */
static bool alias_is_open(const struct parser *ps, struct slice name)
{
	for (const struct lex_frame *f = &ps->in; f; f = f->below)
		if (f->alias.n && slice_eq(f->alias, name))
			return true;
	return false;
}

bool lex_alias(struct parser *ps)
{
	const struct parse_options *opt = ps->opt;
	struct word *w = ps->tok.word;
	struct lex_frame *below;
	const char *text;
	size_t n;

	if (!opt->alias || !w || !(w->flags & WORD_LITERAL) || alias_is_open(ps, w->text))
		return false;
	text = opt->alias(opt->ctx, w->text.p, w->text.n);
	if (!text)
		return false;
	n = strlen(text);
	below = arena_alloc(ps->arena, sizeof(*below));
	*below = ps->in;
	ps->in = (struct lex_frame){
		.s = arena_dup(ps->arena, text, n), .end = n, .line = ps->tok.line,
		.anchor = lex_pos(ps, ps->tok.pos), .foreign = true, .below = below,
		.blank = n && (text[n - 1] == ' ' || text[n - 1] == '\t'), .alias = w->text
	};
	return true;
}
