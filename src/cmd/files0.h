/*
 * --files0-from=F: names out of a file, each ended by a NUL.
 */
#ifndef CMD_FILES0_H
#define CMD_FILES0_H

#include <stdbool.h>
#include <stddef.h>

struct tsb_proc;

struct files0 {
	const char *from;
	char **at;
	size_t n;
	bool failed_open;	/* and said so */
};

/* All names of the file `from` ("-": standard input). 0, or -errno after the
 * message about an open; what fails later is the caller's to say. An open that fails is said by `cannot_open`. */
int files0_read(struct tsb_proc *p, const char *from, const char *cannot_open, struct files0 *out);

#endif
