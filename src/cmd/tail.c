/*
 * tail - the last part of files: options and the first look at each file.
 *
 * A regular file is searched from its end; from anything else the last part is
 * kept while reading, and no more than that. Following is in tail_follow.c.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/float.h"
#include "cmd/rawopt.h"
#include "cmd/tail.h"
#include "cmd/tailpos.h"
#include "cmd/util.h"

static const struct tail tail_initial = {
	.count = 10, .sleep_ns = 1000000000, .follow = TAIL_DESCRIPTOR,
};

static int tail_set_count(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	struct tail *o = opts;

	o->bytes = opt->value == 'c';
	if (*arg == '+')
		o->from_start = true;
	else if (*arg == '-')
		arg++;
	return util_count(p, arg, o->bytes, &o->count);
}

static int tail_set_follow(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	static const struct util_word words[] = {
		{ "descriptor", TAIL_DESCRIPTOR }, { "name", TAIL_NAME }, { NULL, 0 },
	};
	struct tail *o = opts;
	int v = TAIL_DESCRIPTOR;

	o->forever = true;
	if (opt->value == 'F') {
		o->retry = true;
		v = TAIL_NAME;
	} else if (arg) {
		int status = util_word(p, "--follow", arg, words, &v);

		if (status)
			return status;
	}
	o->follow = (enum tail_follow)v;
	return 0;
}

static int tail_set_sleep(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	struct tail *o = opts;
	long double v;

	(void)opt;
	if (!float_parse(arg, &v) || !(v >= 0)) {
		tsb_warn(p, "invalid number of seconds: %s", quote_text(p, arg));
		return 1;
	}
	o->sleep_ns = v > 9e9L ? INT64_MAX : (int64_t)(v * 1e9L);
	return 0;
}

static int tail_set_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct tail *o = opts;
	bool pid = opt->value == 'p';
	const char *what = pid ? "invalid PID"
			       : "invalid maximum number of unchanged stats between opens";
	enum num_result r;
	uint64_t v;

	r = num_suffixed(arg, "", &v);
	if (r == NUM_OK && pid && v > INT32_MAX)
		r = NUM_RANGE;
	if (r == NUM_OK) {
		if (pid)
			o->pid = (int)v;
		else
			o->max_unchanged = v;
		return 0;
	}
	if (r == NUM_RANGE)
		tsb_warn_errno(p, EOVERFLOW, "%s: %s", what, quote_text(p, arg));
	else
		tsb_warn(p, "%s: %s", what, quote_text(p, arg));
	return 1;
}

static int tail_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	tsb_warn(p, "option used in invalid context -- %c", *arg);
	return 1;
}

static const struct tsb_opt tail_opts[] = {
	TSB_OPT_CALL(tail_set_count, 'c', 'c', "bytes", "[+]NUM",
		     "output the last NUM bytes; or use -c +NUM to output starting with byte NUM "
		     "of each file"),
	TSB_OPT_CALL_OPT(tail_set_follow, 0, 0, "follow", "HOW",
			 "output appended data as the file grows; HOW is name or descriptor "
			 "(default)"),
	TSB_OPT_CALL(tail_set_follow, 'f', 'f', NULL, NULL, "same as --follow=descriptor"),
	TSB_OPT_CALL(tail_set_follow, 'F', 'F', NULL, NULL, "same as --follow=name --retry"),
	TSB_OPT_CALL(tail_set_count, 'n', 'n', "lines", "[+]NUM",
		     "output the last NUM lines, instead of the last 10; or use -n +NUM to output "
		     "starting with line NUM"),
	TSB_OPT_CALL(tail_set_number, 'm', 0, "max-unchanged-stats", "N",
		     "with --follow=name, reopen a FILE which has not changed size after N "
		     "iterations to see if it has been unlinked or renamed"),
	TSB_OPT_CALL(tail_set_number, 'p', 0, "pid", "PID",
		     "with -f, terminate after process ID, PID dies"),
	{ TSB_OPTION_FLAG, 0, "-presume-input-pipe", NULL, "", offsetof(struct tail, as_pipe), 1,
	  TSB_OPT_HIDDEN, NULL },
	{ TSB_OPTION_FLAG, 0, "-disable-inotify", NULL, "", offsetof(struct tail, polls), 1,
	  TSB_OPT_HIDDEN, NULL },
	TSB_OPT_SET(struct tail, headers, -1, 'q', "quiet",
		    "never output headers giving file names"),
	TSB_OPT_FLAG(struct tail, retry, 0, "retry", "keep trying to open a file if it is "
		     "inaccessible"),
	TSB_OPT_SET(struct tail, headers, -1, 0, "silent", ""),
	TSB_OPT_CALL(tail_set_sleep, 's', 's', "sleep-interval", "N",
		     "with -f, sleep for approximately N seconds (default 1.0) between iterations"),
	TSB_OPT_SET(struct tail, headers, 1, 'v', "verbose",
		    "always output headers giving file names"),
	TSB_OPT_FLAG(struct tail, zero, 'z', "zero-terminated",
		     "line delimiter is NUL, not newline"),
	{ TSB_OPTION_CALL, 0, NULL, "NUM", "", 0, 0, TSB_OPT_DIGITS | TSB_OPT_HIDDEN, tail_digits },
	TSB_OPT_END
};

/* ---- Output of one file ---- */

void tail_header(struct tail *o, const char *name)
{
	tsb_printf(o->p, "%s==> %s <==\n", o->header_done ? "\n" : "", name);
	o->header_done = true;
}

static int tail_read_error(struct tail *o, struct tail_file *f, int err)
{
	tsb_warn_errno(o->p, err, "error reading %s", quote_af(o->p, f->pretty));
	return err;
}

/* Where GNU's copies what remains, an error is the end: no file behind it is shown. */
static void tail_fail(struct tail *o, struct tail_file *f, int err)
{
	tail_read_error(o, f, err);
	tsb_exit(o->p, 1);
}

/* From where the descriptor stands, at most max bytes; what was written. */
int64_t tail_dump(struct tail *o, struct tail_file *f, uint64_t max)
{
	struct lines *in = &o->in;
	uint64_t done = 0;

	lines_open(in, o->p, f->fd);
	while (done < max && !tsb_out_error(o->p)) {
		size_t want = max - done < LINES_BLOCK ? (size_t)(max - done) : LINES_BLOCK;
		ssize_t got = tsb_read(o->p, f->fd, in->buf, want);

		tsb_tick(o->p, 64);
		if (got == -EAGAIN || got == 0)
			break;
		if (got < 0)
			tail_fail(o, f, (int)got);
		tsb_put(o->p, in->buf, (size_t)got);
		done += (uint64_t)got;
	}
	return (int64_t)done;
}

/* ---- From the start ---- */

static int tail_skip_bytes(struct tail *o, struct tail_file *f, const struct tsb_stat *st)
{
	struct lines *in = &o->in;
	uint64_t left = o->count;

	if (!o->as_pipe && S_ISREG(st->mode) && left <= INT64_MAX &&
	    tsb_lseek(o->p, f->fd, (int64_t)left, SEEK_CUR) >= 0)
		left = 0;
	lines_open(in, o->p, f->fd);
	while (left && lines_fill(in)) {
		size_t n = in->n - in->at < left ? in->n - in->at : (size_t)left;

		in->at += n;
		left -= n;
		if (!left)
			tsb_put(o->p, in->buf + in->at, in->n - in->at);
		in->at = in->n;
	}
	if (in->error)
		tail_fail(o, f, in->error);
	return 0;
}

static int tail_skip_lines(struct tail *o, struct tail_file *f)
{
	struct lines *in = &o->in;
	uint64_t left = o->count;

	lines_open(in, o->p, f->fd);
	while (left && lines_fill(in)) {
		char *nl = in->buf + in->at;

		while (left && (nl = memchr(in->buf + in->at, o->delim, in->n - in->at))) {
			in->at = (size_t)(nl - in->buf) + 1;
			left--;
		}
		if (!left)
			tsb_put(o->p, in->buf + in->at, in->n - in->at);
		in->at = in->n;
	}
	return in->error ? tail_read_error(o, f, in->error) : 0;
}

/* ---- From the end, of a stream ---- */

/* Bytes to keep of what is in the buffer: only the last lines or bytes. */
static void tail_drop(struct tail *o, uint64_t *lines, size_t *seen)
{
	struct lines *in = &o->in;
	bool partial = in->n > in->at && in->buf[in->n - 1] != (char)o->delim;

	if (o->bytes) {
		if (in->n - in->at > o->count)
			in->at = in->n - (size_t)o->count;
		return;
	}
	*lines += tailpos_count(in->buf + in->at + *seen, in->n - in->at - *seen, o->delim);
	while (*lines + partial > o->count && in->at < in->n) {
		char *nl = memchr(in->buf + in->at, o->delim, in->n - in->at);

		if (!nl) {
			in->at = in->n;
			break;
		}
		in->at = (size_t)(nl - in->buf) + 1;
		--*lines;
	}
	*seen = in->n - in->at;
}

static int tail_stream(struct tail *o, struct tail_file *f)
{
	struct lines *in = &o->in;
	uint64_t lines = 0;
	size_t seen = 0;

	lines_open(in, o->p, f->fd);
	while (lines_fill(in))
		tail_drop(o, &lines, &seen);
	if (in->error)
		return tail_read_error(o, f, in->error);
	tsb_put(o->p, in->buf + in->at, in->n - in->at);
	return 0;
}

/* ---- One file ---- */

/* Where the last part begins in a file that can seek: false: read it as a stream. */
static bool tail_seek(struct tail *o, struct tail_file *f, const struct tsb_stat *st, int *err)
{
	int64_t at = tsb_lseek(o->p, f->fd, 0, SEEK_CUR);
	uint64_t pos;

	*err = 0;
	if (o->as_pipe || !S_ISREG(st->mode) || at < 0 || (uint64_t)at >= st->size)
		return false;
	pos = (uint64_t)at;
	if (!o->count)
		pos = st->size;
	else if (!o->bytes)
		*err = tailpos_lines(o->p, f->fd, pos, st->size, o->delim, o->count, &pos);
	else if (st->size - pos > o->count)
		pos = st->size - o->count;
	if (!*err && tsb_lseek(o->p, f->fd, (int64_t)pos, SEEK_SET) < 0)
		*err = -EIO;
	return true;
}

/* 0 or -errno, with the message given. */
static int tail_part(struct tail *o, struct tail_file *f, struct tsb_stat *st)
{
	int err = tsb_fstat(o->p, f->fd, st);
	int64_t n;

	if (err) {
		tsb_warn_errno(o->p, err, "cannot fstat %s", quote_af(o->p, f->pretty));
		return err;
	}
	if (o->from_start) {
		err = o->bytes ? tail_skip_bytes(o, f, st) : tail_skip_lines(o, f);
	} else if (!tail_seek(o, f, st, &err)) {
		return tail_stream(o, f);
	} else if (err) {
		return tail_read_error(o, f, err);
	}
	if (err)
		return err;
	n = tail_dump(o, f, UINT64_MAX);
	return n < 0 ? (int)n : 0;
}

static int tail_first_look(struct tail *o, struct tail_file *f, bool header)
{
	struct tsb_stat st;
	int err;

	f->pretty = input_is_stdin(f->name) ? "standard input" : f->name;
	f->fd = input_open(o->p, f->name);
	f->tailable = !(o->retry && f->fd < 0);
	if (f->fd < 0) {
		f->err = -f->fd;
		f->ignore = !o->retry;
		tsb_warn_errno(o->p, f->fd, "cannot open %s for reading",
			       quote_af(o->p, f->pretty));
		return 1;
	}
	if (header)
		tail_header(o, f->pretty);
	err = tail_part(o, f, &st);
	if (!o->forever) {
		input_close(o->p, f->fd);
		return err != 0;
	}
	return tail_follow_prepare(o, f, err, &st) || err;
}

/* ---- Arguments ---- */

/* -5, +5c, -20lf: at most with one file behind it. *status when it is bad. */
static bool tail_obsolete(struct tsb_proc *p, struct tail *o, int argc, char **argv, int *status)
{
	const char *s = argc ? argv[0] : "", *digits;
	uint64_t unit = 10;
	bool start = *s == '+';
	enum num_result r = NUM_OK;
	char *number;
	size_t n;

	if (!(argc == 1 || (argc == 2 && !(argv[1][0] == '-' && argv[1][1])) ||
	      (argc >= 2 && argc <= 3 && !strcmp(argv[1], "--"))))
		return false;
	if ((*s != '+' && *s != '-') || (*s == '-' && !s[1 + (s[1] == 'c')]))
		return false;
	digits = ++s;
	n = strspn(s, "0123456789");
	s += n;
	number = tsb_alloc(p, n + 2);
	memcpy(number, digits, n);
	number[n] = *s == 'b' ? 'b' : '\0';
	if (*s == 'b')
		unit *= 512;
	o->bytes = *s == 'b' || *s == 'c';
	s += *s && strchr("bcl", *s);
	o->forever = *s == 'f';
	s += *s == 'f';
	if (*s)
		return false;
	o->from_start = start;
	o->count = unit;
	if (*number >= '0' && *number <= '9')
		r = num_suffixed(number, "b", &o->count);
	if (r != NUM_OK) {
		*status = 1;
		number[n] = '\0';
		if (num_u64(number, &unit) == NUM_RANGE)
			tsb_warn_errno(p, ERANGE, "invalid number: %s", quote_text(p, argv[0]));
		else
			tsb_warn(p, "invalid number: %s", quote_text(p, argv[0]));
	}
	return true;
}

static void tail_warn_useless(struct tail *o)
{
	if (o->retry && !o->forever)
		tsb_warn(o->p, "warning: --retry ignored; --retry is useful only when following");
	else if (o->retry && o->follow == TAIL_DESCRIPTOR)
		tsb_warn(o->p, "warning: --retry only effective for the initial open");
	if (o->pid && !o->forever)
		tsb_warn(o->p, "warning: PID ignored; --pid=PID is useful only when following");
	if (!o->forever)
		o->retry = false;
}

/* Would the real tool wait for inotify's events? Then the death of --pid ends it with status 0. */
static bool tail_by_events(struct tail *o, int status)
{
	bool any = false;

	if (status && o->follow == TAIL_DESCRIPTOR)
		return false;
	for (size_t i = 0; i < o->n_files; i++) {
		const struct tail_file *f = &o->files[i];
		struct tsb_stat st;

		if ((!f->ignore && input_is_stdin(f->name)) ||
		    (!tsb_lstat(o->p, f->name, &st) && S_ISLNK(st.mode)) ||
		    (f->fd >= 0 && !S_ISREG(f->mode) && !S_ISFIFO(f->mode)))
			return false;
		any |= f->fd >= 0;
	}
	return any;
}

static int tail_files(struct tail *o, int argc, char **argv)
{
	bool events;
	bool header = o->headers > 0 || (!o->headers && argc > 1);
	struct tsb_stat st;
	int status = 0, viable = argc;

	o->files = tsb_alloc(o->p, (size_t)argc * sizeof(*o->files));
	o->n_files = (size_t)argc;
	o->print_headers = header;
	for (int i = 0; i < argc; i++) {
		o->files[i].name = argv[i];
		if (o->forever && input_is_stdin(argv[i]) && o->follow == TAIL_NAME) {
			tsb_warn(o->p, "cannot follow %s by name", quote_af(o->p, argv[i]));
			return 1;
		}
		/* A pipe on standard input ends when it ends. */
		if (o->forever && input_is_stdin(argv[i]) && !tsb_fstat(o->p, 0, &st) &&
		    (S_ISFIFO(st.mode) || S_ISSOCK(st.mode))) {
			o->files[i].only_once = true;
			viable--;
		}
	}
	if (!viable)
		o->forever = false;
	for (int i = 0; i < argc; i++)	/* all of them, even if nothing can be written */
		status |= tail_first_look(o, &o->files[i], header) ? 1 : 0;
	if (!o->forever)
		return status;
	events = tail_by_events(o, status);
	return tail_follow(o) | (o->pid && events ? 0 : status);
}

static int tail_run(struct tsb_proc *p, void *raw, int argc, char **argv)
{
	static char dash[] = "-";
	char *standard[] = { dash, NULL };
	struct tsb_command cmd = cmd_tail;
	struct tail first = tail_initial, *o;
	struct opt_parsed parsed;
	int status = 0;

	(void)raw;
	if (tail_obsolete(p, &first, argc, argv, &status)) {
		if (status)
			return status;
		argv++;
		argc--;
	} else {
		first = tail_initial;
	}
	cmd.defaults = &first;
	if (!rawopt_parse(p, &cmd, argc, argv, &parsed, &status))
		return status;
	o = parsed.opts;
	o->p = p;
	o->delim = o->zero ? '\0' : '\n';
	tail_warn_useless(o);
	if (o->from_start && o->count)
		o->count--;
	if (!o->forever && !o->count && !o->from_start)
		return 0;
	return tail_files(o, parsed.argc ? parsed.argc : 1, parsed.argc ? parsed.argv : standard);
}

const struct tsb_command cmd_tail = {
	CMD_COREUTILS, .name = "tail",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Print the last 10 lines of each FILE to standard output. With more than one "
		   "FILE, precede each with a header giving the file name.",
	.opts = tail_opts, .opts_size = sizeof(struct tail), .run = tail_run, .flags = TSB_RAW,
};
