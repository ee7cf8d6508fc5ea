/*
 * sdiff - side-by-side merge of differences.
 *
 * Two columns are what diff -y prints, with its options spelled otherwise. The
 * merge into a file (-o) goes along diff's output and the two files, group by
 * group; answers are lines of standard input.
 */
#include "cmd/sdiff.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/path.h"

static const struct sdiff sdiff_defaults = { .program = "diff" };

static void add_arg(struct sdiff *s, const char *arg)
{
	*vec_add(tsb_heap_of(s->p), &s->args) = arg;
}

/* A flag or a value for diff: the option's name there is in `value`. */
static int pass_on(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const long_names[] = {
		[SDIFF_STRIP] = "--strip-trailing-cr", [SDIFF_LEFT] = "--left-column",
		[SDIFF_TABSIZE] = "--tabsize",
	};
	struct sdiff *s = opts;

	s->p = p;
	add_arg(s, opt->value < SDIFF_NAMES ? long_names[opt->value] :
		tsb_format(p, "-%c", opt->value));
	if (arg)
		add_arg(s, arg);
	return 0;
}

#define S struct sdiff

static const struct tsb_opt sdiff_opts[] = {
	TSB_OPT_STR(S, program, 0, "diff-program", "PROGRAM", "use PROGRAM to compare files"),
	TSB_OPT_CALL(pass_on, 't', 't', "expand-tabs", NULL, "expand tabs to spaces in output"),
	TSB_OPT_CALL(pass_on, 'w', 'W', "ignore-all-space", NULL, "ignore all white space"),
	TSB_OPT_CALL(pass_on, 'B', 'B', "ignore-blank-lines", NULL,
		     "ignore changes whose lines are all blank"),
	TSB_OPT_CALL(pass_on, 'i', 'i', "ignore-case", NULL,
		     "consider upper- and lower-case to be the same"),
	TSB_OPT_CALL(pass_on, 'I', 'I', "ignore-matching-lines", "RE",
		     "ignore changes all whose lines match RE"),
	TSB_OPT_CALL(pass_on, 'b', 'b', "ignore-space-change", NULL,
		     "ignore changes in the amount of white space"),
	TSB_OPT_CALL(pass_on, 'E', 'E', "ignore-tab-expansion", NULL,
		     "ignore changes due to tab expansion"),
	TSB_OPT_CALL(pass_on, 'Z', 'Z', "ignore-trailing-space", NULL,
		     "ignore white space at line end"),
	TSB_OPT_CALL(pass_on, SDIFF_LEFT, 'l', "left-column", NULL,
		     "output only the left column of common lines"),
	TSB_OPT_CALL(pass_on, 'd', 'd', "minimal", NULL,
		     "try hard to find a smaller set of changes"),
	TSB_OPT_STR(S, output, 'o', "output", "FILE",
		    "operate interactively, sending output to FILE"),
	TSB_OPT_CALL(pass_on, 'H', 'H', "speed-large-files", NULL,
		     "assume large files, many scattered small changes"),
	TSB_OPT_CALL(pass_on, SDIFF_STRIP, 0, "strip-trailing-cr", NULL,
		     "strip trailing carriage return on input"),
	TSB_OPT_FLAG(S, no_common, 's', "suppress-common-lines", "do not output common lines"),
	TSB_OPT_CALL(pass_on, SDIFF_TABSIZE, 0, "tabsize", "NUM",
		     "tab stops at every NUM (default 8) print columns"),
	TSB_OPT_CALL(pass_on, 'a', 'a', "text", NULL, "treat all files as text"),
	TSB_OPT_CALL(pass_on, 'W', 'w', "width", "NUM",
		     "output at most NUM (default 130) print columns"),
	DIFFUTILS_VERSION_OPT,
	TSB_OPT_END
};

void sdiff_spawn_args(struct sdiff *s, struct tsb_spawn *how)
{
	add_arg(s, NULL);
	how->size = sizeof(*how);
	how->file = s->program;
	how->argv = s->args.at;
}

static int show(struct sdiff *s)
{
	struct tsb_spawn how = { 0 };
	int err;

	if (s->no_common)
		add_arg(s, "--suppress-common-lines");
	add_arg(s, "-y");
	add_arg(s, "--");
	add_arg(s, s->file[0]);
	add_arg(s, s->file[1]);
	sdiff_spawn_args(s, &how);
	tsb_flush(s->p);
	err = tsb_exec(s->p, &how);
	tsb_warn_errno(s->p, err, "%s", s->program);
	return DIFF_TROUBLE;
}

/* A directory stands for the file in it that is named as the other. */
static void into_dir(struct sdiff *s, int f)
{
	struct tsb_stat a, b;

	if (tsb_stat(s->p, s->file[f], &a) || !S_ISDIR(a.mode) || !strcmp(s->file[1 - f], "-"))
		return;
	if (!tsb_stat(s->p, s->file[1 - f], &b) && S_ISDIR(b.mode))
		return;
	s->file[f] = path_join(s->p, s->file[f], path_last(s->file[1 - f]));
}

static bool is_dir(struct sdiff *s, const char *name)
{
	struct tsb_stat st;

	return !tsb_stat(s->p, name, &st) && S_ISDIR(st.mode);
}

static int merge(struct sdiff *s)
{
	for (int f = 0; f < 2; f++)
		if (!strcmp(s->file[f], "-")) {
			tsb_warn(s->p, "cannot interactively merge standard input");
			return DIFF_TROUBLE;
		}
	if (is_dir(s, s->file[0]) && is_dir(s, s->file[1])) {
		tsb_warn(s->p, "both files to be compared are directories");
		return DIFF_TROUBLE;
	}
	into_dir(s, 0);
	into_dir(s, 1);
	return sdiff_merge(s);
}

static int sdiff_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed parsed;
	struct sdiff *s;
	int status;

	(void)opts;
	if (!diffutils_parse(p, &cmd_sdiff, argc, argv, &parsed, &status))
		return status;
	s = parsed.opts;
	s->p = p;
	status = diffutils_operands(p, parsed.argc, parsed.argv, 2, 2, argc, argv);
	if (status)
		return status;
	s->file[0] = parsed.argv[0];
	s->file[1] = parsed.argv[1];
	/* diff's name comes before the options that were collected. */
	add_arg(s, NULL);
	memmove(s->args.at + 1, s->args.at, (s->args.n - 1) * sizeof(*s->args.at));
	s->args.at[0] = s->program;
	return s->output ? merge(s) : show(s);
}

const struct tsb_command cmd_sdiff = {
	CMD_DIFFUTILS, .name = "sdiff", .synopsis = "[OPTION]... FILE1 FILE2",
	.summary = "side-by-side merge of differences between two files", .opts = sdiff_opts,
	.opts_size = sizeof(struct sdiff), .defaults = &sdiff_defaults, .run = sdiff_run,
	.flags = TSB_RAW, .usage_status = DIFF_TROUBLE,
};
