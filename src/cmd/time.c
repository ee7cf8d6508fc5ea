/*
 * time - run a command and tell what it has used, in a format of its own. (The
 * shell's keyword of that name is another thing.)
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/util.h"

struct time_opts {
	bool append, portable, verbose, quiet;
	const char *format, *output;
};

static const struct tsb_opt time_opts[] = {
	TSB_OPT_FLAG(struct time_opts, append, 'a', "append",
		     "with -o FILE, append instead of overwriting"),
	TSB_OPT_STR(struct time_opts, format, 'f', "format", "FORMAT",
		    "use the specified FORMAT instead of the default"),
	TSB_OPT_STR(struct time_opts, output, 'o', "output", "FILE", "write to FILE instead of STDERR"),
	TSB_OPT_FLAG(struct time_opts, portable, 'p', "portability",
		     "print POSIX standard 1003.2 conformant string"),
	TSB_OPT_FLAG(struct time_opts, quiet, 'q', "quiet",
		     "do not print information about abnormal program termination"),
	TSB_OPT_FLAG(struct time_opts, verbose, 'v', "verbose",
		     "print all resource usage information instead of the default format"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

static const char time_default[] =
	"%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n"
	"%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
static const char time_posix[] = "real %e\nuser %U\nsys %S";
static const char time_long[] =
	"\tCommand being timed: \"%C\"\n\tUser time (seconds): %U\n\tSystem time (seconds): %S\n"
	"\tPercent of CPU this job got: %P\n\tElapsed (wall clock) time (h:mm:ss or m:ss): %E\n"
	"\tAverage shared text size (kbytes): %X\n\tAverage unshared data size (kbytes): %D\n"
	"\tAverage stack size (kbytes): %p\n\tAverage total size (kbytes): %K\n"
	"\tMaximum resident set size (kbytes): %M\n\tAverage resident set size (kbytes): %t\n"
	"\tMajor (requiring I/O) page faults: %F\n\tMinor (reclaiming a frame) page faults: %R\n"
	"\tVoluntary context switches: %w\n\tInvoluntary context switches: %c\n\tSwaps: %W\n"
	"\tFile system inputs: %I\n\tFile system outputs: %O\n\tSocket messages sent: %s\n"
	"\tSocket messages received: %r\n\tSignals delivered: %k\n\tPage size (bytes): %Z\n"
	"\tExit status: %x";

struct time_result {
	char **argv;
	uint64_t elapsed_ms;
	struct tsb_usage used;
	int status;
};

static void time_elapsed(struct str *out, uint64_t ms)
{
	unsigned long long s = ms / 1000;

	if (s >= 3600)
		str_addf(out, "%llu:%02llu:%02llu", s / 3600, s % 3600 / 60, s % 60);
	else
		str_addf(out, "%llu:%02llu.%02llu", s / 60, s % 60, (unsigned long long)ms % 1000 / 10);
}

static void time_seconds(struct str *out, uint64_t ms)
{
	str_addf(out, "%llu.%02llu", (unsigned long long)ms / 1000,
		 (unsigned long long)ms % 1000 / 10);
}

static void time_command(struct str *out, char **argv)
{
	for (size_t i = 0; argv[i]; i++)
		str_addf(out, "%s%s", i ? " " : "", argv[i]);
}

static void time_percent(struct str *out, const struct time_result *r)
{
	uint64_t used = (r->used.user_ns + r->used.system_ns) / 1000000;

	if (r->elapsed_ms)
		str_addf(out, "%llu%%", (unsigned long long)(used * 100 / r->elapsed_ms));
	else
		str_adds(out, "?%");
}

/* What follows a %; false: it means nothing. */
static bool time_directive(struct str *out, int c, const struct time_result *r)
{
	switch (c) {
	case '%': str_addc(out, '%'); return true;
	case 'C': time_command(out, r->argv); return true;
	case 'E': time_elapsed(out, r->elapsed_ms); return true;
	case 'e': time_seconds(out, r->elapsed_ms); return true;
	case 'U': time_seconds(out, r->used.user_ns / 1000000); return true;
	case 'S': time_seconds(out, r->used.system_ns / 1000000); return true;
	case 'P': time_percent(out, r); return true;
	case 'M':
		str_addf(out, "%llu", (unsigned long long)r->used.memory_peak / 1024);
		return true;
	case 'Z': str_adds(out, "4096"); return true;
	case 'x':
		str_addf(out, "%d", WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 0);
		return true;
	default:
		if (!c || !strchr("DFIKOprRstXWcwk", c))
			return false;
		str_addc(out, '0');
		return true;
	}
}

static void time_format(struct str *out, const char *f, const struct time_result *r)
{
	for (; *f; f++) {
		if (*f == '%') {
			if (time_directive(out, (unsigned char)f[1], r)) {
				f++;
				continue;
			}
			str_addc(out, '?');
			if (!f[1])
				return;		/* not even the line's end follows */
			str_addc(out, *++f);
		} else if (*f == '\\') {
			f++;
			if (*f == 't' || *f == 'n') {
				str_addc(out, *f == 't' ? '\t' : '\n');
			} else if (*f == '\\') {
				str_addc(out, '\\');
			} else {
				str_adds(out, "?\\");
				if (!*f)
					return;
				str_addc(out, *f);
			}
		} else {
			str_addc(out, *f);
		}
	}
	str_addc(out, '\n');
}

static void time_ending(struct str *out, const struct time_result *r)
{
	int s = r->status;

	if (WIFSIGNALED(s))
		str_addf(out, "Command terminated by signal %d\n", WTERMSIG(s));
	else if (WEXITSTATUS(s))
		str_addf(out, "Command exited with non-zero status %d\n", WEXITSTATUS(s));
}

static int time_measure(struct tsb_proc *p, struct time_result *r)
{
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)r->argv };
	struct tsb_time from = tsb_clock(p, TSB_CLOCK_MONOTONIC), to;
	int pid, err;

	err = tsb_spawn(p, &how, &pid);
	if (err < 0) {
		tsb_warn_errno(p, err, "cannot run %s", r->argv[0]);
		r->status = (err == -ENOENT ? 127 : 126) << 8;
	} else {
		while (tsb_wait(p, pid, &r->status, 0) == -EINTR)
			;
	}
	to = tsb_clock(p, TSB_CLOCK_MONOTONIC);
	r->elapsed_ms = (uint64_t)((to.sec - from.sec) * 1000 + (to.nsec - from.nsec) / 1000000);
	tsb_usage_children(p, &r->used);
	return WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
}

static int time_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct time_opts *o = opts;
	const char *format = o->portable ? time_posix : o->format ? o->format : NULL;
	struct time_result r = { .argv = argv };
	int fd = 2, status;
	struct str text;

	if (!argc)
		return tsb_usage(p, "missing program to run");
	if (!format)
		format = o->verbose ? time_long : tsb_getenv(p, "TIME");
	if (o->output) {
		fd = tsb_open(p, o->output, O_WRONLY | O_CREAT | O_CLOEXEC |
			      (o->append ? O_APPEND : O_TRUNC), 0666);
		if (fd < 0) {
			tsb_warn_errno(p, fd, "%s", o->output);
			return 125;
		}
	}
	status = time_measure(p, &r);
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!o->quiet)
		time_ending(&text, &r);
	time_format(&text, format ? format : time_default, &r);
	tsb_write_all(p, fd, text.p, text.n);
	return status;
}

const struct tsb_command cmd_time = {
	.version = TSB_COMMAND_VERSION, .package = "GNU Time", .package_version = "UNKNOWN",
	.name = "time", .synopsis = "[OPTIONS] COMMAND [ARG]...",
	.summary = "Run COMMAND, then print system resource usage.", .opts = time_opts,
	.opts_size = sizeof(struct time_opts), .run = time_run, .flags = TSB_OPERAND_ENDS,
	.usage_status = 125,
};
