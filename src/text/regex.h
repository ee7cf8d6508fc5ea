/*
 * Regular expressions: POSIX basic and extended with GNU's extensions, matched
 * in time linear in the input, leftmost-longest, on bytes or UTF-8.
 *
 * Dialects as glibc/gnulib accept them: BRE (\+ \? \| \{ \} \( \), * literal at
 * the start), ERE (also a{,3}, literal { where no interval can start), both with
 * \w \W \s \S \b \B \< \> \` \' and back-references. Bracket expressions with
 * ranges, classes, [.x.] and [=x=]; locale C.UTF-8, where glibc takes single bytes only as
 * ends of a range and in [.x.] and [=x=] ("Invalid collation character").
 *
 * Matching: a literal prefilter (memchr/memmem of a required string), then a
 * lazily built DFA in a bounded cache gives whether and where the match ends;
 * submatches come from a tagged simulation run only on demand; a pattern with
 * back-references uses a backtracking matcher under a step budget
 * (REGEX_BUDGET when spent, never an endless run).
 *
 * A compiled regex has caches that a match changes: one thread at a time.
 */
#ifndef TEXT_REGEX_H
#define TEXT_REGEX_H

#include <stdbool.h>
#include <stddef.h>

struct tsb_heap;
struct regex;

enum {
	REGEX_EXTENDED = 1,
	REGEX_ICASE = 2,
	REGEX_NEWLINE = 4,	/* ^ and $ match at newlines too; . and [^x] do not match
				   "\n" (sed's M flag) */
	REGEX_LITERAL = 8,	/* the pattern is a plain string (grep -F) */
	REGEX_UTF8 = 16,	/* . and [] take a character, not a byte; an invalid byte
				   matches neither */
	REGEX_NUL_LINES = 32,	/* with REGEX_NEWLINE: lines end with NUL, not "\n" */
	REGEX_AWK = 64,		/* awk escapes in the pattern: \n \t \" \/ \ddd, [\]] */
	REGEX_NO_GNU = 128,	/* no \w \s \b \< ..., in BRE no \| \+ \?: plain POSIX */
	REGEX_WORD = 256,	/* grep -w */
	REGEX_LINE = 512,	/* grep -x */
	REGEX_BASH = 1024,	/* for [[ =~ ]]: ERE as glibc's regcomp (implies EXTENDED) */
	REGEX_PERL = 4096,	/* Perl's, by PCRE2: one pattern, leftmost-first, and only with
				   ICASE, NEWLINE (^ and $ at newlines), UTF8, NUL_LINES, WORD, LINE,
				   UNICODE, DOTALL */
	REGEX_UNICODE = 8192,	/* with PERL: \w \d \s \b know all of Unicode */
	REGEX_DOTALL = 16384,	/* with PERL: . takes newlines */
	REGEX_PERL_PLACE = 65536,	/* with PERL: errors begin "at offset N: " */
	REGEX_PAREN_ORD = 32768,	/* an unmatched \) or ) is literal */
	REGEX_GREP = 2048	/* grep's leniency: in ERE an operator at the start is skipped, ")"
				   and a bad interval are literal; in BRE "\\{" at the start is */
};
/* Without REGEX_BASH, REGEX_GREP, REGEX_AWK and REGEX_PERL the dialect is that of sed and expr. */

enum regex_status { REGEX_NOMATCH, REGEX_MATCH, REGEX_BUDGET };

struct regex_span {
	size_t so, eo;		/* (size_t)-1: took no part */
};
#define REGEX_NONE ((size_t)-1)

/* flags of a match */
enum { REGEX_NOTBOL = 1, REGEX_NOTEOL = 2 };

/*
 * Compiles n bytes of pattern into the heap. On failure returns NULL and *error
 * is glibc's text ("Unmatched ( or \\(", "Invalid preceding regular expression").
 * Called tick(ctx, steps) as it works, may not return.
 */
struct regex *regex_compile(struct tsb_heap *heap, const char *pattern, size_t n, unsigned flags,
			    const char **error);
/* Several patterns at once (grep -e a -e b): as their alternation, each group
 * numbered on its own is not needed. */
struct regex *regex_compile_many(struct tsb_heap *heap, const char *const *patterns,
				 const size_t *lens, size_t count, unsigned flags,
				 const char **error);
void regex_free(struct regex *re);
/* With REGEX_GREP: what grep warns of ("* at start of expression"): the i-th
 * text, NULL behind the last. */
const char *regex_warning(const struct regex *re, size_t i);
size_t regex_groups(const struct regex *re);	/* number of ( ) */
/* With REGEX_PERL: the number of the group of that name, (size_t)-1: there is none. */
size_t regex_group_named(const struct regex *re, const char *name, size_t n);
bool regex_has_backrefs(const struct regex *re);
/* Set the hook a long match calls: never for fewer than ~10,000 steps. */
void regex_on_tick(struct regex *re, void (*tick)(void *ctx, size_t steps), void *ctx);

/*
 * Leftmost-longest match in text[0..n) at or after `from` (context before
 * `from` counts for ^, \b, \<). spans[0..n_spans) get the whole match and the
 * groups (POSIX rules); n_spans 0 asks only whether, 1 only where.
 */
enum regex_status regex_match(struct regex *re, const char *text, size_t n, size_t from,
			      unsigned flags, struct regex_span *spans, size_t n_spans);
/*
 * For grep: the first line of text (lines end with eol) that holds a match:
 * REGEX_MATCH and [*line, *line_end) without the eol. text need not end with
 * one. Scans the whole buffer at once; no match crosses a line.
 */
enum regex_status regex_search_lines(struct regex *re, const char *text, size_t n, int eol,
				     size_t *line, size_t *line_end);
/* The same; [*line, *line_end) may be several lines, which all match. */
enum regex_status regex_search_runs(struct regex *re, const char *text, size_t n, int eol,
				    size_t *line, size_t *line_end);

#endif
