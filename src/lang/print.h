/*
 * Tree -> text, in the shape of `declare -f` (bash 5.2's layout: four spaces,
 * "then" on its own line where bash puts it ...). Parsing the output gives an
 * equal tree: a test proves it on every script of the tests. The exceptions are
 * bash's own: a here-document in the test of an if in a list, `coproc` before a
 * simple command, a case pattern `(esac)`, a reserved word as first argument
 * behind a redirection are printed by bash so that they cannot be read back. To
 * keep a function for later, keep its source: text[pos..end) of its node.
 */
#ifndef LANG_PRINT_H
#define LANG_PRINT_H

#include "lang/ast.h"

void print_node(struct str *out, const struct node *n);
void print_node_posix(struct str *out, const struct node *n, bool posix);	/* without `function` */
/* "name () \n{ \n ... }": what declare -f prints. */
void print_function(struct str *out, const struct node *function, bool posix);
/* "() {  ...\n}", each line a blank deep: its value in an environment. */
void print_function_value(struct str *out, const struct node *function, bool posix);
void print_word(struct str *out, const struct word *w);
void print_assign(struct str *out, const struct assign *a);
/* Structural equality, positions apart (for tests). */
bool ast_equal(const struct node *a, const struct node *b);

#endif
