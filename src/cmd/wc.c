/*
 * wc - count lines, words, characters, bytes and columns.
 *
 * Three ways, each only as careful as what is asked: the size alone, lines
 * alone (16 bytes at a time), or every character. For the last a table tells
 * what each ASCII character does; only others are decoded.
 */
#include "cmd/cmd.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/files0.h"
#include "cmd/lines.h"
#include "cmd/locale.h"
#include "cmd/tailpos.h"
#include "cmd/util.h"

struct wc_counts {
	uint64_t lines, words, chars, bytes, longest;
};

struct wc {
	bool lines, words, chars, bytes, longest;
	const char *files0;
	struct tsb_proc *p;
	struct wc_counts total;
	bool utf8;		/* else a character is a byte */
	bool streamed;		/* the names come through a pipe */
	int width;
	struct lines in;
	/* Where the count of characters stands. */
	uint64_t column;
	bool in_word;
};

static const struct tsb_opt wc_opts[] = {
	TSB_OPT_FLAG(struct wc, bytes, 'c', "bytes", "print the byte counts"),
	TSB_OPT_FLAG(struct wc, chars, 'm', "chars", "print the character counts"),
	TSB_OPT_FLAG(struct wc, lines, 'l', "lines", "print the newline counts"),
	TSB_OPT_FLAG(struct wc, words, 'w', "words", "print the word counts"),
	TSB_OPT_STR(struct wc, files0, 0, "files0-from", "F",
		    "read input from the files specified by NUL-terminated names in file F; "
		    "if F is - then read names from standard input"),
	TSB_OPT_FLAG(struct wc, longest, 'L', "max-line-length",
		     "print the maximum display width"),
	TSB_OPT_END
};

/* ---- Counting ---- */

enum wc_class { WC_OTHER, WC_PRINT, WC_SPACE, WC_BREAK, WC_NEWLINE, WC_TAB, WC_VTAB, WC_HIGH };

static enum wc_class wc_class_of(unsigned c)
{
	switch (c) {
	case '\n': return WC_NEWLINE;
	case '\r': case '\f': return WC_BREAK;
	case '\t': return WC_TAB;
	case '\v': return WC_VTAB;
	case ' ': return WC_SPACE;
	default: return c >= 128 ? WC_HIGH : c > 32 && c < 127 ? WC_PRINT : WC_OTHER;
	}
}

static void wc_line_end(struct wc *o, struct wc_counts *n)
{
	if (o->column > n->longest)
		n->longest = o->column;
	o->column = 0;
}

static void wc_word_end(struct wc *o, struct wc_counts *n)
{
	n->words += o->in_word;
	o->in_word = false;
}

static bool wc_is_space(int32_t c)
{
	return c == 0xa0 || c == 0x2007 || c == 0x202f || c == 0x2060 || utf8_is(c, "space");
}

/* One character that is not ASCII: its length in bytes. */
static size_t wc_high(struct wc *o, struct wc_counts *n, const char *at, size_t left)
{
	int32_t c;
	size_t len = utf8_decode(at, left, &c);
	int width;

	if (c < 0)
		return len;
	n->chars++;
	if (!utf8_print(c))
		return len;
	width = utf8_width(c);
	if (width > 0)
		o->column += (uint64_t)width;
	if (wc_is_space(c))
		wc_word_end(o, n);
	else
		o->in_word = true;
	return len;
}

/* A character that ends a word; the columns too. */
static void wc_separator(struct wc *o, struct wc_counts *n, enum wc_class class)
{
	if (class == WC_NEWLINE)
		n->lines++;
	if (class == WC_NEWLINE || class == WC_BREAK)
		wc_line_end(o, n);
	else if (class == WC_TAB)
		o->column += 8 - o->column % 8;
	else if (class == WC_SPACE)
		o->column++;
	wc_word_end(o, n);
}

/* All characters that are whole; the bytes done (at the end: all). */
static size_t wc_block(struct wc *o, struct wc_counts *n, const unsigned char *class,
		       const char *at, size_t size, bool last)
{
	size_t i = 0;

	while (i < size) {
		unsigned char c = class[(unsigned char)at[i]];
		size_t start = i;

		while (c == WC_PRINT && ++i < size)
			c = class[(unsigned char)at[i]];
		if (i > start) {
			n->chars += i - start;
			o->column += i - start;
			o->in_word = true;
			if (i == size)
				break;
		}
		if (c == WC_HIGH) {
			if (!last && size - i < 4)
				break;
			i += wc_high(o, n, at + i, size - i);
			continue;
		}
		n->chars++;
		i++;
		if (c != WC_OTHER)
			wc_separator(o, n, (enum wc_class)c);
	}
	return i;
}

static void wc_all(struct wc *o, struct wc_counts *n)
{
	struct lines *in = &o->in;
	unsigned char class[256];
	bool more = true;

	for (unsigned c = 0; c < 256; c++)
		class[c] = c < 128 || o->utf8 ? (unsigned char)wc_class_of(c) : WC_OTHER;
	o->column = 0;
	o->in_word = false;
	while (more) {
		size_t left = in->n - in->at, done;

		more = lines_fill(in);
		n->bytes += in->n - in->at - left;
		done = wc_block(o, n, class, in->buf + in->at, in->n - in->at, !more);
		in->at += done;
	}
	wc_line_end(o, n);
	wc_word_end(o, n);
}

static void wc_lines(struct wc *o, struct wc_counts *n)
{
	struct lines *in = &o->in;

	while (lines_fill(in)) {
		size_t size = in->n - in->at;

		n->bytes += size;
		n->lines += tailpos_count(in->buf + in->at, size, '\n');
		in->at = in->n;
	}
}

static void wc_bytes(struct wc *o, struct wc_counts *n)
{
	struct lines *in = &o->in;

	while (lines_fill(in)) {
		n->bytes += in->n - in->at;
		in->at = in->n;
	}
}

/* The size of a regular file says how many bytes are left. */
static void wc_by_size(struct wc *o, struct wc_counts *n, int fd)
{
	struct tsb_stat st;
	int64_t at;

	if (tsb_fstat(o->p, fd, &st) || !S_ISREG(st.mode) || !st.size)
		return;
	at = tsb_lseek(o->p, fd, 0, SEEK_CUR);
	if (at < 0 || (uint64_t)at >= st.size || tsb_lseek(o->p, fd, 0, SEEK_END) < 0)
		return;
	n->bytes = st.size - (uint64_t)at;
}

/* ---- Printing ---- */

static void wc_number(struct wc *o, uint64_t v, bool *first)
{
	tsb_printf(o->p, "%s%*llu", *first ? "" : " ", o->width, (unsigned long long)v);
	*first = false;
}

static void wc_print(struct wc *o, const struct wc_counts *n, const char *name)
{
	bool first = true;

	if (o->lines)
		wc_number(o, n->lines, &first);
	if (o->words)
		wc_number(o, n->words, &first);
	if (o->chars)
		wc_number(o, n->chars, &first);
	if (o->bytes)
		wc_number(o, n->bytes, &first);
	if (o->longest)
		wc_number(o, n->longest, &first);
	if (name)
		tsb_printf(o->p, " %s", strchr(name, '\n') ? quote_f(o->p, name) : name);
	tsb_putc(o->p, '\n');
	tsb_flush(o->p);	/* a line at a time, as GNU's wc writes */
}

static void wc_add(struct wc_counts *total, const struct wc_counts *n)
{
	total->lines += n->lines;
	total->words += n->words;
	total->chars += n->chars;
	total->bytes += n->bytes;
	if (n->longest > total->longest)
		total->longest = n->longest;
}

/* ---- Files ---- */

/* name NULL: standard input, without a name. */
static int wc_file(struct wc *o, const char *name)
{
	struct wc_counts n = { 0 };
	int fd = input_open(o->p, name ? name : "-");

	if (fd < 0) {
		tsb_warn_errno(o->p, fd, "%s", quote_f(o->p, name));
		return 1;
	}
	lines_open(&o->in, o->p, fd);
	if (o->words || o->chars || o->longest) {
		wc_all(o, &n);
		if (!o->utf8)
			n.chars = n.bytes;
	} else if (o->lines) {
		wc_lines(o, &n);
	} else {
		wc_by_size(o, &n, fd);
		wc_bytes(o, &n);
	}
	if (o->in.error)
		tsb_warn_errno(o->p, o->in.error, "%s", name ? quote_f(o->p, name) :
			       "'standard input'");
	wc_print(o, &n, name);
	wc_add(&o->total, &n);
	input_close(o->p, fd);
	return o->in.error != 0;
}

/* The width that the largest number may need, guessed from the sizes. */
static int wc_width(struct wc *o, char **names, size_t n)
{
	int width = 1, least = 1;
	uint64_t total = 0;

	int kinds = o->lines + o->words + o->chars + o->bytes + o->longest;

	if (!n || o->streamed || (n == 1 && kinds == 1))
		return 1;
	for (size_t i = 0; i < n; i++) {
		bool in = !names[i] || input_is_stdin(names[i]);
		struct tsb_stat st;

		if (in && o->files0 && input_is_stdin(o->files0))
			continue;
		if (in ? tsb_fstat(o->p, 0, &st) : tsb_stat(o->p, names[i], &st))
			continue;
		if (S_ISREG(st.mode))
			total += st.size;
		else
			least = 7;
	}
	for (; total >= 10; total /= 10)
		width++;
	return width < least ? least : width;
}

static int wc_many(struct wc *o, char **names, size_t n, const char *from)
{
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		if (from && input_is_stdin(from) && input_is_stdin(names[i])) {
			tsb_warn(o->p, "when reading file names from stdin, no file name of %s "
				 "allowed", quote_af(o->p, names[i]));
			status = 1;
		} else if (from && !names[i][0]) {
			tsb_warn(o->p, "%s:%zu: invalid zero-length file name",
				 quote_f(o->p, from), i + 1);
			status = 1;
		} else if (names[i] && !names[i][0]) {
			tsb_warn(o->p, "invalid zero-length file name");
			status = 1;
		} else {
			status |= wc_file(o, names[i]);
		}
	}
	if (n > 1)
		wc_print(o, &o->total, "total");
	return status;
}

static int wc_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	char *standard[] = { NULL, NULL };
	struct files0 list = { .at = argv, .n = (size_t)argc };
	struct wc *o = opts;
	struct tsb_stat st;
	int err;

	o->p = p;
	o->utf8 = locale_utf8(p);
	if (!o->lines && !o->words && !o->chars && !o->bytes && !o->longest)
		o->lines = o->words = o->bytes = true;
	if (o->files0) {
		if (argc) {
			tsb_warn(p, "extra operand %s", quote_af(p, argv[0]));
			tsb_write_all(p, 2, "file operands cannot be combined with --files0-from\n",
				      52);
			return tsb_usage(p, NULL);
		}
		o->streamed = input_is_stdin(o->files0) && (tsb_fstat(p, 0, &st) ||
							    !S_ISREG(st.mode));
		err = files0_read(p, o->files0, "cannot open", &list);
		if (err && !list.n && input_open(p, o->files0) < 0)
			return 1;
		if (err) {
			tsb_warn_errno(p, err, "%s: read error", quote_f(p, o->files0));
			return 1;
		}
	} else if (!argc) {
		list.at = standard;
		list.n = 1;
	}
	o->width = wc_width(o, list.at, list.n);
	return wc_many(o, list.at, list.n, o->files0);
}

const struct tsb_command cmd_wc = {
	CMD_COREUTILS, .name = "wc",
	.synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
	.summary = "Print newline, word, and byte counts for each FILE, and a total line if more "
		   "than one FILE is specified.",
	.opts = wc_opts, .opts_size = sizeof(struct wc), .run = wc_run,
};
