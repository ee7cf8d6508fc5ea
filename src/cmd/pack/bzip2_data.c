/*
 * bzip2's data through libbz2.
 */
#include <bzlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cmd/pack/bzip2.h"

void bzip2_say(struct bzip2 *b, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	if (b->quiet)
		return;
	str_init(&text, tsb_heap_of(b->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&text, fmt, ap);
	va_end(ap);
	tsb_write_all(b->p, 2, text.p, text.n);
	str_end(&text);
}

static void bzip2_out_room(struct bzip2 *b, bz_stream *z)
{
	if (b->out.n == PACK_BLOCK)
		pack_flush(&b->out);
	z->next_out = (char *)b->out.buf + b->out.n;
	z->avail_out = (unsigned)(PACK_BLOCK - b->out.n);
}

static int bzip2_step(struct bzip2 *b, bz_stream *z, int action)
{
	int r;

	bzip2_out_room(b, z);
	r = BZ2_bzCompress(z, action);
	b->out.n = PACK_BLOCK - z->avail_out;
	tsb_tick(b->p, 1);
	return r;
}

enum bzip2_result bzip2_compress(struct bzip2 *b)
{
	bz_stream z = { .bzalloc = pack_bzalloc, .bzfree = pack_free, .opaque = b->p };
	int level = b->small && b->level > 2 ? 2 : b->level;

	if (BZ2_bzCompressInit(&z, level, 0, 30) != BZ_OK)
		return BZIP2_CORRUPT;
	while (pack_fill(&b->in)) {
		z.next_in = (char *)b->in.buf + b->in.at;
		z.avail_in = (unsigned)(b->in.n - b->in.at);
		while (z.avail_in && !b->out.error)
			bzip2_step(b, &z, BZ_RUN);
		b->in.at = b->in.n;
		if (b->out.error)
			return BZIP2_WRITE;
	}
	while (bzip2_step(b, &z, BZ_FINISH) != BZ_STREAM_END)
		if (b->out.error)
			return BZIP2_WRITE;
	BZ2_bzCompressEnd(&z);
	pack_flush(&b->out);
	return b->in.error ? BZIP2_READ : b->out.error ? BZIP2_WRITE : BZIP2_OK;
}

/* The tool takes 5000 bytes at a time out of a stream, and what it has of them
 * when it meets an error is lost. */
enum { BZIP2_PART = 5000 };

static void bzip2_drop_part(struct bzip2 *b, uint64_t start)
{
	size_t n = (size_t)((pack_produced(&b->out) - start) % BZIP2_PART);

	b->out.n -= n < b->out.n ? n : b->out.n;
}

/* One stream, up to its end. */
static enum bzip2_result bzip2_stream(struct bzip2 *b)
{
	bz_stream z = { .bzalloc = pack_bzalloc, .bzfree = pack_free, .opaque = b->p };
	uint64_t start = pack_produced(&b->out);
	int r = BZ_OK;

	if (BZ2_bzDecompressInit(&z, 0, b->small) != BZ_OK)
		return BZIP2_CORRUPT;
	while (r == BZ_OK) {
		if (!pack_fill(&b->in)) {
			bzip2_drop_part(b, start);
			return BZIP2_EOF;	/* a failed read, too */
		}
		z.next_in = (char *)b->in.buf + b->in.at;
		z.avail_in = (unsigned)(b->in.n - b->in.at);
		do {
			bzip2_out_room(b, &z);
			r = BZ2_bzDecompress(&z);
			b->out.n = PACK_BLOCK - z.avail_out;
			tsb_tick(b->p, 1);
		} while (r == BZ_OK && !z.avail_out && !b->out.error);
		b->in.at = b->in.n - z.avail_in;
		if (b->out.error)
			return BZIP2_WRITE;
	}
	BZ2_bzDecompressEnd(&z);
	if (r != BZ_STREAM_END)
		bzip2_drop_part(b, start);
	return r == BZ_STREAM_END ? BZIP2_OK : r == BZ_DATA_ERROR_MAGIC ? BZIP2_NOT
									: BZIP2_CORRUPT;
}

enum bzip2_result bzip2_decompress(struct bzip2 *b, bool *garbage)
{
	enum bzip2_result r = bzip2_stream(b);

	*garbage = false;
	while (r == BZIP2_OK && pack_fill(&b->in)) {
		r = bzip2_stream(b);
		if (r != BZIP2_NOT)
			continue;
		*garbage = true;
		return BZIP2_OK;
	}
	return r == BZIP2_OK && b->out.error ? BZIP2_WRITE : r;
}
