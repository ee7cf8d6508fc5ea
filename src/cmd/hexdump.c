/*
 * hexdump, hd - dump files by formats.
 *
 * The files are one stream of blocks, and every format prints every block. A
 * row of equal blocks is shown by its first and a star.
 */
#include "cmd/hexdump.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/lines.h"

/* ---- Options ---- */

static const struct { char letter; const char *end, *line, *more; } hexdump_known[] = {
	{ 'b', "\"%07.7_Ax\\n\"", "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\"", NULL },
	{ 'c', "\"%07.7_Ax\\n\"", "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\"", NULL },
	{ 'C', "\"%08.8_Ax\\n\"", "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" ",
	  "\"  |\" 16/1 \"%_p\" \"|\\n\"" },
	{ 'd', "\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\"", NULL },
	{ 'o', "\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\"", NULL },
	{ 'x', "\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\"", NULL },
	{ ' ', "\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"", NULL },
};

static int hexdump_add_known(struct tsb_proc *p, struct hexdump *h, int letter)
{
	size_t i = 0;

	while (hexdump_known[i].letter != letter)
		i++;
	hexdump_add(p, h, hexdump_known[i].end);
	hexdump_add(p, h, hexdump_known[i].line);
	return hexdump_known[i].more ? hexdump_add(p, h, hexdump_known[i].more) : 0;
}

static int hexdump_opt_known(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	(void)arg;
	return hexdump_add_known(p, opts, opt->value);
}

static int hexdump_opt_color(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct hexdump *h = opts;

	(void)opt;
	if (arg && strcmp(arg, "auto") && strcmp(arg, "always") && strcmp(arg, "never")) {
		tsb_warn(p, "unsupported color mode: '%s'", arg);
		return 1;
	}
	h->color = arg && !strcmp(arg, "always");
	if (!arg || !strcmp(arg, "auto"))
		h->color = tsb_isatty(p, 1);
	return 0;
}

static int hexdump_opt_format(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	return opt->value == 'f' ? hexdump_add_file(p, opts, arg) : hexdump_add(p, opts, arg);
}

/* A size as util-linux reads it: decimal, 0x, 0; K, KiB, KB, ...: 0 or an errno. */
static int hexdump_size(const char *s, uint64_t *value)
{
	static const char letters[] = "KMGTPEZY";
	const char *at, *suffix;
	uint64_t v = 0, factor = 1;
	int base;

	s += strspn(s, " \t\n\v\f\r");
	s += *s == '+';
	base = s[0] != '0' ? 10 : (s[1] | 32) == 'x' ? 16 : 8;
	suffix = s += base == 16 ? 2 : 0;
	for (; *suffix; suffix++) {
		int c = *suffix | 32, digit = c <= '9' && c >= '0' ? c - '0' : c - 'a' + 10;

		if (digit < 0 || digit >= base)
			break;
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit, &v))
			return ERANGE;
	}
	*value = v;
	if (suffix == s)
		return EINVAL;
	if (!*suffix)
		return 0;
	at = strchr(letters, *suffix >= 'a' ? *suffix - 32 : *suffix);
	if (!at || (suffix[1] && strcmp(suffix + 1, "B") && strcmp(suffix + 1, "iB")))
		return EINVAL;
	for (size_t i = 0; i <= (size_t)(at - letters); i++)
		if (__builtin_mul_overflow(factor, strcmp(suffix + 1, "B") ? 1024u : 1000u, &factor))
			return ERANGE;
	return __builtin_mul_overflow(v, factor, value) ? ERANGE : 0;
}

static int hexdump_opt_size(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	bool is_length = opt->value == 'n';
	struct hexdump *h = opts;
	int err = hexdump_size(arg, is_length ? &h->length : &h->skip);

	h->limited |= is_length;
	if (err)
		tsb_warn_errno(p, err, "failed to parse %s: '%s'", is_length ? "length" : "offset", arg);
	return err != 0;
}

static const struct tsb_opt hexdump_opts[] = {
	TSB_OPT_CALL(hexdump_opt_known, 'b', 'b', "one-byte-octal", NULL, "one-byte octal display"),
	TSB_OPT_CALL(hexdump_opt_known, 'c', 'c', "one-byte-char", NULL, "one-byte character display"),
	TSB_OPT_CALL(hexdump_opt_known, 'C', 'C', "canonical", NULL, "canonical hex+ASCII display"),
	TSB_OPT_CALL(hexdump_opt_known, 'd', 'd', "two-bytes-decimal", NULL, "two-byte decimal display"),
	TSB_OPT_CALL(hexdump_opt_known, 'o', 'o', "two-bytes-octal", NULL, "two-byte octal display"),
	TSB_OPT_CALL(hexdump_opt_known, 'x', 'x', "two-bytes-hex", NULL, "two-byte hexadecimal display"),
	TSB_OPT_CALL(hexdump_opt_format, 'e', 'e', "format", "format",
		     "format string to be used for displaying data"),
	TSB_OPT_CALL(hexdump_opt_format, 'f', 'f', "format-file", "file", "file that contains format strings"),
	TSB_OPT_CALL(hexdump_opt_size, 'n', 'n', "length", "length",
		     "interpret only length bytes of input"),
	TSB_OPT_CALL(hexdump_opt_size, 's', 's', "skip", "offset", "skip offset bytes from the beginning"),
	TSB_OPT_CALL_OPT(hexdump_opt_color, 'L', 'L', "color", "mode",
			 "interpret color formatting specifiers: auto, always or never"),
	TSB_OPT_FLAG(struct hexdump, all, 'v', "no-squeezing", "output identical lines"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

/* ---- Input ---- */

struct hexdump_run {
	struct hexdump *h;
	struct tsb_proc *p;
	struct sink out;
	char **files;
	int n_files, next;
	int fd;				/* -1: none is open */
	bool failed, any;
	char *buf;
	size_t at, n;
	uint64_t left, address, end;	/* end: of the data, 0: not known */
	unsigned char *block, *before;
};

/* Skips what is to be skipped in the file just opened. */
static void hexdump_skip(struct hexdump_run *r, const char *name)
{
	uint64_t *skip = &r->h->skip, part;
	struct tsb_stat st;

	if (!*skip)
		return;
	if (!tsb_fstat(r->p, r->fd, &st) && S_ISREG(st.mode)) {
		part = *skip < st.size ? *skip : st.size;
		tsb_lseek(r->p, r->fd, (int64_t)part, 0);
		*skip -= part;
		r->address += part;
		return;
	}
	if (tsb_lseek(r->p, r->fd, (int64_t)*skip, 0) < 0) {
		sink_flush(&r->out);
		tsb_flush(r->p);
		tsb_warn_errno(r->p, ESPIPE, "%s", name ? name : "stdin");
		tsb_exit(r->p, 1);
	}
	r->address += *skip;
	*skip = 0;
}

static bool hexdump_open(struct hexdump_run *r)
{
	while (r->fd < 0 && r->next < r->n_files) {
		const char *name = r->files[r->next++];

		r->fd = name ? tsb_open(r->p, name, 0, 0) : 0;
		if (r->fd < 0) {
			sink_flush(&r->out);
			tsb_warn_errno(r->p, r->fd, "%s", name);
			r->failed = true;
			continue;
		}
		r->any = true;
		hexdump_skip(r, name);
	}
	return r->fd >= 0;
}

static bool hexdump_fill(struct hexdump_run *r)
{
	size_t want = LINES_BLOCK;
	ssize_t n;

	if (r->h->limited && r->left < want)
		want = (size_t)r->left;
	while (want && hexdump_open(r)) {
		n = tsb_read(r->p, r->fd, r->buf, want);
		if (n > 0) {
			r->at = 0;
			r->n = (size_t)n;
			r->left -= r->h->limited ? (uint64_t)n : 0;
			return true;
		}
		/* That a read failed is said, and is no failure. */
		if (n < 0)
			tsb_warn_errno(r->p, (int)n, "%s", r->files[r->next - 1] ?
				       r->files[r->next - 1] : tsb_name(r->p));
		if (r->fd)
			tsb_close(r->p, r->fd);
		r->fd = -1;
	}
	return false;
}

static size_t hexdump_read(struct hexdump_run *r)
{
	size_t got = 0, part;

	while (got < r->h->block && (r->at < r->n || hexdump_fill(r))) {
		part = r->n - r->at < r->h->block - got ? r->n - r->at : r->h->block - got;
		memcpy(r->block + got, r->buf + r->at, part);
		r->at += part;
		got += part;
	}
	return got;
}

/* ---- Output ---- */

static uint64_t hexdump_value(const unsigned char *at, size_t n, bool is_signed)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)at[i] << 8 * i;
	if (is_signed && n < 8 && v >> (8 * n - 1))
		v |= UINT64_MAX << 8 * n;
	return v;
}

static void hexdump_put_int(struct str *s, struct format_spec spec, const unsigned char *at, size_t n)
{
	bool is_signed = spec.conv == 'd' || spec.conv == 'i';
	uint64_t v = hexdump_value(at, n, is_signed);
	bool minus = is_signed && v >> 63;

	format_int(s, &spec, minus ? 0 - v : v, minus);
}

static void hexdump_put_float(struct str *s, const struct format_spec *spec, const unsigned char *at,
			      size_t n)
{
	double d;
	float f;

	if (n == 4) {
		memcpy(&f, at, 4);
		d = (double)f;
	} else {
		memcpy(&d, at, 8);
	}
	format_float(s, spec, (long double)d);
}

/* A byte as %_c, %_u, %_p or %c have it. */
static void hexdump_put_char(struct str *s, const struct hexdump_part *part, unsigned char c)
{
	static const char names[32][4] = {
		"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff",
		"cr", "so", "si", "dle", "dcl", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em",
		"sub", "esc", "fs", "gs", "rs", "us",
	};
	static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv", digits[] = "0123456789abcdef";
	bool shown = c >= ' ' && c <= '~';
	const char *at = c ? strchr(from, c) : NULL, *name;
	char buf[4] = { (char)c };
	size_t n = 1;

	if (part->kind == HEXDUMP_SHOWN && !shown) {
		buf[0] = '.';
	} else if (part->kind == HEXDUMP_ESCAPED && (!c || at)) {
		buf[0] = '\\';
		buf[1] = c ? to[at - from] : '0';
		n = 2;
	} else if (part->kind == HEXDUMP_ESCAPED && !shown) {
		buf[0] = (char)('0' + (c >> 6));
		buf[1] = (char)('0' + (c >> 3 & 7));
		buf[2] = (char)('0' + (c & 7));
		n = 3;
	} else if (part->kind == HEXDUMP_NAMED && (c < 32 || c == 127)) {
		name = c < 32 ? names[c] : "del";
		n = strlen(name);
		memcpy(buf, name, n);
	} else if (part->kind == HEXDUMP_NAMED && !shown) {
		buf[0] = digits[c >> 4];
		buf[1] = digits[c & 15];
		n = 2;
	}
	format_text(s, &part->spec, buf, n);
}

static void hexdump_put_address(struct str *s, const struct hexdump_part *part, uint64_t address)
{
	format_int(s, &part->spec, address, false);
}

/* at: NULL where the data has ended, which leaves a conversion's width blank. */
static void hexdump_put_part(const struct hexdump_part *part, const unsigned char *at,
			     uint64_t address, bool last, struct str *s)
{
	struct format_spec blank = { .width = part->spec.width, .precision = -1, .conv = 's' };
	size_t n;

	if (part->kind == HEXDUMP_TEXT) {
		str_addn(s, part->text, part->n - (last && part->blank_end));
	} else if (!at) {
		format_text(s, &blank, "", 0);
	} else if (part->kind == HEXDUMP_ADDRESS) {
		hexdump_put_address(s, part, address);
	} else if (part->kind == HEXDUMP_INT) {
		hexdump_put_int(s, part->spec, at, part->bytes);
	} else if (part->kind == HEXDUMP_FLOAT) {
		hexdump_put_float(s, &part->spec, at, part->bytes);
	} else if (part->kind == HEXDUMP_STRING) {
		n = strnlen((const char *)at, part->bytes);
		format_text(s, &part->spec, (const char *)at, n);
	} else {
		hexdump_put_char(s, part, *at);
	}
}

static void hexdump_put_format(struct hexdump_run *r, const struct hexdump_format *f, struct str *s)
{
	uint64_t address = r->address;
	const unsigned char *at = r->block;

	for (size_t i = 0; i < f->units.n; i++) {
		const struct hexdump_unit *u = &f->units.at[i];

		if (u->at_end)
			return;
		for (size_t rep = u->reps; rep; rep--) {
			if (!(rep & 1023))
				tsb_tick(r->p, 1024);
			for (size_t k = 0; k < u->parts.n; k++) {
				const struct hexdump_part *part = &u->parts.at[k];
				bool over = r->end && address >= r->end;
				const char *color = hexdump_color_of(part, at, address);

				if (color)
					str_addf(s, "\033[%sm", color);
				hexdump_put_part(part, over ? NULL : at, address, rep == 1, s);
				if (color)
					str_adds(s, "\033[0m");
				address += part->bytes;
				at += part->bytes;
			}
		}
	}
}

static void hexdump_put_block(struct hexdump_run *r)
{
	struct str s;

	str_init(&s, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < r->h->formats.n; i++)
		hexdump_put_format(r, &r->h->formats.at[i], &s);
	sink_put(&r->out, s.p, s.n);
	str_end(&s);
}

static void hexdump_put_end(struct hexdump_run *r)
{
	const struct hexdump_unit *u = r->h->end;
	struct str s;

	if (!u || !r->end)
		return;
	str_init(&s, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < u->parts.n; i++) {
		const struct hexdump_part *part = &u->parts.at[i];

		if (part->kind == HEXDUMP_ADDRESS)
			hexdump_put_address(&s, part, r->end);
		else if (part->kind == HEXDUMP_TEXT)
			str_addn(&s, part->text, part->n);
	}
	sink_put(&r->out, s.p, s.n);
	str_end(&s);
}

static void hexdump_dump(struct hexdump_run *r)
{
	size_t block = r->h->block, n;
	bool first = true, starred = false;
	unsigned char *swap;

	while (block && (n = hexdump_read(r)) > 0) {
		memset(r->block + n, 0, block - n);
		if (n < block)
			r->end = r->address + n;
		if (n == block && !first && !r->h->all && !memcmp(r->block, r->before, block)) {
			if (!starred)
				sink_puts(&r->out, "*\n");
			starred = true;
		} else {
			starred = false;
			hexdump_put_block(r);
		}
		first = false;
		r->address += block;
		swap = r->before;
		r->before = r->block;
		r->block = swap;
		tsb_tick(r->p, block / 16 + 1);
	}
	if (!r->end)
		r->end = r->address;
	hexdump_put_end(r);
}

static int hexdump_main(struct tsb_proc *p, struct hexdump *h, int argc, char **argv)
{
	static char *standard[] = { NULL };
	struct hexdump_run r = { .h = h, .p = p, .fd = -1 };
	int status;

	h->p = p;
	status = hexdump_compile(h);
	if (status)
		return status;
	r.files = argc ? argv : standard;
	r.n_files = argc ? argc : 1;
	r.left = h->length;
	sink_init_apart(&r.out, p);
	r.buf = text_alloc(p, LINES_BLOCK);
	/* A conversion may begin in the block's last byte and read 8. */
	r.block = tsb_alloc(p, h->block + 16);
	r.before = tsb_alloc(p, h->block + 16);
	if (!h->limited || h->length)
		hexdump_dump(&r);
	sink_flush(&r.out);
	if (!r.any && r.failed)
		tsb_warn(p, "all input file arguments failed");
	return r.failed;
}

static int hexdump_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct hexdump *h = opts;

	if (!h->formats.n)
		hexdump_add_known(p, h, ' ');
	return hexdump_main(p, h, argc, argv);
}

static int hd_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct hexdump *h = opts, given = *h;

	/* As if -C came first. */
	memset(&h->formats, 0, sizeof(h->formats));
	hexdump_add_known(p, h, 'C');
	for (size_t i = 0; i < given.formats.n; i++)
		*vec_add(tsb_heap_of(p), &h->formats) = given.formats.at[i];
	return hexdump_main(p, h, argc, argv);
}

const struct tsb_command cmd_hexdump = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "hexdump", .synopsis = "[options] <file>...",
	.summary = "Display file contents in hexadecimal, decimal, octal, or ascii.",
	.opts = hexdump_opts, .opts_size = sizeof(struct hexdump), .run = hexdump_run,
};

const struct tsb_command cmd_hd = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "hd", .synopsis = "[options] <file>...",
	.summary = "Display file contents in hexadecimal and ascii.",
	.opts = hexdump_opts, .opts_size = sizeof(struct hexdump), .run = hd_run,
};
