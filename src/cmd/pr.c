/*
 * pr - pages and columns for printing: options, and what follows from them for
 * a file or for several side by side.
 */
#include "cmd/pr.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/quote.h"
#include "cmd/locale.h"
#include "cmd/util.h"
#include "text/datefmt.h"

/* ---- Options ---- */

static int pr_number(struct tsb_proc *p, const char *arg, int64_t min, const char *what, int64_t *v)
{
	enum num_result result = num_i64(arg + strspn(arg, " \t\n\v\f\r"), v);

	if (result == NUM_OK && *v >= min && *v <= INT_MAX)
		return 0;
	if (result != NUM_OK && result != NUM_RANGE)
		tsb_warn(p, "%s: %s", what, quote_text(p, arg));
	else
		tsb_warn_errno(p, *v > INT_MAX / 2 || *v < INT_MIN / 2 ? EOVERFLOW : ERANGE, "%s: %s",
			       what, quote_text(p, arg));
	return 1;
}

static int pr_opt_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct pr *r = opts;
	int64_t v = 0;
	int status;

	r->digits_open = false;
	switch (opt->value) {
	case 'l':
		return pr_number(p, arg, 1, "'-l PAGE_LENGTH' invalid number of lines",
				 &r->page_length);
	case 'N':
		r->skip_count_off = true;
		return pr_number(p, arg, INT_MIN, "'-N NUMBER' invalid starting line number",
				 &r->first_number);
	case 'o':
		return pr_number(p, arg, 0, "'-o MARGIN' invalid line offset", &r->margin);
	case 'W':
		r->old_w = false;
		r->truncate = true;
		return pr_number(p, arg, 1, "'-W PAGE_WIDTH' invalid number of characters",
				 &r->page_width);
	case 'w':
		r->old_options = r->old_w = true;
		status = pr_number(p, arg, 1, "'-w PAGE_WIDTH' invalid number of characters", &v);
		if (!status && !r->truncate)
			r->page_width = v;
		return status;
	default:
		r->columns_given = true;
		str_reset(&r->digits);
		return pr_number(p, arg, 1, "invalid number of columns", &r->columns);
	}
}

static int pr_opt_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct pr *r = opts;

	(void)opt;
	if (!r->digits.heap)
		str_init(&r->digits, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!r->digits_open)
		str_reset(&r->digits);
	str_adds(&r->digits, arg);
	r->digits_open = true;
	return 0;
}

/* CHAR, WIDTH, or both. */
static int pr_opt_byte(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct pr *r = opts;
	int *byte = opt->value == 'e' ? &r->in_tab_byte : opt->value == 'i' ? &r->out_tab_byte :
		    &r->number_separator;
	int64_t *width = opt->value == 'e' ? &r->in_tab : opt->value == 'i' ? &r->out_tab :
			 &r->number_digits, v = 0;
	enum num_result result;

	r->digits_open = false;
	r->expand |= opt->value == 'e';
	r->tabify |= opt->value == 'i';
	r->numbers |= opt->value == 'n';
	if (!arg)
		return 0;
	if (*arg < '0' || *arg > '9')
		*byte = (unsigned char)*arg++;
	if (!*arg)
		return 0;
	result = num_i64(arg, &v);
	if (result == NUM_OK && v > 0 && v <= INT_MAX) {
		*width = v;
		return 0;
	}
	if (result == NUM_RANGE || (result == NUM_OK && v > 0))
		tsb_warn_errno(p, EOVERFLOW, "'-%c' extra characters or invalid number in the "
			       "argument: %s", opt->value, quote_text(p, arg));
	else
		tsb_warn(p, "'-%c' extra characters or invalid number in the argument: %s",
			 opt->value, quote_text(p, arg));
	return tsb_usage(p, NULL);
}

static int pr_opt_separator(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct pr *r = opts;

	(void)p;
	r->digits_open = false;
	if (opt->value == 's') {
		r->old_options = r->old_s = true;
		if (!r->separated && arg)
			r->separator = arg;
		return 0;
	}
	r->old_s = false;
	r->separated = true;
	r->separator = arg ? arg : "";
	return 0;
}

static int pr_opt_flag(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct pr *r = opts;

	(void)p;
	r->digits_open = false;
	switch (opt->value) {
	case 'a': r->across = true; break;
	case 'c': r->caret = true; break;
	case 'd': r->double_space = true; break;
	case 'f': r->form_feed = true; break;
	case 'J': r->join = true; break;
	case 'm': r->merge = true; break;
	case 'r': r->quiet = true; break;
	case 't': case 'T':
		r->no_headers = true;
		r->keep_ff = opt->value == 't';
		break;
	case 'v': r->octal = true; break;
	case 'D': r->date_format = arg; break;
	case 'h': r->header = arg; break;
	default: break;
	}
	return 0;
}

/* A page number at *s; 0: it is none. -1: after a message. */
static int pr_page(struct tsb_proc *p, const char **s, bool more, const char *all, bool plus,
		   uint64_t *v)
{
	size_t n = strspn(*s, "0123456789");
	enum num_result result = NUM_INVALID;

	if (n && (more || !(*s)[n]))
		result = num_u64(tsb_strndup(p, *s, n), v);
	if (result == NUM_OK) {
		*s += n;
		return 1;
	}
	if (result == NUM_RANGE)
		tsb_warn(p, "%s argument '%s' too large", plus ? "+" : "--pages", all);
	else
		tsb_warn(p, "invalid %s argument '%s'", plus ? "+" : "--pages", all);
	return -1;
}

/* FIRST[:LAST]: 1, 0 if it is no range, or -1 after a message. */
static int pr_pages(struct tsb_proc *p, struct pr *r, const char *arg, bool plus)
{
	uint64_t first = 0, last = UINT64_MAX;
	const char *s = arg;

	if (pr_page(p, &s, true, arg, plus, &first) < 0)
		return -1;
	if (!first)
		return 0;
	if (*s == ':') {
		s++;
		if (pr_page(p, &s, false, arg, plus, &last) < 0)
			return -1;
		if (last < first)
			return 0;
	}
	if (*s)
		return 0;
	r->first_page = first;
	r->last_page = last;
	return 1;
}

static int pr_opt_pages(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct pr *r = opts;
	int found;

	(void)opt;
	r->digits_open = false;
	r->pages_given = true;
	found = pr_pages(p, r, arg, false);
	if (found > 0)
		return 0;
	if (!found)
		tsb_warn(p, "invalid page range %s", quote_text(p, arg));
	return 1;
}

static const struct tsb_opt pr_opts[] = {
	TSB_OPT_CALL(pr_opt_pages, 0, 0, "pages", "FIRST_PAGE[:LAST_PAGE]",
		     "begin [stop] printing with page FIRST_[LAST_]PAGE, as +FIRST_PAGE[:LAST_PAGE]"),
	TSB_OPT_CALL(pr_opt_number, 'C', 0, "columns", "COLUMN",
		     "output COLUMN columns and print columns down, unless -a is used"),
	TSB_OPT_DIGITS_CALL(pr_opt_digits, "same as --columns=NUM"),
	TSB_OPT_CALL(pr_opt_flag, 'a', 'a', "across", NULL,
		     "print columns across rather than down, used together with -COLUMN"),
	{ TSB_OPTION_CALL, 'b', NULL, NULL, "balance the columns, as always", 0, 'b',
	  TSB_ARG_NONE | TSB_OPT_HIDDEN, pr_opt_flag },
	TSB_OPT_CALL(pr_opt_flag, 'c', 'c', "show-control-chars", NULL,
		     "use hat notation (^G) and octal backslash notation"),
	TSB_OPT_CALL(pr_opt_flag, 'd', 'd', "double-space", NULL, "double space the output"),
	TSB_OPT_CALL(pr_opt_flag, 'D', 'D', "date-format", "FORMAT", "use FORMAT for the header date"),
	TSB_OPT_CALL_OPT(pr_opt_byte, 'e', 'e', "expand-tabs", "CHAR[WIDTH]",
			 "expand input CHARs (TABs) to tab WIDTH (8)"),
	TSB_OPT_CALL(pr_opt_flag, 'f', 'F', "form-feed", NULL,
		     "use form feeds instead of newlines to separate pages"),
	TSB_OPT_CALL(pr_opt_flag, 'f', 'f', NULL, NULL, NULL),
	TSB_OPT_CALL(pr_opt_flag, 'h', 'h', "header", "HEADER",
		     "use a centered HEADER instead of filename in page header, -h \"\" prints a "
		     "blank line"),
	TSB_OPT_CALL_OPT(pr_opt_byte, 'i', 'i', "output-tabs", "CHAR[WIDTH]",
			 "replace spaces with CHARs (TABs) to tab WIDTH (8)"),
	TSB_OPT_CALL(pr_opt_flag, 'J', 'J', "join-lines", NULL,
		     "merge full lines, turns off -W line truncation, no column alignment"),
	TSB_OPT_CALL(pr_opt_number, 'l', 'l', "length", "PAGE_LENGTH",
		     "set the page length to PAGE_LENGTH (66) lines; implies -t if it is at most 10"),
	TSB_OPT_CALL(pr_opt_flag, 'm', 'm', "merge", NULL,
		     "print all files in parallel, one in each column, truncate lines, but join "
		     "lines of full length with -J"),
	TSB_OPT_CALL_OPT(pr_opt_byte, 'n', 'n', "number-lines", "SEP[DIGITS]",
			 "number lines, use DIGITS (5) digits, then SEP (TAB)"),
	TSB_OPT_CALL(pr_opt_number, 'N', 'N', "first-line-number", "NUMBER",
		     "start counting with NUMBER at 1st line of first page printed"),
	TSB_OPT_CALL(pr_opt_number, 'o', 'o', "indent", "MARGIN",
		     "offset each line with MARGIN (zero) spaces"),
	TSB_OPT_CALL(pr_opt_flag, 'r', 'r', "no-file-warnings", NULL,
		     "omit warning when a file cannot be opened"),
	TSB_OPT_CALL_OPT(pr_opt_separator, 's', 's', "separator", "CHAR",
			 "separate columns by a single character, default for CHAR is the <TAB> "
			 "character without -w and 'no char' with -w"),
	TSB_OPT_CALL_OPT(pr_opt_separator, 'S', 'S', "sep-string", "STRING",
			 "separate columns by STRING"),
	TSB_OPT_CALL(pr_opt_flag, 't', 't', "omit-header", NULL,
		     "omit page headers and trailers; implied if PAGE_LENGTH <= 10"),
	TSB_OPT_CALL(pr_opt_flag, 'T', 'T', "omit-pagination", NULL,
		     "omit page headers and trailers, eliminate any pagination by form feeds set "
		     "in input files"),
	TSB_OPT_CALL(pr_opt_flag, 'v', 'v', "show-nonprinting", NULL, "use octal backslash notation"),
	TSB_OPT_CALL(pr_opt_number, 'w', 'w', "width", "PAGE_WIDTH",
		     "set page width to PAGE_WIDTH (72) characters for multiple text-column output "
		     "only, -s[char] turns off (72)"),
	TSB_OPT_CALL(pr_opt_number, 'W', 'W', "page-width", "PAGE_WIDTH",
		     "set page width to PAGE_WIDTH (72) characters always, truncate lines, except "
		     "-J option is set"),
	TSB_OPT_END
};

/* What the old options mean depends on the others. */
static void pr_settle(struct pr *r)
{
	bool columns = r->merge || r->columns_given;

	if (r->old_options && r->old_w) {
		if (columns) {
			r->truncate = true;
			r->separated |= r->old_s;
		} else {
			r->join = true;
		}
	} else if (r->old_options && !r->separated && r->old_s && columns) {
		if (r->truncate) {
			r->separated = true;
		} else {
			r->join = true;
			r->separated = r->separator && *r->separator;
		}
	}
}

/* ---- A run ---- */

static void pr_init_columns(struct pr *r)
{
	r->sep = r->separator ? r->separator : "";
	r->sep_length = (int64_t)strlen(r->sep);
	if (r->columns <= 1) {
		r->storing = false;
		return;
	}
	if (!r->separated) {
		r->sep = r->join ? "\t" : " ";
		r->sep_length = 1;
		r->separated = true;
	} else if (!r->join && !strcmp(r->sep, "\t")) {
		r->sep = " ";
	}
	r->separator = r->sep;
	r->truncate = true;
	r->expand |= strcmp(r->sep, "\t") != 0;
	r->tabify = true;
}

static int pr_init(struct pr *r, int n_files)
{
	int64_t beside = 0, room, gaps;

	r->header_lines = r->footer_lines = 5;
	r->extremities = !r->no_headers;
	r->body = r->page_length - r->header_lines - r->footer_lines;
	if (r->body <= 0) {
		r->extremities = false;
		r->keep_ff = true;
	}
	if (!r->extremities)
		r->body = r->page_length;
	if (r->double_space)
		r->body = r->body / 2 ? r->body / 2 : 1;
	if (!n_files)
		r->merge = false;
	if (r->merge)
		r->columns = n_files;
	r->storing = !r->across && !r->merge;
	pr_init_columns(r);
	if (r->join)
		r->truncate = false;
	if (r->numbers) {
		r->line_count = r->first_number;
		r->number_width = r->number_digits + 1;
		if (r->number_separator == '\t')
			r->number_width = r->number_digits + pr_tab_width(8, r->number_digits);
		if (r->merge)
			beside = r->number_width;
	}
	if (__builtin_mul_overflow(r->columns - 1, r->sep_length, &gaps))
		gaps = INT_MAX;
	room = r->page_width - beside - gaps;
	r->column_width = room / r->columns;
	if (r->column_width >= 1)
		return 0;
	sink_flush(&r->out);
	tsb_warn(r->p, "page width too narrow");
	return 1;
}

static bool pr_open(struct pr *r, const char *name, struct pr_column *c)
{
	int fd = name ? input_open(r->p, name) : 0;

	if (fd < 0) {
		r->failed = true;
		if (!r->quiet) {
			sink_flush(&r->out);
			tsb_warn_errno(r->p, fd, "%s", quote_f(r->p, name));
		}
		return false;
	}
	c->file = tsb_alloc(r->p, sizeof(*c->file));
	c->file->fd = fd;
	c->file->back = -1;
	c->name = name && strcmp(name, "-") ? name : "standard input";
	c->status = PR_OPEN;
	tsb_reader_init(&c->file->in, r->p, fd);
	r->total_files++;
	return true;
}

static void pr_init_header(struct pr *r, const char *name, int fd)
{
	struct tsb_time t = tsb_clock(r->p, TSB_CLOCK_REAL);
	const char *format = r->date_format;
	struct date_moment m;
	struct tsb_stat st;
	struct zone zone;
	struct str text;

	if (fd > 0 && !tsb_fstat(r->p, fd, &st))
		t = st.mtime;
	if (!format)
		format = tsb_getenv(r->p, "POSIXLY_CORRECT") &&
			 locale_is_c(r->p, "LC_TIME") ? "%b %e %H:%M %Y" : "%Y-%m-%d %H:%M";
	zone_init(&zone, tsb_getenv(r->p, "TZ"));
	str_init(&text, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	if (date_moment(&m, t.sec, t.nsec, &zone))
		date_format(&text, format, strlen(format), &m);
	r->date_text = str_take(&text, NULL);
	r->file_text = r->header ? r->header : fd > 0 ? name : "";
	r->header_room = r->page_width - (int64_t)utf8_columns(r->date_text, strlen(r->date_text)) -
			 (int64_t)utf8_columns(r->file_text, strlen(r->file_text));
}

static bool pr_open_all(struct pr *r, char **names, int n)
{
	int64_t open = 0;
	size_t bytes;

	if (!num_mul((size_t)r->columns, sizeof(*r->column), &bytes))
		bytes = SIZE_MAX;
	r->column = tsb_alloc(r->p, bytes);
	r->total_files = 0;
	if (r->merge) {
		for (int i = 0; i < n; i++)
			open += pr_open(r, names[i], &r->column[open]);
		r->columns = open;
		pr_init_header(r, "", -1);
	} else if (pr_open(r, n ? names[0] : NULL, &r->column[0])) {
		pr_init_header(r, n ? names[0] : "", r->column[0].file->fd);
		for (open = 1; open < r->columns; open++)
			r->column[open] = r->column[0];
	}
	r->ready = r->total_files;
	return open > 0;
}

/* Where each column begins, and how it is printed. */
static void pr_place_columns(struct pr *r)
{
	int64_t at = r->margin, next = at + r->column_width;

	if (r->merge && r->numbers)
		next += r->number_width;
	if (!r->truncate)
		next = 0;
	at += r->sep_length;
	for (int64_t i = 0; i < r->columns; i++) {
		struct pr_column *c = &r->column[i];

		c->stored = c->to_store = r->storing;
		c->numbered = r->numbers && (!r->merge || !i);
		c->start = at;
		at = r->truncate ? next + r->sep_length : 0;
		next = r->truncate ? at + r->column_width : 0;
	}
}

/* Passes over the pages in front of the first: false when the input ends. */
static bool pr_skip_pages(struct pr *r)
{
	for (uint64_t page = 1; page < r->first_page; page++) {
		for (int64_t line = 0; line < r->body; line++) {
			r->last_line = line + 1 == r->body;
			for (int64_t i = 0; i < r->columns; i++)
				if (r->column[i].status == PR_OPEN)
					pr_skip_line(r, &r->column[i], !i);
			if (!r->ready)
				break;
		}
		for (int64_t i = 0; i < r->columns; i++) {
			struct pr_column *c = &r->column[i];

			if (r->storing && c->status != PR_CLOSED)
				c->status = PR_ON_HOLD;
			if (c->status == PR_ON_HOLD) {
				c->status = PR_OPEN;
				r->ready++;
			}
		}
		if (r->storing)
			r->ready = r->column[0].status != PR_CLOSED;
		r->last_line = false;
		if (r->ready > 0)
			continue;
		sink_flush(&r->out);
		tsb_warn(r->p, "starting page number %llu exceeds page count %llu",
			 (unsigned long long)r->first_page, (unsigned long long)page);
		return false;
	}
	return true;
}

static void pr_run_files(struct pr *r, char **names, int n)
{
	if (pr_init(r, n))
		tsb_exit(r->p, 1);
	if (!pr_open_all(r, names, n))
		return;
	r->page = 1;
	if (r->first_page > 1) {
		if (!pr_skip_pages(r))
			return;
		r->page = r->first_page;
	}
	pr_place_columns(r);
	r->line_number = r->line_count;
	while (pr_print_page(r))
		;
}

static int pr_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct pr *r = opts;
	char **names = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*names));
	int n = 0, found;

	r->p = p;
	for (int i = 0; i < argc; i++) {
		found = 0;
		if (!r->first_page && argv[i][0] == '+')
			found = pr_pages(p, r, argv[i] + 1, true);
		if (found < 0)
			return 1;
		if (!found)
			names[n++] = argv[i];
	}
	if (r->digits.n) {
		r->columns_given = true;
		if (pr_number(p, r->digits.p, 1, "invalid number of columns", &r->columns))
			return 1;
	}
	r->first_page = r->first_page ? r->first_page : 1;
	if (r->merge && (r->columns_given || r->across)) {
		tsb_warn(p, r->columns_given ?
			 "cannot specify number of columns when printing in parallel" :
			 "cannot specify both printing across and printing in parallel");
		return 1;
	}
	pr_settle(r);
	sink_init(&r->out, p);
	str_init(&r->store, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_init(&r->clump, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!n || r->merge)
		pr_run_files(r, names, n);
	for (int i = 0; i < n && !r->merge; i++)
		pr_run_files(r, names + i, 1);
	sink_flush(&r->out);
	return r->failed;
}

static const struct pr pr_defaults = {
	.columns = 1, .page_length = 66, .page_width = 72, .first_number = 1, .line_count = 1,
	.in_tab = 8, .out_tab = 8, .number_digits = 5, .in_tab_byte = '\t', .out_tab_byte = '\t',
	.number_separator = '\t', .last_page = UINT64_MAX,
};

const struct tsb_command cmd_pr = {
	CMD_COREUTILS, .name = "pr", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Paginate or columnate FILE(s) for printing.",
	.opts = pr_opts, .opts_size = sizeof(struct pr), .defaults = &pr_defaults, .run = pr_run,
};
