/*
 * head - the first part of files.
 *
 * "All but the last N" has two ways: a file that can seek is looked at from
 * its end, and anything else is held back in a buffer, only as much of it as
 * may still turn out to be the end. What was read and not printed is given
 * back to a file that can seek, so that the next reader goes on behind it.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/lines.h"
#include "cmd/rawopt.h"
#include "cmd/tailpos.h"
#include "cmd/util.h"

#define HEAD_BLOCK ((size_t)8 << 10)	/* what is read ahead of a pipe */

struct head {
	struct tsb_proc *p;
	bool bytes, all_but, zero;
	int headers;		/* 0: when several, 1: always, -1: never */
	uint64_t count;
	bool first_done;
	struct lines in;
};

static int head_number(struct tsb_proc *p, struct head *o, bool bytes, const char *arg)
{
	o->bytes = bytes;
	o->all_but = *arg == '-';
	if (o->all_but)
		arg++;
	return util_count(p, arg, bytes, &o->count);
}

static int head_set_count(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	return head_number(p, opts, opt->value == 'c', arg);
}

static int head_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	return tsb_usage(p, "invalid trailing option -- %c", *arg);
}

static const struct tsb_opt head_opts[] = {
	TSB_OPT_CALL(head_set_count, 'c', 'c', "bytes", "[-]NUM",
		     "print the first NUM bytes of each file; with the leading '-', print all but "
		     "the last NUM bytes of each file"),
	TSB_OPT_CALL(head_set_count, 'n', 'n', "lines", "[-]NUM",
		     "print the first NUM lines instead of the first 10; with the leading '-', "
		     "print all but the last NUM lines of each file"),
	{ TSB_OPTION_FLAG, 0, "-presume-input-pipe", NULL, "", offsetof(struct head, first_done),
	  0, TSB_OPT_HIDDEN, NULL },
	TSB_OPT_SET(struct head, headers, -1, 'q', "quiet",
		    "never print headers giving file names"),
	TSB_OPT_SET(struct head, headers, -1, 0, "silent", NULL),
	TSB_OPT_SET(struct head, headers, 1, 'v', "verbose",
		    "always print headers giving file names"),
	TSB_OPT_FLAG(struct head, zero, 'z', "zero-terminated",
		     "line delimiter is NUL, not newline"),
	{ TSB_OPTION_CALL, 0, NULL, "NUM", "", 0, 0, TSB_OPT_DIGITS | TSB_OPT_HIDDEN, head_digits },
	TSB_OPT_END
};

static const char *head_pretty(const char *name)
{
	return input_is_stdin(name) ? "standard input" : name;
}

static int head_read_error(struct head *o, int err, const char *name)
{
	tsb_warn_errno(o->p, err, "error reading %s", quote_af(o->p, head_pretty(name)));
	return 1;
}

/* ---- The first ---- */

static int head_first_bytes(struct head *o, const char *name, int fd)
{
	struct lines *in = &o->in;
	uint64_t left = o->count;

	lines_open(in, o->p, fd);
	while (left && !tsb_out_error(o->p)) {
		size_t want = left < LINES_BLOCK ? (size_t)left : LINES_BLOCK;
		ssize_t got = tsb_read(o->p, fd, in->buf, want);

		tsb_tick(o->p, 64);
		if (got < 0)
			return head_read_error(o, (int)got, name);
		if (!got)
			break;
		tsb_put(o->p, in->buf, (size_t)got);
		left -= (uint64_t)got;
	}
	return 0;
}

static int head_first_lines(struct head *o, const char *name, int fd)
{
	struct lines *in = &o->in;
	int delim = o->zero ? '\0' : '\n';
	uint64_t left = o->count;
	struct tsb_stat st;

	lines_open(in, o->p, fd);
	if (tsb_fstat(o->p, fd, &st) || !S_ISREG(st.mode))
		in->cap = HEAD_BLOCK;
	while (left && !tsb_out_error(o->p) && lines_fill(in)) {
		char *from = in->buf + in->at, *end = in->buf + in->n, *at = from, *nl;

		while (left && (nl = memchr(at, delim, (size_t)(end - at)))) {
			at = nl + 1;
			left--;
		}
		if (left)
			at = end;
		tsb_put(o->p, from, (size_t)(at - from));
		in->at = (size_t)(at - in->buf);
	}
	lines_unread(in);
	in->cap = LINES_BLOCK;
	return in->error ? head_read_error(o, in->error, name) : 0;
}

/* ---- All but the last ---- */

/* Prints a file from where it stands to `end`. */
static int head_until(struct head *o, const char *name, int fd, uint64_t from, uint64_t end)
{
	int64_t r = tsb_lseek(o->p, fd, (int64_t)from, SEEK_SET);

	if (r < 0)
		return head_read_error(o, (int)r, name);
	o->count = end > from ? end - from : 0;
	return head_first_bytes(o, name, fd);
}

static int head_seekable(struct head *o, const char *name, int fd, uint64_t from, uint64_t size)
{
	uint64_t end = size, count = o->count;
	int r = 0;

	if (o->bytes)
		end = size - from > count ? size - count : from;
	else if (count)
		r = tailpos_lines(o->p, fd, from, size, o->zero ? '\0' : '\n', count, &end);
	if (r < 0)
		return head_read_error(o, r, name);
	r = head_until(o, name, fd, from, end);
	o->count = count;
	return r;
}

/* Of [at, n) what cannot be among the last: lines are counted as they come. */
struct head_held {
	uint64_t lines;		/* delimiters in what is held */
	size_t seen;		/* bytes of it counted */
};

static void head_release_lines(struct head *o, struct head_held *h, bool at_end)
{
	struct lines *in = &o->in;
	int delim = o->zero ? '\0' : '\n';
	size_t from = in->at, held = in->n - in->at;
	bool partial;

	h->lines += tailpos_count(in->buf + in->at + h->seen, held - h->seen, delim);
	partial = at_end && held && in->buf[in->n - 1] != delim;
	while (h->lines + partial > o->count && in->at < in->n) {
		char *nl = memchr(in->buf + in->at, delim, in->n - in->at);

		in->at = nl ? (size_t)(nl - in->buf) + 1 : in->n;
		h->lines -= h->lines != 0;
		if (!nl)
			break;
	}
	tsb_put(o->p, in->buf + from, in->at - from);
	h->seen = in->n - in->at;
}

static int head_held(struct head *o, const char *name, int fd)
{
	struct lines *in = &o->in;
	struct head_held h = { 0, 0 };

	lines_open(in, o->p, fd);
	while (!tsb_out_error(o->p) && lines_fill(in)) {
		size_t held = in->n - in->at;

		if (!o->bytes) {
			head_release_lines(o, &h, false);
		} else if (held > o->count) {
			tsb_put(o->p, in->buf + in->at, held - (size_t)o->count);
			in->at += held - (size_t)o->count;
		}
	}
	if (!o->bytes && in->eof)
		head_release_lines(o, &h, true);
	lines_unread(in);
	return in->error ? head_read_error(o, in->error, name) : 0;
}

static int head_all_but(struct head *o, const char *name, int fd)
{
	struct tsb_stat st;
	int64_t from;

	if (!tsb_fstat(o->p, fd, &st) && S_ISREG(st.mode) && st.size > st.blksize &&
	    (from = tsb_lseek(o->p, fd, 0, SEEK_CUR)) >= 0)
		return head_seekable(o, name, fd, (uint64_t)from,
				     (uint64_t)from < st.size ? st.size : (uint64_t)from);
	return head_held(o, name, fd);
}

/* ---- Files ---- */

static int head_file(struct head *o, const char *name, bool header)
{
	int fd = input_open(o->p, name), status;

	if (fd < 0) {
		tsb_warn_errno(o->p, fd, "cannot open %s for reading", quote_af(o->p, name));
		return 1;
	}
	if (header)
		tsb_printf(o->p, "%s==> %s <==\n", o->first_done ? "\n" : "", head_pretty(name));
	o->first_done = true;
	status = o->all_but ? head_all_but(o, name, fd)
	       : o->bytes ? head_first_bytes(o, name, fd) : head_first_lines(o, name, fd);
	input_close(o->p, fd);
	return status;
}

/* ---- The obsolete form ---- */

struct head_old {
	int headers;
	bool bytes, zero;
};

/* -NUM[bcklmqvz]...: the digits and a multiplier as a number for head_number(). */
static int head_obsolete(struct tsb_proc *p, const char *arg, struct head_old *old, char **number)
{
	size_t digits = strspn(arg, "0123456789");
	char multiplier = 0;

	for (const char *s = arg + digits; *s; s++) {
		switch (*s) {
		case 'c': old->bytes = true; multiplier = 0; break;
		case 'b': case 'k': case 'm': old->bytes = true; multiplier = *s; break;
		case 'l': old->bytes = false; break;
		case 'q': old->headers = -1; break;
		case 'v': old->headers = 1; break;
		case 'z': old->zero = true; break;
		default:
			return tsb_usage(p, "invalid trailing option -- %c", *s);
		}
	}
	*number = tsb_alloc(p, digits + 2);
	memcpy(*number, arg, digits);
	(*number)[digits] = multiplier;
	return 0;
}

static int head_run(struct tsb_proc *p, void *raw, int argc, char **argv)
{
	static const struct head initial = { .count = 10 };
	static char dash[] = "-";
	char *standard[] = { dash, NULL }, *number = NULL;
	struct tsb_command cmd = cmd_head;
	struct head first = initial, *o;
	struct head_old old = { 0, false, false };
	struct opt_parsed parsed;
	int status = 0;

	(void)raw;
	if (argc && argv[0][0] == '-' && argv[0][1] >= '0' && argv[0][1] <= '9') {
		status = head_obsolete(p, argv[0] + 1, &old, &number);
		if (!status)
			status = head_number(p, &first, old.bytes, number);
		if (status)
			return status;
		first.headers = old.headers;
		first.zero = old.zero;
		argv++;
		argc--;
	}
	cmd.defaults = &first;
	if (!rawopt_parse(p, &cmd, argc, argv, &parsed, &status))
		return status;
	o = parsed.opts;
	o->p = p;
	if (!parsed.argc)
		parsed.argv = standard;
	for (int i = 0; parsed.argv[i] && !tsb_out_error(p); i++)
		status |= head_file(o, parsed.argv[i], o->headers > 0 ||
				    (!o->headers && parsed.argc > 1));
	if (tsb_out_error(p)) {
		tsb_warn_errno(p, tsb_out_error(p), "error writing %s", quote_af(p, "standard output"));
		tsb_out_forget(p);
		status = 1;
	}
	return status;
}

const struct tsb_command cmd_head = {
	CMD_COREUTILS, .name = "head",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Print the first 10 lines of each FILE to standard output. With more than one "
		   "FILE, precede each with a header giving the file name.",
	.opts = head_opts, .opts_size = sizeof(struct head), .run = head_run, .flags = TSB_RAW,
};
