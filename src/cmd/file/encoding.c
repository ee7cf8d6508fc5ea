/*
 * Which characters a text is made of: the bytes are tried as each encoding in
 * turn, and the first in which nothing strange occurs is it.
 */
#include "cmd/file/file.h"

#include "base/utf8.h"

/* Controls that occur in text: bell, backspace, white space, escape. */
static bool is_text(uint32_t c)
{
	return c < 0x20 ? (c >= 7 && c <= 13) || c == 033 : c != 0x7f && c < 0x80;
}

static void put(struct file_look *f, uint32_t c)
{
	f->chars[f->n_chars++] = c;
}

/* One byte a character; the highest of them allowed. 0x85 is a line's end. */
static bool try_bytes(struct file_look *f, const unsigned char *at, size_t n, unsigned high)
{
	f->n_chars = 0;
	for (size_t i = 0; i < n; i++) {
		bool ok = at[i] < 0x80 ? is_text(at[i]) : at[i] == 0x85 ||
			  (high >= 1 && at[i] >= 0xa0) || high == 2;

		if (!ok)
			return false;
		put(f, at[i]);
	}
	return true;
}

/* A last character that is cut is no fault. false too when all is ASCII. */
static bool try_utf8(struct file_look *f, const unsigned char *at, size_t n)
{
	bool beyond = false;
	size_t i = 0, step;

	f->n_chars = 0;
	for (; i < n; i += step) {
		int32_t c;

		step = utf8_decode((const char *)at + i, n - i, &c);
		if (c < 0) {
			static const unsigned char first[] = { 0xc2, 0xe0, 0xf0, 0xf5 };
			size_t left = n - i, need = 1;

			while (need < 4 && at[i] >= first[need])
				need++;
			if (at[i] < 0xc2 || need == 4 + (size_t)(at[i] > 0xf4) || left > need)
				return false;
			for (size_t k = 1; k < left; k++)
				if ((at[i + k] & 0xc0) != 0x80)
					return false;
			return beyond;
		}
		if (c < 0x80 && !is_text((uint32_t)c))
			return false;
		beyond |= c >= 0x80;
		put(f, (uint32_t)c);
	}
	return beyond;
}

static bool try_utf16(struct file_look *f, const unsigned char *at, size_t n)
{
	bool big = n >= 2 && at[0] == 0xfe && at[1] == 0xff;

	f->n_chars = 0;
	if (n < 2 || (!big && (at[0] != 0xff || at[1] != 0xfe)))
		return false;
	for (size_t i = 2; i + 1 < n; i += 2) {
		uint32_t c = big ? (uint32_t)at[i] << 8 | at[i + 1] :
			     (uint32_t)at[i + 1] << 8 | at[i];

		if (c == 0xfffe || c == 0xffff || (c < 0x80 && !is_text(c)))
			return false;
		put(f, c);
	}
	f->encoding = big ? FILE_UTF16_BE : FILE_UTF16_LE;
	return true;
}

static bool try_utf32(struct file_look *f, const unsigned char *at, size_t n)
{
	bool big = n >= 4 && !at[0] && !at[1] && at[2] == 0xfe && at[3] == 0xff;

	f->n_chars = 0;
	if (n < 4 || (!big && (at[0] != 0xff || at[1] != 0xfe || at[2] || at[3])))
		return false;
	for (size_t i = 4; i + 3 < n; i += 4) {
		uint32_t c = file_any32(&(struct file_look){ .at = at, .n = n }, i, big);

		if (c == 0xfffe || (c < 0x80 && !is_text(c)))
			return false;
		put(f, c);
	}
	f->encoding = big ? FILE_UTF32_BE : FILE_UTF32_LE;
	return true;
}

/* n: without NULs at the end; all: with them, which belong to the last character. */
static void choose(struct file_look *f, const unsigned char *at, size_t n, size_t all)
{
	static const unsigned char bom[] = { 0xef, 0xbb, 0xbf };

	if (try_bytes(f, at, n, 0)) {
		f->encoding = FILE_ASCII;
		if (n > 4 && !memcmp(at, "+/v", 3) && strchr("89+/", at[3]))
			f->encoding = FILE_UTF7;
	} else if (n > 3 && !memcmp(at, bom, 3) &&
		   (try_utf8(f, at + 3, n - 3) || try_bytes(f, at + 3, n - 3, 0))) {
		f->encoding = FILE_UTF8_BOM;
	} else if (try_utf8(f, at, n)) {
		f->encoding = FILE_UTF8;
	} else if (!try_utf32(f, at, all) && !try_utf16(f, at, all)) {
		if (try_bytes(f, at, n, 1))
			f->encoding = FILE_LATIN1;
		else if (try_bytes(f, at, n, 2))
			f->encoding = FILE_EXTENDED;
		else
			f->n_chars = 0;
	}
}

void file_find_encoding(struct file_look *f)
{
	size_t max = (size_t)f->o->max_encoding, all, n;

	f->encoding = FILE_NO_TEXT;
	for (all = f->n, n = f->n; n > 1 && !f->at[n - 1]; n--)
		;
	if (n == 1 && all > 1)
		n = all;
	n = n < max ? n : max;
	all = all < max ? all : max;
	tsb_free(f->p, f->chars);
	f->chars = tsb_alloc(f->p, (all + 1) * sizeof(*f->chars));
	tsb_tick(f->p, n / 64 + 1);
	choose(f, f->at, n, all);
	f->padded = n < all && (f->encoding < FILE_UTF32_LE || f->encoding > FILE_UTF16_BE);
	str_reset(&f->utf8);
	if (f->encoding == FILE_NO_TEXT)
		return;
	for (size_t i = 0; i < f->n_chars; i++) {
		char buf[4];

		if (f->chars[i] < 0x80)
			str_addc(&f->utf8, (int)f->chars[i]);
		else
			str_addn(&f->utf8, buf, utf8_encode(buf, f->chars[i] > 0x10ffff ? 0xfffd :
							    f->chars[i]));
	}
}

static const struct { const char *name, *charset; } names[] = {
	[FILE_NO_TEXT] = { "", "binary" },
	[FILE_ASCII] = { "ASCII", "us-ascii" },
	[FILE_UTF7] = { "Unicode text, UTF-7", "utf-7" },
	[FILE_UTF8_BOM] = { "Unicode text, UTF-8 (with BOM)", "utf-8" },
	[FILE_UTF8] = { "Unicode text, UTF-8", "utf-8" },
	[FILE_UTF32_LE] = { "Unicode text, UTF-32, little-endian", "utf-32le" },
	[FILE_UTF32_BE] = { "Unicode text, UTF-32, big-endian", "utf-32be" },
	[FILE_UTF16_LE] = { "Unicode text, UTF-16, little-endian", "utf-16le" },
	[FILE_UTF16_BE] = { "Unicode text, UTF-16, big-endian", "utf-16be" },
	[FILE_LATIN1] = { "ISO-8859", "iso-8859-1" },
	[FILE_EXTENDED] = { "Non-ISO extended-ASCII", "unknown-8bit" },
	[FILE_EBCDIC] = { "EBCDIC", "ebcdic" },
	[FILE_EBCDIC_LATIN] = { "International EBCDIC", "ebcdic" },
};

const char *file_encoding_name(const struct file_look *f)
{
	return names[f->encoding].name;
}

const char *file_charset(const struct file_look *f)
{
	return names[f->padded ? FILE_NO_TEXT : f->encoding].charset;
}
