/*
 * Finds the places where a match is possible: sixteen bytes at a time, with the
 * compiler's vectors (no intrinsics). For a literal two of its bytes, the
 * rarest, are compared at their distance; otherwise the first bytes of a match
 * are tested against a few ranges each. A test is ((byte | mask) - low) <= span:
 * mask 0x20 makes a letter's case vanish.
 */
#include "text/regex_impl.h"

#include <string.h>

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

static vec16 test16(const struct re_test *t, vec16 v)
{
	return (vec16)(((v | splat(t->mask)) - splat(t->low)) <= splat(t->span));
}

static bool test1(const struct re_test *t, unsigned char b)
{
	return (uint8_t)((b | t->mask) - t->low) <= t->span;
}

static vec16 probe16(const struct re_probe *probe, const char *p)
{
	vec16 v = load(p), hit = test16(&probe->test[0], v);

	for (unsigned i = 1; i < probe->n; i++)
		hit |= test16(&probe->test[i], v);
	return hit;
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

static const char *find_start(const struct re_filter *f, const char *p, const char *end)
{
	for (; end - p >= 16 + RE_PROBES; p += 16) {
		vec16 hit = probe16(&f->probe[0], p);
		if (!any(hit))
			continue;
		for (unsigned i = 1; i < f->n_probes; i++)
			hit &= probe16(&f->probe[i], p + i);
		if (!any(hit))
			continue;
		for (int i = 0; i < 16; i++)
			if (hit[i])
				return p + i;
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
	if (f->n > 1 || f->icase)
		return find_literal(f, p, end);
	hit = memchr(p, f->lit[0], (size_t)(end - p));
	return hit;
}
