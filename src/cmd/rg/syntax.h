/*
 * ripgrep's regular expressions, read: checked as Rust's regex crate checks them
 * (its messages, with the place), and written again for our two engines. Every
 * pattern is written for PCRE2; one that is simple enough also as an extended
 * expression, whose engine works in linear time over whole buffers.
 */
#ifndef CMD_RG_SYNTAX_H
#define CMD_RG_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct rg_syntax {
	struct str perl;	/* for PCRE2 */
	struct str posix;	/* for the linear engine, where has_posix */
	bool has_posix;		/* true on text that is ASCII ... */
	bool any_text;		/* ... and on any text */
	bool has_upper;		/* a literal capital letter (--smart-case) */
	bool has_newline;	/* a literal newline or \n */
	bool can_newline;	/* a class has it, or . may */
	bool has_dot;
	bool complement;	/* [^a] and its like: not the same without case */
	bool bytes;		/* (?-u) */
	const char *error;	/* or NULL; at bytes [from, to) of the pattern */
	size_t from, to, from2, to2;	/* of two places; from2 == to2: one */
	size_t property_from, property_to;	/* the first \p */
	bool wants_perl;	/* look-around or a back-reference */
};

/* ---- One pattern, while it is read ---- */
enum { RG_NEST_MAX = 100, RG_SET_MAX = 1 << 16 };

struct rg_reader {
	const char *p;
	size_t n, i;
	struct rg_syntax *out;
	bool blanks;		/* (?x) */
	bool unicode;
	int depth;
	struct rg_name { const char *at; size_t n; } names[64];
	size_t n_names;
};

/* A set of characters: the part below 128, and how PCRE2 writes it. */
struct rg_set {
	bool has[128];
	bool beyond;		/* characters above 127 may be in it */
	bool opaque;		/* it depends on Unicode tables (\p) */
	bool simple;		/* perl is the inside of a bracket expression */
	struct str perl;
};

void rg_syntax_parse(struct rg_syntax *out, struct tsb_heap *heap, const char *p, size_t n,
		     bool unicode);

/* ---- syntax_class.c ---- */
/* The class that begins at r->i (the bracket): r->i is behind it. */
bool rg_class(struct rg_reader *r, struct rg_set *set);
/* \d, \w, \s and their opposites. */
void rg_perl_class(struct rg_reader *r, struct rg_set *set, char c);
void rg_set_init(struct rg_set *set, struct tsb_heap *heap);
/* Both forms of a finished set, appended to the pattern. */
void rg_set_write(struct rg_reader *r, const struct rg_set *set);
/* An escape that stands for one character: true and *c; false: it is none, or wrong. */
bool rg_escape_char(struct rg_reader *r, uint32_t *c);
void rg_perl_char(struct str *s, uint32_t c, bool in_class);
/* \p{...} at r->i (behind the p): the set. */
bool rg_property(struct rg_reader *r, struct rg_set *set, char c, size_t from);
bool rg_fail(struct rg_reader *r, const char *error, size_t from, size_t to);

#endif
