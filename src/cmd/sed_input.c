/*
 * The lines: all files one after the other as one stream, or with -s and -i each
 * on its own. A line is lent to the pattern space where it lies in the buffer;
 * before the buffer moves, the pattern space takes it over.
 *
 * Whether a line is the last one is asked only by $, n and N: then the files that
 * follow are opened until one has a byte.
 */
#include "cmd/sed.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct lines *sed_standard_input(struct sed *s)
{
	struct sed_input *in = &s->in;

	if (!in->standard_started)
		lines_open(&in->standard, s->p, 0);
	in->standard_started = true;
	return &in->standard;
}

/* With -u one byte at a time, so that nothing is taken from who reads on. */
static bool input_fill_byte(struct sed *s, struct lines *l)
{
	ssize_t got;

	if (l->eof || l->error)
		return false;
	if (l->at == l->n)
		l->at = l->n = 0;
	got = tsb_read(s->p, l->fd, l->buf + l->n, 1);
	tsb_tick(s->p, 8);
	if (got < 0)
		l->error = (int)got;
	l->eof = !got;
	l->n += got > 0;
	return got > 0;
}

static bool input_fill(struct sed *s, struct lines *l)
{
	sed_space_own(s, &s->pattern);
	/* What can be given back with a seek is read in blocks all the same. */
	if (s->in.bytewise && l->n < l->cap / 2)
		return input_fill_byte(s, l);
	return lines_fill(l);
}

/* ---- Files ---- */

static void input_start_over(struct sed *s)
{
	s->in.line = 0;
	sed_space_clear(&s->hold);	/* but whether it had a newline stays known */
	for (size_t i = 0; i < s->cmds.n; i++) {
		struct sed_cmd *cmd = &s->cmds.at[i];

		cmd->range = cmd->zero && cmd->a2.kind ? SED_RANGE_ACTIVE : SED_RANGE_IDLE;
	}
	for (struct sed_source *r = s->sources; r; r = r->next)
		if (r->lines == &r->own && r->started && !r->failed &&
		    tsb_lseek(s->p, r->own.fd, 0, SEEK_SET) >= 0)
			lines_open(&r->own, s->p, r->own.fd);
}

static void file_open(struct sed *s, const char *name)
{
	struct sed_input *in = &s->in;
	struct tsb_stat st;
	int fd = 0;

	in->name = s->follow ? sed_in_place_name(s, name) : name;
	name = in->name;
	if (input_is_stdin(name) && !s->in_place.on) {
		in->lines = sed_standard_input(s);
	} else {
		fd = tsb_open(s->p, name, O_RDONLY | O_CLOEXEC, 0);
		if (fd < 0) {
			tsb_warn(s->p, "can't read %s: %s", name, tsb_strerror(fd));
			s->bad_input = true;
			return;
		}
		lines_open(&in->own, s->p, fd);
		in->lines = &in->own;
		if (s->in_place.on)
			sed_in_place_begin(s, fd);
	}
	in->bytewise = s->unbuffered && (tsb_fstat(s->p, fd, &st) < 0 || !S_ISREG(st.mode));
	in->open = true;
}

static bool input_next_file(struct sed *s)
{
	struct sed_input *in = &s->in;

	if (in->next_file == in->n_files)
		return false;
	if (in->fresh)
		input_start_over(s);
	in->fresh = false;
	file_open(s, in->files[in->next_file++]);
	return true;
}

static void file_close(struct sed *s)
{
	struct sed_input *in = &s->in;

	in->open = false;
	in->fresh = s->separate;
	if (in->lines != &in->own)
		return;
	/* The pattern space may still be lent from the buffer: that stays. */
	tsb_close(s->p, in->own.fd);
	if (s->in_place.on)
		sed_in_place_end(s);
}

/* ---- Lines ---- */

static void input_check(struct sed *s, const struct lines *l)
{
	if (l->error)
		sed_panic(s, "read error on %s: %s", l->fd ? s->in.name : "stdin",
			  tsb_strerror(l->error));
}

static bool input_line_slow(struct sed *s, struct lines *l, char **line, size_t *n)
{
	size_t seen = l->n - l->at;
	char *end = NULL;

	while (!end && input_fill(s, l)) {
		end = memchr(l->buf + l->at + seen, s->delim, l->n - l->at - seen);
		if (!end)
			seen = l->n - l->at;
	}
	input_check(s, l);
	if (!end && !seen)
		return false;
	*line = l->buf + l->at;
	*n = end ? (size_t)(end - *line) + 1 : seen;
	return true;
}

static bool input_line(struct sed *s, struct lines *l, char **line, size_t *n)
{
	char *from = l->buf + l->at, *end;

	end = l->at < l->n ? memchr(from, s->delim, l->n - l->at) : NULL;
	if (end) {
		*line = from;
		*n = (size_t)(end - from) + 1;
	} else if (!input_line_slow(s, l, line, n)) {
		return false;
	}
	l->at += *n;
	return true;
}

/* A line with its end, if it has one. */
static void input_take(struct sed *s, bool append, char *line, size_t n)
{
	struct sed_space *sp = &s->pattern;
	bool ended = line[n - 1] == (char)s->delim;

	n -= ended;
	if (append && sp->borrowed && sp->at + sp->n + 1 == line) {
		sp->n += n + 1;		/* the delimiter is there already */
	} else if (append) {
		sed_space_addc(s, sp, s->delim);
		sed_space_add(s, sp, line, n);
	} else {
		sp->at = line;
		sp->n = n;
		sp->borrowed = true;
	}
	sp->no_newline = !ended;
}

bool sed_read(struct sed *s, bool append)
{
	struct sed_input *in = &s->in;
	char *line;
	size_t n;

	s->replaced = false;
	while (!in->open || !input_line(s, in->lines, &line, &n)) {
		if (in->open)
			file_close(s);
		else if (!input_next_file(s))
			return false;
	}
	in->line++;
	input_take(s, append, line, n);
	return true;
}

static bool input_has_more(struct sed *s)
{
	struct lines *l = s->in.lines;

	/* What cannot be read has no more to give; only who reads a line says why. */
	return l->at < l->n || input_fill(s, l);
}

bool sed_is_last(struct sed *s)
{
	struct sed_input *in = &s->in;

	if (in->open && input_has_more(s))
		return false;
	if (s->separate)
		return true;
	for (;;) {
		if (in->open && input_has_more(s))
			return false;
		if (in->open)
			file_close(s);
		if (!input_next_file(s))
			return true;
	}
}

void sed_input_end(struct sed *s)
{
	if (s->in.open && s->in.lines == &s->in.own)
		file_close(s);
	if (s->in.standard_started)
		lines_unread(&s->in.standard);
}
