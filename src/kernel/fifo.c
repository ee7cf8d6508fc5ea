/*
 * Named FIFOs: a node of the filesystem whose bytes go through a pipe of the
 * kernel, found by device and inode. Opening waits for the other end. While it
 * waits, the description hangs on the process, so that dropping it closes it.
 */
#include "kernel/pipe.h"

#include <errno.h>
#include <fcntl.h>

/* k: the base, so that it may be open in several runs of a machine. */
static struct pipe *fifo_pipe(struct kernel *k, uint64_t dev, uint64_t ino)
{
	struct ring *at, *tmp;
	struct pipe *pipe;

	ring_each(at, tmp, &k->fifos) {
		pipe = ring_item(at, struct pipe, fifo);
		if (pipe->dev == dev && pipe->ino == ino)
			return pipe;
	}
	pipe = pipe_new(k);
	if (!pipe)
		return NULL;
	pipe->dev = dev;
	pipe->ino = ino;
	ring_add(&k->fifos, &pipe->fifo);
	return pipe;
}

/* Until the other end is there, or was for a moment. */
static int fifo_wait(struct tsb_proc *p, struct desc *d)
{
	struct pipe *pipe = d->pipe;
	bool reads = (d->flags & O_ACCMODE) == O_RDONLY;
	const unsigned *there = reads ? &pipe->writers : &pipe->readers;
	const uint64_t *ever = reads ? &pipe->writes_opened : &pipe->reads_opened;
	uint64_t before = *ever;
	int r = 0;

	p->opening = d;
	while (r == 0 && !*there && *ever == before)
		r = sched_block(p, &pipe->open_q, TIME_NEVER, true);
	p->opening = NULL;
	return r;
}

static int fifo_enter(struct tsb_proc *p, struct desc *d)
{
	struct pipe *pipe = d->pipe;
	int mode = d->flags & O_ACCMODE;

	if (mode == O_WRONLY && d->flags & O_NONBLOCK && !pipe->readers)
		return -ENXIO;
	pipe->reads_opened += mode != O_WRONLY;
	pipe->writes_opened += mode != O_RDONLY;
	waitq_wake(&pipe->open_q);
	if (mode == O_RDWR || d->flags & O_NONBLOCK)
		return 0;
	return fifo_wait(p, d);
}

int fifo_open(struct tsb_proc *p, struct vfs_file *file, int flags, struct desc **out)
{
	struct pipe *pipe = fifo_pipe(p->k->base, file->dev, file->ino);
	struct desc *d = pipe ? pipe_desc(pipe, flags) : NULL;
	int r;

	if (!d) {
		if (pipe)
			pipe_check_unused(pipe);
		vfs_close(file);
		return -ENOMEM;
	}
	d->file = file;
	r = fifo_enter(p, d);
	if (r < 0) {
		desc_put(d);
		return r;
	}
	*out = d;
	return 0;
}
