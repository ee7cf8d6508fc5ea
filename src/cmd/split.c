/*
 * split - cut a file into pieces.
 */
#include "cmd/split.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/util.h"
#include "cmd/whole.h"

#define SPLIT_UNITS "bEGKkMmPTYZ0"

static int split_twice(struct tsb_proc *p)
{
	return tsb_usage(p, "cannot split in more than one way");
}

static int split_opt_way(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct split *s = opts;
	bool lines = opt->value == SPLIT_LINES;

	if (s->way != SPLIT_UNSET)
		return split_twice(p);
	s->way = (enum split_way)opt->value;
	return whole_parse(p, arg, 1, lines ? UINT64_MAX : INT64_MAX, lines ? NULL : SPLIT_UNITS,
			   lines ? "invalid number of lines" : "invalid number of bytes", &s->n);
}

/* -3: as -l 3; further ones replace it. */
static int split_opt_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct split *s = opts;

	(void)opt;
	if (s->way != SPLIT_UNSET && !s->from_digits)
		return split_twice(p);
	s->way = SPLIT_LINES;
	s->from_digits = true;
	if (strspn(arg, "0") == strlen(arg))
		return tsb_usage(p, "invalid number of lines: %s", quote_text(p, "0"));
	s->n = 0;
	for (const char *c = arg; *c >= '0' && *c <= '9'; c++) {
		if (__builtin_mul_overflow(s->n, (uint64_t)10, &s->n) ||
		    __builtin_add_overflow(s->n, (uint64_t)(*c - '0'), &s->n))
			return tsb_warn(p, "line count option -%.*s... is too large",
					(int)(c + 1 - arg), arg), 1;
	}
	return 0;
}

/* How much is read at once: of no consequence, but it must be a number. */
static int split_opt_block(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	uint64_t size;

	(void)opts;
	(void)opt;
	return whole_parse(p, arg, 1, INT64_MAX, SPLIT_UNITS, "invalid IO block size", &size);
}

static int split_opt_chunks(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct split *s = opts;
	const char *slash;
	int status;

	(void)opt;
	if (s->way != SPLIT_UNSET)
		return split_twice(p);
	arg += strspn(arg, " \t\n\v\f\r");
	s->way = SPLIT_CHUNK_BYTES;
	if ((arg[0] == 'r' || arg[0] == 'l') && arg[1] == '/') {
		s->way = arg[0] == 'r' ? SPLIT_ROUND_ROBIN : SPLIT_CHUNK_LINES;
		arg += 2;
	}
	slash = strchr(arg, '/');
	status = whole_parse(p, slash ? slash + 1 : arg, 1, INT64_MAX, NULL,
			     "invalid number of chunks", &s->n);
	if (!status && slash)
		status = whole_parse(p, tsb_strndup(p, arg, (size_t)(slash - arg)), 1, s->n, NULL,
				     "invalid chunk number", &s->k);
	return status;
}

static int split_opt_length(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct split *s = opts;

	(void)opt;
	return whole_parse(p, arg, 0, SIZE_MAX / 8, NULL, "invalid suffix length", &s->suffix_length);
}

static int split_opt_additional(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				const char *arg)
{
	struct split *s = opts;

	(void)opt;
	s->additional = arg;
	return strchr(arg, '/') ? tsb_usage(p, "invalid suffix %s, contains directory separator",
					    quote_text(p, arg)) : 0;
}

static int split_opt_numeric(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct split *s = opts;
	const char *start = arg;

	s->alphabet = opt->value == 'x' ? "0123456789abcdef" : "0123456789";
	if (!arg)
		return 0;
	if (strlen(arg) != strspn(arg, s->alphabet))
		return tsb_usage(p, "%s: invalid start value for %s suffix", quote_text(p, arg),
				 opt->value == 'x' ? "hexadecimal" : "numerical");
	while (*start == '0' && start[1])
		start++;
	s->suffix_start = start;
	return 0;
}

static int split_opt_end(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct split *s = opts;
	int end = (unsigned char)*arg;

	(void)opt;
	if (!*arg) {
		tsb_warn(p, "empty record separator");
		return 1;
	}
	if (arg[1]) {
		if (strcmp(arg, "\\0")) {
			tsb_warn(p, "multi-character separator %s", quote_text(p, arg));
			return 1;
		}
		end = 0;
	}
	if (s->end >= 0 && s->end != end) {
		tsb_warn(p, "multiple separator characters specified");
		return 1;
	}
	s->end = end;
	return 0;
}

static const struct tsb_opt split_opts[] = {
	TSB_OPT_CALL(split_opt_length, 0, 'a', "suffix-length", "N",
		     "generate suffixes of length N (default 2)"),
	TSB_OPT_CALL(split_opt_additional, 0, 0, "additional-suffix", "SUFFIX",
		     "append an additional SUFFIX to file names"),
	TSB_OPT_CALL(split_opt_way, SPLIT_BYTES, 'b', "bytes", "SIZE", "put SIZE bytes per output file"),
	TSB_OPT_CALL(split_opt_way, SPLIT_LINE_BYTES, 'C', "line-bytes", "SIZE",
		     "put at most SIZE bytes of records per output file"),
	TSB_OPT_CALL(split_opt_numeric, 'd', 'd', NULL, NULL,
		     "use numeric suffixes starting at 0, not alphabetic"),
	TSB_OPT_CALL_OPT(split_opt_numeric, 'd', 0, "numeric-suffixes", "FROM",
			 "same as -d, but allow setting the start value"),
	TSB_OPT_CALL(split_opt_numeric, 'x', 'x', NULL, NULL,
		     "use hex suffixes starting at 0, not alphabetic"),
	TSB_OPT_CALL_OPT(split_opt_numeric, 'x', 0, "hex-suffixes", "FROM",
			 "same as -x, but allow setting the start value"),
	TSB_OPT_FLAG(struct split, elide_empty, 'e', "elide-empty-files",
		     "do not generate empty output files with '-n'"),
	TSB_OPT_STR(struct split, filter, 0, "filter", "COMMAND",
		    "write to shell COMMAND; file name is $FILE"),
	TSB_OPT_CALL(split_opt_way, SPLIT_LINES, 'l', "lines", "NUMBER",
		     "put NUMBER lines/records per output file"),
	{ TSB_OPTION_CALL, 0, "-io-blksize", "SIZE", "", 0, 0, TSB_OPT_HIDDEN, split_opt_block },
	TSB_OPT_CALL(split_opt_chunks, 0, 'n', "number", "CHUNKS", "generate CHUNKS output files"),
	TSB_OPT_CALL(split_opt_end, 0, 't', "separator", "SEP",
		     "use SEP instead of newline as the record separator; '\\0' (zero) specifies the "
		     "NUL character"),
	TSB_OPT_FLAG(struct split, unbuffered, 'u', "unbuffered",
		     "immediately copy input to output with '-n r/...'"),
	TSB_OPT_FLAG(struct split, verbose, 0, "verbose",
		     "print a diagnostic just before each output file is opened"),
	{ TSB_OPTION_CALL, 0, NULL, "NUM", NULL, 0, 0, TSB_OPT_DIGITS | TSB_OPT_HIDDEN,
	  split_opt_digits },
	TSB_OPT_END
};

/* A device without a size that gives bytes: how many nobody knows. */
static bool split_has_more(struct split *s, int fd)
{
	char c;

	return tsb_read(s->p, fd, &c, 1) > 0;
}

/* Chunks need to know how much there is. */
static int split_find_size(struct split *s, int fd)
{
	int64_t at = tsb_lseek(s->p, fd, 0, 1), end;

	if (s->way != SPLIT_CHUNK_BYTES && s->way != SPLIT_CHUNK_LINES)
		return 0;
	end = at < 0 ? at : tsb_lseek(s->p, fd, 0, 2);
	if (end == at && S_ISCHR(s->input_stat.mode) && split_has_more(s, fd)) {
		tsb_warn_errno(s->p, -EOVERFLOW, "%s: cannot determine file size",
			       quote_f(s->p, s->input));
		return 1;
	}
	if (end < 0) {
		tsb_warn(s->p, "%s: cannot determine file size", quote_f(s->p, s->input));
		return 1;
	}
	tsb_lseek(s->p, fd, at, 0);
	s->size = end > at ? (uint64_t)(end - at) : 0;
	return 0;
}

static int split_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct split *s = opts;
	int fd, status;

	s->p = p;
	if (s->k && s->filter)
		return tsb_usage(p, "--filter does not process a chunk extracted to stdout");
	if (argc > 2)
		return util_extra_operand(p, argv[2]);
	status = split_set_suffix(s);
	if (status)
		return status;
	if (s->suffix_start && strlen(s->suffix_start) > s->suffix_length)
		return tsb_usage(p, "numerical suffix start value is too large for the suffix length");
	s->input = argc ? argv[0] : "-";
	s->base = argc > 1 ? argv[1] : "x";
	s->n = s->n ? s->n : 1000;
	s->end = s->end < 0 ? '\n' : s->end;
	s->out.fd = -1;
	fd = input_open(p, s->input);
	if (fd < 0) {
		tsb_warn_errno(p, fd, "cannot open %s for reading", quote_af(p, s->input));
		return 1;
	}
	if (fd)
		tsb_set_cloexec(p, fd, true);
	tsb_fstat(p, fd, &s->input_stat);
	status = split_find_size(s, fd);
	if (status)
		return status;
	if (s->filter)
		tsb_signal(p, SIGPIPE, TSB_SIG_IGNORE);
	lines_open(&s->in, p, fd);
	split_by(s);
	return 0;
}

static const struct split split_defaults = { .alphabet = "abcdefghijklmnopqrstuvwxyz", .end = -1 };

const struct tsb_command cmd_split = {
	CMD_COREUTILS, .name = "split", .synopsis = "[OPTION]... [FILE [PREFIX]]",
	.summary = "Output pieces of FILE to PREFIXaa, PREFIXab, ...; default size is 1000 lines,\n"
		   "and default PREFIX is 'x'.",
	.opts = split_opts, .opts_size = sizeof(struct split), .defaults = &split_defaults,
	.run = split_run,
};
