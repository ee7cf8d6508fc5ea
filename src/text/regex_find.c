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

typedef uint8_t vec16 __attribute__((vector_size(16)));
typedef uint64_t vec2 __attribute__((vector_size(16)));

static vec16 load(const char *p)
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

/* The tests of one probe as vectors; unused ones repeat the last. */
struct vprobe {
	vec16 mask[RE_TESTS], low[RE_TESTS], span[RE_TESTS];
};

static void vprobe_make(struct vprobe *v, const struct re_probe *probe)
{
	unsigned last = probe->n ? probe->n - 1 : 0;

	for (unsigned i = 0; i < RE_TESTS; i++) {
		const struct re_test *t = &probe->test[i < last ? i : last];
		v->mask[i] = splat(t->mask);
		v->low[i] = splat(t->low);
		v->span[i] = splat(t->span);
	}
}

/* Where the sixteen bytes pass one of the tests. */
static inline __attribute__((always_inline)) vec16 probe16(const struct vprobe *v, const char *p,
							   unsigned tests)
{
	vec16 x = load(p), hit = (vec16)(((x | v->mask[0]) - v->low[0]) <= v->span[0]);

	for (unsigned i = 1; i < tests; i++)
		hit |= (vec16)(((x | v->mask[i]) - v->low[i]) <= v->span[i]);
	return hit;
}

/* Inlined for every number of probes and tests, so that the loops unroll. */
static inline __attribute__((always_inline)) const char *
start_loop(const struct vprobe *v, const char *p, const char *end, unsigned probes, unsigned tests)
{
	for (; end - p >= 32 + RE_PROBES; p += 32) {
		vec16 x = probe16(&v[0], p, tests), y = probe16(&v[0], p + 16, tests);
		for (unsigned i = 1; i < probes; i++) {
			x &= probe16(&v[i], p + i, tests);
			y &= probe16(&v[i], p + 16 + i, tests);
		}
		if (!any(x | y))
			continue;
		for (int i = 0; i < 32; i++)
			if (i < 16 ? x[i] : y[i - 16])
				return p + i;
	}
	return p;
}

static const char *find_start(const struct re_filter *f, const char *p, const char *end)
{
	struct vprobe v[RE_PROBES];
	unsigned tests = 1;

	for (unsigned i = 0; i < f->n_probes; i++) {
		vprobe_make(&v[i], &f->probe[i]);
		if (f->probe[i].n > tests)
			tests = f->probe[i].n;
	}
	switch (f->n_probes * 4 + tests) {
	case 5:
		p = start_loop(v, p, end, 1, 1);
		break;
	case 6:
		p = start_loop(v, p, end, 1, 2);
		break;
	case 7:
		p = start_loop(v, p, end, 1, 3);
		break;
	case 9:
		p = start_loop(v, p, end, 2, 1);
		break;
	case 10:
		p = start_loop(v, p, end, 2, 2);
		break;
	case 11:
		p = start_loop(v, p, end, 2, 3);
		break;
	case 13:
		p = start_loop(v, p, end, 3, 1);
		break;
	case 14:
		p = start_loop(v, p, end, 3, 2);
		break;
	default:
		p = start_loop(v, p, end, 3, 3);
		break;
	}
	for (; p < end; p++)
		if (start_here(f, p, end))
			return p;
	return NULL;
}

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

static const char *find_literal(const struct re_filter *f, const char *p, const char *end)
{
	struct re_test a = test_of(f, f->at[0]), b = test_of(f, f->at[1]);
	vec16 am = splat(a.mask), al = splat(a.low), bm = splat(b.mask), bl = splat(b.low);
	const char *last;

	if ((size_t)(end - p) < f->n)
		return NULL;
	last = end - f->n;
	/* p + 31 + n - 1 < end holds in the loop: both loads stay inside. */
	while (last - p >= 32) {
		vec16 x = (vec16)((load(p + f->at[0]) | am) == al) &
			  (vec16)((load(p + f->at[1]) | bm) == bl);
		vec16 y = (vec16)((load(p + 16 + f->at[0]) | am) == al) &
			  (vec16)((load(p + 16 + f->at[1]) | bm) == bl);
		if (any(x | y)) {
			for (int i = 0; i < 32; i++)
				if ((i < 16 ? x[i] : y[i - 16]) && literal_here(f, p + i))
					return p + i;
		}
		p += 32;
	}
	for (; p <= last; p++)
		if (test1(&a, (unsigned char)p[f->at[0]]) && literal_here(f, p))
			return p;
	return NULL;
}

const char *re_filter_find(const struct re_filter *f, const char *p, const char *end)
{
	const char *hit;

	if (f->kind == RE_FILTER_START)
		return find_start(f, p, end);
	if (f->n > LONG_LITERAL && !f->icase)
		return memmem(p, (size_t)(end - p), f->lit, f->n);
	if (f->n > 1 || f->icase)
		return find_literal(f, p, end);
	hit = memchr(p, f->lit[0], (size_t)(end - p));
	return hit;
}
