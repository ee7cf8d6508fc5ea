/*
 * Regular expressions inside. A unit of text is a code point, or RE_RAW + byte
 * for a byte that is no UTF-8 (with REGEX_UTF8); without, it is a byte. Every
 * engine works on units; the automaton has a table for the units that are one
 * byte and computes the class of others when it meets them.
 *
 *	regex_parse.c, regex_bracket.c, regex_set.c	text -> tree
 *	regex_compile.c, regex_words.c			tree, or strings -> program
 *	regex_prefilter.c, regex_find.c			what must occur; finding it
 *	regex_dfa.c, regex_scan.c			lazy automaton; running it
 *	regex_captures.c				all threads at once, with tags
 *	regex_backtrack.c				one thread after another, with a memory
 *	regex_perl.c					Perl's, by PCRE2, instead of all this
 *	regex.c						the front
 */
#ifndef TEXT_REGEX_IMPL_H
#define TEXT_REGEX_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "text/regex.h"

#define RE_RAW 0x110000
#define RE_NONE ((size_t)-1)

enum {
	RE_DEPTH_MAX = 200,		/* groups in groups */
	RE_DUP_MAX = 32767,		/* glibc's */
	RE_PROGRAM_MAX = 400000,	/* instructions */
	RE_WORDS_MAX = 8000000,		/* of a list of plain strings */
	RE_CACHE_MAX = 1 << 20,		/* bytes of one automaton */
	RE_BACKTRACK_MAX = 20000000,	/* steps of a match with back-references */
	RE_BITMAP_MAX = 1 << 20,	/* bits of the memory of a match without */
	RE_TICK = 1 << 16
};

/* ---- Sets of units ---- */

struct re_range {
	int32_t lo, hi;
};

struct re_set {
	uint64_t low[4];		/* answers for units < 128 (UTF-8) or < 256 */
	VEC(struct re_range) ranges;
	VEC(const char *) classes;
	bool negate, icase, utf8;
};

/* ---- Tree ---- */

enum re_kind {
	RE_EMPTY, RE_CHAR, RE_SET, RE_CAT, RE_ALT, RE_GROUP, RE_REPEAT, RE_ASSERT, RE_BACKREF
};

enum re_assert {
	RE_LINE_BEGIN, RE_LINE_END, RE_TEXT_BEGIN, RE_TEXT_END, RE_WORD_EDGE, RE_NOT_WORD_EDGE,
	RE_WORD_BEGIN, RE_WORD_END, RE_NO_WORD_BEFORE, RE_NO_WORD_AFTER
};

struct re_node {
	enum re_kind kind;
	int32_t c;			/* CHAR: unit; ASSERT: which; GROUP, BACKREF: number */
	uint32_t set;			/* SET: index */
	int min, max;			/* REPEAT; max -1: no end */
	struct re_node *first, *last;	/* CAT, ALT, GROUP, REPEAT: children */
	struct re_node *next;
};

/* ---- Program ---- */

enum re_op { RI_CHAR, RI_SET, RI_SPLIT, RI_JMP, RI_SAVE, RI_ASSERT, RI_BACKREF, RI_MATCH };

struct re_inst {
	uint32_t op;
	uint32_t x, y;			/* CHAR: unit; SET: index; SPLIT: first, second choice;
					 * JMP: target; SAVE: slot; ASSERT: which; BACKREF: group */
};

/* What surrounds a place in the text. */
enum {
	RC_LINE = 1,			/* a line begins (before) or ends (after) here */
	RC_TEXT = 2,			/* so does the text */
	RC_WORD = 4			/* the unit on this side is a word character */
};

/* ---- Searching for what must occur ---- */

enum { RE_PROBES = 3, RE_TESTS = 3 };

struct re_test {
	uint8_t mask, low, span;	/* ((byte | mask) - low) <= span */
};

struct re_probe {
	unsigned n;
	struct re_test test[RE_TESTS];
};

/* The tests of one probe, sixteen times each; unused ones repeat the last. */
struct re_vprobe {
	uint8_t mask[RE_TESTS][16], low[RE_TESTS][16], span[RE_TESTS][16];
};

enum re_filter_kind { RE_FILTER_NONE, RE_FILTER_LITERAL, RE_FILTER_START };

struct re_filter {
	enum re_filter_kind kind;
	bool literal_ok, start_ok;	/* rare enough to be of use */
	bool switched;			/* from one to the other, as the text turned out */
	bool whole;			/* the literal is the whole regex */
	bool icase;			/* ASCII letters of the literal match both cases */
	bool fixed;			/* `offset` bytes of a match stand before the literal */
	bool exact;			/* START: every test is of one byte (but for case) */
	char *lit;
	size_t n, offset;
	unsigned at[2];			/* places in the literal of its rarest bytes */
	unsigned tunings;		/* how often they were chosen anew from the text */
	unsigned n_probes, n_tests;	/* START: tests of the first bytes of any match */
	struct re_probe probe[RE_PROBES];
	struct re_vprobe vprobe[RE_PROBES];
};

struct re_dfa;

struct regex {
	struct tsb_heap *heap;
	struct arena arena;
	unsigned flags;
	bool utf8, icase;
	int line_byte;			/* ends lines for ^ and $; -1: none */
	VEC(struct re_set *) sets;
	uint32_t unit_sets[128];	/* re_set_of() of ASCII, + 1 */
	VEC(struct re_inst) code;
	VEC(const char *) warnings;
	size_t groups;
	uint32_t uses;			/* RC_ bits that its assertions look at */
	bool backrefs, anchored, raw;	/* raw: has units >= RE_RAW */
	bool nomem;			/* an allocation failed while compiling */
	bool bytewise;			/* see begin_at() in regex.c */
	struct re_filter filter;
	struct re_dfa *lines, *exists, *longest;	/* made when first needed */
	void (*tick)(void *ctx, size_t steps);
	void *tick_ctx;
	size_t ticks;			/* steps not yet reported */
	size_t spent;			/* steps of the backtracker in this match */
	uint8_t starts[32];		/* bitmap: bytes that a match may begin with */
	bool nullable;			/* may match nothing: any place may begin one */
	unsigned filter_off;		/* blocks to scan without the filter */
	struct re_memory *memory;	/* of the backtracker, kept warm */
	struct re_threads *threads;	/* of the simulation, kept warm */
	struct re_perl *perl;		/* with REGEX_PERL all there is */
};

/* Text being matched. */
struct re_text {
	const char *p;
	size_t n;
	unsigned flags;			/* REGEX_NOTBOL, REGEX_NOTEOL */
};

/* regex_set.c */
bool re_set_has(const struct re_set *set, int32_t unit);
void re_set_range(struct regex *re, struct re_set *set, int32_t lo, int32_t hi);
/* With REGEX_NEWLINE a negated set does not hold the newline either. */
void re_set_no_newline(struct regex *re, struct re_set *set);
void re_set_class(struct regex *re, struct re_set *set, const char *name);
const char *re_class_known(const char *name, size_t n);
/* Computes low[]; the set's index in re, an equal one's if there is. */
uint32_t re_set_finish(struct regex *re, struct re_set *set);
struct re_set *re_set_new(struct regex *re, bool negate);
/* The set of what is this unit in upper case (with REGEX_ICASE). */
uint32_t re_set_of(struct regex *re, int32_t upper);
bool re_set_high(const struct re_set *set);	/* may it hold units >= 128? */
int32_t re_upper(const struct regex *re, int32_t unit);
bool re_word(const struct regex *re, int32_t unit);
size_t re_unit(const struct regex *re, const char *p, size_t n, int32_t *unit);
unsigned re_context_before(const struct regex *re, const struct re_text *t, size_t at);
unsigned re_context_after(const struct regex *re, const struct re_text *t, size_t at);
bool re_holds(enum re_assert a, unsigned before, unsigned after);

/* regex_parse.c */
struct re_parser {
	struct regex *re;
	const char *p;
	size_t n, at;
	unsigned syntax;
	unsigned depth;
	size_t base;			/* groups of earlier patterns */
	uint32_t closed;		/* bit n: group n is complete */
	bool begun;			/* the branch has more than anchors already */
	const char *error;
};
struct re_node *re_parse(struct regex *re, const char *p, size_t n, const char **error);
struct re_node *re_node_new(struct regex *re, enum re_kind kind);
void re_node_add(struct re_node *parent, struct re_node *child);

/* regex_bracket.c: at is behind the '['. */
struct re_node *re_parse_bracket(struct re_parser *ps);

/* regex_words.c: many plain strings as one program. */
bool re_words_suit(const char *const *patterns, const size_t *lens, size_t count, unsigned flags);
bool re_words_put(struct regex *re, const char *const *patterns, const size_t *lens, size_t count);

/* regex_compile.c */
bool re_compile(struct regex *re, const struct re_node *tree);
bool re_compile_words(struct regex *re, const char *const *patterns, const size_t *lens,
		      size_t count);

/* regex_prefilter.c, regex_find.c */
void re_filter_make(struct regex *re, const struct re_node *tree);
void re_filter_ready(struct re_filter *f);	/* once its probes are known */
/* The first place in [p, end) where a match may begin (START) or the literal
 * stands (LITERAL); NULL: none. */
const char *re_filter_find(struct re_filter *f, const char *p, const char *end);

/* regex_dfa.c */
enum re_dfa_kind { RE_DFA_LINES, RE_DFA_EXISTS, RE_DFA_LONGEST };
struct re_dfa *re_dfa_new(struct regex *re, enum re_dfa_kind kind, int eol);
void re_dfa_free(struct regex *re, struct re_dfa *d);

/* regex_scan.c */
enum regex_status re_scan_lines(struct regex *re, const char *text, size_t n, int eol,
				size_t *line, size_t *line_end);
/* Moves *line_end on, over the lines right behind that match too. */
void re_scan_more(struct regex *re, const char *text, size_t n, int eol, size_t *line_end);
/* Where the match that ends first ends; RE_NONE. */
size_t re_scan_exists(struct regex *re, const struct re_text *t, size_t from);
/* The end of the longest match that begins at `from`; RE_NONE. *steps += units read. */
size_t re_scan_longest(struct regex *re, const struct re_text *t, size_t from, size_t *steps);

/* regex_captures.c: leftmost-longest in [from, n); end RE_NONE: any, else exactly
 * this end and beginning at from. slots: 2 * n of them. */
bool re_simulate(struct regex *re, const struct re_text *t, size_t from, size_t end,
		 size_t *slots, size_t n_slots);

void re_threads_free(struct regex *re);

/* regex_backtrack.c: from here on, first choice first; end as above (RE_NONE:
 * the longest). */
enum regex_status re_backtrack(struct regex *re, const struct re_text *t, size_t from, size_t end,
			       size_t *slots, size_t n_slots);
void re_memory_free(struct regex *re);

void re_tick(struct regex *re, size_t steps);

/* regex_perl.c */
bool re_perl_compile(struct regex *re, const char *pattern, size_t n, const char **error);
void re_perl_free(struct regex *re);
enum regex_status re_perl_match(struct regex *re, const struct re_text *t, size_t from,
				struct regex_span *spans, size_t n_spans);
enum regex_status re_perl_lines(struct regex *re, const char *text, size_t n, int eol, size_t *line,
				size_t *line_end);

#endif
