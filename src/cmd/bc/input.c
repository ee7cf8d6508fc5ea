/*
 * bc's input: the library, the files, then standard input, as one stream whose
 * parts know their names. A read takes what is there, so that what a script
 * prints comes before its next line is wanted.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cmd/bc/bc.h"

enum { BLOCK = 8192 };

bool bcl_next_file(struct bc *b)
{
	if (b->fd > 0)
		tsb_close(b->p, b->fd);
	b->fd = -1;
	str_reset(&b->text);
	b->text_at = 0;
	b->line = 1;
	if (b->loading_library)
		bc_end_library(b);
	b->loading_library = b->library != NULL;
	if (b->library) {
		b->file_name = "libmath.b";
		str_adds(&b->text, b->library);
		b->library = NULL;
		return true;
	}
	if (*b->files) {
		b->file_name = *b->files++;
		b->fd = tsb_open(b->p, b->file_name, O_RDONLY | O_CLOEXEC, 0);
		if (b->fd >= 0)
			return true;
		b->value.text = tsb_format(b->p, "File %s is unavailable.\n", b->file_name);
		tsb_write_all(b->p, 2, b->value.text, strlen(b->value.text));
		bc_exit(b, 1);
	}
	if (b->is_stdin)
		return false;
	b->is_stdin = true;
	b->file_name = "(standard_in)";
	b->fd = 0;
	return true;
}

static void read_failed(struct bc *b)
{
	struct str s;

	str_init(&s, b->heap, STR_MAX_DEFAULT);
	str_addf(&s, "%s %d: read() in flex scanner failed\n", b->file_name, b->line);
	tsb_write_all(b->p, 2, s.p, s.n);
	bc_exit(b, 1);
}

/* With -i the lines of standard input are shown, as the line editor does that bc uses then. */
static void echo(struct bc *b, size_t from)
{
	if (!b->o->interactive || b->fd)
		return;
	tsb_put(b->p, b->text.p + from, b->text.n - from);
	tsb_flush(b->p);
}

/* A line at a time, so that what is shown stands in front of its results. */
static bool more_line(struct bc *b)
{
	size_t from = b->text.n;
	char byte = 0;

	while (byte != '\n' && tsb_read(b->p, b->fd, &byte, 1) == 1)
		str_addc(&b->text, byte);
	if (b->text.n == from)
		return false;
	if (byte != '\n')
		str_addc(&b->text, '\n');
	echo(b, from);
	return true;
}

static bool more(struct bc *b)
{
	ssize_t got;

	if (b->fd < 0)
		return false;
	if (b->text_at > BLOCK) {
		str_erase(&b->text, 0, b->text_at);
		b->text_at = 0;
	}
	if (b->o->interactive && !b->fd)
		return more_line(b);
	str_reserve(&b->text, BLOCK);
	got = tsb_read(b->p, b->fd, b->text.p + b->text.n, BLOCK);
	if (got < 0)
		read_failed(b);
	b->text.n += (size_t)got;
	b->text.p[b->text.n] = '\0';
	return got > 0;
}

int bcl_peek(struct bc *b, size_t ahead)
{
	while (b->text.n - b->text_at <= ahead)
		if (!more(b))
			return -1;
	return (unsigned char)b->text.p[b->text_at + ahead];
}

void bcl_skip(struct bc *b, size_t n)
{
	b->text_at += n;
	if (b->text_at == b->text.n) {
		str_reset(&b->text);
		b->text_at = 0;
	}
}

int bcl_read_byte(struct bc *b)
{
	if (b->read_at == b->read_n) {
		ssize_t got = tsb_read(b->p, 0, b->read_block, sizeof(b->read_block));

		if (got <= 0)
			return -1;
		b->read_n = (size_t)got;
		b->read_at = 0;
	}
	return (unsigned char)b->read_block[b->read_at++];
}
