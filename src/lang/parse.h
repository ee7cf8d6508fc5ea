/*
 * Script text -> tree. The whole text is parsed before anything runs. Pure.
 */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include "lang/ast.h"

struct parse_options {
	const char *name;	/* "bash", a file name; copied */
	uint32_t line;		/* number of the first line; 0 means 1 */
	bool extglob;		/* ?( *( +( @( !( are patterns from the start; a `shopt -s extglob`
				   seen in the text switches it on from the next line anyway */
	bool posix;
	unsigned depth_max;	/* limits.parse_depth */
	size_t source_max;	/* limits.source_bytes */
	/* Aliases: value of name (borrowed), or NULL. NULL function: no aliases, unless
	 * the text itself begins to use them (shopt -s expand_aliases, alias x=y at
	 * its top level work on the lines below). */
	const char *(*alias)(void *ctx, const char *name, size_t n);
	void *ctx;
	void (*tick)(void *ctx, size_t steps);	/* called per 1000 tokens or so; may not return */
};

struct parse_error {
	struct str message;	/* bash's wording without the "bash: line N: " prefix:
				   "syntax error near unexpected token `fi'",
				   "unexpected EOF while looking for matching `\"'", ... */
	struct str detail;	/* bash's next lines, as the source line `...', without the prefix;
				   usually one; more are separated by newlines; or empty */
	uint32_t line;
	uint32_t detail_line;	/* the number in the prefix of the detail lines */
	size_t pos;
	bool incomplete;	/* more text could mend it: an interactive shell asks for more */
	bool limit;		/* parse_depth or source_bytes fired (its name is in message) */
};

/* heap owns the script; refs is 1. NULL and *err on an error (err's strings
 * must have been initialised by the caller). n bytes, copied. */
struct script *parse_script(struct tsb_heap *heap, const char *text, size_t n,
			    const struct parse_options *opt, struct parse_error *err);

/* Parses text as the inside of a double-quoted string or as one word (for
 * PS4, prompts, ${x@P}, mapfile callbacks); the word's script is *owner. */
struct word *parse_word_text(struct tsb_heap *heap, const char *text, size_t n, bool double_quoted,
			     const struct parse_options *opt, struct script **owner,
			     struct parse_error *err);

/* Is it a valid variable name? A reserved word? */
bool parse_is_name(const char *s, size_t n);
bool parse_is_reserved(const char *s, size_t n);

#endif
