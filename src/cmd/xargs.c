/*
 * xargs - build and run commands from arguments read from standard input.
 */
#include "cmd/xargs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/quote.h"

enum { XARGS_ARG_MAX = 2 << 20 };	/* Linux's limit for arguments and environment */

/* ---- Options ---- */

static size_t xargs_environment_size(struct tsb_proc *p)
{
	size_t n = 0;

	for (const char *const *e = tsb_environ(p); *e; e++)
		n += strlen(*e) + 1;
	return n;
}

static long xargs_upper_limit(struct tsb_proc *p)
{
	long n = XARGS_ARG_MAX - 2048 - (long)xargs_environment_size(p);

	return n < 4096 ? 4096 : n;
}

/* A number of an option, at least min and (max >= 0) at most max: 0 or the exit
 * status. A value out of range is mended where that is no error. */
static int xargs_number(struct tsb_proc *p, const char *arg, int letter, long min, long max,
			bool fatal, size_t *value)
{
	const char *wrong = NULL;
	char *end;
	long v, limit = 0;

	v = strtol(arg, &end, 10);
	if (end == arg || *end)
		return tsb_usage(p, "invalid number \"%s\" for -%c option", arg, letter);
	if (v < min) {
		wrong = ">=";
		limit = min;
	} else if (max >= 0 && v > max) {
		wrong = "<=";
		limit = max;
	}
	*value = (size_t)(wrong ? limit : v);
	if (!wrong)
		return 0;
	tsb_warn(p, "value %s for -%c option should be %s %ld", arg, letter, wrong, limit);
	return fatal ? tsb_usage(p, NULL) : 0;
}

static void xargs_say_excluded(struct xargs *x, const char *before, const char *now)
{
	tsb_warn(x->p, "warning: options %s and %s are mutually exclusive, ignoring previous %s value",
		 before, now, before);
}

static void xargs_exclude(struct xargs *x, const char *now, bool args, bool lines, bool hole)
{
	if (args && x->per_args) {
		xargs_say_excluded(x, "--max-args", now);
		x->per_args = 0;
	}
	if (lines && x->per_lines) {
		xargs_say_excluded(x, "--max-lines", now);
		x->per_lines = 0;
	}
	if (hole && x->hole) {
		xargs_say_excluded(x, "--replace", now);
		x->hole = NULL;
	}
}

static int xargs_opt_replace(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct xargs *x = opts;

	(void)opt;
	x->p = p;
	xargs_exclude(x, "--replace/-I/-i", true, true, false);
	x->hole = arg ? arg : "{}";
	return 0;
}

static int xargs_opt_lines(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct xargs *x = opts;
	size_t n = 1;
	int status = arg ? xargs_number(p, arg, opt->value, 1, -1, true, &n) : 0;

	if (status)
		return status;
	x->p = p;
	xargs_exclude(x, opt->value == 'L' ? "-L" : "--max-lines/-l", true, false, true);
	x->per_lines = n;
	return 0;
}

static int xargs_opt_args(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct xargs *x = opts;
	size_t n;
	int status = xargs_number(p, arg, opt->value, 1, -1, true, &n);

	if (status)
		return status;
	x->p = p;
	if (n == 1 && x->hole)
		return 0;
	xargs_exclude(x, "--max-args/-n", false, true, true);
	x->per_args = n;
	return 0;
}

static int xargs_opt_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct xargs *x = opts;

	if (opt->value == 's')
		return xargs_number(p, arg, 's', 1, xargs_upper_limit(p), false, &x->line_max);
	return xargs_number(p, arg, 'P', 0, INT_MAX, true, &x->max_procs);
}

static int xargs_opt_eof(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct xargs *x = opts;

	(void)p;
	(void)opt;
	x->eof = arg && *arg ? arg : NULL;
	return 0;
}

/* \n, \x2c or \054; -1 after a message. */
static int xargs_escape(struct tsb_proc *p, const char *s)
{
	static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
	const char *at = strchr(from, s[1]);
	bool hex = s[1] == 'x';
	unsigned long v;
	char *end;

	if (at && !s[2])
		return (unsigned char)to[at - from];
	if (!hex && (s[1] < '0' || s[1] > '9')) {
		tsb_warn(p, "Invalid escape sequence %s in input delimiter specification.", s);
		return -1;
	}
	v = strtoul(s + 1 + hex, &end, hex ? 16 : 8);
	if (v > 255) {
		tsb_warn(p, "Invalid escape sequence %s in input delimiter specification; character "
			 "values must not exceed %s.", s, hex ? "ff" : "377");
		return -1;
	}
	if (*end) {
		tsb_warn(p, "Invalid escape sequence %s in input delimiter specification; trailing "
			 "characters %s not recognised.", s, end);
		return -1;
	}
	return (int)v;
}

static int xargs_opt_delimiter(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			       const char *arg)
{
	struct xargs *x = opts;

	(void)opt;
	x->delimited = true;
	if (arg[0] && !arg[1]) {
		x->delimiter = (unsigned char)arg[0];
	} else if (arg[0] == '\\') {
		x->delimiter = xargs_escape(p, arg);
	} else {
		tsb_warn(p, "Invalid input delimiter specification %s: the delimiter must be either a "
			 "single character or an escape sequence starting with \\.", arg);
		return 1;
	}
	return x->delimiter < 0;
}

static int xargs_opt_null(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct xargs *x = opts;

	(void)p;
	(void)opt;
	(void)arg;
	x->delimited = true;
	x->delimiter = '\0';
	return 0;
}

static int xargs_opt_slot(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct xargs *x = opts;

	(void)opt;
	if (strchr(arg, '=')) {
		tsb_warn(p, "option --process-slot-var may not be set to a value which includes `='");
		return 1;
	}
	if (!*arg) {
		tsb_warn(p, "failed to unset environment variable %s: Invalid argument", arg);
		return 1;
	}
	x->slot_var = arg;
	return 0;
}

static const struct tsb_opt xargs_opts[] = {
	TSB_OPT_CALL(xargs_opt_null, 0, '0', "null", NULL,
		     "items are separated by a null, not whitespace; disables quote and backslash "
		     "processing and logical EOF processing"),
	TSB_OPT_STR(struct xargs, file, 'a', "arg-file", "FILE",
		    "read arguments from FILE, not standard input"),
	TSB_OPT_CALL(xargs_opt_delimiter, 0, 'd', "delimiter", "CHARACTER",
		     "items in input stream are separated by CHARACTER, not by whitespace; disables "
		     "quote and backslash processing and logical EOF processing"),
	TSB_OPT_CALL(xargs_opt_eof, 0, 'E', NULL, "END",
		     "set logical EOF string; if END occurs as a line of input, the rest of the input "
		     "is ignored"),
	TSB_OPT_CALL_OPT(xargs_opt_eof, 0, 'e', "eof", "END",
			 "equivalent to -E END if END is specified; otherwise, there is no end-of-file "
			 "string"),
	TSB_OPT_CALL(xargs_opt_replace, 0, 'I', NULL, "R",
		     "replace R in INITIAL-ARGS with names read from standard input, split at newlines"),
	TSB_OPT_CALL_OPT(xargs_opt_replace, 0, 'i', "replace", "R", "same as -I R; R is {} if missing"),
	TSB_OPT_CALL(xargs_opt_lines, 'L', 'L', NULL, "MAX-LINES",
		     "use at most MAX-LINES non-blank input lines per command line"),
	TSB_OPT_CALL_OPT(xargs_opt_lines, 'l', 'l', "max-lines", "MAX-LINES",
			 "similar to -L but defaults to at most one non-blank input line"),
	TSB_OPT_CALL(xargs_opt_args, 'n', 'n', "max-args", "MAX-ARGS",
		     "use at most MAX-ARGS arguments per command line"),
	TSB_OPT_FLAG(struct xargs, tty, 'o', "open-tty",
		     "reopen stdin as /dev/tty in the child process before executing the command"),
	TSB_OPT_CALL(xargs_opt_number, 's', 's', "max-chars", "MAX-CHARS",
		     "limit length of command line to MAX-CHARS"),
	TSB_OPT_CALL(xargs_opt_number, 'P', 'P', "max-procs", "MAX-PROCS",
		     "run at most MAX-PROCS processes at a time"),
	TSB_OPT_FLAG(struct xargs, ask, 'p', "interactive", "prompt before running commands"),
	TSB_OPT_CALL(xargs_opt_slot, 0, 0, "process-slot-var", "VAR",
		     "set environment variable VAR in child processes"),
	TSB_OPT_FLAG(struct xargs, if_any, 'r', "no-run-if-empty",
		     "if there are no arguments, then do not run COMMAND"),
	TSB_OPT_FLAG(struct xargs, show_limits, 0, "show-limits", "show limits on command-line length"),
	TSB_OPT_FLAG(struct xargs, verbose, 't', "verbose", "print commands before executing them"),
	TSB_OPT_FLAG(struct xargs, exact, 'x', "exit", "exit if the size (see -s) is exceeded"),
	TSB_OPT_END
};

/* ---- Work ---- */

static void xargs_show_limits(struct xargs *x)
{
	size_t environment = xargs_environment_size(x->p);
	long upper = xargs_upper_limit(x->p);
	char *text;

	text = tsb_format(x->p, "Your environment variables take up %zu bytes\n"
			  "POSIX upper limit on argument length (this system): %ld\n"
			  "POSIX smallest allowable upper limit on argument length (all systems): 4096\n"
			  "Maximum length of command we could actually use: %ld\n"
			  "Size of command buffer we are actually using: %zu\n"
			  "Maximum parallelism (--max-procs must be no greater): %d\n",
			  environment, upper, upper - (long)environment, x->line_max, INT_MAX);
	tsb_write_all(x->p, 2, text, strlen(text));
}

/* An initial argument with every hole filled by the line. */
static char *xargs_fill(struct xargs *x, const char *arg)
{
	size_t n = strlen(x->hole);
	const char *at;
	struct str s;

	str_init(&s, tsb_heap_of(x->p), STR_MAX_DEFAULT);
	while ((at = strstr(arg, x->hole))) {
		str_addn(&s, arg, (size_t)(at - arg));
		str_addn(&s, x->word.p, x->word.n);	/* a NUL in it ends the whole */
		arg = at + n;
		if (!n || s.n > x->line_max)
			xargs_die(x, "command too long");
	}
	str_adds(&s, arg);
	if (s.n > x->line_max)
		xargs_die(x, "command too long");
	return str_take(&s, NULL);
}

static void xargs_replace_all(struct xargs *x, int argc, char **argv)
{
	char *filled;

	while (xargs_read(x)) {
		x->n_initial = x->chars_initial = 0;
		xargs_clear(x);
		xargs_push(x, argv[0], strlen(argv[0]), true);
		for (int i = 1; i < argc; i++) {
			filled = xargs_fill(x, argv[i]);
			xargs_push(x, filled, strlen(filled), false);
			tsb_free(x->p, filled);
		}
		x->chars_initial = 0;
		xargs_run_line(x);
	}
}

static void xargs_append_all(struct xargs *x, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		xargs_push(x, argv[i], strlen(argv[i]), true);
	while (xargs_read(x)) {
		if (x->per_lines && x->lines >= x->per_lines) {
			xargs_run_line(x);
			x->lines = 0;
		}
	}
	if (x->args.n != x->n_initial || (!x->if_any && !x->ran))
		xargs_run_line(x);
}

static int xargs_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char echo[] = "echo", *standard[] = { echo, NULL };
	struct xargs *x = opts;
	int fd = 0;

	x->p = p;
	x->exact |= x->hole || x->per_lines;
	if (x->eof && x->delimited)
		tsb_warn(p, "warning: the -E option has no effect if -0 or -d is used.\n");
	if (x->show_limits)
		xargs_show_limits(x);
	if (x->file && strcmp(x->file, "-")) {
		fd = tsb_open(p, x->file, 0, 0);
		if (fd < 0) {
			tsb_warn_errno(p, fd, "Cannot open input file %s", quote_text(p, x->file));
			return 1;
		}
		tsb_set_cloexec(p, fd, true);
	}
	tsb_reader_init(&x->in, p, fd);
	str_init(&x->word, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (x->slot_var)
		tsb_setenv(p, x->slot_var, NULL);
	if (x->hole)
		xargs_replace_all(x, argc ? argc : 1, argc ? argv : standard);
	else
		xargs_append_all(x, argc ? argc : 1, argc ? argv : standard);
	xargs_wait_all(x);
	if (!x->in.error)
		return x->status;
	if (x->in.error == -EBADF)
		tsb_warn_errno(p, x->in.error, "error closing file");
	else
		tsb_warn(p, "error closing file");
	return 1;
}

static const struct xargs xargs_defaults = { .line_max = XARGS_LINE_MAX, .max_procs = 1 };

const struct tsb_command cmd_xargs = {
	.version = TSB_COMMAND_VERSION, CMD_GNU("findutils", "4.9.0"), .name = "xargs",
	.synopsis = "[OPTION]... COMMAND [INITIAL-ARGS]...",
	.summary = "Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.",
	.opts = xargs_opts, .opts_size = sizeof(struct xargs), .defaults = &xargs_defaults,
	.run = xargs_run, .flags = TSB_OPERAND_ENDS,
};
