/*
 * Random integers out of a source of bytes: the system's, or a file, from which
 * the same numbers come as GNU's tools would draw.
 */
#ifndef CMD_RANDINT_H
#define CMD_RANDINT_H

#include <tinysandbox/command.h>

struct randint {
	struct tsb_proc *p;
	const char *file;	/* NULL: the system */
	struct tsb_reader in;
	unsigned char ready[256];	/* of the system's bytes: those from at on are unused */
	unsigned at;
	uint64_t left, left_max;	/* what earlier draws did not use up, of 0 .. left_max */
};

/* 0 or -errno (nothing is said). */
int randint_open(struct randint *r, struct tsb_proc *p, const char *file);
/* 0 .. choices - 1; choices is not 0. A file that ends ends the process. */
uint64_t randint_choose(struct randint *r, uint64_t choices);

/* The first `wanted` of a random order of 0 .. n - 1; wanted <= n. */
uint64_t *randint_order(struct randint *r, size_t wanted, size_t n);

#endif
