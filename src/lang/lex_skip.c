/*
 * Finds the partner of a bracket without parsing, by the rules bash reads text
 * with: backslashes, quotes, and brackets inside brackets. Only for texts that
 * have no meaning for the parser, such as a bad substitution.
 *
 * No recursion: what is open stands on a stack of the closing characters that
 * are waited for.
 *
 * Also a memo for those brackets whose meaning shows only at their end ("((" is
 * arithmetic or two subshells): it is found out once.
 */
#include "lang/parser.h"

/* ---- Memo ---- */

static struct lex_pair *pair_slot(struct lex_pair *at, size_t cap, const char *open)
{
	size_t i = ((uintptr_t)open * 0x9E3779B97F4A7C15u) >> 20;

	while (at[i & (cap - 1)].open && at[i & (cap - 1)].open != open)
		i++;
	return &at[i & (cap - 1)];
}

static void pairs_grow(struct parser *ps)
{
	size_t cap = ps->pairs_cap ? ps->pairs_cap * 2 : 64;
	struct lex_pair *at = mem_check(ps->mem, arena_array(ps->mem->arena, cap, sizeof(*at)));

	memset(at, 0, cap * sizeof(*at));
	for (size_t i = 0; i < ps->pairs_cap; i++)
		if (ps->pairs[i].open)
			*pair_slot(at, cap, ps->pairs[i].open) = ps->pairs[i];
	ps->pairs = at;
	ps->pairs_cap = cap;
}

void lex_remember(struct parser *ps, size_t open, size_t close)
{
	struct lex_pair *slot;

	if (ps->n_pairs * 2 >= ps->pairs_cap)
		pairs_grow(ps);
	slot = pair_slot(ps->pairs, ps->pairs_cap, ps->in.s + open);
	ps->n_pairs += slot->open == NULL;
	*slot = (struct lex_pair){ ps->in.s + open, close };
}

size_t lex_recall(const struct parser *ps, size_t open)
{
	if (!ps->pairs_cap)
		return 0;
	return pair_slot(ps->pairs, ps->pairs_cap, ps->in.s + open)->close;
}

/* ---- The scan ---- */

static char skip_closer(char open)
{
	return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : open;
}

/* The character that closes: E is the ' of $'..', A the ] of $[..], C the ) of
 * $(..). */
static char skip_character(char closer)
{
	return closer == 'E' ? '\'' : closer == 'A' ? ']' : closer == 'C' ? ')' : closer;
}

static void skip_push(struct parser *ps, char closer, bool counted)
{
	struct lex_open *o = vec_add(ps->heap, &ps->closers);

	mem_check(ps->mem, o);
	*o = (struct lex_open){ ps->in.pos, closer, counted };
}

/* The character c at pos, inside brackets or a string that end with top. */
static void skip_nested(struct parser *ps, char top, char c, bool after_dollar, bool after_angle)
{
	if (c == '`' || c == '"')
		skip_push(ps, c, false);
	else if (c == '\'' && top != '"')
		skip_push(ps, after_dollar ? 'E' : c, false);
	else if (c == '(' && (after_dollar || (after_angle && (top == '}' || top == ']'))))
		skip_push(ps, ps->in.s[ps->in.pos + 1] == '(' ? ')' : 'C', false);
	else if (after_dollar && (c == '[' || c == '{') && top != ')' && top != 'A')
		skip_push(ps, c == '[' ? 'A' : '}', false);
	else if (top != '"' && top != '}' && skip_closer(c) == skip_character(top))
		skip_push(ps, top, true);
}

/* Passes the character at pos; *before is the one before it, if not quoted. */
static void skip_step(struct parser *ps, char *before)
{
	struct lex_frame *in = &ps->in;
	char c = in->s[in->pos], top = vec_last(&ps->closers).closer, last = *before;

	*before = c == '$' && last == '$' ? '\0' : c;
	if (c == '\\' && top != '\'') {
		in->pos += in->s[in->pos + 1] ? 1 : 0;
		*before = '\0';
	} else if (c == skip_character(top)) {
		(void)vec_pop(&ps->closers);
		*before = '\0';
	} else if (top != '\'' && top != '`' && top != 'E') {
		skip_nested(ps, top, c, last == '$', last == '<' || last == '>');
	}
	in->pos++;
}

/* The text has ended: bash names what it looks for, and where that began. */
static void skip_fail(struct parser *ps, size_t floor)
{
	struct lex_open *o = &vec_last(&ps->closers);

	while (o->counted && o > ps->closers.at + floor)
		o--;
	if (o->closer == 'C')
		parse_unmatched_at_end(ps, ')');
	else
		parse_unmatched(ps, skip_character(o->closer), o->pos);
}

size_t lex_skip(struct parser *ps, size_t open)
{
	struct lex_frame *in = &ps->in;
	size_t floor = ps->closers.n, saved = in->pos, close = (size_t)-1;
	char before = '\0';

	in->pos = open;
	skip_push(ps, skip_closer(in->s[open]), false);
	in->pos++;
	while (ps->closers.n > floor) {
		if (in->s[in->pos] == '\0' && !lex_refill(ps)) {
			skip_fail(ps, floor);
			break;
		}
		close = in->pos;
		skip_step(ps, &before);
	}
	ps->closers.n = floor;
	in->pos = saved;
	return ps->failed ? (size_t)-1 : close;
}
