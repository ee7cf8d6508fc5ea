/*
 * touch - change file timestamps.
 *
 * The file is opened (and made) first, because that is what a user without
 * the right to set its times may still be allowed to do.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cmd/util.h"
#include "text/civil.h"
#include "text/parsedate.h"

struct touch {
	bool atime, mtime, no_create, no_deref;
	const char *date, *reference;
	bool have_stamp;
	struct tsb_time stamp;	/* of -t */
	struct tsb_setattr set;
	bool now;		/* no time was given: the clock at each file */
};

/* n decimal digits at s. */
static int touch_digits(const char *s, size_t n)
{
	int v = 0;

	while (n--)
		v = v * 10 + (*s++ - '0');
	return v;
}

/* [[CC]YY]MMDDhhmm[.ss] */
static bool touch_stamp(struct tsb_proc *p, const char *s, struct tsb_time *out)
{
	size_t n = strspn(s, "0123456789"), year_digits = n - 8;
	struct tsb_time now = tsb_clock(p, TSB_CLOCK_REAL);
	struct zone zone;
	struct civil c, back;
	int64_t sec;

	zone_init(&zone, tsb_getenv(p, "TZ"));
	if ((n != 8 && n != 10 && n != 12) ||
	    !civil_from(now.sec, zone_offset(&zone, now.sec, NULL, NULL), &c))
		return false;
	if (year_digits == 2)
		c.year = touch_digits(s, 2) + (touch_digits(s, 2) < 69 ? 2000 : 1900);
	else if (year_digits == 4)
		c.year = touch_digits(s, 4);
	s += year_digits;
	c.month = touch_digits(s, 2);
	c.day = touch_digits(s + 2, 2);
	c.hour = touch_digits(s + 4, 2);
	c.minute = touch_digits(s + 6, 2);
	c.second = 0;
	s += 8;
	if (*s) {
		if (*s != '.' || strspn(s + 1, "0123456789") != 2 || s[3])
			return false;
		c.second = touch_digits(s + 1, 2);
	}
	if (c.second > 60 ||
	    !civil_to(&zone, c.year, c.month, c.day, c.hour, c.minute, c.second, -1, &sec) ||
	    !civil_from(sec, zone_offset(&zone, sec, NULL, NULL), &back))
		return false;
	/* A leap second is the next minute's first; all else must stay itself. */
	if (c.second < 60 && (back.month != c.month || back.day != c.day ||
			      back.hour != c.hour || back.minute != c.minute))
		return false;
	*out = (struct tsb_time){ .sec = sec };
	return c.month && c.day && c.hour < 24 && c.minute < 60;
}

static int touch_bad_date(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "invalid date format %s", quote_text(p, text));
	return 1;
}

static int touch_set_stamp(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct touch *o = opts;

	(void)opt;
	if (!touch_stamp(p, arg, &o->stamp))
		return touch_bad_date(p, arg);
	o->have_stamp = true;
	return 0;
}

static int touch_set_which(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	static const struct util_word words[] = {
		{ "atime", 'a' }, { "access", 'a' }, { "use", 'a' },
		{ "mtime", 'm' }, { "modify", 'm' }, { NULL, 0 },
	};
	struct touch *o = opts;
	int which, status;

	(void)opt;
	status = util_word(p, "--time", arg, words, &which);
	if (!status && which == 'a')
		o->atime = true;
	else if (!status)
		o->mtime = true;
	return status;
}

static const struct tsb_opt touch_opts[] = {
	TSB_OPT_FLAG(struct touch, atime, 'a', NULL, "change only the access time"),
	TSB_OPT_CALL(touch_set_which, 0, 0, "time", "WORD",
		     "change the specified time: WORD is access, atime, or use: equivalent to "
		     "-a; WORD is modify or mtime: equivalent to -m"),
	TSB_OPT_FLAG(struct touch, no_create, 'c', "no-create", "do not create any files"),
	TSB_OPT_STR(struct touch, date, 'd', "date", "STRING",
		    "parse STRING and use it instead of current time"),
	TSB_OPT_CALL(util_ignore, 0, 'f', NULL, NULL, "(ignored)"),
	TSB_OPT_STR(struct touch, reference, 'r', "reference", "FILE",
		    "use this file's times instead of current time"),
	TSB_OPT_FLAG(struct touch, no_deref, 'h', "no-dereference",
		     "affect each symbolic link instead of any referenced file"),
	TSB_OPT_FLAG(struct touch, mtime, 'm', NULL, "change only the modification time"),
	TSB_OPT_CALL(touch_set_stamp, 0, 't', NULL, "STAMP",
		     "use [[CC]YY]MMDDhhmm[.ss] instead of current time"),
	TSB_OPT_END
};

static bool touch_parse(struct tsb_proc *p, const char *text, struct tsb_time from,
			struct tsb_time *out)
{
	struct zone zone;

	zone_init(&zone, tsb_getenv(p, "TZ"));
	return parsedate(text, from.sec, from.nsec, &zone, &out->sec, &out->nsec);
}

/* The times out of -r, -d, -t or the clock. */
static int touch_times(struct tsb_proc *p, struct touch *o)
{
	struct tsb_time now = tsb_clock(p, TSB_CLOCK_REAL);
	struct tsb_stat st = { .atime = now, .mtime = now };
	int err = 0;

	if (o->have_stamp && (o->reference || o->date))
		return tsb_usage(p, "cannot specify times from more than one source");
	o->now = !o->reference && !o->date && !o->have_stamp;
	/* Who may write a file may set both times to now; only its owner anything else. */
	if (o->now && o->atime && o->mtime)
		o->set.mask |= TSB_SET_NOW;
	if (o->have_stamp)
		st.atime = st.mtime = o->stamp;
	if (o->reference && o->no_deref)
		err = tsb_lstat(p, o->reference, &st);
	else if (o->reference)
		err = tsb_stat(p, o->reference, &st);
	if (err) {
		tsb_warn_errno(p, err, "failed to get attributes of %s",
			       quote_af(p, o->reference));
		return 1;
	}
	o->set.atime = st.atime;
	o->set.mtime = st.mtime;
	if (o->date && ((o->atime && !touch_parse(p, o->date, st.atime, &o->set.atime)) ||
			(o->mtime && !touch_parse(p, o->date, st.mtime, &o->set.mtime))))
		return touch_bad_date(p, o->date);
	return 0;
}

/* Sets the times: 0 or -errno. fd < 0: by name. */
static int touch_set(struct tsb_proc *p, struct touch *o, int fd, const char *path)
{
	if (o->now)
		o->set.atime = o->set.mtime = tsb_clock(p, TSB_CLOCK_FILES);
	if (fd >= 0)
		return tsb_fsetattr(p, fd, &o->set);
	return tsb_setattr(p, path, &o->set, !o->no_deref);
}

static int touch_stdout(struct tsb_proc *p, struct touch *o)
{
	int err = touch_set(p, o, 1, NULL);

	if (!err || (err == -EBADF && o->no_create))
		return 0;
	tsb_warn_errno(p, err, "setting times of %s", quote_af(p, "-"));
	return 1;
}

static int touch_one(struct tsb_proc *p, struct touch *o, const char *path)
{
	int fd = -1, open_err = 0, err;

	if (!strcmp(path, "-"))
		return touch_stdout(p, o);
	if (!o->no_create && !o->no_deref) {
		fd = tsb_open(p, path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY, 0666);
		open_err = fd < 0 ? fd : 0;
	}
	err = touch_set(p, o, fd, path);
	if (fd >= 0)
		tsb_close(p, fd);
	if (!err || (err == -ENOENT && o->no_create))
		return 0;
	/* That a directory cannot be opened to write says nothing. */
	if (open_err && open_err != -EISDIR)
		tsb_warn_errno(p, open_err, "cannot touch %s", quote_af(p, path));
	else
		tsb_warn_errno(p, err, "setting times of %s", quote_af(p, path));
	return 1;
}

static int touch_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct touch *o = opts;
	int status;

	if (!o->atime && !o->mtime)
		o->atime = o->mtime = true;
	o->set.mask = (o->atime ? TSB_SET_ATIME : 0) | (o->mtime ? TSB_SET_MTIME : 0);
	status = touch_times(p, o);
	if (status)
		return status;
	if (!argc)
		return util_missing_file(p);
	for (int i = 0; i < argc; i++)
		status |= touch_one(p, o, argv[i]);
	return status;
}

const struct tsb_command cmd_touch = {
	CMD_COREUTILS, .name = "touch",
	.synopsis = "[OPTION]... FILE...",
	.summary = "Update the access and modification times of each FILE to the current time.",
	.opts = touch_opts, .opts_size = sizeof(struct touch), .run = touch_run,
};
