/*
 * The pretty-printer (-o): the program from its tree, in gawk's layout, with its
 * comments.
 */
#ifndef CMD_AWK_PRETTY_H
#define CMD_AWK_PRETTY_H

#include "cmd/awk/awk.h"

struct pretty {
	struct awk *a;
	struct str out;
	const struct func *func;	/* whose body is printed */
	const char *text;	/* of the rule that is printed */
	size_t comment;		/* the next one to be printed */
	size_t end;		/* of that rule */
	unsigned depth;
};

void ak_pretty_expr(struct pretty *p, const struct node *n);
void ak_pretty_list(struct pretty *p, const struct node *n);	/* with ", " */
/* An expression where gawk puts one in parentheses that is more than a word. */
void ak_pretty_closed(struct pretty *p, const struct node *n);
void ak_pretty_string(struct str *out, const char *s, size_t n);

#endif
