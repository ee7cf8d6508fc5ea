/*
 * Text read a character at a time, as C's getwc() does: what the filters of
 * util-linux that know columns (col, colcrt, ul) do.
 */
#ifndef CMD_WIDE_H
#define CMD_WIDE_H

#include <tinysandbox/command.h>

enum { WIDE_EOF = -1, WIDE_BAD = -2 };

struct wide {
	struct tsb_reader in;
	bool utf8;
	unsigned char again[4];	/* bytes of a bad sequence, read again: the next is the last */
	unsigned n_again;
	unsigned char byte;	/* behind WIDE_BAD: the byte that is none */
};

void wide_open(struct wide *w, struct tsb_proc *p, int fd);
int32_t wide_get(struct wide *w);
void wide_put(struct tsb_proc *p, int32_t c);
bool wide_graph(int32_t c);	/* iswgraph() */
bool wide_print(int32_t c);	/* iswprint() */
int wide_width(int32_t c);	/* wcwidth(); -1: control */

#endif
