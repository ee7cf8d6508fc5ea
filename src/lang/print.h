/*
 * Tree -> text, in the shape of `declare -f` (bash 5.2's layout: four spaces,
 * "then" on its own line where bash puts it ...). Parsing the output gives an
 * equal tree: a test proves it on every script of the tests.
 */
#ifndef LANG_PRINT_H
#define LANG_PRINT_H

#include "lang/ast.h"

void print_node(struct str *out, const struct node *n);
/* "name () \n{ \n ... }": what declare -f prints. */
void print_function(struct str *out, const struct node *function);
void print_word(struct str *out, const struct word *w);
void print_assign(struct str *out, const struct assign *a);
void print_redirs(struct str *out, const struct redir *r);
/* Structural equality, positions apart (for tests). */
bool ast_equal(const struct node *a, const struct node *b);

#endif
