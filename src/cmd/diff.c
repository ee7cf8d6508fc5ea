/*
 * diff - compare files line by line.
 */
#include "cmd/diff.h"

#include <string.h>

#include "cmd/cmd.h"

static const struct diff_cmd diff_defaults = { .old_context = -1 };

/* Formats that were not given follow from those that were. */
static void fill_formats(struct diff_cmd *d)
{
	const char **group = d->group_format;

	for (size_t i = 0; i < 3; i++)
		if (!d->line_format[i])
			d->line_format[i] = "%l\n";
	if (!group[DIFF_OLD])
		group[DIFF_OLD] = group[DIFF_CHANGED] ? group[DIFF_CHANGED] : "%<";
	if (!group[DIFF_NEW])
		group[DIFF_NEW] = group[DIFF_CHANGED] ? group[DIFF_CHANGED] : "%>";
	if (!group[DIFF_SAME])
		group[DIFF_SAME] = "%=";
	if (!group[DIFF_CHANGED])
		group[DIFF_CHANGED] = tsb_format(d->p, "%s%s", group[DIFF_OLD], group[DIFF_NEW]);
}

/* One name against all operands. */
static int run_many(struct diff_cmd *d, int argc, char **argv)
{
	int status = 0;

	for (int i = 0; i < argc; i++) {
		int one = d->from ? diff_run_pair(d, d->from, argv[i]) :
			diff_run_pair(d, argv[i], d->to);

		status = one > status ? one : status;
	}
	return status;
}

static int run_all(struct diff_cmd *d, int n, char **operands, int argc, char **argv)
{
	int status;

	if (d->from && d->to) {
		tsb_warn(d->p, "--from-file and --to-file both specified");
		return DIFF_TROUBLE;
	}
	if (d->from || d->to)
		return run_many(d, n, operands);
	status = diffutils_operands(d->p, n, operands, 2, 2, argc, argv);
	return status ? status : diff_run_pair(d, operands[0], operands[1]);
}

static int diff_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed parsed;
	struct diff_cmd *d;
	int status, err;

	(void)opts;
	if (!diffutils_parse(p, &cmd_diff, argc, argv, &parsed, &status))
		return status;
	d = parsed.opts;
	d->p = p;
	status = diff_prepare(d);
	if (status)
		return status;
	fill_formats(d);
	diff_palette(d);
	d->options = diffutils_options(p, argc, argv, parsed.argc, parsed.argv);
	status = run_all(d, parsed.argc, parsed.argv, argc, argv);
	diff_put(d, d->messages.p, d->messages.n);
	diff_flush(d);
	err = tsb_flush(p);
	if (!err)
		return status;
	tsb_out_forget(p);
	tsb_warn_errno(p, err, "standard output");
	return DIFF_TROUBLE;
}

const struct tsb_command cmd_diff = {
	CMD_DIFFUTILS, .name = "diff", .synopsis = "[OPTION]... FILES",
	.summary = "compare files line by line", .opts = diff_opts,
	.opts_size = sizeof(struct diff_cmd), .defaults = &diff_defaults, .run = diff_run,
	.flags = TSB_RAW, .usage_status = DIFF_TROUBLE,
};
