/*
 * Finds the places where a match is possible: sixteen bytes at a time, with the
 * compiler's vectors (no intrinsics). For a literal two of its bytes, the
 * rarest, are compared at their distance; otherwise the first bytes of a match
 * are tested against a few ranges each. A test is ((byte | mask) - low) <= span:
 * mask 0x20 makes a letter's case vanish.
 */
#include "text/regex_impl.h"

#include <string.h>

/* Longer ones are left to the C library, whose worst case is linear. */
enum { LONG_LITERAL = 64 };
/* The literal's rarest bytes are chosen anew when they meet in vain too often. */
enum { TUNINGS_MAX = 6, TUNE_TRIES = 32, TUNE_GAP = 256, TUNE_SAMPLE = 4096 };

typedef uint8_t vec16 __attribute__((vector_size(16)));
typedef uint64_t vec2 __attribute__((vector_size(16)));

static vec16 load(const void *p)
{
	vec16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static vec16 splat(uint8_t b)
{
	return (vec16){ b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b };
}

static bool any(vec16 v)
{
	vec2 w = (vec2)v;

	return w[0] | w[1];
}

/* A bit for each byte, which is 0 or 255. */
static uint32_t bits_of(vec16 v)
{
#ifdef __SSE2__
	typedef char schar16 __attribute__((vector_size(16)));

	return (uint32_t)__builtin_ia32_pmovmskb128((schar16)v);
#else
	const uint64_t one = 0x0101010101010101, gather = 0x0102040810204080;
	vec2 w = (vec2)v;

	return (uint32_t)((w[0] & one) * gather >> 56 | ((w[1] & one) * gather >> 56) << 8);
#endif
}

static bool test1(const struct re_test *t, unsigned char b)
{
	return (uint8_t)((b | t->mask) - t->low) <= t->span;
}

static bool probe1(const struct re_probe *probe, unsigned char b)
{
	for (unsigned i = 0; i < probe->n; i++)
		if (test1(&probe->test[i], b))
			return true;
	return false;
}

static bool start_here(const struct re_filter *f, const char *p, const char *end)
{
	if ((size_t)(end - p) < f->n_probes)
		return false;
	for (unsigned i = 0; i < f->n_probes; i++)
		if (!probe1(&f->probe[i], (unsigned char)p[i]))
			return false;
	return true;
}

void re_filter_ready(struct re_filter *f)
{
	f->n_tests = 1;
	f->exact = true;
	for (unsigned k = 0; k < f->n_probes; k++) {
		const struct re_probe *probe = &f->probe[k];
		const struct re_test *t = probe->test;
		for (unsigned i = 0; i < RE_TESTS; i++) {
			if (i && i < probe->n)
				t++;
			memset(f->vprobe[k].mask[i], t->mask, 16);
			memset(f->vprobe[k].low[i], t->low, 16);
			memset(f->vprobe[k].span[i], t->span, 16);
			f->exact &= !t->span;
		}
		if (probe->n > f->n_tests)
			f->n_tests = probe->n;
	}
}

#define INLINE inline __attribute__((always_inline))

static INLINE vec16 test16(const struct re_vprobe *v, unsigned i, vec16 x, bool exact)
{
	x |= load(v->mask[i]);
	return exact ? (vec16)(x == load(v->low[i])) :
		       (vec16)((x - load(v->low[i])) <= load(v->span[i]));
}

/* Where the sixteen bytes pass one of the tests. */
static INLINE vec16 probe16(const struct re_vprobe *v, const char *p, unsigned tests, bool exact)
{
	vec16 x = load(p), hit = test16(v, 0, x, exact);

	for (unsigned i = 1; i < tests; i++)
		hit |= test16(v, i, x, exact);
	return hit;
}

/* Inlined for every number of probes and tests, so that the loops unroll. */
static INLINE const char *start_loop(const struct re_vprobe *v, const char *p, const char *end,
				     unsigned probes, unsigned tests, bool exact)
{
	for (; end - p >= 32 + RE_PROBES; p += 32) {
		vec16 x = probe16(&v[0], p, tests, exact);
		vec16 y = probe16(&v[0], p + 16, tests, exact);
		for (unsigned i = 1; i < probes; i++) {
			x &= probe16(&v[i], p + i, tests, exact);
			y &= probe16(&v[i], p + 16 + i, tests, exact);
		}
		if (any(x | y))
			return p + __builtin_ctz(bits_of(x) | bits_of(y) << 16);
	}
	return p;
}

static INLINE const char *start_tests(const struct re_filter *f, const char *p, const char *end,
				      unsigned tests, bool exact)
{
	switch (f->n_probes) {
	case 1:
		return start_loop(f->vprobe, p, end, 1, tests, exact);
	case 2:
		return start_loop(f->vprobe, p, end, 2, tests, exact);
	default:
		return start_loop(f->vprobe, p, end, 3, tests, exact);
	}
}

static const char *find_start(const struct re_filter *f, const char *p, const char *end)
{
	if (f->n_tests == 1)
		p = f->exact ? start_tests(f, p, end, 1, true) : start_tests(f, p, end, 1, false);
	else if (f->n_tests == 2)
		p = f->exact ? start_tests(f, p, end, 2, true) : start_tests(f, p, end, 2, false);
	else
		p = f->exact ? start_tests(f, p, end, 3, true) : start_tests(f, p, end, 3, false);
	for (; p < end; p++)
		if (start_here(f, p, end))
			return p;
	return NULL;
}

/* ---- Literals ---- */

static bool literal_here(const struct re_filter *f, const char *p)
{
	if (!f->icase)
		return !memcmp(p, f->lit, f->n);
	for (size_t i = 0; i < f->n; i++) {
		char c = p[i];
		if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != f->lit[i])
			return false;
	}
	return true;
}

static struct re_test test_of(const struct re_filter *f, unsigned at)
{
	char c = f->lit[at];
	uint8_t mask = f->icase && c >= 'a' && c <= 'z' ? 0x20 : 0;

	return (struct re_test){ mask, (uint8_t)c, 0 };
}

/* The place in the literal that fits least often in n starts from p on, of those where
 * the place `with` fits too (f->n: of all). */
static unsigned rarest_place(const struct re_filter *f, const char *p, size_t n, unsigned with)
{
	struct re_test other = with < f->n ? test_of(f, with) : (struct re_test){ 0, 0, 255 };
	unsigned best = !with, shift = with < f->n ? with : 0;
	size_t least = SIZE_MAX;

	for (unsigned at = 0; at < f->n; at++) {
		struct re_test t = test_of(f, at);
		size_t count = 0;
		for (size_t i = 0; i < n; i++)
			count += test1(&t, (unsigned char)p[i + at]) &&
				 test1(&other, (unsigned char)p[i + shift]);
		if (at != with && count < least) {
			least = count;
			best = at;
		}
	}
	return best;
}

/* The text from p on decides which two bytes of the literal are rare together. */
static void tune(struct re_filter *f, const char *p, const char *last)
{
	size_t n = last - p < TUNE_SAMPLE ? (size_t)(last - p) : TUNE_SAMPLE;

	f->at[0] = rarest_place(f, p, n, (unsigned)f->n);
	f->at[1] = rarest_place(f, p, n, f->at[0]);
	f->tunings++;
}

/* Until a literal is found or the two bytes met in vain too often: then *again. */
static const char *literal_loop(const struct re_filter *f, const char **from, const char *last,
				bool *again)
{
	struct re_test a = test_of(f, f->at[0]), b = test_of(f, f->at[1]);
	vec16 am = splat(a.mask), al = splat(a.low), bm = splat(b.mask), bl = splat(b.low);
	const char *p = *from, *mark = p;
	unsigned tries = 0;

	/* p + 31 + n - 1 < end holds in the loop: both loads stay inside. */
	for (; last - p >= 32; p += 32) {
		vec16 x = (vec16)((load(p + f->at[0]) | am) == al) &
			  (vec16)((load(p + f->at[1]) | bm) == bl);
		vec16 y = (vec16)((load(p + 16 + f->at[0]) | am) == al) &
			  (vec16)((load(p + 16 + f->at[1]) | bm) == bl);
		if (!any(x | y))
			continue;
		for (uint32_t m = bits_of(x) | bits_of(y) << 16; m; m &= m - 1, tries++)
			if (literal_here(f, p + __builtin_ctz(m)))
				return p + __builtin_ctz(m);
		if (tries < TUNE_TRIES)
			continue;
		if (f->n > 1 && f->tunings < TUNINGS_MAX &&
		    p - mark < (ptrdiff_t)tries * TUNE_GAP) {
			*again = true;
			break;
		}
		tries = 0;
		mark = p;
	}
	*from = p;
	return NULL;
}

static const char *find_literal(struct re_filter *f, const char *p, const char *end)
{
	struct re_test a;
	const char *last, *hit;
	bool again;

	if ((size_t)(end - p) < f->n)
		return NULL;
	last = end - f->n;
	do {
		again = false;
		hit = literal_loop(f, &p, last, &again);
		if (hit)
			return hit;
		if (again)
			tune(f, p, last);
	} while (again);
	a = test_of(f, f->at[0]);
	for (; p <= last; p++)
		if (test1(&a, (unsigned char)p[f->at[0]]) && literal_here(f, p))
			return p;
	return NULL;
}

const char *re_filter_find(struct re_filter *f, const char *p, const char *end)
{
	if (p >= end)
		return NULL;	/* p may be NULL then */
	if (f->kind == RE_FILTER_START)
		return find_start(f, p, end);
	if (f->n > LONG_LITERAL && !f->icase)
		return memmem(p, (size_t)(end - p), f->lit, f->n);
	if (f->n > 1 || f->icase)
		return find_literal(f, p, end);
	return memchr(p, f->lit[0], (size_t)(end - p));
}
