/*
 * -z: the beginning of what a compressed file holds, as far as it is looked at.
 */
#include "cmd/file/file.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "cmd/pack/pack.h"

enum { UNPACK_TICK = 16 };

/* The length of gzip's header: what is wrong in it does not matter here. */
static size_t gzip_head(const struct file_look *f)
{
	unsigned flags = file_u8(f, 3);
	size_t at = 10;

	if (flags & 4)
		at += 2 + file_le16(f, 10);
	for (unsigned bit = 8; bit <= 16; bit *= 2) {
		if (!(flags & bit))
			continue;
		while (at < f->n && f->at[at])
			at++;
		at++;
	}
	return at + (flags & 2 ? 2 : 0);
}

static const char *unpack_zlib(struct file_look *f, unsigned char *out, size_t *n, bool gzip)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)f->at, .avail_in = (unsigned)f->n,
		       .next_out = out, .avail_out = (unsigned)*n, .zalloc = pack_zalloc,
		       .zfree = pack_free, .opaque = f->p };
	size_t head = gzip ? gzip_head(f) : 0;
	int r;

	if (f->n <= 4 && gzip)
		return "[zlib: File too short]";
	if (head >= f->n)
		return "[zlib: Corrupt file]";
	z.next_in += head;
	z.avail_in -= (unsigned)head;
	if (inflateInit2(&z, gzip ? -15 : 15) != Z_OK)
		return "[zlib: cannot start]";
	r = inflate(&z, Z_SYNC_FLUSH);
	*n = z.total_out;
	inflateEnd(&z);
	if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
		return tsb_format(f->p, "[zlib: %s]", z.msg ? z.msg : "data error");
	return NULL;
}

static const char *unpack_bzip2(struct file_look *f, unsigned char *out, size_t *n)
{
	bz_stream z = { .next_in = (char *)(uintptr_t)f->at, .avail_in = (unsigned)f->n,
			.next_out = (char *)out, .avail_out = (unsigned)*n,
			.bzalloc = pack_bzalloc, .bzfree = pack_free, .opaque = f->p };
	int r;

	if (BZ2_bzDecompressInit(&z, 0, 0) != BZ_OK)
		return "[bzlib: cannot start]";
	r = BZ2_bzDecompress(&z);
	*n -= z.avail_out;
	BZ2_bzDecompressEnd(&z);
	return r == BZ_OK || r == BZ_STREAM_END ? NULL :
	       tsb_format(f->p, "[bzlib: bzlib error %d]", r);
}

static const char *unpack_lzma(struct file_look *f, unsigned char *out, size_t *n)
{
	lzma_allocator heap = { pack_lzma_alloc, pack_free, f->p };
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret r;

	z.allocator = &heap;
	if (lzma_auto_decoder(&z, (uint64_t)128 << 20, 0) != LZMA_OK)
		return "[xz: cannot start]";
	z.next_in = f->at;
	z.avail_in = f->n;
	z.next_out = out;
	z.avail_out = *n;
	r = lzma_code(&z, LZMA_RUN);
	*n = (size_t)z.total_out;
	lzma_end(&z);
	return r == LZMA_OK || r == LZMA_STREAM_END ? NULL :
	       tsb_format(f->p, "[xz: xz error %d]", (int)r);
}

static const char *unpack_zstd(struct file_look *f, unsigned char *out, size_t *n)
{
	ZSTD_customMem heap = { (ZSTD_allocFunction)pack_zstd_alloc, pack_free, f->p };
	ZSTD_DCtx *d = ZSTD_createDCtx_advanced(heap);
	ZSTD_inBuffer in = { f->at, f->n, 0 };
	ZSTD_outBuffer to = { out, *n, 0 };
	size_t r;

	if (!d)
		return "[zstd: cannot start]";
	ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, 27);
	r = ZSTD_decompressStream(d, &to, &in);
	*n = to.pos;
	ZSTD_freeDCtx(d);
	return ZSTD_isError(r) ? tsb_format(f->p, "[zstd: %s]", ZSTD_getErrorName(r)) : NULL;
}

bool file_unpack(struct file_look *f, unsigned char **out, size_t *n, const char **error)
{
	unsigned first = file_be16(f, 0);
	bool gzip = first == 0x1f8b;
	bool zlib = file_u8(f, 0) == 0x78 && first % 31 == 0 && !(first & 0x20) &&
		    f->encoding == FILE_NO_TEXT;
	bool bzip2 = FILE_HAS(f, 0, "BZh"), zstd = FILE_HAS(f, 0, "\x28\xb5\x2f\xfd");
	bool xz = FILE_HAS(f, 0, "\xfd" "7zXZ\0") ||
		  (FILE_HAS(f, 0, "\x5d\0\0") && f->n > 13 && !f->at[13]);

	if (!gzip && !zlib && !bzip2 && !zstd && !xz)
		return false;
	*n = f->o->max_bytes ? (size_t)f->o->max_bytes : 1;
	*out = tsb_alloc(f->p, *n + 1);
	tsb_tick(f->p, *n / UNPACK_TICK);
	if (gzip || zlib)
		*error = unpack_zlib(f, *out, n, gzip);
	else if (bzip2)
		*error = unpack_bzip2(f, *out, n);
	else if (xz)
		*error = unpack_lzma(f, *out, n);
	else
		*error = unpack_zstd(f, *out, n);
	return true;
}
