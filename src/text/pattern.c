/*
 * The front of shell patterns: common shapes are answered with memcmp and
 * memmem, plain patterns by a matcher that goes back to its last star only, all
 * else by the set engine (pattern_sets.c), which reads each character once.
 *
 * Why the last star suffices: if the text behind a later star cannot be matched
 * from where it stands, giving the earlier star more only moves the later one
 * right, to places that were tried already.
 */
#include "text/pattern_impl.h"

#include <string.h>

#include "base/heap.h"

#define NONE ((size_t)-1)
#define ANCHORS (PATTERN_PATHNAME | PATTERN_PERIOD)

struct pattern *pattern_compile(struct tsb_heap *heap, const char *p, size_t n, unsigned flags)
{
	struct pattern *pat = heap_zalloc(heap, sizeof(*pat));

	if (!pat)
		return NULL;
	pat->heap = heap;
	pat->flags = flags;
	pat->star_first = n && *p == '*';
	if (!pattern_parse(pat, p, n)) {
		pattern_free(pat);
		return NULL;
	}
	return pat;
}

void pattern_free(struct pattern *pat)
{
	if (!pat)
		return;
	for (size_t i = 0; i < 3; i++)
		pat_engine_free(pat->heap, pat->engines[i]);
	pattern_tree_free(pat->heap, pat->first);
	heap_free(pat->heap, pat);
}

bool pattern_is_magic(const char *p, size_t n, unsigned flags)
{
	size_t scanned = 0, len;

	for (size_t i = 0; i < n; i++) {
		size_t left = n - i - 1;
		if (p[i] == '\\' && !(flags & PATTERN_NOESCAPE)) {
			i++;
		} else if (p[i] == '*' || p[i] == '?') {
			return true;
		} else if (p[i] == '[') {
			if (pattern_bracket(p + i + 1, left, flags, NULL, NULL))
				return true;
			scanned += left;
		} else if ((flags & PATTERN_EXTGLOB) && left > 1 && p[i] && strchr("+@!", p[i]) &&
			   p[i + 1] == '(') {
			len = pattern_group_end(p + i + 2, left - 1);
			if (len < left - 1)
				return true;
			scanned += left;
		}
		/* So many that are never closed: as the parser, look no further. */
		if (scanned > PAT_SCAN_MAX)
			return false;
	}
	return false;
}

bool pattern_literal(const struct pattern *pat, const char **s, size_t *n)
{
	const struct pat_node *node = pat->first;

	if ((node && (node->kind != PAT_LIT || node->next)) || (pat->flags & PATTERN_ICASE))
		return false;
	if (s) {
		*s = node ? node->lit : "";
		*n = node ? node->n : 0;
	}
	return true;
}

/* The unit at s[at], PAT_DOT where wildcards may not take the '.'. */
static size_t text_unit(unsigned flags, const char *s, size_t n, size_t at, int32_t *c)
{
	size_t len = pattern_unit(flags, s + at, n - at, c);

	if (*c == '.' && (flags & PATTERN_PERIOD) &&
	    (at == 0 || ((flags & PATTERN_PATHNAME) && s[at - 1] == '/')))
		*c = PAT_DOT;
	return len;
}

static bool wild(unsigned flags, int32_t c)
{
	return c != PAT_DOT && !(c == '/' && (flags & PATTERN_PATHNAME));
}

/* Length of text that the literal takes at s[0..n), or NONE. */
static size_t literal_takes(const struct pat_node *node, unsigned flags, const char *s, size_t n)
{
	size_t i = 0, at = 0;

	if (!(flags & PATTERN_ICASE))
		return node->n <= n && !memcmp(node->lit, s, node->n) ? node->n : NONE;
	while (i < node->n) {
		int32_t a, b;
		if (at >= n)
			return NONE;
		i += pattern_unit(flags, node->lit + i, node->n - i, &a);
		at += pattern_unit(flags, s + at, n - at, &b);
		if (a != b && pattern_fold(a) != pattern_fold(b))
			return NONE;
	}
	return at;
}

/* Length of text that the node takes at s[at], or NONE. */
static size_t node_takes(const struct pattern *pat, const struct pat_node *node, const char *s,
			 size_t n, size_t at)
{
	int32_t c;

	if (node->kind == PAT_LIT)
		return literal_takes(node, pat->flags, s + at, n - at);
	if (at >= n)
		return NONE;
	size_t len = text_unit(pat->flags, s, n, at, &c);
	if (!wild(pat->flags, c) || (node->kind == PAT_SET && !pattern_set_has(node->set, c)))
		return NONE;
	return len;
}

/* A star gives up one more unit: its new place, or NONE. */
static size_t star_more(const struct pattern *pat, const struct pat_node *behind, const char *s,
			size_t n, size_t at)
{
	int32_t c;

	if (at >= n)
		return NONE;
	at += text_unit(pat->flags, s, n, at, &c);
	if (!wild(pat->flags, c))
		return NONE;
	if (behind && behind->kind == PAT_LIT && !(pat->flags & (ANCHORS | PATTERN_ICASE))) {
		const char *hit = memmem(s + at, n - at, behind->lit, behind->n);
		return hit ? (size_t)(hit - s) : NONE;
	}
	return at;
}

static bool plain_match(const struct pattern *pat, const char *s, size_t n)
{
	const struct pat_node *node = pat->first, *behind = NULL;
	size_t at = 0, star_at = NONE;

	for (;;) {
		size_t len;
		if (!node && at == n)
			return true;
		if (node && node->kind == PAT_STAR) {
			behind = node = node->next;
			star_at = at;
			if (!node && !(pat->flags & ANCHORS))
				return true;
			continue;
		}
		len = node ? node_takes(pat, node, s, n, at) : NONE;
		if (len != NONE) {
			at += len;
			node = node->next;
			continue;
		}
		if (star_at == NONE)
			return false;
		if (behind && !behind->next && behind->kind == PAT_LIT &&
		    !(pat->flags & (ANCHORS | PATTERN_ICASE)))
			return n - star_at >= behind->n &&
			       !memcmp(s + n - behind->n, behind->lit, behind->n);
		star_at = star_more(pat, behind, s, n, star_at);
		if (star_at == NONE)
			return false;
		at = star_at;
		node = behind;
	}
}

static struct pat_engine *engine(const struct pattern *pat, enum pat_direction dir)
{
	/* The caches are no part of what a const pattern promises. */
	struct pattern *p = (struct pattern *)(uintptr_t)pat;

	if (!p->engines[dir])
		p->engines[dir] = pat_engine_new(p, dir);
	return p->engines[dir];
}

static bool engine_match(const struct pattern *pat, const char *s, size_t n)
{
	struct pat_engine *e = engine(pat, PAT_FORWARD);
	uint32_t state = pat_start(e);
	size_t at = 0;

	while (at < n && state) {
		int32_t c;
		size_t len = text_unit(pat->flags, s, n, at, &c);
		if (c == '/' && (pat->flags & PATTERN_LEADING_DIR) && pat_accepts(e, state))
			return true;
		state = pat_step(e, state, c);
		at += len;
	}
	return state && pat_accepts(e, state);
}

bool pattern_match(const struct pattern *pat, const char *s, size_t n)
{
	if (pat->grouped || (pat->flags & PATTERN_LEADING_DIR))
		return engine_match(pat, s, n);
	return plain_match(pat, s, n);
}

/* Is the pattern "*LIT" (star first) or "LIT*"? */
static const struct pat_node *shape(const struct pattern *pat, bool star_first)
{
	const struct pat_node *a = pat->first, *b = a ? a->next : NULL;

	if (!b || b->next || (pat->flags & (ANCHORS | PATTERN_ICASE)))
		return NULL;
	if (star_first)
		return a->kind == PAT_STAR && b->kind == PAT_LIT ? b : NULL;
	return a->kind == PAT_LIT && b->kind == PAT_STAR ? a : NULL;
}

static const char *find_last(const char *s, size_t n, const struct pat_node *lit)
{
	for (size_t end = n; end >= lit->n;) {
		const char *hit = memrchr(s, lit->lit[0], end - lit->n + 1);
		if (!hit || !memcmp(hit, lit->lit, lit->n))
			return hit;
		end = (size_t)(hit - s) + lit->n - 1;
	}
	return NULL;
}

static const char *find(const char *s, size_t n, const struct pat_node *lit, bool last)
{
	return last ? find_last(s, n, lit) : memmem(s, n, lit->lit, lit->n);
}

/* The shortest or longest match from s on, one engine run. */
static size_t engine_run(struct pat_engine *e, const struct pattern *pat, const char *s, size_t n,
			 bool longest, bool back)
{
	uint32_t state = pat_start(e);
	size_t done = 0, best = NONE;

	for (;;) {
		int32_t c;
		if (!state)
			return best;
		if (pat_accepts(e, state)) {
			best = done;
			if (!longest)
				return best;
		}
		if (done >= n)
			return best;
		done += back ? pattern_unit_back(pat->flags, s, n - done, &c) :
			       text_unit(pat->flags, s, n, done, &c);
		state = pat_step(e, state, c);
	}
}

size_t pattern_prefix(const struct pattern *pat, const char *s, size_t n, bool longest)
{
	const struct pat_node *lit;

	if (pattern_literal(pat, NULL, NULL)) {
		lit = pat->first;
		return !lit || literal_takes(lit, 0, s, n) != NONE ? lit ? lit->n : 0 : NONE;
	}
	lit = shape(pat, true);
	if (lit) {
		const char *hit = find(s, n, lit, longest);
		return hit ? (size_t)(hit - s) + lit->n : NONE;
	}
	return engine_run(engine(pat, PAT_FORWARD), pat, s, n, longest, false);
}

size_t pattern_suffix(const struct pattern *pat, const char *s, size_t n, bool longest)
{
	const struct pat_node *lit;

	if (pattern_literal(pat, NULL, NULL)) {
		lit = pat->first;
		if (!lit)
			return 0;
		return lit->n <= n && !memcmp(s + n - lit->n, lit->lit, lit->n) ? lit->n : NONE;
	}
	lit = shape(pat, false);
	if (lit) {
		const char *hit = find(s, n, lit, !longest);
		return hit ? n - (size_t)(hit - s) : NONE;
	}
	return engine_run(engine(pat, PAT_BACKWARD), pat, s, n, longest, true);
}

/* The end of the match that ends first, wherever it begins; NONE. */
static size_t first_end(const struct pattern *pat, const char *s, size_t n, size_t from)
{
	struct pat_engine *e = engine(pat, PAT_ANYWHERE);
	uint32_t state = pat_start(e);

	while (from < n && !pat_accepts(e, state)) {
		int32_t c;
		from += pattern_unit(pat->flags, s + from, n - from, &c);
		state = pat_step(e, state, c);
	}
	return pat_accepts(e, state) ? from : NONE;
}

bool pattern_search(const struct pattern *pat, const char *s, size_t n, size_t from,
		    size_t *start, size_t *end)
{
	struct pat_engine *e;
	const char *hit;
	size_t limit;
	int32_t c;

	if (pattern_literal(pat, NULL, NULL)) {
		const struct pat_node *lit = pat->first;
		hit = lit ? memmem(s + from, n - from, lit->lit, lit->n) : s + from;
		if (!hit)
			return false;
		*start = (size_t)(hit - s);
		*end = *start + (lit ? lit->n : 0);
		return true;
	}
	/* At the end of the text only a pattern with a star in front finds the empty
	 * string, as in bash. Some match ends at limit, so the leftmost one begins there or before. */
	limit = first_end(pat, s, n, from);
	if (limit == NONE)
		return false;
	e = engine(pat, PAT_FORWARD);
	for (size_t at = from; at <= limit; at += at < n ? pattern_unit(pat->flags, s + at, n - at, &c) : 1) {
		if (at < n ? !pat_accepts(e, pat_start(e)) &&
			     !pat_may_start(e, (unsigned char)s[at]) : !pat->star_first)
			continue;
		size_t len = engine_run(e, pat, s + at, n - at, true, false);
		if (len != NONE) {
			*start = at;
			*end = at + len;
			return true;
		}
	}
	return false;
}
