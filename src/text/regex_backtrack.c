/*
 * One thread after another, first choice first, with a memory of what was tried
 * and led nowhere. Without back-references the memory is a bitmap of (choice,
 * place), so the work is bounded by program times text and this is the fast way
 * to submatches. With back-references what follows also depends on the groups
 * that are referred to, so the memory is a hash set that includes them, and a
 * budget of steps ends what it cannot bound.
 */
#include "text/regex_impl.h"

#include <string.h>

#include "base/heap.h"

enum { SEEN_MAX = 1 << 20 };

/* What to do when a thread fails. */
struct frame {
	uint32_t pc;			/* go on here; UINT32_MAX: restore a slot */
	uint32_t slot;
	size_t at;			/* place, or the slot's old value */
};

struct re_memory {
	VEC(struct frame) stack;
	uint64_t *bits;
	size_t n_bits;
	uint64_t *seen;			/* hashes, 0 free */
	size_t n_seen, cap_seen;
	VEC(size_t) slots;
	VEC(uint32_t) refs;		/* groups that are referred to */
};

struct walk {
	struct regex *re;
	struct re_memory *m;
	const struct re_text *t;
	size_t from, end, best;
	size_t *out;
	size_t n_out;
	size_t steps, budget;
};

static struct re_memory *memory(struct regex *re)
{
	if (re->memory)
		return re->memory;
	re->memory = arena_zalloc(&re->arena, sizeof(*re->memory));
	for (size_t i = 0; re->memory && i < re->code.n; i++) {
		uint32_t *slot;
		if (re->code.at[i].op == RI_BACKREF &&
		    (slot = vec_add(re->heap, &re->memory->refs)))
			*slot = re->code.at[i].x;
	}
	return re->memory;
}

static bool memory_begin(struct walk *w)
{
	struct re_memory *m = w->m;
	size_t n = 2 * (w->re->groups + 1);

	m->stack.n = m->slots.n = 0;
	while (m->slots.n < n) {
		size_t *slot = vec_add(w->re->heap, &m->slots);
		if (!slot)
			return false;
		*slot = RE_NONE;
	}
	if (w->re->backrefs) {
		if (m->n_seen)
			memset(m->seen, 0, m->cap_seen * sizeof(*m->seen));
		m->n_seen = 0;
		return true;
	}
	size_t words = (w->re->code.n * (w->end - w->from + 1) + 63) / 64;
	if (words > m->n_bits) {
		heap_free(w->re->heap, m->bits);
		m->bits = heap_alloc(w->re->heap, words * sizeof(*m->bits));
		m->n_bits = m->bits ? words : 0;
	}
	if (m->bits)
		memset(m->bits, 0, words * sizeof(*m->bits));
	return m->bits;
}

static bool seen_grow(struct walk *w)
{
	struct re_memory *m = w->m;
	size_t cap = m->cap_seen ? m->cap_seen * 2 : 256;
	uint64_t *seen = cap <= SEEN_MAX ? heap_zalloc(w->re->heap, cap * sizeof(*seen)) : NULL;

	if (!seen)
		return false;
	for (size_t i = 0; i < m->cap_seen; i++) {
		size_t at = m->seen[i] & (cap - 1);
		if (!m->seen[i])
			continue;
		while (seen[at])
			at = (at + 1) & (cap - 1);
		seen[at] = m->seen[i];
	}
	heap_free(w->re->heap, m->seen);
	m->seen = seen;
	m->cap_seen = cap;
	return true;
}

static bool seen_hashed(struct walk *w, uint32_t pc, size_t at)
{
	struct re_memory *m = w->m;
	uint64_t h = (at * 0x9e3779b97f4a7c15u + pc) * 0xff51afd7ed558ccdu;

	for (size_t i = 0; i < m->refs.n; i++) {
		size_t g = m->refs.at[i];
		h = (h ^ h >> 29 ^ m->slots.at[2 * g]) * 0xc4ceb9fe1a85ec53u;
		h = (h ^ h >> 32 ^ m->slots.at[2 * g + 1]) * 0x9fb21c651e98df25u;
	}
	h ^= h >> 31;
	h += !h;
	if (m->n_seen * 2 >= m->cap_seen && !seen_grow(w))
		return false;
	size_t i = h & (m->cap_seen - 1);
	for (; m->seen[i]; i = (i + 1) & (m->cap_seen - 1))
		if (m->seen[i] == h)
			return true;
	m->seen[i] = h;
	m->n_seen++;
	return false;
}

/* Was this choice at this place tried before? */
static bool tried(struct walk *w, uint32_t pc, size_t at)
{
	if (w->re->backrefs)
		return seen_hashed(w, pc, at);
	size_t bit = pc * (w->end - w->from + 1) + (at - w->from);
	uint64_t mask = (uint64_t)1 << (bit & 63);
	bool was = w->m->bits[bit >> 6] & mask;
	w->m->bits[bit >> 6] |= mask;
	return was;
}

static void push(struct walk *w, uint32_t pc, uint32_t slot, size_t at)
{
	struct frame *f = vec_add(w->re->heap, &w->m->stack);

	if (f)
		*f = (struct frame){ pc, slot, at };
}

/* Takes the text of the group again: the place behind, or RE_NONE. */
static size_t take_group(const struct walk *w, uint32_t group, size_t at)
{
	const struct re_text *t = w->t;
	size_t so = w->m->slots.at[2 * group], eo = w->m->slots.at[2 * group + 1];

	if (so == RE_NONE || eo == RE_NONE || so > eo)
		return RE_NONE;
	if (!w->re->icase) {
		if (eo - so > t->n - at || memcmp(t->p + so, t->p + at, eo - so))
			return RE_NONE;
		return at + (eo - so);
	}
	while (so < eo) {
		int32_t a, b;
		if (at >= t->n)
			return RE_NONE;
		so += re_unit(w->re, t->p + so, eo - so, &a);
		at += re_unit(w->re, t->p + at, t->n - at, &b);
		if (re_upper(w->re, a) != re_upper(w->re, b))
			return RE_NONE;
	}
	return at;
}

static size_t take_unit(const struct walk *w, const struct re_inst *in, size_t at)
{
	int32_t unit;

	if (at >= (w->end == RE_NONE ? w->t->n : w->end))
		return RE_NONE;
	at += re_unit(w->re, w->t->p + at, w->t->n - at, &unit);
	if (in->op == RI_CHAR ? (int32_t)in->x != unit :
	    !re_set_has(w->re->sets.at[in->x], unit))
		return RE_NONE;
	return at;
}

/* A match that ends at `at`: true if it is the one wanted. */
static bool accept(struct walk *w, size_t at)
{
	if (w->end != RE_NONE ? at != w->end : w->best != RE_NONE && at <= w->best)
		return false;
	w->best = at;
	for (size_t i = 0; i < w->n_out; i++)
		w->out[i] = i < w->m->slots.n ? w->m->slots.at[i] : RE_NONE;
	return w->end != RE_NONE || at == w->t->n;
}

/* Runs one thread until it fails (false) or the wanted match is found (true). */
static bool run(struct walk *w, uint32_t pc, size_t at)
{
	for (;;) {
		const struct re_inst *in = &w->re->code.at[pc];
		w->steps++;
		switch (in->op) {
		case RI_CHAR:
		case RI_SET:
			at = take_unit(w, in, at);
			break;
		case RI_BACKREF:
			at = take_group(w, in->x, at);
			break;
		case RI_ASSERT:
			if (!re_holds((enum re_assert)in->x, re_context_before(w->re, w->t, at),
				      re_context_after(w->re, w->t, at)))
				return false;
			break;
		case RI_SAVE:
			push(w, UINT32_MAX, in->x, w->m->slots.at[in->x]);
			w->m->slots.at[in->x] = at;
			break;
		case RI_JMP:
			pc = in->x;
			continue;
		case RI_SPLIT:
			if (tried(w, pc, at))
				return false;
			push(w, in->y, 0, at);
			pc = in->x;
			continue;
		default:
			return accept(w, at);
		}
		if (at == RE_NONE)
			return false;
		pc++;
	}
}

enum regex_status re_backtrack(struct regex *re, const struct re_text *t, size_t from, size_t end,
			       size_t *slots, size_t n_slots)
{
	struct walk w = { .re = re, .m = memory(re), .t = t, .from = from, .end = end,
			  .best = RE_NONE, .out = slots, .n_out = n_slots };
	size_t reported = 0;

	w.budget = RE_BACKTRACK_MAX;
	if (!w.m || !memory_begin(&w))
		return REGEX_NOMATCH;
	push(&w, 0, 0, from);
	while (w.m->stack.n) {
		struct frame f = vec_pop(&w.m->stack);
		if (f.pc == UINT32_MAX) {
			w.m->slots.at[f.slot] = f.at;
			continue;
		}
		if (run(&w, f.pc, f.at))
			break;
		if (w.steps - reported > RE_TICK) {
			re_tick(re, w.steps - reported);
			reported = w.steps;
			if (re->backrefs && w.steps > w.budget)
				return REGEX_BUDGET;
		}
	}
	re->spent += w.steps;
	if (w.best == RE_NONE)
		return REGEX_NOMATCH;
	if (n_slots > 1) {
		slots[0] = from;
		slots[1] = w.best;
	}
	return REGEX_MATCH;
}

void re_memory_free(struct regex *re)
{
	struct re_memory *m = re->memory;

	if (!m)
		return;
	vec_end(re->heap, &m->stack);
	vec_end(re->heap, &m->slots);
	vec_end(re->heap, &m->refs);
	heap_free(re->heap, m->bits);
	heap_free(re->heap, m->seen);
}
