/* The least that this kernel takes for a wall (floor.c), for the bench that compares ours with it. */
#ifndef BENCH_BOX_FLOOR_H
#define BENCH_BOX_FLOOR_H

#include <stdbool.h>

#define FLOOR_PARTS 12

struct floor_part {
	const char *name;
	double least;		/* ms, of all rounds */
};

/* What it needs once, below the directory; false where it cannot be had (it needs root). */
bool floor_begin(const char *dir);
/* Made, one program run, its word, killed; who calls waits for what is left. */
bool floor_once(void);
const struct floor_part *floor_parts(void);

#endif
