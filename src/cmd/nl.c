/*
 * nl - number the lines of files. A text is made of logical pages: a header, a
 * body and a footer, each begun by a line of delimiters and numbered in a style
 * of its own.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/num.h"
#include "cmd/lines.h"
#include "cmd/locale.h"
#include "cmd/util.h"
#include "text/regex.h"

enum { NL_HEADER, NL_BODY, NL_FOOTER, NL_SECTIONS };

struct nl_style {
	char kind;		/* a t n p */
	struct regex *re;
};

struct nl {
	struct tsb_proc *p;
	bool keep;		/* -p: pages go on counting */
	struct nl_style style[NL_SECTIONS];
	const char *delim, *separator;
	int64_t start, step, blank_join, width;
	char format;		/* l: left, r: right, z: zeros */
	bool wrong;		/* an option was */
	/* at work */
	int section;
	int64_t number, blanks;
	bool overflow;
	size_t n_delim, n_separator;
	struct sink out;
};

/* ---- Options ---- */

static void nl_tick(void *p, size_t steps)
{
	tsb_tick(p, steps / 64 + 1);
}

static int nl_set_pattern(struct tsb_proc *p, struct nl_style *style, const char *pattern)
{
	const char *error = NULL;

	style->re = regex_compile(tsb_heap_of(p), pattern, strlen(pattern),
				  locale_utf8(p) ? REGEX_UTF8 : 0, &error);
	if (!style->re) {
		tsb_warn(p, "%s", error);
		return 1;
	}
	regex_on_tick(style->re, nl_tick, p);
	return 0;
}

/* A style or format that is none is told of at once, but the options are read on. */
static int nl_wrong(struct tsb_proc *p, struct nl *o, const char *message)
{
	tsb_warn(p, "%s", message);
	o->wrong = true;
	return 0;
}

static int nl_set_style(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const names[] = { "header", "body", "footer" };
	struct nl *o = opts;
	struct nl_style *style = &o->style[opt->value];

	if (*arg == 'p') {
		style->kind = 'p';
		return nl_set_pattern(p, style, arg + 1);
	}
	if ((*arg != 'a' && *arg != 't' && *arg != 'n') || arg[1])
		return nl_wrong(p, o, tsb_format(p, "invalid %s numbering style: %s",
						 names[opt->value], quote_text(p, arg)));
	style->kind = *arg;
	return 0;
}

struct nl_number {
	const char *what;
	int64_t min, max;
	size_t offset;
};

static int nl_set_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	static const struct nl_number numbers[] = {
		{ "line number increment", INT64_MIN, INT64_MAX, offsetof(struct nl, step) },
		{ "line number of blank lines", 1, INT64_MAX, offsetof(struct nl, blank_join) },
		{ "starting line number", INT64_MIN, INT64_MAX, offsetof(struct nl, start) },
		{ "line number field width", 1, INT_MAX, offsetof(struct nl, width) },
	};
	const struct nl_number *n = &numbers[opt->value];
	int64_t v = 0;
	enum num_result r = num_isuffixed(arg, "", &v);
	int err = 0;

	if (r == NUM_RANGE || (r == NUM_OK && v > n->max))
		err = EOVERFLOW;
	else if (r == NUM_OK && v < n->min)
		err = ERANGE;
	if (r != NUM_OK || err) {
		if (err)
			tsb_warn_errno(p, err, "invalid %s: %s", n->what, quote_text(p, arg));
		else
			tsb_warn(p, "invalid %s: %s", n->what, quote_text(p, arg));
		return 1;
	}
	*(int64_t *)(void *)((char *)opts + n->offset) = v;
	return 0;
}

static int nl_set_format(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct nl *o = opts;

	(void)opt;
	if (!strcmp(arg, "ln"))
		o->format = 'l';
	else if (!strcmp(arg, "rn"))
		o->format = 'r';
	else if (!strcmp(arg, "rz"))
		o->format = 'z';
	else
		return nl_wrong(p, o, tsb_format(p, "invalid line numbering format: %s",
						 quote_text(p, arg)));
	return 0;
}

static const struct tsb_opt nl_opts[] = {
	TSB_OPT_CALL(nl_set_style, NL_BODY, 'b', "body-numbering", "STYLE",
		     "use STYLE for numbering body lines: a all, t nonempty, n none, pBRE those "
		     "that match"),
	TSB_OPT_STR(struct nl, delim, 'd', "section-delimiter", "CC",
		    "use CC for logical page delimiters"),
	TSB_OPT_CALL(nl_set_style, NL_FOOTER, 'f', "footer-numbering", "STYLE",
		     "use STYLE for numbering footer lines"),
	TSB_OPT_CALL(nl_set_style, NL_HEADER, 'h', "header-numbering", "STYLE",
		     "use STYLE for numbering header lines"),
	TSB_OPT_CALL(nl_set_number, 0, 'i', "line-increment", "NUMBER",
		     "line number increment at each line"),
	TSB_OPT_CALL(nl_set_number, 1, 'l', "join-blank-lines", "NUMBER",
		     "group of NUMBER empty lines counted as one"),
	TSB_OPT_CALL(nl_set_format, 'n', 'n', "number-format", "FORMAT",
		     "insert line numbers according to FORMAT: ln left, rn right, rz with zeros"),
	TSB_OPT_FLAG(struct nl, keep, 'p', "no-renumber",
		     "do not reset line numbers for each section"),
	TSB_OPT_STR(struct nl, separator, 's', "number-separator", "STRING",
		    "add STRING after (possible) line number"),
	TSB_OPT_CALL(nl_set_number, 2, 'v', "starting-line-number", "NUMBER",
		     "first line number for each section"),
	TSB_OPT_CALL(nl_set_number, 3, 'w', "number-width", "NUMBER",
		     "use NUMBER columns for line numbers"),
	TSB_OPT_END
};

static const struct nl nl_defaults = {
	.style = { { 'n', NULL }, { 't', NULL }, { 'n', NULL } }, .delim = "\\:",
	.separator = "\t", .start = 1, .step = 1, .blank_join = 1, .width = 6, .format = 'r',
};

/* ---- Lines ---- */

/* false: the numbers have come to their end. */
static bool nl_put_number(struct nl *o)
{
	char digits[32];
	size_t n, width = (size_t)o->width;

	if (o->overflow) {
		tsb_warn(o->p, "line number overflow");
		return false;
	}
	n = num_format_i64(digits, o->number);
	if (o->format == 'z' && o->number < 0 && n < width)
		sink_putc(&o->out, '-');
	if (o->format != 'l')
		for (size_t i = n; i < width; i++)
			sink_putc(&o->out, o->format == 'z' ? '0' : ' ');
	if (o->format == 'z' && o->number < 0 && n < width)
		sink_put(&o->out, digits + 1, n - 1);
	else
		sink_put(&o->out, digits, n);
	if (o->format == 'l')
		for (size_t i = n; i < width; i++)
			sink_putc(&o->out, ' ');
	sink_put(&o->out, o->separator, o->n_separator);
	o->overflow = __builtin_add_overflow(o->number, o->step, &o->number);
	return true;
}

static void nl_put_blank(struct nl *o)
{
	for (size_t i = 0; i < (size_t)o->width + o->n_separator; i++)
		sink_putc(&o->out, ' ');
}

/* Does the line get a number? */
static bool nl_is_numbered(struct nl *o, const char *line, size_t n)
{
	const struct nl_style *style = &o->style[o->section];

	switch (style->kind) {
	case 'a':
		if (o->blank_join <= 1)
			return true;
		if (n || ++o->blanks == o->blank_join) {
			o->blanks = 0;
			return true;
		}
		return false;
	case 't':
		return n > 0;
	case 'p':
		return regex_match(style->re, line, n, 0, 0, NULL, 0) == REGEX_MATCH;
	default:
		return false;
	}
}

/* The section that the line begins, or -1. Three delimiters: a header, ... */
static int nl_section(const struct nl *o, const char *line, size_t n)
{
	static const int sections[] = { NL_FOOTER, NL_BODY, NL_HEADER };
	size_t times = o->n_delim ? n / o->n_delim : 0;

	if (!times || times > 3 || n % o->n_delim)
		return -1;
	for (size_t i = 0; i < times; i++)
		if (memcmp(line + i * o->n_delim, o->delim, o->n_delim))
			return -1;
	return sections[times - 1];
}

static void nl_begin(struct nl *o, int section)
{
	o->section = section;
	if (!o->keep) {
		o->number = o->start;
		o->overflow = false;
	}
	sink_putc(&o->out, '\n');
}

static bool nl_line(struct nl *o, const char *line, size_t n)
{
	int section = nl_section(o, line, n);

	if (section >= 0) {
		nl_begin(o, section);
		return true;
	}
	if (!nl_is_numbered(o, line, n))
		nl_put_blank(o);
	else if (!nl_put_number(o))
		return false;
	sink_put(&o->out, line, n);
	sink_putc(&o->out, '\n');
	return true;
}

/* ---- Files ---- */

static int nl_stream(struct nl *o, struct lines *in)
{
	size_t n, turns = 0;
	char *line;

	while (!tsb_out_error(o->p) && lines_next(in, '\n', &line, &n)) {
		n -= line[n - 1] == '\n';
		if (!nl_line(o, line, n)) {
			sink_flush(&o->out);
			tsb_exit(o->p, 1);
		}
		if (++turns % 1024 == 0)
			tsb_tick(o->p, 128);
	}
	return in->error;
}

static int nl_file(struct nl *o, struct lines *in, const char *name)
{
	int fd = input_open(o->p, name), err = fd;

	if (fd >= 0) {
		lines_open(in, o->p, fd);
		err = nl_stream(o, in);
		input_close(o->p, fd);
	}
	if (err >= 0)
		return 0;
	tsb_warn_errno(o->p, err, "%s", quote_f(o->p, name));
	return 1;
}

static int nl_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char dash[] = "-";
	char *standard[] = { dash, NULL };
	struct lines in = { 0 };
	struct nl *o = opts;
	int status = 0;

	o->p = p;
	if (o->wrong)
		return tsb_usage(p, NULL);
	o->section = NL_BODY;
	o->number = o->start;
	/* A second character that is missing is a colon. */
	if (strlen(o->delim) == 1)
		o->delim = tsb_format(p, "%s:", o->delim);
	o->n_delim = strlen(o->delim);
	o->n_separator = strlen(o->separator);
	sink_init(&o->out, p);
	if (!argc)
		argv = standard;
	for (int i = 0; argv[i] && !tsb_out_error(p); i++)
		status |= nl_file(o, &in, argv[i]);
	sink_flush(&o->out);
	return status;
}

const struct tsb_command cmd_nl = {
	CMD_COREUTILS, .name = "nl", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Write each FILE to standard output, with line numbers added.",
	.opts = nl_opts, .opts_size = sizeof(struct nl), .defaults = &nl_defaults, .run = nl_run,
};
