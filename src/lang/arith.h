/*
 * Arithmetic expressions: text -> tree. Pure; the shell evaluates.
 *
 * bash expands an expression as a double-quoted word and then parses the
 * result. Nearly always the expansions are plain $x or ${x} or $(..), so the
 * tree is made once, at parse time, with ARITH_PARAM leaves for them. That is
 * only the same thing while each expansion gives a plain integer (or nothing
 * surprising); when it does not, the shell expands `word` to text and parses
 * that afresh with arith_parse(). tree is NULL where the text cannot be parsed
 * before expansion at all: then always the slow way.
 */
#ifndef LANG_ARITH_H
#define LANG_ARITH_H

#include "lang/ast.h"

enum arith_op {
	ARITH_NUMBER,		/* value */
	ARITH_VAR,		/* name, sub: evaluated recursively as an expression */
	ARITH_PARAM,		/* part: an expansion ($x, ${..}, $(..), "..") giving a number;
				   value: right behind a sign */
	ARITH_NEG, ARITH_POS, ARITH_NOT, ARITH_BITNOT,	/* a */
	ARITH_PRE_INC, ARITH_PRE_DEC, ARITH_POST_INC, ARITH_POST_DEC,	/* a is a VAR */
	ARITH_POW, ARITH_MUL, ARITH_DIV, ARITH_MOD, ARITH_ADD, ARITH_SUB,
	ARITH_SHL, ARITH_SHR, ARITH_LT, ARITH_LE, ARITH_GT, ARITH_GE, ARITH_EQ, ARITH_NE,
	ARITH_BITAND, ARITH_BITXOR, ARITH_BITOR, ARITH_AND, ARITH_OR,
	ARITH_COND,		/* a ? b : c */
	ARITH_FAIL,		/* here the text is wrong: see arith_parse_wrong() */
	ARITH_ASSIGN,		/* a = b; assign_op: ARITH_ASSIGN plain, else ADD for += ... */
	ARITH_COMMA
};

struct arith_node {
	enum arith_op op;
	enum arith_op assign_op;
	int64_t value;
	struct name name;
	struct subscript sub;
	struct part *part;
	struct arith_node *a, *b, *c;
	uint32_t pos;		/* of the token in the text, for error messages; an expansion
				   counts as one byte */
};

struct arith {
	struct slice text;	/* the source between the parentheses */
	struct word *word;	/* the same as a double-quoted word */
	struct arith_node *tree;	/* NULL: expand word, then arith_parse(); empty text: NULL too */
	bool effects;		/* assigns, or expands something that may: see WORD_EFFECTS */
};

struct arith_error {
	const char *message;	/* "syntax error: operand expected", bash's text */
	size_t pos;		/* error token begins here: bash prints text + pos */
};

/*
 * Parses n bytes of expanded text. Every node from arena. NULL and *err on a
 * syntax error; NULL and err->message NULL when the text is empty (value 0).
 * depth_max bounds nesting ("expression recursion level exceeded").
 */
struct arith_node *arith_parse(struct arena *arena, const char *text, size_t n,
			       unsigned depth_max, struct arith_error *err);
/*
 * The tree of a text in which arith_parse() has found an error, with an ARITH_FAIL
 * where it is: bash evaluates while it reads, so what stands before the error is
 * evaluated, or fails itself, first. NULL: there is no such tree.
 */
struct arith_node *arith_parse_wrong(struct arena *arena, const char *text, size_t n,
				     unsigned depth_max);
/* A constant as bash reads it: 0x1f, 017, 2#101, 64#@_; false: *message says why. */
bool arith_number(const char *s, size_t n, int64_t *value, const char **message);

#endif
