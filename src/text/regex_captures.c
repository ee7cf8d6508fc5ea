/*
 * All threads at once: time is text times program, whatever the pattern. Two
 * uses. With an end, submatches: every thread carries its slots (shared until
 * written), lists are in order of preference, and the first thread that
 * matches at the end wins. Without an end, where the leftmost-longest match is,
 * when the automaton would have to try too many places: threads carry where
 * they began, and an older one keeps younger ones from its places.
 */
#include "text/regex_impl.h"

#include <string.h>

#include "base/heap.h"

struct thread {
	uint32_t pc;
	size_t tag;			/* index of its slots, or where it began */
};

struct threads {
	VEC(struct thread) t;
};

struct re_threads {
	uint32_t *mark;			/* by pc: the turn it was reached in */
	uint32_t turn;
	struct threads now, next;
	VEC(struct thread) stack;
	VEC(size_t) slots;		/* n_slots each */
	VEC(uint32_t) refs;		/* by index of slots */
	VEC(uint32_t) unused;
	size_t n_slots;			/* 0: tags are where threads began */
};

static void release(struct regex *re, struct re_threads *w, size_t tag)
{
	if (!w->n_slots || --w->refs.at[tag])
		return;
	uint32_t *slot = vec_add(re->heap, &w->unused);
	if (slot)
		*slot = (uint32_t)tag;
}

static void retain(struct re_threads *w, size_t tag)
{
	if (w->n_slots)
		w->refs.at[tag]++;
}

/* The index of unused slots, or RE_NONE. */
static size_t slots_new(struct regex *re, struct re_threads *w)
{
	size_t tag = w->refs.n;

	if (w->unused.n) {
		tag = vec_pop(&w->unused);
		w->refs.at[tag] = 1;
		return tag;
	}
	while (w->slots.n < (tag + 1) * w->n_slots)
		if (!vec_grow_(re->heap, &w->slots.at, w->slots.n, &w->slots.cap, sizeof(size_t)))
			return RE_NONE;
		else
			w->slots.n++;
	uint32_t *refs = vec_add(re->heap, &w->refs);
	if (!refs)
		return RE_NONE;
	*refs = 1;
	return tag;
}

/* The tag whose slot is set: the same, or a copy of its own; RE_NONE. */
static size_t write_slot(struct regex *re, struct re_threads *w, size_t tag, size_t slot, size_t at)
{
	if (slot >= w->n_slots)
		return tag;
	if (w->refs.at[tag] > 1) {
		size_t copy = slots_new(re, w);
		if (copy == RE_NONE)
			return RE_NONE;
		memcpy(w->slots.at + copy * w->n_slots, w->slots.at + tag * w->n_slots,
		       w->n_slots * sizeof(size_t));
		w->refs.at[tag]--;
		tag = copy;
	}
	w->slots.at[tag * w->n_slots + slot] = at;
	return tag;
}

static void push(struct regex *re, struct re_threads *w, uint32_t pc, size_t tag)
{
	struct thread *slot = vec_add(re->heap, &w->stack);

	if (slot)
		*slot = (struct thread){ pc, tag };
}

/* Adds pc and all it leads to without taking a unit; owns tag. */
static void add(struct regex *re, struct re_threads *w, struct threads *to, uint32_t pc, size_t tag,
		size_t at, unsigned before, unsigned after)
{
	push(re, w, pc, tag);
	while (w->stack.n) {
		struct thread t = vec_pop(&w->stack);
		const struct re_inst *in = &re->code.at[t.pc];
		if (w->mark[t.pc] == w->turn) {
			release(re, w, t.tag);
			continue;
		}
		w->mark[t.pc] = w->turn;
		if (in->op == RI_JMP) {
			push(re, w, in->x, t.tag);
		} else if (in->op == RI_SPLIT) {
			retain(w, t.tag);
			push(re, w, in->y, t.tag);
			push(re, w, in->x, t.tag);
		} else if (in->op == RI_SAVE) {
			size_t tag_set = write_slot(re, w, t.tag, in->x, at);
			if (tag_set != RE_NONE)
				push(re, w, t.pc + 1, tag_set);
		} else if (in->op == RI_ASSERT) {
			if (re_holds((enum re_assert)in->x, before, after))
				push(re, w, t.pc + 1, t.tag);
			else
				release(re, w, t.tag);
		} else {
			struct thread *slot = vec_add(re->heap, &to->t);
			if (slot)
				*slot = t;
		}
	}
}

static bool takes(const struct regex *re, const struct re_inst *in, int32_t unit)
{
	return in->op == RI_CHAR ? (int32_t)in->x == unit :
	       in->op == RI_SET && re_set_has(re->sets.at[in->x], unit);
}

static void next_turn(struct regex *re, struct re_threads *w)
{
	if (++w->turn == 0) {
		memset(w->mark, 0, re->code.n * sizeof(*w->mark));
		w->turn = 1;
	}
}

static struct re_threads *workspace(struct regex *re, size_t n_slots)
{
	struct re_threads *w = re->threads;

	if (!w) {
		w = arena_zalloc(&re->arena, sizeof(*w));
		if (!w)
			return NULL;
		w->mark = arena_zalloc(&re->arena, re->code.n * sizeof(*w->mark));
		re->threads = w;
	}
	w->now.t.n = w->next.t.n = w->stack.n = w->slots.n = w->refs.n = w->unused.n = 0;
	w->n_slots = n_slots;
	return w->mark ? w : NULL;
}

static void swap(struct re_threads *w)
{
	struct threads t = w->now;

	w->now = w->next;
	w->next = t;
	w->next.t.n = 0;
}

/* Submatches of [from, end). */
static bool run_exact(struct regex *re, struct re_threads *w, const struct re_text *t, size_t from,
		      size_t end, size_t *slots)
{
	size_t at = from, tag = slots_new(re, w);

	if (tag == RE_NONE)
		return false;
	for (size_t i = 0; i < w->n_slots; i++)
		w->slots.at[tag * w->n_slots + i] = RE_NONE;
	next_turn(re, w);
	add(re, w, &w->now, 0, tag, at, re_context_before(re, t, at), re_context_after(re, t, at));
	while (at < end && w->now.t.n) {
		int32_t unit;
		at += re_unit(re, t->p + at, t->n - at, &unit);
		unsigned before = re_context_before(re, t, at), after = re_context_after(re, t, at);
		next_turn(re, w);
		for (size_t i = 0; i < w->now.t.n; i++) {
			struct thread th = w->now.t.at[i];
			if (takes(re, &re->code.at[th.pc], unit))
				add(re, w, &w->next, th.pc + 1, th.tag, at, before, after);
			else
				release(re, w, th.tag);
		}
		re_tick(re, w->now.t.n);
		swap(w);
	}
	for (size_t i = 0; at == end && i < w->now.t.n; i++) {
		struct thread th = w->now.t.at[i];
		if (re->code.at[th.pc].op != RI_MATCH)
			continue;
		memcpy(slots, w->slots.at + th.tag * w->n_slots, w->n_slots * sizeof(size_t));
		return true;
	}
	return false;
}

/* Notes matches at `at`, and drops the threads younger than the best. */
static void note_matches(struct regex *re, struct re_threads *w, size_t at, size_t *so, size_t *eo)
{
	for (size_t i = 0; i < w->now.t.n; i++) {
		struct thread th = w->now.t.at[i];
		if (*so != RE_NONE && th.tag > *so) {
			w->now.t.n = i;
			break;
		}
		if (re->code.at[th.pc].op == RI_MATCH) {
			*so = th.tag;
			*eo = at;
		}
	}
}

static bool run_leftmost(struct regex *re, struct re_threads *w, const struct re_text *t,
			 size_t from, size_t *so, size_t *eo)
{
	size_t at = from;
	int32_t unit;

	*so = RE_NONE;
	next_turn(re, w);
	for (;;) {
		if (*so == RE_NONE)
			add(re, w, &w->now, 0, at, at, re_context_before(re, t, at),
			    re_context_after(re, t, at));
		note_matches(re, w, at, so, eo);
		if (at >= t->n || (!w->now.t.n && *so != RE_NONE))
			return *so != RE_NONE;
		at += re_unit(re, t->p + at, t->n - at, &unit);
		unsigned before = re_context_before(re, t, at), after = re_context_after(re, t, at);
		next_turn(re, w);
		for (size_t i = 0; i < w->now.t.n; i++) {
			struct thread th = w->now.t.at[i];
			if (takes(re, &re->code.at[th.pc], unit))
				add(re, w, &w->next, th.pc + 1, th.tag, at, before, after);
		}
		re_tick(re, w->now.t.n + 1);
		swap(w);
	}
}

bool re_simulate(struct regex *re, const struct re_text *t, size_t from, size_t end,
		 size_t *slots, size_t n_slots)
{
	struct re_threads *w = workspace(re, end == RE_NONE ? 0 : n_slots);

	if (!w)
		return false;
	if (end == RE_NONE)
		return run_leftmost(re, w, t, from, &slots[0], &slots[1]);
	return run_exact(re, w, t, from, end, slots);
}

void re_threads_free(struct regex *re)
{
	struct re_threads *w = re->threads;

	if (!w)
		return;
	vec_end(re->heap, &w->now.t);
	vec_end(re->heap, &w->next.t);
	vec_end(re->heap, &w->stack);
	vec_end(re->heap, &w->slots);
	vec_end(re->heap, &w->refs);
	vec_end(re->heap, &w->unused);
}
