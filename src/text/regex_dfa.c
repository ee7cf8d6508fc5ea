/*
 * Makes the states of the lazy automaton. A state is the set of program places
 * the threads stand at, followed through everything but assertions; those wait
 * for the next unit, because only then both sides of the place are known. A
 * match is therefore noticed one unit late: the entry for the unit behind it
 * says so. The end of the text is a class of its own.
 *
 * Units fall into classes that the program cannot tell apart. The table has a
 * row of classes for every state. Classes of single bytes are known from the
 * start; those of other units are found when they occur (signature: which sets
 * and characters of the program hold the unit).
 *
 * Memory is bounded: when the table is too big everything is dropped but the
 * current state, and built again.
 */
#include "text/regex_dfa.h"

#include <string.h>

#include "base/heap.h"

enum { HIGH_SLACK = 16, CLASSES_MAX = 4096 };

/* ---- Classes ---- */

/* Splits every class by whether its units are in the set (512 booleans). */
static void refine(struct regex *re, struct re_dfa *d, const bool *in, int end)
{
	uint32_t n = (uint32_t)d->reps.n;
	uint16_t *split = heap_zalloc(re->heap, n * sizeof(*split));
	bool *yes = heap_zalloc(re->heap, n), *no = heap_zalloc(re->heap, n);

	if (!split || !yes || !no)
		return;
	for (int b = 0; b < end; b++)
		(in[b] ? yes : no)[d->class_of[b]] = true;
	for (int b = 0; b < end; b++) {
		uint16_t old = d->class_of[b];
		if (!in[b] || !yes[old] || !no[old])
			continue;
		if (!split[old]) {
			int32_t *rep = vec_add(re->heap, &d->reps);
			if (!rep)
				return;
			*rep = b;
			split[old] = (uint16_t)(d->reps.n - 1);
		}
		d->class_of[b] = split[old];
	}
	heap_free(re->heap, split);
	heap_free(re->heap, yes);
	heap_free(re->heap, no);
}

static void split_off(struct regex *re, struct re_dfa *d, int byte, int end)
{
	bool in[256] = { false };

	if (byte >= 0 && byte < end) {
		in[byte] = true;
		refine(re, d, in, end);
	}
}

/* Lists a character of the program, in order, once. */
static void high_char(struct regex *re, struct re_dfa *d, int32_t c)
{
	size_t lo = 0, hi = d->high_chars.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (d->high_chars.at[mid] < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < d->high_chars.n && d->high_chars.at[lo] == c)
		return;
	int32_t *slot = vec_add(re->heap, &d->high_chars);
	if (!slot)
		return;
	memmove(d->high_chars.at + lo + 1, d->high_chars.at + lo,
		(d->high_chars.n - 1 - lo) * sizeof(c));
	d->high_chars.at[lo] = c;
}

/* Looks at all characters of the program: bytes get classes, others are listed. */
static void classes_of_chars(struct regex *re, struct re_dfa *d, int end)
{
	bool seen[256] = { false };

	for (size_t i = 0; i < re->code.n; i++) {
		int32_t c = (int32_t)re->code.at[i].x;
		if (re->code.at[i].op != RI_CHAR)
			continue;
		if (c >= end)
			high_char(re, d, c);
		else if (!seen[c])
			split_off(re, d, c, end);
		if (c < end)
			seen[c] = true;
	}
}

static void classes_of_sets(struct regex *re, struct re_dfa *d, int end)
{
	bool in[256];

	for (size_t i = 0; i < re->sets.n; i++) {
		for (int b = 0; b < end; b++)
			in[b] = re_set_has(re->sets.at[i], b);
		refine(re, d, in, end);
		if (re->utf8 && re_set_high(re->sets.at[i])) {
			uint32_t *slot = vec_add(re->heap, &d->high_sets);
			if (slot)
				*slot = (uint32_t)i;
		}
		re_tick(re, 256);
	}
}

static bool classes_make(struct regex *re, struct re_dfa *d)
{
	int end = re->utf8 ? 128 : 256;
	bool words[256];

	for (int i = 0; i <= RE_CLASSES; i++) {
		int32_t *rep = vec_add(re->heap, &d->reps);
		if (!rep)
			return false;
		*rep = 0;
	}
	for (int b = 0; b < 256; b++)
		d->class_of[b] = RE_CLASSES;
	classes_of_chars(re, d, end);
	classes_of_sets(re, d, end);
	if (re->uses & RC_LINE)
		split_off(re, d, re->line_byte, end);
	if (re->uses & RC_WORD) {
		for (int b = 0; b < end; b++)
			words[b] = re_word(re, b);
		refine(re, d, words, end);
	}
	for (int b = 0; b < end; b++)
		d->reps.at[d->class_of[b]] = b;
	if (re->utf8) {
		bool multi = d->high_chars.n || d->high_sets.n || (re->uses & RC_WORD);
		int32_t *rep = vec_add(re->heap, &d->reps);
		if (!rep)
			return false;
		*rep = RE_RAW + 128;
		for (int b = 128; b < 256; b++)
			d->class_of[b] = multi ? RE_CLASS_MULTI : (uint16_t)(d->reps.n - 1);
	}
	if (d->kind == RE_DFA_LINES)
		d->class_of[d->eol & 255] = RE_CLASS_END;
	d->first_high = d->reps.n;
	d->sig_words = 2 + d->high_sets.n / 64;
	return true;
}

static void signature(const struct regex *re, const struct re_dfa *d, int32_t unit, uint64_t *sig)
{
	size_t lo = 0, hi = d->high_chars.n;

	memset(sig, 0, d->sig_words * sizeof(*sig));
	for (size_t i = 0; i < d->high_sets.n; i++)
		if (re_set_has(re->sets.at[d->high_sets.at[i]], unit))
			sig[1 + i / 64] |= (uint64_t)1 << (i & 63);
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (d->high_chars.at[mid] < unit)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < d->high_chars.n && d->high_chars.at[lo] == unit)
		sig[0] = lo + 1;
	sig[0] = sig[0] << 1 | ((re->uses & RC_WORD) && re_word(re, unit));
}

static void flush(struct regex *re, struct re_dfa *d, int32_t *row);

/* The class of a unit that is no single byte. */
uint32_t re_dfa_class(struct regex *re, struct re_dfa *d, int32_t unit, int32_t *row)
{
	size_t slot = (uint32_t)unit & 255, n = d->reps.n - d->first_high, i;
	uint64_t *sig;

	if (d->cache[slot].unit == unit)
		return d->cache[slot].class;
	if (n >= CLASSES_MAX) {
		d->reps.n = d->first_high;
		d->signatures.n = n = 0;
		memset(d->cache, 0, sizeof(d->cache));
		flush(re, d, row);
	}
	while (d->signatures.n < (n + 1) * d->sig_words)
		if (!vec_grow_(re->heap, &d->signatures.at, d->signatures.n, &d->signatures.cap,
			       sizeof(*sig)))
			return RE_CLASSES;
		else
			d->signatures.n++;
	sig = d->signatures.at + n * d->sig_words;
	signature(re, d, unit, sig);
	for (i = 0; i < n; i++)
		if (!memcmp(d->signatures.at + i * d->sig_words, sig, d->sig_words * sizeof(*sig)))
			break;
	if (i < n) {
		d->signatures.n -= d->sig_words;
	} else {
		int32_t *rep = vec_add(re->heap, &d->reps);
		if (!rep)
			return RE_CLASSES;
		*rep = unit;
		if (d->reps.n > d->stride)
			flush(re, d, row);
	}
	d->cache[slot].unit = unit;
	d->cache[slot].class = (uint32_t)(d->first_high + i);
	return d->cache[slot].class;
}

/* ---- States ---- */

static uint32_t places_hash(const uint32_t *at, size_t n, unsigned before)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ n ^ (uint64_t)before << 32;

	for (size_t i = 0; i < n; i++)
		h = (h ^ at[i] ^ h >> 29) * 0xff51afd7ed558ccdu;
	return (uint32_t)(h ^ h >> 32);
}

/* Short lists by insertion, long ones through a bitmap of the program. */
static void sort_places(struct re_dfa *d, uint32_t *at, size_t n, size_t places)
{
	size_t k = 0;

	for (size_t i = 0; n > 32 && i < n; i++)
		d->bits[at[i] >> 6] |= (uint64_t)1 << (at[i] & 63);
	for (size_t w = 0; n > 32 && w <= places / 64; w++) {
		for (uint64_t b = d->bits[w]; b; b &= b - 1)
			at[k++] = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(b));
		d->bits[w] = 0;
	}
	for (size_t i = 1; n <= 32 && i < n; i++) {
		uint32_t x = at[i];
		size_t j = i;
		for (; j && at[j - 1] > x; j--)
			at[j] = at[j - 1];
		at[j] = x;
	}
}

static void slots_grow(struct regex *re, struct re_dfa *d)
{
	size_t n = d->n_slots ? d->n_slots * 2 : 64;
	uint32_t *slots = heap_zalloc(re->heap, n * sizeof(*slots));

	if (!slots)
		return;
	for (size_t i = 0; i < d->states.n; i++) {
		size_t at = d->states.at[i].hash & (n - 1);
		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = (uint32_t)i + 1;
	}
	heap_free(re->heap, d->slots);
	d->slots = slots;
	d->n_slots = n;
}

/* A new state with a row of unknowns. */
static int32_t state_new(struct regex *re, struct re_dfa *d, const uint32_t *at, size_t n,
			 unsigned before, uint32_t hash)
{
	size_t id = d->states.n;

	if (id == d->cap_states) {
		size_t cap = id ? id * 2 : 16;
		int32_t *next = heap_resize(re->heap, d->next, cap * d->stride * sizeof(*next));
		if (!next)
			return RE_DEAD;
		d->next = next;
		d->cap_states = cap;
	}
	for (size_t i = 0; i < d->stride; i++)
		d->next[id * d->stride + i] = i == RE_CLASS_MULTI ? RE_MULTI : RE_UNKNOWN;
	struct re_dstate *st = vec_add(re->heap, &d->states);
	if (!st)
		return RE_DEAD;
	*st = (struct re_dstate){ (uint32_t)d->pool.n, (uint32_t)n, hash, (uint8_t)before };
	/* In two steps: room by the last place, then all of them at once. */
	while (d->pool.cap < d->pool.n + n)
		if (!vec_grow_(re->heap, &d->pool.at, d->pool.cap, &d->pool.cap, sizeof(*at)))
			return RE_DEAD;
	if (n)
		memcpy(d->pool.at + d->pool.n, at, n * sizeof(*at));
	d->pool.n += n;
	return (int32_t)(id * d->stride);
}

/* The row of the state with these places (sorts them). */
static int32_t intern(struct regex *re, struct re_dfa *d, uint32_t *at, size_t n, unsigned before)
{
	unsigned asserts = 0;
	int32_t row;

	for (size_t i = 0; re->uses && i < n && !asserts; i++)
		asserts = re->code.at[at[i]].op == RI_ASSERT;
	before = asserts ? before & re->uses : 0;
	sort_places(d, at, n, re->code.n);
	uint32_t hash = places_hash(at, n, before);
	if (d->states.n * 2 >= d->n_slots)
		slots_grow(re, d);
	if (d->states.n >= d->n_slots)
		return RE_DEAD;
	size_t i = hash & (d->n_slots - 1);
	for (; d->slots[i]; i = (i + 1) & (d->n_slots - 1)) {
		const struct re_dstate *st = &d->states.at[d->slots[i] - 1];
		if (st->hash == hash && st->n == n && st->before == before &&
		    (!n || !memcmp(d->pool.at + st->off, at, n * sizeof(*at))))
			return (int32_t)((d->slots[i] - 1) * d->stride);
	}
	row = state_new(re, d, at, n, before, hash);
	if (row >= 0)
		d->slots[i] = (uint32_t)d->states.n;
	return row;
}

static size_t cache_bytes(const struct re_dfa *d)
{
	return d->states.n * (d->stride * sizeof(int32_t) + sizeof(struct re_dstate) + 12) +
	       d->pool.n * sizeof(uint32_t);
}

/* Drops all states but the one at *row, which moves. */
static void flush(struct regex *re, struct re_dfa *d, int32_t *row)
{
	struct re_dstate st = d->states.at[(size_t)*row / d->stride];
	uint32_t *places = heap_alloc(re->heap, (st.n + 1) * sizeof(*places));

	if (!places)
		return;
	if (st.n)
		memcpy(places, d->pool.at + st.off, st.n * sizeof(*places));
	d->states.n = d->pool.n = 0;
	d->cap_states = 0;
	heap_free(re->heap, d->next);
	d->next = NULL;
	if (d->slots)
		memset(d->slots, 0, d->n_slots * sizeof(*d->slots));
	if (d->reps.n > d->stride)
		d->stride = d->reps.n + HIGH_SLACK * 2;
	for (size_t i = 0; i < 8; i++)
		d->start[i] = RE_UNKNOWN;
	*row = intern(re, d, places, st.n, st.before);
	heap_free(re->heap, places);
}

/* ---- Steps ---- */

static void turn_begin(struct regex *re, struct re_dfa *d)
{
	d->n_list = d->n_stack = 0;
	if (++d->turn == 0) {
		memset(d->mark, 0, re->code.n * sizeof(*d->mark));
		d->turn = 1;
	}
}

static inline void push(struct re_dfa *d, uint32_t pc)
{
	if (d->mark[pc] == d->turn)
		return;
	d->mark[pc] = d->turn;
	d->stack[d->n_stack++] = pc;
}

/* Adds to the list what is on the stack and all it leads to; assertions wait.
 * Every place is marked when it is pushed, so neither array can overflow. */
static void follow(const struct regex *re, struct re_dfa *d)
{
	while (d->n_stack) {
		uint32_t pc = d->stack[--d->n_stack];
		const struct re_inst *in = &re->code.at[pc];
		switch (in->op) {
		case RI_JMP:
			push(d, in->x);
			break;
		case RI_SPLIT:
			push(d, in->y);
			push(d, in->x);
			break;
		case RI_SAVE:
			push(d, pc + 1);
			break;
		default:
			if (in->op == RI_BACKREF)
				push(d, pc + 1);
			d->list[d->n_list++] = pc;
			break;
		}
	}
}

int32_t re_dfa_start(struct regex *re, struct re_dfa *d, unsigned before)
{
	before &= 7;
	if (d->start[before] == RE_UNKNOWN) {
		turn_begin(re, d);
		push(d, 0);
		follow(re, d);
		d->start[before] = intern(re, d, d->list, d->n_list, before);
	}
	return d->start[before];
}

static bool accepting(const struct regex *re, const uint32_t *at, size_t n)
{
	/* RI_MATCH is the last instruction, and places are sorted. */
	return n && re->code.at[at[n - 1]].op == RI_MATCH;
}

/* Fills `active` with the places of a state once the next side is known. */
static bool resolve(const struct regex *re, struct re_dfa *d, const struct re_dstate *st,
		    unsigned after)
{
	const uint32_t *places = d->pool.at + st->off;
	bool found = accepting(re, places, st->n);

	d->n_active = st->n;
	if (st->n)
		memcpy(d->active, places, st->n * sizeof(*places));
	if (!re->uses)
		return found;
	for (uint32_t i = 0; i < st->n; i++) {
		d->mark[places[i]] = d->turn;
		d->list[d->n_list++] = places[i];
	}
	/* The list grows as assertions are passed. */
	for (size_t i = 0; i < d->n_list; i++) {
		const struct re_inst *in = &re->code.at[d->list[i]];
		if (in->op == RI_MATCH)
			found = true;
		if (in->op != RI_ASSERT || !re_holds((enum re_assert)in->x, st->before, after))
			continue;
		push(d, d->list[i] + 1);
		follow(re, d);
	}
	memcpy(d->active, d->list, d->n_list * sizeof(*d->list));
	d->n_active = d->n_list;
	return found;
}

static unsigned unit_context(const struct regex *re, int32_t unit)
{
	return (unit == re->line_byte ? RC_LINE : 0) |
	       ((re->uses & RC_WORD) && re_word(re, unit) ? RC_WORD : 0);
}

/* The list becomes the places behind the active ones that take the unit. */
static void advance(struct regex *re, struct re_dfa *d, int32_t unit)
{
	turn_begin(re, d);
	for (size_t i = 0; i < d->n_active; i++) {
		uint32_t pc = d->active[i];
		const struct re_inst *in = &re->code.at[pc];
		if (in->op == RI_CHAR ? (int32_t)in->x == unit :
		    in->op == RI_SET && re_set_has(re->sets.at[in->x], unit))
			push(d, pc + 1);
		else if (in->op == RI_BACKREF)
			push(d, pc);
	}
	follow(re, d);
	if (d->kind != RE_DFA_LONGEST && !re->anchored) {
		push(d, 0);
		follow(re, d);
	}
}

static int32_t entry_of(const struct re_dfa *d, int32_t row, size_t n_places, bool found)
{
	if (d->kind != RE_DFA_LONGEST)
		return found ? RE_FOUND : n_places ? row : RE_DEAD;
	if (!n_places)
		return found ? RE_DEAD_FOUND : RE_DEAD;
	return row * 2 + found;
}

int32_t re_dfa_next(struct regex *re, struct re_dfa *d, int32_t *row, uint32_t class)
{
	struct re_dstate st;
	unsigned after;
	int32_t entry;
	bool found;

	if (*row < 0)
		return RE_DEAD;		/* memory ended */
	entry = d->next[(size_t)*row + class];
	if (entry != RE_UNKNOWN)
		return entry;
	if (cache_bytes(d) > RE_CACHE_MAX)
		flush(re, d, row);
	if (*row < 0)
		return RE_DEAD;
	st = d->states.at[(size_t)*row / d->stride];
	after = class == RE_CLASS_END ? RC_TEXT | RC_LINE : class == RE_CLASS_CUT ? RC_TEXT :
		unit_context(re, d->reps.at[class]);
	turn_begin(re, d);
	found = resolve(re, d, &st, after);
	re_tick(re, d->n_active + 1);
	if (found && d->kind != RE_DFA_LONGEST) {
		entry = RE_FOUND;
	} else if (class < RE_CLASSES) {
		entry = d->kind == RE_DFA_LINES ? re_dfa_start(re, d, RC_TEXT | RC_LINE) :
			found ? RE_DEAD_FOUND : RE_DEAD;
	} else {
		advance(re, d, d->reps.at[class]);
		re_tick(re, d->n_list);
		int32_t to = intern(re, d, d->list, d->n_list,
				    unit_context(re, d->reps.at[class]));
		if (to < 0)
			return RE_DEAD;
		entry = entry_of(d, to, d->n_list, found);
	}
	d->next[(size_t)*row + class] = entry;
	return entry;
}

struct re_dfa *re_dfa_new(struct regex *re, enum re_dfa_kind kind, int eol)
{
	struct re_dfa *d = heap_zalloc(re->heap, sizeof(*d));

	if (!d)
		return NULL;
	d->kind = kind;
	d->eol = eol;
	d->mark = heap_zalloc(re->heap, re->code.n * sizeof(*d->mark));
	d->bits = heap_zalloc(re->heap, (re->code.n / 64 + 1) * sizeof(*d->bits));
	d->stack = heap_array(re->heap, re->code.n, sizeof(*d->stack));
	d->list = heap_array(re->heap, re->code.n, sizeof(*d->list));
	d->active = heap_array(re->heap, re->code.n, sizeof(*d->active));
	bool classes = classes_make(re, d);
	d->stride = d->reps.n + (d->class_of[255] == RE_CLASS_MULTI ? HIGH_SLACK : 0);
	for (size_t i = 0; i < 8; i++)
		d->start[i] = RE_UNKNOWN;
	if (!classes || !d->mark || !d->bits || !d->stack || !d->list || !d->active) {
		re_dfa_free(re, d);
		return NULL;
	}
	return d;
}

void re_dfa_free(struct regex *re, struct re_dfa *d)
{
	if (!d)
		return;
	vec_end(re->heap, &d->reps);
	vec_end(re->heap, &d->states);
	vec_end(re->heap, &d->pool);
	vec_end(re->heap, &d->high_chars);
	vec_end(re->heap, &d->high_sets);
	vec_end(re->heap, &d->signatures);
	heap_free(re->heap, d->next);
	heap_free(re->heap, d->slots);
	heap_free(re->heap, d->mark);
	heap_free(re->heap, d->stack);
	heap_free(re->heap, d->list);
	heap_free(re->heap, d->active);
	heap_free(re->heap, d->bits);
	heap_free(re->heap, d);
}
