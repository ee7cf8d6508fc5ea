/*
 * Bodies: a length, chunks, or until the connection ends. Chunks are written anew.
 */
#include "egress/http.h"

#include <stdio.h>
#include <string.h>

#define LINE_MAX 4096u

static void put_chunk(struct ht_buf *out, const char *data, size_t n)
{
	char size[24];

	if (!n)
		return;
	snprintf(size, sizeof(size), "%zx\r\n", n);
	ht_text(out, size);
	ht_put(out, data, n);
	ht_text(out, "\r\n");
}

/* Data of the body, framed as it has to be. */
static void put_data(struct ht_body *b, const char *data, size_t n, struct ht_buf *out, bool last)
{
	struct ht_buf clean = {0}, *to = b->kind == HT_CHUNKED ? &clean : out;

	if (!b->scrub) {
		if (b->kind == HT_CHUNKED)
			put_chunk(out, data, n);
		else
			ht_put(out, data, n);
		return;
	}
	ht_scrub(b->scrub, data, n, to);
	if (last)
		ht_scrub_flush(b->scrub, to);
	if (b->kind == HT_CHUNKED)
		put_chunk(out, clean.data, clean.size);
	out->failed |= clean.failed;
	ht_free(&clean);
}

static size_t data_of(struct ht_body *b, const char *data, size_t n, struct ht_buf *out)
{
	size_t take = b->left < n ? (size_t)b->left : n;

	b->left -= take;
	put_data(b, data, take, out, b->kind == HT_LENGTH && !b->left);
	return take;
}

/* A line with its CR LF; 0: it is not whole. */
static size_t line_of(struct ht_body *b, const char *data, size_t n)
{
	const char *lf = memchr(data, '\n', n);

	if (lf && lf > data && lf[-1] == '\r' && (size_t)(lf - data) < LINE_MAX &&
	    !memchr(data, '\r', (size_t)(lf - data) - 1))
		return (size_t)(lf - data) + 1;
	if (lf || n >= LINE_MAX)
		b->why = "a line of a chunk is not one";
	return 0;
}

static int hex_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static size_t size_of(struct ht_body *b, const char *data, size_t n)
{
	size_t used = line_of(b, data, n), i = 0;

	if (!used)
		return 0;
	for (b->left = 0; hex_of(data[i]) >= 0 && i < 15; i++)
		b->left = b->left << 4 | (uint64_t)hex_of(data[i]);
	if (!i || (b->strict ? i + 2 != used : i + 2 != used && data[i] != ';' && data[i] != ' ')) {
		b->why = "the size of a chunk is not one";
		return 0;
	}
	b->chunk = b->left ? HT_DATA : HT_TRAILER;
	return used;
}

static size_t trailer(struct ht_body *b, const char *data, size_t n, struct ht_buf *out)
{
	size_t used = line_of(b, data, n);

	if (used > 2 && b->strict)
		b->why = "a chunk's trailer";
	if (used != 2)
		return b->why ? 0 : used;
	put_data(b, "", 0, out, true);
	ht_text(out, "0\r\n\r\n");
	b->done = true;
	return used;
}

static size_t chunk(struct ht_body *b, const char *data, size_t n, struct ht_buf *out)
{
	size_t take;

	switch (b->chunk) {
	case HT_SIZE:
		return size_of(b, data, n);
	case HT_DATA:
		take = data_of(b, data, n, out);
		if (!b->left)
			b->chunk = HT_DATA_END;
		return take;
	case HT_DATA_END:
		if (*data != '\r' || (n > 1 && data[1] != '\n'))
			b->why = "a chunk is longer than it says";
		if (b->why || n < 2)
			return 0;
		b->chunk = HT_SIZE;
		return 2;
	case HT_TRAILER:
	default:
		return trailer(b, data, n, out);
	}
}

size_t ht_body_take(struct ht_body *b, const char *data, size_t n, struct ht_buf *out)
{
	size_t used = 0, more;

	if (b->kind == HT_NONE || (b->kind == HT_LENGTH && !b->left))
		b->done = true;
	while (used < n && !b->done && !b->why) {
		if (b->kind == HT_CLOSE) {
			put_data(b, data, n, out, false);
			return n;
		}
		more = b->kind == HT_CHUNKED ? chunk(b, data + used, n - used, out) :
			data_of(b, data + used, n - used, out);
		if (!more)
			break;
		used += more;
		b->done |= b->kind == HT_LENGTH && !b->left;
	}
	if (out->failed && !b->why)
		b->why = "no memory";
	return used;
}

void ht_body_close(struct ht_body *b, struct ht_buf *out)
{
	if (b->kind == HT_CLOSE && b->scrub)
		ht_scrub_flush(b->scrub, out);
	b->done = b->kind == HT_CLOSE;
}
