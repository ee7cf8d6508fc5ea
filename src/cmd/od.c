/*
 * od - dump files in octal and other formats.
 *
 * The files are one stream, cut into blocks of a line each. A block equal to
 * the one before is left out, and a "*" stands for all of a row.
 */
#include "cmd/od.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/util.h"

struct od {
	struct tsb_proc *p;
	struct od_specs specs;
	uint64_t skip, limit, string_min, width, label;
	bool limited, strings, width_given, modern, traditional, all, labelled;
	int big_endian, radix;		/* 'd' 'o' 'x' 'n' */

	struct sink out;
	char **files;
	int n_files, next;
	int fd;
	bool opened, failed;
	const char *name;
	char *buf;
	size_t at, n;
	uint64_t taken;		/* bytes of the limit */
};

/* ---- Options ---- */

enum { OD_SKIP, OD_READ, OD_STRINGS, OD_WIDTH };
enum { OD_LONG = 8 };		/* the option was written in full */

static const struct { char letter; const char *name; } od_numbers[] = {
	{ 'j', "skip-bytes" }, { 'N', "read-bytes" }, { 'S', "strings" }, { 'w', "width" },
};

/* Factor of a size's suffix; 0: no such suffix. */
static uint64_t od_suffix(const char *s)
{
	static const char letters[] = "KMGTPE";
	const char *at;
	uint64_t base = 1024, factor = 1;

	if (!strcmp(s, "b"))
		return 512;
	at = strchr(letters, *s == 'k' ? 'K' : *s == 'm' ? 'M' : *s);
	if (!*s || !at)
		return !*s;
	if (!strcmp(s + 1, "B"))
		base = 1000;
	else if (s[1] && strcmp(s + 1, "iB"))
		return 0;
	for (size_t i = 0; i <= (size_t)(at - letters); i++)
		factor *= base;
	return factor;
}

enum od_number { OD_OK, OD_INVALID, OD_BAD_SUFFIX, OD_TOO_LARGE };

static enum od_number od_number(const char *s, int base, uint64_t *value)
{
	char *end;
	uint64_t v, factor;

	while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
		s++;
	if (*s == '-')
		return OD_INVALID;
	errno = 0;
	v = strtoull(s, &end, base);
	factor = od_suffix(end);
	if (end == s && (!*s || !factor))
		return OD_INVALID;
	if (end == s)
		v = 1;
	if (!factor)
		return OD_BAD_SUFFIX;
	if (errno == ERANGE || __builtin_mul_overflow(v, factor, value))
		return OD_TOO_LARGE;
	return OD_OK;
}

static int od_number_option(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct od *o = opts;
	int which = opt->value & 3;
	uint64_t v = which == OD_STRINGS ? 3 : 32;
	enum od_number got = arg ? od_number(arg, 0, &v) : OD_OK;
	const char *name = opt->value & OD_LONG ? tsb_format(p, "--%s", od_numbers[which].name)
						: tsb_format(p, "-%c", od_numbers[which].letter);

	if (got != OD_OK) {
		tsb_warn(p, got == OD_INVALID ? "invalid %s argument '%s'"
			 : got == OD_BAD_SUFFIX ? "invalid suffix in %s argument '%s'"
						: "%s argument '%s' too large", name, arg);
		return 1;
	}
	o->modern = true;
	if (which == OD_SKIP) {
		o->skip = v;
	} else if (which == OD_READ) {
		o->limit = v;
		o->limited = true;
	} else if (which == OD_STRINGS) {
		o->string_min = v;
		o->strings = true;
	} else {
		o->width = v;
		o->width_given = true;
	}
	return 0;
}

static int od_radix_option(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct od *o = opts;

	(void)opt;
	o->modern = true;
	if (!*arg || !strchr("doxn", *arg)) {
		tsb_warn(p, "invalid output address radix '%c'; it must be one character from [doxn]",
			 *arg);
		return 1;
	}
	o->radix = *arg;
	return 0;
}

static int od_type_option(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct od *o = opts;

	(void)opt;
	o->modern = true;
	return od_type_add(p, &o->specs, arg);
}

/* The types that once had letters of their own. */
static int od_old_type(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct { char letter; const char *type; } types[] = {
		{ 'a', "a" }, { 'b', "o1" }, { 'c', "c" }, { 'D', "u4" }, { 'd', "u2" },
		{ 'F', "fD" }, { 'e', "fD" }, { 'f', "fF" }, { 'H', "x4" }, { 'X', "x4" },
		{ 'i', "dI" }, { 'I', "dL" }, { 'l', "dL" }, { 'L', "dL" }, { 'O', "o4" },
		{ 'B', "o2" }, { 'o', "o2" }, { 's', "d2" }, { 'h', "x2" }, { 'x', "x2" },
	};
	struct od *o = opts;

	(void)arg;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].letter == opt->short_name)
			return od_type_add(p, &o->specs, types[i].type);
	return 1;
}

static int od_flag(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct od *o = opts;

	(void)p;
	(void)arg;
	if (opt->value == 'v')
		o->all = o->modern = true;
	else
		o->traditional = true;
	return 0;
}

static int od_endian(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct util_word words[] = { { "little", 0 }, { "big", 1 }, { NULL, 0 } };
	struct od *o = opts;

	(void)opt;
	return util_word(p, "--endian", arg, words, &o->big_endian);
}

#define OD_OLD(letter, help) TSB_OPT_CALL(od_old_type, 0, letter, NULL, NULL, help)
#define OD_OLD_HIDDEN(letter) \
	{ TSB_OPTION_CALL, letter, NULL, NULL, NULL, 0, 0, TSB_ARG_NONE | TSB_OPT_HIDDEN, od_old_type }

static const struct tsb_opt od_opts[] = {
	TSB_OPT_CALL(od_radix_option, 0, 'A', "address-radix", "RADIX",
		     "output format for file offsets; RADIX is one of [doxn], for decimal, octal, "
		     "hex or none"),
	TSB_OPT_CALL(od_endian, 0, 0, "endian", "{big|little}",
		     "swap input bytes according the specified order"),
	TSB_OPT_CALL(od_number_option, OD_SKIP, 'j', NULL, "BYTES", "skip BYTES input bytes first"),
	TSB_OPT_CALL(od_number_option, OD_SKIP | OD_LONG, 0, "skip-bytes", "BYTES", NULL),
	TSB_OPT_CALL(od_number_option, OD_READ, 'N', NULL, "BYTES", "limit dump to BYTES input bytes"),
	TSB_OPT_CALL(od_number_option, OD_READ | OD_LONG, 0, "read-bytes", "BYTES", NULL),
	TSB_OPT_CALL(od_number_option, OD_STRINGS, 'S', NULL, "BYTES",
		     "show only NUL terminated strings of at least BYTES (3) printable characters"),
	TSB_OPT_CALL_OPT(od_number_option, OD_STRINGS | OD_LONG, 0, "strings", "BYTES", NULL),
	TSB_OPT_CALL(od_type_option, 0, 't', "format", "TYPE", "select output format or formats"),
	TSB_OPT_CALL(od_flag, 'v', 'v', "output-duplicates", NULL, "do not use * to mark line suppression"),
	TSB_OPT_CALL_OPT(od_number_option, OD_WIDTH, 'w', NULL, "BYTES",
			 "output BYTES bytes per output line; 32 is implied when BYTES is not specified"),
	TSB_OPT_CALL_OPT(od_number_option, OD_WIDTH | OD_LONG, 0, "width", "BYTES", NULL),
	TSB_OPT_CALL(od_flag, 't', 0, "traditional", NULL, "accept arguments in third form above"),
	OD_OLD('a', "same as -t a,  select named characters, ignoring high-order bit"),
	OD_OLD('b', "same as -t o1, select octal bytes"),
	OD_OLD('c', "same as -t c,  select printable characters or backslash escapes"),
	OD_OLD('d', "same as -t u2, select unsigned decimal 2-byte units"),
	OD_OLD('f', "same as -t fF, select floats"),
	OD_OLD('i', "same as -t dI, select decimal ints"),
	OD_OLD('l', "same as -t dL, select decimal longs"),
	OD_OLD('o', "same as -t o2, select octal 2-byte units"),
	OD_OLD('s', "same as -t d2, select decimal 2-byte units"),
	OD_OLD('x', "same as -t x2, select hexadecimal 2-byte units"),
	OD_OLD_HIDDEN('B'), OD_OLD_HIDDEN('D'), OD_OLD_HIDDEN('e'), OD_OLD_HIDDEN('F'),
	OD_OLD_HIDDEN('h'), OD_OLD_HIDDEN('H'), OD_OLD_HIDDEN('I'), OD_OLD_HIDDEN('L'),
	OD_OLD_HIDDEN('O'), OD_OLD_HIDDEN('X'),
	TSB_OPT_END
};

/* [+]offset[b]. The manual has "[.]" for decimal, which no version reads. */
static bool od_old_offset(const char *s, uint64_t *offset)
{
	int radix;

	s += *s == '+';
	radix = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 8;
	return *s >= '0' && *s <= '9' && od_number(s, radix, offset) == OD_OK;
}

/* Offsets among the operands, as od had them before it had options. */
static int od_old_operands(struct od *o, int *argc, char **argv)
{
	bool old = o->traditional;
	uint64_t first, second;
	const char *last = *argc ? argv[*argc - 1] : "";

	if (*argc == 1 && (old || *last == '+') && od_old_offset(last, &first)) {
		o->skip = first;
		*argc = 0;
	} else if (*argc == 2 && (old || *last == '+' || (*last >= '0' && *last <= '9')) &&
		   od_old_offset(last, &second)) {
		if (old && od_old_offset(argv[0], &first)) {
			o->skip = first;
			o->labelled = true;
			o->label = second;
			*argc = 0;
		} else {
			o->skip = second;
			*argc = 1;
		}
	} else if (*argc == 3 && old && od_old_offset(argv[1], &first) &&
		   od_old_offset(argv[2], &second)) {
		o->skip = first;
		o->labelled = true;
		o->label = second;
		*argc = 1;
	}
	if (!old || *argc < 2)
		return 0;
	tsb_warn(o->p, "extra operand %s", quote_text(o->p, argv[1]));
	return tsb_usage(o->p, "compatibility mode supports at most one file");
}

/* ---- Input ---- */

static void od_complain(struct od *o, int err)
{
	tsb_warn_errno(o->p, err, "%s", quote_f(o->p, o->name));
	o->failed = true;
}

/* The next file that can be opened. */
static bool od_open_next(struct od *o)
{
	while (!o->opened && o->next < o->n_files) {
		o->name = o->files[o->next++];
		o->fd = input_open(o->p, o->name);
		if (input_is_stdin(o->name))
			o->name = "standard input";
		if (o->fd < 0)
			od_complain(o, o->fd);
		else
			o->opened = true;
	}
	return o->opened;
}

static void od_close(struct od *o)
{
	input_close(o->p, o->fd);
	o->opened = false;
}

/* More bytes; never more than the limit, as the next reader of a shared
 * descriptor may want them. */
static bool od_fill(struct od *o)
{
	size_t want = LINES_BLOCK;
	ssize_t n;

	if (o->limited && o->limit - o->taken < want)
		want = (size_t)(o->limit - o->taken);
	while (want && od_open_next(o)) {
		n = tsb_read(o->p, o->fd, o->buf, want);
		if (n > 0) {
			o->at = 0;
			o->n = (size_t)n;
			o->taken += (uint64_t)n;
			return true;
		}
		if (n < 0)
			od_complain(o, (int)n);
		od_close(o);
	}
	return false;
}

static size_t od_read(struct od *o, unsigned char *to, size_t n)
{
	size_t got = 0, part;

	while (got < n && (o->at < o->n || od_fill(o))) {
		part = o->n - o->at < n - got ? o->n - o->at : n - got;
		memcpy(to + got, o->buf + o->at, part);
		o->at += part;
		got += part;
	}
	return got;
}

static void od_skip_by_reading(struct od *o, uint64_t *left)
{
	ssize_t n;

	while (*left && (n = tsb_read(o->p, o->fd, o->buf, *left < LINES_BLOCK ? (size_t)*left
									       : LINES_BLOCK))) {
		if (n < 0) {
			od_complain(o, (int)n);
			break;
		}
		*left -= (uint64_t)n;
		tsb_tick(o->p, 16);
	}
}

/* A size is believed only beyond a block: files of /proc have 0 and more in them. */
static bool od_skip(struct od *o)
{
	uint64_t left = o->skip;

	while (left && od_open_next(o)) {
		struct tsb_stat st = { 0 };
		bool regular = !tsb_fstat(o->p, o->fd, &st) && S_ISREG(st.mode);

		if (regular && st.size > st.blksize && st.size < left)
			left -= st.size;
		else if ((!regular || st.size > st.blksize) && left <= INT64_MAX &&
			 tsb_lseek(o->p, o->fd, (int64_t)left, SEEK_CUR) >= 0)
			left = 0;
		else
			od_skip_by_reading(o, &left);
		if (left)
			od_close(o);
	}
	if (left)
		tsb_warn(o->p, "cannot skip past end of combined input");
	return !left;
}

/* ---- Output ---- */

static void od_address(struct od *o, uint64_t address, int end)
{
	int radix = o->radix;
	struct str s;

	str_init(&s, tsb_heap_of(o->p), STR_MAX_DEFAULT);
	if (radix != 'n' || o->labelled) {
		unsigned long long v = address, shown = address - o->skip + o->label;

		if (radix == 'x')
			str_addf(&s, o->labelled ? "%06llx (%06llx)" : "%06llx", v, shown);
		else if (radix == 'd')
			str_addf(&s, o->labelled ? "%07llu (%07llu)" : "%07llu", v, shown);
		else if (radix == 'o')
			str_addf(&s, o->labelled ? "%07llo (%07llo)" : "%07llo", v, shown);
		else
			str_addf(&s, "(%07llo)", v);
	}
	sink_put(&o->out, s.p, s.n);
	if (end && (radix != 'n' || o->labelled))
		sink_putc(&o->out, end);
	str_end(&s);
}

static void od_write_block(struct od *o, uint64_t address, const unsigned char *block, size_t n,
			   size_t size)
{
	for (size_t i = 0; i < o->specs.list.n; i++) {
		if (!i)
			od_address(o, address, '\0');
		else if (o->radix != 'n' || o->labelled)
			sink_puts(&o->out, o->radix == 'x' ? "      " : "       ");
		od_type_print(&o->out, &o->specs.list.at[i], block, n, size, o->big_endian);
		sink_putc(&o->out, '\n');
	}
}

static void od_dump(struct od *o, size_t size)
{
	unsigned char *block = text_alloc(o->p, size), *before = text_alloc(o->p, size), *swap;
	uint64_t address = o->skip;
	bool first = true, starred = false;
	size_t n, unit = o->specs.unit;

	while ((n = od_read(o, block, size)) > 0) {
		memset(block + n, 0, size - n);
		if (!o->all && !first && n == size && !memcmp(block, before, size)) {
			if (!starred)
				sink_puts(&o->out, "*\n");
			starred = true;
		} else {
			/* The last field may be cut off: it is shown as if zeroes followed. */
			starred = false;
			od_write_block(o, address, block, n, size);
		}
		first = false;
		address += n;
		swap = before;
		before = block;
		block = swap;
		tsb_tick(o->p, size / unit / 16 + 1);
	}
	od_address(o, address, '\n');
}

static void od_dump_strings(struct od *o)
{
	uint64_t address = o->skip;
	unsigned char c;
	struct str s;

	str_init(&s, tsb_heap_of(o->p), STR_MAX_DEFAULT);
	while (od_read(o, &c, 1)) {
		address++;
		if (c >= ' ' && c <= '~') {
			str_addc(&s, c);
			continue;
		}
		if (!c && s.n >= o->string_min) {
			od_address(o, address - s.n - 1, ' ');
			sink_put(&o->out, s.p, s.n);
			sink_putc(&o->out, '\n');
		}
		str_reset(&s);
		tsb_tick(o->p, 1);
	}
	if (o->limited && o->taken == o->limit && s.n && s.n >= o->string_min) {
		od_address(o, address - s.n - 1, ' ');
		sink_put(&o->out, s.p, s.n);
		sink_putc(&o->out, '\n');
	}
	str_end(&s);
}

static size_t od_block_size(struct od *o)
{
	size_t unit = o->specs.unit;

	if (!o->width_given)
		return unit < 16 ? unit * (16 / unit) : unit;
	if (o->width && o->width % unit == 0)
		return (size_t)o->width;
	tsb_warn(o->p, "warning: invalid width %llu; using %zu instead",
		 (unsigned long long)o->width, unit);
	return unit;
}

static int od_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char dash[] = "-", *standard[] = { dash, NULL };
	struct od *o = opts;
	size_t size;
	int status;

	o->p = p;
	if (o->strings && o->specs.list.n) {
		tsb_warn(p, "no type may be specified when dumping strings");
		return 1;
	}
	if (!o->modern || o->traditional) {
		status = od_old_operands(o, &argc, argv);
		if (status)
			return status;
	}
	if (o->limited && o->limit > UINT64_MAX - o->skip) {
		tsb_warn(p, "skip-bytes + read-bytes is too large");
		return 1;
	}
	if (!o->specs.list.n)
		od_type_add(p, &o->specs, "o2");
	size = od_block_size(o);
	od_type_layout(&o->specs, size);
	o->files = argc ? argv : standard;
	o->n_files = argc ? argc : 1;
	o->buf = text_alloc(p, LINES_BLOCK);
	sink_init(&o->out, p);
	if (!od_open_next(o))
		return 1;
	if (!od_skip(o))
		return 1;
	if (o->strings)
		od_dump_strings(o);
	else
		od_dump(o, size);
	sink_flush(&o->out);
	return o->failed;
}

static const struct od od_defaults = { .radix = 'o', .specs = { .unit = 1 } };

const struct tsb_command cmd_od = {
	CMD_COREUTILS, .name = "od",
	.synopsis = "[OPTION]... [FILE]...\n[-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]\n"
		    "--traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]",
	.summary = "Write an unambiguous representation, octal bytes by default, of FILE to\n"
		   "standard output.  With more than one FILE argument, concatenate them in the\n"
		   "listed order to form the input.",
	.opts = od_opts, .opts_size = sizeof(struct od), .defaults = &od_defaults, .run = od_run,
};
