/*
 * The ways of split: by lines, by bytes, by lines up to so many bytes, into so
 * many chunks of bytes or lines, and line by line in turn.
 */
#include "cmd/split.h"

#include <string.h>

#include "cmd/quote.h"

static bool ways_line(struct split *s, char **line, size_t *n)
{
	tsb_tick(s->p, 1);
	return lines_next(&s->in, s->end, line, n);
}

/* Bytes as they come, at most `most`; 0 at the end. */
static size_t ways_block(struct split *s, uint64_t most, char **data)
{
	size_t n;

	tsb_tick(s->p, 1);
	if (s->in.at == s->in.n && !lines_fill(&s->in))
		return 0;
	n = s->in.n - s->in.at;
	n = n < most ? n : (size_t)most;
	*data = s->in.buf + s->in.at;
	s->in.at += n;
	return n;
}

static void ways_lines(struct split *s)
{
	uint64_t left = 0;
	char *line;
	size_t n;

	while (ways_line(s, &line, &n)) {
		if (!left) {
			split_new(s);
			left = s->n;
		}
		split_write(s, &s->out, line, n);
		left--;
	}
}

/* files: that many are made, the last gets the rest; 0: as many as it takes. */
static void ways_bytes(struct split *s, uint64_t size, uint64_t files)
{
	uint64_t left = 0, opened = 0;
	char *data;
	size_t n;

	while ((n = ways_block(s, left ? left : size, &data))) {
		if (!left) {
			split_new(s);
			opened++;
			left = files && opened == files ? UINT64_MAX : size;
		}
		split_write(s, &s->out, data, n);
		left -= n;
	}
	for (; opened < files; opened++)
		split_new_empty(s);
}

static void ways_line_bytes(struct split *s)
{
	uint64_t left = 0;
	char *line;
	size_t n, part;

	while (ways_line(s, &line, &n)) {
		/* A line that does not fit begins a file; one that never fits is cut. */
		if (n > left && left != s->n)
			left = 0;
		for (; n; n -= part, line += part, left -= part) {
			if (!left) {
				split_new(s);
				left = s->n;
			}
			part = n < left ? n : (size_t)left;
			split_write(s, &s->out, line, part);
		}
	}
}

/* ---- Chunks ---- */

static void ways_chunk_of_bytes(struct split *s)
{
	uint64_t part = s->size / s->n, at = 0, start = (s->k - 1) * part;
	uint64_t end = s->k == s->n ? s->size : s->k * part;
	char *data;
	size_t n;

	while (at < end && (n = ways_block(s, at < start ? start - at : end - at, &data))) {
		if (at >= start)
			tsb_put(s->p, data, n);
		at += n;
	}
}

/* A line belongs to the chunk its first byte is in; a long one may leave none
 * for the chunks behind. */
static void ways_chunks_of_lines(struct split *s)
{
	uint64_t part = s->size / s->n, chunk = 1, end = part, at = 0;
	bool fresh = true;
	char *line;
	size_t n;

	/* Of chunks without a byte the last alone would have lines; nobody asks for it. */
	if (!part && s->k > 1)
		return;
	while (at < s->size && ways_line(s, &line, &n)) {
		if (s->k == chunk)
			tsb_put(s->p, line, n);
		if (!s->k && fresh)
			split_new(s);
		if (!s->k)
			split_write(s, &s->out, line, n);
		fresh = false;
		at += n;
		while (at >= end && chunk <= s->n && line[n - 1] == (char)s->end) {
			chunk++;
			end = chunk >= s->n ? s->size : end + part;
			fresh = true;
			if (s->k && chunk > s->k)
				return;
			if (at >= end && chunk <= s->n && !s->k)
				split_new_empty(s);
		}
	}
	for (chunk += !fresh; !s->k && chunk <= s->n; chunk++)
		split_new_empty(s);
}

/* ---- In turn ---- */

static void ways_one_in_turn(struct split *s)
{
	uint64_t line_no = 1;
	char *line;
	size_t n;

	while (ways_line(s, &line, &n)) {
		if (line_no == s->k) {
			tsb_put(s->p, line, n);
			if (s->unbuffered)
				tsb_flush(s->p);
		}
		line_no = line_no == s->n ? 1 : line_no + 1;
	}
}

enum { WAYS_OPEN_MAX = 64 };

/* Many files cannot be open at once; what is not a filter can be opened again. */
static void ways_limit_open(struct split *s, struct split_file *files, size_t i)
{
	if (!s->filter && i >= WAYS_OPEN_MAX)
		split_close(s, &files[i]);
}

static void ways_in_turn(struct split *s)
{
	struct split_file *files;
	size_t bytes, i = 0, n;
	bool wrapped = false;
	char *line;

	if (__builtin_mul_overflow((size_t)s->n, sizeof(*files), &bytes))
		bytes = SIZE_MAX;	/* ends the process */
	files = tsb_alloc(s->p, bytes);
	for (i = 0; i < s->n; i++)
		split_next_name(s, &files[i]);
	i = 0;
	while (ways_line(s, &line, &n)) {
		if (files[i].fd < 0)
			split_open(s, &files[i]);
		split_write(s, &files[i], line, n);
		ways_limit_open(s, files, i);
		if (++i == s->n) {
			i = 0;
			wrapped = true;
		}
	}
	for (i = 0; i < s->n; i++) {
		if (!wrapped && files[i].fd < 0 && !files[i].appends && !s->elide_empty)
			split_open(s, &files[i]);
		split_close(s, &files[i]);
	}
}

void split_by(struct split *s)
{
	uint64_t part;

	switch (s->way) {
	case SPLIT_UNSET: case SPLIT_LINES:
		ways_lines(s);
		break;
	case SPLIT_BYTES:
		ways_bytes(s, s->n, 0);
		break;
	case SPLIT_LINE_BYTES:
		ways_line_bytes(s);
		break;
	case SPLIT_CHUNK_BYTES:
		part = s->size / s->n;
		if (s->k)
			ways_chunk_of_bytes(s);
		else
			ways_bytes(s, part ? part : 1, s->n);
		break;
	case SPLIT_CHUNK_LINES:
		ways_chunks_of_lines(s);
		break;
	case SPLIT_ROUND_ROBIN:
		if (s->k)
			ways_one_in_turn(s);
		else
			ways_in_turn(s);
		break;
	}
	if (s->in.error) {
		tsb_warn_errno(s->p, s->in.error, "%s", quote_f(s->p, s->input));
		tsb_exit(s->p, 1);
	}
	split_close(s, &s->out);
}
