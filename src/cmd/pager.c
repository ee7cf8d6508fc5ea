/*
 * less, more - pagers. Without a terminal they are filters: the text goes through
 * as it is, whatever the options would have done to a screen.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/util.h"

/* All of a descriptor to standard output. */
static void pager_copy(struct tsb_proc *p, int fd)
{
	char *buf = tsb_alloc(p, 65536);
	ssize_t n;

	while ((n = tsb_read(p, fd, buf, 65536)) > 0)
		tsb_put(p, buf, (size_t)n);
	tsb_free(p, buf);
}

/* ---- less ---- */

/* Short options with an argument; a number may follow some. */
static const char less_with_text[] = "bhjkoOpPtTxyzD\"#";
static const char less_flags[] = "?aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWX~";
static const char *const less_long[] = {
	"help", "search-skip-screen", "SEARCH-SKIP-SCREEN", "buffers=", "auto-buffers",
	"clear-screen", "CLEAR-SCREEN", "dumb", "color=", "quit-at-eof", "QUIT-AT-EOF",
	"force", "quit-if-one-screen", "hilite-search", "HILITE-SEARCH", "max-back-scroll=",
	"ignore-case", "IGNORE-CASE", "jump-target=", "status-column", "lesskey-file=",
	"quit-on-intr", "no-lessopen", "long-prompt", "LONG-PROMPT", "line-numbers",
	"LINE-NUMBERS", "log-file=", "LOG-FILE=", "pattern=", "prompt=", "quiet", "silent",
	"QUIET", "SILENT", "raw-control-chars", "RAW-CONTROL-CHARS", "squeeze-blank-lines",
	"chop-long-lines", "tag=", "tag-file=", "underline-special", "UNDERLINE-SPECIAL",
	"version", "hilite-unread", "HILITE-UNREAD", "no-init", "tabs=", "max-forw-scroll=",
	"window=", "quotes=", "tilde", "shift=", "file-size", "follow-name", "header=", "incsearch",
	"line-num-width=", "mouse", "MOUSE", "no-keypad", "no-histdups", "rscroll=", "save-marks",
	"search-options=", "show-preproc-errors", "status-col-width=", "status-line",
	"use-backslash", "use-color", "wheel-lines=", "wordwrap", "exit-follow-on-close",
};

static void less_say(struct tsb_proc *p, int fd, const char *text)
{
	tsb_flush(p);
	tsb_write_all(p, fd, text, strlen(text));
}

static void less_version(struct tsb_proc *p)
{
	tsb_puts(p, "less 590 (GNU regular expressions)\n\n"
		    "This is tinysandbox's less, which shows text without a terminal.\n");
}

/* "--name", "--name=value": how many further arguments it takes. */
static int less_long_option(struct tsb_proc *p, const char *name)
{
	size_t n = strcspn(name, "="), k = n - (n && (name[n - 1] == '-' || name[n - 1] == '+'));

	for (size_t i = 0; i < sizeof(less_long) / sizeof(*less_long); i++) {
		const char *known = less_long[i];
		size_t len = strcspn(known, "=");

		if (len >= n && !strncmp(known, name, n))
			return known[len] == '=' && !name[n];
		if (len == k && !strncmp(known, name, k))
			return 0;
	}
	less_say(p, 2, tsb_format(p, "There is no %.*s option (\"less --help\" for help)\n", (int)n, name));
	return 0;
}

/* One argument of options: how many further ones belong to it. */
static int less_options(struct tsb_proc *p, const char *arg, bool last)
{
	for (const char *at = arg; *at; at++) {
		if (strchr(less_with_text, *at)) {
			if (at[1] || !last)
				return !at[1];
			less_say(p, 2, tsb_format(p, "Value is required after -%c\n", *at));
			tsb_exit(p, 0);
		}
		if (*at == '+' || *at == '-' || *at == '$' || strchr(less_flags, *at))
			continue;
		if (*at >= '0' && *at <= '9')
			continue;
		less_say(p, 2, tsb_format(p, "There is no -%c option (\"less --help\" for help)\n", *at));
		return 0;
	}
	return 0;
}

static void less_file(struct tsb_proc *p, const char *name)
{
	struct tsb_stat st;
	int fd, err = 0;

	if (!strcmp(name, "-")) {
		pager_copy(p, 0);
		return;
	}
	fd = tsb_open(p, name, O_RDONLY, 0);
	if (fd >= 0)
		err = tsb_fstat(p, fd, &st);
	if (fd < 0 || err < 0)
		tsb_printf(p, "%s: %s\n", name, tsb_strerror(fd < 0 ? fd : err));
	else if (S_ISDIR(st.mode))
		tsb_printf(p, "%s is a directory\n", name);
	else
		pager_copy(p, fd);
	if (fd >= 0)
		tsb_close(p, fd);
}

static int less_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	bool options = true;
	int files = 0;

	(void)opts;
	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i];

		if (!options || (arg[0] != '-' && arg[0] != '+') || !arg[1]) {
			argv[files++] = argv[i];
			continue;
		}
		if (!strcmp(arg, "--")) {
			options = false;
		} else if (!strcmp(arg, "--version") || !strcmp(arg, "-V")) {
			less_version(p);
			return 0;
		} else if (!strcmp(arg, "--help") || !strcmp(arg, "-?")) {
			tsb_puts(p, "Usage: less [OPTION]... [FILE]...\nShow text; without a terminal it "
				    "goes through unchanged.\n");
			return 0;
		} else if (arg[0] == '-' && arg[1] == '-') {
			i += less_long_option(p, arg + 2);
		} else if (arg[0] == '-') {
			i += less_options(p, arg + 1, i + 1 == argc);
		}
	}
	if (!files && !tsb_isatty(p, 0)) {
		pager_copy(p, 0);
		return 0;
	}
	if (!files) {
		less_say(p, 2, "Missing filename (\"less --help\" for help)\n");
		return 1;
	}
	for (int i = 0; i < files; i++)
		less_file(p, argv[i]);
	return 0;
}

const struct tsb_command cmd_less = {
	.version = TSB_COMMAND_VERSION, .package = "less", .package_version = "590", .name = "less",
	.synopsis = "[OPTION]... [FILE]...", .summary = "Show text a screen at a time.",
	.run = less_run, .flags = TSB_RAW,
};

/* ---- more ---- */

struct more {
	bool silent, logical, no_pause, count, clean, squeeze, plain, exit_on_eof;
	const char *lines;
};

static int more_opt_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p, (void)opt;
	((struct more *)opts)->lines = arg;
	return 0;
}

static const struct tsb_opt more_opts[] = {
	TSB_OPT_FLAG(struct more, silent, 'd', "silent", "display help instead of ringing bell"),
	TSB_OPT_FLAG(struct more, logical, 'f', "logical", "count logical rather than screen lines"),
	TSB_OPT_FLAG(struct more, no_pause, 'l', "no-pause", "suppress pause after form feed"),
	TSB_OPT_FLAG(struct more, clean, 'c', "print-over", "do not scroll, display text and clean line ends"),
	TSB_OPT_FLAG(struct more, exit_on_eof, 'e', "exit-on-eof", "exit on end-of-file"),
	TSB_OPT_FLAG(struct more, clean, 'p', "clean-print", "do not scroll, clean screen and display text"),
	TSB_OPT_FLAG(struct more, squeeze, 's', "squeeze", "squeeze multiple blank lines into one"),
	TSB_OPT_FLAG(struct more, plain, 'u', "plain", "suppress underlining and bold"),
	TSB_OPT_STR(struct more, lines, 'n', "lines", "number", "the number of lines per screenful"),
	TSB_OPT_DIGITS_CALL(more_opt_digits, "same as --lines"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

static void more_file(struct tsb_proc *p, const char *name)
{
	int fd = tsb_open(p, name, O_RDONLY, 0);
	struct tsb_stat st;

	if (fd < 0) {
		tsb_flush(p);
		tsb_warn_errno(p, fd, "cannot open %s", name);
		return;
	}
	if (!tsb_fstat(p, fd, &st) && S_ISDIR(st.mode)) {
		tsb_printf(p, "\n*** %s: directory ***\n\n", name);
	} else {
		tsb_printf(p, "::::::::::::::\n%s\n::::::::::::::\n", name);
		pager_copy(p, fd);
	}
	tsb_close(p, fd);
}

static int more_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	int files = 0;

	(void)opts;
	for (int i = 0; i < argc; i++)
		if (argv[i][0] != '+')	/* a line or a pattern to begin at */
			argv[files++] = argv[i];
	if (!files && !tsb_isatty(p, 0)) {
		pager_copy(p, 0);
		return 0;
	}
	if (!files)
		return tsb_usage(p, "bad usage");
	for (int i = 0; i < files; i++)
		more_file(p, argv[i]);
	return 0;
}

const struct tsb_command cmd_more = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "more", .synopsis = "[options] <file>...",
	.summary = "A file perusal filter for CRT viewing.", .opts = more_opts,
	.opts_size = sizeof(struct more), .run = more_run,
};

/* ---- watch ---- */

struct watch {
	bool beep, color, differences, error, change, precise, quit, no_title, no_wrap, exec;
	const char *interval;
};

static int watch_opt_differences(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				 const char *arg)
{
	(void)p, (void)opt, (void)arg;
	((struct watch *)opts)->differences = true;
	return 0;
}

static int watch_opt_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	tsb_puts(p, "watch from procps-ng 4.0.2\n");
	tsb_exit(p, 0);
}

static const struct tsb_opt watch_opts[] = {
	TSB_OPT_FLAG(struct watch, beep, 'b', "beep", "beep if command has a non-zero exit"),
	TSB_OPT_FLAG(struct watch, color, 'c', "color", "interpret ANSI color and style sequences"),
	TSB_OPT_FLAG(struct watch, color, 'C', "no-color",
		     "do not interpret ANSI color and style sequences"),
	TSB_OPT_CALL_OPT(watch_opt_differences, 0, 'd', "differences", "<permanent>",
			 "highlight changes between updates"),
	TSB_OPT_FLAG(struct watch, error, 'e', "errexit", "exit if command has a non-zero exit"),
	TSB_OPT_FLAG(struct watch, change, 'g', "chgexit",
		     "exit when output from command changes"),
	TSB_OPT_FLAG(struct watch, quit, 'q', "equexit", "exit when output does not change"),
	TSB_OPT_STR(struct watch, interval, 'n', "interval", "<secs>",
		    "seconds to wait between updates"),
	TSB_OPT_FLAG(struct watch, precise, 'p', "precise",
		     "attempt run command in precise intervals"),
	TSB_OPT_FLAG(struct watch, no_wrap, 'r', "no-rerun",
		     "do not rerun program on window resize"),
	TSB_OPT_FLAG(struct watch, no_title, 't', "no-title", "turn off header"),
	TSB_OPT_FLAG(struct watch, no_wrap, 'w', "no-wrap", "turn off line wrapping"),
	TSB_OPT_FLAG(struct watch, exec, 'x', "exec", "pass command to exec instead of \"sh -c\""),
	TSB_OPT_CALL(watch_opt_version, 0, 'v', "version", NULL,
		     "output version information and exit"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_END
};

static int watch_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const char why[] = "Error opening terminal: unknown.\n"
				  "watch: not available in this sandbox: it needs a terminal; use a loop "
				  "with sleep instead\n";

	(void)opts, (void)argv;
	if (!argc)
		return tsb_usage(p, NULL);
	tsb_write_all(p, 2, why, sizeof(why) - 1);
	return 1;
}

const struct tsb_command cmd_watch = {
	.version = TSB_COMMAND_VERSION, .package = "procps-ng", .package_version = "4.0.2",
	.name = "watch", .synopsis = "[options] command",
	.summary = "Execute a program periodically, showing output fullscreen.",
	.opts = watch_opts, .opts_size = sizeof(struct watch), .run = watch_run,
	.flags = TSB_OPERAND_ENDS,
};
