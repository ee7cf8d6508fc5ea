/*
 * Buffered standard output, with the habits of C's stdout, because they can be
 * seen: 4096 bytes, by line on a terminal, large blocks written straight, and a
 * failed write kept until the end of the program tells of it.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void out_write(struct tsb_proc *p, const char *buf, size_t n)
{
	while (n && !p->out.error) {
		ssize_t r;

		p->patient = true;	/* the shell runs its traps after this */
		r = desc_write(p, fd_desc(p, 1), buf, n);
		p->patient = false;
		if (r <= 0) {
			p->out.error = r ? (int)r : -EIO;
			return;
		}
		buf += r;
		n -= (size_t)r;
	}
}

int out_flush(struct tsb_proc *p)
{
	size_t n = p->out.n;

	p->out.n = 0;	/* first: the process may end in the write */
	if (n) {
		proc_tick(p, 16);
		out_write(p, p->out.buf, n);
	}
	return p->out.error;
}

void out_flush_now(struct tsb_proc *p)
{
	struct desc *d = fd_desc(p, 1);

	if (p->out.n && p->out.buf && d && d->ops->write && (file_is(d) || d->ops->host))
		d->ops->write(p, d, p->out.buf, p->out.n);
	p->out.n = 0;
}

static void out_begin(struct tsb_proc *p)
{
	p->out.buf = proc_memory(p, OUT_SIZE);
	p->out.lines = tsb_isatty(p, 1);
}

static __attribute__((noinline)) void out_put_slow(struct tsb_proc *p, const char *at, size_t n)
{
	size_t part;

	if (!p->out.buf)
		out_begin(p);
	part = OUT_SIZE - p->out.n < n ? OUT_SIZE - p->out.n : n;
	memcpy(p->out.buf + p->out.n, at, part);
	p->out.n += part;
	at += part;
	n -= part;
	if (n) {
		size_t whole = n - n % OUT_SIZE;

		out_flush(p);
		out_write(p, at, whole);
		memcpy(p->out.buf, at + whole, n - whole);
		p->out.n = n - whole;
	}
}

void tsb_put(struct tsb_proc *p, const void *data, size_t n)
{
	struct out *o = &p->out;

	if (!data || unlikely(p->canceled))
		return;
	if (o->buf && n <= OUT_SIZE - o->n) {
		memcpy(o->buf + o->n, data, n);
		o->n += n;
	} else if (n) {
		out_put_slow(p, data, n);
	}
	if (o->lines && o->n && memchr(data, '\n', n))
		out_flush(p);
}

void tsb_puts(struct tsb_proc *p, const char *s)
{
	if (s)
		tsb_put(p, s, strlen(s));
}

void tsb_putc(struct tsb_proc *p, int c)
{
	char byte = (char)c;

	if (p->out.buf && p->out.n < OUT_SIZE && !p->out.lines && !p->canceled)
		p->out.buf[p->out.n++] = byte;
	else
		tsb_put(p, &byte, 1);
}

void tsb_printf(struct tsb_proc *p, const char *fmt, ...)
{
	char buf[512], *big;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof(buf)) {
		tsb_put(p, buf, (size_t)n);
		return;
	}
	big = tsb_realloc(p, NULL, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(big, (size_t)n + 1, fmt, ap);
	va_end(ap);
	tsb_put(p, big, (size_t)n);
	tsb_free(p, big);
}

int tsb_flush(struct tsb_proc *p)
{
	return p->canceled ? -ECANCELED : out_flush(p);
}

int tsb_out_error(struct tsb_proc *p)
{
	return p->out.error;
}

void tsb_out_forget(struct tsb_proc *p)
{
	p->out.n = 0;
	p->out.error = 0;
}
