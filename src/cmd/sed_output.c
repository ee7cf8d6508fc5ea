/*
 * Where sed writes: standard output, the file that is edited in place, the files
 * of w. Each has a buffer of its own (r reads back what was flushed, no more),
 * and a note that the last line written to it lacks its newline, which is added
 * only when more is written.
 */
#include "cmd/sed.h"

#include <fcntl.h>
#include <string.h>

enum { SED_OUT_SIZE = 64 << 10, SED_OUT_FILE_SIZE = 4 << 10 };

static size_t out_size(const struct sed *s, const struct sed_out *o)
{
	return o == &s->standard || o == &s->file ? SED_OUT_SIZE : SED_OUT_FILE_SIZE;
}

/* added: how many bytes made the buffer full; 0: it is only to be flushed. */
static void out_write(struct sed *s, struct sed_out *o, const char *p, size_t n, size_t added)
{
	int r = tsb_write_all(s->p, o->fd, p, n);

	if (r >= 0)
		return;
	o->n = 0;
	if (added)
		sed_panic(s, "couldn't write %zu item%s to %s: %s", added, added == 1 ? "" : "s",
			  o->name, tsb_strerror(r));
	sed_panic(s, "couldn't flush %s: %s", o->name, tsb_strerror(r));
}

static void out_empty(struct sed *s, struct sed_out *o, size_t added)
{
	size_t n = o->n;

	o->n = 0;	/* first: a write may end the process */
	if (n)
		out_write(s, o, o->buf, n, added);
}

void sed_out_flush(struct sed *s, struct sed_out *o)
{
	out_empty(s, o, 0);
}

static void out_put_slow(struct sed *s, struct sed_out *o, const char *p, size_t n)
{
	size_t size = out_size(s, o);

	if (!o->buf)
		o->buf = text_alloc(s->p, size);
	out_empty(s, o, n);
	if (n >= size)
		out_write(s, o, p, n, n);
	else
		memcpy(o->buf, p, o->n = n);
}

static void out_put(struct sed *s, struct sed_out *o, const char *p, size_t n)
{
	if (o->real)
		o = o->real;
	if (!n)
		return;
	if (!o->buf || n > out_size(s, o) - o->n) {
		out_put_slow(s, o, p, n);
		return;
	}
	memcpy(o->buf + o->n, p, n);
	o->n += n;
}

void sed_out_newline(struct sed *s, struct sed_out *o)
{
	char end = (char)s->delim;

	if (!o->lacks_newline)
		return;
	o->lacks_newline = false;
	out_put(s, o, &end, 1);
}

static void out_done(struct sed *s, struct sed_out *o)
{
	if (o->real)
		o = o->real;
	if (o->at_once)
		sed_out_flush(s, o);
}

void sed_out_raw(struct sed *s, struct sed_out *o, const char *p, size_t n)
{
	out_put(s, o, p, n);
	out_done(s, o);
}

void sed_out_text(struct sed *s, struct sed_out *o, const char *p, size_t n)
{
	sed_out_newline(s, o);
	out_put(s, o, p, n);
	out_done(s, o);
}

void sed_out_line(struct sed *s, struct sed_out *o, const char *p, size_t n)
{
	char end = (char)s->delim;

	sed_out_newline(s, o);
	out_put(s, o, p, n);
	out_put(s, o, &end, 1);
	out_done(s, o);
}

void sed_out_space(struct sed *s, struct sed_out *o, const struct sed_space *sp)
{
	if (!sp->no_newline) {
		sed_out_line(s, o, sp->at, sp->n);
		return;
	}
	sed_out_text(s, o, sp->at, sp->n);
	o->lacks_newline = true;
}

/* ---- Files ---- */

struct sed_out *sed_out_open(struct sed *s, struct slice name)
{
	struct sed_out *o;

	if (slice_is(name, "/dev/stderr"))
		return &s->error;
	for (o = s->outs; o; o = o->next)
		if (slice_is(name, o->name))
			return o;
	o = sed_alloc(s, sizeof(*o));
	o->name = name.p;
	o->real = slice_is(name, "/dev/stdout") ? &s->standard : NULL;
	o->fd = 1;
	if (!o->real)
		o->fd = tsb_open(s->p, name.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (o->fd < 0)
		sed_panic(s, "couldn't open file %s: %s", name.p, tsb_strerror(o->fd));
	o->at_once = s->unbuffered;
	o->next = s->outs;
	s->outs = o;
	return o;
}

void sed_flush_files(struct sed *s)
{
	for (struct sed_out *o = s->outs; o; o = o->next)
		sed_out_flush(s, o);
}

void sed_flush_all(struct sed *s)
{
	/* GNU's has forgotten the names by the time it closes them. */
	for (struct sed_out *o = s->outs; o; o = o->next)
		o->name = "<unknown>";
	sed_flush_files(s);
	sed_out_flush(s, &s->file);
	sed_out_flush(s, &s->standard);
}
