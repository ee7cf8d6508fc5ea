/*
 * The engine behind extended patterns and ${x#p}: simulates all ways to match at
 * once. A set of threads is interned and gets a number, so that steps can be
 * remembered: a lazily built automaton over characters.
 *
 * !(...) needs more than a place in the program: a thread inside one carries the
 * number of the set that the inner pattern has reached. It goes on behind the
 * group wherever that set does not accept. Equal threads merge, so the work per
 * character stays bounded by the pattern, however the groups are nested.
 */
#include "text/pattern_impl.h"

#include <string.h>

#include "base/heap.h"

struct pat_thread {
	uint32_t pc;
	uint32_t sub;			/* PI_NOT: the inner set; else 0 */
};

struct pat_state {
	uint32_t off, n;		/* in pool */
	uint32_t hash;
	bool accept;
	uint32_t *ascii;		/* next set + 1 by unit < 128, 0 unknown; or NULL */
};

struct pat_store {
	VEC(struct pat_thread) pool;
	VEC(struct pat_state) states;
	uint32_t *slots;		/* state + 1, 0 free */
	size_t n_slots, bytes;
};

/* One a nesting level of !(...). */
struct pat_scratch {
	VEC(struct pat_thread) list;
	VEC(uint32_t) stack;
	uint32_t *mark;			/* by pc: the turn it was added in */
	uint32_t turn;
};

struct pat_engine {
	struct tsb_heap *heap;
	struct pat_prog prog;
	struct pat_store store;
	struct pat_scratch scratch[PAT_DEPTH_MAX + 2];
	unsigned flags;
	bool restart, bad;
	uint32_t start;			/* + 1 */
	uint8_t may_start[32];		/* bitmap, valid when start_known */
	bool start_known;
};

static uint32_t threads_hash(const struct pat_thread *t, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ n;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ t[i].pc) * 0xff51afd7ed558ccdu;
		h = (h ^ t[i].sub ^ h >> 31) * 0xc4ceb9fe1a85ec53u;
	}
	return (uint32_t)(h ^ h >> 32);
}

static bool store_grow(struct pat_engine *e)
{
	struct pat_store *s = &e->store;
	size_t n = s->n_slots ? s->n_slots * 2 : 64;
	uint32_t *slots = heap_zalloc(e->heap, n * sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < s->states.n; i++) {
		size_t at = s->states.at[i].hash & (n - 1);
		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = (uint32_t)i + 1;
	}
	heap_free(e->heap, s->slots);
	s->slots = slots;
	s->n_slots = n;
	return true;
}

static void store_end(struct tsb_heap *heap, struct pat_store *s)
{
	for (size_t i = 0; i < s->states.n; i++)
		heap_free(heap, s->states.at[i].ascii);
	vec_end(heap, &s->states);
	vec_end(heap, &s->pool);
	heap_free(heap, s->slots);
	*s = (struct pat_store){ 0 };
}

/* Threads in order of pc: sets that are equal look equal. */
static void sort_threads(struct pat_thread *t, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct pat_thread x = t[i];
		size_t j = i;
		for (; j && (t[j - 1].pc > x.pc || (t[j - 1].pc == x.pc && t[j - 1].sub > x.sub));
		     j--)
			t[j] = t[j - 1];
		t[j] = x;
	}
}

static uint32_t intern(struct pat_engine *e, struct pat_thread *t, size_t n)
{
	struct pat_store *s = &e->store;
	uint32_t hash;

	sort_threads(t, n);
	hash = threads_hash(t, n);
	if (s->states.n * 2 >= s->n_slots && !store_grow(e))
		return 0;
	size_t at = hash & (s->n_slots - 1);
	for (; s->slots[at]; at = (at + 1) & (s->n_slots - 1)) {
		const struct pat_state *st = &s->states.at[s->slots[at] - 1];
		if (st->hash == hash && st->n == n &&
		    (!n || !memcmp(s->pool.at + st->off, t, n * sizeof(*t))))
			return s->slots[at] - 1;
	}
	while (s->pool.cap < s->pool.n + n)
		if (!vec_grow_(e->heap, &s->pool.at, s->pool.cap, &s->pool.cap, sizeof(*t)))
			return 0;
	struct pat_state *st = vec_add(e->heap, &s->states);
	if (!st)
		return 0;
	*st = (struct pat_state){ (uint32_t)s->pool.n, (uint32_t)n, hash, false, NULL };
	for (size_t i = 0; i < n; i++) {
		s->pool.at[s->pool.n++] = t[i];
		st->accept |= e->prog.code.at[t[i].pc].op == PI_MATCH;
	}
	s->slots[at] = (uint32_t)s->states.n;
	s->bytes += sizeof(*st) + n * sizeof(*t) + 2 * sizeof(uint32_t);
	return (uint32_t)s->states.n - 1;
}

static bool scratch_begin(struct pat_engine *e, struct pat_scratch *sc)
{
	if (!sc->mark)
		sc->mark = heap_zalloc(e->heap, e->prog.code.n * sizeof(*sc->mark));
	sc->list.n = sc->stack.n = 0;
	if (++sc->turn == 0 && sc->mark) {
		memset(sc->mark, 0, e->prog.code.n * sizeof(*sc->mark));
		sc->turn = 1;
	}
	return sc->mark;
}

static void push(struct pat_engine *e, struct pat_scratch *sc, uint32_t pc)
{
	if (sc->mark[pc] == sc->turn)
		return;
	sc->mark[pc] = sc->turn;
	uint32_t *slot = vec_add(e->heap, &sc->stack);
	if (slot)
		*slot = pc;
}

static void add_thread(struct pat_engine *e, struct pat_scratch *sc, uint32_t pc, uint32_t sub)
{
	struct pat_thread *slot = vec_add(e->heap, &sc->list);

	if (slot)
		*slot = (struct pat_thread){ pc, sub };
}

static void add_not(struct pat_engine *e, struct pat_scratch *sc, uint32_t pc, uint32_t sub)
{
	for (size_t i = 0; i < sc->list.n; i++)
		if (sc->list.at[i].pc == pc && sc->list.at[i].sub == sub)
			return;
	add_thread(e, sc, pc, sub);
	if (!e->store.states.at[sub].accept)
		push(e, sc, e->prog.code.at[pc].y);
}

static uint32_t begin_at(struct pat_engine *e, uint32_t pc, unsigned depth);

/* Everything reached from what is on the stack without taking a unit. */
static void follow(struct pat_engine *e, unsigned depth)
{
	struct pat_scratch *sc = &e->scratch[depth];

	while (sc->stack.n) {
		uint32_t pc = vec_pop(&sc->stack);
		const struct pat_inst *in = &e->prog.code.at[pc];
		switch (in->op) {
		case PI_JMP:
			push(e, sc, in->x);
			break;
		case PI_SPLIT:
			push(e, sc, in->y);
			push(e, sc, in->x);
			break;
		case PI_NOT:
			add_not(e, sc, pc, begin_at(e, in->x, depth + 1));
			break;
		case PI_LOOP:
			push(e, sc, pc + 1);
			add_thread(e, sc, pc, 0);
			break;
		default:
			add_thread(e, sc, pc, 0);
			break;
		}
	}
}

/* The set of threads at pc and what follows from it. */
static uint32_t begin_at(struct pat_engine *e, uint32_t pc, unsigned depth)
{
	struct pat_scratch *sc = &e->scratch[depth];

	if (!scratch_begin(e, sc))
		return 0;
	push(e, sc, pc);
	follow(e, depth);
	return intern(e, sc->list.at, sc->list.n);
}

/* May a wildcard take c? */
static bool wild(const struct pat_engine *e, int32_t c)
{
	return c != PAT_DOT && !(c == '/' && (e->flags & PATTERN_PATHNAME));
}

static uint32_t step(struct pat_engine *e, uint32_t state, int32_t c, unsigned depth)
{
	struct pat_scratch *sc = &e->scratch[depth];
	int32_t plain = c == PAT_DOT ? '.' : e->flags & PATTERN_ICASE ? pattern_fold(c) : c;
	uint32_t n = e->store.states.at[state].n, off = e->store.states.at[state].off;

	if (!scratch_begin(e, sc))
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		struct pat_thread t = e->store.pool.at[off + i];
		const struct pat_inst *in = &e->prog.code.at[t.pc];
		bool takes = in->op == PI_CHAR ? (int32_t)in->x == plain :
			     wild(e, c) && (in->op != PI_SET ||
					    pattern_set_has(e->prog.sets.at[in->x], c));
		if (in->op == PI_MATCH || !takes)
			continue;
		if (in->op == PI_NOT)
			add_not(e, sc, t.pc, step(e, t.sub, c, depth + 1));
		else
			push(e, sc, in->op == PI_LOOP ? t.pc : t.pc + 1);
	}
	if (e->restart && depth == 0)
		push(e, sc, 0);
	follow(e, depth);
	return intern(e, sc->list.at, sc->list.n);
}

/* Copies a set of an old store, and the sets inside it, into the new one. */
static uint32_t carry(struct pat_engine *e, const struct pat_store *old, uint32_t state,
		      unsigned depth)
{
	const struct pat_state *st = &old->states.at[state];
	struct pat_thread *t = heap_array(e->heap, st->n + 1, sizeof(*t));
	uint32_t id;

	if (!t)
		return 0;
	for (uint32_t i = 0; i < st->n; i++) {
		t[i] = old->pool.at[st->off + i];
		if (e->prog.code.at[t[i].pc].op == PI_NOT && depth < PAT_DEPTH_MAX)
			t[i].sub = carry(e, old, t[i].sub, depth + 1);
	}
	id = intern(e, t, st->n);
	heap_free(e->heap, t);
	return id;
}

static uint32_t flush(struct pat_engine *e, uint32_t state)
{
	struct pat_store old = e->store;
	uint32_t id;

	e->store = (struct pat_store){ 0 };
	e->start = 0;
	intern(e, NULL, 0);
	id = carry(e, &old, state, 0);
	store_end(e->heap, &old);
	return id;
}

struct pat_engine *pat_engine_new(struct pattern *pat, enum pat_direction dir)
{
	struct pat_engine *e = heap_zalloc(pat->heap, sizeof(*e));

	if (!e)
		return NULL;
	e->heap = pat->heap;
	e->flags = pat->flags;
	e->restart = dir == PAT_ANYWHERE;
	pattern_program(pat, &e->prog, dir == PAT_BACKWARD);
	intern(e, NULL, 0);
	e->bad = e->prog.bad || !e->store.states.n;
	return e;
}

void pat_engine_free(struct tsb_heap *heap, struct pat_engine *e)
{
	if (!e)
		return;
	store_end(heap, &e->store);
	for (size_t i = 0; i < sizeof(e->scratch) / sizeof(*e->scratch); i++) {
		vec_end(heap, &e->scratch[i].list);
		vec_end(heap, &e->scratch[i].stack);
		heap_free(heap, e->scratch[i].mark);
	}
	vec_end(heap, &e->prog.code);
	vec_end(heap, &e->prog.sets);
	heap_free(heap, e);
}

uint32_t pat_start(struct pat_engine *e)
{
	if (!e || e->bad)
		return 0;
	if (!e->start)
		e->start = begin_at(e, 0, 0) + 1;
	return e->start - 1;
}

uint32_t pat_step(struct pat_engine *e, uint32_t state, int32_t c)
{
	struct pat_store *s;
	uint32_t next;

	if (!e || e->bad)
		return 0;
	s = &e->store;
	if (c < 128 && s->states.at[state].ascii && s->states.at[state].ascii[c])
		return s->states.at[state].ascii[c] - 1;
	if (s->states.n > PAT_STATES_MAX || s->bytes > PAT_CACHE_MAX)
		state = flush(e, state);
	if (!s->states.n) {
		e->bad = true;
		return 0;
	}
	next = step(e, state, c, 0);
	if (c >= 128)
		return next;
	if (!s->states.at[state].ascii) {
		s->states.at[state].ascii = heap_zalloc(e->heap, 128 * sizeof(uint32_t));
		s->bytes += 128 * sizeof(uint32_t);
	}
	if (s->states.at[state].ascii)
		s->states.at[state].ascii[c] = next + 1;
	return next;
}

bool pat_accepts(const struct pat_engine *e, uint32_t state)
{
	return e && !e->bad && e->store.states.at[state].accept;
}

bool pat_may_start(struct pat_engine *e, unsigned char byte)
{
	if (!e || e->bad)
		return false;
	if (!e->start_known) {
		for (int c = 0; c < 128; c++) {
			uint32_t next = pat_step(e, pat_start(e), c);
			if (e->store.states.at[next].n)
				e->may_start[c >> 3] |= (uint8_t)(1 << (c & 7));
		}
		memset(e->may_start + 16, 0xff, 16);
		e->start_known = true;
	}
	return e->may_start[byte >> 3] >> (byte & 7) & 1;
}
