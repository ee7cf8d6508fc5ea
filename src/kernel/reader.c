/*
 * Buffered input: records up to a delimiter, blocks, bytes. A record is given
 * where it lies in the buffer; the NUL behind it stands on the next record's
 * first byte, which is put back at the next call.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define READER_SIZE ((size_t)64 << 10)

void tsb_reader_init(struct tsb_reader *r, struct tsb_proc *p, int fd)
{
	*r = (struct tsb_reader){ .p = p, .fd = fd, .held = -1 };
}

void tsb_reader_end(struct tsb_reader *r)
{
	int error = r->error;

	tsb_free(r->p, r->buf);
	tsb_reader_init(r, r->p, r->fd);
	r->eof = true;
	r->error = error;
}

static inline void reader_put_back(struct tsb_reader *r)
{
	if (r->held >= 0)
		r->buf[r->at] = (char)r->held;
	r->held = -1;
}

/* bytes [at, n) are kept, at the front, and more are read behind them. */
static bool reader_fill(struct tsb_reader *r)
{
	size_t left = r->n - r->at;
	ssize_t got;

	if (r->eof || r->error)
		return false;
	if (!r->buf || left == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : READER_SIZE;

		r->buf = tsb_realloc(r->p, r->buf, cap + 1);	/* the NUL */
		r->cap = cap;
	}
	if (r->at)
		memmove(r->buf, r->buf + r->at, left);
	r->at = 0;
	r->n = left;
	got = tsb_read(r->p, r->fd, r->buf + left, r->cap - left);
	if (got < 0)
		r->error = (int)got;
	else if (got == 0)
		r->eof = true;
	else
		r->n += (size_t)got;
	return got > 0;
}

/* The first n bytes go to the caller. */
static size_t reader_give(struct tsb_reader *r, char **data, size_t n)
{
	*data = r->buf + r->at;
	r->at += n;
	r->held = (unsigned char)r->buf[r->at];
	r->buf[r->at] = '\0';
	if (r->at == r->n)
		r->held = -1;
	return n;
}

size_t tsb_getdelim(struct tsb_reader *r, char **line, int delim)
{
	size_t seen = 0;

	reader_put_back(r);
	for (;;) {
		size_t left = r->n - r->at;
		char *end = NULL;

		if (left > seen)
			end = memchr(r->buf + r->at + seen, delim, left - seen);
		if (end)
			return reader_give(r, line, (size_t)(end - (r->buf + r->at)) + 1);
		seen = left;
		if (!reader_fill(r))
			return seen ? reader_give(r, line, seen) : 0;
	}
}

size_t tsb_getblock(struct tsb_reader *r, char **data)
{
	reader_put_back(r);
	if (r->at == r->n && !reader_fill(r))
		return 0;
	return reader_give(r, data, r->n - r->at);
}

int tsb_getbyte(struct tsb_reader *r)
{
	reader_put_back(r);
	if (r->at == r->n && !reader_fill(r))
		return -1;
	return (unsigned char)r->buf[r->at++];
}

void tsb_reader_unread(struct tsb_reader *r)
{
	reader_put_back(r);
	if (r->at < r->n && tsb_lseek(r->p, r->fd, -(int64_t)(r->n - r->at), SEEK_CUR) >= 0)
		r->at = r->n = 0;
}
