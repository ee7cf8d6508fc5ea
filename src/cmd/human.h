/*
 * Sizes as people read them, and the sizes of blocks that ls, du and df are
 * told: --block-size, -h, --si and the environment.
 */
#ifndef CMD_HUMAN_H
#define CMD_HUMAN_H

#include <stdbool.h>
#include <stdint.h>

struct tsb_proc;

enum {
	HUMAN_CEILING = 0, HUMAN_NEAREST = 1, HUMAN_FLOOR = 2,
	HUMAN_GROUP = 4,	/* ' in front: grouping, of which this locale has none */
	HUMAN_NO_POINT_ZERO = 8,	/* "1K", not "1.0K" */
	HUMAN_AUTOSCALE = 16,
	HUMAN_1024 = 32,	/* else 1000 */
	HUMAN_SPACE = 64,	/* between number and unit */
	HUMAN_UNIT = 128,	/* write the unit */
	HUMAN_B = 256		/* "kB", "MiB" */
};

struct human {
	unsigned flags;
	uint64_t block;		/* of how many bytes a unit of output is */
};

enum { HUMAN_SIZE = 64 };

/* n blocks of `from` bytes each; buf has HUMAN_SIZE bytes. Returns buf. */
char *human_format(char *buf, uint64_t n, uint64_t from, const struct human *h);

enum human_result { HUMAN_OK, HUMAN_INVALID, HUMAN_BAD_SUFFIX, HUMAN_TOO_LARGE };
/* spec NULL: BLOCK_SIZE, BLOCKSIZE or the default of 1024 (512 if POSIXLY_CORRECT). */
enum human_result human_parse(struct tsb_proc *p, const char *spec, struct human *h);
/* The message about an option's bad argument ("--block-size"); exits are yours. */
void human_complain(struct tsb_proc *p, enum human_result r, const char *option, const char *arg);

#endif
