/*
 * Pipes: a ring of bytes between descriptions. A full pipe makes its writers
 * wait, an empty one its readers; writes of up to PIPE_BUF bytes are not torn.
 * The buffer is taken at the first write and comes from a short warm list, and
 * an empty ring begins again at its front, so small transfers touch the same few
 * cache lines.
 */
#include "kernel/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SPARE_PIPES 64
#define SPARE_BUFFERS 16
#define PIPE_ATOMIC 4096	/* PIPE_BUF of Linux */

/* ---- Buffers ---- */

static bool pipe_take_buffer(struct pipe *pipe)
{
	struct kernel *k = pipe->k;
	char *buf = k->spare_buffers;

	if (!kernel_charge(k, pipe->cap))
		return false;
	if (buf && k->spare_buffer_size == pipe->cap) {
		memcpy(&k->spare_buffers, buf, sizeof(char *));
		k->n_spare_buffers--;
	} else {
		buf = malloc(pipe->cap);
	}
	if (!buf)
		kernel_refund(k, pipe->cap);
	pipe->buf = buf;
	return buf != NULL;
}

static void pipe_free_buffers(struct kernel *k)
{
	while (k->spare_buffers) {
		char *buf = k->spare_buffers;

		memcpy(&k->spare_buffers, buf, sizeof(char *));
		free(buf);
	}
	k->n_spare_buffers = 0;
}

static void pipe_give_buffer(struct pipe *pipe)
{
	struct kernel *k = pipe->k;

	if (!pipe->buf)
		return;
	kernel_refund(k, pipe->cap);
	if (k->spare_buffer_size != pipe->cap) {
		pipe_free_buffers(k);
		k->spare_buffer_size = pipe->cap;
	}
	if (pipe->cap < sizeof(char *) || k->n_spare_buffers >= SPARE_BUFFERS) {
		free(pipe->buf);
	} else {
		memcpy(pipe->buf, &k->spare_buffers, sizeof(char *));
		k->spare_buffers = pipe->buf;
		k->n_spare_buffers++;
	}
	pipe->buf = NULL;
}

/* ---- Making and ending ---- */

static void pipe_count(struct pipe *pipe)
{
	struct kernel *k = pipe->k;

	pipe->id = ++k->base->pipes_made;
	pipe->index = k->n_pipes;
	if (k->n_pipes >= RECORDS_MAX)
		return;
	if (k->n_pipes >= k->pipe_bytes_cap) {
		size_t cap = k->pipe_bytes_cap ? k->pipe_bytes_cap * 2 : 32;
		uint64_t *at = realloc(k->pipe_bytes, cap * sizeof(*at));

		if (!at)
			return;
		k->pipe_bytes = at;
		k->pipe_bytes_cap = cap;
	}
	k->pipe_bytes[k->n_pipes++] = 0;
}

struct pipe *pipe_new(struct kernel *k)
{
	struct pipe *pipe = k->spare_pipes;

	if (!k->limits.pipe_bytes || !kernel_charge(k, sizeof(*pipe)))
		return NULL;
	if (pipe) {
		k->spare_pipes = pipe->next;
		k->n_spare_pipes--;
	} else {
		pipe = malloc(sizeof(*pipe));
	}
	if (!pipe) {
		kernel_refund(k, sizeof(*pipe));
		return NULL;
	}
	memset(pipe, 0, sizeof(*pipe));
	pipe->k = k;
	pipe->cap = SIZE_MAX / 4;
	if (k->limits.pipe_bytes < pipe->cap)
		pipe->cap = (size_t)k->limits.pipe_bytes;
	waitq_init(&pipe->read_q);
	waitq_init(&pipe->write_q);
	waitq_init(&pipe->open_q);
	ring_init(&pipe->fifo);
	pipe_count(pipe);
	return pipe;
}

void pipe_check_unused(struct pipe *pipe)
{
	struct kernel *k = pipe->k;

	if (pipe->readers || pipe->writers)
		return;
	pipe_give_buffer(pipe);
	ring_del(&pipe->fifo);
	kernel_refund(k, sizeof(*pipe));
	if (k->n_spare_pipes >= SPARE_PIPES) {
		free(pipe);
		return;
	}
	pipe->next = k->spare_pipes;
	k->spare_pipes = pipe;
	k->n_spare_pipes++;
}

void pipe_spares_end(struct kernel *k)
{
	while (k->spare_pipes) {
		struct pipe *pipe = k->spare_pipes;

		k->spare_pipes = pipe->next;
		free(pipe);
	}
	k->n_spare_pipes = 0;
	pipe_free_buffers(k);
}

/* Those who wait on an end, and those who wait on many things. */
static void pipe_wake(struct pipe *pipe, struct waitq *q)
{
	waitq_wake(q);
	waitq_wake(&pipe->k->base->poll_q);
}

/* ---- Reading ---- */

/* Out of the ring into buf, as much as there is. */
static size_t pipe_take(struct pipe *pipe, char *buf, size_t n)
{
	size_t first;

	if (n > pipe->n)
		n = pipe->n;
	first = pipe->cap - pipe->at < n ? pipe->cap - pipe->at : n;
	memcpy(buf, pipe->buf + pipe->at, first);
	memcpy(buf + first, pipe->buf, n - first);
	pipe->n -= n;
	pipe->at = pipe->n ? (pipe->at + n) % pipe->cap : 0;
	return n;
}

static ssize_t pipe_read(struct tsb_proc *p, struct desc *d, void *buf, size_t n)
{
	struct pipe *pipe = d->pipe;
	size_t got;

	if (!n)
		return 0;
	while (!pipe->n) {
		int r;

		if (!pipe->writers)
			return 0;
		if (d->flags & O_NONBLOCK)
			return -EAGAIN;
		r = sched_block(p, &pipe->read_q, TIME_NEVER, true);
		if (r < 0)
			return r;
	}
	got = pipe_take(pipe, buf, n);
	pipe_wake(pipe, &pipe->write_q);
	return (ssize_t)got;
}

static int pipe_poll(struct tsb_proc *p, struct desc *d, struct waitq **q, int64_t *until)
{
	(void)p;
	(void)until;
	if ((d->flags & O_ACCMODE) == O_WRONLY)
		return d->pipe->readers ? -EBADF : -EPIPE;
	if (d->pipe->n || !d->pipe->writers)
		return 1;
	*q = &d->pipe->read_q;
	return 0;
}

/* ---- Writing ---- */

static size_t pipe_put(struct pipe *pipe, const char *buf, size_t n)
{
	size_t room = pipe->cap - pipe->n, end, first;

	if (n > room)
		n = room;
	end = pipe->at + pipe->n;
	if (end >= pipe->cap)
		end -= pipe->cap;
	first = pipe->cap - end < n ? pipe->cap - end : n;
	memcpy(pipe->buf + end, buf, first);
	memcpy(pipe->buf, buf + first, n - first);
	pipe->n += n;
	if (pipe->index < pipe->k->n_pipes)
		pipe->k->pipe_bytes[pipe->index] += n;
	return n;
}

/* Waits until n bytes fit; 0, or -errno. */
static int pipe_wait_room(struct tsb_proc *p, struct desc *d, size_t n)
{
	struct pipe *pipe = d->pipe;

	for (;;) {
		int r;

		if (!pipe->readers)
			return signal_broken_pipe(p);
		if (pipe->cap - pipe->n >= n)
			return 0;
		if (d->flags & O_NONBLOCK)
			return -EAGAIN;
		r = sched_block(p, &pipe->write_q, TIME_NEVER, true);
		if (r < 0)
			return r;
	}
}

static ssize_t pipe_write(struct tsb_proc *p, struct desc *d, const void *buf, size_t n)
{
	struct pipe *pipe = d->pipe;
	size_t least = n <= PIPE_ATOMIC ? n : 1, done = 0;

	if (least > pipe->cap)
		least = pipe->cap;
	if (!n)
		return 0;
	while (done < n) {
		int r = pipe_wait_room(p, d, n - done < least ? n - done : least);

		if (r == 0 && !pipe->buf && !pipe_take_buffer(pipe))
			r = -ENOMEM;
		if (r < 0)
			return done ? (ssize_t)done : r;
		done += pipe_put(pipe, (const char *)buf + done, n - done);
		pipe_wake(pipe, &pipe->read_q);
	}
	return (ssize_t)done;
}

/* ---- The rest ---- */

static int pipe_stat(struct desc *d, struct tsb_stat *st)
{
	struct kernel *k = d->k;

	if (d->file)
		return vfs_fstat(d->file, st);
	st->dev = 13;
	st->ino = 100 + d->pipe->id;
	st->mode = S_IFIFO | 0600;
	st->nlink = 1;
	st->uid = k->opt.uid;
	st->gid = k->opt.gid;
	st->blksize = 4096;
	st->atime = st->mtime = st->ctime = st->btime = clock_stamp(k);
	return 0;
}

static ssize_t pipe_link(struct desc *d, char *buf, size_t cap, bool *path)
{
	char text[40];
	size_t n;

	*path = false;
	if (d->file)
		return file_link(d, buf, cap, path);
	n = (size_t)snprintf(text, sizeof(text), "pipe:[%llu]",
			     100 + (unsigned long long)d->pipe->id);
	memcpy(buf, text, n < cap ? n : cap);
	return (ssize_t)n;
}

/* Another description of the same pipe; it may also be the other end. */
static int pipe_reopen(struct tsb_proc *p, struct desc *d, int flags, struct desc **out)
{
	(void)p;
	*out = pipe_desc(d->pipe, flags);
	return *out ? 0 : -ENOMEM;
}

static void pipe_close(struct desc *d)
{
	struct pipe *pipe = d->pipe;
	int mode = d->flags & O_ACCMODE;

	if (d->file)
		vfs_close(d->file);
	if (mode != O_WRONLY && --pipe->readers == 0)
		pipe_wake(pipe, &pipe->write_q);
	if (mode != O_RDONLY && --pipe->writers == 0)
		pipe_wake(pipe, &pipe->read_q);
	pipe_check_unused(pipe);
}

static const struct desc_ops pipe_ops = {
	.read = pipe_read, .write = pipe_write, .poll_in = pipe_poll, .stat = pipe_stat,
	.link = pipe_link, .reopen = pipe_reopen, .close = pipe_close
};

struct desc *pipe_desc(struct pipe *pipe, int flags)
{
	struct desc *d = desc_new(pipe->k, &pipe_ops, flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	int mode = flags & O_ACCMODE;

	if (!d)
		return NULL;
	d->pipe = pipe;
	pipe->readers += mode != O_WRONLY;
	pipe->writers += mode != O_RDONLY;
	return d;
}

int pipe_make(struct kernel *k, struct desc **reader, struct desc **writer)
{
	struct pipe *pipe = pipe_new(k);

	if (!pipe)
		return -ENFILE;
	*reader = pipe_desc(pipe, O_RDONLY);
	*writer = *reader ? pipe_desc(pipe, O_WRONLY) : NULL;
	if (*writer)
		return 0;
	if (*reader)
		desc_put(*reader);
	else
		pipe_check_unused(pipe);
	return -ENFILE;
}
