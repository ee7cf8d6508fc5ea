/*
 * diff's options, and what they mean together.
 */
#include "cmd/diff.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>

#include "base/heap.h"
#include "cmd/lines.h"
#include "cmd/locale.h"

#define CONTEXT_DEFAULT 3
#define FUNCTION_IN_C "^[[:alpha:]$_]"
#define GUTTER_MIN 3

static int set_context(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;
	bool with_arg = opt->value == 'C' || opt->value == 'U';
	int64_t n = CONTEXT_DEFAULT;
	int status;

	d->p = p;
	if (arg && !diffutils_number(arg, &n))
		return diffutils_try(p, "invalid context length '%s'", arg);
	status = diff_style_is(d, opt->value == 'C' || opt->value == 'c' ? DIFF_CONTEXT :
			       DIFF_UNIFIED);
	if (n > d->context)
		d->context = n;
	d->explicit_context |= with_arg;
	return status;
}

static int set_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;

	(void)p;
	(void)opt;
	diffutils_number(arg, &d->old_context);
	return 0;
}

/* Widths and tab stops may be given twice, but not differently. */
/* An option with one value: another one is a conflict. */
static int set_once(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	const char **field = (const char **)(void *)((char *)opts + opt->offset);

	if (*field && strcmp(*field, arg))
		return opt->short_name
			       ? diffutils_try(p, "conflicting -%c option value '%s'",
					       opt->short_name, arg)
			       : diffutils_try(p, "conflicting --%s option value '%s'",
					       opt->long_name, arg);
	*field = arg;
	return 0;
}

static int set_size(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;
	bool width = opt->value == 'W';
	int64_t *to = width ? &d->width : &d->tabsize, n = 0;

	if (!diffutils_number(arg, &n) || !n)
		return diffutils_try(p, "invalid %s '%s'", width ? "width" : "tabsize", arg);
	if (*to && *to != n) {
		tsb_warn(p, "conflicting %s options", width ? "width" : "tabsize");
		return DIFF_TROUBLE;
	}
	*to = n;
	return 0;
}

static int set_horizon(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;
	int64_t n = 0;

	(void)opt;
	if (!diffutils_number(arg, &n))
		return diffutils_try(p, "invalid horizon length '%s'", arg);
	if (n > d->horizon)
		d->horizon = n;
	return 0;
}

/* -E counts for nothing with another of them. */
static int set_space(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;
	enum diff_space space = (enum diff_space)opt->value;

	(void)p;
	(void)arg;
	if (space > d->space)
		d->space = space;
	return 0;
}

static int set_pattern(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;
	struct diff_patterns *to = opt->value == 'I' ? &d->ignore : &d->function;
	struct tsb_heap *heap = tsb_heap_of(p);
	const char *error;

	d->show_function |= opt->value == 'p';
	if (!arg)
		arg = FUNCTION_IN_C;
	*vec_add(heap, &to->text) = arg;
	if (regex_compile(heap, arg, strlen(arg), locale_utf8(p) ? REGEX_UTF8 : 0, &error))
		return 0;
	tsb_warn(p, "%s: %s", arg, error);
	return DIFF_TROUBLE;
}

static int set_label(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;

	(void)opt;
	if (d->label[1]) {
		tsb_warn(p, "too many file label options");
		return DIFF_TROUBLE;
	}
	d->label[d->label[0] ? 1 : 0] = arg;
	return 0;
}

static void add_exclude(struct tsb_proc *p, struct diff_cmd *d, const char *pattern, size_t n)
{
	struct tsb_heap *heap = tsb_heap_of(p);

	*vec_add(heap, &d->exclude) =
		pattern_compile(heap, pattern, n, d->icase_names ? PATTERN_ICASE : 0);
}

static int set_exclude(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;
	struct lines in = { 0 };
	char *line;
	size_t n;
	int fd;

	if (opt->value == 'x') {
		add_exclude(p, d, tsb_strdup(p, arg), strlen(arg));
		return 0;
	}
	fd = input_open(p, arg);
	if (fd >= 0)
		lines_open(&in, p, fd);
	while (fd >= 0 && lines_next(&in, '\n', &line, &n)) {
		while (n && strchr(" \t\n\v\f\r", line[n - 1]))
			n--;
		if (n)
			add_exclude(p, d, heap_dup(tsb_heap_of(p), line, n), n);
		tsb_tick(p, 1);
	}
	if (fd >= 0 && !in.error) {
		input_close(p, fd);
		return 0;
	}
	tsb_warn_errno(p, fd < 0 ? fd : in.error, "%s", arg);
	return DIFF_TROUBLE;
}

static int set_name_case(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	(void)p;
	(void)arg;
	((struct diff_cmd *)opts)->icase_names = opt->value == 'i';
	return 0;
}

static int set_nothing(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)opts;
	(void)opt;
	(void)arg;
	return 0;
}

static int set_color(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;

	(void)opt;
	if (!arg || !strcmp(arg, "auto"))
		d->color = -1;
	else if (!strcmp(arg, "always"))
		d->color = 1;
	else if (!strcmp(arg, "never"))
		d->color = 0;
	else
		return diffutils_try(p, "invalid color '%s'", arg);
	return 0;
}

/* ---- The table, in the order in which ambiguous names are listed ---- */

#define D struct diff_cmd
#define HIDDEN_FLAG(field, s, l) \
	{ TSB_OPTION_FLAG, (s), (l), NULL, "", TSB_FIELD_(D, field, bool), 1, TSB_OPT_HIDDEN, NULL }

#define ONCE(field, s, l, a, h) \
	{ TSB_OPTION_CALL, (s), (l), (a), (h), TSB_FIELD_(D, field, const char *), 0, 0, set_once }

const struct tsb_opt diff_opts[] = {
	HIDDEN_FLAG(binary, 0, "binary"),
	TSB_OPT_FLAG(D, brief, 'q', "brief", "report only when files differ"),
	TSB_OPT_CALL(diff_set_format, 'C', 0, "changed-group-format", "GFMT",
		     "format groups that differ with GFMT"),
	{ TSB_OPTION_FLAG, 0, "-presume-output-tty", NULL, "", offsetof(struct diff_cmd, tty), 1,
	  TSB_OPT_HIDDEN, NULL },
	TSB_OPT_CALL_OPT(set_color, 1, 0, "color", "WHEN",
			 "color output; WHEN is never, always, or auto (the default)"),
	TSB_OPT_CALL(set_context, 'c', 'c', NULL, NULL, "output 3 lines of copied context"),
	TSB_OPT_CALL(set_context, 'C', 'C', NULL, "NUM", "output NUM lines of copied context"),
	TSB_OPT_CALL_OPT(set_context, 'C', 0, "context", "NUM",
			 "output NUM (default 3) lines of copied context"),
	TSB_OPT_CALL(diff_set_style, DIFF_ED, 'e', "ed", NULL, "output an ed script"),
	TSB_OPT_CALL(set_exclude, 'x', 'x', "exclude", "PAT", "exclude files that match PAT"),
	TSB_OPT_CALL(set_exclude, 'X', 'X', "exclude-from", "FILE",
		     "exclude files that match any pattern in FILE"),
	TSB_OPT_FLAG(D, expand_tabs, 't', "expand-tabs", "expand tabs to spaces in output"),
	TSB_OPT_CALL(diff_set_style, DIFF_FORWARD_ED, 'f', "forward-ed", NULL,
		     "output something like an ed script, in the order of the file"),
	ONCE(from, 0, "from-file", "FILE1", "compare FILE1 to all operands"),
	{ TSB_OPTION_CALL, 'h', NULL, NULL, "", 0, 1, TSB_ARG_NONE | TSB_OPT_HIDDEN, set_nothing },
	TSB_OPT_CALL(set_horizon, 1, 0, "horizon-lines", "NUM",
		     "keep NUM lines of the common prefix and suffix"),
	TSB_OPT_CALL(diff_set_ifdef, 1, 'D', "ifdef", "NAME",
		     "output merged file with '#ifdef NAME' diffs"),
	TSB_OPT_CALL(set_space, DIFF_SPACE_ALL, 'w', "ignore-all-space", NULL,
		     "ignore all white space"),
	TSB_OPT_FLAG(D, ignore_blank, 'B', "ignore-blank-lines",
		     "ignore changes where lines are all blank"),
	TSB_OPT_FLAG(D, icase, 'i', "ignore-case", "ignore case differences in file contents"),
	TSB_OPT_CALL(set_name_case, 'i', 0, "ignore-file-name-case", NULL,
		     "ignore case when comparing file names"),
	TSB_OPT_CALL(set_pattern, 'I', 'I', "ignore-matching-lines", "RE",
		     "ignore changes where all lines match RE"),
	TSB_OPT_CALL(set_space, DIFF_SPACE_AMOUNT, 'b', "ignore-space-change", NULL,
		     "ignore changes in the amount of white space"),
	TSB_OPT_CALL(set_space, DIFF_SPACE_TABS, 'E', "ignore-tab-expansion", NULL,
		     "ignore changes due to tab expansion"),
	TSB_OPT_CALL(set_space, DIFF_SPACE_TRAILING, 'Z', "ignore-trailing-space", NULL,
		     "ignore white space at line end"),
	{ TSB_OPTION_CALL, 0, "inhibit-hunk-merge", NULL, "", 0, 2,
	  TSB_ARG_NONE | TSB_OPT_HIDDEN, set_nothing },
	TSB_OPT_FLAG(D, initial_tab, 'T', "initial-tab", "make tabs line up by prepending a tab"),
	TSB_OPT_CALL(set_label, 'L', 'L', "label", "LABEL",
		     "use LABEL instead of file name and timestamp (can be repeated)"),
	TSB_OPT_FLAG(D, left_column, 0, "left-column",
		     "output only the left column of common lines"),
	TSB_OPT_CALL(diff_set_format, 'l', 0, "line-format", "LFMT", "format all input lines with LFMT"),
	TSB_OPT_FLAG(D, minimal, 'd', "minimal", "try hard to find a smaller set of changes"),
	TSB_OPT_FLAG(D, new_file, 'N', "new-file", "treat absent files as empty"),
	TSB_OPT_CALL(diff_set_format, 'N', 0, "new-group-format", "GFMT",
		     "format groups of the new file only with GFMT"),
	TSB_OPT_CALL(diff_set_format, 'n', 0, "new-line-format", "LFMT",
		     "format lines of the new file with LFMT"),
	TSB_OPT_FLAG(D, no_dereference, 0, "no-dereference", "do not follow symbolic links"),
	TSB_OPT_CALL(set_name_case, 'c', 0, "no-ignore-file-name-case", NULL,
		     "consider case when comparing file names"),
	TSB_OPT_CALL(diff_set_style, DIFF_NORMAL, 0, "normal", NULL,
		     "output a normal diff (the default)"),
	TSB_OPT_CALL(diff_set_format, 'O', 0, "old-group-format", "GFMT",
		     "format groups of the old file only with GFMT"),
	TSB_OPT_CALL(diff_set_format, 'o', 0, "old-line-format", "LFMT",
		     "format lines of the old file with LFMT"),
	TSB_OPT_FLAG(D, paginate, 'l', "paginate", "pass output through 'pr' to paginate it"),
	TSB_OPT_STR(D, palette, 0, "palette", "PALETTE",
		    "the colors to use when --color is active, as in 'de=31:ad=32'"),
	TSB_OPT_CALL(diff_set_style, DIFF_RCS, 'n', "rcs", NULL, "output an RCS format diff"),
	TSB_OPT_FLAG(D, recursive, 'r', "recursive", "recursively compare any subdirectories found"),
	TSB_OPT_FLAG(D, identical, 's', "report-identical-files", "report when two files are the same"),
	HIDDEN_FLAG(assist, 0, "sdiff-merge-assist"),
	TSB_OPT_CALL(set_pattern, 'p', 'p', "show-c-function", NULL,
		     "show which C function each change is in"),
	TSB_OPT_CALL(set_pattern, 'F', 'F', "show-function-line", "RE",
		     "show the most recent line matching RE"),
	TSB_OPT_CALL(diff_set_style, DIFF_SIDE, 'y', "side-by-side", NULL, "output in two columns"),
	TSB_OPT_FLAG(D, large, 'H', "speed-large-files",
		     "assume large files and many scattered small changes"),
	ONCE(start, 'S', "starting-file", "FILE",
	     "start with FILE when comparing directories"),
	TSB_OPT_FLAG(D, strip_cr, 0, "strip-trailing-cr", "strip trailing carriage return on input"),
	TSB_OPT_FLAG(D, blank_empty, 0, "suppress-blank-empty",
		     "suppress space or tab before empty output lines"),
	TSB_OPT_FLAG(D, no_common, 0, "suppress-common-lines", "do not output common lines"),
	TSB_OPT_CALL(set_size, 't', 0, "tabsize", "NUM", "tab stops every NUM (default 8) print columns"),
	TSB_OPT_FLAG(D, text, 'a', "text", "treat all files as text"),
	ONCE(to, 0, "to-file", "FILE2", "compare all operands to FILE2"),
	TSB_OPT_CALL(diff_set_format, 'U', 0, "unchanged-group-format", "GFMT",
		     "format groups of common lines with GFMT"),
	TSB_OPT_CALL(diff_set_format, 'u', 0, "unchanged-line-format", "LFMT",
		     "format common lines with LFMT"),
	TSB_OPT_FLAG(D, new_first, 'P', "unidirectional-new-file", "treat absent first files as empty"),
	TSB_OPT_CALL(set_context, 'u', 'u', NULL, NULL, "output 3 lines of unified context"),
	TSB_OPT_CALL(set_context, 'U', 'U', NULL, "NUM", "output NUM lines of unified context"),
	TSB_OPT_CALL_OPT(set_context, 'U', 0, "unified", "NUM",
			 "output NUM (default 3) lines of unified context"),
	TSB_OPT_CALL(set_size, 'W', 'W', "width", "NUM",
		     "output at most NUM (default 130) print columns"),
	{ TSB_OPTION_CALL, 0, NULL, "NUM", "the old form of -C NUM or -U NUM, whichever is given", 0, 0,
	  TSB_OPT_DIGITS, set_digits },
	DIFFUTILS_VERSION_OPT,
	TSB_OPT_END
};

/* ---- Together ---- */

static void compile(struct diff_cmd *d, struct diff_patterns *re)
{
	struct tsb_heap *heap = tsb_heap_of(d->p);
	const char *error;
	size_t *lens;

	if (!re->text.n)
		return;
	lens = tsb_alloc(d->p, re->text.n * sizeof(*lens));
	for (size_t i = 0; i < re->text.n; i++)
		lens[i] = strlen(re->text.at[i]);
	re->re = regex_compile_many(heap, re->text.at, lens, re->text.n,
				    locale_utf8(d->p) ? REGEX_UTF8 : 0, &error);
}

/*
 * Widths of -y: two halves and a gutter between them fit into a line; unless
 * tabs are expanded a half and the gutter are whole tabs, so that tabs in the
 * right half are in line.
 */
static void set_columns(struct diff_cmd *d)
{
	int64_t tab = d->expand_tabs ? 1 : d->tabsize, width = d->width, column, half;

	if (tab > INT64_MAX - GUTTER_MIN)
		tab = INT64_MAX - GUTTER_MIN;
	column = (width >> 1) + ((tab + GUTTER_MIN) >> 1) + (width & (tab + GUTTER_MIN) & 1);
	column -= column % tab;
	half = column - GUTTER_MIN < width - column ? column - GUTTER_MIN : width - column;
	d->half = half > 0 ? (size_t)half : 0;
	d->column2 = (size_t)(half > 0 ? column : width);
}

int diff_prepare(struct diff_cmd *d)
{
	const char *term = tsb_getenv(d->p, "TERM");

	if (d->color < 0)
		d->color = (d->tty || tsb_isatty(d->p, 1)) && term && strcmp(term, "dumb") != 0;
	if (d->style == DIFF_UNSPECIFIED && d->show_function) {
		d->style = DIFF_CONTEXT;
		d->context = d->context > CONTEXT_DEFAULT ? d->context : CONTEXT_DEFAULT;
	} else if (d->style == DIFF_UNSPECIFIED) {
		d->style = DIFF_NORMAL;
	}
	d->time_format = d->style == DIFF_CONTEXT && locale_is_c(d->p, "LC_TIME") ?
		"%a %b %e %T %Y" : "%Y-%m-%d %H:%M:%S.%N %z";
	if (d->old_context >= 0 && (d->style == DIFF_CONTEXT || d->style == DIFF_UNIFIED) &&
	    (d->context < d->old_context ||
	     (d->old_context < d->context && !d->explicit_context)))
		d->context = d->old_context;
	if (!d->tabsize)
		d->tabsize = 8;
	if (!d->width)
		d->width = 130;
	set_columns(d);
	compile(d, &d->function);
	compile(d, &d->ignore);
	zone_init(&d->zone, tsb_getenv(d->p, "TZ"));
	str_init(&d->messages, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	return 0;
}
