/*
 * bzip2, bunzip2, bzcat - compress files by sorting blocks.
 */
#include "cmd/pack/bzip2.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/util.h"

#define BZIP2_RECOVER "\nYou can use the `bzip2recover' program to attempt to recover\n" \
	"data from undamaged sections of corrupted files.\n\n"

static const struct tsb_command bzip2_command;

/* ---- Options: not getopt's, the tool reads its arguments itself ---- */

#define BZIP2_FLAG(field, s, l, h) TSB_OPT_FLAG(struct bzip2, field, s, l, h)
static const struct tsb_opt bzip2_opts[] = {	/* for --help; read by bzip2_letter() */
	BZIP2_FLAG(force, 'h', "help", "print this message"),
	BZIP2_FLAG(force, 'd', "decompress", "force decompression"),
	BZIP2_FLAG(force, 'z', "compress", "force compression"),
	BZIP2_FLAG(keep, 'k', "keep", "keep (don't delete) input files"),
	BZIP2_FLAG(force, 'f', "force", "overwrite existing output files"),
	BZIP2_FLAG(force, 't', "test", "test compressed file integrity"),
	BZIP2_FLAG(to_stdout, 'c', "stdout", "output to standard out"),
	BZIP2_FLAG(quiet, 'q', "quiet", "suppress noncritical error messages"),
	BZIP2_FLAG(force, 'v', "verbose", "be verbose"),
	BZIP2_FLAG(force, 'L', "license", "display software version & license"),
	BZIP2_FLAG(force, 'V', "version", "display software version & license"),
	BZIP2_FLAG(small, 's', "small", "use less memory (at most 2500k)"),
	BZIP2_FLAG(force, 0, "fast", "alias for -1"),
	BZIP2_FLAG(force, 0, "best", "alias for -9"),
	TSB_OPT_WORD("-1", NULL, "blocks of 100 k (and so on to -9: 900 k, the default)"),
	TSB_OPT_WORD("-9", NULL, NULL),
	TSB_OPT_END
};

static const char bzip2_version[] =
	"bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.\n\n";

static void bzip2_usage(struct bzip2 *b, int status)
{
	struct str text;

	str_init(&text, tsb_heap_of(b->p), STR_MAX_DEFAULT);
	str_adds(&text, bzip2_version);
	opt_help(&text, &bzip2_command, b->self);
	tsb_write_all(b->p, 2, text.p, text.n);
	tsb_exit(b->p, status);
}

static void bzip2_license(struct bzip2 *b)
{
	tsb_write_all(b->p, 2, bzip2_version, sizeof(bzip2_version) - 1);
	tsb_exit(b->p, 0);
}

static bool bzip2_letter(struct bzip2 *b, int c)
{
	switch (c) {
	case 'c': b->to_stdout = true; break;
	case 'd': b->mode = BZIP2_DECOMPRESS; break;
	case 'z': b->mode = BZIP2_COMPRESS; break;
	case 'f': b->force = true; break;
	case 't': b->mode = BZIP2_TEST; break;
	case 'k': b->keep = true; break;
	case 's': b->small = true; break;
	case 'q': b->quiet = true; break;
	case 'V': case 'L': bzip2_license(b); break;
	case 'v': b->verbose++; break;
	case 'h': bzip2_usage(b, 0); break;
	default:
		if (c < '1' || c > '9')
			return false;
		b->level = c - '0';
	}
	return true;
}

static bool bzip2_long(struct bzip2 *b, const char *word)
{
	static const struct { const char *word; int letter; } longs[] = {
		{ "stdout", 'c' }, { "decompress", 'd' }, { "compress", 'z' }, { "force", 'f' },
		{ "test", 't' }, { "keep", 'k' }, { "small", 's' }, { "quiet", 'q' },
		{ "version", 'V' }, { "license", 'L' }, { "fast", '1' }, { "best", '9' },
		{ "verbose", 'v' }, { "help", 'h' },
	};

	for (size_t i = 0; i < sizeof(longs) / sizeof(*longs); i++)
		if (!strcmp(longs[i].word, word))
			return bzip2_letter(b, longs[i].letter);
	if (!strcmp(word, "exponential"))
		return true;
	if (strcmp(word, "repetitive-best") && strcmp(word, "repetitive-fast"))
		return false;
	pack_say(b->p, "%s: --%s is redundant in versions 0.9.5 and above\n", b->self, word);
	return true;
}

static void bzip2_bad_flag(struct bzip2 *b, const char *arg)
{
	pack_say(b->p, "%s: Bad flag `%s'\n", b->self, arg);
	bzip2_usage(b, 1);
}

static bool bzip2_is_flag(struct bzip2 *b, const char *arg)
{
	return !b->only_files && arg[0] == '-';
}

static void bzip2_flags(struct bzip2 *b, int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
		if (argv[i][0] != '-' || argv[i][1] == '-')
			continue;
		for (const char *at = argv[i] + 1; *at; at++)
			if (!bzip2_letter(b, *at))
				bzip2_bad_flag(b, argv[i]);
	}
	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (!strncmp(argv[i], "--", 2) && !bzip2_long(b, argv[i] + 2))
			bzip2_bad_flag(b, argv[i]);
}

/* ---- The end of all ---- */

static void bzip2_fail(struct bzip2 *b, int status)
{
	if (b->made_output) {
		bzip2_say(b, "%s: Deleting output file %s, if it exists.\n", b->self, b->out_name);
		tsb_close(b->p, b->out.fd);
		tsb_unlink(b->p, b->out_name);
	}
	if (b->n_files && b->n_done < b->n_files)
		bzip2_say(b, "%s: WARNING: some files have not been processed:\n"
			  "%s:    %zu specified on command line, %zu not processed yet.\n\n",
			  b->self, b->self, b->n_files, b->n_files - b->n_done);
	tsb_exit(b->p, status > b->status ? status : b->status);
}

static void bzip2_names(struct bzip2 *b)
{
	bzip2_say(b, "\tInput file = %s, output file = %s\n", b->name, b->out_name);
}

static void bzip2_advise(struct bzip2 *b)
{
	bzip2_say(b, "\nIt is possible that the compressed file(s) have become corrupted.\n"
		  "You can use the -tvv option to test integrity of such files.\n" BZIP2_RECOVER);
}

static void bzip2_die(struct bzip2 *b, enum bzip2_result r)
{
	if (r == BZIP2_EOF) {
		bzip2_say(b, "\n%s: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  "
			  "*Possible* reason follows.\n%s: %s\n", b->self, b->self,
			  b->in.error ? tsb_strerror(b->in.error)
			  : b->from_stdin ? "Inappropriate ioctl for device"
			  : b->to_stdout ? "Success" : tsb_strerror(ENOENT));
	} else if (r == BZIP2_CORRUPT) {
		bzip2_say(b, "\n%s: Data integrity error when decompressing.\n", b->self);
	} else {
		pack_say(b->p, "\n%s: I/O or other error, bailing out.  Possible reason follows.\n"
			 "%s: %s\n", b->self, b->self,
			 tsb_strerror(r == BZIP2_READ ? b->in.error : b->out.error));
	}
	bzip2_names(b);
	if (r == BZIP2_EOF || r == BZIP2_CORRUPT)
		bzip2_advise(b);
	bzip2_fail(b, r == BZIP2_EOF || r == BZIP2_CORRUPT ? 2 : 1);
}

/* ---- Names ---- */

static const struct { const char *packed, *plain; } bzip2_suffixes[] = {
	{ ".bz2", "" }, { ".bz", "" }, { ".tbz2", ".tar" }, { ".tbz", ".tar" },
};

static int bzip2_suffix(const char *name)
{
	size_t n = strlen(name);

	for (int i = 0; i < 4; i++) {
		size_t len = strlen(bzip2_suffixes[i].packed);

		if (n > len && !strcmp(name + n - len, bzip2_suffixes[i].packed))
			return i;
	}
	return -1;
}

static bool bzip2_refuse(struct bzip2 *b, const char *text)
{
	pack_say(b->p, "%s: %s", b->self, text);
	b->status = b->status > 1 ? b->status : 1;
	return false;
}

static bool bzip2_plain_name(struct bzip2 *b)
{
	int i = bzip2_suffix(b->name);

	if (i >= 0)
		b->out_name = tsb_format(b->p, "%.*s%s",
					 (int)(strlen(b->name) - strlen(bzip2_suffixes[i].packed)),
					 b->name, bzip2_suffixes[i].plain);
	else
		b->out_name = tsb_format(b->p, "%s.out", b->name);
	return i >= 0;
}

static bool bzip2_check_input(struct bzip2 *b)
{
	struct tsb_stat st;
	int err = tsb_stat(b->p, b->name, &st);
	bool test = b->mode == BZIP2_TEST;

	if (!err)
		err = tsb_access(b->p, b->name, TSB_R_OK);
	if (err)
		return bzip2_refuse(b, tsb_format(b->p, "Can't open input %s%s: %s.\n",
						  test ? "" : "file ", b->name,
						  tsb_strerror(err)));
	if (b->mode == BZIP2_COMPRESS && bzip2_suffix(b->name) >= 0)
		return bzip2_refuse(b, tsb_format(b->p, "Input file %s already has %s suffix.\n",
						  b->name,
						  bzip2_suffixes[bzip2_suffix(b->name)].packed));
	if (S_ISDIR(st.mode))
		return bzip2_refuse(b, tsb_format(b->p, "Input file %s is a directory.\n", b->name));
	b->st = st;
	return true;
}

static bool bzip2_check_files(struct bzip2 *b)
{
	bool guessed = true;
	struct tsb_stat st;

	if (b->mode == BZIP2_COMPRESS)
		b->out_name = tsb_format(b->p, "%s.bz2", b->name);
	else
		guessed = bzip2_plain_name(b);
	if (b->to_stdout || b->mode == BZIP2_TEST) {
		b->out_name = b->mode == BZIP2_TEST ? "(none)" : "(stdout)";
		return true;
	}
	if (!b->force && !tsb_lstat(b->p, b->name, &st) && !S_ISREG(st.mode))
		return bzip2_refuse(b, tsb_format(b->p, "Input file %s is not a normal file.\n",
						  b->name));
	if (!guessed)
		bzip2_say(b, "%s: Can't guess original name for %s -- using %s\n", b->self, b->name,
			  b->out_name);
	if (!tsb_stat(b->p, b->out_name, &st)) {
		if (!b->force)
			return bzip2_refuse(b, tsb_format(b->p, "Output file %s already exists.\n",
							  b->out_name));
		tsb_unlink(b->p, b->out_name);
	}
	if (!b->force && b->st.nlink > 1)
		return bzip2_refuse(b, tsb_format(b->p, "Input file %s has %u other link%s.\n",
						  b->name, b->st.nlink - 1,
						  b->st.nlink > 2 ? "s" : ""));
	return true;
}

/* ---- One file ---- */

static void bzip2_verbose_name(struct bzip2 *b)
{
	size_t n = strlen(b->name);

	if (b->verbose)
		pack_say(b->p, "  %s: %*s", b->name, (int)(n < b->width ? b->width - n : 0), "");
}

static void bzip2_say_ratio(struct bzip2 *b)
{
	double in = (double)b->in.total, out = (double)b->out.total;

	if (!b->verbose)
		return;
	if (!b->in.total)
		pack_say(b->p, " no data compressed.\n");
	else
		pack_say(b->p, "%6.3f:1, %6.3f bits/byte, %5.2f%% saved, %llu in, %llu out.\n",
			 in / out, 8.0 * out / in, 100.0 * (1.0 - out / in),
			 (unsigned long long)b->in.total, (unsigned long long)b->out.total);
}

static void bzip2_say_test(struct bzip2 *b, enum bzip2_result r, bool garbage)
{
	static const char *const texts[] = {
		[BZIP2_NOT] = "bad magic number (file not created by bzip2)\n",
		[BZIP2_EOF] = "file ends unexpectedly\n",
		[BZIP2_CORRUPT] = "data integrity (CRC) error in data\n",
	};

	if (garbage && b->quiet && !b->verbose)
		pack_say(b->p, "%s: %s: ", b->self, b->name);
	else if (garbage)
		bzip2_say(b, "%s%s%strailing garbage after EOF ignored\n", b->verbose ? "" : b->self,
			  b->verbose ? "" : ": ", b->verbose ? "" :
			  tsb_format(b->p, "%s: ", b->name));
	if (r == BZIP2_OK) {
		if (b->verbose)
			pack_say(b->p, "ok\n");
		return;
	}
	if (!b->verbose)
		pack_say(b->p, "%s: %s: ", b->self, b->name);
	pack_say(b->p, "%s", texts[r]);
	b->test_failed = true;
}

/* -f lets a file that is no bzip2 file through. */
static enum bzip2_result bzip2_pass_through(struct bzip2 *b)
{
	tsb_lseek(b->p, b->in.fd, 0, 0);
	pack_in_open(&b->in, b->p, b->in.fd);
	pack_copy(&b->in, &b->out);
	pack_flush(&b->out);
	return b->in.error ? BZIP2_READ : b->out.error ? BZIP2_WRITE : BZIP2_OK;
}

static bool bzip2_data(struct bzip2 *b)
{
	bool garbage = false;
	enum bzip2_result r;

	bzip2_verbose_name(b);
	r = b->mode == BZIP2_COMPRESS ? bzip2_compress(b) : bzip2_decompress(b, &garbage);
	if (garbage && b->mode != BZIP2_TEST)
		bzip2_say(b, "\n%s: %s: trailing garbage after EOF ignored\n", b->self, b->name);
	if (!pack_flush(&b->out) && r == BZIP2_OK)
		r = BZIP2_WRITE;
	if (r == BZIP2_NOT && b->mode == BZIP2_DECOMPRESS && b->force && !b->out.total)
		r = bzip2_pass_through(b);
	if (b->mode == BZIP2_TEST && r != BZIP2_READ) {
		bzip2_say_test(b, r, garbage);
		return r == BZIP2_OK;
	}
	if (r == BZIP2_NOT) {
		if (b->verbose)
			pack_say(b->p, "not a bzip2 file.\n");
		else
			pack_say(b->p, "%s: %s is not a bzip2 file.\n", b->self, b->name);
		b->status = 2;
		return false;
	}
	if (r != BZIP2_OK)
		bzip2_die(b, r);
	if (b->mode == BZIP2_COMPRESS)
		bzip2_say_ratio(b);
	else if (b->verbose)
		pack_say(b->p, "done\n");
	return true;
}

static void bzip2_stdin(struct bzip2 *b)
{
	b->name = "(stdin)";
	b->out_name = b->mode == BZIP2_TEST ? "(none)" : "(stdout)";
	b->from_stdin = true;
	if (b->mode == BZIP2_COMPRESS && tsb_isatty(b->p, 1)) {
		pack_say(b->p, "%s: I won't write compressed data to a terminal.\n"
			 "%s: For help, type: `%s --help'.\n", b->self, b->self, b->self);
		b->status = 1;
		return;
	}
	pack_in_open(&b->in, b->p, 0);
	pack_out_open(&b->out, b->p, b->mode == BZIP2_TEST ? -1 : 1);
	bzip2_data(b);
}

static void bzip2_file(struct bzip2 *b, const char *name)
{
	bool good, to_file = !b->to_stdout && b->mode != BZIP2_TEST;
	int fd, out = b->mode == BZIP2_TEST ? -1 : 1;

	b->name = name;
	if (!bzip2_check_input(b) || !bzip2_check_files(b))
		return;
	fd = tsb_open(b->p, name, O_RDONLY, 0);
	if (to_file) {
		out = tsb_open(b->p, b->out_name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (out < 0) {
			bzip2_refuse(b, tsb_format(b->p, "Can't create output file %s: %s.\n",
						   b->out_name, tsb_strerror(out)));
			tsb_close(b->p, fd);
			return;
		}
	}
	pack_in_open(&b->in, b->p, fd);
	pack_out_open(&b->out, b->p, out);
	b->made_output = to_file;
	good = bzip2_data(b);
	tsb_close(b->p, fd);
	if (!to_file)
		return;
	b->made_output = false;
	if (good)
		pack_copy_stat(b->p, out, &b->st);
	tsb_close(b->p, out);
	if (!good)
		tsb_unlink(b->p, b->out_name);
	else if (!b->keep)
		tsb_unlink(b->p, name);
}

/* ---- The command ---- */

static void bzip2_count(struct bzip2 *b, int argc, char **argv)
{
	b->width = 7;
	for (int i = 0; i < argc; i++) {
		if (!b->only_files && !strcmp(argv[i], "--")) {
			b->only_files = true;
			continue;
		}
		if (bzip2_is_flag(b, argv[i]))
			continue;
		b->n_files++;
		if (strlen(argv[i]) > b->width)
			b->width = strlen(argv[i]);
	}
	b->only_files = false;
}

static int bzip2_all(struct tsb_proc *p, int argc, char **argv, enum bzip2_mode mode, bool cat)
{
	struct bzip2 *b = tsb_alloc(p, sizeof(*b));
	const char *slash = strrchr(tsb_name(p), '/');

	b->p = p;
	b->self = slash ? slash + 1 : tsb_name(p);
	b->mode = (int)mode;
	b->to_stdout = cat;
	b->level = 9;
	argv = pack_arguments(p, (const char *const[2]){ "BZIP2", "BZIP" }, &argc, argv);
	bzip2_flags(b, argc, argv);
	bzip2_count(b, argc, argv);
	if (b->to_stdout && b->mode == BZIP2_TEST) {
		bzip2_say(b, "%s: -c and -t cannot be used together.\n", b->self);
		return 1;
	}
	if (!b->n_files)
		bzip2_stdin(b);
	for (int i = 0; i < argc; i++) {
		if (!b->only_files && !strcmp(argv[i], "--")) {
			b->only_files = true;
		} else if (!bzip2_is_flag(b, argv[i])) {
			b->n_done++;
			bzip2_file(b, argv[i]);
		}
	}
	if (b->test_failed) {
		bzip2_say(b, BZIP2_RECOVER);
		return 2;
	}
	return b->status;
}

static int bzip2_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return bzip2_all(p, argc, argv, BZIP2_COMPRESS, false);
}

static int bunzip2_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return bzip2_all(p, argc, argv, BZIP2_DECOMPRESS, false);
}

static int bzcat_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return bzip2_all(p, argc, argv, BZIP2_DECOMPRESS, true);
}

#define BZIP2_COMMAND(name_, run_) { \
	.version = TSB_COMMAND_VERSION, .name = name_, .package = "bzip2", \
	.package_version = "1.0.8", .synopsis = "[flags and input files in any order]", \
	.summary = "a block-sorting file compressor.  Version 1.0.8", .opts = bzip2_opts, \
	.opts_size = sizeof(struct bzip2), .run = run_, .flags = TSB_RAW | TSB_NO_HELP }

static const struct tsb_command bzip2_command = BZIP2_COMMAND("bzip2", NULL);
const struct tsb_command cmd_bzip2 = BZIP2_COMMAND("bzip2", bzip2_run);
const struct tsb_command cmd_bunzip2 = BZIP2_COMMAND("bunzip2", bunzip2_run);
const struct tsb_command cmd_bzcat = BZIP2_COMMAND("bzcat", bzcat_run);
