/*
 * strings - print the runs of printable characters in files.
 */
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/opt.h"
#include "base/str.h"
#include "cmd/lines.h"
#include "cmd/rawopt.h"

struct strings {
	bool all, names, whitespace;
	uint64_t least;
	int radix;		/* 'o' 'd' 'x', or 0 */
	const char *encoding, *separator, *target;
	int unicode;		/* how UTF-8 is shown: x, e, h, l; 0: not known of */

	struct tsb_proc *p;
	struct sink out;
	struct tsb_reader in;
	size_t unit;		/* bytes a character */
	bool big;
	unsigned char part[4];	/* bytes read that are no character yet, or to be read again */
	size_t n_part;
	uint64_t address;	/* of the byte behind the last character */
};

static int strings_usage(struct tsb_proc *p)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	opt_help(&text, &cmd_strings, tsb_name(p));
	tsb_write_all(p, 2, text.p, text.n);
	return 1;
}

static int strings_opt_least(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct strings *s = opts;
	char *end;
	long v = strtol(arg, &end, 0);

	(void)opt;
	if (*end || end == arg) {
		tsb_warn(p, "invalid integer argument %s", arg);
		return 1;
	}
	if (!v) {
		tsb_warn(p, "invalid minimum string length 0");
		return 1;
	}
	s->least = v < 0 ? UINT32_MAX : (uint64_t)v;	/* a negative one is very long */
	return 0;
}

static int strings_opt_radix(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct strings *s = opts;

	if (opt->value) {
		s->radix = opt->value;
		return 0;
	}
	if (!*arg || arg[1] || !strchr("odx", *arg))
		return strings_usage(p);
	s->radix = *arg;
	return 0;
}

static int strings_opt_encoding(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				const char *arg)
{
	struct strings *s = opts;

	(void)opt;
	if (!*arg || arg[1] || !strchr("sSblBL", *arg))
		return strings_usage(p);
	s->encoding = arg;
	return 0;
}

static int strings_opt_unicode(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			       const char *arg)
{
	static const struct { const char *word; int letter, mode; } words[] = {
		{ "default", 'd', 0 }, { "invalid", 'i', 0 }, { "hex", 'x', 'x' },
		{ "escape", 'e', 'e' }, { "highlight", 'h', 'h' }, { "locale", 'l', 'l' },
	};

	(void)opt;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(arg, words[i].word) || (arg[0] == words[i].letter && !arg[1])) {
			((struct strings *)opts)->unicode = words[i].mode;
			return 0;
		}
	}
	tsb_warn(p, "invalid argument to -U/--unicode: %s", arg);
	return 1;
}

static const struct tsb_opt strings_opts[] = {
	TSB_OPT_FLAG(struct strings, all, 'a', "all",
		     "scan the entire file, not just the data section (there is none here)"),
	TSB_OPT_FLAG(struct strings, all, 'd', "data", "scan the data sections in the file"),
	TSB_OPT_FLAG(struct strings, names, 'f', "print-file-name",
		     "print the name of the file before each string"),
	TSB_OPT_CALL(strings_opt_least, 0, 'n', "bytes", "number",
		     "print any sequence of at least <number> displayable characters (4)"),
	TSB_OPT_CALL(strings_opt_radix, 0, 't', "radix", "{o,d,x}",
		     "print the location of the string in base 8, 10 or 16"),
	TSB_OPT_FLAG(struct strings, whitespace, 'w', "include-all-whitespace",
		     "include all whitespace as valid string characters"),
	TSB_OPT_CALL(strings_opt_radix, 'o', 'o', NULL, NULL, "an alias for --radix=o"),
	TSB_OPT_STR(struct strings, target, 'T', "target", "BFDNAME", "specify the binary file format"),
	TSB_OPT_CALL(strings_opt_encoding, 0, 'e', "encoding", "{s,S,b,l,B,L}",
		     "select character size and endianness: s = 7-bit, S = 8-bit, {b,l} = 16-bit, "
		     "{B,L} = 32-bit"),
	TSB_OPT_CALL(strings_opt_unicode, 0, 'U', "unicode", "MODE",
		     "how to treat UTF-8: default, invalid (not at all), hex, escape, highlight, locale"),
	TSB_OPT_STR(struct strings, separator, 's', "output-separator", "string",
		    "string used to separate strings in output"),
	TSB_OPT_DIGITS_CALL(strings_opt_least, "an alias for -n NUM"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('v', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

/* The next character; -1 at the end. */
static int64_t strings_next(struct strings *s)
{
	int64_t v = 0;
	int c;

	while (s->n_part < s->unit) {
		c = tsb_getbyte(&s->in);
		if (c < 0)
			return -1;
		s->part[s->n_part++] = (unsigned char)c;
		if (!(++s->address & 4095))
			tsb_tick(s->p, 4096);
	}
	for (size_t i = 0; i < s->unit; i++)
		v = v << 8 | s->part[s->big ? i : s->unit - 1 - i];
	s->n_part = 0;
	return v;
}

/* All bytes but the first of the last character are read again. */
static void strings_step_back(struct strings *s)
{
	if (s->unit == 1)
		return;
	memmove(s->part, s->part + 1, s->unit - 1);
	s->n_part = s->unit - 1;
}

static bool strings_is_graphic(const struct strings *s, int64_t c)
{
	if (c < 0 || c > 255)
		return false;
	return c == '\t' || (c >= ' ' && c <= '~') || (c > 127 && *s->encoding == 'S') ||
	       (s->whitespace && c >= '\n' && c <= '\r');
}

static void strings_put_front(struct strings *s, const char *name, uint64_t address)
{
	struct str text;

	str_init(&text, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	if (s->names)
		str_addf(&text, "%s: ", name);
	if (s->radix == 'o')
		str_addf(&text, "%7llo ", (unsigned long long)address);
	else if (s->radix == 'd')
		str_addf(&text, "%7llu ", (unsigned long long)address);
	else if (s->radix == 'x')
		str_addf(&text, "%7llx ", (unsigned long long)address);
	sink_put(&s->out, text.p, text.n);
	str_end(&text);
}

/* More of a run that began at `address`: enough for a string is written at once. */
static void strings_add(struct strings *s, struct str *run, const char *name, uint64_t address,
			const char *p, size_t n)
{
	size_t least = (size_t)s->least, more;

	if (run->n < least) {
		more = n < least - run->n ? n : least - run->n;
		str_addn(run, p, more);
		p += more;
		n -= more;
		if (run->n < least)
			return;
		strings_put_front(s, name, address);
		sink_put(&s->out, run->p, run->n);
	}
	sink_put(&s->out, p, n);
}

/* Characters of one byte, which files mostly have, a block at a time. */
static void strings_scan_bytes(struct strings *s, const char *name, int fd)
{
	bool graphic[256];
	uint64_t begun = 0;
	struct str run;
	char *block;
	size_t n;

	for (int c = 0; c < 256; c++)
		graphic[c] = strings_is_graphic(s, c);
	tsb_reader_init(&s->in, s->p, fd);
	s->address = 0;
	str_init(&run, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	while ((n = tsb_getblock(&s->in, &block))) {
		for (size_t i = 0, from; i < n; i++) {
			from = i;
			while (i < n && graphic[(unsigned char)block[i]])
				i++;
			begun = run.n ? begun : s->address + from;
			if (i > from)
				strings_add(s, &run, name, begun, block + from, i - from);
			if (i == n)
				break;
			if (run.n >= s->least)
				sink_puts(&s->out, s->separator ? s->separator : "\n");
			str_reset(&run);
		}
		s->address += n;
		tsb_tick(s->p, n);
	}
	if (run.n >= s->least)
		sink_puts(&s->out, s->separator ? s->separator : "\n");
	str_end(&run);
	tsb_reader_end(&s->in);
}

static void strings_scan(struct strings *s, const char *name, int fd)
{
	struct str run;
	int64_t c;

	tsb_reader_init(&s->in, s->p, fd);
	s->n_part = 0;
	s->address = 0;
	str_init(&run, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	do {
		c = strings_next(s);
		if (strings_is_graphic(s, c)) {
			if (run.n < s->least)
				str_addc(&run, (int)c);
			else
				sink_putc(&s->out, (int)c);
			if (run.n == s->least && run.n) {
				/* Enough for a string: what follows is written at once. */
				uint64_t bytes = s->least * s->unit;

				strings_put_front(s, name, s->address - bytes);
				sink_put(&s->out, run.p, run.n);
				str_addc(&run, '\0');
			}
			continue;
		}
		if (c >= 0)
			strings_step_back(s);
		if (run.n > s->least)
			sink_puts(&s->out, s->separator ? s->separator : "\n");
		str_reset(&run);
	} while (c >= 0);
	str_end(&run);
	tsb_reader_end(&s->in);
}

/* ---- UTF-8 ---- */

static int strings_byte(struct strings *s)
{
	int c;

	if (s->n_part) {
		c = s->part[0];
		memmove(s->part, s->part + 1, --s->n_part);
	} else {
		c = tsb_getbyte(&s->in);
	}
	if (c >= 0 && !(++s->address & 4095))
		tsb_tick(s->p, 4096);
	return c;
}

/* The sequence that begins with seq[0]: its length; 0: it is none, and what was
 * read behind it is read again. As in binutils, only the form counts. */
static size_t strings_sequence(struct strings *s, unsigned char seq[4])
{
	size_t need = !(seq[0] & 0x20) ? 2 : !(seq[0] & 0x10) ? 3 : 4;

	if (seq[0] < 0xc0)
		return 0;
	for (size_t n = 1; n < need; n++) {
		int c = strings_byte(s);

		if (c >= 0)
			seq[n] = (unsigned char)c;
		if (c >= 0 && (c & 0xc0) == 0x80)
			continue;
		n -= c < 0;
		memmove(s->part + n, s->part, s->n_part);
		memcpy(s->part, seq + 1, n);
		s->n_part += n;
		s->address -= n;
		return 0;
	}
	return need;
}

static void strings_show(const struct strings *s, struct str *out, const unsigned char *seq, size_t n)
{
	bool red = s->unicode == 'h' && tsb_isatty(s->p, 1);

	if (s->unicode == 'l') {
		str_addc(out, seq[0]);
		return;
	}
	if (s->unicode == 'x') {
		str_adds(out, "<0x");
		for (size_t i = 0; i < n; i++)
			str_addf(out, "%02x", seq[i]);
		str_addc(out, '>');
		return;
	}
	/* Four bytes come out as binutils 2.40 gives them, which is no code point. */
	str_adds(out, red ? "\33[31;47m" : "");
	if (n == 4)
		str_addf(out, "\\u%02x%02x%02x", (seq[0] & 7u) << 6 | (seq[1] & 60u) >> 2,
			 (seq[1] & 3u) << 6 | (seq[2] & 60u) >> 2, (seq[2] & 3u) << 6 | (seq[3] & 63u));
	else if (n == 3)
		str_addf(out, "\\u%04x", (seq[0] & 15u) << 12 | (seq[1] & 63u) << 6 | (seq[2] & 63u));
	else
		str_addf(out, "\\u%04x", (seq[0] & 31u) << 6 | (seq[1] & 63u));
	str_adds(out, red ? "\33[0m" : "");
}

/* One character, added to run as it is shown; false: none, or the end (*end). */
static bool strings_character(struct strings *s, struct str *run, bool *end)
{
	unsigned char seq[4];
	int c = strings_byte(s);
	size_t n;

	*end = c < 0;
	if (c >= 0 && c < 128 && strings_is_graphic(s, c)) {
		str_addc(run, c);
		return true;
	}
	seq[0] = (unsigned char)c;
	n = *end ? 0 : strings_sequence(s, seq);
	if (n)
		strings_show(s, run, seq, n);
	return n > 0;
}

static void strings_scan_utf8(struct strings *s, const char *name, int fd)
{
	uint64_t count = 0, from = 0;
	struct str run;
	bool end = false;

	tsb_reader_init(&s->in, s->p, fd);
	s->n_part = 0;
	s->address = 0;
	str_init(&run, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	while (!end) {
		uint64_t at = s->address;

		if (strings_character(s, &run, &end)) {
			from = count++ ? from : at;
			if (count < s->least)
				continue;
			if (count == s->least)
				strings_put_front(s, name, from);
			sink_put(&s->out, run.p, run.n);
		} else {
			if (count >= s->least)
				sink_puts(&s->out, s->separator ? s->separator : "\n");
			count = 0;
		}
		str_reset(&run);
	}
	str_end(&run);
	tsb_reader_end(&s->in);
}

static void strings_scan_file(struct strings *s, const char *name, int fd)
{
	if (s->unicode)
		strings_scan_utf8(s, name, fd);
	else if (s->unit == 1 && s->least)
		strings_scan_bytes(s, name, fd);
	else
		strings_scan(s, name, fd);
}

static bool strings_file(struct strings *s, const char *name)
{
	struct tsb_stat st;
	int err = tsb_stat(s->p, name, &st), fd;

	if (err) {
		if (err == -2)
			tsb_warn(s->p, "'%s': No such file", name);
		else
			tsb_warn(s->p, "Warning: could not locate '%s'.  reason: %s", name,
				 tsb_strerror(err));
		return false;
	}
	if (S_ISDIR(st.mode)) {
		tsb_warn(s->p, "Warning: '%s' is a directory", name);
		return false;
	}
	fd = tsb_open(s->p, name, 0, 0);
	if (fd < 0) {
		tsb_warn_errno(s->p, fd, "%s", name);
		return false;
	}
	strings_scan_file(s, name, fd);
	tsb_close(s->p, fd);
	return true;
}

static int strings_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const char wide[] = "bl", wider[] = "BL";
	struct strings *s = opts;
	bool any = !argc, ok = true;

	s->p = p;
	sink_init(&s->out, p);
	if (!s->encoding)
		s->encoding = "s";
	s->unit = strchr(wide, *s->encoding) ? 2 : strchr(wider, *s->encoding) ? 4 : 1;
	s->big = *s->encoding == 'b' || *s->encoding == 'B';
	if (!argc)
		strings_scan_file(s, "{standard input}", 0);
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "-"))
			continue;
		any = true;
		sink_flush(&s->out);
		ok &= strings_file(s, argv[i]);
	}
	sink_flush(&s->out);
	return any ? !ok : strings_usage(p);
}

static const struct strings strings_defaults = { .least = 4 };

const struct tsb_command cmd_strings = {
	.version = TSB_COMMAND_VERSION, .package = "GNU Binutils", .package_version = "2.40",
	.name = "strings", .synopsis = "[option(s)] [file(s)]",
	.summary = "Display printable strings in [file(s)] (stdin by default)",
	.opts = strings_opts, .opts_size = sizeof(struct strings), .defaults = &strings_defaults,
	.run = strings_run,
};
