/*
 * The growing byte string. Capacity doubles (by a quarter from 8 MiB on, where
 * the heap grows in place and memory is dear) and never passes max + 1, so that
 * the inline append needs to look at the capacity only. An empty string shares
 * one constant NUL and takes no memory.
 */
#include "base/str.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/heap.h"

#define STR_FIRST 56		/* with the heap's word: a block of 64 */
#define STR_GENTLE ((size_t)8 << 20)

static const char str_empty[1] = "";

void str_init(struct str *s, struct tsb_heap *heap, size_t max)
{
	s->p = (char *)str_empty;
	s->n = s->cap = 0;
	/* A sum of two lengths and a NUL then never wraps. */
	s->max = max < SIZE_MAX / 4 ? max : SIZE_MAX / 4;
	s->heap = heap;
	s->bad = false;
}

void str_end(struct str *s)
{
	if (s->cap)
		heap_free(s->heap, s->p);
	str_init(s, s->heap, s->max);
}

void str_reset(struct str *s)
{
	s->bad = false;
	str_cut(s, 0);
}

/* Room for `more` bytes and the NUL behind n, or bad. */
void str_grow_(struct str *s, size_t more)
{
	size_t need, cap;
	char *p;

	if (s->bad)
		return;
	if (more > s->max - s->n) {
		s->bad = true;
		return;
	}
	need = s->n + more + 1;
	if (need <= s->cap)
		return;
	cap = s->cap + (s->cap < STR_GENTLE ? s->cap : s->cap / 4);
	if (cap < STR_FIRST)
		cap = STR_FIRST;
	if (cap < need)
		cap = need;
	if (cap > s->max + 1)
		cap = s->max + 1;
	p = s->cap ? heap_resize(s->heap, s->p, cap) : heap_alloc(s->heap, cap);
	if (!p) {
		s->bad = true;
		return;
	}
	s->p = p;
	s->p[s->n] = '\0';
	s->cap = cap;
}

bool str_reserve(struct str *s, size_t more)
{
	str_grow_(s, more);
	return !s->bad;
}

void str_addn(struct str *s, const void *p, size_t n)
{
	if (n == 0 || !str_reserve(s, n))
		return;
	memcpy(s->p + s->n, p, n);
	s->n += n;
	s->p[s->n] = '\0';
}

void str_adds(struct str *s, const char *z)
{
	str_addn(s, z, strlen(z));
}

void str_addslice(struct str *s, struct slice x)
{
	str_addn(s, x.p, x.n);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_addvf(s, fmt, ap);
	va_end(ap);
}

void str_addvf(struct str *s, const char *fmt, va_list ap)
{
	size_t room = s->cap ? s->cap - s->n : 0;
	va_list again;
	int n;

	if (s->bad)
		return;
	/* Mostly it fits where it stands; the capacity is within the maximum. */
	va_copy(again, ap);
	n = vsnprintf(room ? s->p + s->n : NULL, room, fmt, ap);
	if (n >= 0 && (size_t)n < room) {
		s->n += (size_t)n;
	} else {
		if (room)
			s->p[s->n] = '\0';
		if (n < 0)
			s->bad = true;
		else if (n > 0 && str_reserve(s, (size_t)n))
			s->n += (size_t)vsnprintf(s->p + s->n, (size_t)n + 1, fmt, again);
	}
	va_end(again);
}

void str_fill(struct str *s, int byte, size_t count)
{
	if (count == 0 || !str_reserve(s, count))
		return;
	memset(s->p + s->n, byte, count);
	s->n += count;
	s->p[s->n] = '\0';
}

void str_cut(struct str *s, size_t n)
{
	if (n >= s->n)
		return;
	s->n = n;
	s->p[n] = '\0';		/* n was larger, so this is not the shared one */
}

void str_erase(struct str *s, size_t at, size_t n)
{
	if (at >= s->n)
		return;
	if (n > s->n - at)
		n = s->n - at;
	memmove(s->p + at, s->p + at + n, s->n - at - n);
	str_cut(s, s->n - n);
}

void str_insert(struct str *s, size_t at, const void *p, size_t n)
{
	if (at > s->n)
		at = s->n;
	if (n == 0 || !str_reserve(s, n))
		return;
	memmove(s->p + at + n, s->p + at, s->n - at + 1);
	memcpy(s->p + at, p, n);
	s->n += n;
}

char *str_take(struct str *s, size_t *n_out)
{
	char *p = s->cap ? s->p : heap_dup(s->heap, "", 0);

	if (n_out)
		*n_out = s->n;
	str_init(s, s->heap, s->max);
	return p;
}

struct slice str_slice(const struct str *s)
{
	return (struct slice){ s->p, s->n };
}

bool slice_eq(struct slice a, struct slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool slice_is(struct slice a, const char *z)
{
	return slice_eq(a, (struct slice){ z, strlen(z) });
}

int slice_cmp(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}
