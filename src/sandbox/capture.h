/*
 * Output kept in memory up to a maximum: its head and its tail, with a marker
 * between where bytes were left out. The writer is never stopped.
 */
#ifndef SANDBOX_CAPTURE_H
#define SANDBOX_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture {
	char *p;
	size_t n, cap;
	size_t max;
	uint64_t total;		/* bytes that came */
	const char *limit;	/* name of the limit, for the marker */
};

void capture_init(struct capture *c, uint64_t max, const char *limit);
/* -ENOMEM when the host has no memory: nothing was added. */
int capture_add(struct capture *c, const void *data, size_t n);
/* The kept bytes, NUL behind, for capture_free(); what was kept goes with them. NULL: no memory. */
char *capture_take(struct capture *c, size_t *n, bool *truncated);
void capture_free(char *text);
void capture_end(struct capture *c);

#endif
