/*
 * Descriptors 0, 1 and 2 of the run: the embedding program's functions. The
 * input function may say -EAGAIN ("nothing yet"): then the others run, and it
 * is asked again after a few milliseconds. An output function that fails stops
 * the run as a cancel does. To those who ask, they are pipes, or a terminal.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_AGAIN_NS (2 * NSEC_PER_MSEC)
#define OUTPUT_PART ((size_t)64 << 10)	/* at once, where the host may have to wait */

/* The embedder's functions run on the stack of kernel_run()'s caller, not on a
 * fiber's: they may need depth, or know where their thread's stack is. */
struct hostio_call {
	struct kernel *k;
	void *buf;
	const void *data;
	size_t n;
	int fd;
	ssize_t result;
};

static void hostio_call_input(void *arg)
{
	struct hostio_call *c = arg;
	struct kernel_io *io = &c->k->opt.io;

	c->result = io->input(io->input_ctx, c->buf, c->n);
}

static void hostio_call_output(void *arg)
{
	struct hostio_call *c = arg;
	struct kernel_io *io = &c->k->opt.io;

	c->result = io->output(io->output_ctx, c->fd, c->data, c->n);
}

/* 0; -EAGAIN: not now; another: it failed. */
static int hostio_output(struct kernel *k, int fd, const void *data, size_t n)
{
	struct hostio_call c = { .k = k, .data = data, .n = n, .fd = fd };

	sched_on_host(k, hostio_call_output, &c);
	return c.result == -EAGAIN && !k->opt.io.wakes ? -EIO : (int)c.result;
}

/* Asks the function once. It may have blocked for long: the time is not the
 * process's, and may be over. */
ssize_t hostio_ask(struct tsb_proc *p, void *buf, size_t n)
{
	struct kernel *k = p->k;
	struct hostio_call c = { .k = k, .buf = buf, .n = n };

	sched_on_host(k, hostio_call_input, &c);
	k->last_ns = clock_real(k);
	if (kernel_check_stop(k, k->last_ns)) {
		proc_stop_point(p);
		return -ECANCELED;
	}
	return c.result > (ssize_t)n ? -EIO : c.result;
}

void proc_on_host(struct tsb_proc *p, void (*fn)(void *arg), void *arg)
{
	struct kernel *k = p->k;

	sched_on_host(k, fn, arg);
	k->last_ns = clock_real(k);
	if (kernel_check_stop(k, k->last_ns))
		proc_stop_point(p);
}

size_t hostio_take(struct kernel *k, void *buf, size_t n)
{
	size_t got = k->input_n < n ? k->input_n : n;

	memcpy(buf, k->input + k->input_at, got);
	k->input_at += got;
	k->input_n -= got;
	return got;
}

int hostio_wait(struct tsb_proc *p, int64_t until)
{
	struct kernel *k = p->k;
	int64_t again;
	int r;

	if (k->opt.io.wakes)
		return sched_block(p, &k->io_q, until, true);
	again = clock_now(k) + INPUT_AGAIN_NS;
	if (again >= until)
		return sched_block(p, NULL, until, true);
	r = sched_block(p, NULL, again, true);
	return r == -ETIMEDOUT ? 0 : r;
}

static ssize_t hostio_read(struct tsb_proc *p, struct desc *d, void *buf, size_t n)
{
	struct kernel *k = p->k;

	if (!n)
		return 0;
	for (;;) {
		ssize_t r;

		if (k->input_n)
			return (ssize_t)hostio_take(k, buf, n);
		if (k->input_ended || !k->opt.io.input)
			return 0;
		r = hostio_ask(p, buf, n);
		if (r == 0)
			k->input_ended = true;
		if (r != -EAGAIN || d->flags & O_NONBLOCK)
			return r;
		r = hostio_wait(p, TIME_NEVER);
		if (r != 0)
			return r;
	}
}

/* Only a read can tell whether there is input: its bytes are kept. */
static int hostio_poll(struct tsb_proc *p, struct desc *d, struct waitq **q, int64_t *until)
{
	struct kernel *k = p->k;
	ssize_t r;

	(void)d;
	if (k->input_n || k->input_ended || k->terminal.end || !k->opt.io.input)
		return 1;
	r = hostio_ask(p, k->input, sizeof(k->input));
	if (r == -EAGAIN) {
		if (k->opt.io.wakes)
			*q = &k->io_q;
		else
			*until = clock_now(k) + INPUT_AGAIN_NS;
		return 0;
	}
	k->input_at = 0;
	k->input_n = r > 0 ? (size_t)r : 0;
	*(k->opt.io.terminal ? &k->terminal.end : &k->input_ended) = r == 0;
	return r == -ECANCELED ? (int)r : 1;
}

static int hostio_write_part(struct tsb_proc *p, struct desc *d, const void *buf, size_t n)
{
	struct kernel *k = p->k;

	for (;;) {
		int r = hostio_output(k, d->host_fd ? d->host_fd : 1, buf, n);

		if (r == 0)
			return 0;
		if (r == -EAGAIN && d->flags & O_NONBLOCK)
			return r;
		if (r == -EAGAIN && k->running != p)
			return 0;	/* it is being dropped: lost, as what a killed process had */
		if (r == -EAGAIN) {
			r = hostio_wait(p, TIME_NEVER);
			if (r)
				return r;
			continue;
		}
		kernel_stop(k, TSB_STOP_CANCEL, 130, NULL);
		if (k->running == p) {
			proc_stop_point(p);
			return -ECANCELED;
		}
		return 0;
	}
}

static ssize_t hostio_write(struct tsb_proc *p, struct desc *d, const void *buf, size_t n)
{
	size_t most = p->k->opt.io.wakes ? OUTPUT_PART : n, done = 0;

	while (done < n) {
		size_t part = n - done < most ? n - done : most;
		int r = hostio_write_part(p, d, (const char *)buf + done, part);

		if (r < 0)
			return done ? (ssize_t)done : r;
		done += part;
	}
	return (ssize_t)n;
}

static int hostio_stat(struct desc *d, struct tsb_stat *st)
{
	struct kernel *k = d->k;
	bool terminal = k->opt.io.terminal;

	st->dev = terminal ? 21 : 13;
	st->ino = terminal ? 3 : 4 + (uint64_t)d->host_fd;
	st->mode = terminal ? S_IFCHR | 0620 : S_IFIFO | 0600;
	st->rdev = terminal ? 0x8800 : 0;
	st->nlink = 1;
	st->uid = k->opt.uid;
	st->gid = k->opt.gid;
	st->blksize = terminal ? 1024 : 4096;
	st->atime = st->mtime = st->ctime = st->btime = clock_stamp(k);
	return 0;
}

static ssize_t hostio_link(struct desc *d, char *buf, size_t cap, bool *path)
{
	char text[32];
	size_t n;

	*path = false;
	n = (size_t)snprintf(text, sizeof(text), d->k->opt.io.terminal ? "/dev/pts/0" : "pipe:[%d]",
			     4 + d->host_fd);
	memcpy(buf, text, n < cap ? n : cap);
	return (ssize_t)n;
}

/* The same end, as with the link of a pipe on Linux; a terminal goes both ways. */
static int hostio_reopen(struct tsb_proc *p, struct desc *d, int flags, struct desc **out)
{
	(void)p;
	*out = desc_new(d->k, d->ops, flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	if (!*out)
		return -ENOMEM;
	(*out)->host_fd = d->host_fd;
	return 0;
}

static const struct desc_ops hostio_ops = {
	.read = hostio_read, .write = hostio_write, .poll_in = hostio_poll, .stat = hostio_stat,
	.link = hostio_link, .reopen = hostio_reopen, .host = true
};
static const struct desc_ops terminal_ops = {
	.read = terminal_read, .write = hostio_write, .poll_in = hostio_poll, .stat = hostio_stat,
	.link = hostio_link, .reopen = hostio_reopen, .host = true, .terminal = true
};

int hostio_make(struct kernel *k, struct fdtab *t)
{
	const struct desc_ops *ops = k->opt.io.terminal ? &terminal_ops : &hostio_ops;

	for (int fd = 0; fd < 3; fd++) {
		int mode = k->opt.io.terminal ? O_RDWR : fd ? O_WRONLY : O_RDONLY;
		struct desc *d = desc_new(k, ops, mode);

		if (!d)
			return -ENOMEM;
		d->host_fd = fd;
		if ((uint64_t)fd < k->limits.descriptors) {
			t->first[fd] = (struct fd_slot){ d, false };
			t->n = (unsigned)fd + 1;
		} else {
			desc_put(d);
			return -EMFILE;
		}
	}
	return 0;
}

int terminal_open(struct tsb_proc *p, int flags, struct desc **out)
{
	if (!p->k->opt.io.terminal)
		return -ENXIO;
	*out = desc_new(p->k, &terminal_ops, flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	return *out ? 0 : -ENOMEM;
}

void hostio_tell(struct kernel *k, const char *text, size_t n)
{
	hostio_output(k, 2, text, n);
}
