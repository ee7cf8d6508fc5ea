/*
 * The front: compiles, and answers each question with the least work that can.
 * Is there a match: the automaton. Where: the automaton tells where the first
 * match ends, so the leftmost one begins there or before; the longest match is
 * tried from each place on that can begin one. That is linear unless attempts
 * run far and fail; when they cost more than a few times the text, a simulation
 * of all threads takes over. Submatches: the backtracker with its bitmap over
 * the match alone, or the simulation if that were too big. Back-references: the
 * automaton says no first (taking them for anything), then the backtracker.
 */
#include "text/regex_impl.h"

#include <string.h>

#include "base/heap.h"

enum {
	TRIES_FACTOR = 8, TRIES_MIN = 4096,
	COPIES_MAX = 1 << 20,		/* slots times program: what the simulation may need */
	BITMAP_LAST = 1 << 29		/* bits, rather than that */
};

void re_tick(struct regex *re, size_t steps)
{
	re->ticks += steps;
	if (re->ticks < RE_TICK)
		return;
	steps = re->ticks;
	re->ticks = 0;
	if (re->tick)
		re->tick(re->tick_ctx, steps);
}

static struct regex *regex_new(struct tsb_heap *heap, unsigned flags)
{
	struct regex *re = heap_zalloc(heap, sizeof(*re));

	if (!re)
		return NULL;
	if (flags & REGEX_BASH)
		flags |= REGEX_EXTENDED;
	re->heap = heap;
	re->flags = flags;
	re->utf8 = flags & REGEX_UTF8;
	re->icase = flags & REGEX_ICASE;
	re->line_byte = !(flags & REGEX_NEWLINE) ? -1 : flags & REGEX_NUL_LINES ? 0 : '\n';
	re->bytewise = !re->icase;
	arena_init(&re->arena, heap);
	return re;
}

static struct re_node *parse_all(struct regex *re, const char *const *patterns, const size_t *lens,
				 size_t count, const char **error)
{
	struct re_node *alt = count == 1 ? NULL : re_node_new(re, RE_ALT);

	for (size_t i = 0; i < count; i++) {
		struct re_node *one = re_parse(re, patterns[i], lens[i], error);
		if (!one || count == 1)
			return one;
		re_node_add(alt, one);
		re_tick(re, lens[i]);
	}
	return alt;
}

struct regex *regex_compile_many(struct tsb_heap *heap, const char *const *patterns,
				 const size_t *lens, size_t count, unsigned flags,
				 const char **error)
{
	struct regex *re = regex_new(heap, flags);
	struct re_node *tree = NULL;
	const char *why = NULL;
	bool words, fits = false;

	if (!re)
		return NULL;
	if (flags & REGEX_PERL) {
		if (re_perl_compile(re, patterns[0], lens[0], error))
			return re;
		regex_free(re);
		return NULL;
	}
	words = re_words_suit(patterns, lens, count, re->flags);
	if (!words)
		tree = parse_all(re, patterns, lens, count, &why);
	if (words)
		fits = re_compile_words(re, patterns, lens, count);
	else if (tree && !re->nomem)
		fits = re_compile(re, tree);
	if (!fits || re->nomem) {
		if (error)
			*error = why ? why : re->nomem || !(words || tree) ? "Memory exhausted" :
				 "Regular expression too big";
		regex_free(re);
		return NULL;
	}
	re_filter_make(re, tree);
	return re;
}

struct regex *regex_compile(struct tsb_heap *heap, const char *pattern, size_t n, unsigned flags,
			    const char **error)
{
	return regex_compile_many(heap, &pattern, &n, 1, flags, error);
}

void regex_free(struct regex *re)
{
	if (!re)
		return;
	for (size_t i = 0; i < re->sets.n; i++) {
		vec_end(re->heap, &re->sets.at[i]->ranges);
		vec_end(re->heap, &re->sets.at[i]->classes);
	}
	vec_end(re->heap, &re->sets);
	vec_end(re->heap, &re->code);
	vec_end(re->heap, &re->warnings);
	re_dfa_free(re, re->lines);
	re_dfa_free(re, re->exists);
	re_dfa_free(re, re->longest);
	re_memory_free(re);
	re_perl_free(re);
	re_threads_free(re);
	arena_end(&re->arena);
	heap_free(re->heap, re);
}

const char *regex_warning(const struct regex *re, size_t i)
{
	return i < re->warnings.n ? re->warnings.at[i] : NULL;
}

size_t regex_groups(const struct regex *re)
{
	return re->groups;
}

bool regex_has_backrefs(const struct regex *re)
{
	return re->backrefs;
}

void regex_on_tick(struct regex *re, void (*tick)(void *ctx, size_t steps), void *ctx)
{
	re->tick = tick;
	re->tick_ctx = ctx;
}

static size_t unit_after(const struct regex *re, const struct re_text *t, size_t at)
{
	int32_t unit;

	return at < t->n ? at + re_unit(re, t->p + at, t->n - at, &unit) : at + 1;
}

/* The next place at or after `at` that can begin a match; n + 1: none. */
static size_t next_start(const struct regex *re, const struct re_text *t, size_t at)
{
	if (re->nullable)
		return at;
	while (at < t->n) {
		unsigned char b = (unsigned char)t->p[at];
		if (re->starts[b >> 3] >> (b & 7) & 1)
			return at;
		/* Only invalid bytes in the pattern could match inside a character. */
		at = re->raw ? unit_after(re, t, at) : at + 1;
	}
	return t->n + 1;
}

/*
 * A search may begin inside a character: sed goes on one byte behind an empty
 * match. If the pattern has nothing but characters, dots, simple brackets and
 * anchors, glibc searches bytes and finds the empty match there; otherwise the
 * search begins with the next character.
 */
static size_t begin_at(const struct regex *re, const struct re_text *t, size_t from)
{
	if (re->bytewise || !re->utf8 || from >= t->n || ((unsigned char)t->p[from] & 0xc0) != 0x80)
		return from;
	for (size_t back = 1; back <= 3 && back <= from; back++) {
		int32_t unit;
		size_t len = re_unit(re, t->p + from - back, t->n - from + back, &unit);
		if (len > back)
			return from - back + len;
	}
	return from;
}

/* Where the leftmost-longest match is. */
static bool locate(struct regex *re, const struct re_text *t, size_t from, size_t *so, size_t *eo)
{
	size_t first_end, steps = 0, at, slots[2];

	if (re->anchored) {
		*so = 0;
		*eo = from ? RE_NONE : re_scan_longest(re, t, 0, &steps);
		return *eo != RE_NONE;
	}
	first_end = re_scan_exists(re, t, from);
	if (first_end == RE_NONE)
		return false;
	for (at = next_start(re, t, from); at <= first_end; ) {
		*so = at;
		*eo = re_scan_longest(re, t, at, &steps);
		if (*eo != RE_NONE)
			return true;
		if (steps > TRIES_MIN + TRIES_FACTOR * (first_end - from))
			break;
		at = next_start(re, t, unit_after(re, t, at));
	}
	if (!re_simulate(re, t, at, RE_NONE, slots, 2))
		return false;
	*so = slots[0];
	*eo = slots[1];
	return true;
}

static bool locate_literal(struct regex *re, const struct re_text *t, size_t from, size_t *so,
			   size_t *eo)
{
	const char *hit = re_filter_find(&re->filter, t->p + from, t->p + t->n);

	if (!hit)
		return false;
	*so = (size_t)(hit - t->p);
	*eo = *so + re->filter.n;
	return true;
}

/* Submatches of [so, eo): by the engine whose memory is bounded better. */
static bool submatch_slots(struct regex *re, const struct re_text *t, size_t so, size_t eo,
			   size_t *slots, size_t n)
{
	size_t places = eo - so + 1, program = re->code.n;
	bool many = program > COPIES_MAX / n;

	if (places <= (many ? BITMAP_LAST : RE_BITMAP_MAX) / program)
		return re_backtrack(re, t, so, eo, slots, n) == REGEX_MATCH;
	return !many && re_simulate(re, t, so, eo, slots, n);
}

/* The groups of the match [so, eo) into spans. */
static void submatches(struct regex *re, const struct re_text *t, size_t so, size_t eo,
		       struct regex_span *spans, size_t n_spans)
{
	size_t n = n_spans <= re->groups ? 2 * n_spans : 2 * (re->groups + 1), small[20];
	size_t *slots = n <= 20 ? small : heap_array(re->heap, n, sizeof(*slots));
	bool found = slots && submatch_slots(re, t, so, eo, slots, n);

	for (size_t i = 1; i < n_spans; i++) {
		bool set = found && 2 * i < n && slots[2 * i] != RE_NONE &&
			   slots[2 * i + 1] != RE_NONE;
		spans[i].so = set ? slots[2 * i] : REGEX_NONE;
		spans[i].eo = set ? slots[2 * i + 1] : REGEX_NONE;
	}
	if (slots != small)
		heap_free(re->heap, slots);
}

static enum regex_status match_backrefs(struct regex *re, const struct re_text *t, size_t from,
					struct regex_span *spans, size_t n_spans)
{
	size_t n = 2 * (re->groups + 1);
	size_t *slots = heap_array(re->heap, n, sizeof(*slots));
	enum regex_status status = REGEX_NOMATCH;

	re->spent = 0;
	if (!slots || re_scan_exists(re, t, from) == RE_NONE) {
		heap_free(re->heap, slots);
		return REGEX_NOMATCH;
	}
	for (size_t at = next_start(re, t, from); at <= t->n;
	     at = next_start(re, t, unit_after(re, t, at))) {
		status = re_backtrack(re, t, at, RE_NONE, slots, n);
		if (status == REGEX_NOMATCH && re->spent > RE_BACKTRACK_MAX + 64 * t->n)
			status = REGEX_BUDGET;
		if (status != REGEX_NOMATCH || (re->anchored && at == 0))
			break;
	}
	for (size_t i = 0; status == REGEX_MATCH && i < n_spans; i++) {
		bool set = i <= re->groups && slots[2 * i] != RE_NONE && slots[2 * i + 1] != RE_NONE;
		spans[i].so = set ? slots[2 * i] : REGEX_NONE;
		spans[i].eo = set ? slots[2 * i + 1] : REGEX_NONE;
	}
	heap_free(re->heap, slots);
	return status;
}

enum regex_status regex_match(struct regex *re, const char *text, size_t n, size_t from,
			      unsigned flags, struct regex_span *spans, size_t n_spans)
{
	struct re_text t = { text, n, flags };
	size_t so, eo;
	bool found;

	if (from > n)
		return REGEX_NOMATCH;
	if (!n)
		t.p = "";	/* text may be NULL, which nothing may be added to */
	if (re->perl)
		return re_perl_match(re, &t, from, spans, n_spans);
	from = begin_at(re, &t, from);
	if (re->backrefs)
		return match_backrefs(re, &t, from, spans, n_spans);
	if (!n_spans && !re->filter.whole)
		return re_scan_exists(re, &t, from) != RE_NONE ? REGEX_MATCH : REGEX_NOMATCH;
	found = re->filter.whole ? locate_literal(re, &t, from, &so, &eo) :
		locate(re, &t, from, &so, &eo);
	if (!found)
		return REGEX_NOMATCH;
	if (n_spans)
		spans[0] = (struct regex_span){ so, eo };
	if (n_spans > 1 && re->groups)
		submatches(re, &t, so, eo, spans, n_spans);
	for (size_t i = 1; !re->groups && i < n_spans; i++)
		spans[i] = (struct regex_span){ REGEX_NONE, REGEX_NONE };
	return REGEX_MATCH;
}

enum regex_status regex_search_lines(struct regex *re, const char *text, size_t n, int eol,
				     size_t *line, size_t *line_end)
{
	size_t at = 0;

	if (re->perl)
		return re_perl_lines(re, text, n, eol, line, line_end);
	if (!re->backrefs)
		return re_scan_lines(re, text, n, eol, line, line_end);
	/* First the lines that match if a back-reference is taken for anything. */
	while (at < n) {
		enum regex_status s = re_scan_lines(re, text + at, n - at, eol, line, line_end);
		if (s != REGEX_MATCH)
			return s;
		*line += at;
		*line_end += at;
		s = regex_match(re, text + *line, *line_end - *line, 0, 0, NULL, 0);
		if (s != REGEX_NOMATCH)
			return s;
		at = *line_end + 1;
	}
	return REGEX_NOMATCH;
}

enum regex_status regex_search_runs(struct regex *re, const char *text, size_t n, int eol,
				    size_t *line, size_t *line_end)
{
	enum regex_status s = regex_search_lines(re, text, n, eol, line, line_end);

	/* Where one line is by itself the next most likely does not match. */
	if (s == REGEX_MATCH && !*line && !re->backrefs && !re->perl)
		re_scan_more(re, text, n, eol, line_end);
	return s;
}
