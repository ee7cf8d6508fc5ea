/*
 * Runs along the lazy automaton: the loops that must be fast. grep's reads a
 * whole buffer of lines without looking for their ends: the end of a line is a
 * class of its own, whose entry leads back to the start. In front of it a filter
 * (regex_find.c) skips to places where a match is possible at all; a filter that
 * stops too often is switched off for a while.
 */
#include "text/regex_dfa.h"

#include <string.h>

enum {
	SLICE = 1 << 18,
	FILTER_TRIES = 64,		/* failures before a filter is judged */
	FILTER_OFF = 32,		/* blocks without it */
	GAP_GOOD = 512, GAP_LITERAL = 64, GAP_START = 16	/* bytes between failures */
};

static struct re_dfa *automaton(struct regex *re, enum re_dfa_kind kind, int eol)
{
	struct re_dfa **d = kind == RE_DFA_LINES ? &re->lines :
			    kind == RE_DFA_EXISTS ? &re->exists : &re->longest;

	if (*d && (*d)->eol != eol) {
		re_dfa_free(re, *d);
		*d = NULL;
	}
	if (!*d)
		*d = re_dfa_new(re, kind, eol);
	return *d;
}

/* As far as there are states to go to; the last state's row in *row. */
static const unsigned char *run(const struct re_dfa *d, const unsigned char *p,
				const unsigned char *end, int32_t *row)
{
	const int32_t *next = d->next;
	const uint16_t *class_of = d->class_of;
	int32_t s = *row, e;

#define STEP(i) \
	e = next[s + class_of[p[i]]]; \
	if (e < 0) { \
		*row = s; \
		return p + (i); \
	} \
	s = e;
	for (; end - p >= 8; p += 8) {
		STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
	}
	for (; p < end; p++) {
		STEP(0)
	}
#undef STEP
	*row = s;
	return p;
}

/* The entry for what stands at p < end, computed if need be, and its length. */
static int32_t entry_at(struct regex *re, struct re_dfa *d, const unsigned char *p,
			const unsigned char *end, int32_t *row, size_t *len)
{
	uint32_t class = d->class_of[*p];
	int32_t unit;

	*len = 1;
	if (class == RE_CLASS_MULTI) {
		*len = re_unit(re, (const char *)p, (size_t)(end - p), &unit);
		class = re_dfa_class(re, d, unit, row);
	}
	return re_dfa_next(re, d, row, class);
}

/* Where a match shows in [p, end), or NULL. *row is the state before p, and the
 * one behind the last unit after. */
static const unsigned char *lines_run(struct regex *re, struct re_dfa *d, const unsigned char *p,
				      const unsigned char *end, int32_t *row)
{
	while (p < end && *row >= 0) {
		const unsigned char *slice = end - p > SLICE ? p + SLICE : end;
		const unsigned char *q = run(d, p, slice, row);
		size_t len;
		re_tick(re, (size_t)(q - p) / 8);
		p = q;
		if (p == slice)
			continue;
		int32_t e = entry_at(re, d, p, end, row, &len);
		if (e == RE_FOUND)
			return p;
		if (e == RE_DEAD) {
			p = memchr(p, d->eol, (size_t)(end - p));
			if (!p) {
				*row = RE_DEAD;
				return NULL;
			}
			e = re_dfa_start(re, d, RC_TEXT | RC_LINE);
			len = 1;
		}
		*row = e;
		if (e < 0)
			return NULL;
		p += len;
	}
	return NULL;
}

struct lines {
	struct regex *re;
	struct re_dfa *d;
	const char *text, *end;
	int eol;
	size_t *line, *line_end;
};

/* The line that holds p (or ends there) is the answer. */
static enum regex_status line_found(const struct lines *l, const char *p)
{
	const char *start = memrchr(l->text, l->eol, (size_t)(p - l->text));
	const char *stop = memchr(p, l->eol, (size_t)(l->end - p));

	*l->line = start ? (size_t)(start + 1 - l->text) : 0;
	*l->line_end = (size_t)((stop ? stop : l->end) - l->text);
	return REGEX_MATCH;
}

/* Every byte through the automaton; p begins a line. */
static enum regex_status lines_plain(struct lines *l, const char *p)
{
	if (!l->d)
		l->d = automaton(l->re, RE_DFA_LINES, l->eol);
	if (!l->d)
		return REGEX_NOMATCH;
	int32_t row = re_dfa_start(l->re, l->d, RC_TEXT | RC_LINE);
	const unsigned char *hit = lines_run(l->re, l->d, (const unsigned char *)p,
					     (const unsigned char *)l->end, &row);

	if (hit)
		return line_found(l, (const char *)hit);
	if (row >= 0 && l->end > p && (unsigned char)l->end[-1] != l->eol &&
	    re_dfa_next(l->re, l->d, &row, RE_CLASS_END) == RE_FOUND)
		return line_found(l, l->end);
	return REGEX_NOMATCH;
}

/* Does the line [p, stop) match? */
static bool line_matches(const struct lines *l, const char *p, const char *stop)
{
	int32_t row = re_dfa_start(l->re, l->d, RC_TEXT | RC_LINE);

	if (lines_run(l->re, l->d, (const unsigned char *)p, (const unsigned char *)stop, &row))
		return true;
	return row >= 0 && re_dfa_next(l->re, l->d, &row, RE_CLASS_END) == RE_FOUND;
}

/* From a place where a match may begin until it is found (*found) or no start is
 * open: the place to search on from. For automata without contexts. */
static const char *try_start(const struct lines *l, const char *hit, bool *found)
{
	const unsigned char *p = (const unsigned char *)hit, *end = (const unsigned char *)l->end;
	struct re_dfa *d = l->d;
	int32_t start = re_dfa_start(l->re, d, RC_TEXT | RC_LINE), row = start, e;
	size_t len;

	for (; p < end && row >= 0; p += len) {
		len = 1;
		e = d->next[row + d->class_of[*p]];
		if (e < 0) {
			e = entry_at(l->re, d, p, end, &row, &len);
			start = re_dfa_start(l->re, d, RC_TEXT | RC_LINE);
		}
		if (e == RE_FOUND) {
			*found = true;
			return (const char *)p;
		}
		row = e < 0 ? start : e;
		if (row == start)
			return (const char *)p + len;
	}
	*found = re_dfa_next(l->re, d, &row, RE_CLASS_END) == RE_FOUND;
	return l->end;
}

/* The literal stands at the hit, so a match that holds it begins a known number of bytes
 * before: as try_start(). Matches with other places of the literal are tried there. */
static const char *try_literal(const struct lines *l, const char *hit, bool *found)
{
	size_t offset = l->re->filter.offset;
	const char *p = (size_t)(hit - l->text) > offset ? hit - offset : l->text;

	p = try_start(l, p, found);
	return p > hit || *found ? p : hit + 1;
}

/* The line that holds the hit, as a whole: the place to search on from. */
static const char *try_line(const struct lines *l, const char *p, const char *hit, bool *found)
{
	const char *start = memrchr(p, l->eol, (size_t)(hit - p));
	const char *stop = memchr(hit, l->eol, (size_t)(l->end - hit));

	*found = line_matches(l, start ? start + 1 : p, stop ? stop : l->end);
	if (*found)
		return hit;
	return stop ? stop + 1 : l->end;
}

static const char *try_hit(const struct lines *l, const char *p, const char *hit, bool *found)
{
	const struct re_filter *f = &l->re->filter;

	if (f->kind == RE_FILTER_START && !l->re->uses)
		return try_start(l, hit, found);
	if (f->kind == RE_FILTER_LITERAL && f->fixed)
		return try_literal(l, hit, found);
	return try_line(l, p, hit, found);
}

/* The filter stops every `gap` bytes for nothing: false, do without it. */
static bool filter_adapt(struct regex *re, size_t gap)
{
	struct re_filter *f = &re->filter;

	if (gap >= GAP_GOOD)
		return true;
	if (!f->switched && (f->kind == RE_FILTER_START ? f->literal_ok : f->start_ok)) {
		f->switched = true;
		f->kind = f->kind == RE_FILTER_START ? RE_FILTER_LITERAL : RE_FILTER_START;
		return true;
	}
	return gap >= (f->kind == RE_FILTER_START ? GAP_START : GAP_LITERAL);
}

static enum regex_status lines_filtered(struct lines *l)
{
	struct regex *re = l->re;
	const char *p = l->text, *mark = p, *slice, *hit;
	size_t tries = 0;
	bool found = false;

	while (p < l->end) {
		slice = l->end - p > SLICE * 16 ? p + SLICE * 16 : l->end;
		hit = re_filter_find(&re->filter, p, slice);
		re_tick(re, (size_t)((hit ? hit : slice) - p) / 64);
		if (!hit) {
			/* The line across the slices' border is looked at as a whole. */
			if (slice == l->end)
				return REGEX_NOMATCH;
			hit = memrchr(p, l->eol, (size_t)(slice - p));
			if (!hit)
				return lines_plain(l, p);
			p = hit + 1;
			continue;
		}
		if (re->filter.whole)
			return line_found(l, hit);
		p = try_hit(l, p, hit, &found);
		if (found)
			return line_found(l, p);
		if (++tries < FILTER_TRIES)
			continue;
		enum re_filter_kind kind = re->filter.kind;
		bool good = filter_adapt(re, (size_t)(p - mark) / tries);
		mark = p;
		tries = 0;
		if (good && re->filter.kind == kind)
			continue;
		/* The other ways begin with whole lines. */
		hit = memrchr(l->text, l->eol, (size_t)(p - l->text));
		p = hit ? hit + 1 : l->text;
		if (!good) {
			re->filter_off = FILTER_OFF;
			return lines_plain(l, p);
		}
	}
	return REGEX_NOMATCH;
}

enum regex_status re_scan_lines(struct regex *re, const char *text, size_t n, int eol,
				size_t *line, size_t *line_end)
{
	/* A literal is found without an automaton, which takes longer to make than short texts. */
	bool whole = re->filter.whole;
	struct lines l = { re, whole ? NULL : automaton(re, RE_DFA_LINES, eol), text, text + n, eol,
			   line, line_end };

	if (!n || (whole ? !!memchr(re->filter.lit, eol, re->filter.n) : !l.d))
		return REGEX_NOMATCH;
	if (re->filter.kind != RE_FILTER_NONE && !re->filter_off)
		return lines_filtered(&l);
	if (re->filter_off)
		re->filter_off--;
	return lines_plain(&l, text);
}

/* The end of the line that begins at p if it matches, or NULL: the automaton goes as
 * far as the match. */
static const char *line_too(const struct lines *l, const char *p)
{
	const unsigned char *at = (const unsigned char *)p, *end = (const unsigned char *)l->end;
	int32_t row = re_dfa_start(l->re, l->d, RC_TEXT | RC_LINE), e = RE_UNKNOWN;
	const char *stop;
	size_t len;

	for (; at < end && row >= 0; at += len) {
		len = 1;
		e = l->d->next[row + l->d->class_of[*at]];
		if (e < 0 && e != RE_FOUND)
			e = entry_at(l->re, l->d, at, end, &row, &len);
		if (e < 0 || *at == l->eol)
			break;
		row = e;
	}
	if (at == end && row >= 0)
		e = re_dfa_next(l->re, l->d, &row, RE_CLASS_END);
	if (e != RE_FOUND)
		return NULL;
	stop = memchr(at, l->eol, (size_t)(end - at));
	return stop ? stop : l->end;
}

/* The same of a literal. */
static const char *literal_too(const struct lines *l, const char *p)
{
	const char *stop = memchr(p, l->eol, (size_t)(l->end - p));

	if (!stop)
		stop = l->end;
	return re_filter_find(&l->re->filter, p, stop) ? stop : NULL;
}

void re_scan_more(struct regex *re, const char *text, size_t n, int eol, size_t *line_end)
{
	bool whole = re->filter.whole;
	struct lines l = { re, whole ? NULL : automaton(re, RE_DFA_LINES, eol), text, text + n, eol,
			   NULL, line_end };
	const char *p = text + *line_end + 1, *stop;

	for (; (whole || l.d) && p < l.end; p = stop + 1) {
		stop = whole ? literal_too(&l, p) : line_too(&l, p);
		re_tick(re, stop ? (size_t)(stop - p) / 64 + 1 : 64);
		if (!stop)
			return;
		*line_end = (size_t)(stop - text);
	}
}

size_t re_scan_exists(struct regex *re, const struct re_text *t, size_t from)
{
	struct re_dfa *d = automaton(re, RE_DFA_EXISTS, -1);
	const unsigned char *text = (const unsigned char *)t->p, *end = text + t->n;
	const unsigned char *p = text + from;
	int32_t row, e;
	size_t len;

	if (!d)
		return RE_NONE;
	if (re->filter.kind != RE_FILTER_NONE && t->n - from >= 32) {
		const char *hit = re_filter_find(&re->filter, t->p + from, t->p + t->n);
		if (!hit)
			return RE_NONE;
		if (re->filter.kind == RE_FILTER_START)
			p = (const unsigned char *)hit;
	}
	row = re_dfa_start(re, d, re_context_before(re, t, (size_t)(p - text)));
	if (row < 0)
		return RE_NONE;
	while (p < end) {
		const unsigned char *slice = end - p > SLICE ? p + SLICE : end;
		const unsigned char *q = run(d, p, slice, &row);
		re_tick(re, (size_t)(q - p) / 8);
		p = q;
		if (p == slice)
			continue;
		e = entry_at(re, d, p, end, &row, &len);
		if (e < 0)
			return e == RE_FOUND ? (size_t)(p - text) : RE_NONE;
		row = e;
		p += len;
	}
	e = re_dfa_next(re, d, &row, t->flags & REGEX_NOTEOL ? RE_CLASS_CUT : RE_CLASS_END);
	return e == RE_FOUND ? t->n : RE_NONE;
}

size_t re_scan_longest(struct regex *re, const struct re_text *t, size_t from, size_t *steps)
{
	struct re_dfa *d = automaton(re, RE_DFA_LONGEST, -1);
	const unsigned char *text = (const unsigned char *)t->p, *end = text + t->n;
	const unsigned char *p = text + from;
	size_t best = RE_NONE, len;
	int32_t row, e;

	if (!d)
		return RE_NONE;
	row = re_dfa_start(re, d, re_context_before(re, t, from));
	if (row < 0)
		return RE_NONE;
	for (; p < end; p += len) {
		len = 1;
		e = d->next[row + d->class_of[*p]];
		if (e < 0)
			e = entry_at(re, d, p, end, &row, &len);
		if (e == RE_DEAD_FOUND || (e >= 0 && (e & 1)))
			best = (size_t)(p - text);
		if (e < 0)
			break;
		row = e >> 1;
	}
	*steps += (size_t)(p - text) - from + 1;
	re_tick(re, ((size_t)(p - text) - from) / 4);
	if (p < end)
		return best;
	e = re_dfa_next(re, d, &row, t->flags & REGEX_NOTEOL ? RE_CLASS_CUT : RE_CLASS_END);
	return e == RE_DEAD_FOUND ? t->n : best;
}
