/*
 * A byte string that grows. Invariants: p is never NULL and p[n] is NUL (so p
 * is a C string where there are no NULs inside); n <= max. It may hold any
 * byte. Failure is sticky: when it would pass its maximum, or memory ends,
 * `bad` is set, the content stays what it was, and every later append does
 * nothing; check `bad` once, at the end.
 *
 * str_take() gives the bytes away (then yours, from the same heap).
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct tsb_heap;

struct str {
	char *p;
	size_t n;		/* bytes in use, without the NUL */
	size_t cap;		/* bytes allocated; 0: p is the shared empty string */
	size_t max;
	struct tsb_heap *heap;
	bool bad;
};

/* Borrowed bytes, not terminated. */
struct slice {
	const char *p;
	size_t n;
};

#define STR_MAX_DEFAULT ((size_t)1 << 40)
#define SLICE(lit) ((struct slice){ (lit), sizeof(lit) - 1 })

void str_init(struct str *s, struct tsb_heap *heap, size_t max);
void str_end(struct str *s);
void str_reset(struct str *s);				/* n = 0, bad = false, keeps memory */
bool str_reserve(struct str *s, size_t more);		/* room for `more` bytes beyond n */
void str_addn(struct str *s, const void *p, size_t n);	/* p not inside s */
void str_adds(struct str *s, const char *z);
void str_addslice(struct str *s, struct slice x);
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_addvf(struct str *s, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void str_fill(struct str *s, int byte, size_t count);
void str_cut(struct str *s, size_t n);			/* shorten to n */
void str_erase(struct str *s, size_t at, size_t n);
void str_insert(struct str *s, size_t at, const void *p, size_t n);
/* The content, NUL-terminated; *n_out (may be NULL) its length. s is empty after. */
char *str_take(struct str *s, size_t *n_out);
struct slice str_slice(const struct str *s);
bool slice_eq(struct slice a, struct slice b);
bool slice_is(struct slice a, const char *z);
int slice_cmp(struct slice a, struct slice b);		/* memcmp, then length */

/* The hot one, inline: one byte. */
void str_grow_(struct str *s, size_t more);
static inline void str_addc(struct str *s, int c)
{
	if (s->n + 2 > s->cap)
		str_grow_(s, 1);
	if (s->bad)
		return;
	s->p[s->n++] = (char)c;
	s->p[s->n] = '\0';
}

#endif
