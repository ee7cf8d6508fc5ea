/*
 * The printf command: reads the format, takes arguments, and says what is wrong
 * with them in the words of bash or of GNU. The two differ in what a directive
 * may look like (GNU allows only flags that mean something), in what is fatal,
 * and in %b, %q, %n, %(...)T.
 */
#include "text/format.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "text/escape.h"

struct run {
	struct format_job *job;
	const char *fmt;
	size_t n, at;
	size_t arg;			/* the next */
	bool used;			/* a directive wanted an argument */
	bool stop, fatal, failed;
	size_t steps;			/* since job->tick */
	struct format_spec spec;
};

#define STEPS_A_TICK 256
#define BYTES_A_STEP 64

static bool gnu(const struct run *r)
{
	return r->job->dialect == FORMAT_GNU;
}

static void complain(struct run *r, const char *before, const char *word, size_t n,
		     const char *after)
{
	struct str text;

	str_init(&text, r->job->out->heap, r->job->out->max);
	str_adds(&text, before);
	str_addn(&text, word, n);
	str_adds(&text, after);
	if (r->job->complain)
		r->job->complain(r->job->ctx, text.p);
	str_end(&text);
}

static enum quote_style quote_style_of(const struct run *r, enum quote_style style)
{
	return (enum quote_style)(style | (r->job->bytes ? QUOTE_BYTES : 0));
}

/* With the word in GNU's quotes. */
static void complain_quoted(struct run *r, const char *before, const char *word, const char *after)
{
	struct str quoted;

	str_init(&quoted, r->job->out->heap, r->job->out->max);
	quote_gnu(&quoted, quote_style_of(r, QUOTE_LOCALE), word, strlen(word), NULL);
	complain(r, before, quoted.p, quoted.n, after);
	str_end(&quoted);
}

static const char *next_arg(struct run *r)
{
	r->used = true;
	return r->arg < r->job->n_args ? r->job->args[r->arg++] : NULL;
}

/* ---- Numbers ---- */

static void check_bash(struct run *r, const char *s, enum format_parsed how)
{
	const char *text = ": invalid number";

	if (how == FORMAT_RANGE) {
		complain(r, "warning: ", s, strlen(s), ": Numerical result out of range");
		return;
	}
	if (how != FORMAT_NOT_A_NUMBER && how != FORMAT_TRAILING)
		return;
	if (s[0] == '0' && s[1] >= '0' && s[1] <= '9')
		text = ": invalid octal number";
	else if (s[0] == '0' && s[1] == 'x')
		text = ": invalid hex number";
	complain(r, "", s, strlen(s), text);
	r->failed = true;
}

static void check_gnu(struct run *r, const char *s, enum format_parsed how, const char *end)
{
	if (how == FORMAT_CHARACTER && !s[1]) {
		complain_quoted(r, "", s, ": expected a numeric value");
		r->failed = true;
	} else if (how == FORMAT_CHARACTER && *end) {
		complain(r, "warning: ", end, strlen(end),
			 ": character(s) following character constant have been ignored");
	} else if (how == FORMAT_RANGE) {
		complain_quoted(r, "", s, ": Numerical result out of range");
		r->failed = true;
	} else if (how == FORMAT_NOT_A_NUMBER) {
		complain_quoted(r, "", s, ": expected a numeric value");
		r->failed = true;
	} else if (how == FORMAT_TRAILING) {
		complain_quoted(r, "", s, ": value not completely converted");
		r->failed = true;
	}
}

static void check(struct run *r, const char *s, enum format_parsed how, const char *end)
{
	if (gnu(r))
		check_gnu(r, s, how, end);
	else
		check_bash(r, s, how);
}

static uint64_t int_arg(struct run *r, bool is_signed, bool *negative)
{
	const char *s = next_arg(r), *end;
	uint64_t v;

	*negative = false;
	if (!s)
		return 0;
	enum format_parsed how = format_parse_int(s, is_signed, r->job->bytes, &v, negative, &end);
	check(r, s, how, end);
	return v;
}

static long double float_arg(struct run *r)
{
	const char *s = next_arg(r), *end;
	long double v;

	if (!s)
		return 0;
	enum format_parsed how = format_parse_float(s, r->job->bytes, &v, &end);
	if (r->job->doubles) {
		if (isinf((double)v) && !isinf(v))
			how = FORMAT_RANGE;
		v = (long double)(double)v;
	}
	check(r, s, how, end);
	return v;
}

/* The argument of '*'; *negative: it was. GNU refuses what is no int. */
static int star_arg(struct run *r, bool *negative, const char *invalid)
{
	bool had = r->arg < r->job->n_args;
	uint64_t v = int_arg(r, true, negative);

	if (v > INT_MAX) {
		if (gnu(r) && had && !(*negative && invalid[8] == 'p')) {
			complain_quoted(r, invalid, r->job->args[r->arg - 1], "");
			r->fatal = r->failed = true;
		}
		v = INT_MAX;
	}
	return (int)v;
}

/* ---- Reading a directive ---- */

static int digits(struct run *r)
{
	int v = 0;

	while (r->at < r->n && r->fmt[r->at] >= '0' && r->fmt[r->at] <= '9') {
		int d = r->fmt[r->at++] - '0';
		v = v > (INT_MAX - d) / 10 ? INT_MAX : v * 10 + d;
	}
	return v;
}

/* Conversions that GNU does not allow with a flag. */
static const char *gnu_forbids(char flag)
{
	return flag == '\'' || flag == 'I' ? "aAceEosxX" : flag == '#' ? "cdisu" :
	       flag == '0' ? "cs" : "";
}

static void read_flags(struct run *r, char *forbidden)
{
	const char *known = gnu(r) ? "I'-+ #0" : "'-+ #0";

	for (; r->at < r->n && r->fmt[r->at] && strchr(known, r->fmt[r->at]); r->at++) {
		char c = r->fmt[r->at];
		r->spec.minus |= c == '-';
		r->spec.plus |= c == '+';
		r->spec.space |= c == ' ';
		r->spec.alt |= c == '#';
		r->spec.zero |= c == '0';
		for (const char *f = gnu(r) ? gnu_forbids(c) : ""; *f; f++)
			forbidden[(unsigned char)*f] = 1;
	}
}

static void read_width(struct run *r)
{
	bool negative;

	if (r->at < r->n && r->fmt[r->at] == '*') {
		r->at++;
		r->spec.width = star_arg(r, &negative, "invalid field width: ");
		r->spec.minus |= negative;
	} else {
		r->spec.width = digits(r);
	}
}

static void read_precision(struct run *r, char *forbidden)
{
	bool negative = false;

	if (r->at >= r->n || r->fmt[r->at] != '.')
		return;
	r->at++;
	forbidden['c'] = gnu(r);
	if (r->at < r->n && r->fmt[r->at] == '*') {
		r->at++;
		r->spec.precision = star_arg(r, &negative, "invalid precision: ");
	} else {
		if (!gnu(r) && r->at < r->n && r->fmt[r->at] == '-') {
			negative = true;
			r->at++;
		}
		r->spec.precision = digits(r);
	}
	if (negative)
		r->spec.precision = -1;
}

static void fail_format(struct run *r, const char *before, const char *p, size_t n,
			const char *after)
{
	complain(r, before, p, n, after);
	r->fatal = r->failed = true;
}

static void invalid_spec(struct run *r, size_t start, size_t end)
{
	if (gnu(r))
		fail_format(r, "", r->fmt + start, end - start,
			    ": invalid conversion specification");
	else if (end > r->n)
		fail_format(r, "`", r->fmt + start, r->n - start, "': missing format character");
	else
		fail_format(r, "`", r->fmt + end - 1, 1, "': invalid format character");
}

/* ---- Conversions ---- */

static void warn(void *ctx, const char *message)
{
	complain(ctx, "", message, strlen(message), "");
}

static enum escape_mode escapes(const struct run *r, enum escape_mode mode)
{
	return (enum escape_mode)(mode | (r->job->bytes ? ESCAPE_BYTES : 0));
}

static void convert_escaped(struct run *r, const char *s)
{
	struct str text;
	char message[64];
	enum escape_status status;

	str_init(&text, r->job->out->heap, r->job->out->max);
	status = escape_decode(escapes(r, gnu(r) ? ESCAPE_B_GNU : ESCAPE_B_BASH), s, strlen(s),
			       &text, message, warn, r);
	format_text(r->job->out, &r->spec, text.p, text.n);
	if (text.bad)
		r->job->out->bad = true;
	r->stop = status == ESCAPE_STOP;
	if (status > ESCAPE_STOP)
		fail_format(r, "", message, strlen(message), "");
	str_end(&text);
}

static void convert_quoted(struct run *r, const char *s)
{
	struct str text;
	size_t n = strlen(s);

	str_init(&text, r->job->out->heap, r->job->out->max);
	if (gnu(r)) {
		quote_gnu(&text, quote_style_of(r, QUOTE_SHELL_ESCAPE), s, n, NULL);
	} else {
		/* The precision of %Q counts before quoting, that of %q after. */
		if (r->spec.conv == 'Q' && r->spec.precision >= 0) {
			n = (size_t)r->spec.precision < n ? (size_t)r->spec.precision : n;
			r->spec.precision = -1;
		}
		quote_backslash(&text, s, n);
	}
	format_text(r->job->out, &r->spec, text.p, text.n);
	str_end(&text);
}

static void convert_char(struct run *r, const char *s)
{
	r->spec.precision = -1;
	format_text(r->job->out, &r->spec, s, 1);	/* of "": the NUL */
}

/* %(fmt)T; at is behind the '('. */
static void convert_time(struct run *r, size_t start)
{
	size_t from = r->at, nest = 1;
	struct str text;
	bool negative = true;
	uint64_t v = 1;

	for (; r->at < r->n && nest; r->at++)
		nest += r->fmt[r->at] == '(' ? 1 : r->fmt[r->at] == ')' ? (size_t)-1 : 0;
	if (nest || r->at >= r->n || r->fmt[r->at] != 'T') {
		complain(r, "warning: `", r->fmt + r->at, r->at < r->n,
			 "': invalid time format specification");
		str_addc(r->job->out, '%');
		r->at = start + 1;
		return;
	}
	size_t len = r->at++ - 1 - from;
	if (r->arg < r->job->n_args)
		v = int_arg(r, true, &negative);
	r->used = true;
	str_init(&text, r->job->out->heap, r->job->out->max);
	r->job->time(r->job->ctx, &text, len ? r->fmt + from : "%X", len ? len : 2,
		     negative ? -(int64_t)v : (int64_t)v);
	format_text(r->job->out, &r->spec, text.p, text.n);
	str_end(&text);
}

static void convert_count(struct run *r)
{
	const char *name = next_arg(r);

	if (name && *name && !r->job->assign(r->job->ctx, name, r->job->out->n))
		r->failed = r->fatal = true;
}

static void convert(struct run *r, size_t start)
{
	bool negative = false;
	char c = r->spec.conv;
	const char *s;

	if (strchr("diuoxX", c)) {
		uint64_t v = int_arg(r, c == 'd' || c == 'i', &negative);
		format_int(r->job->out, &r->spec, v, negative);
		return;
	}
	if (strchr("eEfFgGaA", c)) {
		format_float(r->job->out, &r->spec, float_arg(r));
		return;
	}
	if (c == '(') {
		convert_time(r, start);
		return;
	}
	if (c == 'n') {
		convert_count(r);
		return;
	}
	s = next_arg(r);
	if (!s && c == 'q' && gnu(r))
		return;
	s = s ? s : "";
	if (c == 's')
		format_text(r->job->out, &r->spec, s, strlen(s));
	else if (c == 'c')
		convert_char(r, s);
	else if (c == 'b')
		convert_escaped(r, s);
	else
		convert_quoted(r, s);
}

static bool known(const struct run *r, char c)
{
	if (!c)
		return false;
	if (strchr("diuoxXeEfFgGaAcs", c))
		return true;
	if (gnu(r))
		return false;
	return strchr("bqQ", c) || (c == 'n' && r->job->assign) || (c == '(' && r->job->time);
}

/* at is at the '%'. */
static void directive(struct run *r)
{
	char forbidden[256] = { 0 };
	size_t start = r->at++;

	r->spec = (struct format_spec){ .precision = -1, .narrow = r->job->doubles };
	if (r->at < r->n && r->fmt[r->at] == '%') {
		r->at++;
		str_addc(r->job->out, '%');
		return;
	}
	if (gnu(r) && r->at < r->n && (r->fmt[r->at] == 'b' || r->fmt[r->at] == 'q')) {
		r->spec.conv = r->fmt[r->at++];
		convert(r, start);
		return;
	}
	read_flags(r, forbidden);
	read_width(r);
	read_precision(r, forbidden);
	while (r->at < r->n && r->fmt[r->at] && strchr("hjlLtz", r->fmt[r->at]))
		r->at++;
	if (r->fatal)
		return;
	if (r->at >= r->n) {
		invalid_spec(r, start, gnu(r) ? r->n : r->n + 1);
		return;
	}
	r->spec.conv = r->fmt[r->at++];
	if (!known(r, r->spec.conv) || forbidden[(unsigned char)r->spec.conv])
		invalid_spec(r, start, r->at);
	else
		convert(r, start);
}

/* at is at the backslash. */
static void escape(struct run *r)
{
	enum escape_status status;
	char message[64];

	r->at++;
	/* bash copies the backslash of an unknown escape and goes on behind it. */
	if (!gnu(r) && r->at < r->n && r->fmt[r->at] == '%') {
		str_addc(r->job->out, '\\');
		return;
	}
	r->at += escape_one(escapes(r, gnu(r) ? ESCAPE_FORMAT_GNU : ESCAPE_FORMAT_BASH),
			    r->fmt + r->at, r->n - r->at, r->job->out, &status, message);
	if (status == ESCAPE_STOP)
		r->stop = true;
	else if (status > ESCAPE_NO_UNICODE)
		fail_format(r, "", message, strlen(message), "");
	else if (status != ESCAPE_OK)
		warn(r, message);
}

/* A directive or an escape is done; the output was `before` bytes in front of it. */
static void count_steps(struct run *r, size_t before)
{
	size_t now = r->job->out->n;

	r->steps += 1 + (now > before ? (now - before) / BYTES_A_STEP : 0);
	if (r->steps < STEPS_A_TICK || !r->job->tick)
		return;
	r->job->tick(r->job->ctx, r->steps);
	r->steps = 0;
}

static void once(struct run *r)
{
	r->at = 0;
	while (r->at < r->n && !r->stop && !r->fatal && !r->job->out->bad) {
		size_t plain = r->at, before = r->job->out->n;

		while (plain < r->n && r->fmt[plain] != '%' && r->fmt[plain] != '\\')
			plain++;
		str_addn(r->job->out, r->fmt + r->at, plain - r->at);
		r->at = plain;
		if (r->at < r->n && r->fmt[r->at] == '%')
			directive(r);
		else if (r->at < r->n)
			escape(r);
		count_steps(r, before);
	}
}

int format_run(struct format_job *job, const char *fmt, size_t n)
{
	struct run r = { .job = job, .fmt = fmt, .n = n };

	do {
		r.used = false;
		once(&r);
	} while (r.used && r.arg < job->n_args && !r.stop && !r.fatal && !job->out->bad);
	if (gnu(&r) && r.arg < job->n_args && !r.stop && !r.fatal)
		complain_quoted(&r, "warning: ignoring excess arguments, starting with ",
				job->args[r.arg], "");
	/* GNU's \c is an exit, whatever was wrong before. */
	return (r.failed && !(gnu(&r) && r.stop && !r.fatal)) || job->out->bad;
}
