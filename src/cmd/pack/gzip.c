/*
 * gzip, gunzip, zcat - compress and expand files by deflate.
 */
#include "cmd/pack/gzip.h"

#include <string.h>

#include "base/opt.h"
#include "cmd/cmd.h"

#define GZIP_HINT "Try `gzip --help' for more information.\n"

enum { GZIP_SUFFIX_MAX = 30 };

static int gzip_opt_level(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	(void)p;
	(void)arg;
	((struct gzip *)opts)->level = opt->value;
	return 0;
}

static int gzip_opt_flag(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct gzip *g = opts;

	(void)p, (void)arg;
	switch (opt->value) {
	case 'a':
		g->ascii = true;
		break;
	case 'l':
		g->list = g->decompress = g->to_stdout = true;
		break;
	case 'm':
		g->no_time = 1;
		break;
	case 'M':
		g->no_time = 0;
		break;
	case 'n':
		g->no_name = g->no_time = 1;
		break;
	case 'N':
		g->no_name = g->no_time = 0;
		break;
	case 'q':
		g->quiet = true;
		g->verbose = 0;
		break;
	case 't':
		g->test = g->decompress = g->to_stdout = true;
		break;
	case 'v':
		g->verbose++;
		g->quiet = false;
		break;
	}
	return 0;
}

static int gzip_opt_stop(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);

static int gzip_opt_bits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	if (arg[strspn(arg, "0123456789")] == '\0')
		return 0;
	pack_say(p, "gzip: -b operand is not an integer\n" GZIP_HINT);
	return 1;
}

#define GZIP_LEVEL(n, long_name) \
	TSB_OPT_CALL(gzip_opt_level, (n), '0' + (n), long_name, NULL, "compression level " #n)
#define GZIP_FLAG(letter, long_name, help) \
	TSB_OPT_CALL(gzip_opt_flag, (letter), (letter), long_name, NULL, help)

static const struct tsb_opt gzip_opts[] = {
	GZIP_FLAG('a', "ascii", "ignored on this system"),
	TSB_OPT_FLAG(struct gzip, to_stdout, 0, "to-stdout",
		     "write on standard output, keep original files unchanged"),
	TSB_OPT_FLAG(struct gzip, to_stdout, 'c', "stdout", NULL),
	TSB_OPT_FLAG(struct gzip, decompress, 'd', "decompress", "decompress"),
	TSB_OPT_FLAG(struct gzip, decompress, 0, "uncompress", NULL),
	TSB_OPT_FLAG(struct gzip, force, 'f', "force",
		     "force overwrite of output file and compress links"),
	TSB_OPT_CALL(gzip_opt_stop, 'h', 'h', "help", NULL, "give this help"),
	TSB_OPT_FLAG(struct gzip, keep, 'k', "keep", "keep (don't delete) input files"),
	GZIP_FLAG('l', "list", "list compressed file contents"),
	TSB_OPT_CALL(gzip_opt_stop, 'L', 'L', "license", NULL, "display software license"),
	GZIP_FLAG('m', NULL, "do not save or restore the original timestamp"),
	GZIP_FLAG('M', NULL, "save or restore the original timestamp"),
	GZIP_FLAG('n', "no-name", "do not save or restore the original name and timestamp"),
	GZIP_FLAG('N', "name", "save or restore the original name and timestamp"),
	GZIP_FLAG('q', "quiet", "suppress all warnings"),
	GZIP_FLAG('q', "silent", NULL),
	TSB_OPT_FLAG(struct gzip, synchronous, 0, "synchronous",
		     "synchronous output (safer if system crashes, but slower)"),
	TSB_OPT_FLAG(struct gzip, recursive, 'r', "recursive", "operate recursively on directories"),
	TSB_OPT_STR(struct gzip, suffix, 'S', "suffix", "SUF", "use suffix SUF on compressed files"),
	GZIP_FLAG('t', "test", "test compressed file integrity"),
	GZIP_FLAG('v', "verbose", "verbose mode"),
	TSB_OPT_CALL(gzip_opt_stop, 'V', 'V', "version", NULL, "display version number"),
	GZIP_LEVEL(1, "fast"), GZIP_LEVEL(9, "best"), GZIP_LEVEL(2, NULL), GZIP_LEVEL(3, NULL),
	GZIP_LEVEL(4, NULL), GZIP_LEVEL(5, NULL), GZIP_LEVEL(6, NULL), GZIP_LEVEL(7, NULL),
	GZIP_LEVEL(8, NULL),
	TSB_OPT_CALL(gzip_opt_stop, 'Z', 'Z', "lzw", NULL, "not supported"),
	TSB_OPT_CALL(gzip_opt_bits, 'b', 'b', "bits", "BITS", "of --lzw; counts for nothing"),
	TSB_OPT_FLAG(struct gzip, rsyncable, 0, "rsyncable", "make rsync-friendly archive"),
	TSB_OPT_END
};

static const struct tsb_command gzip_command;
extern const struct tsb_command cmd_gunzip, cmd_zcat;

static int gzip_opt_stop(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct str text;

	(void)arg;
	(void)opts;
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	switch (opt->value) {
	case 'Z':
		pack_say(p, "gzip: -Z not supported in this version\n" GZIP_HINT);
		return 1;
	case 'h':
		pack_help(p, &gzip_command);
	case 'L':
		tsb_puts(p, "gzip 1.12\nMIT OR Apache-2.0\n");
		tsb_exit(p, 0);
	default:
		opt_version(&text, &gzip_command, "gzip");
		tsb_put(p, text.p, text.n);
		tsb_exit(p, 0);
	}
}

static const struct gzip gzip_defaults = { .level = 6, .suffix = ".gz", .no_name = -1,
					   .no_time = -1 };

#define GZIP_COMMAND(name_, synopsis_, summary_) \
	.version = TSB_COMMAND_VERSION, .name = name_, .package = "gzip", \
	.package_version = "1.12", .synopsis = synopsis_, .summary = summary_, \
	.opts = gzip_opts, .opts_size = sizeof(struct gzip), .defaults = &gzip_defaults, \
	.flags = TSB_RAW | TSB_NO_HELP, .usage_status = 1

static const struct tsb_command gzip_command = {
	GZIP_COMMAND("gzip", "[OPTION]... [FILE]...",
		     "Compress or uncompress FILEs (by default, compress FILES in-place)."),
};

/* Options out of the environment: only those that change no meaning. */
static int gzip_check_environment(struct tsb_proc *p, const char *word)
{
	static const char *const longs[] = { "fast", "best", "name", "no-name", "quiet", "silent",
					     "verbose", "rsyncable", NULL };
	const char *bad = "option not valid";
	size_t n;

	if (word[0] != '-' || !word[1]) {
		bad = "non-option";
	} else if (word[1] != '-') {
		n = 1 + strspn(word + 1, "123456789nNqv");
		if (!word[n])
			return 0;
		word = tsb_format(p, "-%c", word[n]);
	} else {
		for (size_t i = 0; longs[i]; i++)
			if (word[2] && !strncmp(longs[i], word + 2, strlen(word + 2)))
				return 0;
	}
	pack_say(p, "gzip: %s: %s in GZIP environment variable\n" GZIP_HINT, word, bad);
	return 1;
}

/* argv with the words of $GZIP in front; *status: they are not all valid. */
static char **gzip_environment(struct tsb_proc *p, int *argc, char **argv, int *status)
{
	const char *env = tsb_getenv(p, "GZIP");
	size_t room = env ? strlen(env) / 2 + 1 : 0, n = 0;
	char **all = tsb_alloc(p, (room + (size_t)*argc + 1) * sizeof(*all));

	while (env && *(env += strspn(env, " \t"))) {
		size_t len = strcspn(env, " \t");

		all[n] = tsb_strndup(p, env, len);
		*status = *status ? *status : gzip_check_environment(p, all[n]);
		n++;
		env += len;
	}
	memcpy(all + n, argv, (size_t)*argc * sizeof(*all));
	*argc += (int)n;
	return all;
}

static int gzip_all(struct tsb_proc *p, int argc, char **argv, bool decompress, bool to_stdout)
{
	struct opt_parsed parsed;
	struct gzip *g;
	int status = 0, own = argc;
	size_t len;

	argv = gzip_environment(p, &argc, argv, &status);
	if (status ||
	    !pack_options(p, &gzip_command, argc, argv, &parsed, "gzip", GZIP_HINT, &status))
		return status;
	g = parsed.opts;
	g->p = p;
	if (argc > own && !g->quiet)
		pack_say(p, "gzip: warning: GZIP environment variable is deprecated; use an alias "
			 "or script\n");
	g->decompress |= decompress;
	g->to_stdout |= to_stdout;
	g->no_name = g->no_name < 0 ? g->decompress : g->no_name;
	g->no_time = g->no_time < 0 ? g->decompress : g->no_time;
	if (g->ascii && !g->quiet)
		pack_say(p, "gzip: option --ascii ignored on this system\n");
	len = strlen(g->suffix);
	if (!len || len > GZIP_SUFFIX_MAX) {
		pack_say(p, "gzip: invalid suffix '%s'\n", g->suffix);
		return 1;
	}
	for (int i = 0; i < parsed.argc && !g->aborted; i++)
		gzip_file(g, parsed.argv[i]);
	if (!parsed.argc && !g->decompress && !g->force && tsb_isatty(p, 1)) {
		pack_say(p, "gzip: compressed data not written to a terminal. Use -f to force "
			 "compression.\nFor help, type: gzip -h\n");
		return 1;
	}
	if (!parsed.argc)
		gzip_stdin(g);
	if (g->list && !g->aborted && parsed.argc > 1)
		gzip_list_totals(g);
	return g->status;
}

static int gzip_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return gzip_all(p, argc, argv, false, false);
}

static int gunzip_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	if (argc)	/* a script of a real machine, which answers for itself first */
		pack_answer_word(p, &cmd_gunzip, argv[0]);
	return gzip_all(p, argc, argv, true, false);
}

static int zcat_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	if (argc)	/* a script of a real machine, which answers for itself first */
		pack_answer_word(p, &cmd_zcat, argv[0]);
	return gzip_all(p, argc, argv, true, true);
}

const struct tsb_command cmd_gzip = {
	GZIP_COMMAND("gzip", "[OPTION]... [FILE]...",
		     "Compress or uncompress FILEs (by default, compress FILES in-place)."),
	.run = gzip_run,
};

const struct tsb_command cmd_gunzip = {
	GZIP_COMMAND("gunzip", "[OPTION]... [FILE]...", "Uncompress FILEs (by default, in-place)."),
	.run = gunzip_run,
};

const struct tsb_command cmd_zcat = {
	GZIP_COMMAND("zcat", "[OPTION]... [FILE]...", "Uncompress FILEs to standard output."),
	.run = zcat_run,
};

const struct tsb_command cmd_uncompress = {
	GZIP_COMMAND("uncompress", "[OPTION]... [FILE]...", "Uncompress FILEs (by default, in-place)."),
	.run = gunzip_run,
};
