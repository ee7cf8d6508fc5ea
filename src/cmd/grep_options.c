/*
 * grep's options.
 */
#include "cmd/grep.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "cmd/util.h"

const struct grep grep_defaults = {
	.max_count = INT64_MAX, .before = -1, .after = -1, .context = -1, .separator = "--",
};

/* ---- Messages ---- */

void grep_say(struct tsb_proc *p, struct grep *g, int err, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	va_start(ap, fmt);
	if (!g->prog) {
		tsb_vwarn(p, err, fmt, ap);
	} else {
		str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
		str_addf(&s, "%s: ", g->prog);
		str_addvf(&s, fmt, ap);
		if (err)
			str_addf(&s, ": %s", tsb_strerror(err));
		str_addc(&s, '\n');
		tsb_flush(p);
		tsb_write_all(p, 2, s.p, s.n);
		str_end(&s);
	}
	va_end(ap);
}

int grep_usage(struct tsb_proc *p, struct grep *g)
{
	const char *name = g->prog ? g->prog : tsb_name(p);
	const char *text = tsb_format(p, "Usage: %s [OPTION]... PATTERNS [FILE]...\n"
				      "Try '%s --help' for more information.\n", name, name);

	tsb_write_all(p, 2, text, strlen(text));
	return GREP_TROUBLE;
}

/* ---- Options ---- */

static int set_matcher(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct grep *g = opts;
	int m = opt->value;

	if (arg) {
		static const char *const names[] = {
			"grep", "egrep", "fgrep", "perl", "awk", "gawk", "posixawk"
		};

		for (m = 0; m < 7 && strcmp(arg, names[m]); m++)
			;
		if (m == 7) {
			grep_say(p, g, 0, "invalid matcher %s", arg);
			return GREP_TROUBLE;
		}
	}
	if (g->matcher_set && g->matcher != m) {
		grep_say(p, g, 0, "conflicting matchers specified");
		return GREP_TROUBLE;
	}
	g->matcher_set = true;
	g->matcher = m;
	return 0;
}

static struct str *patterns_of(struct tsb_proc *p, struct grep *g)
{
	if (!g->patterns) {
		g->patterns = tsb_alloc(p, sizeof(*g->patterns));
		str_init(g->patterns, tsb_heap_of(p), STR_MAX_DEFAULT);
	}
	g->any_pattern = true;
	return g->patterns;
}

static int set_pattern(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct str *s = patterns_of(p, opts);

	(void)opt;
	str_adds(s, arg);
	str_addc(s, '\n');
	return 0;
}

static int set_pattern_file(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct grep *g = opts;
	struct str *s = patterns_of(p, g);
	int fd = input_open(p, arg), err = fd;
	struct lines in = { 0 };
	size_t start = s->n;

	(void)opt;
	if (fd >= 0) {
		lines_open(&in, p, fd);
		while (lines_fill(&in)) {
			str_addn(s, in.buf + in.at, in.n - in.at);
			in.at = in.n;
		}
		err = in.error;
		tsb_free(p, in.buf);
		input_close(p, fd);
	}
	if (err < 0) {
		grep_say(p, g, err, "%s", arg);
		return GREP_TROUBLE;
	}
	if (s->n > start && s->p[s->n - 1] != '\n')
		str_addc(s, '\n');
	return 0;
}

static int set_context(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct grep *g = opts;
	int64_t *to = opt->value == 'A' ? &g->after : opt->value == 'B' ? &g->before : &g->context;
	uint64_t v;
	enum num_result r = *arg == '-' ? NUM_INVALID : num_suffixed(arg, "", &v);

	if (r != NUM_OK && r != NUM_RANGE) {
		grep_say(p, g, 0, "%s: invalid context length argument", arg);
		return GREP_TROUBLE;
	}
	*to = r == NUM_RANGE || v > INT64_MAX ? INT64_MAX : (int64_t)v;
	return 0;
}

static int set_max(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct grep *g = opts;
	bool negative = *arg == '-';
	uint64_t v;
	enum num_result r = num_suffixed(arg + negative, "", &v);

	(void)opt;
	if (r != NUM_OK && r != NUM_RANGE) {
		grep_say(p, g, 0, "invalid max count");
		return GREP_TROUBLE;
	}
	g->max_count = (negative && v) || r == NUM_RANGE || v > INT64_MAX ? INT64_MAX : (int64_t)v;
	return 0;
}

static int set_binary(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const names[] = { "binary", "text", "without-match" };
	struct grep *g = opts;

	(void)opt;
	for (int i = 0; i < 3; i++)
		if (!strcmp(arg, names[i])) {
			g->binary = i;
			return 0;
		}
	grep_say(p, g, 0, "unknown binary-files type");
	return GREP_TROUBLE;
}

static int bad_dirs(struct tsb_proc *p, struct grep *g, const char *arg, bool ambiguous)
{
	const char *list = tsb_format(p, "Valid arguments are:\n  - %s\n  - %s\n  - %s\n",
				      quote_text(p, "read"), quote_text(p, "recurse"),
				      quote_text(p, "skip"));

	grep_say(p, g, 0, "%s argument %s for %s", ambiguous ? "ambiguous" : "invalid",
		 quote_text(p, arg), quote_text(p, "--directories"));
	tsb_write_all(p, 2, list, strlen(list));
	grep_usage(p, g);
	return 1;
}

static int set_dirs(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const words[] = { "read", "recurse", "skip" };
	struct grep *g = opts;
	size_t n = arg ? strlen(arg) : 0, count = 0;

	if (!arg) {
		g->dirs = GREP_DIR_RECURSE;
		g->follow |= opt->value == 'R';
		return 0;
	}
	for (int i = 0; i < 3; i++)
		if (!strncmp(words[i], arg, n)) {
			g->dirs = i;
			count++;
		}
	if (count != 1)
		return bad_dirs(p, g, arg, count > 1);
	return 0;
}

static int set_devices(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct grep *g = opts;

	(void)opt;
	if (!strcmp(arg, "read"))
		g->devices = GREP_DEV_READ;
	else if (!strcmp(arg, "skip"))
		g->devices = GREP_DEV_SKIP;
	else {
		grep_say(p, g, 0, "unknown devices method");
		return GREP_TROUBLE;
	}
	return 0;
}

static int set_color(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct grep *g = opts;
	const char *term = tsb_getenv(p, "TERM");

	(void)opt;
	if (!arg || !strcmp(arg, "auto") || !strcmp(arg, "tty") || !strcmp(arg, "if-tty"))
		g->color = tsb_isatty(p, 1) && term && strcmp(term, "dumb");
	else if (!strcmp(arg, "always") || !strcmp(arg, "yes") || !strcmp(arg, "force"))
		g->color = 1;
	else if (!strcmp(arg, "never") || !strcmp(arg, "no") || !strcmp(arg, "none"))
		g->color = 0;
	else
		g->show_help = true;
	return 0;
}

static int set_glob(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct grep *g = opts;
	size_t n = strlen(arg);

	g->p = p;
	if (opt->value == 'F')
		return grep_globs_read(g, arg);
	if (opt->value != 'd') {
		grep_glob_add(g, g->globs, arg, opt->value == 'i');
		return 0;
	}
	while (n > 1 && arg[n - 1] == '/')
		n--;
	grep_glob_add(g, g->dir_globs, tsb_strndup(p, arg, n), false);
	return 0;
}

static int set_icase(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)arg;
	((struct grep *)opts)->icase = opt->value;
	return 0;
}

static int set_unix(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct grep *g = opts;

	(void)opt;
	(void)arg;
	grep_say(p, g, 0, "warning: --unix-byte-offsets (-u) is obsolete");
	return 0;
}

static int set_separator(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct grep *g = opts;

	(void)p;
	(void)opt;
	g->no_separator = !arg;
	g->separator = arg ? arg : "";
	return 0;
}

/* In the order in which getopt names them when a prefix is ambiguous. */
const struct tsb_opt grep_opts[] = {
	TSB_OPT_CALL(set_matcher, GREP_BASIC, 'G', "basic-regexp", NULL,
		     "PATTERNS are basic regular expressions"),
	TSB_OPT_CALL(set_matcher, GREP_EXTENDED, 'E', "extended-regexp", NULL,
		     "PATTERNS are extended regular expressions"),
	TSB_OPT_CALL(set_matcher, GREP_FIXED, 'F', "fixed-regexp", NULL, "PATTERNS are strings"),
	TSB_OPT_CALL(set_matcher, GREP_FIXED, 0, "fixed-strings", NULL, NULL),
	TSB_OPT_CALL(set_matcher, GREP_PERL, 'P', "perl-regexp", NULL,
		     "PATTERNS are Perl regular expressions"),
	{ TSB_OPTION_CALL, 'X', NULL, "MATCHER", "", 0, 0, TSB_OPT_HIDDEN, set_matcher },
	TSB_OPT_CALL(set_context, 'A', 'A', "after-context", "NUM",
		     "print NUM lines of trailing context"),
	TSB_OPT_CALL(set_context, 'B', 'B', "before-context", "NUM",
		     "print NUM lines of leading context"),
	TSB_OPT_SET(struct grep, binary, GREP_TEXT, 'a', "text",
		    "equivalent to --binary-files=text"),
	TSB_OPT_SET(struct grep, binary, GREP_WITHOUT_MATCH, 'I', NULL,
		    "equivalent to --binary-files=without-match"),
	TSB_OPT_CALL(set_binary, 0, 0, "binary-files", "TYPE",
		     "assume that binary files are TYPE: binary, text, or without-match"),
	TSB_OPT_FLAG(struct grep, crlf_kept, 'U', "binary", "do not strip CR characters at EOL"),
	TSB_OPT_FLAG(struct grep, byte_offset, 'b', "byte-offset",
		     "print the byte offset with output lines"),
	TSB_OPT_CALL(set_context, 'C', 'C', "context", "NUM", "print NUM lines of output context"),
	TSB_OPT_DIGITS_CALL(set_context, "same as --context=NUM"),
	TSB_OPT_CALL_OPT(set_color, 1, 0, "color", "WHEN",
			 "use markers to highlight the matching strings; WHEN is always, never, or "
			 "auto"),
	TSB_OPT_CALL_OPT(set_color, 1, 0, "colour", "WHEN", NULL),
	TSB_OPT_FLAG(struct grep, count, 'c', "count",
		     "print only a count of selected lines per FILE"),
	TSB_OPT_CALL(set_devices, 0, 'D', "devices", "ACTION",
		     "how to handle devices, FIFOs and sockets; ACTION is read or skip"),
	TSB_OPT_CALL(set_dirs, 'd', 'd', "directories", "ACTION",
		     "how to handle directories; ACTION is read, recurse, or skip"),
	TSB_OPT_CALL(set_glob, 'e', 0, "exclude", "GLOB", "skip files that match GLOB"),
	TSB_OPT_CALL(set_glob, 'F', 0, "exclude-from", "FILE",
		     "skip files that match any file pattern from FILE"),
	TSB_OPT_CALL(set_glob, 'd', 0, "exclude-dir", "GLOB", "skip directories that match GLOB"),
	TSB_OPT_CALL(set_pattern_file, 0, 'f', "file", "FILE", "take PATTERNS from FILE"),
	TSB_OPT_SET(struct grep, list, 'l', 'l', "files-with-matches",
		    "print only names of FILEs with selected lines"),
	TSB_OPT_SET(struct grep, list, 'L', 'L', "files-without-match",
		    "print only names of FILEs with no selected lines"),
	TSB_OPT_CALL(set_separator, 's', 0, "group-separator", "SEP",
		     "print SEP on line between matches with context"),
	TSB_OPT_CALL(set_icase, 1, 'i', "ignore-case", NULL,
		     "ignore case distinctions in patterns and data"),
	{ TSB_OPTION_CALL, 'y', NULL, NULL, NULL, 0, 1, TSB_ARG_NONE | TSB_OPT_HIDDEN, set_icase },
	TSB_OPT_CALL(set_icase, 0, 0, "no-ignore-case", NULL,
		     "do not ignore case distinctions (default)"),
	TSB_OPT_CALL(set_glob, 'i', 0, "include", "GLOB", "search only files that match GLOB"),
	TSB_OPT_FLAG(struct grep, tabs, 'T', "initial-tab", "make tabs line up (if needed)"),
	TSB_OPT_STR(struct grep, label, 0, "label", "LABEL",
		    "use LABEL as the standard input file name prefix"),
	TSB_OPT_FLAG(struct grep, line_buffered, 0, "line-buffered", "flush output on every line"),
	TSB_OPT_FLAG(struct grep, line_number, 'n', "line-number",
		     "print line number with output lines"),
	TSB_OPT_FLAG(struct grep, line, 'x', "line-regexp", "match only whole lines"),
	TSB_OPT_CALL(set_max, 0, 'm', "max-count", "NUM", "stop after NUM selected lines"),
	TSB_OPT_SET(struct grep, with_name, -1, 'h', "no-filename",
		    "suppress the file name prefix on output"),
	TSB_OPT_CALL(set_separator, 'n', 0, "no-group-separator", NULL,
		     "do not print separator for matches with context"),
	TSB_OPT_FLAG(struct grep, quiet_errors, 's', "no-messages", "suppress error messages"),
	TSB_OPT_FLAG(struct grep, null_name, 'Z', "null", "print 0 byte after FILE name"),
	TSB_OPT_FLAG(struct grep, zero, 'z', "null-data",
		     "a data line ends in 0 byte, not newline"),
	TSB_OPT_FLAG(struct grep, only_matching, 'o', "only-matching",
		     "show only nonempty parts of lines that match"),
	TSB_OPT_FLAG(struct grep, quiet, 'q', "quiet", "suppress all normal output"),
	TSB_OPT_CALL(set_dirs, 'r', 'r', "recursive", NULL, "like --directories=recurse"),
	TSB_OPT_CALL(set_dirs, 'R', 'R', "dereference-recursive", NULL,
		     "likewise, but follow all symlinks"),
	TSB_OPT_CALL(set_pattern, 0, 'e', "regexp", "PATTERNS", "use PATTERNS for matching"),
	TSB_OPT_FLAG(struct grep, invert, 'v', "invert-match", "select non-matching lines"),
	TSB_OPT_FLAG(struct grep, quiet, 0, "silent", ""),
	{ TSB_OPTION_CALL, 'u', "unix-byte-offsets", NULL, "", 0, 1,
	  TSB_ARG_NONE | TSB_OPT_HIDDEN, set_unix },
	TSB_OPT_SET(struct grep, with_name, 1, 'H', "with-filename",
		    "print file name with output lines"),
	TSB_OPT_FLAG(struct grep, word, 'w', "word-regexp", "match only whole words"),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};
