/*
 * Tree -> program. The order of choices in the program is the order glibc
 * prefers: of all ways to match the longest text, submatches come from the
 * first. Hence two shapes that look odd:
 * - x* is (x+)?, so that an x that matches nothing still sets its groups once;
 * - x{n,m} with groups inside makes the outermost of its optional copies the
 *   first choice, so more repetitions win over an earlier alternative.
 * The size is checked at every instruction; nesting at every level.
 */
#include "text/regex_impl.h"

#include "base/heap.h"

enum { NEST_MAX = 4 * RE_DEPTH_MAX, OUTER_MAX = 64 };

struct emit {
	struct regex *re;
	unsigned depth;
	uint32_t max;
	bool bad;
};

static uint32_t here(const struct emit *e)
{
	return (uint32_t)e->re->code.n;
}

static uint32_t put(struct emit *e, enum re_op op, uint32_t x, uint32_t y)
{
	uint32_t at = here(e);
	struct re_inst *in = at < e->max ? vec_add(e->re->heap, &e->re->code) : NULL;

	if (!in) {
		e->bad = true;
		return 0;
	}
	*in = (struct re_inst){ (uint32_t)op, x, y };
	return at;
}

static struct re_inst *inst(struct emit *e, uint32_t at)
{
	return &e->re->code.at[at];
}

static void put_node(struct emit *e, const struct re_node *node);

/* One alternative and, if others follow, the jump over them. */
static void put_alternative(struct emit *e, const struct re_node *x, bool last, uint32_t *jumps)
{
	uint32_t split = last ? 0 : put(e, RI_SPLIT, here(e) + 1, 0);

	put_node(e, x);
	if (!last && !e->bad) {
		*jumps = put(e, RI_JMP, *jumps, 0);
		inst(e, split)->y = here(e);
	}
}

/* An empty first alternative comes second, as in glibc. */
static void put_alternatives(struct emit *e, const struct re_node *alt)
{
	uint32_t jumps = UINT32_MAX;	/* chain of JMPs to patch, through their x */
	const struct re_node *c = alt->first;

	if (c && c->next && c->kind == RE_CAT && !c->first) {
		put_alternative(e, c->next, false, &jumps);
		put_alternative(e, c, !c->next->next, &jumps);
		c = c->next->next;
	}
	for (; c && !e->bad; c = c->next)
		put_alternative(e, c, !c->next, &jumps);
	while (jumps != UINT32_MAX && !e->bad) {
		uint32_t next = inst(e, jumps)->x;
		inst(e, jumps)->x = here(e);
		jumps = next;
	}
}

/* x+: body; SPLIT(body, end). */
static void put_plus(struct emit *e, const struct re_node *x)
{
	uint32_t body = here(e);

	put_node(e, x);
	put(e, RI_SPLIT, body, here(e) + 1);
}

/* x*: SPLIT(body, end); body; SPLIT(body, end). */
static void put_star(struct emit *e, const struct re_node *x)
{
	uint32_t split = put(e, RI_SPLIT, here(e) + 1, 0);

	put_plus(e, x);
	if (!e->bad)
		inst(e, split)->y = here(e);
}

/* x(x(x)?)?: few ways are alive at a time. */
static void put_optional_inner(struct emit *e, const struct re_node *x, int count)
{
	uint32_t splits = UINT32_MAX;

	for (int i = 0; i < count && !e->bad; i++) {
		splits = put(e, RI_SPLIT, here(e) + 1, splits);
		put_node(e, x);
	}
	while (splits != UINT32_MAX && !e->bad) {
		uint32_t next = inst(e, splits)->y;
		inst(e, splits)->y = here(e);
		splits = next;
	}
}

/* (((x)?x)?x)?: the number of copies is chosen first. */
static void put_optional_outer(struct emit *e, const struct re_node *x, int count)
{
	uint32_t first = here(e);

	for (int i = 0; i < count; i++)
		put(e, RI_SPLIT, here(e) + 1, 0);
	for (int i = 0; i < count && !e->bad; i++) {
		put_node(e, x);
		/* The split that skips copies 0..i goes behind copy i. */
		if (!e->bad)
			inst(e, first + (uint32_t)(count - 1 - i))->y = here(e);
	}
}

static bool has_group(const struct re_node *node)
{
	/* Nodes are trees of limited depth; only a first look is needed. */
	for (; node; node = node->first)
		if (node->kind == RE_GROUP)
			return true;
		else if (node->kind == RE_CAT || node->kind == RE_ALT)
			return true;
	return false;
}

/* Does it match nothing, anywhere? Trees are of limited depth. */
static bool may_be_empty(const struct re_node *node, unsigned depth)
{
	bool all = true, some = false;

	if (depth > NEST_MAX || node->kind == RE_CHAR || node->kind == RE_SET ||
	    node->kind == RE_ASSERT || node->kind == RE_BACKREF)
		return false;
	if (node->kind == RE_REPEAT && !node->min)
		return true;
	for (const struct re_node *c = node->first; c; c = c->next) {
		if (may_be_empty(c, depth + 1))
			some = true;
		else
			all = false;
	}
	return node->kind == RE_ALT ? some : all;
}

static bool holds_group(const struct re_node *node, unsigned depth)
{
	bool holds = node->kind == RE_GROUP || depth > NEST_MAX;

	for (const struct re_node *c = node->first; c && !holds; c = c->next)
		holds = holds_group(c, depth + 1);
	return holds;
}

/* Has it an alternative that may be empty, and sets a group then, in front of one that
 * may be chosen in a second turn? */
static bool prefers_empty(const struct re_node *node, unsigned depth)
{
	if (depth > NEST_MAX)
		return true;
	for (const struct re_node *c = node->first; c; c = c->next) {
		const struct re_node *next = c->next;

		while (next && next->kind == RE_CAT && !next->first)
			next = next->next;
		if (node->kind == RE_ALT && next && may_be_empty(c, depth + 1) &&
		    holds_group(c, depth + 1))
			return true;
		if (prefers_empty(c, depth + 1))
			return true;
	}
	return false;
}

/* x{n,}: the last copy is the loop, so that it does not end with an x that matches
 * nothing after one that did not. But where x matches nothing at first, which sets
 * groups, and more in its second turn, these must be two copies. */
static void put_at_least(struct emit *e, const struct re_node *x, int copies)
{
	bool loop = copies && !prefers_empty(x, 0);

	if (loop)
		copies = copies > 1 && may_be_empty(x, 0) ? 0 : copies - 1;
	for (int i = 0; i < copies && !e->bad; i++)
		put_node(e, x);
	if (loop)
		put_plus(e, x);
	else
		put_star(e, x);
}

static void put_repeat(struct emit *e, const struct re_node *node)
{
	const struct re_node *x = node->first;

	if (node->max == -1) {
		put_at_least(e, x, node->min);
		return;
	}
	for (int i = 0; i < node->min && !e->bad; i++)
		put_node(e, x);
	if (node->max - node->min <= OUTER_MAX && node->max - node->min > 1 && has_group(x))
		put_optional_outer(e, x, node->max - node->min);
	else
		put_optional_inner(e, x, node->max - node->min);
}

static unsigned assert_uses(int32_t a)
{
	switch ((enum re_assert)a) {
	case RE_LINE_BEGIN:
	case RE_LINE_END:
		return RC_LINE;
	case RE_TEXT_BEGIN:
	case RE_TEXT_END:
		return RC_TEXT;
	default:
		return RC_WORD;
	}
}

static void put_node(struct emit *e, const struct re_node *node)
{
	if (e->bad || ++e->depth > NEST_MAX) {
		e->bad = true;
		return;
	}
	switch (node->kind) {
	case RE_EMPTY:
		break;
	case RE_CHAR:
		put(e, RI_CHAR, (uint32_t)node->c, 0);
		break;
	case RE_SET:
		put(e, RI_SET, node->set, 0);
		break;
	case RE_CAT:
		for (const struct re_node *c = node->first; c && !e->bad; c = c->next)
			put_node(e, c);
		break;
	case RE_ALT:
		put_alternatives(e, node);
		break;
	case RE_GROUP:
		put(e, RI_SAVE, 2 * (uint32_t)node->c, 0);
		put_node(e, node->first);
		put(e, RI_SAVE, 2 * (uint32_t)node->c + 1, 0);
		break;
	case RE_REPEAT:
		put_repeat(e, node);
		break;
	case RE_ASSERT:
		put(e, RI_ASSERT, (uint32_t)node->c, 0);
		e->re->uses |= assert_uses(node->c);
		break;
	case RE_BACKREF:
		put(e, RI_BACKREF, (uint32_t)node->c, 0);
		break;
	}
	e->depth--;
}

/* Does every match begin where the text does? Only a first assertion tells. */
static bool anchored(const struct regex *re)
{
	for (size_t i = 0; i < re->code.n; i++) {
		const struct re_inst *in = &re->code.at[i];
		if (in->op == RI_ASSERT)
			return in->x == RE_TEXT_BEGIN ||
			       (in->x == RE_LINE_BEGIN && re->line_byte < 0);
		if (in->op != RI_SAVE)
			return false;
	}
	return false;
}

/* What -w and -x put in front and behind. */
static void put_begin(struct emit *e)
{
	if (e->re->flags & REGEX_LINE)
		put(e, RI_ASSERT, RE_LINE_BEGIN, 0);
	if (e->re->flags & REGEX_WORD)
		put(e, RI_ASSERT, RE_NO_WORD_BEFORE, 0);
}

static bool put_end(struct emit *e)
{
	struct regex *re = e->re;

	if (re->flags & REGEX_WORD)
		put(e, RI_ASSERT, RE_NO_WORD_AFTER, 0);
	if (re->flags & REGEX_LINE)
		put(e, RI_ASSERT, RE_LINE_END, 0);
	put(e, RI_MATCH, 0, 0);
	re->uses |= (re->flags & REGEX_LINE ? RC_LINE : 0) | (re->flags & REGEX_WORD ? RC_WORD : 0);
	re->anchored = !e->bad && anchored(re);
	return !e->bad;
}

bool re_compile(struct regex *re, const struct re_node *tree)
{
	struct emit e = { re, 0, RE_PROGRAM_MAX, false };

	put_begin(&e);
	put_node(&e, tree);
	return put_end(&e);
}

bool re_compile_words(struct regex *re, const char *const *patterns, const size_t *lens,
		      size_t count)
{
	struct emit e = { re, 0, RE_WORDS_MAX + 8, false };

	put_begin(&e);
	e.bad |= !re_words_put(re, patterns, lens, count);
	return put_end(&e);
}
