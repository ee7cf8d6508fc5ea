/*
 * Shell patterns (globs): * ? [..] with ranges, classes and negation by ! or ^,
 * backslash quoting, and with PATTERN_EXTGLOB ?(..) *(..) +(..) @(..) !(..).
 * Compiled once; matching is linear for plain patterns (star backtracks to the
 * last star only) and bounded by a budget for extended ones.
 */
#ifndef TEXT_PATTERN_H
#define TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct tsb_heap;
struct pattern;

enum {
	PATTERN_EXTGLOB = 1,
	PATTERN_ICASE = 2,
	PATTERN_PATHNAME = 4,	/* * ? [ never match '/' (FNM_PATHNAME) */
	PATTERN_PERIOD = 8,	/* a leading '.' (after '/' with PATHNAME) needs an explicit one */
	PATTERN_NOESCAPE = 16,
	PATTERN_LEADING_DIR = 32,	/* also matches if followed by "/..." (FNM_LEADING_DIR) */
	PATTERN_BYTES = 64	/* characters are bytes, as in the locale C */
};

/* The pattern's bytes with quoted characters escaped by backslash (the shell
 * does that when it expands a word as a pattern). Never fails on syntax: an
 * unclosed bracket is literal. */
struct pattern *pattern_compile(struct tsb_heap *heap, const char *p, size_t n, unsigned flags);
void pattern_free(struct pattern *pat);
bool pattern_match(const struct pattern *pat, const char *s, size_t n);
/* Has it an unquoted * ? [ or extended group at all? If not, *literal (may be
 * NULL) is the text it matches. */
bool pattern_is_magic(const char *p, size_t n, unsigned flags);
bool pattern_literal(const struct pattern *pat, const char **s, size_t *n);
/* ${x#p} ${x##p} ${x%p} ${x%%p}: length of the prefix or suffix that matches,
 * (size_t)-1 if none. */
size_t pattern_prefix(const struct pattern *pat, const char *s, size_t n, bool longest);
size_t pattern_suffix(const struct pattern *pat, const char *s, size_t n, bool longest);
/* ${x/p/r}: leftmost, longest match at or after from; false if none. */
bool pattern_search(const struct pattern *pat, const char *s, size_t n, size_t from,
		    size_t *start, size_t *end);

#endif
