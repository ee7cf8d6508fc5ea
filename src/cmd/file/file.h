/*
 * file's parts: options and the list of names (file.c), what the inode says
 * (inode.c), the order of the tests (look.c), the encoding of text (encoding.c),
 * kinds known by their first bytes (kinds.c with image.c, media.c, archive.c,
 * elf.c, program.c, data.c), kinds of text (script.c, text.c, syntax.c) and the
 * inside of compressed files (unpack.c).
 *
 * All work on the bytes that were read, at most file->max_bytes; places outside
 * of them read as 0, so a file that was cut needs no care anywhere.
 */
#ifndef CMD_FILE_FILE_H
#define CMD_FILE_FILE_H

#include <stdint.h>
#include <string.h>

#include <tinysandbox/command.h>

#include "base/str.h"

enum file_mode { FILE_MIME_TYPE = 1, FILE_MIME_ENCODING = 2, FILE_APPLE = 4, FILE_EXTENSION = 8 };
enum file_test {
	FILE_APPTYPE = 1, FILE_TEXT = 2, FILE_CDF = 4, FILE_COMPRESS = 8, FILE_CSV = 16,
	FILE_ELF = 32, FILE_ENCODING = 64, FILE_SOFT = 128, FILE_TAR = 256, FILE_JSON = 512
};

/* The options. */
struct file {
	struct tsb_proc *p;
	bool brief, follow, no_follow, keep_going, no_pad, raw, special, unzip, bare_unzip;
	bool stat_errors, keep_times, check, compile, list, flush;
	int nulls;
	unsigned mode;			/* of enum file_mode */
	unsigned skip;			/* of enum file_test */
	const char *separator, *magic;
	uint64_t max_bytes, max_encoding, max_regex, max_indirect, max_name, elf_phdrs, elf_shdrs,
		 elf_notes;
	bool did_something, failed;
	struct file_regex *regexes;	/* compiled so far, one a row of the text kinds */
};

enum file_text {
	FILE_NO_TEXT, FILE_ASCII, FILE_UTF7, FILE_UTF8_BOM, FILE_UTF8, FILE_UTF32_LE, FILE_UTF32_BE,
	FILE_UTF16_LE, FILE_UTF16_BE, FILE_LATIN1, FILE_EXTENDED, FILE_EBCDIC, FILE_EBCDIC_LATIN
};

/* What is known of some bytes. */
struct file_look {
	struct file *o;
	struct tsb_proc *p;
	struct tsb_heap *heap;
	const unsigned char *at;
	size_t n;
	uint64_t size;			/* of the whole file */
	uint32_t file_mode;		/* its permission bits */
	bool prefixed;			/* "setuid " stands in out */
	int depth;			/* kinds inside kinds */
	enum file_text encoding;
	bool padded;			/* NULs follow the text */
	struct str utf8;		/* text as UTF-8 */
	uint32_t *chars;		/* as characters */
	size_t n_chars;
	/* The kind that is being found. */
	struct str text;
	const char *mime, *ext, *apple;
	/* The answer. */
	struct str out;
	size_t n_found;
};

/* ---- Bytes ---- */
static inline unsigned file_u8(const struct file_look *f, uint64_t at)
{
	return at < f->n ? f->at[at] : 0;
}
static inline uint32_t file_le16(const struct file_look *f, uint64_t at)
{
	return file_u8(f, at) | file_u8(f, at + 1) << 8;
}
static inline uint32_t file_be16(const struct file_look *f, uint64_t at)
{
	return file_u8(f, at) << 8 | file_u8(f, at + 1);
}
static inline uint32_t file_le32(const struct file_look *f, uint64_t at)
{
	return file_le16(f, at) | file_le16(f, at + 2) << 16;
}
static inline uint32_t file_be32(const struct file_look *f, uint64_t at)
{
	return file_be16(f, at) << 16 | file_be16(f, at + 2);
}
static inline uint64_t file_le64(const struct file_look *f, uint64_t at)
{
	return file_le32(f, at) | (uint64_t)file_le32(f, at + 4) << 32;
}
static inline uint64_t file_be64(const struct file_look *f, uint64_t at)
{
	return (uint64_t)file_be32(f, at) << 32 | file_be32(f, at + 4);
}
static inline uint32_t file_any16(const struct file_look *f, uint64_t at, bool big)
{
	return big ? file_be16(f, at) : file_le16(f, at);
}
static inline uint32_t file_any32(const struct file_look *f, uint64_t at, bool big)
{
	return big ? file_be32(f, at) : file_le32(f, at);
}
static inline uint64_t file_any64(const struct file_look *f, uint64_t at, bool big)
{
	return big ? file_be64(f, at) : file_le64(f, at);
}
static inline bool file_has(const struct file_look *f, uint64_t at, const void *bytes, size_t n)
{
	return at <= f->n && n <= f->n - at && !memcmp(f->at + at, bytes, n);
}
#define FILE_HAS(f, at, lit) file_has((f), (at), (lit), sizeof(lit) - 1)

/* ---- look.c ---- */
/* Says what the bytes are: appended to f->out. */
void file_look_at(struct file_look *f);
void file_look_init(struct file_look *f, struct file *o, const void *at, size_t n);
/* "was "x"": at most max bytes of text from there to a NUL; quote " or ' or 0. */
void file_add_text(struct file_look *f, uint64_t at, size_t max, const char *before,
		   const char *after);
/* ", last modified: Sun Sep 13 ..." with before in front. */
void file_add_time(struct file_look *f, const char *before, int64_t sec);
/* Takes f->text and so on as one more answer. */
void file_take(struct file_look *f);

/* ---- kinds.c ---- */
/* One kind known by its bytes. */
struct file_kind {
	uint16_t at;
	uint8_t n;
	const char *bytes, *text, *mime, *ext, *apple;
	/* Adds what else is known, or false: it is something else after all. */
	bool (*more)(struct file_look *f);
};
#define FILE_KIND(at, lit, text, mime, ext, more) \
	{ at, sizeof(lit) - 1, lit, text, mime, ext, NULL, more }
/* The first of the tables' kinds; with -k all of them. false: none. */
bool file_find_kind(struct file_look *f);
/* What stands at `at`, described inside of another kind: its text is appended. */
void file_inner(struct file_look *f, uint64_t at);
extern const struct file_kind file_images[], file_media[], file_archives[], file_programs[],
	file_data[], file_documents[];

bool file_elf(struct file_look *f);		/* elf.c */
bool file_zip(struct file_look *f);		/* zip.c */
bool file_tar(struct file_look *f);		/* archive.c */

/* ---- Text ---- */
void file_find_encoding(struct file_look *f);	/* encoding.c */
const char *file_encoding_name(const struct file_look *f);
const char *file_charset(const struct file_look *f);
bool file_json(struct file_look *f);		/* syntax.c */
bool file_csv(struct file_look *f);
bool file_script(struct file_look *f, const char *text, size_t n);	/* script.c */
/* Kinds of text that are final ("PEM certificate"), and those that the kind of
 * characters is added to ("C source, ASCII text"). */
bool file_text_final(struct file_look *f);	/* text.c */
void file_text_kind(struct file_look *f);

/* ---- unpack.c ---- */
/* What is inside, in a heap block of its own: true; *error: why it cannot be read. */
bool file_unpack(struct file_look *f, unsigned char **out, size_t *n, const char **error);

/* ---- inode.c ---- */
/* Describes what is no readable regular file; false: the bytes must be looked at. */
bool file_inode(struct file_look *f, const char *name, struct tsb_stat *st);

#endif
