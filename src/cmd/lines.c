/*
 * See lines.h. The reader keeps what is not consumed at the front of its
 * buffer and doubles it only when one line fills half of it, so a file of short
 * lines costs one move of a part line a block, and a line of any length is
 * found in linear time.
 */
#include "cmd/lines.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/num.h"

void *text_alloc(struct tsb_proc *p, size_t n)
{
	void *at = heap_alloc(tsb_heap_of(p), n);

	return at ? at : tsb_alloc(p, SIZE_MAX);	/* ends the process */
}

/* ---- Input ---- */

void lines_open(struct lines *l, struct tsb_proc *p, int fd)
{
	l->p = p;
	l->fd = fd;
	l->error = 0;
	l->eof = false;
	l->at = l->n = 0;
	if (l->buf)
		return;
	l->cap = LINES_BLOCK;
	l->buf = text_alloc(p, l->cap + 1);
}

/* Half of it is room enough: then moving costs no more than reading. */
static void lines_make_room(struct lines *l)
{
	size_t cap;

	if (l->at == l->n)
		l->at = l->n = 0;
	if (l->n <= l->cap / 2)
		return;
	if (l->at) {
		memmove(l->buf, l->buf + l->at, l->n - l->at);
		l->n -= l->at;
		l->at = 0;
	}
	if (l->n <= l->cap / 2)
		return;
	if (!num_mul(l->cap, 2, &cap))
		cap = SIZE_MAX - 1;
	l->buf = tsb_realloc(l->p, l->buf, cap + 1);
	l->cap = cap;
}

bool lines_fill(struct lines *l)
{
	ssize_t got;

	if (l->eof || l->error)
		return false;
	lines_make_room(l);
	got = tsb_read(l->p, l->fd, l->buf + l->n, l->cap - l->n);
	tsb_tick(l->p, 64);
	if (got < 0)
		l->error = (int)got;
	else if (!got)
		l->eof = true;
	else
		l->n += (size_t)got;
	return got > 0;
}

bool lines_next_slow(struct lines *l, int delim, char **line, size_t *n)
{
	size_t seen = l->n - l->at;
	char *end = NULL;

	while (!end && lines_fill(l)) {
		end = memchr(l->buf + l->at + seen, delim, l->n - l->at - seen);
		if (!end)
			seen = l->n - l->at;
	}
	if (l->error || (!end && !seen))
		return false;
	*line = l->buf + l->at;
	*n = end ? (size_t)(end - *line) + 1 : seen;
	l->at += *n;
	return true;
}

void lines_unread(struct lines *l)
{
	if (l->at < l->n && tsb_lseek(l->p, l->fd, -(int64_t)(l->n - l->at), SEEK_CUR) >= 0)
		l->at = l->n = 0;
}

/* ---- Output ---- */

void sink_init_apart(struct sink *s, struct tsb_proc *p)
{
	s->p = p;
	s->buf = text_alloc(p, SINK_SIZE);
	s->n = 0;
}

static void sink_put_held(void *sink)
{
	sink_flush(sink);
}

void sink_init(struct sink *s, struct tsb_proc *p)
{
	sink_init_apart(s, p);
	tsb_before_messages(p, sink_put_held, s);
}

void sink_flush(struct sink *s)
{
	size_t n = s->n;

	s->n = 0;
	tsb_put(s->p, s->buf, n);
}

void sink_put_slow(struct sink *s, const void *data, size_t n)
{
	sink_flush(s);
	if (n > SINK_SIZE) {
		tsb_put(s->p, data, n);
		return;
	}
	memcpy(s->buf, data, n);
	s->n = n;
}

/* ---- Operands ---- */

int input_open(struct tsb_proc *p, const char *name)
{
	return input_is_stdin(name) ? 0 : tsb_open(p, name, O_RDONLY | O_CLOEXEC, 0);
}

void input_close(struct tsb_proc *p, int fd)
{
	if (fd > 0)
		tsb_close(p, fd);
}
