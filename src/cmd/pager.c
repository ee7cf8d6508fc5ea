/*
 * more, watch - pagers. Without a terminal more is a filter: the text goes through
 * as it is, whatever the options would have done to a screen.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cmd/pager.h"
#include "cmd/util.h"
#include "cmd/vdu.h"

/* All of a descriptor to standard output. */
static void pager_copy(struct tsb_proc *p, int fd)
{
	char *buf = tsb_alloc(p, 65536);
	ssize_t n;

	while ((n = tsb_read(p, fd, buf, 65536)) > 0)
		tsb_put(p, buf, (size_t)n);
	tsb_free(p, buf);
}

/* ---- more ---- */

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
	struct more *how = opts;
	struct vdu t;
	int files = 0;

	for (int i = 0; i < argc; i++)
		if (argv[i][0] != '+')	/* a line or a pattern to begin at */
			argv[files++] = argv[i];
		else
			how->plus = argv[i] + 1;
	if (!files && !tsb_isatty(p, 0) && !tsb_isatty(p, 1)) {
		pager_copy(p, 0);
		return 0;
	}
	if (!files && tsb_isatty(p, 0))
		return tsb_usage(p, "bad usage");
	vdu_init(&t, p, 1);
	if (vdu_good(&t))
		return more_screen(p, how, files, argv);
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

static int watch_opt_differences(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				 const char *arg)
{
	(void)p, (void)opt;
	((struct watch *)opts)->differences = true;
	((struct watch *)opts)->permanent = arg != NULL;
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
	TSB_OPT_STR(struct watch, cycles, 'q', "equexit", "<cycles>",
		    "exit when output from command does not change"),
	TSB_OPT_STR(struct watch, interval, 'n', "interval", "<secs>",
		    "seconds to wait between updates"),
	TSB_OPT_FLAG(struct watch, precise, 'p', "precise",
		     "attempt run command in precise intervals"),
	TSB_OPT_FLAG(struct watch, no_rerun, 'r', "no-rerun",
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

	struct watch *how = opts;
	struct vdu t;
	char *end;

	how->seconds = 2;
	if (how->interval) {
		how->seconds = strtod(how->interval, &end);
		if (end == how->interval || *end) {
			tsb_warn(p, "failed to parse argument: '%s'", how->interval);
			return 1;
		}
		how->seconds = how->seconds < 0.1 ? 0.1 : how->seconds > 4294967 ? 4294967 : how->seconds;
	}
	if (how->cycles && (num_u64(how->cycles, &how->quiet) != NUM_OK || !how->quiet)) {
		tsb_warn(p, "failed to parse argument: '%s'", how->cycles);
		return 1;
	}
	if (!argc)
		return tsb_usage(p, NULL);
	vdu_init(&t, p, 1);
	if (vdu_good(&t))
		return watch_screen(p, how, argc, argv);
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
