/*
 * seq - numbers from FIRST to LAST. Whole numbers are counted as strings of
 * digits, so they may be of any length; all else is long double arithmetic, as
 * GNU's has it, down to the last number that rounding makes equal to LAST.
 */
#include "cmd/cmd.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/float.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"
#include "text/format.h"

struct seq {
	bool equal_width;
	const char *format, *separator;
};

static const struct tsb_opt seq_opts[] = {
	TSB_OPT_STR(struct seq, format, 'f', "format", "FORMAT",
		    "use printf style floating-point FORMAT"),
	TSB_OPT_STR(struct seq, separator, 's', "separator", "STRING",
		    "use STRING to separate numbers (default: \\n)"),
	TSB_OPT_FLAG(struct seq, equal_width, 'w', "equal-width",
		     "equalize width by padding with leading zeroes"),
	TSB_OPT_END
};

/* A number as it was written: how wide, how many digits behind the point. */
struct seq_operand {
	const char *text;
	long double value;
	long width, precision;	/* INT_MAX: not a plain decimal */
};

/* ---- Operands ---- */

static void seq_exponent(struct seq_operand *o, const char *s, const char *point, const char *e,
			 long fraction)
{
	long exponent = strtol(e + 1, NULL, 10);

	exponent = exponent < -INT_MAX ? -INT_MAX : exponent > INT_MAX ? INT_MAX : exponent;
	if (exponent < 0)
		o->precision -= exponent;
	else
		o->precision -= o->precision < exponent ? o->precision : exponent;
	o->width -= (long)strlen(s) - (e - s);	/* the exponent is not printed */
	if (exponent < 0) {
		o->width += !point || e == point + 1;
		exponent = -exponent;
	} else {
		o->width -= point && o->precision == 0 && fraction;
		exponent -= fraction < exponent ? fraction : exponent;
	}
	o->width += exponent;
}

static void seq_measure(struct seq_operand *o, const char *s)
{
	const char *point = strchr(s, '.'), *e = strpbrk(s, "eE");
	long fraction = 0;

	o->width = 0;
	o->precision = point || strpbrk(s, "pP") ? INT_MAX : 0;
	if (strpbrk(s, "xX") || !isfinite(o->value))
		return;
	o->width = (long)strlen(s);
	if (point) {
		fraction = (long)strcspn(point + 1, "eE");
		o->precision = fraction;
		if (!fraction)
			o->width--;
		else if (point == s || point[-1] < '0' || point[-1] > '9')
			o->width++;
	}
	if (e)
		seq_exponent(o, s, point, e, fraction);
}

/* 0, or the status after a message. */
static int seq_operand(struct tsb_proc *p, const char *text, struct seq_operand *o)
{
	const char *s = text;

	if (!float_parse(text, &o->value))
		return tsb_usage(p, "invalid floating point argument: %s", quote_text(p, text));
	if (isnan(o->value))
		return tsb_usage(p, "invalid %s argument: %s", quote_text(p, "not-a-number"),
				 quote_text(p, text));
	while (strchr(" \t\n\v\f\r+", *s) && *s)
		s++;
	o->text = s;
	seq_measure(o, s);
	return 0;
}

/* ---- The format ---- */

struct seq_format {
	struct str before, after;	/* text around the directive, %% read */
	struct format_spec spec;
};

/* Copies text up to a lone % or the end; where that is. */
static const char *seq_text(struct str *out, const char *s)
{
	for (; *s && (*s != '%' || s[1] == '%'); s++) {
		str_addc(out, *s);
		s += *s == '%';
	}
	return s;
}

static const char *seq_number(const char *s, int *value)
{
	for (; *s >= '0' && *s <= '9'; s++)
		*value = *value < INT_MAX / 10 - 1 ? *value * 10 + (*s - '0') : INT_MAX / 10;
	return s;
}

static int seq_bad_format(struct tsb_proc *p, const char *format, const char *what)
{
	tsb_warn(p, "format %s %s", quote_text(p, format), what);
	return 1;
}

static int seq_read_format(struct tsb_proc *p, struct seq_format *f, const char *format)
{
	const char *s = seq_text(&f->before, format);

	if (!*s)
		return seq_bad_format(p, format, "has no % directive");
	for (s++; *s && strchr("-+#0 '", *s); s++) {
		f->spec.minus |= *s == '-';
		f->spec.plus |= *s == '+';
		f->spec.alt |= *s == '#';
		f->spec.zero |= *s == '0';
		f->spec.space |= *s == ' ';
	}
	s = seq_number(s, &f->spec.width);
	f->spec.precision = -1;
	if (*s == '.') {
		f->spec.precision = 0;
		s = seq_number(s + 1, &f->spec.precision);
	}
	s += *s == 'L';
	if (!*s)
		return seq_bad_format(p, format, "ends in %");
	if (!strchr("efgaEFGA", *s))
		return seq_bad_format(p, format, tsb_format(p, "has unknown %%%c directive", *s));
	f->spec.conv = *s;
	if (*seq_text(&f->after, s + 1))
		return seq_bad_format(p, format, "has too many % directives");
	return 0;
}

static void seq_default_format(struct seq_format *f, const struct seq *o,
			       const struct seq_operand n[3])
{
	const struct seq_operand *first = &n[0], *step = &n[1], *last = &n[2];
	long precision = first->precision > step->precision ? first->precision : step->precision;
	long a, b;

	f->spec.conv = 'g';
	f->spec.precision = -1;
	if (precision == INT_MAX || last->precision == INT_MAX)
		return;
	f->spec.conv = 'f';
	f->spec.precision = (int)precision;
	if (!o->equal_width)
		return;
	a = first->width + precision - first->precision;
	b = last->width + precision - last->precision;
	b -= last->precision && !precision;
	b += !last->precision && precision;
	a += !first->precision && precision;
	f->spec.zero = true;
	f->spec.width = (int)(a > b ? a : b);
}

/* ---- Counting ---- */

static bool seq_is_whole(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

/* The digits at s + at (at bytes are free in front) plus step; the new start. */
static size_t seq_add(char *s, size_t at, size_t end, unsigned step)
{
	size_t i = end;

	while (step) {
		if (i == at)
			s[--at] = '0';
		i--;
		step += (unsigned)(s[i] - '0');
		s[i] = (char)('0' + step % 10);
		step /= 10;
	}
	return at;
}

static int seq_compare(const char *a, size_t n, const char *b, size_t m)
{
	return n != m ? (n < m ? -1 : 1) : memcmp(a, b, n);
}

static const char *seq_skip_zeros(const char *s)
{
	while (*s == '0' && s[1])
		s++;
	return s;
}

/* How many numbers follow the first, if that is soon told. */
static bool seq_count(const char *first, size_t n, const char *last, size_t m, unsigned step,
		      uint64_t *count)
{
	uint64_t from = 0, to = 0;

	if (!last || !step || n > 18 || m > 18)
		return false;
	for (size_t i = 0; i < n; i++)
		from = from * 10 + (unsigned)(first[i] - '0');
	for (size_t i = 0; i < m; i++)
		to = to * 10 + (unsigned)(last[i] - '0');
	*count = (to - from) / step;
	return true;
}

/* last NULL: without end. */
static void seq_whole(struct tsb_proc *p, const char *first, const char *last, unsigned step,
		      char separator)
{
	size_t n, m, room, at;
	uint64_t left = 0;
	bool counted;
	char *s;

	first = seq_skip_zeros(first);
	last = last ? seq_skip_zeros(last) : NULL;
	n = strlen(first);
	m = last ? strlen(last) : 0;
	room = (n > m ? n : m) + 32;
	s = tsb_alloc(p, room + 1);
	at = room - n;
	memcpy(s + at, first, n);
	if (last && seq_compare(first, n, last, m) > 0)
		return;
	s[room] = separator;
	for (counted = seq_count(first, n, last, m, step, &left); counted && left; left--) {
		tsb_put(p, s + at, room - at + 1);
		if (tsb_out_error(p))
			return;
		tsb_tick(p, 1);
		at = seq_add(s, at, room, step);
	}
	for (;;) {
		tsb_put(p, s + at, room - at);
		at = counted ? 0 : seq_add(s, at, room, step);
		if (at == 0 || (last && seq_compare(s + at, room - at, last, m) > 0))
			break;
		tsb_putc(p, separator);
		if (tsb_out_error(p))
			return;		/* nothing that follows would be read */
		tsb_tick(p, 1);
	}
	tsb_putc(p, '\n');
}

static void seq_format_number(struct str *out, const struct seq_format *f, long double x)
{
	str_reset(out);
	format_float(out, &f->spec, x);
}

static bool seq_past(long double x, long double step, long double last)
{
	return step < 0 ? x < last : last < x;
}

/* The number just past the end is printed if it looks like LAST and unlike the
 * one before it: rounding must not lose the end. */
static bool seq_is_last(struct tsb_proc *p, const struct seq_format *f, long double x,
			long double before, long double last)
{
	struct str a, b;
	long double v;
	bool same;

	str_init(&a, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_init(&b, tsb_heap_of(p), STR_MAX_DEFAULT);
	seq_format_number(&a, f, x);
	seq_format_number(&b, f, before);
	same = float_parse(a.p, &v) && v == last && strcmp(a.p, b.p);
	str_end(&a);
	str_end(&b);
	return same;
}

static void seq_floats(struct tsb_proc *p, const struct seq_format *f, const struct seq_operand n[3],
		       const char *separator)
{
	long double first = n[0].value, step = n[1].value, last = n[2].value, x = first, before;
	bool past = seq_past(first, step, last);
	struct str text;

	if (past)
		return;
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (long double i = 1;; i++) {
		seq_format_number(&text, f, x);
		tsb_put(p, f->before.p, f->before.n);
		tsb_put(p, text.p, text.n);
		tsb_put(p, f->after.p, f->after.n);
		if (past)
			break;
		before = x;
		x = first + i * step;
		past = seq_past(x, step, last);
		if (past && !seq_is_last(p, f, x, before, last))
			break;
		tsb_puts(p, separator);
		if (tsb_out_error(p))
			return;
		tsb_tick(p, 1);
	}
	tsb_putc(p, '\n');
}

/* ---- The command ---- */

static int seq_go(struct tsb_proc *p, const struct seq *o, int argc, char **argv)
{
	struct seq_operand n[3] = { { "1", 1, 1, 0 }, { "1", 1, 1, 0 }, { "1", 1, 1, 0 } };
	const char *separator = o->separator ? o->separator : "\n";
	struct seq_format f = { .spec = { .precision = -1 } };
	int status = 0;

	str_init(&f.before, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_init(&f.after, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!argc)
		return util_missing_operand(p);
	if (argc > 3)
		return util_extra_operand(p, argv[3]);
	if (o->format && (status = seq_read_format(p, &f, o->format)))
		return status;
	if (o->format && o->equal_width)
		return tsb_usage(p, "format string may not be specified when printing equal width strings");
	for (int i = 0; !status && i < argc; i++) {
		status = seq_operand(p, argv[i], &n[i == argc - 1 ? 2 : i]);
		if (!status && n[1].value == 0)
			status = tsb_usage(p, "invalid Zero increment value: %s",
					   quote_text(p, argv[1]));
	}
	if (status)
		return status;
	if (!o->format && !o->equal_width && strlen(separator) == 1 && seq_is_whole(n[0].text) &&
	    seq_is_whole(n[1].text) && n[1].value <= 200 &&
	    (seq_is_whole(n[2].text) || (isinf(n[2].value) && n[2].value > 0))) {
		seq_whole(p, n[0].text, isinf(n[2].value) && !seq_is_whole(n[2].text) ? NULL : n[2].text,
			  (unsigned)n[1].value, *separator);
		return 0;
	}
	if (!o->format)
		seq_default_format(&f, o, n);
	seq_floats(p, &f, n, separator);
	return 0;
}

/* Options end where a negative number stands. */
/* -s and -f, and what is short for their long names, take the next word. */
static bool seq_takes(const char *word)
{
	size_t n = strlen(word);

	if (word[1] != '-')
		return strchr("sf", word[n - 1]) && strspn(word + 1, "w") + 2 == n;
	return n > 2 && (!strncmp(word + 2, "separator", n - 2) ||
			 !strncmp(word + 2, "format", n - 2));
}

static int seq_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed parsed;
	char **cut;
	int n = 0, status;
	bool missing;

	(void)opts;
	while (n < argc && argv[n][0] == '-' && argv[n][1] != '.' &&
	       (argv[n][1] < '0' || argv[n][1] > '9') && argv[n][1]) {
		if (!strcmp(argv[n], "--"))
			break;
		n += seq_takes(argv[n]) ? 2 : 1;
	}
	missing = n > argc;	/* an option's argument: the parser says so */
	n = missing ? argc : n;
	/* "--" is put there, so that what follows is no option. */
	cut = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*cut));
	memcpy(cut, argv, (size_t)n * sizeof(*cut));
	cut[n] = (char *)"--";
	if (n < argc && !strcmp(argv[n], "--")) {
		memcpy(cut + n, argv + n, (size_t)(argc - n) * sizeof(*cut));
		argc--;
	} else {
		memcpy(cut + n + 1, argv + n, (size_t)(argc - n) * sizeof(*cut));
	}
	if (!rawopt_parse(p, &cmd_seq, argc + !missing, cut, &parsed, &status))
		return status;
	return seq_go(p, parsed.opts, parsed.argc, parsed.argv);
}

const struct tsb_command cmd_seq = {
	CMD_COREUTILS, .name = "seq",
	.synopsis = "[OPTION]... LAST\n[OPTION]... FIRST LAST\n[OPTION]... FIRST INCREMENT LAST",
	.summary = "Print numbers from FIRST to LAST, in steps of INCREMENT.",
	.opts = seq_opts, .opts_size = sizeof(struct seq), .run = seq_run, .flags = TSB_RAW,
};
