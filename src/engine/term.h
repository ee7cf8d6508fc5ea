/*
 * The line discipline of a terminal, as Linux's in its usual state: lines are edited (erase, kill,
 * word erase), echoed, and given on when they end; Ctrl-C and Ctrl-\ are signals, Ctrl-D the end;
 * a newline goes out as CR LF.
 */
#ifndef ENGINE_TERM_H
#define ENGINE_TERM_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define TERM_LINE 4096u

struct term {
	char line[TERM_LINE];
	size_t n;
};

enum term_said { TERM_NOTHING, TERM_LINE_DONE, TERM_END, TERM_SIGNAL };

/*
 * One byte that was typed; its echo goes to `echo`. LINE_DONE: line[0..n) is to be read (also a
 * part before Ctrl-D); END: the end of the file; SIGNAL: *sig. Then term_take().
 */
enum term_said term_type(struct term *t, uint8_t byte, struct wire_out *echo, int *sig);
void term_take(struct term *t);
/* Output of a program, as DATA_OUT. */
void term_print(struct wire_out *out, const char *data, size_t n);

#endif
