/*
 * cut - parts of lines.
 *
 * The list is kept as sorted ranges, and each line is walked once along with
 * them; behind the last range nothing is looked at.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/lines.h"
#include "cmd/ranges.h"
#include "cmd/util.h"

struct cut {
	struct tsb_proc *p;
	const char *list, *out_delim, *delim_arg;
	bool twice, complement, only_delimited, zero, unsplit;
	int kind;		/* 'b', 'c' or 'f' */
	int delim, end;
	size_t n_out;
	struct ranges ranges;
	struct sink out;
};

static int cut_set_list(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			const char *arg)
{
	struct cut *o = opts;

	if (o->kind)
		return tsb_usage(p, "only one list may be specified");
	o->kind = opt->value;
	o->list = arg;
	return 0;
}

static int cut_set_delim(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct cut *o = opts;

	(void)opt;
	if (arg[0] && arg[1])
		return tsb_usage(p, "the delimiter must be a single character");
	o->delim_arg = arg;
	return 0;
}

static const struct tsb_opt cut_opts[] = {
	TSB_OPT_CALL(cut_set_list, 'b', 'b', "bytes", "LIST", "select only these bytes"),
	TSB_OPT_CALL(cut_set_list, 'c', 'c', "characters", "LIST", "select only these characters"),
	TSB_OPT_CALL(cut_set_list, 'f', 'f', "fields", "LIST",
		     "select only these fields; also print any line that contains no delimiter "
		     "character, unless the -s option is specified"),
	TSB_OPT_CALL(cut_set_delim, 'd', 'd', "delimiter", "DELIM",
		     "use DELIM instead of TAB for field delimiter"),
	TSB_OPT_FLAG(struct cut, unsplit, 'n', NULL, "(ignored)"),
	TSB_OPT_FLAG(struct cut, only_delimited, 's', "only-delimited",
		     "do not print lines not containing delimiters"),
	TSB_OPT_STR(struct cut, out_delim, 0, "output-delimiter", "STRING",
		    "use STRING as the output delimiter; the default is to use the input "
		    "delimiter"),
	TSB_OPT_FLAG(struct cut, complement, 0, "complement",
		     "complement the set of selected bytes, characters or fields"),
	TSB_OPT_FLAG(struct cut, zero, 'z', "zero-terminated",
		     "line delimiter is NUL, not newline"),
	TSB_OPT_END
};

/* n bytes without the line's end. */
static void cut_bytes(struct cut *o, const char *line, size_t n)
{
	const struct range *r = o->ranges.at, *end = r + o->ranges.n;

	for (bool first = true; r < end && r->lo <= n; r++, first = false) {
		size_t lo = (size_t)r->lo - 1, hi = r->hi < n ? (size_t)r->hi : n;

		if (!first && o->out_delim)
			sink_put(&o->out, o->out_delim, o->n_out);
		sink_put(&o->out, line + lo, hi - lo);
	}
	sink_putc(&o->out, o->end);
}

/* The fields of a line that has a delimiter at `at`. */
static void cut_split(struct cut *o, const char *line, const char *end, const char *at)
{
	const struct range *r = o->ranges.at, *last = r + o->ranges.n;
	bool first = true;
	uint64_t number = 1;

	for (;;) {
		if (number > r->hi && ++r == last)
			break;
		if (number >= r->lo) {
			/* To the end of the line there is nothing left to decide. */
			bool rest = r->hi == UINT64_MAX && o->n_out == 1 &&
				    o->out_delim[0] == (char)o->delim;

			if (!first)
				sink_put(&o->out, o->out_delim, o->n_out);
			first = false;
			if (rest)
				at = NULL;
			sink_put(&o->out, line, (size_t)((at ? at : end) - line));
		}
		if (!at)
			break;
		line = at + 1;
		at = memchr(line, o->delim, (size_t)(end - line));
		number++;
	}
	sink_putc(&o->out, o->end);
}

static void cut_fields(struct cut *o, const char *line, size_t n)
{
	const char *at = memchr(line, o->delim, n);

	if (at) {
		cut_split(o, line, line + n, at);
	} else if (!o->only_delimited) {
		sink_put(&o->out, line, n);
		sink_putc(&o->out, o->end);
	}
}

/* -d $'\n': the lines are the fields of one record, the whole file. Its last
 * newline ends it, but makes it one that has delimiters. */
static int cut_record(struct cut *o, struct lines *in)
{
	char *text, *at;
	bool ended;
	size_t n;

	while (lines_fill(in))
		;
	text = in->buf + in->at;
	n = in->n - in->at;
	ended = n && text[n - 1] == (char)o->end;
	n -= ended;
	at = n ? memchr(text, o->delim, n) : NULL;
	if (!n && !ended)
		return in->error;
	if (!at && !ended)
		cut_fields(o, text, n);
	else if (at || !o->only_delimited || o->ranges.at[0].lo == 1)
		cut_split(o, text, text + n, at);
	return in->error;
}

static int cut_stream(struct cut *o, struct lines *in)
{
	size_t n, turns = 0;
	char *line;

	if (o->kind == 'f' && o->delim == o->end)
		return cut_record(o, in);
	while (lines_next(in, o->end, &line, &n)) {
		n -= line[n - 1] == (char)o->end;
		if (o->kind == 'f')
			cut_fields(o, line, n);
		else
			cut_bytes(o, line, n);
		if (++turns % 1024 == 0) {
			tsb_tick(o->p, 128);
			if (tsb_out_error(o->p))
				break;
		}
	}
	return in->error;
}

static int cut_file(struct cut *o, struct lines *in, const char *name)
{
	int fd = input_open(o->p, name), err = fd;

	if (fd >= 0) {
		lines_open(in, o->p, fd);
		err = cut_stream(o, in);
		sink_flush(&o->out);
		input_close(o->p, fd);
	}
	if (err >= 0)
		return 0;
	tsb_warn_errno(o->p, err, "%s", quote_f(o->p, name));
	return 1;
}

static int cut_check(struct cut *o)
{
	int status;

	if (!o->kind)
		return tsb_usage(o->p, "you must specify a list of bytes, characters, or fields");
	if (o->kind != 'f' && o->delim_arg)
		return tsb_usage(o->p, "an input delimiter may be specified only when operating on "
				       "fields");
	if (o->kind != 'f' && o->only_delimited)
		return tsb_usage(o->p, "suppressing non-delimited lines makes sense\n\tonly when "
				       "operating on fields");
	status = ranges_parse(o->p, o->list, o->kind != 'f', o->complement, &o->ranges);
	o->end = o->zero ? '\0' : '\n';
	o->delim = o->delim_arg ? (unsigned char)o->delim_arg[0] : '\t';
	if (o->out_delim) {
		/* An empty string is one NUL byte. */
		o->n_out = o->out_delim[0] ? strlen(o->out_delim) : 1;
	} else if (o->kind == 'f') {
		char *d = tsb_alloc(o->p, 2);

		d[0] = (char)o->delim;
		o->out_delim = d;
		o->n_out = 1;
	}
	return status;
}

static int cut_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char dash[] = "-";
	char *standard[] = { dash, NULL };
	struct lines in = { 0 };
	struct cut *o = opts;
	int status;

	o->p = p;
	status = cut_check(o);
	if (status)
		return status;
	sink_init(&o->out, p);
	if (!argc)
		argv = standard;
	for (int i = 0; argv[i] && !tsb_out_error(p); i++)
		status |= cut_file(o, &in, argv[i]);
	return status;
}

const struct tsb_command cmd_cut = {
	CMD_COREUTILS, .name = "cut",
	.synopsis = "OPTION... [FILE]...",
	.summary = "Print selected parts of lines from each FILE to standard output.",
	.opts = cut_opts, .opts_size = sizeof(struct cut), .run = cut_run,
};
