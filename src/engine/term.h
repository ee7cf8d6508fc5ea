/*
 * The line discipline of a terminal, Linux's (n_tty): what is typed is echoed, edited, made signals
 * and put where a program reads it, as the settings say; and what a program writes is put out by
 * them. Bytes that find no room wait with the caller.
 */
#ifndef ENGINE_TERM_H
#define ENGINE_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>

#include "wire/wire.h"

#define TERM_ROOM 4096u		/* Linux's, for what is not read yet */

struct term {
	struct tsb_termios set;
	uint8_t in[TERM_ROOM], kind[TERM_ROOM];	/* of each byte: enum term_kind */
	size_t n;
	size_t whole;		/* bytes of lines that have ended */
	bool literal;		/* VLNEXT was typed */
	bool erasing;		/* within the \.../ of ECHOPRT */
	bool held;		/* VSTOP was: nothing is to be put out */
	size_t column, from;	/* of the cursor; where the line being typed began */
};

void term_init(struct term *t);		/* as Linux makes one */
void term_set(struct term *t, const struct tsb_termios *set, bool flush);
/* Is there room for one more byte? */
bool term_takes(const struct term *t);
/* One byte that was typed; its echo goes to `echo`. The signal for the processes in front, or 0. */
int term_type(struct term *t, uint8_t byte, struct wire_out *echo);
/* What a read of n bytes gets: how many, 0 for an end; -1: nothing yet. */
ssize_t term_read(struct term *t, void *buf, size_t n);
/* Output of a program, as DATA_OUT. */
void term_print(struct term *t, struct wire_out *out, const char *data, size_t n);

#endif
