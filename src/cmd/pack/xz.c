/*
 * xz, unxz, xzcat, lzma, unlzma, lzcat - compress files by LZMA.
 */
#include "cmd/pack/xz.h"
#include "cmd/procs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/lines.h"

static TSB_PRINTF(3, 0) void xz_vsay(struct xz *x, int level, const char *fmt, va_list ap)
{
	struct str text;

	if (x->quiet >= level)
		return;
	tsb_flush(x->p);
	str_init(&text, tsb_heap_of(x->p), STR_MAX_DEFAULT);
	str_addf(&text, "%s: ", x->self);
	str_addvf(&text, fmt, ap);
	str_addc(&text, '\n');
	tsb_write_all(x->p, 2, text.p, text.n);
	str_end(&text);
}

void xz_error(struct xz *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xz_vsay(x, 2, fmt, ap);
	va_end(ap);
	x->status = 1;
}

void xz_warning(struct xz *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xz_vsay(x, 1, fmt, ap);
	va_end(ap);
	if (!x->status)
		x->status = 2;
}

char *xz_nice(struct xz *x, uint64_t v, bool always_bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double d = (double)v;
	int unit = 0;

	if (v < 10000)
		return tsb_format(x->p, "%llu B", (unsigned long long)v);
	while (unit < 4 && (d > 9999.9 || !unit)) {
		d /= 1024;
		unit++;
	}
	if (always_bytes)
		return tsb_format(x->p, "%.1f %s (%llu B)", d, units[unit], (unsigned long long)v);
	return tsb_format(x->p, "%.1f %s", d, units[unit]);
}

/* ---- Options ---- */

uint64_t xz_number(struct xz *x, const char *text, uint64_t max)
{
	uint64_t v = 0;
	const char *at = text;
	unsigned shift = 0;

	if (!strcmp(text, "max"))
		return max;
	if (*at < '0' || *at > '9') {
		xz_error(x, "%s: Value is not a non-negative decimal integer", text);
		tsb_exit(x->p, 1);
	}
	for (; *at >= '0' && *at <= '9'; at++)
		v = v > (max - 9) / 10 ? max : v * 10 + (uint64_t)(*at - '0');
	if (*at) {
		shift = *at == 'k' || *at == 'K' ? 10 : *at == 'm' || *at == 'M' ? 20
			: *at == 'g' || *at == 'G' ? 30 : 0;
		if (!shift || (at[1] && strcmp(at + 1, "i") && strcmp(at + 1, "iB") &&
			       strcmp(at + 1, "B"))) {
			xz_error(x, "%s: Invalid multiplier suffix", at);
			pack_say(x->p, "%s: Valid suffixes are `KiB' (2^10), `MiB' (2^20), and "
				 "`GiB' (2^30).\n", x->self);
			tsb_exit(x->p, 1);
		}
		v = v > max >> shift ? max : v << shift;
	}
	return v;
}

static struct xz *xz_of(struct tsb_proc *p, void *opts)
{
	const char *slash = strrchr(tsb_name(p), '/');
	struct xz *x = opts;

	x->p = p;
	x->self = slash ? slash + 1 : tsb_name(p);
	return x;
}

static int xz_opt_level(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)arg;
	xz_of(p, opts)->level = (unsigned)opt->value;
	return 0;
}

static int xz_word(struct xz *x, const char *arg, const char *const *words, const char *what)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], arg))
			return i;
	xz_error(x, "%s: %s", arg, what);
	tsb_exit(x->p, 1);
}

/* Bytes, or a part of the memory there is. */
static uint64_t xz_limit(struct xz *x, const char *text)
{
	size_t n = strlen(text);
	uint64_t part;

	if (!n || text[n - 1] != '%')
		return xz_number(x, text, UINT64_MAX);
	part = xz_number(x, tsb_strndup(x->p, text, n - 1), UINT64_MAX);
	if (part < 1 || part > 100)
		xz_fatal(x, "Value of the option `memlimit%%' must be in the range [1, 100]");
	return procs_meminfo(x->p, "MemTotal") * 1024 / 100 * part;
}

/* An empty piece is the one before it again. */
static void xz_blocks(struct xz *x, const char *text)
{
	if (!*text || *text == ',')
		xz_fatal(x, "%s: Invalid argument to --block-list", text);
	x->n_blocks = 1;
	for (const char *at = text; *at; at++)
		x->n_blocks += *at == ',';
	x->blocks = tsb_alloc(x->p, x->n_blocks * sizeof(*x->blocks));
	for (size_t i = 0; i < x->n_blocks; i++) {
		size_t n = strcspn(text, ",");

		x->blocks[i] = n ? xz_number(x, tsb_strndup(x->p, text, n), UINT64_MAX) :
			       x->blocks[i - 1];
		if (n && !x->blocks[i] && i + 1 < x->n_blocks)
			xz_fatal(x, "0 can only be used as the last element in --block-list");
		text += n + 1;
	}
}

static int xz_opt_text(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const formats[] = { "auto", "xz", "lzma", "lzip", "raw", "alone", NULL };
	static const char *const checks[] = { "none", "crc32", "crc64", "sha256", NULL };
	static const int check_ids[] = { LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_CRC64,
					 LZMA_CHECK_SHA256 };
	struct xz *x = xz_of(p, opts);
	uint64_t v;

	switch (opt->value) {
	case 'F':
		x->format = xz_word(x, arg, formats, "Unknown file format type");
		x->format = x->format == 5 ? XZ_LZMA : x->format;
		break;
	case 'C':
		x->check = check_ids[xz_word(x, arg, checks, "Unsupported integrity check type")];
		break;
	case 'T':
		xz_number(x, *arg == '+' ? arg + 1 : arg, UINT32_MAX);
		break;
	case 'b':
		x->block_size = xz_number(x, arg, UINT64_MAX >> 1);
		break;
	case 'o':
		xz_number(x, arg, UINT64_MAX);	/* --flush-timeout: for who reads what is written */
		break;
	case 'B':
		xz_blocks(x, arg);
		break;
	case 'M': case 'c': case 'd':
		v = xz_limit(x, arg);
		x->limit_pack = opt->value != 'd' ? v : x->limit_pack;
		x->limit_unpack = opt->value != 'c' ? v : x->limit_unpack;
		break;
	case 'f': case '0':
		x->files = arg ? arg : "-";
		x->files_delim = opt->value == '0' ? 0 : '\n';
		break;
	case 'S':
		if (!*arg || strchr(arg, '/')) {
			xz_error(x, "%s: Invalid filename suffix", arg);
			return 1;
		}
		x->suffix = arg;
		break;
	}
	return 0;
}

static int xz_opt_filter(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct xz *x = xz_of(p, opts);

	xz_check_filter(x, opt->long_name, arg);
	if (!x->chain) {
		x->chain = tsb_alloc(p, sizeof(*x->chain));
		str_init(x->chain, tsb_heap_of(p), STR_MAX_DEFAULT);
	}
	str_addf(x->chain, "%s%s%s%s", x->chain->n ? " " : "", opt->long_name, arg ? "=" : "",
		 arg ? arg : "");
	return 0;
}

static int xz_opt_more(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);

#define XZ_LEVEL(n, name) \
	TSB_OPT_CALL(xz_opt_level, (n), '0' + (n), name, NULL, "compression preset " #n)
#define XZ_FILTER(name, help) TSB_OPT_CALL_OPT(xz_opt_filter, 0, 0, name, "OPTS", help)

static const struct tsb_opt xz_opts[] = {
	TSB_OPT_SET(struct xz, mode, XZ_COMPRESS, 'z', "compress", "force compression"),
	TSB_OPT_SET(struct xz, mode, XZ_DECOMPRESS, 'd', "decompress", "force decompression"),
	TSB_OPT_SET(struct xz, mode, XZ_DECOMPRESS, 0, "uncompress", NULL),
	TSB_OPT_SET(struct xz, mode, XZ_TEST, 't', "test", "test compressed file integrity"),
	TSB_OPT_SET(struct xz, mode, XZ_LIST, 'l', "list", "list information about .xz files"),
	TSB_OPT_FLAG(struct xz, keep, 'k', "keep", "keep (don't delete) input files"),
	TSB_OPT_FLAG(struct xz, force, 'f', "force",
		     "force overwrite of output file and (de)compress links"),
	TSB_OPT_FLAG(struct xz, to_stdout, 'c', "stdout",
		     "write to standard output and don't delete input files"),
	TSB_OPT_FLAG(struct xz, to_stdout, 0, "to-stdout", NULL),
	TSB_OPT_FLAG(struct xz, single, 0, "single-stream", "decompress only the first stream, and "
		     "silently ignore possible remaining input data"),
	TSB_OPT_FLAG(struct xz, no_sparse, 0, "no-sparse",
		     "do not create sparse files when decompressing"),
	TSB_OPT_CALL(xz_opt_text, 'S', 'S', "suffix", ".SUF",
		     "use the suffix `.SUF' on compressed files"),
	TSB_OPT_CALL_OPT(xz_opt_text, 'f', 0, "files", "FILE",
			 "read filenames to process from FILE"),
	TSB_OPT_CALL_OPT(xz_opt_text, '0', 0, "files0", "FILE",
			 "like --files but use the null character as terminator"),
	TSB_OPT_CALL(xz_opt_text, 'F', 'F', "format", "FMT",
		     "file format to encode or decode: auto, xz, lzma, lzip, raw"),
	TSB_OPT_CALL(xz_opt_text, 'C', 'C', "check", "CHECK",
		     "integrity check type: none, crc32, crc64 (default), sha256"),
	TSB_OPT_FLAG(struct xz, ignore_check, 0, "ignore-check",
		     "don't verify the integrity check when decompressing"),
	XZ_LEVEL(0, NULL), XZ_LEVEL(1, NULL), XZ_LEVEL(2, NULL), XZ_LEVEL(3, NULL),
	XZ_LEVEL(4, NULL), XZ_LEVEL(5, NULL), XZ_LEVEL(6, NULL), XZ_LEVEL(7, NULL),
	XZ_LEVEL(8, NULL), XZ_LEVEL(9, NULL),
	TSB_OPT_CALL(xz_opt_level, 0, 0, "fast", NULL, "alias for -0"),
	TSB_OPT_CALL(xz_opt_level, 9, 0, "best", NULL, "alias for -9"),
	TSB_OPT_FLAG(struct xz, extreme, 'e', "extreme",
		     "try to improve compression ratio by using more CPU time"),
	TSB_OPT_CALL(xz_opt_text, 'T', 'T', "threads", "NUM", "use at most NUM threads"),
	TSB_OPT_CALL(xz_opt_text, 'b', 0, "block-size", "SIZE",
		     "start a new .xz block after every SIZE bytes of input"),
	TSB_OPT_CALL(xz_opt_text, 'o', 0, "flush-timeout", "TIMEOUT", "when compressing, if more than "
		     "TIMEOUT milliseconds have passed since the previous flush and reading more "
		     "input would block, all pending data is flushed out"),
	TSB_OPT_CALL(xz_opt_text, 'B', 0, "block-list", "SIZES", "start a new .xz block after "
		    "the given comma-separated intervals of uncompressed data"),
	TSB_OPT_CALL(xz_opt_text, 'c', 0, "memlimit-compress", "LIMIT",
		     "set memory usage limit for compression"),
	TSB_OPT_CALL(xz_opt_text, 'd', 0, "memlimit-decompress", "LIMIT",
		     "set memory usage limit for decompression"),
	TSB_OPT_CALL(xz_opt_text, 'd', 0, "memlimit-mt-decompress", "LIMIT",
		     "set memory usage limit for threaded decompression"),
	TSB_OPT_CALL(xz_opt_text, 'M', 'M', "memlimit", "LIMIT", "set all memory usage limits"),
	TSB_OPT_CALL(xz_opt_text, 'M', 0, "memory", "LIMIT", NULL),
	TSB_OPT_FLAG(struct xz, no_adjust, 0, "no-adjust", "if compression settings exceed the "
		     "memory usage limit, give an error instead of adjusting the settings"),
	XZ_FILTER("lzma1", "LZMA1 with options"), XZ_FILTER("lzma2", "LZMA2 with options"),
	XZ_FILTER("x86", "x86 BCJ filter"), XZ_FILTER("powerpc", "PowerPC BCJ filter"),
	XZ_FILTER("ia64", "IA-64 BCJ filter"), XZ_FILTER("arm", "ARM BCJ filter"),
	XZ_FILTER("armthumb", "ARM-Thumb BCJ filter"), XZ_FILTER("arm64", "ARM64 BCJ filter"),
	XZ_FILTER("sparc", "SPARC BCJ filter"), XZ_FILTER("delta", "Delta filter"),
	TSB_OPT_CALL(xz_opt_more, 'q', 'q', "quiet", NULL,
		     "suppress warnings; specify twice to suppress errors too"),
	TSB_OPT_CALL(xz_opt_more, 'v', 'v', "verbose", NULL,
		     "be verbose; specify twice for even more verbose"),
	TSB_OPT_FLAG(struct xz, no_warn, 'Q', "no-warn",
		     "make warnings not affect the exit status"),
	TSB_OPT_FLAG(struct xz, robot, 0, "robot",
		     "use machine-parsable messages (useful for scripts)"),
	TSB_OPT_CALL(xz_opt_more, 'h', 'h', "help", NULL, "display the help"),
	TSB_OPT_CALL(xz_opt_more, 'h', 'H', "long-help", NULL, "display the help"),
	TSB_OPT_CALL(xz_opt_more, 'V', 'V', "version", NULL, "display the version number and exit"),
	TSB_OPT_END
};

static const struct tsb_command xz_command;

static int xz_opt_more(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct xz *x = xz_of(p, opts);

	(void)arg;
	switch (opt->value) {
	case 'q':
		if (x->verbose)
			x->verbose--;
		else
			x->quiet++;
		break;
	case 'v':
		if (x->quiet)
			x->quiet--;
		else
			x->verbose++;
		break;
	case 'h':
		pack_help(p, &xz_command);
	default:
		tsb_puts(p, x->robot ? "XZ_VERSION=50040012\nLIBLZMA_VERSION=50040012\n"
				     : "xz (XZ Utils) 5.4.1\nliblzma 5.4.1\n");
		tsb_exit(p, 0);
	}
	return 0;
}

/* ---- Names ---- */

static const struct { const char *packed, *plain; int format; } xz_suffixes[] = {
	{ ".xz", "", XZ_XZ }, { ".txz", ".tar", XZ_XZ }, { ".lzma", "", XZ_LZMA },
	{ ".tlz", ".tar", XZ_LZMA }, { ".lz", "", XZ_LZIP },
};

static bool xz_ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), len = strlen(suffix);

	return n > len && name[n - len - 1] != '/' && !strcmp(name + n - len, suffix);
}

static const char *xz_out_name(struct xz *x)
{
	size_t n = strlen(x->name);
	const char *suffix = x->suffix ? x->suffix : x->format == XZ_LZMA ? ".lzma" : ".xz";

	if (x->format == XZ_RAW && !x->suffix) {
		xz_error(x, "%s: With --format=raw, --suffix=.SUF is required unless writing to stdout",
			 x->name);
		return NULL;
	}
	for (size_t i = 0; i < 5; i++) {
		const char *packed = xz_suffixes[i].packed;

		if (!xz_ends(x->name, packed))
			continue;
		if (x->mode != XZ_COMPRESS && x->format != XZ_RAW)
			return tsb_format(x->p, "%.*s%s", (int)(n - strlen(packed)), x->name,
					  xz_suffixes[i].plain);
		if (x->mode == XZ_COMPRESS && x->format == xz_suffixes[i].format) {
			xz_warning(x, "%s: File already has `%s' suffix, skipping", x->name, packed);
			return NULL;
		}
	}
	if (x->mode == XZ_COMPRESS) {
		if (!x->suffix || !xz_ends(x->name, x->suffix))
			return tsb_format(x->p, "%s%s", x->name, suffix);
		xz_warning(x, "%s: File already has `%s' suffix, skipping", x->name, x->suffix);
		return NULL;
	}
	if (x->suffix && xz_ends(x->name, x->suffix))
		return tsb_format(x->p, "%.*s", (int)(n - strlen(x->suffix)), x->name);
	xz_warning(x, "%s: Filename has an unknown suffix, skipping", x->name);
	return NULL;
}

/* ---- Files ---- */

static bool xz_takes(struct xz *x, bool to_file)
{
	bool plain = to_file && !x->force && !x->keep;
	const char *why = NULL;

	if (S_ISDIR(x->st.mode))
		why = "Is a directory, skipping";
	else if (to_file && !x->force && !S_ISREG(x->st.mode))
		why = "Not a regular file, skipping";
	else if (plain && (x->st.mode & (S_ISUID | S_ISGID)))
		why = "File has setuid or setgid bit set, skipping";
	else if (plain && (x->st.mode & S_ISVTX))
		why = "File has sticky bit set, skipping";
	else if (plain && x->st.nlink > 1)
		why = "Input file has more than one hard link, skipping";
	if (why)
		xz_warning(x, "%s: %s", x->name, why);
	return !why;
}

static int xz_open_input(struct xz *x, bool to_file)
{
	bool follow = !to_file || x->force || x->keep;
	int fd = tsb_open(x->p, x->name, O_RDONLY | (follow ? 0 : O_NOFOLLOW), 0);

	if (fd == -ELOOP && !follow)
		xz_warning(x, "%s: Is a symbolic link, skipping", x->name);
	else if (fd < 0)
		xz_error(x, "%s: %s", x->name, tsb_strerror(fd));
	if (fd >= 0 && (tsb_fstat(x->p, fd, &x->st) || !xz_takes(x, to_file))) {
		tsb_close(x->p, fd);
		return -1;
	}
	return fd;
}

static void xz_to_file(struct xz *x, const char *out_name)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL, fd;
	bool good;

	if (x->force)
		tsb_unlink(x->p, out_name);
	fd = tsb_open(x->p, out_name, flags, 0600);
	if (fd < 0) {
		xz_error(x, "%s: %s", out_name, tsb_strerror(fd));
		return;
	}
	pack_out_open(&x->out, x->p, fd);
	good = xz_code(x);
	if (good)
		pack_copy_stat(x->p, fd, &x->st);
	tsb_close(x->p, fd);
	if (!good)
		tsb_unlink(x->p, out_name);
	else if (!x->keep)
		tsb_unlink(x->p, x->name);
}

static void xz_file(struct xz *x, const char *name)
{
	bool to_file = !x->to_stdout && x->mode != XZ_TEST;
	const char *out_name = NULL;
	int fd = 0;

	x->at_file++;
	if (x->mode == XZ_LIST) {
		xz_list(x, name);
		return;
	}
	x->name = strcmp(name, "-") ? name : "(stdin)";
	if (!*name) {
		xz_error(x, "Empty filename, skipping");
		return;
	}
	if (strcmp(name, "-")) {
		fd = xz_open_input(x, to_file);
		if (fd < 0)
			return;
	} else {
		to_file = false;
	}
	pack_in_open(&x->in, x->p, fd);
	if (to_file) {
		if (x->mode == XZ_COMPRESS || xz_recognized(x))
			out_name = xz_out_name(x);
		if (out_name)
			xz_to_file(x, out_name);
	} else if (x->mode == XZ_COMPRESS && tsb_isatty(x->p, 1)) {
		xz_error(x, "Compressed data cannot be written to a terminal");
	} else {
		pack_out_open(&x->out, x->p, x->mode == XZ_TEST ? -1 : 1);
		xz_code(x);
	}
	if (fd)
		tsb_close(x->p, fd);
}

static void xz_file_list(struct xz *x)
{
	int fd = input_open(x->p, x->files);
	const char *from = strcmp(x->files, "-") ? x->files : "(stdin)";
	struct tsb_reader in;
	char *line;
	size_t n;

	if (fd < 0) {
		xz_error(x, "%s: %s", x->files, tsb_strerror(fd));
		tsb_exit(x->p, 1);
	}
	tsb_reader_init(&in, x->p, fd);
	while ((n = tsb_getdelim(&in, &line, x->files_delim))) {
		if (x->files_delim && memchr(line, 0, n)) {
			xz_error(x, "%s: Null character found when reading filenames; maybe you meant "
				 "to use `--files0' instead of `--files'?", from);
			break;
		}
		if (line[n - 1] != x->files_delim) {
			xz_error(x, "%s: Unexpected end of input when reading filenames", from);
			break;
		}
		line[n - 1] = '\0';
		if (*line)
			xz_file(x, tsb_strdup(x->p, line));
	}
	input_close(x->p, fd);
}

/* ---- The command ---- */

static int xz_all(struct tsb_proc *p, int argc, char **argv, struct xz start)
{
	struct tsb_command command = xz_command;
	struct opt_parsed parsed;
	struct xz *x;
	const char *self = xz_of(p, &start)->self;
	int status;

	command.defaults = &start;
	argv = pack_arguments(p, (const char *const[2]){ "XZ_DEFAULTS", "XZ_OPT" }, &argc, argv);
	if (!pack_options(p, &command, argc, argv, &parsed, self,
			  tsb_format(p, "%s: Try `%s --help' for more information.\n", self, self),
			  &status))
		return status;
	x = parsed.opts;
	if (x->mode == XZ_LIST && (x->format == XZ_LZMA || x->format == XZ_LZIP ||
				   x->format == XZ_RAW)) {
		xz_error(x, "--list works only on .xz files (--format=xz or --format=auto)");
		return 1;
	}
	if (x->robot && x->mode != XZ_LIST) {
		xz_error(x, "Compression and decompression with --robot are not supported yet.");
		return 1;
	}
	xz_prepare(x);
	x->n_files = parsed.argc ? (size_t)parsed.argc : 1;
	for (int i = 0; i < parsed.argc; i++)
		xz_file(x, parsed.argv[i]);
	if (x->files)
		xz_file_list(x);
	else if (!parsed.argc)
		xz_file(x, "-");
	if (x->mode == XZ_LIST)
		xz_list_totals(x);
	return x->status == 2 && x->no_warn ? 0 : x->status;
}

#define XZ_COMMAND(name_, run_) { \
	.version = TSB_COMMAND_VERSION, .name = name_, .package = "XZ Utils", \
	.package_version = "5.4.1", .synopsis = "[OPTION]... [FILE]...", \
	.summary = "Compress or decompress FILEs in the .xz format.", .opts = xz_opts, \
	.opts_size = sizeof(struct xz), .run = run_, .flags = TSB_RAW | TSB_NO_HELP }
#define XZ_RUN(name_, ...) \
	static int name_##_run(struct tsb_proc *p, void *opts, int argc, char **argv) \
	{ \
		struct xz start = { .level = 6, .check = -1, __VA_ARGS__ }; \
		(void)opts; \
		return xz_all(p, argc, argv, start); \
	} \
	const struct tsb_command cmd_##name_ = XZ_COMMAND(#name_, name_##_run)

static const struct tsb_command xz_command = XZ_COMMAND("xz", NULL);
XZ_RUN(xz, .mode = XZ_COMPRESS);
XZ_RUN(unxz, .mode = XZ_DECOMPRESS);
XZ_RUN(xzcat, .mode = XZ_DECOMPRESS, .to_stdout = true);
XZ_RUN(lzma, .mode = XZ_COMPRESS, .format = XZ_LZMA);
XZ_RUN(unlzma, .mode = XZ_DECOMPRESS, .format = XZ_LZMA);
XZ_RUN(lzcat, .mode = XZ_DECOMPRESS, .format = XZ_LZMA, .to_stdout = true);
