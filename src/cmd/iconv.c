/*
 * iconv - from one character set to another (glibc's program).
 */
#include "cmd/iconv.h"

#include <fcntl.h>
#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/lines.h"
#include "cmd/locale.h"

enum { ICONV_USAGE = 64, ICONV_BLOCK = 65536, ICONV_LONGEST = 32 };

struct iconv {
	const char *from, *to, *output;
	bool stopped;
	bool list, omit, silent, verbose;

	struct tsb_proc *p;
	struct iconv_code in, out;
	bool marked;		/* the byte order mark was written, or read */
	bool looked;
	bool skipped;		/* //IGNORE left something out */
	struct str text;
	int fd;
};

static const struct tsb_opt iconv_opts[] = {
	TSB_OPT_STR(struct iconv, from, 'f', "from-code", "NAME", "encoding of original text"),
	TSB_OPT_STR(struct iconv, to, 't', "to-code", "NAME", "encoding for output"),
	TSB_OPT_FLAG(struct iconv, list, 'l', "list", "list all known coded character sets"),
	TSB_OPT_FLAG(struct iconv, omit, 'c', NULL, "omit invalid characters from output"),
	TSB_OPT_STR(struct iconv, output, 'o', "output", "FILE", "output file"),
	TSB_OPT_FLAG(struct iconv, silent, 's', "silent", "suppress warnings"),
	TSB_OPT_FLAG(struct iconv, verbose, 0, "verbose", "print progress information"),
	TSB_OPT_HELP('?', "usage"),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

/* ---- Output ---- */

static void iconv_flush(struct iconv *i)
{
	if (i->fd == 1)
		tsb_put(i->p, i->text.p, i->text.n);
	else
		tsb_write_all(i->p, i->fd, i->text.p, i->text.n);
	str_reset(&i->text);
}

/* The output is opened with the first byte, so that an error leaves it alone. */
static bool iconv_open_output(struct iconv *i)
{
	if (!i->output || i->fd != 1)
		return true;
	i->fd = tsb_open(i->p, i->output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (i->fd >= 0)
		return true;
	tsb_warn_errno(i->p, i->fd, "unable to open output file");
	return false;
}

static bool iconv_put(struct iconv *i, uint32_t c)
{
	unsigned char bytes[4];
	int n;

	if (i->out.mark && !i->marked) {
		i->marked = true;
		n = iconv_encode(&i->out, 0xfeff, bytes);
		str_addn(&i->text, bytes, (size_t)n);
	}
	n = iconv_encode(&i->out, c, bytes);
	str_addn(&i->text, bytes, (size_t)n);
	return n > 0;
}

static bool iconv_put_instead(struct iconv *i, uint32_t c)
{
	size_t low = 0, high = iconv_texts_n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (iconv_texts[middle].c < c)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == iconv_texts_n || iconv_texts[low].c != c)
		return iconv_put(i, '?');
	for (const char *s = iconv_texts[low].text; *s; s++)
		iconv_put(i, (unsigned char)*s);
	return true;
}

/* ---- Conversion ---- */

static bool iconv_fail(struct iconv *i, const char *text)
{
	iconv_flush(i);
	tsb_flush(i->p);
	tsb_warn(i->p, "%s", text);
	return false;
}

static bool iconv_illegal(struct iconv *i, size_t at)
{
	return iconv_fail(i, tsb_format(i->p, "illegal input sequence at position %zu", at));
}

/* Bytes below 128, of which are n: what they become is at `to`; how many there were. */
static size_t iconv_ascii(const unsigned char *p, size_t n, unsigned char *to, size_t unit, bool big)
{
	size_t at = 0;

	for (; n - at >= 8; at += 8) {
		uint64_t word;

		memcpy(&word, p + at, 8);
		if (word & 0x8080808080808080u)
			break;
		if (unit == 1) {
			memcpy(to + at, &word, 8);
			continue;
		}
		memset(to + at * unit, 0, 8 * unit);
		for (size_t k = 0; k < 8; k++)
			to[(at + k) * unit + (big ? unit - 1 : 0)] = p[at + k];
	}
	return at;
}

/* As far as nothing is wrong and the block has room. */
static size_t iconv_quick(struct iconv *i, const unsigned char *p, size_t n)
{
	static const uint8_t units[] = {
		[ICONV_ASCII] = 1, [ICONV_BYTES] = 1, [ICONV_UTF8] = 1, [ICONV_16] = 2,
		[ICONV_UCS2] = 2, [ICONV_32] = 4
	};
	size_t unit = units[i->out.kind], at = 0, room, ascii;
	unsigned char *to, *end;
	uint32_t c = 0;

	if ((i->out.mark && !i->marked) || !str_reserve(&i->text, ICONV_BLOCK + ICONV_LONGEST))
		return 0;
	to = (unsigned char *)i->text.p + i->text.n;
	end = (unsigned char *)i->text.p + ICONV_BLOCK;
	while (at < n && to < end) {
		int used, made;

		if (units[i->in.kind] == 1 && p[at] < 128) {
			room = (size_t)(end - to) / unit;
			ascii = iconv_ascii(p + at, n - at < room ? n - at : room, to, unit,
					    i->out.big);
			at += ascii;
			to += ascii * unit;
			if (ascii)
				continue;
		}
		used = iconv_decode(&i->in, p + at, n - at, &c);
		made = used > 0 ? iconv_encode(&i->out, c, to) : 0;
		if (made <= 0)
			break;
		at += (size_t)used;
		to += made;
	}
	*to = '\0';
	i->text.n = (size_t)(to - (unsigned char *)i->text.p);
	return at;
}

/* A byte order mark in front of everything says which order it is. */
static size_t iconv_order(struct iconv *i, const unsigned char *p, size_t n)
{
	size_t unit = i->in.kind == ICONV_32 ? 4 : 2;
	struct iconv_code other = i->in;
	uint32_t c = 0;

	if (!i->in.mark || i->looked || n < unit)
		return 0;
	i->looked = true;
	if (iconv_decode(&i->in, p, n, &c) == (int)unit && c == 0xfeff)
		return unit;
	other.big = !other.big;
	if (iconv_decode(&other, p, n, &c) != (int)unit || c != 0xfeff)
		return 0;
	i->in.big = other.big;
	return unit;
}

static bool iconv_text(struct iconv *i, const unsigned char *p, size_t n)
{
	size_t at = iconv_order(i, p, n);
	bool lenient = i->omit || i->out.ignore || i->in.ignore;
	uint32_t c = 0;
	int used;

	while (at < n) {
		at += iconv_quick(i, p + at, n - at);
		if (i->text.n >= ICONV_BLOCK) {
			iconv_flush(i);
			tsb_tick(i->p, 4096);
		}
		if (at == n)
			break;
		used = iconv_decode(&i->in, p + at, n - at, &c);
		if (!used)
			return iconv_fail(i, "incomplete character or shift sequence at end of buffer");
		if (used > 0 && (iconv_put(i, c) || (i->out.translit && iconv_put_instead(i, c)))) {
			at += (size_t)used;
		} else {
			if (!lenient)
				return iconv_illegal(i, at);
			i->skipped = true;
			at += (size_t)(used < 0 ? -used : used);
			tsb_tick(i->p, 1);
		}
	}
	if (i->skipped && !i->omit)
		return iconv_illegal(i, n);
	return true;
}

static bool iconv_file(struct iconv *i, const char *name)
{
	int fd = input_open(i->p, name);
	struct tsb_reader in;
	struct str all;
	char *data;
	size_t n;

	i->marked = i->looked = false;
	i->stopped = true;	/* until it went well */
	if (i->verbose) {
		char *line = tsb_format(i->p, "%s:\n", name);

		tsb_write_all(i->p, 2, line, strlen(line));
	}
	if (fd < 0) {
		tsb_warn(i->p, "cannot open input file `%s': %s", name, tsb_strerror(fd));
		i->stopped = false;
		return false;
	}
	str_init(&all, tsb_heap_of(i->p), STR_MAX_DEFAULT);
	tsb_reader_init(&in, i->p, fd);
	while ((n = tsb_getblock(&in, &data))) {
		str_addn(&all, data, n);
		tsb_tick(i->p, n / 64 + 1);
	}
	tsb_reader_end(&in);
	input_close(i->p, fd);
	if (in.error) {
		tsb_warn(i->p, "error while reading the input: %s", tsb_strerror(in.error));
		return false;
	}
	i->stopped = all.n && !(iconv_open_output(i) && iconv_text(i, (const unsigned char *)all.p, all.n));
	return !i->stopped;
}

/* ---- The command ---- */

static int iconv_show_list(struct tsb_proc *p)
{
	for (size_t i = 0; iconv_names[i]; i++)
		tsb_printf(p, "%s//\n", iconv_names[i]);
	for (const struct iconv_set *set = iconv_sets; set->name; set++)
		tsb_printf(p, "%s//\n", set->name);
	return 0;
}

static int iconv_main(struct iconv *i, int argc, char **argv)
{
	bool utf8 = locale_utf8(i->p), ok = true;

	if (i->list)
		return iconv_show_list(i->p);
	if (!iconv_named(i->from ? i->from : "", utf8, &i->in) ||
	    !iconv_named(i->to ? i->to : "", utf8, &i->out)) {
		tsb_warn(i->p, "failed to start conversion processing: %s", tsb_strerror(2));
		return 1;
	}
	i->fd = 1;
	str_init(&i->text, tsb_heap_of(i->p), STR_MAX_DEFAULT);
	if (!argc)
		ok = iconv_file(i, "-");
	/* What cannot be opened is passed over; anything else ends it. */
	for (int k = 0; k < argc && !i->stopped; k++)
		ok &= iconv_file(i, argv[k]);
	iconv_flush(i);
	return !ok;
}

static int iconv_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsb_command plain = cmd_iconv;
	char **all = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*all));
	struct opt_parsed parsed;
	struct iconv *i;
	struct str text;

	(void)opts;
	all[0] = tsb_strdup(p, tsb_name(p));
	memcpy(all + 1, argv, (size_t)argc * sizeof(*all));
	plain.flags = 0;
	opt_parse(&parsed, &plain, tsb_heap_of(p), p, argc + 1, all);
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (parsed.result == OPT_RUN) {
		i = parsed.opts;
		i->p = p;
		return iconv_main(i, parsed.argc, parsed.argv);
	}
	if (parsed.result == OPT_BAD) {
		tsb_warn(p, "%s", parsed.error.p);
		str_addf(&text, "Try `%s --help' or `%s --usage' for more information.\n", tsb_name(p),
			 tsb_name(p));
		tsb_write_all(p, 2, text.p, text.n);
		return ICONV_USAGE;
	}
	if (parsed.result == OPT_VERSION)
		opt_version(&text, &cmd_iconv, tsb_name(p));
	else
		opt_help(&text, &cmd_iconv, tsb_name(p));
	tsb_put(p, text.p, text.n);
	return 0;
}

const struct tsb_command cmd_iconv = {
	.version = TSB_COMMAND_VERSION, .package = "GNU libc", .package_version = "2.36",
	.name = "iconv", .synopsis = "[OPTION...] [FILE...]",
	.summary = "Convert encoding of given files from one encoding to another.",
	.opts = iconv_opts, .opts_size = sizeof(struct iconv), .run = iconv_run, .flags = TSB_RAW,
	.usage_status = ICONV_USAGE,
};
