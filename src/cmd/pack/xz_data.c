/*
 * xz's data through liblzma: which coder, and running it.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/str.h"
#include "cmd/pack/xz.h"

const char *xz_ret_text(lzma_ret r)
{
	switch (r) {
	case LZMA_MEM_ERROR: return tsb_strerror(ENOMEM);
	case LZMA_MEMLIMIT_ERROR: return "Memory usage limit reached";
	case LZMA_FORMAT_ERROR: return "File format not recognized";
	case LZMA_OPTIONS_ERROR: return "Unsupported options";
	case LZMA_DATA_ERROR: return "Compressed data is corrupt";
	case LZMA_BUF_ERROR: return "Unexpected end of input";
	case LZMA_UNSUPPORTED_CHECK: return "Unsupported type of integrity check; not verifying "
					    "file integrity";
	default: return "Internal error (bug)";
	}
}

/* ---- Settings ---- */

/* The coder of -9 takes ten times its dictionary of 64 MiB, which is more than
 * a run has. So -8 and -9 look back less far, and say so nowhere: what they
 * write is what a larger dictionary would give for inputs up to this size. */
enum { XZ_DICT_MAX = 16 << 20 };

/* The size of a dictionary in its one byte: 2 or 3 times a power of two. */
static int xz_dict_byte(uint32_t size)
{
	for (int bits = 0; bits < 40; bits++)
		if ((uint64_t)(2 | (bits & 1)) << (bits / 2 + 11) >= size)
			return bits;
	return 40;
}

/* The headers of the first block name the dictionary that was asked for. */
static void xz_say_dict(struct xz *x)
{
	unsigned char *b = x->out.buf;

	if (x->dict_said || x->out.total || x->preset.dict_size == x->dict)
		return;
	if (x->format == XZ_LZMA && x->out.n >= 13) {
		pack_set32(b + 1, x->dict);
		x->dict_said = true;
	} else if (x->format == XZ_XZ && x->out.n >= 24 && !memcmp(b + 12, "\2\0\41\1", 4)) {
		b[16] = (unsigned char)xz_dict_byte(x->dict);
		pack_set32(b + 20, lzma_crc32(b + 12, 8, 0));
		x->dict_said = true;
	}
}

void xz_fatal(struct xz *x, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	str_init(&text, tsb_heap_of(x->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&text, fmt, ap);
	va_end(ap);
	xz_error(x, "%s", text.p);
	tsb_exit(x->p, 1);
}

static void xz_chain(struct xz *x)
{
	int at = 0;
	/* The chain as a whole is looked at below. */
	const char *bad = lzma_str_to_filters(x->chain->p, &at, x->filters,
					      LZMA_STR_ALL_FILTERS | LZMA_STR_NO_VALIDATION,
					      &x->allocator);

	if (bad)
		xz_fatal(x, "%s", strstr(x->chain->p, "lc=") || strstr(x->chain->p, "lp=") ?
			 "The sum of lc and lp must not exceed 4" : bad);
	xz_check_chain(x);
}

/* The limit in full below a MiB. */
static void xz_say_memory(struct xz *x, uint64_t usage, uint64_t limit)
{
	const uint64_t mib = 1 << 20;

	xz_error(x, "%llu MiB of memory is required. The limit is %s.",
		 (unsigned long long)((usage + mib - 1) / mib),
		 limit < mib ? tsb_format(x->p, "%llu B", (unsigned long long)limit)
		 : tsb_format(x->p, "%llu MiB", (unsigned long long)((limit + mib - 1) / mib)));
}

/* A smaller dictionary where the memory allowed asks for it. */
static void xz_adjust(struct xz *x, uint64_t usage)
{
	lzma_options_lzma *o = x->filters[0].options;
	uint32_t was = o->dict_size;
	const uint32_t mib = 1 << 20;
	bool two = x->filters[0].id == LZMA_FILTER_LZMA2;
	bool can = x->format != XZ_RAW && !x->no_adjust && (two || x->filters[0].id == LZMA_FILTER_LZMA1);

	while (can && usage > x->limit_pack && o->dict_size > mib) {
		o->dict_size = (o->dict_size & ~(mib - 1)) - (o->dict_size & (mib - 1) ? 0 : mib);
		usage = lzma_raw_encoder_memusage(x->filters);
	}
	if (usage <= x->limit_pack) {
		xz_warning(x, "Adjusted LZMA%d dictionary size from %u MiB to %u MiB to not "
			   "exceed the memory usage limit of %llu MiB", two ? 2 : 1, was >> 20, o->dict_size >> 20,
			   (unsigned long long)((x->limit_pack + mib - 1) >> 20));
		x->status = 0;
		return;
	}
	xz_error(x, "Memory usage limit is too low for the given filter setup.");
	xz_say_memory(x, usage, x->limit_pack);
	tsb_exit(x->p, 1);
}

void xz_prepare(struct xz *x)
{
	uint64_t usage;

	x->allocator = (lzma_allocator){ pack_lzma_alloc, pack_free, x->p };
	if (x->mode == XZ_COMPRESS && x->format == XZ_AUTO)
		x->format = XZ_XZ;
	if (x->mode == XZ_COMPRESS && x->format == XZ_LZIP)
		xz_fatal(x, "Compression of lzip files (.lz) is not supported");
	if (x->chain && x->chain->n) {
		xz_chain(x);
	} else {
		lzma_lzma_preset(&x->preset, x->level | (x->extreme ? LZMA_PRESET_EXTREME : 0));
		x->filters[0].id = x->format == XZ_LZMA ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2;
		x->filters[0].options = &x->preset;
		x->filters[1].id = LZMA_VLI_UNKNOWN;
		if (x->format == XZ_RAW && (x->mode == XZ_COMPRESS || x->mode == XZ_DECOMPRESS)) {
			xz_warning(x, "Using a preset in raw mode is discouraged.");
			xz_warning(x, "The exact options of the presets may vary between software "
				   "versions.");
			x->status = 0;
		}
	}
	if (x->mode != XZ_COMPRESS)
		return;
	usage = lzma_raw_encoder_memusage(x->filters);
	if (usage == UINT64_MAX)
		xz_fatal(x, "Unsupported filter chain or filter options");
	if (x->limit_pack && usage > x->limit_pack)
		xz_adjust(x, usage);
	x->dict = x->preset.dict_size;
	if (x->dict > XZ_DICT_MAX)
		x->preset.dict_size = XZ_DICT_MAX;
}

/* ---- What is said ---- */

static void xz_progress(struct xz *x, uint64_t in, uint64_t out, bool finished)
{
	uint64_t packed = x->mode == XZ_COMPRESS ? out : in;
	uint64_t plain = x->mode == XZ_COMPRESS ? in : out;
	double ratio = plain ? (double)packed / (double)plain : 16;
	uint64_t size = (x->st.mode & 0170000) == 0100000 ? x->st.size : 0;
	char *text, *part = tsb_strdup(x->p, "");

	if (x->verbose < 1 || (!finished && (!in || !out)))
		return;
	if (!finished && size && in <= size)
		part = tsb_format(x->p, "%.1f %%, ", (double)in / (double)size * 99.9);
	text = ratio > 9.999 ? tsb_strdup(x->p, "> 9.999") : tsb_format(x->p, "= %.3f", ratio);
	pack_say(x->p, "%s: %s%s / %s %s\n", x->name, part,
		 xz_nice(x, packed, false), xz_nice(x, plain, false), text);
}

static bool xz_report(struct xz *x, lzma_ret r)
{
	if (x->in.error) {
		xz_error(x, "%s: Read error: %s", x->name, tsb_strerror(x->in.error));
		return false;
	}
	if (x->out.error) {
		xz_error(x, "%s: Write error: %s", x->out.fd == 1 ? "(stdout)" : x->name,
			 tsb_strerror(x->out.error));
		return false;
	}
	if (r == LZMA_STREAM_END)
		return true;
	if (r != LZMA_FORMAT_ERROR)
		xz_progress(x, pack_consumed(&x->in), x->out.total, false);
	xz_error(x, "%s: %s", x->name, xz_ret_text(r));
	if (r == LZMA_MEMLIMIT_ERROR)
		xz_say_memory(x, x->usage, x->limit_unpack);
	return false;
}

/* ---- Starting a coder ---- */

static bool xz_is_lzma(const unsigned char *b, size_t n)
{
	uint64_t size;
	uint32_t dict;

	if (n < 13 || b[0] >= 225)
		return false;
	dict = pack_le32(b + 1);
	if (dict != UINT32_MAX) {
		uint32_t d = dict - 1;

		d |= d >> 2;
		d |= d >> 3;
		d |= d >> 4;
		d |= d >> 8;
		d |= d >> 16;
		if (d + 1 != dict || !dict)
			return false;
	}
	size = pack_le64(b + 5);
	return size == UINT64_MAX || size < (uint64_t)1 << 38;
}

static enum xz_format xz_guess(struct xz *x)
{
	const unsigned char *b;
	size_t n;

	pack_need(&x->in, 13);
	b = x->in.buf + x->in.at;
	n = x->in.n - x->in.at;
	if (n >= 6 && !memcmp(b, "\xFD" "7zXZ", 6))
		return XZ_XZ;
	if (n >= 4 && !memcmp(b, "LZIP", 4))
		return XZ_LZIP;
	return xz_is_lzma(b, n) ? XZ_LZMA : XZ_AUTO;
}

bool xz_recognized(struct xz *x)
{
	int is = (int)xz_guess(x);

	if (x->format == XZ_RAW || (is != XZ_AUTO && (!x->format || x->format == is)))
		return true;
	xz_report(x, LZMA_FORMAT_ERROR);
	return false;
}

static lzma_ret xz_start_decoder(struct xz *x, lzma_stream *s, bool *copy)
{
	uint32_t flags = (x->single ? 0u : LZMA_CONCATENATED) |
			 (x->ignore_check ? LZMA_IGNORE_CHECK : LZMA_TELL_UNSUPPORTED_CHECK);
	uint64_t limit = x->limit_unpack ? x->limit_unpack : UINT64_MAX;
	int format = x->format;

	if (format != XZ_RAW) {
		int is = (int)xz_guess(x);

		if (is == XZ_AUTO || (format != XZ_AUTO && format != is)) {
			*copy = is == XZ_AUTO && x->force && x->to_stdout &&
				x->mode == XZ_DECOMPRESS;
			return LZMA_FORMAT_ERROR;
		}
		format = is;
	}
	x->decodes = format;
	switch (format) {
	case XZ_XZ: return lzma_stream_decoder(s, limit, flags);
	case XZ_LZMA: return lzma_alone_decoder(s, limit);
	case XZ_LZIP: return lzma_lzip_decoder(s, limit, flags);
	default: return lzma_raw_decoder(s, x->filters);
	}
}

static lzma_ret xz_start_encoder(struct xz *x, lzma_stream *s)
{
	lzma_check check = x->check < 0 ? LZMA_CHECK_CRC64 : (lzma_check)x->check;

	switch (x->format) {
	case XZ_LZMA: return lzma_alone_encoder(s, x->filters[0].options);
	case XZ_RAW: return lzma_raw_encoder(s, x->filters);
	default: return lzma_stream_encoder(s, x->filters, check);
	}
}

/* ---- Running it ---- */

/* The end of the block that --block-size or --block-list wants next. */
static uint64_t xz_next_block(struct xz *x, uint64_t *list_left, size_t *i)
{
	uint64_t n, most = x->block_size ? x->block_size : UINT64_MAX;

	if (!*list_left && x->n_blocks) {
		*list_left = x->blocks[*i] ? x->blocks[*i] : UINT64_MAX;
		*i += *i + 1 < x->n_blocks;
	}
	if (!x->n_blocks)
		return most;
	n = *list_left < most ? *list_left : most;
	*list_left -= n;
	return n;
}

static lzma_ret xz_step(struct xz *x, lzma_stream *s, lzma_action action)
{
	lzma_ret r;

	if (x->out.n == PACK_BLOCK)
		pack_flush(&x->out);
	s->next_out = x->out.buf + x->out.n;
	s->avail_out = PACK_BLOCK - x->out.n;
	r = lzma_code(s, action);
	x->out.n = PACK_BLOCK - s->avail_out;
	if (x->mode == XZ_COMPRESS)
		xz_say_dict(x);
	tsb_tick(x->p, 1);
	return r;
}

static lzma_ret xz_encode(struct xz *x, lzma_stream *s)
{
	uint64_t list_left = 0, left;
	size_t at = 0;
	lzma_ret r = LZMA_OK;

	left = xz_next_block(x, &list_left, &at);
	while (pack_fill(&x->in) && r == LZMA_OK && !x->out.error) {
		size_t n = x->in.n - x->in.at;

		n = n < left ? n : (size_t)left;
		s->next_in = x->in.buf + x->in.at;
		s->avail_in = n;
		while (s->avail_in && r == LZMA_OK && !x->out.error)
			r = xz_step(x, s, LZMA_RUN);
		x->in.at += n;
		left -= n;
		if (left || r != LZMA_OK || x->format != XZ_XZ)
			continue;
		while (r == LZMA_OK && !x->out.error)
			r = xz_step(x, s, LZMA_FULL_FLUSH);
		r = r == LZMA_STREAM_END ? LZMA_OK : r;
		left = xz_next_block(x, &list_left, &at);
	}
	while (r == LZMA_OK && !x->out.error && !x->in.error)
		r = xz_step(x, s, LZMA_FINISH);
	return r;
}

static lzma_ret xz_decode(struct xz *x, lzma_stream *s)
{
	lzma_ret r = LZMA_OK;

	while (r == LZMA_OK && !x->out.error) {
		bool more = pack_fill(&x->in);

		s->next_in = x->in.buf + x->in.at;
		s->avail_in = x->in.n - x->in.at;
		r = xz_step(x, s, more ? LZMA_RUN : LZMA_FINISH);
		x->in.at = x->in.n - s->avail_in;
		if (r == LZMA_UNSUPPORTED_CHECK) {
			xz_warning(x, "%s: %s", x->name, xz_ret_text(r));
			r = LZMA_OK;
		}
	}
	/* What follows a member of lzip that is none is nobody's business. */
	if (r == LZMA_STREAM_END && !x->single && x->decodes != XZ_LZIP && pack_fill(&x->in))
		r = LZMA_DATA_ERROR;
	return r;
}

static bool xz_pass(struct xz *x)
{
	pack_copy(&x->in, &x->out);
	return true;
}

bool xz_code(struct xz *x)
{
	lzma_stream s = LZMA_STREAM_INIT;
	bool copy = false, good;
	lzma_ret r;

	s.allocator = &x->allocator;
	x->dict_said = false;
	r = x->mode == XZ_COMPRESS ? xz_start_encoder(x, &s) : xz_start_decoder(x, &s, &copy);
	if (copy) {
		xz_pass(x);
		r = LZMA_STREAM_END;
	} else if (r == LZMA_OK) {
		r = x->mode == XZ_COMPRESS ? xz_encode(x, &s) : xz_decode(x, &s);
	}
	pack_flush(&x->out);
	/* Of an .xz file the tool says what its threads need before they know the file. */
	x->usage = x->decodes == XZ_XZ ? 32768 : lzma_memusage(&s);
	lzma_end(&s);
	good = xz_report(x, r);
	if (good || (x->in.total && r != LZMA_FORMAT_ERROR))
		xz_progress(x, pack_consumed(&x->in), x->out.total, good);
	return good;
}
