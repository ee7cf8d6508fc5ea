/*
 * The parser, inside: recursive descent over the tokens. Nesting is limited by
 * the stack it takes (awk_deep).
 */
#ifndef CMD_AWK_PARSE_H
#define CMD_AWK_PARSE_H

#include "cmd/awk/lex.h"

struct parser {
	struct awk *a;
	token_list tokens;
	size_t at;
	size_t expr_at;		/* where an expression begins: what stands there may be assigned to */
	struct func *func;	/* whose body it is */
	int loops, switches;
	const char *where;	/* "BEGIN", "END": no next there */
	bool no_greater;	/* in print: ">" redirects */
	bool no_in;
};

static inline struct token *peek(struct parser *ps)
{
	return &ps->tokens.at[ps->at];
}
static inline int next_type(struct parser *ps)
{
	return ps->tokens.at[ps->at].type;
}
struct token *ak_peek_at(struct parser *ps, size_t ahead);
bool ak_accept(struct parser *ps, int type);
void ak_expect(struct parser *ps, int type);
void ak_skip_newlines(struct parser *ps);
void ak_parse_fail(struct parser *ps) TSB_NORETURN;
struct node *ak_node_new(struct parser *ps, enum node_op op);
struct func *ak_func_named(struct awk *a, const char *name, size_t n);

struct node *ak_parse_expr(struct parser *ps);
struct node *ak_parse_concat(struct parser *ps);
struct node *ak_parse_atom(struct parser *ps);
struct node *ak_name_node(struct parser *ps, const struct token *t);

struct node *ak_parse_statement(struct parser *ps);

/* lint.c: warnings of --lint, when the program is read */
void ak_lint_extension(struct parser *ps, const struct token *t, const char *name);
void ak_lint_condition(struct parser *ps, const struct node *n);
void ak_lint_effect(struct parser *ps, const struct node *n);
void ak_lint_print(struct parser *ps, const struct node *n);
void ak_lint_builtin(struct parser *ps, const struct node *n, const struct token *t, bool parens);
void ak_lint_multi(struct parser *ps);	/* a[1][2] */
void ak_lint_power(struct parser *ps, const struct token *t);
void ak_lint_assignment(struct parser *ps, const struct node *to, struct node *n);
void ak_lint_old(struct parser *ps);	/* lint_old.c: all the program, before it is parsed */
enum { LINT_QUIET = 1 };	/* sub of a variable that may be unset */

#endif
