/*
 * Tokens of an awk program. Whether "/" divides or begins a regular expression
 * is known from the token before it, so a whole text becomes tokens at once and
 * the parser may look ahead.
 */
#ifndef CMD_AWK_LEX_H
#define CMD_AWK_LEX_H

#include "cmd/awk/awk.h"

enum token_type {
	/* a single character is itself */
	T_EOF = 256, T_NEWLINE, T_NAME, T_FUNC_NAME, T_NUMBER, T_STRING, T_REGEX, T_TYPED_REGEX,
	T_BUILTIN, T_INCR, T_DECR, T_ADD_EQ, T_SUB_EQ, T_MUL_EQ, T_DIV_EQ, T_MOD_EQ, T_POW_EQ, T_EQ,
	T_LE, T_NE, T_GE, T_AND, T_OR, T_NO_MATCH, T_APPEND, T_TWO_WAY, T_POW,
	T_BEGIN, T_END, T_BEGINFILE, T_ENDFILE, T_FUNCTION, T_IF, T_ELSE, T_WHILE, T_FOR, T_DO,
	T_BREAK, T_CONTINUE, T_NEXT, T_NEXTFILE, T_EXIT, T_RETURN, T_DELETE, T_IN, T_GETLINE,
	T_PRINT, T_PRINTF, T_SWITCH, T_CASE, T_DEFAULT
};

struct token {
	int type;
	int sub;		/* the builtin */
	int line;
	const char *source;
	const char *text;	/* the whole program it is of */
	size_t at, end;		/* its place there */
	bool at_end;		/* T_EOF: told of as the end of the file */
	const char *p;		/* name, string, regex */
	size_t n;
	double num;
};
typedef VEC(struct token) token_list;

void ak_lex_program(struct awk *a, token_list *out, const char *text, size_t n, const char *source,
		 int depth);
/* gawk's message: the line, and under it a caret and what is wrong. Ends with 1. */
void ak_lex_error(struct awk *a, const struct token *t, const char *message) TSB_NORETURN;

/* How many arguments a builtin takes. */
struct ak_builtin_row {
	const char *name;
	enum builtin id;
	int min, max;
};
const struct ak_builtin_row *ak_builtin_row(int id);
/* Is it a word of the language or the name of a builtin? */
bool ak_lex_reserved(const char *p, size_t n);
/* Is it a word or function that only gawk has? */
bool ak_lex_is_extension(const char *p, size_t n);

#endif
