/*
 * Script text -> tree: line by line, so that each can run before the next is
 * parsed, as in bash; or a whole text at once. Pure.
 */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include "lang/ast.h"

struct parse_options {
	const char *name;	/* "bash", a file name; copied */
	uint32_t line;		/* number of the first line; 0 means 1 */
	bool extglob;		/* ?( *( +( @( !( are patterns from the start; a `shopt -s extglob`
				   seen in a whole text switches it on from the next line anyway */
	bool posix;
	unsigned depth_max;	/* limits.parse_depth */
	size_t source_max;	/* limits.source_bytes */
	/* Aliases: value of name (borrowed), or NULL. NULL function: no aliases, unless
	 * a whole text itself begins to use them (shopt -s expand_aliases, alias x=y
	 * at its top level work on the lines below). */
	const char *(*alias)(void *ctx, const char *name, size_t n);
	void *ctx;
	void (*tick)(void *ctx, size_t steps);	/* called per 1000 tokens or so; may not return */
	/* Warnings in front of an error (else they are the script's); NULL: not told. */
	void (*warn)(void *ctx, uint32_t line, const char *message);
	/* Each $"text" of the source itself (not of here-documents and backquotes), once,
	 * as it is written; NULL: not told. */
	void (*string)(void *ctx, uint32_t line, const char *text, size_t n);
};

/* What an error ends beyond the command it is in: bash gives up the shell when it is in
 * $( ) or <( ), but only the line in an array's literal. */
enum parse_scope { PARSE_COMMAND, PARSE_SUBSTITUTION, PARSE_ARRAY };

struct parse_error {
	struct str message;	/* bash's wording without the "bash: line N: " prefix:
				   "syntax error near unexpected token `fi'",
				   "unexpected EOF while looking for matching `\"'", ... */
	struct str detail;	/* bash's next lines, as the source line `...', without the prefix;
				   usually one; more are separated by newlines; or empty */
	uint32_t line;
	uint32_t detail_line;	/* the number in the prefix of the detail lines */
	size_t pos;
	enum parse_scope scope;
	bool failed;		/* there is an error (the message may be empty) */
	bool as_end;		/* in [[ ]]: a script ends here, but its status stays */
	bool in_token;		/* the text ended in a token: a status that is not 0 stays */
	bool incomplete;	/* more text could mend it: an interactive shell asks for more */
	bool limit;		/* parse_depth, or source_bytes, or memory: its name is in message */
	bool too_long;		/* it is source_bytes */
};

/*
 * A text that is read as bash reads one: a line, or as many as its last command
 * needs, at a time. What a line does (aliases, extglob, `exit`) holds for the
 * next, and an error in a later one is not found before. `source` is a script
 * without a body that holds the text, shared by those made from it; give it back
 * with script_drop().
 */
struct parse_lines {
	struct script *source;
	size_t pos;		/* how far it was read */
	uint32_t line;		/* number of the line at pos */
};

/* false and *err: too long, or out of memory. n bytes, copied. */
bool parse_lines_begin(struct parse_lines *l, struct tsb_heap *heap, const char *text, size_t n,
		       const struct parse_options *opt, struct parse_error *err);
/* The next line that is not empty; its refs is 1. NULL: there is none, or an error
 * (err->failed). opt->line is ignored. */
struct script *parse_lines_next(struct parse_lines *l, const struct parse_options *opt,
				struct parse_error *err);
/* Is nothing left but blank lines? */
bool parse_lines_done(const struct parse_lines *l);

/* The whole text. heap owns the script; refs is 1. NULL and *err on an error (err's
 * strings must have been initialised by the caller). n bytes, copied. */
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
