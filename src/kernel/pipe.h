/*
 * Inside of the kernel: pipes, as the files that make them see them. A pipe has
 * no owner: it is there while a description has it.
 */
#ifndef KERNEL_PIPE_H
#define KERNEL_PIPE_H

#include "kernel/inside.h"

struct pipe {
	struct kernel *k;
	char *buf;		/* NULL until the first write */
	size_t cap, at, n;	/* the ring: size, first byte, bytes in it */
	unsigned readers, writers;	/* descriptions */
	uint64_t reads_opened, writes_opened;	/* ever, for those who wait */
	struct waitq read_q, write_q, open_q;
	uint64_t id;
	size_t index;		/* into the report's pipe_bytes, if below n_pipes */
	struct ring fifo;	/* k->fifos, by dev and ino */
	uint64_t dev, ino;
	struct pipe *next;	/* spare */
};

struct pipe *pipe_new(struct kernel *k);	/* NULL: no memory */
/* Counts as reader, writer or both by its access mode. NULL: no memory. */
struct desc *pipe_desc(struct pipe *pipe, int flags);
/* Gives it back if nobody has it any more. */
void pipe_check_unused(struct pipe *pipe);
ssize_t file_link(struct desc *d, char *buf, size_t cap, bool *path);

#endif
