/*
 * zstd's files and data, through libzstd with the process's memory.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd_errors.h>

#include "base/heap.h"
#include "base/str.h"
#include "cmd/pack/zstd.h"
#include "cmd/path.h"

#define ZSTD_KNOWN ".zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4"

void zstd_say(struct zstd *z, int level, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	if (z->display < level)
		return;
	str_init(&text, tsb_heap_of(z->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&text, fmt, ap);
	va_end(ap);
	tsb_write_all(z->p, 2, text.p, text.n);
	str_end(&text);
}

/* "%6.1f KiB": at least `width` wide, the unit at least `unit` wide. */
static char *zstd_human(struct zstd *z, uint64_t size, int width, int unit)
{
	static const char *const units[] = { " B", " KiB", " MiB", " GiB", " TiB" };
	double value = (double)size;
	int i = 0, precision;

	while (value >= 1024 && i < 4) {
		value /= 1024;
		i++;
	}
	precision = value >= 100 || !i ? 0 : value >= 10 ? 1 : value > 1 ? 2 : 3;
	return tsb_format(z->p, "%*.*f%*s", width, precision, value, unit, units[i]);
}

static bool zstd_fail(struct zstd *z, const char *text)
{
	zstd_say(z, 1, "%s", text);
	z->status = 1;
	return false;
}

static void zstd_load_dict(struct zstd *z)
{
	const char *name = z->dict ? z->dict : z->patch;
	struct tsb_stat st;
	int fd;

	if (!name || z->dict_data)
		return;
	fd = tsb_stat(z->p, name, &st);
	if (fd < 0) {
		zstd_say(z, 1, "zstd: error 31 : Stat failed on dictionary file %s: %s \n", name,
			 tsb_strerror(fd));
		tsb_exit(z->p, 31);
	}
	fd = tsb_open(z->p, name, O_RDONLY, 0);
	if (fd < 0) {
		zstd_say(z, 1, "zstd: error 32 : Couldn't open dictionary %s: %s \n", name,
			 tsb_strerror(fd));
		tsb_exit(z->p, 32);
	}
	z->dict_data = heap_alloc(tsb_heap_of(z->p), (size_t)st.size + 1);
	while (z->dict_size < st.size) {
		ssize_t n = tsb_read(z->p, fd, z->dict_data + z->dict_size,
				     (size_t)st.size - z->dict_size);

		if (n <= 0)
			break;
		z->dict_size += (size_t)n;
	}
	tsb_close(z->p, fd);
}

static ZSTD_customMem zstd_memory(struct zstd *z)
{
	return (ZSTD_customMem){ pack_zstd_alloc, pack_free, z->p };
}

/* ---- Compression ---- */

static ZSTD_CCtx *zstd_start(struct zstd *z)
{
	ZSTD_CCtx *c = ZSTD_createCCtx_advanced(zstd_memory(z));
	bool regular = S_ISREG(z->st.mode) && z->in.fd != 0;

	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, z->level);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, z->check);
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, z->content_size);
	ZSTD_CCtx_setParameter(c, ZSTD_c_dictIDFlag, z->dict_id);
	if (z->window_log) {
		ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching, 1);
		ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, (int)z->window_log);
	}
	if (z->size_hint)
		ZSTD_CCtx_setParameter(c, ZSTD_c_srcSizeHint, (int)z->size_hint);
	ZSTD_CCtx_setParameter(c, ZSTD_c_targetCBlockSize, (int)z->block_size);
	ZSTD_CCtx_setParameter(c, ZSTD_c_literalCompressionMode, z->literals);
	ZSTD_CCtx_setParameter(c, ZSTD_c_useRowMatchFinder, z->rows);
	if (regular)
		ZSTD_CCtx_setPledgedSrcSize(c, z->st.size);
	else if (z->stream_size)
		ZSTD_CCtx_setPledgedSrcSize(c, z->stream_size);
	if (z->patch)
		ZSTD_CCtx_refPrefix(c, z->dict_data, z->dict_size);
	else if (z->dict_data)
		ZSTD_CCtx_loadDictionary_byReference(c, z->dict_data, z->dict_size);
	return c;
}

static bool zstd_pack_step(struct zstd *z, ZSTD_CCtx *c, ZSTD_EndDirective end, size_t *left)
{
	ZSTD_inBuffer in = { z->in.buf + z->in.at, z->in.n - z->in.at, 0 };

	do {
		ZSTD_outBuffer out = { z->out.buf, PACK_BLOCK, z->out.n };

		*left = ZSTD_compressStream2(c, &out, &in, end);
		z->out.n = out.pos;
		if (ZSTD_isError(*left)) {
			z->status = 1;
			zstd_say(z, 1, "zstd: error 25 : Compression error : %s \n",
				 ZSTD_getErrorName(*left));
			return false;
		}
		if (z->out.n == PACK_BLOCK)
			pack_flush(&z->out);
		tsb_tick(z->p, 1);
	} while ((in.pos < in.size || (end == ZSTD_e_end && *left)) && !z->out.error);
	z->in.at += in.pos;
	return true;
}

static bool zstd_pack(struct zstd *z)
{
	ZSTD_CCtx *c = zstd_start(z);
	size_t left = 0;

	while (pack_fill(&z->in) && !z->out.error)
		if (!zstd_pack_step(z, c, ZSTD_e_continue, &left))
			return false;
	if (z->in.error) {
		zstd_say(z, 1, "zstd: error 37 : Read error \n");
		tsb_exit(z->p, 37);
	}
	if (!zstd_pack_step(z, c, ZSTD_e_end, &left))
		return false;
	ZSTD_freeCCtx(c);
	pack_flush(&z->out);
	return !z->out.error;
}

/* ---- Decompression ---- */

static bool zstd_bad_data(struct zstd *z, size_t code)
{
	ZSTD_ErrorCode err = ZSTD_getErrorCode(code);

	zstd_say(z, 1, "%s : Decoding error (36) : %s \n", z->name,
		 err == ZSTD_error_corruption_detected ? "Data corruption detected"
						       : ZSTD_getErrorName(code));
	pack_flush(&z->out);
	z->status = 1;
	return false;
}

static bool zstd_frame(struct zstd *z, ZSTD_DCtx *d)
{
	size_t left = 1;

	ZSTD_DCtx_reset(d, ZSTD_reset_session_only);
	while (left) {
		ZSTD_inBuffer in;
		ZSTD_outBuffer out = { z->out.buf, PACK_BLOCK, z->out.n };

		if (!pack_fill(&z->in)) {
			zstd_fail(z, tsb_format(z->p, "%s : Read error (39) : premature end \n",
						z->name));
			pack_flush(&z->out);
			return false;
		}
		in = (ZSTD_inBuffer){ z->in.buf + z->in.at, z->in.n - z->in.at, 0 };
		left = ZSTD_decompressStream(d, &out, &in);
		z->out.n = out.pos;
		z->in.at += in.pos;
		tsb_tick(z->p, 1);
		if (ZSTD_isError(left))
			return zstd_bad_data(z, left);
		if (z->out.n == PACK_BLOCK)
			pack_flush(&z->out);
		if (z->out.error)
			return false;
	}
	return true;
}

static bool zstd_is_frame(struct zstd *z)
{
	uint32_t magic;

	if (!pack_need(&z->in, 4))
		return false;
	magic = pack_le32(z->in.buf + z->in.at);
	return magic == ZSTD_MAGICNUMBER || (magic & 0xfffffff0u) == ZSTD_MAGIC_SKIPPABLE_START;
}

static bool zstd_unpack(struct zstd *z)
{
	ZSTD_DCtx *d = ZSTD_createDCtx_advanced(zstd_memory(z));
	bool first = true, pass = z->pass_through == 1 || (z->pass_through < 0 && z->force &&
							    z->to_stdout);

	ZSTD_DCtx_setMaxWindowSize(d, z->memory ? (size_t)z->memory : (size_t)1 << 27);
	ZSTD_DCtx_setParameter(d, ZSTD_d_forceIgnoreChecksum,
			       z->check ? ZSTD_d_validateChecksum : ZSTD_d_ignoreChecksum);
	if (z->window_log)
		ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, (int)z->window_log);
	if (z->dict_data && !z->patch)
		ZSTD_DCtx_loadDictionary_byReference(d, z->dict_data, z->dict_size);
	for (; pack_fill(&z->in) || first; first = false) {
		if (!zstd_is_frame(z)) {
			size_t left = z->in.n - z->in.at;

			if (pass && first && left) {
				pack_copy(&z->in, &z->out);
				break;
			}
			if (left < 4)
				return zstd_fail(z, tsb_format(z->p, first && !left
					? "zstd: %s: unexpected end of file \n"
					: "zstd: %s: unknown header \n", z->name));
			return zstd_fail(z, tsb_format(z->p, "zstd: %s: unsupported format \n",
						       z->name));
		}
		if (z->patch)
			ZSTD_DCtx_refPrefix(d, z->dict_data, z->dict_size);
		if (!zstd_frame(z, d))
			return false;
	}
	ZSTD_freeDCtx(d);
	pack_flush(&z->out);
	return !z->out.error;
}

/* ---- Names ---- */

static bool zstd_ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), len = strlen(suffix);

	return n > len && !strcmp(name + n - len, suffix);
}

static const char *zstd_base_out(struct zstd *z)
{
	size_t n = strlen(z->name);

	if (z->mode == ZSTD_MODE_PACK)
		return tsb_format(z->p, "%s.zst", z->name);
	if (zstd_ends(z->name, ".zst"))
		return tsb_strndup(z->p, z->name, n - 4);
	if (zstd_ends(z->name, ".tzst"))
		return tsb_format(z->p, "%.*s.tar", (int)(n - 5), z->name);
	zstd_fail(z, tsb_format(z->p, "zstd: %s: unknown suffix (" ZSTD_KNOWN " expected). Can't "
				"derive the output file name. Specify it with -o dstFileName. "
				"Ignoring.\n", z->name));
	return NULL;
}

static const char *zstd_out_name(struct zstd *z)
{
	const char *name, *slash;

	if (z->out_name)
		return z->out_name;
	name = zstd_base_out(z);
	if (name && z->dir_flat) {
		slash = strrchr(name, '/');
		return path_join(z->p, z->dir_flat, slash ? slash + 1 : name);
	}
	if (name && z->dir_mirror) {
		char *path = path_join(z->p, z->dir_mirror, name);

		for (char *at = path; (at = strchr(at + 1, '/'));) {
			*at = '\0';
			tsb_mkdir(z->p, path, 0755);
			*at = '/';
		}
		return path;
	}
	return name;
}

static bool zstd_agrees(struct zstd *z, const char *out_name)
{
	struct tsb_reader in;
	char *line;
	bool yes;

	if (z->display <= 1) {
		zstd_say(z, 1, "zstd: %s already exists; not overwritten  \n", out_name);
		return false;
	}
	zstd_say(z, 2, "zstd: %s already exists; overwrite (y/n) ? ", out_name);
	tsb_reader_init(&in, z->p, 0);
	yes = tsb_getdelim(&in, &line, '\n') && (*line == 'y' || *line == 'Y');
	tsb_reader_unread(&in);
	if (!yes)
		zstd_say(z, 2, "Not overwritten  \n \n");
	return yes;
}

static int zstd_open_out(struct zstd *z, const char *out_name)
{
	struct tsb_stat st;
	int fd;

	if (!tsb_stat(z->p, out_name, &st) && S_ISREG(st.mode)) {
		if (!z->force && !zstd_agrees(z, out_name))
			return -1;
		tsb_unlink(z->p, out_name);
	}
	fd = tsb_open(z->p, out_name, O_WRONLY | O_CREAT | O_TRUNC, z->in.fd ? 0600 : 0666);
	if (fd < 0)
		zstd_say(z, 1, "zstd: %s: %s\n", out_name, tsb_strerror(fd));
	return fd;
}

/* ---- One file ---- */

static void zstd_result(struct zstd *z, const char *out_name)
{
	uint64_t in = pack_consumed(&z->in), out = z->out.total;

	z->total_in += in;
	z->total_out += out;
	z->n_done++;
	if (z->n_files > 1 && z->display < 3)
		return;
	if (z->mode != ZSTD_MODE_PACK)
		zstd_say(z, 2, "%-20s: %llu bytes \n", z->name, (unsigned long long)out);
	else if (in)
		zstd_say(z, 2, "%-20s :%6.2f%%   (%s => %s, %s) \n", z->name,
			 (double)out / (double)in * 100, zstd_human(z, in, 6, 0),
			 zstd_human(z, out, 6, 0), out_name);
	else
		zstd_say(z, 2, "%-20s :  (%s => %s, %s) \n", z->name, zstd_human(z, in, 6, 0),
			 zstd_human(z, out, 6, 0), out_name);
}

static bool zstd_open_in(struct zstd *z, const char *name)
{
	int err, fd;

	z->name = strcmp(name, "-") ? name : "/*stdin*\\";
	memset(&z->st, 0, sizeof(z->st));
	if (!strcmp(name, "-")) {
		pack_in_open(&z->in, z->p, 0);
		return true;
	}
	err = tsb_stat(z->p, name, &z->st);
	if (err)
		return zstd_fail(z, tsb_format(z->p, "zstd: can't stat %s : %s -- ignored \n", name,
					       tsb_strerror(err)));
	if (S_ISDIR(z->st.mode))
		return zstd_fail(z, tsb_format(z->p, "zstd: %s is a directory -- ignored \n", name));
	if (!z->force && !S_ISREG(z->st.mode) && !S_ISFIFO(z->st.mode))
		return zstd_fail(z, tsb_format(z->p, "zstd: %s is not a regular file -- ignored \n",
					       name));
	fd = tsb_open(z->p, name, O_RDONLY, 0);
	if (fd < 0)
		return zstd_fail(z, tsb_format(z->p, "zstd: %s: %s \n", name, tsb_strerror(fd)));
	pack_in_open(&z->in, z->p, fd);
	return true;
}

static bool zstd_excluded(const char *name)
{
	static const char *const packed[] = { ".zst", ".gz", ".xz", ".bz2", ".lz4", ".zip", ".7z",
					      ".rar", ".lzma", ".tgz", ".png", ".jpg", ".mp4",
					      ".mp3", NULL };

	for (size_t i = 0; packed[i]; i++)
		if (zstd_ends(name, packed[i]))
			return true;
	return false;
}

static void zstd_one(struct zstd *z, const char *name, int shared)
{
	const char *out_name = shared >= 0 ? z->out_name : "/*stdout*\\";
	int out = shared >= 0 ? shared : z->mode == ZSTD_MODE_TEST ? -1 : 1;
	bool to_file = shared < 0 && !z->to_stdout && z->mode != ZSTD_MODE_TEST, good;

	if (z->exclude && z->mode == ZSTD_MODE_PACK && zstd_excluded(name)) {
		z->n_done++;
		return;
	}
	if (to_file && z->mode == ZSTD_MODE_UNPACK && strcmp(name, "-")) {
		z->name = name;
		out_name = zstd_out_name(z);
		if (!out_name)
			return;
	}
	if (!zstd_open_in(z, name))
		return;
	if (to_file) {
		out_name = zstd_out_name(z);
		out = out_name ? zstd_open_out(z, out_name) : -1;
		if (out < 0) {
			z->status = 1;
			return;
		}
	}
	pack_out_open(&z->out, z->p, out);
	good = z->mode == ZSTD_MODE_PACK ? zstd_pack(z) : zstd_unpack(z);
	if (z->out.error) {
		zstd_say(z, 1, "zstd: error 70 : Write error : cannot write block : %s \n",
			 tsb_strerror(z->out.error));
		z->status = 70;
	}
	if (good)
		zstd_result(z, out_name);
	if (to_file) {
		if (good && z->in.fd)
			pack_copy_stat(z->p, out, &z->st);
		tsb_close(z->p, out);
		if (!good)
			tsb_unlink(z->p, out_name);
	}
	if (z->in.fd)
		tsb_close(z->p, z->in.fd);
	if (good && z->remove && z->in.fd && z->mode != ZSTD_MODE_TEST && !z->to_stdout)
		tsb_unlink(z->p, name);
}

/* All into one file: to be agreed to. */
static int zstd_shared_out(struct zstd *z)
{
	zstd_say(z, 2, "zstd: WARNING: all input files will be processed and concatenated into a "
		 "single output file: %s \nThe concatenated output CANNOT regenerate original file "
		 "names nor directory structure. \n", z->out_name);
	if (!z->force) {
		struct tsb_reader in;
		char *line;

		zstd_say(z, 1, "Proceed? (y/n): ");
		tsb_reader_init(&in, z->p, 0);
		if (!tsb_getdelim(&in, &line, '\n') || (*line != 'y' && *line != 'Y')) {
			zstd_say(z, 1, "Aborting... \n");
			tsb_exit(z->p, 1);
		}
	}
	z->in.fd = 1;
	return zstd_open_out(z, z->out_name);
}

int zstd_files(struct zstd *z, size_t n, const char *const *names)
{
	int shared = -1;

	if (z->mode == ZSTD_MODE_PACK && z->to_stdout && !z->force && tsb_isatty(z->p, 1)) {
		zstd_say(z, 1, "stdout is a console, aborting\n");
		return 1;
	}
	zstd_load_dict(z);
	if (n > 1 && z->out_name && !z->to_stdout && z->mode != ZSTD_MODE_TEST) {
		shared = zstd_shared_out(z);
		if (shared < 0)
			return 1;
	}
	for (size_t i = 0; i < n; i++)
		zstd_one(z, names[i], shared);
	if (n > 1 && z->n_done > 0) {
		if (z->mode == ZSTD_MODE_PACK)
			zstd_say(z, 2, "%3zu files compressed : %.2f%% (%s => %s)\n", z->n_done,
				 z->total_in ? (double)z->total_out / (double)z->total_in * 100 : 0,
				 zstd_human(z, z->total_in, 6, 4),
				 zstd_human(z, z->total_out, 6, 4));
		else
			zstd_say(z, 2, "%zu files decompressed : %6llu bytes total \n", z->n_done,
				 (unsigned long long)z->total_out);
	}
	return z->status;
}

/* ---- -l ---- */

struct zstd_info {
	uint64_t frames, skips, packed, plain;
	bool known, check;
	int error;
};

static bool zstd_skip_blocks(struct zstd *z, const unsigned char *all, size_t n, size_t *at)
{
	for (;;) {
		uint32_t head;

		if (n - *at < 3)
			return false;
		head = all[*at] | (uint32_t)all[*at + 1] << 8 | (uint32_t)all[*at + 2] << 16;
		*at += 3;
		if (((head >> 1) & 3) == 1)
			*at += 1;
		else
			*at += head >> 3;
		if (*at > n)
			return false;
		tsb_tick(z->p, 1);
		if (head & 1)
			return true;
	}
}

static const char *zstd_scan(struct zstd *z, const unsigned char *all, size_t n,
			     struct zstd_info *info)
{
	size_t at = 0;

	info->known = true;
	while (at < n) {
		ZSTD_frameHeader head;
		size_t r = ZSTD_getFrameHeader(&head, all + at, n - at);

		if (r)
			return ZSTD_isError(r) && info->frames + info->skips == 0
			       ? "not" : "reached end of file with incomplete frame";
		if (head.frameType == ZSTD_skippableFrame) {
			info->skips++;
			at += 8 + (size_t)head.frameContentSize;
			continue;
		}
		if (head.frameContentSize == ZSTD_CONTENTSIZE_UNKNOWN)
			info->known = false;
		else
			info->plain += head.frameContentSize;
		info->check = head.checksumFlag;
		at += head.headerSize;
		if (!zstd_skip_blocks(z, all, n, &at))
			return "reading a frame";
		if (head.checksumFlag) {
			if (n - at < 4)
				return "could not read checksum";
			at += 4;
		}
		info->frames++;
	}
	return NULL;
}

static void zstd_list_row(struct zstd *z, const struct zstd_info *i, const char *name)
{
	if (i->known)
		tsb_printf(z->p, "%6llu  %5llu  %s  %s  %5.3f  %5s  %s\n",
			   (unsigned long long)i->frames, (unsigned long long)i->skips,
			   zstd_human(z, i->packed, 6, 4), zstd_human(z, i->plain, 8, 4),
			   i->packed ? (double)i->plain / (double)i->packed : 0.0,
			   i->check ? "XXH64" : "None", name);
	else
		tsb_printf(z->p, "%6llu  %5llu  %s                       %5s  %s\n",
			   (unsigned long long)i->frames, (unsigned long long)i->skips,
			   zstd_human(z, i->packed, 6, 4), i->check ? "XXH64" : "None", name);
}

static void zstd_list_one(struct zstd *z, const char *name, struct zstd_info *total)
{
	struct zstd_info info = { 0 };
	const char *bad;

	z->force = 1;
	if (!zstd_open_in(z, name))
		return;
	z->dict = name;
	z->dict_data = NULL;
	z->dict_size = 0;
	zstd_load_dict(z);
	info.packed = z->dict_size;
	bad = zstd_scan(z, (unsigned char *)z->dict_data, z->dict_size, &info);
	tsb_free(z->p, z->dict_data);
	tsb_close(z->p, z->in.fd);
	if (bad && !strcmp(bad, "not")) {
		if (info.packed < 6)
			zstd_say(z, 1, "Error: reached end of file with incomplete frame \n");
		tsb_printf(z->p, "File \"%s\" not compressed by zstd \n", name);
		z->status = 1;
		return;
	}
	if (bad) {
		zstd_say(z, 1, "Error: %s \nError while parsing \"%s\" \n", bad, name);
		z->status = 1;
	}
	zstd_list_row(z, &info, name);
	total->frames += info.frames;
	total->skips += info.skips;
	total->packed += info.packed;
	total->plain += info.plain;
	total->known &= info.known;
	total->check |= info.check;
}

int zstd_list(struct zstd *z, size_t n, const char *const *names)
{
	struct zstd_info total = { .known = true };

	if (!n) {
		zstd_say(z, 1, "zstd: --list does not support reading from standard input \n"
			 "No files given \n");
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], "-")) {
			zstd_say(z, 1, "zstd: --list does not support reading from standard input \n");
			return 1;
		}
	tsb_puts(z->p, "Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n");
	for (size_t i = 0; i < n; i++)
		zstd_list_one(z, names[i], &total);
	if (n > 1) {
		tsb_puts(z->p, "----------------------------------------------------------------- "
			 "\n");
		zstd_list_row(z, &total, tsb_format(z->p, "%zu files", n));
	}
	return z->status;
}
