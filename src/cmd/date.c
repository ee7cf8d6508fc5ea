/*
 * date - print the date, or that of a text, a file, each line of a file. The
 * clock is not the user's to set: -s says what it would be and fails as it does
 * for any user but root.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cmd/util.h"
#include "text/datefmt.h"
#include "text/parsedate.h"

enum { DATE_DEFAULT, DATE_RFC_EMAIL, DATE_ISO, DATE_RFC_3339 };
enum { UNIT_DAY, UNIT_HOURS, UNIT_MINUTES, UNIT_SECONDS, UNIT_NS };

struct date {
	const char *text, *file, *reference, *set;
	bool utc, several, debug, resolution;
	const char *format;	/* of an option */
	struct zone zone;
};

static const char *const date_iso[] = { "%Y-%m-%d", "%Y-%m-%dT%H%:z", "%Y-%m-%dT%H:%M%:z",
					"%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%dT%H:%M:%S,%N%:z" };

static int date_set_format(struct tsb_proc *p, struct date *o, const char *format)
{
	(void)p;
	o->several |= o->format != NULL;
	o->format = format;
	return 0;
}

static int date_pick(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct util_word iso[] = { { "hours", UNIT_HOURS }, { "minutes", UNIT_MINUTES },
		{ "date", UNIT_DAY }, { "seconds", UNIT_SECONDS }, { "ns", UNIT_NS }, { NULL, 0 } };
	static const struct util_word rfc[] = { { "date", 0 }, { "seconds", 1 }, { "ns", 2 }, { NULL, 0 } };
	static const char *const rfc_formats[] = { "%Y-%m-%d", "%Y-%m-%d %H:%M:%S%:z",
						   "%Y-%m-%d %H:%M:%S.%N%:z" };
	int unit = UNIT_DAY, status = 0;

	switch (opt->value) {
	case DATE_RFC_EMAIL:
		return date_set_format(p, opts, "%a, %d %b %Y %H:%M:%S %z");
	case DATE_ISO:
		if (arg)
			status = util_word(p, "--iso-8601", arg, iso, &unit);
		return status ? status : date_set_format(p, opts, date_iso[unit]);
	default:
		status = util_word(p, "--rfc-3339", arg, rfc, &unit);
		return status ? status : date_set_format(p, opts, rfc_formats[unit]);
	}
}

static const struct tsb_opt date_opts[] = {
	TSB_OPT_STR(struct date, text, 'd', "date", "STRING",
		    "display time described by STRING, not 'now'"),
	TSB_OPT_FLAG(struct date, debug, 0, "debug",
		     "annotate the parsed date, and warn about questionable usage to stderr"),
	TSB_OPT_STR(struct date, file, 'f', "file", "DATEFILE",
		    "like --date; once for each line of DATEFILE"),
	TSB_OPT_CALL_OPT(date_pick, DATE_ISO, 'I', "iso-8601", "FMT",
			 "output date/time in ISO 8601 format; FMT='date' for date only (the\n"
			 "default), 'hours', 'minutes', 'seconds', or 'ns'"),
	TSB_OPT_FLAG(struct date, resolution, 0, "resolution",
		     "output the available resolution of timestamps"),
	TSB_OPT_CALL(date_pick, DATE_RFC_EMAIL, 'R', "rfc-email", NULL,
		     "output date and time in RFC 5322 format"),
	TSB_OPT_CALL(date_pick, DATE_RFC_EMAIL, 0, "rfc-822", NULL, NULL),
	TSB_OPT_CALL(date_pick, DATE_RFC_EMAIL, 0, "rfc-2822", NULL, NULL),
	TSB_OPT_CALL(date_pick, DATE_RFC_3339, 0, "rfc-3339", "FMT",
		     "output date/time in RFC 3339 format; FMT='date', 'seconds', or 'ns'"),
	TSB_OPT_STR(struct date, reference, 'r', "reference", "FILE",
		    "display the last modification time of FILE"),
	TSB_OPT_STR(struct date, set, 's', "set", "STRING", "set time described by STRING"),
	TSB_OPT_FLAG(struct date, utc, 'u', "utc", "print or set Coordinated Universal Time (UTC)"),
	TSB_OPT_FLAG(struct date, utc, 0, "uct", NULL),
	TSB_OPT_FLAG(struct date, utc, 0, "universal", NULL),
	TSB_OPT_END
};

static int date_print(struct tsb_proc *p, const struct date *o, const char *format, int64_t sec,
		      int32_t nsec)
{
	struct date_moment m;
	struct str out;

	if (!date_moment(&m, sec, nsec, &o->zone)) {
		tsb_warn(p, "time %s is out of range",
			 quote_text(p, tsb_format(p, "%lld", (long long)sec)));
		return 1;
	}
	if (o->debug)
		tsb_warn(p, "output format: %s", quote_text(p, format));
	str_init(&out, tsb_heap_of(p), STR_MAX_DEFAULT);
	date_format(&out, format, strlen(format), &m);
	str_addc(&out, '\n');
	tsb_put(p, out.p, out.n);
	str_end(&out);
	return 0;
}

static void date_tell(void *ctx, const char *fmt, va_list ap) TSB_PRINTF(2, 0);
static void date_tell(void *ctx, const char *fmt, va_list ap)
{
	tsb_vwarn(ctx, 0, fmt, ap);
}

static bool date_parse(struct tsb_proc *p, const struct date *o, const char *text, int64_t *sec,
		       int32_t *nsec)
{
	struct tsb_time now = tsb_clock(p, TSB_CLOCK_REAL);

	struct parsedate_trace trace = { date_tell, p, tsb_getenv(p, "TZ") };

	if (parsedate_traced(text, now.sec, now.nsec, &o->zone, o->debug ? &trace : NULL, sec, nsec))
		return true;
	if (*text && text[strlen(text) - 1] == '\n')	/* of a file */
		text = tsb_strndup(p, text, strlen(text) - 1);
	tsb_warn(p, "invalid date %s", quote_text(p, text));
	return false;
}

static int date_lines(struct tsb_proc *p, const struct date *o, const char *format)
{
	int fd = strcmp(o->file, "-") ? tsb_open(p, o->file, O_RDONLY, 0) : 0, status = 0;
	struct tsb_reader in;
	char *line;
	size_t n;

	if (fd < 0) {
		tsb_warn_errno(p, fd, "%s", quote_f(p, o->file));
		return 1;
	}
	tsb_reader_init(&in, p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		int64_t sec;
		int32_t nsec;

		tsb_tick(p, 1);
		status |= date_parse(p, o, line, &sec, &nsec) ? date_print(p, o, format, sec, nsec) : 1;
	}
	if (in.error != -EBADF)
		return status;
	tsb_warn_errno(p, in.error, "'standard input'");
	return 1;
}

/* MMDDhhmm[[CC]YY][.ss], the old way to set the clock. */
static bool date_posix(struct tsb_proc *p, const struct date *o, const char *s, int64_t *sec)
{
	size_t n = strspn(s, "0123456789");
	int f[7] = { 0 }, count = 0;
	struct date_moment m;
	struct civil now;

	if ((n != 8 && n != 10 && n != 12) || (s[n] && (s[n] != '.' || strspn(s + n + 1, "0123456789") != 2 ||
							 s[n + 3])))
		return false;
	for (size_t i = 0; i + 1 < n; i += 2)
		f[count++] = (s[i] - '0') * 10 + s[i + 1] - '0';
	civil_from(tsb_clock(p, TSB_CLOCK_REAL).sec, 0, &now);
	if (n == 10)
		now.year = f[4] + (f[4] < 69 ? 2000 : 1900);
	else if (n == 12)
		now.year = f[4] * 100 + f[5];
	f[6] = s[n] ? (s[n + 1] - '0') * 10 + s[n + 2] - '0' : 0;
	/* What time it is then must be what was asked for: no 30th of February. */
	if (f[6] > 60 || !civil_to(&o->zone, now.year, f[0], f[1], f[2], f[3], f[6] == 60 ? 59 : f[6], -1, sec) ||
	    !date_moment(&m, *sec, 0, &o->zone))
		return false;
	*sec += f[6] == 60;
	return m.civil.month == f[0] && m.civil.day == f[1] && m.civil.hour == f[2] &&
	       m.civil.minute == f[3];
}

static int date_set(struct tsb_proc *p, const struct date *o, const char *format, const char *posix)
{
	int32_t nsec = 0;
	int64_t sec;

	if (posix && !date_posix(p, o, posix, &sec)) {
		tsb_warn(p, "invalid date %s", quote_text(p, posix));
		return 1;
	}
	if (!posix && !date_parse(p, o, o->set, &sec, &nsec))
		return 1;
	tsb_warn_errno(p, EPERM, "cannot set date");
	date_print(p, o, format, sec, nsec);
	return 1;
}

static int date_operands(struct tsb_proc *p, struct date *o, int argc, char **argv,
			 const char **posix)
{
	bool given = o->text || o->file || o->reference || o->resolution;

	if ((o->text != NULL) + (o->file != NULL) + (o->reference != NULL) + o->resolution > 1)
		return tsb_usage(p, "the options to specify dates for printing are mutually exclusive");
	if (given && o->set)
		return tsb_usage(p, "the options to print and set the time may not be used together");
	if (argc > 1)
		return util_extra_operand(p, argv[1]);
	if (!argc)
		return 0;
	if (argv[0][0] == '+') {
		o->several |= o->format != NULL;
		o->format = argv[0] + 1;
		if (o->several) {
			tsb_warn(p, "multiple output formats specified");
			return 1;
		}
		return 0;
	}
	if (given || o->set)
		return tsb_usage(p, "the argument %s lacks a leading '+';\n"
				 "when using an option to specify date(s), any non-option\n"
				 "argument must be a format string beginning with '+'",
				 quote_text(p, argv[0]));
	*posix = argv[0];
	return 0;
}

static int date_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *posix = NULL, *format;
	struct date *o = opts;
	struct tsb_stat st;
	struct tsb_time t = tsb_clock(p, TSB_CLOCK_REAL);
	int status = o->several;

	if (o->several)
		tsb_warn(p, "multiple output formats specified");
	else
		status = date_operands(p, o, argc, argv, &posix);
	if (status)
		return status;
	if (o->utc)
		tsb_setenv(p, "TZ", "UTC0");
	zone_init(&o->zone, tsb_getenv(p, "TZ"));
	format = o->format ? o->format : o->resolution ? "%s.%N" : "%a %b %e %H:%M:%S %Z %Y";
	if (o->resolution)
		t = (struct tsb_time){ 0, 1 };
	if (o->set || posix)
		return date_set(p, o, format, posix);
	if (o->file)
		return date_lines(p, o, format);
	if (o->text)
		return date_parse(p, o, o->text, &t.sec, &t.nsec) ? date_print(p, o, format, t.sec, t.nsec) : 1;
	if (o->reference) {
		int err = tsb_stat(p, o->reference, &st);

		if (err) {
			tsb_warn_errno(p, err, "%s", quote_f(p, o->reference));
			return 1;
		}
		t = st.mtime;
	}
	return date_print(p, o, format, t.sec, t.nsec);
}

const struct tsb_command cmd_date = {
	CMD_COREUTILS, .name = "date",
	.synopsis = "[OPTION]... [+FORMAT]\n[-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]",
	.summary = "Display date and time in the given FORMAT.\n"
		   "With -s, or with [MMDDhhmm[[CC]YY][.ss]], set the date and time.",
	.opts = date_opts, .opts_size = sizeof(struct date), .run = date_run,
};
