/*
 * Finds the partner of a bracket without parsing, by the rules bash reads text
 * with: backslashes, quotes, and brackets inside brackets.
 *
 * No recursion: what is open stands on a stack of the closing characters that
 * are waited for. And no second look: the partner of every parenthesis that
 * opens right before another one (the only places where the parser asks) is
 * remembered while a larger range is skipped, so nested $(( cost linear time.
 */
#include "lang/parser.h"

#include <string.h>

/* ---- Memo ---- */

static struct lex_pair *pair_slot(struct lex_pair *at, size_t cap, const char *open)
{
	size_t i = ((uintptr_t)open * 0x9E3779B97F4A7C15u) >> 20;

	while (at[i & (cap - 1)].open && at[i & (cap - 1)].open != open)
		i++;
	return &at[i & (cap - 1)];
}

static void pair_remember(struct parser *ps, const char *open, const char *close)
{
	if (ps->n_pairs * 2 >= ps->pairs_cap) {
		size_t cap = ps->pairs_cap ? ps->pairs_cap * 2 : 64;
		struct lex_pair *at = arena_array(ps->arena, cap, sizeof(*at));

		memset(at, 0, cap * sizeof(*at));
		for (size_t i = 0; i < ps->pairs_cap; i++)
			if (ps->pairs[i].open)
				*pair_slot(at, cap, ps->pairs[i].open) = ps->pairs[i];
		ps->pairs = at;
		ps->pairs_cap = cap;
	}
	struct lex_pair *slot = pair_slot(ps->pairs, ps->pairs_cap, open);

	ps->n_pairs += slot->open == NULL;
	*slot = (struct lex_pair){ open, close };
}

/* ---- The scan ---- */

static char skip_closer(char open)
{
	return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : open;
}

/* The character that closes: E is the ' of $'..', A the ] of $[..]. */
static char skip_character(char closer)
{
	return closer == 'E' ? '\'' : closer == 'A' ? ']' : closer;
}

static void skip_push(struct parser *ps, char closer)
{
	*vec_add(ps->heap, &ps->closers) = (struct lex_open){ ps->in.pos, closer };
}

static void skip_pop(struct parser *ps)
{
	struct lex_open o = vec_pop(&ps->closers);
	const char *s = ps->in.s;

	if (skip_character(o.closer) == ']' || (o.closer == ')' && (s[o.pos + 1] == '(' ||
	    (o.pos && s[o.pos - 1] == '('))))
		pair_remember(ps, s + o.pos, s + ps->in.pos);
}

/* The character c at pos, inside brackets or a string that end with top. */
static void skip_nested(struct parser *ps, char top, char c, bool dollar)
{
	if (c == '`')
		skip_push(ps, c);
	else if (c == '"')
		skip_push(ps, c);
	else if (c == '\'' && top != '"')
		skip_push(ps, dollar ? 'E' : c);
	else if (dollar && (c == '(' || c == '[' || (c == '{' && top != ')' && top != 'A')))
		skip_push(ps, c == '[' ? 'A' : skip_closer(c));
	else if (top != '"' && top != '}' && skip_closer(c) == skip_character(top))
		skip_push(ps, top);
}

/* Passes the character at pos. */
static void skip_step(struct parser *ps, bool *dollar)
{
	struct lex_frame *in = &ps->in;
	char c = in->s[in->pos], top = vec_last(&ps->closers).closer;
	bool after_dollar = *dollar;

	*dollar = c == '$' && !after_dollar;
	if (c == '\\' && top != '\'') {
		in->pos += in->s[in->pos + 1] ? 1 : 0;
	} else if (c == skip_character(top)) {
		skip_pop(ps);
		*dollar = false;
	} else if (top != '\'' && top != '`' && top != 'E') {
		skip_nested(ps, top, c, after_dollar);
	}
	in->pos++;
}

size_t lex_skip(struct parser *ps, size_t open)
{
	struct lex_frame *in = &ps->in;
	size_t floor = ps->closers.n, saved = in->pos, close = (size_t)-1;
	bool dollar = false;

	if (ps->pairs_cap) {
		struct lex_pair *known = pair_slot(ps->pairs, ps->pairs_cap, in->s + open);

		if (known->open)
			return (size_t)(known->close - in->s);
	}
	in->pos = open;
	skip_push(ps, in->s[open] == '[' && open && in->s[open - 1] == '$' ? 'A' :
		  skip_closer(in->s[open]));
	in->pos++;
	while (ps->closers.n > floor) {
		if (in->s[in->pos] == '\0' && !lex_refill(ps)) {
			struct lex_open o = vec_last(&ps->closers);

			parse_unmatched(ps, skip_character(o.closer), o.pos);
			break;
		}
		close = in->pos;
		skip_step(ps, &dollar);
	}
	ps->closers.n = floor;
	in->pos = saved;
	return ps->failed ? (size_t)-1 : close;
}
