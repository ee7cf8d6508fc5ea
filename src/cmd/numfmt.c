/*
 * numfmt - numbers to and from texts for people.
 */
#include "cmd/numfmt.h"

#include <string.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/util.h"
#include "text/format.h"

/* ---- Options ---- */

static const struct util_word numfmt_from_words[] = {
	{ "none", NUMFMT_NONE }, { "auto", NUMFMT_AUTO }, { "si", NUMFMT_SI },
	{ "iec", NUMFMT_IEC }, { "iec-i", NUMFMT_IEC_I }, { NULL, 0 }
};

static const struct util_word numfmt_to_words[] = {
	{ "none", NUMFMT_NONE }, { "si", NUMFMT_SI }, { "iec", NUMFMT_IEC },
	{ "iec-i", NUMFMT_IEC_I }, { NULL, 0 }
};

static const struct util_word numfmt_round_words[] = {
	{ "up", NUMFMT_UP }, { "down", NUMFMT_DOWN }, { "from-zero", NUMFMT_FROM_ZERO },
	{ "towards-zero", NUMFMT_TO_ZERO }, { "nearest", NUMFMT_NEAREST }, { NULL, 0 }
};

static const struct util_word numfmt_invalid_words[] = {
	{ "abort", NUMFMT_ABORT }, { "fail", NUMFMT_FAIL }, { "warn", NUMFMT_WARN },
	{ "ignore", NUMFMT_IGNORE }, { NULL, 0 }
};

static int numfmt_opt_word(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct numfmt *n = opts;

	switch (opt->value) {
	case 'f':
		return util_word(p, "--from", arg, numfmt_from_words, &n->from);
	case 't':
		return util_word(p, "--to", arg, numfmt_to_words, &n->to);
	case 'r':
		return util_word(p, "--round", arg, numfmt_round_words, &n->round);
	default:
		return util_word(p, "--invalid", arg, numfmt_invalid_words, &n->invalid);
	}
}

/* 5, 5K (1000) or 5Ki (1024). */
static int numfmt_opt_unit(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct numfmt *n = opts;
	uint64_t *unit = opt->value == 'f' ? &n->from_unit : &n->to_unit;
	size_t len = strlen(arg);
	const char *suffixes = "KMGTPEZY", *text = arg;

	if (len > 1 && arg[len - 1] == 'i' && (arg[len - 2] < '0' || arg[len - 2] > '9')) {
		text = tsb_strndup(p, arg, len - 1);
	} else if (len && (arg[len - 1] < '0' || arg[len - 1] > '9')) {
		text = tsb_format(p, "%sB", arg);
		suffixes = "KMGTPEZY0";
	}
	if (num_suffixed(text, suffixes, unit) == NUM_OK && *unit)
		return 0;
	tsb_warn(p, "invalid unit size: %s", quote_text(p, arg));
	return 1;
}

static int numfmt_opt_padding(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	struct numfmt *n = opts;
	int64_t v = 0;

	(void)opt;
	if (num_i64(arg, &v) != NUM_OK || !v || v == INT64_MIN) {
		tsb_warn(p, "invalid padding value %s", quote_text(p, arg));
		return 1;
	}
	n->left = v < 0;
	n->padding = v < 0 ? (uint64_t)-v : (uint64_t)v;
	return 0;
}

static int numfmt_opt_field(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct numfmt *n = opts;

	(void)opt;
	if (n->fields_given) {
		tsb_warn(p, "multiple field specifications");
		return 1;
	}
	n->fields_given = true;
	n->all_fields = !strcmp(arg, "-");
	return n->all_fields ? 0 : ranges_parse_dash(p, arg, &n->fields);
}

static int numfmt_opt_delimiter(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				const char *arg)
{
	struct numfmt *n = opts;

	(void)opt;
	if (*arg && arg[1]) {
		tsb_warn(p, "the delimiter must be a single character");
		return 1;
	}
	n->delimiter = (unsigned char)*arg;
	return 0;
}

static int numfmt_opt_header(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct numfmt *n = opts;

	(void)opt;
	n->header = 1;
	if (!arg || (num_suffixed(arg, "", &n->header) == NUM_OK && n->header))
		return 0;
	tsb_warn(p, "invalid header value %s", quote_text(p, arg));
	return 1;
}

static const struct tsb_opt numfmt_opts[] = {
	TSB_OPT_FLAG(struct numfmt, debug, 0, "debug", "print warnings about invalid input"),
	{ TSB_OPTION_FLAG, 0, "-debug", NULL, "as --debug", offsetof(struct numfmt, debug), 1,
	  TSB_OPT_HIDDEN, NULL },
	TSB_OPT_CALL(numfmt_opt_delimiter, 0, 'd', "delimiter", "X",
		     "use X instead of whitespace for field delimiter"),
	TSB_OPT_CALL(numfmt_opt_field, 0, 0, "field", "FIELDS",
		     "replace the numbers in these input fields (default=1), a list like that of "
		     "cut(1); - means all fields"),
	TSB_OPT_STR(struct numfmt, format, 0, "format", "FORMAT",
		    "use printf style floating-point FORMAT"),
	TSB_OPT_CALL(numfmt_opt_word, 'f', 0, "from", "UNIT",
		     "auto-scale input numbers to UNITs: none (default), auto, si, iec, iec-i"),
	TSB_OPT_CALL(numfmt_opt_unit, 'f', 0, "from-unit", "N",
		     "specify the input unit size (instead of the default 1)"),
	TSB_OPT_FLAG(struct numfmt, grouping, 0, "grouping",
		     "use locale-defined grouping of digits (which means it has no effect in the "
		     "C/POSIX locale)"),
	TSB_OPT_CALL_OPT(numfmt_opt_header, 0, 0, "header", "N",
			 "print (without converting) the first N header lines; N defaults to 1 if "
			 "not specified"),
	TSB_OPT_CALL(numfmt_opt_word, 'i', 0, "invalid", "MODE",
		     "failure mode for invalid numbers: abort (default), fail, warn, ignore"),
	TSB_OPT_CALL(numfmt_opt_padding, 0, 0, "padding", "N",
		     "pad the output to N characters; positive N will right-align; negative N will "
		     "left-align; the default is to automatically pad if a whitespace is found"),
	TSB_OPT_CALL(numfmt_opt_word, 'r', 0, "round", "METHOD",
		     "use METHOD for rounding when scaling: up, down, from-zero (default), "
		     "towards-zero, nearest"),
	TSB_OPT_STR(struct numfmt, suffix, 0, "suffix", "SUFFIX",
		    "add SUFFIX to output numbers, and accept optional SUFFIX in input numbers"),
	TSB_OPT_CALL(numfmt_opt_word, 't', 0, "to", "UNIT",
		     "auto-scale output numbers to UNITs: none (default), si, iec, iec-i"),
	TSB_OPT_CALL(numfmt_opt_unit, 't', 0, "to-unit", "N",
		     "the output unit size (instead of the default 1)"),
	TSB_OPT_FLAG(struct numfmt, zero_ended, 'z', "zero-terminated",
		     "line delimiter is NUL, not newline"),
	TSB_OPT_END
};

/* ---- One number ---- */

/* A number is wrong: true if it is to be said. The process ends if one is enough. */
static void numfmt_fail(struct numfmt *n, const char *text)
{
	if (n->invalid == NUMFMT_IGNORE)
		return;
	sink_flush(&n->out);
	tsb_flush(n->p);
	tsb_warn(n->p, "%s", text);
	if (n->invalid == NUMFMT_ABORT)
		tsb_exit(n->p, 2);
}

static void numfmt_fail_read(struct numfmt *n, enum numfmt_result r, const char *s)
{
	static const char *const texts[][2] = {
		[NUMFMT_TOO_LARGE] = { "value too large to be converted: ", "" },
		[NUMFMT_NO_NUMBER] = { "invalid number: ", "" },
		[NUMFMT_FORBIDDEN] = { "rejecting suffix in input: ", " (consider using --from)" },
		[NUMFMT_BAD_SUFFIX] = { "invalid suffix in input: ", "" },
		[NUMFMT_NO_I] = { "missing 'i' suffix in input: ", " (e.g Ki/Mi/Gi)" },
	};

	numfmt_fail(n, tsb_format(n->p, "%s%s%s", texts[r][0], quote_text(n->p, s), texts[r][1]));
}

static void numfmt_fail_size(struct numfmt *n, long double v, size_t precision, const char *hint)
{
	struct format_spec spec = { .conv = 'g', .precision = -1 };
	struct str number;

	str_init(&number, tsb_heap_of(n->p), STR_MAX_DEFAULT);
	format_float(&number, &spec, v);
	if (precision)
		str_addf(&number, "/%zu", precision);
	numfmt_fail(n, tsb_format(n->p, "%s too large to be printed: '%s' (%s)",
				  precision ? "value/precision" : "value", number.p, hint));
}

/* What the options make of v into n->text: false, after a message, if nothing. */
static bool numfmt_print(struct numfmt *n, long double v, size_t precision)
{
	long double rest = v;
	size_t digits;

	if (n->precision >= 0)
		precision = (size_t)n->precision;
	digits = numfmt_power(&rest, 10);
	if (n->to == NUMFMT_NONE && (precision > NUMFMT_EXACT_DIGITS ||
				     digits + precision > NUMFMT_EXACT_DIGITS)) {
		numfmt_fail_size(n, v, precision, "consider using --to");
		return false;
	}
	if (digits > NUMFMT_MOST_DIGITS - 1) {
		numfmt_fail_size(n, v, 0, "cannot handle values > 999Y");
		return false;
	}
	str_reset(&n->text);
	numfmt_write(n, &n->text, v, precision);
	if (n->suffix)
		str_adds(&n->text, n->suffix);
	return true;
}

static void numfmt_pad(struct numfmt *n, uint64_t count)
{
	for (uint64_t i = 1; i <= count; i++) {
		sink_putc(&n->out, ' ');
		if (!(i & 0xffff))
			tsb_tick(n->p, 0x10000);
	}
}

static void numfmt_put_text(struct numfmt *n)
{
	uint64_t pad = n->padding > n->text.n ? n->padding - n->text.n : 0;

	if (n->prefix)
		sink_puts(&n->out, n->prefix);
	if (!n->left)
		numfmt_pad(n, pad);
	sink_put(&n->out, n->text.p, n->text.n);
	if (n->left)
		numfmt_pad(n, pad);
	if (n->behind)
		sink_puts(&n->out, n->behind);
}

/* A field, which may be changed: false if it is no good number. */
static bool numfmt_number(struct numfmt *n, char *text, uint64_t field)
{
	size_t suffix = n->suffix ? strlen(n->suffix) : 0, len = strlen(text), precision;
	enum numfmt_result r;
	const char *end, *s;
	long double v = 0;

	if (suffix && len > suffix && !strcmp(text + len - suffix, n->suffix))
		text[len - suffix] = '\0';
	s = text + strspn(text, " \t");
	if (n->auto_padding)
		n->padding = s > text || field > 1 ? strlen(text) : 0;
	r = numfmt_read(s, n->from, &v, &precision, &end);
	if (r > NUMFMT_LOSS) {
		numfmt_fail_read(n, r, s);
		return false;
	}
	if (*end) {
		numfmt_fail(n, tsb_format(n->p, "invalid suffix in input %s: %s",
					  quote_text(n->p, s), quote_text(n->p, end)));
		return false;
	}
	if (r == NUMFMT_LOSS && n->debug)
		tsb_warn(n->p, "large input value %s: possible precision loss",
			 quote_text(n->p, s));
	if (n->from_unit != 1 || n->to_unit != 1)
		v = v * (long double)n->from_unit / (long double)n->to_unit;
	if (!numfmt_print(n, v, precision))
		return false;
	numfmt_put_text(n);
	return true;
}

/* ---- Lines ---- */

static bool numfmt_has(const struct numfmt *n, uint64_t field)
{
	if (!n->fields_given)
		return field == 1;
	for (size_t i = 0; i < n->fields.n; i++)
		if (field >= n->fields.at[i].lo && field <= n->fields.at[i].hi)
			return true;
	return n->all_fields;
}

static bool numfmt_field(struct numfmt *n, char *text, uint64_t field)
{
	bool is_ours = numfmt_has(n, field);

	if (is_ours && numfmt_number(n, text, field))
		return true;
	sink_puts(&n->out, text);
	return !is_ours;
}

static bool numfmt_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The end of the field at s: blanks in front belong to it. */
static char *numfmt_field_end(const struct numfmt *n, char *s)
{
	if (n->delimiter >= 0) {
		while (*s && (unsigned char)*s != n->delimiter)
			s++;
		return s;
	}
	while (numfmt_is_space(*s))
		s++;
	while (*s && !numfmt_is_space(*s))
		s++;
	return s;
}

static bool numfmt_line(struct numfmt *n, char *line, bool ended)
{
	uint64_t field = 0;
	bool ok = true;
	char *end;

	while (*(end = numfmt_field_end(n, line))) {
		*end = '\0';
		ok &= numfmt_field(n, line, ++field);
		sink_putc(&n->out, n->delimiter >= 0 ? n->delimiter : ' ');
		line = end + 1;
		tsb_tick(n->p, 1);
	}
	ok &= numfmt_field(n, line, ++field);
	if (ended)
		sink_putc(&n->out, n->zero_ended ? '\0' : '\n');
	tsb_tick(n->p, 1);
	return ok;
}

static bool numfmt_input(struct numfmt *n)
{
	int delim = n->zero_ended ? '\0' : '\n';
	struct tsb_reader in;
	bool ok = true, ended;
	char *line;
	size_t len;

	tsb_reader_init(&in, n->p, 0);
	while ((len = tsb_getdelim(&in, &line, delim))) {
		if (n->header) {
			n->header--;
			sink_puts(&n->out, line);
			if (n->zero_ended)
				sink_putc(&n->out, '\0');
			continue;
		}
		ended = line[len - 1] == (char)delim;
		line[len - ended] = '\0';
		ok &= numfmt_line(n, line, ended);
	}
	if (in.error) {
		sink_flush(&n->out);
		tsb_warn_errno(n->p, in.error, "error reading input");
	}
	return ok;
}

/* ---- The command ---- */

static int numfmt_check(struct numfmt *n)
{
	bool idle = n->from == NUMFMT_NONE && n->to == NUMFMT_NONE && !n->grouping && !n->padding;
	int status;

	if (n->format && n->grouping) {
		tsb_warn(n->p, "--grouping cannot be combined with --format");
		return 1;
	}
	if (n->debug && idle && !n->format)
		tsb_warn(n->p, "no conversion option specified");
	n->precision = -1;
	status = n->format ? numfmt_format(n) : 0;
	if (status || !n->grouping)
		return status;
	if (n->to != NUMFMT_NONE) {
		tsb_warn(n->p, "grouping cannot be combined with --to");
		return 1;
	}
	if (n->debug)
		tsb_warn(n->p, "grouping has no effect in this locale");
	return 0;
}

static int numfmt_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct numfmt *n = opts;
	bool ok = true;
	int status;

	n->p = p;
	status = numfmt_check(n);
	if (status)
		return status;
	n->auto_padding = !n->padding && n->delimiter < 0;
	sink_init(&n->out, p);
	str_init(&n->text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (argc && n->debug && n->header)
		tsb_warn(p, "--header ignored with command-line input");
	for (int i = 0; i < argc; i++)
		ok &= numfmt_line(n, argv[i], true);
	if (!argc)
		ok = numfmt_input(n);
	sink_flush(&n->out);
	if (n->debug && !ok) {
		tsb_flush(p);
		tsb_warn(p, "failed to convert some of the input numbers");
	}
	return ok || n->invalid >= NUMFMT_WARN ? 0 : 2;
}

static const struct numfmt numfmt_defaults = {
	.round = NUMFMT_FROM_ZERO, .from_unit = 1, .to_unit = 1, .delimiter = -1,
};

const struct tsb_command cmd_numfmt = {
	CMD_COREUTILS, .name = "numfmt", .synopsis = "[OPTION]... [NUMBER]...",
	.summary = "Reformat NUMBER(s), or the numbers from standard input if none are specified.",
	.opts = numfmt_opts, .opts_size = sizeof(struct numfmt), .defaults = &numfmt_defaults,
	.run = numfmt_run,
};
