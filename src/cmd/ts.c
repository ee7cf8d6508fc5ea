/*
 * ts - a time stamp in front of every line (moreutils).
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "cmd/lines.h"
#include "text/datefmt.h"

struct ts {
	bool since_last, since_start, monotonic;

	struct tsb_proc *p;
	const char *format;
	struct zone zone;
	struct tsb_time last;
};

static const struct tsb_opt ts_opts[] = {
	TSB_OPT_FLAG(struct ts, since_last, 'i', NULL, "time since the last time stamp"),
	TSB_OPT_FLAG(struct ts, since_start, 's', NULL, "time since the program's start"),
	TSB_OPT_FLAG(struct ts, monotonic, 'm', NULL, "use the system's monotonic clock"),
	TSB_OPT_END
};

static struct tsb_time ts_now(const struct ts *t)
{
	return tsb_clock(t->p, t->monotonic ? TSB_CLOCK_MONOTONIC : TSB_CLOCK_REAL);
}

/* %.S, %.s and %.T have microseconds; strftime(3) has the rest. */
static char *ts_format(const struct ts *t, uint32_t micro)
{
	struct str s;

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (const char *at = t->format; *at; at++) {
		if (at[0] == '%' && at[1] == '.' && at[2] && strchr("SsT", at[2])) {
			str_addf(&s, "%%%c.%06u", at[2], (unsigned)micro);
			at += 2;
		} else if (at[0] == '%' && at[1]) {
			str_addc(&s, *at++);
			str_addc(&s, *at);
		} else {
			str_addc(&s, *at);
		}
	}
	return str_take(&s, NULL);
}

static void ts_stamp(struct ts *t, struct str *out)
{
	bool delta = t->since_last || t->since_start;
	struct tsb_time now = ts_now(t), show = now;
	struct date_moment m;
	char *format;

	if (delta) {
		show.sec -= t->last.sec;
		show.nsec -= t->last.nsec;
		if (show.nsec < 0) {
			show.nsec += 1000000000;
			show.sec--;
		}
	}
	if (t->since_last)
		t->last = now;
	format = ts_format(t, (uint32_t)show.nsec / 1000);
	str_reset(out);
	if (date_moment(&m, show.sec, show.nsec, &t->zone))
		date_format(out, format, strlen(format), &m);
	str_addc(out, ' ');
	tsb_free(t->p, format);
}

static void ts_lines(struct ts *t, int fd)
{
	struct tsb_reader in;
	struct str stamp;
	char *line;
	size_t n;

	str_init(&stamp, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	tsb_reader_init(&in, t->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		ts_stamp(t, &stamp);
		tsb_put(t->p, stamp.p, stamp.n);
		tsb_put(t->p, line, n);
		tsb_flush(t->p);
		tsb_tick(t->p, 1);
	}
	tsb_reader_end(&in);
	str_end(&stamp);
}

static int ts_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct ts *t = opts;
	bool delta = t->since_last || t->since_start;

	t->p = p;
	t->format = argc ? argv[0] : delta ? "%H:%M:%S" : "%b %d %H:%M:%S";
	zone_init(&t->zone, delta ? "UTC0" : tsb_getenv(p, "TZ"));
	t->last = ts_now(t);
	if (argc < 2)
		ts_lines(t, 0);
	for (int i = 1; i < argc; i++) {
		int fd = input_open(p, argv[i]);

		if (fd < 0) {
			tsb_warn_errno(p, fd, "%s", argv[i]);
			continue;
		}
		ts_lines(t, fd);
		input_close(p, fd);
	}
	return 0;
}

const struct tsb_command cmd_ts = {
	.version = TSB_COMMAND_VERSION, .package = "moreutils", .package_version = "0.67",
	.name = "ts", .synopsis = "[-i | -s] [-m] [format]",
	.summary = "put a time stamp in front of every line of standard input",
	.opts = ts_opts, .opts_size = sizeof(struct ts), .run = ts_run,
};
