/*
 * The log of an exec on disk: DATA frames as they went, in two files that take turns, so that it
 * never holds more than LOG_MOST bytes and always the latest.
 */
#ifndef INIT_LOG_H
#define INIT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define LOG_MOST (16u << 20)

struct log {
	int keeper, fd;		/* fd -1: no log */
	const char *name;	/* of the process */
	uint64_t total;		/* bytes of output that were given to it */
	size_t size;		/* of the file */
	int wake[8];		/* those who follow: a byte when there is more; -1: free */
};

void log_init(struct log *l, int keeper, const char *name);
bool log_open(struct log *l);
void log_append(struct log *l, enum wire_type type, const uint8_t *data, size_t size);
/* One more follower: the descriptor that becomes readable, -1: too many. */
int log_follow(struct log *l);
void log_close(struct log *l);

#endif
