/*
 * Inside of the room: the state of one printing, shared by print*.c.
 */
#ifndef LANG_PRINTER_H
#define LANG_PRINTER_H

#include "lang/arith.h"
#include "lang/print.h"

struct printer {
	struct str *out;
	unsigned indent;	/* columns */
	unsigned amount;	/* columns a level */
	unsigned skip;		/* so many commands print no indentation */
	unsigned connection;	/* inside a list or pipeline */
	unsigned function;	/* inside a function: one command a line */
	bool was_here;		/* a here-document body was the last thing printed */
	bool posix;		/* functions without the word `function` */
	bool command_sub;	/* inside $( ): newlines stay newlines */
	const struct redir *deferred;	/* here-documents without a body yet */
};

void print_command(struct printer *p, const struct node *n);
/* The inside of $( ) as bash writes it back. */
void print_substitution(struct str *out, const struct node *n);

#endif
