/*
 * Aliases: a word in command position is replaced by a text, which is read in
 * its place, before the rest.
 *
 * The text becomes a frame on top of the one being read. A token that begins in
 * it may end behind it (an open quote): lex_grow() then joins the two.
 *
 * A shell runs each line before it reads the next one, so a script may define the
 * aliases it uses. Where a whole script is parsed at once, `alias`, `unalias` and
 * `shopt` commands with plain arguments that stand at its top (in no function, no
 * if) take effect on the lines below them.
 */
#include "lang/parser.h"

/* ---- What the text itself defines ---- */

/* A word that expands to itself, without its quotes, into ps->text. */
static bool alias_plain_text(struct parser *ps, const struct part *p)
{
	for (; p; p = p->next) {
		switch (p->kind) {
		case PART_TEXT:
		case PART_ESCAPED:
		case PART_SINGLE:
		case PART_ANSI:
			str_addslice(&ps->text, p->text);
			break;
		case PART_DOUBLE:
			if (!alias_plain_text(ps, p->parts))
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

static void alias_set(struct parser *ps, const char *name, size_t n, const char *value)
{
	struct map_entry *e;

	if (!ps->aliases.heap)
		map_init(&ps->aliases, ps->heap);
	e = map_put(&ps->aliases, name, n);
	if (e)
		e->value = (void *)(uintptr_t)value;
}

static const char alias_none[] = "";	/* the value of one that was taken away */

static void alias_define(struct parser *ps, const struct word *w, bool define)
{
	const char *equals;
	struct str *text = &ps->text;

	str_reset(text);
	if (!alias_plain_text(ps, w->parts))
		return;
	equals = memchr(text->p, '=', text->n);
	if (!define)
		alias_set(ps, text->p, text->n, alias_none);
	else if (equals && equals > text->p)
		alias_set(ps, text->p, (size_t)(equals - text->p),
			  mem_dup(ps->mem, equals + 1, text->n - (size_t)(equals - text->p) - 1));
}

/* The commands of the line that has ended. */
void lex_alias_line(struct parser *ps)
{
	for (struct alias_command *c = ps->alias_commands; c; c = c->next)
		for (const struct word *w = c->words; w; w = w->next)
			alias_define(ps, w, c->define);
	ps->alias_commands = NULL;
	ps->alias_commands_tail = &ps->alias_commands;
	ps->expand_aliases = ps->expand_aliases_next;
}

void lex_alias_command(struct parser *ps, const struct word *arguments, bool define)
{
	struct alias_command *c = MEM_NEW(ps->mem, struct alias_command);

	c->words = arguments;
	c->define = define;
	*ps->alias_commands_tail = c;
	ps->alias_commands_tail = &c->next;
}

/* ---- Use ---- */

/* An alias is not replaced inside its own text. */
static bool alias_is_open(const struct parser *ps, struct slice name)
{
	for (const struct lex_frame *f = &ps->in; f; f = f->below)
		if (f->alias.n && slice_eq(f->alias, name) &&
		    (f == &ps->in ? ps->tok.pos < f->alias_end : f->pos <= f->alias_end))
			return true;
	return false;
}

static const char *alias_value(const struct parser *ps, struct slice name)
{
	const struct parse_options *opt = ps->opt;

	if (ps->aliases.n) {
		const struct map_entry *e = map_find(&ps->aliases, name.p, name.n);

		if (e)
			return e->value == alias_none ? NULL : e->value;
	}
	return opt->alias ? opt->alias(opt->ctx, name.p, name.n) : NULL;
}

bool lex_alias(struct parser *ps)
{
	struct word *w = ps->tok.word;
	struct lex_frame *below;
	const char *text;
	size_t n;

	if (!ps->expand_aliases || !w || !(w->flags & WORD_LITERAL) || alias_is_open(ps, w->text))
		return false;
	text = alias_value(ps, w->text);
	if (!text)
		return false;
	n = strlen(text);
	below = mem_alloc(ps->mem, sizeof(*below));
	*below = ps->in;
	ps->in = (struct lex_frame){
		.s = mem_dup(ps->mem, text, n), .end = n, .line = ps->tok.line,
		.anchor = lex_pos(ps, ps->tok.pos), .foreign = true, .below = below,
		.level = below->level + 1,
		.blank = n && (text[n - 1] == ' ' || text[n - 1] == '\t'),
		.alias = w->text, .alias_end = n
	};
	return true;
}
