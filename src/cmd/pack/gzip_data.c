/*
 * The gzip format: header, deflate by zlib, trailer; several members one after
 * the other; what is read besides (LZW of compress, one entry of a zip file,
 * and with -cdf anything, as it is).
 */
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

#include "base/str.h"
#include "cmd/pack/gzip.h"

enum { FLAG_CRC = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16, FLAG_ENCRYPTED = 32,
       FLAG_RESERVED = 0xc0 };

void gzip_error(struct gzip *g, const char *text)
{
	pack_say(g->p, "\ngzip: %s: %s\n", g->name, g->in.error ? tsb_strerror(g->in.error) : text);
	g->status = GZIP_ERROR;
	/* What cannot be read ends the run, with all files that were to come. */
	g->aborted |= g->in.error || !strcmp(text, "unexpected end of file") ||
		      (!g->test && !g->list && !strncmp(text, "invalid compressed data", 23));
}

void gzip_warn(struct gzip *g, const char *fmt, ...)
{
	va_list ap;
	struct str text;

	if (!g->status)
		g->status = GZIP_WARNING;
	if (g->quiet)
		return;
	str_init(&text, tsb_heap_of(g->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&text, fmt, ap);
	va_end(ap);
	tsb_write_all(g->p, 2, text.p, text.n);
	str_end(&text);
}

bool gzip_out_failed(struct gzip *g)
{
	if (!g->out.error)
		return false;
	pack_say(g->p, "\ngzip: %s: %s\n", g->out_name, tsb_strerror(g->out.error));
	g->status = GZIP_ERROR;
	return true;
}

/* ---- Compressing ---- */

static void gzip_put_header(struct gzip *g)
{
	unsigned char head[10] = { 0x1f, 0x8b, 8, g->save_name ? FLAG_NAME : 0 };
	int64_t stamp = 0;

	if (g->stamp.nsec >= 0 && !g->no_time) {
		stamp = g->stamp.sec;
		if (stamp < 0 || stamp > UINT32_MAX) {
			gzip_warn(g, "gzip: %s: warning: file timestamp out of range for gzip "
				  "format\n", g->name);
			stamp = 0;
		}
	}
	pack_set32(head + 4, (uint32_t)stamp);
	head[8] = g->level == 9 ? 2 : g->level == 1 ? 4 : 0;
	head[9] = 3;
	pack_put(&g->out, head, sizeof(head));
	if (g->save_name) {
		const char *slash = strrchr(g->name, '/');
		const char *base = slash ? slash + 1 : g->name;

		pack_put(&g->out, base, strlen(base) + 1);
	}
	g->header_bytes = pack_produced(&g->out);
}

static void gzip_deflate_some(struct gzip *g, z_stream *z, int flush)
{
	do {
		if (g->out.n == PACK_BLOCK)
			pack_flush(&g->out);
		z->next_out = g->out.buf + g->out.n;
		z->avail_out = (unsigned)(PACK_BLOCK - g->out.n);
		deflate(z, flush);
		g->out.n = PACK_BLOCK - z->avail_out;
	} while (!z->avail_out && !g->out.error);
}

/* How far the input goes until --rsyncable starts afresh: where the sum of the
 * last RSYNC_WINDOW bytes says so, which is the same place in any file. */
enum { RSYNC_WINDOW = 4096 };

static size_t gzip_rsync_part(struct gzip *g, const unsigned char *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		g->window_sum += at[i];
		g->window_sum -= g->window[g->window_at];
		g->window[g->window_at++] = at[i];
		g->window_at %= RSYNC_WINDOW;
		if (!(g->window_sum % RSYNC_WINDOW)) {
			g->window_sum = 0;
			memset(g->window, 0, RSYNC_WINDOW);
			return i + 1;
		}
	}
	return n;
}

static void gzip_deflate_block(struct gzip *g, z_stream *z)
{
	size_t n = g->in.n - g->in.at, part = n;

	if (g->rsyncable)
		part = gzip_rsync_part(g, g->in.buf + g->in.at, n);
	z->next_in = g->in.buf + g->in.at;
	z->avail_in = (unsigned)part;
	g->crc = (uint32_t)crc32(g->crc, z->next_in, z->avail_in);
	gzip_deflate_some(g, z, part < n ? Z_FULL_FLUSH : Z_NO_FLUSH);
	g->in.at += part;
}

bool gzip_compress(struct gzip *g)
{
	z_stream z = { .zalloc = pack_zalloc, .zfree = pack_free, .opaque = g->p };
	unsigned char tail[8];

	gzip_put_header(g);
	g->crc = (uint32_t)crc32(0, NULL, 0);
	/* Blocks as long as gzip's own, so that sizes are mostly the same. */
	if (deflateInit2(&z, g->level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	if (g->rsyncable && !g->window)
		g->window = tsb_alloc(g->p, RSYNC_WINDOW);
	while (pack_fill(&g->in) && !g->out.error)
		gzip_deflate_block(g, &z);
	if (g->in.error) {
		gzip_error(g, "");
		return false;
	}
	gzip_deflate_some(g, &z, Z_FINISH);
	deflateEnd(&z);
	pack_set32(tail, g->crc);
	pack_set32(tail + 4, (uint32_t)g->in.total);
	pack_put(&g->out, tail, sizeof(tail));
	g->header_bytes += sizeof(tail);
	pack_flush(&g->out);
	g->bytes_in = g->in.total;
	g->bytes_out = g->out.total;
	return !gzip_out_failed(g);
}

/* ---- Headers ---- */

/* A byte of the header counts for its check. */
static int gzip_head_byte(struct gzip *g)
{
	int c = pack_byte(&g->in);
	unsigned char byte = (unsigned char)c;

	if (c >= 0)
		g->crc = (uint32_t)crc32(g->crc, &byte, 1);
	if (!(g->in.at & 4095))
		tsb_tick(g->p, 1);
	return c;
}

static bool gzip_skip_text(struct gzip *g, struct str *text)
{
	int c;

	while ((c = gzip_head_byte(g)) > 0)
		if (text && text->n < TSB_PATH_MAX)
			str_addc(text, c);
	return c == 0;
}

static bool gzip_skip_extra(struct gzip *g)
{
	int lo = gzip_head_byte(g), hi = gzip_head_byte(g);
	unsigned n = (unsigned)lo | (unsigned)hi << 8;

	if (hi < 0)
		return false;
	if (g->verbose)
		pack_say(g->p, "gzip: %s: extra field of %u bytes ignored\n", g->name, n);
	while (n--)
		if (gzip_head_byte(g) < 0)
			return false;
	return true;
}

/* 1: right, 0: wrong, with a message, -1: not there. */
static int gzip_head_check(struct gzip *g)
{
	unsigned want = g->crc & 0xffff, lo, hi;

	if (!pack_need(&g->in, 2))
		return -1;
	lo = g->in.buf[g->in.at++];
	hi = g->in.buf[g->in.at++];
	if ((lo | hi << 8) == want)
		return 1;
	pack_say(g->p, "gzip: %s: header checksum 0x%04x != computed checksum 0x%04x\n", g->name,
		 lo | hi << 8, want);
	g->status = GZIP_ERROR;
	return 0;
}

/* Behind the magic: 1 if all is well, 0 after a message, -1: it ends early. */
static int gzip_member_header(struct gzip *g, const unsigned char *head)
{
	unsigned flags = head[3];
	struct str text;
	int64_t stamp = (int64_t)pack_le32(head + 4);
	int r = 1;

	g->crc = (uint32_t)crc32(0, head, 10);
	str_init(&text, tsb_heap_of(g->p), STR_MAX_DEFAULT);
	if (stamp && !g->no_time && g->part == 1)
		g->stamp = (struct tsb_time){ stamp, 0 };
	if ((flags & FLAG_EXTRA) && !gzip_skip_extra(g))
		return -1;
	if (flags & FLAG_NAME) {
		if (!gzip_skip_text(g, &text))
			return -1;
		if (g->part == 1)
			g->stored_name = str_take(&text, NULL);
	}
	if ((flags & FLAG_COMMENT) && !gzip_skip_text(g, NULL))
		return -1;
	if (flags & FLAG_CRC)
		r = gzip_head_check(g);
	if (g->part == 1)
		g->header_bytes = pack_consumed(&g->in) + 8;
	return r;
}

static int gzip_bad_header(struct gzip *g, const char *text)
{
	pack_say(g->p, "gzip: %s%s -- not supported\n", g->name, text);
	g->status = GZIP_ERROR;
	return -1;
}

static int gzip_gzip_header(struct gzip *g)
{
	unsigned char head[10];
	int r = -1;

	for (size_t i = 0; i < sizeof(head); i++) {
		int c = pack_byte(&g->in);

		if (c < 0)
			goto short_file;
		head[i] = (unsigned char)c;
		if (i == 2 && c != 8)
			return gzip_bad_header(g, tsb_format(g->p, ": unknown method %d", c));
		if (i == 3 && (c & FLAG_ENCRYPTED))
			return gzip_bad_header(g, " is encrypted");
		if (i == 3 && (c & FLAG_RESERVED))
			return gzip_bad_header(g, tsb_format(g->p, " has flags 0x%x",
							      (unsigned)c));
	}
	r = gzip_member_header(g, head);
short_file:
	if (r < 0)
		gzip_error(g, "unexpected end of file");
	return r > 0 ? GZIP_DEFLATED : -1;
}

/* The first entry of a zip file. */
static int gzip_zip_header(struct gzip *g)
{
	const unsigned char *h = pack_need(&g->in, 30) ? g->in.buf + g->in.at : NULL;
	size_t n = h ? 30 + (size_t)pack_le16(h + 26) + pack_le16(h + 28) : 0;
	unsigned method;

	if (!h || n > PACK_BLOCK || !pack_need(&g->in, n)) {
		gzip_error(g, "not a valid zip file");
		return -1;
	}
	h = g->in.buf + g->in.at;
	method = pack_le16(h + 8);
	if ((method != 8 && method != 0) || (h[6] & 1)) {
		gzip_error(g, method != 8 && method != 0 ?
			      "first entry not deflated or stored -- use unzip" :
			      "encrypted file -- use unzip");
		return -1;
	}
	g->zip = g->last_member = true;
	g->zip_behind = h[6] & 8;
	g->zip_crc = pack_le32(h + 14);
	g->zip_packed = pack_le32(h + 18);
	g->zip_len = pack_le32(h + 22);
	g->in.at += n;
	return method ? GZIP_DEFLATED : GZIP_STORED;
}

static int gzip_no_magic(struct gzip *g, bool zeros)
{
	if (g->part == 1) {
		gzip_error(g, "not in gzip format");
		return -1;
	}
	if (zeros)
		return -3;
	gzip_warn(g, "\ngzip: %s: decompression OK, trailing garbage ignored\n", g->name);
	return -2;
}

/* Zeros pad the last member of a tape. */
static int gzip_padding(struct gzip *g)
{
	int c;

	while ((c = pack_byte(&g->in)) == 0)
		if (!(g->in.at & 4095))
			tsb_tick(g->p, 1);
	return gzip_no_magic(g, c < 0);
}

int gzip_read_header(struct gzip *g)
{
	const unsigned char *h;
	bool two = pack_need(&g->in, 2);

	h = g->in.buf + g->in.at;
	if (!two && g->in.n == g->in.at && g->part && !g->in.error)
		return -3;
	g->part++;
	g->header_bytes = 0;
	if (!two && g->in.n == g->in.at && !(g->force && g->to_stdout && !g->in.error)) {
		gzip_error(g, "unexpected end of file");
		return -1;
	}
	if (two && h[0] == 0x1f && (h[1] == 0x8b || h[1] == 0x9e))
		return gzip_gzip_header(g);
	if (two && g->part == 1 && h[0] == 0x1f && h[1] == 0x9d) {
		g->in.at += 2;
		g->last_member = true;
		return GZIP_COMPRESSED;
	}
	if (two && g->part == 1 && h[0] == 'P' && h[1] == 'K' && pack_need(&g->in, 4) &&
	    !memcmp(g->in.buf + g->in.at, "PK\3\4", 4))
		return gzip_zip_header(g);
	if (g->force && g->to_stdout && !g->list) {
		g->last_member = true;
		return GZIP_STORED;
	}
	if (g->part > 1 && !h[0])
		return gzip_padding(g);
	if (!two && g->in.n == g->in.at)	/* -f -l: no byte is missed */
		return gzip_no_magic(g, false);
	if (!two && h[0]) {	/* a lone NUL is no magic number already */
		gzip_error(g, "unexpected end of file");
		return -1;
	}
	return gzip_no_magic(g, false);
}

/* ---- Bodies ---- */

static bool gzip_inflate_step(struct gzip *g, z_stream *z, int *r)
{
	struct pack_out *out = &g->out;

	if (!pack_fill(&g->in)) {
		gzip_error(g, "unexpected end of file");
		return false;
	}
	z->next_in = g->in.buf + g->in.at;
	z->avail_in = (unsigned)(g->in.n - g->in.at);
	z->next_out = out->buf;
	z->avail_out = (unsigned)PACK_BLOCK;
	*r = inflate(z, Z_NO_FLUSH);
	g->in.at = g->in.n - z->avail_in;
	out->n = PACK_BLOCK - z->avail_out;
	g->crc = (uint32_t)crc32(g->crc, out->buf, (unsigned)out->n);
	g->bytes_out += out->n;
	pack_flush(out);
	if (*r == Z_OK || *r == Z_STREAM_END || *r == Z_BUF_ERROR)
		return !gzip_out_failed(g);
	gzip_error(g, "invalid compressed data--format violated");
	return false;
}

/* What follows the data: its check and its length. */
static bool gzip_tail(struct gzip *g, uint32_t *crc, uint32_t *len)
{
	size_t n = !g->zip ? 8 : g->zip_behind ? 16 : 0;
	const unsigned char *tail;

	if (n && !pack_need(&g->in, n)) {
		gzip_error(g, "unexpected end of file");
		return false;
	}
	tail = g->in.buf + g->in.at;
	g->in.at += n;
	*crc = n ? pack_le32(tail + (g->zip ? 4 : 0)) : g->zip_crc;
	*len = n ? pack_le32(tail + (g->zip ? 12 : 4)) : g->zip_len;
	return true;
}

static bool gzip_only_entry(struct gzip *g)
{
	if (!g->zip || !pack_need(&g->in, 5) || memcmp(g->in.buf + g->in.at, "PK\3\4", 4) != 0)
		return true;
	if (g->to_stdout) {
		gzip_warn(g, "gzip: %s has more than one entry--rest ignored\n", g->name);
		return true;
	}
	pack_say(g->p, "gzip: %s has more than one entry -- unchanged\n", g->name);
	g->status = GZIP_ERROR;
	return false;
}

static bool gzip_check_tail(struct gzip *g)
{
	uint32_t crc, len;
	bool good = true;

	if (!gzip_tail(g, &crc, &len))
		return false;
	if (crc != g->crc) {
		gzip_error(g, "invalid compressed data--crc error");
		good = false;
	}
	if (len != (uint32_t)g->bytes_out) {
		gzip_error(g, "invalid compressed data--length error");
		good = false;
	}
	return gzip_only_entry(g) && good;
}

static bool gzip_inflate(struct gzip *g)
{
	z_stream z = { .zalloc = pack_zalloc, .zfree = pack_free, .opaque = g->p };
	int r = Z_OK;

	g->crc = (uint32_t)crc32(0, NULL, 0);
	g->bytes_out = 0;
	if (inflateInit2(&z, -15) != Z_OK)
		return false;
	while (r != Z_STREAM_END)
		if (!gzip_inflate_step(g, &z, &r))
			return false;
	inflateEnd(&z);
	return gzip_check_tail(g);
}

/* An entry that a zip file only stores. */
static bool gzip_unstore(struct gzip *g)
{
	uint32_t left = g->zip_len;

	if (left != g->zip_packed) {
		pack_say(g->p, "len %lu, siz %lu\n", (unsigned long)left, (unsigned long)g->zip_packed);
		gzip_error(g, "invalid compressed data--length mismatch");
		return false;
	}
	g->crc = (uint32_t)crc32(0, NULL, 0);
	while (left && !g->out.error) {
		size_t n;

		if (!pack_fill(&g->in)) {
			pack_flush(&g->out);
			gzip_error(g, "unexpected end of file");
			return false;
		}
		n = g->in.n - g->in.at < left ? g->in.n - g->in.at : left;
		g->crc = (uint32_t)crc32(g->crc, g->in.buf + g->in.at, (unsigned)n);
		pack_put(&g->out, g->in.buf + g->in.at, n);
		g->in.at += n;
		left -= (uint32_t)n;
	}
	pack_flush(&g->out);
	g->bytes_out = g->out.total;
	return !gzip_out_failed(g) && gzip_check_tail(g);
}

bool gzip_decompress(struct gzip *g)
{
	if (g->method == GZIP_DEFLATED)
		return gzip_inflate(g);
	if (g->method == GZIP_COMPRESSED)
		return gzip_unlzw(g);
	if (g->zip)
		return gzip_unstore(g);
	pack_copy(&g->in, &g->out);
	if (g->in.error)
		gzip_error(g, "");
	pack_flush(&g->out);
	g->bytes_out = g->out.total;
	return !g->in.error && !gzip_out_failed(g);
}
