/*
 * cat - join files and write them out.
 *
 * Without options blocks go through as they come. With them every byte is
 * looked at by one loop whose state (at the start of a line? how many empty
 * lines?) lives on from file to file, as if they were one text.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/lines.h"
#include "cmd/util.h"

struct cat {
	bool number, number_nonblank, squeeze, ends, tabs, nonprinting, unbuffered;
	struct tsb_proc *p;
	struct tsb_stat out;
	bool out_known;
	uint64_t line;
	int empty;		/* newlines in a row, at most 2; 1 at the very start */
	bool held_cr;		/* -E: a \r that may stand before \n */
	bool in_line;
	struct sink sink;
};

static int cat_set(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cat *o = opts;

	(void)p;
	(void)arg;
	if (opt->value != 'T')
		o->ends |= opt->value != 't';
	if (opt->value != 'e')
		o->tabs = true;
	o->nonprinting = true;
	return 0;
}

static const struct tsb_opt cat_opts[] = {
	TSB_OPT_FLAG(struct cat, number_nonblank, 'b', "number-nonblank",
		     "number nonempty output lines, overrides -n"),
	TSB_OPT_FLAG(struct cat, number, 'n', "number", "number all output lines"),
	TSB_OPT_FLAG(struct cat, squeeze, 's', "squeeze-blank",
		     "suppress repeated empty output lines"),
	TSB_OPT_FLAG(struct cat, nonprinting, 'v', "show-nonprinting",
		     "use ^ and M- notation, except for LFD and TAB"),
	TSB_OPT_FLAG(struct cat, ends, 'E', "show-ends", "display $ at end of each line"),
	TSB_OPT_FLAG(struct cat, tabs, 'T', "show-tabs", "display TAB characters as ^I"),
	TSB_OPT_CALL(cat_set, 'A', 'A', "show-all", NULL, "equivalent to -vET"),
	TSB_OPT_CALL(cat_set, 'e', 'e', NULL, NULL, "equivalent to -vE"),
	TSB_OPT_CALL(cat_set, 't', 't', NULL, NULL, "equivalent to -vT"),
	TSB_OPT_FLAG(struct cat, unbuffered, 'u', NULL, "(ignored)"),
	TSB_OPT_END
};

static bool cat_write_failed(struct cat *o)
{
	return tsb_out_error(o->p) != 0;
}

static void cat_line_number(struct cat *o)
{
	char digits[24];
	size_t n = num_format_u64(digits, ++o->line);

	if (n < 6)
		sink_put(&o->sink, "      ", 6 - n);
	sink_put(&o->sink, digits, n);
	sink_putc(&o->sink, '\t');
}

/* Returns whether the newline is printed. */
static bool cat_newline(struct cat *o)
{
	if (o->in_line) {
		o->empty = 1;
	} else {
		if (o->empty < 2)
			o->empty++;
		else if (o->squeeze)
			return false;
		if (o->number && !o->number_nonblank)
			cat_line_number(o);
	}
	if (o->held_cr)
		sink_puts(&o->sink, "^M");
	o->held_cr = false;
	if (o->ends)
		sink_putc(&o->sink, '$');
	sink_putc(&o->sink, '\n');
	o->in_line = false;
	return true;
}

static void cat_visible(struct cat *o, unsigned c)
{
	if (c >= 128) {
		sink_puts(&o->sink, "M-");
		c -= 128;
		if (c == '\t' || c == '\n') {
			sink_putc(&o->sink, '^');
			c += 64;
		}
	}
	if (c == 127) {
		sink_puts(&o->sink, "^?");
	} else if (c < 32 && c != '\t') {
		sink_putc(&o->sink, '^');
		sink_putc(&o->sink, (int)c + 64);
	} else {
		sink_putc(&o->sink, (int)c);
	}
}

static void cat_byte(struct cat *o, unsigned c)
{
	if (o->held_cr)
		sink_putc(&o->sink, '\r');
	o->held_cr = false;
	if (!o->in_line) {
		o->in_line = true;
		if (o->number || o->number_nonblank)
			cat_line_number(o);
	}
	if (c == '\t' && o->tabs)
		sink_puts(&o->sink, "^I");
	else if (o->nonprinting)
		cat_visible(o, c);
	else if (c == '\r' && o->ends)
		o->held_cr = true;
	else
		sink_putc(&o->sink, (int)c);
}

/* Bytes that go through as they are, within a line. */
static size_t cat_plain(const struct cat *o, const char *at, size_t n)
{
	const char *nl = memchr(at, '\n', n);
	size_t i = 0;

	n = nl ? (size_t)(nl - at) : n;
	if (o->nonprinting || o->ends)
		while (i < n && (unsigned char)at[i] - 32u < 95)
			i++;
	else if (o->tabs)
		while (i < n && at[i] != '\t')
			i++;
	else
		i = n;
	return i;
}

static void cat_block(struct cat *o, const char *at, size_t n)
{
	const char *end = at + n;

	while (at < end) {
		size_t plain;

		if (*at == '\n') {
			cat_newline(o);
			at++;
			continue;
		}
		cat_byte(o, (unsigned char)*at++);
		if (o->held_cr)
			continue;
		plain = cat_plain(o, at, (size_t)(end - at));
		sink_put(&o->sink, at, plain);
		at += plain;
	}
}

static int cat_end(struct cat *o, const char *name, const struct lines *in)
{
	if (!in->error)
		return 0;
	tsb_warn_errno(o->p, in->error, "%s", quote_f(o->p, name));
	return 1;
}

static int cat_formatted(struct cat *o, const char *name, int fd, struct lines *in)
{
	lines_open(in, o->p, fd);
	while (lines_fill(in)) {
		cat_block(o, in->buf + in->at, in->n - in->at);
		in->at = in->n;
		sink_flush(&o->sink);
		tsb_flush(o->p);
		if (cat_write_failed(o))
			return 0;
	}
	return cat_end(o, name, in);
}

static int cat_simple(struct cat *o, const char *name, int fd, struct lines *in)
{
	lines_open(in, o->p, fd);
	while (lines_fill(in)) {
		size_t at = in->at;

		in->at = in->n;
		if (!tsb_write_all(o->p, 1, in->buf + at, in->n - at))
			continue;
		/* Once more, where the failure is kept and told at the end. */
		tsb_put(o->p, in->buf + at, in->n - at);
		tsb_flush(o->p);
		if (cat_write_failed(o))
			return 0;
	}
	return cat_end(o, name, in);
}

/* A regular file copied to its own end would never end. */
static bool cat_into_itself(struct cat *o, int fd)
{
	struct tsb_stat st;

	return o->out_known && S_ISREG(o->out.mode) && !tsb_fstat(o->p, fd, &st) &&
	       util_same_file(&st, &o->out) &&
	       tsb_lseek(o->p, fd, 0, SEEK_CUR) < (int64_t)st.size;
}

static int cat_file(struct cat *o, const char *name, struct lines *in)
{
	bool plain = !(o->number || o->number_nonblank || o->squeeze || o->ends || o->tabs ||
		       o->nonprinting);
	int fd = input_open(o->p, name), status;

	if (fd < 0) {
		tsb_warn_errno(o->p, fd, "%s", quote_f(o->p, name));
		return 1;
	}
	if (cat_into_itself(o, fd)) {
		tsb_warn(o->p, "%s: input file is output file", quote_f(o->p, name));
		status = 1;
	} else {
		status = plain ? cat_simple(o, name, fd, in) : cat_formatted(o, name, fd, in);
	}
	input_close(o->p, fd);
	return status;
}

static int cat_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char dash[] = "-";
	char *standard[] = { dash, NULL };
	struct lines in = { 0 };
	struct cat *o = opts;
	int status = 0, err = tsb_fstat(p, 1, &o->out);

	if (err) {
		tsb_warn_errno(p, err, "standard output");
		return 1;
	}
	o->p = p;
	o->out_known = true;
	o->empty = 1;
	sink_init(&o->sink, p);
	if (!argc) {
		argv = standard;
		argc = 1;
	}
	for (int i = 0; i < argc && !cat_write_failed(o); i++)
		status |= cat_file(o, argv[i], &in);
	if (o->held_cr)
		sink_putc(&o->sink, '\r');
	sink_flush(&o->sink);
	return util_write_failed(p) ? 1 : status;
}

const struct tsb_command cmd_cat = {
	CMD_COREUTILS, .name = "cat",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Concatenate FILE(s) to standard output.",
	.opts = cat_opts, .opts_size = sizeof(struct cat), .run = cat_run,
};
