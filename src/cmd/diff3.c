/*
 * diff3 - compare three files line by line.
 */
#include "cmd/diff3.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"

#define HORIZON 100

static const struct diff3 diff3_defaults = { .program = "diff", .horizon = HORIZON };

static int set_way(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff3 *d = opts;

	(void)p;
	(void)arg;
	d->ways += d->way != opt->value;	/* the same again is no conflict */
	d->way = opt->value;
	d->show_second |= opt->value == 'A';
	d->flagging |= opt->value == 'A' || opt->value == 'E';
	d->overlap_only |= opt->value == 'x' || opt->value == 'X';
	d->simple_only |= opt->value == '3';
	return 0;
}

static int set_label(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff3 *d = opts;

	(void)opt;
	if (d->n_labels == 3)
		return diffutils_try(p, "too many file label options");
	d->label[d->n_labels++] = arg;
	return 0;
}

#define D struct diff3

static const struct tsb_opt diff3_opts[] = {
	TSB_OPT_CALL(set_way, 'A', 'A', "show-all", NULL,
		     "output all changes, bracketing conflicts"),
	TSB_OPT_STR(D, program, 0, "diff-program", "PROGRAM", "use PROGRAM to compare files"),
	TSB_OPT_CALL(set_way, '3', '3', "easy-only", NULL,
		     "like -e, but incorporate only nonoverlapping changes"),
	TSB_OPT_CALL(set_way, 'e', 'e', "ed", NULL,
		     "output ed script incorporating changes from OLDFILE to YOURFILE into MYFILE"),
	TSB_OPT_FLAG(D, final_write, 'i', NULL, "append 'w' and 'q' commands to ed scripts"),
	TSB_OPT_FLAG(D, initial_tab, 'T', "initial-tab", "make tabs line up by prepending a tab"),
	TSB_OPT_CALL(set_label, 1, 'L', "label", "LABEL",
		     "use LABEL instead of file name (can be repeated up to three times)"),
	TSB_OPT_FLAG(D, merge, 'm', "merge",
		     "output actual merged file, according to -A if no other options are given"),
	TSB_OPT_CALL(set_way, 'x', 'x', "overlap-only", NULL,
		     "like -e, but incorporate only overlapping changes"),
	TSB_OPT_CALL(set_way, 'E', 'E', "show-overlap", NULL, "like -e, but bracket conflicts"),
	TSB_OPT_FLAG(D, strip_cr, 0, "strip-trailing-cr", "strip trailing carriage return on input"),
	TSB_OPT_FLAG(D, text, 'a', "text", "treat all files as text"),
	TSB_OPT_CALL(set_way, 'X', 'X', NULL, NULL, "like -x"),
	DIFFUTILS_VERSION_OPT,
	TSB_OPT_END
};

/* The common file is the old one when changes are to be taken over, else the
 * third; but standard input cannot be read twice. */
static int choose_common(struct diff3 *d)
{
	int common = d->script || d->merge ? 1 : 2;

	if (!strcmp(d->file[common], "-")) {
		common = 3 - common;
		if (!strcmp(d->file[0], "-") || !strcmp(d->file[common], "-")) {
			tsb_warn(d->p, "'-' specified for more than one input file");
			return DIFF_TROUBLE;
		}
	}
	d->inside[0] = 0;
	d->inside[common] = 2;
	d->inside[3 - common] = 1;
	for (int i = 0; i < 3; i++)
		d->outside[d->inside[i]] = i;
	return 0;
}

static int check_files(struct diff3 *d)
{
	for (int i = 0; i < 3; i++) {
		struct tsb_stat st;
		int err;

		if (!strcmp(d->file[i], "-"))
			continue;
		err = tsb_stat(d->p, d->file[i], &st);
		if (!err && S_ISDIR(st.mode))
			err = -EISDIR;
		if (err) {
			tsb_warn_errno(d->p, err, "%s", d->file[i]);
			return DIFF_TROUBLE;
		}
	}
	return 0;
}

static int64_t larger(int64_t a, const struct diff3_range *r)
{
	return r->high - r->low + 1 > a ? r->high - r->low + 1 : a;
}

static int compare(struct diff3 *d)
{
	const char *common = d->file[d->outside[2]];
	diff3_pairs threads[2] = { { 0 }, { 0 } };

	diff3_read(d, d->file[d->outside[1]], common, &threads[1]);
	if (threads[1].n)
		for (int i = 0; i < 2; i++) {
			d->horizon = larger(d->horizon, &threads[1].at[0].of[i]);
			d->horizon = larger(d->horizon, &vec_last(&threads[1]).of[i]);
		}
	diff3_read(d, d->file[d->outside[0]], common, &threads[0]);
	diff3_join(d, threads);
	if (d->script)
		return diff3_show_script(d);
	if (d->merge)
		return diff3_show_merge(d);
	diff3_show(d);
	return 0;
}

static int diff3_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed parsed;
	struct diff3 *d;
	int status;

	(void)opts;
	if (!diffutils_parse(p, &cmd_diff3, argc, argv, &parsed, &status))
		return status;
	d = parsed.opts;
	d->p = p;
	d->script = d->ways && !d->merge;
	if (!d->ways && d->merge)
		d->show_second = d->flagging = true;
	if (d->ways > 1 || (d->final_write && d->merge) || (d->n_labels && !d->flagging))
		return diffutils_try(p, "incompatible options");
	status = diffutils_operands(p, parsed.argc, parsed.argv, 3, 3, argc, argv);
	if (status)
		return status;
	for (int i = 0; i < 3; i++) {
		d->file[i] = parsed.argv[i];
		if (i >= d->n_labels)
			d->label[i] = d->file[i];
	}
	status = choose_common(d);
	if (!status)
		status = check_files(d);
	return status ? status : compare(d);
}

const struct tsb_command cmd_diff3 = {
	CMD_DIFFUTILS, .name = "diff3", .synopsis = "[OPTION]... MYFILE OLDFILE YOURFILE",
	.summary = "compare three files line by line", .opts = diff3_opts,
	.opts_size = sizeof(struct diff3), .defaults = &diff3_defaults, .run = diff3_run,
	.flags = TSB_RAW, .usage_status = DIFF_TROUBLE,
};
