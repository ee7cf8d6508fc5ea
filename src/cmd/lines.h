/*
 * Bulk text for the filters: lines out of a descriptor without a kernel call a
 * line, and output collected into large writes. Both take one buffer each.
 */
#ifndef CMD_LINES_H
#define CMD_LINES_H

#include <string.h>

#include <tinysandbox/command.h>

#define LINES_BLOCK ((size_t)128 << 10)
#define SINK_SIZE ((size_t)64 << 10)

/* ---- Input ---- */

struct lines {
	struct tsb_proc *p;
	int fd;
	int error;		/* -errno of a failed read, or 0 */
	bool eof;
	char *buf;		/* one spare byte behind cap */
	size_t at, n, cap;	/* [at, n) is read and not consumed */
};

/* Starts on a descriptor; called again it goes on with the same buffer. */
void lines_open(struct lines *l, struct tsb_proc *p, int fd);
/* More bytes behind n; what is not consumed stays, perhaps elsewhere. */
bool lines_fill(struct lines *l);
bool lines_next_slow(struct lines *l, int delim, char **line, size_t *n);
/* Moves the descriptor back over what was not consumed, where it can seek. */
void lines_unread(struct lines *l);

/* The next line with its delimiter (the last may lack it), borrowed until the
 * next call. false at the end or on error. The byte behind it may be written. */
static inline bool lines_next(struct lines *l, int delim, char **line, size_t *n)
{
	char *from = l->buf + l->at, *end;

	end = l->at < l->n ? memchr(from, delim, l->n - l->at) : NULL;
	if (!end)
		return lines_next_slow(l, delim, line, n);
	*line = from;
	*n = (size_t)(end - from) + 1;
	l->at += *n;
	return true;
}

/* ---- Output ---- */

struct sink {
	struct tsb_proc *p;
	char *buf;
	size_t n;
};

/* Messages of the command come behind what it holds, as with error(3) ... */
void sink_init(struct sink *s, struct tsb_proc *p);
/* ... or before, as with warn(3), which most of util-linux has. */
void sink_init_apart(struct sink *s, struct tsb_proc *p);
void sink_flush(struct sink *s);	/* into tsb_put()'s buffer */
void sink_put_slow(struct sink *s, const void *data, size_t n);

static inline void sink_put(struct sink *s, const void *data, size_t n)
{
	if (n > SINK_SIZE - s->n) {
		sink_put_slow(s, data, n);
		return;
	}
	memcpy(s->buf + s->n, data, n);
	s->n += n;
}

static inline void sink_putc(struct sink *s, int c)
{
	if (s->n == SINK_SIZE)
		sink_flush(s);
	s->buf[s->n++] = (char)c;
}

static inline void sink_puts(struct sink *s, const char *z)
{
	sink_put(s, z, strlen(z));
}

/* ---- Operands ---- */

/* A file to read, "-" is standard input: a descriptor or -errno. */
int input_open(struct tsb_proc *p, const char *name);
void input_close(struct tsb_proc *p, int fd);	/* but never standard input */

static inline bool input_is_stdin(const char *name)
{
	return name[0] == '-' && !name[1];
}

/* Memory that is not zeroed; never NULL. */
void *text_alloc(struct tsb_proc *p, size_t n);

#endif
