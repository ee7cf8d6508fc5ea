/*
 * Pattern tree -> program for the set engine, forward, or reversed for matching
 * from the end of the text back (then the sequences are emitted last to first).
 */
#include "text/pattern_impl.h"

#include "base/heap.h"

struct emit {
	struct tsb_heap *heap;
	struct pat_prog *prog;
	bool reverse, icase;
	unsigned flags;
};

static uint32_t here(const struct emit *e)
{
	return (uint32_t)e->prog->code.n;
}

static uint32_t put(struct emit *e, enum pat_op op, uint32_t x, uint32_t y)
{
	uint32_t at = here(e);
	struct pat_inst *in = at < PAT_PROGRAM_MAX ? vec_add(e->heap, &e->prog->code) : NULL;

	if (!in) {
		e->prog->bad = true;
		return 0;
	}
	*in = (struct pat_inst){ (uint32_t)op, x, y };
	return at;
}

static void put_literal(struct emit *e, const struct pat_node *node)
{
	size_t at = e->reverse ? node->n : 0;
	int32_t c;

	while (e->reverse ? at > 0 : at < node->n) {
		if (e->reverse)
			at -= pattern_unit_back(e->flags, node->lit, at, &c);
		else
			at += pattern_unit(e->flags, node->lit + at, node->n - at, &c);
		put(e, PI_CHAR, (uint32_t)(e->icase ? pattern_fold(c) : c), 0);
	}
}

static void put_sequence(struct emit *e, const struct pat_node *first);

/* The alternatives, each ending where the code goes on. */
static void put_alternatives(struct emit *e, const struct pat_alt *alt)
{
	uint32_t jumps = UINT32_MAX;	/* chain of JMPs to patch, through their x */

	for (; alt; alt = alt->next) {
		uint32_t split = alt->next ? put(e, PI_SPLIT, here(e) + 1, 0) : 0;
		put_sequence(e, alt->first);
		if (e->prog->bad)
			return;
		if (alt->next) {
			jumps = put(e, PI_JMP, jumps, 0);
			e->prog->code.at[split].y = here(e);
		}
	}
	while (jumps != UINT32_MAX && !e->prog->bad) {
		uint32_t next = e->prog->code.at[jumps].x;
		e->prog->code.at[jumps].x = here(e);
		jumps = next;
	}
}

static void put_group(struct emit *e, const struct pat_node *node)
{
	uint32_t start = here(e);

	switch (node->op) {
	case '!':
		put(e, PI_NOT, start + 1, 0);
		put_alternatives(e, node->alts);
		put(e, PI_MATCH, 0, 0);
		break;
	case '?':
	case '*':
		put(e, PI_SPLIT, start + 1, 0);
		put_alternatives(e, node->alts);
		if (node->op == '*')
			put(e, PI_JMP, start, 0);
		break;
	case '+':
		put_alternatives(e, node->alts);
		put(e, PI_SPLIT, start, here(e) + 1);
		return;
	default:
		put_alternatives(e, node->alts);
		return;
	}
	if (!e->prog->bad)
		e->prog->code.at[start].y = here(e);
}

static void put_node(struct emit *e, const struct pat_node *node)
{
	const struct pat_set **slot;

	switch (node->kind) {
	case PAT_LIT:
		put_literal(e, node);
		break;
	case PAT_ANY:
		put(e, PI_ANY, 0, 0);
		break;
	case PAT_STAR:
		put(e, PI_LOOP, 0, 0);
		break;
	case PAT_SET:
		put(e, PI_SET, (uint32_t)e->prog->sets.n, 0);
		slot = vec_add(e->heap, &e->prog->sets);
		if (slot)
			*slot = node->set;
		else
			e->prog->bad = true;
		break;
	case PAT_GROUP:
		put_group(e, node);
		break;
	}
}

static void put_sequence(struct emit *e, const struct pat_node *first)
{
	VEC(const struct pat_node *) nodes = { 0 };

	for (const struct pat_node *node = first; node && !e->prog->bad; node = node->next) {
		if (!e->reverse) {
			put_node(e, node);
			continue;
		}
		const struct pat_node **slot = vec_add(e->heap, &nodes);
		if (slot)
			*slot = node;
	}
	while (nodes.n && !e->prog->bad)
		put_node(e, vec_pop(&nodes));
	vec_end(e->heap, &nodes);
}

void pattern_program(struct pattern *pat, struct pat_prog *prog, bool reverse)
{
	struct emit e = { pat->heap, prog, reverse, pat->flags & PATTERN_ICASE,
			  pat->flags };

	put_sequence(&e, pat->first);
	put(&e, PI_MATCH, 0, 0);
}
